/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bpf_admin.h"
#include "base/caps.h"
#include "base/child.h"
#include "base/kcore.h"
#include "base/log.h"
#include "base/memory.h"
#include "models/measure.h"
#include "recording/pprof_maps.h"
#include "recording/spool.h"
#include "samples/counters.h"
#include "sources/doctor.h"
#include "sources/events.h"
#include "tui/app.h"
#include "tui/batch.h"
#include "tui/config.h"
#include "tui/connect.h"
#include "tui/metrics_file.h"
#include "tui/opening.h"
#include "tui/presets.h"
#include "tui/program.h"
#include "tui/serve.h"
#include "tui/session.h"
#include "tui/signals.h"
#include "tui/theme.h"

#define LARGE_BYTES (256 << 10)
/* Of a screen that nobody sees: no column is left out. */
#define HEADLESS_W  400
#define HEADLESS_H  100

static int complain(const struct status *st)
{
	log__complain(st->msg);
	return (int)st->code;
}

/* What was printed has arrived, or one line says why not. */
static int printed(void)
{
	struct pollfd reader = {.fd = STDOUT_FILENO};

	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_CODE_OK;
	/* Who read it has seen enough, as head does. */
	if (poll(&reader, 1, 0) == 1 && reader.revents & POLLERR)
		return EXIT_CODE_OK;
	fprintf(stderr, "proftop: cannot write standard output: %s\n", strerror(errno));
	return EXIT_CODE_FAILURE;
}

static int list_views(void)
{
	for (u32 v = 0; v < VIEW_COUNT; v++)
		printf("%-14s %s\n", view_table[v]->name, view_table[v]->title);
	for (u32 p = 0; p < PANE_COUNT; p++)
		printf("%-14s %s\n", pane_table[p]->name, pane_table[p]->title);
	return printed();
}

static int list_events(const char *glob)
{
	struct status st = {0};

	if (event__list(stdout, glob))
		return printed();
	status__set(&st, EXIT_CODE_USAGE, -ENOENT,
		    "no event matches '%.200s': --list-events lists all", glob);
	return complain(&st);
}

static int doctor(const struct options *o)
{
	struct check *checks;
	u32 n = doctor__run(&checks);

	if (o->format && !strcmp(o->format, "json"))
		doctor__print_json(stdout, checks, n);
	else
		doctor__print(stdout, checks, n, isatty(STDOUT_FILENO) && !getenv("NO_COLOR"));
	free(checks);
	return printed();
}

static int read_keymap(struct keymap *k, const struct options *o, struct status *st)
{
	*k = (struct keymap){.knows_section = view__knows_section};
	return keymap__choose(k, o->keymap, !o->no_config, st);
}

/* Without a screen they only have to be right. */
static int check_looks(const struct options *o, struct status *st)
{
	struct keymap keys = {0};
	struct theme theme;
	int err = o->keymap ? read_keymap(&keys, o, st) : 0;

	keymap__fini(&keys);
	return !err && o->theme ? theme__choose(&theme, o->theme, !o->no_config, st) : err;
}

/* A closed standard stream would be the number of the next file opened, and reports or
 * messages would go into that: an end that fails to read and write takes its place. */
static void keep_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			_exit(EXIT_CODE_FAILURE);
}

static int run_batch(struct options *o, const struct fixture *fixture, struct child *child,
		     struct status *st)
{
	struct session s = {.history = -1, .child = child};
	int code;

	if (!view__by_name(o->view)->report) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "view %s is of the screen alone: leave --batch out, or choose another one "
			    "(--list-views)",
			    o->view);
		return complain(st);
	}
	if (check_looks(o, st))
		return complain(st);
	log__to_stderr(true);
	if (o->connect && !(s.link = connect__call(o, session__wanted_first(o), st)))
		return complain(st);
	code = session__begin(&s, o, fixture, st) ? complain(st)
					 : batch__run(o, s.collector, s.symbols, s.child,
						      s.baseline.frame ? &s.baseline : NULL);
	session__end(&s);
	return code;
}

/* --serve -: for a proftop --connect. */
static int run_stream(struct options *o, struct status *st)
{
	struct session s = {.history = -1, .streams = true};
	int code;

	log__to_stderr(true);
	code = stream__hear(o, &s.wish, st) || session__begin(&s, o, NULL, st)
		       ? complain(st)
		       : stream__run(o, s.collector);
	session__end(&s);
	return code;
}

/* What cannot be opened is said before anything is attached. */
static int run_serve(struct options *o, struct status *st)
{
	struct session s = {.history = -1};
	struct serve_door *door = serve__open(o, st);
	int code;

	if (!door)
		return complain(st);
	if (!o->interval_given)
		o->interval_ns = SERVE_INTERVAL_NS;
	log__to_stderr(true);
	code = session__begin(&s, o, NULL, st) ? complain(st)
					       : serve__run(door, o, s.collector, s.symbols, s.history);
	session__end(&s);
	serve__close(door);
	return code;
}

/* The Linux console's fonts have no braille. */
static enum graph_style graphs_of(const struct options *o)
{
	const char *name = o->graphs, *term = getenv("TERM");
	u32 style = 0;

	if (!name)
		name = term && !strcmp(term, "linux") ? "blocks" : "braille";
	while (style + 1 < GRAPH_STYLES && strcmp(graph_style_names[style], name))
		style++;
	return (enum graph_style)style;
}

/* With the terminal open and the keymap read. */
static int run_session(struct host *h, struct options *o, const struct fixture *fixture,
		       struct child *child, struct link *link, struct status *st)
{
	struct session s = {.history = -1, .child = child, .link = link};
	int code;

	if (!h->ops->idle) { /* a script's terminal has nobody who waits */
		s.ops = h->ops;
		s.term = h->term;
	}
	if (session__begin(&s, o, fixture, st)) {
		h->ops->close(h->term);
		session__end(&s);
		return complain(st);
	}
	h->sampling = o->sampling; /* with the questions and functions that the session read */
	h->symbols = s.symbols;
	h->collector = s.collector;
	h->player = o->connect ? NULL : s.player;
	h->time_travel.memory = s.history;
	h->manual = fixture;
	h->always = 1ULL << MODEL_VITALS | session__models(&s) | views__models(o->views);
	h->wanted = view__by_name(o->view)->models | h->always;
	commands__set(h, o->commands, o->ncommands);
	h->speed = o->speed ? o->speed : 1;
	if (s.player && h->speed != 1)
		collector__play(s.collector, false, h->speed);
	h->child = s.child;
	if (s.baseline.frame)
		h->baseline = (struct baseline){snap__get(s.baseline.frame), xstrdup(o->baseline)};
	h->scope = scope__get(s.scope);
	h->queries = worker__new("proftop-query");
	h->lists = worker__new("proftop-lists");
	canvas__init(&h->canvas, 80, 24, h->ops->ascii(h->term));
	h->canvas.edges = h->ops->edges(h->term);
	h->canvas.colourless = h->ops->colourless(h->term);
	h->canvas.graphs = graphs_of(o);
	h->graphs_chosen = o->graphs != NULL;
	if (headless__is(h) && (h->player || fixture))
		collector__tick(s.collector);
	code = app__run(h);
	if (!code && h->child && child__released(h->child) && child__ended(h->child))
		code = child__wait(h->child);
	worker__free(h->queries);
	worker__free(h->lists);
	scope__put(h->scope);
	session__end(&s);
	return code;
}

/* Those of the view that is shown first are set as :columns sets them, which says what is wrong. */
static void begin_columns(struct host *h, struct options *o)
{
	char names[COLUMN_NAMES], words[COLUMN_NAMES + 16];
	bool several = o->column_lists && strchr(o->column_lists, ':');

	copy_str(h->columns, sizeof(h->columns), several ? o->column_lists : "");
	if (!o->column_lists || headless__is(h) || o->ncommands == MAX_COMMANDS)
		return;
	if (!several)
		copy_str(names, sizeof(names), o->column_lists);
	else if (!columns__of(o->column_lists, o->view, names, sizeof(names)))
		return;
	memmove(o->commands + 1, o->commands, o->ncommands++ * sizeof(*o->commands));
	snprintf(words, sizeof(words), "columns %s", names);
	o->commands[0] = arena__strdup(&o->memory, words);
}

static int run_ui(struct options *o, const struct fixture *fixture, struct child *child,
		  struct status *st)
{
	struct theme theme;
	struct term_options term = {.theme = &theme, .ascii = o->ascii, .w = o->columns,
				    .h = o->rows, .script = o->script};
	struct host h = {.options = o, .interval_ns = o->interval_ns,
			 .led_from = VIEW_COUNT};
	struct link *link = NULL;
	int code;

	copy_str(h.keymap_name, sizeof(h.keymap_name), o->keymap ? o->keymap : "");
	copy_str(h.theme_name, sizeof(h.theme_name), o->theme ? o->theme : "");
	copy_str(h.window, sizeof(h.window), o->window ? o->window : "");
	begin_columns(&h, o);
	if (headless__is(&h)) {
		if (!h.window[0]) /* as batch mode has it without words */
			copy_str(h.window, sizeof(h.window), "last");
		term.w = HEADLESS_W;
		term.h = HEADLESS_H;
	}
	h.ops = o->script || headless__is(&h) ? &term_script : &term_curses;
	if (read_keymap(&h.keymap, o, st) || theme__choose(&theme, o->theme, !o->no_config, st)) {
		code = complain(st);
	} else if (o->connect && !(link = connect__call(o, session__wanted_first(o), st))) {
		code = complain(st);
	} else {
		/* The terminal first: it is what fails most often, and what one waits for. */
		h.term = h.ops->open(&term, st);
		code = h.term ? run_session(&h, o, fixture, child, link, st) : complain(st);
		if (!h.term)
			link__free(link);
	}
	keymap__fini(&h.keymap);
	arena__fini(&h.watch_arena);
	free(h.led_filter);
	return code;
}

/* Snapshots are large, short-lived, and freed by another thread than the one that made them:
 * glibc would raise the limit for mapping them and keep what it freed in each thread's heap. */
static void set_up_memory(const struct options *o)
{
	if (o->mode == MODE_SERVE)
		memory__be_content(SERVE_MEMORY);
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
	if (memory__is_little())
		mallopt(M_ARENA_MAX, 1); /* each thread's would keep what it freed */
	else
		arena__keep_spares();
}

static int run(struct options *o, const struct fixture *fixture, struct child *child,
	       struct status *st)
{
	switch (o->mode) {
	case MODE_HELP: options__usage(); return printed();
	case MODE_VERSION: puts("proftop " PROFTOP_VERSION); return printed();
	case MODE_LIST_VIEWS: return list_views();
	case MODE_LIST_WORDS: palette__print(stdout); return printed();
	case MODE_LIST_PRESETS: presets__print(stdout); return printed();
	case MODE_LIST_EVENTS: return list_events(o->event_glob);
	case MODE_SYMBOLS: return pprof_symbols(stdin, stdout, st) ? complain(st) : printed();
	case MODE_DOCTOR: return doctor(o);
	case MODE_BATCH: return o->ncommands ? run_ui(o, fixture, child, st) : run_batch(o, fixture, child, st);
	case MODE_SERVE: return o->serve && !strcmp(o->serve, "-") ? run_stream(o, st) : run_serve(o, st);
	default: return run_ui(o, fixture, child, st);
	}
}

static bool is_session(const struct options *o)
{
	return o->mode == MODE_UI || o->mode == MODE_BATCH || o->mode == MODE_SERVE;
}

/* Before there are other threads. What cannot be given up is not held: nothing to tell. */
static void give_up_capabilities(const struct options *o)
{
	u64 have = caps__effective(), keep = caps__needed(have, o->command);

	kcore__hold();
	if ((is_session(o) && !o->replay && !o->connect) || o->mode == MODE_DOCTOR)
		bpf_admin__start();
	if (o->mode == MODE_UI && !o->replay && !o->connect)
		keep |= caps__for_deeds(have);
	caps__keep(keep);
}

/* What the command may is not for us to say, and it may not get more by its exec either: the kernel
 * then hides it from who watches. So it is begun before anything is given up. */
static int hold_command(const struct options *o, struct child **child, struct status *st)
{
	if (!o->command || !is_session(o))
		return 0;
	*child = child__hold(o->command, o->mode == MODE_UI, o->sampling.watches[0] != NULL, st);
	return *child ? 0 : -EINVAL;
}

int program__main(int argc, char **argv, const struct fixture *fixture)
{
	struct status st = {0};
	struct child *child = NULL;
	struct options o;
	int code;

	keep_standard_streams();
	setlocale(LC_CTYPE, "");
	measure__know_labels();
	metrics__begin();
	if (options__parse(&o, argc, argv, &st))
		return complain(&st);
	set_up_memory(&o);
	if (o.nreplays > 1) {
		hosts__expect(o.nreplays);
		measures__add_host_label();
		measure__know_labels();
	}
	if (hold_command(&o, &child, &st))
		return complain(&st);
	give_up_capabilities(&o);
	if (o.replay && !strcmp(o.replay, "-") && spool__stdin(&st))
		return complain(&st);
	if (is_session(&o) && (config__load(&o, fixture ? "" : CONFIG_SYSTEM, argc, argv, &st) ||
			       metrics_file__load(&st))) {
		child__free(child);
		return complain(&st);
	}
	signals__set_up(o.snapshot);
	code = run(&o, fixture, child, &st);
	child__free(child);
	options__fini(&o);
	return code;
}
