// SPDX-License-Identifier: GPL-2.0-only
/*
 * One trouble each, until its end: trouble KIND SECONDS [PATH]. What is wrong is known by
 * construction: the process that says "ready" is the one behind it.
 *
 *	spin	computes
 *	lock	threads that take one lock and keep it while they sleep
 *	fsync	writes a block of PATH and has it on the disk, over and over
 *	cold	reads PATH, whose pages it drops from the page cache before
 *	exec	starts a program, over and over
 *	starve	computes beside a child that does too, on the same CPU, with nice 19
 *	faults	maps memory, touches it and gives it back
 *	leak	touches 16 MiB a second more
 *	direct	reads PATH past the page cache, one request at a time
 *	vfork	waits in D for a child that neither ends nor executes a program
 *	udp	is sent more than it takes from its socket
 *	drops	sends packets of a protocol that nobody knows
 *	quiet	sleeps
 */
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "work.h"

#define BLOCK	4096
#define CHUNK	(4 << 20)
#define THREADS 3

static const char *path;
static uint64_t end_ns;

static int going(void)
{
	return wall_ns() < end_ns;
}

static void must(int ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static void spin(void)
{
	volatile uint64_t n = 0;

	while (going())
		for (int i = 0; i < 100000; i++)
			n += (uint64_t)i;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *take_turns(void *arg)
{
	while (going()) {
		pthread_mutex_lock(&mutex);
		usleep(2000);
		pthread_mutex_unlock(&mutex);
		usleep(200);
	}
	return arg;
}

static void lock(void)
{
	pthread_t t[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, take_turns, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void sync_blocks(void)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
	char block[BLOCK] = "x";

	must(fd >= 0, path);
	while (going()) {
		must(pwrite(fd, block, BLOCK, 0) == BLOCK, "pwrite");
		must(!fsync(fd), "fsync");
	}
}

static void read_cold(void)
{
	static char buf[CHUNK];
	int fd = open(path, O_RDONLY);

	must(fd >= 0, path);
	while (going()) {
		must(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
		must(lseek(fd, 0, SEEK_SET) == 0, "lseek");
		while (going() && read(fd, buf, sizeof(buf)) > 0)
			;
	}
}

static void start_programs(void)
{
	char *argv[] = {(char *)"/bin/true", NULL};

	while (going()) {
		pid_t pid;

		must(!posix_spawn(&pid, argv[0], NULL, NULL, argv, argv + 1), "posix_spawn");
		waitpid(pid, NULL, 0);
	}
}

static void starve(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	must(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
	if (!fork()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		spin();
		_exit(0);
	}
	must(!setpriority(PRIO_PROCESS, 0, 19), "setpriority");
	spin();
}

static void fault(void)
{
	while (going()) {
		char *p = mmap(NULL, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		must(p != MAP_FAILED, "mmap");
		madvise(p, CHUNK, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < CHUNK; i += BLOCK)
			p[i] = 1;
		munmap(p, CHUNK);
	}
}

static void leak(void)
{
	while (going()) {
		char *p = malloc(1600 << 10);

		must(p != NULL, "malloc");
		for (size_t i = 0; i < 1600 << 10; i += BLOCK)
			p[i] = 1;
		usleep(100000);
	}
}

static void read_direct(void)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	void *buf;

	must(fd >= 0, path);
	must(!posix_memalign(&buf, BLOCK, CHUNK), "posix_memalign");
	while (going())
		if (read(fd, buf, CHUNK) <= 0)
			must(lseek(fd, 0, SEEK_SET) == 0, "lseek");
}

static void wait_for_child(void)
{
	if (vfork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (going())
		usleep(100000);
	_exit(0);
}

static void overflow(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0), size = 4096;
	socklen_t len = sizeof(to);
	char packet[512] = "";

	must(in >= 0 && out >= 0, "socket");
	setsockopt(in, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	must(!bind(in, (struct sockaddr *)&to, sizeof(to)), "bind");
	must(!getsockname(in, (struct sockaddr *)&to, &len), "getsockname");
	while (going()) {
		for (int i = 0; i < 50; i++)
			sendto(out, packet, sizeof(packet), MSG_DONTWAIT, (struct sockaddr *)&to, len);
		usleep(10000);
	}
}

static void drop(void)
{
	struct sockaddr_ll to = {.sll_family = AF_PACKET, .sll_protocol = htons(0x88b5), .sll_halen = 6};
	int out = socket(AF_PACKET, SOCK_DGRAM, 0);
	char packet[64] = "";

	must(out >= 0, "socket");
	to.sll_ifindex = (int)if_nametoindex("lo");
	while (going()) {
		for (int i = 0; i < 20; i++)
			sendto(out, packet, sizeof(packet), 0, (struct sockaddr *)&to, sizeof(to));
		usleep(10000);
	}
}

static void rest(void)
{
	while (going())
		usleep(100000);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} kinds[] = {{"spin", spin},	     {"lock", lock},	  {"fsync", sync_blocks},
		     {"cold", read_cold},    {"exec", start_programs}, {"starve", starve},
		     {"faults", fault},	     {"leak", leak},	  {"direct", read_direct},
		     {"vfork", wait_for_child}, {"udp", overflow}, {"drops", drop},	     {"quiet", rest}};

	must(argc > 2, "usage: trouble KIND SECONDS [PATH]");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	path = argc > 3 ? argv[3] : "";
	end_ns = wall_ns() + (uint64_t)(atof(argv[2]) * (double)SECOND);
	printf("ready %d\n", getpid());
	fflush(stdout);
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, argv[1]))
			kinds[i].run();
	return 0;
}
