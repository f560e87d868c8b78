/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the files of tui/serve*.c only. */
#ifndef TUI_SERVE_IMPL_H
#define TUI_SERVE_IMPL_H

#include <stdatomic.h>

#include "base/worker.h"
#include "serve/counters.h"
#include "serve/http.h"
#include "serve/merged.h"
#include "tui/serve.h"
#include "tui/view.h"

#define SERVE_VIEWS    16
#define SERVE_PROFILES 4   /* at a time; more are refused */
#define SERVE_QUEUE    16  /* answers under way; more are refused */
#define SERVE_SETTLE_MS 3000

struct served {
	const struct view_ops *ops;
	const char *group;	   /* of its page; NULL the view's own */
	u64 last_t1_ns;		   /* each interval is counted once */
	struct counters *counters; /* the worker's */
};

/* A profile of some seconds that begin when it is asked for. */
struct gathering {
	struct http_request *rq;
	const struct served *of;
	const char *name; /* of the file */
	char filter[TARGET_TEXT + 16];
	u64 asked_ns, begin_ns, length_ns; /* begin_ns 0: its first interval has not begun */
	bool ending; /* the interval that ends it was cut */
	/* The worker's: */
	struct merged merged;
	struct status st;
};

struct serve {
	const struct options *options;
	struct collector *collector;
	struct symbols *symbols;
	struct http *http;
	struct worker *worker; /* makes answers; one after the other */
	struct worker *copier; /* makes recordings */
	int history;
	bool copying;
	struct served views[SERVE_VIEWS];
	u32 nviews;
	const struct frame *newest;
	struct gathering *gatherings[SERVE_PROFILES]; /* NULL: free */
	u32 queued;    /* answers */
	u32 frames;    /* being added up */
	u64 dropped;   /* intervals that found the worker busy */
	bool began;    /* an interval has ended */
	bool done;
	atomic_bool ending; /* nothing long is begun any more */
	int exit_code;
};

/* --- made on the worker (tui/serve_results.c) --- */

/* An answer that is made on a worker and given on the main thread. */
struct result_job {
	struct job job;
	struct serve *serve;
	struct http_request *rq;
	void (*make)(struct result_job *j);
	const struct frame *frame; /* a reference, or NULL */
	const struct view_ops *view;
	const struct export_format *format;
	struct gathering *gathering; /* whose end it is; freed with the job */
	struct target target;
	enum page_form form; /* of a page of metrics */
	bool copies;
	u64 dropped;
	int fd;
	/* What it made: */
	u32 code;
	const char *type, *name; /* as http__respond takes them */
	char *data;
	size_t len;
	struct status st; /* of a code that is an error */
};

void serve__make_metrics(struct result_job *j);
void serve__make_view(struct result_job *j);
void serve__make_profile(struct result_job *j);
void serve__make_recording(struct result_job *j);

/* The interval that a frame ends, for a gathering and for pages. */
void serve__add_profile(struct serve *s, struct gathering *g, const struct frame *f);
void serve__add_page(struct serve *s, struct served *v, const struct frame *f);

/* --- requests (tui/serve_requests.c) --- */

void serve__request(void *ctx, struct http_request *rq, const struct target *t);
/* All that is to be done at a time of gatherings: in so many ms; -1 nothing. */
int serve__cut_ms(struct serve *s);
/* The ends of intervals, on the main thread: which gatherings a frame is for, and those that it ends. */
bool gathering__takes(const struct gathering *g, const struct frame *f);
void serve__step_gatherings(struct serve *s, const struct frame *f);
void gathering__free(struct gathering *g);
void serve__refuse_gatherings(struct serve *s);

#endif
