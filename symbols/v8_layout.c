// SPDX-License-Identifier: GPL-2.0-only
/* Where V8 keeps what functions are called, as its constants say. */
#include <errno.h>

#include "symbols/v8_code_impl.h"

static bool read_constants(const struct v8_file *f, u64 bias, const struct process_memory *m,
			   struct v8 *v)
{
	u32 value;

	for (u32 i = 0; i < V8_CONSTANTS; i++) {
		if (!f->at[i] || !memory__u32(m, f->at[i] + bias, &value) || value > UINT16_MAX)
			return false;
		v->of[i] = (u16)value;
	}
	return true;
}

/* All that the programs read must be within what they read of an object at once. */
static bool is_plausible(const struct v8 *v)
{
	const u16 at[] = {v->of[V8_FUNCTION_SHARED], v->of[V8_SHARED_NAME], v->of[V8_SHARED_SCRIPT]};

	for (u32 i = 0; i < ARRAY_SIZE(at); i++)
		if (at[i] % sizeof(u64) || at[i] / sizeof(u64) >= V8_OBJECT_WORDS)
			return false;
	return true;
}

static const struct v8_layout *read_version(const struct v8_file *f, u64 bias, const struct process_memory *m)
{
	u32 major, minor;

	if (!f->major || !f->minor || !memory__u32(m, f->major + bias, &major) ||
	    !memory__u32(m, f->minor + bias, &minor))
		return NULL;
	return v8_layout__of(major, minor);
}

int v8__attach(const struct v8_file *f, u64 bias, const struct process_memory *m, struct v8 *out,
	       const char **why)
{
	*out = (struct v8){0};
#if !defined(__x86_64__)
	*why = "javascript is walked on x86-64 alone: --perf-basic-prof gives its names";
	return -EOPNOTSUPP;
#endif
	*why = "a V8 is laid out in a way that is not known (those of node 18 to 22 are): "
	       "--perf-basic-prof gives its names";
	if (!v8_file__is_known(f, bias, m) || !read_constants(f, bias, m, out) ||
	    !is_plausible(out))
		return -EOPNOTSUPP;
	out->layout = read_version(f, bias, m);
	out->rt = (struct v8_runtime){
		.function_shared = out->of[V8_FUNCTION_SHARED] / sizeof(u64),
		.shared_name = out->of[V8_SHARED_NAME] / sizeof(u64),
		.shared_script = out->of[V8_SHARED_SCRIPT] / sizeof(u64),
		.map_type = out->of[V8_MAP_TYPE],
		.type_function = out->of[V8_TYPE_FUNCTION],
		.type_shared = out->of[V8_TYPE_SHARED],
	};
	return 0;
}
