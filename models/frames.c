// SPDX-License-Identifier: GPL-2.0-only
#include "models/frames.h"

const char *code__kind_name(enum code_kind kind)
{
	static const char *const names[] = {
		[CODE_UNKNOWN] = "unknown", [CODE_USER] = "user", [CODE_KERNEL] = "kernel",
		[CODE_JIT] = "jit",	    [CODE_VDSO] = "vdso", [CODE_BPF] = "bpf",
		[CODE_PYTHON] = "python", [CODE_JAVA] = "java",
		[CODE_JAVASCRIPT] = "js", [CODE_PHP] = "php",
		[CODE_RUBY] = "ruby", [CODE_PERL] = "perl",
	};

	return (u32)kind < ARRAY_SIZE(names) ? names[kind] : "unknown";
}

static const char *language_of(enum code_kind kind)
{
	switch (kind) {
	case CODE_UNKNOWN:
		return "";
	case CODE_USER:
	case CODE_VDSO:
		return "native";
	case CODE_BPF:
		return code__kind_name(CODE_KERNEL);
	case CODE_JAVASCRIPT:
		return "javascript";
	default:
		return code__kind_name(kind);
	}
}

bool code__is_language(const char *language, enum code_kind kind, u32 flags)
{
	return !strcmp(language, language_of(kind)) || (flags & FUNC_GO && !strcmp(language, "go"));
}

struct frame_text frame__text(const struct symbols *s, u32 loc)
{
	u32 func = symbols__func_of(s, loc);
	const struct sym_func *f = symbols__func(s, func);
	const struct sym_object *o =
		symbols__object(s, func ? f->object : symbols__object_of(s, loc));

	return (struct frame_text){
		.func = func,
		.pending = !func && loc != SYM_UNKNOWN,
		.name = func || loc == SYM_UNKNOWN ? f->name : "[resolving]",
		.object_name = o->name,
		.kind = code__kind_name(func ? f->kind : o->kind),
	};
}

static bool is_runtime(const char *object)
{
	static const char *const starts[] = {"libc.",	   "libc-",	"libpthread", "ld-",
					     "libstdc++.", "libgcc_s.", "libm.",      "[vdso]"};

	for (u32 i = 0; i < ARRAY_SIZE(starts); i++)
		if (!strncmp(object, starts[i], strlen(starts[i])))
			return true;
	return false;
}

u32 stack__caller_func(const struct callstack *ustack, const struct symbols *s)
{
	u32 n = ustack ? ustack->nuser : 0;

	for (u32 i = 0; i < n; i++) {
		struct frame_text t = frame__text(s, ustack->locs[ustack->nkernel + i]);

		if (!is_runtime(t.object_name))
			return symbols__func(s, t.func)->flags & FUNC_OUTERMOST ? 0 : t.func;
	}
	return 0;
}

const char *stack__caller(const struct callstack *ustack, const struct symbols *s)
{
	u32 func = stack__caller_func(ustack, s);

	return func ? symbols__func(s, func)->name : "";
}

u32 stack__func(const struct callstack *stack, const struct symbols *s)
{
	u32 func = stack__caller_func(stack, s);

	return func || !callstack__nlocs(stack) ? func : frame__text(s, stack->locs[0]).func;
}

const char *stack__where(const struct callstack *stack, const struct symbols *s)
{
	const char *name = stack ? stack__caller(stack, s) : "";

	for (u32 i = 0; i < callstack__nlocs(stack) && !*name; i++) {
		const char *frame = frame__text(s, stack->locs[i]).name;

		if (strncmp(frame, "__traceiter_", 12))
			name = frame;
	}
	return name;
}

u64 stack__names_hash(const struct callstack *stack, const struct symbols *s)
{
	u64 h = 0;

	for (u32 i = 0; i < callstack__nlocs(stack); i++) {
		struct frame_text t = frame__text(s, stack->locs[i]);

		h = mix64_pair(h, t.pending ? stack->locs[i] : hash_bytes(t.name, strlen(t.name)));
		h = mix64_pair(h, hash_bytes(t.object_name, strlen(t.object_name)));
	}
	return h;
}

char *frame__folded(struct arena *a, const char *name, const char *otherwise)
{
	char *copy = arena__strdup(a, *name ? name : otherwise);

	for (char *c = copy; *c; c++) {
		if (*c == ';')
			*c = ':';
		else if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = ' ';
	}
	return copy;
}
