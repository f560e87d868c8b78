// SPDX-License-Identifier: GPL-2.0-only
/* Virtual machines: events of KVM, which come with modules, and where their fields are. */
#include "sources/kvm.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/file.h"
#include "questions/format.h"
#include "sources/events.h"
#include "sources/measures.h"

/* older: what it was called before. */
static const struct {
	const char *event, *name, *older;
} fields[KVM_FIELDS] = {
	[KVM_EXIT_REASON] = {"kvm_exit", "exit_reason", NULL},
	[KVM_EXIT_ISA] = {"kvm_exit", "isa", NULL},
	[KVM_EXIT_RET] = {"kvm_exit", "ret", NULL},
	[KVM_EXIT_CLASS] = {"kvm_exit", "esr_ec", NULL},
	[KVM_USER_REASON] = {"kvm_userspace_exit", "reason", NULL},
	[KVM_USER_ERRNO] = {"kvm_userspace_exit", "errno", NULL},
	[KVM_FPU_LOAD] = {"kvm_fpu", "load", NULL},
	[KVM_PIO_RW] = {"kvm_pio", "rw", NULL},
	[KVM_PIO_PORT] = {"kvm_pio", "port", NULL},
	[KVM_MMIO_TYPE] = {"kvm_mmio", "type", NULL},
	[KVM_MMIO_GPA] = {"kvm_mmio", "gpa", NULL},
	[KVM_FAST_MMIO_GPA] = {"kvm_fast_mmio", "gpa", NULL},
	[KVM_MSR_WRITE] = {"kvm_msr", "write", NULL},
	[KVM_MSR_NUMBER] = {"kvm_msr", "ecx", NULL},
	[KVM_CALL_NUMBER] = {"kvm_hypercall", "nr", NULL},
	[KVM_HYPERV_CODE] = {"kvm_hv_hypercall", "code", NULL},
	[KVM_XEN_NUMBER] = {"kvm_xen_hypercall", "nr", NULL},
	[KVM_INTERRUPT_VECTOR] = {"kvm_inj_virq", "vector", "irq"},
	[KVM_EXCEPTION_VECTOR] = {"kvm_inj_exception", "exception", NULL},
	[KVM_MMU_GET_ROLE] = {"kvm_mmu_get_page", "role", NULL},
	[KVM_MMU_GET_CREATED] = {"kvm_mmu_get_page", "created", NULL},
	[KVM_MMU_SYNC_ROLE] = {"kvm_mmu_sync_page", "role", NULL},
	[KVM_MMU_UNSYNC_ROLE] = {"kvm_mmu_unsync_page", "role", NULL},
	[KVM_MMU_ZAP_ROLE] = {"kvm_mmu_prepare_zap_page", "role", NULL},
	[KVM_MMU_SET_LEVEL] = {"kvm_mmu_set_spte", "level", NULL},
	[KVM_MMU_REQUESTED_LEVEL] = {"kvm_mmu_spte_requested", "level", NULL},
	[KVM_MMU_CHANGED_LEVEL] = {"kvm_tdp_mmu_spte_changed", "level", NULL},
	[KVM_MMU_SPLIT_LEVEL] = {"kvm_mmu_split_huge_page", "level", NULL},
	[KVM_MMU_SPLIT_ERRNO] = {"kvm_mmu_split_huge_page", "errno", NULL},
};

static u32 place_of(const struct trace_format *f, u32 i)
{
	const struct trace_field *field = trace_format__field(f, fields[i].name);

	if (!field && fields[i].older)
		field = trace_format__field(f, fields[i].older);
	return field ? field->offset | field->size << KVM_SIZE_SHIFT : KVM_NOWHERE;
}

void kvm_fields__read(const char *name, const char *text, u32 at[KVM_FIELDS])
{
	char why[200];
	struct trace_format *f = trace_format__parse(text, NULL, why, sizeof(why));

	for (u32 i = 0; i < KVM_FIELDS; i++)
		if (!strcmp(fields[i].event, name))
			at[i] = f ? place_of(f, i) : KVM_NOWHERE;
	trace_format__free(f);
}

bool kvm_fields__have_reason(const u32 at[KVM_FIELDS])
{
	return (at[KVM_EXIT_REASON] && at[KVM_EXIT_ISA]) || (at[KVM_EXIT_RET] && at[KVM_EXIT_CLASS]);
}

/* section: of its program, "tp/kvm/kvm_exit". False: this kernel does not have it. */
static bool read_event(const char *section, u32 at[KVM_FIELDS], int *err)
{
	const char *event = section + strlen("tp/");
	char path[300], *text = xmalloc(TRACE_FORMAT_MAX);
	ssize_t n;

	snprintf(path, sizeof(path), "%s/events/%s/format", event__tracefs() ? event__tracefs() : "", event);
	n = file__read(AT_FDCWD, path, text, TRACE_FORMAT_MAX);
	if (n > 0)
		kvm_fields__read(strrchr(event, '/') + 1, text, at);
	else
		*err = (int)n;
	free(text);
	return n > 0;
}

/* One line: what is missing, and what to do. */
static int missing(struct status *st, int err)
{
	if (!event__tracefs())
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "tracepoints need tracefs: mount -t tracefs nodev /sys/kernel/tracing");
	if (err == -EACCES || err == -EPERM)
		return status__set(st, EXIT_CODE_PERMISSION, err, "run with sudo to read tracefs");
	if (access("/dev/kvm", F_OK))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "no KVM on this machine: modprobe kvm_intel or kvm_amd, where the CPU "
				   "has virtualization and it is not switched off");
	return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
			   "this kernel has no events kvm:kvm_exit or kvmmmu: they need KVM with tracepoints");
}

/* Leaves out the programs whose events this kernel does not have. Returns how many there are. */
static u32 read_events(struct bpf_object *obj, u32 at[KVM_FIELDS], int *err)
{
	struct bpf_program *prog;
	u32 n = 0;

	bpf_object__for_each_program(prog, obj) {
		const char *section = bpf_program__section_name(prog);
		bool there;

		if (strncmp(section, "tp/kvm", strlen("tp/kvm")))
			continue;
		there = read_event(section, at, err);
		bpf_program__set_autoload(prog, there);
		n += there;
	}
	return n;
}

static int kvmmmu__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	u32 at[KVM_FIELDS] = {0};
	int err = 0;

	if (!read_events(obj, at, &err))
		return missing(st, err);
	measure_programs__set(obj, "kvm_at", at, sizeof(at));
	return 0;
}

static int kvm__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	u32 at[KVM_FIELDS] = {0};
	int err = 0;

	read_events(obj, at, &err);
	if (!bpf_program__autoload(bpf_object__find_program_by_name(obj, "kvm_leaves")))
		return missing(st, err);
	if (!kvm_fields__have_reason(at))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "kvm:kvm_exit of this kernel tells no reason");
	measure_programs__set(obj, "kvm_at", at, sizeof(at));
	return 0;
}

const struct measure_hooks kvm_hooks = {
	.prepare = kvm__prepare,
};

const struct measure_hooks kvmmmu_hooks = {
	.prepare = kvmmmu__prepare,
};
