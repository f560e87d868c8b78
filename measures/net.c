// SPDX-License-Identifier: GPL-2.0-only
/* Network devices: packets and bytes by device, queue and direction; what is dropped, and why. */
#include <stdio.h>

#include "base/netns.h"
#include "bpf/net.h"
#include "samples/measure.h"

enum { BY_DEVICE, BY_QUEUE, BY_DIRECTION, BY_REASON, BY_NETNS, BY_PID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static void direction_text(u64 way, char *buf, size_t size)
{
	copy_str(buf, size, way == NET_TX ? "tx" : "rx");
}

static void queue_text(u64 queue, char *buf, size_t size)
{
	if (queue)
		snprintf(buf, size, "%llu", (unsigned long long)queue - 1);
	else
		copy_str(buf, size, "unknown");
}

/* A device of another network namespace than proftop's has that behind it: names are used again. */
static void tidy_device(u64 value, char *text, size_t size)
{
	u32 netns = (u32)(value >> 32);
	size_t len = strlen(text);

	if (netns == netns__own() || len + 2 > size)
		return;
	text[len++] = '@';
	netns__text(netns, text + len, size - len);
}

static bool netns_part(const char *device, u32 i, char *buf, size_t size)
{
	const char *at = strrchr(device, '@');

	copy_str(buf, size, at ? at + 1 : "[own]");
	return !i;
}

/* --- the declaration --- */

static const struct measure_label labels[LABELS] = {
	[BY_DEVICE] = {.name = "device", .title = "Device", .width = 16,
		       .help = "network device; behind @ the network namespace, where it is another",
		       .word = NET_LABEL_DEVICE, .bits = 64, .tidy = tidy_device, .always = true},
	[BY_QUEUE] = {.name = "queue", .title = "Queue", .width = 7,
		      .help = "of the device; unknown: the driver has not recorded it",
		      .word = NET_LABEL_WAY, .shift = NET_WAY_BITS, .bits = NET_QUEUE_BITS,
		      .text = queue_text, .number = true, .always = true},
	[BY_DIRECTION] = {.name = "direction", .title = "Dir", .width = 3,
			  .help = "rx: received; tx: sent",
			  .word = NET_LABEL_WAY, .bits = NET_WAY_BITS, .text = direction_text, .always = true},
	[BY_REASON] = {.name = "reason", .title = "Dropped for", .width = 24,
		       .help = "why packets were dropped, as this kernel names it; none: packets",
		       .word = NET_LABEL_REASON, .bits = 32},
	[BY_NETNS] = {.name = "netns", .title = "Namespace", .width = 16, .kind = LABEL_DERIVED,
		      .help = "network namespace, by its name or number; [own]: that of proftop",
		      .of = BY_DEVICE, .part = netns_part},
	[BY_PID] = {PID_LABEL("process whose socket sent it; none: received, or of no socket")},
	[BY_COMM] = {COMM_LABEL("its name")},
	[BY_CGROUP] = {.name = "cgroup", .title = "Cgroup", .width = 16, .kind = LABEL_CGROUP,
		       .help = "cgroup v2 of the process, path below its mount point"},
	[BY_STACK] = {STACK_LABEL("Dropped in", "where packets were dropped")},
};

static const char *const freeing[] = {"kfree_skb*", "__kfree_skb*", "sk_skb_reason_drop*",
				      "skb_release*", "__sk_skb_reason_drop*", NULL};

const struct measure measure_net = {
	MEASURE_HERE,
	.name = "net",
	.noun = "packets",
	.event = "netif_receive_skb, net_dev_xmit, kfree_skb",
	.shape = MEASURE_SHAPE_COUNT,
	.kernel_stacks = true,
	.value = "bytes",
	.count_name = "packets",
	.sum_name = "bytes",
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_DEVICE,
	.sums = {[NET_DROPS] = {.name = "drops", .title = "drops/s", .type = VALUE_COUNT,
				.help = "packets that were dropped, in whatever layer", .bad = true},
		 [NET_SEGMENTS] = {.name = "segments", .title = "segs/s", .type = VALUE_COUNT,
				   .help = "what is or was several packets on the wire, as several: "
					   "with GSO and GRO a packet here is many"}},
	.stacks_of_sum = true,
	.stacks_by = BY_REASON + 1,
	.kept = NET_LABEL_DEVICE,
	.drills = (const u32[]){1u << BY_QUEUE | 1u << BY_DIRECTION, 1u << BY_REASON, 1u << BY_STACK, 0},
	.innermost = freeing,
	.optional = "net_send_call",
	.unseen = "a packet is what the kernel handles as one: with GSO and GRO many of the wire, see "
		  "segs/s; not seen: what XDP takes, what VLANs receive",
};
