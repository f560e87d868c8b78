// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cache_put.h"

#include <bpf/bpf.h>
#include <stdio.h>
#include <unistd.h>

_Static_assert((int)CACHE_NUMBERS == CACHE_COUNTS && (int)CACHE_N_DIRTIED == CACHE_DIRTIED &&
		       (int)CACHE_N_OTHER_ADDED == CACHE_OTHER_ADDED &&
		       CACHE_TEXT_LEN <= CACHE_PATH_LEN && CACHE_AGE_BUCKETS == CACHE_AGES,
	       "what is counted is what is handed out");

/* --- which file --- */

static void name_device(u32 dev, char *to)
{
	char link[64], target[256];
	const char *name;
	ssize_t n;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", dev >> 20, dev & 0xfffff);
	n = readlink(link, target, sizeof(target) - 1);
	if (n <= 0)
		return;
	target[n] = '\0';
	name = strrchr(target, '/');
	snprintf(to, CACHE_PATH_LEN, "/dev/%.200s", name ? name + 1 : target);
}

/* The text lies at the end of its array; the last byte is lost where it fills it. */
static void take_text(const struct cache_file_name *name, char *to)
{
	u32 start = MIN(name->start, (u32)CACHE_TEXT_LEN), len = CACHE_TEXT_LEN - start;

	if (!name->cut) {
		memcpy(to, name->text + start, len);
		return;
	}
	memcpy(to, "...", 3);
	start = MAX(start, 3u + 1);
	memcpy(to + 3, name->text + start, CACHE_TEXT_LEN - start);
}

static void name_file(const struct cache_put *p, struct cache_file *to)
{
	const struct cache_file_key key = {to->inode, to->dev};
	struct cache_file_name name;

	if (!to->dev)
		return;
	if (!to->inode)
		name_device(to->dev, to->path);
	else if (!bpf_map_lookup_elem(p->files_fd, &key, &name))
		take_text(&name, to->path);
}

/* --- hits that are too many --- */

static struct cache_debt *debt_of(struct cache_put *p, const struct cache_key *k, bool make)
{
	struct cache_debt *d;

	for (u32 i = 0; i < p->ndebts; i++)
		if (!memcmp(&p->debts[i].key, k, sizeof(*k)))
			return &p->debts[i];
	if (!make)
		return NULL;
	if (p->ndebts < CACHE_DEBTS)
		d = &p->debts[p->ndebts++];
	else
		d = &p->debts[k->inode % CACHE_DEBTS]; /* bounded: an old one is let off */
	*d = (struct cache_debt){.key = *k};
	return d;
}

static u64 pay_debt(struct cache_put *p, const struct cache_key *k, u32 what, s64 n)
{
	struct cache_debt *d = p->ndebts || n < 0 ? debt_of(p, k, n < 0) : NULL;
	u64 paid;

	if (!d)
		return (u64)MAX(n, 0);
	if (n < 0) {
		d->n[what] += (u64)-n;
		return 0;
	}
	paid = MIN(d->n[what], (u64)n);
	d->n[what] -= paid;
	return (u64)n - paid;
}

/* --- samples --- */

static bool is_access(u32 what)
{
	return what < CACHE_DIRTIED;
}

void cache_put__sum(struct cache_put *p, const struct cache_key *k, const struct cache_sum *sum)
{
	struct bpf_scope_entry e = {k->tgid,   sum->tid,     sum->cpu,
				    k->cgroup, sum->last_ns, sum->comm};
	struct cache_sample out = {
		.head.type = SAMPLE_CACHE,
		.tgid = k->tgid,
		.tid = sum->tid,
		.kthread = sum->kthread,
		.cgroup = k->cgroup,
		.file = {.dev = k->dev, .inode = k->inode},
		.t_ns = sum->last_ns,
	};
	u64 any = 0;

	if (k->tgid && k->tgid != CACHE_OTHERS && !bpf_scope__passes(p->scope, &e))
		return;
	for (u32 i = 0; i < CACHE_COUNTS; i++) {
		out.n[i] = pay_debt(p, k, i, sum->n[i]);
		any += out.n[i];
		p->samples += is_access(i) ? out.n[i] : 0;
	}
	if (!any)
		return;
	copy_str(out.comm, sizeof(out.comm), sum->comm);
	name_file(p, &out.file);
	sink__put(p->sink, &out.head);
}

void cache_put__miss(struct cache_put *p, const struct cache_miss_key *k,
		     const struct cache_miss_sum *sum)
{
	struct bpf_scope_entry e = {k->tgid,   sum->tid,     sum->cpu,
				    k->cgroup, sum->last_ns, sum->comm};
	struct cache_miss_sample out = {
		.head.type = SAMPLE_CACHE_MISS,
		.tgid = k->tgid,
		.cgroup = k->cgroup,
		.dev = k->dev,
		.inode = k->inode,
		.stack = k->stack,
		.misses = sum->misses,
	};

	if (bpf_scope__passes(p->scope, &e))
		sink__put(p->sink, &out.head);
}
