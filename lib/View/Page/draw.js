// Small helpers that make elements. Text is always set as text, so that no name of a model is ever read as HTML.

/** An element with properties, then its children: elements or texts. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "class") element.className = value;
    else if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key.includes("-") || key === "role" || key === "style") element.setAttribute(key, value);
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

const formatNumber = (value, digits = 3) => value === undefined ? "-" : Number(value.toPrecision(digits)).toLocaleString("en", {maximumFractionDigits: 6});
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
  const cell = (tag, value) => {
    if (value instanceof Node) return make(tag, {}, value);
    const isNumber = typeof value === "number" || /^(-|[\d,.]+( ?[a-zµA-Z/%]+)?)$/.test(String(value));
    return make(tag, {class: isNumber ? "n" : ""}, String(value ?? "-"));
  };
  const body = rows.map((row, index) => make("tr", onRow ? {class: "link", onclick: () => onRow(index)} : {}, ...row.map((value) => cell("td", value))));
  return make("table", {}, make("thead", {}, make("tr", {}, ...heads.map((head) => make("th", {}, head)))), make("tbody", {}, ...body));
}

/** Rows of one stacked bar each: {label, parts: [{name, value, color}]}. */
function drawBars(rows, format, width = 560) {
  const most = Math.max(1e-12, ...rows.map((row) => row.parts.reduce((sum, part) => sum + part.value, 0)));
  const height = 22, left = 190;
  const svg = makeSvg("svg", {class: "plot", viewBox: `0 0 ${width} ${rows.length * height + 4}`, width, role: "img"});
  rows.forEach((row, index) => {
    let x = left, y = index * height + 4;
    const label = row.label.length > 30 ? row.label.slice(0, 29) + "…" : row.label;
    svg.append(makeSvg("text", {x: left - 8, y: y + 12, "text-anchor": "end"}, label));
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
  return svg;
}
