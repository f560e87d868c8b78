/* SPDX-License-Identifier: GPL-2.0-only */
/* The command line as a value, with the configuration below it. Strings point into argv, or into
 * what options__fini frees. */
#ifndef TUI_OPTIONS_H
#define TUI_OPTIONS_H

#include "base/arena.h"
#include "base/hosts.h"
#include "export/export.h"
#include "samples/ask.h"
#include "samples/functions.h"
#include "samples/record_sink.h"
#include "scope/filter.h"
#include "sources/source.h"

#define MAX_OUTPUTS 16
#define MAX_COMMANDS 32 /* of --do */

enum mode { MODE_UI, MODE_BATCH, MODE_SERVE, MODE_DOCTOR, MODE_LIST_VIEWS, MODE_LIST_EVENTS,
	    MODE_LIST_WORDS, MODE_LIST_PRESETS, MODE_SYMBOLS, MODE_VERSION, MODE_HELP };

struct options {
	enum mode mode;
	struct scope_args scope;
	struct sampling sampling;
	const char *record, *replay; /* files; NULL none */
	const char *replays[HOSTS_MAX]; /* of several machines; the first is `replay` */
	u32 nreplays;
	const char *baseline;	     /* a recording; NULL none */
	double speed;		     /* of a replay */
	const char *from, *to;	     /* times of a replay; NULL all of it */
	struct record_ring history;  /* what is kept of the past; span 0: nothing */
	bool view_given, interval_given;
	char **words; /* the whole command line, NULL-terminated */
	const char *preset; /* --preset; NULL none */
	const char *view, *group, *sort, *keymap, *theme, *script, *event_glob;
	const char *graphs;	/* a name; NULL: what the terminal's font has */
	const char *column_lists; /* --columns, the configuration's; NULL none */
	const char *config;	/* in place of one's own; NULL none */
	bool ascii, no_config;
	const char *serve;  /* where to listen; NULL: the default; "-": to who runs it */
	const char *redact; /* what must not leave the machine; NULL none */
	const char *connect; /* a host whose agent is looked at; NULL: this machine */
	const char *serve_token, *serve_cert, *serve_key, *serve_clients; /* files; NULL none */
	bool serve_insecure;
	const char *view_list; /* --view, where it names several; NULL: it was not given */
	const char *views;  /* open from the start, blanks or commas between; NULL none */
	const char *window; /* to begin with; NULL: the view's own */
	const char *commands[MAX_COMMANDS]; /* for the palette, one after the other */
	u32 ncommands;
	const char *asks[ASK_MAX]; /* questions, as they were given */
	u32 nasks;
	const char *functions[FUNCTION_TEXTS]; /* PATH:GLOB, as they were given */
	u32 nfunctions;
	bool function_waits;
	struct arena memory;	      /* of what was read from files */
	int columns, rows; /* --size; 0: the terminal's */
	u64 interval_ns;
	u64 iterations; /* 0: until interrupted */
	const char *format;
	const struct export_format *snapshot; /* --snapshot-on-signal; NULL: SIGUSR1 is as ever */
	const char *outputs[MAX_OUTPUTS];
	u32 noutputs;
	char **command; /* NULL-terminated; NULL none */
};

#define HISTORY_MINUTES 10ULL
#define HISTORY_MIB	64ULL
#define FREQ_MAX   100000
#define PERIOD_MAX (UINT64_MAX >> 1)

/* What values look like, for messages. */
#define FREQ_TAKES   "1 to 100000 samples per second"
#define PERIOD_TAKES "a number of events, 1 or more"
#define STACK_COPY_TAKES "bytes from 1024 to 32768"
#define SAMPLE_BYTES_TAKES                                                                                               \
	"bytes up to 16777216; 0: all are followed; pages[:BYTES]: of programs those that were touched"
#define HISTORY_TAKES "minutes from 0 to 1440, and perhaps :MIB, 1 to 4096"
#define GRAPHS_TAKE  "braille, blocks, ascii"
#define COLUMNS_TAKE "LISTING:NAME,NAME... and perhaps more with ; between, or NAME,NAME..."
#define SPEED_TAKES  "a factor from 0.01 to 1000"
#define DELAY_TAKES  "seconds from 0.05 to 86400"

/* A whole number in [min, max]; no sign, no blanks, nothing after it. */
bool option__number(const char *s, u64 min, u64 max, u64 *out);
/* --sample-bytes: as struct sampling has it. */
bool option__sample_bytes(const char *s, u64 *out);
bool option__delay(const char *s, u64 *ns);
/* What --counters takes, "" too, into s; -EINVAL with words. */
int option__counters(const char *arg, struct sampling *s, struct status *st);

/* What holds where nothing is said. */
void options__init(struct options *o, char **argv);
void options__fini(struct options *o);
/* One long option by its name, "delay". The value has to live on. */
int options__set(struct options *o, const char *name, char *value, struct status *st);
/* One without a value, on or off. */
void options__set_flag(struct options *o, const char *name, bool on);
const char *call_graph__name(enum call_graph g);
/* The words of a command line over what is there. */
int options__read(struct options *o, int argc, char **argv, struct status *st);
/* options__init and options__read: 0, or -EINVAL with st naming the option and what it takes. */
int options__parse(struct options *o, int argc, char **argv, struct status *st);
void options__usage(void);

#endif
