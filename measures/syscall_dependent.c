// SPDX-License-Identifier: GPL-2.0-only
/* Arguments whose meaning depends on the others of their call. */
#include "measures/syscall_args_impl.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>

void put_create_mode(struct syscall_out *out, const struct syscall_call *call, u32 i,
		     const struct value_names *names)
{
	u32 flags = (u32)call->args[i - 1];

	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		put_mode(out, call, i, names);
}

static const struct {
	u32 command;
	syscall_put *put; /* NULL: takes no argument */
	const struct value_names *names;
} fcntl_args[] = {
	{F_DUPFD, put_int, NULL},
	{F_DUPFD_CLOEXEC, put_int, NULL},
	{F_GETFD, NULL, NULL},
	{F_SETFD, put_values, &values_fd_flags},
	{F_GETFL, NULL, NULL},
	{F_SETFL, put_values, &values_open_flags},
	{F_GETOWN, NULL, NULL},
	{F_SETOWN, put_int, NULL},
	{F_GETSIG, NULL, NULL},
	{F_SETSIG, put_signal, NULL},
	{F_GETLEASE, NULL, NULL},
	{F_SETLEASE, put_values, &values_lease_types},
	{F_NOTIFY, put_hex, NULL},
	{F_GETPIPE_SZ, NULL, NULL},
	{F_SETPIPE_SZ, put_int, NULL},
	{F_GET_SEALS, NULL, NULL},
	{F_ADD_SEALS, put_values, &values_seals},
};

void put_fcntl_arg(struct syscall_out *out, const struct syscall_call *call, u32 i,
		   const struct value_names *names)
{
	u32 command = (u32)call->args[i - 1];

	for (u32 n = 0; n < ARRAY_SIZE(fcntl_args); n++)
		if (fcntl_args[n].command == command) {
			if (fcntl_args[n].put)
				fcntl_args[n].put(out, call, i, fcntl_args[n].names);
			return;
		}
	put_pointer(out, call, i, names);
}

static u32 futex_command(const struct syscall_call *call)
{
	return (u32)call->args[1] & FUTEX_CMD_MASK;
}

/* As programs write it: FUTEX_WAIT_PRIVATE is a name of its own. */
void put_futex_command(struct syscall_out *out, const struct syscall_call *call, u32 i,
		       const struct value_names *names)
{
	u32 op = (u32)call->args[i];

	put_named(out, futex_command(call), names);
	if (op & FUTEX_PRIVATE_FLAG)
		syscall_out__printf(out, "_PRIVATE");
	if (op & FUTEX_CLOCK_REALTIME)
		syscall_out__printf(out, "|FUTEX_CLOCK_REALTIME");
}

/* What each command takes behind it, a letter for each:
 * v the value, n a second one in the place of the time, t the time, a another futex, b bits or a
 * third value. */
static const char *const futex_args[] = {
	[FUTEX_WAIT] = "vt",
	[FUTEX_WAKE] = "v",
	[FUTEX_FD] = "v",
	[FUTEX_REQUEUE] = "vna",
	[FUTEX_CMP_REQUEUE] = "vnab",
	[FUTEX_WAKE_OP] = "vnab",
	[FUTEX_LOCK_PI] = "t",
	[FUTEX_UNLOCK_PI] = "",
	[FUTEX_TRYLOCK_PI] = "",
	[FUTEX_WAIT_BITSET] = "vtb",
	[FUTEX_WAKE_BITSET] = "vb",
	[FUTEX_WAIT_REQUEUE_PI] = "vta",
	[FUTEX_CMP_REQUEUE_PI] = "vnab",
	[FUTEX_LOCK_PI2] = "t",
};

static void put_futex_bits(struct syscall_out *out, const struct syscall_call *call)
{
	u32 command = futex_command(call);

	if (command == FUTEX_CMP_REQUEUE || command == FUTEX_CMP_REQUEUE_PI)
		put_uint(out, call, 5, NULL);
	else if ((u32)call->args[5] == FUTEX_BITSET_MATCH_ANY)
		syscall_out__printf(out, "FUTEX_BITSET_MATCH_ANY");
	else
		syscall_out__printf(out, "%#x", (u32)call->args[5]);
}

static void put_futex_arg(struct syscall_out *out, const struct syscall_call *call, char what)
{
	if (what == 'b')
		put_futex_bits(out, call);
	else if (what == 't' || what == 'a')
		put_pointer(out, call, what == 't' ? 3 : 4, NULL);
	else
		put_uint(out, call, what == 'v' ? 2 : 3, NULL);
}

void put_futex_args(struct syscall_out *out, const struct syscall_call *call, u32 i,
		    const struct value_names *names)
{
	u32 command = futex_command(call);
	const char *what = command < ARRAY_SIZE(futex_args) ? futex_args[command] : "vtab";

	for (const char *at = what; *at; at++) {
		syscall_out__printf(out, "%s", at > what ? ", " : "");
		put_futex_arg(out, call, *at);
	}
}

void put_mremap_to(struct syscall_out *out, const struct syscall_call *call, u32 i,
		   const struct value_names *names)
{
	if (call->args[i - 1] & MREMAP_FIXED)
		put_pointer(out, call, i, names);
}

/* The lowest byte is the signal that the end of the new process sends. */
void put_clone_flags(struct syscall_out *out, const struct syscall_call *call, u32 i,
		     const struct value_names *names)
{
	struct syscall_call child = {.args = {syscall_arg(call, i) & CSIGNAL}};
	u64 flags = syscall_arg(call, i) & ~(u64)CSIGNAL;

	if (flags || !child.args[0])
		put_named(out, flags, names);
	if (!child.args[0])
		return;
	syscall_out__printf(out, "%s", flags ? "|" : "");
	put_signal(out, &child, 0, NULL);
}

void put_socket_protocol(struct syscall_out *out, const struct syscall_call *call, u32 i,
			 const struct value_names *names)
{
	int family = (int)call->args[0];

	if (family == AF_INET || family == AF_INET6)
		put_values(out, call, i, &values_inet_protocols);
	else if (family == AF_NETLINK)
		put_values(out, call, i, &values_netlink_protocols);
	else
		put_int(out, call, i, names);
}

void put_socket_option(struct syscall_out *out, const struct syscall_call *call, u32 i,
		       const struct value_names *names)
{
	static const struct {
		int level;
		const struct value_names *names;
	} levels[] = {
		{SOL_SOCKET, &values_socket_options},
		{SOL_IP, &values_ip_options},
		{SOL_IPV6, &values_ipv6_options},
		{SOL_TCP, &values_tcp_options},
	};

	for (u32 n = 0; n < ARRAY_SIZE(levels); n++)
		if (levels[n].level == (int)call->args[i - 1]) {
			put_values(out, call, i, levels[n].names);
			return;
		}
	put_int(out, call, i, names);
}
