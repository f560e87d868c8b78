// SPDX-License-Identifier: GPL-2.0-only
#include "base/cpus.h"

#include <limits.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"

#define CPUS_MAX     8192
#define UEVENTS	     1 /* the multicast group of the kernel's own events */
#define UEVENT_BYTES 4096
#define CPU_DEVICES  "/devices/system/cpu/"

u32 cpus__parse(FILE *f, u32 *cpus, u32 max)
{
	u32 n = 0, from, to;
	int c;

	while (fscanf(f, "%u", &from) == 1) {
		to = from;
		c = fgetc(f);
		if (c == '-' && fscanf(f, "%u", &to) == 1)
			c = fgetc(f);
		for (u32 cpu = from; cpu <= to && n < max; cpu++)
			cpus[n++] = cpu;
		if (c != ',')
			break;
	}
	return n;
}

u32 cpus__online(u32 **cpus)
{
	FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	u32 n = 0;

	*cpus = xcalloc(CPUS_MAX, sizeof(**cpus));
	if (f) {
		n = cpus__parse(f, *cpus, CPUS_MAX);
		fclose(f);
	}
	for (long i = 0; !f && i < sysconf(_SC_NPROCESSORS_ONLN) && n < CPUS_MAX; i++)
		(*cpus)[n++] = (u32)i;
	return n;
}

/* --- watching --- */

/* Lets in what begins with "onli" or "offl": a machine may have very many other events, and none
 * is to wake anybody. */
static int filter_uevents(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f6e6c69, 1, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x6f66666c, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
		BPF_STMT(BPF_RET | BPF_K, 0),
	};
	struct sock_fprog program = {.len = ARRAY_SIZE(code), .filter = code};

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program));
}

static int open_uevents(void)
{
	struct sockaddr_nl at = {.nl_family = AF_NETLINK, .nl_groups = UEVENTS};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0)
		return -1;
	if (!filter_uevents(fd) && !bind(fd, (struct sockaddr *)&at, sizeof(at)))
		return fd;
	close(fd);
	return -1;
}

static int open_sleeps(void)
{
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	struct itimerspec never = {.it_value.tv_sec = LONG_MAX};

	if (fd < 0)
		return -1;
	if (!timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL))
		return fd;
	close(fd);
	return -1;
}

static void listen_to(const struct cpus_watch *w, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN};

	if (fd >= 0)
		epoll_ctl(w->fd, EPOLL_CTL_ADD, fd, &ev);
}

void cpus_watch__init(struct cpus_watch *w)
{
	*w = (struct cpus_watch){
		.fd = epoll_create1(EPOLL_CLOEXEC),
		.uevents = open_uevents(),
		.sleeps = open_sleeps(),
		.slept_ns = clock__suspended_ns(),
	};
	w->n = cpus__online(&w->cpus);
	if (w->fd < 0)
		return;
	listen_to(w, w->uevents);
	listen_to(w, w->sleeps);
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void cpus_watch__fini(struct cpus_watch *w)
{
	close_fd(w->sleeps);
	close_fd(w->uevents);
	close_fd(w->fd);
	free(w->cpus);
	*w = (struct cpus_watch)CPUS_WATCH_NONE;
}

/* "online@/devices/system/cpu/cpu1", and more behind it. */
static bool is_of_cpu(const char *event)
{
	const char *device = strchr(event, '@');

	return device && !strncmp(device + 1, CPU_DEVICES, strlen(CPU_DEVICES));
}

/* Of what did not fit into the socket nobody knows what it was. */
static bool cpu_was_reported(int fd)
{
	char event[UEVENT_BYTES];
	bool reported = false;
	ssize_t n;

	while ((n = recv(fd, event, sizeof(event) - 1, 0)) >= 0 || errno == ENOBUFS) {
		event[MAX(n, 0)] = '\0';
		reported |= n < 0 || is_of_cpu(event);
	}
	return reported;
}

static bool set_changed(struct cpus_watch *w)
{
	u32 *cpus, n = cpus__online(&cpus);
	bool changed = n != w->n || memcmp(cpus, w->cpus, n * sizeof(*cpus));

	free(w->cpus);
	w->cpus = cpus;
	w->n = n;
	return changed;
}

/* What the two clocks differ by when they are read is no sleep. */
static u64 slept(struct cpus_watch *w)
{
	u64 all = clock__suspended_ns(), since = all - w->slept_ns, set;

	if (w->sleeps >= 0)
		(void)!read(w->sleeps, &set, sizeof(set)); /* which lets it be cancelled again */
	if ((s64)since < (s64)NSEC_PER_MSEC)
		return 0;
	w->slept_ns = all;
	return since;
}

struct cpus_news cpus_watch__look(struct cpus_watch *w)
{
	bool reported = w->uevents >= 0 && cpu_was_reported(w->uevents);

	return (struct cpus_news){.slept_ns = slept(w), .changed = set_changed(w) || reported};
}
