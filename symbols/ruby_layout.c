// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where Ruby keeps its threads, frames and instruction sequences: a row for each version, as its
 * headers have it on 64-bit machines. It is believed when the main thread leads back to the virtual
 * machine, and its execution context to the thread.
 */
#include <errno.h>

#include "symbols/ruby.h"

struct layout {
	const char *version; /* what it begins with */
	u16 vm_ractors, vm_main_thread;
	u16 thread_vm, ec_thread;
	struct script_runtime rt;
};

/* clang-format off */
static const struct layout layouts[] = {
	{"3.1.", .vm_ractors = 8, .vm_main_thread = 40, .thread_vm = 32, .ec_thread = 48, .rt = {.how = SCRIPT_STACK,
		.interp_next = 0, .interp_threads = 304 - 568, .thread_next = 0, .thread_id = 80, .thread_frame = 40,
		.call_frame = 16,
		.frame_bytes = 64, .frame_instr = 0, .frame_code = 16, .frame_owner = 32,
		.code_bytes = 96, .code_line = 0, .code_start = 8, .code_lines = 8, .code_file = 64, .code_name = 80,
		.code_body = 16}},
};
/* clang-format on */

static const struct layout *find_layout(const struct ruby_file *f, u64 bias,
					const struct process_memory *m)
{
	char version[8] = "";

	if (!m->read(m->ctx, f->version + bias, version, sizeof(version) - 1))
		return NULL;
	for (u32 i = 0; i < ARRAY_SIZE(layouts); i++)
		if (!strncmp(version, layouts[i].version, strlen(layouts[i].version)))
			return &layouts[i];
	return NULL;
}

static int check_thread(const struct layout *l, u64 vm, const struct process_memory *m)
{
	u64 thread, back, ec, id;

	if (!memory__u64(m, vm + l->vm_main_thread, &thread))
		return -EINVAL;
	if (!thread)
		return -EAGAIN;
	if (!memory__u64(m, thread + l->thread_vm, &back) ||
	    !memory__u64(m, thread + l->rt.thread_frame, &ec) ||
	    !memory__u64(m, thread + (u16)l->rt.thread_id, &id))
		return -EINVAL;
	if (!back || !ec || !id)
		return -EAGAIN;
	if (back != vm || !memory__u64(m, ec + l->ec_thread, &back) || back != thread)
		return -EINVAL;
	return 0;
}

int ruby__attach(const struct ruby_file *f, u64 bias, const struct process_memory *m,
		 struct ruby *out, const char **why)
{
	const struct layout *l = find_layout(f, bias, m);
	u64 vm;
	int err;

	*why = "ruby is walked in version 3.1";
	if (!l)
		return -EOPNOTSUPP;
	*why = "a ruby is not laid out as its version says: is it a build of its own?";
	if (!memory__u64(m, f->vm + bias, &vm))
		return -EFAULT;
	err = vm ? check_thread(l, vm, m) : -EAGAIN;
	if (err)
		return err;
	*out = (struct ruby){l->rt, f->object ? f->object + bias : 0, ruby_symbols__find(f, bias, m)};
	out->rt.names_of_c = !!out->symbols;
	out->rt.interpreters = vm + l->vm_ractors;
	out->rt.eval = f->eval + bias;
	out->rt.eval_end = out->rt.eval + f->eval_size;
	out->rt.text = f->text + bias;
	out->rt.text_end = out->rt.text + f->text_size;
	return 0;
}
