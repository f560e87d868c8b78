// SPDX-License-Identifier: GPL-2.0-only
#include "serve/http.h"

#include <gnutls/gnutls.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

#include "base/arena.h"
#include "serve/accept.h"
#include "serve/address.h"
#include "serve/token.h"

struct http {
	struct http_config cfg;
	struct MHD_Daemon *daemon;
	struct http_request *waiting; /* not answered yet, their connections suspended */
	bool ends; /* nobody is there any more for what is asked now */
};

struct http_request {
	struct http *http;
	struct MHD_Connection *connection;
	struct MHD_Response *response; /* NULL: not answered */
	u32 code;
	bool suspended;
	struct http_request *next, **link; /* while it waits */
	char *text;			   /* the target, as it came */
};

static const char *header(struct http_request *rq, const char *name)
{
	return MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND, name);
}

/* --- answers --- */

static void add_headers(struct MHD_Response *r, const char *type, const char *name)
{
	char disposition[128];

	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	MHD_add_response_header(r, "Content-Security-Policy",
				"default-src 'none'; style-src 'unsafe-inline'; "
				"script-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'");
	if (!name)
		return;
	snprintf(disposition, sizeof(disposition), "attachment; filename=\"%.80s\"", name);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_DISPOSITION, disposition);
}

static void stop_waiting(struct http_request *rq)
{
	if (!rq->suspended)
		return;
	rq->suspended = false;
	*rq->link = rq->next;
	if (rq->next)
		rq->next->link = rq->link;
	MHD_resume_connection(rq->connection);
}

#define PACK_BYTES 1400 /* what fits into a packet is sent as it is */

static bool is_packed(struct http_request *rq, const char *type, size_t len)
{
	const char *takes = header(rq, MHD_HTTP_HEADER_ACCEPT_ENCODING);

	return len > PACK_BYTES && takes && accept__quality(takes, "gzip") &&
	       strcmp(type, "application/octet-stream") != 0;
}

/* By gzip, in place of data, which is freed; false: it stays as it was. */
static bool pack(char **data, size_t *len)
{
	z_stream z = {0};
	char *out;

	if (*len > UINT32_MAX / 2 ||
	    deflateInit2(&z, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		return false;
	z.avail_out = (uInt)deflateBound(&z, *len);
	out = xmalloc(z.avail_out);
	z.next_in = (Bytef *)*data;
	z.avail_in = (uInt)*len;
	z.next_out = (Bytef *)out;
	deflate(&z, Z_FINISH);
	free(*data);
	*data = out;
	*len = z.total_out;
	deflateEnd(&z);
	return true;
}

void http__respond(struct http_request *rq, u32 code, const char *type, const char *name,
		   char *data, size_t len)
{
	bool packed = is_packed(rq, type, len) && pack(&data, &len);

	rq->response = MHD_create_response_from_buffer(len, data, MHD_RESPMEM_MUST_FREE);
	if (!rq->response)
		die("out of memory for an answer");
	rq->code = code;
	add_headers(rq->response, type, name);
	if (packed)
		MHD_add_response_header(rq->response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
	if (code == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(rq->response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
	if (code == MHD_HTTP_UNAUTHORIZED)
		MHD_add_response_header(rq->response, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
	stop_waiting(rq);
}

void http__say(struct http_request *rq, u32 code, const char *fmt, ...)
{
	char *text = xcalloc(1, 1024);
	va_list args;
	size_t n;

	va_start(args, fmt);
	vsnprintf(text, 1022, fmt, args);
	va_end(args);
	n = strlen(text);
	text[n++] = '\n';
	http__respond(rq, code, "text/plain; charset=utf-8", NULL, text, n);
}

bool http__prefers(struct http_request *rq, const char *type, const char *to)
{
	const char *header = MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND,
							 MHD_HTTP_HEADER_ACCEPT);

	return accept__quality(header, type) > accept__quality(header, to);
}

/* --- requests --- */

/* Whether the other end has a certificate of one of cfg->clients, as of now. */
static bool is_known_client(struct http_request *rq)
{
	const union MHD_ConnectionInfo *of =
		MHD_get_connection_info(rq->connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
	unsigned int wrong;

	return of && !gnutls_certificate_verify_peers2(of->tls_session, &wrong) && !wrong;
}

#define ENDS "proftop ends"

static void judge(struct http_request *rq, const char *method)
{
	const struct http_config *cfg = &rq->http->cfg;
	struct target t;
	char why[128];

	if (rq->http->ends)
		http__say(rq, MHD_HTTP_SERVICE_UNAVAILABLE, ENDS);
	else if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		http__say(rq, MHD_HTTP_METHOD_NOT_ALLOWED, "nothing here takes %.16s", method);
	else if (cfg->plain_host && !address__host_is_plain(header(rq, MHD_HTTP_HEADER_HOST)))
		http__say(rq, MHD_HTTP_FORBIDDEN, "ask by a numeric address, or as localhost");
	else if (cfg->clients && !is_known_client(rq))
		http__say(rq, MHD_HTTP_FORBIDDEN, "a client's certificate is missing, or nobody here trusts it");
	else if (cfg->token && !token__is(cfg->token, header(rq, MHD_HTTP_HEADER_AUTHORIZATION)))
		http__say(rq, MHD_HTTP_UNAUTHORIZED, "a token is missing, or is another one");
	else if (!target__parse(rq->text, &t, why, sizeof(why)))
		http__say(rq, MHD_HTTP_BAD_REQUEST, "%s", why);
	else
		cfg->request(cfg->ctx, rq, &t);
}

static void start_waiting(struct http_request *rq)
{
	struct http *h = rq->http;

	MHD_suspend_connection(rq->connection);
	rq->suspended = true;
	rq->next = h->waiting;
	rq->link = &h->waiting;
	if (rq->next)
		rq->next->link = &rq->next;
	h->waiting = rq;
}

/* Called when the head was read, and once more when a connection is resumed. */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *upload,
				  size_t *upload_size, void **of)
{
	struct http_request *rq = *of;
	enum MHD_Result done;

	if (!rq)
		return MHD_NO;
	if (!rq->connection) {
		rq->connection = c;
		judge(rq, method);
	}
	if (!rq->response) {
		start_waiting(rq);
		return MHD_YES;
	}
	done = MHD_queue_response(c, rq->code, rq->response);
	MHD_destroy_response(rq->response);
	rq->response = NULL;
	return done;
}

static void *on_target(void *ctx, const char *text, struct MHD_Connection *c)
{
	struct http_request *rq = xcalloc(1, sizeof(*rq));

	rq->http = ctx;
	rq->text = xstrdup(text);
	return rq;
}

static void on_completed(void *ctx, struct MHD_Connection *c, void **of,
			 enum MHD_RequestTerminationCode why)
{
	struct http_request *rq = *of;

	*of = NULL;
	if (!rq)
		return;
	if (rq->response)
		MHD_destroy_response(rq->response);
	free(rq->text);
	free(rq);
}

/* --- the server --- */

#define FLAGS (MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_PEDANTIC_CHECKS)

static struct MHD_Daemon *start(struct http *h)
{
	const struct http_config *cfg = &h->cfg;
	const struct MHD_OptionItem tls[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)cfg->cert},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)cfg->key},
		{cfg->clients ? MHD_OPTION_HTTPS_MEM_TRUST : MHD_OPTION_END, 0, (void *)cfg->clients},
		{MHD_OPTION_END, 0, NULL},
	};
	const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};

	return MHD_start_daemon(FLAGS | (cfg->cert ? MHD_USE_TLS : 0), 0, NULL, NULL, on_request, h,
				MHD_OPTION_LISTEN_SOCKET, cfg->fd, MHD_OPTION_URI_LOG_CALLBACK,
				on_target, h, MHD_OPTION_NOTIFY_COMPLETED, on_completed, h,
				MHD_OPTION_CONNECTION_LIMIT, (unsigned int)HTTP_CONNECTIONS,
				MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int)HTTP_IDLE_S,
				MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HTTP_REQUEST_BYTES,
				MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_ARRAY,
				cfg->cert ? tls : none, MHD_OPTION_END);
}

struct http *http__new(const struct http_config *cfg, struct status *st)
{
	struct http *h = xcalloc(1, sizeof(*h));

	h->cfg = *cfg;
	h->daemon = start(h);
	if (h->daemon)
		return h;
	free(h);
	status__set(st, EXIT_CODE_FAILURE, -EINVAL, "--serve: the HTTP server does not start%s",
		    cfg->cert ? ": look at --serve-cert, --serve-key and --serve-clients" : "");
	return NULL;
}

void http__free(struct http *h)
{
	if (!h)
		return;
	h->ends = true;
	while (h->waiting)
		http__say(h->waiting, MHD_HTTP_SERVICE_UNAVAILABLE, ENDS);
	http__run(h);
	MHD_stop_daemon(h->daemon);
	free(h);
}

int http__fd(const struct http *h)
{
	return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http__timeout_ms(struct http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (MHD_get_timeout(h->daemon, &ms) != MHD_YES)
		return -1;
	return (int)MIN(ms, (MHD_UNSIGNED_LONG_LONG)60000);
}

void http__run(struct http *h)
{
	MHD_run(h->daemon);
}
