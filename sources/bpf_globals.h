/* SPDX-License-Identifier: GPL-2.0-only */
/* Global variables of a BPF object by their names, for those who have no skeleton of it. */
#ifndef SOURCES_BPF_GLOBALS_H
#define SOURCES_BPF_GLOBALS_H

#include "base/base.h"

struct bpf_object;

/* After an object is loaded: its variables are those that the programs see. 0 or -errno. */
int bpf_globals__map(const struct bpf_object *obj);
/* Where a variable lies in the mapped data of an object: a constant before it is loaded, another
 * one after bpf_globals__map. NULL: there is none of that name, or it is smaller. */
void *bpf_globals__find(const struct bpf_object *obj, const char *name, size_t size);

#endif
