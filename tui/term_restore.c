/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/term_restore.h"

#include <signal.h>
#include <stdatomic.h>
#include <termios.h>
#include <unistd.h>

#include "tui/term.h"

/* Written by the UI thread while disarmed; read by whatever handler runs when armed. */
static struct termios saved_modes;
static char text[512];
static size_t text_len;
static atomic_int armed_fd = -1;

int term_restore__save(int fd)
{
	text_len = 0;
	return tcgetattr(fd, &saved_modes) ? -errno : 0;
}

void term_restore__add(const char *cap)
{
	while (cap && *cap && text_len < sizeof(text)) {
		const char *pad_end = !strncmp(cap, "$<", 2) ? strchr(cap, '>') : NULL;

		if (pad_end)
			cap = pad_end + 1;
		else
			text[text_len++] = *cap++;
	}
}

void term_restore__arm(int fd)
{
	atomic_store(&armed_fd, fd);
}

void term_restore__disarm(void)
{
	atomic_store(&armed_fd, -1);
}

void term__emergency_restore(void)
{
	int fd = atomic_exchange(&armed_fd, -1), saved_errno = errno;
	sigset_t ttou;
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		return;
	/* In the background both calls would stop the process instead of ending it. */
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, NULL);
	while (done < text_len) {
		n = write(fd, text + done, text_len - done);
		if (n <= 0 && errno != EINTR)
			break;
		done += n > 0 ? (size_t)n : 0;
	}
	tcsetattr(fd, TCSANOW, &saved_modes);
	errno = saved_errno;
}
