// SPDX-License-Identifier: GPL-2.0-only
// Locks of parking_lot, whose threads wait in words of their own, and of the standard library: waits for a line, has
// each waited for by one thread in each of 8 rounds, for 20 ms at least, and says so.
use parking_lot::{Condvar, Mutex, RwLock};
use std::io::stdin;
use std::thread;
use std::time::Duration;

static MUTEX: Mutex<u64> = Mutex::new(0);
static BOOK: RwLock<u64> = RwLock::new(0);
static READY: Mutex<bool> = Mutex::new(false);
static CONDITION: Condvar = Condvar::new();
static STD_MUTEX: std::sync::Mutex<u64> = std::sync::Mutex::new(0);
static STD_BOOK: std::sync::RwLock<u64> = std::sync::RwLock::new(0);

#[inline(never)]
fn waits_mutex() {
    *MUTEX.lock() += 1;
}

#[inline(never)]
fn waits_read() {
    let _ = *BOOK.read();
}

#[inline(never)]
fn waits_condition() {
    let mut ready = READY.lock();
    while !*ready {
        CONDITION.wait(&mut ready);
    }
    *ready = false;
}

#[inline(never)]
fn waits_std() {
    *STD_MUTEX.lock().unwrap() += 1;
}

#[inline(never)]
fn waits_std_read() {
    let _ = *STD_BOOK.read().unwrap();
}

fn pause() {
    thread::sleep(Duration::from_millis(20));
}

fn begin(f: fn()) -> thread::JoinHandle<()> {
    let t = thread::spawn(f);
    pause();
    t
}

fn round() {
    let guard = MUTEX.lock();
    let t = begin(waits_mutex);
    drop(guard);
    t.join().unwrap();
    let guard = BOOK.write();
    let t = begin(waits_read);
    drop(guard);
    t.join().unwrap();
    let t = begin(waits_condition);
    *READY.lock() = true;
    CONDITION.notify_one();
    t.join().unwrap();
    let guard = STD_MUTEX.lock().unwrap();
    let t = begin(waits_std);
    drop(guard);
    t.join().unwrap();
    let guard = STD_BOOK.write().unwrap();
    let t = begin(waits_std_read);
    drop(guard);
    t.join().unwrap();
}

fn main() {
    let mut line = String::new();
    println!("ready {}", std::process::id());
    stdin().read_line(&mut line).unwrap();
    for i in 0..9 {
        round(); // after the first one it is known how these threads wait
        if i == 0 {
            println!("first");
            stdin().read_line(&mut line).unwrap();
        }
    }
    println!("done");
    stdin().read_line(&mut line).unwrap();
}
