// SPDX-License-Identifier: GPL-2.0-only
/*
 * Who holds BPF programs, and how full maps are: two iterators, each run once an interval.
 *
 * Files are distinguished by their operations. Where those are is no symbol on every kernel; so
 * user space opens one of each kind, and a first visit takes them from its own descriptors.
 */
#include "bpf/kernel.bpf.h"
#include "bpf/progs.h"

char LICENSE[] SEC("license") = "GPL";

struct bpf_prog_aux {
	u32 id;
} KERNEL_TYPE;

struct bpf_prog {
	struct bpf_prog_aux *aux;
} KERNEL_TYPE;

struct bpf_link {
	struct bpf_prog *prog;
} KERNEL_TYPE;

struct file {
	const void *f_op;
	void *private_data;
} KERNEL_TYPE;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
} KERNEL_TYPE;

struct perf_event_attr {
	u32 type;
	u64 config;
} KERNEL_TYPE;

struct tracepoint {
	const char *name;
} KERNEL_TYPE;

struct trace_event_call {
	union {
		const char *name;
		struct tracepoint *tp;
	};
	int flags;
} KERNEL_TYPE;

struct perf_event {
	struct perf_event_attr attr;
	struct trace_event_call *tp_event;
	struct bpf_prog *prog;
} KERNEL_TYPE;

/* What user space has of each kind; -1: none. */
const volatile u32 self = 0;
const volatile int own_fds[BPF_FILE_KINDS] = {};
/* TRACE_EVENT_FL_TRACEPOINT, of an enum without a name, which CO-RE cannot look up; it has moved. */
const volatile u32 tracepoint_flag = 1 << 4;
const volatile bool counts_hashes = true; /* false: the verifier does not take it */

u64 ops_of[BPF_FILE_KINDS];
bool learning;

static __always_inline void learn(u32 fd, u64 ops)
{
	for (u32 i = 0; i < BPF_FILE_KINDS; i++)
		if (own_fds[i] >= 0 && (u32)own_fds[i] == fd)
			ops_of[i] = ops;
}

static __always_inline u32 prog_id(struct bpf_prog *prog)
{
	return prog ? BPF_CORE_READ(prog, aux, id) : 0;
}

static __always_inline void event_name(struct perf_event *event, char *name)
{
	struct trace_event_call *call = BPF_CORE_READ(event, tp_event);
	const char *at;

	if (!call)
		return;
	at = BPF_CORE_READ(call, flags) & tracepoint_flag
		     ? BPF_CORE_READ(call, tp, name)
		     : BPF_CORE_READ(call, name);
	bpf_probe_read_kernel_str(name, BPF_EVENT_NAME, at);
}

static __always_inline void read_event(struct perf_event *event, struct bpf_file *out)
{
	out->prog = prog_id(BPF_CORE_READ(event, prog));
	if (!out->prog)
		return;
	out->event_type = BPF_CORE_READ(event, attr.type);
	out->event_config = BPF_CORE_READ(event, attr.config);
	event_name(event, out->event);
}

static __always_inline bool read_file(struct file *file, u64 ops, struct bpf_file *out)
{
	void *of = BPF_CORE_READ(file, private_data);

	if (ops == ops_of[BPF_FILE_PROG]) {
		out->kind = BPF_FILE_PROG;
		out->prog = prog_id(of);
	} else if (ops == ops_of[BPF_FILE_LINK]) {
		out->kind = BPF_FILE_LINK;
		out->prog = prog_id(BPF_CORE_READ((struct bpf_link *)of, prog));
	} else if (ops == ops_of[BPF_FILE_PERF]) {
		out->kind = BPF_FILE_PERF;
		read_event(of, out);
	} else if (ops == ops_of[BPF_FILE_STATS]) {
		out->kind = BPF_FILE_STATS;
		return true;
	}
	return out->prog;
}

SEC("iter/task_file")
int bpf_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct bpf_file out = {};
	u64 ops;

	if (!task || !file)
		return 0;
	ops = as_number(file->f_op);
	if (learning) {
		if ((u32)task->tgid == self)
			learn(ctx->fd, ops);
		return 0;
	}
	if (!ops || !read_file(file, ops, &out))
		return 0;
	out.tgid = task->tgid;
	out.cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	BPF_CORE_READ_STR_INTO(&out.comm, task, group_leader, comm);
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}

/* --- maps --- */

struct bpf_map {
	u32 id;
	enum bpf_map_type map_type;
} KERNEL_TYPE;

struct bpf_ringbuf {
	unsigned long consumer_pos, producer_pos;
} KERNEL_TYPE;

struct bpf_ringbuf_map {
	struct bpf_ringbuf *rb;
} KERNEL_TYPE;

struct bpf_iter__bpf_map {
	struct bpf_iter_meta *meta;
	struct bpf_map *map;
} KERNEL_TYPE;

/* 6.6 on. */
extern s64 bpf_map_sum_elem_count(const struct bpf_map *map) __ksym __weak;

static __always_inline u64 unread(struct bpf_map *map)
{
	struct bpf_ringbuf *rb = BPF_CORE_READ((struct bpf_ringbuf_map *)map, rb);

	return BPF_CORE_READ(rb, producer_pos) - BPF_CORE_READ(rb, consumer_pos);
}

SEC("iter/bpf_map")
int bpf_fills(struct bpf_iter__bpf_map *ctx)
{
	struct bpf_map *map = ctx->map;
	struct bpf_fill out = {};

	if (!map)
		return 0;
	out.id = map->id;
	switch (map->map_type) {
	case BPF_MAP_TYPE_RINGBUF:
		out.used = unread(map);
		break;
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		if (!counts_hashes || !bpf_map_sum_elem_count)
			return 0;
		out.used = bpf_map_sum_elem_count(map);
		break;
	default:
		return 0;
	}
	bpf_seq_write(ctx->meta->seq, &out, sizeof(out));
	return 0;
}
