// SPDX-License-Identifier: GPL-2.0-only
/* The tasks that rows are grouped by: combinations of command, process, thread, cgroup, CPU. */
#include <stdio.h>

#include "base/hosts.h"
#include "models/profile_impl.h"
#include "models/task_text.h"

static bool by(const struct selection *s, enum profile_group group)
{
	return s->query->groups & GROUP_BIT(group);
}

/* Rows by process, not by thread. */
static bool is_by_process(const struct selection *s)
{
	return by(s, GROUP_PID) && !by(s, GROUP_TID);
}

static const char *process_comm(const struct selection *s, const struct profile_entry *e)
{
	return s->snap->comms[e->process ? e->process : e->comm];
}

void tasks__find_storms(struct tasks *t, const struct selection *s)
{
	storms__fini(&t->storms);
	t->storms = (struct storms){0};
	for (u32 i = 0; is_by_process(s) && i < s->snap->nentries; i++) {
		const struct profile_entry *e = &s->snap->entries[i];

		if (e->ended && e->tgid != PROFILE_MERGED && e->count[s->query->window])
			storms__add(&t->storms, process_comm(s, e), mix64_pair(e->tgid, e->start_ns));
	}
}

static const struct storm *storm_of(const struct tasks *t, const struct selection *s,
				    const struct profile_entry *e)
{
	return e->ended && e->tgid != PROFILE_MERGED && is_by_process(s)
		       ? storms__of(&t->storms, process_comm(s, e))
		       : NULL;
}

static u64 task_key(const struct selection *s, const struct profile_entry *e,
		    const struct storm *storm)
{
	u64 key = mix64(s->query->groups & GROUPS_TASK);

	if (by(s, GROUP_COMM))
		key = mix64_pair(key, hash_bytes(s->snap->comms[e->comm], COMM_LEN));
	if (by(s, GROUP_TID))
		key = mix64_pair(key, e->tgid | (u64)e->tid << 32);
	else if (by(s, GROUP_PID))
		key = mix64_pair(key, storm ? storm__key(storm) : e->tgid);
	if (!storm && (by(s, GROUP_TID) || by(s, GROUP_PID)))
		key = mix64_pair(key, e->start_ns);
	if (by(s, GROUP_CGROUP))
		key = mix64_pair(key, e->cgroup);
	if (by(s, GROUP_CPU))
		key = mix64_pair(key, e->cpu);
	if (s->query->groups & GROUPS_OF_HOST)
		key = mix64_pair(key, e->host);
	return key;
}

/* A process is named by its main thread, and by what it runs now rather than what it ran. */
static bool is_better_label(const struct profile_entry *a, const struct profile_entry *b)
{
	bool amain = a->tid == a->tgid, bmain = b->tid == b->tgid;

	if (amain != bmain)
		return amain;
	if (a->weight[WINDOW_DECAY] != b->weight[WINDOW_DECAY])
		return a->weight[WINDOW_DECAY] > b->weight[WINDOW_DECAY];
	return a->weight[WINDOW_TOTAL] > b->weight[WINDOW_TOTAL];
}

static u32 add_task(struct tasks *t, u64 key, const struct profile_entry *e)
{
	t->items = xgrow(t->items, t->n, &t->cap, sizeof(*t->items));
	t->items[t->n] = (struct task){.key = key, .entry = e, .ended = e && e->ended};
	hidx__add(&t->index, key, t->n);
	return t->n++;
}

u32 tasks__find(struct tasks *t, const struct selection *s, const struct profile_entry *e)
{
	const struct storm *storm;
	u64 key;
	u32 at;

	if (!(s->query->groups & GROUPS_TASK))
		return t->n ? 0 : add_task(t, 0, NULL);
	storm = storm_of(t, s, e);
	key = task_key(s, e, storm);
	HIDX_FIND(at, &t->index, key, pos, t->items[pos].key == key);
	if (at == HIDX_NONE) {
		at = add_task(t, key, e);
		t->items[at].storm = storm;
		return at;
	}
	if (is_better_label(e, t->items[at].entry))
		t->items[at].entry = e;
	t->items[at].ended &= e->ended;
	return at;
}

void tasks__fini(struct tasks *t)
{
	free(t->items);
	hidx__fini(&t->index);
	storms__fini(&t->storms);
}

/* --- names --- */

/* Right-aligned, so that text sorts as the numbers do. */
static const char *id_text(struct arena *a, u32 id, int width)
{
	char buf[16];

	if (id == PROFILE_MERGED)
		return "[others]";
	snprintf(buf, sizeof(buf), "%*u", width, id);
	return arena__strdup(a, buf);
}

/* The first of these that rows are grouped by. */
static const char *task_name(const struct task *t, const struct selection *s)
{
	if (by(s, GROUP_COMM))
		return t->comm;
	if (t->tid_text)
		return t->tid_text;
	if (t->pid_text)
		return t->pid_text;
	if (by(s, GROUP_CGROUP))
		return t->cgroup_name;
	return by(s, GROUP_CPU) ? t->cpu_text : t->host;
}

static void name_task(struct task *t, const struct selection *s)
{
	const struct profile_entry *e = t->entry;
	bool process = by(s, GROUP_PID) || by(s, GROUP_TID);
	bool of_process = process && !by(s, GROUP_TID) && !by(s, GROUP_COMM);

	t->comm = t->cgroup_name = t->name = "";
	if (!e)
		return;
	if (process || by(s, GROUP_COMM))
		t->comm = of_process ? process_comm(s, e) : s->snap->comms[e->comm];
	if (t->storm)
		t->pid_text = storm__text(t->storm, s->arena);
	else if (process)
		t->pid_text = id_text(s->arena, e->tgid, 7);
	if (by(s, GROUP_TID))
		t->tid_text = id_text(s->arena, e->tid, 7);
	if (by(s, GROUP_CGROUP))
		t->cgroup_name = task__cgroup_text(s->arena, e->cgroup);
	if (by(s, GROUP_CPU))
		t->cpu_text = id_text(s->arena, e->cpu, 6);
	if (by(s, GROUP_HOST) || (hosts__several() && s->query->groups & GROUPS_OF_HOST))
		t->host = hosts__name(e->host);
	t->name = task_name(t, s);
}

void tasks__name(struct tasks *t, const struct selection *s)
{
	for (u32 i = 0; i < t->n; i++)
		name_task(&t->items[i], s);
}
