// SPDX-License-Identifier: GPL-2.0-only
/*
 * TCP connections. Each socket has a storage that knows whose it is, since when, and what it had sent and
 * received when it was last looked at: when it is closed, and once an interval, by an iterator over all
 * storages, in whatever network namespace. So a packet costs nothing. A connection that is accepted
 * inherits the storage of its listener.
 */
#define MEASURE_ATOMIC 1 /* packets come while a process works on the same socket */

#include "bpf/tcp.h"
#include "bpf/measure.bpf.h"
#include "bpf/endpoint.bpf.h"
#include "bpf/call.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define PROTO_TCP   6
#define FIN_CAME    (1 << 1) /* SOCK_DONE */
#define TAKEN_AFTER 1000000000ULL

/* --- the kernel's types --- */

struct inet_bind_bucket {
	signed char fastreuse;
} KERNEL_TYPE;

struct inet_connection_sock {
	struct inet_bind_bucket *icsk_bind_hash;
} KERNEL_TYPE;

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 bytes_sent, bytes_retrans, bytes_received;
	u32 total_retrans, srtt_us, snd_cwnd;
} KERNEL_TYPE;

struct file {
	void *private_data;
} KERNEL_TYPE;

/* --- what is known of a socket --- */

struct connection {
	struct measure_who who;
	u64 begin_ns; /* 0: it is none, or it has ended */
	u64 step_ns;  /* when the step began that goes on beside its life */
	u32 step;     /* TCP_STEP_LIFE: none does */
	u32 role;
	u64 local, remote;
	u64 sent, received, retransmits, drops; /* so far */
	u64 visit; /* the run of the iterator over files that was here last */
};

/* All of them are visited. */
SOCKET_MAP(visited, BPF_F_CLONE, struct connection);

/* What accept() gave to whom, by the socket's address: taken up when the storage is looked at. */
struct accepted {
	u64 at_ns;
	struct measure_who who;
};

LRU_MAP(accepted, 16384, u64, struct accepted);

/* Numbers of accept and accept4, by call__label(). */
const volatile u64 accept_calls[4] = {};

static __always_inline bool is_tcp(struct sock *sk)
{
	return sk->sk_protocol == PROTO_TCP;
}

static __always_inline void connection__find_ends(struct connection *c, struct sock *sk, u32 slot)
{
	c->local = endpoint__local(sk, TCP_LABEL_LOCAL, slot);
	c->remote = endpoint__remote(sk, TCP_LABEL_REMOTE, slot);
}

/* --- cells --- */

static __always_inline void connection__labels(const struct connection *c, struct sock *sk, u32 step,
					       u32 state, u32 error, u64 *labels)
{
	u64 server = c->role == TCP_ROLE_CLIENT ? c->remote : c->local;

	labels[TCP_LABEL_LOCAL] = c->local;
	labels[TCP_LABEL_REMOTE] = c->remote;
	labels[TCP_LABEL_KIND] = step | state << TCP_STATE_SHIFT | c->role << TCP_ROLE_SHIFT |
				 (u64)(u8)error << TCP_ERROR_SHIFT |
				 ENDPOINT_PORT(server) << TCP_SERVER_SHIFT;
	labels[TCP_LABEL_NETNS] = sk->__sk_common.skc_net.net->ns.inum;
}

/* Where there is no room for the connection, all of its process to the same service are one. */
static __noinline struct measure_cell *connection__cell(const struct connection *c, u64 *labels,
							struct measure_stats *st)
{
	u32 half = active != 0;
	struct measure_cell *cell;

	st->count++;
	cell = cell__of_whom(&c->who, labels, half, room_for_threads());
	if (cell)
		return cell;
	labels[TCP_LABEL_LOCAL] = labels[TCP_LABEL_REMOTE] = ENDPOINT_OTHERS;
	cell = cell__of_whom(&c->who, labels, half, cell_mask);
	if (cell) {
		st->folded++;
		return cell;
	}
	st->full++;
	return rest__get(half);
}

/* What it went on by; two that look at it at once count it once. */
static __always_inline u64 since(u64 *last, u64 now)
{
	u64 was = *last;

	if ((s64)(now - was) <= 0 || __sync_val_compare_and_swap(last, was, now) != was)
		return 0;
	return now - was;
}

static __always_inline u64 received_so_far(struct tcp_sock *tp, struct sock *sk)
{
	/* A FIN is counted as a byte. */
	return tp->bytes_received - ((sk->__sk_common.skc_flags & FIN_CAME) && tp->bytes_received ? 1 : 0);
}

static __always_inline void connection__sample(struct measure_cell *cell, struct tcp_sock *tp)
{
	u64 srtt = tp->srtt_us;

	if (!srtt)
		return;
	cell__add_to(&cell->sums[TCP_SAMPLES], 1);
	cell__add_to(&cell->sums[TCP_RTT], srtt * 1000 / 8);
	cell__add_to(&cell->sums[TCP_CWND], tp->snd_cwnd);
}

/* What it did since it was last looked at. */
static __noinline int connection__account(struct connection *c, struct sock *sk, u32 state,
					  struct measure_stats *st)
{
	struct tcp_sock *tp = bpf_skc_to_tcp_sock(sk);
	u64 labels[MEASURE_LABELS], sent, received, again, drops;
	struct measure_cell *cell;

	if (!tp)
		return 0;
	sent = since(&c->sent, tp->bytes_sent - tp->bytes_retrans);
	received = since(&c->received, received_so_far(tp, sk));
	again = since(&c->retransmits, tp->total_retrans);
	drops = since(&c->drops, (u32)sk->sk_drops.counter);
	if (!(sent | received | again | drops))
		return 0;
	connection__labels(c, sk, TCP_STEP_LIFE, state, 0, labels);
	if (!labels__pass(labels))
		return 0;
	cell = connection__cell(c, labels, st);
	if (!cell)
		return 0;
	cell__add_to(&cell->sums[TCP_BYTES], sent + received);
	cell__add_to(&cell->sums[TCP_SENT], sent);
	cell__add_to(&cell->sums[TCP_RECEIVED], received);
	cell__add_to(&cell->sums[TCP_RETRANSMITS], again);
	cell__add_to(&cell->sums[TCP_DROPS], drops);
	connection__sample(cell, tp);
	return 0;
}

static __always_inline void connection__report_slow(const struct connection *c, const u64 *labels,
						    u64 ns, struct measure_stats *st)
{
	struct measure_span s = {.task = bpf_get_current_task_btf(), .now = bpf_ktime_get_ns(), .labels = labels};
	struct measure_slow *r;

	s.begin_ns = s.now - ns;
	r = slow__begin(&s, 0);
	if (!r)
		return;
	r->who = c->who;
	slow__send(r, st);
}

static __noinline int connection__end_step(const struct connection *c, struct sock *sk, u32 step, u64 ns,
					   u32 error)
{
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS];
	struct measure_cell *cell;
	u32 state = step == TCP_STEP_LIFE || error ? TCP_IS_CLOSED : TCP_IS_ESTABLISHED;

	if (!st)
		return 0;
	if ((s64)ns < 0) {
		st->backward++;
		return 0;
	}
	connection__labels(c, sk, step, state, error, labels);
	if (ns < min_ns || (max_ns && ns > max_ns) || !labels__pass(labels))
		return 0;
	cell = connection__cell(c, labels, st);
	if (cell)
		cell__add(cell, ns, value__bucket(ns), error != 0);
	if (span__is_slow(step == TCP_STEP_LIFE ? MEASURE_WAITS : MEASURE_WORKS, ns))
		connection__report_slow(c, labels, ns, st);
	return 0;
}

/* --- accept() --- */

/* Whether a program has it meanwhile. */
static __always_inline void connection__take_up(struct connection *c, struct sock *sk, u64 now,
						struct measure_stats *st)
{
	u64 key = as_number(sk);
	struct accepted *a;

	if (c->step != TCP_STEP_ACCEPT)
		return;
	a = bpf_map_lookup_elem(&accepted, &key);
	if (a && a->at_ns >= c->step_ns) {
		c->step = TCP_STEP_LIFE;
		c->who = a->who;
		connection__end_step(c, sk, TCP_STEP_ACCEPT, a->at_ns - c->step_ns, 0);
		bpf_map_delete_elem(&accepted, &key);
	} else if (sk->sk_socket && now - c->step_ns > TAKEN_AFTER) {
		c->step = TCP_STEP_LIFE;
		st->notes[TCP_NOTE_UNTAKEN]++;
	}
}

static __always_inline u64 socket_of(struct task_struct *task, u32 fd)
{
	struct files_struct *files = task->files;
	struct file *file = NULL;
	struct socket *socket;

	if (!files || fd >= files->fdt->max_fds)
		return 0;
	bpf_probe_read_kernel(&file, sizeof(file), files->fdt->fd + fd);
	socket = BPF_CORE_READ(file, private_data);
	return (u64)BPF_CORE_READ(socket, sk);
}

SEC("tp_btf/sys_exit")
int tcp_accept(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 call = call__label(REGS_SYSCALL((REGS_TYPE *)ctx[0]), is_compat(task)), key;
	struct measure_stats *st;
	struct accepted a;

	if (call != accept_calls[0] && call != accept_calls[1] && call != accept_calls[2] &&
	    call != accept_calls[3])
		return 0;
	st = stats__get();
	if (!st || (s64)ctx[1] < 0)
		return 0;
	a.at_ns = run__begin(st);
	key = socket_of(task, (u32)ctx[1]);
	__builtin_memset(&a.who, 0, sizeof(a.who));
	who__fill(&a.who, task);
	if (key)
		bpf_map_update_elem(&accepted, &key, &a, BPF_ANY);
	run__end(st, a.at_ns);
	return 0;
}

/* --- states --- */

static __always_inline void connection__begin(struct connection *c, u32 role, u32 step, u64 now)
{
	c->begin_ns = c->step_ns = now;
	c->role = role;
	c->step = step;
}

/* In the context of who asks for it. */
static __always_inline void state__asked(struct sock *sk, u32 state, u64 now, struct measure_stats *st)
{
	struct connection *c = bpf_sk_storage_get(&visited, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (!c) {
		st->tasks_full++;
		return;
	}
	who__fill(&c->who, bpf_get_current_task_btf());
	c->sent = c->received = c->retransmits = 0;
	if (state == TCP_IS_LISTENER)
		connection__begin(c, TCP_ROLE_LISTENER, TCP_STEP_LIFE, now);
	else
		connection__begin(c, TCP_ROLE_CLIENT, TCP_STEP_CONNECT, now);
	connection__find_ends(c, sk, NAME_OF_TASK);
}

static __always_inline void state__established(struct sock *sk, u64 now, struct measure_stats *st)
{
	struct connection *c = bpf_sk_storage_get(&visited, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (!c) {
		st->tasks_full++;
		return;
	}
	connection__find_ends(c, sk, NAME_OF_TASK);
	if (c->step == TCP_STEP_CONNECT) {
		c->step = TCP_STEP_LIFE;
		connection__end_step(c, sk, TCP_STEP_CONNECT, now - c->step_ns, 0);
		return;
	}
	c->sent = c->received = c->retransmits = c->drops = 0;
	connection__begin(c, TCP_ROLE_SERVER, TCP_STEP_ACCEPT, now);
}

static __always_inline void state__closed(struct sock *sk, u64 now, struct measure_stats *st)
{
	struct connection *c = bpf_sk_storage_get(&visited, sk, 0, 0);
	u32 error = (u32)sk->sk_err;

	if (!c || !c->begin_ns)
		return;
	if (sk->__sk_common.skc_dport)
		connection__find_ends(c, sk, NAME_OF_TASK);
	connection__take_up(c, sk, now, st);
	connection__account(c, sk, TCP_IS_CLOSED, st);
	if (c->step == TCP_STEP_CONNECT)
		connection__end_step(c, sk, TCP_STEP_CONNECT, now - c->step_ns, error);
	else if (c->role != TCP_ROLE_LISTENER)
		connection__end_step(c, sk, TCP_STEP_LIFE, now - c->begin_ns, error);
	c->begin_ns = 0;
	c->step = TCP_STEP_LIFE;
}

SEC("tp_btf/inet_sock_set_state")
int tcp_state(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];
	u32 state = (u32)ctx[2];
	struct measure_stats *st = stats__get();
	u64 now;

	if (!st || !is_tcp(sk))
		return 0;
	now = run__begin(st);
	if (state == TCP_IS_SYN_SENT || state == TCP_IS_LISTENER)
		state__asked(sk, state, now, st);
	else if (state == TCP_IS_ESTABLISHED)
		state__established(sk, now, st);
	else if (state == TCP_IS_CLOSED)
		state__closed(sk, now, st);
	run__end(st, now);
	return 0;
}

/* --- resets --- */

static __always_inline int count_reset(struct sock *sk)
{
	struct measure_stats *st = stats__get();
	u64 labels[MEASURE_LABELS], now;
	struct measure_cell *cell;
	struct connection *c;

	if (!st)
		return 0;
	now = run__begin(st);
	c = bpf_sk_storage_get(&visited, sk, 0, 0);
	if (c && c->role) {
		connection__labels(c, sk, TCP_STEP_LIFE, TCP_IS_CLOSED, 0, labels);
		cell = labels__pass(labels) ? connection__cell(c, labels, st) : NULL;
		if (cell)
			cell__add_to(&cell->sums[TCP_RESETS], 1);
	}
	run__end(st, now);
	return 0;
}

SEC("tp_btf/tcp_receive_reset")
int tcp_reset_came(u64 *ctx)
{
	return count_reset((struct sock *)ctx[0]);
}

/* What nobody listens for has no socket. */
SEC("tp_btf/tcp_send_reset")
int tcp_reset_sent(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];

	return sk ? count_reset(sk) : 0;
}

/* --- all of them --- */

/* A port that connect() chose is marked so. */
static __always_inline bool has_connected(struct sock *sk)
{
	struct inet_bind_bucket *b = BPF_CORE_READ((struct tcp_sock *)sk, inet_conn.icsk_bind_hash);

	return b && BPF_CORE_READ(b, fastreuse) < 0;
}

static __always_inline struct sock *sock__of_file(struct file *file)
{
	struct socket *socket = file ? bpf_sock_from_file(file) : NULL;
	struct sock *sk = socket ? socket->sk : NULL;

	return sk && is_tcp(sk) ? sk : NULL;
}

/* What was there before: whose it is. User space runs it once. */
SEC("iter/task_file")
int tcp_files(struct bpf_iter__task_file *ctx)
{
	struct sock *sk = sock__of_file(ctx->file);
	struct task_struct *task = ctx->task;
	struct connection *c;
	struct tcp_sock *tp;
	u32 state, step;
	u64 now;

	if (!task || !sk || sk->__sk_common.skc_state == TCP_IS_CLOSED)
		return 0;
	tp = bpf_skc_to_tcp_sock(sk);
	c = bpf_sk_storage_get(&visited, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
	if (!tp || !c || c->begin_ns)
		return 0;
	now = bpf_ktime_get_ns();
	state = sk->__sk_common.skc_state;
	step = state == TCP_IS_SYN_SENT ? TCP_STEP_CONNECT : TCP_STEP_LIFE;
	who__fill(&c->who, task);
	c->sent = tp->bytes_sent - tp->bytes_retrans;
	c->received = received_so_far(tp, sk);
	c->retransmits = tp->total_retrans;
	c->drops = (u32)sk->sk_drops.counter;
	connection__begin(c,
			  state == TCP_IS_LISTENER ? TCP_ROLE_LISTENER
			  : has_connected(sk)	   ? TCP_ROLE_CLIENT
						   : TCP_ROLE_SERVER,
			  step, now);
	connection__find_ends(c, sk, NAME_OF_VISIT);
	return 0;
}

static __always_inline void visit__report(struct seq_file *seq, const struct connection *c, struct sock *sk, u32 state, u32 step,
					  u64 begin_ns)
{
	struct measure_open open = {.begin_ns = begin_ns, .who = c->who};

	connection__labels(c, sk, step, state, 0, open.labels);
	if (labels__pass(open.labels))
		bpf_seq_write(seq, &open, sizeof(open));
}

static __always_inline void visit(struct seq_file *seq, struct connection *c, struct sock *sk,
				  struct measure_stats *st)
{
	u32 state = sk->__sk_common.skc_state;
	u64 now = run__begin(st);

	connection__find_ends(c, sk, NAME_OF_VISIT);
	connection__take_up(c, sk, now, st);
	connection__account(c, sk, state, st);
	visit__report(seq, c, sk, state, TCP_STEP_LIFE, c->begin_ns);
	if (c->step != TCP_STEP_LIFE)
		visit__report(seq, c, sk, state, c->step, c->step_ns);
	run__end(st, now);
}

SEC("iter/bpf_sk_storage_map")
int measure_visit(struct bpf_iter__bpf_sk_storage_map *ctx)
{
	struct measure_stats *st = stats__get();
	struct sock *sk = ctx->sk;
	struct connection *c;

	if (!sk || !st)
		return 0;
	c = bpf_sk_storage_get(&visited, sk, 0, 0);
	if (c && c->begin_ns)
		visit(ctx->meta->seq, c, sk, st);
	return 0;
}

/* Instead of it. A socket may be several files' and processes'. */
SEC("iter/task_file")
int measure_visit_files(struct bpf_iter__task_file *ctx)
{
	struct sock *sk = sock__of_file(ctx->file);
	struct measure_stats *st = stats__get();
	struct connection *c;

	if (!sk || !st)
		return 0;
	c = bpf_sk_storage_get(&visited, sk, 0, 0);
	if (!c || !c->begin_ns || c->visit == ctx->meta->session_id)
		return 0;
	c->visit = ctx->meta->session_id;
	visit(ctx->meta->seq, c, sk, st);
	return 0;
}
