// SPDX-License-Identifier: GPL-2.0-only
/*
 * What threads send and receive by sockets of any kind, counted where the calls return, and datagrams for which
 * a socket's queue had no room. Such a one comes in an interrupt: each socket has a storage that knows whose it
 * is. Of a socket that nobody has used yet the storage keeps the drops until an iterator has found its owner.
 */
#include "bpf/sockets.h"
#include "bpf/measure.bpf.h"
#include "bpf/endpoint.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define AF_UNIX	     1
#define OF_PROCESS   1 /* PIDTYPE_TGID */
#define TYPE_STREAM  1
#define TYPE_DGRAM   2
#define PEEK	     2	  /* MSG_PEEK */
#define PATH_MAX_UN  108
#define PATH_AT	     2	  /* of sun_path in struct sockaddr_un */
#define LOOPBACK_NET 127
#define PEER_EVERY   1000000000ULL /* the peer of a socket is looked for again */
#define PEER_KEEP    (3 * PEER_EVERY)
#define PEER_TRIES   16
#define NAME_KEEP    (5 * 1000000000ULL) /* a process may be renamed */

/* --- the kernel's types --- */

struct sockaddr_un {
	char sun_path[PATH_MAX_UN];
} KERNEL_TYPE;

struct unix_address {
	int len;
	struct sockaddr_un name[];
} KERNEL_TYPE;

struct unix_sock {
	struct unix_address *addr;
	struct sock *peer;
} KERNEL_TYPE;

/* On Linux 4.19 and newer. */
struct task_struct___links {
	struct hlist_node pid_links[4];
} KERNEL_TYPE;

/* --- what is known of a socket --- */

struct owner {
	struct measure_who who; /* tid 0: nobody has used it */
	u64 dropped;		/* before that was known */
	u64 peer_ns;		/* when its peer was looked for */
	u32 peer, tries;
	struct {
		u64 of, endpoint; /* what is known of an address in memory */
	} local, remote;
};

SOCKET_MAP(owners, 0, struct owner);

volatile u32 orphans = 0; /* some have drops and no owner: user space is to look for them */

/* Who has one end of what is connected to another one on this machine. */
struct end {
	u64 at_ns;
	u32 tgid, pad;
	char comm[16];
};

LRU_MAP(ends, 16384, u64, struct end);

/* --- unix sockets --- */

struct path_words {
	u64 w[PATH_MAX_UN / 8 + 1];
};

/* A global function, so that it is checked once. */
__noinline u64 path__endpoint(u64 address, u32 label, u32 slot)
{
	struct unix_address *a = (void *)address;
	struct measure_stats *st = stats__get();
	struct measure_name *n = name__begin(slot & 1);
	u64 endpoint = ENDPOINT_UNIX, now = bpf_ktime_get_ns();
	u32 len = BPF_CORE_READ(a, len) - PATH_AT;
	struct path_words *words;

	if (!n || !st)
		return 0;
	words = (void *)n->text;
	__builtin_memset(words, 0, sizeof(*words));
	if (len > PATH_MAX_UN)
		return 0;
	bpf_probe_read_kernel(words, len, a->name[0].sun_path);
	for (u32 i = 0; i < PATH_MAX_UN / 8 + 1; i++)
		endpoint = hash_step(endpoint, words->w[i]);
	endpoint = ENDPOINT_UNIX | (hash_finish(endpoint) & (ENDPOINT_UNIX - 1));
	if (!n->text[0])
		n->text[0] = '@'; /* of the abstract namespace */
	if (name__is_due(label, endpoint, now, 0))
		name__send(n, label, endpoint, len, now, st);
	return endpoint;
}

static __always_inline u64 unix__address(struct sock *sk)
{
	return sk ? (u64)BPF_CORE_READ((struct unix_sock *)sk, addr) : 0;
}

static __always_inline void unix__find_ends(struct owner *o, struct sock *sk, u32 slot)
{
	u64 local = unix__address(sk), remote = unix__address(BPF_CORE_READ((struct unix_sock *)sk, peer));

	if (local != o->local.of)
		o->local.endpoint = local ? path__endpoint(local, SOCKETS_LABEL_LOCAL, slot) : 0;
	if (remote != o->remote.of)
		o->remote.endpoint = remote ? path__endpoint(remote, SOCKETS_LABEL_REMOTE, slot) : 0;
	o->local.of = local;
	o->remote.of = remote;
}

/* --- ends --- */

static __always_inline bool is_inet(struct sock *sk)
{
	return sk->__sk_common.skc_family == AF_INET || sk->__sk_common.skc_family == AF_INET6;
}

static __always_inline void owner__find_ends(struct owner *o, struct sock *sk, u32 slot)
{
	if (sk->__sk_common.skc_family == AF_UNIX) {
		unix__find_ends(o, sk, slot);
	} else if (is_inet(sk)) {
		o->local.endpoint = endpoint__local(sk, SOCKETS_LABEL_LOCAL, slot);
		o->remote.endpoint = sk->__sk_common.skc_dport
					     ? endpoint__remote(sk, SOCKETS_LABEL_REMOTE, slot)
					     : 0;
	}
}

/* Those of the loopback are of their own namespace; others meet whatever namespace they are in. */
static __always_inline u64 pair__key(struct sock *sk, u64 from, u64 to)
{
	u64 netns = (u8)from == LOOPBACK_NET ? sk->__sk_common.skc_net.net->ns.inum : 0;

	return hash_finish(hash_step(hash_step(netns, from), to));
}

static __always_inline void name__process(u32 tgid, const char *comm, u64 now, struct measure_stats *st)
{
	struct measure_name *n;

	if (!tgid || !name__is_due(SOCKETS_LABEL_PEER, tgid, now, NAME_KEEP))
		return;
	n = name__begin(NAME_OF_TASK);
	if (!n)
		return;
	__builtin_memcpy(n->text, comm, 16);
	n->text[15] = '\0';
	name__send(n, SOCKETS_LABEL_PEER, tgid, 15, now, st);
}

/* Says who has this end, and asks who has the other one. */
static __always_inline void inet__find_peer(struct owner *o, struct sock *sk, struct task_struct *task, u64 now,
					    struct measure_stats *st)
{
	struct end end = {.at_ns = now, .tgid = task->tgid}, *other;
	u64 key = pair__key(sk, o->local.endpoint, o->remote.endpoint);

	BPF_CORE_READ_STR_INTO(&end.comm, task, group_leader, comm);
	bpf_map_update_elem(&ends, &key, &end, BPF_ANY);
	if (!o->remote.endpoint)
		return;
	key = pair__key(sk, o->remote.endpoint, o->local.endpoint);
	other = bpf_map_lookup_elem(&ends, &key);
	if (!other) { /* a server of datagrams need not be connected */
		key = pair__key(sk, o->remote.endpoint, 0);
		other = bpf_map_lookup_elem(&ends, &key);
	}
	o->peer = other && now - other->at_ns < PEER_KEEP ? other->tgid : 0;
	if (o->peer)
		name__process(o->peer, other->comm, now, st);
}

/* The kernel keeps who connected, and who called listen. */
static __always_inline void unix__find_peer(struct owner *o, struct sock *sk, u64 now, struct measure_stats *st)
{
	struct pid *pid = sk->sk_peer_pid;
	struct task_struct *task;
	u64 links, link;
	char comm[16];

	o->peer = pid ? BPF_CORE_READ(pid, numbers[0].nr) : 0;
	link = o->peer ? (u64)BPF_CORE_READ(pid, tasks[OF_PROCESS].first) : 0;
	if (!link) /* it has ended */
		return;
	links = bpf_core_field_offset(struct task_struct___links, pid_links[OF_PROCESS]);
	task = (void *)(link - links);
	BPF_CORE_READ_STR_INTO(&comm, task, comm);
	name__process(o->peer, comm, now, st);
}

static __always_inline void owner__find_peer(struct owner *o, struct sock *sk, struct task_struct *task, u64 now,
					     struct measure_stats *st)
{
	if (o->peer_ns && now - o->peer_ns < PEER_EVERY && (o->peer || o->tries >= PEER_TRIES))
		return;
	o->tries = now - o->peer_ns < PEER_EVERY ? o->tries + 1 : 0;
	o->peer_ns = now;
	if (sk->__sk_common.skc_family == AF_UNIX)
		unix__find_peer(o, sk, now, st);
	else if (is_inet(sk))
		inet__find_peer(o, sk, task, now, st);
}

/* --- cells --- */

/* The port that both ends agree on is the server's, which is the lower one as a rule. */
static __always_inline u64 service_of(const struct owner *o, struct sock *sk)
{
	u64 local = ENDPOINT_PORT(o->local.endpoint), remote = ENDPOINT_PORT(o->remote.endpoint);

	if (!is_inet(sk))
		return 0;
	return remote && remote < local ? remote : local;
}

static __always_inline void owner__labels(const struct owner *o, struct sock *sk, u64 direction, u32 error,
					  u64 *labels)
{
	u64 family = sk->__sk_common.skc_family;

	labels[SOCKETS_LABEL_LOCAL] = o->local.endpoint;
	labels[SOCKETS_LABEL_REMOTE] = o->remote.endpoint;
	labels[SOCKETS_LABEL_KIND] = sk->sk_protocol | family << SOCKETS_FAMILY_SHIFT |
				     (u64)(u8)sk->sk_type << SOCKETS_TYPE_SHIFT |
				     (u64)(u8)error << SOCKETS_ERROR_SHIFT |
				     service_of(o, sk) << SOCKETS_SERVICE_SHIFT |
				     direction << SOCKETS_DIRECTION_SHIFT;
	labels[SOCKETS_LABEL_PEER] = o->peer;
}

/* Where there is no room for what is between two ends, all that a process does by a kind of sockets is one. */
static __always_inline void labels__fold(u64 *labels)
{
	labels[SOCKETS_LABEL_LOCAL] = labels[SOCKETS_LABEL_REMOTE] = ENDPOINT_OTHERS;
	labels[SOCKETS_LABEL_PEER] = 0;
}

static __always_inline struct measure_cell *cell__or_rest(struct measure_cell *c, u32 half,
							  struct measure_stats *st)
{
	if (c) {
		st->folded++;
		return c;
	}
	st->full++;
	return rest__get(half);
}

static __noinline struct measure_cell *task__cell(struct task_struct *task, u64 *labels, struct measure_stats *st)
{
	u32 half = active != 0, at;
	struct measure_cell *c = cell__find(task, half, labels, 0, room_for_threads(), &at);

	if (c)
		return c;
	labels__fold(labels);
	return cell__or_rest(cell__find(task, half, labels, 0, cell_mask, &at), half, st);
}

/* --- calls --- */

static __always_inline int transfer(struct sock *sk, s32 ret, u32 direction)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS], now, bytes = ret > 0 ? ret : 0;
	struct measure_cell *c;
	struct owner *o;

	if (!st || !sk)
		return 0;
	now = run__begin(st);
	if (!measure__task(task, st) || !measure__is_here(NULL))
		goto out;
	o = bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!o) {
		st->tasks_full++;
		goto out;
	}
	if (!o->who.tid || (direction == SOCKETS_RECEIVED && o->who.tgid != (u32)task->tgid))
		who__fill(&o->who, task); /* who reads is whose queue it is */
	owner__find_ends(o, sk, NAME_OF_TASK);
	owner__find_peer(o, sk, task, now, st);
	owner__labels(o, sk, direction, ret < 0 ? -ret : 0, labels);
	if (!labels__pass(labels))
		goto out;
	st->count++;
	c = task__cell(task, labels, st);
	if (!c)
		goto out;
	cell__add(c, bytes, value__bucket(bytes), ret < 0);
	cell__add_to(&c->sums[direction], bytes);
out:
	run__end(st, now);
	return 0;
}

SEC("tp_btf/sock_send_length")
int sockets_send(u64 *ctx)
{
	return transfer((struct sock *)ctx[0], (s32)ctx[1], SOCKETS_SENT);
}

SEC("tp_btf/sock_recv_length")
int sockets_receive(u64 *ctx)
{
	if ((u32)ctx[2] & PEEK)
		return 0;
	return transfer((struct sock *)ctx[0], (s32)ctx[1], SOCKETS_RECEIVED);
}

/*
 * Before Linux 6.3, which has the tracepoints: what sock_sendmsg() and sock_recvmsg() call, since those are inlined
 * where system calls use them. Not those of families that are modules.
 */
static __always_inline int transfer_by(struct socket *socket, s32 ret, u32 direction, u32 type)
{
	struct sock *sk = socket->sk;

	return sk && (!type || sk->sk_type == type) ? transfer(sk, ret, direction) : 0;
}

/* type: 0, or what others that call the same functions are not. */
#define CALLS(family, type)                                                                    \
	SEC("fexit/" #family "_sendmsg")                                                       \
	int sent_by_##family(u64 *ctx)                                                         \
	{                                                                                      \
		return transfer_by((void *)ctx[0], (s32)ctx[3], SOCKETS_SENT, type);           \
	}                                                                                      \
	SEC("fexit/" #family "_recvmsg")                                                       \
	int got_by_##family(u64 *ctx)                                                          \
	{                                                                                      \
		if ((u32)ctx[3] & PEEK)                                                        \
			return 0;                                                              \
		return transfer_by((void *)ctx[0], (s32)ctx[4], SOCKETS_RECEIVED, type);       \
	}

CALLS(inet, 0)
CALLS(inet6, 0)
CALLS(unix_stream, 0)
CALLS(unix_dgram, TYPE_DGRAM) /* those of SOCK_SEQPACKET call these */
CALLS(unix_seqpacket, 0)
CALLS(netlink, 0)

/* Before Linux 6.5, where sendfile() and splice() send as others do. */
SEC("fexit/inet_sendpage")
int sent_by_page(u64 *ctx)
{
	return transfer_by((void *)ctx[0], (s32)ctx[5], SOCKETS_SENT, 0);
}

/* --- full queues --- */

static __noinline int owner__count_drops(struct owner *o, struct sock *sk, u64 n, u32 slot)
{
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS];
	u32 half = active != 0;
	struct measure_cell *c;

	if (!st || !n)
		return 0;
	owner__find_ends(o, sk, slot);
	owner__labels(o, sk, SOCKETS_FULL, 0, labels);
	if (!labels__pass(labels))
		return 0;
	c = cell__of_whom(&o->who, labels, half, room_for_threads());
	if (!c) {
		labels__fold(labels);
		c = cell__or_rest(cell__of_whom(&o->who, labels, half, cell_mask), half, st);
	}
	if (c)
		__sync_fetch_and_add(&c->sums[SOCKETS_DROPS], n); /* packets come on any CPU */
	return 0;
}

static __always_inline int drop(struct sock *sk)
{
	struct measure_stats *st = stats__get();
	struct owner *o;
	u64 now;

	if (!st || !sk)
		return 0;
	now = run__begin(st);
	o = bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!o) {
		st->tasks_full++;
	} else if (o->who.tid) {
		owner__count_drops(o, sk, 1, NAME_OF_TASK);
	} else {
		__sync_fetch_and_add(&o->dropped, 1);
		orphans = 1;
	}
	run__end(st, now);
	return 0;
}

SEC("tp_btf/udp_fail_queue_rcv_skb")
int sockets_udp_full(u64 *ctx)
{
	return drop((struct sock *)ctx[1]);
}

SEC("tp_btf/sock_rcvqueue_full")
int sockets_full(u64 *ctx)
{
	return drop((struct sock *)ctx[0]);
}

/* Whose they are: run at the begin, and when there are orphans. */
SEC("iter/task_file")
int sockets_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct socket *socket;
	struct owner *o;
	struct sock *sk;

	if (!task || !file)
		return 0;
	socket = bpf_sock_from_file(file);
	sk = socket ? socket->sk : NULL;
	if (!sk || sk->sk_type == TYPE_STREAM)
		return 0;
	o = bpf_sk_storage_get(&owners, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!o || o->who.tid)
		return 0;
	who__fill(&o->who, task);
	owner__count_drops(o, sk, __sync_lock_test_and_set(&o->dropped, 0), NAME_OF_VISIT);
	return 0;
}

/* Those of nobody are the kernel's. */
SEC("iter/bpf_sk_storage_map")
int sockets_rest(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct sock *sk = ctx->sk;
	struct owner *o;

	if (!sk)
		return 0;
	o = bpf_sk_storage_get(&owners, sk, 0, 0);
	if (!o || !o->dropped)
		return 0;
	if (!o->who.tid) {
		__builtin_memcpy(o->who.comm, "[kernel]", 9);
		__builtin_memcpy(o->who.process, "[kernel]", 9);
	}
	owner__count_drops(o, sk, __sync_lock_test_and_set(&o->dropped, 0), NAME_OF_VISIT);
	return 0;
}
