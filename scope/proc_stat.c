// SPDX-License-Identifier: GPL-2.0-only
#include "scope/proc_stat.h"

#include <stdio.h>

#include "base/file.h"

#define PF_KTHREAD 0x00200000 /* since 2.6.27; field 9 */

void proc__replace_controls(char *s)
{
	for (; *s; s++)
		if ((u8)*s < ' ' || *s == 0x7f)
			*s = '?';
}

/* What follows the name, by the numbers of proc(5): state is field 3. */
enum {
	FIELD_PPID = 4,
	FIELD_FLAGS = 9,
	FIELD_MINFLT = 10,
	FIELD_MAJFLT = 12,
	FIELD_UTIME = 14,
	FIELD_STIME,
	FIELD_NICE = 19,
	FIELD_THREADS,
	FIELD_START = 22,
	FIELD_RSS = 24,
	FIELD_CPU = 39,
	FIELD_RT_PRIORITY,
	FIELD_POLICY,
	FIELDS
};

/* Numbers of fields FIELD_PPID and so on; how many there were. */
static u32 read_fields(const char *at, s64 *field)
{
	u32 n = FIELD_PPID;
	char *end;

	for (; n < FIELDS; n++) {
		errno = 0;
		field[n] = strtoll(at, &end, 10);
		/* Addresses may be above what is signed. */
		if (errno == ERANGE)
			field[n] = (s64)strtoull(at, &end, 10);
		if (end == at)
			break;
		at = end;
	}
	return n;
}

/* The name may hold blanks and parentheses: the last one ends it. */
bool proc_stat__parse(const char *text, struct proc_stat *out)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	s64 f[FIELDS] = {0};

	if (!open || !close || close < open || close[1] != ' ' || !close[2])
		return false;
	if (read_fields(close + 3, f) <= FIELD_RSS)
		return false;
	*out = (struct proc_stat){
		.state = close[2],
		.kernel = f[FIELD_FLAGS] & PF_KTHREAD,
		.ppid = (u32)f[FIELD_PPID],
		.nthreads = (u32)f[FIELD_THREADS],
		.cpu = (u32)f[FIELD_CPU],
		.rt_priority = (u32)f[FIELD_RT_PRIORITY],
		.policy = (u32)f[FIELD_POLICY],
		.nice = (s32)CLAMP(f[FIELD_NICE], -20, 19),
		.minor_faults = (u64)f[FIELD_MINFLT],
		.major_faults = (u64)f[FIELD_MAJFLT],
		.user_ticks = (u64)f[FIELD_UTIME],
		.system_ticks = (u64)f[FIELD_STIME],
		.start_ticks = (u64)f[FIELD_START],
		.rss_pages = (u64)MAX(f[FIELD_RSS], 0),
	};
	snprintf(out->comm, sizeof(out->comm), "%.*s",
		 (int)MIN(close - open - 1, (long)sizeof(out->comm) - 1), open + 1);
	proc__replace_controls(out->comm);
	return true;
}

int proc_stat__read(const char *of, struct proc_stat *out)
{
	char path[64], text[PROC_STAT_SIZE];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%s/stat", of);
	n = file__read(AT_FDCWD, path, text, sizeof(text));
	if (n <= 0)
		return n ? (int)n : -ESRCH;
	return proc_stat__parse(text, out) ? 0 : -EPROTO;
}

bool proc_io__find(const char *text, const char *name, u64 *out)
{
	size_t len = strlen(name);

	for (const char *at = text; at; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (!strncmp(at, name, len) && at[len] == ':') {
			*out = strtoull(at + len + 1, NULL, 10);
			return true;
		}
	}
	return false;
}
