/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What perf.data says about itself: its events, how it was made, and the build-ids of the files
 * that were hit. Formats: Linux, tools/perf/Documentation/perf.data-file-format.txt. Filled from
 * the file's header, or from records where it was written to a pipe. One thread.
 */
#ifndef RECORDING_PERF_META_H
#define RECORDING_PERF_META_H

#include "base/hidx.h"
#include "recording/bytes.h"
#include "samples/perf_record.h"

#define PERF_EVENTS_MAX	   4096
#define PERF_IDS_MAX	   (1u << 20)
#define PERF_BUILD_IDS_MAX 65536

struct perf_event {
	struct perf_event_attr attr;
	struct perf_format format;
	char name[64]; /* "" unknown */
};

enum perf_feature {
	PERF_FEATURE_TRACING_DATA = 1,
	PERF_FEATURE_BUILD_ID,
	PERF_FEATURE_HOSTNAME,
	PERF_FEATURE_OSRELEASE,
	PERF_FEATURE_VERSION,
	PERF_FEATURE_ARCH,
	PERF_FEATURE_CMDLINE = 11,
	PERF_FEATURE_EVENT_DESC,
	PERF_FEATURE_BITS = 256,
};

struct perf_build_id {
	const char *path;
	char hex[41];
};

struct perf_meta {
	struct perf_event *events;
	u32 nevents, cap_events;
	struct {
		u64 id;
		u32 event;
	} * ids;
	u32 nids, cap_ids;
	struct hidx by_id;
	struct perf_build_id *build_ids;
	u32 nbuild_ids, cap_build_ids;
	struct hidx by_path;
	struct arena names;
	char host[128], kernel[128], version[64], arch[32], command[1024];
};

void perf_meta__init(struct perf_meta *m);
void perf_meta__fini(struct perf_meta *m);

/* An event and the ids of its counters; attr of any version's size. False: it does not fit. */
bool perf_meta__add_event(struct perf_meta *m, const void *attr, size_t size, struct cursor ids);
/* The content of a feature; one that does not fit is left out. */
void perf_meta__feature(struct perf_meta *m, u32 feature, struct cursor c);
/* PERF_RECORD_HEADER_BUILD_ID, with its header. */
void perf_meta__build_id_record(struct perf_meta *m, struct cursor c);
/* A build-id as bytes, of a path. */
void perf_meta__build_id(struct perf_meta *m, const char *path, const u8 *id, u32 n);
/* PERF_RECORD_EVENT_UPDATE without its header. */
void perf_meta__update(struct perf_meta *m, struct cursor c);

/* "" unknown. */
const char *perf_meta__build_id_of(const struct perf_meta *m, const char *path);
/* The event of a record; NULL: there is none, or it cannot be told. */
const struct perf_event *perf_meta__event_of(const struct perf_meta *m,
					     const struct perf_event_header *h);
/* The position in ids of a counter; UINT32_MAX: not known. */
u32 perf_meta__counter(const struct perf_meta *m, u64 id);
/* The name, or what the attr comes to. */
const char *perf_event__name(const struct perf_event *e, char *buf, size_t size);

#endif
