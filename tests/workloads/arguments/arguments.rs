// SPDX-License-Identifier: GPL-2.0-only
//! As arguments.c, with what Rust passes: slices of text, strings, pairs of numbers.
use std::hint::black_box;
use std::io::{Read, Write};

#[derive(Clone, Copy)]
#[repr(u8)]
pub enum Kind {
    Small = 3,
    Large = 9,
}

pub struct Request {
    pub id: u32,
    pub name: String,
    pub kind: Kind,
    pub tag: &'static str,
}

#[derive(Clone, Copy)]
pub struct Two {
    pub a: u32,
    pub b: u32,
}

#[no_mangle]
#[inline(never)]
pub fn serve(r: &Request, text: &str, owned: String, two: Two, n: i16, kind: Kind) -> usize {
    black_box((r.id, r.name.len(), text, two, n));
    black_box(owned.len()) + kind as usize
}

#[no_mangle]
#[inline(never)]
pub fn twice(n: i32) -> (i32, i64) {
    (black_box(n), black_box(n) as i64 * 2)
}

fn main() {
    let n: u32 = std::env::args().nth(1).and_then(|x| x.parse().ok()).unwrap_or(10);
    let mut sum = 0;
    println!("ready {}", std::process::id());
    std::io::stdout().flush().unwrap();
    let _ = std::io::stdin().read(&mut [0; 1]);
    for i in 0..n {
        let kind = if i % 2 == 0 { Kind::Small } else { Kind::Large };
        let r = Request { id: i, name: format!("name {i}"), kind, tag: "tag" };
        let two = Two { a: i, b: i * 2 };
        sum += serve(&r, &"textXXXX"[..4], format!("owned {i}"), two, -(i as i16), kind);
        let both = twice(i as i32);
        sum += (both.0 as i64 + both.1) as usize;
    }
    println!("{{\"sum\": {sum}}}");
}
