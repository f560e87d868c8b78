// SPDX-License-Identifier: GPL-2.0-only
#include "recording/codec.h"

#include "base/hosts.h"
#include "recording/names_in.h"
#include "recording/names_out.h"

/* Writes or reads; neither when it is asked whom a sample is about. */
#define CODE(c, write, read)                                                                       \
	do {                                                                                       \
		if ((c)->who)                                                                      \
			break;                                                                     \
		if ((c)->out)                                                                      \
			write;                                                                     \
		else                                                                               \
			read;                                                                      \
	} while (0)

void code_u64(struct codec *c, u64 *x)
{
	CODE(c, bytes__varint(c->out, *x), *x = cursor__varint(&c->in));
}

void code_below(struct codec *c, u32 *x, u32 limit)
{
	CODE(c, bytes__varint(c->out, *x), *x = cursor__below(&c->in, limit));
}

void code_u32(struct codec *c, u32 *x)
{
	CODE(c, bytes__varint(c->out, *x), *x = cursor__below(&c->in, 1ULL << 32));
}

void code_bool(struct codec *c, bool *x)
{
	u32 value = *x;

	code_below(c, &value, 2);
	*x = value;
}

void code_double(struct codec *c, double *x)
{
	CODE(c, bytes__double(c->out, *x), *x = cursor__double(&c->in));
}

void code_time(struct codec *c, u64 *t_ns)
{
	u64 base_ns = c->keeps ? 0 : c->base_ns;

	CODE(c, bytes__signed(c->out, (s64)(*t_ns - base_ns)),
	     *t_ns = base_ns + (u64)cursor__signed(&c->in) + c->behind_ns);
}

void code_text(struct codec *c, char *text, size_t size)
{
	CODE(c, bytes__varint(c->out, names_out__text(c->to, text)),
	     copy_str(text, size, names_in__text(c->from, cursor__varint(&c->in))));
}

void code_shared_text(struct codec *c, const char **text)
{
	CODE(c, bytes__varint(c->out, names_out__text(c->to, *text)),
	     *text = names_in__text(c->from, cursor__varint(&c->in)));
}

void code_stack(struct codec *c, u64 *hash, u32 tgid)
{
	u64 ref;

	if (c->who)
		return;
	if (c->out) {
		bytes__varint(c->out, names_out__stack(c->to, *hash, tgid));
		return;
	}
	ref = cursor__varint(&c->in);
	*hash = names_in__stack_hash(c->from, ref);
	if (*hash && c->nstacks < CODEC_STACKS)
		c->stacks[c->nstacks++] = (u32)(ref - 1);
}

void code_host(const struct codec *c, u32 *host)
{
	if (!c->out && !c->who)
		*host = c->host;
}

/* --- kept fields --- */

void codec__begin_route(struct codec *c, u64 base_ns)
{
	c->base_ns = base_ns;
	memset(c->last, 0, sizeof(c->last));
}

static u64 coded_ref(struct codec *c, u32 ref)
{
	s64 distance = (s64)ref - c->last[c->number];

	if (c->keeps)
		return ref;
	c->last[c->number] = ref;
	return 1 + ((u64)distance << 1 ^ (distance < 0 ? UINT64_MAX : 0));
}

/* What is no reference leads to nothing that is there. */
static u32 decoded_ref(struct codec *c, u64 code)
{
	u64 distance = (code - 1) >> 1 ^ ((code - 1) & 1 ? UINT64_MAX : 0);

	if (c->keeps)
		return (u32)MIN(code, UINT32_MAX);
	c->last[c->number] += (u32)distance;
	return c->last[c->number];
}

static void within(struct codec *c, void (*fields)(struct codec *c, void *x), void *x)
{
	bool outer = c->keeps;

	c->keeps = true;
	fields(c, x);
	c->keeps = outer;
}

static void write_kept(struct codec *c, void (*fields)(struct codec *c, void *x), void *x)
{
	size_t begin = c->out->n;
	u32 ref;

	bytes__varint(c->out, 0);
	within(c, fields, x);
	ref = names_out__kept(c->to, c->out->v + begin + 1, c->out->n - begin - 1);
	if (!ref)
		return;
	c->out->n = begin;
	bytes__varint(c->out, coded_ref(c, ref));
}

static void read_kept(struct codec *c, void (*fields)(struct codec *c, void *x), void *x)
{
	u64 code = cursor__varint(&c->in);
	struct cursor outer = c->in;

	if (code && !names_in__kept(c->from, decoded_ref(c, code), &c->in))
		c->in.broken = true;
	within(c, fields, x);
	if (!code)
		return;
	outer.broken |= c->in.broken;
	c->in = outer;
}

void code_kept(struct codec *c, void (*fields)(struct codec *c, void *x), void *x)
{
	if (c->who)
		fields(c, x);
	else if (c->out)
		write_kept(c, fields, x);
	else
		read_kept(c, fields, x);
}

/* --- whom it is about --- */

enum { SEEN_TGID = 1, SEEN_TID = 2, SEEN_CPU = 4, SEEN_COMM = 8, SEEN_KIND = 16, SEEN_CGROUP = 32 };

static bool is_first(struct codec *c, u32 what)
{
	if (!c->who || c->seen & what)
		return false;
	c->seen |= what;
	return true;
}

void codec__known(struct codec *c, bool known)
{
	if (c->who)
		c->who->known = known;
}

void codec__kthread(struct codec *c, bool kthread)
{
	if (!is_first(c, SEEN_KIND))
		return;
	c->who->has_kind = true;
	c->who->kthread = kthread;
}

void code_tgid(struct codec *c, u32 *x)
{
	if (is_first(c, SEEN_TGID)) {
		c->who->known = true;
		c->who->tgid = *x;
	}
	code_u32(c, x);
}

void code_tid(struct codec *c, u32 *x)
{
	if (is_first(c, SEEN_TID)) {
		c->who->has_tid = true;
		c->who->tid = *x;
	}
	code_u32(c, x);
}

void code_cpu(struct codec *c, u32 *x)
{
	if (is_first(c, SEEN_CPU)) {
		c->who->has_cpu = true;
		c->who->cpu = *x;
	}
	code_u32(c, x);
}

void code_comm(struct codec *c, char comm[COMM_LEN])
{
	if (is_first(c, SEEN_COMM)) {
		c->who->has_comm = true;
		c->who->comm = comm;
	}
	code_text(c, comm, COMM_LEN);
}

void code_kthread(struct codec *c, bool *x)
{
	codec__kthread(c, *x);
	code_bool(c, x);
}

void code_longest(struct codec *c, u64 *ns)
{
	if (c->who)
		c->who->longest_ns = *ns;
	code_u64(c, ns);
}

/* Its path is taken down. */
void code_cgroup(struct codec *c, u64 *id)
{
	if (is_first(c, SEEN_CGROUP))
		c->who->cgroup = *id;
	if (c->out)
		names_out__cgroup(c->to, *id);
	code_u64(c, id);
	if (!c->out && !c->who)
		*id = hosts__cgroup(c->host, *id);
}

/* --- tables --- */

static u32 count_set(const u64 *v, u32 n)
{
	u32 set = 0;

	for (u32 i = 0; i < n; i++)
		set += v[i] != 0;
	return set;
}

/* How many are not 0, then each with the distance to the one before. */
static void write_table(struct bytes *out, const u64 *v, u32 n)
{
	u32 next = 0;

	bytes__varint(out, v ? count_set(v, n) : 0);
	for (u32 i = 0; v && i < n; i++) {
		if (!v[i])
			continue;
		bytes__varint(out, i - next);
		bytes__varint(out, v[i]);
		next = i + 1;
	}
}

/* How many there were. */
static u32 read_table(struct cursor *in, u64 *v, u32 n)
{
	u32 set = cursor__below(in, n + 1), at = 0;

	memset(v, 0, n * sizeof(*v));
	for (u32 i = 0; i < set && at < n && !in->broken; i++) {
		at += cursor__below(in, n - at);
		v[at++] = cursor__varint(in);
	}
	return set;
}

void code_table64(struct codec *c, const u64 **table, u32 n)
{
	u64 *room = c->room64 + c->used64;

	if (c->who)
		return;
	if (c->out) {
		write_table(c->out, *table, n);
		return;
	}
	read_table(&c->in, room, n);
	c->used64 += n;
	*table = room;
}

static u32 table32(struct codec *c, const u32 **table, u32 n)
{
	u32 *room = c->room32 + c->used32, set;
	u64 wide[CODEC_ROOM32];

	if (c->who)
		return n;
	if (c->out) {
		for (u32 i = 0; *table && i < n; i++)
			wide[i] = (*table)[i];
		write_table(c->out, *table ? wide : NULL, n);
		return 0;
	}
	set = read_table(&c->in, wide, n);
	for (u32 i = 0; i < n; i++)
		room[i] = (u32)wide[i];
	c->used32 += n;
	*table = room;
	return set;
}

void code_table32(struct codec *c, const u32 **table, u32 n)
{
	table32(c, table, n);
}

const u32 *codec__one(struct codec *c, u32 at, u32 n)
{
	u32 *room = c->room32 + c->used32;

	memset(room, 0, n * sizeof(*room));
	room[at] = 1;
	c->used32 += n;
	return room;
}

void code_hist(struct codec *c, const u32 **table, u32 n)
{
	u32 set = table32(c, table, n);

	if (!c->out && !set)
		*table = NULL;
}
