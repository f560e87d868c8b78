// SPDX-License-Identifier: GPL-2.0-only
/* Values that the kernel's headers name. With #ifdef stand those of some machines alone, and those
 * that headers of Linux 6.1 lack. */
#include "measures/syscall_values.h"

#include <asm/ioctls.h>
#include <linux/bpf.h>
#include <linux/close_range.h>
#include <linux/eventpoll.h>
#include <linux/falloc.h>
#include <linux/fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/if_tun.h>
#include <linux/inotify.h>
#include <linux/io_uring.h>
#include <linux/kvm.h>
#include <linux/loop.h>
#include <linux/membarrier.h>
#include <linux/memfd.h>
#include <linux/mempolicy.h>
#include <linux/mman.h>
#include <linux/mount.h>
#include <linux/net.h>
#include <linux/nsfs.h>
#include <linux/perf_event.h>
#include <linux/prctl.h>
#include <linux/random.h>
#include <linux/rseq.h>
#include <linux/rtc.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/signalfd.h>
#include <linux/sockios.h>
#include <linux/stat.h>
#include <linux/timerfd.h>
#include <linux/userfaultfd.h>
#include <linux/xattr.h>
#ifdef __x86_64__
#include <asm/prctl.h>
#endif

static const struct value_name open_flags_list[] = {
	NAMED(O_RDONLY), NAMED(O_WRONLY), NAMED(O_RDWR),
};
static const struct value_name open_flags_bits[] = {
	NAMED(O_TMPFILE), NAMED(O_SYNC), NAMED(O_DSYNC), NAMED(O_CREAT), NAMED(O_EXCL),
	NAMED(O_NOCTTY), NAMED(O_TRUNC), NAMED(O_APPEND), NAMED(O_NONBLOCK), NAMED(FASYNC),
	NAMED(O_DIRECT), NAMED(O_LARGEFILE), NAMED(O_DIRECTORY), NAMED(O_NOFOLLOW),
	NAMED(O_NOATIME), NAMED(O_CLOEXEC), NAMED(O_PATH), NAMED(__O_TMPFILE),
};
const struct value_names values_open_flags =
	ONE_AND_BITS(O_ACCMODE, open_flags_list, open_flags_bits);

static const struct value_name file_flags_rows[] = {
	NAMED(O_EXCL), NAMED(O_TRUNC), NAMED(O_NONBLOCK), NAMED(O_DIRECT), NAMED(O_CLOEXEC),
};
const struct value_names values_file_flags = BITS_OF(file_flags_rows);

static const struct value_name epoll_flags_rows[] = {
	NAMED(EPOLL_CLOEXEC),
};
const struct value_names values_epoll_flags = BITS_OF(epoll_flags_rows);

static const struct value_name fcntl_commands_rows[] = {
	NAMED(F_DUPFD), NAMED(F_GETFD), NAMED(F_SETFD), NAMED(F_GETFL), NAMED(F_SETFL),
	NAMED(F_GETLK), NAMED(F_SETLK), NAMED(F_SETLKW), NAMED(F_SETOWN), NAMED(F_GETOWN),
	NAMED(F_SETSIG), NAMED(F_GETSIG), NAMED(F_SETOWN_EX), NAMED(F_GETOWN_EX),
	NAMED(F_GETOWNER_UIDS), NAMED(F_OFD_GETLK), NAMED(F_OFD_SETLK), NAMED(F_OFD_SETLKW),
	NAMED(F_SETLEASE), NAMED(F_GETLEASE), NAMED(F_NOTIFY), NAMED(F_DUPFD_CLOEXEC),
	NAMED(F_SETPIPE_SZ), NAMED(F_GETPIPE_SZ), NAMED(F_ADD_SEALS), NAMED(F_GET_SEALS),
	NAMED(F_GET_RW_HINT), NAMED(F_SET_RW_HINT), NAMED(F_GET_FILE_RW_HINT),
	NAMED(F_SET_FILE_RW_HINT),
};
const struct value_names values_fcntl_commands = ONE_OF(fcntl_commands_rows);

static const struct value_name fd_flags_rows[] = {
	NAMED(FD_CLOEXEC),
};
const struct value_names values_fd_flags = BITS_OF(fd_flags_rows);

static const struct value_name lease_types_rows[] = {
	NAMED(F_RDLCK), NAMED(F_WRLCK), NAMED(F_UNLCK),
};
const struct value_names values_lease_types = ONE_OF(lease_types_rows);

static const struct value_name seals_rows[] = {
	NAMED(F_SEAL_SEAL), NAMED(F_SEAL_SHRINK), NAMED(F_SEAL_GROW), NAMED(F_SEAL_WRITE),
	NAMED(F_SEAL_FUTURE_WRITE),
#ifdef F_SEAL_EXEC
	NAMED(F_SEAL_EXEC),
#endif
};
const struct value_names values_seals = BITS_OF(seals_rows);

static const struct value_name stat_flags_list[] = {
	NAMED(AT_STATX_FORCE_SYNC), NAMED(AT_STATX_DONT_SYNC),
};
static const struct value_name stat_flags_bits[] = {
	NAMED(AT_SYMLINK_NOFOLLOW), NAMED(AT_SYMLINK_FOLLOW), NAMED(AT_NO_AUTOMOUNT),
	NAMED(AT_EMPTY_PATH), NAMED(AT_RECURSIVE),
};
const struct value_names values_stat_flags =
	ONE_AND_BITS(AT_STATX_SYNC_TYPE, stat_flags_list, stat_flags_bits);

static const struct value_name access_flags_rows[] = {
	NAMED(AT_EACCESS), NAMED(AT_SYMLINK_NOFOLLOW), NAMED(AT_EMPTY_PATH),
};
const struct value_names values_access_flags = BITS_OF(access_flags_rows);

static const struct value_name unlink_flags_rows[] = {
	NAMED(AT_REMOVEDIR),
};
const struct value_names values_unlink_flags = BITS_OF(unlink_flags_rows);

static const struct value_name link_flags_rows[] = {
	NAMED(AT_SYMLINK_FOLLOW), NAMED(AT_EMPTY_PATH),
};
const struct value_names values_link_flags = BITS_OF(link_flags_rows);

static const struct value_name name_flags_rows[] = {
	NAMED(AT_SYMLINK_NOFOLLOW), NAMED(AT_SYMLINK_FOLLOW), NAMED(AT_EMPTY_PATH),
};
const struct value_names values_name_flags = BITS_OF(name_flags_rows);

static const struct value_name statx_mask_rows[] = {
	NAMED(STATX_ALL), NAMED(STATX_BASIC_STATS), NAMED(STATX_TYPE), NAMED(STATX_MODE),
	NAMED(STATX_NLINK), NAMED(STATX_UID), NAMED(STATX_GID), NAMED(STATX_ATIME),
	NAMED(STATX_MTIME), NAMED(STATX_CTIME), NAMED(STATX_INO), NAMED(STATX_SIZE),
	NAMED(STATX_BLOCKS), NAMED(STATX_BTIME), NAMED(STATX_MNT_ID), NAMED(STATX_DIOALIGN),
#ifdef STATX_MNT_ID_UNIQUE
	NAMED(STATX_MNT_ID_UNIQUE),
#endif
#ifdef STATX_SUBVOL
	NAMED(STATX_SUBVOL),
#endif
#ifdef STATX_WRITE_ATOMIC
	NAMED(STATX_WRITE_ATOMIC),
#endif
};
const struct value_names values_statx_mask = BITS_OF(statx_mask_rows);

static const struct value_name rename_flags_rows[] = {
	NAMED(RENAME_NOREPLACE), NAMED(RENAME_EXCHANGE), NAMED(RENAME_WHITEOUT),
};
const struct value_names values_rename_flags = BITS_OF(rename_flags_rows);

static const struct value_name fallocate_flags_rows[] = {
	NAMED(FALLOC_FL_KEEP_SIZE), NAMED(FALLOC_FL_PUNCH_HOLE), NAMED(FALLOC_FL_NO_HIDE_STALE),
	NAMED(FALLOC_FL_COLLAPSE_RANGE), NAMED(FALLOC_FL_ZERO_RANGE), NAMED(FALLOC_FL_INSERT_RANGE),
	NAMED(FALLOC_FL_UNSHARE_RANGE),
};
const struct value_names values_fallocate_flags = BITS_OF(fallocate_flags_rows);

static const struct value_name prot_list[] = {
	NAMED(PROT_NONE),
};
static const struct value_name prot_bits[] = {
	NAMED(PROT_READ), NAMED(PROT_WRITE), NAMED(PROT_EXEC), NAMED(PROT_SEM),
#ifdef PROT_BTI
	NAMED(PROT_BTI),
#endif
#ifdef PROT_MTE
	NAMED(PROT_MTE),
#endif
	NAMED(PROT_GROWSDOWN), NAMED(PROT_GROWSUP),
};
const struct value_names values_prot =
	ONE_AND_BITS(0, prot_list, prot_bits);

static const struct value_name map_flags_list[] = {
	NAMED(MAP_SHARED), NAMED(MAP_PRIVATE), NAMED(MAP_SHARED_VALIDATE),
};
static const struct value_name map_flags_bits[] = {
	NAMED(MAP_FIXED), NAMED(MAP_ANONYMOUS),
#ifdef MAP_32BIT
	NAMED(MAP_32BIT),
#endif
	NAMED(MAP_NORESERVE), NAMED(MAP_POPULATE), NAMED(MAP_NONBLOCK), NAMED(MAP_GROWSDOWN),
	NAMED(MAP_DENYWRITE), NAMED(MAP_EXECUTABLE), NAMED(MAP_LOCKED), NAMED(MAP_STACK),
	NAMED(MAP_HUGETLB), NAMED(MAP_SYNC), NAMED(MAP_FIXED_NOREPLACE),
};
const struct value_names values_map_flags =
	ONE_AND_BITS(MAP_TYPE, map_flags_list, map_flags_bits);

static const struct value_name mremap_flags_rows[] = {
	NAMED(MREMAP_MAYMOVE), NAMED(MREMAP_FIXED), NAMED(MREMAP_DONTUNMAP),
};
const struct value_names values_mremap_flags = BITS_OF(mremap_flags_rows);

static const struct value_name msync_flags_rows[] = {
	NAMED(MS_SYNC), NAMED(MS_ASYNC), NAMED(MS_INVALIDATE),
};
const struct value_names values_msync_flags = BITS_OF(msync_flags_rows);

static const struct value_name mlock_flags_rows[] = {
	NAMED(MLOCK_ONFAULT),
};
const struct value_names values_mlock_flags = BITS_OF(mlock_flags_rows);

static const struct value_name mlockall_flags_rows[] = {
	NAMED(MCL_CURRENT), NAMED(MCL_FUTURE), NAMED(MCL_ONFAULT),
};
const struct value_names values_mlockall_flags = BITS_OF(mlockall_flags_rows);

static const struct value_name advices_rows[] = {
	NAMED(MADV_NORMAL), NAMED(MADV_RANDOM), NAMED(MADV_SEQUENTIAL), NAMED(MADV_WILLNEED),
	NAMED(MADV_DONTNEED), NAMED(MADV_FREE), NAMED(MADV_REMOVE), NAMED(MADV_DONTFORK),
	NAMED(MADV_DOFORK), NAMED(MADV_HWPOISON), NAMED(MADV_SOFT_OFFLINE), NAMED(MADV_MERGEABLE),
	NAMED(MADV_UNMERGEABLE), NAMED(MADV_HUGEPAGE), NAMED(MADV_NOHUGEPAGE), NAMED(MADV_DONTDUMP),
	NAMED(MADV_DODUMP), NAMED(MADV_WIPEONFORK), NAMED(MADV_KEEPONFORK), NAMED(MADV_COLD),
	NAMED(MADV_PAGEOUT), NAMED(MADV_POPULATE_READ), NAMED(MADV_POPULATE_WRITE),
	NAMED(MADV_DONTNEED_LOCKED), NAMED(MADV_COLLAPSE),
#ifdef MADV_GUARD_INSTALL
	NAMED(MADV_GUARD_INSTALL),
#endif
#ifdef MADV_GUARD_REMOVE
	NAMED(MADV_GUARD_REMOVE),
#endif
};
const struct value_names values_advices = ONE_OF(advices_rows);

static const struct value_name rw_flags_rows[] = {
	NAMED(RWF_HIPRI), NAMED(RWF_DSYNC), NAMED(RWF_SYNC), NAMED(RWF_NOWAIT), NAMED(RWF_APPEND),
#ifdef RWF_NOAPPEND
	NAMED(RWF_NOAPPEND),
#endif
#ifdef RWF_ATOMIC
	NAMED(RWF_ATOMIC),
#endif
#ifdef RWF_DONTCACHE
	NAMED(RWF_DONTCACHE),
#endif
};
const struct value_names values_rw_flags = BITS_OF(rw_flags_rows);

static const struct value_name epoll_commands_rows[] = {
	NAMED(EPOLL_CTL_ADD), NAMED(EPOLL_CTL_DEL), NAMED(EPOLL_CTL_MOD),
};
const struct value_names values_epoll_commands = ONE_OF(epoll_commands_rows);

static const struct value_name inotify_flags_rows[] = {
	NAMED(IN_CLOEXEC), NAMED(IN_NONBLOCK),
};
const struct value_names values_inotify_flags = BITS_OF(inotify_flags_rows);

static const struct value_name inotify_mask_rows[] = {
	NAMED(IN_ALL_EVENTS), NAMED(IN_ACCESS), NAMED(IN_MODIFY), NAMED(IN_ATTRIB),
	NAMED(IN_CLOSE_WRITE), NAMED(IN_CLOSE_NOWRITE), NAMED(IN_OPEN), NAMED(IN_MOVED_FROM),
	NAMED(IN_MOVED_TO), NAMED(IN_CREATE), NAMED(IN_DELETE), NAMED(IN_DELETE_SELF),
	NAMED(IN_MOVE_SELF), NAMED(IN_UNMOUNT), NAMED(IN_Q_OVERFLOW), NAMED(IN_IGNORED),
	NAMED(IN_ONLYDIR), NAMED(IN_DONT_FOLLOW), NAMED(IN_EXCL_UNLINK), NAMED(IN_MASK_CREATE),
	NAMED(IN_MASK_ADD), NAMED(IN_ISDIR), NAMED(IN_ONESHOT),
};
const struct value_names values_inotify_mask = BITS_OF(inotify_mask_rows);

static const struct value_name signalfd_flags_rows[] = {
	NAMED(SFD_CLOEXEC), NAMED(SFD_NONBLOCK),
};
const struct value_names values_signalfd_flags = BITS_OF(signalfd_flags_rows);

static const struct value_name timerfd_flags_rows[] = {
	NAMED(TFD_CLOEXEC), NAMED(TFD_NONBLOCK),
};
const struct value_names values_timerfd_flags = BITS_OF(timerfd_flags_rows);

static const struct value_name timerfd_set_flags_rows[] = {
	NAMED(TFD_TIMER_ABSTIME), NAMED(TFD_TIMER_CANCEL_ON_SET),
};
const struct value_names values_timerfd_set_flags = BITS_OF(timerfd_set_flags_rows);

static const struct value_name memfd_flags_rows[] = {
	NAMED(MFD_CLOEXEC), NAMED(MFD_ALLOW_SEALING), NAMED(MFD_HUGETLB),
#ifdef MFD_NOEXEC_SEAL
	NAMED(MFD_NOEXEC_SEAL),
#endif
#ifdef MFD_EXEC
	NAMED(MFD_EXEC),
#endif
};
const struct value_names values_memfd_flags = BITS_OF(memfd_flags_rows);

static const struct value_name random_flags_rows[] = {
	NAMED(GRND_NONBLOCK), NAMED(GRND_RANDOM), NAMED(GRND_INSECURE),
};
const struct value_names values_random_flags = BITS_OF(random_flags_rows);

static const struct value_name clone_flags_rows[] = {
	NAMED(CLONE_VM), NAMED(CLONE_FS), NAMED(CLONE_FILES), NAMED(CLONE_SIGHAND),
	NAMED(CLONE_PIDFD), NAMED(CLONE_PTRACE), NAMED(CLONE_VFORK), NAMED(CLONE_PARENT),
	NAMED(CLONE_THREAD), NAMED(CLONE_NEWNS), NAMED(CLONE_SYSVSEM), NAMED(CLONE_SETTLS),
	NAMED(CLONE_PARENT_SETTID), NAMED(CLONE_CHILD_CLEARTID), NAMED(CLONE_DETACHED),
	NAMED(CLONE_UNTRACED), NAMED(CLONE_CHILD_SETTID), NAMED(CLONE_NEWCGROUP),
	NAMED(CLONE_NEWUTS), NAMED(CLONE_NEWIPC), NAMED(CLONE_NEWUSER), NAMED(CLONE_NEWPID),
	NAMED(CLONE_NEWNET), NAMED(CLONE_IO), NAMED(CLONE_NEWTIME),
};
const struct value_names values_clone_flags = BITS_OF(clone_flags_rows);

static const struct value_name prctl_commands_rows[] = {
	NAMED(PR_SET_PDEATHSIG), NAMED(PR_GET_PDEATHSIG), NAMED(PR_GET_DUMPABLE),
	NAMED(PR_SET_DUMPABLE), NAMED(PR_GET_UNALIGN), NAMED(PR_SET_UNALIGN),
	NAMED(PR_GET_KEEPCAPS), NAMED(PR_SET_KEEPCAPS), NAMED(PR_GET_FPEMU), NAMED(PR_SET_FPEMU),
	NAMED(PR_GET_FPEXC), NAMED(PR_SET_FPEXC), NAMED(PR_GET_TIMING), NAMED(PR_SET_TIMING),
	NAMED(PR_SET_NAME), NAMED(PR_GET_NAME), NAMED(PR_GET_ENDIAN), NAMED(PR_SET_ENDIAN),
	NAMED(PR_GET_SECCOMP), NAMED(PR_SET_SECCOMP), NAMED(PR_CAPBSET_READ),
	NAMED(PR_CAPBSET_DROP), NAMED(PR_GET_TSC), NAMED(PR_SET_TSC), NAMED(PR_GET_SECUREBITS),
	NAMED(PR_SET_SECUREBITS), NAMED(PR_SET_TIMERSLACK), NAMED(PR_GET_TIMERSLACK),
	NAMED(PR_TASK_PERF_EVENTS_DISABLE), NAMED(PR_TASK_PERF_EVENTS_ENABLE), NAMED(PR_MCE_KILL),
	NAMED(PR_MCE_KILL_GET), NAMED(PR_SET_MM), NAMED(PR_SET_PTRACER),
	NAMED(PR_SET_CHILD_SUBREAPER), NAMED(PR_GET_CHILD_SUBREAPER), NAMED(PR_SET_NO_NEW_PRIVS),
	NAMED(PR_GET_NO_NEW_PRIVS), NAMED(PR_GET_TID_ADDRESS), NAMED(PR_SET_THP_DISABLE),
	NAMED(PR_GET_THP_DISABLE), NAMED(PR_MPX_ENABLE_MANAGEMENT),
	NAMED(PR_MPX_DISABLE_MANAGEMENT), NAMED(PR_SET_FP_MODE), NAMED(PR_GET_FP_MODE),
	NAMED(PR_CAP_AMBIENT),
#ifdef PR_SVE_SET_VL
	NAMED(PR_SVE_SET_VL),
#endif
#ifdef PR_SVE_GET_VL
	NAMED(PR_SVE_GET_VL),
#endif
	NAMED(PR_GET_SPECULATION_CTRL), NAMED(PR_SET_SPECULATION_CTRL), NAMED(PR_PAC_RESET_KEYS),
	NAMED(PR_SET_TAGGED_ADDR_CTRL), NAMED(PR_GET_TAGGED_ADDR_CTRL), NAMED(PR_SET_IO_FLUSHER),
	NAMED(PR_GET_IO_FLUSHER), NAMED(PR_SET_SYSCALL_USER_DISPATCH),
	NAMED(PR_PAC_SET_ENABLED_KEYS), NAMED(PR_PAC_GET_ENABLED_KEYS), NAMED(PR_SCHED_CORE),
	NAMED(PR_SET_VMA),
#ifdef PR_SET_MDWE
	NAMED(PR_SET_MDWE),
#endif
#ifdef PR_GET_MDWE
	NAMED(PR_GET_MDWE),
#endif
#ifdef PR_SET_MEMORY_MERGE
	NAMED(PR_SET_MEMORY_MERGE),
#endif
#ifdef PR_GET_MEMORY_MERGE
	NAMED(PR_GET_MEMORY_MERGE),
#endif
};
const struct value_names values_prctl_commands = ONE_OF(prctl_commands_rows);

static const struct value_name rseq_flags_rows[] = {
	NAMED(RSEQ_FLAG_UNREGISTER),
};
const struct value_names values_rseq_flags = BITS_OF(rseq_flags_rows);

static const struct value_name futex_commands_rows[] = {
	NAMED(FUTEX_WAIT), NAMED(FUTEX_WAKE), NAMED(FUTEX_FD), NAMED(FUTEX_REQUEUE),
	NAMED(FUTEX_CMP_REQUEUE), NAMED(FUTEX_WAKE_OP), NAMED(FUTEX_LOCK_PI),
	NAMED(FUTEX_UNLOCK_PI), NAMED(FUTEX_TRYLOCK_PI), NAMED(FUTEX_WAIT_BITSET),
	NAMED(FUTEX_WAKE_BITSET), NAMED(FUTEX_WAIT_REQUEUE_PI), NAMED(FUTEX_CMP_REQUEUE_PI),
	NAMED(FUTEX_LOCK_PI2),
};
const struct value_names values_futex_commands = ONE_OF(futex_commands_rows);

static const struct value_name uring_enter_flags_rows[] = {
	NAMED(IORING_ENTER_GETEVENTS), NAMED(IORING_ENTER_SQ_WAKEUP), NAMED(IORING_ENTER_SQ_WAIT),
	NAMED(IORING_ENTER_EXT_ARG), NAMED(IORING_ENTER_REGISTERED_RING),
};
const struct value_names values_uring_enter_flags = BITS_OF(uring_enter_flags_rows);

static const struct value_name uring_commands_rows[] = {
	NAMED(IORING_REGISTER_BUFFERS), NAMED(IORING_UNREGISTER_BUFFERS),
	NAMED(IORING_REGISTER_FILES), NAMED(IORING_UNREGISTER_FILES),
	NAMED(IORING_REGISTER_EVENTFD), NAMED(IORING_UNREGISTER_EVENTFD),
	NAMED(IORING_REGISTER_FILES_UPDATE), NAMED(IORING_REGISTER_EVENTFD_ASYNC),
	NAMED(IORING_REGISTER_PROBE), NAMED(IORING_REGISTER_PERSONALITY),
	NAMED(IORING_UNREGISTER_PERSONALITY), NAMED(IORING_REGISTER_RESTRICTIONS),
	NAMED(IORING_REGISTER_ENABLE_RINGS), NAMED(IORING_REGISTER_FILES2),
	NAMED(IORING_REGISTER_FILES_UPDATE2), NAMED(IORING_REGISTER_BUFFERS2),
	NAMED(IORING_REGISTER_BUFFERS_UPDATE), NAMED(IORING_REGISTER_IOWQ_AFF),
	NAMED(IORING_UNREGISTER_IOWQ_AFF), NAMED(IORING_REGISTER_IOWQ_MAX_WORKERS),
	NAMED(IORING_REGISTER_RING_FDS), NAMED(IORING_UNREGISTER_RING_FDS),
	NAMED(IORING_REGISTER_PBUF_RING), NAMED(IORING_UNREGISTER_PBUF_RING),
	NAMED(IORING_REGISTER_SYNC_CANCEL), NAMED(IORING_REGISTER_FILE_ALLOC_RANGE),
};
const struct value_names values_uring_commands = ONE_OF(uring_commands_rows);

static const struct value_name bpf_commands_rows[] = {
	NAMED(BPF_MAP_CREATE), NAMED(BPF_MAP_LOOKUP_ELEM), NAMED(BPF_MAP_UPDATE_ELEM),
	NAMED(BPF_MAP_DELETE_ELEM), NAMED(BPF_MAP_GET_NEXT_KEY), NAMED(BPF_PROG_LOAD),
	NAMED(BPF_OBJ_PIN), NAMED(BPF_OBJ_GET), NAMED(BPF_PROG_ATTACH), NAMED(BPF_PROG_DETACH),
	NAMED(BPF_PROG_TEST_RUN), NAMED(BPF_PROG_GET_NEXT_ID), NAMED(BPF_MAP_GET_NEXT_ID),
	NAMED(BPF_PROG_GET_FD_BY_ID), NAMED(BPF_MAP_GET_FD_BY_ID), NAMED(BPF_OBJ_GET_INFO_BY_FD),
	NAMED(BPF_PROG_QUERY), NAMED(BPF_RAW_TRACEPOINT_OPEN), NAMED(BPF_BTF_LOAD),
	NAMED(BPF_BTF_GET_FD_BY_ID), NAMED(BPF_TASK_FD_QUERY),
	NAMED(BPF_MAP_LOOKUP_AND_DELETE_ELEM), NAMED(BPF_MAP_FREEZE), NAMED(BPF_BTF_GET_NEXT_ID),
	NAMED(BPF_MAP_LOOKUP_BATCH), NAMED(BPF_MAP_LOOKUP_AND_DELETE_BATCH),
	NAMED(BPF_MAP_UPDATE_BATCH), NAMED(BPF_MAP_DELETE_BATCH), NAMED(BPF_LINK_CREATE),
	NAMED(BPF_LINK_UPDATE), NAMED(BPF_LINK_GET_FD_BY_ID), NAMED(BPF_LINK_GET_NEXT_ID),
	NAMED(BPF_ENABLE_STATS), NAMED(BPF_ITER_CREATE), NAMED(BPF_LINK_DETACH),
	NAMED(BPF_PROG_BIND_MAP),
};
const struct value_names values_bpf_commands = ONE_OF(bpf_commands_rows);

static const struct value_name perf_open_flags_rows[] = {
	NAMED(PERF_FLAG_FD_NO_GROUP), NAMED(PERF_FLAG_FD_OUTPUT), NAMED(PERF_FLAG_PID_CGROUP),
	NAMED(PERF_FLAG_FD_CLOEXEC),
};
const struct value_names values_perf_open_flags = BITS_OF(perf_open_flags_rows);

static const struct value_name sched_policies_list[] = {
	NAMED(SCHED_NORMAL), NAMED(SCHED_FIFO), NAMED(SCHED_RR), NAMED(SCHED_BATCH),
	NAMED(SCHED_IDLE), NAMED(SCHED_DEADLINE),
#ifdef SCHED_EXT
	NAMED(SCHED_EXT),
#endif
};
static const struct value_name sched_policies_bits[] = {
	NAMED(SCHED_RESET_ON_FORK),
};
const struct value_names values_sched_policies =
	ONE_AND_BITS(~(u32)SCHED_RESET_ON_FORK, sched_policies_list, sched_policies_bits);

static const struct value_name ioctl_commands_rows[] = {
	NAMED(TCGETS), NAMED(TCSETS), NAMED(TCSETSW), NAMED(TCSETSF), NAMED(TCSBRK), NAMED(TCXONC),
	NAMED(TCFLSH), NAMED(TIOCGWINSZ), NAMED(TIOCSWINSZ), NAMED(TIOCGPGRP), NAMED(TIOCSPGRP),
	NAMED(TIOCSCTTY), NAMED(TIOCNOTTY), NAMED(TIOCGSID), NAMED(TIOCINQ), NAMED(TIOCOUTQ),
	NAMED(TIOCSTI), NAMED(TIOCGPTN), NAMED(TIOCSPTLCK), NAMED(TIOCGPTPEER), NAMED(FIONBIO),
	NAMED(FIOASYNC), NAMED(FIOCLEX), NAMED(FIONCLEX), NAMED(FIOQSIZE), NAMED(BLKROSET),
	NAMED(BLKROGET), NAMED(BLKRRPART), NAMED(BLKGETSIZE), NAMED(BLKFLSBUF), NAMED(BLKRAGET),
	NAMED(BLKSSZGET), NAMED(BLKBSZGET), NAMED(BLKGETSIZE64), NAMED(BLKDISCARD), NAMED(BLKIOMIN),
	NAMED(BLKIOOPT), NAMED(BLKALIGNOFF), NAMED(BLKPBSZGET), NAMED(BLKDISCARDZEROES),
	NAMED(BLKSECDISCARD), NAMED(BLKROTATIONAL), NAMED(BLKZEROOUT), NAMED(FIBMAP),
	NAMED(FIGETBSZ), NAMED(FIFREEZE), NAMED(FITHAW), NAMED(FITRIM), NAMED(FICLONE),
	NAMED(FICLONERANGE), NAMED(FIDEDUPERANGE), NAMED(FS_IOC_GETFLAGS), NAMED(FS_IOC_SETFLAGS),
	NAMED(FS_IOC_GETVERSION), NAMED(FS_IOC_FIEMAP), NAMED(FS_IOC_FSGETXATTR),
	NAMED(FS_IOC_FSSETXATTR), NAMED(FS_IOC_GETFSLABEL), NAMED(PERF_EVENT_IOC_ENABLE),
	NAMED(PERF_EVENT_IOC_DISABLE), NAMED(PERF_EVENT_IOC_REFRESH), NAMED(PERF_EVENT_IOC_RESET),
	NAMED(PERF_EVENT_IOC_PERIOD), NAMED(PERF_EVENT_IOC_SET_OUTPUT),
	NAMED(PERF_EVENT_IOC_SET_FILTER), NAMED(PERF_EVENT_IOC_ID), NAMED(PERF_EVENT_IOC_SET_BPF),
	NAMED(PERF_EVENT_IOC_PAUSE_OUTPUT), NAMED(PERF_EVENT_IOC_QUERY_BPF),
	NAMED(PERF_EVENT_IOC_MODIFY_ATTRIBUTES), NAMED(SIOCGIFNAME), NAMED(SIOCGIFCONF),
	NAMED(SIOCGIFFLAGS), NAMED(SIOCSIFFLAGS), NAMED(SIOCGIFADDR), NAMED(SIOCGIFNETMASK),
	NAMED(SIOCGIFMTU), NAMED(SIOCGIFHWADDR), NAMED(SIOCGIFINDEX), NAMED(SIOCETHTOOL),
	NAMED(NS_GET_USERNS), NAMED(NS_GET_PARENT), NAMED(NS_GET_NSTYPE), NAMED(LOOP_SET_FD),
	NAMED(LOOP_CLR_FD), NAMED(LOOP_SET_STATUS64), NAMED(LOOP_GET_STATUS64),
	NAMED(LOOP_CTL_GET_FREE), NAMED(LOOP_CONFIGURE), NAMED(TUNSETIFF), NAMED(KVM_RUN),
	NAMED(KVM_GET_API_VERSION), NAMED(KVM_CREATE_VM), NAMED(KVM_CREATE_VCPU),
	NAMED(KVM_IRQ_LINE), NAMED(KVM_SIGNAL_MSI), NAMED(RNDGETENTCNT), NAMED(RTC_RD_TIME),
	NAMED(UFFDIO_API), NAMED(UFFDIO_REGISTER), NAMED(UFFDIO_COPY), NAMED(UFFDIO_WAKE),
	NAMED(UFFDIO_WRITEPROTECT),
};
const struct value_names values_ioctl_commands = ONE_OF(ioctl_commands_rows);

static const struct value_name membarrier_commands_rows[] = {
	NAMED(MEMBARRIER_CMD_QUERY), NAMED(MEMBARRIER_CMD_GLOBAL),
	NAMED(MEMBARRIER_CMD_GLOBAL_EXPEDITED), NAMED(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED),
	NAMED(MEMBARRIER_CMD_PRIVATE_EXPEDITED), NAMED(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED),
	NAMED(MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE),
	NAMED(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE),
	NAMED(MEMBARRIER_CMD_PRIVATE_EXPEDITED_RSEQ),
	NAMED(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_RSEQ),
};
const struct value_names values_membarrier_commands = ONE_OF(membarrier_commands_rows);

static const struct value_name seccomp_commands_rows[] = {
	NAMED(SECCOMP_SET_MODE_STRICT), NAMED(SECCOMP_SET_MODE_FILTER),
	NAMED(SECCOMP_GET_ACTION_AVAIL), NAMED(SECCOMP_GET_NOTIF_SIZES),
};
const struct value_names values_seccomp_commands = ONE_OF(seccomp_commands_rows);

static const struct value_name mempolicies_list[] = {
	NAMED(MPOL_DEFAULT), NAMED(MPOL_PREFERRED), NAMED(MPOL_BIND), NAMED(MPOL_INTERLEAVE),
	NAMED(MPOL_LOCAL), NAMED(MPOL_PREFERRED_MANY),
};
static const struct value_name mempolicies_bits[] = {
	NAMED(MPOL_F_STATIC_NODES), NAMED(MPOL_F_RELATIVE_NODES), NAMED(MPOL_F_NUMA_BALANCING),
};
const struct value_names values_mempolicies =
	ONE_AND_BITS(~(u32)MPOL_MODE_FLAGS, mempolicies_list, mempolicies_bits);

static const struct value_name close_range_flags_rows[] = {
	NAMED(CLOSE_RANGE_UNSHARE), NAMED(CLOSE_RANGE_CLOEXEC),
};
const struct value_names values_close_range_flags = BITS_OF(close_range_flags_rows);

static const struct value_name socketcalls_rows[] = {
	NAMED(SYS_SOCKET), NAMED(SYS_BIND), NAMED(SYS_CONNECT), NAMED(SYS_LISTEN),
	NAMED(SYS_ACCEPT), NAMED(SYS_GETSOCKNAME), NAMED(SYS_GETPEERNAME), NAMED(SYS_SOCKETPAIR),
	NAMED(SYS_SEND), NAMED(SYS_RECV), NAMED(SYS_SENDTO), NAMED(SYS_RECVFROM),
	NAMED(SYS_SHUTDOWN), NAMED(SYS_SETSOCKOPT), NAMED(SYS_GETSOCKOPT), NAMED(SYS_SENDMSG),
	NAMED(SYS_RECVMSG), NAMED(SYS_ACCEPT4), NAMED(SYS_RECVMMSG), NAMED(SYS_SENDMMSG),
};
const struct value_names values_socketcalls = ONE_OF(socketcalls_rows);

static const struct value_name xattr_flags_rows[] = {
	NAMED(XATTR_CREATE), NAMED(XATTR_REPLACE),
};
const struct value_names values_xattr_flags = BITS_OF(xattr_flags_rows);

static const struct value_name mount_flags_rows[] = {
	NAMED(MS_RDONLY), NAMED(MS_NOSUID), NAMED(MS_NODEV), NAMED(MS_NOEXEC),
	NAMED(MS_SYNCHRONOUS), NAMED(MS_REMOUNT), NAMED(MS_MANDLOCK), NAMED(MS_DIRSYNC),
	NAMED(MS_NOSYMFOLLOW), NAMED(MS_NOATIME), NAMED(MS_NODIRATIME), NAMED(MS_BIND),
	NAMED(MS_MOVE), NAMED(MS_REC), NAMED(MS_SILENT), NAMED(MS_POSIXACL), NAMED(MS_UNBINDABLE),
	NAMED(MS_PRIVATE), NAMED(MS_SLAVE), NAMED(MS_SHARED), NAMED(MS_RELATIME),
	NAMED(MS_KERNMOUNT), NAMED(MS_I_VERSION), NAMED(MS_STRICTATIME), NAMED(MS_LAZYTIME),
};
const struct value_names values_mount_flags = BITS_OF(mount_flags_rows);

static const struct value_name open_tree_flags_rows[] = {
	NAMED(OPEN_TREE_CLONE), NAMED(OPEN_TREE_CLOEXEC), NAMED(AT_SYMLINK_NOFOLLOW),
	NAMED(AT_NO_AUTOMOUNT), NAMED(AT_EMPTY_PATH), NAMED(AT_RECURSIVE),
};
const struct value_names values_open_tree_flags = BITS_OF(open_tree_flags_rows);

static const struct value_name move_mount_flags_rows[] = {
	NAMED(MOVE_MOUNT_F_SYMLINKS), NAMED(MOVE_MOUNT_F_AUTOMOUNTS),
	NAMED(MOVE_MOUNT_F_EMPTY_PATH), NAMED(MOVE_MOUNT_T_SYMLINKS),
	NAMED(MOVE_MOUNT_T_AUTOMOUNTS), NAMED(MOVE_MOUNT_T_EMPTY_PATH), NAMED(MOVE_MOUNT_SET_GROUP),
#ifdef MOVE_MOUNT_BENEATH
	NAMED(MOVE_MOUNT_BENEATH),
#endif
};
const struct value_names values_move_mount_flags = BITS_OF(move_mount_flags_rows);

static const struct value_name fsopen_flags_rows[] = {
	NAMED(FSOPEN_CLOEXEC),
};
const struct value_names values_fsopen_flags = BITS_OF(fsopen_flags_rows);

static const struct value_name fsmount_flags_rows[] = {
	NAMED(FSMOUNT_CLOEXEC),
};
const struct value_names values_fsmount_flags = BITS_OF(fsmount_flags_rows);

static const struct value_name fspick_flags_rows[] = {
	NAMED(FSPICK_CLOEXEC), NAMED(FSPICK_SYMLINK_NOFOLLOW), NAMED(FSPICK_NO_AUTOMOUNT),
	NAMED(FSPICK_EMPTY_PATH),
};
const struct value_names values_fspick_flags = BITS_OF(fspick_flags_rows);

static const struct value_name mount_attributes_list[] = {
	NAMED(MOUNT_ATTR_NOATIME), NAMED(MOUNT_ATTR_STRICTATIME),
};
static const struct value_name mount_attributes_bits[] = {
	NAMED(MOUNT_ATTR_RDONLY), NAMED(MOUNT_ATTR_NOSUID), NAMED(MOUNT_ATTR_NODEV),
	NAMED(MOUNT_ATTR_NOEXEC), NAMED(MOUNT_ATTR_NODIRATIME), NAMED(MOUNT_ATTR_IDMAP),
	NAMED(MOUNT_ATTR_NOSYMFOLLOW),
};
const struct value_names values_mount_attributes =
	ONE_AND_BITS(MOUNT_ATTR__ATIME, mount_attributes_list, mount_attributes_bits);

static const struct value_name userfaultfd_flags_rows[] = {
	NAMED(UFFD_USER_MODE_ONLY), NAMED(O_CLOEXEC), NAMED(O_NONBLOCK),
};
const struct value_names values_userfaultfd_flags = BITS_OF(userfaultfd_flags_rows);

/* Commands of x86's. */
static const struct value_name arch_prctl_rows[] = {
#ifdef __x86_64__
	NAMED(ARCH_SET_GS), NAMED(ARCH_SET_FS), NAMED(ARCH_GET_FS), NAMED(ARCH_GET_GS),
	NAMED(ARCH_GET_CPUID), NAMED(ARCH_SET_CPUID), NAMED(ARCH_GET_XCOMP_SUPP),
	NAMED(ARCH_GET_XCOMP_PERM), NAMED(ARCH_REQ_XCOMP_PERM),
#endif
};
const struct value_names values_arch_prctl_commands = ONE_OF(arch_prctl_rows);
