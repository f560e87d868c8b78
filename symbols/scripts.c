// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/scripts_impl.h"

#include "base/clock.h"
#include "symbols/spaces.h"
#include "symbols/tables.h"

#define CODES_MAX     (64u << 10)
#define LINES_MAX     (32u << 20) /* bytes of tables of lines; beyond all is read anew */
#define PROCESSES_MAX 1024

/* A function as its process has it. */
struct code_entry {
	u64 address; /* or its own check word: it is known wherever it is */
	u64 print;
	u32 tgid, minor;
	u32 object, func;
	u32 first_line, nlines;
	u8 *lines;
};

/* --- what runtimes' functions are called: a row for each --- */

struct naming {
	enum code_kind code;
	struct sym_object_info info;
	const char *file, *name; /* of functions that are not known */
	/* By the address that words have; those who have others do it themselves. */
	u64 (*print)(const struct process_runtime *r, const struct process_memory *m, u64 address);
	int (*read)(struct scripts *sc, const struct process_entry *p,
		    const struct process_memory *m, u64 address, struct script_code *out);
	u32 (*line)(const struct code_entry *e, u32 unit); /* 0: it has none; NULL: none has */
};

static u64 python_print(const struct process_runtime *r, const struct process_memory *m, u64 address)
{
	return python_code__print(&r->python, m, address);
}

static int python_read(struct scripts *sc, const struct process_entry *p,
		       const struct process_memory *m, u64 address, struct script_code *out)
{
	return python_code__read(&p->runtime.python, m, address, out);
}

static u32 python_line(const struct code_entry *e, u32 unit)
{
	return unit < SCRIPT_UNIT_MAX ? python_lines__find(e->minor, e->lines, e->nlines,
							   e->first_line, unit)
				      : 0;
}

static u64 v8_print(const struct process_runtime *r, const struct process_memory *m, u64 address)
{
	return v8_function__print(&r->v8, m, address);
}

static int v8_read(struct scripts *sc, const struct process_entry *p,
		   const struct process_memory *m, u64 address, struct script_code *out)
{
	return v8_function__read(&p->runtime.v8, m, sc->v8_lines, p->tgid, address, out);
}

static u64 php_print(const struct process_runtime *r, const struct process_memory *m, u64 address)
{
	return php_function__print(&r->php, m, address);
}

static int php_read(struct scripts *sc, const struct process_entry *p,
		    const struct process_memory *m, u64 address, struct script_code *out)
{
	return php_function__read(&p->runtime.php, m, address, out);
}

/* The unit is the line. */
static u32 unit_line(const struct code_entry *e, u32 unit)
{
	return unit < SCRIPT_UNIT_MAX ? unit : 0;
}

static u64 ruby_print(const struct process_runtime *r, const struct process_memory *m, u64 address)
{
	return ruby_code__print(&r->ruby, m, address);
}

static int ruby_read(struct scripts *sc, const struct process_entry *p,
		     const struct process_memory *m, u64 address, struct script_code *out)
{
	return ruby_code__read(&p->runtime.ruby, m, address, out);
}

static u32 ruby_line(const struct code_entry *e, u32 unit)
{
	return unit < SCRIPT_UNIT_MAX ? ruby_lines__find(e->lines, e->nlines, unit) : 0;
}

static u64 perl_print(const struct process_runtime *r, const struct process_memory *m, u64 address)
{
	return perl_code__print(&r->perl, m, address);
}

static int perl_read(struct scripts *sc, const struct process_entry *p,
		     const struct process_memory *m, u64 address, struct script_code *out)
{
	return perl_code__read(&p->runtime.perl, m, address, out);
}

static const struct naming namings[SCRIPT_KINDS] = {
	[SCRIPT_PYTHON] = {.code = CODE_PYTHON, .info.source = "python", .file = "[python]",
			   .name = "[python function]", .print = python_print, .read = python_read,
			   .line = python_line},
	[SCRIPT_HOTSPOT] = {.code = CODE_JAVA, .info.source = "hotspot", .file = "[java]",
			    .name = "[java function]"},
	[SCRIPT_V8] = {.code = CODE_JAVASCRIPT, .info.source = "v8", .file = "[javascript]",
		       .name = "[javascript function]", .print = v8_print, .read = v8_read},
	[SCRIPT_PHP] = {.code = CODE_PHP, .info.source = "php", .file = "[php]",
			.name = "[php function]", .print = php_print, .read = php_read,
			.line = unit_line},
	[SCRIPT_RUBY] = {.code = CODE_RUBY, .info.source = "ruby", .file = "[ruby]",
			 .name = "[ruby function]", .print = ruby_print, .read = ruby_read,
			 .line = ruby_line},
	[SCRIPT_PERL] = {.code = CODE_PERL, .info.source = "perl", .file = "[perl]",
			 .name = "[perl function]", .print = perl_print, .read = perl_read,
			 .line = unit_line},
};

struct scripts *scripts__new(struct symbols *s)
{
	struct scripts *sc = xcalloc(1, sizeof(*sc));

	sc->symbols = s;
	sc->processes = xcalloc(PROCESSES_MAX, sizeof(*sc->processes));
	sc->java = java_names__new(sc);
	sc->v8_lines = v8_lines__new();
	sc->v8_codes = v8_codes__new();
	sc->found = xcalloc(FOUND_CODES, sizeof(*sc->found));
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
	java_names__free(sc->java);
	v8_lines__free(sc->v8_lines);
	v8_codes__free(sc->v8_codes);
	free(sc->found);
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

static struct process_entry *add_process(struct scripts *sc, u32 tgid)
{
	struct process_entry *e = find_process(sc, tgid);

	if (!e) {
		e = &sc->processes[sc->next_process++ % PROCESSES_MAX];
		sc->nprocesses = MAX(sc->nprocesses, (u32)(e - sc->processes) + 1);
	}
	e->tgid = tgid;
	return e;
}

void scripts__attach(struct scripts *sc, u32 tgid, const struct process_runtime *r)
{
	add_process(sc, tgid)->runtime = *r;
}

const struct process_runtime *scripts__runtime(const struct scripts *sc, u32 tgid)
{
	const struct process_entry *e = find_process(sc, tgid);

	return e ? &e->runtime : NULL;
}

bool scripts__knows(const struct scripts *sc, u32 tgid)
{
	return find_process(sc, tgid);
}

/* --- functions --- */

u32 scripts__object(struct scripts *sc, enum script_kind kind, const char *path, u32 tgid)
{
	enum code_kind code = namings[kind].code;
	u64 hash = mix64_pair(code, hash_bytes(path, strlen(path)));
	const char *slash = strrchr(path, '/');
	const struct sym_object *o;
	u32 id;

	HIDX_FIND(id, &sc->objects, hash, pos,
		  (o = symbols__object(sc->symbols, pos))->kind == code && !strcmp(o->path, path));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_object(sc->symbols,
				 &(struct sym_object){.kind = code,
						      .name = slash && slash[1] ? slash + 1 : path,
						      .path = path,
						      .tgid = tgid},
				 &(struct via){.tgid = tgid});
	if (id) {
		atomic_store_explicit(&symbols__obj(sc->symbols, id)->info, &namings[kind].info,
				      memory_order_release);
		hidx__add(&sc->objects, hash, id);
	}
	return id;
}

u32 scripts__function(struct scripts *sc, u32 object, const char *name, u32 first_line,
		      u32 last_line)
{
	u64 hash = mix64_pair(mix64_pair(object, first_line), hash_bytes(name, strlen(name)));
	const struct sym_func *f;
	u32 id;

	HIDX_FIND(id, &sc->funcs, hash, pos,
		  (f = symbols__func(sc->symbols, pos))->object == object &&
			  f->start == first_line && symbols__is_kept_as(name, f->name));
	if (id != HIDX_NONE)
		return id;
	id = symbols__add_func(
		sc->symbols, &(struct sym_func){.object = object,
						.kind = symbols__object(sc->symbols, object)->kind,
						.start = first_line,
						.size = (u64)last_line - first_line + 1,
						.name = name,
						.linkage = name});
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

static struct code_entry *add_code(struct scripts *sc, u32 tgid, u64 address)
{
	struct code_entry *e;

	sc->codes = xgrow(sc->codes, sc->ncodes, &sc->cap, sizeof(*sc->codes));
	e = &sc->codes[sc->ncodes];
	*e = (struct code_entry){.tgid = tgid, .address = address};
	hidx__add(&sc->by_address, hash_code(tgid, address), sc->ncodes++);
	return e;
}

static void take_code(struct scripts *sc, const struct process_entry *p, struct code_entry *e,
		      const struct script_code *c)
{
	free(e->lines);
	sc->line_bytes += c->nlines - e->nlines;
	e->minor = p->runtime.kind == SCRIPT_PYTHON ? p->runtime.python.minor : 0;
	e->print = c->print;
	e->object = scripts__object(sc, p->runtime.kind, c->file, p->tgid);
	e->func = scripts__function(sc, e->object, c->name, c->first_line, c->last_line);
	e->first_line = c->first_line;
	e->nlines = c->nlines;
	e->lines = c->lines;
}

/* As it is now; NULL: it is none. What was there before goes. */
static struct code_entry *read_code(struct scripts *sc, const struct process_entry *p, u64 address)
{
	const struct process_memory m = process_memory__of(p->tgid);
	const struct naming *n = &namings[p->runtime.kind];
	struct code_entry *e = find_code(sc, p->tgid, address);
	struct script_code c;

	if (e && e->print == n->print(&p->runtime, &m, address))
		return e;
	if (n->read(sc, p, &m, address, &c))
		return NULL;
	if (!e)
		e = add_code(sc, p->tgid, address);
	take_code(sc, p, e, &c);
	return e;
}

/* What is at the address by now may be another one, which is known from then on. */
static void read_passing(struct scripts *sc, const struct process_entry *p, u64 address, u64 check)
{
	const struct process_memory m = process_memory__of(p->tgid);
	struct script_code c;

	if (find_code(sc, p->tgid, check) || namings[p->runtime.kind].read(sc, p, &m, address, &c))
		return;
	check = script_own_check(c.print);
	if (find_code(sc, p->tgid, check))
		free(c.lines);
	else
		take_code(sc, p, add_code(sc, p->tgid, check), &c);
}

/* --- stacks --- */

/* Whether all code objects are what they were when the stack was walked, but for those with a check of
 * their own. */
static bool agrees(const struct scripts *sc, const struct stack_def *d)
{
	u32 n = (u32)d->nkernel + d->nuser;
	u64 sum = 0;

	for (u32 i = d->nkernel; i < n; i++) {
		const struct code_entry *e;

		if (!stack_def__is_script(d, i) || stack_def__has_own_check(d, i))
			continue;
		e = find_code(sc, d->tgid, SCRIPT_CODE(d->ips[i]));
		if (!e)
			return false;
		sum = script_sum(sum, e->print);
	}
	return d->ips[n] == (SCRIPT_CHECK | sum >> 2);
}

static void read_codes(struct scripts *sc, const struct process_entry *p, const struct stack_def *d)
{
	for (u32 i = d->nkernel; i < (u32)d->nkernel + d->nuser; i++)
		if (stack_def__is_script(d, i) && !stack_def__has_own_check(d, i))
			read_code(sc, p, SCRIPT_CODE(d->ips[i]));
}

static void read_passings(struct scripts *sc, const struct process_entry *p, const struct stack_def *d)
{
	for (u32 i = d->nkernel; i < (u32)d->nkernel + d->nuser; i++)
		if (stack_def__is_script(d, i) && stack_def__has_own_check(d, i))
			read_passing(sc, p, SCRIPT_CODE(d->ips[i]), d->ips[i + 1]);
}

/* Where there is no line it is the function's. */
static u32 loc_at(struct scripts *sc, const struct code_entry *e, u32 line)
{
	return symbols__intern_loc(sc->symbols, e->object, line ? line : e->first_line, e->func);
}

static u32 loc_of(struct scripts *sc, const struct process_entry *p, const struct code_entry *e, u64 word)
{
	const struct naming *n = &namings[p->runtime.kind];
	return loc_at(sc, e, n->line ? n->line(e, SCRIPT_UNIT(word)) : 0);
}

u32 scripts__unknown(struct scripts *sc, enum script_kind kind)
{
	const struct naming *n = &namings[kind];
	u32 *loc = &sc->unknown[kind], object;

	if (!*loc) {
		object = scripts__object(sc, kind, n->file, 0);
		*loc = symbols__intern_loc(sc->symbols, object, 0,
					   scripts__function(sc, object, n->name, 0, 0));
	}
	return *loc;
}

/* --- what is inlined in compiled code --- */

/* Of the process that was asked about last. */
static const struct code_ranges *code_ranges(struct scripts *sc, u32 tgid)
{
	u64 version = spaces__version(sc->symbols->spaces, tgid, UINT64_MAX);
	struct code_ranges *r = &sc->ranges;
	struct space_mapping m[CODE_RANGES];
	u32 n;

	if (r->version == version)
		return r;
	n = spaces__mapped(sc->symbols->spaces, tgid, UINT64_MAX, m, CODE_RANGES);
	r->version = version;
	r->n = 0;
	for (u32 i = 0; i < n; i++)
		if (!m[i].object)
			r->v[r->n++] = (struct v8_range){m[i].start, m[i].end};
	return r;
}

static bool put_place(struct scripts *sc, const struct process_entry *p, const struct v8_place *at,
		      struct script_stack *to)
{
	const struct process_memory m = process_memory__of(p->tgid);
	const struct code_entry *e = read_code(sc, p, at->shared);
	u32 line = v8_function__line(&p->runtime.v8, &m, sc->v8_lines, p->tgid, at->shared, at->position);

	script_stack__put(to, SCRIPT_FRAME | (e ? loc_at(sc, e, line) : scripts__unknown(sc, SCRIPT_V8)));
	return e;
}

/* All functions that are in a word's compiled code, the one that it is of last; false: not all are known. */
static bool put_places(struct scripts *sc, const struct process_entry *p, u64 word, bool exact,
		       struct script_stack *to)
{
	const struct process_memory m = process_memory__of(p->tgid);
	const struct code_ranges *r = code_ranges(sc, p->tgid);
	struct v8_place places[V8_PLACES];
	u32 n = v8_codes__find(sc->v8_codes, &p->runtime.v8, &m, p->tgid, r->v, r->n, SCRIPT_CODE(word),
			       SCRIPT_UNIT(word), exact, places);
	bool all = true;

	if (!n)
		places[n++] = (struct v8_place){SCRIPT_CODE(word), -1};
	for (u32 i = 0; i < n; i++)
		all &= put_place(sc, p, &places[i], to);
	return all;
}

/* Stacks differ by single instructions, and to find a place takes a dozen looks into the process: for so long it is what
 * it was, as code may be replaced between a sample and its names, too. */
#define FOUND_NS NSEC_PER_SEC

static void put_compiled(struct scripts *sc, const struct process_entry *p, u64 word, bool exact,
			 struct script_stack *to)
{
	struct found_code *f = &sc->found[mix64_pair(word, (u64)p->tgid << 1 | exact) % FOUND_CODES];
	u64 now = clock__monotonic_ns();
	u32 begin = to->n;

	if (f->n && f->word == word && f->tgid == p->tgid && f->exact == exact && now < f->until_ns) {
		for (u32 i = 0; i < f->n; i++)
			script_stack__put(to, f->frames[i]);
		return;
	}
	f->n = 0;
	if (!put_places(sc, p, word, exact, to) || to->cut || to->n - begin > FOUND_FRAMES)
		return;
	*f = (struct found_code){.word = word, .until_ns = now + FOUND_NS, .tgid = p->tgid, .exact = exact,
				 .n = (u8)(to->n - begin)};
	memcpy(f->frames, to->ips + begin, f->n * sizeof(*f->frames));
}

/* NULL: it is not what it was, and unknown. */
static const struct code_entry *code_of(const struct scripts *sc, const struct stack_def *d, u32 i, bool known)
{
	if (stack_def__has_own_check(d, i))
		return find_code(sc, d->tgid, d->ips[i + 1]);
	return known ? find_code(sc, d->tgid, SCRIPT_CODE(d->ips[i])) : NULL;
}

/* False: code objects are not what they were, and unknown. */
static bool name_codes(struct scripts *sc, const struct process_entry *p, const struct stack_def *d,
		       struct script_stack *to)
{
	bool known, all = true;

	/* Room is made before a stack, which has to be known as a whole. */
	if (sc->ncodes + SCRIPT_FRAMES > CODES_MAX || sc->line_bytes > LINES_MAX)
		forget_codes(sc);
	known = agrees(sc, d);
	if (!known) {
		read_codes(sc, p, d);
		known = agrees(sc, d);
	}
	read_passings(sc, p, d);
	for (u32 i = 0; i < (u32)d->nkernel + d->nuser; i++) {
		const struct code_entry *e;

		if (!stack_def__is_script(d, i)) {
			script_stack__put(to, d->ips[i]);
			continue;
		}
		if (known && p->runtime.kind == SCRIPT_V8 && SCRIPT_UNIT(d->ips[i])) {
			put_compiled(sc, p, d->ips[i], i == d->nkernel, to);
			continue;
		}
		e = code_of(sc, d, i, known);
		all &= !!e;
		script_stack__put(to, SCRIPT_FRAME | (e ? loc_of(sc, p, e, d->ips[i])
							: scripts__unknown(sc, p->runtime.kind)));
		i += stack_def__has_own_check(d, i);
	}
	return all;
}

void scripts__name(struct scripts *sc, const struct stack_def *d, u64 *ips, u32 room,
		   struct stack_def *out)
{
	const struct process_entry *p = find_process(sc, d->tgid);
	struct script_stack to = {.ips = ips, .room = room};
	struct stack_def walked = *d;

	walked.nuser--; /* the check word */
	sc->named++;
	if (p->runtime.kind == SCRIPT_HOTSPOT)
		sc->gone += !java_names__name(sc->java, p, &walked, &to);
	else
		sc->gone += !name_codes(sc, p, &walked, &to);
	*out = *d;
	out->cut |= to.cut;
	out->nuser = (u16)(to.n - d->nkernel);
	out->ips = ips;
	out->scripts = true;
}
