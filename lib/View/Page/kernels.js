// One kernel: what it came from, why it is as it is, its loops, accesses and views.

const kTermColors = ["--compute", "--latency", "--memory", "--launch"];

function drawKernels(program, selectNode, name) {
  const kernels = program.kernels;
  const detail = make("section", {"aria-label": "The kernel"});
  const most = Math.max(1e-9, ...kernels.map((kernel) => kernel.microseconds ?? kernel.predicted ?? 0));
  const items = kernels.map((kernel, index) => {
    const time = kernel.microseconds ?? kernel.predicted;
    const item = make("li", {"data-kernel": kernel.name, onclick: () => select(index)}, make("span", {}, kernel.name),
      make("span", {class: "soft"}, time === undefined ? "" : (kernel.microseconds === undefined ? "≈ " : "") + formatTime(time)), make("div", {class: "share"}));
    item.lastChild.style.width = 100 * (time ?? 0) / most + "%";
    return item;
  });
  let chosen = 0;
  const list = make("ul", {class: "list", tabIndex: 0, onkeydown: (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    select(Math.max(0, Math.min(kernels.length - 1, chosen + step)));
    event.preventDefault();
  }}, ...items);
  function select(index) {
    chosen = index;
    items.forEach((item, i) => item.setAttribute("aria-selected", i === index));
    items[index].scrollIntoView({block: "nearest"});
    detail.replaceChildren(...describeKernel(program, kernels[index], selectNode));
    detail.scrollTop = 0;
  }
  if (kernels.length) select(Math.max(0, kernels.findIndex((kernel) => kernel.name === name)));
  else detail.append(make("p", {class: "note"}, "There are no kernels: the program was not taken down to the kernel level."));
  return make("div", {class: "split"}, make("section", {"aria-label": "Kernels"}, list), detail);
}

function describeKernel(program, kernel, selectNode) {
  const facts = kernel.facts, parts = [make("h2", {}, kernel.name)];
  const add = (title, ...content) => parts.push(make("h3", {}, title), ...content.filter((part) => part));
  const time = kernel.measured;
  if (time) {
    const share = time.limit ? `, ${formatNumber(100 * time.limit / time.microseconds)} % of what the machine can do` : "";
    parts.push(make("p", {}, `Measured ${formatTime(time.microseconds)} in ${time.launches} launch${time.launches === 1 ? "" : "es"}${share}.` +
      (kernel.predicted ? ` Predicted ${formatTime(kernel.predicted * time.launches)}.` : "")));
  }
  const lazy = program.lazyNodesOf(kernel.name), tensor = program.tensorNodesOf(kernel.name);
  if (tensor.length)
    add("It came from", make("div", {}, ...tensor.slice(0, 60).map((node) => make("span", {class: "pill", title: node.place, onclick: () => selectNode(node)}, `${node.label}${node.place ? " — " + node.place : ""}`)),
      tensor.length > 60 ? make("span", {class: "soft"}, ` and ${tensor.length - 60} more`) : null));
  // Remarks of passes that run before there are kernels name the place of an operation.
  const places = new Set(lazy.map((node) => node.place));
  const remarks = program.data.remarks.filter((remark) => remark.function === kernel.name ||
    (remark.place && places.has(remark.place) && program.data.kernels[remark.function] === undefined));
  if (remarks.length) add("Why", ...groupRemarks(remarks));
  if (facts.predicted) {
    const terms = facts.predicted.passes.map((pass, number) => {
      const all = [{name: "compute", value: pass.compute, color: "--compute"}, {name: "latency", value: pass.latency, color: "--latency"},
                   ...pass.transfers.map((value, level) => ({name: level + 1 === pass.transfers.length ? "memory" : `cache ${level + 1}`, value, color: "--memory"}))];
      const longest = all.reduce((best, term) => term.value > best.value ? term : best);
      return {label: `pass ${number + 1}: ${longest.name}`, parts: [longest]};
    });
    add("Predicted", make("p", {class: "soft"}, `${formatTime(facts.predicted.total / 1000)} in all, of which ${formatTime(facts.predicted.launch / 1000)} to launch. Each pass takes its longest term.`),
      drawBars(terms, (value) => formatTime(value / 1000)), makeTable(["pass", "compute", "latency", ...(facts.predicted.passes[0]?.transfers ?? []).map((_, level, all) => level + 1 === all.length ? "memory" : `cache ${level + 1}`)],
        facts.predicted.passes.map((pass, number) => [String(number + 1), formatTime(pass.compute / 1000), formatTime(pass.latency / 1000), ...pass.transfers.map((value) => formatTime(value / 1000))])));
  }
  if (facts.axes?.length)
    add("Axes after its schedule", make("div", {}, ...facts.axes.map((axis) => make("span", {class: `axis ${axis.kind}`}, `i${axis.id} ${axis.kind} ${axis.extent}`))),
        facts.stages?.length ? make("p", {class: "soft"}, `Stages: ${facts.stages.join(", ")}`) : null);
  if (facts.loops) add("Loops", drawLoops(facts.loops, true));
  if (facts.schedule)
    add("Schedule", make("button", {onclick: (event) => { navigator.clipboard?.writeText(facts.schedule); event.target.textContent = "Copied"; }}, "Copy the script"), make("pre", {}, facts.schedule));
  if (facts.accesses?.length) add("Accesses", ...describeAccesses(program, kernel));
  const views = viewsOf(program, lazy);
  if (views.length) add("Views", make("div", {class: "views"}, ...views.map(drawView)));
  return parts;
}

/** Remarks that say the same stand once, with their places. Refusals come first. */
function groupRemarks(remarks) {
  const groups = new Map();
  for (const remark of remarks) {
    const key = [remark.pass, remark.kind, remark.message].join("\u0000");
    if (!groups.has(key)) groups.set(key, {remark, details: new Set()});
    const numbers = Object.entries(remark.numbers).map(([name, value]) => `${name} ${value}`).join(", ");
    groups.get(key).details.add([numbers, remark.place ? "at " + remark.place : ""].filter((part) => part).join(", "));
  }
  const order = {Missed: 0, Failed: 0, Passed: 1, Analysis: 2};
  return [...groups.values()].sort((a, b) => (order[a.remark.kind] ?? 3) - (order[b.remark.kind] ?? 3)).map(({remark, details}) => {
    const shown = [...details].filter((detail) => detail).slice(0, 3).join("; "), more = details.size - 3;
    return make("div", {class: `remark ${remark.kind}`}, make("b", {}, remark.pass), ` ${remark.message}`, make("span", {class: "soft"}, `${shown ? ` (${shown}${more > 0 ? `; ${more} more` : ""})` : ""}`));
  });
}

/** Loops as boxes in boxes, with what runs in each. */
function drawLoops(loops, isOuter) {
  const holds = Object.entries(loops.holds).map(([name, count]) => `${count} ${name.replace(/^(uop|arith|math|vector)\./, "")}`).join(", ");
  const title = isOuter ? loops.specials?.join(", ") : loops.loop === "if" ? "if" : `for ${loops.loop} times${loops.carried ? `, ${loops.carried} accumulators` : ""}`;
  return make("div", {class: "loop"}, title ? make("b", {}, title) : null, holds ? make("div", {class: "soft"}, holds) : null, ...loops.children.map((child) => drawLoops(child, false)));
}

/** Index expressions before and after they were simplified, and the rules that fired. */
function describeAccesses(program, kernel) {
  const {accesses, accessesBefore} = kernel.facts, parts = [];
  const changed = accessesBefore && JSON.stringify(accesses) !== JSON.stringify(accessesBefore);
  if (changed) parts.push(make("p", {class: "soft"}, "As they were lowered:"), make("pre", {}, accessesBefore.join("\n")), make("p", {class: "soft"}, "As they are now:"));
  parts.push(make("pre", {}, accesses.join("\n")));
  const rules = program.data.rules.filter((rule) => rule.function === kernel.name).sort((a, b) => b.times - a.times);
  if (rules.length) parts.push(make("p", {}, "Rules that fired: ", ...rules.map((rule) => make("span", {class: "pill", title: "docs/SymbolicRules.md"}, `${rule.rule} × ${rule.times}`))));
  return parts;
}

/** The stacks of views among lazy nodes, each once. */
function viewsOf(program, nodes) {
  const places = new Set(nodes.filter((node) => node.op === "lazy.view").map((node) => `${node.func.name}:${node.line}`));
  const seen = new Set();
  return program.data.views.filter((view) => {
    const key = JSON.stringify([view.base, view.stack]);
    return places.has(`${view.function}:${view.line}`) && !seen.has(key) && seen.add(key);
  }).slice(0, 24);
}

/** Where element `index` (a list) of a view lies, or none where it is masked. */
function locate(view, index) {
  let place = view.offset;
  for (let axis = 0; axis < index.length; ++axis) {
    const mask = view.mask[axis];
    if (mask && (index[axis] < mask[0] || index[axis] >= mask[1])) return null;
    place += index[axis] * view.strides[axis];
  }
  return place;
}

function locateInStack(stack, index) {
  let place = index;
  for (let i = stack.length - 1; i >= 0; --i) {
    const found = locate(stack[i], place);
    if (found === null || i === 0) return found;
    // The next view takes the place as a row-major number.
    const shape = stack[i - 1].shape;
    place = [];
    let rest = found;
    for (let axis = shape.length - 1; axis >= 0; --axis) { place.unshift(rest % shape[axis]); rest = Math.floor(rest / shape[axis]); }
  }
  return null;
}

/** A window of a view's last two axes: each cell says which element of the base it reads; masked ones are hatched. */
function drawView(view) {
  const top = view.stack[view.stack.length - 1], rank = top.shape.length;
  const rows = rank > 1 ? Math.min(top.shape[rank - 2], 8) : 1, columns = rank ? Math.min(top.shape[rank - 1], 12) : 1;
  const total = Math.max(1, view.base.reduce((product, size) => product * size, 1));
  const width = 38, height = 20;
  const svg = makeSvg("svg", {class: "plot", width: columns * width + 2, height: rows * height + 2, viewBox: `0 0 ${columns * width + 2} ${rows * height + 2}`});
  const id = "hatch" + Math.random().toString(36).slice(2);
  svg.append(makeSvg("defs", {}, makeSvg("pattern", {id, width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"}, makeSvg("line", {x1: 0, y1: 0, x2: 0, y2: 6, stroke: "var(--soft)", "stroke-width": 1.5}))));
  for (let row = 0; row < rows; ++row)
    for (let column = 0; column < columns; ++column) {
      const index = new Array(rank).fill(0);
      if (rank > 1) index[rank - 2] = row;
      if (rank) index[rank - 1] = column;
      const place = locateInStack(view.stack, index);
      svg.append(makeSvg("rect", {x: column * width + 1, y: row * height + 1, width, height, stroke: "var(--line)",
        fill: place === null ? `url(#${id})` : "var(--accent)", "fill-opacity": place === null ? 1 : 0.08 + 0.5 * place / total}));
      if (place !== null) svg.append(makeSvg("text", {x: column * width + width / 2 + 1, y: row * height + 15, "text-anchor": "middle", style: "font-size:10px"}, String(place)));
    }
  const text = view.stack.map((one) => `(${one.shape.join(", ")}):(${one.strides.join(", ")})${one.offset ? ` + ${one.offset}` : ""}${one.mask.length ? ` mask [${one.mask.map((mask) => mask.join(":")).join(", ")}]` : ""}`).join(" then ");
  const part = rank > 2 || rows < (top.shape[rank - 2] ?? 1) || columns < (top.shape[rank - 1] ?? 1) ? ", its first elements" : "";
  return make("figure", {}, svg, make("figcaption", {}, `${text} of ${total} elements${part}`));
}
