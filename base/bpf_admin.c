// SPDX-License-Identifier: GPL-2.0-only
#include "base/bpf_admin.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/caps.h"
#include "base/child.h"

enum request_what { REQUEST_STATS, REQUEST_OPEN, REQUEST_NEXT };

struct request {
	u32 what, kind, id;
};

struct reply {
	s32 err; /* 0: a descriptor comes along */
	u32 id;
};

static int server = -1; /* the socket to it */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- the calls --- */

static const struct {
	enum bpf_cmd open, next;
} commands[] = {
	[BPF_OBJECT_PROG] = {BPF_PROG_GET_FD_BY_ID, BPF_PROG_GET_NEXT_ID},
	[BPF_OBJECT_MAP] = {BPF_MAP_GET_FD_BY_ID, BPF_MAP_GET_NEXT_ID},
	[BPF_OBJECT_LINK] = {BPF_LINK_GET_FD_BY_ID, BPF_LINK_GET_NEXT_ID},
	[BPF_OBJECT_BTF] = {BPF_BTF_GET_FD_BY_ID, BPF_BTF_GET_NEXT_ID},
};

static int call(enum bpf_cmd cmd, union bpf_attr *attr)
{
	long n = syscall(SYS_bpf, cmd, attr, sizeof(*attr));

	return n < 0 ? -errno : (int)n;
}

static int enable_stats(void)
{
	union bpf_attr attr = {.enable_stats = {.type = BPF_STATS_RUN_TIME}};

	return call(BPF_ENABLE_STATS, &attr);
}

/* Maps to be looked at, not written to. */
static int open_id(u32 kind, u32 id)
{
	union bpf_attr attr = {.prog_id = id,
			       .open_flags = kind == BPF_OBJECT_MAP ? BPF_F_RDONLY : 0};

	return call(commands[kind].open, &attr);
}

/* What goes between the two calls is passed over. */
static int open_next(u32 kind, u32 *id)
{
	union bpf_attr attr;
	int fd;

	do {
		attr = (union bpf_attr){.start_id = *id};
		fd = call(commands[kind].next, &attr);
		if (fd < 0)
			return fd;
		*id = attr.next_id;
		fd = open_id(kind, *id);
	} while (fd == -ENOENT);
	return fd;
}

static int serve_request(const struct request *r, u32 *id)
{
	if (r->what == REQUEST_STATS)
		return enable_stats();
	if (r->kind >= ARRAY_SIZE(commands))
		return -EINVAL;
	return r->what == REQUEST_NEXT ? open_next(r->kind, id) : open_id(r->kind, *id);
}

/* --- messages --- */

union control {
	char buf[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static bool send_reply(int to, const struct reply *reply, int fd)
{
	struct iovec data = {(void *)reply, sizeof(*reply)};
	union control control = {0};
	struct msghdr msg = {.msg_iov = &data, .msg_iovlen = 1};

	if (fd >= 0) {
		msg.msg_control = control.buf;
		msg.msg_controllen = sizeof(control.buf);
		*CMSG_FIRSTHDR(&msg) = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)),
							.cmsg_level = SOL_SOCKET,
							.cmsg_type = SCM_RIGHTS};
		memcpy(CMSG_DATA(CMSG_FIRSTHDR(&msg)), &fd, sizeof(fd));
	}
	return sendmsg(to, &msg, MSG_NOSIGNAL) == sizeof(*reply);
}

static int take_reply(int from, struct reply *reply)
{
	struct iovec data = {reply, sizeof(*reply)};
	union control control;
	struct msghdr msg = {.msg_iov = &data,
			     .msg_iovlen = 1,
			     .msg_control = control.buf,
			     .msg_controllen = sizeof(control.buf)};
	struct cmsghdr *head;
	ssize_t n;
	int fd;

	do
		n = recvmsg(from, &msg, MSG_CMSG_CLOEXEC);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(*reply))
		return -EPERM;
	head = CMSG_FIRSTHDR(&msg);
	if (reply->err || !head || head->cmsg_type != SCM_RIGHTS)
		return reply->err ? reply->err : -EPERM;
	memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
}

/* --- the process --- */

/* Nothing of what was open is held open by it, and no signal of the terminal reaches it. */
static void shut_in(int socket)
{
	int null = open("/dev/null", O_RDWR);

	setsid();
	prctl(PR_SET_NAME, "proftop-bpf");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	dup2(socket, STDERR_FILENO + 1);
	syscall(SYS_close_range, STDERR_FILENO + 2, ~0u, 0);
	caps__keep_alone(caps__effective() & (CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_SYSLOG)));
	caps__seal();
}

static void serve(int socket)
{
	struct request r;
	struct reply reply;
	int fd;

	shut_in(socket);
	socket = STDERR_FILENO + 1;
	while (recv(socket, &r, sizeof(r), 0) == sizeof(r)) {
		reply.id = r.id;
		fd = serve_request(&r, &reply.id);
		reply.err = fd < 0 ? fd : 0;
		if (!send_reply(socket, &reply, fd))
			break;
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

void bpf_admin__start(void)
{
	int pair[2];

	if (!(caps__effective() & CAP_BIT(CAP_SYS_ADMIN)) ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return;
	if (child__serve(serve, pair[1]))
		close(pair[0]);
	else
		server = pair[0];
	close(pair[1]);
}

static int ask(const struct request *r, u32 *id)
{
	struct reply reply = {0};
	int fd;

	if (server < 0)
		return serve_request(r, id);
	pthread_mutex_lock(&lock);
	fd = send(server, r, sizeof(*r), MSG_NOSIGNAL) == sizeof(*r) ? take_reply(server, &reply)
								       : -EPERM;
	pthread_mutex_unlock(&lock);
	*id = reply.id;
	return fd;
}

int bpf_admin__enable_stats(void)
{
	const struct request r = {.what = REQUEST_STATS};
	u32 id = 0;

	return ask(&r, &id);
}

int bpf_admin__open(enum bpf_object_kind kind, u32 id)
{
	const struct request r = {REQUEST_OPEN, kind, id};

	return ask(&r, &id);
}

int bpf_admin__open_next(enum bpf_object_kind kind, u32 *id)
{
	const struct request r = {REQUEST_NEXT, kind, *id};

	return ask(&r, id);
}
