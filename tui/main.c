/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/program.h"

int main(int argc, char **argv)
{
	return program__main(argc, argv, NULL);
}
