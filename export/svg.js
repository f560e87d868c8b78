"use strict";
// Zoom and search of a flame graph. A frame is a <g> whose rect says where it begins (s), how
// wide it is (w) and how deep it lies (d), in the units of the weights. A page may have several
// graphs: keys are for the one that the pointer is on, or was on last.
(function () {
	const svg = document.currentScript.closest("svg"), root = svg.querySelector(".frames");
	const frames = Array.from(root.querySelectorAll("g")).map(g => {
		const rect = g.querySelector("rect"), text = g.querySelector("text");
		const title = g.querySelector("title");
		return {g, rect, text, name: rect.dataset.n, s: +rect.dataset.s, w: +rect.dataset.w,
			d: +rect.dataset.d, fill: rect.getAttribute("fill"), told: title.textContent};
	});
	const details = svg.querySelector(".details"), found = svg.querySelector(".found");
	const back = svg.querySelector(".back"), look = svg.querySelector(".look");
	const all = frames[0], width = +svg.dataset.width, left = +svg.dataset.left;
	let zoom = all, pattern = null;

	const inside = (f, o) => f.s >= o.s && f.s + f.w <= o.s + o.w;
	const matches = f => f.d > 0 && pattern && pattern.test(f.name);

	function label(f, w) {
		const fits = Math.floor((w - 6) / 6.6);
		f.text.textContent = fits < 3 ? "" : f.name.length <= fits ? f.name
			: f.name.slice(0, fits - 1) + "\u2026";
	}

	function place(f) {
		const above = f.d < zoom.d && inside(zoom, f);
		const shown = above || (f.d >= zoom.d && inside(f, zoom));
		const x = above ? left : left + (f.s - zoom.s) * width / zoom.w;
		const w = above ? width : f.w * width / zoom.w;
		f.g.style.display = shown && w > 0.1 ? "" : "none";
		if (!shown)
			return;
		f.g.style.opacity = above ? 0.5 : 1;
		f.rect.setAttribute("x", x);
		f.rect.setAttribute("width", w);
		f.text.setAttribute("x", x + 3);
		label(f, w);
	}

	function show(f) {
		zoom = f;
		frames.forEach(place);
		back.style.display = f === all ? "none" : "";
		share();
	}

	// Each stack counts once, however many of its frames match: what lies in one is passed over.
	function share() {
		let sum = 0, end = -1;
		frames.forEach(f => f.rect.setAttribute("fill", matches(f) ? "#f0f" : f.fill));
		if (!pattern) {
			found.textContent = "";
			return;
		}
		frames.filter(f => matches(f) && (inside(f, zoom) || inside(zoom, f)))
			.sort((a, b) => a.s - b.s || b.w - a.w).forEach(f => {
				if (f.s < end)
					return;
				end = f.s + f.w;
				sum += Math.min(f.w, zoom.w);
			});
		found.textContent = "matched " + (sum * 100 / zoom.w).toFixed(2) + " %";
	}

	function ask() {
		const text = window.prompt("regular expression, empty for none",
					   pattern ? pattern.source : "");
		if (text === null)
			return;
		try {
			pattern = text ? new RegExp(text) : null;
		} catch (e) {
			window.alert(e.message);
		}
		share();
	}

	const of = e => frames.find(f => f.g === e.target.closest(".frames > g"));
	root.addEventListener("click", e => { const f = of(e); if (f) show(f); });
	root.addEventListener("mouseover", e => {
		const f = of(e);
		details.textContent = f ? f.told : "";
	});
	root.addEventListener("mouseout", () => { details.textContent = ""; });
	back.addEventListener("click", () => show(all));
	look.addEventListener("click", ask);
	svg.addEventListener("mouseenter", () => { window.proftopGraph = svg; });
	window.proftopGraph = window.proftopGraph || svg;
	window.addEventListener("keydown", e => {
		if (window.proftopGraph !== svg || (e.target.closest && e.target.closest("input")))
			return;
		if (e.key === "/" || (e.key === "f" && e.ctrlKey)) {
			e.preventDefault();
			ask();
		} else if (e.key === "Escape") {
			show(all);
		}
	});
	look.style.display = "";
	show(all);
})();
