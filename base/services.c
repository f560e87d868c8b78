// SPDX-License-Identifier: GPL-2.0-only
#include "base/services.h"

#include <stdio.h>

#include "base/arena.h"

#define SERVICES "/etc/services"
#define PORTS	 65536

/* "https 443/tcp ...": the first of a port counts. */
void services__read(struct services *s, const char *protocol)
{
	FILE *f = fopen(SERVICES, "re");
	char line[256], name[SERVICE_TEXT], of[8];
	u32 port;

	s->v = xcalloc(PORTS, sizeof(*s->v));
	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%23[^# \t\n] %u/%7[a-z]", name, &port, of) == 3 &&
		    !strcmp(of, protocol) && port < PORTS && !*s->v[port])
			copy_str(s->v[port], SERVICE_TEXT, name);
	if (f)
		fclose(f);
}

void services__fini(struct services *s)
{
	free(s->v);
}

void services__text(const struct services *s, u32 port, char *buf, size_t size)
{
	const char *name = s->v[port & (PORTS - 1)];

	if (*name)
		copy_str(buf, size, name);
	else
		snprintf(buf, size, "%u", port);
}
