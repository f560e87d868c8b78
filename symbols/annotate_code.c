/* SPDX-License-Identifier: GPL-2.0-only */
/* From bytes to annotated instructions; everything ends up in the annotation's own arena. */
#include <stdatomic.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "symbols/annotate.h"
#include "symbols/demangle.h"
#include "symbols/disasm.h"
#include "symbols/sources.h"

#define MAX_NAME 256 /* of a target in the text */

/* What annotation__put frees; the annotation comes first. */
struct annotation_box {
	struct annotation pub;
	struct arena arena;
};

/* Strings that instructions share, by where they were copied from. */
struct copies {
	struct hidx index;
	struct copy {
		const char *from, *to;
	} * rows;
	u32 n;
};

struct annotator {
	const struct annotate_code *in;
	struct annotation_box *box;
	struct copies copies;
	struct annotated_insn *insns;
	u32 ninsns, cap;
};

void annotation__put(const struct annotation *a)
{
	struct annotation_box *box =
		container_of((struct annotation *)a, struct annotation_box, pub);

	if (atomic_fetch_sub_explicit(&box->pub.refs, 1, memory_order_acq_rel) != 1)
		return;
	arena__fini(&box->arena);
	free(box);
}

/* --- strings --- */

static u32 find_copy(const struct copies *c, const char *from)
{
	u64 hash = mix64((uintptr_t)from);
	u32 at;

	HIDX_FIND(at, &c->index, hash, pos, c->rows[pos].from == from);
	return at;
}

static const char *add_copy(struct annotator *a, const char *from, const char *text)
{
	struct copies *c = &a->copies;
	const char *to = arena__strdup(&a->box->arena, text);

	if ((c->n & (c->n - 1)) == 0)
		c->rows = xrealloc(c->rows, MAX(c->n * 2, 1u) * sizeof(*c->rows));
	hidx__add(&c->index, mix64((uintptr_t)from), c->n);
	c->rows[c->n++] = (struct copy){from, to};
	return to;
}

static const char *copy_of(struct annotator *a, const char *from)
{
	u32 at = from ? find_copy(&a->copies, from) : HIDX_NONE;

	if (at != HIDX_NONE)
		return a->copies.rows[at].to;
	return from ? add_copy(a, from, from) : NULL;
}

static const char *demangled_copy_of(struct annotator *a, const char *linkage)
{
	u32 at = find_copy(&a->copies, linkage);
	const char *to;
	char *plain;

	if (at != HIDX_NONE)
		return a->copies.rows[at].to;
	plain = demangle(linkage);
	to = add_copy(a, linkage, plain ? plain : linkage);
	free(plain);
	return to;
}

/* --- one instruction --- */

/* Names a target in buf; returns its offset in the object, 0 when that is not known. */
static u64 name_target(const struct annotate_code *in, u64 target, char *buf, size_t size)
{
	u64 inside = target - in->vaddr, offset = 0;

	if (inside && inside < in->size) {
		snprintf(buf, size, "%llx (+0x%llx)", (unsigned long long)(in->offset + inside),
			 (unsigned long long)inside);
		return in->offset + inside;
	}
	if (!in->name || !in->name(in->ctx, target, &offset, buf, size))
		snprintf(buf, size, "%llx", (unsigned long long)target);
	return inside ? offset : in->offset;
}

static const char *insn_text(struct annotator *a, const struct disasm_insn *insn, u64 *target)
{
	char text[MAX_NAME + 256], name[MAX_NAME];
	int n;

	if (insn->branch) {
		*target = name_target(a->in, insn->target, name, sizeof(name));
		n = snprintf(text, sizeof(text), "%-6s %.*s%s", insn->mnemonic, (int)insn->before,
			     insn->operands, name);
	} else if (insn->data) {
		n = snprintf(text, sizeof(text), "%-6s %s  # %llx", insn->mnemonic, insn->operands,
			     (unsigned long long)insn->data);
	} else if (insn->operands[0]) {
		n = snprintf(text, sizeof(text), "%-6s %s", insn->mnemonic, insn->operands);
	} else {
		n = snprintf(text, sizeof(text), "%s", insn->mnemonic);
	}
	return arena__dup(&a->box->arena, text, MIN((size_t)n, sizeof(text) - 1) + 1);
}

static void add_source(struct annotator *a, u64 vaddr, struct annotated_insn *out)
{
	struct inline_frame frame;
	const char *file;
	u32 line;

	if (!a->in->debuginfo)
		return;
	if (debuginfo__inlined(a->in->debuginfo, vaddr, &frame, 1) > 0)
		out->inlined = demangled_copy_of(a, frame.name);
	if (!debuginfo__line(a->in->debuginfo, vaddr, &file, &line))
		return;
	out->file = copy_of(a, file);
	out->line = line;
	if (a->in->sources)
		out->source = copy_of(a, sources__line(a->in->sources, file, line));
}

static void add_insn(struct annotator *a, const struct disasm_insn *insn)
{
	struct annotated_insn *out;

	if (a->ninsns == a->cap) {
		a->cap = a->cap ? a->cap * 2 : 64;
		a->insns = xrealloc(a->insns, a->cap * sizeof(*a->insns));
	}
	out = &a->insns[a->ninsns++];
	*out = (struct annotated_insn){
		.offset = a->in->offset + (insn->addr - a->in->vaddr),
		.size = insn->size,
	};
	out->text = insn_text(a, insn, &out->target);
	add_source(a, insn->addr, out);
}

/* --- all of them --- */

static void disassemble(struct annotator *a, struct disasm *d)
{
	const u8 *code = a->in->bytes;
	size_t size = a->in->size;
	u64 addr = a->in->vaddr;
	struct disasm_insn insn;

	while (a->ninsns < ANNOTATE_MAX_INSNS && disasm__next(d, &code, &size, &addr, &insn))
		add_insn(a, &insn);
	if (size)
		snprintf(a->box->pub.note, sizeof(a->box->pub.note),
			 "long function: the last %zu bytes are not shown", size);
	if (a->ninsns)
		a->box->pub.insns =
			arena__dup(&a->box->arena, a->insns, a->ninsns * sizeof(*a->insns));
	a->box->pub.ninsns = a->ninsns;
}

static struct annotation_box *box__new(u32 func)
{
	struct annotation_box *box = xcalloc(1, sizeof(*box));

	arena__init(&box->arena);
	atomic_init(&box->pub.refs, 1);
	box->pub.func = func;
	return box;
}

struct annotation *annotation__new(u32 func, struct arena **arena)
{
	struct annotation_box *box = box__new(func);

	*arena = &box->arena;
	return &box->pub;
}

struct annotation *annotate__code(u32 func, const struct annotate_code *c)
{
	struct annotation_box *box = box__new(func);
	struct annotator a = {.in = c, .box = box};
	struct disasm *d;

	if (!c->size)
		return &box->pub;
	d = disasm__new(c->machine);
	if (d)
		disassemble(&a, d);
	else
		snprintf(box->pub.note, sizeof(box->pub.note),
			 "no disassembler here for this machine's code (ELF machine %u)",
			 c->machine);
	disasm__free(d);
	hidx__fini(&a.copies.index);
	free(a.copies.rows);
	free(a.insns);
	return &box->pub;
}

/* --- lines instead --- */

struct annotation *annotate__lines(u32 func, const char *file, u32 first, u32 n, struct sources *sources)
{
	struct annotation_box *box = box__new(func);
	struct annotated_insn *insns;
	const char *path;

	insns = arena__array(&box->arena, struct annotated_insn, n);
	path = arena__strdup(&box->arena, file);
	for (u32 i = 0; i < n; i++) {
		const char *text = sources__line(sources, file, first + i);

		if (!text)
			break;
		insns[box->pub.ninsns++] = (struct annotated_insn){
			.offset = first + i,
			.size = 1,
			.text = arena__strdup(&box->arena, text),
			.file = path,
			.line = first + i,
		};
	}
	box->pub.insns = insns;
	return &box->pub;
}
