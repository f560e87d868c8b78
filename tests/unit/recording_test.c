// SPDX-License-Identifier: GPL-2.0-only
/* Recordings: what is written is read; what is cut off, damaged or unknown is left out. */
#include "tests/unit/recording_seen.h"

static u32 intervals_in(const void *data, size_t n)
{
	struct status st;
	struct reader *r = open_bytes(data, n, &st);
	struct seen seen;
	u32 intervals;

	if (!r) {
		assert_string_not_equal(st.msg, "");
		assert_int_not_equal(st.code, EXIT_CODE_OK);
		return 0;
	}
	intervals = read_all(r, &seen);
	reader__free(r);
	return intervals;
}

/* --- whole ones --- */

static void test_round_trip(void **state)
{
	struct recording_summary sum;
	struct record_interval iv;
	struct status st = {0};
	struct reader *r;
	struct seen seen;

	record("a.ptr", 3);
	r = reader__open(path_of("a.ptr"), symbols, &st);
	assert_non_null(r);
	assert_string_equal(reader__note(r, NOTE_HOST), "web-03");
	assert_string_equal(reader__note(r, "nothing"), "");
	assert_string_equal(reader__trouble(r), "");
	reader__summary(r, &sum);
	assert_int_equal(sum.intervals, 3);
	assert_int_equal(sum.models, 1u << MODEL_PROFILE | 1u << MODEL_VITALS);
	assert_int_equal(sum.begin_ns, MAKER_T0);
	assert_int_equal(sum.end_ns, MAKER_T0 + 3 * NSEC_PER_SEC);
	for (u32 i = 0; i < 3; i++) {
		seen = (struct seen){.reader = r};
		assert_true(reader__next(r, &iv));
		assert_int_equal(iv.t1_ns, MAKER_T0 + (i + 1) * NSEC_PER_SEC);
		assert_int_equal(iv.v[MODEL_PROFILE].t0_ns, MAKER_T0 + i * NSEC_PER_SEC);
		assert_int_equal(iv.v[MODEL_PROFILE].health.samples_total, 10 * (i + 1));
		assert_string_equal(iv.v[MODEL_PROFILE].health.tier, "bpf");
		assert_true(iv.self_cpu_pct == 1.5);
		reader__samples(r, MODEL_PROFILE, see, &seen);
		assert_int_equal(seen.samples, MAKER_SAMPLES);
		assert_int_equal(seen.count, 1 + 2 + 3 + 4);
		assert_int_equal(seen.stacks, 4);
		assert_int_equal(seen.whole, 2);
		assert_string_equal(seen.last, "leaf3 work main ");
		assert_string_equal(seen.comm, "prog3");
		reader__samples(r, MODEL_IO, see, &seen);
		assert_int_equal(seen.samples, MAKER_SAMPLES);
	}
	assert_false(reader__next(r, &iv));
	assert_false(reader__next(r, &iv));
	reader__free(r);
}

/* Whoever adds a type of sample names its fields for recordings too, or why it needs none. */
static void test_types(void **state)
{
	for (u32 t = 0; t < SAMPLE_TYPES; t++) {
		/* Names, and what only the live machine can answer. */
		bool needless = t == SAMPLE_STACK_DEF || t == SAMPLE_UNWIND;

		if (!sample_codec__of(t) == !needless)
			fail_msg("type of sample %u has no row in recording/types.c", t);
	}
	for (u32 i = 0; i < 100; i++)
		if (sample_codec__numbered(i))
			assert_int_equal(sample_codec__numbered(i)->number, i);
	/* Of dentries and of the CPU's caches as earlier versions had them. */
	for (u32 i = 14; i < 18; i++)
		assert_null(sample_codec__numbered(i));
}

static void test_files(void **state)
{
	struct status st = {0};
	struct stat s;
	char piped[40];
	int ends[2];
	struct recorder_config cfg = {
		.path = path_of("file.ptr"), .symbols = symbols, .notes = builder_notes};
	struct record_sink *sink;

	unlink(cfg.path);
	sink = recorder__new(&cfg, &st);
	assert_non_null(sink);
	sink->ops->close(sink);
	assert_int_equal(stat(cfg.path, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	assert_null(recorder__new(&cfg, &st));
	assert_non_null(strstr(st.msg, "is there already"));
	run("ln -s nowhere link.ptr");
	cfg.path = path_of("link.ptr");
	assert_null(recorder__new(&cfg, &st));
	cfg.path = "/dev/full";
	assert_null(recorder__new(&cfg, &st));
	cfg.path = path_of("no/such/folder.ptr");
	assert_null(recorder__new(&cfg, &st));
	assert_non_null(strstr(st.msg, "No such file"));
	assert_null(reader__open(scratch_dir, symbols, &st));
	assert_null(reader__open("/dev/zero", symbols, &st));
	assert_non_null(strstr(st.msg, "is no regular file"));
	assert_int_equal(pipe(ends), 0);
	snprintf(piped, sizeof(piped), "/proc/self/fd/%d", ends[0]);
	assert_null(reader__open(piped, symbols, &st));
	assert_non_null(strstr(st.msg, "--replay - reads"));
	close(ends[0]);
	close(ends[1]);
}

/* --- addresses of the kernel --- */

#define KERNEL_IP 0xffff888000001000ull /* memory, no function */

struct frames_seen {
	struct reader *reader;
	u64 offsets[2];
};

static void see_offsets(void *ctx, const struct codec *c, const struct sample_codec *type,
			const union any_sample *sample)
{
	struct frames_seen *s = ctx;
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def def;

	names_in__stack(reader__names(s->reader), c->stacks[0], ips, &def);
	assert_int_equal(def.nkernel, 2);
	for (u32 i = 0; i < 2; i++) {
		u32 func = symbols__func_of(symbols, (u32)ips[i]);

		assert_string_equal(symbols__func(symbols, func)->name, "[kernel]");
		s->offsets[i] = symbols__offset_of(symbols, (u32)ips[i]);
	}
}

/* Of a kernel stack's two frames, as they are read from a recording. */
static struct frames_seen kernel_frames(enum kernel_addresses told)
{
	u64 ips[] = {KERNEL_IP, KERNEL_IP + 64};
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF, .hash = 1, .nkernel = 2, .ips = ips};
	struct stack_sample sample = {
		.head.type = SAMPLE_STACK, .stack = 1, .count = 1, .weight = 1, .t_ns = MAKER_T0};
	struct status st = {0};
	struct frames_seen seen;
	struct record_interval iv;
	struct builder m;

	unlink(path_of("kernel.ptr"));
	builder__begin(&m, path_of("kernel.ptr"));
	atomic_store(&m.symbols->addresses, told);
	builder__put(&m, 1u << MODEL_PROFILE, &def.head);
	builder__put(&m, 1u << MODEL_PROFILE, &sample.head);
	builder__end_interval(&m);
	builder__finish(&m);
	seen.reader = reader__open(path_of("kernel.ptr"), symbols, &st);
	assert_non_null(seen.reader);
	assert_true(reader__next(seen.reader, &iv));
	reader__samples(seen.reader, MODEL_PROFILE, see_offsets, &seen);
	reader__free(seen.reader);
	return seen;
}

/* What the kernel hides from who records is not in the file, which may be given to anybody. */
static void test_hidden_addresses(void **state)
{
	struct frames_seen seen = kernel_frames(ADDRESSES_TOLD);

	assert_true(seen.offsets[0] == KERNEL_IP && seen.offsets[1] == KERNEL_IP + 63);
	seen = kernel_frames(ADDRESSES_HIDDEN);
	assert_int_equal(seen.offsets[0] >> 32, SYM_HIDDEN >> 32);
	assert_int_equal(seen.offsets[1] >> 32, SYM_HIDDEN >> 32);
	assert_true(seen.offsets[0] != seen.offsets[1]);
}

static const struct sym_func *unresolved(enum code_kind kind, const char *name, u64 offset)
{
	const struct sym_object o = {.kind = kind, .name = name, .path = ""};
	struct recorded_loc l = {.offset = offset};

	l.object = symbols__recorded_object(symbols, &o, "");
	return symbols__func(symbols,
			     symbols__func_of(symbols, symbols__recorded_loc(symbols, &l)));
}

/* Such a number is none to be called after. */
static void test_unresolved(void **state)
{
	const struct sym_func *f = unresolved(CODE_KERNEL, "[kernel]", SYM_HIDDEN | 5);

	assert_string_equal(f->name, "[kernel]");
	assert_int_equal(f->start, 0);
	f = unresolved(CODE_KERNEL, "[kernel]", KERNEL_IP);
	assert_string_equal(f->name, "[kernel]+0xffff888000001000");
	assert_string_equal(unresolved(CODE_USER, "prog", 0x40)->name, "prog+0x40");
}

/* Without an interval there is nothing to be shown. */
static void test_empty(void **state)
{
	struct status st = {0};

	record("empty.ptr", 0);
	assert_null(reader__open(path_of("empty.ptr"), symbols, &st));
	assert_non_null(strstr(st.msg, "no whole interval"));
	assert_null(open_bytes("", 0, &st));
	assert_non_null(strstr(st.msg, "is no recording"));
	assert_null(open_bytes(RECORDING_MAGIC, RECORDING_MAGIC_LEN, &st));
	assert_non_null(strstr(st.msg, "head is damaged"));
}

/* --- broken ones --- */

static void test_cut_anywhere(void **state)
{
	struct bytes file = {0};
	u32 before = 0, n;

	record("a.ptr", 8);
	slurp("a.ptr", &file);
	for (size_t len = 0; len <= file.n; len++) {
		n = intervals_in(file.v, len);
		assert_true(n >= before && n <= 8);
		before = n;
	}
	assert_int_equal(before, 8);
	bytes__free(&file);
}

static void test_bits_flipped(void **state)
{
	struct bytes file = {0};
	u32 whole = 0;

	record("a.ptr", 8);
	slurp("a.ptr", &file);
	for (size_t i = 0; i < file.n; i++) {
		u8 was = file.v[i];

		file.v[i] ^= (u8)(1u << i % 8);
		if (intervals_in(file.v, file.n) == 8)
			whole++;
		file.v[i] = was;
	}
	/* Checksums cover each byte but those of samples' names, whose loss leaves the samples. */
	assert_true(whole < file.n);
	assert_int_equal(intervals_in(file.v, file.n), 8);
	bytes__free(&file);
}

/* --- made by hand --- */

static void add_block(struct bytes *file, u32 kind, u32 flags, const struct bytes *payload)
{
	struct packer *p = packer__new();
	struct block b = {.kind = kind,
			  .flags = flags,
			  .intervals = 1,
			  .models = 1u << MODEL_PROFILE,
			  .t1_ns = MAKER_T0};

	assert_int_equal(packer__add(p, &b, payload, file), 0);
	packer__free(p);
}

static void add_head(struct bytes *file)
{
	struct bytes b = {0};
	size_t begin = bytes__begin(&b, RECORD_MODEL);

	bytes__text(&b, "profile");
	bytes__end(&b, begin);
	bytes__put(file, RECORDING_MAGIC, RECORDING_MAGIC_LEN);
	add_block(file, BLOCK_HEAD, 0, &b);
	bytes__free(&b);
}

/* A record of varints. */
static void add_record(struct bytes *b, u32 type, u32 n, const u64 *fields)
{
	size_t begin = bytes__begin(b, type);

	for (u32 i = 0; i < n; i++)
		bytes__varint(b, fields[i]);
	bytes__end(b, begin);
}

#define RECORD(b, type, ...)                                                                       \
	add_record(b, type, ARRAY_SIZE(((u64[]){__VA_ARGS__})), (u64[]){__VA_ARGS__})

static void add_mark(struct bytes *b, u64 t1_ns)
{
	size_t begin = bytes__begin(b, RECORD_INTERVAL), model;

	bytes__varint(b, t1_ns);
	bytes__double(b, 0);
	bytes__varint(b, 1);
	model = bytes__begin(b, 0);
	bytes__varint(b, NSEC_PER_SEC);
	bytes__end(b, model);
	bytes__end(b, begin);
}

/* An interval with a sample: tgid tid cpu cgroup comm stack count weight time. */
static void add_interval(struct bytes *b, u64 t1_ns)
{
	RECORD(b, RECORD_ROUTE, 1, t1_ns);
	RECORD(b, RECORD_SAMPLES, 1, 1, 0, 0, 0, 1, 7, 7, 0);
	add_mark(b, t1_ns);
}

/* The number of intervals, and in seen what is in them. */
static u32 read_back(const struct bytes *file, struct seen *seen)
{
	struct status st;
	struct reader *r = open_bytes(file->v, file->n, &st);
	u32 n;

	if (!r)
		return 0;
	n = read_all(r, seen);
	reader__free(r);
	return n;
}

/* What a later version adds: types of blocks, records and samples, and fields at their ends. */
static void test_later_version(void **state)
{
	struct bytes file = {0}, b = {0};
	struct status st;
	struct reader *r;
	struct seen seen;

	add_head(&file);
	RECORD(&b, 999, 1, 2, 3);
	add_block(&file, 77, 0, &b);
	b.n = 0;
	RECORD(&b, 30, 5);
	RECORD(&b, RECORD_ROUTE, 1, MAKER_T0, 4711);
	RECORD(&b, RECORD_SAMPLES + 200, 1, 2, 3);
	RECORD(&b, RECORD_SAMPLES, 1, 1, 0, 0, 0, 0, 7, 7, 0, 8, 9, 10);
	RECORD(&b, RECORD_SAMPLES, 1, 1, 0, 0, 0, 0, 5); /* an earlier one, with fewer fields */
	add_mark(&b, MAKER_T0);
	add_block(&file, BLOCK_SAMPLES, 0, &b);
	r = open_bytes(file.v, file.n, &st);
	assert_non_null(r);
	assert_int_equal(read_all(r, &seen), 1);
	assert_int_equal(seen.samples, 2);
	assert_int_equal(seen.count, 12);
	assert_non_null(strstr(reader__trouble(r), "newer proftop"));
	reader__free(r);
	assert_true(sample_codec__is_later(200));
	assert_false(sample_codec__is_later(14)); /* of a version before */
	assert_false(sample_codec__is_later(sample_codec__of(SAMPLE_WAIT)->number));
	bytes__free(&file);
	bytes__free(&b);
}

/* Counts, positions and lengths that nobody has written. */
static void test_hostile(void **state)
{
	static const u64 absurd[] = {1u << 20, UINT32_MAX, UINT64_MAX};
	struct bytes file = {0}, names = {0}, b = {0};
	struct seen seen;

	add_interval(&b, MAKER_T0);
	for (u32 type = RECORD_BASE; type <= RECORD_CGROUP; type++)
		for (u32 k = 0; k < ARRAY_SIZE(absurd); k++) {
			const u64 x = absurd[k];

			file.n = names.n = 0;
			add_head(&file);
			RECORD(&names, type, x, x, x, x, x, x, x);
			RECORD(&names, type, 0, x, 0, x, 0, x);
			RECORD(&names, type, 1, 1, x, 1, 1, x);
			add_block(&file, BLOCK_NAMES, 0, &names);
			add_block(&file, BLOCK_SAMPLES, 0, &b);
			assert_int_equal(read_back(&file, &seen), 1);
			assert_int_equal(seen.samples, 1);
		}
	bytes__free(&file);
	bytes__free(&names);
	bytes__free(&b);
}

/* Values that would lead out of a table. */
static void test_hostile_samples(void **state)
{
	struct bytes file = {0}, b = {0};
	struct seen seen;

	add_head(&file);
	RECORD(&b, RECORD_ROUTE, UINT64_MAX, UINT64_MAX);
	for (u32 type = 0; type < 40; type++)
		for (u32 shift = 0; shift < 64; shift += 7) {
			const u64 x = UINT64_MAX >> shift;

			RECORD(&b, RECORD_SAMPLES + type, x, x, x, x, x, x, x, x, x, x, x, x, x);
			RECORD(&b, RECORD_SAMPLES + type, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, x, x,
			       x);
			RECORD(&b, RECORD_SAMPLES + type, 0, 0, 0, 0, 0, 0, x, 0, 0, 0, x, 0, x, x,
			       x);
		}
	add_mark(&b, UINT64_MAX / 4);
	add_block(&file, BLOCK_SAMPLES, 0, &b);
	assert_int_equal(read_back(&file, &seen), 1);
	bytes__free(&file);
	bytes__free(&b);
}

/* An interval over several blocks; with one of them missing it is left out, the next is not. */
static void test_spanning(void **state)
{
	struct bytes file = {0}, b = {0};
	struct seen seen;
	size_t second, third;

	add_head(&file);
	add_interval(&b, MAKER_T0);
	RECORD(&b, RECORD_ROUTE, 1, MAKER_T0);
	RECORD(&b, RECORD_SAMPLES, 1, 1, 0, 0, 0, 1, 7, 7, 0);
	add_block(&file, BLOCK_SAMPLES, 0, &b);
	second = file.n;
	b.n = 0;
	RECORD(&b, RECORD_SAMPLES, 2, 2, 0, 0, 0, 1, 7, 7, 0);
	add_block(&file, BLOCK_SAMPLES, BLOCK_CONTINUES, &b);
	third = file.n;
	b.n = 0;
	RECORD(&b, RECORD_SAMPLES, 3, 3, 0, 0, 0, 1, 7, 7, 0);
	add_mark(&b, MAKER_T0 + 1);
	add_interval(&b, MAKER_T0 + 2);
	add_block(&file, BLOCK_SAMPLES, BLOCK_CONTINUES, &b);
	assert_int_equal(read_back(&file, &seen), 3);
	assert_int_equal(seen.samples, 5);
	file.v[second + BLOCK_HEADER] ^= 1; /* its payload */
	assert_int_equal(read_back(&file, &seen), 2);
	assert_int_equal(seen.samples, 2);
	memmove(file.v + second, file.v + third, file.n - third);
	file.n -= third - second;
	/* Nothing tells that one is missing in between: at least nothing breaks. */
	assert_int_equal(read_back(&file, &seen), 3);
	bytes__free(&file);
	bytes__free(&b);
}

/* --- disks that are full --- */

static void test_full_disk(void **state)
{
	struct rlimit was, small = {.rlim_cur = 6000};
	struct recording_state told = {0};
	struct status st = {0};
	struct reader *r;
	struct seen seen;
	struct builder m;
	u32 n;

	signal(SIGXFSZ, SIG_IGN);
	unlink(path_of("full.ptr"));
	builder__begin(&m, path_of("full.ptr"));
	getrlimit(RLIMIT_FSIZE, &was);
	small.rlim_max = was.rlim_max;
	setrlimit(RLIMIT_FSIZE, &small);
	for (u32 i = 0; i < 20000 && !told.error[0]; i++) {
		builder__interval(&m);
		m.sink->ops->state(m.sink, &told);
	}
	assert_int_equal(told.kind, RECORDING_RECORD);
	assert_true(told.stopped);
	assert_non_null(strstr(told.error, "cannot write"));
	builder__finish(&m);
	setrlimit(RLIMIT_FSIZE, &was);
	r = reader__open(path_of("full.ptr"), symbols, &st);
	assert_non_null(r);
	assert_string_equal(reader__trouble(r), "");
	n = read_all(r, &seen);
	assert_true(n >= 3 && n < 20000);
	assert_int_equal(seen.samples, n * (MAKER_SAMPLES + 1));
	reader__free(r);
}

/* --- many names --- */

/* With tables that hold few names, parts follow each other, and stacks that sources have not
 * defined again since are still known. */
static void test_parts(void **state)
{
	struct recorder_config cfg = {
		.path = path_of("parts.ptr"), .notes = builder_notes, .names_max = 40};
	struct status st = {0};
	struct reader *r;
	struct seen seen;
	struct builder m = {.symbols = symbols__new(&st), .t_ns = MAKER_T0};

	cfg.symbols = m.symbols;
	unlink(cfg.path);
	m.sink = recorder__new(&cfg, &st);
	assert_non_null(m.sink);
	builder__stack(&m, 1);
	for (u32 i = 0; i < 50; i++) {
		struct stack_sample s = {.head.type = SAMPLE_STACK, .stack = 101, .count = 1};

		builder__sample(&m, 100 + i);
		builder__put(&m, 1u << MODEL_PROFILE, &s.head);
		builder__end_interval(&m);
	}
	builder__finish(&m);
	r = reader__open(cfg.path, symbols, &st);
	assert_non_null(r);
	assert_int_equal(read_all(r, &seen), 50);
	assert_int_equal(seen.samples, 100);
	assert_int_equal(seen.stacks, 100);
	assert_string_equal(seen.last, "leaf1 work main ");
	assert_true(reader__part(r) > 3);
	reader__free(r);
}

/* Filters look at the task that a sample is about, not at others that it names. */
static void test_subjects(void **state)
{
	union any_sample delay = {
		.delay = {.head.type = SAMPLE_DELAY,
			  .task = {.tgid = 7, .tid = 8, .cgroup = 9, .comm = "late"},
			  .cpu = 3,
			  .delay_ns = 5,
			  .holder = {.tgid = 1, .tid = 2, .cgroup = 4, .kthread = true, .comm = "holder"}}};
	union any_sample nobody = {.cache = {.head.type = SAMPLE_CACHE, .n = {1}}};
	struct subject who;

	sample_codec__of(SAMPLE_DELAY)->subject(&delay, &who);
	assert_true(who.known && who.has_tid && who.has_cpu && who.has_comm && who.has_kind);
	assert_int_equal(who.tgid, 7);
	assert_int_equal(who.tid, 8);
	assert_int_equal(who.cgroup, 9);
	assert_int_equal(who.cpu, 3);
	assert_false(who.kthread);
	assert_string_equal(who.comm, "late");
	assert_int_equal(who.longest_ns, 0);
	sample_codec__of(SAMPLE_CACHE)->subject(&nobody, &who);
	assert_false(who.known);
	assert_null(sample_codec__of(SAMPLE_CPU)->subject);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_subjects),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_hidden_addresses),
		cmocka_unit_test(test_unresolved),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_bits_flipped),
		cmocka_unit_test(test_later_version),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_hostile_samples),
		cmocka_unit_test(test_spanning),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
