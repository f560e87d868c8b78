/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/options_impl.h"

#include <getopt.h>

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
	{"counters", required_argument, NULL, OPT_COUNTERS},
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
	{"lock-orders", optional_argument, NULL, OPT_LOCK_ORDERS},
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
	{"serve-clients", required_argument, NULL, OPT_SERVE_CLIENTS},
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
	return option__take(o, option_named(name), value, st);
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
		err = option__take(o, opt, optarg, st);
		/* Its value may be several words. */
		while (!err && opt == OPT_REPLAY && optind < argc && argv[optind][0] != '-')
			err = option__take(o, opt, argv[optind++], st);
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
