/* SPDX-License-Identifier: GPL-2.0-only */
/* The programs of the measures of measures/measures.def, and what is special to each. */
#ifndef SOURCES_MEASURES_H
#define SOURCES_MEASURES_H

#include "sources/measure.h"

/* Lasts for good. */
const struct measure_programs *measures__programs(enum measure_id id);

#endif
