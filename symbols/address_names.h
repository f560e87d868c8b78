/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of addresses of live processes and of the kernel, data and code (samples/address_names.h), from
 * /proc/PID/maps, the symbol tables of files, their debug information, and kallsyms. Collector thread only.
 *
 * Bounded: NAMES_PROCESSES maps, and tables of NAMES_BYTES in all; those not used longest go; debug information
 * of one file.
 */
#ifndef SYMBOLS_ADDRESS_NAMES_H
#define SYMBOLS_ADDRESS_NAMES_H

#include "samples/address_names.h"

#define NAMES_PROCESSES 64
#define NAMES_FILES	64
#define NAMES_BYTES	(32u << 20)

struct namer;

struct namer *namer__new(void);
void namer__free(struct namer *n); /* NULL is fine */
const struct address_names *namer__ops(struct namer *n);

#endif
