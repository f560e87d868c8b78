// SPDX-License-Identifier: GPL-2.0-only
#include "samples/system.h"

const struct figure_row figure_rows[FIGURES] = {
#define FIGURE(id, kind, name) [FIGURE_##id] = {name, FIGURE_##kind},
#include "samples/figures.def"
#undef FIGURE
};
