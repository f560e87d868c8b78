// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads a libpython (the first argument) after half a second, and has functions of python's burn CPU, 70 and 30 %,
 * below its own runs_python(): in the "main" thread, or in a "thread" of its own that python did not begin.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "work.h"

static const char program[] = "import time\n"
			      "def hot(slices):\n"
			      "    end = time.thread_time() + slices * .001\n"
			      "    while time.thread_time() < end:\n"
			      "        x = 0\n"
			      "        for i in range(300):\n"
			      "            x += i * i\n"
			      "def hot_70():\n"
			      "    hot(7)\n"
			      "def hot_30():\n"
			      "    hot(3)\n"
			      "def works():\n"
			      "    while True:\n"
			      "        hot_70()\n"
			      "        hot_30()\n"
			      "works()\n";

static void *library;

static void *find(const char *name)
{
	void *at = library ? dlsym(library, name) : NULL;

	if (!at) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return at;
}

NOINLINE static int runs_python(void)
{
	int (*run)(const char *, void *) = (int (*)(const char *, void *))find("PyRun_SimpleStringFlags");
	int err = run(program, NULL);

	__asm__ volatile("" ::: "memory"); /* it is called, and not gone to */
	return err;
}

static void *begin(void *arg)
{
	((int (*)(void))find("PyGILState_Ensure"))();
	runs_python();
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (argc < 3)
		return 1;
	sleep_ns(SECOND / 2);
	library = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
	((void (*)(int))find("Py_InitializeEx"))(0);
	if (!strcmp(argv[2], "main"))
		return runs_python();
	((void *(*)(void))find("PyEval_SaveThread"))();
	if (pthread_create(&thread, NULL, begin, NULL))
		return 1;
	return pthread_join(thread, NULL);
}
