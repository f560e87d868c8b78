// SPDX-License-Identifier: GPL-2.0-only
#include "questions/library.h"

#define KNOWN(word, question, line) {#word, line, question},
static const struct known_question known[] = {
#include "questions/library.def"
};
#undef KNOWN

const struct known_question *question_library__at(u32 i)
{
	return i < ARRAY_SIZE(known) ? &known[i] : NULL;
}

const struct known_question *question_library__find(const char *name)
{
	for (u32 i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, name))
			return &known[i];
	return NULL;
}
