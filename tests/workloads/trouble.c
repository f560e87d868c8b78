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
 *	accept	listens, and does not take the connections that come
 *	crowd	eight children that compute
 *	pinned	computes on the first CPU alone
 *	kernel	fills memory by getrandom, over and over
 *	flood	sends packets to itself, which softirqs deliver
 *	yield	two that give the first CPU to each other
 *	flock	two that take a lock of PATH and keep it while they sleep
 *	invert	a thread waits for a mutex whose owner has the first CPU only when a third one sleeps
 *	stuck	two threads, each with the mutex that the other one waits for
 *	deep	eight children that read PATH past the page cache
 *	reread	reads PATH again and again, and leaves what is in the page cache
 *	mapped	touches the pages of PATH, which it drops from the page cache before
 *	threads	has 3,000 threads, after two seconds
 *	files	has 950 of the 1,000 files open that it may
 *	shared	three threads that read PATH past the page cache by one descriptor, whose lock they wait for
 *	refault	touches all pages of PATH again and again
 *	wire	sends 9.5 Mbit/s from an interface of its own, which is one of 10 Mbit/s: trouble wire SECONDS NAME
 *	zombies	starts 60 processes that end at once, and does not wait for them
 *	crash	starts a process that writes where it may not, twice a second
 *	refused	connects to a port where nobody listens, 50 times a second
 *	hold	has 60 MiB of memory
 *	quiet	sleeps
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/if_packet.h>
#include <linux/if_tun.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
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

static void stay_on_first(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	must(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void starve(void)
{
	stay_on_first();
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

static void leave_waiting(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int in = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof(at);

	must(in >= 0 && !bind(in, (struct sockaddr *)&at, sizeof(at)) && !listen(in, 1), "listen");
	must(!getsockname(in, (struct sockaddr *)&at, &len), "getsockname");
	for (int i = 0; going(); i++) {
		int out = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

		must(out >= 0, "socket");
		connect(out, (struct sockaddr *)&at, sizeof(at));
		usleep(20000);
		if (i > 3)
			close(out);
	}
}

static void children(int n, void (*run)(void))
{
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		run();
		_exit(0);
	}
	while (wait(NULL) > 0)
		;
}

static void crowd(void)
{
	children(8, spin);
}

static void spin_on_first(void)
{
	stay_on_first();
	spin();
}

static void fill_memory(void)
{
	static char buf[1 << 16];

	while (going())
		must(getrandom(buf, sizeof(buf), 0) > 0, "getrandom");
}

static void flood(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t len = sizeof(to);
	static char packet[60000];

	must(in >= 0 && out >= 0, "socket");
	must(!bind(in, (struct sockaddr *)&to, sizeof(to)), "bind");
	must(!getsockname(in, (struct sockaddr *)&to, &len), "getsockname");
	while (going())
		sendto(out, packet, sizeof(packet), MSG_DONTWAIT, (struct sockaddr *)&to, len);
}

static void yield(void)
{
	while (going())
		sched_yield();
}

static void yield_on_first(void)
{
	stay_on_first();
	children(2, yield);
}

static void in_threads(int n, void *(*run)(void *))
{
	pthread_t t[8];

	for (int i = 0; i < n; i++)
		must(!pthread_create(&t[i], NULL, run, (void *)(intptr_t)i), "pthread_create");
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

static void take_file(void)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	must(fd >= 0, path);
	while (going()) {
		must(!flock(fd, LOCK_EX), "flock");
		usleep(2000);
		must(!flock(fd, LOCK_UN), "flock");
		usleep(100);
	}
}

static void lock_file(void)
{
	children(2, take_file);
}

/* CPU time of the caller, which it has to get. */
static void compute_ms(uint64_t ms)
{
	uint64_t end = cpu_ns() + ms * MS;

	while (going() && cpu_ns() < end)
		;
}

/* 0: the owner, of the lowest weight; 1: who waits for it; the others keep the CPU from it. */
static void *invert_one(void *arg)
{
	static const struct sched_param none;
	int which = (int)(intptr_t)arg;

	if (which != 1)
		stay_on_first();
	if (!which)
		must(!sched_setscheduler(0, SCHED_IDLE, &none), "sched_setscheduler");
	while (going()) {
		if (which > 1) {
			compute_ms(50);
			continue;
		}
		pthread_mutex_lock(&mutex);
		if (!which)
			compute_ms(5);
		pthread_mutex_unlock(&mutex);
		usleep(which ? 1000 : 100);
	}
	return arg;
}

static void invert(void)
{
	in_threads(3, invert_one);
}

static void *take_both(void *arg)
{
	static pthread_mutex_t two[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
	int first = (int)(intptr_t)arg;

	pthread_mutex_lock(&two[first]);
	usleep(100000);
	pthread_mutex_lock(&two[!first]);
	return arg;
}

static void stick(void)
{
	in_threads(2, take_both);
}

static void read_deep(void)
{
	children(8, read_direct);
}

static void read_again(void)
{
	static char buf[CHUNK];
	int fd = open(path, O_RDONLY);

	must(fd >= 0, path);
	must(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise"); /* whoever wrote it has them */
	while (going())
		if (read(fd, buf, sizeof(buf)) <= 0)
			must(lseek(fd, 0, SEEK_SET) == 0, "lseek");
}

static void touch_mapped(void)
{
	int fd = open(path, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	volatile char sum = 0;

	must(fd >= 0 && size > 0, path);
	while (going()) {
		char *p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);

		must(p != MAP_FAILED, "mmap");
		madvise(p, (size_t)size, MADV_RANDOM);
		for (off_t i = 0; i < size && going(); i += BLOCK)
			sum = (char)(sum + p[i]);
		munmap(p, (size_t)size);
		must(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	}
}

static void *read_shared(void *arg)
{
	int fd = (int)(intptr_t)arg;
	void *buf;

	must(!posix_memalign(&buf, BLOCK, CHUNK), "posix_memalign");
	while (going())
		if (read(fd, buf, CHUNK) <= 0)
			must(lseek(fd, 0, SEEK_SET) == 0, "lseek");
	return NULL;
}

static void share(void)
{
	int fd = open(path, O_RDONLY | O_DIRECT);
	pthread_t t[THREADS];

	must(fd >= 0, path);
	for (int i = 0; i < THREADS; i++)
		must(!pthread_create(&t[i], NULL, read_shared, (void *)(intptr_t)fd), "pthread_create");
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
}

static void fault_again(void)
{
	int fd = open(path, O_RDONLY);
	off_t size = lseek(fd, 0, SEEK_END);
	volatile char sum = 0;
	char *p;

	must(fd >= 0 && size > 0, path);
	must(!posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
	p = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, fd, 0);
	must(p != MAP_FAILED, "mmap");
	while (going())
		for (off_t i = 0; i < size && going(); i += BLOCK)
			sum = (char)(sum + p[i]);
}

#define WIRE_PACKET 1450

static void fill_wire(void)
{
	struct ifreq r = {.ifr_flags = IFF_TUN | IFF_NO_PI};
	int fd = open("/dev/net/tun", O_RDWR), any = socket(AF_INET, SOCK_DGRAM, 0);
	struct ethtool_cmd how = {.cmd = ETHTOOL_GSET};
	char packet[WIRE_PACKET] = {0x45}; /* no more of it is right */

	must(fd >= 0 && any >= 0, "/dev/net/tun");
	strncpy(r.ifr_name, path, IFNAMSIZ - 1);
	must(!ioctl(fd, TUNSETIFF, &r), "TUNSETIFF");
	r.ifr_data = (char *)&how;
	must(!ioctl(any, SIOCETHTOOL, &r), "SIOCETHTOOL");
	how.cmd = ETHTOOL_SSET;
	how.speed = 10;
	how.speed_hi = 0;
	must(!ioctl(any, SIOCETHTOOL, &r), "SIOCETHTOOL");
	r.ifr_flags = IFF_UP;
	must(!ioctl(any, SIOCSIFFLAGS, &r), "SIOCSIFFLAGS");
	for (uint64_t sent = 0, begin = wall_ns(); going(); usleep(1000))
		for (; sent * WIRE_PACKET * 8 < 95 * (wall_ns() - begin) / 10000; sent++)
			must(write(fd, packet, sizeof(packet)) == sizeof(packet), "write");
}

static void *rest_in_thread(void *arg)
{
	while (going())
		sleep(1);
	return arg;
}

static void have_threads(void)
{
	pthread_attr_t small;
	pthread_t t;

	sleep(2);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (int i = 0; i < 3000; i++)
		must(!pthread_create(&t, &small, rest_in_thread, NULL), "pthread_create");
	rest_in_thread(NULL);
}

static void have_files(void)
{
	struct rlimit limit = {1000, 1000};

	must(!setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
	while (open("/dev/null", O_RDONLY) < 949)
		;
	rest_in_thread(NULL);
}

static void leave_zombies(void)
{
	for (int i = 0; i < 60; i++)
		if (!fork())
			_exit(0);
	rest_in_thread(NULL);
}

static void crash(void)
{
	path = (const char *)(uintptr_t)16; /* nothing is there */

	while (going()) {
		pid_t pid = fork();

		if (!pid)
			*(volatile int *)path = 1;
		must(pid > 0 && waitpid(pid, NULL, 0) == pid, "waitpid");
		usleep(500000);
	}
}

/* A port that is bound and not listened on is nobody else's either. */
static void be_refused(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t len = sizeof(to);
	int bound = socket(AF_INET, SOCK_STREAM, 0);

	must(!bind(bound, (struct sockaddr *)&to, len) && !getsockname(bound, (struct sockaddr *)&to, &len), "bind");
	while (going()) {
		int fd = socket(AF_INET, SOCK_STREAM, 0);

		must(connect(fd, (struct sockaddr *)&to, len) && errno == ECONNREFUSED, "connect");
		close(fd);
		usleep(20000);
	}
}

static void hold(void)
{
	char *at = mmap(NULL, 60 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(at != MAP_FAILED, "mmap");
	memset(at, 1, 60 << 20);
	rest_in_thread(NULL);
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
	} kinds[] = {
		{"spin", spin}, {"lock", lock}, {"fsync", sync_blocks}, {"cold", read_cold},
		{"exec", start_programs}, {"starve", starve}, {"faults", fault}, {"leak", leak},
		{"direct", read_direct}, {"vfork", wait_for_child}, {"udp", overflow},
		{"drops", drop}, {"accept", leave_waiting}, {"crowd", crowd},
		{"pinned", spin_on_first}, {"kernel", fill_memory}, {"flood", flood},
		{"yield", yield_on_first}, {"flock", lock_file},
		{"invert", invert}, {"stuck", stick}, {"deep", read_deep},
		{"reread", read_again}, {"mapped", touch_mapped}, {"threads", have_threads},
		{"files", have_files}, {"shared", share}, {"refault", fault_again},
		{"wire", fill_wire}, {"zombies", leave_zombies}, {"crash", crash},
		{"refused", be_refused}, {"hold", hold}, {"quiet", rest},
	};

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
