// Why operations are in one kernel or not, from what passes said of them.

/** What an operation is, what it reads and who reads it, what its views are, and what passes said of it: elements.
 *  `actions` has what a click does: `pair(from, to)`, `goTo(node)` and `showKernel(name)`. */
function explainNode(program, node, actions) {
  const all = node.func.nodes, isArgument = node.op === "argument";
  const title = isArgument ? `Argument ${node.label.replace("arg", "")}` : node.label;
  const parts = [make("p", {}, make("b", {}, title), ` ${[isArgument ? "" : node.op, node.type, node.place !== node.label ? node.place : ""].filter((part) => part).join(" · ")}`)];
  const isShown = (other) => other && !/\.(yield|return|alloc)$/.test(other.op) && other !== node;
  const list = (text, others, onClick) => {
    if (!others.length) return;
    const buttons = others.slice(0, 8).flatMap((other) => [" ", make("button", {class: "near-node", onclick: () => onClick(other)}, other.label, make("span", {class: "soft"}, getShortPlace(other)))]);
    parts.push(make("p", {}, text, ...buttons, others.length > 8 ? ` and ${others.length - 8} more` : ""));
  };
  const readers = all.filter((other) => isShown(other) && other.inputs.includes(node.index)), sources = node.inputs.map((input) => all[input]).filter(isShown);
  list("Reads", sources, (other) => actions.pair(other, node));
  list("Read by", readers, (other) => isArgument ? actions.goTo(other) : actions.pair(node, other));
  if (sources.length || (readers.length && !isArgument)) parts.push(make("p", {class: "soft"}, "Click one of them to see whether both are one kernel, and why."));
  const views = viewsAt(program, node);
  if (views.length) parts.push(make("p", {}, "It is a ", word("view"), ": it moves no data. Each cell is an element, with the number of the element of the base that it reads."), make("div", {class: "views"}, ...views.map(drawView)));
  const lazy = program.level("lazy");
  if (node.number === 0 && lazy && node.tag !== undefined && !/\.(return|constant)$/.test(node.op) && !program.linkedTags(node, lazy).size)
    parts.push(make("p", {class: "soft"}, "Nothing of its own is left of it at the lazy level: it was simplified away, or became part of a constant or of the addresses of what reads it."));
  if (isArgument) parts.push(make("p", {class: "soft"}, "It is given by the caller. What reads it is lit at every level."));
  const remarks = isArgument ? [] : program.remarksAt(node);
  const refused = remarks.filter((remark) => remark.kind === "Missed" && remark.pass === "lazy-kernelize"), others = remarks.filter((remark) => !refused.includes(remark));
  if (refused.length) parts.push(make("p", {}, make("b", {}, "Why it is not fused with what reads it:")), ...groupRemarks(refused));
  if (others.length) parts.push(make("p", {}, make("b", {}, refused.length ? "Inside its kernel:" : "Why:")), ...groupRemarks(others));
  return parts;
}

/** The stacks of views that an operation is, or became: of movement at the tensor level those of the lazy level. */
function viewsAt(program, node) {
  if (node.op === "lazy.view") return viewsOf(program, [node]);
  const lazy = program.level("lazy");
  if (node.number !== 0 || !lazy || node.tag === undefined) return [];
  const linked = program.linkedTags(node, lazy), nodes = lazy.nodes.filter((other) => other.tag !== undefined && linked.has(other.tag) && other.op !== "lazy.group");
  // Only what became views and nothing else is one.
  return nodes.length && nodes.every((other) => other.op === "lazy.view" || /constant/.test(other.op)) ? viewsOf(program, nodes).slice(0, 4) : [];
}

/** Why two operations are in one kernel or not, of which the second reads the first: elements. */
function explainPair(program, from, to, showKernel) {
  const choiceOf = (node) => ({tag: node.tag, number: node.number, level: node.level, line: node.at, node});
  const kernelsOf = (node) => node.op === "argument" ? new Set() : program.kernelsOf(choiceOf(node));
  const nameOf = (node) => `${node.label}${node.place && node.place !== node.label ? ` (${node.place})` : ""}`;
  const links = (names) => [...names].slice(0, 6).flatMap((name, index) => [index ? ", " : "", make("button", {class: "kernel-link", onclick: () => showKernel(name)}, name)]);
  const a = kernelsOf(from), b = kernelsOf(to), common = [...a].filter((name) => b.has(name));
  const head = make("p", {}, make("b", {}, `${nameOf(from)} → ${nameOf(to)}: `));
  if (!a.size || !b.size) {
    const why = (node) => node.op === "argument" ? "it is given by the caller" : /constant/.test(node.op) ? "it is a constant" : viewsAt(program, node).length ? "it is a view, which moves no data: the kernels that read it compute other addresses" : "it is given, constant or a view, was simplified away, or is computed before the program runs";
    head.append(!a.size ? `the first needs no kernel of its own: ${why(from)}.` : `the second needs no kernel of its own: ${why(to)}.`);
    const given = [...(a.size ? a : b)];
    if (given.length) head.append(a.size ? " The first is in " : " The second is in ", ...links(given), ".");
    return [head];
  }
  if (common.length) {
    head.append(a.size === 1 && b.size === 1 ? "fused. Both are in " : "fused where they are both in ", ...links(common), ".");
    const fused = program.remarksAt(from).filter((remark) => remark.kind === "Passed");
    return [head, ...groupRemarks(fused)];
  }
  head.append("not fused. The first is in ", ...links(a), ", the second in ", ...links(b), "; between them the value is stored.");
  const refused = program.remarksAt(from).filter((remark) => remark.kind === "Missed" && remark.pass === "lazy-kernelize");
  // Where nothing is said at the place of the first, its kernel's refusals are about its result.
  const others = refused.length ? refused : [...a].flatMap((name) => program.remarksOf(name, program.lazyNodesOf(name)).filter((remark) => remark.kind === "Missed" && remark.pass === "lazy-kernelize"));
  const {elements, evaluations} = others.map((remark) => remark.numbers).find((numbers) => Number(numbers.evaluations) > Number(numbers.elements)) ?? {};
  if (elements) head.append(` In one kernel ${formatNumber(Number(evaluations))} values would be computed in place of ${formatNumber(Number(elements))}.`);
  return [head, ...(others.length ? groupRemarks(others) : [make("p", {class: "soft"}, "No pass gave a reason: the program may ask for this value.")])];
}
