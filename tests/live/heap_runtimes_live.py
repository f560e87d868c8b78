#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-only
"""Memory of programs of Rust, whose allocator is the C library's, and of Go, whose runtime maps what it needs: known
numbers of bytes, by the function that asked for them."""
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "../lib"))
import live  # noqa: E402

BLOCKS, SIZE, WORDS, MIBS = 1000, 300, 100000, 300

RUST = """
use std::io::{self, BufRead, Write};
#[inline(never)]
fn keeps(n: usize, size: usize) {
    for _ in 0..n { std::mem::forget(std::hint::black_box(Vec::<u8>::with_capacity(size))); }
}
#[inline(never)]
fn grows(n: usize) -> Vec<u64> {
    let mut v = Vec::new();
    for i in 0..n { v.push(i as u64); }
    v
}
fn say(what: &str) { println!("{}", what); io::stdout().flush().unwrap(); }
fn main() {
    let mut line = String::new();
    let mut kept = Vec::with_capacity(4);
    say("ready");
    io::stdin().lock().read_line(&mut line).unwrap();
    keeps(BLOCKS, SIZE);
    kept.push(grows(WORDS));
    say("done");
    io::stdin().lock().read_line(&mut line).unwrap();
    std::hint::black_box(&kept);
}
"""

GO = """
package main

import (
	"bufio"
	"fmt"
	"os"
)

var kept [][]byte

//go:noinline
func keeps(n int) {
	for i := 0; i < n; i++ {
		b := make([]byte, 1<<20)
		for j := 0; j < len(b); j += 4096 {
			b[j] = 1
		}
		kept = append(kept, b)
	}
}

func main() {
	in := bufio.NewReader(os.Stdin)
	fmt.Println("ready")
	in.ReadString('\\n')
	keeps(MIBS)
	fmt.Println("done")
	in.ReadString('\\n')
}
"""


def compiler(name, *others):
    path = next(filter(None, map(shutil.which, (name, *others))), None)
    if not path:
        raise live.Skip(f"there is no {name}")
    return path


def held(program):
    """Rows of what it holds, when it has what it says"""
    live.need_root()
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as work, \
         live.Watch("heap", "--sample-bytes", "0", "-p", work.pid, binary=live.CHECKED) as watch:
        assert work.stdout.readline() == "ready\n"
        watch.next()
        for said in "done\n", "":
            work.stdin.write("\n")
            work.stdin.flush()
            if said:
                assert work.stdout.readline() == said
                watch.until(live.now_ns())
                report = watch.reports[-1]
    assert work.returncode == 0, work.returncode
    return report


def of(report, function):
    return [r for r in report["rows"] if any(f["symbol"] == function for f in r["stack"])]


def write(folder, name, text, **numbers):
    for word, n in numbers.items():
        text = text.replace(word, str(n))
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def test_rust():
    """Vectors that are forgotten, and one that grew: each byte, by the function that has them"""
    with live.temporary() as folder:
        source = write(folder, "work.rs", RUST, BLOCKS=BLOCKS, SIZE=SIZE, WORDS=WORDS)
        program = os.path.join(folder, "work")
        subprocess.run([compiler("rustc", "/root/.cargo/bin/rustc"), "-O", "-g", source, "-o", program], check=True,
                       env={"HOME": "/root", **os.environ})
        report = held(program)
    blocks, vector = of(report, "work::keeps"), of(report, "work::grows")
    live.near(sum(r["held"] for r in blocks), BLOCKS, 0, "vectors of Rust that were forgotten")
    live.near(sum(r["held_bytes"] for r in blocks), BLOCKS * SIZE, 0, "their bytes")
    # It doubles as it grows.
    live.near(sum(r["held_bytes"] for r in vector), 8 << (WORDS - 1).bit_length(), 0, "bytes of a vector that grew")
    assert sum(r["held"] for r in vector) == 1, vector


def test_go():
    """The runtime's mappings are of the function that it needed them for; that there are no more than these is said"""
    with live.temporary() as folder:
        source = write(folder, "work.go", GO, MIBS=MIBS)
        program = os.path.join(folder, "work")
        subprocess.run([compiler("go"), "build", "-o", program, source], check=True, cwd=folder,
                       env={"HOME": folder, "GO111MODULE": "off", **os.environ})
        report = held(program)
    # Arenas are of 64 MiB at most, of which the heap grows by pieces of 4 MiB.
    live.near(sum(r["held_bytes"] for r in of(report, "main.keeps")) / (1 << 20), MIBS, 12, "MiB of Go's heap")
    assert "only what they map counts" in report["health"]["note"], report["health"]


if __name__ == "__main__":
    live.main(globals())
