// SPDX-License-Identifier: GPL-2.0-only
/* Queries of database servers: which statements, how often, how long, and what they wait for. */
#include <stdio.h>

#include "bpf/queries.h"
#include "measures/parts.h"
#include "measures/sql_text.h"

enum { BY_QUERY, BY_SERVER, BY_ERROR, BY_PID, BY_TID, BY_COMM, BY_CGROUP, LABELS };

static void server_text(u64 dialect, char *buf, size_t size)
{
	copy_str(buf, size, dialect == SQL_MARIADB ? "MariaDB" : "PostgreSQL");
}

static bool no_text(u64 statement, char *buf, size_t size)
{
	if (statement >> 2)
		return false;
	copy_str(buf, size, "[no text: prepared before it was watched]");
	return true;
}

static void error_text(u64 error, char *buf, size_t size)
{
	if (!error)
		copy_str(buf, size, "");
	else if (error == QUERIES_FAILED)
		copy_str(buf, size, "failed");
	else
		snprintf(buf, size, "%llu", (unsigned long long)error);
}

/* The programs send a query, one of those that are the statement. */
static void tidy_query(u64 statement, char *text, size_t size)
{
	bool cut = strlen(text) >= MEASURE_NAME_MAX - 2;

	sql_text__fold(statement & 1, text, cut, text, size);
}

static const struct measure_label labels[LABELS] = {
	[BY_QUERY] = {.name = "query", .title = "Query", .width = 48,
		      .help = "the statement: what queries that differ in literals alone have in common",
		      .word = QUERIES_LABEL_QUERY, .bits = 64, .known = no_text, .tidy = tidy_query},
	[BY_SERVER] = {.name = "server", .title = "Server", .width = 10,
		       .help = "PostgreSQL or MariaDB", .word = QUERIES_LABEL_SERVER, .bits = 1,
		       .text = server_text, .implied_by = 1u << BY_QUERY},
	[BY_ERROR] = {.name = "error", .title = "Error", .width = 8, .kind = LABEL_ERROR,
		      .help = "MariaDB's number of it; of PostgreSQL: failed",
		      .word = QUERIES_LABEL_ERROR, .bits = 16, .text = error_text},
	[BY_PID] = {PID_LABEL("process: of PostgreSQL the session's")},
	[BY_TID] = {TID_LABEL("thread: of MariaDB the session's")},
	[BY_COMM] = {COMM_LABEL("name of the thread")},
	[BY_CGROUP] = {.name = "cgroup", .title = "Cgroup", .width = 20, .kind = LABEL_CGROUP,
		       .help = "cgroup of the server"},
};

/* Its text as it was, as far as it is known, and what it waited for. */
static void slow_text(const struct measure_slow *slow, const struct measure_key *keys, char *buf,
		      size_t size)
{
	bool whole = slow->texts[0].arg == 0;
	char parts[160];

	parts__text(slow, parts, sizeof(parts));
	snprintf(buf, size, "%s%.*s%s: %s", slow->result ? "failed: " : "", (int)size - 256,
		 whole ? slow->texts[0].text : keys[BY_QUERY].text,
		 whole && slow->texts[1].arg == 1 ? slow->texts[1].text : "", parts);
}

const struct measure measure_queries = {
	MEASURE_HERE,
	.name = "queries",
	.noun = "queries",
	.event = "functions of PostgreSQL and MariaDB",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_QUERY,
	.kept = QUERIES_LABEL_QUERY,
	.sums = {PARTS_SUMS,
		 [QUERIES_SUM_ROWS] = {.name = "rows",
				       .title = "rows/s",
				       .help = "rows that were returned or changed",
				       .type = VALUE_COUNT}},
	.rest = {.name = "blocked_ns",
		 .title = "Blocked",
		 .help = "of the total: waiting, for a disk, a lock, the client or something else",
		 .type = VALUE_NS},
	.drills = (const u32[]){1u << BY_PID, 0},
	.notes = {[QUERIES_NOTE_LEFT] = "queries had not ended when their sessions did",
		  [QUERIES_NOTE_BUSY] = "slow queries were not listed: another thread's was taken"},
	.hint = "PostgreSQL and MariaDB are found by themselves when they run",
	.text = slow_text,
};
