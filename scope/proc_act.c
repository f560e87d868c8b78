// SPDX-License-Identifier: GPL-2.0-only
#include "scope/proc_act.h"

#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "scope/proc_stat.h"

/* --- that it is the one that is meant --- */

static bool is_same(const struct proc_id *id, const struct proc_stat *now)
{
	return now->start_ticks ==
	       id->start_ns / (NSEC_PER_SEC / (u64)MAX(sysconf(_SC_CLK_TCK), 1L));
}

static int gone(const struct proc_id *id, struct status *st)
{
	return status__set(st, EXIT_CODE_FAILURE, -ESRCH, "process %u has ended; nothing was done",
			   id->pid);
}

/* A handle of the process, or -errno. What the number names after the handle was taken is what
 * the handle is of, as long as that lives. */
static int open_same(const struct proc_id *id, struct status *st)
{
	int fd = (int)syscall(SYS_pidfd_open, id->pid, 0);
	struct proc_stat now;
	char pid[16];

	snprintf(pid, sizeof(pid), "%u", id->pid);
	if (fd < 0)
		return gone(id, st);
	if (proc_stat__read(pid, &now) || !is_same(id, &now)) {
		close(fd);
		return gone(id, st);
	}
	return fd;
}

static bool lives(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 0;
}

static int refused(const struct proc_id *id, const char *what, struct status *st)
{
	int err = -errno;

	return status__set(st, err == -EPERM ? EXIT_CODE_PERMISSION : EXIT_CODE_FAILURE, err,
			   "process %u: %s: %s", id->pid, what, strerror(-err));
}

int proc_act__signal(const struct proc_id *id, int sig, struct status *st)
{
	int fd = open_same(id, st), err = 0;

	if (fd < 0)
		return fd;
	if (syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0))
		err = refused(id, "the signal was not sent", st);
	close(fd);
	return err;
}

/* --- each of its threads --- */

static int each_thread(const struct proc_id *id, int (*fn)(u32 tid, const void *ctx),
		       const void *ctx, const char *what, struct status *st)
{
	char path[32];
	int fd = open_same(id, st), err = 0, done = 0;
	const struct dirent *d;
	DIR *dir;

	if (fd < 0)
		return fd;
	snprintf(path, sizeof(path), "/proc/%u/task", id->pid);
	dir = opendir(path);
	while (!err && dir && lives(fd) && (d = readdir(dir))) {
		u32 tid = (u32)strtoul(d->d_name, NULL, 10);

		if (!tid)
			continue;
		/* One that ended meanwhile is no failure. */
		if (!fn(tid, ctx))
			done++;
		else if (errno != ESRCH)
			err = refused(id, what, st);
	}
	if (dir)
		closedir(dir);
	close(fd);
	return err || done ? err : gone(id, st);
}

static int set_nice(u32 tid, const void *ctx)
{
	return setpriority(PRIO_PROCESS, tid, *(const int *)ctx);
}

int proc_act__renice(const struct proc_id *id, int nice, struct status *st)
{
	if (nice < -20 || nice > 19)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "a nice value is a number from -20 to 19");
	return each_thread(id, set_nice, &nice, "its nice value stays as it was", st);
}

/* --- CPUs --- */

bool proc_act__parse_cpus(const char *text, u64 set[PROC_ACT_CPUS / 64])
{
	memset(set, 0, PROC_ACT_CPUS / 8);
	for (const char *at = text; *at || at == text;) {
		char *end;
		unsigned long from, to;

		if (*at < '0' || *at > '9')
			return false;
		from = to = strtoul(at, &end, 10);
		if (*end == '-') {
			at = end + 1;
			if (*at < '0' || *at > '9')
				return false;
			to = strtoul(at, &end, 10);
		}
		if (from > to || to >= PROC_ACT_CPUS || (*end && *end != ',') ||
		    (*end == ',' && !end[1]))
			return false;
		for (; from <= to; from++)
			set[from / 64] |= 1ULL << (from % 64);
		at = *end ? end + 1 : end;
	}
	return true;
}

static int set_cpus(u32 tid, const void *ctx)
{
	return sched_setaffinity((pid_t)tid, PROC_ACT_CPUS / 8, ctx);
}

int proc_act__set_cpus(const struct proc_id *id, const char *cpus, struct status *st)
{
	u64 set[PROC_ACT_CPUS / 64];

	if (!proc_act__parse_cpus(cpus, set))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "CPUs are a list such as 0,2-3; nothing was done");
	return each_thread(id, set_cpus, set, "its CPUs stay as they were", st);
}

const char *proc_act__cpus(const struct proc_id *id, char *buf, size_t size)
{
	u64 set[PROC_ACT_CPUS / 64] = {0};
	size_t n = 0;

	*buf = '\0';
	if (sched_getaffinity((pid_t)id->pid, sizeof(set), (cpu_set_t *)set))
		return buf;
	for (u32 c = 0; c < PROC_ACT_CPUS && n < size; c++) {
		u32 to = c;

		if (!(set[c / 64] & 1ULL << (c % 64)))
			continue;
		while (to + 1 < PROC_ACT_CPUS && set[(to + 1) / 64] & 1ULL << ((to + 1) % 64))
			to++;
		n += (size_t)snprintf(buf + n, size - n, to > c ? "%s%u-%u" : "%s%u", n ? "," : "",
				      c, to);
		c = to;
	}
	return buf;
}
