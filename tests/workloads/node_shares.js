// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs on node 18 and later: 70 and 30 % of the CPU in two functions, below a recursion, a sort's
 * callback, a closure and a method, and a thread that waits again and again. The two are too long to be
 * inlined by V8 (460 bytes of bytecode). Usage: node_shares.js DEPTH [SECONDS]; prints "ready".
 */
'use strict';
const { Worker, isMainThread } = require('worker_threads');

const TURNS = 1000;
let sum = 0;

function hot70() {
	let x = 1;

	for (let i = 0; i < 7 * TURNS; i++) {
		x = (x * 31 + 1) & 0xfffff;
		x = (x * 33 + 8) & 0xfffff;
		x = (x * 35 + 15) & 0xfffff;
		x = (x * 37 + 22) & 0xfffff;
		x = (x * 39 + 29) & 0xfffff;
		x = (x * 41 + 36) & 0xfffff;
		x = (x * 43 + 43) & 0xfffff;
		x = (x * 45 + 50) & 0xfffff;
		x = (x * 47 + 57) & 0xfffff;
		x = (x * 49 + 64) & 0xfffff;
		x = (x * 51 + 71) & 0xfffff;
		x = (x * 53 + 78) & 0xfffff;
		x = (x * 55 + 85) & 0xfffff;
		x = (x * 57 + 92) & 0xfffff;
		x = (x * 59 + 99) & 0xfffff;
		x = (x * 61 + 106) & 0xfffff;
		x = (x * 63 + 113) & 0xfffff;
		x = (x * 65 + 120) & 0xfffff;
		x = (x * 67 + 127) & 0xfffff;
		x = (x * 69 + 134) & 0xfffff;
		x = (x * 71 + 141) & 0xfffff;
		x = (x * 73 + 148) & 0xfffff;
		x = (x * 75 + 155) & 0xfffff;
		x = (x * 77 + 162) & 0xfffff;
		x = (x * 79 + 169) & 0xfffff;
		x = (x * 81 + 176) & 0xfffff;
		x = (x * 83 + 183) & 0xfffff;
		x = (x * 85 + 190) & 0xfffff;
		x = (x * 87 + 197) & 0xfffff;
		x = (x * 89 + 204) & 0xfffff;
		x = (x * 91 + 211) & 0xfffff;
		x = (x * 93 + 218) & 0xfffff;
		x = (x * 95 + 225) & 0xfffff;
		x = (x * 97 + 232) & 0xfffff;
		x = (x * 99 + 239) & 0xfffff;
		x = (x * 101 + 246) & 0xfffff;
		x = (x * 103 + 253) & 0xfffff;
		x = (x * 105 + 260) & 0xfffff;
		x = (x * 107 + 267) & 0xfffff;
		x = (x * 109 + 274) & 0xfffff;
	}
	sum += x;
}

function hot30() {
	let x = 1;

	for (let i = 0; i < 3 * TURNS; i++) {
		x = (x * 31 + 1) & 0xfffff;
		x = (x * 33 + 8) & 0xfffff;
		x = (x * 35 + 15) & 0xfffff;
		x = (x * 37 + 22) & 0xfffff;
		x = (x * 39 + 29) & 0xfffff;
		x = (x * 41 + 36) & 0xfffff;
		x = (x * 43 + 43) & 0xfffff;
		x = (x * 45 + 50) & 0xfffff;
		x = (x * 47 + 57) & 0xfffff;
		x = (x * 49 + 64) & 0xfffff;
		x = (x * 51 + 71) & 0xfffff;
		x = (x * 53 + 78) & 0xfffff;
		x = (x * 55 + 85) & 0xfffff;
		x = (x * 57 + 92) & 0xfffff;
		x = (x * 59 + 99) & 0xfffff;
		x = (x * 61 + 106) & 0xfffff;
		x = (x * 63 + 113) & 0xfffff;
		x = (x * 65 + 120) & 0xfffff;
		x = (x * 67 + 127) & 0xfffff;
		x = (x * 69 + 134) & 0xfffff;
		x = (x * 71 + 141) & 0xfffff;
		x = (x * 73 + 148) & 0xfffff;
		x = (x * 75 + 155) & 0xfffff;
		x = (x * 77 + 162) & 0xfffff;
		x = (x * 79 + 169) & 0xfffff;
		x = (x * 81 + 176) & 0xfffff;
		x = (x * 83 + 183) & 0xfffff;
		x = (x * 85 + 190) & 0xfffff;
		x = (x * 87 + 197) & 0xfffff;
		x = (x * 89 + 204) & 0xfffff;
		x = (x * 91 + 211) & 0xfffff;
		x = (x * 93 + 218) & 0xfffff;
		x = (x * 95 + 225) & 0xfffff;
		x = (x * 97 + 232) & 0xfffff;
		x = (x * 99 + 239) & 0xfffff;
		x = (x * 101 + 246) & 0xfffff;
		x = (x * 103 + 253) & 0xfffff;
		x = (x * 105 + 260) & 0xfffff;
		x = (x * 107 + 267) & 0xfffff;
		x = (x * 109 + 274) & 0xfffff;
	}
	sum += x;
}

class Caller {
	round(which) {
		return which ? hot70() : hot30();
	}
}

function bySort(caller) {
	const once = new Set();
	const keyOf = (which) => {
		if (!once.has(which))
			caller.round(which);
		once.add(which);
		return which;
	};

	[1, 0].sort((a, b) => keyOf(a) - keyOf(b));
}

function works(until) {
	while (performance.now() < until)
		bySort(new Caller());
}

function descend(n, until) {
	if (n)
		descend(n - 1, until);
	else
		works(until);
}

function sleeps() {
	const word = new Int32Array(new SharedArrayBuffer(4));

	for (;;)
		Atomics.wait(word, 0, 0, 50);
}

if (isMainThread) {
	const seconds = Number(process.argv[3] || 1e6);


	new Worker(__filename).once('online', () => {
		console.log('ready');
		descend(Number(process.argv[2]), performance.now() + 1000 * seconds);
		process.exit();
	});
} else {
	sleeps();
}
