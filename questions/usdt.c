// SPDX-License-Identifier: GPL-2.0-only
#include "questions/usdt.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "questions/registers.h"

/* --- notes --- */

#define NOTE_TYPE 3

struct note_header {
	u32 namesz, descsz, type;
};

static size_t aligned(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

/* The text at *at, which must end before `end`; NULL: it does not. */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *stop = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;

	if (!stop)
		return NULL;
	*at = stop + 1;
	return text;
}

static bool read_note(const char *desc, size_t size, struct usdt_note *note)
{
	const char *at = desc + 24, *end = desc + size;
	u64 words[3];

	if (size < sizeof(words))
		return false;
	memcpy(words, desc, sizeof(words));
	*note = (struct usdt_note){.pc = words[0], .base = words[1], .semaphore = words[2]};
	note->provider = take_text(&at, end);
	note->name = note->provider ? take_text(&at, end) : NULL;
	note->arguments = note->name ? take_text(&at, end) : NULL;
	return note->arguments && *note->provider && *note->name;
}

u32 usdt_notes__each(const void *notes, size_t size,
		     void (*emit)(void *ctx, const struct usdt_note *note), void *ctx)
{
	const char *at = notes;
	u32 n = 0;

	while (size >= sizeof(struct note_header)) {
		struct note_header h;
		struct usdt_note note;
		size_t name, all;

		memcpy(&h, at, sizeof(h));
		name = aligned(h.namesz);
		all = sizeof(h) + name + aligned(h.descsz);
		if (h.namesz > size || h.descsz > size || all > size + 3)
			break;
		if (h.type == NOTE_TYPE && h.namesz == 8 && h.descsz <= size - sizeof(h) - name &&
		    !memcmp(at + sizeof(h), "stapsdt", 8) &&
		    read_note(at + sizeof(h) + name, h.descsz, &note)) {
			emit(ctx, &note);
			n++;
		}
		all = MIN(all, size);
		at += all;
		size -= all;
	}
	return n;
}

/* --- arguments --- */

/* The begin of a text up to blanks, which an operand in brackets may have. */
static size_t operand_length(const char *text)
{
	size_t n = 0;
	int depth = 0;

	for (; text[n] && (depth || text[n] != ' '); n++)
		depth += text[n] == '[' || text[n] == '(' ? 1
			 : text[n] == ']' || text[n] == ')' ? -1
							     : 0;
	return n;
}

static bool take(const char **at, char c)
{
	if (**at != c)
		return false;
	++*at;
	return true;
}

static void skip_blanks(const char **at)
{
	*at += strspn(*at, " ");
}

static bool take_number(const char **at, s64 *out)
{
	char *end;

	if (!isdigit((unsigned char)**at) && **at != '-' && **at != '+')
		return false;
	errno = 0;
	*out = (s64)strtoull(*at, &end, 0);
	if (end == *at || errno)
		return false;
	*at = end;
	return true;
}

/* A register's name, without what marks it; *place: in the context. */
static bool take_register(const char **at, u16 machine, u32 *place)
{
	char name[8];
	size_t n = 0;

	while (n < sizeof(name) - 1 && isalnum((unsigned char)(*at)[n])) {
		name[n] = (*at)[n];
		n++;
	}
	name[n] = '\0';
	if (!n || isalnum((unsigned char)(*at)[n]) ||
	    registers__named(machine, name, place))
		return false;
	*at += n;
	return true;
}

/* disp(base,index,scale) */
static bool x86_memory(const char *at, struct field *f)
{
	s64 scale = 1;

	f->at = FIELD_AT_ADDRESS;
	if (*at != '(' && !take_number(&at, &f->number))
		return false;
	if (!take(&at, '('))
		return false;
	if (take(&at, '%')) {
		if (!take_register(&at, EM_X86_64, &f->offset))
			return false;
	} else {
		return false; /* an address that is known when it is linked */
	}
	if (take(&at, ',')) {
		if (!take(&at, '%') || !take_register(&at, EM_X86_64, &f->index))
			return false;
		if (take(&at, ',') && !take_number(&at, &scale))
			return false;
		if (scale != 1 && scale != 2 && scale != 4 && scale != 8)
			return false;
		f->scale = (u8)scale;
	}
	return take(&at, ')') && !*at;
}

static bool x86_operand(const char *at, struct field *f)
{
	if (take(&at, '$')) {
		f->at = FIELD_NUMBER;
		return take_number(&at, &f->number) && !*at;
	}
	if (take(&at, '%'))
		return take_register(&at, EM_X86_64, &f->offset) && !*at;
	return x86_memory(at, f);
}

/* [base], [base, NUMBER], [base, index], [base, index, lsl N] */
static bool arm_memory(const char *at, struct field *f)
{
	s64 shift = 0;

	f->at = FIELD_AT_ADDRESS;
	if (!take_register(&at, EM_AARCH64, &f->offset))
		return false;
	skip_blanks(&at);
	if (take(&at, ',')) {
		skip_blanks(&at);
		take(&at, '#');
		if (!take_number(&at, &f->number)) {
			if (*at == 'w' || !take_register(&at, EM_AARCH64, &f->index))
				return false;
			f->scale = 1;
		}
		skip_blanks(&at);
		if (f->scale && take(&at, ',')) {
			skip_blanks(&at);
			if (strncmp(at, "lsl", 3))
				return false;
			at += 3;
			skip_blanks(&at);
			take(&at, '#');
			if (!take_number(&at, &shift) || shift < 0 || shift > 3)
				return false;
			f->scale = (u8)(1 << shift);
		}
	}
	return take(&at, ']') && !*at;
}

static bool arm_operand(const char *at, struct field *f)
{
	if (take(&at, '['))
		return arm_memory(at, f);
	if (*at == '#' || *at == '-' || isdigit((unsigned char)*at)) {
		take(&at, '#');
		f->at = FIELD_NUMBER;
		return take_number(&at, &f->number) && !*at;
	}
	return take_register(&at, EM_AARCH64, &f->offset) && !*at;
}

/* SIZE@OPERAND; a size below 0 has a sign, "f" behind it is a floating-point number. */
static void read_argument(const char *text, u16 machine, struct usdt_arg *a)
{
	s64 size = 8;
	const char *at = text;
	bool known = true;

	if (strchr(text, '@') && take_number(&at, &size))
		known = take(&at, '@');
	a->is_signed = size < 0;
	known &= size >= -8 && size <= 8;
	size = known && size < 0 ? -size : size;
	known &= size == 1 || size == 2 || size == 4 || size == 8;
	if (known)
		known = machine == EM_X86_64	? x86_operand(at, &a->field)
			: machine == EM_AARCH64 ? arm_operand(at, &a->field)
						: false;
	a->known = known;
	a->size = known ? (u8)size : 8;
	a->field.type = (struct field_type){
		.kind = TYPE_INT, .size = a->size, .is_signed = a->is_signed, .user = true};
	a->field.wide = a->field.at == FIELD_IN_CONTEXT;
	a->field.unreadable = !known;
	a->field.why = "where this argument is, programs cannot read it";
}

/* --- fields --- */

static int resolve(const struct field_resolver *resolver, const char *name, struct field *out)
{
	const struct usdt_probe *p = container_of(resolver, struct usdt_probe, resolver);
	char *end;
	unsigned long n;

	if (!strncmp(name, "arg", 3) && isdigit((unsigned char)name[3])) {
		n = strtoul(name + 3, &end, 10);
		if (*end || !n || n > p->nargs)
			return -ENOENT;
		*out = p->args[n - 1].field;
		return 0;
	}
	if (strcmp(name, "sp") && strcmp(name, "ip"))
		return -ENOENT;
	return registers__fields(REGISTERS_ENTRY)->field(registers__fields(REGISTERS_ENTRY), name, out);
}

static bool name_of(const struct field_resolver *resolver, u32 i, char *buf, size_t size)
{
	const struct usdt_probe *p = container_of(resolver, struct usdt_probe, resolver);

	if (i < p->nargs)
		snprintf(buf, size, "arg%u", i + 1);
	else if (i < p->nargs + 2)
		copy_str(buf, size, i == p->nargs ? "sp" : "ip");
	else
		return false;
	return true;
}

void usdt_probe__init(struct usdt_probe *p, const char *name, const char *arguments, u16 machine)
{
	char text[256];

	*p = (struct usdt_probe){0};
	copy_str(p->name, sizeof(p->name), name);
	p->resolver = (struct field_resolver){.field = resolve, .name = name_of, .event = p->name};
	skip_blanks(&arguments);
	while (*arguments && p->nargs < USDT_ARGS) {
		size_t n = operand_length(arguments);

		snprintf(text, sizeof(text), "%.*s", (int)MIN(n, sizeof(text) - 1), arguments);
		read_argument(text, machine, &p->args[p->nargs++]);
		arguments += n;
		skip_blanks(&arguments);
	}
}
