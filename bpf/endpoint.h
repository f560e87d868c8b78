/* SPDX-License-Identifier: GPL-2.0-only */
/* Ends of sockets as values of labels; shared by kernel and user side. */
#ifndef BPF_ENDPOINT_H
#define BPF_ENDPOINT_H

/*
 * From ENDPOINT_PORT_SHIFT on the port. With ENDPOINT_V4 the lower 32 bits are the address; with ENDPOINT_V6
 * they and those above the port are a hash of it, and its 16 bytes are sent as the name, in hex; with
 * ENDPOINT_UNIX all below is a hash of a path, which is the name. 0: it has no address.
 */
#define ENDPOINT_V4	    (1ULL << 48)
#define ENDPOINT_V6	    (1ULL << 63)
#define ENDPOINT_UNIX	    (1ULL << 62)
#define ENDPOINT_PORT_SHIFT 32
#define ENDPOINT_OTHERS	    1ULL /* they were too many to keep them apart */

#define ENDPOINT_PORT(endpoint) ((endpoint) >> ENDPOINT_PORT_SHIFT & 0xffff)

#endif
