// SPDX-License-Identifier: GPL-2.0-only
/* Processes below who started them. */
#include "models/procs_rows.h"

#define NONE	  UINT32_MAX
#define DEPTH_MAX 24 /* deeper ones stand at this depth */

struct tree {
	struct procs_row *rows;
	u32 n;
	u32 *first, *next; /* children of each row, in order of the rows */
	bool *is_child, *placed;
	struct procs_row *out;
	u32 nout;
	struct arena *arena;
	bool last[DEPTH_MAX]; /* by depth: no sibling follows */
};

static u32 parent_of(const struct tree *t, const struct hidx *by_pid, u32 i)
{
	u32 ppid = t->rows[i].e->ppid, at;

	HIDX_FIND(at, by_pid, mix64(ppid), pos, t->rows[pos].e->tgid == ppid);
	return at == i ? NONE : at == HIDX_NONE ? NONE : at;
}

/* From the last to the first, so that lists are in the order of the rows. */
static void link_rows(struct tree *t)
{
	struct hidx by_pid = {0};

	for (u32 i = 0; i < t->n; i++) {
		t->first[i] = t->next[i] = NONE;
		if (t->rows[i].e->kind == PROCS_THREAD)
			hidx__add(&by_pid, mix64(t->rows[i].e->tgid), i);
	}
	for (u32 i = t->n; i-- > 0;) {
		u32 parent = parent_of(t, &by_pid, i);

		if (parent == NONE)
			continue;
		t->next[i] = t->first[parent];
		t->first[parent] = i;
		t->is_child[i] = true;
	}
	hidx__fini(&by_pid);
}

static const char *with_lines(struct tree *t, const char *name, u32 depth)
{
	char buf[DEPTH_MAX * 4 * 2 + 600];
	size_t at = 0;

	if (!depth)
		return name;
	for (u32 d = 1; d < depth; d++) {
		const char *line = t->last[d] ? "  " : "│ ";

		copy_str(buf + at, sizeof(buf) - at, line);
		at += strlen(line);
	}
	copy_str(buf + at, sizeof(buf) - at, t->last[depth] ? "└─" : "├─");
	at = strlen(buf);
	copy_str(buf + at, sizeof(buf) - at, name);
	return arena__strdup(t->arena, buf);
}

static void place(struct tree *t, u32 i, u32 depth)
{
	t->placed[i] = true;
	t->last[depth] = t->next[i] == NONE;
	t->out[t->nout] = t->rows[i];
	t->out[t->nout++].text = with_lines(t, t->rows[i].name, depth);
}

/* Of a row and what is below it. Depth first, with the way back on a stack; nobody is placed twice,
 * whatever parents a recording claims. */
static void walk(struct tree *t, u32 root)
{
	u32 path[DEPTH_MAX], depth = 0, i = root;

	place(t, i, 0);
	path[0] = t->first[i];
	while (true) {
		i = path[depth];
		if (i == NONE) {
			if (!depth--)
				return;
			continue;
		}
		path[depth] = t->next[i];
		if (t->placed[i])
			continue;
		place(t, i, MIN(depth + 1, (u32)DEPTH_MAX - 1));
		if (depth + 1 < DEPTH_MAX - 1)
			path[++depth] = t->first[i];
	}
}

void procs_tree__order(struct procs_row *rows, u32 n, struct arena *arena)
{
	struct tree t = {.rows = rows, .n = n, .arena = arena};

	if (!n)
		return;
	t.first = xcalloc(n, sizeof(*t.first));
	t.next = xcalloc(n, sizeof(*t.next));
	t.is_child = xcalloc(n, sizeof(*t.is_child));
	t.placed = xcalloc(n, sizeof(*t.placed));
	t.out = xcalloc(n, sizeof(*t.out));
	link_rows(&t);
	for (u32 i = 0; i < n; i++)
		if (!t.is_child[i])
			walk(&t, i);
	for (u32 i = 0; i < n; i++)
		if (!t.placed[i])
			walk(&t, i);
	memcpy(rows, t.out, n * sizeof(*rows));
	free(t.first);
	free(t.next);
	free(t.is_child);
	free(t.placed);
	free(t.out);
}
