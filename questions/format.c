// SPDX-License-Identifier: GPL-2.0-only
#include "questions/format.h"

#include <stdarg.h>
#include <stdio.h>

/* The first bytes of a record, which a program's context has a pointer in place of. */
#define HIDDEN_BYTES 8

struct format_reader {
	struct trace_format *f;
	const struct type_resolver *kernel;
	u32 room, line;
	char *why;
	size_t size;
};

/* Types of system calls' arguments, which are registers of 8 bytes in the record, whatever they
 * are; the others are that long, or pointers. */
static const struct {
	const char *name;
	u8 size;
	bool is_signed;
} call_types[] = {
	{"int", 4, true},
	{"unsigned int", 4, false},
	{"unsigned", 4, false},
	{"uint", 4, false},
	{"u32", 4, false},
	{"__u32", 4, false},
	{"s32", 4, true},
	{"__s32", 4, true},
	{"pid_t", 4, true},
	{"uid_t", 4, false},
	{"gid_t", 4, false},
	{"old_uid_t", 2, false},
	{"umode_t", 2, false},
	{"key_t", 4, true},
	{"mqd_t", 4, true},
	{"clockid_t", 4, true},
	{"timer_t", 4, true},
	{"key_serial_t", 4, true},
	{"qid_t", 4, false},
	{"rwf_t", 4, true},
	{"u16", 2, false},
	{"__u16", 2, false},
	{"u8", 1, false},
	{"unsigned char", 1, false},
	{"unsigned short", 2, false},
	{"long", 8, true},
	{"off_t", 8, true},
	{"loff_t", 8, true},
	{"ssize_t", 8, true},
};

static int fail(struct format_reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);

static int fail(struct format_reader *r, const char *fmt, ...)
{
	int n = snprintf(r->why, r->size, "line %u: ", r->line);
	va_list args;

	va_start(args, fmt);
	if (n >= 0 && (size_t)n < r->size)
		vsnprintf(r->why + n, r->size - (size_t)n, fmt, args);
	va_end(args);
	return -EINVAL;
}

static bool in_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* The number behind "key:" in a line. */
static int read_number(struct format_reader *r, const char *line, const char *key, u32 *out)
{
	const char *at = strstr(line, key);
	char *end;
	long v;

	if (!at)
		return fail(r, "%s is missing", key);
	at += strlen(key);
	v = strtol(at, &end, 10);
	if (end == at || *end != ';' || v < 0 || v > TRACE_RECORD_MAX)
		return fail(r, "%s is no number up to %d", key, TRACE_RECORD_MAX);
	*out = (u32)v;
	return 0;
}

/* The declaration without what says where the data are and const, in place. */
static char *tidy_type(char *type, struct trace_field *out)
{
	static const struct {
		const char *word;
		u8 loc;
	} prefixes[] = {{"__data_loc ", LOC_DATA}, {"__rel_loc ", LOC_REL}, {"const ", LOC_NONE}};
	size_t n;

	for (u32 i = 0; i < ARRAY_SIZE(prefixes); i++) {
		n = strlen(prefixes[i].word);
		if (strncmp(type, prefixes[i].word, n))
			continue;
		type += n;
		if (prefixes[i].loc)
			out->loc = prefixes[i].loc;
	}
	for (n = strlen(type); n && type[n - 1] == ' ';)
		type[--n] = '\0';
	return type;
}

static void read_array(struct trace_field *out, const char *bracket)
{
	unsigned long n = strtoul(bracket + 1, NULL, 10);

	out->is_array = true;
	out->array = n <= TRACE_RECORD_MAX ? (u32)n : 0;
}

/* "const char * name[16]" into type, name and array. */
static int read_declaration(struct format_reader *r, char *decl, struct trace_field *out)
{
	char *end = decl + strlen(decl), *bracket, *name;

	while (end > decl && end[-1] == ' ')
		*--end = '\0';
	if (end > decl && end[-1] == ']') {
		bracket = strrchr(decl, '[');
		if (!bracket)
			return fail(r, "] without [");
		read_array(out, bracket);
		end = bracket;
	}
	for (name = end; name > decl && in_name(name[-1]);)
		name--;
	if (name == end || name == decl)
		return fail(r, "a field has a type and a name");
	*end = '\0';
	out->name = arena__strdup(&r->f->arena, name);
	*name = '\0';
	decl = tidy_type(decl, out);
	bracket = strchr(decl, '[');
	if (bracket) {
		read_array(out, bracket);
		*bracket = '\0';
	}
	out->type = arena__strdup(&r->f->arena, decl);
	return *out->type ? 0 : fail(r, "a field has a type and a name");
}

/* --- what fields are in expressions --- */

static bool is_call(const struct trace_format *f)
{
	return !strncmp(f->name, "sys_enter_", 10);
}

static bool is_char(const char *type)
{
	return !strcmp(type, "char") || !strcmp(type, "unsigned char") ||
	       !strcmp(type, "signed char");
}

static void make_text(struct trace_field *t)
{
	t->field.type.kind = TYPE_TEXT;
	t->field.text_at = t->loc == LOC_DATA  ? TEXT_DATA_LOC
			   : t->loc == LOC_REL ? TEXT_REL_LOC
					       : TEXT_ARRAY;
	t->field.length = t->size;
}

/* The id of the struct that `struct NAME *` points to. */
static u32 pointed_to(const struct type_resolver *kernel, const char *type)
{
	const char *name = !strncmp(type, "struct ", 7) ? type + 7 : NULL;
	char word[128];
	size_t n = name ? strcspn(name, " *") : 0;

	if (!kernel || !n || n >= sizeof(word) || strcmp(name + n, " *"))
		return 0;
	memcpy(word, name, n);
	word[n] = '\0';
	return kernel->find(kernel, word);
}

static void make_pointer(struct format_reader *r, struct trace_field *t)
{
	t->field.type.user = is_call(r->f);
	if (!strcmp(t->type, "char *")) {
		t->field.type.kind = TYPE_TEXT;
		t->field.text_at = TEXT_POINTER;
		return;
	}
	t->field.type.kind = TYPE_POINTER;
	t->field.type.type_id = pointed_to(r->kernel, t->type);
}

static void make_call_argument(struct trace_field *t)
{
	for (u32 i = 0; i < ARRAY_SIZE(call_types); i++)
		if (!strcmp(call_types[i].name, t->type)) {
			t->field.type.size = call_types[i].size;
			t->field.type.is_signed = call_types[i].is_signed;
			t->field.wide = true;
			return;
		}
}

static void make_field(struct format_reader *r, struct trace_field *t)
{
	size_t n = strlen(t->type);

	t->field.offset = t->offset;
	t->field.type = (struct field_type){
		.kind = TYPE_INT, .size = (u8)t->size, .is_signed = t->is_signed};
	if (t->offset < HIDDEN_BYTES) {
		t->field.unreadable = true;
		t->field.why =
			"programs cannot read the common fields: tid is the thread, ns the time";
	}
	if ((t->is_array || t->loc) && is_char(t->type))
		make_text(t);
	else if (!t->is_array && !t->loc && t->size == 8 && n && t->type[n - 1] == '*')
		make_pointer(r, t);
	else if (t->is_array || t->loc ||
		 (t->size != 1 && t->size != 2 && t->size != 4 && t->size != 8))
		t->field.type.kind = TYPE_RECORD;
	else if (t->size == 8 && is_call(r->f))
		make_call_argument(t);
}

/* --- lines --- */

static struct trace_field *add_field(struct format_reader *r)
{
	struct trace_format *f = r->f;
	struct trace_field *more;

	if (f->nfields == TRACE_FIELDS_MAX)
		return NULL;
	if (f->nfields == r->room) {
		r->room = MAX(r->room * 2, 16u);
		more = arena__array(&f->arena, struct trace_field, r->room);
		if (f->nfields)
			memcpy(more, f->fields, f->nfields * sizeof(*more));
		f->fields = more;
	}
	return &f->fields[f->nfields];
}

static int read_field(struct format_reader *r, char *line)
{
	struct trace_field *t = add_field(r);
	char *end = strchr(line, ';');
	u32 is_signed = 0;

	if (!t)
		return fail(r, "more than %d fields", TRACE_FIELDS_MAX);
	if (!end)
		return fail(r, "; is missing");
	*end++ = '\0';
	if (read_number(r, end, "offset:", &t->offset) || read_number(r, end, "size:", &t->size) ||
	    read_number(r, end, "signed:", &is_signed) || read_declaration(r, line, t))
		return -EINVAL;
	if (t->offset + t->size > TRACE_RECORD_MAX)
		return fail(r, "the field is beyond %d bytes", TRACE_RECORD_MAX);
	if (t->loc && t->size != 4)
		return fail(r, "what says where data are has 4 bytes");
	t->is_signed = is_signed;
	t->common = !strncmp(t->name, "common_", 7);
	make_field(r, t);
	r->f->nfields++;
	return 0;
}

static int read_line(struct format_reader *r, char *line)
{
	struct trace_format *f = r->f;

	while (*line == ' ' || *line == '\t')
		line++;
	if (!strncmp(line, "name: ", 6))
		f->name = arena__strdup(&f->arena, line + 6);
	else if (!strncmp(line, "ID: ", 4))
		f->id = (u32)strtoul(line + 4, NULL, 10);
	else if (!strncmp(line, "print fmt: ", 11))
		f->print = arena__strdup(&f->arena, line + 11);
	else if (!strncmp(line, "field:", 6))
		return read_field(r, line + 6);
	return 0;
}

static int read_lines(struct format_reader *r, char *text)
{
	char *next;

	for (; text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		r->line++;
		if (read_line(r, text))
			return -EINVAL;
	}
	if (!*r->f->name || !r->f->nfields)
		return fail(r, "no format: a name and fields are missing");
	return 0;
}

/* --- as a resolver --- */

static const struct trace_format *format_of(const struct field_resolver *r)
{
	return container_of(r, struct trace_format, resolver);
}

static int resolve_field(const struct field_resolver *r, const char *name, struct field *out)
{
	const struct trace_field *t = trace_format__field(format_of(r), name);

	if (!t)
		return -ENOENT;
	*out = t->field;
	return 0;
}

static bool field_name(const struct field_resolver *r, u32 i, char *buf, size_t size)
{
	const struct trace_format *f = format_of(r);

	if (i >= f->nfields)
		return false;
	copy_str(buf, size, f->fields[i].name);
	return true;
}

const struct trace_field *trace_format__field(const struct trace_format *f, const char *name)
{
	for (u32 i = 0; i < f->nfields; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

struct trace_format *trace_format__parse(const char *text, const struct type_resolver *kernel,
					 char *why, size_t size)
{
	struct trace_format *f = xcalloc(1, sizeof(*f));
	struct format_reader r = {.f = f, .kernel = kernel, .why = why, .size = size};
	size_t len = strnlen(text, TRACE_FORMAT_MAX + 1u);
	char *copy;
	int ret;

	arena__init(&f->arena);
	f->name = f->print = "";
	f->resolver = (struct field_resolver){
		.field = resolve_field, .name = field_name, .types = kernel};
	copy = xmalloc(len + 1);
	memcpy(copy, text, len);
	copy[len] = '\0';
	ret = len > TRACE_FORMAT_MAX ? fail(&r, "longer than %u bytes", TRACE_FORMAT_MAX)
				     : read_lines(&r, copy);
	free(copy);
	if (ret) {
		trace_format__free(f);
		return NULL;
	}
	f->resolver.event = f->name;
	return f;
}

void trace_format__free(struct trace_format *f)
{
	if (!f)
		return;
	arena__fini(&f->arena);
	free(f);
}
