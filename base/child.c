/* SPDX-License-Identifier: GPL-2.0-only */
#include "base/child.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/log.h"

#define TERM_GRACE_MS 2000

struct child {
	pid_t pid;
	int pidfd;
	int go[2];	/* a byte from us lets it run */
	int failed[2];	/* errno of a failed exec; closed by a successful one */
	int output[2];	/* -1 when neither quiet nor talked to */
	int to[2], from[2]; /* of one that is talked to; else -1 */
	const char *name;
	bool quiet, loaded, released, reaped;
	int status; /* of wait4 */
	struct rusage used;
	u64 began_ns, ended_ns;
	char line[200]; /* of output, unfinished */
	size_t line_len;
};

int child__serve(void (*serve)(int fd), int fd)
{
	pid_t pid = fork();

	if (pid < 0)
		return -errno;
	if (!pid)
		serve(fd);
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* In the child: signals as a shell would start it, then wait for the word. */
static void child__main(struct child *c, char **argv)
{
	sigset_t none;
	char byte;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	if (c->to[0] >= 0) {
		dup2(c->to[0], STDIN_FILENO);
		dup2(c->from[1], STDOUT_FILENO);
		dup2(c->output[1], STDERR_FILENO);
	} else if (c->output[1] >= 0) {
		int null = open("/dev/null", O_RDONLY);

		dup2(null, STDIN_FILENO);
		dup2(c->output[1], STDOUT_FILENO);
		dup2(c->output[1], STDERR_FILENO);
		setpgid(0, 0);
	}
	close(c->go[1]);
	if (read(c->go[0], &byte, 1) != 1)
		_exit(0); /* proftop went away before it began */
	execvp(argv[0], argv);
	err = errno;
	if (write(c->failed[1], &err, sizeof(err)) < 0)
		_exit(126);
	_exit(127);
}

/* As a shell says it: 127 of what is not there, 126 of what cannot be run. */
static int cannot_run(struct status *st, const char *name, int err)
{
	bool missing = err == ENOENT || err == ENOTDIR;

	return status__set(st, missing ? EXIT_CODE_NOT_FOUND : EXIT_CODE_NOT_EXECUTABLE, -err,
			   "cannot run %.80s: %s", name,
			   err == ENOENT && !strchr(name, '/') ? "no such command in PATH"
							       : strerror(err));
}

/* 0 or an errno. */
static int is_program(const char *path)
{
	struct stat s;

	if (stat(path, &s) || faccessat(AT_FDCWD, path, X_OK, AT_EACCESS))
		return errno;
	return S_ISREG(s.st_mode) ? 0 : EACCES;
}

/* Whether execvp() would find it: 0 or an errno. */
static int find_program(const char *name)
{
	const char *path = getenv("PATH");
	int best = ENOENT, err;
	char file[PATH_MAX];

	if (strchr(name, '/'))
		return is_program(name);
	if (!path)
		path = "/bin:/usr/bin";
	for (size_t n; *name; path += n + 1) {
		n = strcspn(path, ":");
		snprintf(file, sizeof(file), "%.*s%s%s", (int)n, path, n ? "/" : "", name);
		err = is_program(file);
		if (!err)
			return 0;
		if (err == EACCES)
			best = err;
		if (!path[n])
			break;
	}
	return best;
}

static bool make_pipes(struct child *c, bool talks)
{
	if (pipe2(c->go, O_CLOEXEC) || pipe2(c->failed, O_CLOEXEC))
		return false;
	if (talks && (pipe2(c->to, O_CLOEXEC) || pipe2(c->from, O_CLOEXEC)))
		return false;
	return !(c->quiet || talks) || !pipe2(c->output, O_CLOEXEC);
}

static struct child *hold(char **argv, bool quiet, bool talks, struct status *st)
{
	int missing = find_program(argv[0]);
	struct child *c;

	if (missing) {
		cannot_run(st, argv[0], missing);
		return NULL;
	}
	c = xcalloc(1, sizeof(*c));
	*c = (struct child){.pidfd = -1, .go = {-1, -1}, .failed = {-1, -1}, .output = {-1, -1},
			    .to = {-1, -1}, .from = {-1, -1}, .name = argv[0], .quiet = quiet};
	if (!make_pipes(c, talks))
		goto fail;
	c->pid = fork();
	if (c->pid < 0)
		goto fail;
	if (!c->pid)
		child__main(c, argv);
	close_fd(&c->go[0]);
	close_fd(&c->failed[1]);
	close_fd(&c->output[1]);
	close_fd(&c->to[0]);
	close_fd(&c->from[1]);
	if (c->output[0] >= 0)
		fcntl(c->output[0], F_SETFL, O_NONBLOCK);
	c->pidfd = (int)syscall(SYS_pidfd_open, c->pid, 0);
	if (c->pidfd < 0)
		goto fail;
	return c;
fail:
	status__set(st, EXIT_CODE_FAILURE, -errno, "cannot start %.80s: %s", argv[0],
		    strerror(errno));
	child__free(c);
	return NULL;
}

static bool child__reap(struct child *c, int options)
{
	c->reaped = wait4(c->pid, &c->status, options, &c->used) == c->pid;
	if (c->reaped)
		c->ended_ns = clock__monotonic_ns();
	return c->reaped;
}

static int let_go(struct child *c)
{
	int err = write(c->go[1], "g", 1) == 1 ? 0 : errno;

	close_fd(&c->go[1]);
	return err;
}

/* 0 or the errno of its exec; the pipe closes by itself when that succeeds. */
static int exec_error(const struct child *c)
{
	int err;

	return read(c->failed[0], &err, sizeof(err)) == sizeof(err) ? err : 0;
}

static bool is_at_entry(int status)
{
	return status >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8);
}

/* Signals that it gets on the way are its own. Or it has ended: exec failed. */
static void wait_for_entry(struct child *c)
{
	while (child__reap(c, 0) || errno == EINTR) {
		if (!c->reaped)
			continue;
		c->reaped = !WIFSTOPPED(c->status);
		if (c->reaped || is_at_entry(c->status))
			return;
		ptrace(PTRACE_CONT, c->pid, NULL, c->status >> 16 ? 0 : WSTOPSIG(c->status));
	}
}

/* As long as it is held it ends with us. 0 or the errno of its exec. */
static int load(struct child *c)
{
	int err;

	if (ptrace(PTRACE_SEIZE, c->pid, NULL, PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL))
		return 0;
	c->loaded = true;
	err = let_go(c);
	if (err)
		return err;
	wait_for_entry(c);
	return exec_error(c);
}

struct child *child__hold(char **argv, bool quiet, bool loaded, struct status *st)
{
	struct child *c = hold(argv, quiet, false, st);
	int err = c && loaded ? load(c) : 0;

	if (!err)
		return c;
	cannot_run(st, argv[0], err);
	child__free(c);
	return NULL;
}

struct child *child__talk(char **argv, int *to, int *from, struct status *st)
{
	struct child *c = hold(argv, false, true, st);

	if (!c)
		return NULL;
	if (child__release(c, st)) {
		child__free(c);
		return NULL;
	}
	*to = c->to[1];
	*from = c->from[0];
	fcntl(*to, F_SETFL, O_NONBLOCK);
	fcntl(*from, F_SETFL, O_NONBLOCK);
	return c;
}

u32 child__pid(const struct child *c)
{
	return (u32)c->pid;
}

int child__release(struct child *c, struct status *st)
{
	int err;

	c->released = true;
	c->began_ns = clock__monotonic_ns();
	if (c->loaded) {
		ptrace(PTRACE_DETACH, c->pid, NULL, 0);
		return 0;
	}
	err = let_go(c);
	if (!err)
		err = exec_error(c);
	return err ? cannot_run(st, c->name, err) : 0;
}

bool child__released(const struct child *c)
{
	return c->released;
}

int child__fd(const struct child *c)
{
	return c->pidfd;
}

int child__output_fd(const struct child *c)
{
	return c->output[0];
}

static void child__log_byte(struct child *c, char byte)
{
	if (byte != '\n')
		c->line[c->line_len++] = byte;
	if (c->line_len && (byte == '\n' || c->line_len == sizeof(c->line) - 1)) {
		c->line[c->line_len] = '\0';
		log__add(LOG_INFO, "%s: %s", c->name, c->line);
		c->line_len = 0;
	}
}

void child__read_output(struct child *c)
{
	char buf[4096];
	ssize_t n;

	/* A bounded amount: a command that floods must not hold the UI. */
	for (int rounds = 0; rounds < 16 && c->output[0] >= 0; rounds++) {
		n = read(c->output[0], buf, sizeof(buf));
		if (n == 0)
			close_fd(&c->output[0]);
		if (n <= 0)
			return;
		for (ssize_t i = 0; i < n; i++)
			child__log_byte(c, buf[i]);
	}
}

static u64 as_ns(const struct timeval *t)
{
	return (u64)t->tv_sec * NSEC_PER_SEC + (u64)t->tv_usec * 1000;
}

bool child__times(const struct child *c, struct child_times *out)
{
	if (!c->reaped || !c->released)
		return false;
	*out = (struct child_times){c->ended_ns - c->began_ns, as_ns(&c->used.ru_utime),
				    as_ns(&c->used.ru_stime)};
	return true;
}

bool child__ended(struct child *c)
{
	if (!c->reaped)
		child__reap(c, WNOHANG);
	return c->reaped;
}

int child__wait(struct child *c)
{
	while (!c->reaped && (child__reap(c, 0) || errno == EINTR))
		;
	return WIFSIGNALED(c->status) ? 128 + WTERMSIG(c->status) : WEXITSTATUS(c->status);
}

/* A quiet command has a process group of its own: its children end with it. */
static void child__kill(const struct child *c, int sig)
{
	if (!c->quiet || kill(-c->pid, sig))
		kill(c->pid, sig);
}

static void child__end(struct child *c)
{
	struct pollfd p = {.fd = c->pidfd, .events = POLLIN};

	if (c->pid <= 0 || child__ended(c))
		return;
	child__kill(c, c->released ? SIGTERM : SIGKILL);
	if (c->pidfd < 0 || poll(&p, 1, TERM_GRACE_MS) != 1)
		child__kill(c, SIGKILL);
	child__wait(c);
}

void child__free(struct child *c)
{
	if (!c)
		return;
	/* One that is talked to ends of itself when nobody does any more. */
	close_fd(&c->to[1]);
	close_fd(&c->from[0]);
	child__end(c);
	for (int i = 0; i < 2; i++) {
		close_fd(&c->to[i]);
		close_fd(&c->from[i]);
		close_fd(&c->go[i]);
		close_fd(&c->failed[i]);
		close_fd(&c->output[i]);
	}
	close_fd(&c->pidfd);
	free(c);
}
