// SPDX-License-Identifier: GPL-2.0-only
/*
 * Packets of network devices: received ones where the protocols get them, sent ones where the
 * driver has taken them, and those that are dropped. What is received is of no thread, as it
 * interrupts anybody; what is sent is of the thread that last used its socket, whose storage
 * knows it. Programs on packets run with softirqs off, so nothing interrupts them that
 * counts in the same cell.
 */
#include "bpf/net.h"
#include "bpf/measure.bpf.h"
#include "bpf/endpoint.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define DEVICE_NAME   16
#define DEVICE_KEEP   (5 * 1000000000ULL) /* a device may be renamed */
#define LOOPBACK      0x8		     /* IFF_LOOPBACK */
#define HEADER_MAX    64
#define XMIT_DEPTH    8 /* devices that hand packets to others: bonds, tunnels, VLANs */
#define STACK_RARELY  512
#define PROTO_TCP     6
#define IS_SYN_SENT   2 /* the kernel's numbers of states */
#define IS_LISTENER   10

struct net_device {
	unsigned int flags;
	unsigned short hard_header_len;
	int ifindex;
	possible_net_t nd_net;
	char name[16];
} KERNEL_TYPE;

struct dst_entry {
	struct net_device *dev;
} KERNEL_TYPE;

struct sk_buff {
	struct net_device *dev;
	struct sock *sk;
	unsigned long _skb_refdst;
	unsigned int len;
	u16 queue_mapping;
	int skb_iif;
	u16 mac_header;
	unsigned int end;
	unsigned char *head, *data;
} KERNEL_TYPE;

struct skb_shared_info {
	unsigned short gso_segs;
} KERNEL_TYPE;

enum skb_drop_reason {
	SKB_DROP_REASON_NOT_SPECIFIED = 2,
};

/* --- what is counted --- */

static __always_inline u64 device_of(struct net_device *dev)
{
	return (u64)dev->nd_net.net->ns.inum << 32 | (u32)dev->ifindex;
}

static __always_inline u64 way_of(u32 direction, u32 queue)
{
	return direction | (u64)queue << NET_WAY_BITS;
}

static __always_inline void name__device(u64 device, struct net_device *dev, u64 now,
					 struct measure_stats *st)
{
	struct measure_name *n;

	if (!name__is_due(NET_LABEL_DEVICE, device, now, DEVICE_KEEP))
		return;
	n = name__begin(NAME_OF_TASK);
	if (!n)
		return;
	__builtin_memset(n->text, 0, DEVICE_NAME);
	bpf_probe_read_kernel_str(n->text, DEVICE_NAME, dev->name);
	name__send(n, NET_LABEL_DEVICE, device, DEVICE_NAME - 1, now, st);
}

/* who NULL: nobody's. */
static __always_inline struct measure_cell *cell_of(const u64 *labels, u32 half, const struct measure_who *who,
						    struct measure_stats *st)
{
	struct measure_cell *c;
	u32 at;

	st->count++;
	if (who)
		c = cell__of_whom(who, labels, half, room_for_threads());
	else
		c = cell__find(NULL, half, labels, 0, room_for_threads(), &at);
	return c ? c : cell__elsewhere(labels, half, st);
}

static __noinline int count_packet(u64 device, u64 way, u64 size, const struct measure_who *who)
{
	u64 labels[MEASURE_LABELS] = {device, way, 0, bpf_get_smp_processor_id()};
	u32 bytes = (u32)size, segments = size >> 32;
	struct measure_stats *st = stats__get();
	struct measure_cell *c;

	if (!st || !measure__is_here(NULL))
		return 0;
	c = cell_of(labels, active != 0, who, st);
	if (!c)
		return 0;
	cell__add(c, bytes, value__bucket(bytes), false);
	c->sums[NET_SEGMENTS] += segments;
	return 0;
}

static __always_inline u32 segments_of(struct sk_buff *skb)
{
	struct skb_shared_info *info = (void *)(skb->head + skb->end);
	u16 n = 0;

	bpf_probe_read_kernel(&n, sizeof(n), __builtin_preserve_access_index(&info->gso_segs));
	return n ? n : 1;
}

/* --- received --- */

/* What devices count has the header of the link in it, but for the loopback's. */
static __always_inline u32 header_of(struct sk_buff *skb, struct net_device *dev)
{
	u64 bytes = skb->data - skb->head - skb->mac_header;

	return dev->flags & LOOPBACK || bytes > HEADER_MAX ? 0 : bytes;
}

SEC("tp_btf/netif_receive_skb")
int net_receive(u64 *ctx)
{
	struct sk_buff *skb = (void *)ctx[0];
	struct net_device *dev = skb->dev;
	struct measure_stats *st = stats__get();
	u64 now, device;

	if (!st || !dev)
		return 0;
	now = run__begin(st);
	device = device_of(dev);
	name__device(device, dev, now, st);
	count_packet(device, way_of(NET_RX, skb->queue_mapping),
		     (skb->len + header_of(skb, dev)) | (u64)segments_of(skb) << 32, NULL);
	run__end(st, now);
	return 0;
}

/* --- whose a socket is --- */

/* What is accepted is its listener's until somebody sends by it. */
SOCKET_MAP(senders, BPF_F_CLONE, struct measure_who);

static __always_inline void sender__set(struct sock *sk, struct task_struct *task)
{
	struct measure_who *who = bpf_sk_storage_get(&senders, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);

	if (who && who->tgid != (u32)task->tgid)
		who__fill(who, task);
}

/* These two come in the context of who asks for it. */
SEC("tp_btf/inet_sock_set_state")
int net_connect(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];

	if (((u32)ctx[2] == IS_SYN_SENT || (u32)ctx[2] == IS_LISTENER) && sk->sk_protocol == PROTO_TCP)
		sender__set(sk, bpf_get_current_task_btf());
	return 0;
}

/* Since Linux 6.3. */
SEC("tp_btf/sock_send_length")
int net_send_call(u64 *ctx)
{
	struct sock *sk = (void *)ctx[0];

	if (sk->__sk_common.skc_family == AF_INET || sk->__sk_common.skc_family == AF_INET6)
		sender__set(sk, bpf_get_current_task_btf());
	return 0;
}

/* What is no stream is queued by who sends it; before the first call has returned nobody else is known. */
SEC("tp_btf/net_dev_queue")
int net_queue(u64 *ctx)
{
	struct sk_buff *skb = (void *)ctx[0];
	struct sock *sk = skb->sk;

	if (sk && sk->sk_protocol != PROTO_TCP && !bpf_sk_storage_get(&senders, sk, 0, 0))
		sender__set(sk, bpf_get_current_task_btf());
	return 0;
}

/* Of what was there before. User space runs it once. */
SEC("iter/task_file")
int net_files(struct bpf_iter__task_file *ctx)
{
	struct task_struct *task = ctx->task;
	struct file *file = ctx->file;
	struct socket *socket;
	struct sock *sk;

	if (!task || !file)
		return 0;
	socket = bpf_sock_from_file(file);
	sk = socket ? socket->sk : NULL;
	if (sk && (sk->__sk_common.skc_family == AF_INET || sk->__sk_common.skc_family == AF_INET6) &&
	    !bpf_sk_storage_get(&senders, sk, 0, 0))
		sender__set(sk, task);
	return 0;
}

/* --- sent --- */

/* What a CPU is handing to drivers: one may hand it on to another. Afterwards it is gone. */
struct sending {
	u64 skb, way;
	u32 bytes, segments;
	struct measure_who who; /* tid 0: not known */
};

struct xmit {
	u32 depth;
	struct sending on[XMIT_DEPTH];
};

PERCPU_MAP(xmits, 1, struct xmit);

SEC("tp_btf/net_dev_start_xmit")
int net_send(u64 *ctx)
{
	struct sk_buff *skb = (void *)ctx[0];
	struct net_device *dev = (void *)ctx[1];
	struct xmit *x = map__only(&xmits);
	struct measure_who *who;
	struct sending *s;

	if (!x)
		return 0;
	s = &x->on[x->depth & (XMIT_DEPTH - 1)];
	x->depth++;
	s->skb = as_number(skb);
	s->way = way_of(NET_TX, skb->queue_mapping + 1);
	s->bytes = skb->len;
	if (dev->flags & LOOPBACK && s->bytes >= dev->hard_header_len)
		s->bytes -= dev->hard_header_len;
	s->segments = segments_of(skb);
	who = skb->sk ? bpf_sk_storage_get(&senders, skb->sk, 0, 0) : NULL;
	if (who)
		s->who = *who;
	else
		s->who.tid = 0;
	return 0;
}

SEC("tp_btf/net_dev_xmit")
int net_sent(u64 *ctx)
{
	struct net_device *dev = (void *)ctx[2];
	struct measure_stats *st = stats__get();
	struct xmit *x = map__only(&xmits);
	struct sending *s;
	u64 now, device;

	if (!x || !st || !x->depth)
		return 0;
	x->depth--;
	s = &x->on[x->depth & (XMIT_DEPTH - 1)];
	if (s->skb != ctx[0]) {
		x->depth = 0;
		return 0;
	}
	if ((int)ctx[1]) /* the driver did not take it: it comes again */
		return 0;
	now = run__begin(st);
	device = device_of(dev);
	name__device(device, dev, now, st);
	count_packet(device, s->way, s->bytes | (u64)s->segments << 32, s->who.tid ? &s->who : NULL);
	run__end(st, now);
	return 0;
}

/* --- dropped --- */

struct drop {
	u64 device, way;
};

/* Sockets keep other things in the place of the device; the namespace is then that of the route,
 * and the device the one that it came in by. */
static __always_inline void drop__where(struct sk_buff *skb, struct drop *d)
{
	struct net_device *dev = skb->dev;
	struct dst_entry *dst = (void *)(skb->_skb_refdst & ~1UL);
	u32 came_by = skb->skb_iif, device = 0, netns = 0, direction, queue = skb->queue_mapping;

	if ((s64)as_number(dev) < 0) {
		device = BPF_CORE_READ(dev, ifindex);
		netns = BPF_CORE_READ(dev, nd_net.net, ns.inum);
	} else if (dst) {
		device = came_by ? came_by : (u32)BPF_CORE_READ(dst, dev, ifindex);
		netns = BPF_CORE_READ(dst, dev, nd_net.net, ns.inum);
	}
	direction = came_by && came_by == device ? NET_RX : NET_TX;
	d->device = device ? (u64)netns << 32 | device : 0;
	d->way = way_of(direction, direction == NET_TX ? queue + 1 : queue);
}

/* One stack stands for all since the last one of its cell. */
static __always_inline void drop__add_stack(void *ctx, struct measure_cell *c, const u64 *labels,
					    u32 half)
{
	u64 every = c->sums[NET_DROPS] >> 4, stack;
	struct measure_cell *of;
	u32 at;

	c->unsampled++;
	if (cells__are_scarce(half) ||
	    c->unsampled < (every < STACK_RARELY ? every : STACK_RARELY))
		return;
	stack = stack__capture(ctx, STACK_SLOT_TRACE, STACK_KERNEL | STACK_TRACED, 0,
			       bpf_ktime_get_ns());
	stack = stack ? stack : MEASURE_NO_STACK;
	c->last_stack = stack;
	of = cell__find(NULL, half, labels, stack, room_for_stacks(), &at);
	if (!of)
		return;
	of->sums[NET_DROPS] += c->unsampled;
	c->unsampled = 0;
}

static __always_inline u64 reason_of(u64 *ctx)
{
	if (bpf_core_enum_value_exists(enum skb_drop_reason, SKB_DROP_REASON_NOT_SPECIFIED))
		return (u32)ctx[2];
	return NET_REASON_UNTOLD;
}

SEC("tp_btf/kfree_skb")
int net_drop(u64 *ctx)
{
	u64 labels[MEASURE_LABELS] = {0, 0, 0, bpf_get_smp_processor_id()};
	struct measure_stats *st = stats__get();
	struct drop d = {};
	struct measure_cell *c;
	u32 half = active != 0;
	u64 now;

	if (!st || !measure__is_here(NULL))
		return 0;
	now = run__begin(st);
	drop__where((void *)ctx[0], &d);
	labels[NET_LABEL_DEVICE] = d.device;
	labels[NET_LABEL_WAY] = d.way;
	labels[NET_LABEL_REASON] = reason_of(ctx);
	c = cell_of(labels, half, NULL, st);
	if (c) {
		c->sums[NET_DROPS]++;
		if (c->who.tgid != MEASURE_MANY)
			drop__add_stack(ctx, c, labels, half);
	}
	run__end(st, now);
	return 0;
}
