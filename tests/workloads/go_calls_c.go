// SPDX-License-Identifier: GPL-2.0-only
// As much in a function of C as in one of Go, which calls it. Prints "ready".
package main

/*
static volatile unsigned long in_c;

__attribute__((noinline)) void spin_in_c(int n)
{
	for (int i = 0; i < n; i++)
		in_c = in_c * 31 + 7;
}
*/
import "C"

import "fmt"

const turns = 200000

var sink uint64

//go:noinline
func works() {
	for i := 0; i < turns; i++ {
		sink = sink*31 + 7
	}
}

func main() {
	for fmt.Println("ready"); ; {
		works()
		C.spin_in_c(turns)
	}
}
