/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes the unwind tables of ELF files: unwind_bench [--check N] <PATHS, one a line>. Prints a
 * line for each and one for all: rows, ranges, rules before equal ones were merged, ranges and
 * share of the code that rows cannot hold, ranges that overlap, milliseconds. With --check, N
 * addresses of each file are compared with libdw (tests/lib/unwind_oracle.h); exit status 1
 * when an answer differs.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbols/unwind_table.h"
#include "tests/lib/unwind_oracle.h"

struct sum {
	u64 files, rows, ranges, steps, odd, odd_bytes, code, overlaps, ns;
	struct unwind_tally tally;
};

static void print_line(const struct sum *s, const char *name)
{
	printf("%9llu rows %8llu ranges %9llu rules %6llu odd %8.5f%% %5llu overlaps %9.3f ms  "
	       "%s\n",
	       (unsigned long long)s->rows, (unsigned long long)s->ranges,
	       (unsigned long long)s->steps, (unsigned long long)s->odd,
	       s->code ? 100.0 * (double)s->odd_bytes / (double)s->code : 0.0,
	       (unsigned long long)s->overlaps, (double)s->ns / 1e6, name);
}

static void print_tally(const struct unwind_tally *t)
{
	printf("          libdw: %llu asked, %llu equal, %llu none, %llu wrong, %llu "
	       "uncovered, "
	       "%llu extra %s\n",
	       (unsigned long long)t->asked, (unsigned long long)t->equal,
	       (unsigned long long)t->none, (unsigned long long)t->wrong,
	       (unsigned long long)t->uncovered, (unsigned long long)t->extra, t->first);
}

static void add(struct sum *all, const struct sum *one)
{
	all->files++;
	all->rows += one->rows;
	all->ranges += one->ranges;
	all->steps += one->steps;
	all->odd += one->odd;
	all->odd_bytes += one->odd_bytes;
	all->code += one->code;
	all->overlaps += one->overlaps;
	all->ns += one->ns;
	all->tally.asked += one->tally.asked;
	all->tally.equal += one->tally.equal;
	all->tally.none += one->tally.none;
	all->tally.wrong += one->tally.wrong;
	all->tally.uncovered += one->tally.uncovered;
	all->tally.extra += one->tally.extra;
}

static void compare(const char *path, const struct unwind_table *t, u64 max, struct sum *s)
{
	struct unwind_oracle *o = unwind_oracle__open(path, NULL);

	if (!o)
		return;
	unwind_oracle__ask_all(o, t, max, &s->tally);
	unwind_oracle__close(o);
	print_tally(&s->tally);
}

static void make(const char *path, u64 max, struct sum *all)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	u64 start = clock__monotonic_ns();
	struct unwind_table t;
	struct status st;
	struct sum s = {0};

	if (unwind_table__read(fd, "", path, &t, &st)) {
		printf("%s: %s\n", path, st.msg);
	} else {
		s = (struct sum){.rows = t.nrows,
				 .ranges = t.ranges,
				 .steps = t.steps,
				 .odd = t.odd,
				 .odd_bytes = t.odd_bytes,
				 .code = t.code_bytes,
				 .overlaps = t.overlaps,
				 .ns = clock__monotonic_ns() - start};
		print_line(&s, path);
		if (max)
			compare(path, &t, max, &s);
		add(all, &s);
		unwind_table__free(&t);
	}
	close(fd);
}

int main(int argc, char **argv)
{
	u64 max = argc > 2 && !strcmp(argv[1], "--check") ? strtoull(argv[2], NULL, 10) : 0;
	struct sum all = {0};
	char path[4096];

	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		make(path, max, &all);
	}
	if (max)
		print_tally(&all.tally);
	print_line(&all, "all");
	return all.tally.wrong != 0;
}
