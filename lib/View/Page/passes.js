// The passes in their order: what each took, what it changed, and what was wrong with it.

/** More lines of one difference would make the page slow; the rest is in the data. */
const kMostDiffLines = 3000;

/** The passes with what each changed, of all functions or of the one that is chosen above them. */
function drawPasses(program) {
  const all = program.data.passes.flatMap((pass) => pass.changes.map((change) => change.function)), names = [...new Set(all)];
  const choice = make("select", {id: "function", "aria-label": "Function whose changes are shown", onchange: () => draw(choice.value)}, make("option", {value: ""}, "all functions"), ...names.map((name) => make("option", {value: name}, name)));
  const holder = make("div", {style: "display:contents"});
  let chosen;
  const draw = (name) => {
    const list = listPasses(program, name, chosen, (index) => { chosen = index; });
    list.element.querySelector("section").prepend(make("label", {class: "soft"}, "Changes of ", choice));
    holder.replaceChildren(list.element);
  };
  draw("");
  return holder;
}

function listPasses(program, name, chosen, onSelect) {
  const isOf = (pass) => pass.changes.some((change) => !name || change.function === name);
  const passes = program.data.passes, most = Math.max(1e-9, ...passes.map((pass) => pass.seconds));
  const entries = passes.map((pass) => ({
    label: pass.name + (pass.blamed ? " — changed the result" : pass.failed ? " — failed" : ""),
    detail: `${isOf(pass) ? (name ? "changed" : `${pass.changes.length} changed`) + " · " : ""}${formatTime(pass.seconds * 1e6)}`,
    share: pass.seconds / most, data: {"data-pass": pass.name}, kind: pass.blamed || pass.failed ? "bad" : isOf(pass) ? "" : "quiet"}));
  const wrong = passes.findIndex((pass) => pass.blamed || pass.failed);
  // What is shown stays, if it changed the function that is chosen.
  const first = chosen !== undefined && isOf(passes[chosen]) ? chosen : wrong >= 0 && !name ? wrong : passes.findIndex(isOf);
  const list = makeList("Passes", entries, first, (index) => {
    onSelect(index);
    return describePass(program, passes[index], index === wrong, name);
  });
  if (!passes.length) list.beside.append(make("p", {class: "note"}, "No pass ran."));
  return list;
}

function describePass(program, pass, isWrong, name) {
  const parts = [make("h2", {}, pass.name), make("p", {class: "soft"}, `${pass.level} level, ${formatTime(pass.seconds * 1e6)}, ${pass.changes.length} of the functions changed`)];
  if (isWrong)
    for (const error of program.data.errors ?? [])
      parts.push(make("div", {class: "remark Failed"}, make("b", {}, error.message), error.place ? make("span", {class: "soft"}, ` at ${error.place}`) : null, ...error.notes.map((note) => make("pre", {}, note))));
  const changes = pass.changes.filter((change) => !name || change.function === name);
  if (!changes.length) parts.push(make("p", {class: "note"}, pass.failed ? "Nothing is known of what it changed." : name ? `Nothing changed in ${name}.` : "Nothing changed."));
  changes.forEach((change, place) => {
    const all = (change.hunks ?? []).flatMap((hunk) => hunk.lines), lines = all.length, count = (sign) => all.filter((line) => line[0] === sign).length, body = make("div");
    // Others are made when they are asked for.
    const show = () => {
      if (body.childNodes.length) return;
      const from = isWrong ? program.tensorNodesOf(change.function) : [];
      if (from.length) body.append(make("p", {class: "soft"}, `It computes ${from.slice(0, 8).map((node) => `${node.label}${node.place ? ` (${node.place})` : ""}`).join(", ")}${from.length > 8 ? ` and ${from.length - 8} more` : ""}.`));
      if (change.what) body.append(make("p", {class: "soft"}, {new: "It is new.", removed: "It is no more.", lowered: "It was lowered: each level shows its own text."}[change.what] ?? change.what));
      let left = kMostDiffLines;
      for (const hunk of change.hunks ?? []) {
        if (left > 0) body.append(make("pre", {}, ...hunk.lines.slice(0, left).map((line) => make("span", {class: {"+": "add", "-": "del"}[line[0]] ?? "same"}, line))));
        left -= hunk.lines.length;
      }
      if (left < 0) body.append(make("p", {class: "soft"}, `${-left} more lines`));
    };
    const box = make("details", {ontoggle: () => { if (box.open) show(); }}, make("summary", {}, `${change.function} `, make("span", {class: "soft"}, change.what ?? `${count("-")} lines removed, ${count("+")} added`)), body);
    if (place === 0 || (place < 3 && lines < 400)) { show(); box.open = true; }
    parts.push(box);
  });
  return parts;
}
