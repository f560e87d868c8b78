// SPDX-License-Identifier: GPL-2.0-only
/*
 * pprof's profile (export/pprof.proto), gzipped (RFC 1952). Stacks are of functions, so a location
 * is a function with what was inlined into it, and its address is where that begins in its file;
 * mappings are files from their first byte on. The command is a label.
 */
#include <time.h>
#include <zlib.h>

#include "base/clock.h"
#include "base/utf8.h"
#include "export/export_impl.h"
#include "export/pprof.pb-c.h"
#include "export/stacks.h"

typedef Perftools__Profiles__Profile pb_profile;
typedef Perftools__Profiles__Sample pb_sample;
typedef Perftools__Profiles__Mapping pb_mapping;
typedef Perftools__Profiles__Location pb_location;
typedef Perftools__Profiles__Line pb_line;
typedef Perftools__Profiles__Function pb_function;
typedef Perftools__Profiles__ValueType pb_value_type;
typedef Perftools__Profiles__Label pb_label;

struct texts {
	char **items;
	u32 n, cap;
	struct hidx index;
};

/* Messages that a profile points to; each array holds pointers into the arena. */
struct list {
	void **items;
	u32 n, cap;
};

struct pprof {
	const struct report *r;
	const struct export_stacks *s;
	struct arena arena;
	struct texts texts;
	struct list samples, mappings, locations, functions;
	u32 *function_of; /* by frame: its position in functions + 1; 0 none yet */
	struct hidx location_index, mapping_index;
	pb_value_type types[2];
	u32 ntypes;
	u64 period; /* ns that a sample stands for; 0 not known */
};

/* --- tables --- */

static s64 valid_text_id(struct texts *t, const char *s)
{
	u64 hash = hash_bytes(s, strlen(s));
	u32 at;

	HIDX_FIND(at, &t->index, hash, pos, !strcmp(t->items[pos], s));
	if (at != HIDX_NONE)
		return at;
	t->items = xgrow(t->items, t->n, &t->cap, sizeof(*t->items));
	t->items[t->n] = xstrdup(s);
	hidx__add(&t->index, hash, t->n);
	return t->n++;
}

/* Strings of protobuf are UTF-8. */
static s64 text_id(struct pprof *p, const char *s)
{
	char *valid = utf8__valid(s) ? NULL : utf8__dup(s);
	s64 id = valid_text_id(&p->texts, valid ? valid : s);

	free(valid);
	return id;
}

static u32 add(struct list *l, void *item)
{
	l->items = xgrow(l->items, l->n, &l->cap, sizeof(*l->items));
	l->items[l->n] = item;
	return l->n++;
}

/* Of functions of these the beginning is a line. */
static s64 first_line(const struct value_frame *f)
{
	static const char *const kinds[] = {"python", "java", "js", "php", "ruby", "perl"};

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strcmp(f->kind, kinds[i]))
			return (s64)f->start;
	return 0;
}

static u64 function_id(struct pprof *p, u32 frame)
{
	const struct value_frame *f = &p->s->frames[frame];
	pb_function *fn;

	if (!p->function_of[frame]) {
		fn = arena__alloc(&p->arena, sizeof(*fn));
		perftools__profiles__function__init(fn);
		fn->name = fn->system_name = text_id(p, f->symbol);
		fn->filename = text_id(p, *f->path ? f->path : f->object);
		fn->start_line = first_line(f);
		fn->id = p->function_of[frame] = add(&p->functions, fn) + 1;
	}
	return p->function_of[frame];
}

static u64 mapping_id(struct pprof *p, const struct value_frame *f)
{
	s64 name = text_id(p, *f->path ? f->path : f->object), build_id = text_id(p, f->build_id);
	u64 hash = mix64_pair((u64)name, (u64)build_id);
	pb_mapping *m;
	u32 at;

	if (!name)
		return 0;
	HIDX_FIND(at, &p->mapping_index, hash, pos,
		  ((pb_mapping *)p->mappings.items[pos])->filename == name &&
			  ((pb_mapping *)p->mappings.items[pos])->build_id == build_id);
	if (at != HIDX_NONE)
		return at + 1;
	m = arena__alloc(&p->arena, sizeof(*m));
	perftools__profiles__mapping__init(m);
	m->filename = name;
	m->build_id = build_id;
	m->memory_limit = UINT64_MAX;
	m->has_functions = m->has_inline_frames = true;
	hidx__add(&p->mapping_index, hash, p->mappings.n);
	m->id = add(&p->mappings, m) + 1;
	return m->id;
}

/* --- locations: a function and the n - 1 that are inlined into it, from the outside --- */

static bool same_location(const struct pprof *p, const pb_location *l, const u32 *ids, u32 n)
{
	if (l->n_line != n)
		return false;
	for (u32 i = 0; i < n; i++)
		if (l->line[n - 1 - i]->function_id != p->function_of[ids[i]])
			return false;
	return true;
}

static u64 add_location(struct pprof *p, const u32 *ids, u32 n)
{
	pb_location *l = arena__alloc(&p->arena, sizeof(*l));
	pb_line *lines = arena__array(&p->arena, pb_line, n);

	perftools__profiles__location__init(l);
	l->mapping_id = mapping_id(p, &p->s->frames[ids[0]]);
	l->address = p->s->frames[ids[0]].start;
	l->n_line = n;
	l->line = arena__array(&p->arena, pb_line *, n);
	for (u32 i = 0; i < n; i++) {
		perftools__profiles__line__init(&lines[i]);
		lines[i].function_id = function_id(p, ids[n - 1 - i]);
		lines[i].line = first_line(&p->s->frames[ids[n - 1 - i]]);
		l->line[i] = &lines[i];
	}
	l->id = add(&p->locations, l) + 1;
	return l->id;
}

static u64 location_id(struct pprof *p, const u32 *ids, u32 n)
{
	u64 hash = hash_bytes(ids, n * sizeof(*ids));
	u32 at;

	HIDX_FIND(at, &p->location_index, hash, pos,
		  same_location(p, p->locations.items[pos], ids, n));
	if (at != HIDX_NONE)
		return at + 1;
	hidx__add(&p->location_index, hash, p->locations.n);
	return add_location(p, ids, n);
}

/* --- samples --- */

static bool is_inlined(const struct pprof *p, u32 id)
{
	return !strcmp(p->s->frames[id].kind, "inlined");
}

static void add_label(struct pprof *p, pb_sample *to, const char *comm)
{
	pb_label *l = arena__alloc(&p->arena, sizeof(*l));

	perftools__profiles__label__init(l);
	l->key = text_id(p, "comm");
	l->str = text_id(p, comm);
	to->n_label = 1;
	to->label = arena__array(&p->arena, pb_label *, 1);
	to->label[0] = l;
}

static void add_sample(struct pprof *p, const struct export_stack *k)
{
	const u32 *ids = p->s->ids + k->first;
	const char *comm = export_stacks__comm(p->s, k);
	pb_sample *to = arena__alloc(&p->arena, sizeof(*to));

	perftools__profiles__sample__init(to);
	to->location_id = arena__array(&p->arena, uint64_t, k->n);
	if (*comm)
		add_label(p, to, comm);
	for (u32 end = k->n, i = k->n; i-- > (*comm ? 1 : 0);) {
		if (is_inlined(p, ids[i]) && i > (*comm ? 1 : 0))
			continue;
		to->location_id[to->n_location_id++] = location_id(p, ids + i, end - i);
		end = i;
	}
	to->n_value = p->ntypes;
	to->value = arena__array(&p->arena, int64_t, p->ntypes);
	to->value[0] = (int64_t)k->weight;
	to->value[p->ntypes - 1] = (int64_t)(p->period ? k->weight * p->period : k->weight);
	add(&p->samples, to);
}

static void add_type(struct pprof *p, const char *type, const char *unit)
{
	pb_value_type *t = &p->types[p->ntypes++];

	perftools__profiles__value_type__init(t);
	t->type = text_id(p, type);
	t->unit = text_id(p, unit);
}

static void add_types(struct pprof *p)
{
	const struct report *r = p->r;

	if (r->stacks_unit == VALUE_NS) {
		add_type(p, "time", "microseconds");
		return;
	}
	add_type(p, r->stacks_noun, r->stacks_unit == VALUE_BYTES ? "bytes" : "count");
	if (r->health.freq && !strcmp(r->stacks_noun, "samples")) {
		p->period = NSEC_PER_SEC / r->health.freq;
		add_type(p, "cpu", "nanoseconds");
	}
}

/* --- writing --- */

/* zlib's memory form in one go: reports are bounded. */
static int put_gzipped(FILE *out, const u8 *data, size_t len)
{
	z_stream z = {.next_in = (Bytef *)data};
	u8 buf[16384];
	int ret;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, 8,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	do {
		uInt part = (uInt)MIN(len - (size_t)(z.next_in - data), (size_t)1 << 30);

		z.avail_in = part;
		z.next_out = buf;
		z.avail_out = sizeof(buf);
		ret = deflate(&z, z.next_in + part == data + len ? Z_FINISH : Z_NO_FLUSH);
		fwrite(buf, 1, sizeof(buf) - z.avail_out, out);
	} while (ret == Z_OK && !ferror(out));
	deflateEnd(&z);
	return export__flush(out);
}

static int put_profile(FILE *out, struct pprof *p)
{
	pb_value_type *types[ARRAY_SIZE(p->types)] = {&p->types[0], &p->types[1]};
	struct timespec now;
	pb_profile to;
	u8 *data;
	size_t len;
	int ret;

	clock_gettime(CLOCK_REALTIME, &now);
	perftools__profiles__profile__init(&to);
	to.n_sample_type = p->ntypes;
	to.sample_type = types;
	to.n_sample = p->samples.n;
	to.sample = (pb_sample **)p->samples.items;
	to.n_mapping = p->mappings.n;
	to.mapping = (pb_mapping **)p->mappings.items;
	to.n_location = p->locations.n;
	to.location = (pb_location **)p->locations.items;
	to.n_function = p->functions.n;
	to.function = (pb_function **)p->functions.items;
	to.time_nanos = now.tv_sec * (s64)NSEC_PER_SEC + now.tv_nsec;
	to.duration_nanos = (s64)(p->r->t1_ns > p->r->t0_ns ? p->r->t1_ns - p->r->t0_ns : 0);
	if (p->period) {
		to.period_type = types[1];
		to.period = (s64)p->period;
	}
	to.default_sample_type = p->types[0].type;
	to.n_string_table = p->texts.n;
	to.string_table = p->texts.items;
	len = perftools__profiles__profile__get_packed_size(&to);
	data = xmalloc(len);
	perftools__profiles__profile__pack(&to, data);
	ret = put_gzipped(out, data, len);
	free(data);
	return ret;
}

static void pprof__fini(struct pprof *p)
{
	struct list *lists[] = {&p->samples, &p->mappings, &p->locations, &p->functions};

	for (u32 i = 0; i < ARRAY_SIZE(lists); i++)
		free(lists[i]->items);
	for (u32 i = 0; i < p->texts.n; i++)
		free(p->texts.items[i]);
	free(p->texts.items);
	hidx__fini(&p->texts.index);
	hidx__fini(&p->location_index);
	hidx__fini(&p->mapping_index);
	free(p->function_of);
	arena__fini(&p->arena);
}

int export_pprof(FILE *out, const struct report *r, bool first)
{
	struct export_stacks s;
	struct pprof p = {.r = r, .s = &s};
	int ret;

	if (!r->stacks)
		return -EOPNOTSUPP;
	if (!first)
		return 0;
	export_stacks__take(&s, r, true);
	arena__init(&p.arena);
	p.function_of = xcalloc(s.nframes + 1, sizeof(*p.function_of));
	text_id(&p, "");
	add_types(&p);
	for (u32 i = 0; i < s.n; i++)
		add_sample(&p, &s.stacks[i]);
	ret = put_profile(out, &p);
	pprof__fini(&p);
	export_stacks__fini(&s);
	return ret;
}
