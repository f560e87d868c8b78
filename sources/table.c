// SPDX-License-Identifier: GPL-2.0-only
/* The table of all sources, made from sources.def. */
#include "sources/source.h"

#define SOURCE(id, ops, model, tier) extern const struct source_ops ops;
#include "sources/sources.def"
#undef SOURCE

const struct source_row source_table[SOURCE_COUNT] = {
#define SOURCE(id, ops, model, tier) [SOURCE_##id] = {&ops, model, tier},
#include "sources/sources.def"
#undef SOURCE
};
