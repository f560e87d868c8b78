// SPDX-License-Identifier: GPL-2.0-only
/*
 * BPF programs of the machine: how often and how long they run, whose they are, their maps.
 * Nothing is kept open between two looks, so that no program or map lives longer by being looked
 * at. Statistics of runs are on while this is open; the kernel takes them back with the
 * descriptor, however proftop ends.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bpf_admin.h"
#include "base/bpf_types.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "sources/bpf_progs_impl.h"
#include "sources/kernel_btf.h"
#include "sources/bpf_util.h"
#include "sources/perf_open.h"
#include "sources/source.h"

#define PROGS_MAX	 4096 /* looked at; so many maps of each program, and maps in all */
#define PROG_MAPS_MAX	 64
#define MAPS_MAX	 8192
#define MEMORY_EVERY	 8 /* looks: how much memory a map has is read anew ... */
#define OWNERS_EVERY	 8 /* ... and whose programs are that were there before */
#define OWNERS_SHARE	 100 /* a visit of all descriptors takes one of so many parts of the time, at most */
#define NAMES_BY_TYPES	 (BPF_OBJ_NAME_LEN - 1) /* names of this length may be cut */
#define STATS_SYSCTL	 "/proc/sys/kernel/bpf_stats_enabled"

struct map_entry {
	struct bpf_map_sample s;
	u64 seen;
	bool used; /* by a program, in this look */
};

struct maps {
	struct map_entry *v;
	u32 n, cap;
	struct hidx index;
};

struct source {
	int stats_fd;
	struct bpf_files files;
	struct bpf_progs progs;
	struct maps maps;
	struct btf *btf; /* of the kernel, while one look lasts */
	u64 look;
	u32 newest; /* id of a program */
	u64 links;  /* which there are, as a hash */
	char others[sizeof(((struct bpf_state_sample *)0)->others)];
	struct bpf_state_sample state;
	bool progs_only; /* the overview alone looks: it has no use for maps, which are many */
	bool owners_due;
	u64 owners_again_ns; /* and not before that */
	u64 own_runs, own_run_ns; /* of proftop's own programs, in this look */
	u64 before_ns;
	struct health health;
};

static u64 id_hash(u32 id)
{
	return mix64(id);
}

/* --- programs --- */

struct bpf_prog_entry *bpf_progs__find(struct bpf_progs *p, u32 id)
{
	u32 at;

	HIDX_FIND(at, &p->index, id_hash(id), pos, p->v[pos].s.id == id);
	return at == HIDX_NONE ? NULL : &p->v[at];
}

static bool has_place(const char *all, const char *where)
{
	size_t len = strlen(where);

	for (const char *p = all; (p = strstr(p, where)); p += len)
		if ((p == all || p[-1] == ' ') && (p[len] == ',' || !p[len]))
			return true;
	return false;
}

void bpf_prog__attach_at(struct bpf_prog_entry *p, const char *where)
{
	size_t len = strlen(p->s.attached), room = sizeof(p->s.attached) - len;

	if (has_place(p->s.attached, where))
		return;
	snprintf(p->s.attached + len, room, "%s%s", len ? ", " : "", where);
}

/* A name that is as long as names can be may be longer in the program's types. */
static void read_long_name(int fd, u32 types, char *name, size_t size)
{
	struct bpf_func_info func = {0};
	struct bpf_prog_info again = {.nr_func_info = 1,
				      .func_info_rec_size = sizeof(func),
				      .func_info = (u64)(uintptr_t)&func};
	u32 len = sizeof(again);
	struct btf *btf = bpf_types__of(types);
	const struct btf_type *t;

	if (btf && !bpf_obj_get_info_by_fd(fd, &again, &len)) {
		t = btf__type_by_id(btf, func.type_id);
		if (t && btf__name_by_offset(btf, t->name_off))
			copy_str(name, size, btf__name_by_offset(btf, t->name_off));
	}
	btf__free(btf);
}

/* What stays as it is while a program is loaded. */
static void read_static(int fd, const struct bpf_prog_info *info, const u32 *maps,
			struct bpf_prog_entry *p)
{
	const char *type = libbpf_bpf_prog_type_str(info->type);
	struct bpf_prog_sample *s = &p->s;

	s->head.type = SAMPLE_BPF_PROG;
	s->id = info->id;
	s->loaded_ns = info->load_time;
	s->uid = info->created_by_uid;
	s->xlated_bytes = info->xlated_prog_len;
	s->jited_bytes = info->jited_prog_len;
	snprintf(s->name, sizeof(s->name), "%.*s", BPF_OBJ_NAME_LEN, info->name);
	if (strlen(s->name) == NAMES_BY_TYPES)
		read_long_name(fd, info->btf_id, s->name, sizeof(s->name));
	if (type)
		copy_str(s->type, sizeof(s->type), type);
	else
		snprintf(s->type, sizeof(s->type), "type %u", info->type);
	for (u32 i = 0; i < BPF_TAG_SIZE; i++)
		snprintf(s->tag + 2 * i, 3, "%02x", info->tag[i]);
	p->nmaps = MIN(info->nr_map_ids, PROG_MAPS_MAX);
	p->maps = xmalloc(MAX(p->nmaps, 1u) * sizeof(*p->maps));
	memcpy(p->maps, maps, p->nmaps * sizeof(*p->maps));
}

static struct bpf_prog_entry *add_prog(struct source *s, int fd, const struct bpf_prog_info *info,
				       const u32 *maps)
{
	struct bpf_progs *p = &s->progs;
	struct bpf_prog_entry *e;

	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	e = &p->v[p->n];
	*e = (struct bpf_prog_entry){.s.own = true}; /* until it is known whose it is, nobody else is blamed */
	hidx__add(&p->index, id_hash(info->id), p->n++);
	read_static(fd, info, maps, e);
	/* What ran before the first look ran before the interval. */
	if (s->look == 1) {
		e->last_runs = info->run_cnt;
		e->last_run_ns = info->run_time_ns;
		e->last_misses = info->recursion_misses;
	}
	return e;
}

static void count_runs(struct bpf_prog_entry *e, const struct bpf_prog_info *info)
{
	e->s.runs = info->run_cnt - MIN(info->run_cnt, e->last_runs);
	e->s.run_ns = info->run_time_ns - MIN(info->run_time_ns, e->last_run_ns);
	e->s.misses = info->recursion_misses - MIN(info->recursion_misses, e->last_misses);
	e->last_runs = info->run_cnt;
	e->last_run_ns = info->run_time_ns;
	e->last_misses = info->recursion_misses;
}

static void look_at(struct source *s, u32 id, int fd)
{
	u32 maps[PROG_MAPS_MAX];
	struct bpf_prog_info info = {.nr_map_ids = PROG_MAPS_MAX,
				     .map_ids = (u64)(uintptr_t)maps};
	u32 size = sizeof(info);
	struct bpf_prog_entry *e;

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return;
	e = bpf_progs__find(&s->progs, id);
	if (!e)
		e = add_prog(s, fd, &info, maps);
	e->seen = s->look;
	count_runs(e, &info);
}

/* Ids rise: those between that are not there now came and went. */
static void list_progs(struct source *s)
{
	u32 newest = s->newest, n = 0, later = 0, last = 0;
	int fd;

	for (u32 id = 0; (fd = bpf_admin__open_next(BPF_OBJECT_PROG, &id)) >= 0; last = id, n++) {
		later += id > newest;
		if (n < PROGS_MAX)
			look_at(s, id, fd);
		else
			s->state.left_out++;
		close(fd);
	}
	if (s->look > 1 && last > newest)
		s->state.unseen = last - newest - later;
	s->newest = MAX(last, newest);
}

/* Moves the last one into its place. */
static void drop_prog(struct source *s, u32 at)
{
	struct bpf_progs *p = &s->progs;

	free(p->v[at].maps);
	p->v[at] = p->v[--p->n];
}

static void drop_gone(struct source *s)
{
	struct bpf_progs *p = &s->progs;

	for (u32 i = p->n; i-- > 0;)
		if (p->v[i].seen != s->look) {
			s->state.ended++;
			drop_prog(s, i);
		}
	if (!s->state.ended)
		return;
	hidx__clear(&p->index);
	for (u32 i = 0; i < p->n; i++)
		hidx__add(&p->index, id_hash(p->v[i].s.id), i);
}

/* --- maps --- */

static struct map_entry *find_map(struct maps *m, u32 id)
{
	u32 at;

	HIDX_FIND(at, &m->index, id_hash(id), pos, m->v[pos].s.id == id);
	return at == HIDX_NONE ? NULL : &m->v[at];
}

/* What the kernel accounts to the map, as bpftool shows it. */
static u64 memory_of(int fd)
{
	char path[64], bytes[32];

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	return file__field(path, "memlock", bytes, sizeof(bytes)) ? strtoull(bytes, NULL, 10) : 0;
}

static bool read_map(u32 id, int fd, struct bpf_map_sample *out)
{
	struct bpf_map_info info = {0};
	u32 size = sizeof(info);
	int err = bpf_obj_get_info_by_fd(fd, &info, &size);
	const char *type = libbpf_bpf_map_type_str(info.type);

	*out = (struct bpf_map_sample){.head.type = SAMPLE_BPF_MAP,
				       .id = id,
				       .key_bytes = info.key_size,
				       .value_bytes = info.value_size,
				       .max_entries = info.max_entries,
				       .bytes = memory_of(fd)};
	snprintf(out->name, sizeof(out->name), "%.*s", BPF_OBJ_NAME_LEN, info.name);
	if (type)
		copy_str(out->type, sizeof(out->type), type);
	else
		snprintf(out->type, sizeof(out->type), "type %u", info.type);
	return !err;
}

static void look_at_map(struct source *s, u32 id, int fd)
{
	struct map_entry *m = find_map(&s->maps, id);
	struct bpf_map_sample now;

	if (!m || (id + s->look) % MEMORY_EVERY == 0) {
		if (!read_map(id, fd, &now))
			return;
		if (!m) {
			s->maps.v = xgrow(s->maps.v, s->maps.n, &s->maps.cap, sizeof(*m));
			hidx__add(&s->maps.index, id_hash(id), s->maps.n);
			m = &s->maps.v[s->maps.n++];
		}
		m->s = now;
	}
	m->s.fill_known = false;
	m->used = false;
	m->seen = s->look;
}

static void drop_gone_maps(struct source *s)
{
	struct maps *m = &s->maps;
	u32 n = m->n;

	for (u32 i = m->n; i-- > 0;)
		if (m->v[i].seen != s->look)
			m->v[i] = m->v[--m->n];
	if (m->n == n)
		return;
	hidx__clear(&m->index);
	for (u32 i = 0; i < m->n; i++)
		hidx__add(&m->index, id_hash(m->v[i].s.id), i);
}

static void read_fills(struct source *s)
{
	const struct bpf_fill *fills;
	long n = bpf_files__fills(&s->files, &fills);

	if (n < 0)
		log__add(LOG_WARN, "BPF maps could not be visited: %s", strerror((int)-n));
	for (long i = 0; i < n; i++) {
		struct map_entry *m = find_map(&s->maps, fills[i].id);

		if (!m)
			continue;
		m->s.fill_known = true;
		m->s.used = fills[i].used;
	}
}

static void list_maps(struct source *s)
{
	u32 n = 0;
	int fd;

	for (u32 id = 0; (fd = bpf_admin__open_next(BPF_OBJECT_MAP, &id)) >= 0; n++) {
		if (n < MAPS_MAX)
			look_at_map(s, id, fd);
		else
			s->state.left_out++;
		close(fd);
	}
	drop_gone_maps(s);
	read_fills(s);
}

/* --- samples --- */

static void put_maps(struct source *s, const struct sample_sink *sink)
{
	for (u32 i = 0; i < s->progs.n; i++) {
		const struct bpf_prog_entry *p = &s->progs.v[i];

		for (u32 k = 0; k < p->nmaps; k++) {
			struct map_entry *m = find_map(&s->maps, p->maps[k]);

			if (!m)
				continue;
			m->used = true;
			m->s.prog = p->s.id;
			sink__put(sink, &m->s.head);
		}
	}
	for (u32 i = 0; i < s->maps.n; i++) {
		struct map_entry *m = &s->maps.v[i];

		m->s.prog = 0;
		if (!m->used)
			sink__put(sink, &m->s.head);
	}
}

static void put_progs(struct source *s, const struct sample_sink *sink)
{
	s->own_runs = s->own_run_ns = s->health.samples = 0;
	for (u32 i = 0; i < s->progs.n; i++) {
		const struct bpf_prog_sample *p = &s->progs.v[i].s;

		s->health.samples += p->runs;
		s->own_runs += p->own ? p->runs : 0;
		s->own_run_ns += p->own ? p->run_ns : 0;
		sink__put(sink, &p->head);
	}
	s->health.samples_total += s->health.samples;
}

/* All descriptors of the machine may be very many: they are visited when programs or links have
 * changed, and now and then, as descriptors are handed on; where that takes long, later. */
static void read_owners(struct source *s, u64 now_ns)
{
	u64 began_ns = clock__thread_cpu_ns();
	int err;

	for (u32 i = 0; i < s->progs.n; i++) {
		struct bpf_prog_sample *p = &s->progs.v[i].s;

		p->attached[0] = '\0';
		p->nowners = 0;
		p->own = false;
	}
	err = bpf_files__owners(&s->files, &s->progs, s->others, sizeof(s->others));
	if (err)
		log__add(LOG_WARN, "owners of BPF programs are not known: %s", strerror(-err));
	s->state.left_out += bpf_links__read(&s->progs, &s->btf);
	kernel_btf__put(s->btf);
	s->btf = NULL;
	s->owners_due = false;
	s->owners_again_ns = now_ns + OWNERS_SHARE * (clock__thread_cpu_ns() - began_ns);
}

static void look(struct source *s)
{
	u64 links = s->links, now_ns = clock__monotonic_ns();
	u32 newest = s->newest;

	s->look++;
	s->state = (struct bpf_state_sample){
		.head.type = SAMPLE_BPF_STATE,
		.ncpus = (u32)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1L),
	};
	list_progs(s);
	drop_gone(s);
	s->links = bpf_links__which();
	s->owners_due |= s->newest != newest || s->links != links || s->state.ended ||
			 s->look % OWNERS_EVERY == 0;
	if (s->owners_due && now_ns >= s->owners_again_ns)
		read_owners(s, now_ns);
	copy_str(s->state.others, sizeof(s->state.others), s->others);
	s->state.by_sysctl = file__number(STATS_SYSCTL, 0) > 0;
	if (!s->progs_only)
		list_maps(s);
}

static void note_look(struct source *s)
{
	struct health *h = &s->health;
	u64 now_ns = clock__monotonic_ns();

	h->map_full += s->state.left_out;
	health__cost(h, s->own_runs, s->own_runs, s->own_run_ns, now_ns - s->before_ns);
	s->before_ns = now_ns;
	h->note[0] = '\0';
	health__note(h, s->state.ended, "programs ended: their last runs are not seen");
	health__note(h, s->state.unseen, "programs came and went between two looks");
	health__note(h, s->state.left_out, "programs, maps or links are more than are looked at");
}

static void bpf_progs__drain(struct source *s, bool tick, const struct sample_sink *sink)
{
	if (!tick)
		return;
	look(s);
	put_progs(s, sink);
	if (!s->progs_only)
		put_maps(s, sink);
	sink__put(sink, &s->state.head);
	note_look(s);
}

/* --- the source --- */

static void bpf_progs__close(struct source *s)
{
	bpf_files__close(&s->files);
	if (s->stats_fd >= 0)
		close(s->stats_fd);
	while (s->progs.n)
		drop_prog(s, s->progs.n - 1);
	free(s->progs.v);
	hidx__fini(&s->progs.index);
	free(s->maps.v);
	hidx__fini(&s->maps.index);
	free(s);
}

static int open_stats(struct source *s, struct status *st)
{
	s->stats_fd = bpf_admin__enable_stats();
	if (s->stats_fd >= 0)
		return 0;
	if (s->stats_fd == -EPERM)
		return status__set(st, EXIT_CODE_PERMISSION, -EPERM,
				   "programs of others and statistics of their runs need "
				   "CAP_SYS_ADMIN: run with sudo (or as root)");
	return bpf_util__failed(s->stats_fd, "run-time statistics of BPF programs", st);
}

static struct source *bpf_progs__open(const struct sampling *how, const struct scope *scope,
				      struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));
	int err = bpf_util__prepare(st);

	s->stats_fd = -1;
	s->progs_only = how->active_only;
	if (!err)
		err = open_stats(s, st);
	if (!err)
		err = bpf_files__open(&s->files, s->stats_fd, st);
	if (err) {
		bpf_progs__close(s);
		return NULL;
	}
	look(s);
	s->before_ns = clock__monotonic_ns();
	copy_str(s->health.tier, sizeof(s->health.tier), "bpf");
	copy_str(s->health.event, sizeof(s->health.event), "run-time statistics");
	s->health.precise = true;
	return s;
}

/* Every program is looked at: what is shown, queries decide. */
static int bpf_progs__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return 0;
}

static int bpf_progs__set_sampling(struct source *s, const struct sampling *how, struct status *st)
{
	s->progs_only = how->active_only;
	return 0;
}

static void bpf_progs__health(struct source *s, struct health *h)
{
	health__take(h, &s->health);
}

const struct source_ops source_bpf_progs = {
	.name = "bpf",
	.title = "run-time statistics of BPF programs, and iterators over who holds them",
	.open = bpf_progs__open,
	.close = bpf_progs__close,
	.set_scope = bpf_progs__set_scope,
	.set_sampling = bpf_progs__set_sampling,
	.drain = bpf_progs__drain,
	.health = bpf_progs__health,
};
