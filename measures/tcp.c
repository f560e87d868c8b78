// SPDX-License-Identifier: GPL-2.0-only
/* TCP connections: who talks to whom, how much, how fast; how long they live, connect, wait for accept(). */
#include <stdio.h>

#include "bpf/syscalls.h"
#include "bpf/tcp.h"
#include "measures/endpoint.h"
#include "measures/syscall_args.h"
#include "samples/syscall_names.h"
#include "samples/measure.h"

enum {
	BY_STEP,
	BY_LOCAL,
	BY_REMOTE,
	BY_SERVICE,
	BY_ROLE,
	BY_STATE,
	BY_ERROR,
	BY_NETNS,
	BY_HOST,
	BY_PID,
	BY_COMM,
	BY_CGROUP,
	LABELS,
};

#define CONNECTION (1u << BY_LOCAL | 1u << BY_REMOTE)

static void step_text(u64 step, char *buf, size_t size)
{
	static const char *const names[TCP_STEPS] = {"life", "connect", "accept"};

	copy_str(buf, size, step < TCP_STEPS ? names[step] : "?");
}

static void role_text(u64 role, char *buf, size_t size)
{
	static const char *const names[TCP_ROLES] = {"", "out", "in", "listen"};

	copy_str(buf, size, role < TCP_ROLES ? names[role] : "?");
}

/* As ss(8) has them. */
static void state_text(u64 state, char *buf, size_t size)
{
	static const char *const names[TCP_STATES_END] = {
		"",	      "ESTAB",	    "SYN-SENT",	  "SYN-RECV", "FIN-WAIT-1", "FIN-WAIT-2", "TIME-WAIT",
		"CLOSED", "CLOSE-WAIT", "LAST-ACK", "LISTEN",   "CLOSING",	"NEW-SYN-RECV", "BOUND",
	};

	copy_str(buf, size, state < TCP_STATES_END ? names[state] : "?");
}

static const struct measure_range steps[] = {{0, TCP_STEPS}, {0}}, roles[] = {{0, TCP_ROLES}, {0}},
				  states[] = {{0, TCP_STATES_END}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_STEP] = {.name = "step", .title = "Step", .width = 7, .bits = 8, .word = TCP_LABEL_KIND,
		     .help = "life: from connect() or the handshake's end until it is closed; connect: until the "
			     "other side has answered; accept: from the handshake's end until a program takes it",
		     .text = step_text, .values = steps},
	[BY_LOCAL] = {.name = "local", .title = "Local", .width = 21, .bits = 64, .word = TCP_LABEL_LOCAL,
		      .help = "address and port here; [others]: of connections too many to keep apart",
		      .known = endpoint__known, .tidy = endpoint__tidy},
	[BY_REMOTE] = {.name = "remote", .title = "Remote", .width = 21, .bits = 64, .word = TCP_LABEL_REMOTE,
		       .help = "address and port of the other side", .known = endpoint__known,
		       .tidy = endpoint__tidy},
	[BY_SERVICE] = {.name = "service", .title = "Service", .width = 10, .bits = 16, .word = TCP_LABEL_KIND,
			.shift = TCP_SERVER_SHIFT, .implied_by = CONNECTION,
			.help = "the server's port, by its name in /etc/services"},
	[BY_ROLE] = {.name = "role", .title = "Role", .width = 6, .bits = 8, .word = TCP_LABEL_KIND,
		     .shift = TCP_ROLE_SHIFT, .implied_by = CONNECTION,
		     .help = "out: connected from here; in: accepted here; listen: waits for connections",
		     .text = role_text, .values = roles},
	[BY_STATE] = {.name = "state", .title = "State", .width = 10, .bits = 8, .word = TCP_LABEL_KIND,
		      .shift = TCP_STATE_SHIFT, .implied_by = CONNECTION, .help = "as ss(8) has it",
		      .text = state_text, .values = states},
	[BY_ERROR] = {.name = "error", .title = "Error", .width = 12, .kind = LABEL_ERROR, .bits = 8,
		      .word = TCP_LABEL_KIND, .shift = TCP_ERROR_SHIFT, .text = errno__text,
		      .help = "what it ended with, such as ECONNRESET, ECONNREFUSED, ETIMEDOUT"},
	[BY_NETNS] = {.name = "netns", .title = "Namespace", .width = 12, .bits = 32, .word = TCP_LABEL_NETNS,
		      .implied_by = CONNECTION, .splits = true,
		      .help = "network namespace, by its name or number; [own]: that of proftop"},
	[BY_HOST] = {.name = "host", .title = "Host", .width = 16, .kind = LABEL_DERIVED,
		     .help = "address of the other side", .of = BY_REMOTE, .part = endpoint__host},
	[BY_PID] = {PID_LABEL("process that connected or accepted it, or listens"), .implied_by = CONNECTION},
	[BY_COMM] = {COMM_LABEL("name of that process"), .implied_by = CONNECTION},
	[BY_CGROUP] = {CGROUP_LABEL},
};

/* Numbers of the calls, as bpf/call.bpf.h has them. */
static void setup(struct measure_setup *s)
{
	static const char *const names[] = {"accept", "accept4"};
	u64 calls[4];

	for (u32 i = 0; i < ARRAY_SIZE(calls); i++) {
		u64 abi = i / ARRAY_SIZE(names);
		int nr = syscall_nr((u32)abi, names[i % ARRAY_SIZE(names)]);

		calls[i] = nr < 0 ? UINT64_MAX : (u64)nr | abi << SYSCALL_ABI_SHIFT;
	}
	measure_setup__set(s, "accept_calls", calls, sizeof(calls));
}

static void text(const struct measure_slow *slow, const struct measure_key *keys, char *buf, size_t size)
{
	snprintf(buf, size, "%s %s > %s", keys[BY_STEP].text, keys[BY_LOCAL].text, keys[BY_REMOTE].text);
}

const struct measure measure_tcp = {
	MEASURE_HERE,
	.name = "tcp",
	.noun = "steps",
	.event = "inet_sock_set_state, tcp_*_reset, sys_exit",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = CONNECTION | 1u << BY_STEP,
	.sums = {[TCP_BYTES] = {.name = "bytes", .title = "bytes/s", .type = VALUE_BYTES,
				.help = "data sent and received"},
		 [TCP_SENT] = {.name = "sent_bytes", .title = "sent/s", .type = VALUE_BYTES,
			       .help = "data sent, each byte once"},
		 [TCP_RECEIVED] = {.name = "received_bytes", .title = "recv/s", .type = VALUE_BYTES,
				   .help = "data received, in order"},
		 [TCP_RETRANSMITS] = {.name = "retransmits", .title = "again/s", .type = VALUE_COUNT, .bad = true,
				      .help = "segments sent again"},
		 [TCP_RESETS] = {.name = "resets", .title = "resets/s", .type = VALUE_COUNT, .bad = true,
				 .help = "resets sent and received"},
		 [TCP_DROPS] = {.name = "drops", .title = "drops/s", .type = VALUE_COUNT, .bad = true,
				.help = "what the socket dropped: of a listener, connections its queue had no "
					"room for"}},
	.ratios = {{.name = "rtt_ns", .title = "RTT", .type = VALUE_NS, .of = TCP_RTT, .in = TCP_SAMPLES,
		    .help = "smoothed round-trip time, mean of the connections that did something"},
		   {.name = "cwnd", .title = "Cwnd", .type = VALUE_COUNT, .of = TCP_CWND, .in = TCP_SAMPLES,
		    .help = "congestion window in segments, likewise"}},
	.kept = TCP_LABEL_KIND,
	.drills = (const u32[]){1u << BY_PID, 0},
	.sort = "bytes_rate",
	.hint = "nobody is connected, connects or listens by TCP, or the filter leaves it out",
	.narrow = "bytes_rate rtt_ns local remote comm",
	.setup = setup,
	.notes = {[TCP_NOTE_UNTAKEN] = "were accepted by other means than accept(): when is not known"},
	.no_moment = "connections are looked at once an interval",
	.unseen = "not seen: connections that are not established yet on the server's side, resets of what nobody "
		  "listens for; connections from before are as old as watching is",
	.text = text,
};
