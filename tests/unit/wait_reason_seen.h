/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stacks of threads that wait, leaf first, and what for: as /proc/PID/stack showed them for
 * small programs that wait for just that, on Linux 5.10, 6.1, 6.12, 6.18 and 7.2, with the
 * scheduler's frames put back where BPF sees them.
 */
#ifndef TESTS_UNIT_WAIT_REASON_SEEN_H
#define TESTS_UNIT_WAIT_REASON_SEEN_H

#include "models/wait_reason.h"

#define X64 " do_syscall_64 entry_SYSCALL_64_after_hwframe"
#define ARM                                                                                        \
	" invoke_syscall el0_svc_common.constprop.0 do_el0_svc el0_svc el0t_64_sync_handler "      \
	"el0t_64_sync"
#define KTHR " kthread ret_from_fork ret_from_fork_asm"

struct seen {
	const char *frames; /* after __schedule and schedule */
	char state;
	enum wait_reason reason;
	const char *name; /* what a row is called */
};

static const struct seen user_waits[] = {
	/* Linux 6.18, x86-64 */
	{"futex_lock_pi do_futex __x64_sys_futex" X64, 'S', WAIT_LOCK, "futex_lock_pi"},
	{"rt_mutex_schedule futex_lock_pi do_futex __x64_sys_futex" X64, 'S', WAIT_LOCK,
	 "futex_lock_pi"},
	{"locks_lock_inode_wait __do_sys_flock" X64, 'S', WAIT_LOCK, "locks_lock_inode_wait"},
	{"fcntl_setlk do_fcntl __x64_sys_fcntl" X64, 'S', WAIT_LOCK, "fcntl_setlk"},
	{"__do_semtimedop do_semtimedop" X64, 'S', WAIT_CONDITION, "__do_semtimedop"},
	{"schedule_timeout hrtimer_nanosleep common_nsleep_timens __x64_sys_clock_nanosleep" X64,
	 'S', WAIT_SLEEP, "hrtimer_nanosleep"},
	{"do_nanosleep hrtimer_nanosleep common_nsleep __x64_sys_clock_nanosleep" X64, 'S',
	 WAIT_SLEEP, "do_nanosleep"},
	{"do_wait_intr_irq timerfd_read_iter vfs_read ksys_read" X64, 'S', WAIT_SLEEP,
	 "timerfd_read_iter"},
	{"anon_pipe_read vfs_read ksys_read" X64, 'S', WAIT_PIPE, "anon_pipe_read"},
	{"anon_pipe_write vfs_write ksys_write" X64, 'S', WAIT_PIPE, "anon_pipe_write"},
	{"anon_pipe_read do_iter_readv_writev vfs_readv do_readv" X64, 'S', WAIT_PIPE,
	 "anon_pipe_read"},
	{"wait_for_partner fifo_open do_dentry_open vfs_open path_openat do_filp_open "
	 "do_sys_openat2 __x64_sys_openat" X64,
	 'S', WAIT_PIPE, "wait_for_partner"},
	{"pipe_wait_readable ipipe_prep.part.0 do_splice __do_splice __x64_sys_splice" X64, 'S',
	 WAIT_PIPE, "pipe_wait_readable"},
	{"pipe_wait_writable wait_for_space splice_file_to_pipe do_splice __do_splice "
	 "__x64_sys_splice" X64,
	 'S', WAIT_PIPE, "pipe_wait_writable"},
	{"do_msgrcv" X64, 'S', WAIT_PIPE, "do_msgrcv"},
	{"do_msgsnd" X64, 'S', WAIT_PIPE, "do_msgsnd"},
	{"schedule_hrtimeout_range wq_sleep do_mq_timedreceive __x64_sys_mq_timedreceive" X64, 'S',
	 WAIT_PIPE, "wq_sleep"},
	{"do_wait_intr_irq eventfd_write vfs_write ksys_write" X64, 'S', WAIT_PIPE,
	 "eventfd_write"},
	{"schedule_timeout wait_woken n_tty_write file_tty_write.isra.0 vfs_write ksys_write" X64,
	 'S', WAIT_PIPE, "n_tty_write"},
	{"schedule_hrtimeout_range do_epoll_wait __x64_sys_epoll_wait" X64, 'S', WAIT_POLL,
	 "do_epoll_wait"},
	{"poll_schedule_timeout.constprop.0 do_sys_poll __x64_sys_poll" X64, 'S', WAIT_POLL,
	 "do_sys_poll"},
	{"poll_schedule_timeout.constprop.0 do_select core_sys_select do_pselect.constprop.0 "
	 "__x64_sys_pselect6" X64,
	 'S', WAIT_POLL, "do_select"},
	{"do_wait_intr_irq eventfd_read vfs_read ksys_read" X64, 'S', WAIT_POLL, "eventfd_read"},
	{"wait_woken inotify_read vfs_read ksys_read" X64, 'S', WAIT_POLL, "inotify_read"},
	{"wait_woken fanotify_read vfs_read ksys_read" X64, 'S', WAIT_POLL, "fanotify_read"},
	{"devkmsg_read vfs_read ksys_read" X64, 'S', WAIT_POLL, "devkmsg_read"},
	{"read_events do_io_getevents __x64_sys_io_getevents" X64, 'S', WAIT_POLL, "read_events"},
	{"io_cqring_wait __do_sys_io_uring_enter" X64, 'S', WAIT_POLL, "io_cqring_wait"},
	{"schedule_timeout inet_csk_accept inet_accept do_accept __sys_accept4 "
	 "__x64_sys_accept" X64,
	 'S', WAIT_ACCEPT, "inet_csk_accept"},
	{"schedule_timeout __skb_wait_for_more_packets __skb_recv_datagram skb_recv_datagram "
	 "unix_accept do_accept __sys_accept4 __x64_sys_accept" X64,
	 'S', WAIT_ACCEPT, "unix_accept"},
	{"wait_woken __inet_stream_connect inet_stream_connect __sys_connect __x64_sys_connect" X64,
	 'S', WAIT_NETWORK, "__inet_stream_connect"},
	{"schedule_timeout wait_woken sk_wait_data tcp_recvmsg_locked tcp_recvmsg sock_recvmsg "
	 "sock_read_iter vfs_read ksys_read" X64,
	 'S', WAIT_NETWORK, "tcp_recvmsg_locked"},
	{"wait_woken sk_stream_wait_memory tcp_sendmsg_locked tcp_sendmsg __sys_sendto "
	 "__x64_sys_sendto" X64,
	 'S', WAIT_NETWORK, "sk_stream_wait_memory"},
	{"__skb_wait_for_more_packets __skb_recv_udp udp_recvmsg sock_recvmsg __sys_recvfrom "
	 "__x64_sys_recvfrom" X64,
	 'S', WAIT_NETWORK, "__skb_recv_udp"},
	{"__skb_wait_for_more_packets __unix_dgram_recvmsg sock_recvmsg __sys_recvfrom "
	 "__x64_sys_recvfrom" X64,
	 'S', WAIT_NETWORK, "__unix_dgram_recvmsg"},
	{"sock_alloc_send_pskb unix_stream_sendmsg sock_write_iter vfs_write ksys_write" X64, 'S',
	 WAIT_NETWORK, "sock_alloc_send_pskb"},
	{"unix_stream_read_generic unix_stream_recvmsg sock_recvmsg sock_read_iter vfs_read "
	 "ksys_read" X64,
	 'S', WAIT_NETWORK, "unix_stream_read_generic"},
	{"__skb_wait_for_more_packets __skb_recv_datagram skb_recv_datagram netlink_recvmsg "
	 "sock_recvmsg __sys_recvfrom __x64_sys_recvfrom" X64,
	 'S', WAIT_NETWORK, "netlink_recvmsg"},
	{"do_wait kernel_wait4" X64, 'S', WAIT_CHILD, "do_wait"},
	{"do_wait kernel_waitid __do_sys_waitid" X64, 'S', WAIT_CHILD, "do_wait"},
	{"schedule_timeout __wait_for_common wait_for_completion_state kernel_clone "
	 "__do_sys_vfork" X64,
	 'D', WAIT_CHILD, "kernel_clone"},
	{"schedule_timeout wait_woken n_tty_read tty_read vfs_read ksys_read" X64, 'S',
	 WAIT_TERMINAL, "n_tty_read"},
	{"__do_sys_pause" X64, 'S', WAIT_SIGNAL, "__do_sys_pause"},
	{"sigsuspend.isra.0 __x64_sys_rt_sigsuspend" X64, 'S', WAIT_SIGNAL, "sigsuspend.isra.0"},
	{"schedule_hrtimeout_range do_sigtimedwait.isra.0 __x64_sys_rt_sigtimedwait" X64, 'S',
	 WAIT_SIGNAL, "do_sigtimedwait.isra.0"},
	{"signalfd_read_iter vfs_read ksys_read" X64, 'S', WAIT_SIGNAL, "signalfd_read_iter"},
	{"io_schedule folio_wait_bit_common filemap_get_pages filemap_read vfs_read "
	 "__x64_sys_pread64" X64,
	 'D', WAIT_DISK, "filemap_get_pages"},
	{"io_schedule blk_io_schedule __iomap_dio_rw iomap_dio_rw ext4_file_read_iter vfs_read "
	 "__x64_sys_pread64" X64,
	 'D', WAIT_DISK, "__iomap_dio_rw"},
	{"io_schedule folio_wait_bit folio_wait_writeback __filemap_fdatawait_range "
	 "file_write_and_wait_range generic_buffers_fsync_noflush ext4_fsync_nojournal.constprop.0 "
	 "ext4_sync_file do_fsync __x64_sys_fsync" X64,
	 'D', WAIT_DISK, "folio_wait_writeback"},
	{"bit_wait_io __wait_on_bit __sync_dirty_buffer ext4_write_inode __writeback_single_inode "
	 "writeback_single_inode sync_inode_metadata generic_buffers_fsync_noflush "
	 "ext4_fsync_nojournal.constprop.0 ext4_sync_file do_fsync __x64_sys_fsync" X64,
	 'D', WAIT_DISK, "__sync_dirty_buffer"},
	{"schedule_timeout io_schedule_timeout __wait_for_common wait_for_completion_io "
	 "submit_bio_wait blkdev_issue_flush ext4_sync_file do_fsync __x64_sys_fsync" X64,
	 'D', WAIT_DISK, "submit_bio_wait"},
	{"io_schedule folio_wait_bit_common filemap_fault __do_fault do_fault __handle_mm_fault "
	 "handle_mm_fault exc_page_fault asm_exc_page_fault",
	 'D', WAIT_FAULT, "filemap_fault"},
	{"ptrace_stop get_signal arch_do_signal_or_restart exit_to_user_mode_loop" X64, 't',
	 WAIT_STOPPED, "ptrace_stop"},
	{"do_signal_stop get_signal arch_do_signal_or_restart exit_to_user_mode_loop" X64, 'T',
	 WAIT_STOPPED, "do_signal_stop"},
	/* where 5.10, 6.1, 6.12 and 7.2 differ from it */
	{"wait_on_page_bit_common generic_file_buffered_read new_sync_read vfs_read "
	 "__x64_sys_pread64" X64,
	 'D', WAIT_DISK, "generic_file_buffered_read"},
	{"wait_on_page_bit_common filemap_fault ext4_filemap_fault __do_fault handle_mm_fault "
	 "do_user_addr_fault exc_page_fault asm_exc_page_fault",
	 'D', WAIT_FAULT, "filemap_fault"},
	{"folio_wait_bit_common filemap_read_folio filemap_fault __do_fault do_fault "
	 "__handle_mm_fault handle_mm_fault do_user_addr_fault exc_page_fault asm_exc_page_fault",
	 'D', WAIT_FAULT, "filemap_read_folio"},
	{"rt_mutex_wait_proxy_lock futex_lock_pi do_futex __x64_sys_futex" X64, 'S', WAIT_LOCK,
	 "futex_lock_pi"},
	{"do_semtimedop" X64, 'S', WAIT_CONDITION, "do_semtimedop"},
	{"__skb_wait_for_more_packets unix_dgram_recvmsg __sys_recvfrom __x64_sys_recvfrom" X64,
	 'S', WAIT_NETWORK, "unix_dgram_recvmsg"},
	{"__do_sys_io_uring_enter" X64, 'S', WAIT_POLL, "__do_sys_io_uring_enter"},
	{"do_wait_intr_irq timerfd_read vfs_read ksys_read" X64, 'S', WAIT_SLEEP, "timerfd_read"},
	{"pipe_read vfs_read ksys_read __x64_sys_read" X64, 'S', WAIT_PIPE, "pipe_read"},
	/* as the sources of 5.10 to 6.12 have it, some on arm64 */
	{"pipe_wait_readable pipe_read new_sync_read vfs_read ksys_read __arm64_sys_read" ARM, 'S',
	 WAIT_PIPE, "pipe_wait_readable"},
	{"schedule_hrtimeout_range_clock schedule_hrtimeout_range ep_poll do_epoll_wait "
	 "do_epoll_pwait.part.0 __arm64_sys_epoll_pwait" ARM,
	 'S', WAIT_POLL, "ep_poll"},
	{"do_nanosleep hrtimer_nanosleep common_nsleep __arm64_sys_clock_nanosleep" ARM, 'S',
	 WAIT_SLEEP, "do_nanosleep"},
	{"io_schedule wait_on_page_bit_common __lock_page_killable filemap_fault "
	 "ext4_filemap_fault __do_fault handle_mm_fault do_page_fault do_translation_fault "
	 "do_mem_abort el0_da el0_sync_handler el0_sync",
	 'D', WAIT_FAULT, "filemap_fault"},
	{"io_schedule wait_on_page_bit_common wait_on_page_bit generic_file_buffered_read "
	 "generic_file_read_iter ext4_file_read_iter new_sync_read vfs_read ksys_pread64 "
	 "__x64_sys_pread64" X64,
	 'D', WAIT_DISK, "generic_file_buffered_read"},
	{"rwsem_down_read_slowpath down_read do_user_addr_fault exc_page_fault asm_exc_page_fault",
	 'D', WAIT_KERNEL_LOCK, "do_user_addr_fault"},
	{"schedule_preempt_disabled rwsem_down_write_slowpath down_write_killable __vm_munmap "
	 "__x64_sys_munmap" X64,
	 'D', WAIT_KERNEL_LOCK, "__vm_munmap"},
	{"schedule_preempt_disabled __mutex_lock.isra.0 __mutex_lock_slowpath mutex_lock "
	 "pipe_write vfs_write ksys_write" X64,
	 'D', WAIT_KERNEL_LOCK, "pipe_write"},
	{"jbd2_log_wait_commit jbd2_complete_transaction ext4_fc_commit ext4_sync_file "
	 "vfs_fsync_range do_fsync" X64,
	 'D', WAIT_DISK, "jbd2_log_wait_commit"},
	{"schedule_timeout io_schedule_timeout balance_dirty_pages balance_dirty_pages_ratelimited "
	 "generic_perform_write ext4_buffered_write_iter vfs_write" X64,
	 'D', WAIT_DISK, "balance_dirty_pages"},
	{"schedule_timeout reclaim_throttle shrink_node do_try_to_free_pages try_to_free_pages "
	 "__alloc_pages_slowpath.constprop.0 __alloc_pages alloc_pages_vma do_anonymous_page "
	 "__handle_mm_fault" X64,
	 'D', WAIT_FAULT, "reclaim_throttle"},
	{"io_schedule folio_wait_bit_common filemap_read nfs_file_read vfs_read ksys_read" X64, 'D',
	 WAIT_NETWORK, "filemap_read"},
	{"rpc_wait_bit_killable __wait_on_bit out_of_line_wait_on_bit __rpc_execute rpc_execute "
	 "rpc_run_task nfs4_call_sync nfs4_proc_getattr" X64,
	 'D', WAIT_NETWORK, "rpc_wait_bit_killable"},
	{"io_schedule bit_wait_io __wait_on_bit out_of_line_wait_on_bit nfs_wait_on_request "
	 "nfs_file_fsync" X64,
	 'D', WAIT_NETWORK, "nfs_wait_on_request"},
	{"request_wait_answer fuse_simple_request fuse_do_getattr vfs_statx" X64, 'S', WAIT_DISK,
	 "request_wait_answer"},
	{"fuse_dev_do_read.isra.0 fuse_dev_read new_sync_read vfs_read" X64, 'S', WAIT_POLL,
	 "fuse_dev_do_read.isra.0"},
	{"schedule_timeout wait_for_completion __wait_rcu_gp synchronize_rcu namespace_unlock "
	 "path_umount" X64,
	 'D', WAIT_KERNEL_LOCK, "synchronize_rcu"},
	{"schedule_timeout __wait_for_common some_new_driver_ioctl __x64_sys_ioctl" X64, 'D',
	 WAIT_KERNEL_LOCK, "some_new_driver_ioctl"},
	{"schedule_timeout wait_for_common call_usermodehelper_exec __request_module" X64, 'D',
	 WAIT_CHILD, "call_usermodehelper_exec"},
	{"do_exit do_group_exit get_signal arch_do_signal_or_restart" X64, 'D', WAIT_EXIT,
	 "do_exit"},
	{"kvm_vcpu_block kvm_vcpu_halt kvm_arch_vcpu_ioctl_run kvm_vcpu_ioctl __x64_sys_ioctl" X64,
	 'S', WAIT_POLL, "kvm_vcpu_block"},
	{"do_freezer_trap get_signal arch_do_signal_or_restart" X64, 'S', WAIT_STOPPED,
	 "do_freezer_trap"},
};

static const struct seen kthread_waits[] = {
	{"worker_thread" KTHR, 'I', WAIT_WORKER, "worker_thread"},
	{"worker_thread" KTHR, 'S', WAIT_WORKER, "worker_thread"},
	{"rescuer_thread" KTHR, 'I', WAIT_WORKER, "rescuer_thread"},
	{"smpboot_thread_fn" KTHR, 'S', WAIT_WORKER, "smpboot_thread_fn"},
	{"kthread_worker_fn" KTHR, 'S', WAIT_WORKER, "kthread_worker_fn"},
	{"kthreadd ret_from_fork ret_from_fork_asm", 'S', WAIT_WORKER, "kthreadd"},
	{"rcu_gp_fqs_loop rcu_gp_kthread" KTHR, 'I', WAIT_WORKER, "rcu_gp_fqs_loop"},
	{"rcu_tasks_one_gp rcu_tasks_kthread" KTHR, 'I', WAIT_WORKER, "rcu_tasks_one_gp"},
	{"irq_thread" KTHR, 'S', WAIT_WORKER, "irq_thread"},
	{"devtmpfs_work_loop devtmpfsd" KTHR, 'S', WAIT_WORKER, "devtmpfs_work_loop"},
	{"schedule_timeout kswapd" KTHR, 'S', WAIT_WORKER, "kswapd"},
	{"schedule_timeout khugepaged" KTHR, 'S', WAIT_WORKER, "khugepaged"},
	{"schedule_timeout kdamond_fn" KTHR, 'S', WAIT_WORKER, "kdamond_fn"},
	{"schedule_timeout io_sq_thread ret_from_fork ret_from_fork_asm", 'S', WAIT_WORKER,
	 "io_sq_thread"},
	{"kjournald2 kthread ret_from_fork", 'S', WAIT_WORKER, "kjournald2"},
	{"xfsaild kthread ret_from_fork", 'D', WAIT_WORKER, "xfsaild"},
	{"schedule_timeout svc_recv nfsd kthread ret_from_fork", 'S', WAIT_WORKER, "svc_recv"},
	{"wait_woken sk_wait_data tcp_recvmsg sock_recvmsg cifs_readv_from_socket "
	 "cifs_demultiplex_thread kthread ret_from_fork",
	 'S', WAIT_WORKER, "tcp_recvmsg"},
	{"schedule_timeout msleep a_driver_thread kthread ret_from_fork", 'S', WAIT_WORKER,
	 "msleep"},
	{"some_driver_loop some_driver_thread kthread ret_from_fork", 'S', WAIT_WORKER,
	 "some_driver_loop"},
	/* with work to do */
	{"some_driver_wait some_driver_thread kthread ret_from_fork", 'D', WAIT_UNKNOWN,
	 "some_driver_wait"},
	{"io_schedule blk_mq_get_tag __blk_mq_alloc_requests blk_mq_submit_bio "
	 "submit_bio_noacct_nocheck ext4_io_submit ext4_do_writepages do_writepages "
	 "__writeback_single_inode writeback_sb_inodes wb_writeback wb_workfn process_one_work "
	 "worker_thread kthread ret_from_fork",
	 'D', WAIT_DISK, "blk_mq_get_tag"},
	{"jbd2_journal_commit_transaction kjournald2 kthread ret_from_fork", 'D', WAIT_DISK,
	 "jbd2_journal_commit_transaction"},
	{"schedule_timeout msleep a_work_fn process_one_work worker_thread kthread ret_from_fork",
	 'D', WAIT_SLEEP, "msleep"},
	{"schedule_timeout a_work_fn process_one_work worker_thread kthread ret_from_fork", 'S',
	 WAIT_UNKNOWN, "a_work_fn"},
	{"schedule_preempt_disabled __mutex_lock.constprop.0 a_work_fn process_one_work "
	 "worker_thread kthread ret_from_fork",
	 'D', WAIT_KERNEL_LOCK, "a_work_fn"},
};

#endif
