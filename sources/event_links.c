// SPDX-License-Identifier: GPL-2.0-only
#include "sources/event_links.h"

#include <bpf/bpf.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sources/events.h"
#include "sources/perf_open.h"
#include "sources/uprobe.h"

/* Of a tracepoint not 0, or other tools' perf events would not see it; of a place in a program 0, or the kernel would
 * take the probe away. */
const struct event_link_type event_link_calls = {BPF_PROG_TYPE_KPROBE, UPROBE_MULTI_TYPE, 0},
			     event_link_kernel = {BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0},
			     event_link_tracepoint = {BPF_PROG_TYPE_TRACEPOINT, 0, 1},
			     event_link_raw = {BPF_PROG_TYPE_RAW_TRACEPOINT, 0, 0};

int event_link__kernel(int prog_fd, const char *function, bool returns)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .kprobe_multi.syms = &function, .kprobe_multi.cnt = 1,
		    .kprobe_multi.flags = returns ? BPF_F_KPROBE_MULTI_RETURN : 0);

	return bpf_link_create(prog_fd, 0, BPF_TRACE_KPROBE_MULTI, &opts);
}

/* On one CPU's event the program runs for all CPUs, and the event itself need not be enabled. */
int event_link__tracepoint(int prog_fd, const char *name)
{
	struct perf_event_attr attr;
	int fd;

	if (event__resolve(name, event__tracefs(), &attr, NULL))
		return -ENOENT;
	attr.size = sizeof(attr);
	attr.disabled = 1;
	fd = perf__open(&attr, -1, 0);
	if (fd < 0 || !ioctl(fd, PERF_EVENT_IOC_SET_BPF, prog_fd))
		return fd;
	close(fd);
	return -EINVAL;
}

int event_link__raw(int prog_fd, const char *name)
{
	return bpf_raw_tracepoint_open(name, prog_fd);
}
