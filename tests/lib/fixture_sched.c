// SPDX-License-Identifier: GPL-2.0-only
/* Recorded input about the scheduler. */
#include <stdio.h>

#include "base/arena.h"
#include "bpf/hist.h"
#include "samples/sched.h"
#include "tests/lib/fixture_impl.h"

#define NAME_MAX_LEN 64
#define TEXT_MAX     4096

struct sched_record {
	union {
		struct sample head;
		struct wait_sample wait;
		struct task_sample task;
		struct cpu_sample cpu;
		struct delay_sample delay;
		struct switch_sample sw;
	};
	u32 tgid; /* whose stacks */
	char *frames, *waker_frames;
	u32 waker_tgid;
	/* kernel and user part of the one's and the other's */
	struct fixture_stack stacks[4];
	u32 hists[3][HIST_BUCKETS];
	double ago_ms;
};

static u64 ms(double n)
{
	return (u64)(n * 1e6);
}

/* Threads of the kernel are those whose stack begins where the kernel starts them. */
static bool is_kthread(const char *frames)
{
	return !strncmp(frames, "ret_from_fork", 13);
}

static struct task_ident ident(char *comm, u32 tgid, u32 tid, u64 cgroup)
{
	struct task_ident t = {.tgid = tgid, .tid = tid, .cgroup = cgroup, .start_ns = 1};

	copy_str(t.comm, sizeof(t.comm), fixture__unescape(comm));
	return t;
}

static bool state_named(const char *name, enum task_state *state)
{
	for (u32 i = 0; i < TASK_STATES; i++)
		if (!strcmp(task_state_names[i], name)) {
			*state = (enum task_state)i;
			return true;
		}
	return false;
}

/* "COMM:PID:TID"; "-" nobody, "irq" an interrupt. */
static bool parse_waker(struct waker *w, char *text)
{
	char comm[NAME_MAX_LEN];

	if (!strcmp(text, "-"))
		return true;
	w->kind = WAKER_INTERRUPT;
	if (!strcmp(text, "irq"))
		return true;
	w->kind = WAKER_TASK;
	if (sscanf(text, "%63[^:]:%u:%u", comm, &w->tgid, &w->tid) != 3)
		return false;
	copy_str(w->comm, sizeof(w->comm), fixture__unescape(comm));
	return true;
}

/* "FRAMES" or "FRAMES | FRAMES"; "-" none. */
static void keep_frames(struct sched_record *r, char *text)
{
	char *bar = strstr(text, " | ");

	if (bar) {
		*bar = '\0';
		r->waker_frames = xstrdup(strcmp(bar + 3, "-") ? bar + 3 : "");
	}
	r->frames = xstrdup(strcmp(text, "-") ? text : "");
}

/* What comes before the frames: "on=HEX object=HEX", either may be missing. */
static char *parse_evidence(struct wait_sample *w, char *text)
{
	unsigned long long v;
	int n = 0;

	if (sscanf(text, "on=%llx %n", &v, &n) == 1) {
		w->on = (u32)v;
		text += n;
	}
	if (sscanf(text, "object=%llx %n", &v, &n) == 1) {
		w->object = v;
		text += n;
	}
	return text;
}

static bool parse_wait(struct sched_record *r, const char *text)
{
	char comm[NAME_MAX_LEN], state[8], waker[100], frames[TEXT_MAX];
	unsigned long long cgroup, count;
	double off, max, open, runq;
	struct wait_sample *w = &r->wait;
	u32 pid, tid;

	if (sscanf(text, "wait %63s %u %u %llu %7s %llu %lf %lf %lf %lf %99s %4095[^\n]", comm,
		   &pid, &tid, &cgroup, state, &count, &off, &runq, &max, &open, waker,
		   frames) != 12)
		return false;
	*w = (struct wait_sample){.head.type = SAMPLE_WAIT,
				  .task = ident(comm, pid, tid, cgroup),
				  .syscall = WAIT_NO_SYSCALL,
				  .count = count,
				  .off_ns = ms(off),
				  .runq_ns = ms(runq),
				  .full_ns = ms(off),
				  .max_ns = ms(max),
				  .open = open > 0,
				  .open_ns = ms(open),
				  .open_full_ns = ms(open)};
	if (!state_named(state, &w->state) || !parse_waker(&w->waker, waker))
		return false;
	w->full_ns -= w->open_ns;
	/* The longest, and the others as long as they are on average. */
	if (count)
		r->hists[0][hist__octave(w->max_ns)]++;
	if (count > 1)
		r->hists[0][hist__octave(w->full_ns / count)] += (u32)count - 1;
	w->task.kthread = is_kthread(frames);
	r->tgid = pid;
	r->waker_tgid = w->waker.tgid;
	keep_frames(r, parse_evidence(w, frames));
	return true;
}

/* "delay=3:0.2" and the like: so many of so many milliseconds. */
static bool parse_hist(struct sched_record *r, const char *word)
{
	static const char *const names[] = {"delay", "on", "off"};
	struct task_sample *t = &r->task;
	unsigned int n;
	char name[8];
	double each;

	if (sscanf(word, "%7[a-z]=%u:%lf", name, &n, &each) != 3)
		return false;
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			r->hists[i][hist__bucket(ms(each))] += n;
	if (!strcmp(name, "delay")) {
		t->delays += n;
		t->delay_ns += n * ms(each);
		t->delay_max_ns = MAX(t->delay_max_ns, ms(each));
	} else if (!strcmp(name, "on")) {
		t->runs += n;
		t->run_max_ns = MAX(t->run_max_ns, ms(each));
	}
	return true;
}

static bool parse_word(struct sched_record *r, const char *word)
{
	unsigned long long n;

	if (sscanf(word, "voluntary=%llu", &n) == 1)
		r->task.voluntary = n;
	else if (sscanf(word, "preempted=%llu", &n) == 1)
		r->task.preempted = n;
	else if (sscanf(word, "migrations=%llu", &n) == 1)
		r->task.migrations = n;
	else if (!strcmp(word, "gone"))
		r->task.gone = true;
	else if (!strcmp(word, "kthread"))
		r->task.task.kthread = true;
	else
		return parse_hist(r, word);
	return true;
}

static bool parse_words(struct sched_record *r, char *text)
{
	char *save = NULL;

	for (char *w = strtok_r(text, " \n", &save); w; w = strtok_r(NULL, " \n", &save))
		if (!parse_word(r, w))
			return false;
	return true;
}

static bool parse_task(struct sched_record *r, const char *text)
{
	char comm[NAME_MAX_LEN], state[8], rest[512] = "";
	double on, runnable, sleep, disk, stopped;
	struct task_sample *t = &r->task;
	unsigned long long cgroup;
	u32 pid, tid, cpu;

	if (sscanf(text, "task %63s %u %u %llu %u %7s %lf %lf %lf %lf %lf %511[^\n]", comm, &pid,
		   &tid, &cgroup, &cpu, state, &on, &runnable, &sleep, &disk, &stopped, rest) < 11)
		return false;
	*t = (struct task_sample){.head.type = SAMPLE_TASK,
				  .task = ident(comm, pid, tid, cgroup),
				  .cpu = cpu,
				  .delay_hist = r->hists[0],
				  .on_hist = r->hists[1],
				  .off_hist = r->hists[2]};
	if (!state_named(state, &t->state))
		return false;
	t->state_ns[TASK_STATE_RUNNING] = ms(on);
	t->state_ns[TASK_STATE_RUNNABLE] = ms(runnable);
	t->state_ns[t->state == TASK_STATE_IDLE ? TASK_STATE_IDLE : TASK_STATE_SLEEP] = ms(sleep);
	t->state_ns[TASK_STATE_DISK] = ms(disk);
	t->state_ns[TASK_STATE_STOPPED] = ms(stopped);
	for (u32 i = 0; i < TASK_STATES; i++)
		t->span_ns += t->state_ns[i];
	return parse_words(r, rest);
}

static bool parse_busy(struct sched_record *r, const char *text)
{
	char comm[NAME_MAX_LEN];
	unsigned long long switches;
	u32 cpu, pid, tid;
	double busy, longest;

	if (sscanf(text, "busy %u %lf %llu %lf %63s %u %u", &cpu, &busy, &switches, &longest, comm,
		   &pid, &tid) != 7)
		return false;
	r->cpu = (struct cpu_sample){.head.type = SAMPLE_CPU,
				     .cpu = cpu,
				     .span_ns = NSEC_PER_SEC,
				     .busy_ns = ms(busy),
				     .switches = switches,
				     .run_max_ns = ms(longest),
				     .longest = ident(comm, pid, tid, 0)};
	r->cpu.running = r->cpu.longest;
	return true;
}

static bool parse_delay(struct sched_record *r, const char *text)
{
	char comm[NAME_MAX_LEN], holder[NAME_MAX_LEN], frames[TEXT_MAX];
	u32 cpu, pid, tid, hpid, htid;
	double delay, ran;

	if (sscanf(text, "delay %63s %u %u %u %lf %lf %63[^:]:%u:%u %lf %4095[^\n]", comm, &pid,
		   &tid, &cpu, &r->ago_ms, &delay, holder, &hpid, &htid, &ran, frames) != 11)
		return false;
	r->delay = (struct delay_sample){.head.type = SAMPLE_DELAY,
					 .task = ident(comm, pid, tid, 0),
					 .cpu = cpu,
					 .delay_ns = ms(delay),
					 .holder = ident(holder, hpid, htid, 0),
					 .holder_ran_ns = ms(ran)};
	r->tgid = hpid;
	keep_frames(r, frames);
	return true;
}

static bool parse_switch(struct sched_record *r, const char *text)
{
	char state[8], frames[TEXT_MAX];
	u32 tid, cpu;

	if (sscanf(text, "switch %u %u %lf %7s %4095[^\n]", &tid, &cpu, &r->ago_ms, state,
		   frames) != 5)
		return false;
	r->sw = (struct switch_sample){
		.head.type = SAMPLE_SWITCH, .tid = tid, .cpu = cpu, .syscall = WAIT_NO_SYSCALL};
	r->tgid = tid;
	keep_frames(r, frames);
	return state_named(state, &r->sw.state);
}

struct sched_record *sched_record__parse(const char *text)
{
	struct sched_record *r = xcalloc(1, sizeof(*r));

	if (parse_wait(r, text) || parse_task(r, text) || parse_busy(r, text) ||
	    parse_delay(r, text) || parse_switch(r, text))
		return r;
	free(r);
	return NULL;
}

/* --- stacks --- */

/* Kernel and user frames are two stacks, each named by its own hash. */
static void split_stack(struct fixture_stack *two, struct symbols *symbols, const char *frames,
			u32 tgid, u64 *kernel, u64 *user)
{
	struct fixture_stack *k = &two[0], *u = &two[1];
	u32 n;

	fixture_stack__fill(k, symbols, frames ? frames : "");
	k->def.tgid = tgid;
	*u = *k;
	n = k->def.nkernel;
	k->def.nuser = u->def.nkernel = 0;
	u->def.ips = u->ips + n;
	k->def.ips = k->ips;
	u->def.hash = mix64(u->def.hash) | 1;
	*kernel = k->def.nkernel ? k->def.hash : 0;
	*user = u->def.nuser ? u->def.hash : 0;
}

void sched_record__begin(struct sched_record *r, struct symbols *symbols)
{
	u64 k, u, wk, wu;

	split_stack(&r->stacks[0], symbols, r->frames, r->tgid, &k, &u);
	split_stack(&r->stacks[2], symbols, r->waker_frames, r->waker_tgid, &wk, &wu);
	switch (r->head.type) {
	case SAMPLE_WAIT:
		r->wait.kstack = k;
		r->wait.ustack = u;
		r->wait.waker.kstack = wk;
		r->wait.waker.ustack = wu;
		break;
	case SAMPLE_DELAY:
		r->delay.holder_kstack = k;
		r->delay.holder_ustack = u;
		break;
	case SAMPLE_SWITCH:
		r->sw.kstack = k;
		r->sw.ustack = u;
		break;
	default:
		break;
	}
}

void sched_record__put(struct sched_record *r, u64 now_ns, const struct sample_sink *sink)
{
	for (u32 i = 0; i < ARRAY_SIZE(r->stacks); i++)
		if (r->stacks[i].def.nkernel || r->stacks[i].def.nuser)
			sink__put(sink, &r->stacks[i].def.head);
	switch (r->head.type) {
	case SAMPLE_WAIT:
		r->wait.t_ns = now_ns;
		r->wait.hist = r->hists[0];
		break;
	case SAMPLE_TASK:
		r->task.t_ns = r->task.since_ns = now_ns;
		break;
	case SAMPLE_CPU:
		r->cpu.t_ns = now_ns;
		break;
	case SAMPLE_DELAY:
		r->delay.t_ns = now_ns - ms(r->ago_ms);
		break;
	default:
		r->sw.t_ns = now_ns - ms(r->ago_ms);
		break;
	}
	sink__put(sink, &r->head);
}
