/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: idle for the first second (the second argument, if given, in seconds); then all of
 * its CPU time is late_function's in liblate.so, which is loaded only then.
 */
#include <dlfcn.h>

#include "work.h"

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	char path[4096 + 16];
	void (*late)(void);
	void *lib;

	work__ready();
	sleep_ns((uint64_t)((argc > 2 ? atof(argv[2]) : 1) * 1e9));
	snprintf(path, sizeof(path), "%s", work__self());
	strcpy(strrchr(path, '/'), "/liblate.so");
	lib = dlopen(path, RTLD_NOW);
	late = lib ? (void (*)(void))dlsym(lib, "late_function") : NULL;
	if (!late) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	for (uint64_t end = wall_ns() + (uint64_t)(seconds * 1e9); wall_ns() < end;)
		late();
	puts("{\"loaded\":true}");
	return 0;
}
