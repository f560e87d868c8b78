// SPDX-License-Identifier: GPL-2.0-only
#include "recording/names_in.h"

#include "models/stacks.h"
#include "symbols/recorded.h"

static const u32 table_max[NAME_TABLES] = TABLE_MAX;

struct in_object {
	u32 name, path, build_id; /* texts, as referred to */
	u32 kind, dev_major, dev_minor;
	u64 inode;
	u32 id; /* of symbols + 1; 0: not asked for yet */
};

struct in_func {
	u32 object; /* position + 1 */
	u32 kind, flags, name, linkage;
	u64 start, size;
	u32 id;
};

struct in_loc {
	u32 object, func; /* position + 1 */
	u32 inlined;	  /* position + 1 of a list */
	u64 offset;
	u32 id;
};

struct in_frame {
	u32 caller; /* position + 1, always before it */
	u32 loc;    /* position */
};

struct in_stack {
	u32 leaf; /* position + 1 */
	u32 nkernel;
	u8 flags;
};

struct in_cgroup {
	u64 id;
	u32 path;
};

struct in_kept {
	const u8 *v;
	u32 n;
};

struct in_inlined {
	u32 n, funcs[INLINED_LIST]; /* position + 1 */
};

struct names_in {
	struct symbols *symbols;
	bool local; /* offsets of locs are locs of symbols */
	u32 part;
	struct arena memory;
	u32 n[NAME_TABLES], cap[NAME_TABLES];
	void *tables[NAME_TABLES];
	struct in_inlined *inlined;
	u32 ninlined, inlined_cap;
	u32 ncgroups_reported;
};

static const size_t entry_size[NAME_TABLES] = {
	[TABLE_TEXTS] = sizeof(const char *),	    [TABLE_OBJECTS] = sizeof(struct in_object),
	[TABLE_FUNCS] = sizeof(struct in_func),	    [TABLE_LOCS] = sizeof(struct in_loc),
	[TABLE_FRAMES] = sizeof(struct in_frame),   [TABLE_STACKS] = sizeof(struct in_stack),
	[TABLE_CGROUPS] = sizeof(struct in_cgroup), [TABLE_KEPT] = sizeof(struct in_kept),
};

struct names_in *names_in__new(struct symbols *symbols)
{
	struct names_in *n = xcalloc(1, sizeof(*n));

	n->symbols = symbols;
	arena__init(&n->memory);
	return n;
}

static void forget(struct names_in *n)
{
	for (u32 t = 0; t < NAME_TABLES; t++)
		free(n->tables[t]);
	free(n->inlined);
	arena__fini(&n->memory);
}

void names_in__free(struct names_in *n)
{
	if (!n)
		return;
	forget(n);
	free(n);
}

void names_in__trust(struct names_in *n)
{
	n->local = true;
}

void names_in__start(struct names_in *n, u32 part)
{
	struct symbols *symbols = n->symbols;
	bool local = n->local;

	forget(n);
	*n = (struct names_in){.symbols = symbols, .local = local, .part = part};
	arena__init(&n->memory);
}

/* --- tables --- */

/* A zeroed entry at the end of a table; NULL: it is full. */
static void *add(struct names_in *n, enum name_table t)
{
	size_t size = entry_size[t];
	char *entry;

	if (n->n[t] == table_max[t])
		return NULL;
	n->tables[t] = xgrow(n->tables[t], n->n[t], &n->cap[t], size);
	entry = (char *)n->tables[t] + size * n->n[t]++;
	return memset(entry, 0, size);
}

/* NULL when it is not there. */
static void *at(const struct names_in *n, enum name_table t, u64 position)
{
	return position < n->n[t] ? (char *)n->tables[t] + entry_size[t] * position : NULL;
}

static bool fill_up(struct names_in *n, enum name_table t, u32 to)
{
	while (n->n[t] < to)
		if (!add(n, t))
			return false;
	return true;
}

/* A reference (position + 1) to what may be there or come yet. */
static u32 ref(struct cursor *c, enum name_table t)
{
	return cursor__below(c, table_max[t] + 1);
}

static u32 func_id(struct names_in *n, u32 r);

/* --- records: false when they do not fit --- */

/* Blocks before this one may be lost: what they had is unknown. */
static bool read_base(struct names_in *n, struct cursor *c)
{
	for (u32 t = 0; t < NAME_TABLES; t++)
		if (!fill_up(n, t, cursor__below(c, table_max[t] + 1)))
			return false;
	return true;
}

static bool read_text(struct names_in *n, struct cursor *c)
{
	size_t len = MIN((size_t)(c->end - c->at), (size_t)TEXT_MAX);
	const char **text;
	char *copy;

	if (n->memory.bytes + len > TEXT_BYTES_MAX)
		return false;
	text = add(n, TABLE_TEXTS);
	if (!text)
		return false;
	copy = arena__alloc(&n->memory, len + 1);
	for (size_t i = 0; i < len; i++)
		copy[i] = (char)(c->at[i] ? c->at[i] : '?');
	*text = copy;
	return true;
}

static bool read_object(struct names_in *n, struct cursor *c)
{
	u32 position = cursor__below(c, table_max[TABLE_OBJECTS]);
	struct in_object *o = at(n, TABLE_OBJECTS, position);

	if (!o)
		o = position == n->n[TABLE_OBJECTS] ? add(n, TABLE_OBJECTS) : NULL;
	if (!o)
		return false;
	o->kind = cursor__below(c, CODE_KINDS);
	o->name = ref(c, TABLE_TEXTS);
	o->path = ref(c, TABLE_TEXTS);
	o->build_id = ref(c, TABLE_TEXTS);
	o->dev_major = cursor__below(c, 1ULL << 32);
	o->dev_minor = cursor__below(c, 1ULL << 32);
	o->inode = cursor__varint(c);
	return true;
}

static bool read_func(struct names_in *n, struct cursor *c)
{
	struct in_func *f = add(n, TABLE_FUNCS);

	if (!f)
		return false;
	f->object = ref(c, TABLE_OBJECTS);
	f->kind = cursor__below(c, CODE_KINDS);
	f->flags = cursor__below(c, 1ULL << 32);
	f->start = cursor__varint(c);
	f->size = cursor__varint(c);
	f->name = ref(c, TABLE_TEXTS);
	f->linkage = ref(c, TABLE_TEXTS);
	return true;
}

static bool read_loc(struct names_in *n, struct cursor *c)
{
	struct in_loc *l = add(n, TABLE_LOCS);

	if (!l)
		return false;
	l->object = ref(c, TABLE_OBJECTS);
	l->offset = cursor__varint(c);
	return true;
}

static bool read_stack(struct names_in *n, struct cursor *c)
{
	struct in_stack *s = add(n, TABLE_STACKS);
	struct in_frame *f;

	if (!s)
		return false;
	s->flags = (u8)cursor__below(c, 256);
	s->nkernel = cursor__below(c, STACKS_MAX_FRAMES + 1);
	s->leaf = cursor__below(c, (u64)n->n[TABLE_FRAMES] + 1);
	while (c->at != c->end) {
		f = add(n, TABLE_FRAMES);
		if (!f)
			return false;
		f->caller = s->leaf;
		f->loc = cursor__below(c, table_max[TABLE_LOCS]);
		s->leaf = n->n[TABLE_FRAMES];
	}
	return true;
}

static bool read_loc_func(struct names_in *n, struct cursor *c)
{
	struct in_loc *l = at(n, TABLE_LOCS, cursor__varint(c));

	if (!l)
		return true;
	l->func = ref(c, TABLE_FUNCS);
	if (l->id && l->func && !n->local)
		symbols__recorded_name(n->symbols, l->id - 1, func_id(n, l->func));
	return true;
}

static bool read_inlined(struct names_in *n, struct cursor *c)
{
	struct in_loc *l = at(n, TABLE_LOCS, cursor__varint(c));
	struct in_inlined *list;

	if (!l || n->ninlined == table_max[TABLE_LOCS])
		return true;
	n->inlined = xgrow(n->inlined, n->ninlined, &n->inlined_cap, sizeof(*n->inlined));
	list = &n->inlined[n->ninlined++];
	*list = (struct in_inlined){0};
	while (c->at != c->end && list->n < INLINED_LIST)
		list->funcs[list->n++] = ref(c, TABLE_FUNCS);
	l->inlined = n->ninlined;
	return true;
}

static bool read_cgroup(struct names_in *n, struct cursor *c)
{
	struct in_cgroup *g = add(n, TABLE_CGROUPS);

	if (!g)
		return false;
	g->id = cursor__varint(c);
	g->path = ref(c, TABLE_TEXTS);
	return true;
}

static bool read_kept(struct names_in *n, struct cursor *c)
{
	size_t len = (size_t)(c->end - c->at);
	struct in_kept *k;

	if (len > KEPT_MAX || n->memory.bytes + len > TEXT_BYTES_MAX)
		return false;
	k = add(n, TABLE_KEPT);
	if (!k)
		return false;
	*k = (struct in_kept){arena__dup(&n->memory, c->at, len), (u32)len};
	return true;
}

static bool (*const readers[])(struct names_in *, struct cursor *) = {
	[RECORD_BASE] = read_base,	   [RECORD_TEXT] = read_text,
	[RECORD_OBJECT] = read_object,	   [RECORD_FUNC] = read_func,
	[RECORD_LOC] = read_loc,	   [RECORD_STACK] = read_stack,
	[RECORD_LOC_FUNC] = read_loc_func, [RECORD_INLINED] = read_inlined,
	[RECORD_CGROUP] = read_cgroup,	   [RECORD_KEPT] = read_kept,
};

bool names_in__read(struct names_in *n, struct cursor block)
{
	struct cursor record;
	u32 type;

	while (cursor__record(&block, &type, &record)) {
		if (type >= ARRAY_SIZE(readers) || !readers[type])
			continue;
		if (!readers[type](n, &record) || record.broken)
			return false;
	}
	return !block.broken;
}

/* --- what they mean --- */

const char *names_in__text(const struct names_in *n, u64 r)
{
	const char **text = r ? at(n, TABLE_TEXTS, r - 1) : NULL;

	return text && *text ? *text : "";
}

bool names_in__kept(const struct names_in *n, u64 r, struct cursor *out)
{
	const struct in_kept *k = n && r ? at(n, TABLE_KEPT, r - 1) : NULL;

	if (!k || !k->v)
		return false;
	*out = (struct cursor){k->v, k->v + k->n, false};
	return true;
}

u64 names_in__stack_hash(const struct names_in *n, u64 r)
{
	return r && r <= n->n[TABLE_STACKS] ? (u64)n->part << 32 | r : 0;
}

u32 names_in__nstacks(const struct names_in *n)
{
	return n->n[TABLE_STACKS];
}

static u32 object_id(struct names_in *n, u32 r)
{
	struct in_object *o = r ? at(n, TABLE_OBJECTS, r - 1) : NULL;

	if (!o || !o->name)
		return 0;
	if (!o->id)
		o->id = 1 + symbols__recorded_object(
				    n->symbols,
				    &(struct sym_object){.kind = o->kind,
							 .name = names_in__text(n, o->name),
							 .path = names_in__text(n, o->path),
							 .dev_major = o->dev_major,
							 .dev_minor = o->dev_minor,
							 .inode = o->inode},
				    names_in__text(n, o->build_id));
	return o->id - 1;
}

static u32 func_id(struct names_in *n, u32 r)
{
	struct in_func *f = r ? at(n, TABLE_FUNCS, r - 1) : NULL;
	const char *name;

	if (!f || !f->name)
		return 0;
	name = names_in__text(n, f->name);
	if (!f->id)
		f->id = 1 + symbols__recorded_func(
				    n->symbols,
				    &(struct sym_func){
					    .object = object_id(n, f->object),
					    .kind = f->kind,
					    .flags = f->flags,
					    .start = f->start,
					    .size = f->size,
					    .name = name,
					    .linkage = f->linkage ? names_in__text(n, f->linkage)
								  : name});
	return f->id - 1;
}

static u32 loc_id(struct names_in *n, u32 position)
{
	struct in_loc *l = at(n, TABLE_LOCS, position);
	u32 funcs[INLINED_LIST], count = 0;

	if (!l)
		return SYM_UNKNOWN;
	if (n->local)
		return (u32)l->offset;
	if (l->id)
		return l->id - 1;
	if (l->inlined) {
		const struct in_inlined *list = &n->inlined[l->inlined - 1];

		for (; count < list->n; count++)
			funcs[count] = func_id(n, list->funcs[count]);
	}
	l->id = 1 + symbols__recorded_loc(n->symbols,
					  &(struct recorded_loc){.object = object_id(n, l->object),
								 .offset = l->offset,
								 .func = func_id(n, l->func),
								 .inlined = funcs,
								 .ninlined = count});
	return l->id - 1;
}

void names_in__stack(struct names_in *n, u32 stack, u64 *ips, struct stack_def *def)
{
	const struct in_stack *s = at(n, TABLE_STACKS, stack);
	u32 count = 0, frame = s ? s->leaf : 0;

	for (; frame && count < STACKS_MAX_FRAMES; count++) {
		const struct in_frame *f = at(n, TABLE_FRAMES, frame - 1);

		/* Its caller comes before it: there is an end. */
		ips[count] = f ? loc_id(n, f->loc) : SYM_UNKNOWN;
		frame = f ? f->caller : 0;
	}
	*def = (struct stack_def){.head.type = SAMPLE_STACK_DEF,
				  .hash = names_in__stack_hash(n, (u64)stack + 1),
				  .named = true,
				  .cut = frame || (s && s->flags & STACK_CUT),
				  .interrupt = s && s->flags & STACK_INTERRUPT,
				  .whole = s && s->flags & STACK_WHOLE,
				  .ips = ips};
	def->nkernel = (u16)MIN(s ? s->nkernel : 0, count);
	def->nuser = (u16)(count - def->nkernel);
}

void names_in__rename(struct names_in *n, u32 part)
{
	n->part = part;
	n->ncgroups_reported = 0;
}

void names_in__cgroups(struct names_in *n, void (*fn)(void *ctx, u64 id, const char *path), void *ctx)
{
	while (n->ncgroups_reported < n->n[TABLE_CGROUPS]) {
		const struct in_cgroup *g = at(n, TABLE_CGROUPS, n->ncgroups_reported++);
		const char *path = names_in__text(n, g->path);

		if (g->id && *path == '/')
			fn(ctx, g->id, path);
	}
}
