// SPDX-License-Identifier: GPL-2.0-only
/*
 * Probes, each tried for real: a tiny program of its kind is loaded alone and attached, a
 * perf event is opened. What BTF or a config file promises does not count.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "bpf/probe.skel.h"
#include "samples/perf_regs.h"
#include "sources/bpf_probe.h"
#include "sources/doctor_checks.h"
#include "sources/perf_open.h"
#include "sources/stack_copies.h"

#define GROUP "probes"
#define SUDO  "run with sudo"

#ifndef ENOTSUPP
#define ENOTSUPP 524 /* the kernel's own, not in errno.h */
#endif

static int open_event(u32 type, u64 config, int precise, bool system_wide, bool user_only)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = type,
				       .config = config,
				       .freq = 1,
				       .sample_freq = 99,
				       .precise_ip = (u64)precise & 3,
				       .exclude_kernel = user_only,
				       .exclude_hv = 1,
				       .disabled = 1,
				       .sample_type = PERF_SAMPLE_IP};
	int cpu = sched_getcpu();
	long fd = syscall(SYS_perf_event_open, &attr, system_wide ? -1 : 0,
			  system_wide ? MAX(cpu, 0) : -1, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : (int)fd;
}

/* --- BPF programs --- */

/* Attaches in its own way; 0 or -errno. NULL in the table: libbpf's way by section. */
typedef int (*attach_fn)(struct bpf_program *prog);

struct probe {
	const char *name, *program;
	const char *map; /* that the program needs, NULL none */
	attach_fn attach;
	bool load_only;	    /* the feature is a helper: loading tells */
	const char *serves; /* what it is for */
	const char *remedy; /* when the kernel has not got it */
};

static int take_away(struct bpf_link *link)
{
	int err = libbpf_get_error(link);

	if (!err)
		bpf_link__destroy(link);
	return err;
}

static int attach_by_section(struct bpf_program *prog)
{
	return take_away(bpf_program__attach(prog));
}

static int attach_perf_event(struct bpf_program *prog)
{
	int fd = open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, true, false), err;

	if (fd < 0)
		return fd;
	err = take_away(bpf_program__attach_perf_event(prog, fd));
	if (err) /* else the link owned and closed it */
		close(fd);
	return err;
}

/* Never called: its address is what the probe is put on. */
static __attribute__((noinline, used)) void uprobe_target(void)
{
	__asm__ volatile("");
}

/* Where in its file an address of this program lies; 0 unknown. */
static u64 file_offset(unsigned long address)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start, end, offset, found = 0;
	char line[4352];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    address >= start && address < end)
			found = address - start + offset;
	if (f)
		fclose(f);
	return found;
}

static int attach_uprobe(struct bpf_program *prog)
{
	u64 offset = file_offset((unsigned long)uprobe_target);

	if (!offset)
		return -ENOENT;
	return take_away(
		bpf_program__attach_uprobe(prog, false, getpid(), "/proc/self/exe", offset));
}

/* An iterator has to be read to run. */
static int attach_iter(struct bpf_program *prog)
{
	struct bpf_link *link = bpf_program__attach_iter(prog, NULL);
	int err = libbpf_get_error(link), fd;
	char byte;

	if (err)
		return err;
	fd = bpf_iter_create(bpf_link__fd(link));
	err = fd < 0 ? fd : 0;
	if (fd >= 0) {
		err = read(fd, &byte, 1) < 0 ? -errno : 0;
		close(fd);
	}
	bpf_link__destroy(link);
	return err;
}

static const struct probe probes[] = {
	{"perf_event BPF program", "probe_perf_event", NULL, attach_perf_event, false,
	 "sampling counted in the kernel", "a kernel with CONFIG_BPF_EVENTS=y"},
	{"tp_btf", "probe_tp_btf", NULL, NULL, false, "tracepoints with typed fields",
	 "a kernel with CONFIG_DEBUG_INFO_BTF=y"},
	{"raw tracepoint", "probe_raw_tp", NULL, NULL, false, "tracepoints at the least cost",
	 "a kernel with CONFIG_BPF_EVENTS=y"},
	{"classic tracepoint", "probe_tracepoint", NULL, NULL, false, "tracepoints by their format",
	 "sudo mount -t tracefs nodev /sys/kernel/tracing"},
	{"fentry", "probe_fentry", NULL, NULL, false, "kernel functions at the least cost",
	 "a kernel with CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS=y; tracepoints serve instead"},
	{"kprobe", "probe_kprobe", NULL, NULL, false, "any kernel function",
	 "a kernel with CONFIG_KPROBE_EVENTS=y; tracepoints serve instead"},
	{"uprobe", "probe_uprobe", NULL, attach_uprobe, false,
	 "functions of programs and libraries", "a kernel with CONFIG_UPROBE_EVENTS=y"},
	{"BPF ring buffer", "probe_ringbuf", "probe_ring", NULL, false, "event lists",
	 "a kernel of 5.8 or newer"},
	{"bpf_loop", "probe_loop", NULL, NULL, true, "long loops in programs",
	 "a kernel of 5.17 or newer; unrolled loops serve instead"},
	{"BPF task storage", "probe_task_storage", "probe_storage", NULL, true,
	 "state kept with a task",
	 "a kernel of 5.13 or newer: the views offcpu, cache and sched need it"},
	{"BPF atomic exchanges", "probe_atomics", NULL, NULL, true, "state that CPUs share",
	 "a kernel of 5.12 or newer: the views offcpu, cache, io and sched need it"},
	{DOCTOR_TABLES, "probe_unwind", NULL, NULL, true,
	 "walked in the kernel by unwind tables, of 64 MiB at most",
	 "a kernel of 5.15 or newer; frame pointers serve instead"},
	{"BPF iterator", "probe_iter", NULL, attach_iter, false, "all tasks in one pass",
	 "a kernel of 5.8 or newer; /proc serves instead"},
	{"BPF iterator over a map", "probe_map_iter", NULL, NULL, true, "all sockets in one pass",
	 "a kernel of 5.8 or newer that is not hardened against it; files serve instead"},
};

/* 0, or -errno; *loaded tells how far it came. */
static int try_probe(const struct probe *p, bool *loaded)
{
	struct probe_bpf *skel = bpf_probe__open(p->program, p->map);
	struct bpf_program *prog;
	int err;

	*loaded = false;
	if (!skel)
		return errno ? -errno : -EINVAL;
	err = probe_bpf__load(skel);
	if (!err) {
		*loaded = true;
		prog = bpf_object__find_program_by_name(skel->obj, p->program);
		if (!p->load_only)
			err = p->attach ? p->attach(prog) : attach_by_section(prog);
	}
	probe_bpf__destroy(skel);
	return err;
}

/* Why, in words: the same errno means another thing with and without privileges. */
static const char *reason(int err)
{
	switch (err) {
	case -EPERM:
	case -EACCES:
		return doctor__may_load() ? "the kernel refuses it although privileges suffice"
					  : "needs CAP_BPF and CAP_PERFMON";
	case -ENOENT:
	case -ESRCH:
	case -ENODEV:
		return "this kernel does not offer it";
	case -EINVAL:
	case -EOPNOTSUPP:
	case -ENOTSUPP:
	case -ENOSYS:
		return "not in this kernel";
	default:
		return strerror(-err);
	}
}

static void add_result(struct checks *c, const struct probe *p, int err, bool loaded)
{
	bool denied = (err == -EPERM || err == -EACCES) && !doctor__may_load();

	if (!err)
		checks__add(c, GROUP, p->name, CHECK_OK, "", "%s: %s", p->serves,
			    p->load_only ? "loads" : "loads and attaches");
	else if (loaded && p->attach == attach_uprobe && caps__given_up() & CAP_BIT(CAP_SYS_ADMIN))
		checks__add(c, GROUP, p->name, CHECK_OK, "",
			    "%s: loads; by events they take a capability that was given up, by links they do not",
			    p->serves);
	else
		checks__add(c, GROUP, p->name, CHECK_MISSING, denied ? SUDO : p->remedy,
			    "%s: %s %s", p->serves, loaded ? "does not attach," : "does not load,",
			    reason(err));
}

/* Taking many entries out of a map in one call. */
static int try_batch(void)
{
	struct probe_bpf *skel = bpf_probe__open("probe_batch", "probe_hash");
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	u32 keys[4] = {0}, count = 4, next = 0;
	u64 values[4] = {0};
	int err;

	if (!skel)
		return errno ? -errno : -EINVAL;
	err = probe_bpf__load(skel);
	if (!err)
		err = bpf_map_lookup_and_delete_batch(bpf_map__fd(skel->maps.probe_hash), NULL,
						      &next, keys, values, &count, &opts);
	probe_bpf__destroy(skel);
	return err == -ENOENT ? 0 : err; /* it was empty */
}

static void check_batch(struct checks *c)
{
	static const struct probe batch = {
		.name = "BPF map batches",
		.serves = "maps emptied in one call",
		.load_only = true,
		.remedy = "a kernel of 5.6 or newer; one call an entry serves instead"};

	add_result(c, &batch, try_batch(), false);
}

static void check_run_time(struct checks *c)
{
	bool kernel = file__number("/proc/sys/kernel/bpf_stats_enabled", 0) > 0;

	checks__add(c, GROUP, "BPF run time", CHECK_OK, "", "what sampling costs is measured by %s",
		    kernel ? "the kernel" : "the programs themselves");
}

/* --- perf events --- */

static bool opens(int fd)
{
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void check_perf(struct checks *c)
{
	bool all = opens(open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, true, false));
	bool own = opens(open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, false, true));
	bool kernel =
		opens(open_event(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 0, false, false));

	checks__add(c, GROUP, "perf events, whole machine", all ? CHECK_OK : CHECK_MISSING,
		    all ? "" : "run with sudo, or: sudo sysctl kernel.perf_event_paranoid=-1", "%s",
		    all ? "cpu-clock opens on a CPU" : "not permitted to this user");
	checks__add(c, GROUP, "perf events, own processes",
		    !own     ? CHECK_MISSING
		    : kernel ? CHECK_OK
			     : CHECK_LIMITED,
		    own && kernel ? ""
				  : "run with sudo, or: sudo sysctl kernel.perf_event_paranoid=1",
		    "%s",
		    !own     ? "not permitted to this user"
		    : kernel ? "cpu-clock opens, with kernel code"
			     : "cpu-clock opens, user code only");
}

/* As the perf engine asks for them, on this process. */
static int open_copies(void)
{
	struct perf_event_attr attr = {.size = sizeof(attr),
				       .type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_TASK_CLOCK,
				       .exclude_kernel = 1,
				       .exclude_hv = 1,
				       .disabled = 1};

	stack_copies__fields(&attr, STACK_COPY_BYTES);
	return perf__open(&attr, 0, -1);
}

static void check_copies(struct checks *c)
{
	bool ok = perf_regs__mask(perf_regs__machine()) && opens(open_copies());

	checks__add(c, GROUP, DOCTOR_COPIES, ok ? CHECK_OK : CHECK_MISSING,
		    ok ? ""
		       : "run with sudo, or use a kernel that copies user stacks; frame pointers "
			 "serve instead",
		    "%s",
		    ok ? "walked by unwind tables where BPF does not do it: 8 KiB with each sample"
		       : "walked by unwind tables where BPF does not do it: do not open");
}

static void check_cycles(struct checks *c)
{
	int precise = 3, fd = -1;

	for (; precise >= 0; precise--) {
		fd = open_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, precise, false, true);
		if (opens(fd))
			break;
	}
	if (precise < 0)
		checks__add(c, GROUP, "cycles (hardware)", CHECK_MISSING,
			    fd == -EACCES || fd == -EPERM
				    ? SUDO
				    : "a machine with a PMU, or one given to this virtual machine",
			    "%s: cpu-clock serves instead",
			    fd == -EACCES || fd == -EPERM ? "not permitted to this user"
							  : "no hardware event here");
	else
		checks__add(c, GROUP, "cycles (hardware)", CHECK_OK, "",
			    precise ? "precise_ip up to %d" : "opens, addresses may skid", precise);
}

void doctor__probes(struct checks *c)
{
	bool loaded;
	int err;

	for (u32 i = 0; i < ARRAY_SIZE(probes); i++) {
		err = try_probe(&probes[i], &loaded);
		add_result(c, &probes[i], err, loaded);
	}
	check_batch(c);
	check_run_time(c);
	check_perf(c);
	check_copies(c);
	check_cycles(c);
}
