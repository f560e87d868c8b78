// SPDX-License-Identifier: GPL-2.0-only
/* Where PHP keeps its frames and functions: a row for each version, as its headers have it on 64-bit
 * machines. Which version it is says what each of its modules is made for. */
#include <errno.h>

#include "symbols/elf.h"
#include "symbols/php.h"

#define GLOBALS "executor_globals"

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	static const struct {
		const char *name;
		size_t at;
	} wanted[] = {
		{GLOBALS, offsetof(struct php_file, globals)},
		{"execute_ex", offsetof(struct php_file, eval)},
		{"module_registry", offsetof(struct php_file, modules)},
	};
	struct php_file *f = ctx;

	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++)
		if (!strcmp(name, wanted[i].name))
			*(u64 *)((char *)f + wanted[i].at) = sym->st_value;
	if (!strcmp(name, wanted[1].name))
		f->eval_size = sym->st_size;
}

bool php_file__read(int fd, struct php_file *out)
{
	*out = (struct php_file){0};
	elf__symbols(fd, SHT_DYNSYM, GLOBALS, take, out);
	return out->globals && out->eval && out->eval_size && out->modules;
}

struct layout {
	u32 api; /* ZEND_MODULE_API_NO */
	u32 innermost; /* in the executor's globals: the frame's address */
	struct script_runtime rt;
};

/* clang-format off */
static const struct layout layouts[] = {
	{20220829 /* 8.2 */, 488, {.how = SCRIPT_CALLS,
		.frame_bytes = 56, .frame_previous = 48, .frame_code = 24, .frame_instr = 0, .frame_owner = 42,
		.code_bytes = 168, .code_line = 160, .code_file = 152, .code_name = 8, .code_lines = 88,
		.code_start = 24, .text_hash = 16}},
};
/* clang-format on */

/* Of a hash table: where its elements are, and how many; a value is an element's first word. */
#define TABLE_DATA 16
#define TABLE_USED 24
/* Of a module. */
#define MODULE_BYTES 168
#define MODULE_FLAGS 8 /* a byte: made for debugging; a byte: made for threads */

/* The first module; its first word has its size and what version it is made for. */
static int read_version(u64 modules, const struct process_memory *m, u32 *api, u16 *flags)
{
	u64 data, module;
	u32 used;
	u16 size;

	if (!memory__u64(m, modules + TABLE_DATA, &data) ||
	    !memory__u32(m, modules + TABLE_USED, &used))
		return -EFAULT;
	if (!data || !used)
		return -EAGAIN;
	if (!memory__u64(m, data, &module) || !memory__u16(m, module, &size) ||
	    !memory__u32(m, module + 4, api) || !memory__u16(m, module + MODULE_FLAGS, flags))
		return -EAGAIN;
	return size == MODULE_BYTES ? 0 : -EOPNOTSUPP;
}

int php__attach(const struct php_file *f, u64 bias, const struct process_memory *m, struct php *out,
		const char **why)
{
	u32 api = 0;
	u16 flags = 0;
	int err = read_version(f->modules + bias, m, &api, &flags);

	*why = "php is walked in version 8.2, without threads and without --enable-debug";
	if (err)
		return err;
	for (u32 i = 0; i < ARRAY_SIZE(layouts); i++) {
		if (layouts[i].api != api || flags)
			continue;
		*out = (struct php){layouts[i].rt};
		out->rt.interpreters = f->globals + bias + layouts[i].innermost;
		out->rt.eval = f->eval + bias;
		out->rt.eval_end = out->rt.eval + f->eval_size;
		return 0;
	}
	return -EOPNOTSUPP;
}
