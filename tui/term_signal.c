/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/term_signal.h"

#include <signal.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static const struct {
	int signo;
	enum term_signal flag;
} watched[] = {
	{SIGWINCH, TERM_SIGNAL_SIZE},
	{SIGTSTP, TERM_SIGNAL_STOP},
	{SIGCONT, TERM_SIGNAL_CONT},
};

static atomic_uint pending;
static atomic_int wake_fd = -1;
static int epoll_fd = -1;
static struct sigaction before[ARRAY_SIZE(watched)];

static void on_signal(int signo)
{
	int saved_errno = errno, fd = atomic_load(&wake_fd);
	u64 one = 1;

	for (u32 i = 0; i < ARRAY_SIZE(watched); i++)
		if (watched[i].signo == signo)
			atomic_fetch_or(&pending, watched[i].flag);
	/* A full counter is awake already. */
	if (fd >= 0 && write(fd, &one, sizeof(one)) < 0)
		errno = 0;
	errno = saved_errno;
}

static int watch(int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int term_signal__open(int in_fd)
{
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), err;

	if (fd < 0)
		return -errno;
	atomic_store(&wake_fd, fd);
	atomic_store(&pending, 0);
	for (u32 i = 0; i < ARRAY_SIZE(watched); i++)
		sigaction(watched[i].signo, &sa, &before[i]);
	epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	err = epoll_fd < 0 ? -errno : watch(fd);
	if (!err)
		err = watch(in_fd);
	if (!err)
		return epoll_fd;
	term_signal__close();
	return err;
}

void term_signal__close(void)
{
	int fd = atomic_exchange(&wake_fd, -1);

	if (fd < 0)
		return;
	for (u32 i = 0; i < ARRAY_SIZE(watched); i++)
		sigaction(watched[i].signo, &before[i], NULL);
	if (epoll_fd >= 0)
		close(epoll_fd);
	epoll_fd = -1;
	close(fd);
}

u32 term_signal__take(void)
{
	u64 count;

	if (read(atomic_load(&wake_fd), &count, sizeof(count)) < 0)
		return 0;
	return atomic_exchange(&pending, 0);
}

void term_signal__stop(void)
{
	struct sigaction dfl = {.sa_handler = SIG_DFL}, own;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	sigaction(SIGTSTP, &dfl, &own);
	sigprocmask(SIG_UNBLOCK, &set, &old);
	raise(SIGTSTP);
	sigprocmask(SIG_SETMASK, &old, NULL);
	sigaction(SIGTSTP, &own, NULL);
	term_signal__take(); /* the SIGCONT that ended this stop */
}
