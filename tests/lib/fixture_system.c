// SPDX-License-Identifier: GPL-2.0-only
/* Lines about the whole machine and its processes; see fixture.h. */
#include <stdio.h>

#include "base/arena.h"
#include "samples/system.h"
#include "tests/lib/fixture_impl.h"

#define MIB (1ULL << 20)
#define MS  NSEC_PER_MSEC

struct system_record {
	enum sample_type type;
	struct figure_sample figure;
	struct usage_sample usage;
	struct notice_sample notice;
};

static bool parse_figure(struct system_record *r, const char *text)
{
	char name[32], instance[FIGURE_INSTANCE];
	unsigned long long value;

	if (sscanf(text, "figure %31s %63s %llu %u", name, instance, &value, &r->figure.pid) < 3)
		return false;
	r->type = SAMPLE_FIGURE;
	r->figure.head.type = SAMPLE_FIGURE;
	r->figure.value = value;
	r->figure.span_ns = NSEC_PER_SEC;
	if (strcmp(instance, "-"))
		copy_str(r->figure.instance, sizeof(r->figure.instance), fixture__unescape(instance));
	while (r->figure.figure < FIGURES && strcmp(figure_rows[r->figure.figure].name, name))
		r->figure.figure++;
	return r->figure.figure < FIGURES;
}

static bool parse_usage(struct system_record *r, const char *text)
{
	unsigned long long user, system, faults, rss, io, swapped = 0;
	struct usage_sample *u = &r->usage;
	char comm[64];

	if (sscanf(text, "usage %63s %u %c %u %llu %llu %llu %llu %llu %llu", comm, &u->pid, &u->state, &u->cpus,
		   &user, &system, &faults, &rss, &io, &swapped) < 9)
		return false;
	r->type = SAMPLE_USAGE;
	u->head.type = SAMPLE_USAGE;
	u->start = u->pid;
	u->span_ns = NSEC_PER_SEC;
	u->threads = 1;
	u->user_ns = user * MS;
	u->system_ns = system * MS;
	u->minor_faults = faults;
	u->rss_bytes = rss * MIB;
	u->read_bytes = io * MIB;
	u->swapped_bytes = swapped * MIB;
	copy_str(u->comm, sizeof(u->comm), fixture__unescape(comm));
	return true;
}

static bool parse_notice(struct system_record *r, const char *text)
{
	if (sscanf(text, "notice %u %199[^\n]", &r->notice.level, r->notice.text) != 2)
		return false;
	r->type = SAMPLE_NOTICE;
	r->notice.head.type = SAMPLE_NOTICE;
	fixture__unescape(r->notice.text);
	return true;
}

struct system_record *system_record__parse(const char *text)
{
	struct system_record *r = xcalloc(1, sizeof(*r));

	if (parse_figure(r, text) || parse_usage(r, text) || parse_notice(r, text))
		return r;
	free(r);
	return NULL;
}

void system_record__put(struct system_record *r, u64 now_ns, const struct sample_sink *sink)
{
	r->notice.t_ns = now_ns;
	sink__put(sink, r->type == SAMPLE_FIGURE  ? &r->figure.head
			: r->type == SAMPLE_USAGE ? &r->usage.head
						  : &r->notice.head);
}
