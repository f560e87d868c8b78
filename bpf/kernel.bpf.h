/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel fields that proftop's programs read. Only names and types matter: CO-RE
 * finds the offsets in the running kernel's BTF, so nothing here depends on the kernel of
 * the machine that builds. Add a field when a program needs it, and nothing else.
 */
#ifndef BPF_KERNEL_BPF_H
#define BPF_KERNEL_BPF_H

#include <linux/bpf.h>
#include <linux/bpf_perf_event.h>
#include <linux/types.h>
#include <stdbool.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define KERNEL_TYPE __attribute__((preserve_access_index))

typedef struct {
	int counter;
} KERNEL_TYPE atomic_t;

struct kernfs_node {
	u64 id;
} KERNEL_TYPE;

/* The first member of struct cgroup, so a css of the default hierarchy is its cgroup. */
struct cgroup_subsys_state {
	struct cgroup_subsys_state *parent;
} KERNEL_TYPE;

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
} KERNEL_TYPE;

struct css_set {
	struct cgroup *dfl_cgrp;
} KERNEL_TYPE;

struct signal_struct {
	atomic_t live; /* threads that have not begun to exit */
} KERNEL_TYPE;

struct task_struct {
	int pid;  /* what user space calls the thread id */
	int tgid; /* and the process id */
	u64 start_time;
	u64 self_exec_id; /* counts its execve calls; 32 bits wide before 5.7 */
	struct task_struct *group_leader;
	struct signal_struct *signal;
	struct css_set *cgroups;
} KERNEL_TYPE;

#endif
