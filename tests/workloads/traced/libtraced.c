/* SPDX-License-Identifier: GPL-2.0-only */
int t_library(int n);
int t_in_library(int n);

static volatile int sink;

__attribute__((noinline, noclone)) int t_in_library(int n)
{
	sink += n;
	return n * n;
}

int t_library(int n)
{
	return t_in_library(n) + 1;
}
