/* SPDX-License-Identifier: GPL-2.0-only */
/* Declarations of maps, a line each: name, how many entries, what they hold. Keys of arrays are numbers. */
#ifndef BPF_MAPS_BPF_H
#define BPF_MAPS_BPF_H

#include "bpf/kernel.bpf.h"

#define MAP_OF(kind, entries, key_type, value_type)                                                \
	__uint(type, BPF_MAP_TYPE_##kind);                                                         \
	__uint(max_entries, entries);                                                              \
	__type(key, key_type);                                                                     \
	__type(value, value_type)
#define STORAGE_OF(kind, flags, value_type)                                                        \
	__uint(type, BPF_MAP_TYPE_##kind);                                                         \
	__uint(map_flags, BPF_F_NO_PREALLOC | (flags));                                            \
	__type(key, int);                                                                          \
	__type(value, value_type)

#define ARRAY_MAP(name, entries, value_type)                                                       \
	struct {                                                                                   \
		MAP_OF(ARRAY, entries, u32, value_type);                                           \
	} name SEC(".maps")
/* User space maps it. */
#define SHARED_ARRAY_MAP(name, entries, value_type)                                                \
	struct {                                                                                   \
		MAP_OF(ARRAY, entries, u32, value_type);                                           \
		__uint(map_flags, BPF_F_MMAPABLE);                                                 \
	} name SEC(".maps")
#define PERCPU_MAP(name, entries, value_type)                                                      \
	struct {                                                                                   \
		MAP_OF(PERCPU_ARRAY, entries, u32, value_type);                                    \
	} name SEC(".maps")
#define HASH_MAP(name, entries, key_type, value_type)                                              \
	struct {                                                                                   \
		MAP_OF(HASH, entries, key_type, value_type);                                       \
	} name SEC(".maps")
/* Its memory is taken as it fills. */
#define SPARSE_HASH_MAP(name, entries, key_type, value_type)                                       \
	struct {                                                                                   \
		MAP_OF(HASH, entries, key_type, value_type);                                       \
		__uint(map_flags, BPF_F_NO_PREALLOC);                                              \
	} name SEC(".maps")
#define LRU_MAP(name, entries, key_type, value_type)                                               \
	struct {                                                                                   \
		MAP_OF(LRU_HASH, entries, key_type, value_type);                                   \
	} name SEC(".maps")
/* Of each thread; of each socket, with flags of its own. */
#define TASK_MAP(name, value_type)                                                                 \
	struct {                                                                                   \
		STORAGE_OF(TASK_STORAGE, 0, value_type);                                           \
	} name SEC(".maps")
#define SOCKET_MAP(name, flags, value_type)                                                        \
	struct {                                                                                   \
		STORAGE_OF(SK_STORAGE, flags, value_type);                                         \
	} name SEC(".maps")

/* The entry of a map that has one. */
static __always_inline void *map__only(void *map)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(map, &zero);
}

#endif
