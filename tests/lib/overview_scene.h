/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A frame for tests of the overview, made from lines: those of fixtures (tests/lib/fixture.h), and words for what
 * these do not have. scene__init, put_lines, ask, scene__fini.
 */
#ifndef TESTS_LIB_OVERVIEW_SCENE_H
#define TESTS_LIB_OVERVIEW_SCENE_H

#include <stdio.h>
#include <sys/syscall.h>

#include "bpf/irq.h"
#include "bpf/kvm.h"
#include "bpf/sockets.h"
#include "bpf/tcp.h"
#include "models/bpf.h"
#include "models/model.h"
#include "models/overview.h"
#include "models/profile.h"
#include "models/sched.h"
#include "models/waits.h"
#include "samples/measure.h"
#include "tests/lib/fixture_impl.h"

struct scene {
	struct symbols *symbols;
	struct model *models[MODEL_COUNT];
	struct frame frame;
	u64 now_ns;
	u64 used; /* models that a line was about */
};

static const enum model_id used_models[] = {MODEL_SYSTEM, MODEL_SCHED, MODEL_WAITS, MODEL_PROFILE,
					    MODEL_LOCKS, MODEL_TCP, MODEL_SOCKETS, MODEL_IRQ, MODEL_KVM,
					    MODEL_COUNTERS, MODEL_BPF};

static inline void scene__init(struct scene *s)
{
	struct status st;

	*s = (struct scene){.symbols = symbols__new(&st), .now_ns = 1000 * NSEC_PER_SEC};
	for (u32 i = 0; i < ARRAY_SIZE(used_models); i++)
		s->models[used_models[i]] = model_table[used_models[i]]->new (s->symbols);
}

static inline void scene__fini(struct scene *s)
{
	for (u32 i = 0; i < ARRAY_SIZE(used_models); i++) {
		snap__put(s->frame.snaps[used_models[i]]);
		model_table[used_models[i]]->free(s->models[used_models[i]]);
	}
	symbols__free(s->symbols);
}

static inline void scene__tick(struct scene *s)
{
	for (u32 i = 0; i < ARRAY_SIZE(used_models); i++) {
		enum model_id m = used_models[i];

		snap__put(s->frame.snaps[m]);
		s->frame.snaps[m] =
			model_table[m]->tick(s->models[m], s->now_ns, s->now_ns + NSEC_PER_SEC);
		s->frame.feeds[m].state = FEED_LIVE;
	}
	s->now_ns += NSEC_PER_SEC;
}

static inline void put(void *ctx, const struct sample *sample)
{
	struct scene *s = ctx;

	for (u32 i = 0; i < ARRAY_SIZE(used_models); i++)
		model_table[used_models[i]]->consume(s->models[used_models[i]], sample);
}

static inline void put_usage(struct scene *s, struct usage_sample u, const char *comm, u32 pid)
{
	u.head.type = SAMPLE_USAGE;
	u.pid = pid;
	u.start = pid;
	u.state = 'S';
	u.span_ns = NSEC_PER_SEC;
	copy_str(u.comm, sizeof(u.comm), comm);
	put(s, &u.head);
}

/* What no fixture has: parts of a process's figures. */
static inline bool put_part(struct scene *s, const char *line)
{
	u32 pid, a, b = 0;
	char word[16], comm[32];

	if (sscanf(line, "%15s %31s %u %u %u", word, comm, &pid, &a, &b) < 4)
		return false;
	if (!strcmp(word, "major"))
		put_usage(s, (struct usage_sample){.major_faults = a}, comm, pid);
	else if (!strcmp(word, "parent"))
		put_usage(s, (struct usage_sample){.children_ns = a * NSEC_PER_MSEC}, comm, pid);
	else if (!strcmp(word, "threads"))
		put_usage(s, (struct usage_sample){.threads = a}, comm, pid);
	else if (!strcmp(word, "writes"))
		put_usage(s, (struct usage_sample){.write_bytes = a * 1000000ULL}, comm, pid);
	else if (!strcmp(word, "own"))
		put_usage(s, (struct usage_sample){.own = true, .user_ns = a * NSEC_PER_MSEC}, comm, pid);
	else if (!strcmp(word, "files"))
		put_usage(s, (struct usage_sample){.files = a, .files_max = b}, comm, pid);
	else
		return false;
	return true;
}

/* Of process 10: who waits for how long for whose mutex. */
static inline bool put_owner(struct scene *s, const char *line)
{
	const struct measure_key key = {.text = "mutex"};
	struct measure_holder_sample h = {.head.type = SAMPLE_MEASURE_HOLDER,
					  .keys = &key,
					  .nkeys = 1,
					  .tgid = 10,
					  .comm = "stuck",
					  .waiter = {.tgid = 10, .comm = "stuck", .process = "stuck"},
					  .begin_ns = s->now_ns - NSEC_PER_SEC};

	if (sscanf(line, "owner %u %u", &h.waiter.tid, &h.tid) != 2)
		return false;
	put(s, &h.head);
	return true;
}

/* "holds NAME PID TID OBJECT": who has the lock of its process that others wait for. */
static inline bool put_holder(struct scene *s, const char *line)
{
	struct wait_lock_sample l = {.head.type = SAMPLE_WAIT_LOCK, .name = "mutex"};
	unsigned long long object;

	if (sscanf(line, "holds %15s %u %u %llx", l.holder.comm, &l.holder.tgid, &l.holder.tid, &object) != 4)
		return false;
	l.tgid = l.holder.tgid;
	l.object = object;
	put(s, &l.head);
	return true;
}

/* What a connection of 10.0.0.1:80 sent again, and what was dropped. */
static inline bool put_connection(struct scene *s, const char *line)
{
	struct measure_sample x = {.head.type = SAMPLE_MEASURE};
	char comm[16], remote[32];
	u32 again, drops;
	struct measure_key keys[8] = {
		{0, "life"}, {1, "10.0.0.1:80"}, {2, remote}, {80, "http"},
		{1, "out"},  {1, "ESTAB"},	 {0, ""},     {1, "[own]"}};

	if (sscanf(line, "connection %15s %u %31s %u %u", comm, &x.who.tgid, remote, &again, &drops) != 5)
		return false;
	copy_str(x.who.comm, sizeof(x.who.comm), comm);
	copy_str(x.who.process, sizeof(x.who.process), comm);
	keys[2].value = x.who.tgid;
	x.keys = keys;
	x.nkeys = ARRAY_SIZE(keys);
	x.sums[TCP_RETRANSMITS] = again;
	x.sums[TCP_DROPS] = drops;
	model_table[MODEL_TCP]->consume(s->models[MODEL_TCP], &x.head);
	return true;
}

/* "socket NAME PID PROTOCOL DROPS" */
static inline bool put_socket(struct scene *s, const char *line)
{
	struct measure_sample x = {.head.type = SAMPLE_MEASURE};
	char comm[16], protocol[16];
	u32 drops;
	const struct measure_key keys[8] = {{1, protocol}, {2, "dgram"}, {SOCKETS_FULL, "full"}, {0, ""},
					    {1, "0.0.0.0:53"}, {0, ""}, {53, "domain"}, {0, ""}};

	if (sscanf(line, "socket %15s %u %15s %u", comm, &x.who.tgid, protocol, &drops) != 4)
		return false;
	copy_str(x.who.comm, sizeof(x.who.comm), comm);
	copy_str(x.who.process, sizeof(x.who.process), comm);
	x.keys = keys;
	x.nkeys = ARRAY_SIZE(keys);
	x.sums[SOCKETS_DROPS] = drops;
	model_table[MODEL_SOCKETS]->consume(s->models[MODEL_SOCKETS], &x.head);
	return true;
}

static inline void put_measure(struct scene *s, enum model_id m, struct measure_sample *x, const char *comm, u32 pid,
			       const struct measure_key *keys, u32 nkeys)
{
	x->head.type = SAMPLE_MEASURE;
	x->who.tgid = x->who.tid = pid;
	copy_str(x->who.comm, sizeof(x->who.comm), comm);
	copy_str(x->who.process, sizeof(x->who.process), comm);
	x->keys = keys;
	x->nkeys = nkeys;
	model_table[m]->consume(s->models[m], &x->head);
}

static inline void put_slow(struct scene *s, struct measure_slow_sample *x, u32 ms, u64 vector, const char *name,
			    enum irq_kind kind)
{
	char cpu[12];

	snprintf(cpu, sizeof(cpu), "%u", x->cpu);
	x->head.type = SAMPLE_MEASURE_SLOW;
	x->keys = (const struct measure_key[]){{vector, name}, {kind, ""}, {x->cpu, cpu}, {0, ""}};
	x->nkeys = 4;
	x->ns = ms * NSEC_PER_MSEC;
	x->t_ns = s->now_ns + NSEC_PER_SEC / 2;
	model_table[MODEL_IRQ]->consume(s->models[MODEL_IRQ], &x->head);
}

/* "softirq CPU NAME MS" */
static inline bool put_softirq(struct scene *s, const char *line)
{
	struct measure_slow_sample x = {0};
	char name[16];
	u32 ms;

	if (sscanf(line, "softirq %u %15s %u", &x.cpu, name, &ms) != 3)
		return false;
	put_slow(s, &x, ms, hash_bytes(name, strlen(name)), name, IRQ_SOFT);
	return true;
}

/* "late NAME PID CPU MS STACK": a tick that came so late. */
static inline bool put_late(struct scene *s, const char *line)
{
	struct measure_slow_sample x = {0};
	struct fixture_stack stack;
	char frames[400];
	u32 ms;

	if (sscanf(line, "late %15s %u %u %u %399[^\n]", x.who.comm, &x.who.tgid, &x.cpu, &ms, frames) != 5)
		return false;
	fixture_stack__fill(&stack, s->symbols, frames);
	stack.def.ips = stack.ips;
	stack.def.tgid = x.who.tid = x.who.tgid;
	model_table[MODEL_IRQ]->consume(s->models[MODEL_IRQ], &stack.def.head);
	x.stack = stack.def.hash;
	put_slow(s, &x, ms, IRQ_VECTOR_IRQS_OFF, "[interrupts off]", IRQ_IRQS_OFF);
	return true;
}

/* "exits NAME PID REASON COUNT MS MS": so long outside of the guest, and in it. */
static inline bool put_exits(struct scene *s, const char *line)
{
	char comm[16], reason[16];
	u32 pid, n, out, in;

	if (sscanf(line, "exits %15s %u %15s %u %u %u", comm, &pid, reason, &n, &out, &in) != 6)
		return false;
	put_measure(s, MODEL_KVM,
		    &(struct measure_sample){.count = n, .sum = out * NSEC_PER_MSEC,
					     .waits = !strcmp(reason, "hlt"),
					     .sums[KVM_SUM_GUEST] = in * NSEC_PER_MSEC},
		    comm, pid, (const struct measure_key[]){{n, reason}, {0, "none"}, {0, "none"}, {0, "none"}}, 4);
	return true;
}

/* "counted NAME PID EVENT COUNT" */
static inline bool put_counted(struct scene *s, const char *line)
{
	char comm[16], event[32];
	u32 pid, n;

	if (sscanf(line, "counted %15s %u %31s %u", comm, &pid, event, &n) != 4)
		return false;
	put_measure(s, MODEL_COUNTERS, &(struct measure_sample){.count = n}, comm, pid,
		    (const struct measure_key[]){{hash_bytes(event, strlen(event)), event}, {0, "0"}}, 2);
	return true;
}

/* "refused NAME PID REMOTE COUNT" */
static inline bool put_refused(struct scene *s, const char *line)
{
	char comm[16], remote[32];
	u32 pid, n;

	if (sscanf(line, "refused %15s %u %31s %u", comm, &pid, remote, &n) != 4)
		return false;
	put_measure(s, MODEL_TCP, &(struct measure_sample){.count = n, .errors = n, .sum = n, .min = 1, .max = 1}, comm, pid,
		    (const struct measure_key[]){{1, "connect"}, {1, "10.0.0.1:80"}, {pid, remote}, {443, "https"},
						 {1, "client"}, {1, "CLOSE"}, {0, ""}, {1, "[own]"}}, 8);
	return true;
}

/* "program NAME OWNER PID RUNS MS": a BPF program at sys_enter, which ran so often and long. */
static inline bool put_program(struct scene *s, const char *line)
{
	struct bpf_prog_sample x = {.head.type = SAMPLE_BPF_PROG, .type = "tracepoint", .attached = "sys_enter", .nowners = 1};
	struct bpf_state_sample end = {.head.type = SAMPLE_BPF_STATE};
	unsigned long long ms;
	char name[32], comm[16];
	u32 runs;

	if (sscanf(line, "program %31s %15s %u %u %llu", name, comm, &x.owners[0].tgid, &runs, &ms) != 5)
		return false;
	x.id = (u32)hash_bytes(name, strlen(name)) | 1;
	x.own = !strcmp(comm, "proftop");
	x.runs = runs;
	x.run_ns = ms * NSEC_PER_MSEC;
	copy_str(x.name, sizeof(x.name), name);
	copy_str(x.owners[0].comm, sizeof(x.owners[0].comm), comm);
	model_table[MODEL_BPF]->consume(s->models[MODEL_BPF], &x.head);
	model_table[MODEL_BPF]->consume(s->models[MODEL_BPF], &end.head);
	return true;
}

/* "fsync NAME PID MS": waits in that system call. */
static inline bool put_call(struct scene *s, const char *line)
{
	bool is_fsync = !strncmp(line, "fsync ", 6), is_flock = !strncmp(line, "flock ", 6);
	struct wait_sample w = {.head.type = SAMPLE_WAIT,
				.state = is_fsync ? TASK_STATE_DISK : TASK_STATE_SLEEP,
				.syscall = is_fsync ? SYS_fsync : SYS_flock,
				.count = 10};
	char comm[32];
	u32 ms;

	if ((!is_fsync && !is_flock) ||
	    sscanf(line, "%*s %31s %u %u", comm, &w.task.tgid, &ms) != 3)
		return false;
	w.task.tid = w.task.tgid;
	copy_str(w.task.comm, sizeof(w.task.comm), comm);
	w.off_ns = w.full_ns = ms * NSEC_PER_MSEC;
	put(s, &w.head);
	return true;
}

static inline bool put_rate(struct scene *s, const char *line)
{
	unsigned long long hz;

	if (sscanf(line, "rate %llu", &hz) != 1)
		return false;
	s->frame.feeds[MODEL_PROFILE].health.freq = hz;
	return true;
}

static inline bool put_sampled(struct scene *s, const char *line)
{
	struct stack_sample x = {.head.type = SAMPLE_STACK};
	struct fixture_stack stack;
	char comm[32], frames[512];
	u32 n;

	if (sscanf(line, "sampled %31s %u %u %511[^\n]", comm, &x.tgid, &n, frames) != 4)
		return false;
	fixture_stack__fill(&stack, s->symbols, frames);
	stack.def.ips = stack.ips;
	stack.def.tgid = x.tid = x.tgid;
	x.stack = stack.def.hash;
	x.count = n;
	x.weight = n * 10 * NSEC_PER_MSEC;
	copy_str(x.comm, sizeof(x.comm), comm);
	put(s, &stack.def.head);
	put(s, &x.head);
	return true;
}

/* Records of fixtures live as long as the test does. */
static inline void keep(void *record)
{
	static void *kept[8192];
	static u32 n;

	if (!record)
		return;
	assert_true(n < ARRAY_SIZE(kept));
	kept[n++] = record;
}

static inline bool put_recorded(struct scene *s, const char *line)
{
	struct system_record *system = system_record__parse(line);
	struct sched_record *sched = system ? NULL : sched_record__parse(line);
	const struct sample_sink sink = {put, s};

	if (system)
		system_record__put(system, s->now_ns + NSEC_PER_SEC, &sink);
	keep(system);
	keep(sched);
	if (sched) {
		sched_record__begin(sched, s->symbols);
		sched_record__put(sched, s->now_ns + NSEC_PER_SEC, &sink);
	}
	return system || sched;
}

static inline bool put_line(struct scene *s, const char *line)
{
	bool (*const words[])(struct scene *s, const char *line) = {
		put_rate, put_sampled, put_call, put_owner, put_holder, put_connection, put_socket, put_softirq, put_late,
		put_exits, put_counted, put_refused, put_program, put_recorded, put_part};

	for (u32 i = 0; i < ARRAY_SIZE(words); i++)
		if (words[i](s, line))
			return true;
	return false;
}

static inline void put_lines(struct scene *s, const char *lines)
{
	char line[600];

	for (; *lines; lines += strcspn(lines, "\n") + 1) {
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(lines, "\n"), lines);
		if (!strcmp(line, "tick"))
			scene__tick(s);
		else if (!put_line(s, line))
			fail_msg("not understood: %s", line);
	}
	scene__tick(s);
}

static inline struct overview_result *ask(const struct scene *s, const struct scope *scope)
{
	return overview__query(&s->frame, &(struct overview_query){0}, scope);
}

#endif
