/* SPDX-License-Identifier: GPL-2.0-only */
/* Any file: bindings that can be looked up, or an error and the keymap as it was. */
#include "tests/fuzz/fuzz.h"
#include "tui/keymap.h"

static const char *const sections[] = {"cpu", "global", NULL};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct status st = {0};
	struct keymap k;
	bool right;
	u32 before;

	keymap__init(&k);
	before = k.n;
	right = !keymap__parse(&k, (const char *)data, size, "fuzz", &st);
	if (!right && (k.n != before || !st.msg[0]))
		abort();
	for (u32 i = 0; i < k.n; i++)
		for (u32 j = i + 1; j < k.n; j++)
			if (k.rows[i].key == k.rows[j].key && k.rows[i].first == k.rows[j].first &&
			    !strcmp(k.rows[i].section, k.rows[j].section))
				abort();
	for (int key = 0; key < 256; key++)
		if (keymap__lookup(&k, sections, key) >= ACTIONS)
			abort();
	for (int a = 1; a < ACTIONS; a++)
		keymap__key_of(&k, sections, (enum action)a);
	keymap__fini(&k);
	return fuzz__through(right);
}
