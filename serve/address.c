// SPDX-License-Identifier: GPL-2.0-only
#include "serve/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define BACKLOG 32

static bool parse_port(const char *s, in_port_t *port)
{
	char *end;
	unsigned long n;

	if (*s < '0' || *s > '9')
		return false;
	n = strtoul(s, &end, 10);
	*port = htons((u16)n);
	return !*end && n > 0 && n <= UINT16_MAX;
}

static bool set_v4(struct address *a, const char *host, in_port_t port)
{
	struct sockaddr_in *in = (struct sockaddr_in *)&a->storage;

	*in = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = port};
	a->len = sizeof(*in);
	if (inet_pton(AF_INET, host, &in->sin_addr) != 1)
		return false;
	a->loopback = ntohl(in->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
	return true;
}

static bool set_v6(struct address *a, const char *host, in_port_t port)
{
	struct sockaddr_in6 *in = (struct sockaddr_in6 *)&a->storage;

	*in = (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_port = port};
	a->len = sizeof(*in);
	if (inet_pton(AF_INET6, host, &in->sin6_addr) != 1)
		return false;
	a->loopback = IN6_IS_ADDR_LOOPBACK(&in->sin6_addr);
	return true;
}

static bool set_path(struct address *a, const char *path)
{
	if (strlen(path) >= sizeof(a->un.sun_path))
		return false;
	a->un = (struct sockaddr_un){.sun_family = AF_UNIX};
	copy_str(a->un.sun_path, sizeof(a->un.sun_path), path);
	a->len = sizeof(a->un);
	a->path = path;
	a->loopback = true;
	return true;
}

/* What stands before the last colon, brackets taken off; false when it is too long. */
static bool split(const char *text, const char *colon, char *host, size_t size)
{
	size_t n = (size_t)(colon - text);

	if (*text == '[' && n > 1 && colon[-1] == ']') {
		text++;
		n -= 2;
	}
	if (n >= size)
		return false;
	copy_str(host, n + 1, text);
	return true;
}

bool address__parse(const char *text, struct address *a)
{
	char host[INET6_ADDRSTRLEN + 16];
	const char *colon;
	in_port_t port;

	*a = (struct address){0};
	text = text ? text : SERVE_DEFAULT;
	if (strchr(text, '/'))
		return set_path(a, text);
	colon = strrchr(text, ':');
	if (!parse_port(colon ? colon + 1 : text, &port))
		return false;
	if (!colon || colon == text)
		return set_v4(a, "127.0.0.1", port);
	if (!split(text, colon, host, sizeof(host)))
		return false;
	if (*text == '[')
		return set_v6(a, host, port);
	return set_v4(a, strcmp(host, "localhost") ? host : "127.0.0.1", port);
}

const char *address__text(const struct address *a, char *buf, size_t size)
{
	char host[INET6_ADDRSTRLEN] = "";

	if (a->path)
		snprintf(buf, size, "%s", a->path);
	else if (a->any.sa_family == AF_INET6)
		snprintf(buf, size, "[%s]:%u",
			 inet_ntop(AF_INET6, &((struct sockaddr_in6 *)a)->sin6_addr, host,
				   sizeof(host)),
			 ntohs(((struct sockaddr_in6 *)a)->sin6_port));
	else
		snprintf(buf, size, "%s:%u",
			 inet_ntop(AF_INET, &((struct sockaddr_in *)a)->sin_addr, host, sizeof(host)),
			 ntohs(((struct sockaddr_in *)a)->sin_port));
	return buf;
}

/* A socket that was left behind: nobody answers there. */
static bool is_left_behind(const struct address *a)
{
	struct stat there;
	int fd, ret;

	if (lstat(a->path, &there) || !S_ISSOCK(there.st_mode))
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ret = fd < 0 ? 0 : connect(fd, &a->any, a->len);
	ret = ret ? errno : 0;
	if (fd >= 0)
		close(fd);
	return ret == ECONNREFUSED;
}

static int bind_to(int fd, const struct address *a)
{
	mode_t mask;
	int ret;

	if (!a->path) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
		return bind(fd, &a->any, a->len);
	}
	if (is_left_behind(a))
		unlink(a->path);
	mask = umask(0177);
	ret = bind(fd, &a->any, a->len);
	umask(mask);
	return ret;
}

int address__listen(const struct address *a, struct status *st)
{
	int fd = socket(a->any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	char text[sizeof(a->un.sun_path) + 8];
	int err;

	if (fd >= 0 && !bind_to(fd, a) && !listen(fd, BACKLOG))
		return fd;
	err = errno;
	if (fd >= 0)
		close(fd);
	status__set(st, exit_code__from_errno(-err), -err, "--serve: cannot listen on %s: %s",
		    address__text(a, text, sizeof(text)), strerror(err));
	return -1;
}

void address__unlink(const struct address *a)
{
	if (a->path)
		unlink(a->path);
}

bool address__host_is_plain(const char *host)
{
	char name[INET6_ADDRSTRLEN + 16];
	const char *colon = host ? strrchr(host, ':') : NULL;
	struct in6_addr any;

	if (!host)
		return true;
	if (!colon || strchr(colon, ']'))
		colon = host + strlen(host);
	if (!split(host, colon, name, sizeof(name)))
		return false;
	return !strcmp(name, "localhost") || inet_pton(AF_INET, name, &any) == 1 ||
	       inet_pton(AF_INET6, name, &any) == 1;
}
