// SPDX-License-Identifier: GPL-2.0-only
/* What is special to the source of the kernel's memory: how much of the machine's is free, and in which pieces, and
 * what control groups have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "bpf/kmem.h"
#include "sources/cgroup_memory.h"
#include "sources/measure.h"

struct kmem {
	const struct scope *scope; /* a reference, or NULL */
};

#define ORDERS	   16
#define HUGE_BYTES (2u << 20)

/* Free bytes by /proc/buddyinfo; in *small those in pieces below a huge page. */
static u64 free_bytes(u64 *small)
{
	u64 page = (u64)sysconf(_SC_PAGESIZE), all = 0;
	FILE *f = fopen("/proc/buddyinfo", "re");
	char line[512];

	*small = 0;
	while (f && fgets(line, sizeof(line), f)) {
		char *at = strstr(line, "zone"), *end;

		at = at ? at + 4 + strspn(at + 4, " ") : line + strlen(line);
		at += strcspn(at, " \n"); /* its name */
		for (u32 order = 0; order < ORDERS; order++, at = end) {
			u64 bytes = strtoull(at, &end, 10) * (page << order);

			if (end == at)
				break;
			all += bytes;
			*small += page << order < HUGE_BYTES ? bytes : 0;
		}
	}
	if (f)
		fclose(f);
	return all;
}

static u64 meminfo(const char *name)
{
	char kib[32];

	return file__field("/proc/meminfo", name, kib, sizeof(kib)) ? strtoull(kib, NULL, 10) << 10 : 0;
}

/* Of the groups that the scope names. */
static void note_cgroups(const struct scope *scope, struct health *h)
{
	char text[200];

	for (u32 i = 0; scope && i < scope->ncgroups; i++) {
		size_t n = strlen(h->note);

		if (!scope->cgroups[i].negate && cgroup_memory__text(scope->cgroups[i].text, text, sizeof(text)))
			snprintf(h->note + n, sizeof(h->note) - n, "%s%s", n ? "; " : "", text);
	}
}

static void kmem__health(void *ctx, struct health *h)
{
	note_cgroups(((const struct kmem *)ctx)->scope, h);
}

static bool kmem__levels(void *ctx, u64 v[MEASURE_LEVELS])
{
	v[KMEM_LEVEL_FREE] = free_bytes(&v[KMEM_LEVEL_FREE_SMALL]);
	v[KMEM_LEVEL_SLAB] = meminfo("Slab");
	v[KMEM_LEVEL_SLAB_KEPT] = meminfo("SUnreclaim");
	return v[KMEM_LEVEL_FREE] != 0;
}

static void *kmem__begin(const struct measure *m, const struct sampling *how)
{
	(void)m, (void)how;
	return xcalloc(1, sizeof(struct kmem));
}

static void kmem__end(void *ctx)
{
	struct kmem *k = ctx;

	scope__put(k->scope);
	free(k);
}

static int kmem__scope(void *ctx, const struct scope *scope, struct status *st)
{
	struct kmem *k = ctx;

	scope__put(k->scope);
	k->scope = scope__get(scope);
	return 0;
}

const struct measure_hooks kmem_hooks = {
	.begin = kmem__begin,
	.end = kmem__end,
	.scope = kmem__scope,
	.health = kmem__health,
	.levels = kmem__levels,
};
