// A graph of operations in layers (Sugiyama, Tagawa and Toda, 1981): longest paths, few crossings by the median of the
// neighbours, long edges through points of their own. Linear in what is shown, of which there is a limit.

const kMostShown = 400, kMostEdgesOfSource = 3;
/** So many pixels from a line a click is meant for it. */
const kNearEdge = 16;

/** Lays out nodes with `inputs` (indices); sets x, y, width, height of each. Returns edges as lists of points. */
function layOut(nodes) {
  const outputs = nodes.map(() => []);
  nodes.forEach((node, index) => node.inputs.forEach((input) => outputs[input].push(index)));
  const order = [], waiting = nodes.map((node) => node.inputs.length);
  nodes.forEach((node, index) => { if (!waiting[index]) order.push(index); });
  for (let i = 0; i < order.length; ++i) for (const output of outputs[order[i]]) if (--waiting[output] === 0) order.push(output);
  const layer = nodes.map(() => 0);
  for (const index of order) for (const output of outputs[index]) layer[output] = Math.max(layer[output], layer[index] + 1);
  // What has no inputs stands right above its first use.
  for (const index of order) if (!nodes[index].inputs.length && outputs[index].length)
    layer[index] = Math.max(0, Math.min(...outputs[index].map((output) => layer[output])) - 1);

  // Points of long edges are items, too.
  const items = nodes.map((node, index) => ({node, layer: layer[index], up: [], down: [], width: node.width, x: 0}));
  const paths = [];
  nodes.forEach((node, index) => {
    for (const input of node.inputs) {
      const path = [input];
      for (let level = layer[input] + 1; level < layer[index]; ++level) {
        items.push({layer: level, up: [], down: [], width: 6, x: 0});
        path.push(items.length - 1);
      }
      path.push(index);
      for (let i = 1; i < path.length; ++i) {
        items[path[i]].up.push(items[path[i - 1]]);
        items[path[i - 1]].down.push(items[path[i]]);
      }
      paths.push(path);
    }
  });
  const layers = [];
  for (const item of items) (layers[item.layer] ??= []).push(item);
  for (let i = 0; i < layers.length; ++i) layers[i] ??= [];
  const number = () => layers.forEach((row) => row.forEach((item, place) => { item.place = place; }));
  number();
  const sortBy = (row, side) => {
    for (const item of row) {
      const places = item[side].map((other) => other.place).sort((a, b) => a - b);
      item.key = places.length ? places[places.length >> 1] : item.place;
    }
    row.sort((a, b) => a.key - b.key || a.place - b.place);
    row.forEach((item, place) => { item.place = place; });
  };
  for (let sweep = 0; sweep < 6; ++sweep) {
    if (sweep % 2 === 0) for (let i = 1; i < layers.length; ++i) sortBy(layers[i], "up");
    else for (let i = layers.length - 2; i >= 0; --i) sortBy(layers[i], "down");
  }
  // Places across: towards the neighbours' mean, in order, without overlaps.
  const gap = 16;
  for (const row of layers) {
    let x = 0;
    for (const item of row) { item.x = x + item.width / 2; x += item.width + gap; }
    row.forEach((item) => { item.x -= x / 2; });
  }
  const pull = (row, side) => {
    const wanted = row.map((item) => item[side].length ? item[side].reduce((sum, other) => sum + other.x, 0) / item[side].length : item.x);
    let right = -Infinity;
    row.forEach((item, i) => { item.x = Math.max(wanted[i], right + item.width / 2); right = item.x + item.width / 2 + gap; });
    // Half of what was pushed to the right goes back.
    const shift = row.reduce((sum, item, i) => sum + wanted[i] - item.x, 0) / Math.max(1, row.length);
    row.forEach((item) => { item.x += shift; });
  };
  for (let sweep = 0; sweep < 6; ++sweep) {
    if (sweep % 2 === 0) for (let i = 1; i < layers.length; ++i) pull(layers[i], "up");
    else for (let i = layers.length - 2; i >= 0; --i) pull(layers[i], "down");
  }
  const step = 66;
  items.forEach((item) => { item.y = item.layer * step; });
  nodes.forEach((node, index) => { node.x = items[index].x; node.y = items[index].y; });
  return paths.map((path) => path.map((index) => [items[index].x, items[index].y]));
}

/** Points along a drawn line, close enough to each other to tell which line the pointer is at. */
function sampleEdge(points) {
  const list = [];
  for (let i = 1; i < points.length; ++i) {
    const [fromX, fromY] = points[i - 1], [toX, toY] = points[i];
    for (let t = 0; t <= 1; t += 0.125) {
      // As the curve is drawn: its control points lie at half the height.
      const across = 3 * t * t - 2 * t * t * t, down = 1.5 * t * (1 - t) + t * t * t;
      list.push([fromX + (toX - fromX) * across, fromY + (toY - fromY) * down]);
    }
  }
  return list;
}

/** Where a node comes from, short and behind a space: a part of its name in the model, or line and column. */
function getShortPlace(node) {
  const place = node.place ?? "", parts = place.split("/").filter((part) => part), line = place.match(/\d+:\d+$/)?.[0];
  let name = line ?? parts.pop() ?? "";
  // What only repeats the operation tells less than the folder that it stands in.
  if (!line && parts.length && name.toLowerCase().startsWith(node.label.replace(/_/g, ""))) name = parts.pop();
  return name && name !== node.label && name.length < 20 ? ` ${name}` : "";
}

/** Draws the nodes of a function. `onPick(node, isSecond)` is called where one is clicked, with Shift as the second of
 *  two, and `onEdge(from, to)` where a line between two is. */
class GraphView {
  constructor(nodes, onPick, onEdge) {
    this.all = nodes;
    this.onPick = onPick;
    this.onEdge = onEdge;
    this.open = new Set();
    this.begin = 0;
    this.box = {x: 0, y: 0, width: 100, height: 100};
    this.svg = makeSvg("svg", {tabindex: 0, role: "img", "aria-label": "Graph of operations"});
    this.info = make("span", {class: "soft"});
    this.bar = make("span", {},
      make("button", {title: "Zoom in (+)", onclick: () => this.zoom(0.8)}, "+"), " ",
      make("button", {title: "Zoom out (-)", onclick: () => this.zoom(1.25)}, "−"), " ",
      make("button", {title: "Show all (0)", onclick: () => this.fit(true)}, "Fit"), " ",
      make("button", {title: "Open or close all groups", onclick: () => this.toggleAll()}, "Groups"), " ",
      make("button", {title: "Show or hide constants", onclick: () => { this.hasConstants = !this.hasConstants; this.draw(); }}, "Constants"), " ",
      make("button", {title: "Earlier operations", onclick: () => this.move(-1)}, "◀"), " ",
      make("button", {title: "Later operations", onclick: () => this.move(1)}, "▶"), " ", this.info);
    this.element = make("div", {class: "drawing"}, this.svg);
    this.groups = this.findGroups();
    this.watch();
    this.draw();
  }

  /** Groups: those of the IR, else the folders of imported nodes' names where there are many nodes. */
  findGroups() {
    const groups = new Map();
    for (const node of this.all) if (node.group !== undefined) groups.set(node.index, this.all[node.group]?.index);
    this.heads = new Set(groups.values());
    if (groups.size || this.all.length < 60) return groups;
    this.folders = new Map();
    for (const node of this.all) {
      const parts = (node.place ?? "").split(/[/.]/).filter((part) => part);
      if (parts.length < 3 || /:\d+:\d+$/.test(node.place)) continue;
      this.folders.set(node.index, parts.slice(0, Math.max(1, Math.min(2, parts.length - 1))).join("/"));
    }
    return groups;
  }

  /** What stands for a node: itself, or the outermost closed group around it. */
  representative(node) {
    let found = null;
    for (let group = this.groups.get(node.index); group !== undefined; group = this.groups.get(group))
      if (!this.open.has("g" + group)) found = "g" + group;
    if (found) return found;
    const folder = this.folders?.get(node.index);
    if (folder !== undefined && !this.open.has("f" + folder)) return "f" + folder;
    return "n" + node.index;
  }

  draw() {
    const byKey = new Map(), opened = new Set([...this.open].filter((key) => key[0] === "g").map((key) => Number(key.slice(1))));
    for (const node of this.all) {
      if (/\.(return|yield)$/.test(node.op) || node.op === "kernel.alloc") continue;
      if (!this.hasConstants && /\.constant$/.test(node.op)) continue;
      if (opened.has(node.index)) continue;
      const key = this.representative(node);
      // A closed group is its own node, unless one around it is closed, too.
      const isHead = this.heads.has(node.index) && key[0] === "n", name = isHead ? "g" + node.index : key;
      if (!byKey.has(name)) byKey.set(name, {key: name, members: [], sources: []});
      byKey.get(name).members.push(node);
      if (isHead || name === "g" + node.index) byKey.get(name).head = node;
    }
    let shown = [...byKey.values()];
    const total = shown.length;
    this.begin = Math.max(0, Math.min(this.begin, total - kMostShown));
    shown = shown.slice(this.begin, this.begin + kMostShown);
    const place = new Map(shown.map((item, index) => [item.key, index]));
    const keyOf = new Map();
    for (const item of byKey.values()) for (const node of item.members) keyOf.set(node.index, item.key);
    for (const item of shown) {
      const inputs = new Set();
      item.also = [];
      for (const node of item.members) for (const input of node.inputs) {
        const other = place.get(keyOf.get(input));
        if (other === undefined || other >= place.get(item.key) || inputs.has(other)) continue;
        // What everything reads would cross everything: its later readers name it.
        const source = shown[other];
        if (!source.inputs.length && (source.uses = (source.uses ?? 0) + 1) > kMostEdgesOfSource) item.also.push(source.label);
        else inputs.add(other);
      }
      item.inputs = [...inputs];
      const first = item.head ?? item.members[0];
      const isGroup = item.head !== undefined || item.key[0] === "f";
      item.label = item.key[0] === "f" ? `${item.key.slice(1)} (${item.members.length})` : isGroup ? `${first.kernel ?? first.label} (${item.members.length - 1})` : first.label;
      item.type = isGroup && item.key[0] === "f" ? "" : first.type;
      item.isGroup = isGroup;
      item.first = first;
      const clip = (text, most) => text.length > most ? text.slice(0, most - 1) + "…" : text;
      item.label = clip(item.label, 34);
      if (first.branch && item.key[0] === "n") item.type = `${first.branch}: ${item.type}`;
      item.type = clip([item.type, ...item.also.map((name) => "← " + name)].join(" "), 44);
      item.name = isGroup || first.op === "argument" ? "" : getShortPlace(first);
      item.width = Math.max(44, item.label.length * 7 + item.name.length * 6, item.type.length * 5.6) + 18;
    }
    const paths = layOut(shown);
    const pairs = shown.flatMap((item) => item.inputs.map((input) => [shown[input], item]));
    this.svg.replaceChildren();
    this.edges = [];
    for (const [index, points] of paths.entries()) {
      let text = "";
      points.forEach(([x, y], i) => {
        if (!i) text = `M${x},${y + 19}`;
        else {
          const [fromX, fromY] = points[i - 1], from = fromY + (i === 1 ? 19 : 0), to = y - (i === points.length - 1 ? 19 : 0), middle = (from + to) / 2;
          text += `C${fromX},${middle} ${x},${middle} ${x},${to}`;
        }
      });
      const [from, to] = pairs[index];
      const edge = {from, to, points: sampleEdge(points), element: makeSvg("path", {class: "edge", d: text, "data-from": from.label, "data-to": to.label})};
      this.edges.push(edge);
      this.svg.append(edge.element);
    }
    this.shown = shown;
    this.near = null;
    for (const item of shown) {
      const kind = item.isGroup ? "group" : item.first.op === "argument" ? "argument" : "";
      item.element = makeSvg("g", {class: `node ${kind}`, transform: `translate(${item.x},${item.y})`, "data-label": item.label, onclick: (event) => {
        if (this.hasMoved) return;
        if (item.isGroup && (event.detail > 1 || item.key[0] === "f")) this.toggle(item.key);
        else this.onPick(item.first, event.shiftKey);
      }}, makeSvg("rect", {x: -item.width / 2, y: -19, width: item.width, height: 38, rx: 7}),
        makeSvg("text", {y: item.type ? -2 : 4, "text-anchor": "middle"}, item.label, makeSvg("tspan", {class: "type"}, item.name)),
        makeSvg("text", {y: 12, "text-anchor": "middle", class: "type"}, item.type),
        makeSvg("title", {}, [item.first.place, item.first.op, item.first.type].filter((part) => part).join("\n") + (item.isGroup ? "\nDouble click opens it." : "")));
      this.svg.append(item.element);
    }
    this.info.textContent = total > kMostShown ? `${this.begin + 1} to ${this.begin + shown.length} of ${total}` : "";
    this.fit();
    if (this.state) this.mark(this.state);
  }

  toggle(key) {
    if (!this.open.delete(key)) this.open.add(key);
    this.draw();
  }

  toggleAll() {
    const keys = [...new Set([...this.groups.values()].filter((group) => group !== undefined).map((group) => "g" + group)), ...new Set([...(this.folders?.values() ?? [])].map((folder) => "f" + folder))];
    if (this.open.size) this.open.clear();
    else keys.forEach((key) => this.open.add(key));
    this.draw();
  }

  move(direction) {
    this.begin += direction * kMostShown / 2;
    this.draw();
  }

  /** Shows the graph: all of it with `isWhole`, else from the top, as far as letters can be read. */
  fit(isWhole = false) {
    this.isFitted = true;
    const left = Math.min(...this.shown.map((item) => item.x - item.width / 2), 0) - 20, right = Math.max(...this.shown.map((item) => item.x + item.width / 2), 1) + 20;
    const bottom = Math.max(...this.shown.map((item) => item.y), 0) + 40;
    const size = this.element.getBoundingClientRect(), across = size.width || 440, down = size.height || 600;
    const scale = Math.min(1.1, Math.max(isWhole ? 0 : 0.72, Math.min(across / (right - left), down / (bottom + 60))));
    // Of what is too wide, where the data come in: first arguments, which may stand far down beside what reads them.
    const first = this.shown.find((item) => item.first.op === "argument") ?? this.shown.find((item) => item.inputs.length) ?? this.shown[0];
    const isWide = first && (right - left) * scale > across, middle = isWide ? first.x : (left + right) / 2, top = isWide ? first.y : 0;
    this.box = {x: middle - across / scale / 2, y: top - 40, width: across / scale, height: down / scale};
    this.apply();
  }

  /** The room has changed: at the same scale the middle stays, and what is chosen remains in sight. */
  resize() {
    const {width, height} = this.element.getBoundingClientRect(), old = this.size;
    this.size = {width, height};
    if (!width || !height) return;
    if (!old?.width || this.isFitted) this.fit();
    else {
      const scale = this.box.width / old.width;
      this.box.x += (old.width - width) / 2 * scale;
      this.box.width = width * scale;
      this.box.height = height * scale;
      this.apply();
    }
    const having = (state) => this.shown.find((item) => item.element.classList.contains(state)), chosen = having("chosen") ?? having("lit");
    if (chosen) this.reveal(chosen.first);
  }

  apply() { this.svg.setAttribute("viewBox", `${this.box.x} ${this.box.y} ${this.box.width} ${this.box.height}`); }

  zoom(factor, at) {
    this.isFitted = false;
    const {x, y, width, height} = this.box, [px, py] = at ?? [0.5, 0.5];
    this.box = {x: x + width * px * (1 - factor), y: y + height * py * (1 - factor), width: width * factor, height: height * factor};
    this.apply();
  }

  watch() {
    const place = (event) => { const size = this.svg.getBoundingClientRect(); return [(event.clientX - size.left) / size.width, (event.clientY - size.top) / size.height]; };
    this.svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(event.deltaY > 0 ? 1.12 : 0.89, place(event));
    }, {passive: false});
    let last = null, from = null;
    this.svg.addEventListener("pointerdown", (event) => { last = place(event); from = [event.clientX, event.clientY]; this.hasMoved = false; });
    this.svg.addEventListener("pointermove", (event) => {
      if (!event.buttons || !last) return this.point(event);
      // A hand that shakes a little clicks.
      if (!this.hasMoved && Math.hypot(event.clientX - from[0], event.clientY - from[1]) < 4) return;
      this.hasMoved = true;
      const now = place(event);
      this.box.x -= (now[0] - last[0]) * this.box.width;
      this.box.y -= (now[1] - last[1]) * this.box.height;
      last = now;
      this.isFitted = false;
      this.apply();
    });
    this.svg.addEventListener("pointerleave", () => this.point(null));
    this.svg.addEventListener("click", (event) => {
      if (this.hasMoved || event.target.closest(".node")) return;
      this.point(event);
      if (this.near) this.onEdge(this.near.from.first, this.near.to.first);
    });
    new ResizeObserver(() => this.resize()).observe(this.element);
    this.svg.addEventListener("keydown", (event) => {
      if (this.walk(event)) return event.preventDefault();
      const act = {"+": () => this.zoom(0.8), "=": () => this.zoom(0.8), "-": () => this.zoom(1.25), "0": () => this.fit(true),
                   ArrowLeft: () => { this.box.x -= this.box.width / 8; this.apply(); }, ArrowRight: () => { this.box.x += this.box.width / 8; this.apply(); },
                   ArrowUp: () => { this.box.y -= this.box.height / 8; this.apply(); }, ArrowDown: () => { this.box.y += this.box.height / 8; this.apply(); }}[event.key];
      if (!act) return;
      act();
      event.preventDefault();
    });
  }

  /** From the node that is chosen to one that it reads (up), one that reads it (down), or one beside it; with Shift the
   *  other is the second of a pair. Enter opens or closes a group, and where nothing is chosen chooses the middle.
   *  Whether the key did something. */
  walk(event) {
    const own = this.shown.find((item) => item.element.classList.contains("chosen"));
    if (event.key === "Enter") {
      const middle = ({x, y}) => Math.hypot(x - this.box.x - this.box.width / 2, y - this.box.y - this.box.height / 2);
      if (own?.isGroup) this.toggle(own.key);
      else if (!own && this.shown.length) this.onPick(this.shown.reduce((best, item) => middle(item) < middle(best) ? item : best).first, false);
      return true;
    }
    if (!own) return false;
    const row = this.shown.filter((item) => item.y === own.y).sort((a, b) => a.x - b.x), ends = (side, other) => this.edges.filter((edge) => edge[side] === own).map((edge) => edge[other]);
    const next = {ArrowUp: () => ends("to", "from")[0], ArrowDown: () => ends("from", "to")[0], ArrowLeft: () => row[row.indexOf(own) - 1], ArrowRight: () => row[row.indexOf(own) + 1]}[event.key];
    if (!next) return false;
    const found = next();
    if (found) this.onPick(found.first, event.shiftKey);
    return true;
  }

  /** Marks the line that is next to the pointer, with both of its ends: a line is thin, and a click near it is meant for
   *  it. */
  point(event) {
    let best = null, least = kNearEdge;
    if (event && !event.target.closest(".node")) {
      const size = this.svg.getBoundingClientRect(), scale = this.box.width / size.width;
      const x = this.box.x + (event.clientX - size.left) * scale, y = this.box.y + (event.clientY - size.top) * scale;
      for (const edge of this.edges)
        for (const [ex, ey] of edge.points) {
          const distance = Math.hypot(ex - x, ey - y) / scale;
          if (distance < least) { least = distance; best = edge; }
        }
    }
    if (best === this.near) return;
    for (const [edge, isNear] of [[this.near, false], [best, true]])
      if (edge) for (const element of [edge.element, edge.from.element, edge.to.element]) element.classList.toggle("near", isNear);
    this.near = best;
    this.svg.style.cursor = best ? "pointer" : "";
    this.svg.querySelector(":scope > title")?.remove();
    if (best) this.svg.prepend(makeSvg("title", {}, `${best.from.label} to ${best.to.label}: click to see whether they are one kernel, and why`));
  }

  /** `state(node)` is the class of a node. */
  mark(state) {
    this.state = state;
    for (const item of this.shown) {
      const states = item.members.map(state), best = states.includes("chosen") ? "chosen" : states.includes("lit") ? "lit" : "";
      item.element.classList.remove("chosen", "lit");
      if (best) item.element.classList.add(best);
    }
  }

  /** Makes the node visible, and moves to it. */
  reveal(node) {
    let found = this.shown.find((item) => item.members.includes(node));
    if (!found) {
      this.begin = Math.max(0, this.all.indexOf(node) - kMostShown / 2);
      this.draw();
      found = this.shown.find((item) => item.members.includes(node));
    }
    if (!found) return;
    const {x, y, width, height} = this.box, inside = found.width / 2;
    if (found.x - inside > x && found.x + inside < x + width && found.y - 20 > y && found.y + 20 < y + height) return;
    this.box.x = found.x - width / 2;
    this.box.y = found.y - height / 2;
    this.isFitted = false;
    this.apply();
  }
}
