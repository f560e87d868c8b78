// SPDX-License-Identifier: GPL-2.0-only
/* Which waits a query counts: window, scope and terms on names; and which of them are harmful. */
#include "models/waits_select.h"

#include "models/joined_stacks.h"
#include "models/task_text.h"

void waits_selection__init(struct waits_selection *s, struct arena *arena,
			   const struct waits_snap *snap, enum time_window window,
			   bool caller_first, const struct scope *scope)
{
	*s = (struct waits_selection){.snap = snap, .window = window, .scope = scope};
	arena__init(&s->scratch);
	/* Rows are not about functions: trees have whole stacks. */
	s->names_query = (struct profile_query){.groups = GROUP_BIT(GROUP_TID),
						.user = true,
						.kernel = true,
						.callee_first = caller_first};
	selection__init_stacks(&s->names, arena, snap->symbols, &s->names_query, scope);
	/* A wait is of no CPU: which one was left is not kept. */
	s->ids = s->names.tasks;
	s->ids.include[SCOPE_CPU] = s->ids.exclude[SCOPE_CPU] = (struct id_set){0};
}

void waits_selection__fini(struct waits_selection *s)
{
	selection__fini(&s->names);
	arena__fini(&s->scratch);
	free(s->kernels);
	hidx__fini(&s->kernel_index);
	free(s->places);
	hidx__fini(&s->place_index);
	free(s->waits);
	free(s->stays);
	hidx__fini(&s->stay_index);
	free(s->objects);
	hidx__fini(&s->object_index);
	hidx__fini(&s->object_threads);
	rule_names__fini(&s->rule_names);
}

/* --- places --- */

static u32 nlocs(const struct callstack *s)
{
	return s ? (u32)s->nkernel + s->nuser : 0;
}

static u32 copy_locs(u32 *to, const struct callstack *s, bool kernel, u32 skip)
{
	u32 from = s && !kernel ? s->nkernel : 0, end = s ? kernel ? s->nkernel : nlocs(s) : 0;
	u32 n = 0;

	for (u32 i = from + skip; i < end; i++)
		to[n++] = s->locs[i];
	return n;
}

/* Kernel frames of both, then user frames of both; NULL when there are none. */
static const struct callstack *join(struct waits_selection *s, const struct callstack *k,
				    const struct callstack *u, u32 skip)
{
	u32 n = nlocs(k) + nlocs(u);
	struct callstack *joined;
	u32 *locs;

	if (!n)
		return NULL;
	joined = arena__alloc(&s->scratch, sizeof(*joined) + n * sizeof(*joined->locs));
	locs = joined->locs;
	joined->cut = (k && k->cut) || (u && u->cut);
	joined->whole = u && u->whole;
	joined->nkernel = copy_locs(locs, k, true, skip);
	joined->nkernel += copy_locs(locs + joined->nkernel, u, true, 0);
	joined->nuser = copy_locs(locs + joined->nkernel, k, false, 0);
	joined->nuser += copy_locs(locs + joined->nkernel + joined->nuser, u, false, 0);
	return joined;
}

/* How many frames from the leaf need not be told; all of them only when others follow. */
static u32 passed_frames(const struct picked_place *p)
{
	u32 passed = p->wait.known ? p->wait.clue.passed : 0;
	bool others = nlocs(p->ustack) || (p->kstack && p->kstack->nuser);

	if (p->whole)
		return p->wait.known ? p->wait.clue.tracer : 0;
	return passed && passed == p->kstack->nkernel && !others ? passed - 1 : passed;
}

static u64 frames_key(struct waits_selection *s, u32 filtered)
{
	u32 n = selection__expand(&s->names, &s->names.filtered[filtered], false);
	u64 key = mix64(n);

	for (u32 i = 0; i < n; i++)
		key = mix64_pair(key, s->names.idents[frame__ident(s->names.frames[i])].key);
	return key;
}

static void read_ends(struct kernel_place *k, const struct symbols *symbols)
{
	const char *names[WAIT_KERNEL_FRAMES];
	u32 n = k->kstack ? MIN(k->kstack->nkernel, WAIT_KERNEL_FRAMES) : 0;

	for (u32 i = 0; i < n; i++) {
		u32 func = symbols__func_of(symbols, k->kstack->locs[i]);

		names[i] = func ? symbols__func(symbols, func)->name : NULL;
	}
	k->by_interrupt = wait_end__of(names, n, false);
	k->by_thread = wait_end__of(names, n, true);
}

static const struct kernel_place *kernel_place(struct waits_selection *s,
					       const struct callstack *kstack)
{
	u64 hash = mix64((u64)(uintptr_t)kstack);
	struct kernel_place *k;
	u32 at;

	HIDX_FIND(at, &s->kernel_index, hash, pos, s->kernels[pos].kstack == kstack);
	if (at != HIDX_NONE)
		return &s->kernels[at];
	s->kernels = xgrow(s->kernels, s->nkernels, &s->kernels_cap, sizeof(*s->kernels));
	k = &s->kernels[s->nkernels];
	k->kstack = kstack;
	wait_place__read_kernel(&k->wait, kstack, s->snap->symbols);
	read_ends(k, s->snap->symbols);
	hidx__add(&s->kernel_index, hash, s->nkernels++);
	return k;
}

static void read_place(struct waits_selection *s, struct picked_place *p)
{
	const struct callstack *joined;

	p->wait = kernel_place(s, p->kstack)->wait;
	wait_place__read_user(&p->wait, p->ustack, s->snap->symbols, &s->rule_names);
	joined = join(s, p->kstack, p->ustack, passed_frames(p));
	p->filtered = selection__stack(&s->names, joined);
	p->key = frames_key(s, p->filtered);
}

u32 waits_selection__place(struct waits_selection *s, const struct callstack *kstack,
			   const struct callstack *ustack, bool whole)
{
	u64 hash = mix64_pair((u64)(uintptr_t)kstack + whole, (u64)(uintptr_t)ustack);
	struct picked_place *p;
	u32 at;

	HIDX_FIND(at, &s->place_index, hash, pos,
		  s->places[pos].kstack == kstack && s->places[pos].ustack == ustack &&
			  s->places[pos].whole == whole);
	if (at != HIDX_NONE)
		return at;
	s->places = xgrow(s->places, s->nplaces, &s->places_cap, sizeof(*s->places));
	p = &s->places[s->nplaces];
	*p = (struct picked_place){.kstack = kstack, .ustack = ustack, .whole = whole};
	read_place(s, p);
	hidx__add(&s->place_index, hash, s->nplaces);
	return s->nplaces++;
}

u32 waits_selection__tracer(struct waits_selection *s, const struct callstack *kstack)
{
	const struct wait_place *p = kstack ? &kernel_place(s, kstack)->wait : NULL;

	return p && p->known ? p->clue.tracer : 0;
}

enum waker_kind waits_selection__waker(struct waits_selection *s, const struct wait_entry *e)
{
	const struct wait_place *p;

	if (e->waker.kind != WAKER_TASK || !e->waker_kstack)
		return e->waker.kind;
	p = &kernel_place(s, e->waker_kstack)->wait;
	return p->known && p->clue.interrupt ? WAKER_INTERRUPT : WAKER_TASK;
}

enum wait_end waits_selection__end(struct waits_selection *s, const struct wait_entry *e)
{
	enum waker_kind kind = waits_selection__waker(s, e);
	const struct kernel_place *k;

	if (kind == WAKER_NONE)
		return END_ANY;
	if (!e->waker_kstack)
		return kind == WAKER_TASK ? END_THREAD : END_INTERRUPT;
	k = kernel_place(s, e->waker_kstack);
	return kind == WAKER_TASK ? k->by_thread : k->by_interrupt;
}

const char *waits_selection__leaf(const struct waits_selection *s, u32 place)
{
	return s->names.idents[s->names.filtered[s->places[place].filtered].leaf].name;
}

bool waits_selection__pending(const struct waits_selection *s)
{
	return selection__pending(&s->names);
}

/* --- which entries --- */

/* Letters of the filter language that stand for a state. */
static u32 state_letters(enum task_state state)
{
	const char *letters = state == TASK_STATE_RUNNABLE ? "R"
			      : state == TASK_STATE_OTHER  ? "XZP"
							   : task_state_names[state];
	u32 bits = 0;

	for (u32 i = 0; SCOPE_STATES[i]; i++)
		if (strchr(letters, SCOPE_STATES[i]))
			bits |= 1u << i;
	return bits;
}

static bool state_passes(const struct scope *scope, enum task_state state)
{
	u32 letters = state_letters(state);

	if (scope->states && !(scope->states & letters))
		return false;
	return (letters & ~scope->not_states) != 0;
}

/*
 * The source left out single waits already. What can be told of several at once: none is long
 * enough, or there is but one and it is too long.
 */
static bool time_passes(const struct scope *scope, const struct wait_sums *sums)
{
	if (sums->max_ns < scope->min_ns)
		return false;
	return !scope->max_ns || sums->count + sums->open != 1 || sums->max_ns <= scope->max_ns;
}

static bool entry_passes(const struct waits_selection *s, const struct wait_entry *e)
{
	const struct task_ident *t = &e->task;

	if (!s->scope)
		return true;
	return task__host_passes(s->scope, t->host) &&
	       scope__task(&s->ids, t->tgid, t->tid, 0, t->cgroup, "") &&
	       scope__comm(s->scope, t->comm) && scope__thread(s->scope, t->kthread) &&
	       state_passes(s->scope, e->state) && time_passes(s->scope, &e->sums[s->window]);
}

static u32 stay_of(struct waits_selection *s, const struct wait_entry *e, u32 place)
{
	u64 hash = mix64_pair(task_ident__key(&e->task), place);
	u32 at;

	HIDX_FIND(at, &s->stay_index, hash, pos,
		  s->stays[pos].place == place &&
			  task_ident__same(&s->stays[pos].entry->task, &e->task));
	if (at != HIDX_NONE)
		return at;
	s->stays = xgrow(s->stays, s->nstays, &s->stays_cap, sizeof(*s->stays));
	s->stays[s->nstays] = (struct thread_at_site){.entry = e, .place = place};
	hidx__add(&s->stay_index, hash, s->nstays);
	return s->nstays++;
}

/* What ended waits, and how long they lasted, is of all times: a window may have too few. */
static void add_history(struct thread_at_site *stay, const struct wait_sums *all, enum wait_end end)
{
	stay->ends[end] += all->count;
	stay->full_ns += all->full_ns;
	if (all->count)
		stay->max_ns = MAX(stay->max_ns, all->max_ns);
}

static void pick(struct waits_selection *s, const struct wait_entry *e, u32 place)
{
	struct picked_wait w = {.entry = e, .place = place};

	w.stay = stay_of(s, e, place);
	add_history(&s->stays[w.stay], &e->sums[WINDOW_TOTAL], waits_selection__end(s, e));
	s->waits = xgrow(s->waits, s->nwaits, &s->waits_cap, sizeof(*s->waits));
	s->waits[s->nwaits++] = w;
}

/* --- conditions that several threads wait on --- */

static u64 object_key(const struct wait_entry *e)
{
	return mix64_pair(e->task.tgid | (u64)e->task.host << 32, e->object);
}

/* Who is preempted while it wakes others does not wait there. */
static bool has_object(const struct wait_entry *e)
{
	return e->object && e->object != WAIT_OBJECT_MANY && !e->ended &&
	       e->state == TASK_STATE_SLEEP;
}

static struct wait_object *object_of(struct waits_selection *s, const struct wait_entry *e)
{
	u64 key = object_key(e);
	u32 at;

	HIDX_FIND(at, &s->object_index, key, pos,
		  s->objects[pos].object == e->object && s->objects[pos].tgid == e->task.tgid &&
			  s->objects[pos].host == e->task.host);
	if (at != HIDX_NONE)
		return &s->objects[at];
	s->objects = xgrow(s->objects, s->nobjects, &s->objects_cap, sizeof(*s->objects));
	s->objects[s->nobjects] = (struct wait_object){.tgid = e->task.tgid, .host = e->task.host, .object = e->object};
	hidx__add(&s->object_index, key, s->nobjects);
	return &s->objects[s->nobjects++];
}

static u64 object_thread(const struct wait_entry *e, u32 tid)
{
	return mix64_pair(object_key(e), tid);
}

static void add_ends(struct waits_selection *s, const struct wait_entry *e)
{
	struct wait_object *o = object_of(s, e);

	if (waits_selection__end(s, e) != END_THREAD)
		return;
	if (e->waker.tgid == e->task.tgid &&
	    hidx__has(&s->object_threads, object_thread(e, e->waker.tid)))
		o->inside += e->sums[WINDOW_TOTAL].count;
	else
		o->outside += e->sums[WINDOW_TOTAL].count;
}

/* Of all entries: who a query is not about may wait there too. */
static void find_objects(struct waits_selection *s)
{
	for (u32 i = 0; i < s->snap->nentries; i++) {
		const struct wait_entry *e = &s->snap->entries[i];

		if (has_object(e) && hidx__put(&s->object_threads, object_thread(e, e->task.tid)))
			object_of(s, e)->threads++;
	}
	for (u32 i = 0; i < s->snap->nentries; i++)
		if (has_object(&s->snap->entries[i]))
			add_ends(s, &s->snap->entries[i]);
}

static bool is_queue(struct waits_selection *s, const struct wait_entry *e)
{
	const struct wait_object *o = has_object(e) ? object_of(s, e) : NULL;

	return o && o->threads > 1 && !o->inside && o->outside >= WAIT_QUEUE_ENDS;
}

/* --- what is harmful --- */

static u64 ended(const struct thread_at_site *stay)
{
	u64 n = 0;

	for (u32 i = 0; i < WAIT_ENDS; i++)
		n += stay->ends[i];
	return n;
}

/* What ended all waits of the thread there; END_ANY: one and another, or none has ended. */
static enum wait_end usual_end(const struct thread_at_site *stay)
{
	u64 n = ended(stay);

	for (u32 i = 0; n && i < WAIT_ENDS; i++)
		if (stay->ends[i] == n)
			return i;
	return END_ANY;
}

static bool is_periodic(const struct thread_at_site *stay)
{
	u64 n = stay->ends[END_TIMER];

	return stay->entry->task.tid != PROFILE_MERGED && n >= WAIT_PERIODIC_WAITS &&
	       n == ended(stay) && stay->max_ns <= stay->full_ns / n * 5 / 4 + NSEC_PER_MSEC;
}

static void judge(struct waits_selection *s, struct picked_wait *w)
{
	const struct thread_at_site *stay = &s->stays[w->stay];
	struct wait_facts facts = {
		.on = w->entry->on,
		.end = waits_selection__end(s, w->entry),
		.periodic = is_periodic(stay),
		.queue = is_queue(s, w->entry),
	};

	if (facts.end == END_ANY)
		facts.end = usual_end(stay);
	w->is = wait_place__judge(&s->places[w->place].wait, w->entry, &facts);
}

static void find_wholes(struct joined_stacks *j, const struct waits_snap *snap)
{
	bool early = false;

	for (u32 i = 0; i < snap->nentries && !early; i++)
		early = callstack__ends_early(snap->entries[i].ustack);
	for (u32 i = 0; i < snap->nentries && early; i++)
		joined_stacks__add(j, snap->entries[i].task.tgid, snap->entries[i].ustack);
}

static const struct callstack *joined(const struct joined_stacks *j, const struct wait_entry *e)
{
	const struct callstack *whole = joined_stacks__find(j, e->task.tgid, e->ustack);

	return whole ? whole : e->ustack;
}

void waits_selection__fill(struct waits_selection *s, u32 tgid, u32 tid)
{
	struct joined_stacks wholes = {0};

	find_wholes(&wholes, s->snap);
	for (u32 i = 0; i < s->snap->nentries; i++) {
		const struct wait_entry *e = &s->snap->entries[i];
		u32 place;

		if ((tgid && e->task.tgid != tgid) || (tid && e->task.tid != tid) ||
		    !wait_sums__any(&e->sums[s->window]) || !entry_passes(s, e))
			continue;
		place = waits_selection__place(s, e->kstack,
					       joined(&wholes, e), false);
		if (s->names.filtered[s->places[place].filtered].passes)
			pick(s, e, place);
	}
	joined_stacks__fini(&wholes);
	find_objects(s);
	for (u32 i = 0; i < s->nwaits; i++)
		judge(s, &s->waits[i]);
}
