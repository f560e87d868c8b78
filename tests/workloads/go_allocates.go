// SPDX-License-Identifier: GPL-2.0-only
// Allocates trees in a goroutine, so that the runtime helps itself to the stack of the system for it, and the
// collector works. Prints "ready".
package main

import "fmt"

type node struct{ l, r *node; b [40]byte }

//go:noinline
func tree(n int) *node {
	if n == 0 {
		return &node{}
	}
	return &node{l: tree(n - 1), r: tree(n - 1)}
}

//go:noinline
func allocates() {
	var keep [8]*node
	for i := 0; ; i++ {
		keep[i%8] = tree(12)
	}
}

func main() {
	fmt.Println("ready")
	go allocates()
	select {}
}
