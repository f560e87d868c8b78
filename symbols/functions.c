// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/functions.h"

#include <errno.h>
#include <fnmatch.h>
#include <unistd.h>

#include "base/arena.h"
#include "samples/functions.h"
#include "symbols/code.h"
#include "symbols/debugfile.h"
#include "symbols/demangle.h"
#include "symbols/disasm.h"
#include "symbols/elf.h"

struct finding {
	struct code code;
	struct debugfile debug;
	struct symtab_builder names;
	int fd;
	bool of_go;
	bool needs_returns; /* exceptions may pass through its functions, or other stacks come in between */
	struct disasm *disasm;
};

/* --- what cannot be probed --- */

/* A probe on the return writes where the stack pointer is: these have no return address there,
 * return twice, or keep it to come back by. */
static bool is_special(const char *name)
{
	static const char *const all[] = {
		"_start", "_dl_start_user", "__restore_rt", "_dl_runtime_*", "_dl_tlsdesc_*",
		"*vfork", "clone", "__clone*", "clone3", "*setjmp*", "*sigsetjmp*", "*longjmp*",
		"getcontext", "setcontext", "swapcontext", "makecontext", "__start_context",
		"*.cold", "*.cold.*", "_Unwind_*", "__gxx_personality*",
	};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (!fnmatch(all[i], name, 0))
			return true;
	return false;
}

/* Whether a table of strings has one that is, or ends with, that. */
static bool has_string(Elf *elf, const char *section, const char *text)
{
	struct byte_budget budget = elf__budget();
	Elf_Data *d = elf__bytes(elf__section(elf, section, SHT_STRTAB), &budget);

	return d && d->d_buf && memmem(d->d_buf, d->d_size, text, strlen(text) + 1);
}

/* Threads change stacks within calls: those end in another order than they began, for which the kernel ends a
 * program whose return addresses it has taken over. By what such files import, define or export. */
static bool changes_stacks(Elf *elf)
{
	static const char *const names[] = {
		"swapcontext", "jump_fcontext", "zend_fiber_switch_context", "rb_fiber_resume",
	};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (has_string(elf, ".dynstr", names[i]) || has_string(elf, ".strtab", names[i]))
			return true;
	return false;
}

static bool is_of_go(Elf *elf)
{
	return elf__section(elf, ".gopclntab", 0) || elf__section(elf, ".data.rel.ro.gopclntab", 0);
}

/* libc has exception tables for threads that are cancelled, which look for no handler. */
static bool needs_returns(Elf *elf, const char *path)
{
	const char *file = strrchr(path, '/');

	if (file && (!strncmp(file, "/libc.so", 8) || !strncmp(file, "/libpthread", 11)))
		return false;
	return elf__section(elf, ".gcc_except_table", 0) || is_of_go(elf) || changes_stacks(elf);
}

/* --- names --- */

static bool name_matches(const char *name, const char *glob, char **shown)
{
	char *plain = demangle(name), *arguments;
	bool matches = !fnmatch(glob, name, 0) || (plain && !fnmatch(glob, plain, 0));

	if (!matches && plain && (arguments = strchr(plain, '('))) {
		*arguments = '\0';
		matches = !fnmatch(glob, plain, 0);
		*arguments = '(';
	}
	*shown = plain ? plain : matches ? xstrdup(name) : NULL;
	if (matches)
		return true;
	free(*shown);
	return false;
}

static int by_start(const void *pa, const void *pb, void *ctx)
{
	const struct raw_symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return symbol_name__prefer(symtab_builder__name(ctx, a), symtab_builder__name(ctx, b));
}

/* --- where a function is left --- */

struct ends {
	u64 offsets[FUNCTION_ENDS];
	u32 n;
	bool jumps;
};

/* Whether an address is in what was moved out of a function. */
static bool is_cold_part(const struct finding *f, u64 addr)
{
	for (u32 i = 0; i < f->names.n; i++) {
		const struct raw_symbol *s = &f->names.raw[i];

		if (addr - s->start < s->size &&
		    strstr(symtab_builder__name(&f->names, s), ".cold"))
			return true;
	}
	return false;
}

static bool is_left_at(const struct finding *f, const struct disasm_insn *in,
		       const struct raw_symbol *s)
{
	if (strstr(in->mnemonic, "ret") == in->mnemonic || strstr(in->mnemonic, " ret"))
		return true;
	return in->branch && in->returns && in->target - s->start >= s->size &&
	       !is_cold_part(f, in->target);
}

/* False: its code cannot be read, or has too many ends. */
static bool add_ends(struct finding *f, const struct raw_symbol *s, struct ends *to)
{
	u64 addr = s->start, offset;
	size_t size = MIN(s->size, 1u << 20);
	u8 *bytes, *at;
	const u8 *code;
	struct disasm_insn in;
	bool fits = true;

	if (!size || !code__offset(&f->code, s->start, &offset))
		return false;
	bytes = at = xmalloc(size);
	code = at;
	fits = pread(f->fd, bytes, size, (off_t)offset) == (ssize_t)size;
	while (fits && disasm__next(f->disasm, &code, &size, &addr, &in)) {
		if (!is_left_at(f, &in, s))
			continue;
		fits = to->n < FUNCTION_ENDS && code__offset(&f->code, in.addr, &offset);
		if (fits)
			to->offsets[to->n++] = offset;
		to->jumps |= in.branch;
	}
	free(bytes);
	return fits;
}

/* Those of its cold part, too. */
static bool find_ends(struct finding *f, const struct raw_symbol *s, struct ends *to)
{
	const char *name = symtab_builder__name(&f->names, s);
	size_t len = strlen(name);

	to->n = 0;
	to->jumps = false;
	if (!f->disasm || !add_ends(f, s, to))
		return false;
	for (u32 i = 0; i < f->names.n; i++) {
		const struct raw_symbol *part = &f->names.raw[i];
		const char *other = symtab_builder__name(&f->names, part);

		if (!strncmp(other, name, len) && !strncmp(other + len, ".cold", 5) &&
		    !add_ends(f, part, to))
			return false;
	}
	return to->n > 0;
}

/* --- the search --- */

/* The name that is known best of those that match at one address, which begin at `at`; *next: the
 * first behind them. NULL: none does. */
static const struct raw_symbol *match_at(const struct finding *f, u32 at, u32 *next, const char *glob,
					 char **shown)
{
	const struct raw_symbol *raw = f->names.raw, *found = NULL;
	bool special = false;
	u32 i;

	for (i = at; i < f->names.n && raw[i].start == raw[at].start; i++) {
		const char *name = symtab_builder__name(&f->names, &raw[i]);

		special |= is_special(name);
		if (!found && raw[i].rank > RANK_LABEL && name_matches(name, glob, shown))
			found = &raw[i];
	}
	*next = i;
	if (!found || !special)
		return found;
	free(*shown);
	return NULL;
}

static int search(struct finding *f, const char *glob,
		  bool (*emit)(void *ctx, const struct function_found *f), void *ctx)
{
	struct ends *ends = xmalloc(sizeof(*ends));
	bool more = true;
	int n = 0;

	if (f->names.n)
		qsort_r(f->names.raw, f->names.n, sizeof(*f->names.raw), by_start, &f->names);
	for (u32 i = 0, next; i < f->names.n && more; i = next) {
		struct function_found found = {0};
		char *shown = NULL;
		const struct raw_symbol *s = match_at(f, i, &next, glob, &shown);

		if (!s)
			continue;
		found.name = shown;
		found.linkage = symtab_builder__name(&f->names, s);
		found.of_go = f->of_go;
		if (code__offset(&f->code, s->start, &found.offset) &&
		    (!f->needs_returns || find_ends(f, s, ends))) {
			found.ends = ends->offsets;
			found.nends = f->needs_returns ? ends->n : 0;
			found.jumps = f->needs_returns && ends->jumps;
			more = emit(ctx, &found);
			n += more;
		}
		free(shown);
	}
	free(ends);
	return n;
}

static u32 only_segments(void *ctx, const struct code *c)
{
	(void)ctx, (void)c;
	return 1;
}

int functions__find(int fd, const char *path, const char *root, const char *glob,
		    bool (*emit)(void *ctx, const struct function_found *f), void *ctx,
		    bool *missing)
{
	const struct code_origin origin = {path, root};
	struct finding f = {.fd = fd, .debug = DEBUGFILE_NONE};
	struct debugfile program = {.fd = fd, .path = (char *)path};
	int n = -ENOEXEC;

	*missing = false;
	code__load_elf(&f.code, fd, &origin, only_segments, NULL);
	symtab_builder__init(&f.names);
	f.names.budget = elf__budget();
	program.elf = f.code.is_elf ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
	if (program.elf) {
		code__add_names(&f.code, &program, &origin, &f.debug, &f.names);
		f.of_go = is_of_go(program.elf);
		f.needs_returns = needs_returns(program.elf, path);
		f.disasm = f.needs_returns ? disasm__new(f.code.machine) : NULL;
		n = search(&f, glob, emit, ctx);
		*missing = !f.code.has_symtab;
		elf_end(program.elf);
	}
	if (f.disasm)
		disasm__free(f.disasm);
	symtab_builder__fini(&f.names);
	debugfile__close(&f.debug);
	code__fini(&f.code);
	return n;
}
