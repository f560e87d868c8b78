// SPDX-License-Identifier: GPL-2.0-only
#include <unistd.h>

#include "base/arena.h"
#include "base/bisect.h"
#include "base/memory.h"
#include "symbols/kallsyms.h"
#include "symbols/packed_texts.h"
#include "symbols/symtab.h"

#define READ_MAX    (64u << 20)
#define LINE_MAX_   1024
#define MODULES_MAX 4096
#define TAIL_KERNEL (16u << 10) /* how far the last function of a module may reach */
#define TAIL_BPF    4096u

/* While reading. */
struct raw {
	u64 addr;
	u32 name;
	u16 module;
	u8 rank;
};

struct ksym {
	u32 start; /* from its block's base */
	u32 name;
};

/* Symbols whose addresses share a base and whose module is one. */
struct block {
	u64 base;
	u32 first;
	u16 module;
};

struct kallsyms {
	struct ksym *syms;
	struct block *blocks;
	u32 n, nblocks;
	char *names; /* each with its NUL; NULL: they are packed */
	size_t names_used;
	struct packed_texts *packed;
	char **modules; /* [0] is "" */
	u32 nmodules;
	bool hidden;
	/* while reading */
	struct raw *raw;
	u32 nraw, cap_raw, nseen;
	size_t names_cap;
};

static u32 add_name(struct kallsyms *k, const char *s, size_t len)
{
	u32 at = (u32)k->names_used, left = PACKED_PIECE - at % PACKED_PIECE, skip = len < left ? 0 : left;

	if (k->names_used + skip + len + 1 > k->names_cap) {
		k->names_cap = MAX(k->names_cap + k->names_cap / 2, (size_t)256 << 10);
		k->names = xrealloc(k->names, k->names_cap);
	}
	memset(k->names + at, 0, skip);
	at += skip;
	memcpy(k->names + at, s, len);
	k->names[at + len] = '\0';
	k->names_used += skip + len + 1;
	return at;
}

/* Modules come in runs, so the last one is looked at first. */
static u16 module_id(struct kallsyms *k, const char *s, size_t len)
{
	for (u32 i = k->nmodules; i-- > 0;)
		if (strlen(k->modules[i]) == len && !memcmp(k->modules[i], s, len))
			return (u16)i;
	if (k->nmodules >= MODULES_MAX)
		return 0;
	k->modules = xrealloc(k->modules, sizeof(*k->modules) * (k->nmodules + 1));
	k->modules[k->nmodules] = xasprintf("%.*s", (int)len, s);
	return (u16)k->nmodules++;
}

static bool take_hex(const char **p, const char *end, u64 *out)
{
	const char *s = *p;

	for (*out = 0; s < end && *s != ' '; s++) {
		u32 d = *s >= '0' && *s <= '9' ? (u32)(*s - '0') : (u32)(*s | 32) - 'a' + 10;

		if (d > 15)
			return false;
		*out = *out << 4 | d;
	}
	*p = s;
	return s < end;
}

static bool rank_of(char type, u8 *rank)
{
	switch (type) {
	case 'T':
		*rank = RANK_GLOBAL;
		return true;
	case 'W':
	case 'w':
		*rank = RANK_WEAK;
		return true;
	case 't':
		*rank = RANK_LOCAL;
		return true;
	}
	return false;
}

/* Padding before functions, which the kernel names too: never executed. */
static bool is_padding(const char *name)
{
	return !strncmp(name, "__pfx_", 6) || !strncmp(name, "__cfi_", 6);
}

/* "ffffffff81000000 T _text" or "ffffffffc0000000 t name\t[module]" */
static void take_line(struct kallsyms *k, const char *p, const char *end)
{
	const char *name, *tab;
	struct raw r = {0};

	if (!take_hex(&p, end, &r.addr) || end - p < 4 || p[2] != ' ' || !rank_of(p[1], &r.rank))
		return;
	name = p + 3;
	k->nseen++;
	if (!r.addr || is_padding(name))
		return;
	tab = memchr(name, '\t', (size_t)(end - name));
	if (tab && end - tab > 3 && tab[1] == '[' && end[-1] == ']')
		r.module = module_id(k, tab + 2, (size_t)(end - tab) - 3);
	if (k->nraw == k->cap_raw) {
		k->cap_raw = MAX(8192u, k->cap_raw + k->cap_raw / 2);
		k->raw = xrealloc(k->raw, sizeof(*k->raw) * k->cap_raw);
	}
	r.name = add_name(k, name, (size_t)((tab ? tab : end) - name));
	k->raw[k->nraw++] = r;
}

/* Until so many were seen, or more. */
static void read_lines(struct kallsyms *k, int fd, u32 enough)
{
	char buf[64 << 10];
	size_t len = 0, total = 0;
	ssize_t n;

	while (total < READ_MAX && k->nseen < enough &&
	       (n = read(fd, buf + len, sizeof(buf) - len)) > 0) {
		char *p = buf, *nl, *end;

		len += (size_t)n;
		total += (size_t)n;
		for (end = buf + len; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1)
			if (nl - p < LINE_MAX_)
				take_line(k, p, nl);
		len = (size_t)(end - p);
		if (len > LINE_MAX_)
			len = 0; /* no line of the kernel */
		memmove(buf, p, len);
	}
}

static int by_addr(const void *pa, const void *pb, void *names)
{
	const struct raw *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank > b->rank ? -1 : 1;
	return symbol_name__prefer((char *)names + a->name, (char *)names + b->name);
}

static void add_block(struct kallsyms *k, const struct raw *r)
{
	if (!(k->nblocks & (k->nblocks - 1)))
		k->blocks =
			xrealloc(k->blocks, sizeof(*k->blocks) * MAX(1u, (size_t)k->nblocks * 2));
	k->blocks[k->nblocks++] = (struct block){r->addr, k->n, r->module};
}

static void pack(struct kallsyms *k)
{
	k->syms = xmalloc(sizeof(*k->syms) * MAX(1u, k->nraw));
	for (u32 i = 0; i < k->nraw; i++) {
		const struct raw *r = &k->raw[i];
		const struct block *b = k->nblocks ? &k->blocks[k->nblocks - 1] : NULL;

		if (i && r->addr == r[-1].addr)
			continue; /* an alias that was not chosen */
		if (!b || b->module != r->module || r->addr - b->base > UINT32_MAX)
			add_block(k, r);
		b = &k->blocks[k->nblocks - 1];
		k->syms[k->n++] = (struct ksym){(u32)(r->addr - b->base), r->name};
	}
	k->syms = xrealloc(k->syms, sizeof(*k->syms) * MAX(1u, k->n));
	k->packed = memory__is_little() ? packed_texts__new(k->names, k->names_used) : NULL;
	k->names = xrealloc(k->names, k->packed ? 0 : k->names_used);
	free(k->raw);
	k->raw = NULL;
}

static struct kallsyms *read_some(int fd, u32 enough)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));

	module_id(k, "", 0);
	read_lines(k, fd, enough);
	if (k->nraw)
		qsort_r(k->raw, k->nraw, sizeof(*k->raw), by_addr, k->names);
	pack(k);
	k->hidden = k->nseen && !k->n;
	return k;
}

struct kallsyms *kallsyms__read(int fd)
{
	return read_some(fd, UINT32_MAX);
}

bool kallsyms__hides(int fd)
{
	struct kallsyms *k = read_some(fd, 1);
	bool hidden = k->hidden;

	kallsyms__free(k);
	return hidden;
}

void kallsyms__free(struct kallsyms *k)
{
	if (!k)
		return;
	for (u32 i = 0; i < k->nmodules; i++)
		free(k->modules[i]);
	free(k->modules);
	free(k->syms);
	free(k->blocks);
	free(k->names);
	packed_texts__free(k->packed);
	free(k);
}

static u32 block_end(const struct kallsyms *k, u32 block)
{
	return block + 1 < k->nblocks ? k->blocks[block + 1].first : k->n;
}

/* The last block or symbol at or below an address; UINT32_MAX none. */
static u32 last_block(const struct kallsyms *k, u64 addr)
{
	u32 n;

	BISECT(n, 0, k->nblocks, i, k->blocks[i].base <= addr);
	return n - 1;
}

static u32 last_symbol(const struct kallsyms *k, u32 from, u32 to, u64 rel)
{
	u32 n;

	BISECT(n, from, to, i, k->syms[i].start <= rel);
	return n - 1;
}

/* A block's last function ends where the next block begins, and not far from its start. */
static u64 tail_end(const struct kallsyms *k, u32 block, u64 start, bool bpf)
{
	u64 end = (start + (bpf ? TAIL_BPF : TAIL_KERNEL)) & ~4095ull;

	if (block + 1 < k->nblocks)
		end = MIN(end, k->blocks[block + 1].base);
	return end;
}

bool kallsyms__find(const struct kallsyms *k, u64 addr, struct kallsym *out)
{
	u32 block = last_block(k, addr), end, i;
	const struct block *b;
	u64 stop;

	if (block == UINT32_MAX)
		return false;
	b = &k->blocks[block];
	end = block_end(k, block);
	i = last_symbol(k, b->first, end, addr - b->base);
	out->start = b->base + k->syms[i].start;
	out->name = k->packed ? packed_texts__at(k->packed, k->syms[i].name) : k->names + k->syms[i].name;
	out->module = k->modules[b->module];
	stop = i + 1 < end ? b->base + k->syms[i + 1].start
			   : tail_end(k, block, out->start, !strcmp(out->module, "bpf"));
	out->size = stop - out->start;
	return addr < stop;
}

u32 kallsyms__count(const struct kallsyms *k)
{
	return k->n;
}

bool kallsyms__hidden(const struct kallsyms *k)
{
	return k->hidden;
}

size_t kallsyms__bytes(const struct kallsyms *k)
{
	return sizeof(*k) + sizeof(*k->syms) * k->n + sizeof(*k->blocks) * k->nblocks +
	       (k->packed ? packed_texts__bytes(k->packed) : k->names_used);
}
