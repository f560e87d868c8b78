// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_values.h"

#include <stdio.h>

#include "bpf/hist.h"

static void add_label(struct ask_form *f, const char *name, u32 kind, u32 width)
{
	struct ask_label *l = &f->labels[f->nlabels++];

	copy_str(l->name, sizeof(l->name), name);
	l->kind = kind;
	l->width = width;
}

void perf_values__form(struct ask_form *f, const struct perf_value_label *own, u32 n, const char *what,
		       const char *event)
{
	*f = (struct ask_form){.kind = ASK_EVENTS, .shape = MEASURE_SHAPE_COUNT, .has_value = 1};
	snprintf(f->text, sizeof(f->text), "%s of %.200s", what, event);
	copy_str(f->event, sizeof(f->event), event);
	copy_str(f->noun, sizeof(f->noun), "samples");
	for (u32 i = 0; i < n; i++) {
		add_label(f, own[i].name, LABEL_NAMED, own[i].width);
		f->labels[i].word = own[i].word;
		f->labels[i].shift = own[i].shift;
		f->labels[i].bits = own[i].bits;
	}
	add_label(f, "pid", LABEL_PID, 0);
	add_label(f, "comm", LABEL_COMM, 15);
	add_label(f, "cgroup", LABEL_CGROUP, 16);
	add_label(f, "stack", LABEL_STACK, 24);
}

void perf_value__begin(struct perf_value *v, const u64 *labels, u32 n, u64 value)
{
	*v = (struct perf_value){.sample = {.head.type = SAMPLE_MEASURE,
					    .keys = v->keys,
					    .nkeys = n,
					    .count = 1,
					    .sum = value,
					    .min = value,
					    .max = value,
					    .hist = v->hist}};
	v->hist[loglin__bucket(value, MEASURE_SUB_SHIFT, MEASURE_BUCKETS)] = 1;
	for (u32 i = 0; i < n; i++)
		v->keys[i] = (struct measure_key){labels[i], v->texts[i]};
}
