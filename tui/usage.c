// SPDX-License-Identifier: GPL-2.0-only
/* What --help prints. */
#include <stdio.h>

#include "export/export.h"
#include "tui/options.h"
#include "tui/theme.h"
#include "tui/view.h"

static void usage_names(const char *option, const char *const *names)
{
	printf("      --%s NAME|FILE%*s", option, (int)(8 - strlen(option)), "");
	for (; *names; names++)
		printf("%s%s", *names, names[1] ? ", " : "; or a file of one's own\n");
}

void options__usage(void)
{
	fputs("usage: proftop [OPTIONS] [-- COMMAND [ARG...]]\n"
	      "Live triage: what is this machine doing, and where.\n\n"
	      "scope\n"
	      "  -p, --pid LIST          these processes (1,2,10-20)\n"
	      "  -t, --tid LIST          these threads\n"
	      "  -G, --cgroup GLOB       cgroups and what is below them (/system.slice/*)\n"
	      "  -C, --cpu LIST          these CPUs (0,2-3)\n"
	      "      --comm REGEX        threads with such names\n"
	      "      --filter EXPR       pid=1,2 tid=3 comm~REGEX cgroup=GLOB cpu=0-3 sym~REGEX\n"
	      "                          task=kernel state=D min=10ms max=1s; ! negates a term\n"
	      "sampling\n"
	      "  -F, --freq HZ           samples per second and CPU (99)\n"
	      "  -c, --period N          one sample every N events instead\n"
	      "  -e, --event EVENT       cycles:P, cpu-clock, page-faults, sched:sched_switch ...\n"
	      "      --counters LIST     what view counters counts: {cycles,instructions},page-faults\n"
	      "      --call-graph MODE   auto, eh (unwind tables), fp (frame\n"
	      "                          pointers) or off\n"
	      "      --stack-copy BYTES  of user stack with each sample where BPF cannot walk it\n"
	      "                          (8192)\n"
	      "      --sample-bytes N    of what is held, follow one object every N bytes; 0: all;\n"
	      "                          pages: what programs touched, no probe on malloc\n"
	      "      --watch PLACE       PROGRAM:SYMBOL[+OFF][/LEN][:ACCESS] or 0xADDRESS/LEN: who\n"
	      "                          touches it (up to four times)\n"
	      "display\n"
	      "  -V, --view NAME         view to begin with (see --list-views)\n"
	      "      --views NAME[,NAME..]  views that gather from the start, to be switched to\n"
	      "  -d, --delay SECONDS     length of an interval (1)\n"
	      "      --window NAME       last, decaying or total, to begin with\n"
	      "      --idle              count the idle task, show who waits idly\n"
	      "      --group KEY[,KEY..] what a row stands for; comm,symbol: the functions of\n"
	      "                          each command\n", stdout);
	for (u32 v = 0; v < VIEW_COUNT; v++)
		if (*view_table[v]->groups)
			printf("                          %s: %s\n", view_table[v]->name,
			       view_table[v]->groups);
	for (u32 p = 0; p < PANE_COUNT; p++)
		if (*pane_table[p]->groups)
			printf("                          %s: %s\n", pane_table[p]->name,
			       pane_table[p]->groups);
	fputs("      --preset NAME       what a tool that you know shows: opensnoop, biolatency ...\n"
	      "                          (see --list-presets)\n"
	      "      --sort COLUMN[:asc|:desc]  rows by a column, by its name in JSON; with it flame\n"
	      "                          graphs and stacks of system calls, files ... weigh its sums\n",
	      stdout);
	usage_names("keymap", keymap_names);
	usage_names("theme", theme_names);
	fputs("      --graphs NAME       braille, blocks or ascii\n"
	      "      --columns LIST      columns of the view, in their order, or VIEW:LIST;VIEW:LIST\n"
	      "      --ascii             no characters beyond ASCII\n"
	      "      --ask 'QUESTION'    count events or time pairs of them, in the kernel (repeatable):\n"
	      "                          count sched:sched_switch by prev_comm\n"
	      "      --function PATH:GLOB\n"
	      "                          time calls of functions (repeatable); PATH: a program,\n"
	      "                          a library or pid:N\n"
	      "      --function-waits    split their time: on CPU, run queue, waits by reason\n"
	      "      --lock-orders[=!]   locks: each mutex that is taken, for orders that may deadlock;\n"
	      "                          !: even where that takes more than a tenth of a CPU\n"
	      "      --do 'WORDS; WORDS' what the palette (:) takes, one after the other\n"
	      "      --config FILE       instead of ~/.config/proftop/config\n"
	      "      --no-config         neither that nor anything beside it is read\n"
	      "batch\n"
	      "  -b, --batch             no screen: reports on standard output\n"
	      "  -n, --iterations N      stop after N intervals\n"
	      "      --format NAME       ", stdout);
	for (u32 i = 0; i < export_nformats; i++)
		printf("%s%s", export_formats[i].name,
		       i + 1 == export_nformats ? "\n"
		       : i % 6 == 5		? ",\n                          "
						: ", ");
	fputs("  -o, --output FILE       to a file, format by its suffix; may be repeated\n"
	      "      --snapshot-on-signal[=FORMAT]  SIGUSR1 has each open view written to a new\n"
	      "                          file here (text)\n"
	      "record\n"
	      "      --record FILE       write what is sampled to a new file\n"
	      "      --replay FILE...    look at such a file, on any machine; also at perf.data of\n"
	      "                          perf record, folded stacks, heap profiles of tcmalloc and jemalloc;\n"
	      "                          of several machines side by side: --group host, --filter host=NAME\n"
	      "      --baseline FILE     compare with all of a recording: now, then, difference;\n"
	      "                          host=NAME: with that one of several that are replayed\n"
	      "      --speed FACTOR      of a replay (1)\n"
	      "      --from T, --to T    of a replay: +10s, -90s, 14:05, 14:05:33\n"
	      "      --history MIN[:MIB] how much of the past is kept for [ and ] (10:64); 0: nothing\n"
	      "serve\n"
	      "      --serve [ADDRESS:PORT]  no screen: metrics, profiles and views over HTTP\n"
	      "                          (127.0.0.1:9464), or the path of a socket; --view A,B,...\n"
	      "      --serve-token FILE  requests bring what it has: Authorization: Bearer\n"
	      "      --serve-cert FILE, --serve-key FILE  TLS, PEM\n"
	      "      --serve-clients FILE  who asks has a certificate of these authorities\n"
	      "      --serve-insecure    listen to other machines without these\n"
	      "      --redact REGEX      texts that it matches leave as [redacted]\n"
	      "      --connect HOST      the screens of another machine, which has proftop, by ssh\n"
	      "info\n"
	      "      --doctor            what this machine can do (--format json for machines)\n"
	      "      --list-views        the views and what they answer\n"
	      "      --list-events [GLOB]  events for -e\n"
	      "      --list-presets      the names that --preset takes\n"
	      "      --list-words        what --do and the palette take: commands and actions\n"
	      "      --symbols [PROGRAM] names addresses as pprof does, for HEAPCHECK: PPROF_PATH=proftop\n"
	      "      --version, -h, --help\n"
	      "testing\n"
	      "      --script FILE       a session's keys and checks from a file\n"
	      "      --size COLSxROWS    of the script's screen\n\n"
	      "Press ? inside for its keys. Exit codes: 0 done, 1 failure, 2 usage,\n"
	      "3 missing permission, 4 this kernel or CPU cannot do it.\n", stdout);
}
