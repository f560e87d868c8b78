// SPDX-License-Identifier: GPL-2.0-only
/* 70 and 30 % of the CPU in two asynchronous functions, below others that await them and an asynchronous generator, as
 * they go on after what they awaited. Prints "ready". */
'use strict';

function burn(ms) {
	const end = process.cpuUsage().user + 1000 * ms;
	let x = 0;

	while (process.cpuUsage().user < end)
		for (let i = 0; i < 3000; i++)
			x += i * i;
	return x;
}

async function leaf70() {
	burn(7);
}

async function leaf30() {
	burn(3);
}

async function descend(n, leaf) {
	if (n)
		return await descend(n - 1, leaf);
	return await leaf();
}

async function* produce(leaf) {
	for (;;)
		yield await descend(2, leaf);
}

async function consume(leaf) {
	for await (const _ of produce(leaf))
		await new Promise(setImmediate);
}

console.log('ready');
consume(leaf70);
consume(leaf30);
