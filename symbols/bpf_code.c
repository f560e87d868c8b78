// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/bpf_code.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/bpf_admin.h"
#include "base/bpf_types.h"
#include "symbols/annotate.h"
#include "symbols/bpf_insn.h"
#include "symbols/kernel_id.h"
#include "symbols/object.h"
#include "symbols/resolver.h"
#include "symbols/tables.h"

#define MAPS_KNOWN    64 /* names that are kept at hand */
#define NAME_MAX_SIZE 160

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#elif defined(__aarch64__)
#define MACHINE EM_AARCH64
#else
#define MACHINE EM_NONE
#endif

/* What the kernel tells of a program, in arrays of ours. */
struct program {
	struct symbols *symbols;
	struct bpf_prog_info info;
	struct bpf_insn *insns;
	u8 *jited;
	struct bpf_func_info *funcs;
	struct bpf_line_info *lines;
	u64 *jited_lines; /* addresses, one for each of lines */
	u64 *jited_funcs; /* addresses */
	u32 *jited_sizes;
	struct btf *types; /* NULL: it came without */
	u64 call_base;	   /* what calls are counted from; 0: hidden */
	struct {
		u32 id;
		char name[BPF_OBJ_NAME_LEN];
	} maps[MAPS_KNOWN];
	u32 nmaps;
};

/* --- what the kernel has --- */

static void *array_of(u32 *n, u32 max, size_t size, __u64 *to)
{
	void *v;

	*n = MIN(*n, max);
	if (!*n)
		return NULL;
	v = xcalloc(*n, size);
	*to = (u64)(uintptr_t)v;
	return v;
}

/* Asks for as much as there is, as the first answer said. */
static int read_all(struct program *p, int fd)
{
	struct bpf_prog_info all = {0}, *had = &p->info;
	u32 size = sizeof(all), most = BPF_CODE_MAX / sizeof(struct bpf_insn);

	all.xlated_prog_len = had->xlated_prog_len;
	all.jited_prog_len = had->jited_prog_len;
	all.nr_func_info = had->nr_func_info;
	all.nr_line_info = had->nr_line_info;
	all.nr_jited_line_info = had->nr_jited_line_info;
	all.nr_jited_ksyms = had->nr_jited_ksyms;
	all.nr_jited_func_lens = had->nr_jited_func_lens;
	all.func_info_rec_size = sizeof(*p->funcs);
	all.line_info_rec_size = sizeof(*p->lines);
	all.jited_line_info_rec_size = sizeof(*p->jited_lines);
	p->insns = array_of(&all.xlated_prog_len, BPF_CODE_MAX, 1, &all.xlated_prog_insns);
	p->jited = array_of(&all.jited_prog_len, BPF_CODE_MAX, 1, &all.jited_prog_insns);
	p->funcs = array_of(&all.nr_func_info, most, sizeof(*p->funcs), &all.func_info);
	p->lines = array_of(&all.nr_line_info, most, sizeof(*p->lines), &all.line_info);
	p->jited_lines = array_of(&all.nr_jited_line_info, most, sizeof(u64), &all.jited_line_info);
	p->jited_funcs = array_of(&all.nr_jited_ksyms, most, sizeof(u64), &all.jited_ksyms);
	p->jited_sizes = array_of(&all.nr_jited_func_lens, most, sizeof(u32), &all.jited_func_lens);
	if (bpf_obj_get_info_by_fd(fd, &all, &size))
		return -errno;
	/* It may have more than it was asked for. */
	had->xlated_prog_len = all.xlated_prog_insns ? MIN(had->xlated_prog_len, all.xlated_prog_len) : 0;
	had->jited_prog_len = all.jited_prog_insns ? MIN(had->jited_prog_len, all.jited_prog_len) : 0;
	had->nr_func_info = p->funcs ? MIN(had->nr_func_info, all.nr_func_info) : 0;
	had->nr_line_info = p->lines ? MIN(had->nr_line_info, all.nr_line_info) : 0;
	had->nr_jited_line_info = p->jited_lines && all.jited_line_info
					  ? MIN(MIN(had->nr_jited_line_info, all.nr_jited_line_info), had->nr_line_info) : 0;
	had->nr_jited_ksyms = p->jited_funcs && all.jited_ksyms ? MIN(had->nr_jited_ksyms, all.nr_jited_ksyms) : 0;
	had->nr_jited_func_lens = p->jited_sizes && all.jited_func_lens
					  ? MIN(had->nr_jited_func_lens, all.nr_jited_func_lens) : 0;
	return 0;
}

/* 0, or -errno; -ESTALE: that number is another program's. */
static int read_program(struct program *p, u32 id, u64 loaded_ns)
{
	u32 size = sizeof(p->info);
	int fd = bpf_admin__open(BPF_OBJECT_PROG, id), err;

	if (fd < 0)
		return fd;
	err = bpf_obj_get_info_by_fd(fd, &p->info, &size) ? -errno : 0;
	if (!err && p->info.load_time != loaded_ns)
		err = -ESTALE;
	if (!err)
		err = read_all(p, fd);
	close(fd);
	if (!err)
		p->types = bpf_types__of(p->info.btf_id);
	return err;
}

static void forget(struct program *p)
{
	free(p->insns);
	free(p->jited);
	free(p->funcs);
	free(p->lines);
	free(p->jited_lines);
	free(p->jited_funcs);
	free(p->jited_sizes);
	btf__free(p->types);
}

/* --- names --- */

static const char *type_text(const struct program *p, u32 offset)
{
	const char *text = p->types ? btf__name_by_offset(p->types, offset) : NULL;

	return text ? text : "";
}

/* Of the i-th function. */
static const char *function_name(const struct program *p, u32 i)
{
	const struct btf_type *t = NULL;

	if (p->types && i < p->info.nr_func_info)
		t = btf__type_by_id(p->types, p->funcs[i].type_id);
	return t ? type_text(p, t->name_off) : i ? "" : p->info.name;
}

/* The last of those that begin at an instruction or before. */
static u32 function_at(const struct program *p, u32 insn)
{
	u32 low = 0, high = p->info.nr_func_info;

	while (low + 1 < high) {
		u32 middle = low + (high - low) / 2;

		if (p->funcs[middle].insn_off <= insn)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void map_name(struct program *p, u32 id, char *buf, size_t size)
{
	struct bpf_map_info info = {0};
	u32 len = sizeof(info), at;
	int fd;

	for (u32 i = 0; i < p->nmaps && i < MAPS_KNOWN; i++)
		if (p->maps[i].id == id) {
			copy_str(buf, size, p->maps[i].name);
			return;
		}
	fd = bpf_admin__open(BPF_OBJECT_MAP, id);
	if (fd >= 0 && !bpf_obj_get_info_by_fd(fd, &info, &len)) {
		at = p->nmaps++ % MAPS_KNOWN;
		p->maps[at].id = id;
		snprintf(p->maps[at].name, sizeof(p->maps[at].name), "%.*s", BPF_OBJ_NAME_LEN - 1, info.name);
		copy_str(buf, size, p->maps[at].name);
	}
	if (fd >= 0)
		close(fd);
}

static void kernel_name(const struct program *p, u64 address, char *buf, size_t size)
{
	u32 object = p->symbols->kernel_object;
	const struct sym_func *f = symbols__func(p->symbols, object__func_at(p->symbols, object, address));

	if (f->id != SYM_UNKNOWN && f->start == address)
		copy_str(buf, size, f->name);
}

static void insn_name(struct program *p, u32 at, char *buf, size_t size)
{
	const struct bpf_insn *insn = &p->insns[at];
	bool calls = insn->code == (BPF_JMP | BPF_CALL);

	*buf = '\0';
	if (calls && insn->src_reg == BPF_PSEUDO_CALL)
		copy_str(buf, size, function_name(p, function_at(p, at + 1 + (u32)insn->off)));
	else if (calls && p->call_base)
		kernel_name(p, p->call_base + (u64)(s64)insn->imm, buf, size);
	else if (!calls && insn->src_reg == BPF_PSEUDO_FUNC)
		copy_str(buf, size, function_name(p, function_at(p, at + 1 + (u32)insn->imm)));
	else if (!calls && (insn->src_reg == BPF_PSEUDO_MAP_FD || insn->src_reg == BPF_PSEUDO_MAP_VALUE))
		map_name(p, (u32)insn->imm, buf, size);
}

/* --- lines --- */

static void put_line(const struct program *p, u32 line, struct annotated_insn *out)
{
	const struct bpf_line_info *l = &p->lines[line];

	out->file = type_text(p, l->file_name_off);
	out->source = type_text(p, l->line_off);
	out->source += strspn(out->source, " \t");
	out->line = BPF_LINE_INFO_LINE_NUM(l->line_col);
	out->column = BPF_LINE_INFO_LINE_COL(l->line_col);
}

/* Instructions that no line begins at are of that before. Texts are the types' until all are copied. */
static void put_lines(const struct program *p, struct annotated_insn *v, u32 n)
{
	u32 lines = p->info.nr_line_info, line = 0;

	for (u32 i = 0; i < n && lines; i++) {
		while (line + 1 < lines && p->lines[line + 1].insn_off <= v[i].offset)
			line++;
		if (p->lines[line].insn_off <= v[i].offset)
			put_line(p, line, &v[i]);
	}
}

/* Of one function; where others are is in no order. at: where its code is, less the offsets of v. */
static void put_jited_lines(const struct program *p, struct annotated_insn *v, u32 n, u64 at)
{
	u32 lines = p->info.nr_jited_line_info, line = 0;

	while (n && line < lines &&
	       (p->jited_lines[line] < at + v[0].offset || p->jited_lines[line] > at + v[n - 1].offset))
		line++;
	for (u32 i = 0; i < n && line < lines; i++) {
		while (line + 1 < lines && p->jited_lines[line + 1] > p->jited_lines[line] &&
		       p->jited_lines[line + 1] <= at + v[i].offset)
			line++;
		if (p->jited_lines[line] <= at + v[i].offset)
			put_line(p, line, &v[i]);
	}
}

/* As the types go, and neighbours have the same. */
static const char *keep(struct arena *a, const char *text, const char *last, const char *kept)
{
	if (!text)
		return NULL;
	return last && !strcmp(text, last) ? kept : arena__strdup(a, text);
}

static const struct annotated_insn *keep_all(struct arena *a, struct annotated_insn *v, u32 n)
{
	struct annotated_insn *out = arena__array(a, struct annotated_insn, n);

	for (u32 i = 0; i < n; i++) {
		struct annotated_insn *o = &out[i], none = {0}, *last = i ? &v[i - 1] : &none,
				      *kept = i ? &out[i - 1] : &none;

		*o = v[i];
		o->file = keep(a, v[i].file, last->file, kept->file);
		o->source = keep(a, v[i].source, last->source, kept->source);
		o->inlined = keep(a, v[i].inlined, last->inlined, kept->inlined);
	}
	return out;
}

/* --- both codes --- */

static struct annotation *bytecode(struct program *p)
{
	u32 count = p->info.xlated_prog_len / (u32)sizeof(struct bpf_insn), n = 0;
	struct annotated_insn *v = xcalloc(MAX(count, 1u), sizeof(*v));
	char name[NAME_MAX_SIZE], text[2 * NAME_MAX_SIZE];
	struct arena *arena;
	struct annotation *out = annotation__new(0, &arena);

	for (u32 at = 0; at < count; n++) {
		u32 wide = bpf_insn__is_wide(&p->insns[at]) && at + 1 < count;

		if (bpf_insn__is_wide(&p->insns[at]) && !wide)
			break;
		insn_name(p, at, name, sizeof(name));
		bpf_insn__text(&p->insns[at], name, text, sizeof(text));
		v[n] = (struct annotated_insn){.offset = at,
					       .size = 1 + wide,
					       .text = arena__strdup(arena, text),
					       .inlined = function_name(p, function_at(p, at))};
		at += 1 + wide;
	}
	put_lines(p, v, n);
	out->insns = keep_all(arena, v, n);
	out->ninsns = n;
	free(v);
	if (!n)
		snprintf(out->note, sizeof(out->note), "the kernel hides the instructions of this program");
	else if (!p->info.nr_line_info || !p->types)
		snprintf(out->note, sizeof(out->note), "no source lines: the program came without types (BTF)");
	return out;
}

static bool jited_name(void *ctx, u64 address, u64 *offset, char *name, size_t size)
{
	const struct program *p = ctx;

	*offset = 0;
	*name = '\0';
	for (u32 i = 0; i < p->info.nr_jited_ksyms; i++)
		if (p->jited_funcs[i] == address)
			copy_str(name, size, function_name(p, i));
	if (!*name)
		kernel_name(p, address, name, size);
	return *name;
}

/* One function's code, which begins so far in all of it; appended to *v. */
static void add_machine_code(struct program *p, u32 func, u32 at, u32 size, struct arena *arena,
			     struct annotated_insn **v, u32 *n)
{
	struct annotate_code code = {.machine = MACHINE,
				     .offset = at,
				     .vaddr = p->jited_funcs[func],
				     .bytes = p->jited + at,
				     .size = size,
				     .name = jited_name,
				     .ctx = p};
	struct annotation *a = annotate__code(0, &code);

	*v = xrealloc(*v, (*n + a->ninsns + 1) * sizeof(**v));
	for (u32 i = 0; i < a->ninsns; i++) {
		(*v)[*n + i] = a->insns[i];
		(*v)[*n + i].text = arena__strdup(arena, a->insns[i].text);
		(*v)[*n + i].inlined = function_name(p, func);
	}
	put_jited_lines(p, *v + *n, a->ninsns, p->jited_funcs[func] - at);
	*n += a->ninsns;
	annotation__put(a);
}

static struct annotation *machine_code(struct program *p)
{
	u32 nfuncs = MIN(p->info.nr_jited_ksyms, p->info.nr_jited_func_lens), n = 0, at = 0;
	struct annotated_insn *v = NULL;
	struct arena *arena;
	struct annotation *out = annotation__new(0, &arena);

	for (u32 i = 0; i < nfuncs && p->jited_sizes[i] <= p->info.jited_prog_len - at; i++) {
		add_machine_code(p, i, at, p->jited_sizes[i], arena, &v, &n);
		at += p->jited_sizes[i];
	}
	out->insns = keep_all(arena, v, n);
	out->ninsns = n;
	free(v);
	if (!n)
		snprintf(out->note, sizeof(out->note),
			 "no machine code: the program was not compiled (net.core.bpf_jit_enable), or the kernel hides it "
			 "(kernel.kptr_restrict)");
	return out;
}

static void no_code(int err, struct annotation *out[BPF_CODES])
{
	struct arena *arena;

	for (u32 i = 0; i < BPF_CODES; i++) {
		out[i] = annotation__new(0, &arena);
		copy_str(out[i]->note, sizeof(out[i]->note),
			 err == -ENOENT || err == -ESTALE ? "no code: the program is not loaded here any more"
							  : "no code: a recording has none, and live it needs CAP_SYS_ADMIN when proftop starts");
	}
}

void bpf_code__build(struct symbols *s, u32 prog, u64 loaded_ns, struct annotation *out[BPF_CODES])
{
	struct program p = {.symbols = s};
	int err = read_program(&p, prog, loaded_ns);

	if (err) {
		no_code(err, out);
	} else {
		resolver__load(s->resolver, s->kernel_object);
		p.call_base = kernel__address_of("__bpf_call_base");
		out[BPF_BYTECODE] = bytecode(&p);
		out[BPF_MACHINE_CODE] = machine_code(&p);
	}
	forget(&p);
}
