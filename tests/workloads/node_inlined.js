// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs on node 18 and later: 70 and 30 % of the CPU in two functions that V8 inlines, as they are small, through a
 * third into the loop that calls them; each turn is as dear as another. Usage: node_inlined.js [SECONDS]; prints
 * "ready".
 */
'use strict';
const TURNS = 1000;
let sum = 0;

function small70(x) {
	for (let i = 0; i < 7 * TURNS; i++)
		x = (x * 31 + i) & 0xfffff; // the 70 %
	return x;
}

function small30(x) {
	for (let i = 0; i < 3 * TURNS; i++)
		x = (x * 31 + i) & 0xfffff; // the 30 %
	return x;
}

function both(x) {
	x = small70(x); // calls the one
	return small30(x); // calls the other
}

function works(until) {
	while (performance.now() < until)
		for (let i = 0; i < 20; i++)
			sum = both(sum);
}

console.log('ready');
works(performance.now() + 1000 * Number(process.argv[2] || 1e6));
