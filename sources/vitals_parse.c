// SPDX-License-Identifier: GPL-2.0-only
#include "sources/vitals_parse.h"

#include <stdio.h>

void vitals__parse_stat(const char *text, struct cpu_times *t)
{
	unsigned long long v[8] = {0};

	sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &v[0], &v[1], &v[2], &v[3],
	       &v[4], &v[5], &v[6], &v[7]);
	*t = (struct cpu_times){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]};
}

void vitals__parse_loadavg(const char *text, struct vitals *v)
{
	sscanf(text, "%lf %lf %lf %u/%u %u", &v->load1, &v->load5, &v->load15, &v->running,
	       &v->tasks, &v->last_pid);
}

double vitals__starts_per_s(u32 before, u32 now, u64 ns)
{
	return before && now > before && ns ? (now - before) * (double)NSEC_PER_SEC / (double)ns : 0;
}

static u64 meminfo_field(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, name, n) == 0 && line[n] == ':')
			return strtoull(line + n + 1, NULL, 10) * 1024;
	}
	return 0;
}

void vitals__parse_meminfo(const char *text, struct vitals *v)
{
	v->mem_total_bytes = meminfo_field(text, "MemTotal");
	v->mem_available_bytes = meminfo_field(text, "MemAvailable");
	v->cached_bytes = meminfo_field(text, "Cached");
	v->buffers_bytes = meminfo_field(text, "Buffers");
	v->swap_total_bytes = meminfo_field(text, "SwapTotal");
	v->swap_free_bytes = meminfo_field(text, "SwapFree");
}

bool vitals__parse_pressure(const char *text, double *some, double *full)
{
	const char *line = strstr(text, "full ");

	*some = *full = 0;
	if (line)
		sscanf(line, "full avg10=%lf", full);
	return sscanf(text, "some avg10=%lf", some) == 1;
}

static double grown(u64 before, u64 now)
{
	return now > before ? (double)(now - before) : 0;
}

void vitals__cpu_shares(const struct cpu_times *before, const struct cpu_times *now,
			struct vitals *v)
{
	double user = grown(before->user, now->user) + grown(before->nice, now->nice);
	double system = grown(before->system, now->system), idle = grown(before->idle, now->idle);
	double iowait = grown(before->iowait, now->iowait);
	double irq = grown(before->irq, now->irq) + grown(before->softirq, now->softirq);
	double steal = grown(before->steal, now->steal);
	double all = user + system + idle + iowait + irq + steal;

	if (all <= 0)
		return;
	v->user_pct = 100 * user / all;
	v->system_pct = 100 * system / all;
	v->idle_pct = 100 * idle / all;
	v->iowait_pct = 100 * iowait / all;
	v->irq_pct = 100 * irq / all;
	v->steal_pct = 100 * steal / all;
}
