// SPDX-License-Identifier: GPL-2.0-only
/*
 * Queries of database servers: a span from when a session takes a query up until it has nothing more
 * to do with it, by functions that its program exports. Each thread has one query at a time, in its own
 * storage with its text, so nothing here is shared between threads but stacks and slow ones.
 */
#include <linux/ptrace.h>

#include "bpf/queries.h"
#define MEASURE_MOMENT MOMENT_USER
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"
#include "bpf/parts.bpf.h"
#include "bpf/probe_scratch.bpf.h"
#include "bpf/sql_fold.h"

char LICENSE[] SEC("license") = "GPL";

/* MariaDB's enum enum_server_command. */
#define COM_QUERY	      3
#define COM_STMT_PREPARE      22
#define COM_STMT_EXECUTE      23
#define COM_STMT_BULK_EXECUTE 250

/* The query that a thread is at, in measure_task where it goes on. */
struct query {
	u32 open;     /* it was taken up */
	u32 executes; /* it counts: it is not only prepared */
	u32 failed;   /* QUERIES_LABEL_ERROR */
	u32 exec_id;
	u64 statement; /* QUERIES_LABEL_QUERY */
	u64 begin_ns;
	u64 rows;
	u64 connection; /* MariaDB's THD */
	struct parts parts;
	struct parts_ns at_begin; /* at its begin */
	struct sql_fold fold;
	u64 hash;
	struct measure_name name; /* its text */
};

TASK_MAP(queries, struct query);

struct prepared {
	u64 tgid, address;
};

LRU_MAP(prepared, QUERIES_PREPARED, struct prepared, struct measure_name);

/* --- text --- */

struct folding {
	struct query *q;
};

static long fold_byte(u32 i, struct folding *of)
{
	struct query *q = of->q;
	u32 c;

	if (!q || i >= MEASURE_NAME_MAX - 1)
		return 1;
	c = sql_fold__step(&q->fold, q->name.text[i], q->name.text[i + 1]);
	if (c)
		q->hash = (q->hash ^ c) * 0x100000001b3ULL;
	return 0;
}

/* Reads a text of at most `size` bytes for the current thread's query and sends it when it is due.
 * Returns its statement. Global: it is checked once. */
__noinline u64 query__read(u64 text, u64 size, u32 dialect, u64 now)
{
	struct query *q = bpf_task_storage_get(&queries, bpf_get_current_task_btf(), 0, 0);
	struct measure_stats *st = stats__get();
	struct folding of = {q};
	u64 statement;
	long len;

	if (!q || !st)
		return 0;
	barrier_var(size);
	if (size > MEASURE_NAME_MAX - 1)
		size = MEASURE_NAME_MAX - 1;
	barrier_var(size);
	len = bpf_probe_read_user_str(q->name.text, size & (MEASURE_NAME_MAX - 1), (void *)text);
	if (len <= 1 || len >= MEASURE_NAME_MAX)
		return QUERIES_NO_TEXT | dialect;
	__builtin_memset(&q->fold, 0, sizeof(q->fold));
	q->fold.dialect = dialect;
	q->hash = 0xcbf29ce484222325ULL;
	bpf_loop(len - 1, fold_byte, &of, 0);
	statement = (hash_finish(q->hash) & ~1ULL) | dialect;
	if (!(statement >> 2))
		statement |= 4;
	q->name.value = statement;
	if (name__is_due(QUERIES_LABEL_QUERY, statement, now, 0))
		name__send(&q->name, QUERIES_LABEL_QUERY, statement, len - 1, now, st);
	return statement;
}

/* --- spans --- */

static __always_inline struct query *query__get(struct task_struct *task, bool begins,
						struct measure_stats *st)
{
	struct query *q;

	q = bpf_task_storage_get(&queries, task, 0, begins ? BPF_LOCAL_STORAGE_GET_F_CREATE : 0);
	if (q && q->exec_id != task->self_exec_id) {
		q->open = 0;
		q->exec_id = task->self_exec_id;
	}
	if (!q && begins)
		st->tasks_full++;
	return q;
}

static __always_inline void query__begin(struct query *q, struct measure_task *t, u64 statement,
					 u64 now)
{
	q->open = 1;
	q->executes = q->failed = 0;
	q->rows = 0;
	q->begin_ns = now;
	q->at_begin = q->parts.ns;
	q->statement = statement;
	t->inside = 0;
	t->begin_ns = now;
	t->labels[QUERIES_LABEL_QUERY] = statement;
	t->labels[QUERIES_LABEL_SERVER] = statement & 1;
}

static __always_inline void query__executes(struct query *q, struct measure_task *t)
{
	q->executes = 1;
	t->inside = 1;
	t->labels[QUERIES_LABEL_QUERY] = q->statement;
}

/* Its text as it is, as far as there is room. */
static __always_inline void slow__text(struct measure_slow *r, const struct query *q)
{
	for (u32 i = 0; i < MEASURE_TEXTS; i++) {
		const u32 part = sizeof(r->texts[i].text) - 1;

		r->texts[i].arg = i;
		bpf_probe_read_kernel_str(r->texts[i].text, part + 1, q->name.text + i * part);
		if (!r->texts[i].text[part - 1])
			return;
	}
}

static __noinline int call__report(struct measure_span *s)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct query *q = bpf_task_storage_get(&queries, task, 0, 0);
	struct measure_slow *r = slow__begin(s, 0);
	struct measure_stats *st = stats__get();

	if (!r || !st || !q)
		return 0;
	__builtin_memset(r->args, 0, sizeof(r->args));
	parts__copy(r->args, &q->parts);
	if (q->statement >> 2)
		slow__text(r, q);
	slow__send(r, st);
	return 0;
}

static __always_inline void query__count(void *ctx, struct task_struct *task,
					 struct measure_task *t, struct query *q, u64 now,
					 struct measure_stats *st)
{
	u64 labels[MEASURE_LABELS] = {q->statement, q->failed, q->statement & 1}, stack;
	struct measure_span s = {.task = task,
				 .of = t,
				 .begin_ns = q->begin_ns,
				 .now = now,
				 .labels = labels,
				 .error = q->failed != 0,
				 .result = q->failed};
	struct measure_cell *cell = NULL;
	u32 *taken, counted;

	parts__end(&q->parts, &q->at_begin, now - q->begin_ns);
	counted = measure__end(ctx, &s, st, &stack, &cell);
	if (counted && cell) {
		parts__add(cell->sums, &q->parts);
		cell->sums[QUERIES_SUM_ROWS] += q->rows;
	}
	if (!(counted & MEASURE_IS_SLOW))
		return;
	taken = scratch__take();
	if (!taken) {
		st->notes[QUERIES_NOTE_BUSY]++;
		return;
	}
	call__report(&s);
	scratch__give(taken);
}

static __always_inline void query__end(void *ctx, struct task_struct *task, struct measure_task *t,
				       struct query *q, u64 now, struct measure_stats *st)
{
	if (!q->open)
		return;
	if (q->executes)
		query__count(ctx, task, t, q, now, st);
	q->open = 0;
	t->inside = 0;
}

/* --- PostgreSQL --- */

/* What is parsed and bound right before it executes is one query with it. */
static __always_inline void postgresql__activity(void *ctx, struct task_struct *task,
						 struct measure_task *t, u64 text, u64 now,
						 struct measure_stats *st)
{
	struct query *q = query__get(task, text != 0, st);
	u64 statement;

	if (!q)
		return;
	if (!text || q->executes)
		query__end(ctx, task, t, q, now, st);
	if (!text)
		return;
	statement = query__read(text, MEASURE_NAME_MAX, SQL_POSTGRESQL, now);
	if (!q->open || q->statement != statement)
		query__begin(q, t, statement, now);
}

/* struct QueryCompletion { CommandTag commandTag; uint64 nprocessed; } */
static __always_inline void postgresql__ends(struct query *q, u64 completion)
{
	u64 n = 0;

	bpf_probe_read_user(&n, sizeof(n), (void *)(completion + 8));
	q->rows += n;
}

/* --- MariaDB --- */

static __always_inline void mariadb__command(void *ctx, struct task_struct *task,
					     struct measure_task *t, u64 now,
					     struct measure_stats *st)
{
	struct pt_regs *regs = ctx;
	u32 command = PT_REGS_PARM1(regs);
	u64 statement = QUERIES_NO_TEXT | SQL_MARIADB;
	struct query *q = query__get(task, true, st);

	if (!q)
		return;
	q->open = 0;
	if (command == COM_QUERY)
		statement = query__read(PT_REGS_PARM3(regs), (u32)PT_REGS_PARM4(regs) + 1ULL,
					SQL_MARIADB, now);
	else if (command != COM_STMT_EXECUTE && command != COM_STMT_BULK_EXECUTE)
		return;
	query__begin(q, t, statement, now);
	query__executes(q, t);
	q->connection = PT_REGS_PARM2(regs);
}

static __always_inline s64 connection__rows(const struct query *q, u32 at)
{
	s64 n = 0;

	if (at)
		bpf_probe_read_user(&n, sizeof(n), (void *)(q->connection + at));
	return n > 0 ? n : 0;
}

/* What returns none has how many it changed. */
static __always_inline void mariadb__count_rows(struct query *q, u64 cookie)
{
	q->rows = connection__rows(q, cookie >> QUERIES_SENT_SHIFT & QUERIES_ROWS_MASK);
	if (!q->rows && !q->failed)
		q->rows = connection__rows(q, cookie >> QUERIES_CHANGED_SHIFT & QUERIES_ROWS_MASK);
}

/* Of the protocol: what a query prepares is not executed by its address alone. */
static __always_inline void mariadb__prepares(struct task_struct *task, void *ctx, u64 now,
					      struct measure_stats *st)
{
	struct pt_regs *regs = ctx;
	struct prepared key = {task->tgid, PT_REGS_PARM1(regs)};
	struct query *q = query__get(task, true, st);

	if (!q || q->open)
		return;
	if (query__read(PT_REGS_PARM2(regs), (u32)PT_REGS_PARM3(regs) + 1ULL, SQL_MARIADB, now) >> 2)
		bpf_map_update_elem(&prepared, &key, &q->name, BPF_ANY);
	else
		bpf_map_delete_elem(&prepared, &key);
}

static __always_inline void mariadb__executes(struct task_struct *task, struct measure_task *t,
					      struct query *q, void *ctx, u64 now,
					      struct measure_stats *st)
{
	struct prepared key = {task->tgid, PT_REGS_PARM1((struct pt_regs *)ctx)};
	struct measure_name *name = bpf_map_lookup_elem(&prepared, &key);
	long len;

	if (!name || q->statement >> 2)
		return;
	len = bpf_probe_read_kernel_str(q->name.text, sizeof(q->name.text), name->text);
	q->statement = name->value;
	query__executes(q, t);
	if (len > 0 && len < MEASURE_NAME_MAX &&
	    name__is_due(QUERIES_LABEL_QUERY, q->statement, now, 0))
		name__send(&q->name, QUERIES_LABEL_QUERY, q->statement, len - 1, now, st);
}

/* --- programs --- */

static __always_inline void query__step(void *ctx, struct task_struct *task, struct measure_task *t,
					struct query *q, u32 probe, u64 now,
					struct measure_stats *st)
{
	switch (probe) {
	case POSTGRESQL_PORTAL:
		query__executes(q, t);
		break;
	case POSTGRESQL_ENDS:
		postgresql__ends(q, PT_REGS_PARM1((struct pt_regs *)ctx));
		break;
	case POSTGRESQL_FAILS:
		query__executes(q, t);
		q->failed = QUERIES_FAILED;
		break;
	case MARIADB_FAILS:
		q->failed = (u16)PT_REGS_PARM3((struct pt_regs *)ctx);
		break;
	case MARIADB_EXECUTES:
		mariadb__executes(task, t, q, ctx, now, st);
		break;
	}
}

SEC("uprobe")
int queries_enter(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	u32 probe = bpf_get_attach_cookie(ctx) & QUERIES_PROBE_MASK;
	struct measure_task *t;
	struct query *q;
	u64 now;

	if (!st)
		return 0;
	now = run__begin(st);
	t = measure__task(task, st);
	if (!t)
		return 0;
	if (probe == POSTGRESQL_ACTIVITY) {
		postgresql__activity(ctx, task, t, PT_REGS_PARM2((struct pt_regs *)ctx), now, st);
	} else if (probe == MARIADB_COMMAND) {
		mariadb__command(ctx, task, t, now, st);
	} else if (probe == MARIADB_PREPARES) {
		mariadb__prepares(task, ctx, now, st);
	} else {
		q = query__get(task, false, st);
		if (q && q->open)
			query__step(ctx, task, t, q, probe, now, st);
	}
	run__end(st, now);
	return 0;
}

/* Of MARIADB_COMMAND. */
SEC("uprobe")
int queries_return(void *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_task *t;
	struct query *q;
	u64 now;

	if (!st)
		return 0;
	now = run__begin(st);
	q = query__get(task, false, st);
	t = q && q->open ? measure__task(task, st) : NULL;
	if (q && t) {
		mariadb__count_rows(q, bpf_get_attach_cookie(ctx));
		query__end(ctx, task, t, q, now, st);
	}
	run__end(st, now);
	return 0;
}

SEC("tp_btf/sched_process_exit")
int queries_gone(u64 *ctx)
{
	struct measure_stats *st = stats__get();
	struct query *q = bpf_task_storage_get(&queries, (void *)ctx[0], 0, 0);

	if (st && q && q->open && q->executes)
		st->notes[QUERIES_NOTE_LEFT]++;
	return 0;
}

SEC("tp_btf/sched_switch")
int queries_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1];
	struct query *q = bpf_task_storage_get(&queries, prev, 0, 0);

	if (q && q->open)
		parts__leave(&q->parts, prev, ctx[0]);
	q = bpf_task_storage_get(&queries, (void *)ctx[2], 0, 0);
	if (q)
		parts__arrive(&q->parts);
	return 0;
}

SEC("tp_btf/sched_wakeup")
int queries_wakeup(u64 *ctx)
{
	struct query *q = bpf_task_storage_get(&queries, (void *)ctx[0], 0, 0);

	if (q)
		parts__wake(&q->parts);
	return 0;
}

/* With the byte behind it. */
#define is_name(comm, name) same_bytes(comm, name, sizeof(name))

static __always_inline bool same_bytes(const char *a, const char *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* A thread's name is that of the file when it executes. */
static __always_inline bool is_server(const char *comm)
{
	return is_name(comm, "postgres") || is_name(comm, "mariadbd") || is_name(comm, "mysqld");
}

SEC("tp_btf/sched_process_exec")
int queries_exec(u64 *ctx)
{
	struct queries_server_record r = {.type = RECORD_QUERIES_SERVER};
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	char comm[16];

	bpf_get_current_comm(comm, sizeof(comm));
	if (!st || !is_server(comm))
		return 0;
	r.tgid = task->tgid;
	if (bpf_ringbuf_output(&records, &r, sizeof(r), BPF_RB_FORCE_WAKEUP))
		st->slow_lost++;
	return 0;
}

SEC("iter/task")
int measure_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct measure_task *t;

	if (!task || task->exit_state)
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, 0);
	if (!t)
		return 0;
	if (look_again)
		t->scope = 0;
	if (task__watched(t, task))
		visit__open(ctx, task, t);
	return 0;
}
