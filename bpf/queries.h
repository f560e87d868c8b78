/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of queries and user space hand to each other, beside what every measure does
 * (bpf/measure.h). */
#ifndef BPF_QUERIES_H
#define BPF_QUERIES_H

#include <linux/types.h>

#include "bpf/parts.h"

/* Words of labels. A statement is the hash of its text without literals; its lowest bit is the
 * dialect, which is the server's kind. */
enum { QUERIES_LABEL_QUERY, QUERIES_LABEL_ERROR, QUERIES_LABEL_SERVER };
#define QUERIES_NO_TEXT 2ULL /* beside the dialect: prepared before it was watched, or not readable */

/* Errors: 0 none, MariaDB's numbers, or that there was one. */
#define QUERIES_FAILED 0xffff

/* Cookies of probes: which function of which server it is; of MARIADB_COMMAND also where its second argument has how
 * many rows the statement returned, and changed, 0 not known. */
enum queries_probe {
	POSTGRESQL_ACTIVITY, /* pgstat_report_activity(state, text): NULL when it has nothing to do */
	POSTGRESQL_PORTAL,   /* PortalRun(): it executes */
	POSTGRESQL_ENDS,     /* EndCommand(&completion) */
	POSTGRESQL_FAILS,    /* AbortCurrentTransaction() */
	MARIADB_COMMAND,     /* dispatch_command(command, thd, packet, length, ...) */
	MARIADB_PREPARES,    /* Prepared_statement::prepare(text, length) */
	MARIADB_EXECUTES,    /* Prepared_statement::execute_loop() */
	MARIADB_FAILS,	     /* Protocol::net_send_error_packet(thd, error, ...) */
};

#define QUERIES_PROBE_MASK    0xffff
#define QUERIES_SENT_SHIFT    16 /* 24 bits, as those of changed */
#define QUERIES_CHANGED_SHIFT 40
#define QUERIES_ROWS_MASK     0xffffff
#define QUERIES_COOKIE(probe, sent, changed)                                                                           \
	((probe) | (__u64)(sent) << QUERIES_SENT_SHIFT | (__u64)(changed) << QUERIES_CHANGED_SHIFT)

/* Sums behind the parts of the time. */
enum { QUERIES_SUM_ROWS = PARTS };

/* The measure's own struct measure_stats.notes. */
enum { QUERIES_NOTE_LEFT, QUERIES_NOTE_BUSY };

/* Records in the ring: a process executes a program that has the name of a server. */
enum { RECORD_QUERIES_SERVER = 32 };

struct queries_server_record {
	__u32 type, tgid;
};

/* Prepared statements of MariaDB whose text is kept. */
#define QUERIES_PREPARED 4096

#endif
