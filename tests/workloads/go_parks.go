// SPDX-License-Identifier: GPL-2.0-only
// Goroutines, more than there are threads that run them, that wait within a call: for a time, for a mutex, and after
// their stack has grown and moved. Usage: go_parks GOROUTINES ROUNDS: prints "ready", and for each line of its input
// does it, and prints how many calls there were and the ns that they took, by function, as it measured itself.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

var mutex sync.Mutex
var calls, sleptNs, lockedNs, grownNs atomic.Int64
var sink byte

//go:noinline
func parksAsleep() { time.Sleep(2 * time.Millisecond) }

//go:noinline
func parksLocked() {
	mutex.Lock()
	time.Sleep(100 * time.Microsecond)
	mutex.Unlock()
}

//go:noinline
func deep(n int) byte {
	var room [1024]byte
	room[n%1024] = byte(n)
	if n > 0 {
		room[0] = deep(n - 1)
	}
	return room[0] + room[n%1024]
}

//go:noinline
func parksGrown() {
	time.Sleep(time.Millisecond)
	sink += deep(64)
	time.Sleep(time.Millisecond)
}

func timed(f func(), ns *atomic.Int64) {
	begin := time.Now()
	f()
	ns.Add(int64(time.Since(begin)))
}

func work(rounds int, done *sync.WaitGroup) {
	for i := 0; i < rounds; i++ {
		timed(parksAsleep, &sleptNs)
		timed(parksLocked, &lockedNs)
		timed(parksGrown, &grownNs)
		calls.Add(1)
	}
	done.Done()
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	rounds, _ := strconv.Atoi(os.Args[2])
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var done sync.WaitGroup
		done.Add(n)
		for i := 0; i < n; i++ {
			go work(rounds, &done)
		}
		done.Wait()
		fmt.Printf("{\"calls\":%d,\"main.parksAsleep\":%d,\"main.parksLocked\":%d,\"main.parksGrown\":%d}\n",
			calls.Load(), sleptNs.Load(), lockedNs.Load(), grownNs.Load())
	}
}
