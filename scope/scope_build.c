// SPDX-License-Identifier: GPL-2.0-only
/* The scope of the command line: options and --filter, checked against the machine. */
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cgroup.h"
#include "base/file.h"
#include "scope/filter_impl.h"

/* The process a thread belongs to, 0 when there is no such thread. */
static u32 tgid_of(u64 tid)
{
	char path[64], tgid[16];

	snprintf(path, sizeof(path), "/proc/%llu/status", (unsigned long long)tid);
	return file__field(path, "Tgid", tgid, sizeof(tgid)) ? (u32)strtoul(tgid, NULL, 10) : 0;
}

/* A range is right when any of it exists; a single id must. pid 0 is the idle task. */
static bool check_task(enum scope_kind kind, u64 lo, u64 hi, char *msg, size_t size)
{
	const char *noun = kind == SCOPE_PID ? "process" : "thread";
	u32 tgid = 0;

	for (u64 id = lo; id <= hi && !tgid; id++)
		tgid = id ? tgid_of(id) : 1;
	if (!tgid && lo == hi)
		snprintf(msg, size, "there is no %s %llu", noun, (unsigned long long)lo);
	else if (!tgid)
		snprintf(msg, size, "there is no %s from %llu to %llu", noun,
			 (unsigned long long)lo, (unsigned long long)hi);
	else if (kind == SCOPE_PID && lo && lo == hi && tgid != lo) {
		snprintf(msg, size, "%llu is a thread of process %u: use -t %llu or -p %u",
			 (unsigned long long)lo, tgid, (unsigned long long)lo, tgid);
		return false;
	}
	return tgid != 0;
}

static void read_online(char *buf, size_t size)
{
	if (!file__line("/sys/devices/system/cpu/online", buf, size))
		snprintf(buf, size, "0-%ld", sysconf(_SC_NPROCESSORS_CONF) - 1);
}

static bool check_cpu(u64 lo, u64 hi, char *msg, size_t size)
{
	struct filter_error err;
	struct id_set set = {0};
	struct term t = {.name = "cpu", .name_len = 3};
	char online[1024];
	bool ok;

	read_online(online, sizeof(online));
	t.value = online;
	ok = value__ids(&t, SCOPE_CPU, &set, &err) != 0; /* unreadable: no check */
	if (!ok) {
		ok = true;
		for (u64 id = lo; id <= hi && ok; id++) {
			ok = id_set__has(&set, id);
			if (!ok)
				snprintf(msg, size, "CPU %llu is not online, there are %.60s",
					 (unsigned long long)id, online);
		}
	}
	id_set__fini(&set);
	return ok;
}

static bool check_id(enum scope_kind kind, u64 lo, u64 hi, char *msg, size_t size)
{
	if (kind == SCOPE_CPU)
		return check_cpu(lo, hi, msg, size);
	return check_task(kind, lo, hi, msg, size);
}

struct option {
	const char *option, *name, *value;
};

static int add_option(struct scope *s, const struct option *o, bool seen, struct status *st)
{
	struct filter_error err = {0};
	struct term t = {.name = o->name, .value = o->value, .plain = true, .check = seen ? NULL : check_id};
	char part[61];

	if (!o->value)
		return 0;
	t.name_len = (u32)strlen(o->name);
	t.len = (u32)strlen(o->value);
	if (!filter__add(s, &t, &err))
		return 0;
	snprintf(part, sizeof(part), "%.*s", (int)err.length, o->value + MIN(err.column, t.len));
	for (char *p = part; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s %s: %s", o->option, part, err.msg);
}

/* Short expressions are shown with a caret below the fault. */
static int add_filter(struct scope *s, const char *expr, bool seen, struct status *st)
{
	struct filter_error err = {0};
	char caret[200];

	if (!expr)
		return 0;
	if (strlen(expr) > FILTER_MAX_LEN)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--filter: an expression has at most %d bytes", FILTER_MAX_LEN);
	if (!filter__read(s, expr, seen ? NULL : check_id, &err))
		return 0;
	if (strlen(expr) + 8 > sizeof(caret) || strpbrk(expr, "\t\n"))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--filter: column %u: %s",
				   err.column + 1, err.msg);
	filter__caret(&err, expr, caret, sizeof(caret));
	return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--filter: %s\n  %s\n  %s", err.msg, expr,
			   caret);
}

static int find_cgroups(struct scope *s, bool seen, struct status *st)
{
	const char *unmatched, *const *v1;

	if (scope__find_cgroups(s, &unmatched) || seen) {
		if (s->follow_children && s->include[SCOPE_CGROUP].active &&
		    !s->include[SCOPE_CGROUP].n)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "a command cannot be narrowed by a cgroup of v1: leave "
					   "-G out");
		return 0;
	}
	if (*cgroup__mount())
		return status__set(st, EXIT_CODE_USAGE, -ENOENT,
				   "no cgroup matches %.200s below %s", unmatched, cgroup__mount());
	if (cgroup__v1_mounts(&v1))
		return status__set(st, EXIT_CODE_USAGE, -ENOENT,
				   "no cgroup matches %.200s below %s and the other v1 mounts",
				   unmatched, v1[0]);
	return status__set(st, EXIT_CODE_USAGE, -ENOENT,
			   "cgroup %.200s: no cgroups are mounted; mount -t cgroup2 none "
			   "/sys/fs/cgroup",
			   unmatched);
}

static int add_all(struct scope *s, const struct scope_args *args, struct status *st)
{
	char child[16];
	const struct option options[] = {
		{"command", "tree", args->child_pid ? child : NULL},
		{"-p", "pid", args->child_pid ? NULL : args->pids},
		{"-t", "tid", args->tids},
		{"-G", "cgroup", args->cgroup},
		{"-C", "cpu", args->cpus},
		{"--comm", "comm", args->comm},
	};
	int ret = 0;

	if (args->child_pid && args->pids)
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"-p and a command cannot both be given: the command is the scope");
	snprintf(child, sizeof(child), "%u", args->child_pid);
	for (u32 i = 0; i < ARRAY_SIZE(options) && !ret; i++)
		ret = add_option(s, &options[i], args->seen, st);
	if (!ret)
		ret = add_filter(s, args->filter, args->seen, st);
	if (!ret)
		scope__finish(s);
	return ret ? ret : find_cgroups(s, args->seen, st);
}

struct scope *scope__build(const struct scope_args *args, struct status *st)
{
	struct scope *s = scope__new();

	if (!add_all(s, args, st))
		return s;
	scope__put(s);
	return NULL;
}
