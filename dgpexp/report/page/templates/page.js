"use strict";
// Sorting: a button in a header sorts the rows by the cells' data-v (else their text); empty cells stay at the end.
function value(row, column) {
  const cell = row.cells[column];
  const v = cell.dataset.v ?? cell.textContent.trim();
  const number = Number(v);
  return v === "" ? null : Number.isNaN(number) ? v : number;
}
function compare(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), undefined, { numeric: true });
}
for (const button of document.querySelectorAll("th > button")) {
  button.addEventListener("click", () => {
    const head = button.parentElement, table = head.closest("table"), body = table.tBodies[0];
    const up = head.getAttribute("aria-sort") !== "ascending";
    for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const column = Number(head.dataset.column);
    const keyed = [...body.rows].map((row) => [value(row, column), row]);
    keyed.sort(([a], [b]) => (a === null) - (b === null) || (up ? compare(a, b) : compare(b, a)) || 0);
    body.append(...keyed.map(([, row]) => row));
  });
}
// Filtering: every field of a form narrows the elements that its data-for selects; selects match data-<name> exactly.
for (const form of document.querySelectorAll("form.filters")) {
  // not form.dataset: a field named "dataset" hides it
  const items = [...document.querySelectorAll(form.getAttribute("data-for"))];
  const output = form.querySelector("output");
  const words = new Map();
  const apply = () => {
    const fields = [...form.elements].filter((f) => f.name && f.value);
    let shown = 0;
    for (const item of items) {
      if (!words.has(item)) words.set(item, (item.dataset.words ?? item.textContent).toLowerCase());
      const keep = fields.every((f) => f.name === "words"
        ? f.value.toLowerCase().split(/\s+/).every((w) => words.get(item).includes(w))
        : item.dataset[f.name] === f.value);
      item.hidden = !keep;
      shown += keep;
    }
    output.textContent = `${shown} of ${items.length}`;
  };
  form.addEventListener("input", apply);
  form.addEventListener("change", apply);
  form.addEventListener("submit", (event) => event.preventDefault());
  apply();
}
// A link to runs or to a configuration opens what it points at, even if a filter hides it.
function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  target.hidden = false;
  for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") e.open = true;
  target.scrollIntoView();
}
addEventListener("hashchange", reveal);
addEventListener("load", reveal); // pictures have taken their room by then
document.addEventListener("click", (event) => {
  const link = event.target.closest('a[href^="#"]');
  if (link && link.hash === location.hash) reveal();
  const copy = event.target.closest("button.copy");
  if (copy) {
    const text = copy.previousElementSibling.textContent;
    const done = () => { copy.textContent = "copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => select(copy)); else select(copy);
  }
});
function select(copy) {
  getSelection().selectAllChildren(copy.previousElementSibling);
  copy.textContent = "press Ctrl-C";
}
// What is wider than its frame fades at the right as long as there is more to see there.
const cue = (e) => e.classList.toggle("more", e.scrollWidth - e.clientWidth - e.scrollLeft > 2);
const frames = new ResizeObserver((entries) => entries.forEach((entry) => cue(entry.target)));
for (const e of document.querySelectorAll(".scroll, .sheet, nav ul")) {
  frames.observe(e);
  e.addEventListener("scroll", () => cue(e), { passive: true });
}
