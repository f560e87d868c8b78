// SPDX-License-Identifier: GPL-2.0-only
#include "sources/bpf_visit.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/memory.h"
#include "sources/bpf_util.h"

#define READ_SIZE (256 * 1024)
#define KEEP	  (1024 * 1024)

int bpf_visit__attach(struct bpf_visit *v, struct bpf_program *prog, struct status *st)
{
	return bpf_util__attach(prog, &v->link, st);
}

int bpf_visit__attach_map(struct bpf_visit *v, struct bpf_program *prog, int map_fd, struct status *st)
{
	union bpf_iter_link_info info = {.map.map_fd = (u32)map_fd};
	LIBBPF_OPTS(bpf_iter_attach_opts, opts, .link_info = &info, .link_info_len = sizeof(info));

	v->link = bpf_program__attach_iter(prog, &opts);
	return v->link ? 0 : bpf_util__failed(-errno, bpf_program__name(prog), st);
}

int bpf_visit__run(struct bpf_visit *v)
{
	int fd = bpf_iter_create(bpf_link__fd(v->link));
	ssize_t n = 1;

	if (fd < 0)
		return -errno;
	v->len = 0;
	while (n > 0) {
		if (v->cap - v->len < READ_SIZE) {
			v->cap = v->cap * 2 + READ_SIZE;
			v->data = xrealloc(v->data, v->cap);
		}
		n = read(fd, v->data + v->len, READ_SIZE);
		if (n > 0)
			v->len += (size_t)n;
		else if (n < 0 && (errno == EINTR || errno == EAGAIN))
			n = 1;
	}
	close(fd);
	return n < 0 ? -errno : 0;
}

void bpf_visit__done(struct bpf_visit *v)
{
	v->len = 0;
	if (v->cap <= KEEP && !memory__is_little())
		return;
	free(v->data);
	v->data = NULL;
	v->cap = 0;
}

int bpf_visit__once(struct bpf_program *prog, int map_fd, struct status *st)
{
	struct bpf_visit v = {0};
	int err = map_fd < 0 ? bpf_visit__attach(&v, prog, st) : bpf_visit__attach_map(&v, prog, map_fd, st);

	if (!err)
		err = bpf_visit__run(&v);
	if (err && !st->code)
		bpf_util__failed(err, bpf_program__name(prog), st);
	bpf_visit__fini(&v);
	return err;
}

void bpf_visit__fini(struct bpf_visit *v)
{
	bpf_link__destroy(v->link);
	free(v->data);
	*v = (struct bpf_visit){0};
}
