// SPDX-License-Identifier: GPL-2.0-only
/* The machine and its settings, read and not tried. */
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cgroup.h"
#include "base/file.h"
#include "base/machine.h"
#include "sources/doctor_checks.h"
#include "sources/event_pmu.h"
#include "sources/perf_open.h"

#define GROUP "machine"
#define SETCAP                                                                                     \
	"run with sudo, or once: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace,"                  \
	"cap_checkpoint_restore,cap_dac_read_search,cap_syslog,cap_ipc_lock+ep $(which proftop)"

static void check_kernel(struct checks *c)
{
	unsigned major = 0, minor = 0;
	struct utsname u;
	bool known;

	uname(&u);
	known = sscanf(u.release, "%u.%u", &major, &minor) == 2 && major * 1000 + minor >= 5010;
	checks__add(c, GROUP, "kernel", known ? CHECK_OK : CHECK_LIMITED,
		    known ? "" : "boot a kernel of 5.10 or newer", "%s %s%s", u.release, u.machine,
		    known ? "" : ": older than 5.10, not tested there");
}

static void check_cpus(struct checks *c)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN), all = sysconf(_SC_NPROCESSORS_CONF);

	checks__add(c, GROUP, "CPUs", CHECK_OK, "", "%ld online of %ld", online, all);
}

static void check_pmu(struct checks *c)
{
	const char *found = perf__core_pmu();

	checks__add(c, GROUP, "hardware PMU", found ? CHECK_OK : CHECK_MISSING,
		    found ? ""
			  : "in a virtual machine: give it the host's PMU (qemu -cpu host,pmu=on)",
		    found ? "%s" : "none: cpu-clock samples instead of cycles, no hardware events",
		    found);
}

/* What samples accesses to memory with what they cost, and a question for it. */
static void check_accesses(struct checks *c)
{
	static const struct {
		const char *path, *name, *ask; /* ask NULL: programs do not see its samples */
	} all[] = {{EVENT_PMU_DEVICES "/cpu/events/mem-loads", "PEBS (cpu/mem-loads/)", "cpu/mem-loads,ldlat=30/P"},
		   {EVENT_PMU_DEVICES "/cpu_core/events/mem-loads", "PEBS (cpu_core/mem-loads/)",
		    "cpu_core/mem-loads,ldlat=30/P"},
		   {EVENT_PMU_DEVICES "/ibs_op", "IBS (ibs_op//)", "ibs_op//"},
		   {EVENT_PMU_DEVICES "/arm_spe_0", "SPE (arm_spe_0//)", NULL}};
	u32 i = 0;

	while (i < ARRAY_SIZE(all) && access(all[i].path, F_OK))
		i++;
	if (i < ARRAY_SIZE(all) && all[i].ask)
		checks__add(c, GROUP, "memory accesses", CHECK_OK, "",
			    "%s: --ask 'count %s by source, access hist weight'", all[i].name, all[i].ask);
	else if (i < ARRAY_SIZE(all))
		checks__add(c, GROUP, "memory accesses", CHECK_LIMITED,
			    "perf mem record, then proftop --replay perf.data: view events",
			    "%s: BPF programs do not see its samples", all[i].name);
	else
		checks__add(c, GROUP, "memory accesses", CHECK_MISSING,
			    "record with perf mem on real hardware, then proftop --replay perf.data: view events",
			    "no PEBS, IBS or SPE here: no latency and source of loads");
}

static void check_btf(struct checks *c)
{
	bool ok = !access("/sys/kernel/btf/vmlinux", R_OK);

	checks__add(c, GROUP, "kernel BTF", ok ? CHECK_OK : CHECK_MISSING,
		    ok ? "" : "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y",
		    ok ? "/sys/kernel/btf/vmlinux"
		       : "no /sys/kernel/btf/vmlinux: BPF engines cannot "
			 "find kernel fields, perf serves");
}

static void check_paranoid(struct checks *c)
{
	long n = file__number("/proc/sys/kernel/perf_event_paranoid", 3);
	bool free = caps__effective() & (1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN);

	checks__add(c, GROUP, "perf_event_paranoid",
		    free || n <= -1 ? CHECK_OK
		    : n >= 3	    ? CHECK_MISSING
				    : CHECK_LIMITED,
		    free || n <= -1 ? "" : "sudo sysctl kernel.perf_event_paranoid=-1", "%ld: %s",
		    n,
		    free      ? "does not bind this user"
		    : n <= -1 ? "no limits"
		    : n == 0  ? "no raw tracepoint data"
		    : n == 1  ? "own processes only, with kernel code"
		    : n == 2  ? "own processes only, user code only"
			      : "no events at all for this user");
}

static void check_kptr(struct checks *c)
{
	long n = file__number("/proc/sys/kernel/kptr_restrict", 0);
	bool syslog = caps__effective() & 1ULL << CAP_SYSLOG;
	bool hidden = n >= 2 || (n == 1 && !syslog);

	checks__add(c, GROUP, "kptr_restrict", hidden ? CHECK_LIMITED : CHECK_OK,
		    hidden ? "sudo sysctl kernel.kptr_restrict=0" : "", "%ld: %s", n,
		    hidden ? "kernel addresses are hidden" : "kernel addresses can be shown");
}

static void check_unprivileged_bpf(struct checks *c)
{
	long n = file__number("/proc/sys/kernel/unprivileged_bpf_disabled", 0);

	checks__add(c, GROUP, "unprivileged BPF", CHECK_OK, "", "%ld: %s; proftop does not use it",
		    n, n ? "off" : "on");
}

static void check_max_stack(struct checks *c)
{
	long n = file__number("/proc/sys/kernel/perf_event_max_stack", 0);

	checks__add(c, GROUP, "perf_event_max_stack", n >= 127 ? CHECK_OK : CHECK_LIMITED,
		    n >= 127 ? "" : "sudo sysctl kernel.perf_event_max_stack=127",
		    "stacks of up to %ld frames", n);
}

static void check_sample_rate(struct checks *c)
{
	long n = file__number("/proc/sys/kernel/perf_event_max_sample_rate", 0);

	checks__add(c, GROUP, "highest sampling rate", n >= 4000 ? CHECK_OK : CHECK_LIMITED,
		    n >= 4000 ? "" : "sudo sysctl kernel.perf_event_max_sample_rate=100000",
		    "%ld Hz", n);
}

static void check_process_ids(struct checks *c)
{
	bool other = machine__has_own_pids();

	checks__add(c, GROUP, "process ids", other ? CHECK_MISSING : CHECK_OK,
		    other ? "run on the host, or in a container with --pid=host (hostPID: true)" : "",
		    "%s",
		    other ? "this is a PID namespace: BPF programs see the ids of the host"
			  : "those of the kernel");
}

static void check_capabilities(struct checks *c)
{
	u64 set = caps__effective(), wanted = CAP_BIT(CAP_BPF) | CAP_BIT(CAP_PERFMON) |
					      CAP_BIT(CAP_SYS_PTRACE) |
					      CAP_BIT(CAP_CHECKPOINT_RESTORE) |
					      CAP_BIT(CAP_DAC_READ_SEARCH) | CAP_BIT(CAP_SYSLOG);
	bool all = doctor__may_load() && set & CAP_BIT(CAP_SYS_PTRACE);
	char have[160], lack[160];

	checks__add(c, GROUP, "capabilities",
		    all			 ? CHECK_OK
		    : doctor__may_load() ? CHECK_LIMITED
					 : CHECK_MISSING,
		    all ? "" : SETCAP, "%s%s%s%s", caps__names(set, have, sizeof(have)),
		    wanted & ~set ? "; without " : "",
		    wanted & ~set ? caps__names(wanted & ~set, lack, sizeof(lack)) : "",
		    caps__given_up() ? "; all others were given up" : "");
}

static void check_cgroups(struct checks *c)
{
	const char *const *v1;
	u32 n = cgroup__v1_mounts(&v1);
	bool v2 = *cgroup__mount();

	if (v2)
		checks__add(c, GROUP, "cgroups", CHECK_OK, "", "v2 at %.100s%s", cgroup__mount(),
			    n ? ", v1 beside it" : "");
	else
		checks__add(c, GROUP, "cgroups", n ? CHECK_LIMITED : CHECK_MISSING,
			    "sudo mount -t cgroup2 none /sys/fs/cgroup", "%s",
			    n ? "v1 only: filtered by the members' pids" : "none mounted");
}

static void check_tracefs(struct checks *c)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char events[64];

	for (u32 i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(events, sizeof(events), "%s/events", places[i]);
		if (access(events, R_OK | X_OK))
			continue;
		checks__add(c, GROUP, "tracefs", CHECK_OK, "", "%s", places[i]);
		return;
	}
	if (geteuid())
		checks__add(c, GROUP, "tracefs", CHECK_MISSING,
			    "run with sudo, or: sudo mount -o remount,mode=755 /sys/kernel/tracing",
			    "not readable by this user: no tracepoints as events");
	else
		checks__add(c, GROUP, "tracefs", CHECK_MISSING,
			    "sudo mount -t tracefs nodev /sys/kernel/tracing",
			    "not mounted: no tracepoints as events");
}

static void check_lockdown(struct checks *c)
{
	char line[128] = "";
	bool known = file__line("/sys/kernel/security/lockdown", line, sizeof(line));
	bool bound = strstr(line, "[confidentiality]");

	checks__add(c, GROUP, "kernel lockdown", bound ? CHECK_LIMITED : CHECK_OK,
		    bound ? "boot with lockdown=integrity, or without secure boot" : "", "%s%s",
		    known ? line : "not built in or not visible",
		    bound ? ": BPF may not read kernel memory" : "");
}

static void check_memlock(struct checks *c)
{
	long perf_kb = file__number("/proc/sys/kernel/perf_event_mlock_kb", 0);
	struct rlimit r = {0};

	getrlimit(RLIMIT_MEMLOCK, &r);
	if (r.rlim_cur == RLIM_INFINITY)
		checks__add(c, GROUP, "locked memory", CHECK_OK, "",
			    "no limit, perf rings %ld KiB a CPU", perf_kb);
	else
		checks__add(c, GROUP, "locked memory", CHECK_OK, "",
			    "%llu KiB, perf rings %ld KiB a CPU; BPF maps do not count since 5.11",
			    (unsigned long long)r.rlim_cur / 1024, perf_kb);
}

void doctor__machine(struct checks *c)
{
	static void (*const all[])(struct checks * c) = {check_kernel,
							 check_cpus,
							 check_pmu,
							 check_accesses,
							 check_btf,
							 check_paranoid,
							 check_kptr,
							 check_unprivileged_bpf,
							 check_max_stack,
							 check_sample_rate,
							 check_process_ids,
							 check_capabilities,
							 check_cgroups,
							 check_tracefs,
							 check_lockdown,
							 check_memlock};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		all[i](c);
}
