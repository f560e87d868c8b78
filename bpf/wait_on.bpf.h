/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the descriptors are that a thread sleeps on (bpf/wait_on.h). Looked at when it leaves its
 * CPU: afterwards the answer that it waited for is there. Bounded: so many descriptors of a set,
 * and large sets are looked at again after a while only.
 *
 * Nothing is locked. A set or socket that changes meanwhile is misread, never followed beyond
 * what bpf_probe_read_kernel allows.
 */
#ifndef BPF_WAIT_ON_BPF_H
#define BPF_WAIT_ON_BPF_H

#include "bpf/sched_kernel.bpf.h"
#include "bpf/wait_on.h"

#define ON_FDS	    8 /* of a set, a power of two */
#define ON_AGAIN_NS 4000000

struct wait_on_scratch {
	u64 todo[2 * ON_FDS]; /* nodes of an epoll's tree; only the first half is used */
	u32 n;
};

PERCPU_MAP(wait_on_scratch, 2, struct wait_on_scratch); /* the switch's, the iterator's */

/* --- sockets --- */

#define AF_UNIX	       1
#define AF_INET	       2
#define AF_INET6       10
#define SOCK_STREAM    1
#define SOCK_DGRAM     2
#define IPPROTO_TCP    6
#define STATE_OPEN     1 /* TCP_ESTABLISHED, and a connected datagram socket */
#define STATE_SYN_SENT 2
#define STATE_LISTEN   10
#define BOUND_TO_PORT  8 /* SOCK_BINDPORT_LOCK */

/*
 * This side sent last. Times are in jiffies; in one of them the window tells: what was received
 * since something was sent has not been acknowledged yet.
 */
static __always_inline bool sent_last(struct tcp_sock *tp)
{
	s32 later =
		(s32)(BPF_CORE_READ(tp, lsndtime) - BPF_CORE_READ(tp, inet_conn.icsk_ack.lrcvtime));

	return later > 0 || (!later && BPF_CORE_READ(tp, rcv_nxt) == BPF_CORE_READ(tp, rcv_wup));
}

/* A port that connect() chose is marked so; that of a listener, which what it accepts shares, is
 * not. */
static __always_inline bool has_connected(struct tcp_sock *tp)
{
	struct inet_bind_bucket *b = BPF_CORE_READ(tp, inet_conn.icsk_bind_hash);

	return b && BPF_CORE_READ(b, fastreuse) < 0;
}

static __always_inline u32 tcp__on(struct tcp_sock *tp, u32 state)
{
	if (state == STATE_LISTEN)
		return ON_LISTENER;
	if (state == STATE_SYN_SENT)
		return ON_REQUEST;
	if (has_connected(tp))
		return sent_last(tp) ? ON_REQUEST : ON_REPLIED;
	return sent_last(tp) ? ON_ANSWERED : ON_UNANSWERED;
}

static __always_inline u32 datagram__on(struct sock *sk, u32 state)
{
	if (state == STATE_OPEN)
		return ON_REQUEST;
	return BPF_CORE_READ_BITFIELD_PROBED(sk, sk_userlocks) & BOUND_TO_PORT ? ON_LISTENER
									       : ON_SOCKET;
}

/* What was accepted has its listener's address. */
static __always_inline u32 local__on(struct unix_sock *u, u32 type, u32 state)
{
	struct unix_sock *peer = (void *)BPF_CORE_READ(u, peer);
	bool named = BPF_CORE_READ(u, addr) != NULL;

	if (state == STATE_LISTEN)
		return ON_LISTENER;
	if (type == SOCK_DGRAM)
		return named && !peer ? ON_LISTENER : ON_SOCKET;
	if (named)
		return ON_ANSWERED;
	return peer && BPF_CORE_READ(peer, addr) ? ON_CLIENT : ON_SOCKET;
}

__noinline u32 socket__on(u64 socket)
{
	struct socket *s = (void *)socket;
	struct sock *sk = BPF_CORE_READ(s, sk);
	u32 family, type, state;

	if (!sk)
		return ON_SOCKET;
	family = BPF_CORE_READ(sk, __sk_common.skc_family);
	state = BPF_CORE_READ(sk, __sk_common.skc_state);
	type = (u16)BPF_CORE_READ(s, type);
	if (family == AF_UNIX)
		return local__on((void *)sk, type, state);
	if (family != AF_INET && family != AF_INET6)
		return ON_SOCKET;
	if (type == SOCK_STREAM && (u16)BPF_CORE_READ(sk, sk_protocol) == IPPROTO_TCP)
		return tcp__on((void *)sk, state);
	return type == SOCK_DGRAM ? datagram__on(sk, state) : ON_SOCKET;
}

/* --- files --- */

#define FILE_TYPE(mode) ((mode)&0170000)
#define FILE_SOCKET	0140000
#define FILE_FIFO	0010000
#define FILE_CHAR	0020000
#define FILE_REGULAR	0100000

static __always_inline bool is_terminal(u32 rdev)
{
	u32 major = rdev >> 20;

	return major == 4 || major == 5 || (major >= 136 && major <= 143) || major == 204 ||
	       major == 229;
}

__noinline u32 file__on(u64 file)
{
	struct file *f = (void *)file;
	struct inode *inode = BPF_CORE_READ(f, f_inode);

	if (!inode)
		return 0;
	switch (FILE_TYPE(BPF_CORE_READ(inode, i_mode))) {
	case FILE_SOCKET:
		return socket__on((u64)BPF_CORE_READ(f, private_data));
	case FILE_FIFO:
		return ON_PIPE;
	case FILE_CHAR:
		return is_terminal(BPF_CORE_READ(inode, i_rdev)) ? ON_TTY : ON_FILE;
	case FILE_REGULAR: /* others cannot be polled */
	case 0:
		return ON_EVENT;
	default:
		return ON_FILE;
	}
}

/* The file of a descriptor, as a number; 0: none. */
__noinline u64 file_of(u64 task_at, u32 fd)
{
	struct task_struct *task = (void *)task_at;
	struct fdtable *t = BPF_CORE_READ((struct task_struct___files *)task, files, fdt);
	struct file **files, *f = NULL;

	if (!t || fd >= BPF_CORE_READ(t, max_fds))
		return 0;
	files = BPF_CORE_READ(t, fd);
	bpf_probe_read_kernel(&f, sizeof(f), files + fd);
	return (u64)f;
}

/* --- sets --- */

static __always_inline void todo__push(struct wait_on_scratch *s, struct rb_node *node)
{
	if (node && s->n < ON_FDS)
		s->todo[s->n++ & (2 * ON_FDS - 1)] = (u64)node;
}

__noinline u32 epoll__on(u64 file, u32 slot)
{
	struct wait_on_scratch *s = bpf_map_lookup_elem(&wait_on_scratch, &slot);
	struct file *f = (void *)file;
	struct eventpoll *ep = BPF_CORE_READ(f, private_data);
	u32 on = ON_LOOKED, n = 0;

	if (!s || !ep)
		return 0;
	s->n = 0;
	todo__push(s, BPF_CORE_READ(ep, rbr.rb_root.rb_node));
	for (u32 i = 0; i < ON_FDS && s->n; i++) {
		struct epitem *item = (void *)s->todo[--s->n & (2 * ON_FDS - 1)];

		on |= file__on((u64)BPF_CORE_READ(item, ffd.file));
		todo__push(s, BPF_CORE_READ(item, rbn.rb_left));
		todo__push(s, BPF_CORE_READ(item, rbn.rb_right));
		n++;
	}
	if (!n)
		on |= ON_NONE;
	if (n > 1)
		on |= ON_MANY;
	if (s->n)
		on |= ON_MORE;
	return on;
}

struct pollfd_user {
	s32 fd;
	u16 events, revents;
};

#define POLL_FDS 4

static __always_inline u32 of_so_many(u32 n)
{
	u32 on = n ? ON_LOOKED : ON_LOOKED | ON_NONE;

	if (n > 1)
		on |= ON_MANY;
	return n > POLL_FDS ? on | ON_MORE : on;
}

__noinline u32 poll__on(u64 task, u64 fds, u32 n)
{
	struct pollfd_user p[POLL_FDS] = {};
	u32 on = of_so_many(n);

	if (n && bpf_probe_read_user(p, n < POLL_FDS ? n * sizeof(*p) : sizeof(p), (void *)fds))
		return 0;
	for (u32 i = 0; i < POLL_FDS && i < n; i++)
		if (p[i].fd >= 0)
			on |= file__on(file_of(task, p[i].fd));
	return on;
}

/* Only what is waited for to be read. */
__noinline u32 select__on(u64 task, u64 set, u32 n)
{
	u32 on = ON_LOOKED, found = 0;
	u64 bits = 0;

	if (!set || bpf_probe_read_user(&bits, sizeof(bits), (void *)set))
		return set || n ? 0 : ON_LOOKED | ON_NONE;
	if (n < 64)
		bits &= (1ULL << n) - 1;
	for (; found < POLL_FDS && bits; found++, bits &= bits - 1)
		on |= file__on(file_of(task, hist__bit(bits & -bits)));
	if (bits)
		found++;
	if (found > 1)
		on |= ON_MANY;
	if (found > POLL_FDS || n > 64)
		on |= ON_MORE;
	return found ? on : 0;
}

/* Calls that wait for one descriptor, which has to be a socket. */
__noinline u32 socket_of(u64 task, u32 fd)
{
	u64 file = file_of(task, fd);
	u32 on = file ? file__on(file) : 0;

	return on & ~(ON_PIPE | ON_TTY | ON_EVENT | ON_FILE) ? on | ON_LOOKED : 0;
}

/* a, b: the call's first arguments. slot: 0 the thread leaves now and is current, 1 it sleeps: its
 * memory cannot be read. */
__noinline u32 call__on(u64 task, u32 syscall, u64 a, u64 b, u32 slot)
{
	switch (syscall) {
#ifdef WAIT_CALL_EPOLL_WAIT
	case WAIT_CALL_EPOLL_WAIT:
#endif
	case WAIT_CALL_EPOLL_PWAIT:
	case WAIT_CALL_EPOLL_PWAIT2:
		a = file_of(task, a);
		return a ? epoll__on(a, slot & 1) : 0;
#ifdef WAIT_CALL_POLL
	case WAIT_CALL_POLL:
#endif
	case WAIT_CALL_PPOLL:
		return slot ? 0 : poll__on(task, a, b);
#ifdef WAIT_CALL_SELECT
	case WAIT_CALL_SELECT:
#endif
	case WAIT_CALL_PSELECT6:
		return slot ? 0 : select__on(task, b, a);
	case WAIT_CALL_READ:
	case WAIT_CALL_READV:
	case WAIT_CALL_RECVFROM:
	case WAIT_CALL_RECVMSG:
	case WAIT_CALL_RECVMMSG:
		return socket_of(task, a);
	default:
		return 0;
	}
}

static __always_inline u32 task__on(struct task_struct *task, u32 syscall, u32 slot)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);

	return call__on(as_number(task), syscall, REGS_ARG1(regs), REGS_ARG2(regs), slot);
}

#endif
