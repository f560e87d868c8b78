/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Export: one report (a view's rows at one time) to a stream in a format. Used by batch
 * mode and by the snapshot keys. To add a format: export/<name>.c with a function
 * export_<name> and a row in export/formats.def.
 *
 *	text	a head (view, date, host, scope, health in words), then all rows in columns
 *	json	one object a line, UTF-8 made valid, numbers neither rounded nor humanized
 *	csv	RFC 4180 quoting, lines end in LF; a header line, then seq,t0_ns,t1_ns and the
 *		exported columns; text always quoted, what utf8__clean() replaces as '?', a ' before
 *		what a spreadsheet takes for a formula; unknown is empty; stacks folded, other
 *		values with parts as JSON
 *	folded	one line a stack, `frame;frame COUNT`, for flame graph tools
 *	by-time	folded, each stack below a frame that tells the end of its interval: seconds of
 *		CLOCK_MONOTONIC, of one width, so that they sort by time
 *	svg	a flame graph for a browser, with zoom and search; widths add up as folded text does
 *	ansi	text with SGR colours (ECMA-48)
 *	html	one file that loads nothing: head, health, summary, flame graph and at most
 *		HTML_ROWS rows of each report in the chain
 *	speedscope  its file format, one profile of type "sampled"
 *	pprof	gzipped protobuf, export/pprof.proto
 *	perf	as perf script prints samples with their period; stacks are summed by command, so pid
 *		and tid number commands
 *	trace	Trace Event Format in its form of an object, as Chrome and Perfetto read it
 *	openmetrics  OpenMetrics 1.0 text
 *
 * Stacks of all formats sum to what folded text has: samples, pages ..., or time in us. svg, html,
 * speedscope, pprof, trace and openmetrics are one document: of several intervals a file has the
 * first.
 */
#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H

#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"
#include "base/table.h"
#include "samples/health.h"

struct summary_item {
	const char *name; /* with its unit */
	struct value value;
};

#define REPORT_SUMMARY 24

/* Which columns of rows say what of an event. */
struct event_form {
	const char *what;	      /* "run queue delay" */
	const char *name;	      /* column of text that is added to it; NULL none */
	const char *end, *length;     /* columns of CLOCK_MONOTONIC ns, and ns */
	const char *pid, *tid, *comm; /* columns: whose it is */
	bool overlaps;		      /* one thread may have several at a time */
};

/* Takes lists of things that took time, one a row. Rows and form are valid during the call. */
struct event_sink {
	void (*put)(void *ctx, const struct row_table *rows, const struct event_form *form);
	void *ctx;
};

/* What rows are compared with: columns then_X and diff_X, and presence. */
struct report_baseline {
	bool is_there;
	u64 t0_ns, t1_ns; /* CLOCK_MONOTONIC of where it was taken */
	const char *file; /* the recording it is from; NULL none */
	double scale;	  /* what then's sums were multiplied by: windows of one length */
	u32 new_rows, gone_rows;
};

struct report {
	const char *view;
	u64 seq, t0_ns, t1_ns;	   /* CLOCK_MONOTONIC */
	const char *host, *kernel; /* NULL: this machine's (recordings carry their own) */
	const char *scope;	   /* filter expression, "" everything */
	const char *window, *group;
	struct health health;
	struct summary_item summary[REPORT_SUMMARY];
	u32 nsummary;
	const struct row_table *rows;
	const struct row_table *asked; /* of them those that the view answered; no others are there
					  unless there is a baseline */
	const struct row_table *asked_baseline; /* the baseline's; NULL none */
	struct report_baseline baseline;
	const u32 *order; /* nrows positions, or NULL: as they come */
	/* Calls emit for each folded stack; NULL when the view has no stacks. */
	void (*folded)(const struct report *r,
		       void (*emit)(void *ctx, const char *stack, u64 weight), void *ctx);
	/* The same with what is known of the frames (kind: "comm" too), root first, valid during
	 * the call; names are as folded text has them. Weights are of stacks_unit: counts of
	 * stacks_noun, or ns, which folded text has as us. NULL: it has none. */
	void (*stacks)(const struct report *r,
		       void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		       void *ctx);
	/* The same of the baseline; NULL: there is none. */
	void (*baseline_stacks)(const struct report *r,
				void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
					     u64 weight),
				void *ctx);
	const void *stacks_of; /* whoever set it */
	enum value_type stacks_unit;
	const char *stacks_noun;
	bool inlined; /* asked of stacks: functions inlined at an address are frames of their own */
	/* NULL when the view has no list of things that took time. */
	void (*events)(const struct report *r, const struct event_sink *out);
	const struct event_form *rows_form; /* where rows are such things; whoever set `events` */
	const struct report *next; /* another view's at that time, for formats that take several */
	void *priv;
};

/* A number of the summary; beyond REPORT_SUMMARY it is left out. */
static inline void report__sum(struct report *r, const char *name, struct value value)
{
	if (r->nsummary < REPORT_SUMMARY)
		r->summary[r->nsummary++] = (struct summary_item){name, value};
}

static inline void report__sum_number(struct report *r, const char *name, enum value_type type,
				      u64 number)
{
	report__sum(r, name, (struct value){.type = type, .u = number});
}

/* What a format is made from. */
enum export_need {
	EXPORT_ROWS,   /* every view has them */
	EXPORT_STACKS, /* report.stacks or folded */
	EXPORT_EVENTS, /* report.events */
};

struct export_format {
	const char *name;   /* --format */
	const char *suffix; /* of -o, with its dot */
	bool several;	    /* a file takes all reports of a chain */
	bool drawn;	    /* for people: trends are drawn */
	bool inlined;	    /* it has stacks with what is inlined in them */
	enum export_need needs;
	const char *help;
	/* Writes one report. Each call is a whole record. 0 or
	 * -errno of the stream; -EOPNOTSUPP when the view has nothing for it (folded without
	 * stacks). Flushed on return. first: nothing was written to this stream before. */
	int (*write)(FILE *out, const struct report *r, bool first);
};

extern const struct export_format export_formats[];
extern const u32 export_nformats;

const struct export_format *export__by_name(const char *name);
const char *export_need__name(enum export_need need);		 /* "stacks" */
const struct export_format *export__by_suffix(const char *path); /* longest suffix wins */
/* All suffixes, or all names; blanks between. */
const char *export__suffixes(char *buf, size_t size);
const char *export__names(char *buf, size_t size);

/* The report as bytes; the caller frees *data, also on failure. -EOPNOTSUPP as write(). */
int export__render(const struct export_format *f, const struct report *r, char **data, size_t *len);

/* Why a file is not written (-errno) and what to do, as one line in st; returns err. */
int export__explain(struct status *st, const char *path, int err);
/* Bytes to a new file, for its owner alone, as it tells of everybody's processes: a temporary one
 * beside it, fsynced, then linked to the name, never over an existing file (EEXIST). A disk that is
 * full or a folder that is forbidden is one clear line in st, and nothing is left behind. May wait for
 * the disk. */
int export__save_bytes(const char *path, const char *data, size_t len, struct status *st);

/* A file that goes on and on, for its owner alone. It is begun under another name in the same
 * folder and replaces what is there when it is published, so that neither that file's rights nor
 * its other names have any part in it, and a run that fails leaves it alone; what is no file, such
 * as a FIFO, is written as it is; no symbolic link is followed. */
struct export_file {
	FILE *out;
	const char *path; /* borrowed */
	char *temp;	  /* what it is called until it is published; NULL: it has its name */
};

/* 0, or -errno and one line in st. May wait for who reads a FIFO. */
int export_file__open(struct export_file *f, const char *path, struct status *st);
/* What was flushed so far is whole: it gets its name. Once is enough, more do no harm. */
int export_file__publish(struct export_file *f, struct status *st);
/* Also of one that was not opened. What was not published is removed. */
int export_file__close(struct export_file *f, struct status *st);

#define EXPORT_NAME 160 /* bytes of export__name with its NUL */
/* "proftop-cpu-20260131-235959.txt", of now in local time. */
void export__name(const char *view, const char *suffix, char name[EXPORT_NAME]);
/* Bytes to a new file of such a name in the current folder; one more of the
 * same second has a number in its name. */
int export__save_snapshot(const char *view, const char *suffix, const char *data, size_t len,
			  char name[EXPORT_NAME], struct status *st);

#endif
