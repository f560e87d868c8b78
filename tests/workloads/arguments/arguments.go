// SPDX-License-Identifier: GPL-2.0-only

// As arguments.c, with Go's own convention: strings and slices in registers.
package main

import (
	"fmt"
	"os"
	"strconv"
)

type Request struct {
	ID   int32
	Name string
	next *Request
}

//go:noinline
func serve(r *Request, text string, n int, flag bool, list []int, small int16) int {
	if flag {
		return len(r.Name) + len(text) + n + len(list) + int(small)
	}
	return int(r.ID)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	sum := 0
	fmt.Printf("ready %d\n", os.Getpid())
	os.Stdin.Read(make([]byte, 1))
	for i := 0; i < n; i++ {
		r := &Request{ID: int32(i), Name: "name" + strconv.Itoa(i), next: &Request{Name: "next"}}
		sum += serve(r, "textXXX"[:4], -i, i%2 == 0, []int{1, 2, 3}, int16(-i))
	}
	fmt.Printf("{\"sum\": %d}\n", sum)
}
