/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Windows: how numbers of an interval become those of the last one, of the decaying window and
 * since start. What models of sums share. Collector thread only.
 */
#ifndef MODELS_WINDOWS_H
#define MODELS_WINDOWS_H

#include "base/base.h"

#define TREND_LEN 16 /* intervals in a trend */
/* Decay of the decaying window: per interval times 2^(-dt / half-life), at any delay. */
#define PROFILE_HALF_LIFE_S 5.0

enum time_window { WINDOW_LAST, WINDOW_DECAY, WINDOW_TOTAL, WINDOWS };

/* Less than this of anything that decays is nothing: what is left of 1 after 8 half-lives. It would
 * only cost time on the way to 0. */
#define WINDOW_GONE (1.0 / 256)

/* When the windows began. Zero-initialized: at the next interval. */
struct window_clock {
	bool begun;
	u64 since_ns;
	u64 epoch_ns; /* when the epoch of the maxima began */
	double decay_ns;
};

/* Ends the interval [t0, t1): window_ns says how long each window is, the decaying one by its
 * weight. Returns what decaying sums keep of what they had. */
double window_clock__advance(struct window_clock *c, u64 t0_ns, u64 t1_ns, u64 window_ns[WINDOWS]);

/* How far an interval's end moves the windows. */
struct window_pace {
	double keep; /* of the decaying sums */
	u32 epochs;  /* of the maxima that ended, WINDOW_EPOCHS at most */
};

/* As above, for those who have maxima too. */
struct window_pace window_clock__pace(struct window_clock *c, u64 t0_ns, u64 t1_ns,
				      u64 window_ns[WINDOWS]);

/* How many a second, rounded; 0 in no time. */
static inline u64 window__per_second(u64 n, u64 window_ns)
{
	return window_ns ? (u64)((double)n * NSEC_PER_SEC / (double)window_ns + 0.5) : 0;
}

/* One decaying sum; what is next to nothing has gone. */
static inline double window__decay(double sum, double keep, double now)
{
	sum = sum * keep + now;
	return sum < WINDOW_GONE ? 0 : sum;
}

/* What the sums of an entry keep that is to go as a whole: nothing after 8 half-lives without news.
 * fresh: the entry's, 1 after news. */
static inline double window__keep(double *fresh, bool news, double keep)
{
	*fresh = news ? 1 : *fresh * keep;
	return *fresh < WINDOW_GONE ? 0 : keep;
}

/* The mean of decayed sums, whose numbers are rounded apart: never above the greatest. */
static inline u64 window__mean(u64 sum, u64 n, u64 max)
{
	return n ? MIN(sum / n, max) : 0;
}

/* n numbers that are summed up; `now` are those of the interval that goes on. Borrowed. */
struct window_sums {
	u32 n;
	u64 *now, *total;
	double *decay;
};

/* Ends an interval: out has `stride` numbers of each window, the first n of which are these; now is 0
 * then. */
void window_sums__advance(const struct window_sums *s, double keep, u64 *out, u32 stride);
void window_sums__merge(const struct window_sums *to, const struct window_sums *from);
/* How much there was lately, all of them together. */
double window_sums__heat(const struct window_sums *s);

/*
 * The greatest of a decaying window: the greatest of the last WINDOW_EPOCHS half-lives, so that
 * what is older weighs less than 1/256 of what it did. Zero-initialized is none. Kept by the
 * intervals' ends, as sums are.
 */
#define WINDOW_EPOCHS 8

struct window_max {
	u64 epochs[WINDOW_EPOCHS]; /* newest first */
};

/* So many epochs have ended (struct window_pace), and this is the interval's greatest. */
void window_max__advance(struct window_max *m, u32 ended, u64 now);
u64 window_max__get(const struct window_max *m);
void window_max__merge(struct window_max *to, const struct window_max *from);

/* Sums that are followed by maxima, in now, total and what a window has. Borrowed. */
struct window_track {
	u32 nsums, nmaxima;
	u64 *now, *total;
	double *decay;		/* nsums */
	struct window_max *max; /* nmaxima: of the decaying window */
};

/* out: of each window nsums + nmaxima numbers. */
void window_track__advance(const struct window_track *t, const struct window_pace *p, u64 *out);
void window_track__merge(const struct window_track *to, const struct window_track *from);

/* Structs T of u64 alone, sums and from the member `most` on maxima: */
#define WINDOW_SUMS(T, most)   (u32)(offsetof(T, most) / sizeof(u64))
#define WINDOW_MAXIMA(T, most) ((u32)(sizeof(T) / sizeof(u64)) - WINDOW_SUMS(T, most))
/* The members of a struct that keeps one. */
#define WINDOW_TRACK(T, most)                                                                      \
	T now, total;                                                                              \
	double decay[WINDOW_SUMS(T, most)];                                                        \
	struct window_max max[WINDOW_MAXIMA(T, most)]
/* All of such a struct. */
#define WINDOW_TRACK_OF(t, T, most)                                                                \
	(struct window_track)                                                                      \
	{                                                                                          \
		WINDOW_SUMS(T, most), WINDOW_MAXIMA(T, most), (u64 *)&(t)->now, (u64 *)&(t)->total, \
			(t)->decay, (t)->max                                                       \
	}
/* Adds one to another; of maxima the larger one stays. */
#define WINDOW_ADD(T, most, to, from)                                                              \
	window__add((u64 *)(to), (const u64 *)(from), WINDOW_SUMS(T, most), WINDOW_MAXIMA(T, most))
void window__add(u64 *to, const u64 *from, u32 nsums, u32 nmaxima);

/* Marks the `wanted` of n that have least heat; of equal ones those that come first. */
void heat__coldest(const double *heat, u32 n, u32 wanted, bool *cold);
/* The same of half of n entries of so many bytes: which of them, to be freed. */
bool *heat__coldest_half(void *v, u32 n, size_t size, double (*heat_of)(void *entry));

#endif
