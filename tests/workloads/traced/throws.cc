// SPDX-License-Identifier: GPL-2.0-only
// Exceptions through nested calls with things to destroy, caught, and one that nobody catches: throws MODE, which
// waits for a line first.
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <unistd.h>

static int destroyed;

struct thing {
	std::string text = "a text that is too long to lie within the string itself";
	~thing() { destroyed += static_cast<int>(text.size() > 10); }
};

__attribute__((noinline)) int t_throws(int n)
{
	thing t;

	if (!n)
		throw std::runtime_error(t.text);
	return t_throws(n - 1) + static_cast<int>(t.text.size());
}

__attribute__((noinline)) static int t_catches(int n)
{
	try {
		return t_throws(n);
	} catch (const std::runtime_error &e) {
		return static_cast<int>(std::strlen(e.what()));
	}
}

int main(int argc, char **argv)
{
	char line[16];
	long sum = 0;

	std::printf("ready %d\n", getpid());
	std::fflush(stdout);
	if (argc < 2 || !std::fgets(line, sizeof(line), stdin))
		return 2;
	for (int i = 0; i < 200; i++)
		sum += t_catches(i % 30);
	std::printf("sum %ld, destroyed %d\n", sum, destroyed);
	std::fflush(stdout);
	if (!std::strcmp(argv[1], "uncaught"))
		t_throws(5);
	return 0;
}
