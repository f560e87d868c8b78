// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_meta.h"

#include <stdio.h>

#define BUILD_ID_BYTES 20

void perf_meta__init(struct perf_meta *m)
{
	*m = (struct perf_meta){0};
	arena__init(&m->names);
}

void perf_meta__fini(struct perf_meta *m)
{
	free(m->events);
	free(m->ids);
	free(m->build_ids);
	hidx__fini(&m->by_id);
	hidx__fini(&m->by_path);
	arena__fini(&m->names);
}

/* --- events --- */

u32 perf_meta__counter(const struct perf_meta *m, u64 id)
{
	u32 at;

	HIDX_FIND(at, &m->by_id, mix64(id), pos, m->ids[pos].id == id);
	return at == HIDX_NONE ? UINT32_MAX : at;
}

static u32 event_with(const struct perf_meta *m, u64 id)
{
	u32 at = perf_meta__counter(m, id);

	return at == UINT32_MAX ? HIDX_NONE : m->ids[at].event;
}

static void add_id(struct perf_meta *m, u64 id, u32 event)
{
	if (m->nids == PERF_IDS_MAX || event_with(m, id) != HIDX_NONE)
		return;
	m->ids = xgrow(m->ids, m->nids, &m->cap_ids, sizeof(*m->ids));
	m->ids[m->nids].id = id;
	m->ids[m->nids].event = event;
	hidx__add(&m->by_id, mix64(id), m->nids++);
}

bool perf_meta__add_event(struct perf_meta *m, const void *attr, size_t size, struct cursor ids)
{
	struct perf_event *e;

	if (size < PERF_ATTR_SIZE_VER0 || m->nevents == PERF_EVENTS_MAX)
		return false;
	m->events = xgrow(m->events, m->nevents, &m->cap_events, sizeof(*m->events));
	e = &m->events[m->nevents];
	memset(e, 0, sizeof(*e));
	memcpy(&e->attr, attr, MIN(size, sizeof(e->attr)));
	e->format = (struct perf_format){
		.sample_type = e->attr.sample_type,
		.read_format = e->attr.read_format,
		.branch_sample_type = e->attr.branch_sample_type,
		.regs_user = e->attr.sample_regs_user,
		.regs_intr = e->attr.sample_regs_intr,
		.trailers = e->attr.sample_id_all,
	};
	while (ids.end - ids.at >= 8)
		add_id(m, cursor__u64(&ids), m->nevents);
	m->nevents++;
	return true;
}

/* Where all events' records have their id: at the beginning of samples and the end of others. */
static bool read_id(const struct perf_meta *m, const struct perf_event_header *h, u64 *id)
{
	const struct perf_format *f = &m->events[0].format;
	const u8 *at = (const u8 *)h;
	struct perf_record r;

	if (f->sample_type & PERF_SAMPLE_IDENTIFIER) {
		if (h->size < sizeof(*h) + 8)
			return false;
		*id = get_u64(h->type == PERF_RECORD_SAMPLE ? at + sizeof(*h) : at + h->size - 8);
		return h->type == PERF_RECORD_SAMPLE || f->trailers;
	}
	if (!(f->sample_type & PERF_SAMPLE_ID) || perf_record__decode_as(&r, h, h->size, f))
		return false;
	*id = r.id;
	return true;
}

const struct perf_event *perf_meta__event_of(const struct perf_meta *m,
					     const struct perf_event_header *h)
{
	u64 id;
	u32 at;

	if (!m->nevents)
		return NULL;
	if (m->nevents == 1 || !read_id(m, h, &id))
		return &m->events[0];
	/* What perf makes up has id 0, and the first event's form. */
	at = id ? event_with(m, id) : 0;
	return at == HIDX_NONE ? NULL : &m->events[at];
}

const char *perf_event__name(const struct perf_event *e, char *buf, size_t size)
{
	static const char *const software[] = {
		[PERF_COUNT_SW_CPU_CLOCK] = "cpu-clock",
		[PERF_COUNT_SW_TASK_CLOCK] = "task-clock",
		[PERF_COUNT_SW_PAGE_FAULTS] = "page-faults",
		[PERF_COUNT_SW_CONTEXT_SWITCHES] = "context-switches",
		[PERF_COUNT_SW_CPU_MIGRATIONS] = "cpu-migrations",
		[PERF_COUNT_SW_PAGE_FAULTS_MIN] = "minor-faults",
		[PERF_COUNT_SW_PAGE_FAULTS_MAJ] = "major-faults",
	};
	u64 config = e->attr.config;

	if (e->name[0])
		copy_str(buf, size, e->name);
	else if (e->attr.type == PERF_TYPE_SOFTWARE && config < ARRAY_SIZE(software))
		copy_str(buf, size, software[config]);
	else if (e->attr.type == PERF_TYPE_HARDWARE && config == PERF_COUNT_HW_CPU_CYCLES)
		copy_str(buf, size, "cycles");
	else
		snprintf(buf, size, "event %u:0x%llx", e->attr.type, (unsigned long long)config);
	return buf;
}

/* --- build-ids --- */

static u32 find_path(const struct perf_meta *m, const char *path)
{
	u32 at;

	HIDX_FIND(at, &m->by_path, hash_bytes(path, strlen(path)), pos,
		  !strcmp(m->build_ids[pos].path, path));
	return at;
}

void perf_meta__build_id(struct perf_meta *m, const char *path, const u8 *id, u32 n)
{
	struct perf_build_id *b;

	n = MIN(n, (u32)BUILD_ID_BYTES);
	if (!n || m->nbuild_ids == PERF_BUILD_IDS_MAX || find_path(m, path) != HIDX_NONE)
		return;
	m->build_ids = xgrow(m->build_ids, m->nbuild_ids, &m->cap_build_ids, sizeof(*b));
	b = &m->build_ids[m->nbuild_ids];
	b->path = arena__strdup(&m->names, path);
	b->hex[0] = '\0';
	for (u32 i = 0; i < n; i++)
		snprintf(b->hex + 2 * i, 3, "%02x", id[i]);
	hidx__add(&m->by_path, hash_bytes(path, strlen(path)), m->nbuild_ids++);
}

const char *perf_meta__build_id_of(const struct perf_meta *m, const char *path)
{
	u32 at = find_path(m, path);

	return at == HIDX_NONE ? "" : m->build_ids[at].hex;
}

#define MISC_BUILD_ID_SIZE (1u << 15) /* PERF_RECORD_MISC_BUILD_ID_SIZE */
#define BUILD_ID_ROOM	   24	      /* 20 bytes, their number, padding */

/* A header, a pid, the build-id, the path. Of an old perf all 20 bytes count. */
void perf_meta__build_id_record(struct perf_meta *m, struct cursor c)
{
	struct perf_event_header h;
	const u8 *id;
	char path[4096];
	u32 n;

	if ((size_t)(c.end - c.at) < sizeof(h) + 4 + BUILD_ID_ROOM)
		return;
	memcpy(&h, c.at, sizeof(h));
	id = c.at + sizeof(h) + 4;
	n = h.misc & MISC_BUILD_ID_SIZE ? id[BUILD_ID_BYTES] : BUILD_ID_BYTES;
	c.at = id + BUILD_ID_ROOM;
	n = MIN(n, (u32)BUILD_ID_BYTES);
	copy_str(path, MIN(sizeof(path), (size_t)(c.end - c.at) + 1), (const char *)c.at);
	if (!perf_record__of_guest(h.misc))
		perf_meta__build_id(m, path, id, n);
}

static void read_build_ids(struct perf_meta *m, struct cursor c)
{
	struct perf_event_header h;

	while ((size_t)(c.end - c.at) >= sizeof(h)) {
		memcpy(&h, c.at, sizeof(h));
		if (h.size < sizeof(h) || h.size > c.end - c.at)
			return;
		perf_meta__build_id_record(m, (struct cursor){c.at, c.at + h.size, false});
		c.at += h.size;
	}
}

/* --- features --- */

/* A length, and so many bytes with a NUL somewhere. Control characters end nothing here. */
static void read_text(struct cursor *c, char *buf, size_t size)
{
	u32 n = cursor__u32(c);

	buf[0] = '\0';
	if (c->broken || n > (u64)(c->end - c->at)) {
		c->broken = true;
		return;
	}
	copy_str(buf, MIN(size, (size_t)n + 1), (const char *)c->at);
	c->at += n;
}

static void read_command(struct perf_meta *m, struct cursor *c)
{
	u32 words = cursor__u32(c);
	size_t n = 0;

	while (words-- && !c->broken && n + 1 < sizeof(m->command)) {
		if (n)
			m->command[n++] = ' ';
		read_text(c, m->command + n, sizeof(m->command) - n);
		n += strlen(m->command + n);
	}
	m->command[n] = '\0';
}

/* Events come in the order of their attrs. */
static void read_descriptions(struct perf_meta *m, struct cursor *c)
{
	u32 n = cursor__u32(c), size = cursor__u32(c), nids;

	for (u32 i = 0; i < n && i < m->nevents; i++) {
		if (c->broken || size > (u64)(c->end - c->at))
			return;
		c->at += size;
		nids = cursor__u32(c);
		read_text(c, m->events[i].name, sizeof(m->events[i].name));
		if (c->broken || nids > (u64)(c->end - c->at) / 8)
			return;
		c->at += (size_t)nids * 8;
	}
}

void perf_meta__feature(struct perf_meta *m, u32 feature, struct cursor c)
{
	switch (feature) {
	case PERF_FEATURE_BUILD_ID:
		read_build_ids(m, c);
		break;
	case PERF_FEATURE_HOSTNAME:
		read_text(&c, m->host, sizeof(m->host));
		break;
	case PERF_FEATURE_OSRELEASE:
		read_text(&c, m->kernel, sizeof(m->kernel));
		break;
	case PERF_FEATURE_VERSION:
		read_text(&c, m->version, sizeof(m->version));
		break;
	case PERF_FEATURE_ARCH:
		read_text(&c, m->arch, sizeof(m->arch));
		break;
	case PERF_FEATURE_CMDLINE:
		read_command(m, &c);
		break;
	case PERF_FEATURE_EVENT_DESC:
		read_descriptions(m, &c);
		break;
	default:
		break;
	}
}

#define UPDATE_NAME 2 /* PERF_EVENT_UPDATE__NAME */

void perf_meta__update(struct perf_meta *m, struct cursor c)
{
	u64 what = cursor__u64(&c), id = cursor__u64(&c);
	u32 at = event_with(m, id);

	if (what == UPDATE_NAME && at != HIDX_NONE && !c.broken)
		copy_str(m->events[at].name,
			 MIN(sizeof(m->events[at].name), (size_t)(c.end - c.at) + 1),
			 (const char *)c.at);
}
