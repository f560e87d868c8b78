// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_import.h"

#include <elf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/log.h"
#include "recording/import_out.h"
#include "recording/perf_accesses.h"
#include "recording/perf_branches.h"
#include "recording/perf_order.h"
#include "recording/perf_stacks.h"
#include "recording/perf_stream.h"
#include "recording/perf_comms.h"

#define NO_EVENT   UINT32_MAX
#define LOOK_EVERY 4096 /* records between two looks for who wants it to end */

struct perf_import {
	const char *path, *asked; /* asked: an event, "" the first */
	struct symbols *symbols;
	struct status *st;
	struct perf_meta meta;
	struct perf_stream *stream;
	struct perf_order order;
	struct perf_comms tasks;
	struct perf_kernel kernel;
	struct perf_stacks stacks;
	struct import_out *out; /* NULL before the first sample */
	u32 event;		/* whose samples are taken; NO_EVENT not known yet */
	u32 first_other;	/* of those whose samples are not taken, the first; NO_EVENT none */
	u64 *counted;		/* by meta.ids: value that a group had at its last sample */
	u32 ncounted;
	u64 others, guests, damaged;
	bool full;
};

/* --- what it is --- */

/* Processes' records may be those of an event that counts nothing. */
static bool has_samples(const struct perf_event *e)
{
	return e->attr.type != PERF_TYPE_SOFTWARE || (e->attr.config != PERF_COUNT_SW_DUMMY &&
						      e->attr.config != PERF_COUNT_SW_BPF_OUTPUT);
}

static bool is_called(const struct perf_event *e, const char *asked)
{
	char name[64];
	size_t n = strlen(asked);

	perf_event__name(e, name, sizeof(name));
	return !strncmp(name, asked, n) && (!name[n] || name[n] == ':' || !n);
}

static u32 choose_event(const struct perf_meta *m, const char *asked)
{
	for (u32 i = 0; i < m->nevents; i++)
		if (has_samples(&m->events[i]) && is_called(&m->events[i], asked))
			return i;
	return *asked ? NO_EVENT : 0;
}

/* Names of all events with samples but one. */
static void list_events(const struct perf_meta *m, u32 but, char *buf, size_t size)
{
	char name[64];
	size_t n = 0;

	*buf = 0;
	for (u32 i = 0; i < m->nevents && n < size; i++)
		if (i != but && has_samples(&m->events[i]))
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "",
					      perf_event__name(&m->events[i], name, sizeof(name)));
}

static u16 machine_of(const char *arch)
{
	static const struct {
		const char *arch;
		u16 machine;
	} known[] = {{"x86_64", EM_X86_64}, {"aarch64", EM_AARCH64}, {"arm64", EM_AARCH64}};

	for (u32 i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(arch, known[i].arch))
			return known[i].machine;
#if defined(__x86_64__)
	return *arch ? EM_NONE : EM_X86_64;
#elif defined(__aarch64__)
	return *arch ? EM_NONE : EM_AARCH64;
#else
	return EM_NONE;
#endif
}

/* As uname has it there. */
static bool is_32_bit(const char *arch)
{
	static const char *const names[] = {"i386", "i486", "i586", "i686", "arm",
					    "ppc",  "mips", "sh4",  "s390", "parisc"};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(arch, names[i]))
			return true;
	return !strncmp(arch, "armv", 4) || !strcmp(arch, "riscv32") || !strcmp(arch, "sparc");
}

static void describe_rate(const struct perf_event *e, char *buf, size_t size)
{
	char name[64];

	perf_event__name(e, name, sizeof(name));
	snprintf(buf, size, e->attr.freq ? "%s %llu Hz" : "%s every %llu", name,
		 (unsigned long long)e->attr.sample_freq);
}

static struct health describe_health(const struct perf_import *p, const struct perf_event *e)
{
	struct health h = {.precise = e->attr.precise_ip, .tier = "perf record"};
	char others[100];

	list_events(&p->meta, p->event, others, sizeof(others));
	*(e->attr.freq ? &h.freq : &h.period) = e->attr.sample_freq;
	perf_event__name(e, h.event, sizeof(h.event));
	if (*others)
		snprintf(h.note, sizeof(h.note), "it has %s too: -e EVENT", others);
	else if (p->meta.version[0])
		snprintf(h.note, sizeof(h.note), "of perf %s", p->meta.version);
	if (!(e->format.sample_type & PERF_SAMPLE_TIME))
		snprintf(h.note, sizeof(h.note),
			 "it has no times: all samples are in one interval");
	return h;
}

/* What samples say beside who and where. */
static void ask_of(struct perf_import *p, const struct perf_event *e, const char *event)
{
	struct ask_form form;

	if (perf_accesses__are(&e->format))
		perf_accesses__form(&form, event);
	else if (perf_branches__are(&e->format))
		perf_branches__form(&form, event);
	else
		return;
	import_out__ask(p->out, &form);
}

static void begin_out(struct perf_import *p)
{
	const struct perf_event *e = &p->meta.events[p->event];
	struct health h = describe_health(p, e);
	char rate[128];
	const struct recording_note notes[] = {
		{NOTE_VERSION, p->meta.version},
		{NOTE_HOST, p->meta.host},
		{NOTE_KERNEL, p->meta.kernel},
		{NOTE_COMMAND, p->meta.command},
		{NOTE_RATE, rate},
		{NULL, NULL},
	};

	describe_rate(e, rate, sizeof(rate));
	p->stacks.machine = machine_of(p->meta.arch);
	if (perf_kernel__is_here(&p->kernel))
		perf_spaces__same_kernel(p->stacks.spaces);
	p->out = import_out__new(p->symbols, notes, &h, p->st);
	p->full = !p->out;
	if (p->out)
		ask_of(p, e, h.event);
}

/* --- records, in the order of their times --- */

/* The value of the chosen event in a sample of its group: which counter's, or UINT32_MAX. */
static u32 group_value(const struct perf_import *p, const struct perf_record *r, u64 *value)
{
	for (u32 i = 0; i < r->nreads; i++) {
		const u8 *at = r->reads + (size_t)i * r->read_size;
		u32 counter = perf_meta__counter(&p->meta, get_u64(at + 8));

		if (counter != UINT32_MAX && p->meta.ids[counter].event == p->event) {
			*value = get_u64(at);
			return counter;
		}
	}
	return UINT32_MAX;
}

/* How often it happened since the last sample of the group; ids may come while records do. */
static u64 counted_since(struct perf_import *p, const struct perf_record *r)
{
	u64 value = 0, before;
	u32 counter = group_value(p, r, &value);

	if (counter == UINT32_MAX)
		return 0;
	if (counter >= p->ncounted) {
		p->counted = xrealloc(p->counted, p->meta.nids * sizeof(*p->counted));
		memset(p->counted + p->ncounted, 0,
		       (p->meta.nids - p->ncounted) * sizeof(*p->counted));
		p->ncounted = p->meta.nids;
	}
	before = p->counted[counter];
	p->counted[counter] = value;
	return value > before ? value - before : 0;
}

/* The stack that was read last has its definition. */
static u64 define_stack(struct perf_import *p)
{
	u64 stack = p->stacks.def.hash;

	if (!import_out__knows(p->out, stack)) {
		perf_stacks__locate(&p->stacks);
		import_out__define(p->out, &p->stacks.def);
	}
	return stack;
}

static void put_value(struct perf_import *p, struct measure_sample *m, u64 stack, const struct stack_sample *s)
{
	m->stack = stack;
	m->who = (struct measure_who){.cgroup = s->cgroup, .tgid = s->tgid, .tid = s->tid};
	copy_str(m->who.comm, sizeof(m->who.comm), s->comm);
	copy_str(m->who.process, sizeof(m->who.process), s->process);
	import_out__measure(p->out, m);
}

static void take_values(struct perf_import *p, const struct perf_record *r, const struct perf_format *f,
			const struct stack_sample *s)
{
	struct perf_value v;

	if (perf_accesses__are(f)) {
		perf_accesses__read(&v, r);
		put_value(p, &v.sample, s->stack, s);
		return;
	}
	for (u32 i = 0; perf_branches__are(f) && i < r->nbranches; i++) {
		struct perf_branch_entry b = perf_branches__at(r, i);

		perf_branches__read(&v, &b);
		perf_stacks__branch(&p->stacks, r, b.from, b.to);
		put_value(p, &v.sample, define_stack(p), s);
	}
}

static void take_sample(struct perf_import *p, const struct perf_record *r,
			const struct perf_event *e)
{
	bool member = e != &p->meta.events[p->event];
	u64 since = member ? counted_since(p, r) : 0;
	struct stack_sample s = {
		.head.type = SAMPLE_STACK,
		.cgroup = r->cgroup,
		.tgid = r->pid == UINT32_MAX ? 0 : r->pid,
		.tid = r->tid == UINT32_MAX ? 0 : r->tid,
		.cpu = r->cpu == UINT32_MAX ? 0 : r->cpu,
		.count = 1,
		.weight = e->format.sample_type & PERF_SAMPLE_PERIOD ? r->period
								     : e->attr.sample_period,
		/* 0 is no time to begin at. */
		.t_ns = MIN(MAX(r->t_ns, 1), UINT64_MAX / 4),
	};

	if (member && !since)
		return;
	if (member)
		s.weight = since;
	perf_comms__comm(&p->tasks, r->pid, r->tid, s.comm);
	perf_comms__comm(&p->tasks, r->pid, r->pid, s.process);
	perf_stacks__read(&p->stacks, r, &e->format);
	s.stack = define_stack(p);
	p->full = !import_out__put(p->out, &s);
	if (!p->full && !member)
		take_values(p, r, &e->format, &s);
}

static bool of_kernel(const struct perf_record *r, u16 misc)
{
	return r->pid == UINT32_MAX ||
	       (misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
}

static void take_mmap(struct perf_import *p, const struct perf_record *r, u16 misc)
{
	if (!of_kernel(r, misc)) {
		perf_spaces__mmap(p->stacks.spaces, r);
		return;
	}
	if (r->build_id)
		perf_meta__build_id(&p->meta, r->text, r->build_id, r->nbuild_id);
	perf_kernel__mmap(&p->kernel, r);
}

static void take_comm(struct perf_import *p, const struct perf_record *r)
{
	perf_comms__name(&p->tasks, r->tid, r->text);
	if (r->exec)
		perf_spaces__exec(p->stacks.spaces, r->pid);
	if (r->pid == r->tid)
		perf_spaces__name(p->stacks.spaces, r->pid, r->text);
}

/* Of what ran already perf makes a record that says so: its maps are not its parent's. */
static void take_fork(struct perf_import *p, const struct perf_record *r, u16 misc)
{
	perf_comms__fork(&p->tasks, r->tid, r->ptid);
	if (!(misc & PERF_RECORD_MISC_FORK_EXEC))
		perf_spaces__fork(p->stacks.spaces, r->pid, r->ppid);
}

static void take(void *ctx, const struct perf_event_header *h)
{
	struct perf_import *p = ctx;
	const struct perf_event *e = perf_meta__event_of(&p->meta, h);
	struct perf_record r;

	if (p->full || !e || perf_record__decode_as(&r, h, h->size, &e->format))
		return;
	switch (r.type) {
	case PERF_RECORD_SAMPLE:
		take_sample(p, &r, e);
		break;
	case PERF_RECORD_MMAP:
	case PERF_RECORD_MMAP2:
		take_mmap(p, &r, h->misc);
		break;
	case PERF_RECORD_COMM:
		take_comm(p, &r);
		break;
	case PERF_RECORD_FORK:
		take_fork(p, &r, h->misc);
		break;
	case PERF_RECORD_EXIT:
		if (r.pid == r.tid)
			perf_spaces__exit(p->stacks.spaces, r.pid);
		break;
	case PERF_RECORD_KSYMBOL:
		perf_ksymbols__take(&p->kernel.ksymbols, &r);
		break;
	case PERF_RECORD_CGROUP:
		cgroup__learn(r.cgroup, r.text);
		break;
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		if (p->out)
			import_out__lost(p->out, r.lost, r.type == PERF_RECORD_LOST_SAMPLES);
		break;
	}
}

/* --- records, as they come --- */

/* A sample of the group that the chosen event is only counted in (:S). */
static bool is_of_group(const struct perf_import *p, const struct perf_event_header *h,
			const struct perf_event *e)
{
	struct perf_record r;
	u64 value;

	return e->format.sample_type & PERF_SAMPLE_READ &&
	       !perf_record__decode_as(&r, h, h->size, &e->format) &&
	       group_value(p, &r, &value) != UINT32_MAX;
}

static bool wanted(struct perf_import *p, const struct perf_event_header *h,
		   const struct perf_event *e)
{
	/* Maps of virtual machines. */
	if (h->type != PERF_RECORD_SAMPLE)
		return !perf_record__of_guest(h->misc);
	if (p->event == NO_EVENT)
		p->event = choose_event(&p->meta, p->asked);
	if (p->event == NO_EVENT || (e != &p->meta.events[p->event] && !is_of_group(p, h, e))) {
		p->first_other = MIN(p->first_other, (u32)(e - p->meta.events));
		p->others++;
		return false;
	}
	if (perf_record__of_guest(h->misc)) {
		p->guests++;
		return false;
	}
	return true;
}

static void put(struct perf_import *p, const struct perf_event_header *h)
{
	const struct perf_event *e = perf_meta__event_of(&p->meta, h);
	struct perf_record r;
	int err;

	if (!e || !wanted(p, h, e))
		return;
	err = perf_record__decode_as(&r, h, h->size, &e->format);
	if (err == -EINVAL)
		p->damaged++;
	if (err)
		return;
	if (r.type == PERF_RECORD_SAMPLE && !p->out)
		begin_out(p);
	if (p->full)
		return;
	if (r.t_ns)
		perf_order__put(&p->order, h, r.t_ns);
	else
		take(p, h);
}

static int read_all(struct perf_import *p, struct status *st)
{
	const struct perf_event_header *h;
	u32 n = 0;

	while (!p->full && (h = perf_stream__next(p->stream))) {
		if (is_32_bit(p->meta.arch))
			return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOTSUP,
					   "%.200s is of a 32-bit machine (%s): make folded stacks "
					   "of it there",
					   p->path, p->meta.arch);
		if (h->type == PERF_USER_FINISHED_ROUND)
			perf_order__round(&p->order);
		else if (h->type < PERF_USER_ATTR)
			put(p, h);
		if (++n % LOOK_EVERY == 0 && !perf_stream__go_on(p->stream))
			return status__set(st, EXIT_CODE_FAILURE, -EINTR,
					   "%.200s was not read to its end: interrupted", p->path);
	}
	perf_order__end(&p->order);
	return 0;
}

/* --- the whole of it --- */

static void report(const struct perf_import *p)
{
	const char *trouble = perf_stream__trouble(p->stream);
	char example[200], event[64];
	u32 missing = perf_spaces__missing(p->stacks.spaces, example, sizeof(example));

	if (*trouble)
		log__add(LOG_WARN, "%.200s: %s", p->path, trouble);
	if (p->damaged)
		log__add(LOG_WARN, "%.200s: %llu records are damaged and left out", p->path,
			 (unsigned long long)p->damaged);
	if (p->others)
		log__add(LOG_WARN, "%.200s: %llu samples of other events than %s are left out",
			 p->path, (unsigned long long)p->others,
			 perf_event__name(&p->meta.events[p->event], event, sizeof(event)));
	if (p->guests)
		log__add(LOG_WARN, "%.200s: %llu samples of virtual machines are left out", p->path,
			 (unsigned long long)p->guests);
	if (p->kernel.nelsewhere)
		log__add(LOG_WARN,
			 "%.200s: the kernel's functions are offsets: it is not the one that "
			 "runs here, was loaded elsewhere, or hides its addresses",
			 p->path);
	if (missing)
		log__add(LOG_WARN,
			 "%.200s: functions of files that are not here as they were have "
			 "no names: %.200s%s",
			 p->path, example, missing > 1 ? " and others" : "");
}

static int complain(const struct perf_import *p)
{
	const char *trouble = perf_stream__trouble(p->stream);
	char there[200];

	if (p->others && *p->asked) {
		list_events(&p->meta, NO_EVENT, there, sizeof(there));
		return status__set(p->st, EXIT_CODE_USAGE, -ENODATA,
				   "%.200s has no samples of %.100s: -e takes %s", p->path,
				   p->asked, there);
	}
	return status__set(p->st, EXIT_CODE_FAILURE, -ENODATA, "%.200s has no samples%s%s", p->path,
			   *trouble ? ": " : "", trouble);
}

/* What was made; -1 with st. */
static int run(struct perf_import *p)
{
	int err = read_all(p, p->st), fd;

	if (!err && !p->out && !p->full)
		err = complain(p);
	fd = import_out__finish(p->out, p->st);
	if (!err && fd >= 0)
		report(p);
	if (!err)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* *first: the event to take where none is asked for, NO_EVENT the first; where the file has no
 * samples of it, it becomes the first that has some. */
static int import_event(int fd, struct symbols *symbols, const char *path, const char *event,
			u32 *first, struct status *st)
{
	struct perf_import *p = xcalloc(1, sizeof(*p));

	p->path = path;
	p->asked = event;
	p->symbols = symbols;
	p->st = st;
	p->event = *first;
	p->first_other = NO_EVENT;
	p->order.fn = take;
	p->order.ctx = p;
	perf_meta__init(&p->meta);
	perf_kernel__init(&p->kernel, symbols, &p->meta);
	p->stacks.kernel = &p->kernel;
	p->stacks.spaces = perf_spaces__new(symbols, &p->meta);
	p->stream = perf_stream__open(fd, path, &p->meta, st);
	fd = p->stream ? run(p) : -1;
	*first = !p->out && !*event ? p->first_other : NO_EVENT;
	free(p->counted);
	perf_spaces__free(p->stacks.spaces);
	perf_kernel__fini(&p->kernel);
	perf_comms__fini(&p->tasks);
	perf_order__fini(&p->order);
	perf_stream__free(p->stream);
	perf_meta__fini(&p->meta);
	free(p);
	return fd;
}

int perf_import(int fd, struct symbols *symbols, const char *path, const char *event,
		struct status *st)
{
	u32 first = NO_EVENT;
	int made = import_event(fd, symbols, path, event, &first, st);

	if (made >= 0 || first == NO_EVENT)
		return made;
	*st = (struct status){0};
	return import_event(fd, symbols, path, event, &first, st);
}
