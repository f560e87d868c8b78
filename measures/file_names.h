/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of files and file systems as programs send them (bpf/files.bpf.c), made readable in their
 * place. Pure functions. */
#ifndef MEASURES_FILE_NAMES_H
#define MEASURES_FILE_NAMES_H

#include "base/base.h"

/* A path without "//", "." and "..", by its text alone: links are not followed. What is no path
 * stands in brackets: "[eventfd]". */
void file_name__tidy(u64 value, char *text, size_t size);
/* "ext4 sda1", "tmpfs 0:45". dev: as the kernel has it inside. */
void file_system__tidy(u64 dev, char *text, size_t size);
/* The i-th directory above a file, from the nearest on; false: there are no more. What is no path
 * is below itself alone. */
bool file_name__dir(const char *text, u32 i, char *buf, size_t size);

#endif
