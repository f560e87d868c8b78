// SPDX-License-Identifier: GPL-2.0-only
/* Values that the C library's headers name; they are the kernel's. */
#include "measures/syscall_values.h"

#include <fcntl.h>
#include <linux/netlink.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <netinet/udp.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const struct value_name socket_families_rows[] = {
	NAMED(AF_UNSPEC), NAMED(AF_UNIX), NAMED(AF_INET), NAMED(AF_AX25), NAMED(AF_IPX),
	NAMED(AF_APPLETALK), NAMED(AF_NETROM), NAMED(AF_BRIDGE), NAMED(AF_X25), NAMED(AF_INET6),
	NAMED(AF_KEY), NAMED(AF_NETLINK), NAMED(AF_PACKET), NAMED(AF_RDS), NAMED(AF_PPPOX),
	NAMED(AF_LLC), NAMED(AF_IB), NAMED(AF_MPLS), NAMED(AF_CAN), NAMED(AF_TIPC),
	NAMED(AF_BLUETOOTH), NAMED(AF_RXRPC), NAMED(AF_ALG), NAMED(AF_NFC), NAMED(AF_VSOCK),
	NAMED(AF_KCM), NAMED(AF_QIPCRTR), NAMED(AF_SMC), NAMED(AF_XDP), NAMED(AF_MCTP),
};
const struct value_names values_socket_families = ONE_OF(socket_families_rows);

static const struct value_name socket_types_list[] = {
	NAMED(SOCK_STREAM), NAMED(SOCK_DGRAM), NAMED(SOCK_RAW), NAMED(SOCK_RDM),
	NAMED(SOCK_SEQPACKET), NAMED(SOCK_DCCP), NAMED(SOCK_PACKET),
};
static const struct value_name socket_types_bits[] = {
	NAMED(SOCK_CLOEXEC), NAMED(SOCK_NONBLOCK),
};
const struct value_names values_socket_types =
	ONE_AND_BITS(~(u32)(SOCK_CLOEXEC | SOCK_NONBLOCK), socket_types_list, socket_types_bits);

static const struct value_name socket_flags_rows[] = {
	NAMED(SOCK_CLOEXEC), NAMED(SOCK_NONBLOCK),
};
const struct value_names values_socket_flags = BITS_OF(socket_flags_rows);

static const struct value_name inet_protocols_rows[] = {
	NAMED(IPPROTO_IP), NAMED(IPPROTO_ICMP), NAMED(IPPROTO_IGMP), NAMED(IPPROTO_IPIP),
	NAMED(IPPROTO_TCP), NAMED(IPPROTO_UDP), NAMED(IPPROTO_DCCP), NAMED(IPPROTO_IPV6),
	NAMED(IPPROTO_GRE), NAMED(IPPROTO_ESP), NAMED(IPPROTO_AH), NAMED(IPPROTO_SCTP),
	NAMED(IPPROTO_UDPLITE), NAMED(IPPROTO_ICMPV6), NAMED(IPPROTO_RAW), NAMED(IPPROTO_MPTCP),
};
const struct value_names values_inet_protocols = ONE_OF(inet_protocols_rows);

static const struct value_name netlink_protocols_rows[] = {
	NAMED(NETLINK_ROUTE), NAMED(NETLINK_USERSOCK), NAMED(NETLINK_FIREWALL),
	NAMED(NETLINK_SOCK_DIAG), NAMED(NETLINK_NFLOG), NAMED(NETLINK_XFRM), NAMED(NETLINK_SELINUX),
	NAMED(NETLINK_ISCSI), NAMED(NETLINK_AUDIT), NAMED(NETLINK_FIB_LOOKUP),
	NAMED(NETLINK_CONNECTOR), NAMED(NETLINK_NETFILTER), NAMED(NETLINK_DNRTMSG),
	NAMED(NETLINK_KOBJECT_UEVENT), NAMED(NETLINK_GENERIC), NAMED(NETLINK_SCSITRANSPORT),
	NAMED(NETLINK_CRYPTO), NAMED(NETLINK_RDMA),
};
const struct value_names values_netlink_protocols = ONE_OF(netlink_protocols_rows);

static const struct value_name message_flags_rows[] = {
	NAMED(MSG_OOB), NAMED(MSG_PEEK), NAMED(MSG_DONTROUTE), NAMED(MSG_CTRUNC), NAMED(MSG_PROXY),
	NAMED(MSG_TRUNC), NAMED(MSG_DONTWAIT), NAMED(MSG_EOR), NAMED(MSG_WAITALL), NAMED(MSG_FIN),
	NAMED(MSG_SYN), NAMED(MSG_CONFIRM), NAMED(MSG_RST), NAMED(MSG_ERRQUEUE),
	NAMED(MSG_NOSIGNAL), NAMED(MSG_MORE), NAMED(MSG_WAITFORONE), NAMED(MSG_BATCH),
	NAMED(MSG_ZEROCOPY), NAMED(MSG_FASTOPEN), NAMED(MSG_CMSG_CLOEXEC),
};
const struct value_names values_message_flags = BITS_OF(message_flags_rows);

static const struct value_name socket_levels_rows[] = {
	NAMED(SOL_IP), NAMED(SOL_SOCKET), NAMED(SOL_TCP), NAMED(SOL_UDP), NAMED(SOL_IPV6),
	NAMED(SOL_ICMPV6), NAMED(SOL_RAW), NAMED(SOL_PACKET), NAMED(SOL_NETLINK), NAMED(SOL_TLS),
	NAMED(SOL_BLUETOOTH), NAMED(SOL_ALG), NAMED(SOL_XDP),
};
const struct value_names values_socket_levels = ONE_OF(socket_levels_rows);

static const struct value_name socket_options_rows[] = {
	NAMED(SO_DEBUG), NAMED(SO_REUSEADDR), NAMED(SO_TYPE), NAMED(SO_ERROR), NAMED(SO_DONTROUTE),
	NAMED(SO_BROADCAST), NAMED(SO_SNDBUF), NAMED(SO_RCVBUF), NAMED(SO_KEEPALIVE),
	NAMED(SO_OOBINLINE), NAMED(SO_NO_CHECK), NAMED(SO_PRIORITY), NAMED(SO_LINGER),
	NAMED(SO_BSDCOMPAT), NAMED(SO_REUSEPORT), NAMED(SO_PASSCRED), NAMED(SO_PEERCRED),
	NAMED(SO_RCVLOWAT), NAMED(SO_SNDLOWAT), NAMED(SO_RCVTIMEO), NAMED(SO_SNDTIMEO),
	NAMED(SO_BINDTODEVICE), NAMED(SO_ATTACH_FILTER), NAMED(SO_DETACH_FILTER),
	NAMED(SO_PEERNAME), NAMED(SO_TIMESTAMP), NAMED(SO_ACCEPTCONN), NAMED(SO_PEERSEC),
	NAMED(SO_SNDBUFFORCE), NAMED(SO_RCVBUFFORCE), NAMED(SO_PASSSEC), NAMED(SO_TIMESTAMPNS),
	NAMED(SO_MARK), NAMED(SO_TIMESTAMPING), NAMED(SO_PROTOCOL), NAMED(SO_DOMAIN),
	NAMED(SO_RXQ_OVFL), NAMED(SO_WIFI_STATUS), NAMED(SO_PEEK_OFF), NAMED(SO_NOFCS),
	NAMED(SO_LOCK_FILTER), NAMED(SO_SELECT_ERR_QUEUE), NAMED(SO_BUSY_POLL),
	NAMED(SO_MAX_PACING_RATE), NAMED(SO_BPF_EXTENSIONS), NAMED(SO_INCOMING_CPU),
	NAMED(SO_ATTACH_BPF), NAMED(SO_ATTACH_REUSEPORT_CBPF), NAMED(SO_ATTACH_REUSEPORT_EBPF),
	NAMED(SO_CNX_ADVICE), NAMED(SO_MEMINFO), NAMED(SO_INCOMING_NAPI_ID), NAMED(SO_COOKIE),
	NAMED(SO_PEERGROUPS), NAMED(SO_ZEROCOPY), NAMED(SO_TXTIME), NAMED(SO_BINDTOIFINDEX),
	NAMED(SO_PREFER_BUSY_POLL), NAMED(SO_BUSY_POLL_BUDGET),
};
const struct value_names values_socket_options = ONE_OF(socket_options_rows);

static const struct value_name tcp_options_rows[] = {
	NAMED(TCP_NODELAY), NAMED(TCP_MAXSEG), NAMED(TCP_CORK), NAMED(TCP_KEEPIDLE),
	NAMED(TCP_KEEPINTVL), NAMED(TCP_KEEPCNT), NAMED(TCP_SYNCNT), NAMED(TCP_LINGER2),
	NAMED(TCP_DEFER_ACCEPT), NAMED(TCP_WINDOW_CLAMP), NAMED(TCP_INFO), NAMED(TCP_QUICKACK),
	NAMED(TCP_CONGESTION), NAMED(TCP_MD5SIG), NAMED(TCP_THIN_LINEAR_TIMEOUTS),
	NAMED(TCP_THIN_DUPACK), NAMED(TCP_USER_TIMEOUT), NAMED(TCP_REPAIR), NAMED(TCP_REPAIR_QUEUE),
	NAMED(TCP_QUEUE_SEQ), NAMED(TCP_REPAIR_OPTIONS), NAMED(TCP_FASTOPEN), NAMED(TCP_TIMESTAMP),
	NAMED(TCP_NOTSENT_LOWAT), NAMED(TCP_CC_INFO), NAMED(TCP_SAVE_SYN), NAMED(TCP_SAVED_SYN),
	NAMED(TCP_REPAIR_WINDOW), NAMED(TCP_FASTOPEN_CONNECT), NAMED(TCP_ULP),
	NAMED(TCP_MD5SIG_EXT), NAMED(TCP_FASTOPEN_KEY), NAMED(TCP_FASTOPEN_NO_COOKIE),
	NAMED(TCP_ZEROCOPY_RECEIVE), NAMED(TCP_INQ), NAMED(TCP_TX_DELAY),
};
const struct value_names values_tcp_options = ONE_OF(tcp_options_rows);

static const struct value_name ip_options_rows[] = {
	NAMED(IP_TOS), NAMED(IP_TTL), NAMED(IP_HDRINCL), NAMED(IP_OPTIONS), NAMED(IP_RECVOPTS),
	NAMED(IP_RETOPTS), NAMED(IP_PKTINFO), NAMED(IP_MTU_DISCOVER), NAMED(IP_RECVERR),
	NAMED(IP_RECVTTL), NAMED(IP_RECVTOS), NAMED(IP_MTU), NAMED(IP_FREEBIND),
	NAMED(IP_TRANSPARENT), NAMED(IP_MINTTL), NAMED(IP_BIND_ADDRESS_NO_PORT),
	NAMED(IP_MULTICAST_IF), NAMED(IP_MULTICAST_TTL), NAMED(IP_MULTICAST_LOOP),
	NAMED(IP_ADD_MEMBERSHIP), NAMED(IP_DROP_MEMBERSHIP),
};
const struct value_names values_ip_options = ONE_OF(ip_options_rows);

static const struct value_name ipv6_options_rows[] = {
	NAMED(IPV6_UNICAST_HOPS), NAMED(IPV6_MULTICAST_IF), NAMED(IPV6_MULTICAST_HOPS),
	NAMED(IPV6_MULTICAST_LOOP), NAMED(IPV6_JOIN_GROUP), NAMED(IPV6_LEAVE_GROUP),
	NAMED(IPV6_MTU_DISCOVER), NAMED(IPV6_MTU), NAMED(IPV6_RECVERR), NAMED(IPV6_V6ONLY),
	NAMED(IPV6_RECVPKTINFO), NAMED(IPV6_PKTINFO), NAMED(IPV6_RECVHOPLIMIT),
	NAMED(IPV6_RECVTCLASS), NAMED(IPV6_TCLASS), NAMED(IPV6_FREEBIND),
};
const struct value_names values_ipv6_options = ONE_OF(ipv6_options_rows);

static const struct value_name shutdown_ways_rows[] = {
	NAMED(SHUT_RD), NAMED(SHUT_WR), NAMED(SHUT_RDWR),
};
const struct value_names values_shutdown_ways = ONE_OF(shutdown_ways_rows);

static const struct value_name access_modes_list[] = {
	NAMED(F_OK),
};
static const struct value_name access_modes_bits[] = {
	NAMED(R_OK), NAMED(W_OK), NAMED(X_OK),
};
const struct value_names values_access_modes =
	ONE_AND_BITS(0, access_modes_list, access_modes_bits);

static const struct value_name whences_rows[] = {
	NAMED(SEEK_SET), NAMED(SEEK_CUR), NAMED(SEEK_END), NAMED(SEEK_DATA), NAMED(SEEK_HOLE),
};
const struct value_names values_whences = ONE_OF(whences_rows);

static const struct value_name file_types_rows[] = {
	NAMED(S_IFREG), NAMED(S_IFCHR), NAMED(S_IFBLK), NAMED(S_IFIFO), NAMED(S_IFSOCK),
	NAMED(S_IFDIR), NAMED(S_IFLNK),
};
const struct value_names values_file_types = ONE_OF(file_types_rows);

static const struct value_name fadvices_rows[] = {
	NAMED(POSIX_FADV_NORMAL), NAMED(POSIX_FADV_RANDOM), NAMED(POSIX_FADV_SEQUENTIAL),
	NAMED(POSIX_FADV_WILLNEED), NAMED(POSIX_FADV_DONTNEED), NAMED(POSIX_FADV_NOREUSE),
};
const struct value_names values_fadvices = ONE_OF(fadvices_rows);

static const struct value_name flock_operations_list[] = {
	NAMED(LOCK_SH), NAMED(LOCK_EX), NAMED(LOCK_UN),
};
static const struct value_name flock_operations_bits[] = {
	NAMED(LOCK_NB),
};
const struct value_names values_flock_operations =
	ONE_AND_BITS(~(u32)LOCK_NB, flock_operations_list, flock_operations_bits);

static const struct value_name sync_range_flags_rows[] = {
	NAMED(SYNC_FILE_RANGE_WAIT_BEFORE), NAMED(SYNC_FILE_RANGE_WRITE),
	NAMED(SYNC_FILE_RANGE_WAIT_AFTER),
};
const struct value_names values_sync_range_flags = BITS_OF(sync_range_flags_rows);

static const struct value_name splice_flags_rows[] = {
	NAMED(SPLICE_F_MOVE), NAMED(SPLICE_F_NONBLOCK), NAMED(SPLICE_F_MORE), NAMED(SPLICE_F_GIFT),
};
const struct value_names values_splice_flags = BITS_OF(splice_flags_rows);

static const struct value_name eventfd_flags_rows[] = {
	NAMED(EFD_CLOEXEC), NAMED(EFD_NONBLOCK), NAMED(EFD_SEMAPHORE),
};
const struct value_names values_eventfd_flags = BITS_OF(eventfd_flags_rows);

static const struct value_name clocks_rows[] = {
	NAMED(CLOCK_REALTIME), NAMED(CLOCK_MONOTONIC), NAMED(CLOCK_PROCESS_CPUTIME_ID),
	NAMED(CLOCK_THREAD_CPUTIME_ID), NAMED(CLOCK_MONOTONIC_RAW), NAMED(CLOCK_REALTIME_COARSE),
	NAMED(CLOCK_MONOTONIC_COARSE), NAMED(CLOCK_BOOTTIME), NAMED(CLOCK_REALTIME_ALARM),
	NAMED(CLOCK_BOOTTIME_ALARM), NAMED(CLOCK_TAI),
};
const struct value_names values_clocks = ONE_OF(clocks_rows);

static const struct value_name timer_flags_rows[] = {
	NAMED(TIMER_ABSTIME),
};
const struct value_names values_timer_flags = BITS_OF(timer_flags_rows);

static const struct value_name timers_rows[] = {
	NAMED(ITIMER_REAL), NAMED(ITIMER_VIRTUAL), NAMED(ITIMER_PROF),
};
const struct value_names values_timers = ONE_OF(timers_rows);

static const struct value_name wait_flags_rows[] = {
	NAMED(WNOHANG), NAMED(WSTOPPED), NAMED(WEXITED), NAMED(WCONTINUED), NAMED(WNOWAIT),
	NAMED(__WNOTHREAD), NAMED(__WALL), NAMED(__WCLONE),
};
const struct value_names values_wait_flags = BITS_OF(wait_flags_rows);

static const struct value_name wait_kinds_rows[] = {
	NAMED(P_ALL), NAMED(P_PID), NAMED(P_PGID), NAMED(P_PIDFD),
};
const struct value_names values_wait_kinds = ONE_OF(wait_kinds_rows);

static const struct value_name limits_rows[] = {
	NAMED(RLIMIT_CPU), NAMED(RLIMIT_FSIZE), NAMED(RLIMIT_DATA), NAMED(RLIMIT_STACK),
	NAMED(RLIMIT_CORE), NAMED(RLIMIT_RSS), NAMED(RLIMIT_NPROC), NAMED(RLIMIT_NOFILE),
	NAMED(RLIMIT_MEMLOCK), NAMED(RLIMIT_AS), NAMED(RLIMIT_LOCKS), NAMED(RLIMIT_SIGPENDING),
	NAMED(RLIMIT_MSGQUEUE), NAMED(RLIMIT_NICE), NAMED(RLIMIT_RTPRIO), NAMED(RLIMIT_RTTIME),
};
const struct value_names values_limits = ONE_OF(limits_rows);

static const struct value_name priority_kinds_rows[] = {
	NAMED(PRIO_PROCESS), NAMED(PRIO_PGRP), NAMED(PRIO_USER),
};
const struct value_names values_priority_kinds = ONE_OF(priority_kinds_rows);

static const struct value_name usage_kinds_rows[] = {
	NAMED(RUSAGE_SELF), NAMED(RUSAGE_CHILDREN), NAMED(RUSAGE_THREAD),
};
const struct value_names values_usage_kinds = ONE_OF(usage_kinds_rows);

static const struct value_name signal_ways_rows[] = {
	NAMED(SIG_BLOCK), NAMED(SIG_UNBLOCK), NAMED(SIG_SETMASK),
};
const struct value_names values_signal_ways = ONE_OF(signal_ways_rows);

static const struct value_name umount_flags_rows[] = {
	NAMED(MNT_FORCE), NAMED(MNT_DETACH), NAMED(MNT_EXPIRE), NAMED(UMOUNT_NOFOLLOW),
};
const struct value_names values_umount_flags = BITS_OF(umount_flags_rows);

static const struct value_name ptrace_commands_rows[] = {
	NAMED(PTRACE_TRACEME), NAMED(PTRACE_PEEKTEXT), NAMED(PTRACE_PEEKDATA),
	NAMED(PTRACE_PEEKUSER), NAMED(PTRACE_POKETEXT), NAMED(PTRACE_POKEDATA),
	NAMED(PTRACE_POKEUSER), NAMED(PTRACE_CONT), NAMED(PTRACE_KILL), NAMED(PTRACE_SINGLESTEP),
	NAMED(PTRACE_ATTACH), NAMED(PTRACE_DETACH), NAMED(PTRACE_SYSCALL), NAMED(PTRACE_SETOPTIONS),
	NAMED(PTRACE_GETEVENTMSG), NAMED(PTRACE_GETSIGINFO), NAMED(PTRACE_SETSIGINFO),
	NAMED(PTRACE_GETREGSET), NAMED(PTRACE_SETREGSET), NAMED(PTRACE_SEIZE),
	NAMED(PTRACE_INTERRUPT), NAMED(PTRACE_LISTEN), NAMED(PTRACE_PEEKSIGINFO),
	NAMED(PTRACE_GETSIGMASK), NAMED(PTRACE_SETSIGMASK), NAMED(PTRACE_SECCOMP_GET_FILTER),
	NAMED(PTRACE_SECCOMP_GET_METADATA), NAMED(PTRACE_GET_SYSCALL_INFO),
	NAMED(PTRACE_GET_RSEQ_CONFIGURATION),
};
const struct value_names values_ptrace_commands = ONE_OF(ptrace_commands_rows);
