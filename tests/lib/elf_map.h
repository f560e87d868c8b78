/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * For tests of symbols: ELF files mapped into this process the way a loader would, with the event
 * that tells of it; and symbols of its own for each test.
 */
#ifndef TESTS_LIB_ELF_MAP_H
#define TESTS_LIB_ELF_MAP_H

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "symbols/symbols.h"
#include "tests/lib/scratch.h"

/* One for each test that has fresh_symbols() and symbols_done() as its setup and teardown. */
static struct symbols *symbols __attribute__((unused));

static inline int fresh_symbols(void **state)
{
	struct status st;

	symbols = symbols__new(&st);
	return symbols ? 0 : -1;
}

static inline int symbols_done(void **state)
{
	symbols__free(symbols);
	return 0;
}

struct elf_map {
	u32 n;
	struct {
		u64 vaddr, size; /* whole pages */
		u8 *at;
	} segs[8];
};

/* Maps the executable segments of a file (a name in the folder, or an absolute path). */
static inline struct elf_map elf_map__open(struct symbols *s, const char *name)
{
	char *path = name[0] == '/' ? xstrdup(name) : xasprintf("%s/%s", scratch_dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct elf_map m = {0};
	struct stat st;
	Elf64_Ehdr eh;
	Elf64_Phdr ph;

	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(pread(fd, &eh, sizeof(eh), 0), sizeof(eh));
	/* This process is known before: events older than that are not taken. */
	symbols__locate_user(s, (u32)getpid(), clock__monotonic_ns(), 0);
	for (u32 i = 0; i < eh.e_phnum && m.n < 8; i++) {
		u64 skip;

		assert_int_equal(pread(fd, &ph, sizeof(ph), (off_t)(eh.e_phoff + i * sizeof(ph))),
				 sizeof(ph));
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		skip = ph.p_vaddr & 4095;
		m.segs[m.n].vaddr = ph.p_vaddr - skip;
		m.segs[m.n].size = (ph.p_filesz + skip + 4095) & ~4095ull;
		m.segs[m.n].at = mmap(NULL, m.segs[m.n].size, PROT_READ | PROT_EXEC, MAP_PRIVATE,
				      fd, (off_t)(ph.p_offset - skip));
		assert_true(m.segs[m.n].at != MAP_FAILED);
		symbols__proc_event(s, &(struct proc_event){
					       .type = PROC_MMAP,
					       .t_ns = clock__monotonic_ns(),
					       .tgid = (u32)getpid(),
					       .tid = (u32)getpid(),
					       .start = (u64)m.segs[m.n].at,
					       .end = (u64)m.segs[m.n].at + m.segs[m.n].size,
					       .file_offset = ph.p_offset - skip,
					       .dev_major = major(st.st_dev),
					       .dev_minor = minor(st.st_dev),
					       .inode = st.st_ino,
					       .path = path,
				       });
		m.n++;
	}
	close(fd);
	free(path);
	return m;
}

static inline void elf_map__close(struct elf_map *m)
{
	for (u32 i = 0; i < m->n; i++)
		munmap(m->segs[i].at, m->segs[i].size);
}

/* The loc of an address as in the ELF file; not resolved yet. */
static inline u32 elf_map__loc(struct symbols *s, const struct elf_map *m, u64 vaddr)
{
	for (u32 i = 0; i < m->n; i++)
		if (vaddr >= m->segs[i].vaddr && vaddr - m->segs[i].vaddr < m->segs[i].size)
			return symbols__locate_user(s, (u32)getpid(), clock__monotonic_ns(),
						    (u64)m->segs[i].at + vaddr -
							    m->segs[i].vaddr);
	return SYM_UNKNOWN;
}

static inline void settle(struct symbols *s)
{
	symbols__kick(s);
	assert_true(symbols__wait(s, 20000));
}

static inline const struct sym_func *func_of(struct symbols *s, u32 loc)
{
	return symbols__func(s, symbols__func_of(s, loc));
}

static inline const struct sym_object_info *info_of(struct symbols *s, u32 loc)
{
	const struct sym_object_info *info =
		symbols__object_info(s, symbols__object_of(s, loc));

	assert_non_null(info);
	return info;
}

#endif
