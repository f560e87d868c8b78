/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of ports, as /etc/services has them. */
#ifndef BASE_SERVICES_H
#define BASE_SERVICES_H

#include "base/base.h"

#define SERVICE_TEXT 24

struct services {
	char (*v)[SERVICE_TEXT]; /* by port; "": it has none */
};

/* Of a protocol, such as "tcp". */
void services__read(struct services *s, const char *protocol);
void services__fini(struct services *s);
/* The port's number where it has no name. */
void services__text(const struct services *s, u32 port, char *buf, size_t size);

#endif
