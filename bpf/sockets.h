/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets: words of labels and sums; shared by kernel and user side. */
#ifndef BPF_SOCKETS_H
#define BPF_SOCKETS_H

/*
 * LOCAL, REMOTE: ends (bpf/endpoint.h).
 * KIND: the protocol with the family behind it, and from the shifts below on type, errno, the service's port and
 * the direction.
 * PEER: thread group id of who has the other end; its name is sent.
 */
enum { SOCKETS_LABEL_LOCAL, SOCKETS_LABEL_REMOTE, SOCKETS_LABEL_KIND, SOCKETS_LABEL_PEER };

#define SOCKETS_FAMILY_SHIFT	16 /* within the protocol */
#define SOCKETS_PROTOCOL_BITS	24
#define SOCKETS_TYPE_SHIFT	24
#define SOCKETS_ERROR_SHIFT	32
#define SOCKETS_SERVICE_SHIFT	40
#define SOCKETS_DIRECTION_SHIFT 56

enum { SOCKETS_SENT, SOCKETS_RECEIVED, SOCKETS_FULL, SOCKETS_DIRECTIONS };

/* SOCKETS_DROPS: datagrams for which a queue had no room. */
enum { SOCKETS_SENT_BYTES, SOCKETS_RECEIVED_BYTES, SOCKETS_DROPS };

#endif
