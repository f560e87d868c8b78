/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What --do and the palette are told: each line of words is one that something is done for, or
 * there is an error in words. What they do is done by stubs here; filters, times, keymaps, themes
 * and the words themselves are read as ever. What Tab offers stands before the cursor, or is a command for it.
 */
#include <stdarg.h>
#include <stdio.h>

#include "sources/ask.h"
#include "tests/fuzz/fuzz.h"
#include "tui/app.h"
#include "tui/record.h"

#define BEGIN_NS (400 * NSEC_PER_SEC) /* of a history that is shown */
#define END_NS	 (4000 * NSEC_PER_SEC)

static struct host host;
static bool failed;

/* --- in the place of the app, its views and the collector --- */

static const struct view_ops a_view = {
	.name = "cpu", .title = "a view", .groups = "comm pid symbol"};
const struct view_ops *const view_table[VIEW_COUNT] = {[0 ... VIEW_COUNT - 1] = &a_view};
const struct view_ops *const pane_table[PANE_COUNT] = {[0 ... PANE_COUNT - 1] = &a_view};

static int choose(struct screen *s, enum choice what, const char *value, struct status *st)
{
	if (*value == '?')
		return -ENOTSUP;
	return *value == 'x' ? status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s", value) : 0;
}

static bool search(struct screen *s, const char *text, int dir)
{
	return strlen(text) < 20;
}

static const struct screen_ops screen_ops = {.choose = choose, .search = search};
static struct screen a_screen = {.ops = &screen_ops};

static void set_theme(struct term *t, const struct theme *theme)
{
}

static bool edges(struct term *t)
{
	return true;
}

static const struct term_ops term_ops = {
	.set_theme = set_theme, .edges = edges, .colourless = edges};

#include "tests/fuzz/view_names.h"

struct screen *app__screen(const struct host *h)
{
	return &a_screen;
}

const struct view_ops *app__view(const struct host *h)
{
	return view_table[h->view];
}

/* Questions have a fuzzer of their own. */
bool ask__run(struct host *h, const char *text, struct status *st)
{
	return *text != '?' || status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s", text) == 0;
}

const struct ask_list *ask__asked(const struct host *h)
{
	return NULL;
}

const char *ask__text(const struct ask *a)
{
	return "";
}

bool ask__drop(struct host *h, const char *number, struct status *st)
{
	return ask__run(h, number, st);
}

bool ask__again(struct host *h, const char *arg, struct status *st)
{
	return ask__run(h, arg, st);
}

bool watches__add(struct host *h, const char *text, struct status *st)
{
	return ask__run(h, text, st);
}

bool watches__drop(struct host *h, const char *number, struct status *st)
{
	return ask__run(h, number, st);
}

bool app__action_times(struct host *h, enum action a, u32 n)
{
	return n;
}

void ask__complete(struct host *h, const char *text, u32 cursor, struct completions *out)
{
}

bool functions__pick(struct host *h, const char *text, struct status *st)
{
	return ask__run(h, text, st);
}

bool functions__drop(struct host *h, const char *number, struct status *st)
{
	return ask__run(h, number, st);
}

bool functions__set_waits(struct host *h, const char *word, struct status *st)
{
	return ask__run(h, word, st);
}

/* The tour has words of its own, and the guide none. */
bool probes__open(struct host *h, const char *where, struct status *st)
{
	return true;
}

bool tour__begin(struct host *h, const char *arg, struct status *st)
{
	return ask__run(h, arg, st);
}

void tour__end(struct host *h)
{
}

bool dialog__open_guide(struct host *h, const char *title)
{
	return *title != '?';
}

bool guide__title(u32 n, char *buf, size_t size)
{
	snprintf(buf, size, "Page %u", n);
	return n < 3;
}

void dialog__complete_filter(void *ctx, const char *text, u32 cursor, struct completions *out)
{
}

void dialog__complete_save(void *ctx, const char *text, u32 cursor, struct completions *out)
{
}

void host__lead(struct host *h, const char *view, const char *group, const char *sort,
		const char *filter)
{
	if (view__index(view) < VIEW_COUNT)
		h->view = view__index(view);
}

bool pick_columns__open(struct host *h)
{
	return true;
}

bool app__action(struct host *h, enum action a)
{
	if (a >= ACTIONS)
		abort();
	/* Groupings, which a seed has, are always there. */
	return a % 8 || !strncmp(action_table[a].name, "group-", 6);
}

void app__show_view(struct host *h, enum view_id v)
{
	if (v >= VIEW_COUNT)
		abort();
}

void app__apply_filter(struct host *h, const char *expr, bool seen)
{
	if (strlen(expr) > FILTER_MAX_LEN)
		abort();
}

void app__set_sampling(struct host *h, const struct sampling *s)
{
	if (s->freq > FREQ_MAX || s->period > PERIOD_MAX || strlen(s->event) >= sizeof(s->event))
		abort();
	h->sampling = *s;
}

void app__show_frame(struct host *h, const struct frame *f)
{
}

void host__push(struct host *h, struct screen *s)
{
}

void host__redraw(struct host *h)
{
}

const char *host__key(const struct host *h, enum action a, char *buf, size_t size)
{
	*buf = '\0';
	return buf;
}

void host__error(struct host *h, const struct status *st)
{
	failed = true;
}

void dialog__offer(struct host *h, const char *line)
{
}

void host__message(struct host *h, enum role role, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(h->message, sizeof(h->message), fmt, args);
	va_end(args);
	failed |= role == ROLE_ERROR;
	if (!h->message[0])
		abort();
}

bool headless__is(const struct host *h)
{
	return false;
}

void save__view(struct host *h, const char *path)
{
	if (path && !*path)
		abort();
}

void save__config(struct host *h)
{
}

void baseline__toggle(struct host *h)
{
}

void baseline__set(struct host *h)
{
}

void baseline__off(struct host *h)
{
}

void baseline__read(struct host *h, const char *path)
{
	if (!*path)
		abort();
}

struct record_sink *record__to_file(const struct options *o, const char *path,
				    struct symbols *symbols, const char *scope, struct status *st)
{
	status__set(st, EXIT_CODE_USAGE, -EACCES, "nothing is recorded here");
	return NULL;
}

struct collector *collector__start(const struct collector_config *cfg, struct status *st)
{
	abort();
}

void collector__stop(struct collector *c)
{
}

const struct frame *collector__take(struct collector *c)
{
	return NULL;
}

void collector__record(struct collector *c, struct record_sink *sink)
{
}

void collector__set_interval(struct collector *c, u64 interval_ns)
{
	if (interval_ns < NSEC_PER_SEC / 20 || interval_ns > 86400 * NSEC_PER_SEC)
		abort();
}

void collector__seek(struct collector *c, u64 from_ns, u64 to_ns)
{
	if (from_ns > to_ns || to_ns < BEGIN_NS || to_ns > END_NS + host.interval_ns)
		abort();
}

/* --- what is tried --- */

static const struct scope everything = {.text = (char *)""};

static void begin(struct host *h, const struct options *o)
{
	static struct frame frame = {
		.base.t1_ns = END_NS,
		.recording = {.begin_ns = BEGIN_NS, .end_ns = END_NS},
	};

	h->options = o;
	h->ops = &term_ops;
	h->frame = &frame;
	h->scope = &everything;
	h->interval_ns = NSEC_PER_SEC;
	h->time_travel.memory = -1;
	h->time_travel.live = (struct collector *)&frame; /* only compared */
	h->time_travel.line_asked = true;		  /* it never comes */
}

/* Commands also where none begins so, by a word of what they do. */
static bool is_offered(const struct completion *c, const char *typed, bool command)
{
	bool cut = strlen(c->help) == sizeof(c->help) - 1;

	return !strncmp(c->text, typed, strlen(typed)) ||
	       (command && (cut || strcasestr(c->text, typed) || strcasestr(c->help, typed)));
}

static void complete(struct host *h, const char *text)
{
	static struct completions list;
	u32 cursor = (u32)strlen(text);

	if (cursor >= PROMPT_MAX)
		return;
	list = (struct completions){.start = cursor};
	palette__complete(h, text, cursor, &list);
	if (list.start > cursor || list.n > PROMPT_COMPLETIONS)
		abort();
	for (u32 i = 0; i < list.n; i++)
		if (!is_offered(&list.items[i], text + list.start, !list.start))
			abort();
}

/* "--do WORDS: " and nothing more. */
static bool ends_bare(const char *message)
{
	size_t n = strlen(message);

	return n < 2 || !strcmp(message + n - 2, ": ");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size);
	struct options o = {.no_config = true, .commands = {text}, .ncommands = 1};

	memset(&host, 0, sizeof(host));
	failed = false;
	begin(&host, &o);
	commands__set(&host, o.commands, o.ncommands);
	complete(&host, text);
	while (host.command < o.ncommands)
		commands__next(&host);
	if (failed && ends_bare(host.message))
		abort();
	keymap__fini(&host.keymap);
	free(text);
	return fuzz__through(!failed);
}
