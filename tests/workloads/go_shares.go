// SPDX-License-Identifier: GPL-2.0-only
// 70 and 30 % of the CPU in two functions that are inlined where they are called, below a recursion, a
// sort's callback and a method, in a goroutine; one that waits again and again; and a goroutine that ends.
// Usage: go_shares DEPTH [PROFILE SECONDS]: as runtime/pprof has it; prints "ready".
package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"sort"
	"strconv"
	"time"
)

const turns = 20000

var sink uint64

func spin(x uint64, n int) uint64 {
	for i := 0; i < n; i++ {
		x = x*31 + 7
	}
	return x
}

func hot70(x uint64) uint64 { return spin(x, 7*turns) }

func hot30(x uint64) uint64 { return spin(x, 3*turns) }

type caller struct{ first bool }

//go:noinline
func (c *caller) round() {
	if c.first {
		sink += hot70(sink)
	} else {
		sink += hot30(sink)
	}
	c.first = !c.first
}

//go:noinline
func bySort(c *caller) {
	two := []int{1, 0}
	sort.Slice(two, func(i, j int) bool {
		c.round()
		c.round()
		return two[i] < two[j]
	})
}

//go:noinline
func works() {
	for c := new(caller); ; {
		bySort(c)
	}
}

//go:noinline
func descend(n int) {
	if n > 0 {
		descend(n - 1)
		return
	}
	works()
}

//go:noinline
func waits(lines *os.File) {
	for b := make([]byte, 1); ; {
		lines.Read(b)
		time.Sleep(2 * time.Millisecond)
	}
}

func profile(path, seconds string) {
	n, _ := strconv.Atoi(seconds)
	f, err := os.Create(path)
	if err != nil || pprof.StartCPUProfile(f) != nil {
		panic(path)
	}
	time.Sleep(time.Duration(n) * time.Second)
	pprof.StopCPUProfile()
	f.Close()
	fmt.Println("profiled")
}

func main() {
	depth, _ := strconv.Atoi(os.Args[1])
	zeros, err := os.Open("/dev/zero")
	if err != nil {
		panic(err)
	}
	go descend(depth)
	go waits(zeros)
	fmt.Println("ready")
	if len(os.Args) > 3 {
		profile(os.Args[2], os.Args[3])
	}
	select {}
}
