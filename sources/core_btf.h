/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of the kernel's types that an object's programs are relocated by. libbpf looks through all
 * 130,000 of them for each type of an object, after it has read them from a file of 1,300 pages: that was
 * most of the start. So it is given a file in memory that has only those of the names that the object
 * has, and what is embedded in them.
 */
#ifndef SOURCES_CORE_BTF_H
#define SOURCES_CORE_BTF_H

#include "base/base.h"

struct bpf_object_open_opts;

/* How an object is opened; `elf` is one of the program's own, and its part of the types is kept for good. The
 * types of modules are not looked at. NULL: as libbpf does. Collector thread. */
const struct bpf_object_open_opts *core_btf__opts(const void *elf, size_t size);

/* Of a skeleton. */
#define CORE_BTF_OPTS(skeleton)                                                                    \
	({                                                                                         \
		size_t size_;                                                                      \
		const void *elf_ = skeleton##__elf_bytes(&size_);                                  \
		core_btf__opts(elf_, size_);                                                       \
	})

struct btf;
/* For the above, and for tests: of the kernel's types those that `object` names. Freed by the caller; NULL: it
 * cannot be done. */
struct btf *core_btf__part(const struct btf *kernel, const struct btf *object);

#endif
