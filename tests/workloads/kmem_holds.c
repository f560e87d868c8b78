// SPDX-License-Identifier: GPL-2.0-only
/*
 * Holds objects of the kernel's of which each one is known: kmem_holds PIPES SOCKETS [KEPT].
 * On SIGUSR1 it opens so many pipes (two files each) and stream sockets (a file and a socket each)
 * and prints how many it has; on the next it closes all sockets but KEPT of them, then all.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "work.h"

#define FILES_MAX 8192

static int pipes[FILES_MAX][2], sockets[FILES_MAX];

static void must(int result, const char *what)
{
	if (result < 0) {
		perror(what);
		exit(1);
	}
}

static void say(int npipes, int nsockets)
{
	printf("{\"files\": %d, \"sockets\": %d}\n", 2 * npipes + nsockets, nsockets);
	fflush(stdout);
}

static void open_all(int npipes, int nsockets)
{
	for (int i = 0; i < npipes; i++)
		must(pipe(pipes[i]), "pipe");
	for (int i = 0; i < nsockets; i++) {
		sockets[i] = socket(AF_UNIX, SOCK_STREAM, 0);
		must(sockets[i], "socket");
	}
}

int main(int argc, char **argv)
{
	int npipes = argc > 1 ? atoi(argv[1]) : 100, nsockets = argc > 2 ? atoi(argv[2]) : 100;
	int kept = argc > 3 ? atoi(argv[3]) : 10, sig;
	struct rlimit many = {65536, 65536};
	sigset_t set;

	if (npipes > FILES_MAX || nsockets > FILES_MAX || kept > nsockets)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_NOFILE, &many);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work__ready();
	sigwait(&set, &sig);
	open_all(npipes, nsockets);
	say(npipes, nsockets);
	sigwait(&set, &sig);
	for (int i = kept; i < nsockets; i++)
		close(sockets[i]);
	say(npipes, kept);
	sigwait(&set, &sig);
	for (int i = 0; i < npipes; i++) {
		close(pipes[i][0]);
		close(pipes[i][1]);
	}
	for (int i = 0; i < kept; i++)
		close(sockets[i]);
	say(0, 0);
	sigwait(&set, &sig);
	return 0;
}
