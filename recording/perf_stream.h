/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The records of a perf.data file in the order they were written: as a file or as a pipe had it,
 * compressed or not. Formats: Linux, tools/perf/Documentation/perf.data-file-format.txt. What the
 * file says about itself goes to the meta. Whatever is in the file, memory is bounded and it ends;
 * a file that grows or shrinks meanwhile is read as far as it goes. One thread.
 */
#ifndef RECORDING_PERF_STREAM_H
#define RECORDING_PERF_STREAM_H

#include "base/status.h"
#include "recording/perf_meta.h"

#define PERF_MAGIC     "PERFILE2"
#define PERF_MAGIC_LEN 8

/* Of records that perf itself writes; the others are PERF_RECORD_x. */
enum perf_user_record {
	PERF_USER_ATTR = 64,
	PERF_USER_TRACING_DATA = 66,
	PERF_USER_BUILD_ID,
	PERF_USER_FINISHED_ROUND,
	PERF_USER_AUXTRACE = 71,
	PERF_USER_UPDATE = 78,
	PERF_USER_FEATURE = 80,
	PERF_USER_COMPRESSED,
	PERF_USER_COMPRESSED2 = 83,
};

struct perf_stream;

/* The other files of perf record --threads, whose folder holds the file `data` and these. */
#define PERF_PARTS_MAX 1024

/* fd stays the caller's, as a file or as such a folder. NULL with st: nothing of it can be read. */
struct perf_stream *perf_stream__open(int fd, const char *path, struct perf_meta *m,
				      struct status *st);
void perf_stream__free(struct perf_stream *s);
/* The next record, whole, on 8 bytes, until the next call; NULL at the end. */
const struct perf_event_header *perf_stream__next(struct perf_stream *s);
/* Why it ended too early; "" it did not. */
/* Tells how far it is (base/progress.h); false: it is to end. */
bool perf_stream__go_on(const struct perf_stream *s);
const char *perf_stream__trouble(const struct perf_stream *s);

#endif
