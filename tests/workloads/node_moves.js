// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two functions that allocate, and a collector that is asked to move what there is (with --expose-gc and
 * --stress-compaction it moves all, functions too). Prints "ready".
 */
'use strict';
const keep = [];

function hot70() {
	return Array.from({ length: 700 }, (ignored, i) => ({ i, t: `x${i}` }));
}

function hot30() {
	return Array.from({ length: 300 }, (ignored, i) => ({ i, t: `x${i}` }));
}

function works() {
	keep[Math.floor(Math.random() * 100)] = hot70();
	keep[Math.floor(Math.random() * 100)] = hot30();
	if (Math.random() < .01)
		gc();
}

console.log('ready');
for (;;)
	works();
