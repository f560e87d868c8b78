/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The HTTP server: libmicrohttpd without a thread of its own. It runs on the thread that polls its fd,
 * which moves bytes and nothing else: what takes time is answered later. Bounded are connections, the
 * time in which nothing moves, and the size of a request, whose body is not read. One thread.
 */
#ifndef SERVE_HTTP_H
#define SERVE_HTTP_H

#include "base/status.h"
#include "serve/target.h"

#define HTTP_CONNECTIONS   64
#define HTTP_IDLE_S	   10	       /* a connection on which nothing moves is closed */
#define HTTP_REQUEST_BYTES (16 << 10) /* the head of a request */

struct http;
struct http_request; /* the server's, until it was answered */

struct http_config {
	int fd;		  /* listens; taken over, unless it fails */
	const char *token; /* that requests have to bring; NULL: none */
	const char *cert, *key; /* PEM, for TLS; NULL: none */
	const char *clients; /* with TLS: whose certificates clients have to bring, PEM; NULL: they need none */
	bool plain_host;  /* requests name this machine by a number or as localhost */
	/* A request that is well-formed and may be made. To be answered once, now or later. */
	void (*request)(void *ctx, struct http_request *rq, const struct target *t);
	void *ctx;
};

/* NULL with st. What it borrows has to stay. */
struct http *http__new(const struct http_config *cfg, struct status *st);
/* Refuses what was not answered, and what comes meanwhile, closes everything. NULL is fine. */
void http__free(struct http *h);
int http__fd(const struct http *h); /* readable when http__run has something to do */
int http__timeout_ms(struct http *h); /* until it has, anyway; -1 never */
void http__run(struct http *h);

/* Whether the request prefers this type to that one. */
bool http__prefers(struct http_request *rq, const char *type, const char *to);
/* data is freed; it is packed for who takes that. name: what a file of it is called; NULL: it is to be looked at. */
void http__respond(struct http_request *rq, u32 code, const char *type, const char *name,
		   char *data, size_t len);
/* One line of text. */
void http__say(struct http_request *rq, u32 code, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
