// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is special to the source of queries: it finds database servers by the names of their programs,
 * those that run when it is opened, and others when the programs report that they execute. Probes are on
 * a file, so on all processes that run it.
 */
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/queries.h"
#include "base/arena.h"
#include "base/log.h"
#include "sources/mariadb_rows.h"
#include "sources/measure.h"
#include "sources/measures.h"
#include "sources/probe_links.h"

#define FILES_MAX 64 /* that are remembered */

/* A function that is probed, by one of its names in the symbol table; versions differ. Of MARIADB_COMMAND's cookie the
 * rows' places come to it for each file. */
struct place {
	const char *names[2];
	u64 cookie;
	bool returns; /* where it returns, too */
};

struct server {
	const char *programs[2];
	const struct place *places;
	u32 nplaces;
};

static const struct place postgresql[] = {
	{{"pgstat_report_activity"}, POSTGRESQL_ACTIVITY, false},
	{{"PortalRun"}, POSTGRESQL_PORTAL, false},
	{{"EndCommand"}, POSTGRESQL_ENDS, false},
	{{"AbortCurrentTransaction"}, POSTGRESQL_FAILS, false},
};
static const struct place mariadb[] = {
	{{"_Z16dispatch_command19enum_server_commandP3THDPcjb",
	  "_Z16dispatch_command19enum_server_commandP3THDPcjbb"}, MARIADB_COMMAND, true},
	{{"_ZN18Prepared_statement7prepareEPKcj"}, MARIADB_PREPARES, false},
	{{"_ZN18Prepared_statement12execute_loopEP6StringbPhS2_"}, MARIADB_EXECUTES, false},
	{{"_ZN18Prepared_statement17execute_bulk_loopEP6StringbPhS2_"}, MARIADB_EXECUTES, false},
	{{"_ZN8Protocol21net_send_error_packetEP3THDjPKcS3_"}, MARIADB_FAILS, false},
};

static const struct server servers[] = {
	{{"postgres"}, postgresql, ARRAY_SIZE(postgresql)},
	{{"mariadbd", "mysqld"}, mariadb, ARRAY_SIZE(mariadb)},
};

#define PLACES_MAX 8

struct queries {
	struct bpf_program *enter, *leave;
	bool multi; /* the kernel has links of kind uprobe_multi */
	struct probe_links links;
	struct {
		u64 dev, ino;
	} files[FILES_MAX];
	u32 nfiles, nattached, nrefused, nunknown;
	int err; /* of the last one that was refused */
};

/* --- servers --- */

static const struct server *server_of(const char *program)
{
	for (u32 i = 0; i < ARRAY_SIZE(servers); i++)
		for (u32 k = 0; k < ARRAY_SIZE(servers[i].programs); k++)
			if (servers[i].programs[k] && !strcmp(program, servers[i].programs[k]))
				return &servers[i];
	return NULL;
}

/* Where the places of a server are in its file, 0 what is missing. -ENOENT: the first is. */
static int find_places(const struct server *s, const char *path, u64 *where)
{
	const char *names[2 * PLACES_MAX];
	u64 at[2 * PLACES_MAX] = {0};
	u32 n = 0;
	int err;

	for (u32 i = 0; i < s->nplaces; i++)
		for (u32 k = 0; k < 2; k++)
			names[n++] = s->places[i].names[k] ? s->places[i].names[k] : "";
	err = uprobe__offsets(path, names, n, at);
	for (u32 i = 0; i < s->nplaces; i++)
		where[i] = at[2 * i] ? at[2 * i] : at[2 * i + 1];
	return err ? err : where[0] ? 0 : -ENOENT;
}

static u64 cookie_of(const struct place *p, const char *path)
{
	struct mariadb_rows rows;

	if (p->cookie != MARIADB_COMMAND)
		return p->cookie;
	rows = mariadb_rows__find(path);
	return QUERIES_COOKIE(p->cookie, rows.sent, rows.changed);
}

static int attach_places(struct queries *q, const struct server *s, const char *path,
			 const u64 *where, bool returns)
{
	u64 offsets[PLACES_MAX], cookies[PLACES_MAX];
	struct uprobe_set set = {.path = path,
				 .offsets = offsets,
				 .cookies = cookies,
				 .when = returns ? UPROBE_ENDS : UPROBE_BEGINS};

	for (u32 i = 0; i < s->nplaces; i++) {
		if (!where[i] || (returns && !s->places[i].returns))
			continue;
		offsets[set.n] = where[i];
		cookies[set.n++] = cookie_of(&s->places[i], path);
	}
	return probe_links__add(&q->links, returns ? q->leave : q->enter, q->multi, &set);
}

/* Returns first: what begins from then on is seen to end. */
static void attach_server(struct queries *q, const struct server *s, const char *path)
{
	u64 where[PLACES_MAX];
	int err = find_places(s, path, where);

	if (err) {
		q->nunknown++;
		return;
	}
	err = attach_places(q, s, path, where, true);
	if (!err)
		err = attach_places(q, s, path, where, false);
	if (err) {
		q->nrefused++;
		q->err = err;
		return;
	}
	q->nattached++;
}

/* A file is looked at once. False: it was, or there are too many. */
static bool is_new_file(struct queries *q, const char *path)
{
	struct stat s;

	if (stat(path, &s) || q->nfiles == FILES_MAX)
		return false;
	for (u32 i = 0; i < q->nfiles; i++)
		if (q->files[i].ino == s.st_ino && q->files[i].dev == s.st_dev)
			return false;
	q->files[q->nfiles].dev = s.st_dev;
	q->files[q->nfiles++].ino = s.st_ino;
	return true;
}

static void look_at(struct queries *q, u32 pid)
{
	char exe[32], path[PATH_MAX], *end;
	const struct server *s;
	ssize_t len;

	snprintf(exe, sizeof(exe), "/proc/%u/exe", pid);
	len = readlink(exe, path, sizeof(path) - 1);
	if (len <= 0)
		return;
	path[len] = '\0';
	end = strstr(path, " (deleted)");
	if (end)
		*end = '\0';
	end = strrchr(path, '/');
	s = end ? server_of(end + 1) : NULL;
	if (s && is_new_file(q, exe))
		attach_server(q, s, exe);
}

static void look_at_all(struct queries *q)
{
	DIR *proc = opendir("/proc");
	struct dirent *d;

	while (proc && (d = readdir(proc)))
		if (*d->d_name >= '1' && *d->d_name <= '9')
			look_at(q, (u32)strtoul(d->d_name, NULL, 10));
	if (proc)
		closedir(proc);
}

/* --- the hooks --- */

static void *begin(const struct measure *m, const struct sampling *how)
{
	(void)m, (void)how;
	return xcalloc(1, sizeof(struct queries));
}

static void end(void *ctx)
{
	struct queries *q = ctx;

	probe_links__fini(&q->links);
	free(q);
}

static int prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct queries *q = ctx;

	q->multi = probe_links__are_multi();
	q->enter = bpf_object__find_program_by_name(obj, "queries_enter");
	q->leave = bpf_object__find_program_by_name(obj, "queries_return");
	probe_links__prepare(q->enter, q->multi);
	probe_links__prepare(q->leave, q->multi);
	return 0;
}

static int attach(void *ctx, struct bpf_object *obj, struct status *st)
{
	struct queries *q = ctx;

	look_at_all(q);
	if (q->nattached || !q->nrefused)
		return 0;
	return status__set(st, exit_code__from_errno(q->err), q->err,
			   "probes on functions of database servers: %s", strerror(-q->err));
}

static void detach(void *ctx)
{
	struct queries *q = ctx;

	probe_links__close(&q->links);
}

static void record(void *ctx, const void *data, size_t size, const struct sample_sink *sink)
{
	const struct queries_server_record *r = data;

	if (size >= sizeof(*r) && r->type == RECORD_QUERIES_SERVER)
		look_at(ctx, r->tgid);
}

static void health(void *ctx, struct health *h)
{
	const struct queries *q = ctx;
	size_t len = strlen(h->note);

	if (!q->nattached)
		snprintf(h->note + len, sizeof(h->note) - len, "%sno server that is known runs",
			 len ? "; " : "");
	health__note(h, q->nunknown, "servers do not export what queries are known by");
	health__note(h, q->nrefused, "servers' probes were refused");
}

const struct measure_hooks queries_hooks = {
	.begin = begin,
	.end = end,
	.prepare = prepare,
	.attach = attach,
	.detach = detach,
	.record = record,
	.health = health,
};
