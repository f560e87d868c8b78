// SPDX-License-Identifier: GPL-2.0-only
/* Exits of virtual machines: their events, which come with modules, and where their fields are. */
#include "sources/kvm.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <unistd.h>

#include "sources/events.h"
#include "sources/measures.h"

bool kvm_format__read(FILE *format, struct kvm_format *out)
{
	char line[256], name[64];
	unsigned int at;

	*out = (struct kvm_format){KVM_NOWHERE, KVM_NOWHERE, KVM_NOWHERE, KVM_NOWHERE};
	while (fgets(line, sizeof(line), format)) {
		const char *semicolon = strchr(line, ';'), *start = semicolon;

		if (!semicolon || sscanf(semicolon, "; offset:%u;", &at) != 1)
			continue;
		while (start > line && start[-1] != ' ')
			start--;
		snprintf(name, sizeof(name), "%.*s", (int)(semicolon - start), start);
		if (!strcmp(name, "exit_reason"))
			out->reason = at;
		else if (!strcmp(name, "isa"))
			out->isa = at;
		else if (!strcmp(name, "ret"))
			out->ret = at;
		else if (!strcmp(name, "esr_ec"))
			out->class = at;
	}
	return (out->reason != KVM_NOWHERE && out->isa != KVM_NOWHERE) ||
	       (out->ret != KVM_NOWHERE && out->class != KVM_NOWHERE);
}

/* One line: what is missing, and what to do. */
static int missing(struct status *st, int err)
{
	if (!event__tracefs())
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "tracepoints need tracefs: mount -t tracefs nodev /sys/kernel/tracing");
	if (err == EACCES || err == EPERM)
		return status__set(st, EXIT_CODE_PERMISSION, -err, "run with sudo to read tracefs");
	if (access("/dev/kvm", F_OK))
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "no KVM on this machine: modprobe kvm_intel or kvm_amd, where the CPU "
				   "has virtualization and it is not switched off");
	return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
			   "this kernel has no event kvm:kvm_exit: it needs KVM with tracepoints");
}

static int kvm__prepare(void *ctx, struct bpf_object *obj, struct status *st)
{
	char path[300];
	struct kvm_format f;
	bool known;
	FILE *file;

	(void)ctx;
	snprintf(path, sizeof(path), "%s/events/kvm/kvm_exit/format",
		 event__tracefs() ? event__tracefs() : "");
	file = fopen(path, "re");
	if (!file)
		return missing(st, errno);
	known = kvm_format__read(file, &f);
	fclose(file);
	if (!known)
		return status__set(st, EXIT_CODE_UNSUPPORTED, -ENOENT,
				   "kvm:kvm_exit of this kernel tells no reason");
	measure_programs__set(obj, "kvm_reason_at", &f.reason, sizeof(f.reason));
	measure_programs__set(obj, "kvm_isa_at", &f.isa, sizeof(f.isa));
	measure_programs__set(obj, "kvm_ret_at", &f.ret, sizeof(f.ret));
	measure_programs__set(obj, "kvm_class_at", &f.class, sizeof(f.class));
	return 0;
}

const struct measure_hooks kvm_hooks = {
	.prepare = kvm__prepare,
};
