/* SPDX-License-Identifier: GPL-2.0-only */
/* What of files and sockets tells what a thread waits on; as in bpf/kernel.bpf.h. */
#ifndef BPF_SCHED_KERNEL_BPF_H
#define BPF_SCHED_KERNEL_BPF_H

#include "bpf/kernel.bpf.h"

struct inode {
	unsigned short i_mode;
	u32 i_rdev;
} KERNEL_TYPE;

struct file {
	void *private_data;
	struct inode *f_inode;
} KERNEL_TYPE;

struct rb_node {
	struct rb_node *rb_right, *rb_left;
} KERNEL_TYPE;

struct rb_root {
	struct rb_node *rb_node;
} KERNEL_TYPE;

struct rb_root_cached {
	struct rb_root rb_root;
} KERNEL_TYPE;

struct eventpoll {
	struct rb_root_cached rbr; /* of struct epitem */
} KERNEL_TYPE;

struct epoll_filefd {
	struct file *file;
} KERNEL_TYPE;

struct epitem {
	struct rb_node rbn; /* first, so that its address is the item's */
	struct epoll_filefd ffd;
} KERNEL_TYPE;

struct sock_common {
	unsigned short skc_family;
	volatile unsigned char skc_state;
} KERNEL_TYPE;

struct sock {
	struct sock_common __sk_common;
	unsigned char sk_userlocks : 4;
	u16 sk_protocol;
} KERNEL_TYPE;

struct socket {
	short type;
	struct sock *sk;
} KERNEL_TYPE;

struct inet_bind_bucket {
	signed char fastreuse;
} KERNEL_TYPE;

struct inet_connection_sock {
	struct inet_bind_bucket *icsk_bind_hash;
	struct {
		u32 lrcvtime; /* data came, jiffies */
	} icsk_ack;
} KERNEL_TYPE;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u32 lsndtime; /* data was sent, jiffies */
	u32 rcv_nxt;  /* the sequence number that is expected next ... */
	u32 rcv_wup;  /* ... and that was when something was sent last */
} KERNEL_TYPE;

struct unix_sock {
	void *addr;
	struct sock *peer;
} KERNEL_TYPE;

struct task_struct___files {
	struct files_struct *files;
} KERNEL_TYPE;

/* Numbers of system calls, of the machine that runs the program. */
#if defined(__TARGET_ARCH_x86)
#define REGS_ARG1(r)	      ((r)->di)
#define WAIT_CALL_READ	      0
#define WAIT_CALL_READV	      19
#define WAIT_CALL_POLL	      7
#define WAIT_CALL_PPOLL	      271
#define WAIT_CALL_SELECT      23
#define WAIT_CALL_PSELECT6    270
#define WAIT_CALL_EPOLL_WAIT  232
#define WAIT_CALL_EPOLL_PWAIT 281
#define WAIT_CALL_RECVFROM    45
#define WAIT_CALL_RECVMSG     47
#define WAIT_CALL_RECVMMSG    299
#define WAIT_CALL_FUTEX	      202
#elif defined(__TARGET_ARCH_arm64)
#define REGS_ARG1(r)	      ((r)->orig_x0)
#define WAIT_CALL_READ	      63
#define WAIT_CALL_READV	      65
#define WAIT_CALL_PPOLL	      73
#define WAIT_CALL_PSELECT6    72
#define WAIT_CALL_EPOLL_PWAIT 22
#define WAIT_CALL_RECVFROM    207
#define WAIT_CALL_RECVMSG     212
#define WAIT_CALL_RECVMMSG    243
#define WAIT_CALL_FUTEX	      98
#endif
#define WAIT_CALL_EPOLL_PWAIT2 441

#endif
