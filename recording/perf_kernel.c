// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_kernel.h"

#include <stdio.h>
#include <sys/utsname.h>

#include "base/bisect.h"
#include "symbols/kernel_id.h"
#include "symbols/recorded.h"

#define KERNEL_NAME "[kernel.kallsyms]"

void perf_kernel__init(struct perf_kernel *k, struct symbols *symbols, const struct perf_meta *meta)
{
	*k = (struct perf_kernel){.symbols = symbols, .meta = meta, .ksymbols = {.symbols = symbols}};
}

void perf_kernel__fini(struct perf_kernel *k)
{
	free(k->maps);
	perf_ksymbols__fini(&k->ksymbols);
}

/* "[nf_tables]" of that or of a path that ends in nf_tables.ko. */
static void name_module(const char *path, char *name, size_t size)
{
	const char *base = strrchr(path, '/');
	int len;

	base = base ? base + 1 : path;
	len = (int)strcspn(base, ".");
	if (*base == '[')
		copy_str(name, size, base);
	else
		snprintf(name, size, "[%.*s]", len, base);
}

/* The kernel's own map is called after a symbol in it, whose address takes the offset's place. */
void perf_kernel__mmap(struct perf_kernel *k, const struct perf_record *r)
{
	struct perf_kernel_map m = {.start = r->start, .end = r->start + r->len};

	if (!r->len || k->nmaps == PERF_MODULES_MAX)
		return;
	if (!strncmp(r->text, KERNEL_NAME, strlen(KERNEL_NAME))) {
		copy_str(m.name, sizeof(m.name), "[kernel]");
		copy_str(k->reference, sizeof(k->reference), r->text + strlen(KERNEL_NAME));
		k->reference_at = r->offset;
	} else {
		name_module(r->text, m.name, sizeof(m.name));
	}
	k->maps = xgrow(k->maps, k->nmaps, &k->cap, sizeof(*k->maps));
	k->maps[k->nmaps++] = m;
	k->sorted = false;
}

/* --- here or elsewhere --- */

static bool same_kernel(const struct perf_kernel *k)
{
	const char *recorded = perf_meta__build_id_of(k->meta, KERNEL_NAME);
	struct utsname here;
	char id[41];

	if (*recorded && *kernel__build_id(id, sizeof(id)))
		return !strcmp(recorded, id);
	return !uname(&here) && !strcmp(here.release, k->meta->kernel) &&
	       !strcmp(here.nodename, k->meta->host);
}

bool perf_kernel__is_here(struct perf_kernel *k)
{
	u64 at;

	if (k->asked)
		return k->here;
	k->asked = true;
	at = *k->reference && same_kernel(k) ? kernel__address_of(k->reference) : 0;
	k->here = at;
	k->moved = (s64)(at - k->reference_at);
	return k->here;
}

/* --- addresses --- */

static int by_start(const void *a, const void *b)
{
	const struct perf_kernel_map *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static struct perf_kernel_map *map_at(struct perf_kernel *k, u64 ip)
{
	u32 after;

	if (!k->sorted && k->nmaps)
		qsort(k->maps, k->nmaps, sizeof(*k->maps), by_start);
	k->sorted = true;
	BISECT(after, 0, k->nmaps, i, k->maps[i].start <= ip);
	return after && ip < k->maps[after - 1].end ? &k->maps[after - 1] : NULL;
}

static u32 elsewhere(struct perf_kernel *k, struct perf_kernel_map *m, u64 ip)
{
	struct recorded_loc l = {.offset = ip};
	u32 object = m ? m->object : 0;

	if (!object)
		object = 1 + symbols__recorded_object(
				     k->symbols,
				     &(struct sym_object){.kind = CODE_KERNEL,
							  .name = m ? m->name : "[kernel]",
							  .path = ""},
				     "");
	if (m) {
		m->object = object;
		l.offset -= m->start;
	}
	l.object = object - 1;
	k->nelsewhere++;
	return symbols__recorded_loc(k->symbols, &l);
}

u32 perf_kernel__locate(struct perf_kernel *k, u64 ip)
{
	struct perf_kernel_map *m = map_at(k, ip);
	u32 loc;

	if (perf_ksymbols__locate(&k->ksymbols, ip, &loc))
		return loc;
	if (!perf_kernel__is_here(k))
		return elsewhere(k, m, ip);
	if (!k->moved)
		return symbols__locate_kernel(k->symbols, ip);
	/* Modules are loaded elsewhere each time. */
	if (m && strcmp(m->name, "[kernel]"))
		return elsewhere(k, m, ip);
	return symbols__locate_kernel(k->symbols, ip + (u64)k->moved);
}
