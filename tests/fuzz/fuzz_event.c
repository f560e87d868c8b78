/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of events, and what a machine says of its own: the first line is what is asked for, the
 * next ones are what stands in the format, the event and the type of a PMU and in the id of a
 * tracepoint. An event without an error has a type; an error has words.
 */
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "sources/event_pmu.h"
#include "sources/events.h"
#include "tests/fuzz/fuzz.h"

static const char *const folders[] = {"",
				      "/cpu",
				      "/cpu/format",
				      "/cpu/events",
				      "/events",
				      "/events/sched",
				      "/events/sched/sched_switch"};
static const char *const files[] = {"/cpu/format/field", "/cpu/events/named", "/cpu/type",
				    "/events/sched/sched_switch/id"};

static char dir[PATH_MAX];

static void remove_all(void)
{
	char path[PATH_MAX + 64];

	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, files[i]);
		unlink(path);
	}
	for (u32 i = ARRAY_SIZE(folders); i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", dir, folders[i]);
		rmdir(path);
	}
}

static void begin(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX + 64];

	snprintf(dir, sizeof(dir), "%.200s/fuzz_event.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		die("no folder %s", dir);
	atexit(remove_all);
	for (u32 i = 1; i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", dir, folders[i]);
		if (mkdir(path, 0700))
			die("no folder %s", path);
	}
}

static void write_file(const char *name, const char *text, size_t len)
{
	char path[PATH_MAX + 64];
	int fd;

	snprintf(path, sizeof(path), "%s%s", dir, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		die("no file %s", path);
	close(fd);
}

/* A line's end, or the text's. */
static char *cut(char *line)
{
	char *end = strchrnul(line, '\n');

	if (!*end)
		return end;
	*end = '\0';
	return end + 1;
}

static void count(void *ctx, const char *name)
{
	if (!strchr(name, '/'))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = fuzz__string(data, size), *line = cut(text);
	struct perf_event_attr attr = {0};
	struct status st = {0};
	bool known;

	if (!dir[0])
		begin();
	for (u32 i = 0; i < ARRAY_SIZE(files); i++) {
		char *next = cut(line);

		write_file(files[i], line, strlen(line));
		line = next;
	}
	known = event_pmu__is(text) && !event_pmu__resolve(text, dir, &attr, &st);
	if (event_pmu__is(text) && !known && !st.msg[0])
		abort();
	event_pmu__each(dir, count, NULL);
	st = (struct status){0};
	if (!event__resolve(text, dir, &attr, &st))
		known = true;
	else if (!st.msg[0])
		abort();
	free(text);
	return fuzz__through(known);
}
