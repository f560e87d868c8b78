/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For walks by unwind tables (bpf/unwind.bpf.h): the maps, asking user space for what is not in
 * them, what is mapped at an address, and the table's row for it.
 */
#ifndef BPF_UNWIND_WHERE_BPF_H
#define BPF_UNWIND_WHERE_BPF_H

#include "bpf/stack_scratch.bpf.h"
#include "bpf/unwind.h"
#include "bpf/unwind_vma.bpf.h"

struct unwind_block {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, UNWIND_BLOCK_PAGES);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct unwind_page));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
	__uint(max_entries, UNWIND_BLOCKS);
	__type(key, u32);
	__array(values, struct unwind_block);
} unwind_blocks SEC(".maps");

SHARED_ARRAY_MAP(unwind_objects, UNWIND_OBJECTS, struct unwind_object);

SPARSE_HASH_MAP(unwind_processes, 16384, u32, struct unwind_process);

SPARSE_HASH_MAP(unwind_parts, 16384, struct unwind_part_key, struct unwind_part);

/* Objects by the file; from which on user space need not know the process. */
LRU_MAP(unwind_files, UNWIND_FILES, struct unwind_file, u32);

/* When a process was asked for last, by tgid and exec_id; or a file, by a hash. */
struct unwind_asked {
	u64 at_ns, wait_ns;
	u32 maps_id; /* what was known of it then */
	u32 walks; /* that did without what user space knows of it */
};

LRU_MAP(unwind_asked, 8192, u64, struct unwind_asked);

/*
 * What is done at an address of a process, as long as the same is mapped there; or at one of a
 * table, which is the same in every process that has the file: short ones are each walked a few
 * times only.
 */
struct unwind_place {
	u64 ip; /* or the table's pc */
	u64 of; /* unwind_state.maps; or the table's number, with PLACE_OF_TABLE */
	u64 row; /* struct unwind_row */
};

#define UNWIND_PLACES  1024
#define PLACE_OF_TABLE (1ULL << 62)

struct unwind_cache {
	struct unwind_place v[UNWIND_PLACES];
};

/* One per kind of program, as they may interrupt each other; so is the one below. */
PERCPU_MAP(unwind_caches, STACK_SLOTS, struct unwind_cache);

/* Words that a walk read, by how far above its first stack pointer they are. */
#define MEMO_WORDS  96
#define MEMO_FRAMES 48
#define NOTES_NONE  0xffff

struct unwind_notes {
	u16 at[MEMO_WORDS];
	u64 word[MEMO_WORDS];
};

/* A walk that was made before, from a frame on: see bpf/unwind_stack.bpf.h. */
struct unwind_memo {
	u64 ip, sp, fp, lr;
	u64 bx; /* of the innermost frame; 0 for others, which do not depend on it */
	u64 maps;
	u16 nframes; /* 0: it was met once */
	u16 nwords;
	struct unwind_notes notes;
	u64 ips[MEMO_FRAMES];
	u64 sps[MEMO_FRAMES]; /* of processes with an interpreter */
};

#define UNWIND_MEMOS 64

/* No two kinds of programs of one object walk user stacks: this has no slots. */
PERCPU_MAP(unwind_memos, UNWIND_MEMOS, struct unwind_memo);

/* A mapping that frames are in. */
struct unwind_where {
	u64 start, end;
	u64 pc_base; /* table's pc = ip - pc_base */
	u32 how, root, depth, table;
};

#define UNWIND_WHERES 4

/* Whether the task is a thread that has run nothing yet. */
enum unwind_begins {
	BEGINS_NOT,
	BEGINS_PERHAPS,
	BEGINS_HERE, /* where the call returns to that made it, with its maker's other registers */
};

#define UNWIND_WINDOW 64

/* A walk at work. */
struct unwind_state {
	u64 ip, sp, fp, lr;	/* of the frame */
	u64 bx;			/* of the innermost one */
	u64 was_ip, was_fp, was_sp; /* of the frame before, which V8 looks at */
	u64 bcp;		/* its register for HotSpot's bytecodes */
	u64 exact;		/* 1: ip is where it is, not where a call returns to */
	u64 guessed;		/* 1: nothing says that the frame is one */
	u64 by_fp;		/* 1: the last step was made by the frame pointer */
	u64 whole;		/* 1: the walk came to the outermost frame, by what tables say */
	struct unwind_where at; /* the last frame */
	u32 tgid;
	u32 parts_of; /* whose mappings it has: its own, or its parent's since it was forked */
	u32 maps_id;  /* struct unwind_process; 0: the process is not known */
	/* Another number whenever something else is mapped: `told`, or of the kernel's own count.
	 * 0: nobody counts it. */
	u64 maps;
	u64 exec_id;
	u64 now;
	/* The mapping is from the kernel's list, 0 or 1; and whether any was: */
	u32 by_vma, any_vma;
	u32 gone;     /* 1: the task has no memory any more */
	u32 steps;    /* that were made */
	u32 begins;   /* enum unwind_begins */
	u32 no_frame; /* 1: the last place was none */
	u32 end;      /* enum unwind_end */
	u32 still;    /* 1: it is in the kernel by a call that it may well make again */
	u32 tables;   /* what is gone by: unwind_by_tables, UNWIND_NO_TABLES after the first gap */
	u32 why;      /* that gap, and where: */
	u64 missing;
	u32 nwheres;
	struct unwind_where wheres[UNWIND_WHERES]; /* found there by this walk */
	struct vma vma;
	u64 pivots[MAPLE_PIVOTS]; /* for searching there */
	u32 slot;		  /* its own */
	u64 read[2];		  /* what was read last */
	u64 window;		  /* the address of the words below */
	u32 window_words;
	u32 noted;    /* words in notes; NOTES_NONE: they are not kept */
	u64 noted_sp; /* what they are counted from */
	u64 probed;   /* what stands for a return address that is probed; ~0: none is */
	u32 memo;     /* where they would be kept, and from which place in the scratch on */
	u32 memo_at;
	u32 script; /* struct unwind_process.script */
	/* HotSpot's code cache; words that stand for addresses in it, and their sum: */
	u32 words_put;
	u32 place; /* in the scratch, of the frame */
	u32 doubt; /* 1: a frame there was not what it should be */
	u64 cache, cache_size;
	u64 check;
	struct unwind_notes notes;
	u64 words[2 * UNWIND_WINDOW]; /* twice: so the verifier sees its end */
	/* What would not fit on the stack, of which programs and all that they call have 512 bytes
	 * up to Linux 6.12. */
	struct unwind_mapping mapping;
	struct unwind_record record;
};

PERCPU_MAP(unwind_states, STACK_SLOTS, struct unwind_state);

PERCPU_MAP(unwind_stats, 1, struct unwind_stats);

/* The stack pointer in each frame that is in the scratch; marked where a JIT's code stands for the interpreter's. */
#define SP_OF_JIT 1
struct unwind_sps {
	u64 v[256];
};

PERCPU_MAP(unwind_sps, STACK_SLOTS, struct unwind_sps);

/* UNWIND_TABLES or one of the others. */
volatile u32 unwind_by_tables = 0;

/* Between two requests for a process. When they change nothing it is asked for ever more seldom:
 * not all code is mapped where a walk that went astray believes itself to be. */
#define UNWIND_ASK_MIN_NS (10ULL * 1000 * 1000)
#define UNWIND_ASK_MAX_NS (2000ULL * 1000 * 1000)

static __always_inline struct unwind_state *unwind__state(u32 slot)
{
	return bpf_map_lookup_elem(&unwind_states, &slot);
}

/* --- asking user space --- */

static __always_inline void unwind__send(struct unwind_state *s, u64 ip, bool file)
{
	struct unwind_record *r = &s->record;

	__builtin_memset(r, 0, sizeof(*r));
	r->type = RECORD_UNWIND;
	r->tgid = s->tgid;
	r->exec_id = s->exec_id;
	r->ip = ip;
	r->t_ns = s->now;
	if (file)
		r->file = s->vma.file;
	bpf_ringbuf_output(&records, r, sizeof(*r), BPF_RB_FORCE_WAKEUP);
}

static __always_inline u64 file_hash(const struct unwind_file *f)
{
	u64 h = hash_step(f->ino, ((u64)f->dev << 32) | f->generation);

	return hash_finish(hash_step(hash_step(h, f->size), f->mtime)) | (1ULL << 63);
}

/* For the table of the file that is mapped at an address, else for what the process has mapped. */
static __always_inline void unwind__ask(struct unwind_state *s, u64 ip, bool file)
{
	u32 maps_id = file ? 0 : s->maps_id;
	struct unwind_asked fresh = {s->now, UNWIND_ASK_MIN_NS, maps_id, 0};
	u64 id = file ? file_hash(&s->vma.file) : s->tgid | (s->exec_id << 32);
	struct unwind_asked *last = bpf_map_lookup_elem(&unwind_asked, &id);

	if (last && last->at_ns && last->maps_id == maps_id) {
		if (s->now - last->at_ns < last->wait_ns)
			return;
		fresh.wait_ns = 2 * last->wait_ns;
		if (fresh.wait_ns > UNWIND_ASK_MAX_NS)
			fresh.wait_ns = UNWIND_ASK_MAX_NS;
	}
	bpf_map_update_elem(&unwind_asked, &id, &fresh, BPF_ANY);
	unwind__send(s, ip, file);
}

/* A walk that used the kernel's list of what is mapped. That is slower than what user space tells
 * of a process, so who is there for longer is asked for; most are not, and telling of them would
 * cost more. */
#define UNWIND_WALKS 8

static __always_inline void unwind__ask_later(struct unwind_state *s)
{
	u64 id = s->tgid | (s->exec_id << 32);
	struct unwind_asked first = {.maps_id = s->maps_id, .walks = 1};
	struct unwind_asked *last = bpf_map_lookup_elem(&unwind_asked, &id);

	if (!last)
		bpf_map_update_elem(&unwind_asked, &id, &first, BPF_ANY);
	else if (++last->walks >= UNWIND_WALKS)
		unwind__ask(s, s->ip, false);
}

/* --- what is mapped there --- */

static __always_inline struct unwind_process *process_of(struct unwind_state *s, u32 tgid)
{
	struct unwind_process *p = bpf_map_lookup_elem(&unwind_processes, &tgid);

	return p && p->exec_id == s->exec_id ? p : NULL;
}

static __always_inline struct unwind_part *part_of(struct unwind_process *p, u32 tgid, u64 ip)
{
	struct unwind_part_key key = {.tgid = tgid};
	u32 n = p->nparts;

	for (u32 i = 1; i < UNWIND_PARTS && i < n; i++)
		if (p->begins[i] <= ip)
			key.part = i;
	return bpf_map_lookup_elem(&unwind_parts, &key);
}

/* Like the one below: without branches, so that the verifier has one path. */
static __always_inline struct unwind_mapping *mapping_of(struct unwind_part *part, u64 ip)
{
	u32 at = 0;

	for (u32 step = UNWIND_PART / 2; step; step >>= 1) {
		s64 below;

		barrier_var(at); /* or the mask is left out, and older verifiers see no bound */
		below = (s64)(part->v[(at + step) & (UNWIND_PART - 1)].start >> 1) -
			(s64)(ip >> 1) - 1;
		at += step & (u32)(below >> 63);
	}
	barrier_var(at);
	return &part->v[at & (UNWIND_PART - 1)];
}

static __always_inline void take_segment(struct unwind_state *s, struct unwind_object *o,
					 struct unwind_mapping *m)
{
	s->at.how = UNWIND_BY_FP;
	for (u32 i = 0; i < UNWIND_SEGMENTS; i++) {
		struct unwind_segment *g = &o->segments[i];

		if (m->offset >= g->end || m->offset + (m->end - m->start) <= g->offset)
			continue;
		s->at.how = UNWIND_BY_TABLE;
		s->at.pc_base = m->start - m->offset - g->pc;
		break;
	}
}

/* Takes the object of what m says to be mapped. */
static __always_inline bool take_object(struct unwind_state *s, struct unwind_mapping *m)
{
	u32 object = m->object;
	struct unwind_object *o = bpf_map_lookup_elem(&unwind_objects, &object);

	if (!o)
		return false;
	s->at.start = m->start;
	s->at.end = m->end;
	s->at.how = o->how;
	s->at.root = o->root;
	s->at.depth = o->depth;
	s->at.table = o->table;
	o->used_ns = s->now;
	if (o->how == UNWIND_BY_TABLE)
		take_segment(s, o, m);
	return true;
}

/* By what user space has told of the process. */
static __always_inline bool unwind__place_known(struct unwind_state *s, u64 ip)
{
	struct unwind_process *p = process_of(s, s->parts_of);
	struct unwind_part *part;
	struct unwind_mapping *m;

	if (!p)
		return false;
	part = part_of(p, s->parts_of, ip);
	if (!part)
		return false;
	m = mapping_of(part, ip);
	return ip >= m->start && ip < m->end && take_object(s, m);
}

/* Where this walk was before: between a program and its libraries it goes to and fro. */
static __always_inline bool unwind__met(struct unwind_state *s, u64 ip)
{
	for (u32 i = 0; i < UNWIND_WHERES; i++) {
		if (ip - s->wheres[i].start >= s->wheres[i].end - s->wheres[i].start)
			continue;
		s->at = s->wheres[i];
		s->by_vma = 1;
		return true;
	}
	return false;
}

/* By the kernel's own list: first it is found there ... */
__noinline int unwind__find_vma(u32 slot, u64 ip)
{
	struct unwind_state *s = unwind__state(slot);

	if (!s)
		return UNWIND_UNKNOWN;
	__builtin_memset(&s->vma, 0, sizeof(s->vma));
	s->vma.at = vma__find(ip, s->pivots);
	return s->vma.at ? UNWIND_GOES_ON : UNWIND_NO_CODE;
}

/* ... then it is read ... */
__noinline int unwind__read_vma(u32 slot, u64 ip)
{
	struct unwind_state *s = unwind__state(slot);

	if (!s || !vma__read(ip, &s->vma))
		return UNWIND_NO_CODE;
	s->by_vma = s->any_vma = 1;
	return UNWIND_GOES_ON;
}

/* ... and taken. */
__noinline int unwind__take_vma(u32 slot)
{
	struct unwind_state *s = unwind__state(slot);
	u32 none = UNWIND_OBJECT_FP, *object = &none;
	struct unwind_object *fp;
	struct unwind_mapping *m;

	if (!s)
		return UNWIND_UNKNOWN;
	if (s->vma.file.ino)
		object = bpf_map_lookup_elem(&unwind_files, &s->vma.file);
	fp = bpf_map_lookup_elem(&unwind_objects, &none);
	if (!object || !fp)
		return UNWIND_NO_TABLE;
	m = &s->mapping;
	m->start = s->vma.start;
	m->end = s->vma.end;
	m->offset = s->vma.page << (fp->page_shift & 63);
	m->object = *object;
	if (!take_object(s, m))
		return UNWIND_NO_TABLE;
	s->wheres[s->nwheres++ & (UNWIND_WHERES - 1)] = s->at;
	return UNWIND_GOES_ON;
}

/* By what user space has told, and where this walk was. */
__noinline int unwind__known(u32 slot, u64 ip)
{
	struct unwind_state *s = unwind__state(slot);

	if (!s)
		return UNWIND_UNKNOWN;
	s->by_vma = 0;
	if (s->maps_id && unwind__place_known(s, ip))
		return UNWIND_GOES_ON;
	return unwind__met(s, ip) ? UNWIND_GOES_ON : UNWIND_UNKNOWN;
}

/* Fills in what is mapped at an address. The steps do not call each other: they would be on the
 * stack together. */
static __always_inline int unwind__map(u32 slot, u64 ip)
{
	int why = unwind__known(slot, ip);

	if (why != UNWIND_UNKNOWN || !HAS_VMAS)
		return why;
	why = unwind__find_vma(slot, ip);
	if (why)
		return why;
	why = unwind__read_vma(slot, ip);
	return why ? why : unwind__take_vma(slot);
}

/* --- the table's row --- */

/* The last entry of a page that is not above pc. */
__noinline u64 unwind__entry(u32 number, u32 pc)
{
	u32 block = number / UNWIND_BLOCK_PAGES, at = number % UNWIND_BLOCK_PAGES, i = 0;
	struct unwind_page *page;
	void *pages = bpf_map_lookup_elem(&unwind_blocks, &block);

	if (!pages)
		return 0;
	page = bpf_map_lookup_elem(pages, &at);
	if (!page)
		return 0;
#pragma unroll
	for (u32 step = UNWIND_PAGE_ENTRIES / 2; step; step >>= 1) {
		u64 e;
		s64 below;

		barrier_var(i); /* see mapping_of */
		e = page->entry[(i + step) & (UNWIND_PAGE_ENTRIES - 1)];
		below = (s64)(e & 0xffffffff) - (s64)(u64)pc - 1;
		i += step & (u32)(below >> 63);
	}
	barrier_var(i);
	return page->entry[i & (UNWIND_PAGE_ENTRIES - 1)];
}

union unwind_entry {
	u64 word;
	struct unwind_row row;
	struct unwind_child child;
};

__noinline u64 unwind__row(u32 root, u32 depth, u32 pc)
{
	union unwind_entry e = {.child.page = root};

	for (u32 i = 1; i < UNWIND_DEPTH && i < depth; i++)
		e.word = unwind__entry(e.child.page, pc);
	return unwind__entry(e.child.page, pc);
}

#endif
