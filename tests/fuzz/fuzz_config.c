/* SPDX-License-Identifier: GPL-2.0-only */
/* Any configuration: keys of the table with values that a line can hold, or an error with its line.
 * Written back, it says the same, and once more the same again. */
#include "base/arena.h"
#include "tests/fuzz/fuzz.h"
#include "tui/config.h"

/* In the place of the command line's, which has its own tests. */
int options__set(struct options *o, const char *name, char *value, struct status *st)
{
	for (const char *c = value; *c; c++)
		if ((u8)*c < 0x20 && *c != '\t' && *c != '\r')
			abort();
	if (!*value || strlen(value) > CONFIG_VALUE_MAX)
		abort();
	return strcmp(value, "wrong")
		       ? 0
		       : status__set(st, EXIT_CODE_USAGE, -EINVAL, "--%s \"%s\"", name, value);
}

void options__set_flag(struct options *o, const char *name, bool on)
{
}

void options__init(struct options *o, char **argv)
{
	*o = (struct options){0};
}

void options__fini(struct options *o)
{
	arena__fini(&o->memory);
}

int options__read(struct options *o, int argc, char **argv, struct status *st)
{
	return 0;
}

static bool reads(const char *text, size_t len)
{
	struct options o = {0};
	struct status st = {0};
	int err = config__parse(&o, text, len, "fuzz", &st);

	if (err && !st.msg[0])
		abort();
	options__fini(&o);
	return !err;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct config_values v = {0};
	char *once, *twice;

	if (!reads((const char *)data, size) || memchr(data, '\0', size))
		return 0;
	for (u32 i = 0; i < SETTINGS; i++)
		copy_str(v.text[i], sizeof(v.text[i]),
			 size % (i + 2) ? setting_table[i].initial : "7");
	for (u32 i = 0; i < SETTINGS; i++)
		if (setting__is_flag(&setting_table[i]))
			copy_str(v.text[i], sizeof(v.text[i]), size & 1 ? "yes" : "no");
	once = config__merge((const char *)data, size, &v);
	if (!reads(once, strlen(once)))
		abort();
	twice = config__merge(once, strlen(once), &v);
	if (strcmp(once, twice))
		abort();
	free(once);
	free(twice);
	return fuzz__through(true);
}
