/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of what arguments of system calls may be: flags, commands, kinds. Constant tables, values
 * from headers. They are in two files, as the kernel's headers and the C library's cannot all be
 * included together.
 */
#ifndef MEASURES_SYSCALL_VALUES_H
#define MEASURES_SYSCALL_VALUES_H

#include "base/base.h"

struct value_name {
	u32 value;
	const char *name;
};

/* A value is one of a list, or bits that have names, or both: then `mask` has the list's bits, and
 * when it is 0 the list names what is there without any bit. A name of several bits stands before
 * those of one of them. */
struct value_names {
	const struct value_name *list;
	u32 nlist, mask;
	const struct value_name *bits;
	u32 nbits;
};

/* In syscall_values_kernel.c. */
extern const struct value_names
	values_open_flags, values_file_flags, values_epoll_flags, values_fcntl_commands,
	values_fd_flags, values_lease_types, values_seals, values_stat_flags, values_access_flags,
	values_unlink_flags, values_link_flags, values_name_flags, values_statx_mask,
	values_rename_flags, values_fallocate_flags, values_prot, values_map_flags,
	values_mremap_flags, values_msync_flags, values_mlock_flags, values_mlockall_flags,
	values_advices, values_rw_flags, values_epoll_commands, values_inotify_flags,
	values_inotify_mask, values_signalfd_flags, values_timerfd_flags, values_timerfd_set_flags,
	values_memfd_flags, values_random_flags, values_clone_flags, values_prctl_commands,
	values_rseq_flags, values_futex_commands, values_uring_enter_flags, values_uring_commands,
	values_bpf_commands, values_perf_open_flags, values_sched_policies, values_ioctl_commands,
	values_membarrier_commands, values_seccomp_commands, values_mempolicies,
	values_close_range_flags, values_socketcalls, values_xattr_flags, values_mount_flags,
	values_open_tree_flags, values_move_mount_flags, values_fsopen_flags, values_fsmount_flags,
	values_fspick_flags, values_mount_attributes, values_userfaultfd_flags,
	values_arch_prctl_commands;
/* In syscall_values_libc.c. */
extern const struct value_names
	values_socket_families, values_socket_types, values_socket_flags, values_inet_protocols,
	values_netlink_protocols, values_message_flags, values_socket_levels,
	values_socket_options, values_tcp_options, values_ip_options, values_ipv6_options,
	values_shutdown_ways, values_access_modes, values_whences, values_file_types,
	values_fadvices, values_flock_operations, values_sync_range_flags, values_splice_flags,
	values_eventfd_flags, values_clocks, values_timer_flags, values_timers, values_wait_flags,
	values_wait_kinds, values_limits, values_priority_kinds, values_usage_kinds,
	values_signal_ways, values_umount_flags, values_ptrace_commands;

/* For the two files. */
#define NAMED(value)	{(u32)(value), #value}
#define ONE_OF(rows)	{.list = rows, .nlist = ARRAY_SIZE(rows), .mask = UINT32_MAX}
#define BITS_OF(rows)	{.bits = rows, .nbits = ARRAY_SIZE(rows)}
#define ONE_AND_BITS(of, rows, flags)                                                              \
	{.list = rows, .nlist = ARRAY_SIZE(rows), .mask = of,                                      \
	 .bits = flags, .nbits = ARRAY_SIZE(flags)}

#endif
