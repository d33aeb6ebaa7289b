// Why operations are in one kernel or not, from what passes said of them.

/** What passes said of one operation: elements, none where they said nothing. */
function explainNode(program, node) {
  const remarks = program.remarksAt(node);
  return remarks.length ? [make("b", {}, "Why: "), ...groupRemarks(remarks)] : [];
}

/** Why two operations are in one kernel or not, of which the second reads the first: elements. */
function explainPair(program, from, to, showKernel) {
  const choiceOf = (node) => ({tag: node.tag, number: node.number, level: node.level, line: node.at, node});
  const kernelsOf = (node) => node.tag === undefined ? new Set() : program.kernelsOf(choiceOf(node));
  const nameOf = (node) => `${node.label}${node.place && node.place !== node.label ? ` (${node.place})` : ""}`;
  const links = (names) => [...names].slice(0, 6).flatMap((name, index) => [index ? ", " : "", make("button", {class: "kernel-link", onclick: () => showKernel(name)}, name)]);
  const a = kernelsOf(from), b = kernelsOf(to), common = [...a].filter((name) => b.has(name));
  const head = make("p", {}, make("b", {}, `${nameOf(from)} → ${nameOf(to)}: `));
  if (!a.size || !b.size) {
    head.append(!a.size ? "the first needs no kernel: it is given, or it is a view." : "the second needs no kernel: it is a result, or a view.");
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
