// SPDX-License-Identifier: GPL-2.0-only
#include "sources/system_parse.h"

#include <ctype.h>
#include <stdio.h>

#define SECTOR	  512
#define USEC	  1000ULL
#define PF_KTHREAD 0x00200000

static void emit(const struct figure_out *out, enum figure f, const char *instance, u64 value)
{
	if (f < FIGURES)
		out->emit(out->ctx, f, instance, value);
}

/* The line after this one; NULL at the end. */
static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end && end[1] ? end + 1 : NULL;
}

/* Up to n numbers from text on, to the end of its line; returns how many there were. */
static u32 numbers(const char *text, u64 *v, u32 n)
{
	u32 got = 0;
	char *end;

	while (got < n) {
		text += strspn(text, " \t");
		if (!isdigit((u8)*text))
			break;
		v[got++] = strtoull(text, &end, 10);
		text = end;
	}
	return got;
}

/* The word at text, cut to what `buf` holds; returns what follows it. */
static const char *word(const char *text, const char *ends, char *buf, size_t size)
{
	size_t n = strcspn(text, ends);

	copy_str(buf, MIN(n + 1, size), text);
	return text + n;
}

/* Fields of "NAME VALUE" or "NAME: VALUE kB". */
struct field {
	const char *name;
	enum figure figure;
};

static const struct field *find_field(const struct field *fields, u32 n, const char *name)
{
	for (u32 i = 0; i < n; i++)
		if (!strcmp(fields[i].name, name))
			return &fields[i];
	return NULL;
}

static void parse_fields(const char *text, const struct field *fields, u32 n, u64 unit,
			 const char *instance, const struct figure_out *out)
{
	for (const char *line = text; line && *line; line = next_line(line)) {
		const struct field *f;
		char name[48];
		u64 value;

		line = word(line, " :\n", name, sizeof(name));
		f = find_field(fields, n, name);
		if (f && numbers(line + (*line == ':'), &value, 1))
			emit(out, f->figure, instance, value * unit);
	}
}

/* --- /proc/stat --- */

static void parse_cpu(const char *line, u64 tick_ns, const struct figure_out *out)
{
	static const enum figure figures[] = {FIGURE_CPU_USER, FIGURES, FIGURE_CPU_SYSTEM,
					      FIGURE_CPU_IDLE, FIGURE_CPU_IOWAIT, FIGURE_CPU_IRQ,
					      FIGURE_CPU_SOFTIRQ, FIGURE_CPU_STEAL, FIGURE_CPU_GUEST};
	u64 v[ARRAY_SIZE(figures)] = {0};
	char cpu[16];

	line = word(line + strlen("cpu"), " \n", cpu, sizeof(cpu));
	if (numbers(line, v, ARRAY_SIZE(v)) < 4)
		return;
	v[0] += v[1]; /* nice */
	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		emit(out, figures[i], cpu, v[i] * tick_ns);
}

void system__parse_stat(const char *text, u64 tick_ns, const struct figure_out *out)
{
	static const struct field fields[] = {
		{"ctxt", FIGURE_SWITCHES},	   {"processes", FIGURE_FORKS},
		{"intr", FIGURE_INTERRUPTS},	   {"softirq", FIGURE_SOFTIRQS},
		{"procs_running", FIGURE_RUNNING}, {"procs_blocked", FIGURE_BLOCKED},
	};

	for (const char *line = text; line && !strncmp(line, "cpu", 3); line = next_line(line))
		parse_cpu(line, tick_ns, out);
	parse_fields(text, fields, ARRAY_SIZE(fields), 1, "", out);
}

void system__parse_loadavg(const char *text, const struct figure_out *out)
{
	const char *slash = strchr(text, '/');
	u64 threads;

	if (slash && numbers(slash + 1, &threads, 1))
		emit(out, FIGURE_THREADS, "", threads);
}

/* --- memory --- */

void system__parse_meminfo(const char *text, const struct figure_out *out)
{
	static const struct field fields[] = {
		{"MemTotal", FIGURE_MEM_TOTAL},	      {"MemFree", FIGURE_MEM_FREE},
		{"MemAvailable", FIGURE_MEM_AVAILABLE}, {"Cached", FIGURE_MEM_CACHED},
		{"SReclaimable", FIGURE_MEM_SLAB},      {"Dirty", FIGURE_MEM_DIRTY},
		{"Writeback", FIGURE_MEM_WRITEBACK},    {"SwapTotal", FIGURE_SWAP_TOTAL},
		{"SwapFree", FIGURE_SWAP_FREE},
	};

	parse_fields(text, fields, ARRAY_SIZE(fields), 1024, "", out);
}

/* One for each zone, and they are called alike. */
static u64 sum_of(const char *text, const char *prefix)
{
	u64 sum = 0, value;
	char name[48];

	for (const char *line = text; line && *line; line = next_line(line)) {
		if (strncmp(line, prefix, strlen(prefix)))
			continue;
		line = word(line, " \n", name, sizeof(name));
		if (numbers(line, &value, 1))
			sum += value;
	}
	return sum;
}

void system__parse_vmstat(const char *text, const struct figure_out *out)
{
	static const struct field fields[] = {
		{"pgfault", FIGURE_FAULTS},	     {"pgmajfault", FIGURE_MAJOR_FAULTS},
		{"pswpin", FIGURE_SWAP_IN},	     {"pswpout", FIGURE_SWAP_OUT},
		{"pgscan_direct", FIGURE_SCAN_DIRECT}, {"pgscan_kswapd", FIGURE_SCAN_KSWAPD},
		{"compact_stall", FIGURE_COMPACT_STALLS}, {"oom_kill", FIGURE_OOM_KILLS},
		{"workingset_refault_file", FIGURE_REFAULTS}, {"numa_miss", FIGURE_NUMA_MISSES},
	};

	parse_fields(text, fields, ARRAY_SIZE(fields), 1, "", out);
	if (strstr(text, "allocstall"))
		emit(out, FIGURE_ALLOC_STALLS, "", sum_of(text, "allocstall"));
}

void system__parse_pressure(const char *text, enum figure some, enum figure full,
			    const struct figure_out *out)
{
	for (const char *line = text; line && *line; line = next_line(line)) {
		const char *total = strstr(line, "total=");
		u64 us;

		if (total && numbers(total + strlen("total="), &us, 1))
			emit(out, !strncmp(line, "some", 4) ? some : full, "", us * USEC);
	}
}

/* --- disks --- */

struct number_figure {
	enum figure figure;
	u32 at; /* which number of the line, from 0 */
	u64 unit;
};

static void emit_numbers(const struct number_figure *f, u32 n, const char *text,
			 const char *instance, const struct figure_out *out)
{
	u64 v[24];
	u32 got = numbers(text, v, ARRAY_SIZE(v));

	for (u32 i = 0; i < n; i++)
		if (f[i].at < got)
			emit(out, f[i].figure, instance, v[f[i].at] * f[i].unit);
}

void system__parse_diskstats(const char *text, bool (*whole)(const char *name),
			     const struct figure_out *out)
{
	static const struct number_figure figures[] = {
		{FIGURE_DISK_READS, 0, 1},	   {FIGURE_DISK_READ_BYTES, 2, SECTOR},
		{FIGURE_DISK_READ_NS, 3, NSEC_PER_MSEC}, {FIGURE_DISK_WRITES, 4, 1},
		{FIGURE_DISK_WRITE_BYTES, 6, SECTOR},	 {FIGURE_DISK_WRITE_NS, 7, NSEC_PER_MSEC},
		{FIGURE_DISK_IN_FLIGHT, 8, 1},	   {FIGURE_DISK_BUSY, 9, NSEC_PER_MSEC},
		{FIGURE_DISK_FLUSHES, 15, 1},	   {FIGURE_DISK_FLUSH_NS, 16, NSEC_PER_MSEC},
	};

	for (const char *line = text; line && *line; line = next_line(line)) {
		char name[FIGURE_INSTANCE];
		int at = 0;

		if (sscanf(line, " %*u %*u %n", &at) != 0 || !at)
			continue;
		line = word(line + at, " \n", name, sizeof(name));
		if (whole(name))
			emit_numbers(figures, ARRAY_SIZE(figures), line, name, out);
	}
}

/* --- networks --- */

/* A packet that it took, sent or dropped; what never had one is nothing to look at. */
static bool was_used(const char *counts)
{
	size_t end = strcspn(counts, "\n");

	return strcspn(counts, "123456789") < end;
}

void system__parse_net_dev(const char *text, const struct figure_out *out)
{
	static const struct number_figure figures[] = {
		{FIGURE_NET_RX_BYTES, 0, 1},  {FIGURE_NET_RX_PACKETS, 1, 1},
		{FIGURE_NET_RX_ERRORS, 2, 1}, {FIGURE_NET_RX_DROPS, 3, 1},
		{FIGURE_NET_TX_BYTES, 8, 1},  {FIGURE_NET_TX_PACKETS, 9, 1},
		{FIGURE_NET_TX_ERRORS, 10, 1}, {FIGURE_NET_TX_DROPS, 11, 1},
	};

	for (const char *line = text; line && *line; line = next_line(line)) {
		const char *colon = strchr(line, ':'), *end = strchrnul(line, '\n');
		char name[FIGURE_INSTANCE];

		if (!colon || colon > end || !was_used(colon + 1))
			continue;
		word(line + strspn(line, " "), ":\n", name, sizeof(name));
		emit_numbers(figures, ARRAY_SIZE(figures), colon + 1, name, out);
	}
}

static const struct {
	const char *protocol, *name;
	enum figure figure;
} protocol_fields[] = {
	{"Tcp:", "OutSegs", FIGURE_TCP_OUT},
	{"Tcp:", "RetransSegs", FIGURE_TCP_RETRANSMITS},
	{"TcpExt:", "ListenOverflows", FIGURE_TCP_LISTEN_OVERFLOWS},
	{"Tcp:", "AttemptFails", FIGURE_TCP_CONNECT_FAILS},
	{"TcpExt:", "TCPReqQFullDoCookies", FIGURE_TCP_SYN_COOKIES},
	{"TcpExt:", "TCPReqQFullDrop", FIGURE_TCP_SYN_DROPS},
	{"Udp:", "RcvbufErrors", FIGURE_UDP_FULL},
};

static void emit_protocol(const char *protocol, const char *name, const char *netns, u64 value,
			  const struct figure_out *out)
{
	if (!value && *netns)
		return;
	for (u32 i = 0; i < ARRAY_SIZE(protocol_fields); i++)
		if (!strcmp(protocol_fields[i].protocol, protocol) &&
		    !strcmp(protocol_fields[i].name, name))
			emit(out, protocol_fields[i].figure, netns, value);
}

/* names and values: what follows the protocol in both lines. */
static void parse_pair(const char *protocol, const char *names, const char *values, const char *netns,
		       const struct figure_out *out)
{
	char name[48], value[24];

	for (;;) {
		names += strspn(names, " ");
		values += strspn(values, " ");
		if (!*names || *names == '\n' || !*values || *values == '\n')
			return;
		names = word(names, " \n", name, sizeof(name));
		values = word(values, " \n", value, sizeof(value));
		if (isdigit((u8)*value)) /* some are -1: not limited */
			emit_protocol(protocol, name, netns, strtoull(value, NULL, 10), out);
	}
}

void system__parse_protocols(const char *text, const char *netns, const struct figure_out *out)
{
	const char *names = text, *values = *text ? next_line(text) : NULL;
	char protocol[16];

	while (names && values) {
		const char *after = word(names, " \n", protocol, sizeof(protocol));

		if (!strncmp(names, values, strlen(protocol)))
			parse_pair(protocol, after, values + strlen(protocol), netns, out);
		names = next_line(values);
		values = names ? next_line(names) : NULL;
	}
}

/* What stands behind the counts: of a number "PCI-MSI 65536-edge      virtio0-req", of which several may have
 * one device, else "Local timer interrupts", or nothing. */
static void interrupt_name(const char *label, const char *rest, char *buf, size_t size)
{
	char number[16], text[FIGURE_INSTANCE];
	size_t n = strcspn(rest, "\n");

	word(label, ":\n", number, sizeof(number));
	if (isdigit((u8)*label))
		for (size_t i = n; i-- > 1;)
			if (rest[i] == ' ' && rest[i - 1] == ' ') {
				rest += i;
				n -= i;
				break;
			}
	for (; n && *rest == ' '; n--)
		rest++;
	copy_str(text, MIN(n + 1, sizeof(text)), rest);
	if (n && isdigit((u8)*label))
		snprintf(buf, size, "%.40s (%s)", text, number);
	else
		copy_str(buf, size, n ? text : number);
}

/* A line that is cut has fewer counts than it had before: it is none. */
void system__parse_interrupts(const char *text, enum figure f, const struct figure_out *out)
{
	char name[FIGURE_INSTANCE];

	for (const char *line = next_line(text); line && strchr(line, '\n'); line = next_line(line)) {
		const char *label = line + strspn(line, " "), *at = label + strcspn(label, ":\n");
		u64 sum = 0;

		if (*at++ != ':')
			continue;
		for (char *end; at += strspn(at, " "), isdigit((u8)*at); at = end)
			sum += strtoull(at, &end, 10);
		interrupt_name(label, at, name, sizeof(name));
		if (sum)
			emit(out, f, name, sum);
	}
}

void system__parse_softnet(const char *text, const struct figure_out *out)
{
	u64 drops = 0;

	for (const char *line = text; line && *line; line = next_line(line)) {
		unsigned int dropped;

		if (sscanf(line, "%*x %x", &dropped) == 1)
			drops += dropped;
	}
	if (*text)
		emit(out, FIGURE_BACKLOG_DROPS, "", drops);
}

/* --- limits, cgroups, messages --- */

void system__parse_file_nr(const char *text, const struct figure_out *out)
{
	u64 v[3];

	if (numbers(text, v, 3) != 3)
		return;
	emit(out, FIGURE_FILES, "", v[0] - MIN(v[0], v[1]));
	emit(out, FIGURE_FILES_MAX, "", v[2]);
}

void system__parse_clocksource(const char *text, const struct figure_out *out)
{
	static const char *const slow[] = {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"};
	char name[32];

	word(text, "\n", name, sizeof(name));
	for (u32 i = 0; i < ARRAY_SIZE(slow); i++)
		if (!strcmp(name, slow[i]))
			emit(out, FIGURE_SLOW_CLOCK, name, 1);
}

void system__parse_cpu_stat(const char *text, const char *cgroup, const struct figure_out *out)
{
	static const struct field counts[] = {{"nr_periods", FIGURE_CGROUP_PERIODS},
					      {"nr_throttled", FIGURE_CGROUP_THROTTLED}};
	static const struct field v1[] = {{"throttled_time", FIGURE_CGROUP_THROTTLED_NS}};
	static const struct field v2[] = {{"throttled_usec", FIGURE_CGROUP_THROTTLED_NS}};

	parse_fields(text, counts, ARRAY_SIZE(counts), 1, cgroup, out);
	parse_fields(text, v1, 1, 1, cgroup, out);
	parse_fields(text, v2, 1, USEC, cgroup, out);
}

u64 system__parse_memory_stat(const char *text)
{
	/* v1 has the sums of a group and its children under names of their own. */
	static const char *const names[] = {"total_rss ", "total_shmem ", "anon ", "shmem "};
	bool v1 = strstr(text, "\ntotal_rss ");
	u64 sum = 0, value;

	for (const char *line = text; line && *line; line = next_line(line))
		for (u32 i = v1 ? 0 : 2; i < (v1 ? 2 : ARRAY_SIZE(names)); i++)
			if (!strncmp(line, names[i], strlen(names[i])) &&
			    numbers(line + strlen(names[i]), &value, 1))
				sum += value;
	return sum;
}

/* --- filesystems --- */

static bool has_word(const char *words, const char *word)
{
	size_t n = strlen(word);

	for (const char *at = words; *at; at += strspn(at, ",")) {
		size_t len = strcspn(at, ",");

		if (len == n && !strncmp(at, word, n))
			return true;
		at += len;
	}
	return false;
}

/* Blanks and backslashes in paths are octal numbers. */
static void unescape(char *path)
{
	char *to = path;

	for (const char *c = path; *c; c++) {
		if (*c == '\\' && c[1] >= '0' && c[1] <= '3' && c[2] >= '0' && c[2] <= '7' && c[3] >= '0' &&
		    c[3] <= '7') {
			*to++ = (char)((c[1] - '0') * 64 + (c[2] - '0') * 8 + c[3] - '0');
			c += 3;
		} else {
			*to++ = *c;
		}
	}
	*to = '\0';
}

/* What is always full, and never written. */
static bool is_image(const char *type)
{
	static const char *const images[] = {"squashfs", "iso9660", "udf", "erofs", "cramfs", "romfs"};

	for (u32 i = 0; i < ARRAY_SIZE(images); i++)
		if (!strcmp(type, images[i]))
			return true;
	return false;
}

struct mount {
	unsigned int major, minor;
	char path[FILESYSTEM_PATH], options[128], type[32], device[64], super[256];
};

static bool parse_mount(const char *line, struct mount *m)
{
	size_t len = strcspn(line, "\n");
	const char *dash = memmem(line, len, " - ", 3);

	*m = (struct mount){0};
	if (!dash || sscanf(line, "%*u %*u %u:%u %*s %255s %127s", &m->major, &m->minor, m->path,
			    m->options) != 4)
		return false;
	if (sscanf(dash, " - %31s %63s %255s", m->type, m->device, m->super) != 3)
		return false;
	unescape(m->path);
	return !is_image(m->type) && (!strncmp(m->device, "/dev/", 5) || !strcmp(m->type, "tmpfs"));
}

/* Of late ext4 says so by a word of its own. */
static bool is_read_only(const struct mount *m)
{
	return has_word(m->options, "rw") && (has_word(m->super, "ro") || has_word(m->super, "emergency_ro"));
}

u32 system__parse_mountinfo(const char *text, struct filesystem *out, u32 max)
{
	u64 devices[FILESYSTEMS];
	u32 n = 0;

	max = MIN(max, (u32)FILESYSTEMS);
	for (const char *line = text; line && *line && n < max; line = next_line(line)) {
		struct mount m;
		u32 at = 0;

		if (!parse_mount(line, &m))
			continue;
		while (at < n && devices[at] != ((u64)m.major << 32 | m.minor))
			at++;
		if (at < n) /* mounted elsewhere, too */
			continue;
		devices[n] = (u64)m.major << 32 | m.minor;
		out[n] = (struct filesystem){.read_only = is_read_only(&m)};
		copy_str(out[n++].path, sizeof(out->path), m.path);
	}
	return n;
}

/* --- messages --- */

bool system__parse_kmsg(const char *record, struct notice_sample *out)
{
	const char *text = strchr(record, ';');
	unsigned long long us;
	unsigned int prefix;
	size_t n;

	if (!text || sscanf(record, "%u,%*u,%llu", &prefix, &us) != 2)
		return false;
	*out = (struct notice_sample){
		.head.type = SAMPLE_NOTICE, .level = prefix & 7, .t_ns = us * USEC};
	n = strcspn(++text, "\n");
	copy_str(out->text, MIN(n + 1, sizeof(out->text)), text);
	return n > 0;
}

/* --- processes --- */

enum { STAT_PPID = 1, STAT_FLAGS = 6, STAT_MINOR = 7, STAT_MAJOR = 9, STAT_USER = 11,
       STAT_SYSTEM = 12, STAT_CHILD_USER = 13, STAT_CHILD_SYSTEM = 14, STAT_NICE = 16,
       STAT_THREADS = 17, STAT_START = 19, STAT_RSS = 21, STAT_CPU = 36, STAT_FIELDS };

/* Fields after the state; some are negative. */
static u32 stat_fields(const char *text, s64 *v)
{
	u32 n = 1;

	for (char *end; n < STAT_FIELDS; n++, text = end) {
		v[n] = (s64)strtoull(text, &end, 10); /* as two's complement */
		if (end == text)
			break;
	}
	return n;
}

bool system__parse_task(const char *text, u64 tick_ns, u64 page_bytes, struct usage_sample *out)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	s64 v[STAT_FIELDS] = {0};

	if (!open || !close || close < open || !close[1] || !close[2] ||
	    stat_fields(close + 3, v) < STAT_FIELDS)
		return false;
	*out = (struct usage_sample){
		.head.type = SAMPLE_USAGE,
		.pid = (u32)strtoul(text, NULL, 10),
		.ppid = (u32)v[STAT_PPID],
		.state = isalpha((u8)close[2]) ? close[2] : '?',
		.kthread = v[STAT_FLAGS] & PF_KTHREAD,
		.nice = (s32)CLAMP(v[STAT_NICE], -20, 19),
		.threads = (u32)v[STAT_THREADS],
		.start = (u64)v[STAT_START],
		.cpu = (u32)v[STAT_CPU],
		.user_ns = (u64)v[STAT_USER] * tick_ns,
		.system_ns = (u64)v[STAT_SYSTEM] * tick_ns,
		.children_ns = (u64)(v[STAT_CHILD_USER] + v[STAT_CHILD_SYSTEM]) * tick_ns,
		.minor_faults = (u64)v[STAT_MINOR],
		.major_faults = (u64)v[STAT_MAJOR],
		.rss_bytes = (u64)MAX(v[STAT_RSS], 0) * page_bytes,
	};
	copy_str(out->comm, MIN((size_t)(close - open), sizeof(out->comm)), open + 1);
	return true;
}
