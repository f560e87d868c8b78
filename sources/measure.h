/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The source of any measure, for those that are not of measure_table: questions (sources/ask.c)
 * bring programs of their own. Collector thread only.
 */
#ifndef SOURCES_MEASURE_H
#define SOURCES_MEASURE_H

#include "samples/measure.h"
#include "sources/source.h"

struct bpf_object;
struct bpf_program;
struct stack_record;

/* A value of an own label, in the words of its key. */
struct measure_value {
	u64 value;
	const __u64 *words;
	const char *sent; /* its name, as the programs sent it; NULL: they did not */
};

/*
 * What is special to a measure's source; all optional. Those of a measure of the table are
 * `NAME_hooks`, in a file of their own, and a row of sources/measures.c.
 */
struct measure_hooks {
	/* The ctx of the others, freed when the source is closed; questions bring theirs. */
	void *(*begin)(const struct measure *m, const struct sampling *how);
	void (*end)(void *ctx);
	/* Whether the source has to be opened anew for other settings. */
	bool (*other)(const struct sampling *was, const struct sampling *wanted);
	/* Before the programs are loaded. */
	int (*prepare)(void *ctx, struct bpf_object *obj, struct status *st);
	/* After they are loaded, before they are attached. */
	int (*loaded)(void *ctx, struct bpf_object *obj, struct status *st);
	/* After each program that is attached by itself (bpf_program__autoattach). */
	int (*attach)(void *ctx, struct bpf_object *obj, struct status *st);
	void (*detach)(void *ctx);
	/* Before the halves take turns at the end of an interval. */
	void (*flush)(void *ctx);
	/* May change what is handed out of a cell. */
	void (*cell)(void *ctx, struct measure_cell *c);
	/* Before anything is attached, and when it changes: refuses a scope that does not do. */
	int (*scope)(void *ctx, const struct scope *scope, struct status *st);
	/* Of a holding: whether the process of a site has ended, so that it holds nothing any more. */
	bool (*gone)(void *ctx, const struct measure_owner *owner);
	/* After each drain with the end of an interval, on the collector thread. */
	void (*tick)(void *ctx, struct bpf_object *obj);
	/* Once an interval, after all else was handed out. */
	void (*more)(void *ctx, const struct sample_sink *sink);
	/* What the value of an own label is called; false: as the programs sent it. */
	bool (*text)(void *ctx, u32 label, const struct measure_value *v, char *buf, size_t size);
	/* At the end of an interval calls put for each span that goes on. */
	void (*open)(void *ctx, struct bpf_object *obj,
		     void (*put)(void *put_ctx, const struct measure_open *open), void *put_ctx);
	/* A record of the programs' own from their ring. */
	void (*record)(void *ctx, const void *data, size_t size, const struct sample_sink *sink);
	/* Adds to one that took long, before it is handed out. */
	void (*slow)(void *ctx, struct measure_slow_sample *out);
	void (*health)(void *ctx, struct health *h);
	/* The declaration's levels; false: they cannot be read. */
	bool (*levels)(void *ctx, u64 v[MEASURE_LEVELS]);
	/* Frames, before the sink has them. */
	void (*stack)(void *ctx, const struct stack_record *r);
	/* The value that stands for those that are the same: of an exact label (samples/measure.h). */
	u64 (*same)(void *ctx, u32 label, u64 value);
	/* In the place of the declaration's. */
	bool (*waits)(void *ctx, const __u64 *words);
	/* Where a span that goes on is: a stack's hash; 0: not known. */
	u64 (*where)(void *ctx, const struct measure_open *o);
	/* After what was counted, and what goes on, was handed out: more of it. */
	void (*counted)(void *ctx, const struct measure_cell *c, const struct measure_key *keys, u32 n,
			const struct sample_sink *sink);
	void (*goes_on)(void *ctx, const struct measure_open *o, const struct measure_key *keys, u32 n,
			const struct sample_sink *sink);
};

/* What these point to is borrowed as long as the source is open. */
struct measure_programs {
	const struct measure *measure;
	const void *elf;
	size_t elf_size;
	const struct measure_hooks *hooks; /* never NULL */
	void *ctx; /* of the hooks where these have no begin */
};

/* A source of sources/bpf_source.h. */
struct source *measure_source__open(const struct measure_programs *of, const struct sampling *how,
				    const struct scope *scope, struct status *st);

/* Its programs are loaded, and not attached before bpf_source__attach. */
struct source *measure_source__load(const struct measure_programs *of, const struct sampling *how,
				    struct status *st);

/* Its first interval begins: until then nothing is counted, though it is attached (struct source_ops.begin). */
void measure_source__begin(struct source *s, u64 t0_ns);

/* Numbers are wanted at once for a third of a second: they are read while programs go on to count, where that can be
 * done. */
void measure_source__hurry(struct source *s);

/* For struct measure_programs.prepare: a constant of the programs by its name. */
void measure_programs__set(struct bpf_object *obj, const char *name, const void *data, size_t size);

#endif
