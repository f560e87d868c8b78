/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The end of an interval in a recording, RECORD_INTERVAL: when it ended, what proftop itself used,
 * and for each model that had one where it began and the health of its feed, which has a length
 * of its own so that a reader can step over a model that it does not know.
 */
#ifndef RECORDING_MARK_H
#define RECORDING_MARK_H

#include "recording/codec.h"
#include "recording/format.h"
#include "samples/record_sink.h"

#define NO_MODEL MODELS_MAX

/* Appends the record; models are numbered as they are here. */
void mark__write(struct codec *c, const struct record_interval *iv);
/* models: which model_id has which position in the file, MODELS_MAX of them, NO_MODEL none.
 * False: it does not fit. */
bool mark__read(struct codec *c, struct cursor record, const u8 *models,
		struct record_interval *iv);

#endif
