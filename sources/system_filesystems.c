// SPDX-License-Identifier: GPL-2.0-only
/*
 * How full filesystems are, and which the kernel has made read-only. Only those on disks of this machine and in
 * memory are asked: the answer of a server that is gone is waited for without end.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "sources/system_impl.h"

#define LOOK_AGAIN_NS (2 * NSEC_PER_SEC)

struct filesystems {
	struct filesystem v[FILESYSTEMS];
	u32 n;
	u64 looked_ns;
};

struct filesystems *filesystems__new(void)
{
	return xcalloc(1, sizeof(struct filesystems));
}

void filesystems__free(struct filesystems *s)
{
	free(s);
}

static void look_at(struct filesystem *f)
{
	struct statvfs st;

	f->known = !statvfs(f->path, &st) && st.f_blocks;
	if (!f->known)
		return;
	f->used = (u64)(st.f_blocks - st.f_bfree) * st.f_frsize;
	f->available = (u64)st.f_bavail * st.f_frsize;
	f->inodes_used = st.f_files - st.f_ffree;
	f->inodes_free = st.f_favail;
}

void filesystems__read(struct filesystems *s, const char *mountinfo, u64 now_ns, const struct figure_out *out)
{
	if (!s->looked_ns || now_ns - s->looked_ns >= LOOK_AGAIN_NS) {
		s->n = system__parse_mountinfo(mountinfo, s->v, FILESYSTEMS);
		for (u32 i = 0; i < s->n; i++)
			look_at(&s->v[i]);
		s->looked_ns = now_ns;
	}
	for (u32 i = 0; i < s->n; i++) {
		const struct filesystem *f = &s->v[i];

		if (!f->known)
			continue;
		out->emit(out->ctx, FIGURE_FS_USED, f->path, f->used);
		out->emit(out->ctx, FIGURE_FS_AVAILABLE, f->path, f->available);
		out->emit(out->ctx, FIGURE_FS_INODES_USED, f->path, f->inodes_used);
		out->emit(out->ctx, FIGURE_FS_INODES_FREE, f->path, f->inodes_free);
		out->emit(out->ctx, FIGURE_FS_READ_ONLY, f->path, f->read_only);
	}
}
