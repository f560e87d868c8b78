// SPDX-License-Identifier: GPL-2.0-only
#include "recording/import.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recording/folded_in.h"
#include "recording/format.h"
#include "recording/perf_import.h"

#define MAGIC_LEN 8

typedef int (*import_fn)(int from, int to, const char *path, struct status *st);

/* NULL: it is a recording already, or nothing that is known. */
static import_fn importer_of(int fd)
{
	char magic[MAGIC_LEN];
	struct stat sb;

	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode))
		return NULL;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic)) {
		if (!memcmp(magic, "PERFILE2", MAGIC_LEN) || !memcmp(magic, "2ELIFREP", MAGIC_LEN))
			return perf_import;
		if (!memcmp(magic, RECORDING_MAGIC, RECORDING_MAGIC_LEN))
			return NULL;
	}
	return folded__is(fd) ? folded_import : NULL;
}

/* Takes fd over. */
static int convert(int fd, import_fn import, const char *path, struct status *st)
{
	int to = memfd_create("proftop-import", MFD_CLOEXEC), err;

	if (to < 0)
		err = status__set(st, EXIT_CODE_FAILURE, -errno, "no memory for %.200s: %s", path,
				  strerror(errno));
	else
		err = import(fd, to, path, st);
	close(fd);
	if (!err)
		return to;
	if (to >= 0)
		close(to);
	return err;
}

int import__open(const char *path, struct status *st)
{
	/* Whatever it is, opening it waits for nobody. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	import_fn import;

	if (fd < 0)
		return status__set(st, EXIT_CODE_USAGE, -errno, "cannot open %.200s: %s", path,
				   strerror(errno));
	import = importer_of(fd);
	return import ? convert(fd, import, path, st) : fd;
}
