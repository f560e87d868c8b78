// SPDX-License-Identifier: GPL-2.0-only
#include "recording/file_out.h"

#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "core/worker.h"

struct file_out {
	/* The owner's: */
	struct worker *worker;
	char *path;
	size_t waiting; /* bytes */
	/* The worker's: */
	int fd;
	struct packer *packer;
	struct bytes packed;
	u64 end; /* of the last whole block */
	/* Both; the error is set before failed is. */
	_Atomic u64 written;
	atomic_bool failed;
	char error[200];
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
	if (ftruncate(f->fd, (off_t)f->end))
		f->end = 0; /* a reader stops there of itself */
	snprintf(f->error, sizeof(f->error), "cannot write %.120s: %s", f->path, strerror(-err));
	atomic_store(&f->failed, true);
}

static int write_all(int fd, const u8 *data, size_t n)
{
	while (n) {
		ssize_t done = write(fd, data, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done ? -errno : -ENOSPC;
		data += done;
		n -= (size_t)done;
	}
	return 0;
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
		err = write_all(f->fd, f->packed.v, f->packed.n);
	if (err) {
		fail(f, err);
		return;
	}
	f->end += f->packed.n;
	atomic_store(&f->written, f->end);
}

/* --- the owner --- */

static void write_job__done(struct job *job)
{
	struct write_job *j = (struct write_job *)job;

	j->file->waiting -= j->payload.n;
	bytes__free(&j->payload);
	free(j);
}

struct file_out *file_out__new(const char *path, struct status *st)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct file_out *f;

	if (fd < 0) {
		status__set(st, EXIT_CODE_FAILURE, -errno,
			    errno == EEXIST ? "cannot record to %.200s: it is there already; name "
					      "another file, or remove it"
					    : "cannot record to %.200s: %s",
			    path, strerror(errno));
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->fd = fd;
	f->path = xstrdup(path);
	f->packer = packer__new();
	f->worker = worker__new("proftop-record");
	if (write_all(fd, (const u8 *)RECORDING_MAGIC, RECORDING_MAGIC_LEN))
		fail(f, -errno);
	f->end = RECORDING_MAGIC_LEN;
	return f;
}

bool file_out__room(struct file_out *f, size_t bytes)
{
	worker__reap(f->worker);
	return f->waiting + bytes <= FILE_OUT_QUEUE;
}

void file_out__put(struct file_out *f, const struct block *b, struct bytes *payload)
{
	struct write_job *j;

	worker__reap(f->worker);
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
	worker__post(f->worker, &j->job);
}

u64 file_out__written(struct file_out *f)
{
	return atomic_load(&f->written);
}

const char *file_out__error(struct file_out *f)
{
	return atomic_load(&f->failed) ? f->error : NULL;
}

void file_out__free(struct file_out *f, struct status *st)
{
	struct pollfd p = {.fd = worker__fd(f->worker), .events = POLLIN};

	while (!worker__idle(f->worker) && (poll(&p, 1, -1) >= 0 || errno == EINTR))
		worker__reap(f->worker);
	worker__free(f->worker);
	if (close(f->fd) && !atomic_load(&f->failed))
		fail(f, -errno);
	if (atomic_load(&f->failed))
		status__set(st, EXIT_CODE_FAILURE, -EIO, "%s", f->error);
	packer__free(f->packer);
	bytes__free(&f->packed);
	free(f->path);
	free(f);
}
