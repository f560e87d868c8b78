/* SPDX-License-Identifier: GPL-2.0-only */
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/child.h"
#include "core/log.h"
#include "sources/doctor.h"
#include "sources/events.h"
#include "tui/app.h"
#include "tui/batch.h"
#include "tui/program.h"

#define LARGE_BYTES (256 << 10)

static int complain(const struct status *st)
{
	fprintf(stderr, "proftop: %s\n", st->msg);
	return (int)st->code;
}

static void crashed(int sig)
{
	term__emergency_restore();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void ending_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

int program__signals(void)
{
	sigset_t set;

	ending_signals(&set);
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

/* Crashes, and whatever else would end us, restore the terminal; what asks us to end is read
 * from a signalfd. */
static void set_up_signals(void)
{
	static const int fatal[] = {
		SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGSYS,  SIGTRAP,	 SIGQUIT,
		SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGPROF, SIGPOLL, SIGVTALRM, SIGPWR,
	};
	struct sigaction sa = {.sa_handler = crashed, .sa_flags = SA_RESETHAND | SA_NODEFER};
	sigset_t set;

	for (u32 i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &sa, NULL);
	/* Writes then fail, which is told. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	ending_signals(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	die__on(term__emergency_restore);
}

/* What was printed has arrived, or one line says why not. */
static int printed(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return EXIT_CODE_OK;
	fprintf(stderr, "proftop: cannot write standard output: %s\n", strerror(errno));
	return EXIT_CODE_FAILURE;
}

static int list_views(void)
{
	for (u32 v = 0; v < VIEW_COUNT; v++)
		printf("%-8s %s\n", view_table[v]->name, view_table[v]->title);
	return printed();
}

static int list_events(const char *glob)
{
	if (event__list(stdout, glob))
		return printed();
	fprintf(stderr, "proftop: no event matches '%s': --list-events lists all\n", glob);
	return EXIT_CODE_USAGE;
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

/* $XDG_CONFIG_HOME/proftop/keys, then --keymap, over the compiled-in rows. */
static int read_keymaps(struct keymap *k, const struct options *o, struct status *st)
{
	const char *xdg = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char path[4096];
	int err = 0;

	keymap__init(k);
	snprintf(path, sizeof(path), "%s%s/proftop/keys", xdg && *xdg ? xdg : home ? home : "",
		 xdg && *xdg ? "" : "/.config");
	if (!access(path, F_OK))
		err = keymap__read(k, path, st);
	if (!err && o->keymap)
		err = keymap__read(k, o->keymap, st);
	for (u32 i = 0; !err && i < k->n; i++)
		if (!view__knows_section(k->rows[i].section))
			err = status__set(st, EXIT_CODE_USAGE, -EINVAL,
					  "keymap: there is no view or screen [%s]; see "
					  "--list-views, and [global]", k->rows[i].section);
	return err;
}

/* A closed standard stream would be the number of the next file opened, and reports or
 * messages would go into that: an end that fails to read and write takes its place. */
static void keep_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) < 0)
			_exit(EXIT_CODE_FAILURE);
}

/* All that a session needs, made and ended as a pair. */
struct session {
	struct scope *scope;
	struct symbols *symbols;
	struct child *child;
	struct collector *collector;
};

static void session__end(struct session *s)
{
	if (s->collector)
		collector__stop(s->collector);
	child__free(s->child);
	if (s->symbols)
		symbols__free(s->symbols);
	scope__put(s->scope);
}

static int session__begin(struct session *s, struct options *o, const struct fixture *fixture,
			  struct status *st)
{
	struct collector_config cfg = {
		.sampling = o->sampling,
		.interval_ns = o->interval_ns,
		.wanted = view__by_name(o->view)->models,
		.early_frames = o->mode == MODE_UI,
		.manual_tick = fixture != NULL,
		.sources = fixture ? fixture->sources : NULL,
	};

	if (o->mode == MODE_UI)
		cfg.wanted |= 1u << MODEL_VITALS;
	if (o->command) {
		s->child = child__hold(o->command, o->mode == MODE_UI, st);
		if (!s->child)
			return -EINVAL;
		o->scope.child_pid = child__pid(s->child);
	}
	s->scope = scope__build(&o->scope, st);
	if (!s->scope)
		return -EINVAL;
	if (o->mode == MODE_BATCH && view__check_terms(view__by_name(o->view), s->scope, st))
		return -EINVAL;
	s->symbols = symbols__new(st);
	if (!s->symbols)
		return -EINVAL;
	if (fixture)
		fixture->begin(s->symbols);
	cfg.scope = s->scope;
	cfg.symbols = s->symbols;
	s->collector = collector__start(&cfg, st);
	return s->collector ? 0 : -EINVAL;
}

static int run_batch(struct options *o, const struct fixture *fixture, struct status *st)
{
	struct session s = {0};
	struct keymap keys = {0}; /* only whether it is right */
	int code;

	if (!view__by_name(o->view)->report) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "view %s has no batch form; see --list-views",
			    o->view);
		return complain(st);
	}
	code = o->keymap ? read_keymaps(&keys, o, st) : 0;
	keymap__fini(&keys);
	if (code)
		return complain(st);
	log__to_stderr(true);
	code = session__begin(&s, o, fixture, st) ? complain(st)
					 : batch__run(o, s.collector, s.symbols, s.child);
	session__end(&s);
	return code;
}

/* With the terminal open and the keymap read. */
static int run_session(struct host *h, struct options *o, const struct fixture *fixture,
		       struct status *st)
{
	struct session s = {0};
	int code;

	if (session__begin(&s, o, fixture, st)) {
		h->ops->close(h->term);
		session__end(&s);
		return complain(st);
	}
	h->symbols = s.symbols;
	h->collector = s.collector;
	h->wanted = view__by_name(o->view)->models | 1u << MODEL_VITALS;
	h->child = s.child;
	h->scope = scope__get(s.scope);
	h->queries = worker__new("proftop-query");
	h->lists = worker__new("proftop-lists");
	canvas__init(&h->canvas, 80, 24, h->ops->ascii(h->term));
	h->canvas.edges = h->ops->edges(h->term);
	code = app__run(h);
	if (!code && h->child && child__released(h->child) && child__ended(h->child))
		code = child__wait(h->child);
	worker__free(h->queries);
	worker__free(h->lists);
	scope__put(h->scope);
	session__end(&s);
	return code;
}

static int run_ui(struct options *o, const struct fixture *fixture, struct status *st)
{
	struct term_options term = {.theme = o->theme, .ascii = o->ascii, .w = o->columns,
				    .h = o->rows, .script = o->script};
	struct host h = {.options = o, .sampling = o->sampling, .interval_ns = o->interval_ns};
	int code;

	h.ops = o->script ? &term_script : &term_curses;
	if (read_keymaps(&h.keymap, o, st)) {
		code = complain(st);
	} else {
		/* The terminal first: it is what fails most often, and what one waits for. */
		h.term = h.ops->open(&term, st);
		code = h.term ? run_session(&h, o, fixture, st) : complain(st);
	}
	keymap__fini(&h.keymap);
	return code;
}

/* Snapshots are large, short-lived, and freed by another thread than the one that made them:
 * glibc would raise the limit for mapping them and keep what it freed in each thread's heap. */
static void set_up_memory(void)
{
	mallopt(M_MMAP_THRESHOLD, LARGE_BYTES);
	mallopt(M_TRIM_THRESHOLD, LARGE_BYTES);
}

int program__main(int argc, char **argv, const struct fixture *fixture)
{
	struct status st = {0};
	struct options o;

	set_up_memory();
	keep_standard_streams();
	setlocale(LC_CTYPE, "");
	if (options__parse(&o, argc, argv, &st))
		return complain(&st);
	set_up_signals();
	switch (o.mode) {
	case MODE_HELP: options__usage(); return printed();
	case MODE_VERSION: puts("proftop " PROFTOP_VERSION); return printed();
	case MODE_LIST_VIEWS: return list_views();
	case MODE_LIST_EVENTS: return list_events(o.event_glob);
	case MODE_DOCTOR: return doctor(&o);
	case MODE_BATCH: return run_batch(&o, fixture, &st);
	default: return run_ui(&o, fixture, &st);
	}
}
