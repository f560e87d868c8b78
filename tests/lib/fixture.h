/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded input for scripted sessions: a text file instead of the live machine.
 *
 *	# comment
 *	cpu COMM PID TID CPU CGROUP COUNT FRAME;FRAME;...     root first
 *	vitals USER_PCT SYSTEM_PCT LOAD1
 *	lost COUNT
 *	log info|warn|error TEXT
 *	tick                                                 ends an interval
 *
 * About the scheduler, times in milliseconds and states as in samples/sched.h:
 *
 *	wait COMM PID TID CGROUP STATE COUNT OFF RUNQ MAX OPEN WAKER [on=HEX] [object=HEX] FRAMES [| FRAMES]
 *		OPEN: how much of OFF belongs to a wait that goes on; WAKER: COMM:PID:TID, irq
 *		or -, its frames behind the bar
 *	task COMM PID TID CGROUP CPU STATE RUNNING RUNNABLE SLEEP DISK STOPPED [WORD ...]
 *		WORD: voluntary=N preempted=N migrations=N gone kthread, and of N of so long
 *		each delay=N:MS on=N:MS off=N:MS
 *	busy CPU BUSY SWITCHES LONGEST COMM PID TID          a CPU and who ran longest on it
 *	delay COMM PID TID CPU AGO DELAY HOLDER:PID:TID RAN FRAMES
 *	switch TID CPU AGO STATE FRAMES
 *
 * About the page cache, in pages:
 *
 *	cache COMM PID CGROUP DEV INODE PATH [NAME=N ...]	NAME: cache_count_names; PATH: "-" none
 *	miss PID CGROUP DEV INODE COUNT FRAMES			of what COMM did with the file
 *	totals CACHED BUFFERS DIRTY WRITEBACK REFAULTS EVICTED BLIND [AGE=N ...]
 *		MiB; BLIND: "-" none; AGE: position in ages
 *
 * About processes, times in milliseconds:
 *
 *	proc COMM PID TID PPID USER STATE NICE USER_MS SYSTEM RUNQ DISK LOCK WAIT SLEEP RSS_MIB [COMMAND]
 *		RSS_MIB 0: it has none; PPID 2: a kernel thread
 *	short COMM PPID PARENT COUNT SYSTEM_MS		short-lived ones, by who started them
 *
 * About BPF programs, runs since the last line of one; bpfstate ends a look:
 *
 *	prog ID NAME TYPE COMM PID RUNS RUN_NS ATTACHED		PID 0: nobody holds it; "-" nowhere
 *	map PROG ID NAME TYPE USED MAX BYTES			USED: "-" not known
 *	bpfstate CPUS SYSCTL OTHERS				OTHERS: "-" nobody
 *
 * About block I/O, times in microseconds, "-" not known:
 *
 *	io DEV OP COMM PID CGROUP INODE FILE [WORD ...]
 *		DEV: vda, or vda1/vda, a partition and its disk; OP: read, write, flush, discard,
 *		then +sync +meta +other; WORD: random=N sequential=N writeback kthread, and
 *		NxBYTES:TOTAL:QUEUED:DEVICE
 *	slow DEV OP COMM PID AGO_MS TOTAL QUEUED DEVICE SECTOR BYTES FILE FRAMES
 *	disk DEV IN_FLIGHT
 *
 * About measures (measures/measures.def), times in microseconds, values of counts as they are:
 *
 *	measure VIEW COMM PID TID CGROUP COUNT ERRORS SUM MIN MAX LABELS FRAMES
 *		COMM: THREAD/PROCESS where their names differ, or [rest]; LABELS: NAME=TEXT,...
 *		of the measure's own, sumN=VALUE, and the word waits; between the least and the greatest all
 *		are alike; the stack stands for all of them
 *	unfinished VIEW COMM PID TID CGROUP AGE_MS LABELS
 *	held VIEW COMM PID CGROUP HELD BYTES AGE_MS ACQUIRED BYTES RELEASED BYTES LABELS FRAMES
 *	took VIEW COMM PID TID CGROUP CPU AGO_MS TOOK LABELS "TEXT" FRAMES
 *
 * About the whole machine, of an interval:
 *
 *	figure NAME INSTANCE VALUE [PID]			NAME as in samples/figures.def; INSTANCE: "-"
 *		the machine
 *	usage COMM PID STATE CPUS USER_MS SYSTEM_MS FAULTS RSS_MIB READ_MIB [SWAPPED_MIB]
 *	notice LEVEL TEXT					a message of the kernel
 *
 * Frames are root first, "-" none. A frame is NAME, NAME@OBJECT or NAME@OBJECT@KIND with KIND user, kernel or jit; in names
 * \xHH is a byte, so that any name can be had. After the last interval the file begins again.
 * The event "refused" is refused.
 */
#ifndef TESTS_LIB_FIXTURE_H
#define TESTS_LIB_FIXTURE_H

#include "tui/program.h"

/* Reads the file (exits with a message when it is wrong); for program__main. */
const struct fixture *fixture__read(const char *path);

#endif
