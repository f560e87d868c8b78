// SPDX-License-Identifier: GPL-2.0-only
/* Recorded input about BPF programs. */
#include <stdio.h>

#include "base/arena.h"
#include "samples/bpf_progs.h"
#include "tests/lib/fixture_impl.h"

struct bpf_record {
	union {
		struct sample head;
		struct bpf_prog_sample prog;
		struct bpf_map_sample map;
		struct bpf_state_sample state;
	};
};

static bool parse_prog(struct bpf_prog_sample *s, const char *text)
{
	char name[128], type[32], comm[64], attached[256];
	unsigned long long runs, ns;
	u32 id, pid;

	if (sscanf(text, "prog %u %127s %31s %63s %u %llu %llu %255[^\n]", &id, name, type, comm,
		   &pid, &runs, &ns, attached) != 8)
		return false;
	*s = (struct bpf_prog_sample){.head.type = SAMPLE_BPF_PROG,
				      .id = id,
				      .loaded_ns = id,
				      .tag = "0123456789abcdef",
				      .own = !strcmp(comm, "proftop"),
				      .runs = runs,
				      .run_ns = ns,
				      .xlated_bytes = 800,
				      .jited_bytes = 500,
				      .nowners = pid != 0};
	s->owners[0] = (struct bpf_owner){.tgid = pid, .cgroup = 1};
	copy_str(s->owners[0].comm, COMM_LEN, fixture__unescape(comm));
	copy_str(s->name, sizeof(s->name), fixture__unescape(name));
	copy_str(s->type, sizeof(s->type), type);
	copy_str(s->attached, sizeof(s->attached),
		 strcmp(attached, "-") ? fixture__unescape(attached) : "");
	return true;
}

static bool parse_map(struct bpf_map_sample *s, const char *text)
{
	unsigned long long bytes;
	char used[24];

	*s = (struct bpf_map_sample){.head.type = SAMPLE_BPF_MAP, .key_bytes = 4, .value_bytes = 64};
	if (sscanf(text, "map %u %u %15s %31s %23s %u %llu", &s->prog, &s->id, s->name, s->type,
		   used, &s->max_entries, &bytes) != 7)
		return false;
	s->bytes = bytes;
	s->fill_known = strcmp(used, "-") != 0;
	s->used = s->fill_known ? strtoull(used, NULL, 10) : 0;
	return true;
}

static bool parse_state(struct bpf_state_sample *s, const char *text)
{
	char others[128];
	u32 sysctl;

	*s = (struct bpf_state_sample){.head.type = SAMPLE_BPF_STATE};
	if (sscanf(text, "bpfstate %u %u %127[^\n]", &s->ncpus, &sysctl, others) != 3)
		return false;
	s->by_sysctl = sysctl;
	copy_str(s->others, sizeof(s->others), strcmp(others, "-") ? others : "");
	return true;
}

struct bpf_record *bpf_record__parse(const char *text)
{
	struct bpf_record *r = xcalloc(1, sizeof(*r));

	if (parse_prog(&r->prog, text) || parse_map(&r->map, text) || parse_state(&r->state, text))
		return r;
	free(r);
	return NULL;
}

void bpf_record__put(const struct bpf_record *r, const struct sample_sink *sink)
{
	sink__put(sink, &r->head);
}
