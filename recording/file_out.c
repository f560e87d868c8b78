// SPDX-License-Identifier: GPL-2.0-only
#include "recording/file_out.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/worker.h"
#include "export/export.h"

/* What begins and ends together, in memory. */
struct part {
	u32 number;
	u64 begin, end; /* in the file */
	u64 first_ns, last_ns;
};

#define PARTS	 64
#define HOLE_MAX (1ULL << 31)

struct file_out {
	/* The owner's: */
	struct worker *worker; /* NULL: memory is fast enough for the owner to write it */
	char *path;
	size_t waiting; /* bytes */
	/* The worker's: */
	int fd;
	struct packer *packer;
	struct bytes packed;
	u64 end; /* of the last whole block */
	/* The worker's too, of a file in memory. */
	struct record_ring ring; /* bytes 0: it is a real file */
	struct part parts[PARTS];
	u32 nparts;
	u64 hole; /* where the last hole begins: behind the head */
	/* Both; the error is set before failed is. */
	_Atomic u64 written, begin_ns, part_bytes;
	atomic_bool failed;
	char error[200];
	bool streams;
	atomic_bool ending;
};

struct write_job {
	struct job job;
	struct file_out *file;
	struct block block;
	struct bytes payload;
};

/* --- the worker --- */

/* What follows the last whole block would only be in the way of what else is on a full disk. */
static void fail(struct file_out *f, int err)
{
	if (!f->streams && ftruncate(f->fd, (off_t)f->end))
		f->end = 0; /* a reader stops there of itself */
	snprintf(f->error, sizeof(f->error), "cannot write %.120s: %s", f->path, strerror(-err));
	atomic_store(&f->failed, true);
}

#define SLICE_MS 100

/* Waits for a reader of a stream, but for none when it ends. */
static int wait_for_room(const struct file_out *f)
{
	struct pollfd p = {.fd = f->fd, .events = POLLOUT};

	while (!poll(&p, 1, SLICE_MS))
		if (atomic_load(&f->ending))
			return -EPIPE;
	return 0;
}

static int write_all(const struct file_out *f, const u8 *data, size_t n)
{
	while (n) {
		ssize_t done = write(f->fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EAGAIN && f->streams && !wait_for_room(f))
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		data += done;
		n -= (size_t)done;
	}
	return 0;
}

/* --- dropping, in memory --- */

/* What was dropped becomes one block that readers skip, and its memory is given back. */
static int make_hole(struct file_out *f, u64 end)
{
	u64 payload = f->hole + BLOCK_HEADER;
	struct block b = {.kind = BLOCK_HOLE, .stored = (u32)(end - payload)};
	u8 header[BLOCK_HEADER];

	block__write_header(&b, header);
	if (pwrite(f->fd, header, sizeof(header), (off_t)f->hole) != (ssize_t)sizeof(header) ||
	    fallocate(f->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)payload,
		      (off_t)b.stored))
		return -errno;
	return 0;
}

static int drop_to(struct file_out *f, u64 to)
{
	int err = 0;

	/* The length of a block has 32 bits. */
	while (!err && to - f->hole > HOLE_MAX + BLOCK_HEADER) {
		err = make_hole(f, f->hole + HOLE_MAX);
		f->hole += HOLE_MAX;
	}
	return err ? err : make_hole(f, to);
}

static bool too_much(const struct file_out *f)
{
	const struct part *oldest = &f->parts[0], *newest = &f->parts[f->nparts - 1];

	return f->nparts == PARTS ||
	       (f->nparts > 1 && (newest->end - oldest->begin > f->ring.bytes ||
				  oldest->last_ns + f->ring.span_ns < newest->last_ns));
}

static int drop_old(struct file_out *f)
{
	int err = 0;

	while (!err && too_much(f)) {
		err = drop_to(f, f->parts[1].begin);
		memmove(f->parts, f->parts + 1, --f->nparts * sizeof(*f->parts));
	}
	atomic_store(&f->begin_ns, f->parts[0].first_ns);
	return err;
}

/* The head belongs to no part and stays. */
static int note_block(struct file_out *f, const struct block *b, u64 begin)
{
	struct part *p = f->nparts ? &f->parts[f->nparts - 1] : NULL;

	if (!f->ring.bytes)
		return 0;
	if (b->kind == BLOCK_HEAD) {
		f->hole = f->end;
		return 0;
	}
	if (!p || p->number != b->part) {
		p = &f->parts[f->nparts++];
		*p = (struct part){.number = b->part, .begin = begin};
	}
	p->end = f->end;
	atomic_store(&f->part_bytes, p->end - p->begin);
	if (b->t1_ns) {
		p->first_ns = p->first_ns ? p->first_ns : b->t1_ns;
		p->last_ns = b->t1_ns;
	}
	return drop_old(f);
}

static u64 bytes_kept(const struct file_out *f)
{
	return f->nparts ? f->end - f->parts[0].begin : f->end;
}

static void write_job__run(struct job *job)
{
	struct write_job *j = (struct write_job *)job;
	struct file_out *f = j->file;
	int err;

	if (atomic_load(&f->failed))
		return;
	f->packed.n = 0;
	err = packer__add(f->packer, &j->block, &j->payload, &f->packed);
	if (!err)
		err = write_all(f, f->packed.v, f->packed.n);
	if (!err) {
		f->end += f->packed.n;
		err = note_block(f, &j->block, f->end - f->packed.n);
	}
	if (err) {
		fail(f, err);
		return;
	}
	atomic_store(&f->written, bytes_kept(f));
}

/* --- the owner --- */

static void reap(struct file_out *f)
{
	if (f->worker)
		worker__reap(f->worker);
}

static void write_job__done(struct job *job)
{
	struct write_job *j = (struct write_job *)job;

	j->file->waiting -= j->payload.n;
	bytes__free(&j->payload);
	free(j);
}

static struct file_out *begin(int fd, const char *name)
{
	struct file_out *f = xcalloc(1, sizeof(*f));

	f->fd = fd;
	f->path = xstrdup(name);
	f->packer = packer__new();
	if (write_all(f, (const u8 *)RECORDING_MAGIC, RECORDING_MAGIC_LEN))
		fail(f, -errno);
	f->end = RECORDING_MAGIC_LEN;
	return f;
}

struct file_out *file_out__new_memory(const struct record_ring *ring, struct status *st)
{
	int fd = memfd_create("proftop-history", MFD_CLOEXEC);
	struct file_out *f;

	if (fd < 0) {
		status__set(st, EXIT_CODE_FAILURE, -errno, "cannot keep a history: %s; --history 0 goes without",
			    strerror(errno));
		return NULL;
	}
	f = begin(fd, "the history");
	f->ring = *ring;
	return f;
}

int file_out__reader(const struct file_out *f, struct status *st)
{
	int fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		status__set(st, EXIT_CODE_FAILURE, -errno, "cannot look at the history: %s",
			    strerror(errno));
	return fd;
}

struct file_out *file_out__new_stream(int fd)
{
	struct file_out *f = begin(fd, "the stream");

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	f->streams = true;
	f->worker = worker__new("proftop-stream");
	return f;
}

struct file_out *file_out__new(const char *path, struct status *st)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct file_out *f;

	if (fd < 0) {
		export__explain(st, path, -errno);
		return NULL;
	}
	f = begin(fd, path);
	f->worker = worker__new("proftop-record");
	return f;
}

bool file_out__room(struct file_out *f, size_t bytes)
{
	reap(f);
	return f->waiting + bytes <= FILE_OUT_QUEUE;
}

void file_out__put(struct file_out *f, const struct block *b, struct bytes *payload)
{
	struct write_job *j;

	reap(f);
	if (atomic_load(&f->failed)) {
		payload->n = 0;
		return;
	}
	j = xcalloc(1, sizeof(*j));
	*j = (struct write_job){
		.job = {.run = write_job__run, .done = write_job__done, .drop = write_job__done},
		.file = f,
		.block = *b,
		.payload = *payload,
	};
	*payload = (struct bytes){0};
	f->waiting += j->payload.n;
	if (f->worker) {
		worker__post(f->worker, &j->job);
	} else {
		write_job__run(&j->job);
		write_job__done(&j->job);
	}
}

u64 file_out__written(struct file_out *f)
{
	return atomic_load(&f->written);
}

u64 file_out__begin_ns(struct file_out *f)
{
	return atomic_load(&f->begin_ns);
}

u64 file_out__part_bytes(struct file_out *f)
{
	return atomic_load(&f->part_bytes);
}

const char *file_out__error(struct file_out *f)
{
	return atomic_load(&f->failed) ? f->error : NULL;
}

static void finish(struct worker *w)
{
	struct pollfd p = {.fd = worker__fd(w), .events = POLLIN};

	while (!worker__idle(w) && (poll(&p, 1, -1) >= 0 || errno == EINTR))
		worker__reap(w);
	worker__free(w);
}

void file_out__free(struct file_out *f, struct status *st)
{
	atomic_store(&f->ending, true);
	if (f->worker)
		finish(f->worker);
	if (!f->streams && close(f->fd) && !atomic_load(&f->failed))
		fail(f, -errno);
	if (atomic_load(&f->failed))
		status__set(st, EXIT_CODE_FAILURE, -EIO, "%s", f->error);
	packer__free(f->packer);
	bytes__free(&f->packed);
	free(f->path);
	free(f);
}
