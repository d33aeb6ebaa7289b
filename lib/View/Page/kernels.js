// One kernel: what it came from, why it is as it is, its loops, accesses and views.

const kTermColors = ["--compute", "--latency", "--memory", "--launch"];

function drawKernels(program, selectNode, name) {
  const kernels = program.kernels, timeOf = (kernel) => kernel.time ?? 0;
  const most = Math.max(1e-9, ...kernels.map(timeOf)), all = kernels.reduce((sum, kernel) => sum + timeOf(kernel), 0);
  const entries = kernels.map((kernel) => {
    const launches = kernel.measured?.launches > 1 ? ` · ${kernel.measured.launches} launches` : "";
    const detail = !kernel.isLaunched ? "not launched" : kernel.time === undefined ? "" : `${kernel.measured ? "" : "≈ "}${formatTime(kernel.time)}${launches}${all ? ` · ${formatNumber(100 * kernel.time / all, 2)} %` : ""}`;
    return {label: kernel.name, detail, share: timeOf(kernel) / most, data: {"data-kernel": kernel.name}};
  });
  const list = makeList("Kernels", entries, kernels.findIndex((kernel) => kernel.name === name), (index) => describeKernel(program, kernels[index], selectNode, index));
  if (!kernels.length) list.beside.append(make("p", {class: "note"}, "There are no kernels: the program was not taken down to the kernel level."));
  return list.element;
}

/** The terms of a prediction, summed over its passes, and what makes up the most of its time. */
function sumTerms(predicted) {
  const terms = new Map(), bound = new Map();
  for (const pass of predicted.passes) {
    const all = [["compute", pass.compute], ["latency", pass.latency], ["control", pass.control], ...pass.transfers.map((value, level) => [level + 1 === pass.transfers.length ? "memory" : `L${level + 1}`, value])];
    for (const [name, value] of all) terms.set(name, (terms.get(name) ?? 0) + value);
    const longest = all.reduce((best, term) => term[1] > best[1] ? term : best);
    bound.set(longest[0], (bound.get(longest[0]) ?? 0) + longest[1]);
  }
  return {terms, bound: [...bound].sort((a, b) => b[1] - a[1])};
}

const kTermReasons = {compute: "the core's units are busy with its operations", latency: "each sum waits for the one before it", memory: "its data come from main memory",
                      control: "the loops themselves are most of its work",
                      launch: "to launch it takes longer than its work"};

const onThreads = (threads) => threads === 1 ? "one thread" : `${threads} threads`;

/** Its place among all kernels. */
function describeRank(program, kernel, rank) {
  const all = program.kernels.reduce((sum, other) => sum + (other.time ?? 0), 0), own = kernel.time;
  if (!kernel.isLaunched) return `It was not launched in the measured run${program.nestingOf(kernel.name).length ? ": a branch took another way, or a loop had no iteration" : ""}.`;
  if (own === undefined || !all) return "Its time is not known.";
  const launches = kernel.measured?.launches ?? 1, ofOne = (other) => (other.time ?? 0) / (other.measured?.launches ?? 1);
  const longest = program.kernels.reduce((best, other) => ofOne(other) > ofOne(best) ? other : best, kernel);
  const text = `${rank === 0 ? `The slowest ${kernel.isItem ? "item" : "kernel"}` : `Number ${rank + 1} by time`}: ${formatNumber(100 * own / all, 2)} % of all kernels' ${kernel.measured ? "" : "predicted "}time`;
  if (launches === 1) return text + ".";
  return `${text}, the sum of ${launches} launches of ${formatTime(own / launches)} each.${rank === 0 && longest !== kernel ? ` The slowest single launch is ${longest.name}: ${formatTime(ofOne(longest))}.` : ""}`;
}

/** Why the kernel takes its time: sentences, of what was measured or else predicted. */
function explainTime(program, kernel) {
  if (kernel.measured?.reasons) return kernel.measured.reasons.map((text) => text.replace(/(\d) us\b/g, "$1 µs"));
  const predicted = kernel.facts.predicted;
  if (!predicted) return kernel.isItem ? [] : ["Its time is not predicted: the model is one of processors, or its loops could not be read."];
  const {bound} = sumTerms(predicted), [name, value] = bound[0] ?? ["launch", predicted.launch];
  return [`Predicted are ${formatTime(predicted.total / 1000)} on ${onThreads(program.threads)}, of which ${formatNumber(100 * value / predicted.total, 2)} % are ${name}: ${kTermReasons[name] ?? `its loads and stores keep the ${name} cache busy`}.`,
          "Nothing was measured: tiny-run --view measures."];
}

/** The times of the runs along a line, with their middle half and the median. */
function drawSpread(times) {
  const sorted = [...times].sort((a, b) => a - b), low = sorted[0], high = sorted[sorted.length - 1], width = 380, left = 60, right = 60;
  const X = (time) => left + (high > low ? (time - low) / (high - low) : 0.5) * (width - left - right);
  const quarter = Math.floor(sorted.length / 4), from = sorted[quarter], to = sorted[sorted.length - 1 - quarter];
  const svg = makeSvg("svg", {class: "plot", id: "spread", viewBox: `0 0 ${width} 22`, width, height: 22, role: "img", "aria-label": "Times of the runs"},
    makeSvg("line", {class: "axis-line", x1: left, x2: width - right, y1: 11, y2: 11}),
    makeSvg("rect", {x: X(from), y: 5, width: Math.max(1, X(to) - X(from)), height: 12, fill: "var(--accent)", "fill-opacity": 0.25}, makeSvg("title", {}, "middle half")),
    makeSvg("line", {x1: X(findMedian(sorted)), x2: X(findMedian(sorted)), y1: 2, y2: 20, stroke: "var(--accent)", "stroke-width": 2}, makeSvg("title", {}, `median ${formatTime(findMedian(sorted))}`)),
    makeSvg("text", {x: left - 6, y: 15, "text-anchor": "end", class: "soft"}, formatTime(low)), makeSvg("text", {x: width - right + 6, y: 15, class: "soft"}, formatTime(high)));
  for (const time of times) svg.append(makeSvg("circle", {cx: X(time), cy: 11, r: 2.5, fill: "var(--ink)", "fill-opacity": 0.6}, makeSvg("title", {}, formatTime(time))));
  return svg;
}

function describeKernel(program, kernel, selectNode, rank) {
  const facts = kernel.facts, parts = [make("h2", {}, kernel.name)];
  const add = (title, ...content) => parts.push(make("h3", {}, title), ...content.filter((part) => part));
  const times = kernel.measured?.times ?? [], seen = new Set();
  parts.push(make("div", {id: "time"}, make("p", {}, make("b", {}, describeRank(program, kernel, rank))), ...explainTime(program, kernel).map((text) => make("p", {}, ...explainWords(text, seen)))));
  if (times.length > 2) parts.push(make("p", {class: "soft"}, `${times.length} runs, each a point: `, word("median"), " and ", word("middle half"), "."), drawSpread(times));
  const nesting = program.nestingOf(kernel.name);
  if (nesting.length) parts.push(make("p", {id: "nesting"}, ...explainWords(`It is launched in a ${nesting.slice(0, 3).join("; or in a ")}.`.replace(/ a if/g, " an if"))));
  if (kernel.isItem) return [...parts, make("p", {}, "It is no kernel, but what the program does itself: it copies, fills or exchanges memory, and has no schedule.")];
  const lazy = program.lazyNodesOf(kernel.name), tensor = program.tensorNodesOf(kernel.name);
  if (tensor.length)
    add("It came from", make("div", {}, ...tensor.slice(0, 60).map((node) => make("span", {class: "pill", title: node.place, ...asButton(() => selectNode(node))}, `${node.label}${node.place ? " — " + node.place : ""}`)),
      tensor.length > 60 ? make("span", {class: "soft"}, ` and ${tensor.length - 60} more`) : null));
  const remarks = program.remarksOf(kernel.name, lazy).filter((remark) => !["candidate", "rule"].includes(remark.name));
  if (remarks.length) add("Why it is one kernel, and what is not in it", ...groupRemarks(remarks));
  if (facts.predicted) {
    const names = [...sumTerms(facts.predicted).terms.keys()], nests = facts.predicted.passes;
    const labelOf = (nest, number) => `${nests.length > 1 ? `${number + 1}: ` : ""}${nest.loops || "one point"}`;
    const terms = nests.map((nest, number) => {
      const values = [nest.compute, nest.latency, nest.control, ...nest.transfers], longest = values.indexOf(Math.max(...values));
      return {label: labelOf(nest, number), parts: [{name: names[longest], value: values[longest], color: ["--compute", "--latency", "--launch"][longest] ?? "--memory"}]};
    });
    const open = facts.axes?.some((axis) => axis.open) ? " It is predicted for the greatest sizes." : "";
    add("Predicted time", make("p", {class: "soft"}, ...explainWords(`${formatTime(facts.predicted.total / 1000)} a launch on ${onThreads(program.threads)}, of which ${formatTime(facts.predicted.launch / 1000)} to launch. It runs ${nests.length === 1 ? "one loop nest" : `${nests.length} loop nests, one after the other`}. Each takes as long as its longest part and a little of the others, since a core loads while it computes: the bar is the longest.${open}`)),
      drawBars(terms, (value) => formatTime(value / 1000)),
      makeTable(["loop nest", ...names.map((name) => word(name))], nests.map((nest, number) => [labelOf(nest, number), ...[nest.compute, nest.latency, nest.control, ...nest.transfers].map((value) => formatTime(value / 1000))])));
  }
  add("Schedule", ...describeSchedules(program, kernel));
  if (facts.axes?.length) {
    const kinds = [...new Set(facts.axes.map((axis) => axis.kind))].filter((kind) => kWords[kind]);
    add("Axes after its schedule", makeScrollable(drawAxes(facts.axes)), ...kinds.map((kind) => make("p", {class: "soft meaning"}, make("b", {}, kind), ": ", kWords[kind].replace(/^Kind of an axis: /, ""))),
        facts.stages?.length ? make("p", {class: "soft"}, word("stage", "Stages"), `: ${facts.stages.join(", ")}`) : null);
  }
  if (facts.loops) add("Loops", drawLoops(facts.loops, true, axesOfLoops(program, kernel)));
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
    const seenWords = new Set(), rows = list.map((candidate) => {
      const sums = candidate.predicted && sumTerms(candidate.predicted).terms, changes = differ(candidate.steps);
      const label = candidate.kind === "chosen" ? make("b", {}, chosen.steps.length ? "chosen" : "chosen: no schedule") : candidate.kind === "none" ? "no schedule" : make("span", {}, ...explainWords(changes.join("; ") || "the same steps in another order", seenWords));
      return [label, candidate.predicted ? formatTime(candidate.predicted.total / 1000) : "-", candidate.predicted ? `${formatNumber(candidate.predicted.total / chosen.predicted.total)}×` : "-", ...names.map((name) => sums ? formatTime((sums.get(name) ?? 0) / 1000) : "-")];
    });
    const {variants, refused} = facts.schedules;
    parts.push(make("p", {class: "soft"}, `Predicted on ${onThreads(program.threads)} beside others, each part summed over the loop nests. ` + (variants === undefined ? "Of the slowest kernels alone others are tried." :
      `${variants} schedules differ from it in one decision, ${refused} more are refused; the best ${list.filter((candidate) => candidate.kind === "variant").length} stand here. The rules do not choose by these times: tiny-tune measures such schedules.`)),
      makeTable(["schedule", "predicted", "", ...names.map((name) => word(name))], rows));
  }
  if (facts.schedule) parts.push(make("button", {onclick: (event) => { navigator.clipboard?.writeText(facts.schedule); event.target.textContent = "Copied"; }}, "Copy the script"), make("pre", {}, facts.schedule));
  if (!parts.length) parts.push(make("p", {class: "soft"}, "It has none: its loops stay as they are."));
  return parts;
}

/** What the numbers of remarks count: the unit behind a number, and how it is written. */
const kUnits = {bytes: formatBytes, copied: formatBytes, instead: formatBytes, before: formatBytes, after: formatBytes, bound: formatBytes, predicted: (value) => formatTime(value / 1000)};
const kCounted = {recomputation: "additions", buffer: "additions", packing: "additions", copying: "additions", launches: "additions", cost: "additions", picked: "elements", ahead: "rows", combined: "elements"};
const kNames = {recomputation: "recomputation", buffer: "buffer cost", packing: "packing", evaluations: "evaluations", limit: "at most"};

/** A number of a remark as text. A limit counts what the number beside it counts. */
function describeNumber(name, value, others) {
  const other = name === "limit" ? others.find((key) => key !== "limit") : name, number = Number(value);
  if (!Number.isFinite(number)) return `${name} ${value}`;
  if (kUnits[other]) return `${kNames[name] ?? name} ${kUnits[other](number)}`;
  const count = Number.isInteger(number) ? number.toLocaleString("en") : formatNumber(number);
  if (kCounted[other]) return `${kNames[name] ?? name} ${count} ${kCounted[other]}`;
  return name === "limit" ? `${kNames.limit} ${count}` : `${count} ${kNames[name] ?? name}`;
}

/** Remarks that say the same stand once, with their places. Refusals come first. */
function groupRemarks(remarks) {
  const groups = new Map(), seen = new Set();
  for (const remark of remarks) {
    const key = [remark.pass, remark.kind, remark.message].join("\u0000");
    if (!groups.has(key)) groups.set(key, {remark, details: new Set()});
    // A value that would be computed once for each element is computed as often as it must.
    const isOnce = remark.numbers.evaluations === remark.numbers.elements;
    const names = Object.keys(remark.numbers).filter((name) => !isOnce || (name !== "evaluations" && name !== "elements")).sort((a, b) => (a === "limit") - (b === "limit")), numbers = names.map((name) => describeNumber(name, remark.numbers[name], names)).join(", ");
    groups.get(key).details.add([numbers, remark.place ? "at " + remark.place : ""].filter((part) => part).join(", "));
  }
  const order = {Missed: 0, Failed: 0, Passed: 1, Analysis: 2}, marks = {Missed: "not done", Failed: "failed", Passed: "done"};
  const isNeutral = (remark) => remark.pass === "lazy-split-reduce", rank = ({remark}) => isNeutral(remark) ? 2.5 : order[remark.kind] ?? 3;
  return [...groups.values()].sort((a, b) => rank(a) - rank(b)).map(({remark, details}) => {
    const shown = [...details].filter((detail) => detail).slice(0, 3).join("; "), more = details.size - 3;
    return make("div", {class: `remark ${isNeutral(remark) ? "" : remark.kind}`}, make("b", {title: marks[remark.kind] ?? ""}, remark.pass), " ", ...explainWords(remark.message, seen),
      make("span", {class: "soft"}, ...explainWords(shown ? ` (${shown}${more > 0 ? `; ${more} more` : ""})` : "", seen)));
  });
}

/** An axis of the hardware in words. */
function describeSpecial(text) {
  const [, kind, , extent] = text.match(/(global|local|warp|thread) dim\((\d+)\) extent\((\d+)\)/) ?? [];
  if (!kind) return text;
  return kind === "global" || kind === "thread" ? `${extent} parts, in any order, shared by threads` : `${extent} lanes (${kind})`;
}

/** The axes as strips of their points, in the colours of the loops below: lanes and copies stand side by side, steps
 *  and sums lie apart. */
function drawAxes(axes) {
  const most = 32, row = 20, left = 150, width = 640, size = 12;
  const svg = makeSvg("svg", {class: "plot", id: "axes", viewBox: `0 0 ${width} ${axes.length * row + 4}`, width, role: "img", "aria-label": "Axes"});
  axes.forEach((axis, index) => {
    const y = index * row + 4, count = Math.min(axis.extent, most), gap = axis.kind === "upcast" ? 0 : 2;
    svg.append(makeSvg("text", {x: left - 8, y: y + 11, "text-anchor": "end"}, `i${axis.id} ${axis.kind} ${axis.open ? "≤ " : ""}${axis.extent}`, makeSvg("title", {}, kWords[axis.kind] ?? "")));
    for (let point = 0; point < count; ++point) svg.append(makeSvg("rect", {x: left + point * (size + gap), y, width: size, height: size, fill: `var(${colorOfAxis(axis.kind)})`, stroke: "var(--ground)", "stroke-width": 0.7}));
    if (axis.extent > most) svg.append(makeSvg("text", {x: left + count * (size + gap) + 4, y: y + 11, class: "soft"}, "…"));
  });
  return svg;
}

const colorOfAxis = (kind) => ({reduce: "--latency", group_reduce: "--latency", unroll: "--latency", upcast: "--memory", thread: "--launch", global: "--launch", local: "--memory", warp: "--memory"})[kind] ?? "--compute";

/** For each loop of a kernel the axis that it runs along, or none: both came from the same axis of the kernel as it was
 *  lowered, and of what that was split into the kind and the extent tell. */
function axesOfLoops(program, kernel) {
  const found = new Map(), textOf = (name) => program.level(name)?.functions.find((func) => func.name === kernel.name && func.kind !== "builtin.module");
  const above = textOf("kernel"), below = textOf("uop"), axes = [], loops = [], lines = [];
  if (!above || !below) return found;
  const visit = (loop) => { if (loop.loop && loop.loop !== "if") loops.push(loop); loop.children.forEach(visit); };
  visit(kernel.facts.loops);
  for (let i = 0; i < above.ops.length; i += 2) {
    const [, kind, id, extent] = above.lines[above.ops[i]].match(/kernel\.range (\w+) id\((\d+)\) extent\((\d+)\)/) ?? [];
    if (kind && kind !== "upcast" && kind !== "unroll") axes.push({kind, id, extent, numbers: program.tags[above.ops[i + 1]].get(2)});
  }
  for (let i = 0; i < below.ops.length; i += 2) if (/\buop\.for\b/.test(below.lines[below.ops[i]])) lines.push(below.ops[i + 1]);
  if (lines.length !== loops.length) return found;
  loops.forEach((loop, index) => {
    const numbers = program.tags[lines[index]].get(2) ?? new Set();
    const score = (axis) => (axis.extent === loop.loop ? 2 : 0) + ((axis.kind === "reduce") === loop.carried > 0 ? 1 : 0);
    const own = axes.filter((axis) => [...axis.numbers ?? []].some((number) => numbers.has(number))).sort((a, b) => score(b) - score(a));
    if (own.length) found.set(loop, own[0]);
  });
  return found;
}

/** Loops as boxes in boxes, with what runs in each. */
function drawLoops(loops, isOuter, axes) {
  const holds = Object.entries(loops.holds).map(([name, count]) => `${count} ${name.replace(/^(uop|arith|math|vector)\./, "")}`).join(", ");
  const axis = axes.get(loops), count = axis && axis.extent !== loops.loop && /^\d+$/.test(loops.loop) ? `${loops.loop} of ${axis.extent}` : loops.loop;
  const title = isOuter ? loops.specials?.map(describeSpecial).join(", ") : loops.loop === "if" ? "if" : `for ${axis ? `i${axis.id}: ` : ""}${count} times${loops.carried ? `, ${loops.carried} accumulator${loops.carried === 1 ? "" : "s"}` : ""}`;
  const kind = axis?.kind ?? (loops.carried ? "reduce" : isOuter && loops.specials?.length ? "thread" : "loop");
  return make("div", {class: "loop", style: `border-left-color: var(${colorOfAxis(kind)})`}, title ? make("b", {}, title) : null, loops.fills ? make("span", {}, " fills a ", word("stage"), ` of ${loops.fills.toLocaleString("en")} elements`) : null,
    holds ? make("div", {class: "soft"}, holds) : null, ...loops.children.map((child) => drawLoops(child, false, axes)));
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
