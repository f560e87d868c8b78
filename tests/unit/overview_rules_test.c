// SPDX-License-Identifier: GPL-2.0-only
/* Each rule of the overview on figures that are made up: what it finds, how bad that is, and whom. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "scope/filter.h"
#include "tests/lib/overview_scene.h"

/* Two CPUs that are idle for the most part, much memory. */
#define ORDINARY                                                                                   \
	"figure user_ns - 100000000\nfigure system_ns - 50000000\nfigure idle_ns - 1850000000\n"   \
	"figure user_ns 0 50000000\nfigure idle_ns 0 950000000\n"                                  \
	"figure user_ns 1 50000000\nfigure idle_ns 1 950000000\n"                                  \
	"figure mem_total_bytes - 16000000000\nfigure mem_available_bytes - 12000000000\n"         \
	"figure psi_cpu_some_ns - 10000000\nfigure psi_io_some_ns - 1000000\n"                     \
	"figure psi_io_full_ns - 0\nfigure psi_memory_some_ns - 0\nfigure threads - 300\n"         \
	"figure pid_max - 32768\nfigure threads_max - 100000\nfigure files - 2000\n"               \
	"figure files_max - 1000000\nfigure forks - 10\nfigure context_switches - 3000\n"          \
	"figure busy_ns vda 10000000\nfigure reads vda 20\nfigure read_ns vda 10000000\n"          \
	"figure rx_drops eth0 0\nfigure rx_bytes eth0 5000\nfigure tcp_out - 100\n"                \
	"figure tcp_connect_fails - 1\nfigure conntrack - 100\n"                                   \
	"figure conntrack_max - 65536\nfigure fs_used_bytes / 500000000000\n"                     \
	"figure fs_available_bytes / 100000000000\nfigure fs_read_only / 0\n"                     \
	"usage quiet 50 S 2 10 5 20 40 0\n"
#define COSTLY ORDINARY "figure own_cpu_ns - 400000000\n"

#define FULL                                                                                       \
	ORDINARY "figure idle_ns - 20000000\nfigure user_ns - 1500000000\n"                        \
		 "figure system_ns - 480000000\n"

/* A thread that sleeps all the time. */
#define HOLDER "task holder 20 21 0 0 S 100 0 900 0 0\n"

struct example {
	enum rule_id rule;
	enum severity severity;
	u32 pid; /* 0: nobody */
	const char *text; /* a part of it */
	const char *lines;
};

#define LOCK                                                                                       \
	"wait stock 10 11 0 S 40 340 0 9 0 holder:20:21 "                                          \
	"main@stock;pthread_mutex_lock@libc.so.6;futex_wait@[kernel]@kernel | main@holder\n"

/* A wait that goes on, for a lock of which its process's memory says who has it. */
#define WAITS                                                                                      \
	"wait stock 10 11 0 S 0 1000 0 1000 1 - object=7f00 "                                      \
	"main@stock;pthread_mutex_lock@libc.so.6;futex_wait@[kernel]@kernel\n"
#define HELD WAITS "holds owner 10 22 7f00\n"

/* A tick that came late in a function of the kernel. */
#define TICK "asm_sysvec_apic_timer_interrupt@[kernel]@kernel;hrtimer_interrupt@[kernel]@kernel\n"
#define LATE(who, function) "late " who " main@x;" function "@[kernel]@kernel;" TICK

static const struct example examples[] = {
	{RULE_CPU_FULL, SEVERITY_NOTE, 7, "all 2 CPUs are 99 % busy, and 31 % of the time",
	 FULL "figure psi_cpu_some_ns - 310000000\nusage burn 7 R 2 900 10 0 1 0\n"},
	{RULE_CPU_FULL, SEVERITY_NOTE, 7, "95 % of the time",
	 FULL "figure psi_cpu_some_ns - 950000000\nusage burn 7 R 2 900 10 0 1 0\n"},
	{RULE_CPU_FULL, SEVERITY_NOTE, 7, "some task waits for one: `burn` uses most, 99 % of a CPU",
	 FULL "figure psi_cpu_some_ns - 950000000\nusage burn 7 R 2 985 5 0 1 0\n"},
	{RULE_CPU_FULL, SEVERITY_NOTE, 7, "95 % of the time some task waits for one, 1.6 at a time: `a` uses most",
	 FULL "figure psi_cpu_some_ns - 950000000\nusage a 7 R 2 1900 0 0 1 0\n"
	      "task a 7 7 0 0 R 100 900 0 0 0\ntask b 8 8 0 0 R 300 700 0 0 0\n"},
	{RULE_CPU_FULL, SEVERITY_NOTE, 0, "some task waits for one: most goes into processes that have ended",
	 FULL "figure psi_cpu_some_ns - 950000000\nusage make 7 S 2 20 10 0 1 0\n"},
	{RULE_CPU_IMBALANCE, SEVERITY_NOTE, 7,
	 "CPU 0 is full (100 %) while CPU 1 is 95 % idle: `burn` is pinned to it",
	 ORDINARY "figure user_ns 0 1000000000\nfigure idle_ns 0 0\nusage burn 7 R 1 990 5 0 1 0\n"},
	{RULE_BUSY_PROCESS, SEVERITY_NOTE, 7, "`burn` uses 99 % of a CPU, 100 % of it in spin",
	 ORDINARY "usage burn 7 R 2 985 5 0 1 0\nsampled burn 7 90 main@burn;spin@burn\n"},
	{RULE_BUSY_PROCESS, SEVERITY_NOTE, 7, "`burn` uses 50 % of a CPU and waits for 50 % more",
	 ORDINARY "usage burn 7 R 2 490 5 0 1 0\ntask burn 7 7 0 0 R 500 500 0 0 0\n"},
	{RULE_HOT_FUNCTION, SEVERITY_NOTE, 7, "spin takes 90 % of all that is computed",
	 FULL "sampled burn 7 90 main@burn;spin@burn\nsampled quiet 50 10 main@quiet\n"},
	{RULE_HOT_FUNCTION, SEVERITY_NOTE, 7, "spin takes 90 % of all that is computed, 91 % of a CPU",
	 FULL "rate 99\nsampled burn 7 90 main@burn;spin@burn\nsampled quiet 50 10 main@quiet\n"},
	{RULE_KERNEL_TIME, SEVERITY_NOTE, 7, "`dd` takes 90 % of a CPU there, 100 % of it in write()",
	 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 1000000000\n"
		  "usage dd 7 R 2 50 900 0 1 0\n"
		  "sampled dd 7 60 main@dd;__x64_sys_write@[kernel]@kernel;copy@[kernel]@kernel\n"},
	{RULE_KERNEL_TIME, SEVERITY_NOTE, 7, "`kdamond` takes 90 % of a CPU there, 75 % of it in walk",
	 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 1000000000\n"
		  "usage kdamond 7 R 2 0 900 0 1 0\n"
		  "sampled kdamond 7 45 loop@[kernel]@kernel;walk@[kernel]@kernel\n"
		  "sampled kdamond 7 15 loop@[kernel]@kernel\n"
		  "sampled dd 8 60 main@dd;__x64_sys_write@[kernel]@kernel;copy@[kernel]@kernel\n"},
	{RULE_KERNEL_TIME, SEVERITY_NOTE, 0, "such that have ended, 80 % of it by `cc1`, 60 % of it in execve()",
	 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 1000000000\n"
		  "sampled cc1 21 20 main@cc1;__x64_sys_execve@[kernel]@kernel\n"
		  "sampled cc1 22 20 main@cc1;__x64_sys_execve@[kernel]@kernel\n"
		  "sampled cc1 23 40 main@cc1;__x64_sys_read@[kernel]@kernel\n"
		  "sampled as 24 20 main@as;__x64_sys_execve@[kernel]@kernel\n"},
	{RULE_KERNEL_TIME, SEVERITY_NOTE, 0, "by many processes or such that have ended",
	 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 1000000000\n"},
	{RULE_INTERRUPTS, SEVERITY_WARNING, 0, "CPU 1 spends 10 % of its time in interrupts and 50 %",
	 ORDINARY "figure softirq_ns 1 500000000\nfigure irq_ns 1 100000000\n"
		  "figure idle_ns 1 350000000\n"},
	{RULE_INTERRUPTS, SEVERITY_WARNING, 0,
	 "60 % in softirqs; most interrupts are `eth0-rx`, 30000 a second; most softirqs NET_RX, 90000 a second",
	 ORDINARY "figure softirq_ns 1 600000000\nfigure idle_ns 1 350000000\n"
		  "figure interrupts_of timer 100\nfigure interrupts_of eth0-rx 30000\n"
		  "figure softirqs_of NET_RX 90000\nfigure softirqs_of RCU 10\n"},
	{RULE_STOLEN, SEVERITY_WARNING, 0, "11 % of all CPUs' time was stolen",
	 ORDINARY "figure steal_ns - 250000000\n"},
	{RULE_THROTTLED, SEVERITY_WARNING, 7, "`web` was throttled by its cgroup's CPU limit in 60 %",
	 ORDINARY "figure cgroup_periods /web 10\nfigure cgroup_throttled_periods /web 6\n"
		  "figure cgroup_throttled_ns /web 610000000 7\nusage web 7 S 2 400 10 0 1 0\n"},
	{RULE_SWITCHES, SEVERITY_NOTE, 7, "`ping` gets a CPU 45000 times a second",
	 ORDINARY "figure context_switches - 90000\ntask ping 7 7 0 0 S 500 0 500 0 0 on=45000:0\n"},
	{RULE_RUN_QUEUE, SEVERITY_NOTE, 7, "1.6 tasks wait for a CPU at any time, on 2 CPUs",
	 ORDINARY "task a 7 7 0 0 R 100 900 0 0 0\ntask b 8 8 0 0 R 300 700 0 0 0\n"},
	{RULE_STARVED, SEVERITY_WARNING, 7, "`z` waits 90 % of its time for a CPU, as it may run on 1 of 2",
	 ORDINARY "usage z 7 R 1 100 0 0 1 0\ntask z 7 7 0 0 R 100 900 0 0 0\n"},
	{RULE_STARVED, SEVERITY_WARNING, 7, "`z` waits 90 % of its time for a CPU",
	 FULL "usage z 7 R 2 100 0 0 1 0\ntask z 7 7 0 0 R 100 900 0 0 0\n"
	      "task a 8 8 0 0 R 950 50 0 0 0\ntask b 9 9 0 0 R 950 50 0 0 0\n"},
	{RULE_PRIORITY_INVERSION, SEVERITY_WARNING, 10, "held by holder/21, which waits 80 %",
	 ORDINARY LOCK "task holder 20 21 0 0 R 100 800 100 0 0\n"},
	{RULE_PRIORITY_INVERSION, SEVERITY_WARNING, 10, "held by owner/22, which waits 80 %",
	 ORDINARY HELD "task owner 10 22 0 0 R 100 800 100 0 0\n"},
	/* beside one that waits longer, for a lock whose holder runs */
	{RULE_PRIORITY_INVERSION, SEVERITY_WARNING, 10, "`stock` waits 34 % of its time for a lock held by holder/21",
	 ORDINARY LOCK "task holder 20 21 0 0 R 100 800 100 0 0\n"
		       "wait other 30 31 0 S 40 900 0 9 0 works:30:32 "
		       "main@other;pthread_mutex_lock@libc.so.6;futex_wait@[kernel]@kernel | main@other\n"
		       "task works 30 32 0 0 R 1000 0 0 0 0\n"},
	{RULE_USER_LOCK, SEVERITY_WARNING, 10,
	 "`stock` waits 34 % of its time for a lock, held by holder/21", ORDINARY LOCK HOLDER},
	{RULE_USER_LOCK, SEVERITY_WARNING, 10, "`stock` waits 100 % of its time for a lock, held by owner/22",
	 ORDINARY HELD HOLDER},
	{RULE_USER_LOCK, SEVERITY_WARNING, 10, "`stock` of `shopd` waits 100 % of its time for a lock, held by owner/22",
	 ORDINARY HELD HOLDER "usage shopd 10 S 2 50 0 0 1 0\n"},
	{RULE_USER_LOCK, SEVERITY_WARNING, 10, "`stock` waits 100 % of its time for a lock; nobody has let go of it yet",
	 ORDINARY WAITS HOLDER},
	{RULE_KERNEL_LOCK, SEVERITY_NOTE, 10, "`stock` waits 20 % of its time for a lock in the kernel",
	 ORDINARY "wait stock 10 11 0 D 40 200 0 9 0 holder:20:21 "
		  "main@stock;rwsem_down_write_slowpath@[kernel]@kernel | main@holder\n"},
	{RULE_FILE_LOCK, SEVERITY_NOTE, 10, "`cron` waits 100 % of its time for a lock of a file",
	 ORDINARY "flock cron 10 1000\n"},
	{RULE_DEADLOCK, SEVERITY_CRITICAL, 10,
	 "`stuck` is in a deadlock: stuck/11 for mutex of stuck/12, stuck/12 for mutex of stuck/11",
	 ORDINARY "owner 11 12\nowner 12 11\nowner 13 11\n"},
	{RULE_DISK_WAIT, SEVERITY_NOTE, 10, "`cat` waits 50 % of its time for a disk, 5.00 ms at a time",
	 ORDINARY "wait cat 10 10 0 D 100 500 0 9 0 irq main@cat;read@libc.so.6;"
		  "io_schedule@[kernel]@kernel\n"},
	{RULE_FSYNC, SEVERITY_WARNING, 10, "`db` waits 80 % of its time in fsync; disks are flushed",
	 ORDINARY "figure flushes vda 700\nfsync db 10 800\n"},
	{RULE_IO_PRESSURE, SEVERITY_WARNING, 7, "65 % of the time no task could go on",
	 ORDINARY "figure psi_io_full_ns - 650000000\nusage cp 7 D 2 10 10 0 1 100\n"},
	{RULE_DISK_SLOW, SEVERITY_WARNING, 7, "vda: a request takes 150.0 ms on average",
	 ORDINARY "figure read_ns vda 3000000000\nusage cp 7 D 2 10 10 0 1 100\n"},
	{RULE_DISK_BUSY, SEVERITY_NOTE, 7, "vda is busy 99 % of the time with 8.0 requests at once",
	 ORDINARY "figure busy_ns vda 990000000\nfigure reads vda 2000\nfigure read_ns vda 8000000000\n"
		  "usage cp 7 D 2 10 10 0 1 100\n"},
	{RULE_COLD_READS, SEVERITY_NOTE, 7, "`cp` reads 104.9 MB/s from disks",
	 ORDINARY "usage cp 7 D 2 10 10 0 1 100\n"},
	{RULE_CACHE_THRASH, SEVERITY_NOTE, 7, "5000 pages a second are read again",
	 ORDINARY "figure refault_file_pages - 5000\nusage cp 7 D 2 10 10 0 1 100\n"},
	{RULE_MEMORY_LOW, SEVERITY_WARNING, 7, "500 MB of memory are left of 16000 MB: `big`",
	 ORDINARY "figure mem_available_bytes - 500000000\nusage big 7 S 2 10 10 0 14000 0\n"},
	{RULE_RECLAIM, SEVERITY_NOTE, 10, "direct reclaim scans 4000 pages a second, 40 allocations stall: `x` waits 12 % of its time for memory",
	 ORDINARY "figure scan_direct_pages - 4000\nfigure alloc_stalls - 40\n"
		  "wait x 10 10 0 D 20 120 0 9 0 irq main@x;asm_exc_page_fault@[kernel]@kernel;"
		  "do_swap_page@[kernel]@kernel;io_schedule@[kernel]@kernel\n"},
	{RULE_SWAP, SEVERITY_WARNING, 0, "swap: 800 pages a second in, 400 out",
	 "figure swap_in_pages - 800\nfigure swap_out_pages - 400\n"},
	{RULE_SWAP, SEVERITY_WARNING, 7, "10 pages a second in, 800 out: `x` had most of them, 3.1 MB a second",
	 "figure swap_in_pages - 10\nfigure swap_out_pages - 800\nusage x 7 D 2 10 10 10 32 0 3\n"
	 "usage cp 8 D 2 10 10 9000 32 0 1\n"},
	{RULE_OOM_KILL, SEVERITY_CRITICAL, 4711, "the kernel killed `hog`",
	 ORDINARY "figure oom_kills - 1\nnotice 3 Out of memory: Killed process 4711 (hog) total-vm:1kB\n"},
	{RULE_OOM_KILL, SEVERITY_CRITICAL, 12, "killed 2 processes in the last minute, as memory ran out: `(sd-pam)`",
	 ORDINARY "figure oom_kills - 2\nnotice 3 Out of memory: Killed process 11 (hog) total-vm:1kB\n"
		  "notice 3 Memory cgroup out of memory: Killed process 12 ((sd-pam)) total-vm:1kB\n"},
	{RULE_OOM_KILL, SEVERITY_CRITICAL, 0, "the kernel killed a process in the last minute",
	 ORDINARY "figure oom_kills - 1\n"},
	{RULE_MEMORY_PRESSURE, SEVERITY_WARNING, 7, "for memory, all of them 0 %: `x` faults most, 5000 times a second",
	 ORDINARY "figure psi_memory_some_ns - 300000000\nusage x 7 D 2 10 10 5000 1 0\n"},
	{RULE_FAULT_STORM, SEVERITY_NOTE, 7, "`touch` faults 90000 times a second, in more pages than it has",
	 ORDINARY "usage touch 7 R 2 500 400 90000 1 0\n"},
	{RULE_FAULT_STORM, SEVERITY_NOTE, 7, "`fill` faults 90000 times a second",
	 ORDINARY "usage fill 7 R 2 500 400 90000 800 0\n"},
	{RULE_MAJOR_FAULTS, SEVERITY_NOTE, 7, "`cold` faults 300 times a second in pages",
	 ORDINARY "major cold 7 300\n"},
	{RULE_LEAK, SEVERITY_NOTE, 7, "`leak` has grown for 4 s without a break, by 21.0 MB a second",
	 ORDINARY "usage leak 7 S 2 5 5 0 100 0\ntick\n" ORDINARY "usage leak 7 S 2 5 5 0 120 0\ntick\n"
	 ORDINARY "usage leak 7 S 2 5 5 0 140 0\ntick\n" ORDINARY "usage leak 7 S 2 5 5 0 160 0\ntick\n"
	 ORDINARY "usage leak 7 S 2 5 5 0 180 0\n"},
	{RULE_COMPACTION, SEVERITY_NOTE, 7, "20 times a second a task has to wait",
	 ORDINARY "figure compact_stalls - 20\nusage huge 7 S 2 5 5 90 100 0\n"},
	{RULE_FORK_STORM, SEVERITY_NOTE, 7, "500 processes or threads a second are started, most by `make`",
	 ORDINARY "figure forks - 500\nparent make 7 220\nparent bash 8 18040\n"},
	{RULE_THREAD_STORM, SEVERITY_WARNING, 7, "there are 3000 threads, 10.0 times as many",
	 ORDINARY "tick\n" ORDINARY "tick\n" ORDINARY "tick\n" ORDINARY
	 "figure threads - 3000\nthreads pool 7 2700\n"},
	{RULE_THREAD_STORM, SEVERITY_WARNING, 0, "as in the minutes before",
	 ORDINARY "tick\n" ORDINARY "tick\n" ORDINARY "tick\n" ORDINARY
	 "figure threads - 3000\nthreads server 7 60\n"},
	{RULE_D_STATE, SEVERITY_NOTE, 7, "1 process was in D",
	 ORDINARY "usage hung 7 D 2 0 0 0 1 0\ntick\n" ORDINARY "usage hung 7 D 2 0 0 0 1 0\ntick\n"
	 ORDINARY "usage hung 7 D 2 0 0 0 1 0\n"},
	{RULE_FILES_NEAR, SEVERITY_WARNING, 7, "`leaky` has 1000 files open of the 1024",
	 ORDINARY "files leaky 7 1000 1024\n"},
	{RULE_FILES_NEAR, SEVERITY_NOTE, 0, "900000 files are open on the machine",
	 ORDINARY "figure files - 900000\n"},
	{RULE_PIDS_NEAR, SEVERITY_WARNING, 7, "there are 32000 threads of the 32768",
	 ORDINARY "figure threads - 32000\nthreads pool 7 31000\n"},
	{RULE_PIDS_NEAR, SEVERITY_WARNING, 9, "may be: `prefork` and its children have 30000",
	 ORDINARY "figure threads - 32000\nfigure threads_of_one children 30000 9\n"
		  "usage prefork 9 S 2 5 5 0 1 0\nthreads pool 7 100\n"},
	{RULE_NET_DROPS, SEVERITY_NOTE, 0, "eth0 drops 12 packets a second coming in (0 received) and 3 going out",
	 ORDINARY "figure rx_drops eth0 12\nfigure tx_drops eth0 3\n"},
	{RULE_RETRANSMITS, SEVERITY_NOTE, 0, "TCP sends 30 segments a second again, 3.0 %",
	 ORDINARY "figure tcp_out - 1000\nfigure tcp_retransmits - 30\n"},
	{RULE_RETRANSMITS, SEVERITY_WARNING, 7, "loses some, most of `fetch` to 10.0.0.2:443",
	 ORDINARY "figure tcp_out - 1000\nfigure tcp_retransmits - 60\n"
		  "connection other 8 10.0.0.3:80 2 0\nconnection fetch 7 10.0.0.2:443 50 0\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_NOTE, 0, "7 connections a second found the queue of a listening",
	 ORDINARY "figure tcp_listen_overflows - 7\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_NOTE, 9, "the queue of a listening socket full: `nap` does not",
	 ORDINARY "figure tcp_listen_overflows - 7 9\nusage nap 9 S 2 0 0 0 1 0\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_NOTE, 7, "the queue of 10.0.0.1:80 full: `busy` does not accept",
	 ORDINARY "figure tcp_listen_overflows - 7\nconnection busy 7 0.0.0.0:0 0 7\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_WARNING, 7, "700 UDP packets a second found the queue of `slow`",
	 ORDINARY "figure udp_receive_queue_full - 700 7\nusage slow 7 S 2 5 5 0 1 0\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_WARNING, 9, "700 UDP packets a second found the queue of `nap`",
	 ORDINARY "figure udp_receive_queue_full - 700 7\nusage slow 7 S 2 5 5 0 1 0\n"
		  "socket few 8 udp 3\nsocket nap 9 udp 697\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_WARNING, 0, "700 UDP packets a second found the queue of their socket",
	 ORDINARY "figure udp_receive_queue_full - 700\nsocket raw 9 icmp 697\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_NOTE, 9, "9 connections a second found the queue of a listening socket full: `nap`",
	 ORDINARY "figure tcp_listen_overflows - 7 9\nfigure tcp_listen_overflows web 2\nusage nap 9 S 2 0 0 0 1 0\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_NOTE, 0, "9 connections a second found the queue of a listening socket in network "
	 "namespace web full: who listens",
	 ORDINARY "figure tcp_listen_overflows - 2 9\nfigure tcp_listen_overflows web 7\nusage nap 9 S 2 0 0 0 1 0\n"},
	{RULE_SOCKET_QUEUES, SEVERITY_WARNING, 0, "700 UDP packets a second found the queue of their socket in network "
	 "namespace 4026532201 full",
	 ORDINARY "figure udp_receive_queue_full - 0\nfigure udp_receive_queue_full 4026532201 700\n"},
	{RULE_NET_SATURATED, SEVERITY_WARNING, 0, "eth0 carries 960 Mbit/s of the 1000",
	 ORDINARY "figure mbit eth0 1000\nfigure rx_bytes eth0 120000000\n"},
	{RULE_CLOCK_STEP, SEVERITY_WARNING, 0, "the time of day jumped by 2.0 s",
	 ORDINARY "figure clock_step_ns - 2000000000\n"},
	{RULE_KERNEL_MESSAGES, SEVERITY_NOTE, 0, "the kernel logged 1 error in the last minute: \"EXT4",
	 ORDINARY "notice 3 EXT4-fs error\nnotice 6 eth0: link up\n"},
	{RULE_KERNEL_MESSAGES, SEVERITY_CRITICAL, 0, "logged 1 error",
	 ORDINARY "notice 1 double fault\n"},
	{RULE_IRQS_OFF, SEVERITY_WARNING, 0,
	 "CPU 1 took no interrupts for 120.0 ms in send_sig, while `kill` ran: 3 times in the last minute",
	 ORDINARY LATE("kill 7 1 120", "send_sig") LATE("kill 7 0 11", "send_sig") LATE("cc1 9 1 500", "vm_area_dup")
	 "tick\n" ORDINARY LATE("kill 7 1 120", "send_sig")},
	{RULE_SOFTIRQ_LONG, SEVERITY_NOTE, 0, "softirq NET_RX kept CPU 1 for 15.0 ms at a time, 3 times",
	 ORDINARY "softirq 1 NET_RX 11\nsoftirq 0 RCU 80\nsoftirq 0 NET_RX 12\nsoftirq 0 NET_RX 9\n"
		  "softirq 1 NET_RX 15\n"},
	{RULE_VM_EXITS, SEVERITY_NOTE, 7,
	 "the guest of `qemu` is left for 80 % of the time that it wants to run, 5000 times a second: most of it goes into io",
	 ORDINARY "exits qemu 7 io 4000 600 100\nexits qemu 7 msr 1000 200 100\nexits qemu 7 hlt 100 900 0\n"},
	{RULE_BPF_PROGRAMS, SEVERITY_NOTE, 7,
	 "BPF program `handle` of `bpftrace` takes 20 % of a CPU: it runs 100000 times a second, 2.0 us each, at sys_enter",
	 ORDINARY "program handle bpftrace 7 100000 200\nprogram other systemd 1 10 1\nprogram mine proftop 0 500 900\n"},
	{RULE_MEMORY_BOUND, SEVERITY_NOTE, 7,
	 "`walk` waits for memory: 4.0 cycles an instruction, and 30 of 1,000 instructions miss",
	 ORDINARY "usage walk 7 R 2 900 10 0 1 0\ncounted walk 7 cycles 4000000\ncounted walk 7 instructions 1000000\n"
		  "counted walk 7 cache-misses 30000\ncounted quiet 50 cycles 10\n"},
	{RULE_CONNECT_FAILS, SEVERITY_NOTE, 0, "30 TCP connections a second come to nothing",
	 ORDINARY "figure tcp_connect_fails - 30\n"},
	{RULE_CONNECT_FAILS, SEVERITY_NOTE, 7, "not answered, most of `fetch` to 10.0.0.2:443",
	 ORDINARY "figure tcp_connect_fails - 30\nrefused fetch 7 10.0.0.2:443 30\nrefused other 8 10.0.0.3:443 1\n"},
	{RULE_CONNECT_FAILS, SEVERITY_NOTE, 0, "36 TCP connections a second come to nothing: refused, reset or not answered, "
	 "most in network namespace web",
	 ORDINARY "figure tcp_connect_fails - 6\nfigure tcp_connect_fails web 30\n"},
	{RULE_RETRANSMITS, SEVERITY_WARNING, 0, "again, 6.0 % of all: the network loses some, most in network namespace web",
	 ORDINARY "figure tcp_out - 500\nfigure tcp_retransmits - 1\nfigure tcp_out web 500\nfigure tcp_retransmits web 59\n"},
	{RULE_SYN_FLOOD, SEVERITY_WARNING, 0, "700 connections a second find the queue of half-open ones full: 100 are",
	 ORDINARY "figure tcp_syn_cookies web 600\nfigure tcp_syn_drops web 100\n"},
	{RULE_SYN_FLOOD, SEVERITY_WARNING, 0, "700 connections a second find the queue of half-open ones full: 100 are",
	 ORDINARY "figure tcp_syn_cookies - 600\nfigure tcp_syn_drops - 100\n"},
	{RULE_SLOW_CLOCK, SEVERITY_NOTE, 0, "the kernel's clock is hpet", ORDINARY "figure slow_clock hpet 1\n"},
	{RULE_ZOMBIES, SEVERITY_NOTE, 7, "400 processes have ended, and nobody waits for them: `boss` started",
	 ORDINARY "figure zombies - 400 7\ntick\n" ORDINARY "figure zombies - 420 7\ntick\n"
	 ORDINARY "figure zombies - 500 7\nusage boss 7 S 2 5 5 0 1 0\n"},
	{RULE_CRASHES, SEVERITY_WARNING, 0, "3 processes crashed in the last minute, `web app` last: \"web app[13]: segf",
	 ORDINARY "notice 6 web[11]: segfault at 0 ip 1 sp 2 error 4\nnotice 6 traps: web[12] trap divide error ip:1\n"
		  "notice 6 web app[13]: segfault at 8 ip 1 sp 2 error 4\nnotice 6 eth0: link up\n"},
	{RULE_NUMA_MISSES, SEVERITY_NOTE, 7, "5000 pages a second come from another node",
	 ORDINARY "figure numa_miss_pages - 5000\nusage big 7 S 2 10 10 0 14000 0\n"},
	{RULE_PIDS_NEAR, SEVERITY_WARNING, 7, "cgroup /web has 96 of the 100 threads that it may: `web` is in it",
	 ORDINARY "figure cgroup_pids_max /web 100\nfigure cgroup_pids /web 96 7\nusage web 7 S 2 5 5 0 1 0\n"},
	{RULE_CGROUP_MEMORY, SEVERITY_WARNING, 7, "cgroup /web uses 98 of the 100 MB of memory that it may",
	 ORDINARY "figure cgroup_memory_max_bytes /web 100000000\nfigure cgroup_memory_bytes /web 98000000 7\n"
		  "usage web 7 S 2 5 5 0 1 0\n"},
	{RULE_CONNTRACK_NEAR, SEVERITY_WARNING, 0, "the firewall tracks 64000 connections of the 65536",
	 ORDINARY "figure conntrack - 64000\nfigure conntrack_max - 65536\n"},
	{RULE_DISK_FULL, SEVERITY_WARNING, 7, "/var is 99 % full, 10 MB are left: `logger` writes most, 20.0 MB/s",
	 ORDINARY "figure fs_used_bytes /var 990000000\nfigure fs_available_bytes /var 10000000\nwrites logger 7 20\n"},
	{RULE_DISK_FULL, SEVERITY_CRITICAL, 0, "/tmp has 1000 files of the 1000 that it may",
	 ORDINARY "figure fs_used_bytes /tmp 10\nfigure fs_available_bytes /tmp 10000000\n"
		  "figure fs_inodes_used /tmp 1000\nfigure fs_inodes_free /tmp 0\n"},
	{RULE_READ_ONLY, SEVERITY_CRITICAL, 0, "/data is mounted to be written, and the kernel has made it read-only",
	 ORDINARY "figure fs_read_only / 0\nfigure fs_read_only /data 1\n"},
	{RULE_TRACING_COST, SEVERITY_WARNING, 0, "proftop itself takes 20.0 % of all CPUs",
	 COSTLY "tick\n" COSTLY "tick\n" COSTLY "tick\n" COSTLY "tick\n" COSTLY "tick\n" COSTLY "tick\n"
	 COSTLY "tick\n" COSTLY},
};

static const struct finding *find(const struct overview_result *a, const struct example *e)
{
	for (u32 i = 0; i < a->nfindings; i++)
		if (a->findings[i].rule == e->rule && strstr(a->findings[i].text, e->text))
			return &a->findings[i];
	return NULL;
}

static void print_findings(const struct overview_result *a)
{
	for (u32 i = 0; i < a->nfindings; i++)
		printf("%s %s %u: %s\n", severity_names[a->findings[i].severity],
		       overview_rules[a->findings[i].rule].name, a->findings[i].pid,
		       a->findings[i].text);
}

/* --- tests --- */

static void check_example(const struct example *e)
{
	const struct overview_rule *rule = &overview_rules[e->rule];
	const struct finding *found;
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, e->lines);
	a = ask(&s, NULL);
	found = find(a, e);
	if (!found || found->severity != e->severity || found->pid != e->pid) {
		print_findings(a);
		fail_msg("%s: wanted %s about %u: %s", rule->name, severity_names[e->severity], e->pid,
			 e->text);
	}
	assert_true(found->value >= rule->from[found->severity]);
	query_result__free(&a->base);
	scene__fini(&s);
}

static void each_rule_finds_what_it_is_for(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(examples); i++)
		check_example(&examples[i]);
}

static void each_rule_has_an_example(void **state)
{
	for (u32 r = 0; r < RULES; r++) {
		u32 n = 0;

		for (u32 i = 0; i < ARRAY_SIZE(examples); i++)
			n += examples[i].rule == r;
		if (!n)
			fail_msg("%s has no example", overview_rules[r].name);
	}
}

static void thresholds_rise(void **state)
{
	for (u32 r = 0; r < RULES; r++) {
		const struct overview_rule *rule = &overview_rules[r];

		assert_true(rule->from[SEVERITY_NOTE] <= rule->from[SEVERITY_WARNING] ||
			    rule->from[SEVERITY_CRITICAL] == 1);
		assert_true(rule->from[SEVERITY_WARNING] <= rule->from[SEVERITY_CRITICAL] ||
			    rule->from[SEVERITY_CRITICAL] == 1);
		assert_true(*rule->name && *rule->view && *rule->basis && *rule->help);
	}
}

static void an_ordinary_machine_has_no_findings(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	for (u32 i = 0; i < 5; i++)
		put_lines(&s, ORDINARY HOLDER);
	a = ask(&s, NULL);
	if (a->nfindings)
		print_findings(a);
	assert_int_equal(a->nfindings, 0);
	assert_int_equal(a->nrules, RULES);
	query_result__free(&a->base);
	scene__fini(&s);
}

/* What is not there is not looked at, and that is told. */
static void models_that_are_missing_are_told(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, ORDINARY LOCK);
	s.frame.feeds[MODEL_WAITS].state = FEED_OFF;
	s.frame.feeds[MODEL_PROFILE].state = FEED_FAILED;
	a = ask(&s, NULL);
	assert_int_equal(a->nfindings, 0);
	assert_true(a->nrules < RULES);
	assert_true(a->missing == (1ULL << MODEL_WAITS | 1ULL << MODEL_PROFILE));
	query_result__free(&a->base);
	scene__fini(&s);
}

static void the_worst_comes_first(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, ORDINARY LOCK HOLDER
		  "notice 1 double fault\nusage cp 7 D 2 10 10 0 1 100\n");
	a = ask(&s, NULL);
	assert_int_equal(a->nfindings, 3);
	assert_int_equal(a->findings[0].rule, RULE_KERNEL_MESSAGES);
	assert_int_equal(a->findings[1].rule, RULE_USER_LOCK);
	assert_int_equal(a->findings[2].rule, RULE_COLD_READS);
	assert_string_equal(a->findings[1].filter, "pid=10");
	assert_string_equal(a->findings[1].view, "offcpu");
	query_result__free(&a->base);
	scene__fini(&s);
}

static const struct finding *finding_of(const struct overview_result *a, enum rule_id rule)
{
	for (u32 i = 0; i < a->nfindings; i++)
		if (a->findings[i].rule == rule)
			return &a->findings[i];
	print_findings(a);
	fail_msg("no %s", overview_rules[rule].name);
	return NULL;
}

/* What stands by itself, and what is a part of it: as severe as the worse of both, and shown alone. */
static void findings_of_one_cause_are_one(void **state)
{
	static const struct {
		enum rule_id cause, part;
		bool joined;
		const char *lines;
	} cases[] = {
		{RULE_PRIORITY_INVERSION, RULE_USER_LOCK, true,
		 ORDINARY LOCK "task holder 20 21 0 0 R 100 800 100 0 0\n"},
		{RULE_PRIORITY_INVERSION, RULE_STARVED, false,
		 FULL LOCK "task holder 20 21 0 0 R 100 800 100 0 0\n"
			   "task a 8 8 0 0 R 950 50 0 0 0\ntask b 9 9 0 0 R 950 50 0 0 0\n"},
		{RULE_DEADLOCK, RULE_USER_LOCK, true, ORDINARY WAITS HOLDER "owner 11 12\nowner 12 11\n"},
		{RULE_BUSY_PROCESS, RULE_HOT_FUNCTION, true,
		 FULL "rate 99\nusage burn 7 R 2 985 5 0 1 0\nsampled burn 7 90 main@burn;spin@burn\n"},
		{RULE_BUSY_PROCESS, RULE_CPU_IMBALANCE, true,
		 ORDINARY "figure user_ns 0 1000000000\nfigure idle_ns 0 0\nusage burn 7 R 2 990 5 0 1 0\n"},
		{RULE_BUSY_PROCESS, RULE_CPU_IMBALANCE, false,
		 ORDINARY "figure user_ns 0 1000000000\nfigure idle_ns 0 0\nusage burn 7 R 1 990 5 0 1 0\n"},
		{RULE_KERNEL_TIME, RULE_BUSY_PROCESS, true,
		 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 1000000000\nusage dd 7 R 2 50 900 0 1 0\n"},
		{RULE_KERNEL_TIME, RULE_BUSY_PROCESS, false,
		 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 100000000\nusage cc1 7 R 2 900 800 0 1 0\n"},
		{RULE_FORK_STORM, RULE_KERNEL_TIME, true,
		 ORDINARY "figure system_ns - 900000000\nfigure idle_ns - 1000000000\nfigure forks - 500\n"
			  "parent make 7 900\n"},
		{RULE_CPU_FULL, RULE_RUN_QUEUE, true,
		 FULL "figure psi_cpu_some_ns - 950000000\nusage a 7 R 2 1900 0 0 1 0\n"
		      "task a 7 7 0 0 R 100 900 0 0 0\ntask b 8 8 0 0 R 300 700 0 0 0\n"},
		{RULE_FSYNC, RULE_DISK_WAIT, true, ORDINARY "figure flushes vda 700\nfsync db 10 800\n"},
		{RULE_DISK_BUSY, RULE_IO_PRESSURE, true,
		 ORDINARY "figure busy_ns vda 990000000\nfigure read_ns vda 9500000000\nfigure reads vda 2100\n"
			  "figure psi_io_full_ns - 650000000\nusage cp 7 D 2 10 10 0 1 100\n"},
		{RULE_OOM_KILL, RULE_KERNEL_MESSAGES, true,
		 ORDINARY "figure oom_kills - 1\n"
			  "notice 3 Out of memory: Killed process 77 (cc1) total-vm:100kB\n"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct finding *cause, *part;
		struct overview_result *a;
		struct scene s;

		scene__init(&s);
		put_lines(&s, cases[i].lines);
		a = ask(&s, NULL);
		cause = finding_of(a, cases[i].cause);
		part = finding_of(a, cases[i].part);
		if ((part->part_of == (int)cases[i].cause) != cases[i].joined) {
			print_findings(a);
			fail_msg("%s of %s", overview_rules[cases[i].part].name, overview_rules[cases[i].cause].name);
		}
		assert_int_equal(part >= a->findings + a->nfindings - a->nparts, cases[i].joined);
		if (cases[i].joined)
			assert_true(cause->severity >= part->severity);
		query_result__free(&a->base);
		scene__fini(&s);
	}
}

/* What it takes itself is told by a rule of its own. */
static void proftop_is_not_what_is_looked_for(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, FULL "figure psi_cpu_some_ns - 950000000\nown proftop 6 950\nusage burn 7 R 2 900 10 0 1 0\n"
			   "task proftop 6 6 0 0 R 100 900 0 0 0\ntask burn 7 7 0 0 R 900 100 0 0 0\n");
	a = ask(&s, NULL);
	assert_int_equal(finding_of(a, RULE_CPU_FULL)->pid, 7);
	assert_int_equal(finding_of(a, RULE_RUN_QUEUE)->pid, 7);
	for (u32 i = 0; i < a->nfindings; i++)
		assert_null(strstr(a->findings[i].text, "proftop"));
	query_result__free(&a->base);
	scene__fini(&s);
}

/* Before the first look at processes is over. */
static void nobody_is_named_who_is_not_known(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, "figure idle_ns - 20000000\nfigure user_ns - 1980000000\n"
		      "figure user_ns 0 990000000\nfigure user_ns 1 990000000\n"
		      "figure psi_cpu_some_ns - 900000000\n");
	a = ask(&s, NULL);
	assert_int_equal(a->findings[0].rule, RULE_CPU_FULL);
	assert_null(strchr(a->findings[0].text, '|'));
	assert_null(strchr(a->findings[0].text, '`'));
	assert_non_null(strstr(a->findings[0].text, "some task waits for one"));
	query_result__free(&a->base);
	scene__fini(&s);
}

#define CC1(pid) "task cc1 " pid " " pid " 0 0 R 250 750 0 0 0\n"

/* Eight jobs on two CPUs wait three quarters of their time each: the queue is long, nobody is starved, nor is one of
 * them that has a lock. */
static void who_gets_a_fair_share_is_not_starved(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, FULL "figure psi_cpu_some_ns - 1000000000\n" CC1("101") CC1("102") CC1("103")
			       CC1("104") CC1("105") CC1("106") CC1("107") CC1("108")
		      LOCK "task holder 20 21 0 0 R 250 750 0 0 0\n");
	a = ask(&s, NULL);
	assert_true(a->nfindings >= 3);
	for (u32 i = 0; i < a->nfindings; i++) {
		assert_int_not_equal(a->findings[i].rule, RULE_STARVED);
		assert_int_not_equal(a->findings[i].rule, RULE_PRIORITY_INVERSION);
		if (a->findings[i].rule != RULE_USER_LOCK)
			assert_int_equal(a->findings[i].severity, SEVERITY_NOTE);
	}
	query_result__free(&a->base);
	scene__fini(&s);
}

static void filters_leave_others_out(void **state)
{
	struct filter_error err;
	struct scope *scope = filter__parse("pid=8", &err);
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, ORDINARY "usage a 7 R 2 900 0 0 1 0\nusage b 8 R 2 950 0 0 1 0\n");
	a = ask(&s, scope);
	assert_int_equal(a->nfindings, 1);
	assert_int_equal(a->findings[0].pid, 8);
	assert_int_equal(a->nprocesses, 1);
	query_result__free(&a->base);
	scope__put(scope);
	scene__fini(&s);
}

/* Samples of nothing, and of no interval to speak of. */
static void short_intervals_say_nothing(void **state)
{
	struct overview_result *a;
	struct scene s;
	struct snap *snap;

	scene__init(&s);
	put_lines(&s, FULL);
	snap = (struct snap *)s.frame.snaps[MODEL_SYSTEM];
	snap->t1_ns = snap->t0_ns + OVERVIEW_MIN_NS - 1;
	a = ask(&s, NULL);
	assert_true(a->too_short);
	assert_int_equal(a->nfindings, 0);
	query_result__free(&a->base);
	scene__fini(&s);
}

#define IDLE "late swapper 0 1 120 do_idle@[kernel]@kernel;default_idle@[kernel]@kernel;" TICK

/* Ticks that were late in a program, while a CPU was idle, or anywhere: nobody kept interrupts off, the hypervisor
 * did not let the CPU run. A guest that is left as it has nothing to do, and a program of little time. */
static void what_only_looks_bad_is_left_out(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, ORDINARY
		  "late burn 7 1 120 main@burn;" TICK "late burn 7 1 120 main@burn;" TICK
		  "late burn 7 1 120 main@burn;" TICK LATE("burn 7 1 120", "a") LATE("burn 7 0 120", "b")
		  LATE("burn 7 0 120", "c") LATE("burn 7 0 9", "c") LATE("burn 7 0 8", "c") IDLE IDLE IDLE
		  "figure zombies - 300\nexits qemu 8 hlt 1000 950 40\nexits qemu 8 io 100 2 0\n"
		  "usage walk 9 R 2 700 10 0 1 0\ncounted walk 9 cycles 4000000\n"
		  "counted walk 9 instructions 1000000\ncounted walk 9 cache-misses 100\n");
	a = ask(&s, NULL);
	if (a->nfindings)
		print_findings(a);
	assert_int_equal(a->nfindings, 0);
	query_result__free(&a->base);
	scene__fini(&s);
}

#define IN_D ORDINARY "usage flush 7 D 2 0 0 0 1 0\n"
#define DISK_WAIT(counts) \
	"wait flush 7 7 0 D " counts " irq main@flush;read@libc.so.6;io_schedule@[kernel]@kernel\n"

/* At each look in D: in many short waits, or in one that does not end. */
static void who_goes_on_between_looks_does_not_hang(void **state)
{
	static const struct {
		const char *waits;
		bool hangs;
	} cases[] = {{DISK_WAIT("100 150 0 9 0"), false}, {DISK_WAIT("0 1000 0 1000 1000"), true}, {"", true}};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct overview_result *a;
		struct scene s;
		char lines[4096];
		bool found = false;

		scene__init(&s);
		snprintf(lines, sizeof(lines), IN_D "tick\n" IN_D "%s", cases[i].waits);
		put_lines(&s, lines);
		a = ask(&s, NULL);
		for (u32 j = 0; j < a->nfindings; j++)
			found |= a->findings[j].rule == RULE_D_STATE;
		if (found != cases[i].hangs)
			print_findings(a);
		assert_int_equal(found, cases[i].hangs);
		query_result__free(&a->base);
		scene__fini(&s);
	}
}

/* What is dear is asked for when something speaks for it. */
static void what_helps_is_asked_for_when_it_may(void **state)
{
	static const struct {
		const char *lines;
		enum model_id model;
	} cases[] = {
		{"figure guest_ns - 500000000\n", MODEL_KVM},
		{"usage dd 7 R 2 10 400 0 1 0\n", MODEL_IRQ},
		{"figure softirq_ns - 300000000\n", MODEL_IRQ},
		{"figure bpf_newest - 10\ntick\n" ORDINARY "figure bpf_newest - 12\n", MODEL_BPF},
		{"program handle bpftrace 7 100000 200\n", MODEL_BPF},
		{"figure hardware_counters - 1\nusage burn 7 R 2 700 0 0 1 0\n", MODEL_COUNTERS},
	};
	struct overview_result *a;
	struct scene s;

	for (u32 i = 0; i <= ARRAY_SIZE(cases); i++) {
		char lines[2048];

		scene__init(&s);
		snprintf(lines, sizeof(lines), "%s%s", ORDINARY, i ? cases[i - 1].lines : "");
		put_lines(&s, lines);
		a = ask(&s, NULL);
		for (u32 j = 0; j < ARRAY_SIZE(cases); j++)
			assert_int_equal(!!(a->helps & MODEL_BIT(cases[j].model)),
					 i && cases[j].model == cases[i - 1].model);
		query_result__free(&a->base);
		scene__fini(&s);
	}
}

/* What changes a little from interval to interval changes no order; what becomes much worse does. */
static void findings_of_much_the_same_weight_stay_where_they_are(void **state)
{
	static const struct {
		const char *lines;
		u32 first;
	} cases[] = {
		{"usage a 7 R 2 900 10 0 1 0\nusage b 8 R 2 950 10 0 1 0\n", 7},
		{"usage a 7 R 2 950 10 0 1 0\nusage b 8 R 2 900 10 0 1 0\n", 7},
		{"usage a 7 R 2 950 10 0 1 0\nusage b 8 R 2 1900 10 0 1 0\n", 8},
	};

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct overview_result *a;
		struct scene s;
		char lines[2048];

		scene__init(&s);
		snprintf(lines, sizeof(lines), "%s%s", ORDINARY, cases[i].lines);
		put_lines(&s, lines);
		a = ask(&s, NULL);
		assert_int_equal(a->nfindings, 2);
		assert_int_equal(a->findings[0].pid, cases[i].first);
		query_result__free(&a->base);
		scene__fini(&s);
	}
}

static void processes_come_by_what_they_want(void **state)
{
	struct overview_result *a;
	struct scene s;

	scene__init(&s);
	put_lines(&s, ORDINARY LOCK
		  "usage stock 10 S 2 50 0 0 1 0\nusage idle 11 S 2 100 0 0 1 0\n"
		  "task idle 11 11 0 0 S 100 0 900 0 0\n");
	a = ask(&s, NULL);
	assert_int_equal(a->processes[0].pid, 10);
	assert_true(a->processes[0].lock_pct > 33 && a->processes[0].lock_pct < 35);
	assert_true(a->processes[0].disk_pct >= 0);
	query_result__free(&a->base);
	scene__fini(&s);
}

/* One source serves waits and the scheduler: what it lost counts once. */
static void losses_and_costs_of_all_that_is_traced_are_summed(void **state)
{
	struct frame f = {.feeds = {
		[MODEL_SYSTEM] = {.state = FEED_LIVE, .health = {.samples = 5, .lost = 1}},
		[MODEL_WAITS] = {.state = FEED_LIVE, .health = {.lost = 20, .stacks_lost = 3, .run_pct = 0.5}},
		[MODEL_SCHED] = {.state = FEED_LIVE, .health = {.lost = 20, .stacks_lost = 3, .run_pct = 0.5}},
		[MODEL_PROFILE] = {.state = FEED_LIVE, .health = {.lost = 300, .cost_pct = 2, .map_fill_pct = 9}},
		[MODEL_CACHE] = {.state = FEED_FAILED, .health = {.lost = 4000, .cost_pct = 8}},
	}};
	struct health h;

	overview__health(&f, &h);
	assert_int_equal(h.samples, 5);
	assert_int_equal(h.lost, 321);
	assert_int_equal(h.stacks_lost, 3);
	assert_true(h.cost_pct > 2.49 && h.cost_pct < 2.51);
	assert_true(h.map_fill_pct > 8.9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(losses_and_costs_of_all_that_is_traced_are_summed),
		cmocka_unit_test(each_rule_finds_what_it_is_for),
		cmocka_unit_test(each_rule_has_an_example),
		cmocka_unit_test(thresholds_rise),
		cmocka_unit_test(an_ordinary_machine_has_no_findings),
		cmocka_unit_test(models_that_are_missing_are_told),
		cmocka_unit_test(the_worst_comes_first),
		cmocka_unit_test(findings_of_one_cause_are_one),
		cmocka_unit_test(proftop_is_not_what_is_looked_for),
		cmocka_unit_test(who_gets_a_fair_share_is_not_starved),
		cmocka_unit_test(filters_leave_others_out),
		cmocka_unit_test(nobody_is_named_who_is_not_known),
		cmocka_unit_test(short_intervals_say_nothing),
		cmocka_unit_test(what_only_looks_bad_is_left_out),
		cmocka_unit_test(who_goes_on_between_looks_does_not_hang),
		cmocka_unit_test(what_helps_is_asked_for_when_it_may),
		cmocka_unit_test(processes_come_by_what_they_want),
		cmocka_unit_test(findings_of_much_the_same_weight_stay_where_they_are),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
