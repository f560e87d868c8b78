// SPDX-License-Identifier: GPL-2.0-only
#include "serve/token.h"

#include <fcntl.h>
#include <stdio.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/caps.h"

#define SECRET_MAX (64 << 10)

static bool is_private(const struct stat *there)
{
	return (there->st_uid == getuid() || !there->st_uid) && !(there->st_mode & 077);
}

/* NULL with errno; EFBIG of more than it may be. */
static char *read_whole(int fd)
{
	char *buf = xcalloc(1, SECRET_MAX + 1);
	size_t n = 0;
	ssize_t got;

	while ((got = read(fd, buf + n, SECRET_MAX + 1 - n)) > 0 && (n += (size_t)got) <= SECRET_MAX)
		;
	if (!got)
		return buf;
	if (got > 0)
		errno = EFBIG;
	free(buf);
	return NULL;
}

char *secret__read(const char *option, const char *path, bool secret, struct status *st)
{
	int fd = caps__open_for_caller(path), err;
	struct stat there;
	char *text = NULL;

	if (fd >= 0 && secret && !fstat(fd, &there) && !is_private(&there)) {
		close(fd);
		status__set(st, EXIT_CODE_USAGE, -EPERM,
			    "%s %.200s: others may read it, or it is another user's: chmod 600", option,
			    path);
		return NULL;
	}
	if (fd >= 0)
		text = read_whole(fd);
	err = errno;
	if (fd >= 0)
		close(fd);
	if (!text)
		status__set(st, exit_code__from_errno(-err), -err, "%s: cannot read %.200s: %s",
			    option, path, strerror(err));
	return text;
}

char *token__read(const char *option, const char *path, struct status *st)
{
	char *text = secret__read(option, path, true, st);
	size_t n = text ? strcspn(text, " \t\r\n") : 0;

	if (!text)
		return NULL;
	if (n >= TOKEN_MIN && !text[n + strspn(text + n, " \t\r\n")]) {
		text[n] = '\0';
		return text;
	}
	free(text);
	status__set(st, EXIT_CODE_USAGE, -EINVAL,
		    "%s %.200s: a token is one word of %d characters or more", option, path,
		    TOKEN_MIN);
	return NULL;
}

bool token__is(const char *token, const char *header)
{
	size_t n = strlen(token), got;
	u8 differs = 0;

	if (!header || strncasecmp(header, "Bearer ", 7) != 0)
		return false;
	header += 7;
	got = strlen(header);
	for (size_t i = 0; i < got; i++)
		differs |= (u8)(header[i] ^ token[i % n]);
	return !differs && got == n;
}
