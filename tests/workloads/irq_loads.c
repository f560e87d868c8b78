// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts, works and times without them whose number and length are known: irq_loads SECONDS. For each line on
 * its standard input, "WHAT N", it does that so often, and prints the longest time one took, in ns:
 *
 * works	bytes through a pseudo terminal, each a work flush_to_ldisc
 * calls	membarrier() while a thread runs on the other CPU: a call of ipi_mb there
 * timers	waits of a socket for 1 ms, each a timer process_timeout
 * irqs		kill() within which interrupts are off for several ms
 * irqs-long	the same, four times as long
 * preempt	prctl() within which preemption is, while a thread of more priority on that CPU wants to run each ms
 *
 * What holds interrupts off is a BPF program that takes its time: signals are sent, and names are set, with locks held.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <termios.h>

#include "work.h"

#define LOOPS 15000 /* each with so many looks at the clock: 10 ms or so */
#define LOOKS 20

static void fail(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void pin(pthread_t thread, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(thread, sizeof(set), &set);
}

static void be_first(pthread_t thread)
{
	struct sched_param p = {.sched_priority = 10};

	if (pthread_setschedparam(thread, SCHED_FIFO, &p))
		fail("SCHED_FIFO");
}

/* --- the program: does nothing in other processes --- */

#define CALL(id) {.code = BPF_JMP | BPF_CALL, .imm = id}
#define OP(op, dst, src, number, offset) \
	{.code = (op), .dst_reg = (dst), .src_reg = (src), .off = (offset), .imm = (number)}

static int load(void)
{
	struct bpf_insn insns[16 + LOOKS] = {
		CALL(BPF_FUNC_get_current_pid_tgid),
		OP(BPF_ALU64 | BPF_RSH | BPF_K, 0, 0, 32, 0),
		OP(BPF_JMP | BPF_JNE | BPF_K, 0, 0, getpid(), LOOKS + 3),
		OP(BPF_ALU64 | BPF_MOV | BPF_K, 6, 0, 0, 0),
	};
	union bpf_attr attr = {.prog_type = BPF_PROG_TYPE_RAW_TRACEPOINT,
			       .insns = (uint64_t)(uintptr_t)insns,
			       .license = (uint64_t)(uintptr_t)"GPL",
			       .prog_name = "takes_time"};
	uint32_t n = 4;
	int fd;

	for (int i = 0; i < LOOKS; i++)
		insns[n++] = (struct bpf_insn)CALL(BPF_FUNC_ktime_get_ns);
	insns[n++] = (struct bpf_insn)OP(BPF_ALU64 | BPF_ADD | BPF_K, 6, 0, 1, 0);
	insns[n++] = (struct bpf_insn)OP(BPF_JMP | BPF_JNE | BPF_K, 6, 0, LOOPS, -(LOOKS + 2));
	insns[n++] = (struct bpf_insn)OP(BPF_ALU64 | BPF_MOV | BPF_K, 0, 0, 0, 0);
	insns[n++] = (struct bpf_insn)OP(BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	attr.insn_cnt = n;
	fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
	if (fd < 0)
		fail("BPF_PROG_LOAD");
	return fd;
}

static int attach(int prog, const char *event)
{
	union bpf_attr attr = {.raw_tracepoint = {.name = (uint64_t)(uintptr_t)event, .prog_fd = (uint32_t)prog}};
	int fd = (int)syscall(SYS_bpf, BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));

	if (fd < 0)
		fail(event);
	return fd;
}

/* --- what there is to do --- */

static int master, slave;

static void open_terminal(void)
{
	struct termios t;

	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		fail("posix_openpt");
	slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	if (slave < 0 || tcgetattr(slave, &t))
		fail("slave");
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);
}

static void work(void)
{
	char c = 'x';

	if (write(master, &c, 1) != 1 || read(slave, &c, 1) != 1)
		fail("pseudo terminal");
}

static void wait_a_ms(void)
{
	static int fd = -1;
	struct timeval t = {.tv_usec = 1000};
	char c;

	if (fd < 0) {
		fd = socket(AF_UNIX, SOCK_DGRAM, 0);
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	}
	if (recv(fd, &c, 1, 0) >= 0 || errno != EAGAIN)
		fail("recv");
}

static void call(void)
{
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0))
		fail("membarrier");
}

static void without_irqs(void)
{
	kill(getpid(), SIGURG);
}

static void without_preemption(void)
{
	prctl(PR_SET_NAME, "irq_loads");
}

/* --- what goes on meanwhile --- */

static volatile int stop, spinning;

static void *spins(void *arg)
{
	(void)arg;
	for (spinning = 1; !stop;)
		;
	return NULL;
}

static void *wants_to_run(void *arg)
{
	(void)arg;
	while (!stop)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	return NULL;
}

static const struct kind {
	const char *name;
	void (*once)(void);
	void *(*beside)(void *);
	int beside_cpu;
	const char *event;
	int links; /* so often the program runs at it, and 1 */
} kinds[] = {
	{"works", work, NULL, 0, NULL, 0},
	{"calls", call, spins, 1, NULL, 0},
	{"timers", wait_a_ms, NULL, 0, NULL, 0},
	{"irqs", without_irqs, NULL, 0, "signal_generate", 0},
	{"irqs-long", without_irqs, NULL, 0, "signal_generate", 3},
	{"preempt", without_preemption, wants_to_run, 0, "task_rename", 0},
};

static uint64_t run(const struct kind *k, int prog, int times)
{
	int links[4], nlinks = k->event ? 1 + k->links : 0;
	uint64_t most = 0;
	pthread_t beside;

	for (int i = 0; i < nlinks; i++)
		links[i] = attach(prog, k->event);
	stop = spinning = 0;
	if (k->beside) {
		pthread_create(&beside, NULL, k->beside, NULL);
		pin(beside, k->beside_cpu);
		be_first(beside);
		while (k->beside == spins && !spinning)
			sched_yield();
	}
	for (int i = 0; i < times; i++) {
		/* What has the CPU for itself is not to count time that it did not have it. */
		uint64_t begin = k->event ? cpu_ns() : wall_ns(), ns;

		k->once();
		ns = (k->event ? cpu_ns() : wall_ns()) - begin;
		most = ns > most ? ns : most;
	}
	stop = 1;
	if (k->beside)
		pthread_join(beside, NULL);
	while (nlinks)
		close(links[--nlinks]);
	return most;
}

int main(int argc, char **argv)
{
	char line[64], name[32];
	int prog = load(), n;

	(void)argc;
	(void)argv;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(pthread_self(), 0);
	open_terminal();
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	printf("ready %d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%31s %d", name, &n) != 2)
			fail(line);
		for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
			if (!strcmp(kinds[i].name, name))
				printf("%llu\n", (unsigned long long)run(&kinds[i], prog, n));
		fflush(stdout);
	}
	return 0;
}
