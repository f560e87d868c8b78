// SPDX-License-Identifier: GPL-2.0-only
/* Several recordings side by side, each of another machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hosts.h"
#include "base/log.h"
#include "base/machine.h"
#include "recording/player_impl.h"
#include "recording/recorder.h"

/* --- intervals --- */

/* Most of the shorter one is within the other. */
static bool is_beside(const struct record_interval *a, const struct record_interval *b)
{
	u64 from = MAX(record_interval__begin(a), record_interval__begin(b)), to = MIN(a->t1_ns, b->t1_ns);
	u64 least = MIN(a->t1_ns - record_interval__begin(a), b->t1_ns - record_interval__begin(b));

	return to > from && (to - from) * 2 > least;
}

/* The pending one that ends first; NULL: all are at their end. */
static struct track *first_to_end(struct player *p)
{
	struct track *first = NULL;

	for (u32 i = 0; i < p->ntracks; i++) {
		struct track *t = &p->tracks[i];

		if (!t->pending)
			t->pending = reader__next(t->reader, &t->next);
		if (t->pending && (!first || t->next.t1_ns < first->next.t1_ns))
			first = t;
	}
	return first;
}

/* Whether a recording that has not had its turn has an interval for the time of this one. */
static bool others_follow(const struct player *p, const struct track *now)
{
	for (u32 i = 0; i < p->ntracks; i++) {
		const struct track *t = &p->tracks[i];

		if (t != now && t->pending && !t->in_turn && is_beside(&t->next, &now->next))
			return true;
	}
	return false;
}

bool player_tracks__next(struct player *p, struct record_interval *out)
{
	struct track *now = first_to_end(p);

	if (!now)
		return false;
	now->pending = false;
	now->in_turn = true;
	p->reader = now->reader;
	p->track = (u32)(now - p->tracks);
	*out = now->next;
	out->goes_on = others_follow(p, now);
	for (u32 i = 0; !out->goes_on && i < p->ntracks; i++)
		p->tracks[i].in_turn = false;
	return true;
}

/* What was counted since the start is that of all. */
void player_tracks__sum_health(struct player *p, u32 model)
{
	struct health *h = &p->now.v[model].health;

	p->tracks[p->track].now.v[model] = p->now.v[model];
	for (u32 i = 0; i < p->ntracks; i++) {
		const struct health *of = &p->tracks[i].now.v[model].health;

		if (i == p->track)
			continue;
		h->samples_total += of->samples_total;
		h->lost += of->lost;
		h->map_full += of->map_full;
		h->stacks_lost += of->stacks_lost;
		h->side_lost += of->side_lost;
	}
}

/* --- their times --- */

/* Whose clock is how far behind the first one's, in ns: by the time of day, or as if all had begun together. */
static u64 behind(const struct reader *first, const struct reader *r, bool by_day)
{
	struct recording_summary a, b;
	double day;

	reader__summary(first, &a);
	reader__summary(r, &b);
	day = strtod(reader__note(r, NOTE_STARTED), NULL) - strtod(reader__note(first, NOTE_STARTED), NULL);
	return a.begin_ns - b.begin_ns + (by_day ? (u64)(s64)(day * (double)NSEC_PER_SEC) : 0);
}

/* Whether there was a time at which all were being made. */
static bool are_of_one_time(const struct track *tracks, u32 n)
{
	double begin = 0, end = INFINITY;

	for (u32 i = 0; i < n; i++) {
		double t = strtod(reader__note(tracks[i].reader, NOTE_STARTED), NULL);
		struct recording_summary sum;

		if (!(t > 0))
			return false;
		reader__summary(tracks[i].reader, &sum);
		begin = MAX(begin, t);
		end = MIN(end, t + (double)(sum.end_ns - sum.begin_ns) / 1e9);
	}
	return begin < end;
}

void player_tracks__join(struct track *tracks, u32 n)
{
	bool by_day = are_of_one_time(tracks, n);
	char all[256] = "";
	size_t len = 0;

	for (u32 i = 0; i < n; i++) {
		struct reader *r = tracks[i].reader;
		u32 host = hosts__add(reader__note(r, NOTE_HOST));

		len += (size_t)snprintf(all + len, sizeof(all) - len, "%s%s", i ? ", " : "", hosts__name(host));
		len = MIN(len, sizeof(all) - 1);
		player__log_head(r);
		reader__set_host(r, host, behind(tracks[0].reader, r, by_day), i * PARTS_MAX);
	}
	machine__set(all, reader__note(tracks[0].reader, NOTE_KERNEL));
	log__add(LOG_INFO, "%u recordings are put side by side %s; the vital signs are those of %s", n,
		 by_day ? "by the time of day" : "as if they had begun together, as they were not made at one time",
		 hosts__name(1));
}
