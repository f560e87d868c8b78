// SPDX-License-Identifier: GPL-2.0-only
/* What /proc says of a process, proc(5): names and arguments are what it chose itself. */
#include <stdio.h>
#include <unistd.h>

#include "scope/proclist.h"

#define PF_KTHREAD 0x00200000 /* since 2.6.27; field 9 of /proc/PID/stat */

/* Nothing in a name may move a terminal's cursor. */
static void replace_controls(char *s)
{
	for (; *s; s++)
		if ((u8)*s < ' ' || *s == 0x7f)
			*s = '?';
}

/*
 * PID (COMM) STATE PPID PGRP SESSION TTY TPGID FLAGS MINFLT CMINFLT MAJFLT CMAJFLT UTIME STIME
 * CUTIME CSTIME PRIORITY NICE THREADS ITREALVALUE STARTTIME VSIZE RSS. The name may hold blanks
 * and parentheses: the last one ends it.
 */
bool proclist__parse_stat(char *stat, struct proc_item *p, bool *kernel)
{
	char *open = strchr(stat, '('), *close = strrchr(stat, ')');
	unsigned long long utime, stime, start;
	unsigned int flags;
	long rss;

	if (!open || !close || close < open)
		return false;
	*close = '\0';
	if (sscanf(close + 1,
		   " %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %u "
		   "%*d %llu %*u %ld",
		   &p->state, &flags, &utime, &stime, &p->nthreads, &start, &rss) != 7)
		return false;
	replace_controls(open + 1);
	p->comm = open + 1;
	p->start = start;
	p->cpu_ms = (utime + stime) * 1000 / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	p->rss_bytes = rss > 0 ? (u64)rss * (u64)sysconf(_SC_PAGESIZE) : 0;
	*kernel = flags & PF_KTHREAD;
	return true;
}

void proclist__parse_cmdline(char *buf, size_t n)
{
	while (n && !buf[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		if (!buf[i])
			buf[i] = ' ';
	buf[n] = '\0';
	replace_controls(buf);
}
