/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a workload says of its waits: each with its begin and end by CLOCK_MONOTONIC, and,
 * from time to time, what the kernel accounts to the thread. Logs are shared memory, so that
 * those of forked and of killed processes are there at the end.
 */
#ifndef TESTS_WORKLOADS_WAIT_LOG_H
#define TESTS_WORKLOADS_WAIT_LOG_H

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "work.h"

#define LOG_WAITS 32768
#define LOG_MARKS 65536

struct logged_wait {
	uint64_t from, to;
	char what[8];
};

/* CPU time and waits for a CPU up to t, as /proc/PID/schedstat has them, and the sum of waits
 * that are too many to be listed. */
struct logged_mark {
	uint64_t t, cpu, delay, runs, waited;
};

struct wait_log {
	char name[16];
	int pid, tid;
	uint32_t nwaits, nmarks;
	uint64_t waited;
	struct logged_wait waits[LOG_WAITS];
	struct logged_mark marks[LOG_MARKS];
};

static inline void *shared_memory(size_t size)
{
	void *at = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		exit(1);
	return at;
}

static uint64_t *log_end; /* shared: when the workload is over */

static inline int going_on(void)
{
	return wall_ns() < __atomic_load_n(log_end, __ATOMIC_RELAXED);
}

static inline void log_on_term(int sig)
{
	(void)sig;
	__atomic_store_n(log_end, wall_ns(), __ATOMIC_RELAXED);
}

/* n logs of a workload that goes on for so long, or until SIGTERM. */
static inline struct wait_log *wait_logs__new(uint32_t n, double seconds)
{
	struct sigaction act = {.sa_handler = log_on_term, .sa_flags = SA_RESTART};

	log_end = shared_memory(sizeof(*log_end));
	*log_end = wall_ns() + (uint64_t)(seconds * 1e9);
	sigaction(SIGTERM, &act, NULL);
	return shared_memory(n * sizeof(struct wait_log));
}

static inline void wait_log__mark(struct wait_log *l)
{
	struct logged_mark *m = &l->marks[l->nmarks];
	unsigned long cpu, delay, runs;
	int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	char text[128];
	ssize_t n = read(fd, text, sizeof(text) - 1);

	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (l->nmarks == LOG_MARKS || sscanf(text, "%lu %lu %lu", &cpu, &delay, &runs) != 3)
		return;
	*m = (struct logged_mark){wall_ns(), cpu_ns(), delay, runs, l->waited};
	l->nmarks++;
}

/* As above, but at most every 2 ms. */
static inline void wait_log__mark_sometimes(struct wait_log *l)
{
	if (!l->nmarks || wall_ns() - l->marks[l->nmarks - 1].t > 2 * MS)
		wait_log__mark(l);
}

/* The calling thread's log from here on; it gets that name. */
static inline void wait_log__begin(struct wait_log *l, const char *name)
{
	prctl(PR_SET_NAME, name);
	snprintf(l->name, sizeof(l->name), "%s", name);
	l->pid = getpid();
	l->tid = (int)syscall(SYS_gettid);
	wait_log__mark(l);
}

static inline void wait_log__add(struct wait_log *l, const char *what, uint64_t from, uint64_t to)
{
	struct logged_wait *w = &l->waits[l->nwaits];

	if (l->nwaits == LOG_WAITS)
		return;
	w->from = from;
	w->to = to;
	snprintf(w->what, sizeof(w->what), "%s", what);
	l->nwaits++;
}

/* A statement that waits, with its begin, its end and marks at both. */
#define LOGGED(l, what, statement)                                                                 \
	do {                                                                                       \
		uint64_t from_;                                                                    \
                                                                                                   \
		wait_log__mark(l);                                                                 \
		from_ = wall_ns();                                                                 \
		statement;                                                                         \
		wait_log__add(l, what, from_, wall_ns());                                          \
		wait_log__mark(l);                                                                 \
	} while (0)

static inline void wait_log__print(const struct wait_log *l)
{
	printf("{\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"waits\":[", l->name, l->pid, l->tid);
	for (uint32_t i = 0; i < l->nwaits; i++)
		printf("%s[%lu,%lu,\"%s\"]", i ? "," : "", l->waits[i].from, l->waits[i].to,
		       l->waits[i].what);
	printf("],\"marks\":[");
	for (uint32_t i = 0; i < l->nmarks; i++)
		printf("%s[%lu,%lu,%lu,%lu,%lu]", i ? "," : "", l->marks[i].t, l->marks[i].cpu,
		       l->marks[i].delay, l->marks[i].runs, l->marks[i].waited);
	printf("]}");
}

/* The line at the end; logs that nobody began are left out. */
static inline void wait_logs__print(const struct wait_log *logs, uint32_t n)
{
	const char *sep = "";

	printf("{\"threads\":[");
	for (uint32_t i = 0; i < n; i++) {
		if (!logs[i].tid)
			continue;
		printf("%s", sep);
		wait_log__print(&logs[i]);
		sep = ",";
	}
	printf("]}\n");
	fflush(stdout);
}

/*
 * A system call without libc in between: the C library has no frame pointers, and its
 * function would hide the one that called it.
 */
static inline __attribute__((always_inline)) long raw_syscall(long nr, long a, long b, long c,
							      long d, long e, long f)
{
	__asm__ volatile("" ::"r"(__builtin_frame_address(0)));
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "0"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = nr, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c, x3 __asm__("x3") = d, x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	return x0;
#else
#error "no system call for this machine"
#endif
}

#define RAW_SLEEP(ns)                                                                              \
	do {                                                                                       \
		struct timespec t_ = {(time_t)((ns) / SECOND), (long)((ns) % SECOND)};             \
                                                                                                   \
		raw_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)&t_, 0, 0, 0);          \
	} while (0)

#define RAW_SLEEP_UNTIL(ns)                                                                        \
	do {                                                                                       \
		struct timespec t_ = {(time_t)((ns) / SECOND), (long)((ns) % SECOND)};             \
                                                                                                   \
		raw_syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&t_, 0, 0,  \
			    0);                                                                    \
	} while (0)

/* Not private, so that it works between processes too. */
#define RAW_FUTEX_WAIT(word, value)                                                                \
	raw_syscall(SYS_futex, (long)(word), FUTEX_WAIT, (long)(value), 0, 0, 0)
#define RAW_FUTEX_WAKE(word) raw_syscall(SYS_futex, (long)(word), FUTEX_WAKE, 1, 0, 0, 0)

static inline void pin_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static inline int last_cpu(void)
{
	return (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
}

/* Forks a process that ends with this one. */
static inline int fork_child(void)
{
	int pid = fork();

	if (!pid)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

#endif
