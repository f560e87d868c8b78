/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For walks by unwind tables (bpf/unwind.bpf.h): the user stack's words, and the rest of a walk
 * that was made before.
 *
 * Words are read in windows, since it is the call that costs, not the bytes.
 *
 * From a frame on a walk depends on a few registers, on what is mapped and on the words that it
 * reads, and on nothing else. So when a thread is seen in the same frame again, the words that
 * the last walk from there read are compared, and while they are the same so are the frames.
 * Threads that wait do so in few places, and what calls a loop stays the same for long; looking
 * rows up again would cost several times as much.
 */
#ifndef BPF_UNWIND_STACK_BPF_H
#define BPF_UNWIND_STACK_BPF_H

#include "bpf/unwind_where.bpf.h"

static __always_inline void window__close(struct unwind_state *s)
{
	s->window_words = 0;
	s->noted = NOTES_NONE;
}

/* Reads a window of n words at least. It ends with its page, as what is behind may not be there.
 * 0, or UNWIND_WINDOW: they cannot be read. */
__noinline u64 window__read(u32 slot, u64 from, u32 n)
{
	struct unwind_state *s = unwind__state(slot);
	u64 words = (4096 - (from & 4095)) / 8;

	if (!s)
		return UNWIND_WINDOW;
	if (words > UNWIND_WINDOW)
		words = UNWIND_WINDOW;
	if (words < n)
		words = n;
	s->window = from;
	s->window_words = words;
	barrier_var(words);
	words &= 2 * UNWIND_WINDOW - 1;
	if (!bpf_probe_read_user(s->words, words * sizeof(u64), (void *)from))
		return 0;
	s->window_words = 0;
	return UNWIND_WINDOW;
}

/* Where in the window n words from an address on are, after reading them if need be; past its
 * end: they cannot be read. */
static __always_inline u64 window__at(struct unwind_state *s, u32 slot, u64 from, u32 n)
{
	u64 distance = from - s->window;

	if (!(distance & 7) && distance / 8 + n <= s->window_words)
		return distance / 8;
	return window__read(slot, from, n);
}

/* For struct unwind_memo. */
static __always_inline void note_word(struct unwind_state *s, u64 from, u64 word)
{
	u64 distance = from - s->noted_sp;
	u32 i = s->noted;

	if (i >= MEMO_WORDS || (distance & 7) || distance / 8 > 0xffff) {
		s->noted = NOTES_NONE;
		return;
	}
	s->notes.at[i] = distance / 8;
	s->notes.word[i] = word;
	s->noted = i + 1;
}

/* Reads n words, 1 or 2, into s->read; false: they are not there. */
__noinline int unwind__read(u32 slot, u64 from, u32 n)
{
	struct unwind_state *s = unwind__state(slot);
	u64 i;

	if (!s || n > 2)
		return 0;
	i = window__at(s, slot, from, n);
	if (i >= UNWIND_WINDOW)
		return 0;
	barrier_var(i);
	s->read[0] = s->words[i & (UNWIND_WINDOW - 1)];
	s->read[1] = s->words[(i & (UNWIND_WINDOW - 1)) + 1];
	if (s->noted == NOTES_NONE)
		return 1;
	note_word(s, from, s->read[0]);
	if (n == 2)
		note_word(s, from + 8, s->read[1]);
	return 1;
}

/* Of other frames than the innermost it is not known. */
static __always_inline u64 place_bx(const struct unwind_state *s)
{
	return s->steps ? 0 : s->bx;
}

static __always_inline bool is_place(const struct unwind_memo *m, const struct unwind_state *s)
{
	return m->ip == s->ip && m->sp == s->sp && m->fp == s->fp && m->lr == s->lr &&
	       m->bx == place_bx(s) && m->maps == s->maps;
}

static __always_inline u32 memo_index(const struct unwind_state *s)
{
	u64 h = (s->ip ^ rotate(s->sp, 29) ^ (s->maps << 40)) * 0x9fb21c651e98df25ULL;

	return (h >> 48) & (UNWIND_MEMOS - 1);
}

/* Most places are seen once: the first time it is only remembered that it was. The second time
 * what follows is noted, unless it is already, from a frame further in. */
static __always_inline void memo__expect(struct unwind_memo *m, struct unwind_state *s, u32 i,
					 u32 at)
{
	bool noting = s->noted != NOTES_NONE;

	if (noting && s->memo == i)
		return; /* it is another place's that is being noted */
	if (is_place(m, s)) {
		if (noting)
			return;
		s->memo = i;
		s->memo_at = at;
		s->noted_sp = s->sp;
		s->noted = 0;
		return;
	}
	m->ip = s->ip;
	m->sp = s->sp;
	m->fp = s->fp;
	m->lr = s->lr;
	m->bx = place_bx(s);
	m->maps = s->maps;
	m->nframes = 0;
}

/* Notes the words that another place's walk read. Of its own, as is each loop here: verifiers look
 * at one after another once for each turn of the first. */
__noinline int memo__note(u32 slot, u32 memo)
{
	struct unwind_state *s = unwind__state(slot);
	struct unwind_memo *m = bpf_map_lookup_elem(&unwind_memos, &memo);
	u32 n;

	if (!s || !m)
		return 0;
	n = m->nwords;
	for (u32 i = 0; i < MEMO_WORDS && i < n && s->noted != NOTES_NONE; i++)
		note_word(s, s->sp + 8 * (u64)m->notes.at[i], m->notes.word[i]);
	return 0;
}

/* Whether the words are what they were. */
__noinline int memo__holds(u32 slot, u32 memo)
{
	struct unwind_state *s = unwind__state(slot);
	struct unwind_memo *m = bpf_map_lookup_elem(&unwind_memos, &memo);
	u32 n;

	if (!s || !m)
		return 0;
	n = m->nwords;
	for (u32 i = 0; i < MEMO_WORDS && i < n; i++) {
		u64 at = window__at(s, slot, s->sp + 8 * (u64)m->notes.at[i], 1);

		if (at >= UNWIND_WINDOW)
			return 0;
		barrier_var(at);
		if (s->words[at & (UNWIND_WINDOW - 1)] != m->notes.word[i])
			return 0;
	}
	if (s->noted != NOTES_NONE)
		memo__note(slot, memo);
	return 1;
}

/* Whether what the walk goes by is under its number: what user space has told of the process does
 * not count what the kernel's list has besides. */
static __always_inline bool maps__identify(const struct unwind_state *s, u32 by_vma)
{
	return s->maps && !(s->maps_id && by_vma);
}

/* Whether the rest of a walk is told by where it is. */
static __always_inline bool can_recall(const struct unwind_state *s)
{
	return s->tables != UNWIND_NO_TABLES && s->exact == !s->steps &&
	       !(s->guessed | s->begins | s->why) && maps__identify(s, s->any_vma);
}

/* Puts the frames from this one on into the scratch and returns how many there are; 0: they
 * have to be found. */
__noinline u32 memo__recall(u32 slot, u32 at)
{
	struct stack_record *to = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct unwind_state *s = unwind__state(slot);
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);
	struct unwind_memo *m;
	u32 i, n;

	if (!to || !s || !sps || !can_recall(s))
		return 0;
	i = memo_index(s);
	m = bpf_map_lookup_elem(&unwind_memos, &i);
	if (!m)
		return 0;
	n = m->nframes;
	if (!n || n > MEMO_FRAMES || !is_place(m, s) || !memo__holds(slot, i)) {
		memo__expect(m, s, i, at);
		return 0;
	}
	barrier_var(at); /* older verifiers have to see that it is the index that is bounded */
	if (at > 2 * STACK_DEPTH - MEMO_FRAMES ||
	    bpf_probe_read_kernel(&to->ips[at], sizeof(m->ips), m->ips))
		return 0;
	if (s->script)
		bpf_probe_read_kernel(&sps->v[at], sizeof(m->sps), m->sps);
	s->by_fp = 0;
	return n;
}

/* Keeps what was noted of a walk that is over and has n frames, which are in the scratch from `at`
 * on. */
__noinline int memo__keep(u32 slot, u32 at, u32 n)
{
	struct stack_record *from = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct unwind_state *s = unwind__state(slot);
	struct unwind_sps *sps = bpf_map_lookup_elem(&unwind_sps, &slot);
	struct unwind_memo *m;
	u32 begin;

	if (!from || !s || !sps || !s->whole || !maps__identify(s, s->any_vma))
		return 0;
	begin = s->memo_at;
	n = at + n - begin;
	m = bpf_map_lookup_elem(&unwind_memos, &s->memo);
	if (!m)
		return 0;
	m->nframes = 0;
	m->nwords = s->noted;
	bpf_probe_read_kernel(&m->notes, sizeof(m->notes), &s->notes);
	barrier_var(begin);
	if (n > MEMO_FRAMES || begin > 2 * STACK_DEPTH - MEMO_FRAMES)
		return 0;
	/* All that there is room for: older verifiers lose track of a length. */
	bpf_probe_read_kernel(m->ips, sizeof(m->ips), &from->ips[begin]);
	if (s->script)
		bpf_probe_read_kernel(m->sps, sizeof(m->sps), &sps->v[begin]);
	m->nframes = n;
	return 0;
}

#endif
