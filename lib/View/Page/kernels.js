// One kernel: what it came from, why it is as it is, its loops, accesses and views.

const kTermColors = ["--compute", "--latency", "--memory", "--launch"];

function drawKernels(program, selectNode, name) {
  const kernels = program.kernels, timeOf = (kernel) => kernel.microseconds ?? kernel.predicted ?? 0;
  const most = Math.max(1e-9, ...kernels.map(timeOf)), all = kernels.reduce((sum, kernel) => sum + timeOf(kernel), 0);
  const entries = kernels.map((kernel) => {
    const time = kernel.microseconds ?? kernel.predicted;
    return {label: kernel.name, detail: time === undefined ? "" : (kernel.microseconds === undefined ? "≈ " : "") + formatTime(time) + (all ? ` · ${formatNumber(100 * time / all, 2)} %` : ""), share: (time ?? 0) / most, data: {"data-kernel": kernel.name}};
  });
  const list = makeList("Kernels", entries, kernels.findIndex((kernel) => kernel.name === name), (index) => describeKernel(program, kernels[index], selectNode, index));
  if (!kernels.length) list.beside.append(make("p", {class: "note"}, "There are no kernels: the program was not taken down to the kernel level."));
  return list.element;
}

/** The terms of a prediction, summed over its passes, and what makes up the most of its time. */
function sumTerms(predicted) {
  const terms = new Map(), bound = new Map();
  for (const pass of predicted.passes) {
    const all = [["compute", pass.compute], ["latency", pass.latency], ...pass.transfers.map((value, level) => [level + 1 === pass.transfers.length ? "memory" : `cache ${level + 1}`, value])];
    for (const [name, value] of all) terms.set(name, (terms.get(name) ?? 0) + value);
    const longest = all.reduce((best, term) => term[1] > best[1] ? term : best);
    bound.set(longest[0], (bound.get(longest[0]) ?? 0) + longest[1]);
  }
  return {terms, bound: [...bound].sort((a, b) => b[1] - a[1])};
}

const kTermReasons = {compute: "its operations keep the core's units busy", latency: "each addition waits for the one before it", memory: "its data come from memory"};

/** Why the kernel takes its time, in sentences. */
function explainTime(program, kernel, rank) {
  const time = kernel.measured, parts = [], all = program.kernels.reduce((sum, other) => sum + (other.microseconds ?? other.predicted ?? 0), 0);
  const own = kernel.microseconds ?? kernel.predicted;
  if (own !== undefined && all)
    parts.push(`${rank === 0 ? "The slowest kernel" : `Number ${rank + 1} by time`}: ${formatNumber(100 * own / all, 2)} % of all kernels' time.`);
  if (time) parts.push(`Measured ${formatTime(time.microseconds)} in ${time.launches} launch${time.launches === 1 ? "" : "es"}${kernel.predicted ? `, predicted ${formatTime(kernel.predicted * time.launches)} on one thread` : ""}.`);
  if (kernel.facts.predicted) {
    const {bound} = sumTerms(kernel.facts.predicted), [name, value] = bound[0] ?? ["launch", 0], total = kernel.facts.predicted.total;
    const reason = kTermReasons[name] ?? (name === "launch" ? "to launch it takes longer than its work" : `its data come from ${name}`);
    if (value) parts.push(`Of the prediction ${formatNumber(100 * value / total, 2)} % are ${name}: ${reason}.`);
  }
  if (time?.limit) {
    const share = 100 * time.limit / time.microseconds, limits = program.data.measured.limits;
    const rate = (amount) => formatNumber(amount * time.launches / time.microseconds / 1e3) ;
    const work = time.operations ? `It does ${rate(time.operations)} of ${formatNumber(limits.operationsPerSecond / 1e9)} Gop/s and moves ${rate(time.bytes)} GB/s` : `It moves ${rate(time.bytes)} GB/s`;
    parts.push(`${work}: ${share > 100 ? "more than in the measurement of the machine's limits, which others may have disturbed" : `${formatNumber(share)} % of what the machine can do`}.`);
  }
  return parts.join(" ");
}

function describeKernel(program, kernel, selectNode, rank) {
  const facts = kernel.facts, parts = [make("h2", {}, kernel.name)];
  const add = (title, ...content) => parts.push(make("h3", {}, title), ...content.filter((part) => part));
  parts.push(make("p", {id: "time"}, explainTime(program, kernel, rank)));
  const lazy = program.lazyNodesOf(kernel.name), tensor = program.tensorNodesOf(kernel.name);
  if (tensor.length)
    add("It came from", make("div", {}, ...tensor.slice(0, 60).map((node) => make("span", {class: "pill", title: node.place, onclick: () => selectNode(node)}, `${node.label}${node.place ? " — " + node.place : ""}`)),
      tensor.length > 60 ? make("span", {class: "soft"}, ` and ${tensor.length - 60} more`) : null));
  const remarks = program.remarksOf(kernel.name, lazy).filter((remark) => !["candidate", "rule"].includes(remark.name));
  if (remarks.length) add("Why it is one kernel, and what is not in it", ...groupRemarks(remarks));
  if (facts.predicted) {
    const names = [...sumTerms(facts.predicted).terms.keys()];
    const terms = facts.predicted.passes.map((pass, number) => {
      const values = [pass.compute, pass.latency, ...pass.transfers], longest = values.indexOf(Math.max(...values));
      return {label: `pass ${number + 1}: ${names[longest]}`, parts: [{name: names[longest], value: values[longest], color: ["--compute", "--latency"][longest] ?? "--memory"}]};
    });
    add("Predicted time", make("p", {class: "soft"}, `${formatTime(facts.predicted.total / 1000)} on one thread, of which ${formatTime(facts.predicted.launch / 1000)} to launch. Each pass takes its longest term.`),
      drawBars(terms, (value) => formatTime(value / 1000)), makeTable(["pass", ...names], facts.predicted.passes.map((pass, number) => [String(number + 1), ...[pass.compute, pass.latency, ...pass.transfers].map((value) => formatTime(value / 1000))])));
  }
  add("Schedule", ...describeSchedules(program, kernel));
  if (facts.axes?.length)
    add("Axes after its schedule", make("div", {}, ...facts.axes.map((axis) => make("span", {class: `axis ${axis.kind}`}, `i${axis.id} ${axis.kind} ${axis.extent}`))),
        facts.stages?.length ? make("p", {class: "soft"}, `Stages: ${facts.stages.join(", ")}`) : null);
  if (facts.loops) add("Loops", drawLoops(facts.loops, true));
  if (facts.accesses?.length) add("Accesses", ...describeAccesses(program, kernel));
  const views = viewsOf(program, lazy);
  if (views.length) add("Views", make("div", {class: "views"}, ...views.map(drawView)));
  return parts;
}

/** The rule that made the schedule, what it compared, the predicted times of schedules near it, and its script. */
function describeSchedules(program, kernel) {
  const facts = kernel.facts, parts = [], own = (name) => program.data.remarks.filter((remark) => remark.function === kernel.name && remark.name === name);
  const [rule] = own("rule"), compared = own("candidate");
  if (rule) parts.push(make("p", {}, `${rule.message[0].toUpperCase()}${rule.message.slice(1)}.${compared.length ? "" : " It has one candidate."}`));
  if (compared.length) {
    const numbers = compared.map((remark) => Object.entries(remark.numbers)), [unit] = numbers[0].find(([name]) => name !== "candidates");
    parts.push(make("p", {class: "soft"}, `It compared ${compared[0].numbers.candidates}; the best:`), makeTable(["candidate", unit, ""], compared.map((remark) => {
      const isChosen = remark.message.endsWith(": chosen");
      return [remark.message.replace(/: chosen$/, ""), formatNumber(Number(remark.numbers[unit])), isChosen ? make("b", {}, "chosen") : ""];
    })));
  }
  const list = facts.schedules?.candidates ?? [], chosen = list[0];
  if (chosen?.predicted) {
    const names = [...sumTerms(chosen.predicted).terms.keys()];
    const differ = (steps) => [...steps.filter((step) => !chosen.steps.includes(step)).map((step) => "+ " + step), ...chosen.steps.filter((step) => !steps.includes(step)).map((step) => "− " + step)];
    const rows = list.map((candidate) => {
      const sums = candidate.predicted && sumTerms(candidate.predicted).terms, changes = differ(candidate.steps);
      const label = candidate.kind === "chosen" ? make("b", {}, chosen.steps.length ? "chosen" : "chosen: no schedule") : candidate.kind === "none" ? "no schedule" : changes.join("; ") || "the same steps in another order";
      return [label, candidate.predicted ? formatTime(candidate.predicted.total / 1000) : "-", candidate.predicted ? `${formatNumber(candidate.predicted.total / chosen.predicted.total)}×` : "-", ...names.map((name) => sums ? formatTime((sums.get(name) ?? 0) / 1000) : "-")];
    });
    const {variants, refused} = facts.schedules;
    parts.push(make("p", {class: "soft"}, "Predicted beside others, each term summed over the passes. " + (variants === undefined ? "Of the slowest kernels alone others are tried." :
      `${variants} schedules differ from it in one decision, ${refused} more are refused; the best ${list.filter((candidate) => candidate.kind === "variant").length} stand here. The rules do not choose by these times: tiny-tune measures such schedules.`)),
      makeTable(["schedule", "predicted", "", ...names], rows));
  }
  if (facts.schedule) parts.push(make("button", {onclick: (event) => { navigator.clipboard?.writeText(facts.schedule); event.target.textContent = "Copied"; }}, "Copy the script"), make("pre", {}, facts.schedule));
  if (!parts.length) parts.push(make("p", {class: "soft"}, "It has none: its loops stay as they are."));
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
