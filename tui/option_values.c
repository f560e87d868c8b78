// SPDX-License-Identifier: GPL-2.0-only
/* What each option takes. */
#include "tui/options_impl.h"
#include "tui/presets.h"

#include <math.h>
#include <stdio.h>

#include "base/redact.h"
#include "export/export.h"
#include "serve/address.h"
#include "sources/counter_list.h"
#include "tui/columns.h"
#include "tui/report_sort.h"
#include "tui/view.h"

int option__bad(struct status *st, const char *option, const char *value, const char *takes)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s \"%.80s\": takes %s", option, value,
			   takes);
}

int option__too_many(struct status *st, const char *option, u32 most, const char *instead)
{
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s: at most %u times; %s", option, most,
			   instead);
}

static int bad_suffix(struct status *st, const char *path)
{
	char takes[256] = "a file ending in one of ";
	size_t n = strlen(takes);

	export__suffixes(takes + n, sizeof(takes) - n);
	return option__bad(st, "-o", path, takes);
}

static int bad_format(struct status *st, const char *option, const char *name)
{
	char takes[256] = "one of ";
	size_t n = strlen(takes);

	export__names(takes + n, sizeof(takes) - n);
	return option__bad(st, option, name, takes);
}

static int bad_view(struct status *st, const char *option, const char *name)
{
	char takes[400] = "one of ";

	view__names(takes + strlen(takes), sizeof(takes) - strlen(takes));
	return option__bad(st, option, name, takes);
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

bool option__sample_bytes(const char *s, u64 *out)
{
	bool all_pages = !strcmp(s, "pages"), pages = all_pages || !strncmp(s, "pages:", 6);
	u64 bytes = 0;

	if (!all_pages && !option__number(pages ? s + 6 : s, 0, SAMPLE_BYTES_MAX, &bytes))
		return false;
	*out = pages ? SAMPLE_PAGES | bytes : MAX(bytes, (u64)SAMPLE_EVERY);
	return true;
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
		return option__bad(st, "--columns", arg, COLUMNS_TAKE);
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
	return option__too_many(st, "--watch", WATCHES_MAX, "a CPU has no more breakpoints");
}

int option__counters(const char *arg, struct sampling *s, struct status *st)
{
	struct counter_list l;

	if (strlen(arg) >= sizeof(s->counters))
		return option__bad(st, "--counters", arg, "a shorter list");
	if (*arg && counter_list__parse(&l, arg, st))
		return -EINVAL;
	memset(s->counters, 0, sizeof(s->counters));
	copy_str(s->counters, sizeof(s->counters), arg);
	return 0;
}

static int option__sampling(struct options *o, int opt, const char *arg, struct status *st)
{
	struct sampling *s = &o->sampling;
	u64 bytes;

	switch (opt) {
	case 'F':
		if (!option__number(arg, 1, FREQ_MAX, &s->freq))
			return option__bad(st, "-F", arg, FREQ_TAKES);
		s->period = 0;
		return 0;
	case 'c':
		if (!option__number(arg, 1, PERIOD_MAX, &s->period))
			return option__bad(st, "-c", arg, PERIOD_TAKES);
		s->freq = 0;
		return 0;
	case 'e':
		if (!*arg || strlen(arg) >= sizeof(s->event))
			return option__bad(st, "-e", arg, "an event name (see --list-events)");
		copy_str(s->event, sizeof(s->event), arg);
		return 0;
	case OPT_STACK_COPY:
		if (!option__number(arg, STACK_COPY_MIN, STACK_COPY_MAX, &bytes))
			return option__bad(st, "--stack-copy", arg, STACK_COPY_TAKES);
		s->stack_bytes = (u32)bytes;
		return 0;
	case OPT_WATCH:
		return add_watch(s, arg, st);
	case OPT_COUNTERS:
		return option__counters(arg, s, st);
	case OPT_SAMPLE_BYTES:
		return option__sample_bytes(arg, &s->sample_bytes)
			       ? 0
			       : option__bad(st, "--sample-bytes", arg, SAMPLE_BYTES_TAKES);
	default:
		if (!call_graph(arg, &s->call_graph))
			return option__bad(st, "--call-graph", arg, "auto, fp, eh or off");
		return 0;
	}
}

/* One, or where --serve makes something of several, a list; the first one has its own name. */
static int set_view(struct options *o, const char *list, struct status *st)
{
	char name[32];

	copy_str(name, MIN(strcspn(list, ", ") + 1, sizeof(name)), list);
	if (!view__by_name(name) && preset__by_name(list)) {
		o->preset = list;
		return 0;
	}
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
		return address__parse(arg, &a) ? 0 : option__bad(st, "--serve", arg, SERVE_TAKES);
	case OPT_SERVE_TOKEN: o->serve_token = arg; return 0;
	case OPT_SERVE_CERT: o->serve_cert = arg; return 0;
	case OPT_SERVE_KEY: o->serve_key = arg; return 0;
	case OPT_SERVE_CLIENTS: o->serve_clients = arg; return 0;
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
		return option__delay(arg, &o->interval_ns) ? 0 : option__bad(st, "-d", arg, DELAY_TAKES);
	case OPT_HISTORY:
		return option__history(arg, &o->history)
			       ? 0
			       : option__bad(st, "--history", arg, HISTORY_TAKES);
	case OPT_SPEED:
		return option__speed(arg, &o->speed) ? 0 : option__bad(st, "--speed", arg, SPEED_TAKES);
	case OPT_SIZE:
		return size(arg, o) ? 0 : option__bad(st, "--size", arg, "COLSxROWS up to 1000x1000, like 80x24");
	case OPT_SORT:
		o->sort = arg;
		return sort_order__parse(arg, &by)
			       ? 0
			       : option__bad(st, "--sort", arg, "a column of the view, and perhaps :asc or :desc");
	case OPT_WINDOW:
		o->window = arg;
		return window__by_name(arg) < WINDOWS ? 0
						      : option__bad(st, "--window", arg, WINDOW_NAMES);
	case OPT_VIEWS:
		o->views = arg;
		return known_views(arg) ? 0 : bad_view(st, "--views", arg);
	case OPT_GRAPHS:
		o->graphs = arg;
		return known_graphs(arg) ? 0 : option__bad(st, "--graphs", arg, GRAPHS_TAKE);
	case OPT_COLUMNS:
		return set_columns(o, arg, st);
	case OPT_DO:
		if (o->ncommands == MAX_COMMANDS)
			return option__too_many(st, "--do", MAX_COMMANDS,
					"put several words into one, with ; between");
		o->commands[o->ncommands++] = arg;
		return 0;
	case OPT_ASK:
		if (o->nasks == ASK_MAX)
			return option__too_many(st, "--ask", ASK_MAX, "leave one out");
		o->asks[o->nasks++] = arg;
		return 0;
	case OPT_FUNCTION:
		if (o->nfunctions == FUNCTION_TEXTS)
			return option__too_many(st, "--function", FUNCTION_TEXTS, "a glob stands for many");
		o->functions[o->nfunctions++] = arg;
		if (!o->view_given)
			o->view = "funcs";
		return 0;
	case OPT_FUNCTION_WAITS:
		o->function_waits = true;
		return 0;
	case OPT_LOCK_ORDERS:
		if (arg && strcmp(arg, "!"))
			return option__bad(st, "--lock-orders", arg, "nothing or =!");
		o->sampling.lock_orders = arg ? LOCK_ORDERS_FORCED : LOCK_ORDERS_ON;
		if (!o->view_given)
			o->view = "locks";
		return 0;
	case 'n':
		return option__number(arg, 1, UINT64_MAX >> 1, &o->iterations)
			       ? 0
			       : option__bad(st, "-n", arg, "a number of intervals, 1 or more");
	case OPT_SNAPSHOT:
		o->snapshot = export__by_name(arg ? arg : "text");
		return o->snapshot ? 0 : bad_format(st, "--snapshot-on-signal", arg);
	case OPT_FORMAT:
		o->format = arg;
		return export__by_name(arg) ? 0 : bad_format(st, "--format", arg);
	default: /* 'o' */
		if (o->noutputs == MAX_OUTPUTS)
			return option__too_many(st, "-o", MAX_OUTPUTS, "one .html file takes several views");
		if (!export__by_suffix(arg))
			return bad_suffix(st, arg);
		o->outputs[o->noutputs++] = arg;
		return 0;
	}
}

/* ssh is given it as a word of its own, which must not be taken for an option. */
static int option__replay(struct options *o, const char *path, struct status *st)
{
	if (o->nreplays == HOSTS_MAX)
		return option__too_many(st, "--replay", HOSTS_MAX, "open fewer recordings at once");
	o->replays[o->nreplays++] = path;
	o->replay = o->replays[0];
	return 0;
}

static int option__connect(struct options *o, const char *arg, struct status *st)
{
	o->connect = arg;
	if (*arg && *arg != '-' && !strpbrk(arg, " \t\n"))
		return 0;
	return option__bad(st, "--connect", arg, "a host, as ssh does");
}

int option__take(struct options *o, int opt, char *arg, struct status *st)
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
	case OPT_SAMPLE_BYTES: case OPT_WATCH: case OPT_COUNTERS:
		return option__sampling(o, opt, arg, st);
	case OPT_SERVE: case OPT_SERVE_INSECURE: case OPT_SERVE_TOKEN: case OPT_SERVE_CERT:
	case OPT_SERVE_KEY: case OPT_SERVE_CLIENTS:
		return option__serve(o, opt, arg, st);
	default:
		return option__display(o, opt, arg, st);
	}
}
