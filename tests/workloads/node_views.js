// SPDX-License-Identifier: GPL-2.0-only
/*
 * Does a little of all that views show, each below a function of its own: waits that another thread ends, first touches
 * of pages, memory that is kept, file data that is written to the disk. Usage: node_views.js FILE; prints "ready".
 */
'use strict';
const { Worker, isMainThread, workerData } = require('worker_threads');
const fs = require('fs');

const KEPT = 40;

function takes(turn) {
	Atomics.wait(turn, 0, 0);
	Atomics.store(turn, 0, 0);
	Atomics.notify(turn, 0);
}

function gives(turn) {
	Atomics.store(turn, 0, 1);
	Atomics.notify(turn, 0);
	Atomics.wait(turn, 0, 1);
}

function touches() {
	const area = Buffer.allocUnsafeSlow(100 * 4096);

	for (let at = 0; at < area.length; at += 4096)
		area[at] = 1;
	return area;
}

function keeps(kept) {
	kept.push(Buffer.allocUnsafeSlow(50 << 10));
	if (kept.length > KEPT)
		kept.shift();
}

function syncs(out) {
	fs.writeSync(out, Buffer.alloc(4096), 0, 4096, 0);
	fs.fsyncSync(out);
}

function works(turn) {
	const out = fs.openSync(process.argv[2], 'w'), kept = [];

	for (;;) {
		takes(turn);
		touches();
		keeps(kept);
		syncs(out);
	}
}

function helps(turn) {
	for (;;)
		gives(turn);
}

if (isMainThread) {
	const turn = new Int32Array(new SharedArrayBuffer(4));

	new Worker(__filename, { workerData: turn });
	console.log('ready');
	setTimeout(works, 500, turn); // the other one begins
} else {
	helps(workerData);
}
