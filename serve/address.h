/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where to listen: a numeric address and a port, or the path of a unix socket. Names are not looked up,
 * so that nobody else says what an address is.
 */
#ifndef SERVE_ADDRESS_H
#define SERVE_ADDRESS_H

#include <sys/socket.h>
#include <sys/un.h>

#include "base/status.h"

#define SERVE_DEFAULT "127.0.0.1:9464"
#define SERVE_TAKES   "ADDRESS:PORT, [ADDRESS]:PORT, PORT, or the path of a socket, with a / in it"

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_storage storage;
		struct sockaddr_un un;
	};
	socklen_t len;
	const char *path; /* of a unix socket, borrowed from the text; NULL: a port */
	bool loopback;	  /* nobody on another machine gets there */
};

/* False when text is none of SERVE_TAKES; NULL is SERVE_DEFAULT. */
bool address__parse(const char *text, struct address *a);
/* "127.0.0.1:9464", "[::1]:9464" or a path. */
const char *address__text(const struct address *a, char *buf, size_t size);
/* A socket that listens; -1 with st. A unix socket is for its owner alone; one that nobody listens on
 * any more is replaced, nothing else is. */
int address__listen(const struct address *a, struct status *st);
/* Removes a unix socket. */
void address__unlink(const struct address *a);
/* Whether a Host header names this machine by a number or as localhost: what a browser was led here by
 * under another name is not meant for us. NULL passes. */
bool address__host_is_plain(const char *host);

#endif
