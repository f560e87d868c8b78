// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/headline.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>

#include "widgets/text.h"

void headline__add(struct headline *l, enum role role, const char *text)
{
	int w;

	text__fit(text, INT_MAX, &w);
	if (l->x + w <= l->r.x + l->r.w)
		l->x += draw__text(l->c, l->x, l->r.y, w, role, text);
}

void headline__addf(struct headline *l, enum role role, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	headline__add(l, role, text);
}
