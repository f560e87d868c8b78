// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where Perl keeps its contexts, functions and statements: a row for each version and size of an
 * interpreter's state, which options of a build change, as its headers have it on 64-bit machines.
 * It is believed when an interpreter has a function for the file that it was begun with.
 */
#include <errno.h>

#include "symbols/perl.h"

struct layout {
	u8 revision, version;
	u16 size;
	u16 main_function, contexts; /* in an interpreter */
	struct perl_layout perl;
};

/* clang-format off */
static const struct layout layouts[] = {
	{5, 36, 3768, .main_function = 1800, .contexts = 224, .perl = {.statement = 208,
		.stack_contexts = 8, .stack_previous = 16, .stack_last = 32, .stack_type = 44,
		.context_bytes = 104, .context_statement = 16, .context_return = 48, .context_function = 72,
		.statement_begin = 16, .statement_line = 36, .statement_file = 48,
		.function_start = 40, .function_name = 56, .function_file = 64}},
};
/* clang-format on */

static bool read_u8(const struct process_memory *m, u64 at, u8 *to)
{
	return m->read(m->ctx, at, to, sizeof(*to));
}

static const struct layout *find_layout(const struct perl_file *f, u64 bias,
					const struct process_memory *m)
{
	u8 revision, version;
	u16 size;

	if (!f->in_thread || !f->interpreter || !f->interpreter_size ||
	    !read_u8(m, f->revision + bias, &revision) ||
	    !read_u8(m, f->version + bias, &version) ||
	    !memory__u16(m, f->interpreter_size + bias, &size))
		return NULL;
	for (u32 i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].revision == revision && layouts[i].version == version &&
		    layouts[i].size == size)
			return &layouts[i];
	return NULL;
}

static int check_interpreter(const struct layout *l, u64 at, const struct process_memory *m)
{
	u64 interpreter, function, contexts, head;

	if (!memory__u64(m, at, &interpreter))
		return -EFAULT;
	if (!interpreter)
		return -EAGAIN;
	if (!memory__u64(m, interpreter + l->main_function, &function) ||
	    !memory__u64(m, interpreter + l->contexts, &contexts))
		return -EINVAL;
	if (!function || !contexts)
		return -EAGAIN;
	return memory__u64(m, function + sizeof(u64), &head) && PERL_TYPE(head) == PERL_FUNCTION
		       ? 0
		       : -EINVAL;
}

int perl__attach(const struct perl_file *f, u64 bias, const struct process_memory *m,
		 struct perl *out, const char **why)
{
	const struct layout *l = find_layout(f, bias, m);
	u64 module = 0;
	int err;

	*why = "perl is walked in version 5.36 with ithreads, as Debian builds it";
	if (!l)
		return -EOPNOTSUPP;
	*why = "a perl is not laid out as its version says: is it a build of its own?";
	err = check_interpreter(l, f->interpreter + bias, m);
	if (err)
		return err;
	if (f->module && (!memory__u64(m, f->module + bias, &module) || !module))
		return -EAGAIN;
	*out = (struct perl){
		{.how = SCRIPT_CONTEXTS, .thread_frame = l->contexts, .perl = l->perl}};
	out->rt.interpreters = (u64)f->thread;
	out->rt.eval = f->eval + bias;
	out->rt.eval_end = out->rt.eval + f->eval_size;
	out->rt.perl.module = module;
	out->rt.perl.main = f->main + bias;
	out->rt.perl.main_end = out->rt.perl.main + f->main_size;
	out->rt.perl.nextstate = f->nextstate + bias;
	out->rt.perl.dbstate = f->dbstate + bias;
	return 0;
}
