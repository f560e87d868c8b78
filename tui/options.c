/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/options.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>

#include "base/redact.h"
#include "export/export.h"
#include "questions/library.h"
#include "serve/address.h"
#include "tui/columns.h"
#include "tui/presets.h"
#include "tui/report_sort.h"
#include "tui/view.h"

enum { OPT_COMM = 256, OPT_CALL_GRAPH, OPT_FILTER, OPT_KEYMAP, OPT_THEME, OPT_GRAPHS, OPT_COLUMNS,
       OPT_ASCII, OPT_GROUP,
       OPT_FORMAT, OPT_DOCTOR, OPT_LIST_VIEWS, OPT_LIST_EVENTS, OPT_VERSION, OPT_SCRIPT,
       OPT_SIZE, OPT_RECORD, OPT_REPLAY, OPT_BASELINE, OPT_SPEED, OPT_NO_CONFIG, OPT_FROM, OPT_TO,
       OPT_HISTORY, OPT_CONFIG, OPT_VIEWS, OPT_WINDOW, OPT_IDLE, OPT_DO, OPT_LIST_WORDS,
       OPT_SNAPSHOT, OPT_STACK_COPY, OPT_ASK, OPT_SAMPLE_BYTES, OPT_WATCH, OPT_FUNCTION,
       OPT_FUNCTION_WAITS, OPT_SORT, OPT_PRESET, OPT_LIST_PRESETS, OPT_SYMBOLS,
       OPT_SERVE, OPT_SERVE_INSECURE, OPT_SERVE_TOKEN, OPT_SERVE_CERT, OPT_SERVE_KEY,
       OPT_CONNECT, OPT_REDACT };

static const struct option long_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"tid", required_argument, NULL, 't'},
	{"cgroup", required_argument, NULL, 'G'},
	{"cpu", required_argument, NULL, 'C'},
	{"comm", required_argument, NULL, OPT_COMM},
	{"freq", required_argument, NULL, 'F'},
	{"period", required_argument, NULL, 'c'},
	{"event", required_argument, NULL, 'e'},
	{"call-graph", required_argument, NULL, OPT_CALL_GRAPH},
	{"stack-copy", required_argument, NULL, OPT_STACK_COPY},
	{"sample-bytes", required_argument, NULL, OPT_SAMPLE_BYTES},
	{"watch", required_argument, NULL, OPT_WATCH},
	{"filter", required_argument, NULL, OPT_FILTER},
	{"view", required_argument, NULL, 'V'},
	{"delay", required_argument, NULL, 'd'},
	{"keymap", required_argument, NULL, OPT_KEYMAP},
	{"theme", required_argument, NULL, OPT_THEME},
	{"graphs", required_argument, NULL, OPT_GRAPHS},
	{"columns", required_argument, NULL, OPT_COLUMNS},
	{"ascii", no_argument, NULL, OPT_ASCII},
	{"config", required_argument, NULL, OPT_CONFIG},
	{"no-config", no_argument, NULL, OPT_NO_CONFIG},
	{"views", required_argument, NULL, OPT_VIEWS},
	{"window", required_argument, NULL, OPT_WINDOW},
	{"idle", no_argument, NULL, OPT_IDLE},
	{"history", required_argument, NULL, OPT_HISTORY},
	{"do", required_argument, NULL, OPT_DO},
	{"ask", required_argument, NULL, OPT_ASK},
	{"function", required_argument, NULL, OPT_FUNCTION},
	{"function-waits", no_argument, NULL, OPT_FUNCTION_WAITS},
	{"group", required_argument, NULL, OPT_GROUP},
	{"sort", required_argument, NULL, OPT_SORT},
	{"preset", required_argument, NULL, OPT_PRESET},
	{"batch", no_argument, NULL, 'b'},
	{"iterations", required_argument, NULL, 'n'},
	{"format", required_argument, NULL, OPT_FORMAT},
	{"output", required_argument, NULL, 'o'},
	{"snapshot-on-signal", optional_argument, NULL, OPT_SNAPSHOT},
	{"record", required_argument, NULL, OPT_RECORD},
	{"replay", required_argument, NULL, OPT_REPLAY},
	{"baseline", required_argument, NULL, OPT_BASELINE},
	{"speed", required_argument, NULL, OPT_SPEED},
	{"from", required_argument, NULL, OPT_FROM},
	{"to", required_argument, NULL, OPT_TO},
	{"connect", required_argument, NULL, OPT_CONNECT},
	{"serve", optional_argument, NULL, OPT_SERVE},
	{"serve-insecure", no_argument, NULL, OPT_SERVE_INSECURE},
	{"serve-token", required_argument, NULL, OPT_SERVE_TOKEN},
	{"serve-cert", required_argument, NULL, OPT_SERVE_CERT},
	{"serve-key", required_argument, NULL, OPT_SERVE_KEY},
	{"redact", required_argument, NULL, OPT_REDACT},
	{"doctor", no_argument, NULL, OPT_DOCTOR},
	{"list-views", no_argument, NULL, OPT_LIST_VIEWS},
	{"list-events", optional_argument, NULL, OPT_LIST_EVENTS},
	{"list-words", no_argument, NULL, OPT_LIST_WORDS},
	{"list-presets", no_argument, NULL, OPT_LIST_PRESETS},
	{"symbols", no_argument, NULL, OPT_SYMBOLS},
	{"version", no_argument, NULL, OPT_VERSION},
	{"help", no_argument, NULL, 'h'},
	{"script", required_argument, NULL, OPT_SCRIPT},
	{"size", required_argument, NULL, OPT_SIZE},
	{0},
};

#define DEFAULT_FREQ 99

static int bad(struct status *st, const char *option, const char *value, const char *takes)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s \"%.80s\": takes %s", option, value,
			   takes);
}

static int too_many(struct status *st, const char *option, u32 most, const char *instead)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s: at most %u times; %s", option, most,
			   instead);
}

static int bad_suffix(struct status *st, const char *path)
{
	char takes[256] = "a file ending in one of ";
	size_t n = strlen(takes);

	export__suffixes(takes + n, sizeof(takes) - n);
	return bad(st, "-o", path, takes);
}

static int bad_format(struct status *st, const char *option, const char *name)
{
	char takes[256] = "one of ";
	size_t n = strlen(takes);

	export__names(takes + n, sizeof(takes) - n);
	return bad(st, option, name, takes);
}

static int bad_view(struct status *st, const char *option, const char *name)
{
	char takes[400] = "one of ";

	view__names(takes + strlen(takes), sizeof(takes) - strlen(takes));
	return bad(st, option, name, takes);
}

bool option__number(const char *s, u64 min, u64 max, u64 *out)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*out = strtoull(s, &end, 10);
	return !errno && !*end && *out >= min && *out <= max;
}

bool option__delay(const char *s, u64 *ns)
{
	char *end;
	double seconds = strtod(s, &end);

	if (end == s || *end || !(seconds >= 0.05 && seconds <= 86400))
		return false;
	*ns = (u64)llround(seconds * 1e9);
	return true;
}

static bool option__history(const char *s, struct record_ring *ring)
{
	u64 minutes = ring->span_ns / NSEC_PER_SEC / 60, mib = ring->bytes >> 20;
	const char *colon = strchr(s, ':');
	char first[16];

	snprintf(first, sizeof(first), "%.*s", (int)strcspn(s, ":"), s);
	if ((s != colon && !option__number(first, 0, 24 * 60, &minutes)) ||
	    (colon && !option__number(colon + 1, 1, 4096, &mib)))
		return false;
	*ring = (struct record_ring){minutes * 60 * NSEC_PER_SEC, mib << 20};
	return true;
}

static bool option__speed(const char *s, double *speed)
{
	char *end;
	double x = strtod(s, &end);

	if (end == s || *end || !(x >= 0.01 && x <= 1000))
		return false;
	*speed = x;
	return true;
}

#define SIZE_MAX_CELLS 1000

static const char *const call_graphs[] = {
	[CALL_GRAPH_AUTO] = "auto",
	[CALL_GRAPH_FP] = "fp",
	[CALL_GRAPH_EH] = "eh",
	[CALL_GRAPH_OFF] = "off",
};

const char *call_graph__name(enum call_graph g)
{
	return call_graphs[g];
}

static bool call_graph(const char *s, enum call_graph *out)
{
	for (u32 i = 0; i < ARRAY_SIZE(call_graphs); i++) {
		if (strcmp(call_graphs[i], s))
			continue;
		*out = i;
		return true;
	}
	return false;
}

static bool size(const char *s, struct options *o)
{
	const char *x = strchr(s, 'x');
	u64 columns, rows;
	char first[8];

	if (!x || (size_t)(x - s) >= sizeof(first))
		return false;
	copy_str(first, (size_t)(x - s) + 1, s);
	if (!option__number(first, 1, SIZE_MAX_CELLS, &columns) ||
	    !option__number(x + 1, 1, SIZE_MAX_CELLS, &rows))
		return false;
	o->columns = (int)columns;
	o->rows = (int)rows;
	return true;
}

/* Names of views, blanks or commas between. */
static bool known_views(const char *list)
{
	char name[32];

	for (size_t n; *list; list += n + strspn(list + n, ", ")) {
		n = strcspn(list, ", ");
		copy_str(name, MIN(n + 1, sizeof(name)), list);
		if (view__index(name) == VIEW_COUNT)
			return false;
	}
	return true;
}

static bool known_graphs(const char *name)
{
	for (u32 i = 0; graph_style_names[i]; i++)
		if (!strcmp(graph_style_names[i], name))
			return true;
	return false;
}

/* Without a name of a listing they are those of the view that is shown first. */
static int set_columns(struct options *o, const char *arg, struct status *st)
{
	char text[COLUMNS_TEXT + 32];

	snprintf(text, sizeof(text), "%s%s", strchr(arg, ':') || !*arg ? "" : "shown:", arg);
	if (!columns__valid(text))
		return bad(st, "--columns", arg, COLUMNS_TAKE);
	o->column_lists = arg;
	return 0;
}

static int add_watch(struct sampling *s, const char *arg, struct status *st)
{
	for (u32 i = 0; i < WATCHES_MAX; i++)
		if (!s->watches[i]) {
			s->watches[i] = arg;
			return 0;
		}
	return too_many(st, "--watch", WATCHES_MAX, "a CPU has no more breakpoints");
}

static int option__sampling(struct options *o, int opt, const char *arg, struct status *st)
{
	struct sampling *s = &o->sampling;
	u64 bytes;

	switch (opt) {
	case 'F':
		if (!option__number(arg, 1, FREQ_MAX, &s->freq))
			return bad(st, "-F", arg, FREQ_TAKES);
		s->period = 0;
		return 0;
	case 'c':
		if (!option__number(arg, 1, PERIOD_MAX, &s->period))
			return bad(st, "-c", arg, PERIOD_TAKES);
		s->freq = 0;
		return 0;
	case 'e':
		if (!*arg || strlen(arg) >= sizeof(s->event))
			return bad(st, "-e", arg, "an event name (see --list-events)");
		copy_str(s->event, sizeof(s->event), arg);
		return 0;
	case OPT_STACK_COPY:
		if (!option__number(arg, STACK_COPY_MIN, STACK_COPY_MAX, &bytes))
			return bad(st, "--stack-copy", arg, STACK_COPY_TAKES);
		s->stack_bytes = (u32)bytes;
		return 0;
	case OPT_WATCH:
		return add_watch(s, arg, st);
	case OPT_SAMPLE_BYTES:
		if (!option__number(arg, 0, SAMPLE_BYTES_MAX, &bytes))
			return bad(st, "--sample-bytes", arg, SAMPLE_BYTES_TAKES);
		s->sample_bytes = MAX(bytes, (u64)SAMPLE_EVERY);
		return 0;
	default:
		if (!call_graph(arg, &s->call_graph))
			return bad(st, "--call-graph", arg, "auto, fp, eh or off");
		return 0;
	}
}

/* One, or where --serve makes something of several, a list; the first one has its own name. */
static int set_view(struct options *o, const char *list, struct status *st)
{
	char name[32];

	copy_str(name, MIN(strcspn(list, ", ") + 1, sizeof(name)), list);
	if (!*name || !known_views(list) || !view__by_name(name))
		return bad_view(st, "-V", list);
	o->view = view__by_name(name)->name;
	o->view_list = list;
	o->view_given = true;
	return 0;
}

static int option__serve(struct options *o, int opt, const char *arg, struct status *st)
{
	struct address a;

	switch (opt) {
	case OPT_SERVE:
		o->mode = MODE_SERVE;
		o->serve = arg;
		if (arg && !strcmp(arg, "-"))
			return 0;
		return address__parse(arg, &a) ? 0 : bad(st, "--serve", arg, SERVE_TAKES);
	case OPT_SERVE_TOKEN: o->serve_token = arg; return 0;
	case OPT_SERVE_CERT: o->serve_cert = arg; return 0;
	case OPT_SERVE_KEY: o->serve_key = arg; return 0;
	default: o->serve_insecure = true; return 0;
	}
}

static int option__display(struct options *o, int opt, const char *arg, struct status *st)
{
	struct sort_order by;

	switch (opt) {
	case 'V':
		return set_view(o, arg, st);
	case 'd':
		o->interval_given = true;
		return option__delay(arg, &o->interval_ns) ? 0 : bad(st, "-d", arg, DELAY_TAKES);
	case OPT_HISTORY:
		return option__history(arg, &o->history)
			       ? 0
			       : bad(st, "--history", arg, HISTORY_TAKES);
	case OPT_SPEED:
		return option__speed(arg, &o->speed) ? 0 : bad(st, "--speed", arg, SPEED_TAKES);
	case OPT_SIZE:
		return size(arg, o) ? 0 : bad(st, "--size", arg, "COLSxROWS up to 1000x1000, like 80x24");
	case OPT_SORT:
		o->sort = arg;
		return sort_order__parse(arg, &by)
			       ? 0
			       : bad(st, "--sort", arg, "a column of the view, and perhaps :asc or :desc");
	case OPT_WINDOW:
		o->window = arg;
		return window__by_name(arg) < WINDOWS ? 0
						      : bad(st, "--window", arg, WINDOW_NAMES);
	case OPT_VIEWS:
		o->views = arg;
		return known_views(arg) ? 0 : bad_view(st, "--views", arg);
	case OPT_GRAPHS:
		o->graphs = arg;
		return known_graphs(arg) ? 0 : bad(st, "--graphs", arg, GRAPHS_TAKE);
	case OPT_COLUMNS:
		return set_columns(o, arg, st);
	case OPT_DO:
		if (o->ncommands == MAX_COMMANDS)
			return too_many(st, "--do", MAX_COMMANDS,
					"put several words into one, with ; between");
		o->commands[o->ncommands++] = arg;
		return 0;
	case OPT_ASK:
		if (o->nasks == ASK_MAX)
			return too_many(st, "--ask", ASK_MAX, "leave one out");
		o->asks[o->nasks++] = arg;
		return 0;
	case OPT_FUNCTION:
		if (o->nfunctions == FUNCTION_TEXTS)
			return too_many(st, "--function", FUNCTION_TEXTS, "a glob stands for many");
		o->functions[o->nfunctions++] = arg;
		if (!o->view_given)
			o->view = "funcs";
		return 0;
	case OPT_FUNCTION_WAITS:
		o->function_waits = true;
		return 0;
	case 'n':
		return option__number(arg, 1, UINT64_MAX >> 1, &o->iterations)
			       ? 0
			       : bad(st, "-n", arg, "a number of intervals, 1 or more");
	case OPT_SNAPSHOT:
		o->snapshot = export__by_name(arg ? arg : "text");
		return o->snapshot ? 0 : bad_format(st, "--snapshot-on-signal", arg);
	case OPT_FORMAT:
		o->format = arg;
		return export__by_name(arg) ? 0 : bad_format(st, "--format", arg);
	default: /* 'o' */
		if (o->noutputs == MAX_OUTPUTS)
			return too_many(st, "-o", MAX_OUTPUTS, "one .html file takes several views");
		if (!export__by_suffix(arg))
			return bad_suffix(st, arg);
		o->outputs[o->noutputs++] = arg;
		return 0;
	}
}

/* ssh is given it as a word of its own, which must not be taken for an option. */
static int option__connect(struct options *o, const char *arg, struct status *st)
{
	o->connect = arg;
	if (*arg && *arg != '-' && !strpbrk(arg, " \t\n"))
		return 0;
	return bad(st, "--connect", arg, "a host, as ssh does");
}

static int option__replay(struct options *o, const char *path, struct status *st)
{
	if (o->nreplays == HOSTS_MAX)
		return too_many(st, "--replay", HOSTS_MAX, "open fewer recordings at once");
	o->replays[o->nreplays++] = path;
	o->replay = o->replays[0];
	return 0;
}

static int option(struct options *o, int opt, char *arg, struct status *st)
{
	switch (opt) {
	case 'p': o->scope.pids = arg; return 0;
	case 't': o->scope.tids = arg; return 0;
	case 'G': o->scope.cgroup = arg; return 0;
	case 'C': o->scope.cpus = arg; return 0;
	case OPT_COMM: o->scope.comm = arg; return 0;
	case OPT_FILTER: o->scope.filter = arg; return 0;
	case OPT_KEYMAP: o->keymap = arg; return 0;
	case OPT_THEME: o->theme = arg; return 0;
	case OPT_GROUP: o->group = arg; return 0;
	case OPT_PRESET: o->preset = arg; return 0;
	case OPT_SCRIPT: o->script = arg; return 0;
	case OPT_RECORD: o->record = arg; return 0;
	case OPT_REPLAY: return option__replay(o, arg, st);
	case OPT_REDACT: o->redact = arg; return redact__rule(arg, st);
	case OPT_CONNECT: return option__connect(o, arg, st);
	case OPT_BASELINE: o->baseline = arg; return 0;
	case OPT_FROM: o->from = arg; return 0;
	case OPT_TO: o->to = arg; return 0;
	case OPT_ASCII: o->ascii = true; return 0;
	case OPT_NO_CONFIG: o->no_config = true; return 0;
	case OPT_CONFIG: o->config = arg; return 0;
	case OPT_IDLE: o->sampling.idle = true; return 0;
	case 'b': o->mode = MODE_BATCH; return 0;
	case 'h': o->mode = MODE_HELP; return 0;
	case OPT_DOCTOR: o->mode = MODE_DOCTOR; return 0;
	case OPT_LIST_VIEWS: o->mode = MODE_LIST_VIEWS; return 0;
	case OPT_LIST_WORDS: o->mode = MODE_LIST_WORDS; return 0;
	case OPT_LIST_PRESETS: o->mode = MODE_LIST_PRESETS; return 0;
	case OPT_SYMBOLS: o->mode = MODE_SYMBOLS; return 0;
	case OPT_VERSION: o->mode = MODE_VERSION; return 0;
	case OPT_LIST_EVENTS:
		o->mode = MODE_LIST_EVENTS;
		o->event_glob = arg;
		return 0;
	case 'F': case 'c': case 'e': case OPT_CALL_GRAPH: case OPT_STACK_COPY:
	case OPT_SAMPLE_BYTES: case OPT_WATCH:
		return option__sampling(o, opt, arg, st);
	case OPT_SERVE: case OPT_SERVE_INSECURE: case OPT_SERVE_TOKEN: case OPT_SERVE_CERT:
	case OPT_SERVE_KEY:
		return option__serve(o, opt, arg, st);
	default:
		return option__display(o, opt, arg, st);
	}
}

/* Whether it is said what to look at, or how to sample it. */
static bool is_particular(const struct options *o)
{
	const struct scope_args *s = &o->scope;

	return s->pids || s->tids || s->cgroup || s->cpus || s->comm || s->filter || o->command ||
	       o->group || o->sampling.event[0] || o->sampling.period ||
	       o->sampling.freq != DEFAULT_FREQ;
}

/* A screen begins with what is wrong with the machine, where nothing in particular is asked for.
 * Batch mode without a view is cpu, as it was before there was an overview. */
static void choose_view(struct options *o)
{
	if (!o->view_given && o->sampling.watches[0])
		o->view = "watch";
	if (o->mode == MODE_UI && !o->view_given && !is_particular(o))
		o->view = "overview";
}

/* On a screen rows are sorted by words, after all others. */
static int sort_by_words(struct options *o, struct status *st)
{
	struct sort_order by;
	char words[100];

	if (!o->sort || !(o->mode == MODE_UI || o->ncommands))
		return 0;
	if (o->ncommands == MAX_COMMANDS)
		return too_many(st, "--do", MAX_COMMANDS, "--sort is one more");
	sort_order__parse(o->sort, &by);
	snprintf(words, sizeof(words), "sort %s%s", by.column,
		 !by.given ? "" : by.descending ? " down" : " up");
	o->commands[o->ncommands++] = arena__strdup(&o->memory, words);
	return 0;
}

/* What it has no use for. */
static int check_serve(struct options *o, struct status *st)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{o->noutputs || o->iterations || o->format, "-o, -n and --format"},
		{o->replay, "--replay"},
		{o->connect, "--connect"},
		{o->speed || o->from || o->to, "--speed, --from and --to"},
		{o->record, "--record"},
		{o->baseline, "--baseline"},
		{o->command, "a command"},
		{o->ncommands, "--do"},
		{o->script, "--script"},
		{o->snapshot, "--snapshot-on-signal"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "--serve: it goes without %s", others[i].name);
	return 0;
}

static void preset_view(struct options *o, const struct preset *p)
{
	char *both = NULL;
	size_t n;

	o->view = p->view;
	o->view_given = true;
	if (!o->group && *p->group)
		o->group = p->group;
	if (!o->sort && *p->sort)
		o->sort = p->sort;
	if (!*p->filter)
		return;
	if (o->scope.filter) {
		n = strlen(o->scope.filter) + strlen(p->filter) + 2;
		both = arena__alloc(&o->memory, n);
		snprintf(both, n, "%s %s", o->scope.filter, p->filter);
	}
	o->scope.filter = both ? both : p->filter;
}

static int preset_question(struct options *o, struct status *st)
{
	if (!question_library__find(o->preset))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--preset \"%.80s\": there is none; proftop --list-presets lists them",
				   o->preset);
	if (o->nasks == ASK_MAX)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--preset: too many --ask; leave one out");
	o->asks[o->nasks++] = o->preset;
	return 0;
}

/* What the command line does not say is as the preset or the question of that name has it; its filter
 * holds beside others. */
static int set_preset(struct options *o, struct status *st)
{
	const struct preset *p = o->preset ? preset__by_name(o->preset) : NULL;

	if (!o->preset)
		return 0;
	if (o->view_given && p)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--preset %.80s: it is of view %s; leave -V out", o->preset, p->view);
	if (!p)
		return preset_question(o, st);
	preset_view(o, p);
	return 0;
}

static int options__check(struct options *o, struct status *st)
{
	struct status why = {0};

	if (set_preset(o, st))
		return -EINVAL;
	if (o->mode == MODE_SERVE)
		return check_serve(o, st);
	if (o->view_list && strpbrk(o->view_list, ", "))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "-V \"%.80s\": several views go with --serve", o->view_list);
	if (o->serve_insecure || o->serve_token || o->serve_cert || o->serve_key)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--serve-insecure, -token, -cert and -key go with --serve");
	choose_view(o);
	if (sort_by_words(o, st))
		return -EINVAL;

	/* Which view it is may be up to the recording. */
	if (o->group && !(o->replay && (!o->view_given || o->nreplays > 1)) &&
	    view__check_groups(view__by_name(o->view), o->group, &why))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--group: %s", why.msg);
	if (o->mode == MODE_UI && (o->noutputs || o->iterations || o->format))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "-o, -n and --format go with --batch; inside, S saves a view");
	if (o->mode != MODE_UI && o->mode != MODE_BATCH && (o->noutputs || o->iterations))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "-o and -n go with --batch");
	if (o->mode == MODE_DOCTOR && o->format && strcmp(o->format, "text") &&
	    strcmp(o->format, "json"))
		return bad(st, "--doctor --format", o->format, "text or json");
	if (o->replay && (o->record || o->command))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--replay looks at what was recorded: it goes with neither "
				   "--record nor a command");
	if (o->connect && (o->replay || o->command || o->script))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--connect looks at what is live on another machine: it goes without "
				   "--replay, --script and a command");
	if (o->connect && o->mode != MODE_UI && o->mode != MODE_BATCH)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--connect goes with --batch or the screen");
	if (o->snapshot && o->mode != MODE_UI && o->mode != MODE_BATCH)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--snapshot-on-signal goes with --batch or the screen");
	if (o->baseline && o->mode != MODE_UI && o->mode != MODE_BATCH)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--baseline goes with --batch or the screen");
	if (o->record && o->mode != MODE_UI && o->mode != MODE_BATCH)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--record goes with --batch or the screen");
	if (o->speed && (!o->replay || o->mode != MODE_UI))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--speed goes with a --replay on the screen");
	if ((o->from || o->to) && !o->replay)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--from and --to go with --replay FILE");
	if (o->config && o->no_config)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--config and --no-config exclude each other: leave one out");
	if (o->ncommands && o->mode != MODE_UI && o->mode != MODE_BATCH)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--do goes with the screen or --batch");
	if (o->ncommands && o->iterations > 1)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "-n: after --do there is one report; -d is how long it gathers");
	if (o->columns && !o->script)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--size is of a --script's screen: a terminal has its own");
	return 0;
}

static bool is_known(int opt)
{
	for (const struct option *o = long_options; o->name; o++)
		if (o->val == opt)
			return true;
	return false;
}

/* getopt tells a letter, which may be within a word, or refers to the long option it has just
 * read: one that is known was given a value it does not take. */
static int refuse(struct status *st, const char *word)
{
	char letter[] = {'-', (char)optopt, '\0'};

	if (is_known(optopt))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "%.80s: this option takes no value; see proftop --help", word);
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "unknown option %.80s; see proftop --help",
			   optopt ? letter : word);
}

void options__init(struct options *o, char **argv)
{
	*o = (struct options){
		.view = "cpu",
		.words = argv,
		.interval_ns = NSEC_PER_SEC,
		.sampling = {.freq = DEFAULT_FREQ,
			     .user = true,
			     .kernel = true,
			     .stack_bytes = STACK_COPY_BYTES},
		.history = {HISTORY_MINUTES * 60 * NSEC_PER_SEC, HISTORY_MIB << 20},
	};
}

void options__fini(struct options *o)
{
	arena__fini(&o->memory);
}

static int option_named(const char *name)
{
	const struct option *row = long_options;

	while (strcmp(row->name, name))
		row++;
	return row->val;
}

int options__set(struct options *o, const char *name, char *value, struct status *st)
{
	return option(o, option_named(name), value, st);
}

void options__set_flag(struct options *o, const char *name, bool on)
{
	*(option_named(name) == OPT_IDLE ? &o->sampling.idle : &o->ascii) = on;
}

int options__parse(struct options *o, int argc, char **argv, struct status *st)
{
	options__init(o, argv);
	return options__read(o, argc, argv, st);
}

int options__read(struct options *o, int argc, char **argv, struct status *st)
{
	int opt, err, index, seen;

	opterr = 0;
	optind = 0; /* glibc: from the first word, whatever was parsed before */
	while (seen = MAX(optind, 1),
	       (opt = getopt_long(argc, argv, "+:p:t:G:C:F:c:e:V:d:bn:o:h", long_options, &index)) !=
		       -1) {
		if (opt == ':')
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "%.80s needs a value; see proftop --help", argv[optind - 1]);
		if (opt == '?')
			return refuse(st, argv[optind - 1]);
		/* Its value may be the next word. */
		if (opt == OPT_SERVE && !optarg && optind < argc &&
		    (argv[optind][0] != '-' || !argv[optind][1]))
			optarg = argv[optind++];
		err = option(o, opt, optarg, st);
		/* Its value may be several words. */
		while (!err && opt == OPT_REPLAY && optind < argc && argv[optind][0] != '-')
			err = option__replay(o, argv[optind++], st);
		if (err)
			return err;
	}
	/* It steps over the "--" that ends the options. */
	if (optind == argc && optind > seen)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "a command is missing after --");
	if (optind < argc && o->mode == MODE_LIST_EVENTS && !o->event_glob)
		o->event_glob = argv[optind++];
	/* The program, which gperftools names: what is mapped says the same. */
	if (optind < argc && o->mode == MODE_SYMBOLS)
		optind++;
	if (optind < argc && strcmp(argv[optind - 1], "--"))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "unexpected \"%.80s\"; a command to profile comes after --",
				   argv[optind]);
	o->command = optind < argc ? argv + optind : NULL;
	o->sampling.interval_s = (double)o->interval_ns / 1e9;
	return options__check(o, st);
}
