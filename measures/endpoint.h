/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts of labels that are ends of sockets (bpf/endpoint.h), as struct measure_label has them. Pure. */
#ifndef MEASURES_ENDPOINT_H
#define MEASURES_ENDPOINT_H

#include "base/base.h"

/* .known: those whose address is in the value, and those that have none. */
bool endpoint__known(u64 value, char *buf, size_t size);
/* .tidy: IPv6 was sent in hex. */
void endpoint__tidy(u64 value, char *text, size_t size);
/* .part: the address alone. */
bool endpoint__host(const char *endpoint, u32 i, char *buf, size_t size);

#endif
