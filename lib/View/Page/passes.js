// The passes in their order: what each took, and what it changed.

function drawPasses(program) {
  const passes = program.data.passes;
  const most = Math.max(1e-9, ...passes.map((pass) => pass.seconds));
  const detail = make("section", {"aria-label": "What the pass changed"});
  const items = passes.map((pass, index) => {
    const mark = pass.blamed ? " — changed the result" : pass.failed ? " — failed" : "";
    const item = make("li", {class: pass.blamed || pass.failed ? "bad" : pass.changes.length ? "" : "quiet", "data-pass": pass.name, onclick: () => select(index)},
      make("span", {}, pass.name + mark), make("span", {class: "soft"}, `${pass.changes.length ? pass.changes.length + " changed · " : ""}${formatTime(pass.seconds * 1e6)}`), make("div", {class: "share"}));
    item.lastChild.style.width = 100 * pass.seconds / most + "%";
    return item;
  });
  const list = make("ul", {class: "list", tabIndex: 0, onkeydown: (event) => {
    const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
    if (!step) return;
    select(Math.max(0, Math.min(passes.length - 1, chosen + step)));
    event.preventDefault();
  }}, ...items);
  let chosen = 0;
  function select(index) {
    chosen = index;
    items.forEach((item, i) => item.setAttribute("aria-selected", i === index));
    items[index].scrollIntoView({block: "nearest"});
    const pass = passes[index], parts = [make("h2", {}, pass.name),
      make("p", {class: "soft"}, `${pass.level} level, ${formatTime(pass.seconds * 1e6)}, ${pass.changes.length} of the functions changed`)];
    if (!pass.changes.length) parts.push(make("p", {class: "note"}, pass.failed ? "The pass failed." : "Nothing changed."));
    // The longest are opened when they are asked for.
    pass.changes.forEach((change, place) => {
      const lines = (change.hunks ?? []).reduce((sum, hunk) => sum + hunk.lines.length, 0);
      const body = make("div");
      const show = () => {
        if (body.childNodes.length) return;
        if (change.what) body.append(make("p", {class: "soft"}, {new: "It is new.", removed: "It is no more.", lowered: "It was lowered: each level shows its own text."}[change.what] ?? change.what));
        for (const hunk of change.hunks ?? [])
          body.append(make("pre", {}, ...hunk.lines.map((line) => make("span", {class: {"+": "add", "-": "del"}[line[0]] ?? "same"}, line))));
      };
      const box = make("details", {ontoggle: () => { if (box.open) show(); }}, make("summary", {}, `${change.function} `,
        make("span", {class: "soft"}, change.what ?? `${lines} lines`)), body);
      if (place < 3 && lines < 400) { show(); box.open = true; }
      parts.push(box);
    });
    detail.replaceChildren(...parts);
  }
  const first = passes.findIndex((pass) => pass.blamed || pass.failed);
  if (passes.length) select(first < 0 ? Math.max(0, passes.findIndex((pass) => pass.changes.length)) : first);
  else detail.append(make("p", {class: "note"}, "No pass ran."));
  return make("div", {class: "split"}, make("section", {"aria-label": "Passes"}, list), detail);
}
