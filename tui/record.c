// SPDX-License-Identifier: GPL-2.0-only
#include "tui/record.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/machine.h"
#include "recording/recorder.h"

/* The words of the command line, blanks between. */
static void join_words(char **words, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (; words && *words && n + 1 < size; words++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "", *words);
}

/* What this process may do, and what the kernel lets it see. */
static void describe_rights(char *buf, size_t size)
{
	char caps[32];

	if (!file__field("/proc/self/status", "CapEff", caps, sizeof(caps)))
		copy_str(caps, sizeof(caps), "unknown");
	snprintf(buf, size, "uid %u, capabilities %s, perf_event_paranoid %ld, kptr_restrict %ld%s",
		 (unsigned int)geteuid(), caps, file__number("/proc/sys/kernel/perf_event_paranoid", -1),
		 file__number("/proc/sys/kernel/kptr_restrict", -1),
		 access("/sys/kernel/btf/vmlinux", R_OK) ? ", no BTF" : ", BTF");
}

static struct record_sink *make(const struct options *o, struct recorder_config *cfg,
				const char *scope, struct status *st)
{
	char words[1024], rate[160], rights[160], started[32], interval[32];
	const struct sampling *s = &o->sampling;
	struct timespec now;
	const struct recording_note notes[] = {
		{NOTE_VERSION, PROFTOP_VERSION},
		{NOTE_HOST, machine__name()},
		{NOTE_KERNEL, machine__kernel()},
		{NOTE_COMMAND, words},
		{NOTE_RATE, rate},
		{NOTE_RIGHTS, rights},
		{NOTE_SCOPE, scope},
		{NOTE_STARTED, started},
		{NOTE_INTERVAL, interval},
		{NULL, NULL},
	};

	join_words(o->words, words, sizeof(words));
	describe_rights(rights, sizeof(rights));
	if (s->period)
		snprintf(rate, sizeof(rate), "%s every %llu", s->event,
			 (unsigned long long)s->period);
	else
		snprintf(rate, sizeof(rate), "%s%s%llu Hz", s->event, *s->event ? " " : "",
			 (unsigned long long)s->freq);
	clock_gettime(CLOCK_REALTIME, &now);
	snprintf(started, sizeof(started), "%lld.%03ld", (long long)now.tv_sec, now.tv_nsec / 1000000);
	snprintf(interval, sizeof(interval), "%g", (double)o->interval_ns / 1e9);
	cfg->notes = notes;
	return recorder__new(cfg, st);
}

struct record_sink *record__to_file(const struct options *o, const char *path,
				    struct symbols *symbols, const char *scope, struct status *st)
{
	struct recorder_config cfg = {.path = path, .symbols = symbols};

	return make(o, &cfg, scope, st);
}

struct record_sink *record__to_stream(const struct options *o, int fd, struct symbols *symbols,
				      struct status *st)
{
	struct recorder_config cfg = {.stream = fd, .symbols = symbols};

	return make(o, &cfg, "", st);
}
