/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs know of the runtime in a process; shared by kernel and user side. */
#ifndef BPF_RUNTIME_H
#define BPF_RUNTIME_H

#include "bpf/hotspot.h"
#include "bpf/script.h"
#include "bpf/v8.h"

/* By its enum script_kind. */
union runtime {
	__u64 exec_id; /* the first word of each: which program it is about */
	struct script_runtime python, php, ruby, perl;
	struct hotspot_runtime hotspot;
	struct v8_runtime v8;
};

#endif
