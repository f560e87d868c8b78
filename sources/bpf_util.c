// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_util.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/caps.h"
#include "base/log.h"
#include "base/machine.h"
#include "sources/events.h"

#define BATCH 512

static int print_to_log(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	char text[240];

	if (level == LIBBPF_DEBUG)
		return 0;
	vsnprintf(text, sizeof(text), fmt, ap);
	log__add(LOG_INFO, "%s", text);
	return 0;
}

static bool may_load(void)
{
	u64 caps = caps__effective(), both = (1ULL << CAP_BPF) | (1ULL << CAP_PERFMON);

	return (caps & (1ULL << CAP_SYS_ADMIN)) || (caps & both) == both;
}

static int missing_caps(int err, struct status *st)
{
	u64 caps = caps__effective();
	bool bpf = caps & (1ULL << CAP_BPF), perfmon = caps & (1ULL << CAP_PERFMON);

	return status__set(st, EXIT_CODE_PERMISSION, err,
			   "BPF needs %s%s%s: run with sudo (or as root)", bpf ? "" : "CAP_BPF",
			   bpf == perfmon ? " and " : "", perfmon ? "" : "CAP_PERFMON");
}

int bpf_util__edit(struct bpf_program *prog,
		   int (*edit)(const void *ctx, struct bpf_insn *insns, u32 n), const void *ctx)
{
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = xmalloc(n * sizeof(*insns));
	int err;

	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	err = edit(ctx, insns, (u32)n);
	if (!err)
		err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

int bpf_util__prepare(struct status *st)
{
	libbpf_set_print(print_to_log);
	if (!may_load())
		return missing_caps(-EPERM, st);
	if (access(KERNEL_BTF, R_OK))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "this kernel has no BTF (" KERNEL_BTF "): BPF programs "
				   "need CONFIG_DEBUG_INFO_BTF=y");
	if (machine__has_own_pids())
		return status__set(st, EXIT_CODE_UNSUPPORTED, -EOPNOTSUPP,
				   "BPF programs see the host's process ids, not those of this "
				   "container: run proftop on the host, or with --pid=host "
				   "(hostPID: true)");
	return 0;
}

/* libbpf's own lines are too long to be anybody's first answer. */
#define DETAILS " (on the screen, without --batch, the view log has what libbpf says)"

#define KERNEL_ENOTSUPP 524 /* of a trampoline, where a machine has none; the C library has no name for it */

int bpf_util__failed(int err, const char *what, struct status *st)
{
	/* What the verifier says to a program it cannot prove safe; lockdown says EPERM. */
	if (err == -EACCES && may_load())
		return status__set(st, EXIT_CODE_UNSUPPORTED, err,
				   "%s: this kernel's BPF verifier does not take them" DETAILS,
				   what);
	if (err == -EPERM || err == -EACCES)
		return status__set(st, EXIT_CODE_PERMISSION, err,
				   "%s: the kernel refuses (kernel lockdown or a container "
				   "without CAP_BPF and CAP_PERFMON): run with sudo on the host",
				   what);
	if (err == -ENOMEM)
		return status__set(st, EXIT_CODE_FAILURE, err,
				   "%s: no memory for BPF maps (on kernels before 5.11 raise "
				   "`ulimit -l`)",
				   what);
	if (err == -KERNEL_ENOTSUPP)
		return status__set(st, EXIT_CODE_UNSUPPORTED, err,
				   "%s: this kernel attaches no programs to functions of its own (Arm: from Linux 6.4 on)",
				   what);
	if (err == -ENOENT && !event__tracefs())
		return status__set(st, EXIT_CODE_UNSUPPORTED, err, "%s: a tracepoint needs tracefs: " MOUNT_TRACEFS, what);
	return status__set(st, EXIT_CODE_UNSUPPORTED, err, "%s: %s" DETAILS, what, strerror(-err));
}

int bpf_util__attach(struct bpf_program *prog, struct bpf_link **link, struct status *st)
{
	if (!bpf_program__autoload(prog))
		return 0;
	*link = bpf_program__attach(prog);
	return *link ? 0 : bpf_util__failed(-errno, bpf_program__name(prog), st);
}

struct drain {
	int fd;
	u32 key_size, value_size;
	void (*each)(void *ctx, const void *key, const void *value);
	void *ctx;
	char *keys, *values;
	long n;
};

static void hand_out(struct drain *d, u32 count)
{
	for (u32 i = 0; d->each && i < count; i++)
		d->each(d->ctx, d->keys + (size_t)i * d->key_size,
			d->values + (size_t)i * d->value_size);
	d->n += count;
}

/* 0 when the map is empty, -errno when the kernel cannot do it this way. */
static int drain_batches(struct drain *d)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	u64 token = 0; /* u32 for hash maps; wide enough for any */
	bool first = true;
	int err = 0;

	while (!err) {
		u32 count = BATCH;

		err = bpf_map_lookup_and_delete_batch(d->fd, first ? NULL : &token, &token, d->keys,
						      d->values, &count, &opts);
		if (!err || err == -ENOENT)
			hand_out(d, count);
		first = false;
	}
	return err == -ENOENT ? 0 : err;
}

static int drain_one_by_one(struct drain *d)
{
	while (!bpf_map_get_next_key(d->fd, NULL, d->keys)) {
		int err = bpf_map_lookup_elem(d->fd, d->keys, d->values);

		if (!err)
			hand_out(d, 1);
		err = bpf_map_delete_elem(d->fd, d->keys);
		if (err && err != -ENOENT)
			return err;
	}
	return 0;
}

long bpf_util__drain(int map_fd, u32 key_size, u32 value_size,
		     void (*each)(void *ctx, const void *key, const void *value), void *ctx)
{
	struct drain d = {map_fd, key_size, value_size, each, ctx, NULL, NULL, 0};
	int err;

	d.keys = xmalloc((size_t)key_size * BATCH);
	d.values = xmalloc((size_t)value_size * BATCH);
	err = drain_batches(&d);
	if (err)
		err = drain_one_by_one(&d);
	free(d.keys);
	free(d.values);
	return err ? err : d.n;
}

void bpf_util__sum_percpu(int map_fd, size_t size, u64 *out)
{
	u32 ncpus = (u32)MAX(libbpf_num_possible_cpus(), 1), n = (u32)(size / sizeof(u64));
	u64 *values = xcalloc(ncpus, size);
	u32 zero = 0;

	memset(out, 0, size);
	if (!bpf_map_lookup_elem(map_fd, &zero, values))
		for (u32 i = 0; i < ncpus * n; i++)
			out[i % n] += values[i];
	free(values);
}

double bpf_util__trim(struct bpf_map *map, u32 *used, u32 size)
{
	double fill = 100.0 * MIN(*used, size) / size;

	if (fill < 75)
		return fill;
	bpf_util__drain(bpf_map__fd(map), bpf_map__key_size(map), bpf_map__value_size(map), NULL,
			NULL);
	*used = 0;
	return fill;
}

bool bpf_util__zero_array(struct bpf_map *map)
{
	size_t size = (size_t)bpf_map__max_entries(map) * bpf_map__value_size(map);
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	if (p == MAP_FAILED)
		return false;
	memset(p, 0, size);
	munmap(p, size);
	return true;
}

/* Programs run inside RCU read sections, and this waits for a grace period. Where it is not
 * to be had (nohz_full), a program's run time is far below the sleep. */
void bpf_util__barrier(void)
{
	struct timespec pause = {.tv_nsec = 20 * 1000 * 1000};

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
		nanosleep(&pause, NULL);
}
