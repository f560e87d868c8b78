// SPDX-License-Identifier: GPL-2.0-only
/*
 * Figures of the whole machine from /proc, /sys and cgroupfs, what processes use, and messages of
 * the kernel, once an interval. Nothing of it is traced. Of a counter its growth is handed out, so
 * that what came before is nobody's. A file that is not there has no figures: who reads them sees
 * which are missing.
 */
#include <bpf/bpf.h>
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "sources/crowd.h"
#include "sources/source.h"
#include "sources/system_impl.h"

#define TEXT_BYTES   (256 << 10) /* of one file: a thousand CPUs or interfaces */
#define SERIES	     32768
#define NOTICES	     64	  /* messages of an interval that are handed out ... */
#define RECORDS	     4096 /* ... and looked at: the kernel logs hundreds of lines for one kill */
#define MEMBERS	     4096 /* of a cgroup */
#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define STEP_MIN_NS  (100 * NSEC_PER_MSEC)
#define CROWDED_TENTHS 7 /* of the limit of threads: from here on it is counted whose they are */
#define CPUS_WITH_HZ 128 /* of more CPUs a look at each one's clock costs too much */

extern const struct source_ops source_system;

struct series {
	enum figure figure;
	char instance[FIGURE_INSTANCE];
	u64 value, t_ns;
};

struct source {
	char *text;
	struct series *series;
	u32 nseries, cap;
	struct hidx by_name;
	struct usage_scan *usage;
	struct limits *limits;
	struct filesystems *filesystems;
	struct sockets *sockets;
	struct networks *networks;
	struct crowd *crowd; /* NULL: threads are few, or nothing counts them */
	u32 crowd_pid;	     /* who has most */
	u32 zombies_pid;     /* whose most zombies are */
	u32 bpf_newest;	     /* id of a BPF program */
	bool crowded;	     /* they are near their limit */
	char *room; /* as large as text, which is in use then */
	int kmsg; /* -1: not to be read */
	s64 wall_ns; /* time of day less CLOCK_BOOTTIME */
	u64 tick_ns, now_ns, steps_ns;
	u64 handed_out, lost;
	const struct sample_sink *sink; /* NULL: the first look, which says nothing */
	u32 members[MEMBERS];
};

/* --- counters to growth --- */

static struct series *series_of(struct source *s, enum figure f, const char *instance)
{
	u64 hash = mix64_pair(f, hash_bytes(instance, strlen(instance)));
	struct series *v;
	u32 at;

	HIDX_FIND(at, &s->by_name, hash, pos,
		  s->series[pos].figure == f && !strcmp(s->series[pos].instance, instance));
	if (at != HIDX_NONE)
		return &s->series[at];
	if (s->nseries == SERIES)
		return NULL;
	s->series = xgrow(s->series, s->nseries, &s->cap, sizeof(*s->series));
	hidx__add(&s->by_name, hash, s->nseries);
	v = &s->series[s->nseries++];
	*v = (struct series){.figure = f};
	copy_str(v->instance, sizeof(v->instance), instance);
	return v;
}

static u32 busiest_in(struct source *s, enum limit limit, const char *cgroup)
{
	u32 n = limits__members(s->limits, limit, cgroup, s->members, MEMBERS);

	return usage_scan__busiest(s->usage, s->members, n);
}

static u32 largest_in(struct source *s, const char *cgroup)
{
	u32 n = limits__members(s->limits, LIMIT_MEMORY, cgroup, s->members, MEMBERS);

	return usage_scan__largest(s->usage, s->members, n);
}

/* Who is behind it; 0: not known, or nobody. */
static u32 who_is_behind(struct source *s, const struct series *v, u64 value)
{
	switch (v->figure) {
	case FIGURE_CGROUP_THROTTLED_NS: return value ? busiest_in(s, LIMIT_CPU, v->instance) : 0;
	case FIGURE_CGROUP_PIDS: return busiest_in(s, LIMIT_PIDS, v->instance);
	case FIGURE_CGROUP_MEMORY: return largest_in(s, v->instance);
	case FIGURE_UDP_FULL: return value && !*v->instance ? sockets__full_one(s->sockets, s->room, TEXT_BYTES) : 0;
	case FIGURE_TCP_LISTEN_OVERFLOWS: return value && !*v->instance ? listeners__full_one(s->sockets) : 0;
	case FIGURE_THREADS_MOST: return s->crowd_pid;
	case FIGURE_ZOMBIES: return s->zombies_pid;
	default: return 0;
	}
}

static void hand_out(struct source *s, const struct series *v, u64 value, u64 span_ns)
{
	struct figure_sample out = {.head.type = SAMPLE_FIGURE,
				    .figure = v->figure,
				    .value = value,
				    .span_ns = span_ns};

	copy_str(out.instance, sizeof(out.instance), v->instance);
	out.pid = who_is_behind(s, v, value);
	if (out.pid)
		usage_scan__put(s->usage, out.pid, s->now_ns, s->sink);
	s->handed_out++;
	sink__put(s->sink, &out.head);
}

/* iowait and idle may run backward; then nothing has grown. */
static void take(void *ctx, enum figure f, const char *instance, u64 value)
{
	struct source *s = ctx;
	char name[FIGURE_INSTANCE];
	struct series *v;
	u64 before;
	bool known;

	copy_str(name, sizeof(name), instance);
	v = series_of(s, f, name);
	if (!v) {
		s->lost++;
		return;
	}
	known = v->t_ns;
	before = known ? v->value : value;
	if (s->sink && figure_rows[f].kind == FIGURE_LEVEL)
		hand_out(s, v, value, s->now_ns - v->t_ns);
	else if (s->sink && known && s->now_ns > v->t_ns)
		hand_out(s, v, value - MIN(value, before), s->now_ns - v->t_ns);
	v->value = value;
	v->t_ns = s->now_ns;
}

/* --- files --- */

static bool is_whole_disk(const char *name)
{
	char path[64 + FIGURE_INSTANCE];

	snprintf(path, sizeof(path), "/sys/block/%s", name);
	for (char *c = path + strlen("/sys/block/"); *c; c++)
		if (*c == '/')
			*c = '!';
	return !access(path, F_OK);
}

static const char *read_text(struct source *s, const char *path)
{
	file__read(AT_FDCWD, path, s->text, TEXT_BYTES);
	return s->text;
}

static void read_pressures(struct source *s, const struct figure_out *out)
{
	system__parse_pressure(read_text(s, "/proc/pressure/cpu"), FIGURE_PSI_CPU_SOME, FIGURES, out);
	system__parse_pressure(read_text(s, "/proc/pressure/io"), FIGURE_PSI_IO_SOME,
			       FIGURE_PSI_IO_FULL, out);
	system__parse_pressure(read_text(s, "/proc/pressure/memory"), FIGURE_PSI_MEMORY_SOME,
			       FIGURE_PSI_MEMORY_FULL, out);
}

static void read_number(struct source *s, const char *path, enum figure f, const char *instance,
			const struct figure_out *out)
{
	const char *text = read_text(s, path);

	if (*text >= '0' && *text <= '9')
		out->emit(out->ctx, f, instance, strtoull(text, NULL, 10));
}

/* Of interfaces that are known by now. */
static void read_speeds(struct source *s, const struct figure_out *out)
{
	for (u32 i = 0; i < s->nseries; i++) {
		char path[64 + FIGURE_INSTANCE], name[FIGURE_INSTANCE];

		if (s->series[i].figure != FIGURE_NET_RX_BYTES)
			continue;
		copy_str(name, sizeof(name), s->series[i].instance);
		snprintf(path, sizeof(path), "/sys/class/net/%s/speed", name);
		read_number(s, path, FIGURE_NET_MBIT, name, out);
	}
}

static void read_clocks(struct source *s, const struct figure_out *out)
{
	int n = (int)sysconf(_SC_NPROCESSORS_CONF);
	char path[80], cpu[16];

	for (int i = 0; i < MIN(n, CPUS_WITH_HZ); i++) {
		snprintf(cpu, sizeof(cpu), "%d", i);
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
			 i);
		read_number(s, path, FIGURE_CPU_KHZ, cpu, out);
	}
}

/* The time of day goes on as the machine's own clock does, but when somebody sets it. */
static void look_at_wall_clock(struct source *s, const struct figure_out *out)
{
	struct timespec wall, boot;
	s64 now;

	clock_gettime(CLOCK_REALTIME, &wall);
	clock_gettime(CLOCK_BOOTTIME, &boot);
	now = (wall.tv_sec - boot.tv_sec) * (s64)NSEC_PER_SEC + wall.tv_nsec - boot.tv_nsec;
	if (s->wall_ns && llabs(now - s->wall_ns) >= (s64)STEP_MIN_NS)
		s->steps_ns += (u64)llabs(now - s->wall_ns);
	s->wall_ns = now;
	out->emit(out->ctx, FIGURE_CLOCK_STEP, "", s->steps_ns);
}

static u64 value_of(struct source *s, enum figure f)
{
	return series_of(s, f, "")->value;
}

/* Most limits are of use only while they are far: then nobody has to be counted. */
static void look_at_crowd(struct source *s, const struct figure_out *out)
{
	static const char *const kinds[CROWD_KINDS] = {"process", "children", "group"};
	u64 limit = MIN(value_of(s, FIGURE_PID_MAX), value_of(s, FIGURE_THREADS_MAX));
	bool was = s->crowded;
	enum crowd_kind kind;
	const struct crowd_top *top;

	s->crowded = limit && value_of(s, FIGURE_THREADS) * 10 > limit * CROWDED_TENTHS;
	if (s->crowded && !was)
		s->crowd = crowd__open();
	if (!s->crowded) {
		crowd__close(s->crowd);
		s->crowd = NULL;
	}
	top = s->crowd ? crowd__most(s->crowd, value_of(s, FIGURE_THREADS), &kind) : NULL;
	if (!top)
		return;
	s->crowd_pid = top->pid;
	out->emit(out->ctx, FIGURE_THREADS_MOST, kinds[kind], top->threads);
}

static void look_at_zombies(struct source *s, const struct figure_out *out)
{
	out->emit(out->ctx, FIGURE_ZOMBIES, "", usage_scan__zombies(s->usage, &s->zombies_pid));
}

/* Ids are given in turn: when this grows, somebody has loaded a program. */
static void look_for_programs(struct source *s, const struct figure_out *out)
{
	while (!bpf_prog_get_next_id(s->bpf_newest, &s->bpf_newest))
		;
	out->emit(out->ctx, FIGURE_BPF_NEWEST, "", s->bpf_newest);
}

/* Whether the CPUs count what they do: cycles, misses of caches. */
static void look_for_counters(const struct figure_out *out)
{
	static const char *const names[] = {"cpu", "cpu_core", "armv8_pmuv3", "armv8_pmuv3_0"};
	char path[64];
	bool any = false;

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s", names[i]);
		any |= !access(path, F_OK);
	}
	out->emit(out->ctx, FIGURE_PMU, "", any);
}

static void read_all(struct source *s)
{
	const struct figure_out out = {take, s};

	system__parse_stat(read_text(s, "/proc/stat"), s->tick_ns, &out);
	system__parse_interrupts(read_text(s, "/proc/interrupts"), FIGURE_INTERRUPTS_OF, &out);
	system__parse_interrupts(read_text(s, "/proc/softirqs"), FIGURE_SOFTIRQS_OF, &out);
	system__parse_loadavg(read_text(s, "/proc/loadavg"), &out);
	system__parse_meminfo(read_text(s, "/proc/meminfo"), &out);
	system__parse_vmstat(read_text(s, "/proc/vmstat"), &out);
	read_pressures(s, &out);
	system__parse_diskstats(read_text(s, "/proc/diskstats"), is_whole_disk, &out);
	system__parse_net_dev(read_text(s, "/proc/net/dev"), &out);
	system__parse_protocols(read_text(s, "/proc/net/snmp"), "", &out);
	system__parse_protocols(read_text(s, "/proc/net/netstat"), "", &out);
	networks__read(s->networks, s->now_ns, s->text, TEXT_BYTES, &out);
	system__parse_softnet(read_text(s, "/proc/net/softnet_stat"), &out);
	system__parse_file_nr(read_text(s, "/proc/sys/fs/file-nr"), &out);
	read_number(s, "/proc/sys/kernel/pid_max", FIGURE_PID_MAX, "", &out);
	read_number(s, "/proc/sys/kernel/threads-max", FIGURE_THREADS_MAX, "", &out);
	look_at_crowd(s, &out);
	look_at_zombies(s, &out);
	look_for_programs(s, &out);
	look_for_counters(&out);
	read_number(s, "/proc/sys/net/netfilter/nf_conntrack_count", FIGURE_CONNTRACK, "", &out);
	read_number(s, "/proc/sys/net/netfilter/nf_conntrack_max", FIGURE_CONNTRACK_MAX, "", &out);
	system__parse_clocksource(read_text(s, CLOCKSOURCE), &out);
	read_speeds(s, &out);
	read_clocks(s, &out);
	look_at_wall_clock(s, &out);
	limits__read(s->limits, s->now_ns, &out);
	filesystems__read(s->filesystems, read_text(s, "/proc/self/mountinfo"), s->now_ns, &out);
	take(s, FIGURE_OWN_CPU, "", clock__process_cpu_ns());
}

/* --- messages --- */

/* A read gives one record; what was overwritten meanwhile is EPIPE, and the next read goes on. */
static void read_messages(struct source *s)
{
	struct notice_sample out;
	char comm[COMM_LEN];
	ssize_t n;
	u32 pid;

	for (u32 i = 0, put = 0; s->kmsg >= 0 && i < RECORDS && put < NOTICES; i++) {
		n = read(s->kmsg, s->text, TEXT_BYTES - 1);
		if (n < 0 && errno == EPIPE) {
			s->lost++;
			continue;
		}
		if (n <= 0)
			return;
		s->text[n] = '\0';
		if (!system__parse_kmsg(s->text, &out) ||
		    (out.level > NOTICE_LEVEL && !notice__crash(out.text, &pid, comm)))
			continue;
		sink__put(s->sink, &out.head);
		put++;
	}
}

/* --- the source --- */

static void system__close(struct source *s)
{
	if (s->kmsg >= 0)
		close(s->kmsg);
	usage_scan__free(s->usage);
	limits__free(s->limits);
	filesystems__free(s->filesystems);
	crowd__close(s->crowd);
	sockets__free(s->sockets);
	networks__free(s->networks);
	free(s->room);
	hidx__fini(&s->by_name);
	free(s->series);
	free(s->text);
	free(s);
}

static void discard(void *ctx, const struct sample *sample)
{
}

static struct source *system__open(const struct sampling *how, const struct scope *scope,
				   struct status *st)
{
	static const struct sample_sink nowhere = {discard, NULL};
	struct source *s = xcalloc(1, sizeof(*s));

	s->text = xmalloc(TEXT_BYTES);
	s->tick_ns = NSEC_PER_SEC / (u64)MAX(sysconf(_SC_CLK_TCK), 1L);
	s->usage = usage_scan__new();
	s->limits = limits__new();
	s->filesystems = filesystems__new();
	s->sockets = sockets__new();
	s->networks = networks__new();
	s->room = xmalloc(TEXT_BYTES);
	s->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->kmsg >= 0)
		lseek(s->kmsg, 0, SEEK_END); /* what was logged before is not of now */
	if (!*read_text(s, "/proc/stat")) {
		status__set(st, EXIT_CODE_FAILURE, -ENOENT,
			    "/proc/stat cannot be read: is /proc mounted?");
		system__close(s);
		return NULL;
	}
	s->now_ns = clock__monotonic_ns();
	read_all(s);
	usage_scan__run(s->usage, s->now_ns, &nowhere);
	return s;
}

static void system__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!tick)
		return;
	s->now_ns = clock__monotonic_ns();
	s->sink = sink;
	usage_scan__run(s->usage, s->now_ns, sink);
	read_all(s);
	read_messages(s);
	s->sink = NULL;
}

static int system__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return 0; /* the machine's, whatever the scope */
}

static int system__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	return 0;
}

static void system__health(struct source *s, struct health *h)
{
	copy_str(h->tier, sizeof(h->tier), "proc");
	copy_str(h->event, sizeof(h->event), "figures");
	h->samples_total = s->handed_out;
	h->lost = s->lost;
	health__note(h, usage_scan__left_out(s->usage), "processes are too many to look at");
}

const struct source_ops source_system = {
	.name = "system",
	.title = "figures of the machine from /proc, /sys and cgroupfs",
	.open = system__open,
	.close = system__close,
	.set_scope = system__set_scope,
	.set_sampling = system__set_sampling,
	.drain = system__drain,
	.health = system__health,
};
