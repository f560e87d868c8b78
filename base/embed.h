/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file of the project in the program: EMBED(symbol, "path/from/the/root") at file scope; its
 * bytes are symbol[0] up to symbol_end, not terminated. The object has to depend on the file in
 * the Makefile: compilers do not see it.
 */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

#define EMBED(symbol, path)                                                                        \
	__asm__(".section .rodata\n.balign 16\n"                                                   \
		".global " #symbol ", " #symbol "_end\n" #symbol ":\n"                             \
		".incbin \"" path "\"\n" #symbol "_end:\n"                                         \
		".previous\n");                                                                    \
	extern const char symbol[], symbol##_end[]

#endif
