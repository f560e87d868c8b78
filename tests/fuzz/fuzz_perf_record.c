// SPDX-License-Identifier: GPL-2.0-only
/* Records as a perf ring holds them, through the decoder and the sampler behind it. */
#include "base/arena.h"
#include "scope/filter.h"
#include "sources/cpu_perf.h"
#include "tests/fuzz/fuzz.h"

static void read_one(void *ctx, const struct sample *s)
{
	const struct stack_def *d = (const struct stack_def *)s;
	bool *any = ctx;
	volatile u64 last = 0;

	if (s->type != SAMPLE_STACK_DEF)
		return;
	*any = true;
	for (u32 i = 0; i < (u32)d->nkernel + d->nuser; i++)
		last = d->ips[i];
	(void)last;
}

/* The input is a sequence of records; each is copied so that reading beyond one is seen. */
static void feed(struct source *s, const uint8_t *data, size_t size)
{
	while (size >= sizeof(struct perf_event_header)) {
		struct perf_event_header h;
		size_t n;
		void *copy;

		memcpy(&h, data, sizeof(h));
		n = CLAMP((size_t)h.size, sizeof(h), size);
		copy = xmalloc(n);
		memcpy(copy, data, n);
		cpu_perf__feed(s, copy, n);
		free(copy);
		data += n;
		size -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct sampling how = {.freq = 99, .user = true, .kernel = true};
	bool any = false;
	const struct sample_sink sink = {read_one, &any};
	struct filter_error err;
	struct scope *scope = filter__parse("comm~. tree=1", &err);
	u64 fields;
	struct source *s = cpu_perf__open_fake(&how, scope, &fields);

	feed(s, data, size);
	source_cpu_perf.drain(s, true, &sink);
	source_cpu_perf.close(s);
	scope__put(scope);
	return fuzz__through(any);
}
