// SPDX-License-Identifier: GPL-2.0-only
/* Sockets of any kind: who sends and receives how much, to whom, and whose queues are full. */
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>

#include "bpf/sockets.h"
#include "measures/endpoint.h"
#include "measures/syscall_args.h"
#include "samples/measure.h"

enum {
	BY_PROTOCOL,
	BY_KIND,
	BY_DIRECTION,
	BY_ERROR,
	BY_LOCAL,
	BY_REMOTE,
	BY_SERVICE,
	BY_PEER,
	BY_HOST,
	BY_PID,
	BY_COMM,
	BY_CGROUP,
	LABELS,
};

#define ENDS (1u << BY_LOCAL | 1u << BY_REMOTE)

struct number_name {
	u32 number;
	const char *name;
};

static void name_of(const struct number_name *names, u32 n, const char *what, u32 number, char *buf, size_t size)
{
	u32 i = 0;

	while (i < n && names[i].number != number)
		i++;
	if (i < n)
		copy_str(buf, size, names[i].name);
	else
		snprintf(buf, size, "%s %u", what, number);
}

static void internet_text(u32 protocol, char *buf, size_t size)
{
	static const struct number_name names[] = {
		{IPPROTO_TCP, "tcp"},	  {IPPROTO_UDP, "udp"},		{IPPROTO_ICMP, "icmp"},
		{IPPROTO_ICMPV6, "icmp"}, {IPPROTO_UDPLITE, "udplite"}, {IPPROTO_SCTP, "sctp"},
		{IPPROTO_MPTCP, "mptcp"}, {IPPROTO_RAW, "ip"},
	};

	name_of(names, ARRAY_SIZE(names), "protocol", protocol, buf, size);
}

/* Of the internet's families the protocol, of others the family. */
static void protocol_text(u64 value, char *buf, size_t size)
{
	static const struct number_name families[] = {
		{AF_UNIX, "unix"},   {AF_NETLINK, "netlink"}, {AF_PACKET, "packet"}, {AF_VSOCK, "vsock"},
		{AF_ALG, "alg"},     {AF_XDP, "xdp"},	      {AF_CAN, "can"},	     {AF_TIPC, "tipc"},
		{AF_KEY, "key"},     {AF_BLUETOOTH, "bluetooth"},
	};
	u32 family = (u32)(value >> SOCKETS_FAMILY_SHIFT);

	if (family == AF_INET || family == AF_INET6)
		internet_text(value & ((1u << SOCKETS_FAMILY_SHIFT) - 1), buf, size);
	else
		name_of(families, ARRAY_SIZE(families), "family", family, buf, size);
}

static void kind_text(u64 kind, char *buf, size_t size)
{
	static const struct number_name names[] = {
		{SOCK_STREAM, "stream"}, {SOCK_DGRAM, "dgram"},	  {SOCK_RAW, "raw"},
		{SOCK_RDM, "rdm"},	 {SOCK_SEQPACKET, "seqpacket"}, {SOCK_DCCP, "dccp"},
		{SOCK_PACKET, "packet"},
	};

	name_of(names, ARRAY_SIZE(names), "type", (u32)kind, buf, size);
}

static void direction_text(u64 direction, char *buf, size_t size)
{
	static const char *const names[SOCKETS_DIRECTIONS] = {"sent", "received", "full"};

	copy_str(buf, size, direction < SOCKETS_DIRECTIONS ? names[direction] : "?");
}

/* The process's name was sent, unless it had ended. */
static void tidy_peer(u64 pid, char *text, size_t size)
{
	size_t len = strlen(text);

	snprintf(text + len, size - len, " %llu", (unsigned long long)pid);
}

static const struct measure_range kinds[] = {{0, SOCK_PACKET + 1}, {0}},
				  directions[] = {{0, SOCKETS_DIRECTIONS}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_PROTOCOL] = {.name = "protocol", .title = "Protocol", .width = 8, .word = SOCKETS_LABEL_KIND,
			 .bits = SOCKETS_PROTOCOL_BITS, .text = protocol_text, .implied_by = ENDS,
			 .help = "udp, tcp, icmp; of sockets that are none of the internet the family: unix, netlink"},
	[BY_KIND] = {.name = "kind", .title = "Kind", .width = 9, .word = SOCKETS_LABEL_KIND,
		     .shift = SOCKETS_TYPE_SHIFT, .bits = 8, .text = kind_text, .values = kinds,
		     .implied_by = ENDS, .help = "of the socket: stream, dgram, seqpacket, raw"},
	[BY_DIRECTION] = {.name = "direction", .title = "Dir", .width = 8, .word = SOCKETS_LABEL_KIND,
			  .shift = SOCKETS_DIRECTION_SHIFT, .bits = 8, .text = direction_text,
			  .values = directions,
			  .help = "sent, received; full: came for a queue that had no room"},
	[BY_ERROR] = {.name = "error", .title = "Error", .width = 12, .kind = LABEL_ERROR,
		      .word = SOCKETS_LABEL_KIND, .shift = SOCKETS_ERROR_SHIFT, .bits = 8, .text = errno__text,
		      .help = "what the call failed with: EAGAIN where it would have had to wait"},
	[BY_LOCAL] = {.name = "local", .title = "Local", .width = 21, .word = SOCKETS_LABEL_LOCAL, .bits = 64,
		      .known = endpoint__known, .tidy = endpoint__tidy,
		      .help = "address and port, or path, here; [others]: of ends too many to keep apart"},
	[BY_REMOTE] = {.name = "remote", .title = "Remote", .width = 21, .word = SOCKETS_LABEL_REMOTE,
		       .bits = 64, .known = endpoint__known, .tidy = endpoint__tidy,
		       .help = "of what it is connected to"},
	[BY_SERVICE] = {.name = "service", .title = "Service", .width = 10, .word = SOCKETS_LABEL_KIND,
			.shift = SOCKETS_SERVICE_SHIFT, .bits = 16, .implied_by = ENDS,
			.help = "the lower port of both ends, by its name in /etc/services"},
	[BY_PEER] = {.name = "peer", .title = "Peer", .width = 16, .word = SOCKETS_LABEL_PEER, .bits = 32,
		     .tidy = tidy_peer, .implied_by = ENDS,
		     .help = "process of this machine at the other end: its name and pid"},
	[BY_HOST] = {.name = "host", .title = "Host", .width = 16, .kind = LABEL_DERIVED, .of = BY_REMOTE,
		     .part = endpoint__host, .help = "address of what it is connected to"},
	[BY_PID] = {PID_LABEL("process that sends or receives; of drops, that should receive"), .implied_by = ENDS},
	[BY_COMM] = {COMM_LABEL("its name"), .implied_by = ENDS},
	[BY_CGROUP] = {CGROUP_LABEL},
};

const struct measure measure_sockets = {
	MEASURE_HERE,
	.name = "sockets",
	.noun = "calls",
	.event = "sock_send_length, sock_recv_length, udp_fail_queue_rcv_skb",
	.shape = MEASURE_SHAPE_COUNT,
	.value = "bytes",
	.count_name = "calls",
	.sum_name = "bytes",
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_PID | 1u << BY_PROTOCOL | 1u << BY_KIND,
	.sums = {[SOCKETS_SENT_BYTES] = {.name = "sent_bytes", .title = "sent/s", .type = VALUE_BYTES,
					 .help = "bytes that calls sent"},
		 [SOCKETS_RECEIVED_BYTES] = {.name = "received_bytes", .title = "recv/s", .type = VALUE_BYTES,
					     .help = "bytes that calls received"},
		 [SOCKETS_DROPS] = {.name = "drops", .title = "drops/s", .type = VALUE_COUNT, .bad = true,
				    .help = "datagrams for which the socket's queue had no room"}},
	.kept = SOCKETS_LABEL_KIND,
	.drills = (const u32[]){ENDS, 1u << BY_DIRECTION | 1u << BY_ERROR, 0},
	.sort = "bytes_rate",
	.narrow = "bytes_rate drops_rate protocol kind comm",
	.unseen = "not seen: what splice takes out of a socket; the other end of a socket that is not connected; "
		  "what is only looked at (MSG_PEEK) is not received",
};
