// SPDX-License-Identifier: GPL-2.0-only
#include "questions/registers.h"

#include <asm/ptrace.h>
#include <elf.h>
#include <linux/bpf_perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "questions/sample_fields.h"

#if defined(__x86_64__)
#define AT(reg) offsetof(struct pt_regs, reg)
static const u16 arguments[] = {AT(rdi), AT(rsi), AT(rdx), AT(rcx), AT(r8), AT(r9)};
enum { RESULT = AT(rax), SECOND = AT(rdx), STACK_POINTER = AT(rsp), INSTRUCTION = AT(rip), GOROUTINE = AT(r14) };
static const u16 numbered[] = {AT(rax), AT(rdx), AT(rcx), AT(rbx), AT(rsi), AT(rdi), AT(rbp), AT(rsp),
			       AT(r8),	AT(r9),	 AT(r10), AT(r11), AT(r12), AT(r13), AT(r14), AT(r15)};
#elif defined(__aarch64__)
#define AT(n) (8 * (n))
static const u16 arguments[] = {AT(0), AT(1), AT(2), AT(3), AT(4), AT(5), AT(6), AT(7)};
enum { RESULT = AT(0), SECOND = AT(1), STACK_POINTER = AT(31), INSTRUCTION = AT(32), GOROUTINE = AT(28) };
static const u16 numbered[] = {
	AT(0),	AT(1),	AT(2),	AT(3),	AT(4),	AT(5),	AT(6),	AT(7),	AT(8),	AT(9),	AT(10),
	AT(11), AT(12), AT(13), AT(14), AT(15), AT(16), AT(17), AT(18), AT(19), AT(20), AT(21),
	AT(22), AT(23), AT(24), AT(25), AT(26), AT(27), AT(28), AT(29), AT(30), AT(31)};
#else
#error "where this machine's functions have their arguments is not known"
#endif

struct registers {
	struct field_resolver resolver;
	bool returns, user, perf;
};

static const struct registers *registers_of(const struct field_resolver *r)
{
	return container_of(r, struct registers, resolver);
}

static const struct {
	const char *name;
	u32 offset;
} perf_fields[] = {
	{"ip", offsetof(struct bpf_perf_event_data, regs) + INSTRUCTION},
	{"addr", offsetof(struct bpf_perf_event_data, addr)},
	{"period", offsetof(struct bpf_perf_event_data, sample_period)},
	{"sp", offsetof(struct bpf_perf_event_data, regs) + STACK_POINTER},
};

static void set(struct field *out, u32 offset, bool is_signed, bool user)
{
	*out = (struct field){
		.type = {.kind = TYPE_INT, .size = 8, .is_signed = is_signed, .user = user},
		.offset = offset,
	};
}

static int perf_field(const char *name, struct field *out)
{
	for (u32 i = 0; i < ARRAY_SIZE(perf_fields); i++)
		if (!strcmp(perf_fields[i].name, name)) {
			set(out, perf_fields[i].offset, false, true);
			return 0;
		}
	return sample_field__find(name, out);
}

static int resolve(const struct field_resolver *resolver, const char *name, struct field *out)
{
	const struct registers *r = registers_of(resolver);

	if (r->perf)
		return perf_field(name, out);
	if (!strncmp(name, "arg", 3) && name[3] >= '0' && name[3] <= '9' && !name[4] &&
	    !r->returns && registers__argument((u32)(name[3] - '0')) >= 0)
		set(out, (u32)registers__argument((u32)(name[3] - '0')), true, r->user);
	else if (!strcmp(name, "ret") && r->returns)
		set(out, RESULT, true, r->user);
	else if (!strcmp(name, "sp"))
		set(out, STACK_POINTER, false, r->user);
	else if (!strcmp(name, "ip"))
		set(out, INSTRUCTION, false, r->user);
	else if (!strcmp(name, "goroutine") && r->user)
		set(out, GOROUTINE, false, true);
	else
		return -ENOENT;
	return 0;
}

static bool perf_name(u32 i, char *buf, size_t size)
{
	u32 n = ARRAY_SIZE(perf_fields);
	const char *name = i < n ? perf_fields[i].name : sample_field__name(i - n);

	if (name)
		copy_str(buf, size, name);
	return name;
}

static bool name_of(const struct field_resolver *resolver, u32 i, char *buf, size_t size)
{
	const struct registers *r = registers_of(resolver);
	u32 first = r->returns ? 1 : (u32)ARRAY_SIZE(arguments);

	if (r->perf)
		return perf_name(i, buf, size);
	if (i >= first + 2)
		return false;
	if (i >= first)
		copy_str(buf, size, i == first ? "sp" : "ip");
	else if (r->returns)
		copy_str(buf, size, "ret");
	else
		snprintf(buf, size, "arg%u", i);
	return true;
}

#define RESOLVER(text)                                                                             \
	{                                                                                          \
		.field = resolve, .name = name_of, .event = text                                   \
	}

static const struct registers events[REGISTERS_EVENTS] = {
	[REGISTERS_ENTRY] = {.resolver = RESOLVER("a function"), .user = true},
	[REGISTERS_RETURN] = {.resolver = RESOLVER("a function's return"),
			      .user = true,
			      .returns = true},
	[REGISTERS_KERNEL_ENTRY] = {.resolver = RESOLVER("a function")},
	[REGISTERS_KERNEL_RETURN] = {.resolver = RESOLVER("a function's return"), .returns = true},
	[REGISTERS_PERF] = {.resolver = RESOLVER("this event"), .perf = true},
};

const struct field_resolver *registers__fields(enum register_event event)
{
	return &events[event].resolver;
}

int registers__argument(u32 i)
{
	return i < ARRAY_SIZE(arguments) ? arguments[i] : -1;
}

u32 registers__result(void)
{
	return RESULT;
}

u32 registers__second_result(void)
{
	return SECOND;
}

u32 registers__stack_pointer(void)
{
	return STACK_POINTER;
}

int registers__numbered(u64 n)
{
	return n < ARRAY_SIZE(numbered) ? numbered[n] : -1;
}

/* The same places on every machine, so that all can be tested on one: of x86-64 struct pt_regs in
 * words, as asm/ptrace.h has it. */
static const struct {
	const char *names[4]; /* of 8, 4, 2 and 1 bytes */
	u8 word;
} x86_registers[] = {
	{{"r15", "r15d", "r15w", "r15b"}, 0}, {{"r14", "r14d", "r14w", "r14b"}, 1},
	{{"r13", "r13d", "r13w", "r13b"}, 2}, {{"r12", "r12d", "r12w", "r12b"}, 3},
	{{"rbp", "ebp", "bp", "bpl"}, 4},     {{"rbx", "ebx", "bx", "bl"}, 5},
	{{"r11", "r11d", "r11w", "r11b"}, 6}, {{"r10", "r10d", "r10w", "r10b"}, 7},
	{{"r9", "r9d", "r9w", "r9b"}, 8},     {{"r8", "r8d", "r8w", "r8b"}, 9},
	{{"rax", "eax", "ax", "al"}, 10},     {{"rcx", "ecx", "cx", "cl"}, 11},
	{{"rdx", "edx", "dx", "dl"}, 12},     {{"rsi", "esi", "si", "sil"}, 13},
	{{"rdi", "edi", "di", "dil"}, 14},    {{"rip", "eip", "ip", ""}, 16},
	{{"rsp", "esp", "sp", "spl"}, 19},
};

static int x86_named(const char *name, u32 *offset)
{
	for (u32 i = 0; i < ARRAY_SIZE(x86_registers); i++)
		for (u32 k = 0; k < 4; k++)
			if (!strcmp(x86_registers[i].names[k], name)) {
				*offset = 8u * x86_registers[i].word;
				return 0;
			}
	return -ENOENT;
}

/* x0 ... x30 and w0 ... w30, sp. */
static int arm_named(const char *name, u32 *offset)
{
	char *end;
	unsigned long n;

	if (!strcmp(name, "sp")) {
		*offset = 8 * 31;
		return 0;
	}
	if ((*name != 'x' && *name != 'w') || name[1] < '0' || name[1] > '9')
		return -ENOENT;
	n = strtoul(name + 1, &end, 10);
	if (*end || n > 30)
		return -ENOENT;
	*offset = 8u * (u32)n;
	return 0;
}

int registers__named(u16 machine, const char *name, u32 *offset)
{
	if (machine == EM_X86_64)
		return *name ? x86_named(name, offset) : -ENOENT;
	return machine == EM_AARCH64 ? arm_named(name, offset) : -ENOENT;
}
