// The model as something to play with: controls for every column, and what it predicts, drawn anew at each move.
(() => {
  const held = document.getElementById("model");
  if (!held) return;
  const about = JSON.parse(held.textContent), model = new forward.Model(about);
  const $ = (selector) => document.querySelector(`#ask-model ${selector}`);
  const values = about.x.mean.slice(), chosen = new Map(); // inputs; what each column's control says
  const LEVEL = 0.9, NEAREST = 5;

  // ---- words and numbers

  // A value to two digits of `unit`, which is its deviation or the distance to its neighbour.
  const digits = (unit) => Math.min(12, Math.max(0, 1 - Math.floor(Math.log10(unit || 1))));
  const number = (value, unit) => value.toLocaleString("en", { maximumFractionDigits: digits(unit), useGrouping: Math.abs(value) >= 1e4 }).replace("-", "−");
  const short = (value) => Number(value.toPrecision(4));
  function element(name, attributes = {}, ...children) {
    const found = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
    found.append(...children);
    return found;
  }
  const data = (value, text) => element("data", { value }, text);

  // ---- columns: from what a control says to inputs, and from the inputs of a row back to it

  const exact = (value) => Number(value.toPrecision(10));
  const dateParts = {
    year: (t) => exact(t.getUTCFullYear() + Math.floor((t - Date.UTC(t.getUTCFullYear(), 0, 1)) / 864e5) / 365.25),
    month: (t) => t.getUTCMonth() + 1,
    weekday: (t) => (t.getUTCDay() + 6) % 7,
    hour: (t) => exact(t.getUTCHours() + t.getUTCMinutes() / 60),
  };
  const kinds = {
    number: { put: (c, v) => { values[c.inputs[0]] = v === "" || isNaN(v) ? about.x.mean[c.inputs[0]] : Number(v); },
      of: (c, row) => isNaN(row[c.inputs[0]]) ? "" : Number(row[c.inputs[0]].toPrecision(7)) },
    words: { put: (c, v) => c.inputs.forEach((j, k) => { values[j] = Number(v === c.levels[c.inputs.length > 1 ? k : 1]); }),
      of: (c, row) => c.levels[c.inputs.length > 1 ? c.inputs.findIndex((j) => row[j] === 1) : row[c.inputs[0]]] },
    date: { put: (c, v) => {
      const t = new Date(`${v}Z`.replace(/^(.{10})Z$/, "$1T00:00Z"));
      c.inputs.forEach((j, k) => { values[j] = isNaN(t) ? about.x.mean[j] : dateParts[c.parts[k]](t); });
    }, of: (c, row) => {
      const part = (name) => row[c.inputs[c.parts.indexOf(name)]], year = Math.floor(part("year"));
      if (isNaN(year)) return "";
      const day = Math.round((part("year") - year) * 365.25) * 864e5, hours = c.parts.includes("hour") ? part("hour") : 0;
      return new Date(Date.UTC(year, 0, 1) + day + Math.round(hours * 60) * 6e4).toISOString().slice(0, c.parts.includes("hour") ? 16 : 10);
    } },
  };
  const days = (text) => Math.round(Date.parse(text.slice(0, 10)) / 864e5);

  function control(c, index) {
    const id = `ask-${index}`, box = element("div", { class: "control" }, element("label", { for: id }, c.name));
    const say = (value, from) => {
      chosen.set(c, value);
      kinds[c.kind].put(c, value);
      for (const field of box.querySelectorAll("input, select"))
        if (field !== from) field.value = field.type === "range" && c.kind === "date" ? days(value) : value;
      const outside = c.kind !== "words" && value !== "" && (value < c.low || value > c.high);
      box.classList.toggle("outside", outside);
    };
    if (c.kind === "words") {
      box.append(element("select", { id }, ...c.levels.map((level) => element("option", {}, level))));
    } else {
      const clock = c.kind === "date" && c.parts.includes("hour");
      const type = c.kind === "number" ? "number" : clock ? "datetime-local" : "date";
      const ends = c.kind === "number" ? [c.low, c.high] : [days(c.low), days(c.high)];
      const step = c.kind === "number" && !c.whole ? "any" : 1;
      box.append(element("input", { id, type, ...(type === "number" ? { step: "any" } : {}) }),
        element("input", { type: "range", min: ends[0], max: ends[1], step, "aria-label": `${c.name}, by moving` }));
    }
    box.addEventListener("input", (event) => {
      let value = event.target.value;
      if (event.target.type === "range")
        value = c.kind === "date" ? new Date(value * 864e5).toISOString().slice(0, 10) + (chosen.get(c).slice(10) || "")
          : c.whole ? Number(value) : short(Number(value));
      else if (c.kind === "number" && value !== "") value = Number(value);
      say(value, event.target);
      if (c.kind !== "words") along = c;
      show();
    });
    c.say = say;
    return box;
  }
  const take = (row) => about.columns.forEach((c) => c.say(kinds[c.kind].of(c, row)));

  // ---- training rows near the inputs, as the first layer measures: each input in its lengthscale

  const rows = forward.singles(about.rows), targets = forward.singles(about.targets), D = values.length;
  const rowAt = (n) => rows.subarray(n * D, (n + 1) * D);
  const rates = about.lengthscales.map((length, j) => 1 / (length * about.x.std[j]));
  function nearest() {
    const far = Array.from(targets, (_, n) => rates.reduce((sum, rate, j) => {
      const value = rows[n * D + j];
      return sum + ((isNaN(value) ? about.x.mean[j] : value) - values[j]) ** 2 * rate * rate;
    }, 0));
    return [...far.keys()].sort((a, b) => far[a] - far[b]).slice(0, NEAREST);
  }
  const answerOf = (n) => about.labels.length ? about.labels[targets[n]] : String(Number(targets[n].toPrecision(7)));
  function showNearest(near) {
    $("tbody").replaceChildren(...near.map((n) => {
      const button = element("button", { type: "button", class: "copy" }, "take");
      button.addEventListener("click", () => { take(rowAt(n)); show(); });
      const cells = about.columns.map((c) => element("td", {}, String(kinds[c.kind].of(c, rowAt(n)))));
      return element("tr", {}, element("th", { scope: "row" }, answerOf(n)), ...cells, element("td", {}, button));
    }));
  }

  // ---- pictures

  const SVG = "http://www.w3.org/2000/svg";
  function draw(svg, name, attributes, text) {
    const found = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) found.setAttribute(key, value);
    if (text !== undefined) found.textContent = text;
    svg.append(found);
    return found;
  }
  function ticks(low, high, most) { // round numbers, no more than there is room for
    const rough = (high - low) / most, power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((k) => k * power >= rough);
    return { step, at: Array.from({ length: Math.floor(high / step) - Math.ceil(low / step) + 1 }, (_, k) => (Math.ceil(low / step) + k) * step) };
  }
  function density(svg, grid, region, modes, near) {
    const width = svg.clientWidth || 600, height = svg.clientHeight || 260, top = 26, base = height - 34;
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const seen = [...about.range, region[0][0], region[region.length - 1][1]];
    const pad = (Math.max(...seen) - Math.min(...seen)) * 0.04;
    const low = Math.min(...seen) - pad, high = Math.max(...seen) + pad, peak = grid.p.reduce((a, b) => Math.max(a, b));
    const x = (v) => 8 + (width - 16) * (v - low) / (high - low), y = (p) => base - (base - top) * p / peak;
    const outline = (from, to) => {
      const inside = [...grid.y.keys()].filter((i) => grid.y[i] > from && grid.y[i] < to);
      const edge = (v) => { // the density between two places of the grid
        const i = Math.min(grid.y.length - 2, Math.max(0, Math.floor((v - grid.y[0]) / grid.step)));
        return grid.p[i] + (grid.p[i + 1] - grid.p[i]) * (v - grid.y[i]) / grid.step;
      };
      const points = [[from, edge(from)], ...inside.map((i) => [grid.y[i], grid.p[i]]), [to, edge(to)]];
      return points.map(([v, p]) => `${x(v).toFixed(1)},${y(p).toFixed(1)}`).join("L");
    };
    const ends = [Math.max(low, grid.y[0]), Math.min(high, grid.y[grid.y.length - 1])];
    draw(svg, "path", { class: "all", d: `M${x(ends[0])},${base}L${outline(...ends)}L${x(ends[1])},${base}Z` });
    for (const [from, to] of region) draw(svg, "path", { class: "region", d: `M${x(from)},${base}L${outline(from, to)}L${x(to)},${base}Z` });
    draw(svg, "path", { class: "line", d: `M${outline(...ends)}` });
    draw(svg, "line", { class: "axis", x1: 0, x2: width, y1: base, y2: base });
    const { step, at } = ticks(low, high, Math.max(2, width / 90));
    for (const v of at) {
      draw(svg, "line", { class: "axis", x1: x(v), x2: x(v), y1: base, y2: base + 4 });
      draw(svg, "text", { x: Math.min(width - 14, Math.max(14, x(v))), y: base + 18, class: "tick" }, number(v, step * 9));
    }
    let last = -Infinity;
    for (const mode of modes.slice().sort((a, b) => a - b)) {
      const p = grid.p[Math.round((mode - grid.y[0]) / grid.step)];
      draw(svg, "line", { class: "mode", x1: x(mode), x2: x(mode), y1: base, y2: y(p) });
      if (x(mode) - last < 60) continue; // two names would meet
      draw(svg, "text", { x: Math.min(width - 24, Math.max(24, x(mode))), y: y(p) - 8, class: "name" }, number(mode, spread));
      last = x(mode);
    }
    for (const n of near) draw(svg, "circle", { class: "near", cx: x(targets[n]), cy: base, r: 4 });
  }
  let spread = 1;

  // What is predicted along one column, the others as they are: regions of 50 and 90 %, and the training rows as dots.
  const STEPS = 60;
  let along = about.columns.find((c) => c.kind !== "words");
  function profile(svg) {
    const c = along, width = svg.clientWidth || 600, height = svg.clientHeight || 260, left = 52, base = height - 34;
    const [low, high] = c.kind === "date" ? [days(c.low), days(c.high)] : [c.low, c.high];
    const here = chosen.get(c), kept = values.slice(), place = (v) => c.kind === "date" ? days(v) : v;
    const at = Array.from({ length: STEPS }, (_, k) => low + (high - low) * (k + 0.5) / STEPS);
    const grids = at.map((v) => {
      kinds[c.kind].put(c, c.kind === "date" ? new Date(v * 864e5).toISOString().slice(0, 10) + here.slice(10) : v);
      const found = model.predict(Array.from(values)), grid = found.grid();
      return [found.region(0.9, grid), found.region(0.5, grid)];
    });
    kept.forEach((v, j) => { values[j] = v; });
    const ends = grids.flatMap(([wide]) => [wide[0][0], wide[wide.length - 1][1]]).concat(about.range);
    const least = Math.min(...ends), most = Math.max(...ends);
    const x = (v) => left + (width - left - 8) * (v - low) / (high - low || 1), y = (v) => base - (base - 10) * (v - least) / (most - least);
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.replaceChildren();
    const wide = x(at[1]) - x(at[0]);
    ["all", "region"].forEach((name, k) => draw(svg, "path", { class: name, d: grids.flatMap((regions, i) => regions[k].map(([a, b]) =>
      `M${(x(at[i]) - wide / 2).toFixed(1)},${y(a).toFixed(1)}h${(wide + 0.6).toFixed(1)}V${y(b).toFixed(1)}h${(-wide - 0.6).toFixed(1)}Z`)).join("") }));
    for (const n of targets.keys()) {
      const v = place(kinds[c.kind].of(c, rowAt(n)));
      const like = about.columns.every((w) => w.kind !== "words" || kinds.words.of(w, rowAt(n)) === chosen.get(w));
      if (v !== "") draw(svg, "circle", { class: like ? "row" : "row other", cx: x(v).toFixed(1), cy: y(targets[n]).toFixed(1), r: 2 });
    }
    if (here !== "" && place(here) >= low && place(here) <= high)
      draw(svg, "line", { class: "mode", x1: x(place(here)), x2: x(place(here)), y1: base, y2: 10 });
    draw(svg, "line", { class: "axis", x1: left, x2: width, y1: base, y2: base });
    const { step, at: marks } = ticks(low, high, Math.max(2, (width - left) / 110));
    for (const v of marks) {
      draw(svg, "line", { class: "axis", x1: x(v), x2: x(v), y1: base, y2: base + 4 });
      const name = c.kind === "date" ? new Date(v * 864e5).toISOString().slice(0, 7) : number(v, step * 9);
      draw(svg, "text", { x: Math.min(width - 24, x(v)), y: base + 18, class: "tick" }, name);
    }
    const rise = ticks(least, most, 5);
    for (const v of rise.at) draw(svg, "text", { x: left - 6, y: y(v) + 4, class: "level" }, number(v, rise.step * 9));
    $(".along").textContent = `Along ${c.name}, with all else as it is: half of such rows in the dark part, nine in ten in the light one. Dots are training rows, faint where their words differ.`;
  }

  // ---- what it says

  const or = (parts) => parts.length > 1 ? `${parts.slice(0, -1).join(", ")} or ${parts[parts.length - 1]}` : parts[0];
  function sayNumber(found, near) {
    const grid = found.grid(), region = found.region(LEVEL, grid), modes = found.modes(grid);
    spread = found.deviation;
    const n = (value) => number(value, spread);
    const between = or(region.map(([a, b]) => `between ${n(a)} and ${n(b)}`));
    $(".says").replaceChildren(modes.length > 1
      ? element("b", {}, `${about.target} is near ${or(modes.map(n))}.`) : element("b", {}, `${about.target} is near ${n(modes[0])}.`),
      ` Nine in ten such rows should lie ${between}.`);
    const central = [0.05, 0.95].map((p) => found.quantile(p));
    const pair = ([a, b], name) => element("span", { "data-name": name }, data(a, n(a)), " to ", data(b, n(b)));
    const lines = [["mean", [data(found.mean, n(found.mean))]], ["deviation", [data(spread, n(spread))]],
      [modes.length > 1 ? "modes" : "mode", modes.flatMap((m, k) => [k ? ", " : "", data(m, n(m))])],
      ["90 %, shortest", region.flatMap((r, k) => [k ? ", " : "", pair(r, "region")])], ["90 %, central", [pair(central, "central")]]];
    $("dl").replaceChildren(...lines.map(([name, parts]) => element("div", {}, element("dt", {}, name), element("dd", {}, ...parts))));
    density($(".density"), grid, region, modes, near);
    clearTimeout(later);
    if (along) later = setTimeout(() => profile($(".profile")), 60); // slower: once the hand rests
  }
  let later;
  function sayClass(p) {
    const order = [...p.keys()].sort((a, b) => p[b] - p[a]), percent = (v) => `${number(100 * v, 1)} %`;
    $(".says").replaceChildren(element("b", {}, `${about.target} is ${about.labels[order[0]]}`), `, with a probability of ${percent(p[order[0]])}.`);
    $("dl").replaceChildren(...order.map((c) => element("div", { class: "class" }, element("dt", {}, about.labels[c]),
      element("dd", {}, data(p[c], percent(p[c])), element("span", { class: "bar", style: `width: ${100 * p[c]}%` })))));
  }
  function show() {
    const near = nearest(), found = model.predict(Array.from(values));
    if (about.labels.length) sayClass(found); else sayNumber(found, near);
    const outside = about.columns.filter((c) => $(`#ask-${about.columns.indexOf(c)}`).closest(".outside"));
    $(".warning").textContent = outside.length ? `Outside what it has learnt from: ${outside.map((c) =>
      `${c.name} (${c.kind === "date" ? `${c.low} to ${c.high}` : `${short(c.low)} to ${short(c.high)}`})`).join(", ")}.` : "";
    showNearest(near);
  }

  $("form").append(...about.columns.map(control));
  $("thead tr").append(...[about.target, ...about.columns.map((c) => c.name), ""].map((name) => element("th", { scope: "col" }, name)));
  about.columns.forEach((c) => c.say(c.kind === "words" ? c.levels[c.start] : c.kind === "number" ? short(c.start) : c.start));
  if (about.labels.length || !along) $(".profile").parentNode.remove();
  if (about.labels.length) $(".sheet").remove();
  else new ResizeObserver(show).observe($(".sheet")); // it calls at once, too
  if (about.labels.length) show();
})();
