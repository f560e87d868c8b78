// SPDX-License-Identifier: GPL-2.0-only
#include "sources/event_pmu.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#define WORD_MAX_LEN 64
#define LINE_MAX_LEN 512
#define LISTED_LEN   160

struct pmu {
	char dir[256]; /* its folder in sysfs */
	char name[WORD_MAX_LEN];
	struct perf_event_attr *attr;
	struct status *st;
};

static bool is_word(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isalnum((u8)s[i]) && s[i] != '_' && s[i] != '-' && (s[i] != '.' || !i))
			return false;
	return n > 0 && n < WORD_MAX_LEN;
}

bool event_pmu__is(const char *text)
{
	return text[strcspn(text, "/")] == '/' && is_word(text, strcspn(text, "/"));
}

/* The first line of a file below the PMU's folder. */
static bool read_line(const struct pmu *p, const char *folder, const char *name, char *buf,
		      size_t size)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s%s", p->dir, folder, name);
	return file__line(path, buf, size);
}

static int is_event(const struct dirent *e)
{
	/* NAME.scale and the like say how to print it. */
	return is_word(e->d_name, strlen(e->d_name)) && !strchr(e->d_name, '.');
}

/* "a, b, c ..." of a folder's names, for messages. */
static void list_names(const char *dir, char *buf, size_t size)
{
	struct dirent **names = NULL;
	int n = scandir(dir, &names, is_event, alphasort);
	size_t len = 0;

	snprintf(buf, size, "none");
	for (int i = 0; i < n; i++) {
		if (len + strlen(names[i]->d_name) + 8 < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						names[i]->d_name);
		else if (len && !strstr(buf, " ..."))
			snprintf(buf + len, size - len, " ...");
		free(names[i]);
	}
	free(names);
}

static int no_pmu(const struct pmu *p, const char *devices)
{
	char names[LISTED_LEN];

	list_names(devices, names, sizeof(names));
	return status__set(p->st, EXIT_CODE_UNSUPPORTED, -ENODEV,
			   "this machine has no PMU '%s'; there are: %s", p->name, names);
}

static int no_term(const struct pmu *p, const char *term)
{
	char dir[300], fields[LISTED_LEN], events[LISTED_LEN];

	snprintf(dir, sizeof(dir), "%s/format", p->dir);
	list_names(dir, fields, sizeof(fields));
	snprintf(dir, sizeof(dir), "%s/events", p->dir);
	list_names(dir, events, sizeof(events));
	return status__set(p->st, EXIT_CODE_USAGE, -EINVAL,
			   "PMU '%s' has no '%.40s'; its fields are %s; its events: %s", p->name,
			   term, fields, events);
}

static u64 *attr_field(struct perf_event_attr *attr, const char *name, size_t len)
{
	if (len == 6 && !strncmp(name, "config", len))
		return (u64 *)&attr->config;
	if (len == 7 && !strncmp(name, "config1", len))
		return (u64 *)&attr->config1;
	if (len == 7 && !strncmp(name, "config2", len))
		return (u64 *)&attr->config2;
	return NULL;
}

/* Takes "LO" or "LO-HI" of a format's bits. */
static bool next_bits(const char **s, u32 *lo, u32 *hi)
{
	char *end;

	*lo = *hi = (u32)strtoul(*s, &end, 10);
	if (end == *s)
		return false;
	if (*end == '-')
		*hi = (u32)strtoul(end + 1, &end, 10);
	if (*lo > *hi || *hi > 63 || (*end && *end != ','))
		return false;
	*s = end + (*end == ',');
	return true;
}

/* "config1:0-7,32": the value's bits, lowest first, go there. */
static int set_field(const struct pmu *p, const char *name, const char *format, u64 value)
{
	const char *bits = strchr(format, ':');
	u64 *field = bits ? attr_field(p->attr, format, (size_t)(bits - format)) : NULL;
	u64 left = value, mask;
	u32 lo, hi;

	if (!field)
		return status__set(p->st, EXIT_CODE_UNSUPPORTED, -EINVAL,
				   "PMU '%s': '%s' is %.40s, which proftop does not know", p->name,
				   name, format);
	for (bits++; *bits;) {
		if (!next_bits(&bits, &lo, &hi))
			return status__set(p->st, EXIT_CODE_UNSUPPORTED, -EINVAL,
					   "PMU '%s': the format of '%s' is broken: %.40s", p->name,
					   name, format);
		mask = hi - lo == 63 ? ~0ULL : (1ULL << (hi - lo + 1)) - 1;
		*field = (*field & ~(mask << lo)) | (left & mask) << lo;
		left = hi - lo == 63 ? 0 : left >> (hi - lo + 1);
	}
	if (left)
		return status__set(p->st, EXIT_CODE_USAGE, -EINVAL,
				   "PMU '%s': %s=%#llx is too large, its bits are %.40s", p->name,
				   name, (unsigned long long)value, format);
	return 0;
}

static int add_terms(const struct pmu *p, const char *terms, bool own);

static int add_named(const struct pmu *p, const char *name, const char *value, u64 number, bool own)
{
	char line[LINE_MAX_LEN];
	u64 *field = attr_field(p->attr, name, strlen(name));

	if (field && value) {
		*field = number;
		return 0;
	}
	if (read_line(p, "format/", name, line, sizeof(line)))
		return set_field(p, name, line, number);
	if (!value && !own && read_line(p, "events/", name, line, sizeof(line)))
		return add_terms(p, line, true);
	return no_term(p, name);
}

static int add_term(const struct pmu *p, char *term, bool own)
{
	char *value = strchr(term, '='), *end;
	u64 number = 1;

	if (value)
		*value++ = '\0';
	if (!is_word(term, strlen(term)))
		return status__set(p->st, EXIT_CODE_USAGE, -EINVAL,
				   "PMU '%s': a field or an event is expected, as in "
				   "%s/event=0x3c,umask=1/",
				   p->name, p->name);
	if (value) {
		errno = 0;
		number = strtoull(value, &end, 0);
		if (errno || !isdigit((u8)*value) || *end)
			return status__set(p->st, EXIT_CODE_USAGE, -EINVAL,
					   "PMU '%s': %s= takes a number, like 60 or 0x3c", p->name,
					   term);
	}
	return add_named(p, term, value, number, own);
}

/* own: they are what an event of the PMU stands for, and name no further ones. */
static int add_terms(const struct pmu *p, const char *terms, bool own)
{
	char copy[LINE_MAX_LEN], *rest = copy;
	int err = 0;

	if (strlen(terms) >= sizeof(copy))
		return status__set(p->st, EXIT_CODE_USAGE, -EINVAL, "event name is too long: at most %zu characters between its slashes",
				   sizeof(copy) - 1);
	copy_str(copy, sizeof(copy), terms);
	for (char *term = strsep(&rest, ","); term && !err; term = strsep(&rest, ","))
		err = add_term(p, term, own);
	return err;
}

int event_pmu__resolve(const char *text, const char *devices, struct perf_event_attr *attr,
		       struct status *st)
{
	size_t name_len = strcspn(text, "/"), len = strlen(text);
	struct pmu p = {.attr = attr, .st = st};
	char terms[LINE_MAX_LEN], type[32], *end;

	copy_str(p.name, MIN(name_len + 1, sizeof(p.name)), text);
	snprintf(p.dir, sizeof(p.dir), "%.150s/%s", devices, p.name);
	if (len < name_len + 2 || text[len - 1] != '/' ||
	    strchr(text + name_len + 1, '/') != text + len - 1 ||
	    len - name_len - 2 >= sizeof(terms))
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"an event of a PMU ends with a slash, and u, k, p or P behind it: "
			"%s/event=0x3c/u",
			p.name);
	if (!read_line(&p, "", "type", type, sizeof(type)))
		return no_pmu(&p, devices);
	attr->type = (u32)strtoul(type, &end, 10);
	copy_str(terms, len - name_len - 1, text + name_len + 1);
	return add_terms(&p, terms, false);
}

static void each_of(const char *devices, const char *pmu, void (*fn)(void *ctx, const char *name),
		    void *ctx)
{
	char dir[512], name[2 * WORD_MAX_LEN + 3];
	struct dirent **names = NULL;
	int n;

	snprintf(dir, sizeof(dir), "%s/%s/events", devices, pmu);
	n = scandir(dir, &names, is_event, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%.*s/%.*s/", WORD_MAX_LEN, pmu, WORD_MAX_LEN,
			 names[i]->d_name);
		fn(ctx, name);
		free(names[i]);
	}
	free(names);
}

void event_pmu__each(const char *devices, void (*fn)(void *ctx, const char *name), void *ctx)
{
	struct dirent **names = NULL;
	int n = scandir(devices, &names, is_event, alphasort);

	for (int i = 0; i < n; i++) {
		each_of(devices, names[i]->d_name, fn, ctx);
		free(names[i]);
	}
	free(names);
}
