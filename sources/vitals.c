// SPDX-License-Identifier: GPL-2.0-only
/* Vital signs of the machine from /proc, once a tick; the files stay open. */
#include "samples/vitals.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "sources/source.h"
#include "sources/vitals_parse.h"

extern const struct source_ops source_vitals;

enum file {
	FILE_LOADAVG,
	FILE_STAT,
	FILE_MEMINFO,
	FILE_CPU,
	FILE_IO,
	FILE_MEMORY,
	FILE_SELF,
	FILES
};

static const char *const paths[FILES] = {
	[FILE_LOADAVG] = "/proc/loadavg", [FILE_STAT] = "/proc/stat",
	[FILE_MEMINFO] = "/proc/meminfo", [FILE_CPU] = "/proc/pressure/cpu",
	[FILE_IO] = "/proc/pressure/io",  [FILE_MEMORY] = "/proc/pressure/memory",
	[FILE_SELF] = "/proc/self/statm",
};

struct source {
	int fds[FILES]; /* -1: this kernel does not have it */
	struct cpu_times before;
	u64 self_cpu_ns, t_ns; /* at the last tick */
	u32 last_pid;	       /* likewise; 0 none yet */
};

/* NUL-terminated; "" when there is nothing to read. What is longer is cut: the fields that
 * count come first. */
static const char *read_file(struct source *s, enum file f, char *buf, size_t size)
{
	ssize_t n = s->fds[f] < 0 ? -1 : pread(s->fds[f], buf, size - 1, 0);

	buf[MAX(n, (ssize_t)0)] = '\0';
	return buf;
}

static void read_times(struct source *s, struct cpu_times *t)
{
	char buf[512];

	vitals__parse_stat(read_file(s, FILE_STAT, buf, sizeof(buf)), t);
}

static void vitals__close(struct source *s)
{
	for (u32 f = 0; f < FILES; f++)
		if (s->fds[f] >= 0)
			close(s->fds[f]);
	free(s);
}

static struct source *vitals__open(const struct sampling *how, const struct scope *scope,
				   struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));

	for (u32 f = 0; f < FILES; f++)
		s->fds[f] = open(paths[f], O_RDONLY | O_CLOEXEC);
	if (s->fds[FILE_STAT] < 0) {
		status__set(st, EXIT_CODE_FAILURE, -errno,
			    "/proc/stat cannot be read (%s): is /proc mounted?", strerror(errno));
		vitals__close(s);
		return NULL;
	}
	read_times(s, &s->before);
	s->self_cpu_ns = clock__process_cpu_ns();
	s->t_ns = clock__monotonic_ns();
	return s;
}

static void read_pressure(struct source *s, struct vitals *v)
{
	char buf[256];
	double none;

	v->has_psi = vitals__parse_pressure(read_file(s, FILE_CPU, buf, sizeof(buf)),
					    &v->psi_cpu_some, &none);
	vitals__parse_pressure(read_file(s, FILE_IO, buf, sizeof(buf)), &v->psi_io_some,
			       &v->psi_io_full);
	vitals__parse_pressure(read_file(s, FILE_MEMORY, buf, sizeof(buf)), &v->psi_memory_some,
			       &v->psi_memory_full);
}

static void read_self(struct source *s, struct vitals *v)
{
	u64 cpu_ns = clock__process_cpu_ns(), now = clock__monotonic_ns();
	unsigned long long pages = 0;
	char buf[128];

	if (now > s->t_ns)
		v->self_cpu_pct =
			100.0 * (double)(cpu_ns - s->self_cpu_ns) / (double)(now - s->t_ns);
	v->starts_per_s = vitals__starts_per_s(s->last_pid, v->last_pid, now - s->t_ns);
	s->last_pid = v->last_pid;
	s->self_cpu_ns = cpu_ns;
	s->t_ns = now;
	sscanf(read_file(s, FILE_SELF, buf, sizeof(buf)), "%*u %llu", &pages);
	v->self_rss_bytes = pages * (u64)sysconf(_SC_PAGESIZE);
}

static void vitals__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	struct vitals_sample out = {.head.type = SAMPLE_VITALS};
	struct vitals *v = &out.vitals;
	struct cpu_times now;
	char buf[4096];

	if (!tick)
		return;
	v->ncpus = (u32)sysconf(_SC_NPROCESSORS_ONLN);
	vitals__parse_loadavg(read_file(s, FILE_LOADAVG, buf, sizeof(buf)), v);
	vitals__parse_meminfo(read_file(s, FILE_MEMINFO, buf, sizeof(buf)), v);
	read_times(s, &now);
	vitals__cpu_shares(&s->before, &now, v);
	s->before = now;
	read_pressure(s, v);
	read_self(s, v);
	sink__put(sink, &out.head);
}

static int vitals__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return 0; /* the machine's, whatever the scope */
}

static int vitals__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	return 0;
}

static void vitals__health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "proc");
}

const struct source_ops source_vitals = {
	.name = "proc",
	.title = "vital signs from /proc",
	.open = vitals__open,
	.close = vitals__close,
	.set_scope = vitals__set_scope,
	.set_sampling = vitals__set_sampling,
	.drain = vitals__drain,
	.health = vitals__health,
};
