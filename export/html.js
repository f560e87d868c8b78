"use strict";
// Tables of a report: a click on a heading sorts by it, text above a table leaves out other rows.
for (const section of document.querySelectorAll("section")) {
	const body = section.querySelector("tbody"), find = section.querySelector("input");
	if (!body)
		continue;
	const value = (row, i) => {
		const cell = row.cells[i];
		return cell.dataset.v === undefined ? cell.textContent : +cell.dataset.v;
	};
	const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
	section.querySelectorAll("th").forEach((th, i) => {
		let down = th.className !== "n";
		th.addEventListener("click", () => {
			down = !down;
			body.append(...Array.from(body.rows).sort((a, b) =>
				compare(value(a, i), value(b, i)) * (down ? -1 : 1)));
		});
	});
	find.addEventListener("input", () => {
		const text = find.value.toLowerCase();
		for (const row of body.rows)
			row.hidden = !row.textContent.toLowerCase().includes(text);
	});
	find.hidden = false;
}
