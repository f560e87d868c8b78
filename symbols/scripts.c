// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/scripts.h"

#include "base/hidx.h"
#include "symbols/tables.h"

#define CODES_MAX     (64u << 10)
#define LINES_MAX     (32u << 20) /* bytes of tables of lines; beyond all is read anew */
#define PROCESSES_MAX 1024
#define GONE_NAME     "[python function]" /* whose code object is another one by now */

/* A function as its process has it. */
struct code_entry {
	u64 address, print;
	u32 tgid, minor;
	u32 object, func;
	u32 first_line, nlines;
	u8 *lines;
};

struct process_entry {
	u32 tgid;
	struct python python;
};

struct scripts {
	struct symbols *symbols;
	struct process_entry *processes;
	u32 nprocesses, next_process;
	struct code_entry *codes;
	u32 ncodes, cap;
	size_t line_bytes;
	struct hidx by_address, objects, funcs;
	u32 unknown; /* loc of GONE_NAME */
	u64 named, gone;
};

struct scripts *scripts__new(struct symbols *s)
{
	struct scripts *sc = xcalloc(1, sizeof(*sc));

	sc->symbols = s;
	sc->processes = xcalloc(PROCESSES_MAX, sizeof(*sc->processes));
	return sc;
}

static void forget_codes(struct scripts *sc)
{
	for (u32 i = 0; i < sc->ncodes; i++)
		free(sc->codes[i].lines);
	sc->ncodes = 0;
	sc->line_bytes = 0;
	hidx__clear(&sc->by_address);
}

void scripts__free(struct scripts *sc)
{
	if (!sc)
		return;
	forget_codes(sc);
	hidx__fini(&sc->by_address);
	hidx__fini(&sc->objects);
	hidx__fini(&sc->funcs);
	free(sc->codes);
	free(sc->processes);
	free(sc);
}

void scripts__stats(const struct scripts *sc, u64 *named, u64 *gone)
{
	*named = sc->named;
	*gone = sc->gone;
}

/* --- processes --- */

static struct process_entry *find_process(const struct scripts *sc, u32 tgid)
{
	for (u32 i = 0; i < sc->nprocesses; i++)
		if (sc->processes[i].tgid == tgid)
			return &sc->processes[i];
	return NULL;
}

void scripts__attach(struct scripts *sc, u32 tgid, const struct python *p)
{
	struct process_entry *e = find_process(sc, tgid);

	if (!e) {
		e = &sc->processes[sc->next_process++ % PROCESSES_MAX];
		sc->nprocesses = MAX(sc->nprocesses, (u32)(e - sc->processes) + 1);
	}
	*e = (struct process_entry){tgid, *p};
}

bool scripts__knows(const struct scripts *sc, u32 tgid)
{
	return find_process(sc, tgid);
}

/* --- functions --- */

static u32 file_object(struct scripts *sc, const char *path, u32 tgid)
{
	static const struct sym_object_info info = {.source = "python"};
	u64 hash = hash_bytes(path, strlen(path));
	const char *slash = strrchr(path, '/');
	u32 id;

	HIDX_FIND(id, &sc->objects, hash, pos, !strcmp(symbols__object(sc->symbols, pos)->path, path));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_object(sc->symbols,
				 &(struct sym_object){.kind = CODE_SCRIPT,
						      .name = slash && slash[1] ? slash + 1 : path,
						      .path = path,
						      .tgid = tgid},
				 &(struct via){.tgid = tgid});
	if (id) {
		atomic_store_explicit(&symbols__obj(sc->symbols, id)->info, &info,
				      memory_order_release);
		hidx__add(&sc->objects, hash, id);
	}
	return id;
}

static u32 function(struct scripts *sc, u32 object, const struct python_code *c)
{
	u64 hash = mix64_pair(mix64_pair(object, c->first_line), hash_bytes(c->name, strlen(c->name)));
	const struct sym_func *f;
	u32 id;

	HIDX_FIND(id, &sc->funcs, hash, pos,
		  (f = symbols__func(sc->symbols, pos))->object == object &&
			  f->start == c->first_line && symbols__is_kept_as(c->name, f->name));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_func(sc->symbols,
			       &(struct sym_func){.object = object,
						  .kind = CODE_SCRIPT,
						  .start = c->first_line,
						  .size = (u64)c->last_line - c->first_line + 1,
						  .name = c->name,
						  .linkage = c->name});
	if (id != FUNC_OVERFLOW)
		hidx__add(&sc->funcs, hash, id);
	return id;
}

/* --- code objects --- */

static u64 hash_code(u32 tgid, u64 address)
{
	return mix64_pair(address, tgid);
}

static struct code_entry *find_code(const struct scripts *sc, u32 tgid, u64 address)
{
	u32 at;

	HIDX_FIND(at, &sc->by_address, hash_code(tgid, address), pos,
		  sc->codes[pos].address == address && sc->codes[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &sc->codes[at];
}

/* As it is now; NULL: it is none. What was there before goes. */
static struct code_entry *read_code(struct scripts *sc, const struct process_entry *p, u64 address)
{
	const struct python_memory m = {python_memory__of_process, (void *)(intptr_t)p->tgid};
	struct code_entry *e = find_code(sc, p->tgid, address);
	struct python_code c;

	if (e && e->print == python_code__print(&p->python, &m, address))
		return e;
	if (python_code__read(&p->python, &m, address, &c))
		return NULL;
	if (!e) {
		sc->codes = xgrow(sc->codes, sc->ncodes, &sc->cap, sizeof(*sc->codes));
		e = &sc->codes[sc->ncodes];
		*e = (struct code_entry){0};
		hidx__add(&sc->by_address, hash_code(p->tgid, address), sc->ncodes++);
		e->address = address;
	}
	free(e->lines);
	sc->line_bytes += c.nlines - e->nlines;
	e->address = address;
	e->tgid = p->tgid;
	e->minor = p->python.minor;
	e->print = c.print;
	e->object = file_object(sc, c.file, p->tgid);
	e->func = function(sc, e->object, &c);
	e->first_line = c.first_line;
	e->nlines = c.nlines;
	e->lines = c.lines;
	return e;
}

/* --- stacks --- */

static bool is_script(const struct stack_def *d, u32 i)
{
	return i >= d->nkernel && SCRIPT_MARK(d->ips[i]) == SCRIPT_FRAME;
}

/* Whether all code objects are what they were when the stack was walked. */
static bool agrees(const struct scripts *sc, const struct stack_def *d)
{
	u32 n = (u32)d->nkernel + d->nuser;
	u64 sum = 0;

	for (u32 i = d->nkernel; i < n; i++) {
		const struct code_entry *e;

		if (!is_script(d, i))
			continue;
		e = find_code(sc, d->tgid, SCRIPT_CODE(d->ips[i]));
		if (!e)
			return false;
		sum = script_sum(sum, e->print);
	}
	for (u32 i = d->nkernel; i < n; i++)
		if (SCRIPT_MARK(d->ips[i]) == SCRIPT_CHECK)
			return d->ips[i] == (SCRIPT_CHECK | sum >> 2);
	return false;
}

/* Where room is made, it is made before a stack, which has to be known as a whole. */
static void read_codes(struct scripts *sc, const struct stack_def *d)
{
	const struct process_entry *p = find_process(sc, d->tgid);

	if (sc->ncodes + SCRIPT_FRAMES > CODES_MAX || sc->line_bytes > LINES_MAX)
		forget_codes(sc);
	for (u32 i = d->nkernel; p && i < (u32)d->nkernel + d->nuser; i++)
		if (is_script(d, i))
			read_code(sc, p, SCRIPT_CODE(d->ips[i]));
}

static u32 loc_of(struct scripts *sc, const struct stack_def *d, u64 word)
{
	const struct code_entry *e = find_code(sc, d->tgid, SCRIPT_CODE(word));
	u32 line = 0;

	if (SCRIPT_UNIT(word) < SCRIPT_UNIT_MAX)
		line = python_lines__find(e->minor, e->lines, e->nlines, e->first_line,
					  SCRIPT_UNIT(word));
	/* Where the table has none it is the function's. */
	return symbols__intern_loc(sc->symbols, e->object, line ? line : e->first_line, e->func);
}

static u32 unknown_loc(struct scripts *sc)
{
	const struct python_code gone = {.name = GONE_NAME};
	u32 object;

	if (!sc->unknown) {
		object = file_object(sc, "[python]", 0);
		sc->unknown = symbols__intern_loc(sc->symbols, object, 0,
						  function(sc, object, &gone));
	}
	return sc->unknown;
}

void scripts__name(struct scripts *sc, const struct stack_def *d, u64 *ips, struct stack_def *out)
{
	u32 n = (u32)d->nkernel + d->nuser, used = 0;
	bool known = agrees(sc, d);

	if (!known) {
		read_codes(sc, d);
		known = agrees(sc, d);
	}
	sc->named++;
	sc->gone += !known;
	for (u32 i = 0; i < n; i++) {
		u64 word = d->ips[i];

		if (i >= d->nkernel && SCRIPT_MARK(word) == SCRIPT_CHECK)
			break;
		if (is_script(d, i))
			word = SCRIPT_FRAME | (known ? loc_of(sc, d, word) : unknown_loc(sc));
		ips[used++] = word;
	}
	*out = *d;
	out->nuser = (u16)(used - d->nkernel);
	out->ips = ips;
	out->scripts = true;
}
