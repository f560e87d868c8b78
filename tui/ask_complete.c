// SPDX-License-Identifier: GPL-2.0-only
/* What Tab offers in a question that is being written: shapes, names, events of this machine, clauses, an
 * event's fields with their types. What cannot be had says why. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "questions/check.h"
#include "questions/library.h"
#include "sources/ask_events.h"
#include "sources/events.h"
#include "sources/kernel_types.h"
#include "sources/question_btf.h"
#include "symbols/functions.h"
#include "tui/app.h"
#include "tui/own_questions.h"

#define EVENT_TEXT 512
#define TYPE_WIDTH 10 /* of a field, before what it was of late */

/* The line up to the cursor, taken apart. */
struct draft {
	struct host *host;
	struct completions *out;
	char word[EVENT_TEXT]; /* as far as it is written */
	bool first;	       /* it is the question's first word */
	bool in_events;	       /* events are expected here */
	bool behind_event;     /* and one has been written */
	bool of_begin;	       /* entry(: of the first event */
	char path[EVENT_TEXT]; /* "prev->se.": what the word is a member of; "" it is none */
	char compared[64];     /* "prev_comm": the field that the word is compared with; "" with none */
	bool quoted;	       /* the word follows a quote */
	char begin[EVENT_TEXT], last[EVENT_TEXT]; /* the first and the last event so far */
};

static void offer(struct draft *d, const char *text, const char *help)
{
	if (!strncmp(text, d->word, strlen(d->word)))
		completions__add(d->out, text, help);
}

/* With what there is to say of it. */
static void offer_as_it_is(struct draft *d, const char *help)
{
	char text[EVENT_TEXT + 1];

	snprintf(text, sizeof(text), "%s ", d->word);
	completions__add(d->out, text, help);
}

/* --- the first word --- */

static void offer_own(struct draft *d)
{
	char (*names)[OWN_QUESTION_NAME_MAX];
	u32 n;

	if (d->host->options->no_config)
		return;
	names = xcalloc(OWN_QUESTIONS_MAX, sizeof(*names));
	n = own_questions__list(names);
	for (u32 i = 0; i < n; i++)
		if (!question_library__find(names[i]))
			offer(d, names[i], "a question of your own");
	free(names);
}

static void offer_first(struct draft *d)
{
	static const char *const shapes[ASK_SHAPES][2] = {
		{"count ", "EVENT: how often, by keys, with which values"},
		{"span ", "EVENT -> EVENT: how long from one to the other"},
		{"nest ", "EVENT -> EVENT, ...: pairs that lie in each other"},
		{"hold ", "EVENT -> EVENT on EXPR: what is acquired and not released"},
		{"list ", "EVENT, ...: one by one, with their fields"},
		{"burst ", "EVENT, ...: the fullest slots of time"}};
	const struct known_question *k;

	for (u32 i = 0; i < ASK_SHAPES; i++)
		offer(d, shapes[i][0], shapes[i][1]);
	offer(d, "save ", "NAME [HELP]: keep the question of the row under a name");
	offer(d, "delete ", "NAME: of a question that was saved");
	offer_own(d);
	for (u32 i = 0; (k = question_library__at(i)); i++)
		offer(d, k->name, k->help);
}

/* --- events --- */

/* Folders of a folder of tracefs, each as PREFIXnameSUFFIX. */
static void offer_folders(struct draft *d, const char *folder, const char *prefix, const char *suffix,
			  const char *help)
{
	struct dirent **names = NULL;
	char text[EVENT_TEXT];
	int n = scandir(folder, &names, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		if (names[i]->d_type == DT_DIR && names[i]->d_name[0] != '.') {
			snprintf(text, sizeof(text), "%.60s%.120s%s", prefix, names[i]->d_name, suffix);
			offer(d, text, help);
		}
		free(names[i]);
	}
	free(names);
}

static void offer_tracepoints(struct draft *d)
{
	const char *tracefs = event__tracefs(), *colon = strchr(d->word, ':');
	char folder[EVENT_TEXT], system[64];

	if (!tracefs) {
		offer_as_it_is(d, "tracepoints need tracefs: mount -t tracefs nodev /sys/kernel/tracing");
		return;
	}
	copy_str(system, MIN(colon ? (size_t)(colon - d->word) + 2 : 1, sizeof(system)), d->word);
	if (strchr(system, '/'))
		return;
	snprintf(folder, sizeof(folder), "%.200s/events/%.*s", tracefs,
		 colon ? (int)(colon - d->word) : 0, system);
	offer_folders(d, folder, system, colon ? "" : ":", colon ? "tracepoint" : "tracepoints");
}

static void offer_perf(struct draft *d)
{
	struct event_name e;
	char help[120];

	for (u32 i = 0; event__name(i, &e); i++) {
		const char *why;

		if (strncmp(e.name, d->word, strlen(d->word)))
			continue;
		why = event__unavailable(&e);
		snprintf(help, sizeof(help), "%s%s%.80s", e.class, *why ? ": " : "", why);
		completions__add(d->out, e.name, help);
	}
}

static const char *kprobes_are(void)
{
	return event__kernel_has_probes() ? "FUNCTION of the kernel"
					  : "this kernel has none: CONFIG_KPROBE_EVENTS is not set";
}

/* Of what has no list of names, what comes behind the colon. */
static void offer_form(struct draft *d)
{
	if (!strncmp(d->word, "kprobe:", 7) || !strncmp(d->word, "kretprobe:", 10))
		offer_as_it_is(d, kprobes_are());
	else if (!strncmp(d->word, "mem:", 4))
		offer_as_it_is(d, "0xADDRESS/LENGTH:rwx, a breakpoint");
}

static void offer_probes(struct draft *d)
{
	bool user = !access("/sys/bus/event_source/devices/uprobe", F_OK);
	const char *of_user = user ? "PATH:FUNCTION of a program, a library or pid:N"
				   : "this kernel has none: CONFIG_UPROBE_EVENTS is not set";

	offer(d, "uprobe:", of_user);
	offer(d, "uretprobe:", of_user);
	offer(d, "usdt:", user ? "PATH:PROVIDER:NAME, static probes of programs" : of_user);
	offer(d, "btf:", access("/sys/kernel/btf/vmlinux", R_OK)
				 ? "needs the kernel's types: CONFIG_DEBUG_INFO_BTF"
				 : "NAME: a tracepoint with the kernel's types");
	offer(d, "kprobe:", kprobes_are());
	offer(d, "kretprobe:", kprobes_are());
	offer(d, "mem:0x", "ADDRESS/LENGTH:rwx, a breakpoint");
}

/* Of the file that the word names, up to the colon behind it. */
struct offer_in {
	struct draft *d;
	char before[EVENT_TEXT]; /* "uprobe:PATH:" */
	u32 n;
};

static bool offer_function(void *ctx, const struct function_found *f)
{
	struct offer_in *o = ctx;
	char text[EVENT_TEXT * 2];

	snprintf(text, sizeof(text), "%s%s", o->before, f->name);
	if (!strpbrk(f->name, " ,'\""))
		offer(o->d, text, "");
	return ++o->n < PROMPT_COMPLETIONS;
}

static bool offer_functions(void *ctx, const char *file, u32 pid)
{
	struct offer_in *o = ctx;
	char glob[EVENT_TEXT];
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool missing;

	if (fd < 0)
		return false;
	snprintf(glob, sizeof(glob), "%.200s*", o->d->word + strlen(o->before));
	functions__find(fd, file, "", glob, offer_function, o, &missing);
	close(fd);
	return !pid;
}

static void offer_probe(void *ctx, const struct usdt_place *place)
{
	struct offer_in *o = ctx;
	char text[EVENT_TEXT * 2], arguments[32];
	const char *name = strchr(place->probe.name, ':');

	/* The probe is called usdt:FILE:PROVIDER:NAME. */
	name = name ? strchr(name + 1, ':') : NULL;
	snprintf(arguments, sizeof(arguments), "%u arguments", place->probe.nargs);
	snprintf(text, sizeof(text), "%s%s", o->before, name ? name + 1 : place->probe.name);
	offer(o->d, text, arguments);
}

static bool offer_static(void *ctx, const char *file, u32 pid)
{
	usdt__find(file, "*", "*", offer_probe, ctx);
	return !pid;
}

/* False: it is none of a file. */
static bool offer_of_file(struct draft *d)
{
	bool is_static = !strncmp(d->word, "usdt:", 5);
	struct offer_in o = {.d = d};
	const char *path, *end;
	char file[EVENT_TEXT];

	if (!is_static && strncmp(d->word, "uprobe:", 7) && strncmp(d->word, "uretprobe:", 10))
		return false;
	path = strchr(d->word, ':') + 1;
	end = strchr(!strncmp(path, "pid:", 4) ? path + 4 : path, ':');
	if (!end)
		return true;
	copy_str(file, MIN((size_t)(end - path) + 1, sizeof(file)), path);
	copy_str(o.before, (size_t)(end - d->word) + 2, d->word);
	probe_path__find(file, is_static ? offer_static : offer_functions, &o);
	return true;
}

static void offer_raw(void *ctx, const char *name)
{
	char text[EVENT_TEXT];

	snprintf(text, sizeof(text), "btf:%.200s", name);
	offer(ctx, text, "with the kernel's types");
}

/* False: it is none of these. */
static bool offer_of_types(struct draft *d)
{
	struct question_btf *types;

	if (strncmp(d->word, "btf:", 4))
		return false;
	types = kernel_types__btf();
	if (types)
		question_btf__each_tracepoint(types, offer_raw, d);
	return true;
}

static void offer_events(struct draft *d)
{
	if (offer_of_file(d) || offer_of_types(d))
		return;
	offer_form(d);
	offer_tracepoints(d);
	if (strchr(d->word, ':'))
		return;
	offer_probes(d);
	offer_perf(d);
}

/* --- clauses and fields --- */

static const char *const clauses[][2] = {
	{"if ", "EXPR: only events of which it holds"}, {"by ", "KEY, ...: rows"},
	{"sum ", "EXPR: added up"}, {"hist ", "EXPR [UNIT]: its distribution"},
	{"on ", "KEY: what begin and end are matched by"}, {"size ", "EXPR: bytes that are held"},
	{"show ", "EXPR, ...: columns of a list"}, {"between ", "EVENT, ...: counted within the span"},
	{"every ", "1ms: the slots' length"}, {"sample stack if ", "EXPR: over a slot's counts"},
};

static bool is_clause(const char *word, size_t len)
{
	for (u32 i = 0; i < ARRAY_SIZE(clauses); i++)
		if (strcspn(clauses[i][0], " ") == len && !strncmp(clauses[i][0], word, len))
			return true;
	return false;
}

static void offer_clauses(struct draft *d)
{
	offer(d, "-> ", "EVENT: what ends it");
	for (u32 i = 0; i < ARRAY_SIZE(clauses); i++)
		offer(d, clauses[i][0], clauses[i][1]);
}

/* t NULL: a member of the kernel's. */
static void type_text(const struct ask_target *t, const char *name, const struct field *f, char *buf,
		      size_t size)
{
	const struct trace_field *of = t && t->format ? trace_format__field(t->format, name) : NULL;

	if (of)
		snprintf(buf, size, "%s%s", of->type, of->is_array ? "[]" : "");
	else if (f->type.kind == TYPE_INT)
		snprintf(buf, size, "%c%u", f->type.is_signed ? 's' : 'u', f->type.size * 8);
	else
		snprintf(buf, size, "%s", f->type.kind == TYPE_TEXT ? "text"
					  : f->type.kind == TYPE_POINTER ? "pointer" : "struct");
}

/* What it was in the last records, if the event has been looked at. */
static const struct event_field_samples *samples_of(const struct draft *d, const char *field)
{
	const char *event = d->of_begin ? d->begin : d->last;

	return strcmp(d->host->look.event, event) ? NULL
						  : event_samples__of(&d->host->look.samples, field);
}

/* "pid_t   12, 4711, 1" */
static void append_samples(char *type, size_t size, const struct event_field_samples *s)
{
	size_t at = strlen(type);
	int n = snprintf(type + at, size - at, "%*s", (int)(at < TYPE_WIDTH ? TYPE_WIDTH - at : 1), "");

	for (u32 i = 0; i < s->n && n > 0 && (size_t)n < size - at; i++) {
		at += (size_t)n;
		n = snprintf(type + at, size - at, "%s%s", i ? ", " : "", s->values[i]);
	}
	if (n > 0 && (size_t)n >= size - at)
		type[at] = '\0'; /* whole values alone */
}

static void offer_fields_of(struct draft *d, struct ask_target *t)
{
	const struct event_field_samples *seen;
	const struct field_resolver *r = NULL;
	struct status st = {0};
	char name[96], type[80];
	struct field f;

	if (ask_target__fields(t, &r, &st) || !r->name)
		return;
	for (u32 i = 0; r->name(r, i, name, sizeof(name)); i++) {
		if (r->field(r, name, &f) || (!*d->word && !strncmp(name, "common_", 7)))
			continue;
		type_text(t, name, &f, type, sizeof(type));
		seen = samples_of(d, name);
		if (seen)
			append_samples(type, sizeof(type), seen);
		offer(d, name, f.unreadable && f.why ? f.why : type);
	}
}

/* Behind "prev_comm ==": what it was of late. False: nothing is compared, or nothing is known. */
static bool offer_values(struct draft *d)
{
	const struct event_field_samples *s = *d->compared ? samples_of(d, d->compared) : NULL;

	for (u32 i = 0; s && i < s->n; i++)
		offer(d, s->values[i] + (d->quoted && s->values[i][0] == '"'), "as it was just now");
	return s;
}

/* --- members --- */

/* The record that the path leads to, 0: to none. */
static u32 record_of(const char *path, const struct field_resolver *r)
{
	const struct type_resolver *types = r && r->types ? r->types : &kernel_types;
	char name[96];
	struct field f;
	u32 id = 0;

	for (bool first = true; *path; first = false) {
		size_t len = strcspn(path, "-.");

		copy_str(name, MIN(len + 1, sizeof(name)), path);
		path += len + strspn(path + len, "->.");
		if (first && !strcmp(name, "current"))
			id = types->find(types, "task_struct");
		else if (first ? !r || r->field(r, name, &f) : types->member(types, id, name, &f))
			return 0;
		else
			id = f.type.type_id;
		if (!id)
			return 0;
	}
	return id;
}

static void offer_members(struct draft *d, struct ask_target *t)
{
	const struct field_resolver *r = NULL;
	const struct type_resolver *types;
	char name[96], type[80];
	struct status st = {0};
	struct field f;
	u32 id;

	ask_target__fields(t, &r, &st);
	types = r && r->types ? r->types : &kernel_types;
	id = record_of(d->path, r);
	for (u32 i = 0; id && types->name(types, id, i, name, sizeof(name)); i++) {
		if (types->member(types, id, name, &f))
			continue;
		type_text(NULL, name, &f, type, sizeof(type));
		offer(d, name, type);
	}
}

static void offer_fields(struct draft *d)
{
	const char *text = d->of_begin ? d->begin : d->last;
	struct ask_targets targets = {0};
	const struct question_event *e;
	struct expr_error err;
	struct status st = {0};
	struct arena arena;

	arena__init(&arena);
	e = question_event__parse(text, &arena, &err);
	if (e && !e->glob && !ask_targets__resolve(&targets, e, &st) && targets.n) {
		if (*d->path)
			offer_members(d, &targets.v[0]);
		else
			offer_fields_of(d, &targets.v[0]);
	}
	ask_targets__fini(&targets);
	arena__fini(&arena);
}

static void offer_words(struct draft *d)
{
	static const char *const help[QUESTION_WORDS] = {
		[WORD_PID] = "the process", [WORD_TID] = "the thread", [WORD_CPU] = "where it came",
		[WORD_CGROUP] = "of the thread", [WORD_PRIO] = "120 is nice 0",
		[WORD_POLICY] = "0 other, 1 fifo, 2 rr, 3 batch, 5 idle, 6 deadline",
		[WORD_NS] = "now", [WORD_LATENCY] = "of a span", [WORD_KSTACK] = "the kernel's stack",
		[WORD_USTACK] = "the program's stack", [WORD_STACK] = "both",
		[WORD_IRQS_DISABLED] = "0 or 1", [WORD_NEED_RESCHED] = "0 or 1",
		[WORD_NR_RUNNING] = "threads of the CPU's run queue", [WORD_COMM] = "the thread's name",
		[WORD_COUNT] = "of a burst: events of the slot so far",
	};
	const char *name;

	for (u32 i = 0; (name = question_word__name(i)); i++)
		offer(d, name, i < QUESTION_WORDS && help[i] ? help[i] : "");
}

/* --- where one is --- */

static bool ends_word(char c, bool in_events)
{
	if (c == ' ' || c == '\t' || c == ',')
		return true;
	return !in_events && !(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			       (c >= 'A' && c <= 'Z'));
}

/* A filter ends it, but where a slash belongs to a path. */
static void note_event(struct draft *d, const char *from, size_t len)
{
	if (!len || (len == 2 && !strncmp(from, "->", 2)))
		return;
	if (strncmp(from, "uprobe:", 7) && strncmp(from, "uretprobe:", 10) && strncmp(from, "usdt:", 5) &&
	    strncmp(from, "mem:", 4) && memchr(from, '/', len))
		len = (size_t)((const char *)memchr(from, '/', len) - from);
	copy_str(d->last, MIN(len + 1, sizeof(d->last)), from);
	if (!*d->begin)
		copy_str(d->begin, sizeof(d->begin), d->last);
}

static bool is_in_path(char c)
{
	return c == '_' || c == '.' || c == '-' || c == '>' || (c >= '0' && c <= '9') ||
	       (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A member's word follows a point or an arrow. */
static void note_path(struct draft *d, const char *text, u32 from)
{
	u32 begin = from;

	if (!from || d->in_events || (text[from - 1] != '.' && text[from - 1] != '>'))
		return;
	if (text[from - 1] == '>' && (from < 2 || text[from - 2] != '-'))
		return;
	while (begin && is_in_path(text[begin - 1]))
		begin--;
	copy_str(d->path, MIN((size_t)(from - begin) + 1, sizeof(d->path)), text + begin);
}

/* "FIELD ==" before the word, and one of the other comparisons. */
static void note_compared(struct draft *d, const char *text, u32 from)
{
	static const char comparisons[] = "=!<>~";
	u32 end = from;

	d->quoted = end && text[end - 1] == '"';
	end -= d->quoted;
	while (end && text[end - 1] == ' ')
		end--;
	if (d->in_events || !end || !strchr(comparisons, text[end - 1]) ||
	    (end > 1 && text[end - 1] == '>' && text[end - 2] == '-'))
		return;
	while (end && strchr(comparisons, text[end - 1]))
		end--;
	while (end && text[end - 1] == ' ')
		end--;
	from = end;
	while (from && !ends_word(text[from - 1], false))
		from--;
	copy_str(d->compared, MIN((size_t)(end - from) + 1, sizeof(d->compared)), text + from);
}

/* Returns where the word begins that is being written. */
static u32 read_draft(struct draft *d, const char *text, u32 end)
{
	u32 from = 0;

	d->first = true;
	for (u32 i = 0; i < end; i++) {
		size_t len = i - from;

		if (!ends_word(text[i], d->in_events || d->first))
			continue;
		d->of_begin = text[i] == '(' && len == 5 && !strncmp(text + from, "entry", 5);
		if (d->first) {
			d->in_events = true;
		} else if (is_clause(text + from, len)) {
			d->in_events = len == 7 && !strncmp(text + from, "between", 7);
			d->behind_event = false;
		} else if (d->in_events && len) {
			note_event(d, text + from, len);
			d->behind_event = strncmp(text + from, "->", len) != 0;
		}
		if (text[i] == ',')
			d->behind_event = false;
		d->first = false;
		from = i + 1;
	}
	copy_str(d->word, MIN((size_t)(end - from) + 1, sizeof(d->word)), text + from);
	note_path(d, text, from);
	note_compared(d, text, from);
	return from;
}

static void offer_here(struct draft *d, const char *question)
{
	if (d->first) {
		offer_first(d);
	} else if (!strncmp(question, "delete ", 7)) {
		offer_own(d);
	} else if (strncmp(question, "save ", 5)) {
		if (d->in_events && !d->behind_event)
			offer_events(d);
		if (!d->in_events && !offer_values(d)) {
			offer_fields(d);
			if (!*d->path)
				offer_words(d);
		}
		if (d->behind_event || (!d->in_events && !*d->path))
			offer_clauses(d);
	}
}

void ask__complete(struct host *h, const char *text, u32 cursor, struct completions *out)
{
	struct draft d = {.host = h, .out = out};

	/* reask N */
	if (!strncmp(text, "reask ", 6))
		out->start += (u32)strspn(text + out->start, "0123456789");
	while (out->start < cursor && strchr(" !", text[out->start]))
		out->start++;
	text += out->start;
	out->start += read_draft(&d, text, cursor - out->start);
	offer_here(&d, text);
	ask_look__at(h, d.last);
}
