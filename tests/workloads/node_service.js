// SPDX-License-Identifier: GPL-2.0-only
/*
 * A web server under load: parses what it is sent, sorts, templates, compresses, answers. A thread of its
 * own sends the requests. Usage: node_service.js [SECONDS]; prints "ready".
 */
'use strict';
const { Worker, isMainThread, workerData } = require('worker_threads');
const http = require('http');
const zlib = require('zlib');

const CLIENTS = 4;

function render(items) {
	return items.map(({ name, price }) => `<li>${name}: ${price.toFixed(2)}</li>`).join('\n');
}

function answer(text) {
	const { items } = JSON.parse(text);

	items.sort((a, b) => a.price - b.price);
	return zlib.gzipSync(render(items.filter((i) => /[a-m]$/.test(i.name))));
}

async function handle(request, response) {
	let text = '';

	for await (const chunk of request)
		text += chunk;
	response.setHeader('content-encoding', 'gzip');
	response.end(answer(text));
}

function body() {
	const items = [];

	for (let i = 0; i < 200; i++)
		items.push({ name: `item ${String.fromCharCode(97 + i % 26)}`, price: i * 7919 % 1000 / 10 });
	return JSON.stringify({ items });
}

function ask(agent, port, text) {
	const request = http.request({ agent, port, host: '127.0.0.1', method: 'POST' }, (response) => {
		response.on('data', () => {});
		response.on('end', () => ask(agent, port, text));
	});

	request.end(text);
}

if (isMainThread) {
	const server = http.createServer(handle).listen(0, '127.0.0.1', () => {
		new Worker(__filename, { workerData: server.address().port });
		console.log('ready');
		if (process.argv[2])
			setTimeout(() => process.exit(0), process.argv[2] * 1000);
	});
} else {
	const agent = new http.Agent({ keepAlive: true, maxSockets: CLIENTS });

	for (let i = 0; i < CLIENTS; i++)
		ask(agent, workerData, body());
}
