// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of Java functions in stacks. What a frame's word stands for is read from its process when
 * the word is first met, or stood for something else before; methods are kept with their lines.
 */
#include <elf.h>

#include "symbols/disasm.h"
#include "symbols/scripts_impl.h"
#include "symbols/tables.h"

#define WORDS_MAX   (128u << 10)
#define METHODS_MAX (64u << 10)
#define LINES_MAX   (32u << 20) /* bytes of tables of lines; beyond all is read anew */
#define VM_NAME	    "[hotspot]" /* the virtual machine's own code */

struct method_entry {
	u64 address, print;
	u32 tgid, object, func, first_line, nlines;
	u8 *lines;
};

struct word_entry {
	u64 word, print;
	u32 tgid;
	u32 first, n; /* of locs, innermost first */
};

struct java_names {
	struct scripts *scripts;
	struct method_entry *methods;
	u32 nmethods, methods_cap;
	struct word_entry *words;
	u32 nwords, words_cap;
	struct u32_vec locs;
	size_t line_bytes;
	struct hidx by_address, by_word;
	struct disasm *disasm;
};

struct java_names *java_names__new(struct scripts *sc)
{
	struct java_names *j = xcalloc(1, sizeof(*j));

	j->scripts = sc;
	return j;
}

static void forget(struct java_names *j)
{
	for (u32 i = 0; i < j->nmethods; i++)
		free(j->methods[i].lines);
	j->nmethods = j->nwords = j->locs.n = 0;
	j->line_bytes = 0;
	hidx__clear(&j->by_address);
	hidx__clear(&j->by_word);
}

void java_names__free(struct java_names *j)
{
	forget(j);
	disasm__free(j->disasm);
	hidx__fini(&j->by_address);
	hidx__fini(&j->by_word);
	free(j->methods);
	free(j->words);
	free(j->locs.v);
	free(j);
}

/* --- methods --- */

static struct method_entry *find_method(struct java_names *j, u32 tgid, u64 address)
{
	u64 hash = mix64_pair(address, tgid);
	struct method_entry *e;
	u32 at;

	HIDX_FIND(at, &j->by_address, hash, pos,
		  j->methods[pos].address == address && j->methods[pos].tgid == tgid);
	if (at != HIDX_NONE)
		return &j->methods[at];
	j->methods = xgrow(j->methods, j->nmethods, &j->methods_cap, sizeof(*j->methods));
	e = &j->methods[j->nmethods];
	*e = (struct method_entry){.address = address, .tgid = tgid};
	hidx__add(&j->by_address, hash, j->nmethods++);
	return e;
}

/* As it is now; NULL: it is none. What was there before goes. */
static const struct method_entry *read_method(struct java_names *j, const struct process_entry *p,
					      u64 address)
{
	const struct process_memory m = process_memory__of(p->tgid);
	struct method_entry *e = find_method(j, p->tgid, address);
	struct hotspot_method r;

	if (e->print && e->print == hotspot_method__print(&p->runtime.hotspot, &m, address))
		return e;
	if (hotspot_method__read(&p->runtime.hotspot, &m, address, &r)) {
		e->print = 0;
		return NULL;
	}
	free(e->lines);
	j->line_bytes += r.nlines - e->nlines;
	e->print = r.print;
	e->object = scripts__object(j->scripts, SCRIPT_HOTSPOT, r.file, p->tgid);
	e->func = scripts__function(j->scripts, e->object, r.name, r.first_line, r.last_line);
	e->first_line = r.first_line;
	e->nlines = r.nlines;
	e->lines = r.lines;
	return e;
}

static u32 method_loc(struct java_names *j, const struct process_entry *p,
		      const struct method_entry *e, u32 bci)
{
	u32 line = bci > HOTSPOT_BCI_MAX
			   ? 0
			   : hotspot_lines__find(p->runtime.hotspot.version, e->lines, e->nlines, bci);

	/* Where the table has none it is the method's. */
	return symbols__intern_loc(j->scripts->symbols, e->object, line ? line : e->first_line,
				   e->func);
}

/* --- words --- */

static struct word_entry *find_word(const struct java_names *j, u32 tgid, u64 word)
{
	u32 at;

	HIDX_FIND(at, &j->by_word, mix64_pair(word, tgid), pos,
		  j->words[pos].word == word && j->words[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &j->words[at];
}

/* False: there is no such method any more. */
static bool put_method(struct java_names *j, const struct process_entry *p, u64 address, u32 bci,
		       u64 *print)
{
	const struct method_entry *e = read_method(j, p, address);

	if (!e)
		return false;
	*print = e->print;
	u32_vec__push(&j->locs, method_loc(j, p, e, bci));
	return true;
}

static void put_stub(struct java_names *j, const char *name)
{
	struct scripts *sc = j->scripts;
	u32 object = scripts__object(sc, SCRIPT_HOTSPOT, VM_NAME, 0);

	u32_vec__push(&j->locs, symbols__intern_loc(sc->symbols, object, 0,
						    scripts__function(sc, object, name, 0, 0)));
}

/* NULL: there is none. */
static struct disasm *disasm_of(struct java_names *j)
{
	if (!j->disasm)
		j->disasm = disasm__new(EM_X86_64);
	return j->disasm;
}

/* Of compiled code without its methods there is no name. */
static bool put_frame(struct java_names *j, const struct process_entry *p, u64 word, u64 *print)
{
	const struct process_memory m = process_memory__of(p->tgid);
	struct hotspot_frame f;
	u64 ignored;

	if (hotspot_frame__read(&p->runtime.hotspot, &m, disasm_of(j), word, &f))
		return false;
	*print = f.print;
	if (f.stub[0])
		put_stub(j, f.stub);
	for (u32 i = 0; i < f.n; i++)
		if (!put_method(j, p, f.scopes[i].method, f.scopes[i].bci, &ignored))
			return false;
	return true;
}

/* As it is now: not known whose it is when its print is 0. */
static void read_word(struct java_names *j, const struct process_entry *p, u64 word)
{
	struct word_entry *e = find_word(j, p->tgid, word);
	u32 unit = SCRIPT_UNIT(word);
	bool known;

	if (!e) {
		j->words = xgrow(j->words, j->nwords, &j->words_cap, sizeof(*j->words));
		e = &j->words[j->nwords];
		hidx__add(&j->by_word, mix64_pair(word, p->tgid), j->nwords++);
	}
	*e = (struct word_entry){.word = word, .tgid = p->tgid, .first = j->locs.n};
	known = unit > HOTSPOT_BCI_MAX ? put_frame(j, p, word, &e->print)
				       : put_method(j, p, SCRIPT_CODE(word), unit, &e->print);
	e->n = j->locs.n - e->first;
	if (!known)
		e->print = 0;
}

/* --- stacks --- */

/* Whether all is what it was when the stack was walked. */
static bool agrees(const struct java_names *j, const struct stack_def *d)
{
	u32 n = (u32)d->nkernel + d->nuser;
	u64 sum = 0;

	for (u32 i = d->nkernel; i < n; i++) {
		const struct word_entry *e;

		if (!stack_def__is_script(d, i))
			continue;
		e = find_word(j, d->tgid, d->ips[i]);
		if (!e || !e->print)
			return false;
		sum = script_sum(sum, e->print);
	}
	return d->ips[n] == (SCRIPT_CHECK | sum >> 2);
}

static void put_locs(const struct java_names *j, const struct word_entry *e,
		     struct script_stack *to)
{
	for (u32 i = 0; i < e->n; i++)
		script_stack__put(to, SCRIPT_FRAME | j->locs.v[e->first + i]);
}

bool java_names__name(struct java_names *j, const struct process_entry *p,
		      const struct stack_def *d, struct script_stack *to)
{
	u32 n = (u32)d->nkernel + d->nuser;
	bool known = agrees(j, d);

	if (!known) {
		/* Room is made before a stack, which has to be known as a whole. */
		if (j->nwords + n > WORDS_MAX || j->nmethods + n > METHODS_MAX ||
		    j->line_bytes > LINES_MAX || j->locs.n > 8 * WORDS_MAX)
			forget(j);
		for (u32 i = d->nkernel; i < n; i++)
			if (stack_def__is_script(d, i))
				read_word(j, p, d->ips[i]);
		known = agrees(j, d);
	}
	for (u32 i = 0; i < n; i++) {
		if (!stack_def__is_script(d, i))
			script_stack__put(to, d->ips[i]);
		else if (known)
			put_locs(j, find_word(j, d->tgid, d->ips[i]), to);
		else
			script_stack__put(to,
					  SCRIPT_FRAME | scripts__unknown(j->scripts, SCRIPT_HOTSPOT));
	}
	return known;
}
