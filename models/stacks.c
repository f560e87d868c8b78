// SPDX-License-Identifier: GPL-2.0-only
/* What the hashes of sources name: distinct stacks, in memory that snapshots share. */
#include "models/stacks.h"

#include "base/memory.h"
#include "bpf/script.h"
#include "models/snap_box.h"

#define TRIM_PAUSE (10 * NSEC_PER_SEC)
/* Address space generations: processes share one by hash, which only costs a look-up more. */
#define EPOCHS 4096

struct stack_slot {
	u64 hash;
	u32 tgid;    /* whose addresses; 0 kernel frames or names only */
	u32 epoch;   /* of its address space when it was located */
	u32 stack;   /* position in stacks.items */
	u32 defined; /* stacks.definitions when it was last defined */
};

/* --- memory --- */

struct stack_store *stack_store__get(struct stack_store *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void stack_store__put(struct stack_store *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	arena__fini(&s->arena);
	free(s);
}

static void put_store(void *store)
{
	stack_store__put(store);
}

void stack_store__hold(struct stack_store *s, void *snap)
{
	snap_box__hold(snap, put_store, stack_store__get(s));
}

struct stack_store *stack_store__new(void)
{
	struct stack_store *s = xcalloc(1, sizeof(*s));

	atomic_init(&s->refs, 1);
	arena__init(&s->arena);
	return s;
}

u32 stacks__definitions(void)
{
	return MAX(memory__entries(STACKS_DEFINITIONS, STACKS_CPU_DEFINITIONS), (u32)STACKS_LEAST);
}

void stacks__init(struct stacks *s, struct symbols *symbols)
{
	*s = (struct stacks){
		.store = stack_store__new(),
		.symbols = symbols,
		.relied_on = stacks__definitions(),
		.epochs = xcalloc(EPOCHS, sizeof(*s->epochs)),
	};
}

/* Of the distinct stacks alone. */
static void free_items(struct stacks *s)
{
	stack_store__put(s->store);
	free(s->items);
	hidx__fini(&s->index);
}

void stacks__fini(struct stacks *s)
{
	free_items(s);
	free(s->slots);
	hidx__fini(&s->slot_index);
	free(s->epochs);
	*s = (struct stacks){0};
}

size_t stacks__bytes(const struct stacks *s)
{
	return s->store->arena.bytes + s->cap * sizeof(*s->items) +
	       s->slots_cap * sizeof(*s->slots) + EPOCHS * sizeof(*s->epochs) +
	       hidx__bytes(&s->index) + hidx__bytes(&s->slot_index);
}

/* --- distinct stacks --- */

static bool same_stack(const struct callstack *a, const struct callstack *b, const u32 *blocs)
{
	size_t n = (size_t)b->nkernel + b->nuser;

	return a->nkernel == b->nkernel && a->nuser == b->nuser && a->cut == b->cut &&
	       a->whole == b->whole && a->folded == b->folded &&
	       !memcmp(a->locs, blocs, n * sizeof(*blocs));
}

static u64 stack_hash(const struct callstack *head, const u32 *locs)
{
	size_t n = (size_t)head->nkernel + head->nuser;
	u64 h = mix64_pair(head->nkernel | (u64)head->nuser << 16,
			   (u64)head->cut | (u64)head->folded << 1 | (u64)head->whole << 2);

	for (size_t i = 0; i < n; i++)
		h = mix64(h ^ locs[i]) + i;
	return h;
}

u32 stacks__intern(struct stacks *s, const struct callstack *head, const u32 *locs)
{
	size_t n = (size_t)head->nkernel + head->nuser;
	u64 hash = stack_hash(head, locs);
	struct callstack *copy;
	u32 at;

	HIDX_FIND(at, &s->index, hash, pos, same_stack(s->items[pos], head, locs));
	if (at != HIDX_NONE)
		return at;
	copy = arena__alloc(&s->store->arena, sizeof(*copy) + n * sizeof(*locs));
	*copy = *head;
	memcpy(copy->locs, locs, n * sizeof(*locs));
	s->items = xgrow(s->items, s->n, &s->cap, sizeof(*s->items));
	s->items[s->n] = copy;
	hidx__add(&s->index, hash, s->n);
	return s->n++;
}

/* --- what hashes name --- */

static struct stack_slot *find_slot(const struct stacks *s, u64 hash, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &s->slot_index, mix64_pair(hash, tgid), pos,
		  s->slots[pos].hash == hash && s->slots[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &s->slots[at];
}

static struct stack_slot *new_slot(struct stacks *s, u64 hash, u32 tgid)
{
	struct stack_slot *slot;

	s->slots = xgrow(s->slots, s->nslots, &s->slots_cap, sizeof(*s->slots));
	slot = &s->slots[s->nslots];
	*slot = (struct stack_slot){.hash = hash, .tgid = tgid};
	hidx__add(&s->slot_index, mix64_pair(hash, tgid), s->nslots++);
	return slot;
}

u32 stacks__find(const struct stacks *s, u64 hash, u32 tgid)
{
	const struct stack_slot *slot = hash ? find_slot(s, hash, tgid) : NULL;

	if (!slot && hash)
		slot = find_slot(s, hash, 0);
	return slot ? slot->stack : NO_STACK;
}

/*
 * A return address is what follows a call; the byte before it lies in the call, also when
 * the call is the last instruction of its function. The leaf, and the frame that an interrupt
 * or a system call left, are exact.
 */
static u64 call_address(u64 ip, bool exact)
{
	return exact || !ip ? ip : ip - 1;
}

static u32 locate(const struct stack_def *d, u32 i, struct symbols *symbols)
{
	u64 ip = d->ips[i];

	if (d->named)
		return (u32)ip;
	if (i < d->nkernel)
		return symbols__locate_kernel(symbols, call_address(ip, i == 0));
	if (d->scripts && SCRIPT_MARK(ip) == SCRIPT_FRAME)
		return (u32)ip;
	ip = call_address(ip, i == d->nkernel);
	return symbols__locate_user(symbols, d->tgid, d->t_ns, ip);
}

void stack_def__locate(const struct stack_def *d, u32 n, struct symbols *symbols, u32 *locs)
{
	struct stack_locs *known = d->located;

	if (!known || known->n < n)
		for (u32 i = 0; i < n; i++)
			locs[i] = locate(d, i, symbols);
	else
		memcpy(locs, known->v, n * sizeof(*locs));
	if (!known || known->n >= n)
		return;
	memcpy(known->v, locs, n * sizeof(*locs));
	known->n = n;
}

static u32 intern_def(struct stacks *s, const struct stack_def *d)
{
	u32 n = MIN((u32)d->nkernel + d->nuser, STACKS_MAX_FRAMES);
	struct callstack head = {.nkernel = MIN(d->nkernel, n)};
	u32 locs[STACKS_MAX_FRAMES];

	head.nuser = n - head.nkernel;
	head.cut = d->cut || n < (u32)d->nkernel + d->nuser;
	head.whole = d->whole && !head.cut;
	stack_def__locate(d, n, s->symbols, locs);
	/* Walks through code without frame pointers end in values that are no code: no frames. */
	for (; head.nuser > 1 && locs[n - 1] == SYM_UNKNOWN; n--)
		head.nuser--;
	return stacks__intern(s, &head, locs);
}

static u32 *epoch_of(const struct stacks *s, u32 tgid)
{
	return &s->epochs[mix64(tgid) % EPOCHS];
}

/* --- making room --- */

/* Keeps the hashes of the newest definitions. */
static void rebuild_slots(struct stacks *s, const struct stacks *old, u32 newest)
{
	u32 kept = 0;

	hidx__clear(&s->slot_index);
	for (u32 i = 0; i < s->nslots; i++) {
		struct stack_slot slot = s->slots[i];

		if (s->definitions - slot.defined >= newest)
			continue;
		slot.stack = stacks__move(s, old, slot.stack);
		hidx__add(&s->slot_index, mix64_pair(slot.hash, slot.tgid), kept);
		s->slots[kept++] = slot;
	}
	s->nslots = kept;
}

static void rebuild(struct stacks *s, const struct stacks_user *u, u32 newest)
{
	struct stacks old = *s;

	s->store = stack_store__new();
	s->items = NULL;
	s->n = s->cap = 0;
	s->index = (struct hidx){0};
	u->move(u->ctx, s, &old);
	rebuild_slots(s, &old, newest);
	free_items(&old);
}

void stacks__rebuild(struct stacks *s, const struct stacks_user *u)
{
	rebuild(s, u, UINT32_MAX);
}

static bool roomy(const struct stacks *s)
{
	return s->store->arena.bytes <= STACKS_BYTES / 2;
}

/* More than what sources rely on is forgotten only when the stacks are of absurd size. */
static void trim(struct stacks *s, const struct stacks_user *u)
{
	rebuild(s, u, s->relied_on);
	for (u32 newest = s->relied_on / 2; newest && !roomy(s); newest /= 4) {
		if (u->shed)
			u->shed(u->ctx);
		rebuild(s, u, newest);
	}
}

/* Where few come, what nobody relies on any more goes soon; where many do, twice that is kept, as
 * making room takes time. */
static bool is_full(const struct stacks *s, u64 t_ns)
{
	return s->store->arena.bytes > STACKS_BYTES || s->nslots >= 2 * s->relied_on ||
	       (s->nslots >= s->relied_on / 4 * 5 && t_ns > s->trimmed_ns + TRIM_PAUSE);
}

/* --- samples --- */

/*
 * Sources may define a stack again; its frames are looked up again only when its process
 * has mapped something since: what lay at an address may have changed.
 */
static void consume_def(struct stacks *s, const struct stack_def *d, const struct stacks_user *u)
{
	u32 tgid = d->nuser && !d->named ? d->tgid : 0;
	struct stack_slot *slot = find_slot(s, d->hash, tgid);
	u32 epoch = tgid ? *epoch_of(s, tgid) : 0;

	s->definitions++;
	if (slot && slot->epoch == epoch) {
		slot->defined = s->definitions;
		return;
	}
	if (is_full(s, d->t_ns)) {
		trim(s, u);
		s->trimmed_ns = d->t_ns;
		slot = find_slot(s, d->hash, tgid);
	}
	if (!slot)
		slot = new_slot(s, d->hash, tgid);
	slot->epoch = epoch;
	slot->defined = s->definitions;
	slot->stack = intern_def(s, d);
}

void stacks__consume(struct stacks *s, const struct sample *sample, const struct stacks_user *u)
{
	if (sample->type == SAMPLE_STACK_DEF) {
		consume_def(s, container_of(sample, struct stack_def, head), u);
	} else if (sample->type == SAMPLE_PROC) {
		const struct proc_event *ev = container_of(sample, struct proc_event, head);

		if (ev->type == PROC_EXEC || ev->type == PROC_MMAP)
			++*epoch_of(s, ev->tgid);
	}
}
