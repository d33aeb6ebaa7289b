// Small helpers that make elements. Text is always set as text, so that no name of a model is ever read as HTML.

/** An element with properties, then its children: elements or texts. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key.includes("-") || ["role", "style", "tabindex"].includes(key)) element.setAttribute(key, value);
    else element[key] = value;
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** The same for SVG. */
function makeSvg(tag, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Properties of what acts on a click, and on Enter or a space where it has the focus. */
const asButton = (act) => ({tabindex: 0, role: "button", onclick: act, onkeydown: (event) => {
  if (event.key !== "Enter" && event.key !== " ") return;
  event.preventDefault();
  act(event);
}});

const formatNumber = (value, digits = 3) => value === undefined ? "-" : Number(value.toPrecision(digits)).toLocaleString("en", {maximumFractionDigits: 6});
function findMedian(sorted) {
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
/** Microseconds as a person reads them. */
function formatTime(us) {
  if (us === undefined) return "-";
  if (us >= 1e6) return formatNumber(us / 1e6) + " s";
  if (us >= 1e3) return formatNumber(us / 1e3) + " ms";
  return us >= 1 ? formatNumber(us) + " µs" : formatNumber(us * 1e3) + " ns";
}
function formatBytes(bytes) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return formatNumber(bytes) + " " + units[unit];
}

/** A table from heads and rows; a cell that is a number or starts with a digit stands right. */
function makeTable(heads, rows, onRow) {
  const isNumber = (value) => typeof value === "number" || (!(value instanceof Node) && /^(-|[\d,.]+( ?[a-zµA-Z/%×]+)?( – [\d,.]+( ?[a-zµA-Z/%×]+)?)?)$/.test(String(value)));
  const cell = (tag, value) => value instanceof Node ? make(tag, {}, value) : make(tag, {class: isNumber(value) ? "n" : ""}, String(value ?? "-"));
  const isRight = (column) => rows.length > 0 && rows.every((row) => isNumber(row[column]));
  const body = rows.map((row, index) => make("tr", onRow ? {class: "link", ...asButton(() => onRow(index))} : {}, ...row.map((value) => cell("td", value))));
  return make("div", {class: "scroll"}, make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head, column) => make("th", {class: isRight(column) ? "n" : ""}, head)))), make("tbody", {}, ...body)));
}

/** A list of which one entry is chosen, by a click or the arrows: `entries` of {label, detail, share (0 to 1), data, kind}.
 *  `onSelect(index)` gives what stands beside it: elements. Returns both, side by side. */
function makeList(name, entries, first, onSelect) {
  const beside = make("section", {"aria-label": `What ${name} shows`});
  let chosen = 0;
  const select = (index) => {
    chosen = index;
    items.forEach((item, i) => item.setAttribute("aria-selected", i === index));
    items[index].scrollIntoView({block: "nearest"});
    beside.replaceChildren(...onSelect(index));
    beside.scrollTop = 0;
  };
  const items = entries.map((entry, index) => {
    const share = make("div", {class: "share"});
    share.style.width = 100 * (entry.share ?? 0) + "%";
    return make("li", {class: entry.kind ?? "", role: "option", onclick: () => select(index), ...entry.data}, make("span", {}, entry.label), make("span", {class: "soft"}, entry.detail), share);
  });
  const list = make("ul", {class: "list", tabIndex: 0, role: "listbox", "aria-label": name, onkeydown: (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    select(Math.max(0, Math.min(items.length - 1, chosen + step)));
    event.preventDefault();
  }}, ...items);
  if (items.length) select(Math.max(0, first));
  // Once it is shown.
  requestAnimationFrame(() => items[chosen]?.scrollIntoView({block: "nearest"}));
  return {element: make("div", {class: "split"}, make("section", {"aria-label": name}, list), beside), beside, select};
}

/** A drawing that keeps its size, and scrolls where there is less room. */
const makeScrollable = (svg) => make("div", {class: "scroll"}, svg);

/** Rows of one stacked bar each: {label, parts: [{name, value, color}]}. */
function drawBars(rows, format, width = 640) {
  const most = Math.max(1e-12, ...rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0)));
  const height = 22, left = 250;
  const svg = makeSvg("svg", {class: "plot", viewBox: `0 0 ${width} ${rows.length * height + 4}`, width, role: "img"});
  rows.forEach((row, index) => {
    let x = left, y = index * height + 4;
    const label = row.label.length > 36 ? row.label.slice(0, 35) + "…" : row.label;
    svg.append(makeSvg("text", {x: left - 8, y: y + 12, "text-anchor": "end"}, label, makeSvg("title", {}, row.label)));
    let sum = 0;
    for (const part of row.parts) {
      const size = part.value / most * (width - left - 80);
      svg.append(makeSvg("rect", {x, y, width: Math.max(0.5, size), height: height - 7, fill: `var(${part.color})`},
                         makeSvg("title", {}, `${part.name}: ${format(part.value)}`)));
      x += size;
      sum += part.value;
    }
    svg.append(makeSvg("text", {x: x + 6, y: y + 12, class: "soft"}, format(sum)));
  });
  return makeScrollable(svg);
}
