// SPDX-License-Identifier: GPL-2.0-only
#include "sources/procs_runtimes.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/hidx.h"
#include "samples/command.h"
#include "samples/unwind.h"
#include "sources/unwind_maps.h"

#define LINES_MAX 32768 /* of what a process maps */

struct looked_at {
	u64 start_ns;
	u32 tgid, execs;
	bool asked; /* it has such a runtime */
};

struct procs_runtimes {
	struct looked_at *v; /* PROCS_RUNTIMES_MAX, in a ring */
	u32 next;
	struct hidx index; /* rebuilt when it has grown by what is gone */
	u64 until_ns;
};

struct procs_runtimes *procs_runtimes__new(void)
{
	struct procs_runtimes *r = xcalloc(1, sizeof(*r));

	r->v = xcalloc(PROCS_RUNTIMES_MAX, sizeof(*r->v));
	return r;
}

void procs_runtimes__free(struct procs_runtimes *r)
{
	if (!r)
		return;
	hidx__fini(&r->index);
	free(r->v);
	free(r);
}

void procs_runtimes__begin(struct procs_runtimes *r)
{
	r->until_ns = clock__monotonic_ns() + PROCS_RUNTIMES_NS;
}

static struct looked_at *find(const struct procs_runtimes *r, u32 tgid, u64 start_ns)
{
	u32 at;

	HIDX_FIND(at, &r->index, mix64(tgid), pos, r->v[pos].tgid == tgid && r->v[pos].start_ns == start_ns);
	return at == HIDX_NONE ? NULL : &r->v[at];
}

static struct looked_at *add(struct procs_runtimes *r, u32 tgid, u64 start_ns)
{
	u32 at = r->next++ % PROCS_RUNTIMES_MAX;

	r->v[at] = (struct looked_at){.tgid = tgid, .start_ns = start_ns};
	if (r->index.used >= 2 * PROCS_RUNTIMES_MAX) {
		hidx__clear(&r->index);
		for (u32 i = 0; i < PROCS_RUNTIMES_MAX; i++)
			if (r->v[i].tgid && i != at)
				hidx__add(&r->index, mix64(r->v[i].tgid), i);
	}
	hidx__add(&r->index, mix64(tgid), at);
	return &r->v[at];
}

/* By what files are called: reading them all to make sure would cost more than names are worth. Whoever is asked
 * for is looked at properly. */
static bool is_of_runtime(const char *line)
{
	const char *name = strrchr(line, '/');

	return name && (strstr(name, "python") || strstr(name, "libjvm.so"));
}

static bool maps_runtime(u32 tgid)
{
	char path[32], line[512];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%u/maps", tgid);
	f = fopen(path, "re");
	for (u32 n = 0; f && !found && n < LINES_MAX && fgets(line, sizeof(line), f); n++)
		found = is_of_runtime(line);
	if (f)
		fclose(f);
	return found;
}

/* --- asking --- */

static u64 monotonic(u64 boot_ns)
{
	u64 slept = clock__suspended_ns();

	return boot_ns > slept ? boot_ns - slept : boot_ns;
}

static void put_event(enum proc_event_type type, u32 tgid, u64 t_ns, const char *comm, const struct sample_sink *sink)
{
	struct proc_event ev = {
		.head.type = SAMPLE_PROC, .type = type, .tgid = tgid, .tid = tgid, .t_ns = t_ns, .path = ""};

	copy_str(ev.comm, sizeof(ev.comm), comm);
	sink__put(sink, &ev.head);
}

static void ask(const struct procs_sample *p, u32 execs, const struct sample_sink *sink)
{
	struct command_sample command = {.head.type = SAMPLE_COMMAND,
					 .tgid = p->tgid,
					 .start_ns = monotonic(p->start_ns),
					 .line = *p->cmdline ? p->cmdline : p->comm};
	struct unwind_sample wanted = {.head.type = SAMPLE_UNWIND,
				       .tgid = p->tgid,
				       .exec_id = execs,
				       .t_ns = clock__monotonic_ns()};
	struct status st;

	if (unwind_maps__make(&st))
		return;
	sink__put(sink, &command.head);
	sink__put(sink, &wanted.head);
}

void procs_runtimes__see(struct procs_runtimes *r, const struct procs_sample *p, u32 execs,
			 const struct sample_sink *sink)
{
	struct looked_at *known = find(r, p->tgid, p->start_ns);

	if ((known && known->execs == execs) || clock__monotonic_ns() >= r->until_ns)
		return;
	/* What it mapped before is not there any more. */
	if (known && known->asked)
		put_event(PROC_EXEC, p->tgid, clock__monotonic_ns(), p->comm, sink);
	if (!known)
		known = add(r, p->tgid, p->start_ns);
	known->execs = execs;
	known->asked = maps_runtime(p->tgid);
	if (known->asked)
		ask(p, execs, sink);
}

void procs_runtimes__end(struct procs_runtimes *r, u32 tgid, u64 start_ns, u64 t_ns, const struct sample_sink *sink)
{
	struct looked_at *known = find(r, tgid, start_ns);
	struct command_sample over = {.head.type = SAMPLE_COMMAND, .tgid = tgid, .end_ns = t_ns, .line = ""};

	if (!known)
		return;
	if (known->asked) {
		put_event(PROC_EXIT, tgid, t_ns, "", sink);
		sink__put(sink, &over.head);
	}
	known->tgid = 0;
}
