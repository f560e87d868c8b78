// SPDX-License-Identifier: GPL-2.0-only
/*
 * Throws through frames with things to destroy, calls virtual functions and lambdas, for ever. In
 * each place a CPU is used and slept: all of it must reach main, as in unwind_shapes.c.
 */
#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <time.h>
#include <unistd.h>
#include <vector>

static volatile unsigned long sink;

__attribute__((noinline)) static void work()
{
	struct timespec t = {0, 200000};

	for (unsigned long i = 0; i < 300000; i++)
		sink = sink + i;
	nanosleep(&t, nullptr);
}

struct guard {
	std::string name;
	explicit guard(const char *n) : name(n) {}
	~guard() { work(); }
};

__attribute__((noinline)) static unsigned long throws(int depth)
{
	guard g("a name that is too long to lie within the string itself");

	if (!depth)
		throw std::runtime_error(g.name);
	return throws(depth - 1) + sink;
}

struct shape {
	virtual ~shape() = default;
	virtual unsigned long area(int depth) const = 0;
};

struct square : shape {
	std::vector<std::unique_ptr<shape>> parts;
	unsigned long area(int depth) const override
	{
		if (!depth) {
			work();
			return sink;
		}
		return parts[0]->area(depth - 1) + 1;
	}
};

struct circle : shape {
	std::unique_ptr<square> inner;
	unsigned long area(int depth) const override
	{
		return depth ? inner->area(depth - 1) + 2 : sink + 0;
	}
};

__attribute__((noinline)) static void calls_virtual()
{
	auto s = std::make_unique<square>();
	auto c = std::make_unique<circle>();

	c->inner = std::make_unique<square>();
	s->parts.push_back(std::move(c));
	for (int i = 0; i < 3; i++)
		sink = sink + s->area(2);
}

__attribute__((noinline)) static void catches()
{
	try {
		sink = sink + throws(5);
	} catch (const std::exception &e) {
		work();
		sink = sink + std::string(e.what()).size();
	}
}

int main()
{
	std::function<void()> f = [] { work(); };

	printf("ready %d\n", getpid());
	fflush(stdout);
	for (;;) {
		catches();
		calls_virtual();
		f();
	}
}
