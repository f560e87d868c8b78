// SPDX-License-Identifier: GPL-2.0-only
/* The table of models, from models.def. */
#include "models/model.h"

#define MODEL(id, ops) extern const struct model_ops ops;
#include "models/models.def"
#undef MODEL

const struct model_ops *const model_table[MODEL_COUNT] = {
#define MODEL(id, ops) [MODEL_##id] = &ops,
#include "models/models.def"
#undef MODEL
};
