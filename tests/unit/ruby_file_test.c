// SPDX-License-Identifier: GPL-2.0-only
/* Where Ruby's evaluation function is: the largest one that rb_vm_exec calls, whether the call leads
 * forwards or backwards, of both machines whose calls are decoded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <unistd.h>

#include "symbols/elf.h"
#include "symbols/ruby.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"

/* A library that looks like a stripped one's exports, and what is static in it. before and after: the
 * functions around rb_vm_exec, whose sizes are given; the largest of all is called by nobody. The last instruction of
 * rb_vm_exec is a call, as it is where that does not return. */
#define LIBRARY \
	".macro function name, pad\n" \
	"\\name: .cfi_startproc\n .skip \\pad, %s\n ret\n .cfi_endproc\n .size \\name, . - \\name\n" \
	".endm\n" \
	".text\n .globl rb_vm_exec\n .type rb_vm_exec, %%function\n" \
	"function uncalled, 4096\n function before, %u\n" \
	"rb_vm_exec: .cfi_startproc\n %s before\n %s after\n .cfi_endproc\n .size rb_vm_exec, . - rb_vm_exec\n" \
	"function after, %u\n" \
	".data\n .globl ruby_current_vm_ptr, ruby_version, rb_cObject\n" \
	"ruby_current_vm_ptr: .quad 0\n ruby_version: .quad 0\n rb_cObject: .quad 0\n"

struct machine {
	const char *target, *call, *fill;
};

static const struct machine x86 = {"x86_64-linux-gnu", "call", "0x90"};
static const struct machine arm = {"aarch64-linux-gnu", "bl", "0"};

static bool has_tools(void)
{
	return !system("clang --version >/dev/null 2>&1 && ld.lld --version >/dev/null 2>&1");
}

static void make(const struct machine *m, u32 before, u32 after)
{
	char text[2048], command[256];

	snprintf(text, sizeof(text), LIBRARY, m->fill, before, m->call, m->call, after);
	write_file("lib.s", text);
	snprintf(command, sizeof(command),
		 "clang -target %s -nostdlib -shared -fuse-ld=lld -Wl,--eh-frame-hdr lib.s -o lib.so", m->target);
	run("%s", command);
}

struct wanted {
	const char *name;
	u64 address, size;
};

static void take(void *ctx, const char *name, const GElf_Sym *sym)
{
	struct wanted *w = ctx;

	if (strcmp(name, w->name))
		return;
	w->address = sym->st_value;
	w->size = sym->st_size;
}

/* name: of the function that it has to be; the file has symbols, which are not looked at. */
static void check_eval(const char *name)
{
	struct wanted w = {.name = name};
	struct ruby_file f;
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/lib.so", scratch_dir);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	elf__symbols(fd, SHT_SYMTAB, name, take, &w);
	assert_true(w.address && w.size);
	assert_true(ruby_file__read(fd, &f));
	assert_int_equal(f.eval, w.address);
	assert_int_equal(f.eval_size, w.size);
	close(fd);
}

static void check(const struct machine *m)
{
	if (!has_tools())
		skip_because("clang or ld.lld is not installed");
	make(m, 64, 1024);
	check_eval("after");
	make(m, 1024, 64);
	check_eval("before");
}

static void test_x86(void **state)
{
	check(&x86);
}

static void test_aarch64(void **state)
{
	check(&arm);
}

static int set_up(void **state)
{
	elf_version(EV_CURRENT);
	return scratch__make("ruby_file");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_x86), cmocka_unit_test(test_aarch64)};

	return cmocka_run_group_tests(tests, set_up, scratch__remove);
}
