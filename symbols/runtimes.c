// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/runtimes.h"

struct runtime_row {
	bool (*read)(int fd, const char *path, struct runtime_file *f);
	int (*attach)(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		      struct process_runtime *out, union runtime *rt, const char **why);
	/* Both NULL: what it calls threads it has told the kernel. */
	u32 (*threads)(const struct process_runtime *r, const struct process_memory *m,
		       struct runtime_thread *to, u32 max);
	bool (*thread_name)(const struct process_runtime *r, const struct process_memory *m, u64 at,
			    const char *comm, char *to, size_t size);
};

/* --- python --- */

static bool read_python(int fd, const char *path, struct runtime_file *f)
{
	return python_file__read(fd, path, &f->python);
}

static int attach_python(const struct runtime_file *f, u64 bias, const struct process_memory *m,
			 struct process_runtime *out, union runtime *rt, const char **why)
{
	int err = python__attach(&f->python, bias, m, &out->python, why);

	rt->python = out->python.rt;
	return err;
}

static u32 python_threads(const struct process_runtime *r, const struct process_memory *m,
			  struct runtime_thread *to, u32 max)
{
	return python_threads__list(&r->python, m, to, max);
}

static bool python_thread_name(const struct process_runtime *r, const struct process_memory *m, u64 at,
			       const char *comm, char *to, size_t size)
{
	return python_thread__name(&r->python, m, at, to, size);
}

/* --- java --- */

static bool read_hotspot(int fd, const char *path, struct runtime_file *f)
{
	return hotspot_file__read(fd, &f->hotspot);
}

static int attach_hotspot(const struct runtime_file *f, u64 bias, const struct process_memory *m,
			  struct process_runtime *out, union runtime *rt, const char **why)
{
	int err = hotspot__attach(&f->hotspot, bias, m, &out->hotspot, why);

	rt->hotspot = out->hotspot.rt;
	return err;
}

static u32 hotspot_threads(const struct process_runtime *r, const struct process_memory *m,
			   struct runtime_thread *to, u32 max)
{
	return hotspot_threads__list(&r->hotspot, m, to, max);
}

static bool hotspot_thread_name(const struct process_runtime *r, const struct process_memory *m, u64 at,
				const char *comm, char *to, size_t size)
{
	return hotspot_thread__name(&r->hotspot, m, at, comm, to, size);
}

/* --- javascript --- */

static bool read_v8(int fd, const char *path, struct runtime_file *f)
{
	return v8_file__read(fd, &f->v8);
}

static int attach_v8(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		     struct process_runtime *out, union runtime *rt, const char **why)
{
	int err = v8__attach(&f->v8, bias, m, &out->v8, why);

	rt->v8 = out->v8.rt;
	return err;
}

/* --- php --- */

static bool read_php(int fd, const char *path, struct runtime_file *f)
{
	return php_file__read(fd, &f->php);
}

static int attach_php(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		      struct process_runtime *out, union runtime *rt, const char **why)
{
	int err = php__attach(&f->php, bias, m, &out->php, why);

	rt->php = out->php.rt;
	return err;
}

/* --- ruby --- */

static bool read_ruby(int fd, const char *path, struct runtime_file *f)
{
	return ruby_file__read(fd, &f->ruby);
}

static int attach_ruby(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		       struct process_runtime *out, union runtime *rt, const char **why)
{
	int err = ruby__attach(&f->ruby, bias, m, &out->ruby, why);

	rt->ruby = out->ruby.rt;
	return err;
}

/* --- perl --- */

static bool read_perl(int fd, const char *path, struct runtime_file *f)
{
	return perl_file__read(fd, &f->perl);
}

static int attach_perl(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		       struct process_runtime *out, union runtime *rt, const char **why)
{
	int err = perl__attach(&f->perl, bias, m, &out->perl, why);

	rt->perl = out->perl.rt;
	return err;
}

static const struct runtime_row rows[SCRIPT_KINDS] = {
	[SCRIPT_PYTHON] = {read_python, attach_python, python_threads, python_thread_name},
	[SCRIPT_HOTSPOT] = {read_hotspot, attach_hotspot, hotspot_threads, hotspot_thread_name},
	[SCRIPT_V8] = {.read = read_v8, .attach = attach_v8},
	[SCRIPT_PHP] = {.read = read_php, .attach = attach_php},
	[SCRIPT_RUBY] = {.read = read_ruby, .attach = attach_ruby},
	[SCRIPT_PERL] = {.read = read_perl, .attach = attach_perl},
};

bool runtime_file__read(int fd, const char *path, struct runtime_file *out)
{
	for (enum script_kind kind = SCRIPT_NOTHING + 1; kind < SCRIPT_KINDS; kind++) {
		*out = (struct runtime_file){.kind = kind};
		if (rows[kind].read(fd, path, out))
			return true;
	}
	return false;
}

int runtime__attach(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		    struct process_runtime *out, union runtime *for_kernel, const char **why)
{
	*out = (struct process_runtime){.kind = f->kind};
	*for_kernel = (union runtime){0};
	return rows[f->kind].attach(f, bias, m, out, for_kernel, why);
}

u32 runtime__threads(const struct process_runtime *r, const struct process_memory *m,
		     struct runtime_thread *to, u32 max)
{
	return rows[r->kind].threads ? rows[r->kind].threads(r, m, to, max) : 0;
}

bool runtime_thread__name(const struct process_runtime *r, const struct process_memory *m, u64 at,
			  const char *comm, char name[RUNTIME_THREAD_NAME])
{
	return rows[r->kind].thread_name &&
	       rows[r->kind].thread_name(r, m, at, comm, name, RUNTIME_THREAD_NAME);
}
