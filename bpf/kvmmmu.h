/* SPDX-License-Identifier: GPL-2.0-only */
/* Page tables of virtual machines: words of labels; shared by kernel and user side. */
#ifndef BPF_KVMMMU_H
#define BPF_KVMMMU_H

/* PAGE: what happened, and from KVMMMU_LEVEL_SHIFT and KVMMMU_KIND_SHIFT on the level and which kind of page
 * it is; 0: the event does not tell. */
enum { KVMMMU_LABEL_PAGE };

enum kvmmmu_op {
	KVMMMU_GET,
	KVMMMU_CREATE,
	KVMMMU_SYNC,
	KVMMMU_UNSYNC,
	KVMMMU_ZAP,
	KVMMMU_ZAP_ALL,
	KVMMMU_FAULT,
	KVMMMU_FAST_FAULT,
	KVMMMU_SET,
	KVMMMU_TDP_CHANGE,
	KVMMMU_SPLIT,
	KVMMMU_SPLIT_FAILED,
	KVMMMU_MMIO_MARK,
	KVMMMU_MMIO_CHECK,
	KVMMMU_MMIO_FAULT,
	KVMMMU_WALK,
	KVMMMU_WALK_ERROR,
	KVMMMU_OPS,
};

enum kvmmmu_kind { KVMMMU_NO_KIND, KVMMMU_SHADOW, KVMMMU_DIRECT, KVMMMU_KINDS };

#define KVMMMU_LEVEL_SHIFT 8
#define KVMMMU_KIND_SHIFT  16

#endif
