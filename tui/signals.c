// SPDX-License-Identifier: GPL-2.0-only
#include "tui/signals.h"

#include <signal.h>
#include <sys/signalfd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "tui/term.h"

static void crashed(int sig)
{
	term__emergency_restore();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void read_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGINT);
	sigaddset(set, SIGTERM);
	sigaddset(set, SIGHUP);
}

int signals__open(void)
{
	sigset_t set;

	read_signals(&set);
	sigaddset(&set, SIGUSR1); /* where it is not blocked it never gets there */
	return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

void signals__end_at_once(void)
{
	sigset_t set;

	read_signals(&set);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

void signals__asked_to_end(int signo)
{
	static u64 first_ns;
	u64 now = clock__monotonic_ns();

	if (!first_ns)
		first_ns = now;
	if (now - first_ns < SIGNALS_PATIENCE_NS)
		return;
	signals__end_at_once();
	raise(signo);
}

void signals__set_up(bool snapshots)
{
	static const int fatal[] = {
		SIGSEGV, SIGBUS,  SIGILL,  SIGFPE,  SIGABRT, SIGSYS,  SIGTRAP,	 SIGQUIT,
		SIGUSR1, SIGUSR2, SIGALRM, SIGXCPU, SIGPROF, SIGPOLL, SIGVTALRM, SIGPWR,
	};
	struct sigaction sa = {.sa_handler = crashed, .sa_flags = SA_RESETHAND | SA_NODEFER};
	sigset_t set;

	for (u32 i = 0; i < ARRAY_SIZE(fatal); i++)
		sigaction(fatal[i], &sa, NULL);
	/* Writes then fail, which is told. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	read_signals(&set);
	if (snapshots)
		sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	die__on(term__emergency_restore);
}
