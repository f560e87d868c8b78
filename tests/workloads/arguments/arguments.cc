// SPDX-License-Identifier: GPL-2.0-only
/* As arguments.c, with what C++ adds: strings, references, base classes, objects that are passed by
 * their address, exceptions that pass through. */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

namespace shop {

enum class State : unsigned char { Open, Paid = 200 };

struct Base {
	int id;
};

struct Order : Base {
	std::string customer;
	State state;
	std::string_view note;
};

class Store {
public:
	int total = 0;
	NOINLINE long place(const Order &order, std::string copied, std::string_view view, State state);
	NOINLINE std::string name(int n);
	NOINLINE long refer(const int &number, std::string *text);
	NOINLINE int throws(int n);
};

long Store::place(const Order &order, std::string copied, std::string_view view, State state)
{
	total++;
	__asm__ volatile("" ::: "memory");
	return order.id + (long)(copied.size() + view.size()) + (long)state;
}

std::string Store::name(int n)
{
	__asm__ volatile("" ::: "memory");
	return "a name that is longer than what fits an object " + std::to_string(n);
}

long Store::refer(const int &number, std::string *text)
{
	__asm__ volatile("" ::: "memory");
	return number + (long)text->size();
}

int Store::throws(int n)
{
	if (n % 2)
		throw n;
	return n;
}

} // namespace shop

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 10, caught = 0;
	shop::Store store;
	long sum = 0;

	printf("ready %d\n", getpid());
	fflush(stdout);
	getchar();
	for (int i = 0; i < n; i++) {
		shop::Order order{{i}, i % 2 ? "Anna" : "somebody with a longer name",
				  i % 2 ? shop::State::Paid : shop::State::Open, "noted"};
		std::string text = store.name(i);

		sum += store.place(order, "copied " + std::to_string(i), std::string_view("viewed", 4),
				   order.state);
		sum += store.refer(i, &text);
		try {
			sum += store.throws(i);
		} catch (int) {
			caught++;
		}
	}
	printf("{\"sum\": %ld, \"caught\": %d}\n", sum, caught);
	return 0;
}
