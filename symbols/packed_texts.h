/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Texts that are seldom asked for, packed in pieces: one piece at a time is there to be read. One thread at a time.
 */
#ifndef SYMBOLS_PACKED_TEXTS_H
#define SYMBOLS_PACKED_TEXTS_H

#include "base/base.h"

/* No text may lie in two of them. */
#define PACKED_PIECE (16u << 10)

struct packed_texts;

/* Of a copy of so many bytes; NULL: they cannot be packed. */
struct packed_texts *packed_texts__new(const char *texts, size_t n);
void packed_texts__free(struct packed_texts *p); /* NULL is fine */
/* What lies at a position of those bytes; valid until the next call. "" where nothing can. */
const char *packed_texts__at(struct packed_texts *p, size_t at);
size_t packed_texts__bytes(const struct packed_texts *p);

#endif
