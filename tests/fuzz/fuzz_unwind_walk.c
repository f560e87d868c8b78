/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks by the unwind tables of a hostile ELF file, over copies of stacks that are made up of
 * places in its code and on the stack itself: whatever tables say, nothing but the copy is read,
 * and a walk ends. It begins at each row. With some inputs, since it takes longer, walks are done
 * as those of processes are, by what is mapped in them, too: they end in the same way.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/hidx.h"
#include "samples/perf_regs.h"
#include "symbols/stack_walker.h"
#include "symbols/symbols.h"
#include "symbols/unwind_walk.h"
#include "tests/fuzz/fuzz.h"

#define FRAMES	    64
#define WORDS	    192
#define STARTS	    200 /* rows that walks begin at; of more it is each second, third ... */
#define CODE_AT	    0x10000000ULL
#define CODE_SIZE   0x100000ULL
#define STACK_AT    0x7fff0000ULL
#define FIRST_PID   5000000u /* that no process has */
#define PROCESS_OF  8	     /* inputs: one of so many is a process' too */
#define SYMBOLS_FOR 100	     /* processes: its tables only grow */

/* What is tried with one input. */
struct attempt {
	struct unwind_code code;
	u8 *stack;
	size_t size;
	u64 seed;
	struct stack_space *space;
	u64 t_ns;
};

static struct symbols *symbols;
static struct walker *walker;
static u32 processes;
static char path[PATH_MAX]; /* of the file that processes map */

static const struct unwind_code *code_at(void *ctx, u64 ip, u64 *offset)
{
	*offset = ip - CODE_AT;
	return ip >= CODE_AT && ip < CODE_AT + CODE_SIZE ? ctx : NULL;
}

/* Where a row is when the file is mapped at CODE_AT, and a little behind it. */
static u64 place_of(const struct unwind_code *c, u64 random)
{
	const struct unwind_row *row = &c->table.rows[random % c->table.nrows];
	const struct unwind_segment *s = &c->segments[(random >> 20) % MAX(c->nsegments, 1u)];

	return CODE_AT + c->table.base + row->pc - (u64)s->pc + (random >> 40) % 4;
}

static void fill(struct attempt *a)
{
	for (size_t i = 0; i + 8 <= a->size; i += 8) {
		u64 random = mix64(a->seed + i);
		u64 word = random % 3 ? place_of(&a->code, random / 3)
				      : STACK_AT + i + 8 * (random / 3 % 24);

		memcpy(a->stack + i, &word, 8);
	}
}

static struct user_regs regs_at(const struct attempt *a, u64 ip)
{
	u64 random = mix64(a->seed ^ ip);

	return (struct user_regs){.ip = ip,
				  .sp = STACK_AT,
				  .fp = STACK_AT + 8 * (random % 32),
				  .lr = place_of(&a->code, random / 32)};
}

static u32 walk(struct attempt *a, u64 ip, u64 *ips, enum walk_end *end)
{
	struct unwind_walk w = {
		.regs = regs_at(a, ip),
		.machine = a->code.table.machine,
		.stack = a->stack,
		.stack_at = STACK_AT,
		.nstack = a->size,
		.code_at = code_at,
		.ctx = &a->code,
	};
	u32 n = unwind_walk__frames(&w, ips, FRAMES, end);

	if (!n || n > FRAMES || *end >= WALK_ENDS || ips[0] != ip)
		abort();
	if (*end == WALK_CUT && n != FRAMES)
		abort();
	return n;
}

/* --- as a process' --- */

static void remove_file(void)
{
	unlink(path);
}

static void begin(void)
{
	const char *tmp = getenv("TMPDIR");
	struct status st;
	int fd;

	if (!path[0]) {
		snprintf(path, sizeof(path), "%.200s/fuzz_walk.XXXXXX", tmp ? tmp : "/tmp");
		fd = mkstemp(path);
		if (fd < 0 || atexit(remove_file))
			die("no file %s", path);
		close(fd);
	}
	walker__free(walker);
	symbols__free(symbols);
	symbols = symbols__new(&st);
	walker = walker__new(symbols, 2048);
}

/* Another process with the file, which is another one each time. */
static u32 new_process(const uint8_t *data, size_t size)
{
	struct proc_event ev = {.type = PROC_EXEC, .comm = "fuzz"};
	struct stat st;
	int fd;

	if (processes++ % SYMBOLS_FOR == 0)
		begin();
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size || fstat(fd, &st))
		die("no file %s", path);
	close(fd);
	ev.tid = ev.tgid = FIRST_PID + processes;
	ev.t_ns = clock__monotonic_ns() + 1;
	symbols__proc_event(symbols, &ev);
	ev.type = PROC_MMAP;
	ev.t_ns++;
	ev.start = CODE_AT;
	ev.end = CODE_AT + CODE_SIZE;
	ev.inode = st.st_ino;
	ev.generation = processes;
	ev.path = path;
	symbols__proc_event(symbols, &ev);
	return ev.tgid;
}

static void expect_same(const struct attempt *a, u32 tgid, u64 ip, const u64 *ips, u32 n,
			enum walk_end end)
{
	const struct stack_walker *ops = walker__ops(walker);
	struct stack_copy copy = {.tgid = tgid,
				  .nstack = (u32)a->size,
				  .t_ns = a->t_ns,
				  .regs = regs_at(a, ip),
				  .stack = a->stack};
	enum walk_end other = WALK_ENDS;
	u64 others[FRAMES];
	u32 m = ops->walk(ops, a->space, &copy, others, FRAMES, &other);

	if (a->code.table.machine != perf_regs__machine())
		return;
	if (m != n || other != end || memcmp(ips, others, n * sizeof(*ips)))
		abort();
}

/* --- both --- */

/* The most frames of a walk. tgid: of a process; 0: there is none. */
static u32 walk_all(struct attempt *a, u32 tgid)
{
	u32 most = 0, rows = a->code.table.nrows, step = 1 + rows / STARTS;
	u64 ips[FRAMES];

	for (u32 i = 0; i < rows; i += step) {
		u64 ip = place_of(&a->code, i);
		enum walk_end end = WALK_ENDS;
		u32 n = walk(a, ip, ips, &end);

		if (tgid)
			expect_same(a, tgid, ip, ips, n, end);
		most = MAX(most, n);
	}
	return most;
}

static u32 walk_process(struct attempt *a, const uint8_t *data, size_t size)
{
	u32 tgid = new_process(data, size), most;
	const struct stack_walker *ops = walker__ops(walker);

	a->t_ns = clock__monotonic_ns() + NSEC_PER_SEC;
	a->space = ops->space(ops, tgid, a->t_ns);
	most = walk_all(a, tgid);
	ops->put_space(ops, a->space);
	return most;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct attempt a = {.seed = hash_bytes(data, size)};
	int fd = fuzz__file(data, size);
	u32 frames = 0;

	unwind_code__read(&a.code, fd, "", "/nowhere/fuzz");
	close(fd);
	if (a.code.nsegments > UNWIND_SEGMENTS)
		abort();
	if (a.code.table.nrows) {
		a.size = 8 * WORDS - a.seed % 9;
		a.stack = xmalloc(a.size);
		fill(&a);
		frames = a.seed % PROCESS_OF ? walk_all(&a, 0) : walk_process(&a, data, size);
		free(a.stack);
	}
	unwind_code__fini(&a.code);
	return fuzz__through(frames > 2);
}
