// SPDX-License-Identifier: GPL-2.0-only
#include "measures/endpoint.h"

#include <arpa/inet.h>
#include <stdio.h>

#include "bpf/endpoint.h"

bool endpoint__known(u64 value, char *buf, size_t size)
{
	u32 address = (u32)value, port = (u32)ENDPOINT_PORT(value);
	char text[INET_ADDRSTRLEN];

	if (value & (ENDPOINT_V6 | ENDPOINT_UNIX))
		return false;
	if (value == ENDPOINT_OTHERS)
		copy_str(buf, size, "[others]");
	else if (value)
		snprintf(buf, size, "%s:%u", inet_ntop(AF_INET, &address, text, sizeof(text)), port);
	else
		copy_str(buf, size, "");
	return true;
}

void endpoint__tidy(u64 value, char *text, size_t size)
{
	char address[INET6_ADDRSTRLEN];
	struct in6_addr a;

	if (!(value & ENDPOINT_V6))
		return;
	for (u32 i = 0; i < sizeof(a.s6_addr); i++)
		if (sscanf(text + 2ul * i, "%2hhx", &a.s6_addr[i]) != 1)
			return;
	snprintf(text, size, "[%s]:%u", inet_ntop(AF_INET6, &a, address, sizeof(address)),
		 (u32)ENDPOINT_PORT(value));
}

bool endpoint__host(const char *endpoint, u32 i, char *buf, size_t size)
{
	char *colon;

	if (*endpoint == '/' || *endpoint == '@') { /* of a unix socket */
		copy_str(buf, size, endpoint);
		return !i;
	}
	copy_str(buf, size, *endpoint == '[' && endpoint[1] != 'o' ? endpoint + 1 : endpoint);
	colon = strrchr(buf, ':');
	if (colon)
		*colon = '\0';
	if (colon > buf && colon[-1] == ']')
		colon[-1] = '\0';
	return !i;
}
