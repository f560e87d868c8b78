// SPDX-License-Identifier: GPL-2.0-only
/* The texts of /proc behind the figures of the machine, whole, cut and hostile; and the model of what
 * comes of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/arena.h"
#include "models/model.h"
#include "models/system.h"
#include "sources/system_parse.h"

struct seen {
	struct {
		enum figure figure;
		char instance[FIGURE_INSTANCE];
		u64 value;
	} v[256];
	u32 n;
};

static void note(void *ctx, enum figure f, const char *instance, u64 value)
{
	struct seen *s = ctx;

	assert_true(f < FIGURES);
	if (s->n == ARRAY_SIZE(s->v))
		return;
	s->v[s->n].figure = f;
	copy_str(s->v[s->n].instance, FIGURE_INSTANCE, instance);
	s->v[s->n++].value = value;
}

static u64 value_of(const struct seen *s, enum figure f, const char *instance)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->v[i].figure == f && !strcmp(s->v[i].instance, instance))
			return s->v[i].value;
	return UINT64_MAX;
}

static bool vda_alone(const char *name)
{
	return !strcmp(name, "vda");
}

static const char stat_text[] = "cpu  10 5 20 1000 7 1 2 3 0 0\ncpu0 4 1 9 500 3 0 1 1 0 0\n"
				"cpu17 6 4 11 500 4 1 1 2 0 0\nintr 999 1 2 3\nctxt 12345\nbtime 1\n"
				"processes 77\nprocs_running 3\nprocs_blocked 2\nsoftirq 55 1 2\n";

static void times_of_cpus(void **state)
{
	struct seen s = {0};

	system__parse_stat(stat_text, 10, &(struct figure_out){note, &s});
	assert_int_equal(value_of(&s, FIGURE_CPU_USER, ""), 150);
	assert_int_equal(value_of(&s, FIGURE_CPU_USER, "17"), 100);
	assert_int_equal(value_of(&s, FIGURE_CPU_STEAL, "0"), 10);
	assert_int_equal(value_of(&s, FIGURE_SWITCHES, ""), 12345);
	assert_int_equal(value_of(&s, FIGURE_FORKS, ""), 77);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS, ""), 999);
	assert_int_equal(value_of(&s, FIGURE_SOFTIRQS, ""), 55);
	assert_int_equal(value_of(&s, FIGURE_BLOCKED, ""), 2);
}

static void memory_and_pressure(void **state)
{
	struct seen s = {0};
	const struct figure_out out = {note, &s};

	system__parse_meminfo("MemTotal:  1000 kB\nMemAvailable:   600 kB\nHugePages_Total: 0\n", &out);
	system__parse_vmstat("allocstall_dma 1\nallocstall_normal 4\npgfault 9\noom_kill 2\n", &out);
	system__parse_pressure("some avg10=1.00 avg60=0 avg300=0 total=5\nfull avg10=0.00 avg60=0.00 "
			       "avg300=0.00 total=2\n",
			       FIGURE_PSI_IO_SOME, FIGURE_PSI_IO_FULL, &out);
	system__parse_pressure("some avg10=1.00 total=5\nfull avg10=0.00 total=2\n",
			       FIGURE_PSI_CPU_SOME, FIGURES, &out);
	assert_int_equal(value_of(&s, FIGURE_MEM_TOTAL, ""), 1024000);
	assert_int_equal(value_of(&s, FIGURE_MEM_AVAILABLE, ""), 614400);
	assert_int_equal(value_of(&s, FIGURE_ALLOC_STALLS, ""), 5);
	assert_int_equal(value_of(&s, FIGURE_OOM_KILLS, ""), 2);
	assert_int_equal(value_of(&s, FIGURE_PSI_IO_SOME, ""), 5000);
	assert_int_equal(value_of(&s, FIGURE_PSI_IO_FULL, ""), 2000);
	assert_int_equal(value_of(&s, FIGURE_PSI_CPU_SOME, ""), 5000);
}

static void disks_and_networks(void **state)
{
	struct seen s = {0};
	const struct figure_out out = {note, &s};

	system__parse_diskstats(" 254 0 vda 10 0 20 30 40 0 50 60 7 80 90 0 0 0 0 11 12\n"
				" 254 1 vda1 1 0 2 3 4 0 5 6 7 8 9\n",
				vda_alone, &out);
	system__parse_net_dev("Inter-| Receive\n face |bytes packets\n"
			      "  lo: 100 2 0 3 0 0 0 0 200 4 5 6 0 0 0 0\n"
			      "ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			      &out);
	system__parse_protocols("Tcp: RtoAlgorithm MaxConn OutSegs RetransSegs\nTcp: 1 -1 500 7\n"
				"Udp: InDatagrams RcvbufErrors\nUdp: 1 9\n",
				"", &out);
	system__parse_protocols("Tcp: OutSegs RetransSegs\nTcp: 600 0\n", "web", &out);
	system__parse_softnet("00000001 00000002 0\n00000001 0000000a 0\n", &out);
	assert_int_equal(value_of(&s, FIGURE_DISK_READS, "vda"), 10);
	assert_int_equal(value_of(&s, FIGURE_DISK_READ_BYTES, "vda"), 20 * 512);
	assert_int_equal(value_of(&s, FIGURE_DISK_BUSY, "vda"), 80 * NSEC_PER_MSEC);
	assert_int_equal(value_of(&s, FIGURE_DISK_FLUSHES, "vda"), 11);
	assert_int_equal(value_of(&s, FIGURE_DISK_READS, "vda1"), UINT64_MAX);
	assert_int_equal(value_of(&s, FIGURE_NET_RX_DROPS, "lo"), 3);
	assert_int_equal(value_of(&s, FIGURE_NET_TX_DROPS, "lo"), 6);
	assert_int_equal(value_of(&s, FIGURE_NET_RX_BYTES, "ifb0"), UINT64_MAX);
	assert_int_equal(value_of(&s, FIGURE_TCP_OUT, ""), 500);
	assert_int_equal(value_of(&s, FIGURE_TCP_RETRANSMITS, ""), 7);
	assert_int_equal(value_of(&s, FIGURE_TCP_OUT, "web"), 600);
	assert_int_equal(value_of(&s, FIGURE_TCP_RETRANSMITS, "web"), UINT64_MAX);
	assert_int_equal(value_of(&s, FIGURE_UDP_FULL, ""), 9);
	assert_int_equal(value_of(&s, FIGURE_BACKLOG_DROPS, ""), 12);
}

static void interrupts(void **state)
{
	struct seen s = {0};
	const struct figure_out out = {note, &s};

	system__parse_interrupts("           CPU0       CPU1\n"
				 "  1:          0          0   IO-APIC   1-edge      i8042\n"
				 " 24:         10          2   PCI-MSI 65536-edge      ahci[0000:00:1f.2]\n"
				 " 25:          7          0   PCI-MSI 65537-edge      usb1, usb2\n"
				 "LOC:        100        200   Local timer interrupts\n"
				 "ERR:          3\n"
				 "MIS:          1", FIGURE_INTERRUPTS_OF, &out);
	system__parse_interrupts("                    CPU0       CPU1\n"
				 "      NET_RX:         30         12\n", FIGURE_SOFTIRQS_OF, &out);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS_OF, "ahci[0000:00:1f.2] (24)"), 12);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS_OF, "usb1, usb2 (25)"), 7);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS_OF, "Local timer interrupts"), 300);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS_OF, "ERR"), 3);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS_OF, "i8042 (1)"), UINT64_MAX);
	assert_int_equal(value_of(&s, FIGURE_INTERRUPTS_OF, "MIS"), UINT64_MAX);
	assert_int_equal(value_of(&s, FIGURE_SOFTIRQS_OF, "NET_RX"), 42);
}

static void limits_and_cgroups(void **state)
{
	struct seen s = {0};
	const struct figure_out out = {note, &s};

	system__parse_file_nr("2080\t80\t1000000\n", &out);
	system__parse_loadavg("0.50 1.25 2.00 3/456 789\n", &out);
	system__parse_cpu_stat("nr_periods 10\nnr_throttled 6\nthrottled_time 700\n", "/v1", &out);
	system__parse_cpu_stat("usage_usec 5\nnr_periods 3\nnr_throttled 2\nthrottled_usec 7\n", "/v2",
			       &out);
	assert_int_equal(value_of(&s, FIGURE_FILES, ""), 2000);
	assert_int_equal(value_of(&s, FIGURE_FILES_MAX, ""), 1000000);
	assert_int_equal(value_of(&s, FIGURE_THREADS, ""), 456);
	assert_int_equal(value_of(&s, FIGURE_CGROUP_THROTTLED, "/v1"), 6);
	assert_int_equal(value_of(&s, FIGURE_CGROUP_THROTTLED_NS, "/v1"), 700);
	assert_int_equal(value_of(&s, FIGURE_CGROUP_THROTTLED_NS, "/v2"), 7000);
}

static void messages(void **state)
{
	struct notice_sample n;

	assert_true(system__parse_kmsg("3,1234,5000,-;EXT4-fs error\n SUBSYSTEM=x\n", &n));
	assert_int_equal(n.level, 3);
	assert_int_equal(n.t_ns, 5000000);
	assert_string_equal(n.text, "EXT4-fs error");
	assert_true(system__parse_kmsg("30,1,2,-;a daemon's line\n", &n));
	assert_int_equal(n.level, 6);
	assert_false(system__parse_kmsg("no record", &n));
	assert_false(system__parse_kmsg("3,1,2,-;\n", &n));
}

/* A process may be called anything. */
static void processes(void **state)
{
	static const char text[] =
		"123 (a) S (b) x) D 7 1 1 0 -1 2129984 100 200 3 400 5 6 7 8 20 -5 9 0 555 1000 25 "
		"18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
	struct usage_sample u;

	assert_true(system__parse_task(text, 10, 4096, &u));
	assert_int_equal(u.pid, 123);
	assert_string_equal(u.comm, "a) S (b) x");
	assert_int_equal(u.state, 'D');
	assert_int_equal(u.ppid, 7);
	assert_true(u.kthread);
	assert_int_equal(u.minor_faults, 100);
	assert_int_equal(u.major_faults, 3);
	assert_int_equal(u.user_ns, 50);
	assert_int_equal(u.system_ns, 60);
	assert_int_equal(u.children_ns, 150);
	assert_int_equal(u.nice, -5);
	assert_int_equal(u.threads, 9);
	assert_int_equal(u.start, 555);
	assert_int_equal(u.rss_bytes, 25 * 4096);
	assert_int_equal(u.cpu, 1);
	assert_false(system__parse_task("123 (x", 10, 4096, &u));
	assert_false(system__parse_task("123 (x) S 1 2", 10, 4096, &u));
	assert_false(system__parse_task("", 10, 4096, &u));
}

/* All parsers, on text of all lengths: nothing is read beyond its end. */
static void cut_anywhere(void **state)
{
	static const char all[] = "cpu  1 2 3 4 5 6 7 8\ncpu0 1\nsome avg10=1 total=5\nTcp: A B\nTcp: 1\n"
				  " 254 0 vda 1 2\n  lo: 1 2\nMemTotal: 5\nnr_periods\n7,1,2,-;x\n";
	struct notice_sample n;
	struct usage_sample u;

	for (size_t from = 0; from < sizeof(all); from++)
		for (size_t len = 0; from + len < sizeof(all); len++) {
			char *text = strndup(all + from, len);
			struct seen s = {0};
			const struct figure_out out = {note, &s};

			system__parse_stat(text, 1, &out);
			system__parse_loadavg(text, &out);
			system__parse_meminfo(text, &out);
			system__parse_vmstat(text, &out);
			system__parse_pressure(text, FIGURE_PSI_IO_SOME, FIGURES, &out);
			system__parse_diskstats(text, vda_alone, &out);
			system__parse_net_dev(text, &out);
			system__parse_protocols(text, len % 2 ? "a" : "", &out);
			system__parse_softnet(text, &out);
			system__parse_interrupts(text, FIGURE_INTERRUPTS_OF, &out);
			system__parse_file_nr(text, &out);
			system__parse_cpu_stat(text, "/", &out);
			system__parse_kmsg(text, &n);
			system__parse_task(text, 1, 1, &u);
			free(text);
		}
}

/* --- the model --- */

static void put(struct model *m, enum figure f, const char *instance, u64 value)
{
	struct figure_sample s = {
		.head.type = SAMPLE_FIGURE, .figure = f, .value = value, .span_ns = NSEC_PER_SEC / 2};

	copy_str(s.instance, sizeof(s.instance), instance);
	model_system.consume(m, &s.head);
}

static const struct system_snap *tick(struct model *m, u64 *now_ns)
{
	struct snap *s = model_system.tick(m, *now_ns, *now_ns + NSEC_PER_SEC / 2);

	*now_ns += NSEC_PER_SEC / 2;
	return (const void *)s;
}

static void rates_and_what_is_usual(void **state)
{
	struct model *m = model_system.new(NULL);
	const struct system_snap *s;
	u64 now = NSEC_PER_SEC;

	for (u32 i = 0; i < 300; i++) {
		put(m, FIGURE_FAULTS, "", 50);
		put(m, FIGURE_RUNNING, "", 3);
		snap__put(tick(m, &now));
	}
	put(m, FIGURE_FAULTS, "", 5000);
	s = tick(m, &now);
	assert_true(system__rate(s, FIGURE_FAULTS, "") == 10000);
	assert_true(system__series(s, FIGURE_FAULTS, "")->usual == 100);
	assert_int_equal(system__series(s, FIGURE_FAULTS, "")->ntrend, SYSTEM_TREND);
	/* what nothing came of is not there any more */
	assert_false(system__has(s, FIGURE_RUNNING));
	assert_null(system__series(s, FIGURE_RUNNING, ""));
	snap__put(s);
	model_system.free(m);
}

static void memory_is_bounded(void **state)
{
	struct model *m = model_system.new(NULL);
	const struct system_snap *s;
	u64 now = 100 * NSEC_PER_SEC;
	char name[32];

	for (u32 i = 0; i < SYSTEM_MAX_SERIES + 10; i++) {
		snprintf(name, sizeof(name), "net%u", i);
		put(m, FIGURE_NET_RX_BYTES, name, 1);
	}
	for (u32 i = 1; i <= SYSTEM_MAX_PROCESSES + 5; i++) {
		struct usage_sample u = {
			.head.type = SAMPLE_USAGE, .pid = i, .start = i, .span_ns = 1, .state = 'R'};

		model_system.consume(m, &u.head);
	}
	s = tick(m, &now);
	assert_int_equal(s->nseries, SYSTEM_MAX_SERIES);
	assert_int_equal(s->nprocesses, SYSTEM_MAX_PROCESSES);
	assert_int_equal(s->left_out, 15);
	snap__put(s);
	now += 100 * NSEC_PER_SEC;
	put(m, FIGURE_FAULTS, "", 1);
	s = tick(m, &now);
	assert_int_equal(s->nprocesses, 0);
	snap__put(s);
	model_system.free(m);
}

static void growth_without_a_break(void **state)
{
	struct model *m = model_system.new(NULL);
	const struct system_snap *s = NULL;
	u64 now = NSEC_PER_SEC;
	/* In the last but two it touched what it shares with others. */
	u64 mib[] = {10, 20, 30, 25, 26, 27, 28, 48, 49, 50};

	for (u32 i = 0; i < ARRAY_SIZE(mib); i++) {
		struct usage_sample u = {.head.type = SAMPLE_USAGE,
					 .pid = 7,
					 .start = 1,
					 .state = i > 4 ? 'D' : 'R',
					 .span_ns = NSEC_PER_SEC / 2,
					 .rss_bytes = mib[i] << 20,
					 .mapped_bytes = i == 7 ? 20 << 20 : 0};

		snap__put(s);
		model_system.consume(m, &u.head);
		s = tick(m, &now);
		if (i != 6)
			continue;
		assert_int_equal(system__process(s, 7)->grew, 3);
		assert_int_equal(system__process(s, 7)->grew_from_bytes, 25 << 20);
		assert_int_equal(system__process(s, 7)->blocked, 2);
	}
	assert_int_equal(system__process(s, 7)->grew, 2);
	assert_int_equal(system__process(s, 7)->grew_from_bytes, 48 << 20);
	assert_null(system__process(s, 8));
	snap__put(s);
	model_system.free(m);
}

/* Those on disks and in memory, each once; images are always full, and servers may not answer. */
static void filesystems_of_mountinfo(void **state)
{
	static const char text[] =
		"22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n"
		"23 22 0:5 / /proc rw - proc proc rw\n"
		"24 22 0:30 / /run rw,nosuid shared:5 - tmpfs tmpfs rw,size=100k\n"
		"25 22 254:0 /var/lib /mnt/a\\040b rw - ext4 /dev/vda rw\n"
		"26 22 254:16 / /data\\040x rw,noatime master:1 - xfs /dev/vdb ro,errors=remount-ro\n"
		"27 22 254:32 / /old ro - ext4 /dev/vdc ro\n"
		"32 22 254:48 / /late rw - ext4 /dev/vdd rw,errors=remount-ro,emergency_ro\n"
		"28 22 7:0 / /snap rw - squashfs /dev/loop0 ro\n"
		"29 22 0:50 / /nfs rw - nfs4 server:/x rw\n"
		"30 22 broken\n31 22 8:1 / /cut rw -";
	struct filesystem v[8];

	assert_int_equal(system__parse_mountinfo(text, v, 8), 5);
	assert_string_equal(v[0].path, "/");
	assert_string_equal(v[1].path, "/run");
	assert_string_equal(v[2].path, "/data x");
	assert_true(v[2].read_only);
	assert_string_equal(v[3].path, "/old");
	assert_true(v[4].read_only);
	assert_true(!v[0].read_only && !v[1].read_only && !v[3].read_only);
	assert_int_equal(system__parse_mountinfo(text, v, 2), 2);
	assert_int_equal(system__parse_mountinfo("", v, 8), 0);
}

static void memory_without_the_page_cache(void **state)
{
	assert_int_equal(system__parse_memory_stat("anon 100\nfile 5000\nkernel 7\nshmem 20\nanon_thp 9\n"), 120);
	assert_int_equal(system__parse_memory_stat("cache 900\nrss 1\nshmem 2\ntotal_cache 900\ntotal_rss 50\n"
						   "total_shmem 3\n"), 53);
	assert_int_equal(system__parse_memory_stat(""), 0);
}

static void crashes_of_messages(void **state)
{
	char comm[COMM_LEN];
	u32 pid;

	assert_true(notice__crash("my [x] app[77]: segfault at 0 ip 1 sp 2 error 4 in libc.so.6[1,2]", &pid, comm));
	assert_int_equal(pid, 77);
	assert_string_equal(comm, "my [x] app");
	assert_true(notice__crash("traps: calc[8] trap divide error ip:1 sp:2 error:0", &pid, comm));
	assert_string_equal(comm, "calc");
	assert_true(notice__crash("traps: a name that is longer than names are[9] general protection fault ip:1", &pid,
				  comm));
	assert_false(notice__crash("nvme nvme0[1]: ready", &pid, comm));
	assert_false(notice__crash("[", &pid, comm));
	assert_false(notice__crash("", &pid, comm));
}

static void clocks_that_are_slow(void **state)
{
	struct seen s = {0};

	system__parse_clocksource("tsc\n", &(struct figure_out){note, &s});
	system__parse_clocksource("", &(struct figure_out){note, &s});
	assert_int_equal(s.n, 0);
	system__parse_clocksource("hpet\n", &(struct figure_out){note, &s});
	assert_int_equal(value_of(&s, FIGURE_SLOW_CLOCK, "hpet"), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(filesystems_of_mountinfo),
		cmocka_unit_test(memory_without_the_page_cache),
		cmocka_unit_test(crashes_of_messages),
		cmocka_unit_test(clocks_that_are_slow),
		cmocka_unit_test(times_of_cpus),
		cmocka_unit_test(memory_and_pressure),
		cmocka_unit_test(disks_and_networks),
		cmocka_unit_test(interrupts),
		cmocka_unit_test(limits_and_cgroups),
		cmocka_unit_test(messages),
		cmocka_unit_test(processes),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(rates_and_what_is_usual),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(growth_without_a_break),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
