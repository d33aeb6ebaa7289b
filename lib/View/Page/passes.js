// The passes in their order: what each took, what it changed, and what was wrong with it.

/** More lines of one difference would make the page slow; the rest is in the data. */
const kMostDiffLines = 3000;

function drawPasses(program) {
  const passes = program.data.passes, most = Math.max(1e-9, ...passes.map((pass) => pass.seconds));
  const entries = passes.map((pass) => ({
    label: pass.name + (pass.blamed ? " — changed the result" : pass.failed ? " — failed" : ""),
    detail: `${pass.changes.length ? pass.changes.length + " changed · " : ""}${formatTime(pass.seconds * 1e6)}`,
    share: pass.seconds / most, data: {"data-pass": pass.name}, kind: pass.blamed || pass.failed ? "bad" : pass.changes.length ? "" : "quiet"}));
  const wrong = passes.findIndex((pass) => pass.blamed || pass.failed);
  const list = makeList("Passes", entries, wrong < 0 ? passes.findIndex((pass) => pass.changes.length) : wrong, (index) => describePass(program, passes[index], index === wrong));
  if (!passes.length) list.beside.append(make("p", {class: "note"}, "No pass ran."));
  if (wrong >= 0)
    list.element.prepend(make("p", {class: "banner bad", id: "wrong"}, passes[wrong].blamed ? "The first pass after which the program gives another result: " : "A pass failed: ",
      make("button", {onclick: () => list.select(wrong)}, passes[wrong].name)));
  return list.element;
}

function describePass(program, pass, isWrong) {
  const parts = [make("h2", {}, pass.name), make("p", {class: "soft"}, `${pass.level} level, ${formatTime(pass.seconds * 1e6)}, ${pass.changes.length} of the functions changed`)];
  if (isWrong)
    for (const error of program.data.errors ?? [])
      parts.push(make("div", {class: "remark Failed"}, make("b", {}, error.message), error.place ? make("span", {class: "soft"}, ` at ${error.place}`) : null, ...error.notes.map((note) => make("pre", {}, note))));
  if (!pass.changes.length) parts.push(make("p", {class: "note"}, pass.failed ? "Nothing is known of what it changed." : "Nothing changed."));
  pass.changes.forEach((change, place) => {
    const lines = (change.hunks ?? []).reduce((sum, hunk) => sum + hunk.lines.length, 0), body = make("div");
    // Others are made when they are asked for.
    const show = () => {
      if (body.childNodes.length) return;
      if (change.what) body.append(make("p", {class: "soft"}, {new: "It is new.", removed: "It is no more.", lowered: "It was lowered: each level shows its own text."}[change.what] ?? change.what));
      let left = kMostDiffLines;
      for (const hunk of change.hunks ?? []) {
        if (left > 0) body.append(make("pre", {}, ...hunk.lines.slice(0, left).map((line) => make("span", {class: {"+": "add", "-": "del"}[line[0]] ?? "same"}, line))));
        left -= hunk.lines.length;
      }
      if (left < 0) body.append(make("p", {class: "soft"}, `${-left} more lines`));
    };
    const box = make("details", {ontoggle: () => { if (box.open) show(); }}, make("summary", {}, `${change.function} `, make("span", {class: "soft"}, change.what ?? `${lines} lines`)), body);
    if (place === 0 || (place < 3 && lines < 400)) { show(); box.open = true; }
    parts.push(box);
  });
  return parts;
}
