// SPDX-License-Identifier: GPL-2.0-only
/* --list-events */
#include <dirent.h>
#include <fnmatch.h>

#include "sources/event_pmu.h"
#include "sources/events.h"

static bool matches(const char *glob, const char *name)
{
	return !glob || fnmatch(glob, name, 0) == 0;
}

static void print_event(FILE *out, const char *name, const char *class, const char *why)
{
	fprintf(out, "%-40s %-10s", name, class);
	if (*why)
		fprintf(out, " not available: %s", why);
	fputc('\n', out);
}

static int visible(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Sorted names in a folder of tracefs that are folders themselves (files have no '/id'). */
static int list_dir(const char *path, struct dirent ***names)
{
	int n;

	*names = NULL;
	n = scandir(path, names, visible, alphasort);
	return n < 0 ? 0 : n;
}

static int list_subsystem(FILE *out, const char *events, const char *subsystem, const char *glob)
{
	char path[768], name[560];
	struct dirent **names;
	int n, listed = 0;

	snprintf(path, sizeof(path), "%s/%s", events, subsystem);
	n = list_dir(path, &names);
	for (int i = 0; i < n; i++) {
		snprintf(name, sizeof(name), "%s:%s", subsystem, names[i]->d_name);
		if (names[i]->d_type == DT_DIR && matches(glob, name)) {
			print_event(out, name, "tracepoint", "");
			listed++;
		}
		free(names[i]);
	}
	free(names);
	return listed;
}

/* Thousands of them: listed without opening each. */
static int list_tracepoints(FILE *out, const char *glob)
{
	const char *tracefs = event__tracefs();
	struct dirent **names;
	char events[64];
	int n, listed = 0;

	if (!tracefs) {
		fprintf(out, "# tracepoints are not listed: " MOUNT_TRACEFS "\n");
		return 1;
	}
	snprintf(events, sizeof(events), "%s/events", tracefs);
	n = list_dir(events, &names);
	if (!n)
		listed = fprintf(out, "# tracepoints are not listed: %s needs root (run with sudo)\n",
				 tracefs) > 0;
	for (int i = 0; i < n; i++) {
		if (names[i]->d_type == DT_DIR)
			listed += list_subsystem(out, events, names[i]->d_name, glob);
		free(names[i]);
	}
	free(names);
	return listed;
}

struct pmu_list {
	FILE *out;
	const char *glob;
	int listed;
};

static void list_pmu_event(void *ctx, const char *name)
{
	struct pmu_list *l = ctx;

	if (!matches(l->glob, name))
		return;
	print_event(l->out, name, "pmu", "");
	l->listed++;
}

int event__list(FILE *out, const char *glob)
{
	struct pmu_list pmus = {.out = out, .glob = glob};
	const char *never, *why;
	struct event_name e;
	int listed = 0;

	for (u32 i = 0; event__name(i, &e); i++) {
		if (!matches(glob, e.name))
			continue;
		print_event(out, e.name, e.class, event__unavailable(&e));
		listed++;
	}
	for (u32 i = 0; (never = event__never(i, &why)); i++)
		if (matches(glob, never)) {
			print_event(out, never, "perf", why);
			listed++;
		}
	event_pmu__each(EVENT_PMU_DEVICES, list_pmu_event, &pmus);
	if (!glob) {
		print_event(out, "mem:0xADDRESS[/LENGTH][:rwx]", "breakpoint", "");
		print_event(out, "rNNN", "raw", "");
		print_event(out, "PMU/FIELD=VALUE,.../", "raw", "");
	}
	return listed + pmus.listed + list_tracepoints(out, glob);
}
