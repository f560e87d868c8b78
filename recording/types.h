/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of samples in a recording. A new one is a function that names its fields and a row of
 * the table in recording/types.c.
 */
#ifndef RECORDING_TYPES_H
#define RECORDING_TYPES_H

#include "recording/codec.h"
#include "samples/bpf_progs.h"
#include "samples/cache.h"
#include "samples/cpu_cache.h"
#include "samples/ask.h"
#include "samples/measure.h"
#include "samples/procs.h"
#include "samples/system.h"
#include "samples/vitals.h"

/* Room for any sample that is read. */
union any_sample {
	struct sample head;
	struct stack_sample stack;
	struct vitals_sample vitals;
	struct wait_sample wait;
	struct task_sample task;
	struct cpu_sample cpu;
	struct delay_sample delay;
	struct switch_sample sw;
	struct io_sample io;
	struct io_proc_sample io_proc;
	struct io_slow_sample io_slow;
	struct io_device_sample io_device;
	struct cache_sample cache;
	struct cache_miss_sample miss;
	struct cache_totals_sample totals;
	struct dentry_sample dentry;
	struct dentry_state_sample dentries;
	struct cpu_cache_sample cpu_cache;
	struct cpu_cache_state_sample counters;
	struct measure_sample measure;
	struct measure_open_sample measure_open;
	struct measure_slow_sample measure_slow;
	struct ask_sample ask;
	struct measure_held_sample measure_held;
	struct measure_holder_sample measure_holder;
	struct measure_order_sample measure_order;
	struct bpf_prog_sample bpf_prog;
	struct bpf_map_sample bpf_map;
	struct bpf_state_sample bpf_state;
	struct procs_sample procs;
	struct figure_sample figure;
	struct usage_sample usage;
	struct notice_sample notice;
	struct ask_line_sample ask_line;
};

/* Whom a sample is about, as far as it says; what it does not say is 0. */
struct subject {
	bool known; /* it is about somebody: filters apply */
	bool has_tid, has_cpu, has_comm, has_kind;
	u32 tgid, tid, cpu;
	u64 cgroup;
	const char *comm;
	bool kthread;
	u32 state;	/* bit of SCOPE_STATES; 0 none */
	u64 longest_ns; /* of what it lasted; 0 not told */
};

struct sample_codec {
	u32 number; /* in files: RECORD_SAMPLES + number */
	enum sample_type type;
	void (*code)(struct codec *c, union any_sample *s);
	/* Optional: whom filters look at. */
	void (*subject)(const union any_sample *s, struct subject *out);
};

/* NULL: it is not recorded. */
const struct sample_codec *sample_codec__of(enum sample_type type);
/* NULL: not known to this version. */
const struct sample_codec *sample_codec__numbered(u32 number);

/* Appends the record of a sample; false: its type is not recorded. */
bool sample__write(struct codec *c, const struct sample *s);
/* False: the record does not fit. */
bool sample__read(struct codec *c, const struct sample_codec *type, struct cursor record,
		  union any_sample *out);

/* recording/types_*.c */
void code_wait(struct codec *c, union any_sample *s);
void code_task(struct codec *c, union any_sample *s);
void code_cpu(struct codec *c, union any_sample *s);
void code_delay(struct codec *c, union any_sample *s);
void code_switch(struct codec *c, union any_sample *s);
void wait_subject(const union any_sample *s, struct subject *out);
void task_subject(const union any_sample *s, struct subject *out);
void delay_subject(const union any_sample *s, struct subject *out);
void code_io(struct codec *c, union any_sample *s);
void code_io_proc(struct codec *c, union any_sample *s);
void code_io_slow(struct codec *c, union any_sample *s);
void code_io_device(struct codec *c, union any_sample *s);
void io_proc_subject(const union any_sample *s, struct subject *out);
void io_slow_subject(const union any_sample *s, struct subject *out);
void code_cache(struct codec *c, union any_sample *s);
void code_miss(struct codec *c, union any_sample *s);
void code_totals(struct codec *c, union any_sample *s);
void code_dentry(struct codec *c, union any_sample *s);
void code_dentries(struct codec *c, union any_sample *s);
void code_cpu_cache(struct codec *c, union any_sample *s);
void code_counters(struct codec *c, union any_sample *s);
void cache_subject(const union any_sample *s, struct subject *out);
void miss_subject(const union any_sample *s, struct subject *out);
void dentry_subject(const union any_sample *s, struct subject *out);
void cpu_cache_subject(const union any_sample *s, struct subject *out);
void code_measure(struct codec *c, union any_sample *s);
void code_measure_open(struct codec *c, union any_sample *s);
void code_measure_slow(struct codec *c, union any_sample *s);
void code_ask(struct codec *c, union any_sample *s);
void code_ask_line(struct codec *c, union any_sample *s);
void code_measure_held(struct codec *c, union any_sample *s);
void code_measure_holder(struct codec *c, union any_sample *s);
void code_measure_order(struct codec *c, union any_sample *s);
void measure_subject(const union any_sample *s, struct subject *out);
void measure_open_subject(const union any_sample *s, struct subject *out);
void measure_slow_subject(const union any_sample *s, struct subject *out);
void ask_line_subject(const union any_sample *s, struct subject *out);
void measure_order_subject(const union any_sample *s, struct subject *out);
void measure_held_subject(const union any_sample *s, struct subject *out);
void code_bpf_prog(struct codec *c, union any_sample *s);
void code_bpf_map(struct codec *c, union any_sample *s);
void code_bpf_state(struct codec *c, union any_sample *s);
void code_procs(struct codec *c, union any_sample *s);
void procs_subject(const union any_sample *s, struct subject *out);
void code_figure(struct codec *c, union any_sample *s);
void code_usage(struct codec *c, union any_sample *s);
void code_notice(struct codec *c, union any_sample *s);
void usage_subject(const union any_sample *s, struct subject *out);

#endif
