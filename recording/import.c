// SPDX-License-Identifier: GPL-2.0-only
#include "recording/import.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caps.h"
#include "recording/folded_in.h"
#include "recording/format.h"
#include "recording/heap_in.h"
#include "recording/perf_import.h"
#include "recording/spool.h"

#define MAGIC_LEN 8

typedef int (*import_fn)(int fd, struct symbols *symbols, const char *path, const char *event,
			 struct status *st);

/* NULL: it is a recording already, or nothing that is known. */
static import_fn importer_of(int fd)
{
	char magic[MAGIC_LEN];
	struct stat sb;

	if (!fstat(fd, &sb) && S_ISDIR(sb.st_mode))
		return perf_import; /* of perf record --threads */
	if (fstat(fd, &sb) || !S_ISREG(sb.st_mode))
		return NULL;
	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic)) {
		if (!memcmp(magic, "PERFILE2", MAGIC_LEN) || !memcmp(magic, "2ELIFREP", MAGIC_LEN))
			return perf_import;
		if (!memcmp(magic, RECORDING_MAGIC, RECORDING_MAGIC_LEN))
			return NULL;
	}
	if (heap_profile__is(fd))
		return heap_profile_import;
	return folded__is(fd) ? folded_import : NULL;
}

struct reader *import__open(const char *path, struct symbols *symbols, const char *event,
			    struct status *st)
{
	/* Whatever it is, opening it waits for nobody. */
	bool piped = !strcmp(path, "-");
	int fd = piped ? spool__open() : caps__open_for_caller(path), made;
	import_fn import;

	if (fd < 0) {
		status__set(st, EXIT_CODE_USAGE, -errno, "cannot open %.200s: %s", path,
			    strerror(errno));
		return NULL;
	}
	if (piped)
		path = "standard input";
	import = importer_of(fd);
	if (!import)
		return reader__open_fd(fd, path, symbols, st);
	made = import(fd, symbols, path, event, st);
	close(fd);
	return made < 0 ? NULL : reader__open_memory(made, symbols, st);
}
