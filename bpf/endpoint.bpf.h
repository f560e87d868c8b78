/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets: the kernel's types, iterators over them, and their ends as labels (bpf/endpoint.h). */
#ifndef BPF_ENDPOINT_BPF_H
#define BPF_ENDPOINT_BPF_H

#include <bpf/bpf_endian.h>

#include "bpf/endpoint.h"
#include "bpf/measure_names.bpf.h"

#define AF_INET	 2
#define AF_INET6 10
#define HEX_V6	 32

struct ns_common {
	unsigned int inum;
} KERNEL_TYPE;

struct net {
	struct ns_common ns;
} KERNEL_TYPE;

typedef struct {
	struct net *net;
} KERNEL_TYPE possible_net_t;

struct in6_addr {
	u8 bytes[16];
};

struct sock_common {
	u32 skc_daddr, skc_rcv_saddr;
	u16 skc_dport, skc_num;
	unsigned short skc_family;
	volatile unsigned char skc_state;
	unsigned long skc_flags;
	possible_net_t skc_net;
	struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} KERNEL_TYPE;

struct socket;
struct pid;

struct sock {
	struct sock_common __sk_common;
	atomic_t sk_drops;
	struct socket *sk_socket;
	u16 sk_type, sk_protocol;
	int sk_err;
	struct pid *sk_peer_pid;
} KERNEL_TYPE;

struct socket {
	struct sock *sk;
} KERNEL_TYPE;

struct inet_sock {
	u16 inet_sport;
} KERNEL_TYPE;

struct file;

struct bpf_iter__task_file {
	struct bpf_iter_meta *meta;
	struct task_struct *task;
	u32 fd;
	struct file *file;
} KERNEL_TYPE;

struct bpf_iter__bpf_sk_storage_map {
	struct bpf_iter_meta *meta;
	struct sock *sk;
} KERNEL_TYPE;

static __always_inline char hex(u8 n)
{
	return n < 10 ? '0' + n : 'a' + n - 10;
}

static __always_inline void name__address(const u8 *bytes, u32 label, u64 endpoint, u32 slot, u64 now,
					  struct measure_stats *st)
{
	struct measure_name *n;

	if (!name__is_due(label, endpoint, now, 0))
		return;
	n = name__begin(slot);
	if (!n)
		return;
	for (u32 i = 0; i < HEX_V6 / 2; i++) {
		n->text[2 * i] = hex(bytes[i] >> 4);
		n->text[2 * i + 1] = hex(bytes[i] & 15);
	}
	name__send(n, label, endpoint, HEX_V6, now, st);
}

static __always_inline bool is_v4(const u64 *words)
{
	return !words[0] && (u32)words[1] == bpf_htonl(0xffff);
}

/* Of a socket of IPv6, which may be used for IPv4. */
static __noinline u64 endpoint__v6(const u64 *words, u64 port, u32 label, u32 slot)
{
	struct measure_stats *st = stats__get();
	u64 h, endpoint;

	if (is_v4(words))
		return ENDPOINT_V4 | port << ENDPOINT_PORT_SHIFT | words[1] >> 32;
	h = hash_finish(hash_step(hash_step(0, words[0]), words[1]));
	endpoint = ENDPOINT_V6 | (h & ~(ENDPOINT_UNIX | 0xffffULL << ENDPOINT_PORT_SHIFT)) | port << ENDPOINT_PORT_SHIFT;
	if (st)
		name__address((const u8 *)words, label, endpoint, slot, bpf_ktime_get_ns(), st);
	return endpoint;
}

static __always_inline u64 endpoint__local(struct sock *sk, u32 label, u32 slot)
{
	u64 port = bpf_ntohs(BPF_CORE_READ((struct inet_sock *)sk, inet_sport)), words[2];

	if (sk->__sk_common.skc_family != AF_INET6)
		return ENDPOINT_V4 | port << ENDPOINT_PORT_SHIFT | sk->__sk_common.skc_rcv_saddr;
	bpf_core_read(words, sizeof(words), &sk->__sk_common.skc_v6_rcv_saddr);
	return endpoint__v6(words, port, label, slot);
}

static __always_inline u64 endpoint__remote(struct sock *sk, u32 label, u32 slot)
{
	u64 port = bpf_ntohs(sk->__sk_common.skc_dport), words[2];

	if (sk->__sk_common.skc_family != AF_INET6)
		return ENDPOINT_V4 | port << ENDPOINT_PORT_SHIFT | sk->__sk_common.skc_daddr;
	bpf_core_read(words, sizeof(words), &sk->__sk_common.skc_v6_daddr);
	return endpoint__v6(words, port, label, slot);
}

#endif
