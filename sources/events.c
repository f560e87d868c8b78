// SPDX-License-Identifier: GPL-2.0-only
#include "sources/events.h"

#include <ctype.h>
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "sources/event_pmu.h"
#include "sources/perf_open.h"

bool event__kernel_has_probes(void)
{
	return !access("/sys/bus/event_source/devices/kprobe", F_OK);
}

const char *event__tracefs(void)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[64];
	struct stat sb;

	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (stat(path, &sb) == 0 || errno == EACCES)
			return places[i];
	}
	return NULL;
}

/* Number of single-letter edits between two words; only what is near matters. */
static u32 distance(const char *a, const char *b)
{
	u32 row[64], na = (u32)strnlen(a, 63), nb = (u32)strnlen(b, 63);

	for (u32 j = 0; j <= nb; j++)
		row[j] = j;
	for (u32 i = 1; i <= na; i++) {
		u32 diagonal = row[0];

		row[0] = i;
		for (u32 j = 1; j <= nb; j++) {
			u32 change = diagonal + (tolower((u8)a[i - 1]) != tolower((u8)b[j - 1]));

			diagonal = row[j];
			row[j] = MIN(change, 1 + MIN(row[j], row[j - 1]));
		}
	}
	return row[nb];
}

struct suggestion {
	char name[128];
	u32 distance;
};

static void suggestion__try(struct suggestion *s, const char *typed, const char *name)
{
	u32 d = strstr(name, typed) ? 1 : distance(typed, name);

	if (d <= MAX(strlen(typed) / 3, 1UL) && d < s->distance) {
		s->distance = d;
		copy_str(s->name, sizeof(s->name), name);
	}
}

/* Looks through a folder of tracefs; `typed` is compared with the names of the folders in it. */
static void suggest_from_dir(struct suggestion *s, const char *dir, const char *typed)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && e->d_type == DT_DIR)
			suggestion__try(s, typed, e->d_name);
	if (d)
		closedir(d);
}

const char *event__never(u32 i, const char **why)
{
	static const char *const events[][2] = {
		{"bpf-output", "it carries what a BPF program writes, and counts nothing"},
		{"dummy", "it counts nothing"},
		{"duration_time", "the table behind -V counters -- COMMAND has it"},
		{"user_time", "the table behind -V counters -- COMMAND has it"},
		{"system_time", "the table behind -V counters -- COMMAND has it"},
	};

	if (i >= ARRAY_SIZE(events))
		return NULL;
	*why = events[i][1];
	return events[i][0];
}

static int unknown(const char *name, struct status *st)
{
	struct suggestion s = {.distance = UINT32_MAX};
	const char *never, *why;
	struct event_name e;

	for (u32 i = 0; (never = event__never(i, &why)); i++)
		if (!strcmp(never, name))
			return status__set(st, EXIT_CODE_USAGE, -ENOENT, "event '%s' cannot be asked for: %s",
					   name, why);
	for (u32 i = 0; event__name(i, &e); i++)
		suggestion__try(&s, name, e.name);
	if (s.name[0])
		return status__set(
			st, EXIT_CODE_USAGE, -ENOENT,
			"unknown event '%s': did you mean '%s'? (--list-events lists all)", name,
			s.name);
	return status__set(st, EXIT_CODE_USAGE, -ENOENT,
			   "unknown event '%s': --list-events lists all", name);
}

static bool plain_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((u8)s[i]) && s[i] != '_' && s[i] != '-')
			return false;
	return n > 0;
}

static int unknown_tracepoint(const char *text, const char *tracefs, struct status *st)
{
	const char *colon = strchr(text, ':');
	struct suggestion s = {.distance = UINT32_MAX};
	char dir[192], subsystem[64];
	struct stat sb;

	snprintf(subsystem, sizeof(subsystem), "%.*s", (int)(colon - text), text);
	snprintf(dir, sizeof(dir), "%s/events/%s", tracefs, subsystem);
	if (stat(dir, &sb) == 0) {
		suggest_from_dir(&s, dir, colon + 1);
	} else {
		snprintf(dir, sizeof(dir), "%s/events", tracefs);
		suggest_from_dir(&s, dir, subsystem);
		if (s.name[0])
			return status__set(st, EXIT_CODE_USAGE, -ENOENT,
					   "no tracepoints of '%s': did you mean '%s:%s'?",
					   subsystem, s.name, colon + 1);
	}
	if (s.name[0])
		return status__set(st, EXIT_CODE_USAGE, -ENOENT,
				   "unknown tracepoint '%s': did you mean '%s:%s'?", text,
				   subsystem, s.name);
	return status__set(st, EXIT_CODE_USAGE, -ENOENT,
			   "unknown tracepoint '%s': --list-events '%s:*' lists its subsystem",
			   text, subsystem);
}

static int resolve_tracepoint(const char *text, const char *tracefs, struct perf_event_attr *attr,
			      struct status *st)
{
	const char *colon = strchr(text, ':');
	unsigned long long id;
	char path[256];
	FILE *f;

	if (!plain_word(text, (size_t)(colon - text)) || !plain_word(colon + 1, strlen(colon + 1)))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "'%s' is no event: a tracepoint is written subsystem:name",
				   text);
	if (!tracefs)
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "tracepoint '%s' needs tracefs: " MOUNT_TRACEFS, text);
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/id", tracefs, (int)(colon - text), text,
		 colon + 1);
	f = fopen(path, "re");
	if (!f && errno == EACCES)
		return status__set(st, EXIT_CODE_PERMISSION, -EACCES,
				   "tracepoint '%s' needs root to read %s: run with sudo", text,
				   tracefs);
	if (!f)
		return unknown_tracepoint(text, tracefs, st);
	attr->type = PERF_TYPE_TRACEPOINT;
	if (fscanf(f, "%llu", &id) != 1)
		id = 0;
	fclose(f);
	attr->config = id;
	return 0;
}

static bool raw_event(const char *text, struct perf_event_attr *attr)
{
	char *end;

	if (text[0] != 'r' || !isxdigit((u8)text[1]) || strlen(text) > 17)
		return false;
	attr->config = strtoull(text + 1, &end, 16);
	attr->type = PERF_TYPE_RAW;
	return *end == '\0';
}

/* A word after a colon that is neither modifiers nor a tracepoint's name. */
static int refuse_modifiers(const char *text, size_t len, struct status *st)
{
	struct event_name e;

	for (u32 i = 0; event__name(i, &e); i++)
		if (strlen(e.name) == len && !strncmp(e.name, text, len))
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "event '%s': modifiers are u, k, G, H, p (up to ppp) and P",
					   text);
	return 0;
}

static int resolve_name(const char *text, const char *tracefs, struct perf_event_attr *attr,
			struct status *st)
{
	const char *colon = strchr(text, ':');
	struct event_name e;

	for (u32 i = 0; event__name(i, &e); i++) {
		if (strcmp(e.name, text) == 0) {
			attr->type = e.type;
			attr->config = e.config;
			return 0;
		}
	}
	if (colon && refuse_modifiers(text, (size_t)(colon - text), st))
		return -EINVAL;
	if (colon)
		return resolve_tracepoint(text, tracefs, attr, st);
	if (raw_event(text, attr))
		return 0;
	return unknown(text, st);
}

/* The modifiers at the end of an event's name: after its last colon, or a PMU's last slash; ""
 * none. *len is the length of what is before them. */
static const char *find_modifiers(const char *text, size_t *len)
{
	const char *at = event_pmu__is(text) ? strrchr(text, '/') + 1 : strrchr(text, ':'), *m;

	*len = strlen(text);
	m = at ? at + (*at == ':') : "";
	if (!*m || m[strspn(m, "ukpPGH")])
		return "";
	*len = (size_t)(at - text);
	return m;
}

static int apply_modifiers(const char *m, struct perf_event_attr *attr, struct status *st)
{
	bool user = strchr(m, 'u'), kernel = strchr(m, 'k');
	bool guest = strchr(m, 'G'), host = strchr(m, 'H');
	u32 precise = 0;

	for (const char *p = m; *p; p++)
		precise += *p == 'p';
	if (strchr(m, 'P'))
		precise = 3;
	if (precise > 3)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "event modifier '%s': at most ppp can be asked for", m);
	/* The kernel would take it, and then give no call chains. */
	if (attr->type == PERF_TYPE_SOFTWARE || attr->type == PERF_TYPE_TRACEPOINT) {
		if (precise && !strchr(m, 'P'))
			return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
					   "event modifier '%s': software events and tracepoints "
					   "cannot be precise; leave the p out",
					   m);
		precise = 0;
	}
	attr->precise_ip = precise;
	if (user || kernel) {
		attr->exclude_user = !user;
		attr->exclude_kernel = !kernel;
		attr->exclude_hv = !kernel;
	}
	if (guest || host) {
		attr->exclude_guest = !guest;
		attr->exclude_host = !host;
	}
	return 0;
}

int event__resolve(const char *text, const char *tracefs, struct perf_event_attr *attr,
		   struct status *st)
{
	char base[128];
	size_t len;
	const char *modifiers = find_modifiers(text, &len);
	int err;

	memset(attr, 0, sizeof(*attr));
	if (strlen(text) >= sizeof(base))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "event name is too long: at most %zu characters (--list-events has names)",
				   sizeof(base) - 1);
	copy_str(base, len + 1, text);
	err = event_pmu__is(base) ? event_pmu__resolve(base, EVENT_PMU_DEVICES, attr, st)
				  : resolve_name(base, tracefs, attr, st);
	if (err || !*modifiers)
		return err;
	return apply_modifiers(modifiers, attr, st);
}

/* Opens the event on this thread; who may not see the kernel still gets user mode. */
static int try_open(const struct perf_event_attr *attr)
{
	struct perf_event_attr a = *attr;
	int fd;

	a.size = sizeof(a);
	a.disabled = 1;
	a.sample_period = 1000000;
	fd = perf__open(&a, 0, -1);
	if (fd == -EACCES || fd == -EPERM) {
		a.exclude_kernel = a.exclude_hv = 1;
		fd = perf__open(&a, 0, -1);
	}
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

static int try_precise(struct perf_event_attr *attr, bool as_possible)
{
	int err = try_open(attr);

	while (err && as_possible && attr->precise_ip) {
		attr->precise_ip--;
		err = try_open(attr);
	}
	return err;
}

static const char *why_not(const struct perf_event_attr *attr, int err)
{
	switch (-err) {
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case ENXIO:
		return "this CPU or virtual machine has no counter for it; cpu-clock works "
		       "everywhere";
	case EINVAL:
		return attr->precise_ip ? "the counter cannot do this (try it without p modifiers)"
					: "this counter can be read but not sampled";
	case EACCES:
	case EPERM:
		return "not permitted (sysctl kernel.perf_event_paranoid, or run with sudo)";
	default:
		return strerror(-err);
	}
}

static int refuse(const char *text, const struct perf_event_attr *attr, int err, struct status *st)
{
	enum exit_code code =
		err == -EACCES || err == -EPERM ? EXIT_CODE_PERMISSION : EXIT_CODE_UNSUPPORTED;

	return status__set(st, code, err, "event '%s': %s", text, why_not(attr, err));
}

int event__parse(const char *text, struct perf_event_attr *attr, char *name, size_t name_size,
		 struct status *st)
{
	const char *wanted = *text ? text : "cycles:P";
	size_t len;
	int err = event__resolve(wanted, event__tracefs(), attr, st);

	if (err)
		return err;
	err = try_precise(attr, strchr(find_modifiers(wanted, &len), 'P'));
	if (err && !*text) {
		wanted = "cpu-clock";
		event__resolve(wanted, NULL, attr, st);
		err = try_open(attr);
	}
	if (err)
		return refuse(wanted, attr, err, st);
	copy_str(name, name_size, wanted);
	return 0;
}

const char *event__unavailable(const struct event_name *e)
{
	struct perf_event_attr attr = {.type = e->type, .config = e->config};
	int err = try_open(&attr);

	return err ? why_not(&attr, err) : "";
}
