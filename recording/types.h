/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of samples in a recording. A new one is a function that names its fields and a row of
 * recording/types.def.
 */
#ifndef RECORDING_TYPES_H
#define RECORDING_TYPES_H

#include "recording/codec.h"
#include "samples/bpf_progs.h"
#include "samples/cache.h"
#include "samples/command.h"
#include "samples/ask.h"
#include "samples/measure.h"
#include "samples/percpu.h"
#include "samples/procs.h"
#include "samples/system.h"
#include "samples/vitals.h"

/* Room for any sample that is read. */
union any_sample {
	struct sample head;
#define SAMPLE_CODEC(number, type, name, member, subject) struct name member;
#include "recording/types.def"
#undef SAMPLE_CODEC
};

struct sample_codec {
	u32 number; /* in files: RECORD_SAMPLES + number */
	enum sample_type type;
	void (*code)(struct codec *c, union any_sample *s);
	/* Optional: whom filters look at. */
	void (*subject)(const union any_sample *s, struct subject *out);
};

/* The newest that a type has. NULL: it is not recorded. */
const struct sample_codec *sample_codec__of(enum sample_type type);
/* NULL: not known to this version, or not any more. */
const struct sample_codec *sample_codec__numbered(u32 number);
/* Whether a later version has it: not what earlier ones had and this one has no more. */
bool sample_codec__is_later(u32 number);

/* Appends the record of a sample; false: its type is not recorded. */
bool sample__write(struct codec *c, const struct sample *s);
/* False: the record does not fit. */
bool sample__read(struct codec *c, const struct sample_codec *type, struct cursor record,
		  union any_sample *out);

/* The fields of each type, in recording/types*.c. */
#define SAMPLE_CODEC(number, type, name, member, subject)                                          \
	void code_##member##_fields(struct codec *c, struct name *x);
#include "recording/types.def"
#undef SAMPLE_CODEC

#endif
