/* SPDX-License-Identifier: GPL-2.0-only */
/* TCP connections: words of labels and sums; shared by kernel and user side. */
#ifndef BPF_TCP_H
#define BPF_TCP_H

/*
 * LOCAL, REMOTE: ends (bpf/endpoint.h).
 * KIND: the step, the state, the role, errno and the server's port, from the shifts below on.
 * NETNS: the network namespace's number.
 */
enum { TCP_LABEL_LOCAL, TCP_LABEL_REMOTE, TCP_LABEL_KIND, TCP_LABEL_NETNS };

#define TCP_STATE_SHIFT 8
#define TCP_ROLE_SHIFT	16
#define TCP_ERROR_SHIFT 24
#define TCP_SERVER_SHIFT 32

enum {
	TCP_STEP_LIFE,	  /* from connect() or the handshake's end until it is closed */
	TCP_STEP_CONNECT, /* until the other side has answered */
	TCP_STEP_ACCEPT,  /* from the handshake's end until a program takes it */
	TCP_STEPS,
};

enum { TCP_ROLE_NONE, TCP_ROLE_CLIENT, TCP_ROLE_SERVER, TCP_ROLE_LISTENER, TCP_ROLES };

/* The kernel's numbers of states. */
enum {
	TCP_IS_ESTABLISHED = 1,
	TCP_IS_SYN_SENT = 2,
	TCP_IS_SYN_RECV = 3,
	TCP_IS_CLOSED = 7,
	TCP_IS_LISTENER = 10,
	TCP_STATES_END = 14,
};

/* RTT is ns, CWND segments: of so many SAMPLES each. */
enum {
	TCP_BYTES, /* both ways */
	TCP_SENT,
	TCP_RECEIVED,
	TCP_RETRANSMITS,
	TCP_RESETS,
	TCP_DROPS,
	TCP_SAMPLES,
	TCP_RTT,
	TCP_CWND,
};

enum { TCP_NOTE_UNTAKEN };

#endif
