// The page: tabs, the columns of levels, what is chosen, and the search.

class Page {
  constructor(program, other) {
    this.program = program;
    this.columns = [];
    this.tabs = {Levels: () => this.drawLevels(), Passes: () => drawPasses(program), Kernels: () => drawKernels(program, (node) => this.goTo(node), this.kernel),
                 Cost: () => drawCosts(program, (name) => this.showKernel(name))};
    if (other) this.tabs.Compare = () => drawComparison(program, other, (name) => this.showKernel(name));
    document.title = `${program.data.program} – Tiny`;
    document.getElementById("title").textContent = program.data.program;
    this.nav = document.getElementById("tabs");
    this.nav.append(...Object.keys(this.tabs).map((name) => make("button", {role: "tab", id: `tab-${name}`, onclick: () => this.show(name)}, name)));
    this.nav.append(make("button", {title: "What the words of this page mean (?)", onclick: () => showWords()}, "?"));
    this.watchSearch();
    document.addEventListener("keydown", (event) => {
      if (/^(INPUT|SELECT)$/.test(event.target.tagName)) return;
      const name = Object.keys(this.tabs)[Number(event.key) - 1];
      if (document.getElementById("words")) return;
      if (event.key === "?") showWords();
      else if (event.key === "/") { document.getElementById("query").focus(); event.preventDefault(); }
      else if (event.key === "Escape") this.choose(null);
      else if (name && !event.ctrlKey && !event.metaKey) this.show(name);
    });
    const wrong = program.data.passes.find((pass) => pass.blamed || pass.failed);
    if (wrong)
      document.getElementById("main").before(make("p", {class: "banner bad", id: "wrong"}, wrong.blamed ? "The program gives a wrong result since the pass " : "A pass failed: ", make("button", {onclick: () => this.show("Passes")}, wrong.name)));
    // A pass that is wrong is what the page is looked at for.
    this.show(program.data.passes.some((pass) => pass.blamed || pass.failed) ? "Passes" : "Levels");
  }

  show(name) {
    const texts = this.levels ? [...this.levels.querySelectorAll(".text")] : [];
    if (this.tab === "Levels") this.places = texts.map((text) => text.scrollTop);
    this.tab = name;
    for (const button of this.nav.querySelectorAll("[role=tab]")) button.setAttribute("aria-selected", button.textContent === name);
    document.getElementById("main").replaceChildren(name === "Levels" && this.levels ? this.levels : this.tabs[name]());
    if (name !== "Levels") return;
    texts.forEach((text, index) => { text.scrollTop = this.places?.[index] ?? 0; });
    this.refresh();
  }

  showKernel(name) {
    this.kernel = name;
    this.show("Kernels");
  }

  drawLevels() {
    this.columns = this.program.levels.map((level) => this.makeColumn(level));
    for (const code of this.program.data.code) this.columns.push(this.makeCodeColumn(code));
    this.why = make("aside", {id: "why", "aria-label": "Why", hidden: true});
    this.grip = make("div", {id: "grip", title: "Drag: more or less room for the reasons", hidden: true});
    this.grip.addEventListener("pointerdown", (event) => { this.grip.setPointerCapture(event.pointerId); event.preventDefault(); });
    this.grip.addEventListener("pointermove", (event) => {
      if (!event.buttons) return;
      const bottom = this.levels.getBoundingClientRect().bottom;
      this.why.style.height = this.why.style.maxHeight = `${Math.max(40, Math.min(bottom - 120, bottom - event.clientY))}px`;
    });
    this.levels = make("div", {class: "levels"}, make("div", {class: "columns"}, ...this.columns.map((column) => column.element)), this.grip, this.why);
    if (!this.columns.length) this.levels.append(make("p", {class: "note"}, "No pass ran, so there are no levels."));
    return this.levels;
  }

  makeColumn(level) {
    const column = {level};
    column.text = new TextView(level.lines, level.heads, (line) => {
      const tag = level.opsAt.get(line);
      this.choose(tag === undefined ? null : {tag, number: level.number, level, line});
    });
    const functions = make("select", {"aria-label": `Function at the ${level.name} level`, onchange: () => {
      const func = level.functions[functions.value];
      column.text.element.scrollTop = func.base * 18;
      if (func.nodes && !column.isText) this.drawGraph(column, func);
    }}, ...level.functions.map((func, index) => make("option", {value: index}, func.name)));
    column.functions = functions;
    const body = make("div", {style: "display:contents"});
    column.body = body;
    const bar = make("div", {class: "bar"}, make("b", {}, word(level.name), level.sizes ? make("span", {class: "soft", title: "The program is compiled for all sizes at once: this level shows it at one of them."}, ` at ${level.sizes}`) : null), functions);
    column.tools = make("span");
    const graphed = level.functions.find((func) => func.nodes?.length);
    column.isText = !graphed || level.number > 1;
    if (graphed) {
      const toggle = make("button", {class: "toggle", onclick: () => {
        column.isText = !column.isText;
        this.fill(column, graphed, toggle);
        this.refresh();
      }});
      bar.append(toggle);
      column.showText = () => { if (!column.isText) toggle.click(); };
      column.element = make("section", {class: "column", "data-level": level.name, "aria-label": `${level.name} level`}, bar, column.tools, body);
      this.fill(column, graphed, toggle);
    } else {
      column.element = make("section", {class: "column", "data-level": level.name, "aria-label": `${level.name} level`}, bar, body);
      body.append(column.text.element);
    }
    return column;
  }

  fill(column, func, toggle) {
    toggle.textContent = column.isText ? "Graph" : "Text";
    if (column.isText) {
      column.body.replaceChildren(column.text.element);
      column.tools.replaceChildren();
    } else this.drawGraph(column, func);
  }

  drawGraph(column, func) {
    if (column.drawn !== func) {
      column.graph = new GraphView(func.nodes, (node, isSecond) => {
        const first = isSecond && this.chosen?.node;
        if (first && first.level === node.level) this.explain(explainPair(this.program, ...(first.index < node.index ? [first, node] : [node, first]), (name) => this.showKernel(name)));
        else this.choose({tag: node.tag, number: column.level.number, level: column.level, line: node.at, node});
      }, (from, to) => this.explainPair(from, to));
      column.drawn = func;
    }
    column.body.replaceChildren(column.graph.element);
    column.tools.replaceChildren(make("div", {class: "bar"}, column.graph.bar));
    requestAnimationFrame(() => column.graph.fit());
  }

  makeCodeColumn(code) {
    const lines = code.text.split("\n"), heads = new Map(), names = new Set(Object.keys(this.program.data.kernels));
    lines.forEach((line, index) => {
      // A label of assembly, an entry of PTX, a function of C.
      const written = (line.match(/^"?([^\s":]+)"?:/) ?? line.match(/\.entry\s+([^\s(]+)/) ?? line.match(/^(?:static\s+)?void\s+(\w+)\s*\(/))?.[1];
      // Those of C begin with the program's name.
      const name = names.has(written) ? written : written?.replace(/^model_/, "");
      if (names.has(name)) heads.set(index, name);
    });
    // Which operations each line came from, where the target knows it.
    const tagAt = new Map(), places = code.places ?? [];
    for (let i = 0; i < places.length; i += 2)
      for (let line = places[i]; line < (places[i + 2] ?? lines.length) && !heads.has(line); ++line)
        if (!/^\s*\.|:\s*$/.test(lines[line])) tagAt.set(line, places[i + 1]);
    const column = {code, heads, lines, tagAt, level: {name: code.form, number: 5, lines, nodes: [], tagSets: new Set(places.filter((_, index) => index % 2))}};
    column.text = new TextView(lines, heads, (line) => {
      const name = this.kernelAt(column, line), tag = tagAt.get(line);
      if (tag !== undefined) this.choose({tag, number: 5, level: column.level, line});
      else if (name) this.chooseKernel(name);
    });
    const functions = column.functions = make("select", {"aria-label": "Kernel", onchange: () => { column.text.element.scrollTop = Number(functions.value) * 18; }}, ...[...heads].map(([line, name]) => make("option", {value: line}, name)));
    column.element = make("section", {class: "column", "data-level": code.form, "aria-label": code.form}, make("div", {class: "bar"}, make("b", {}, code.form), functions), column.text.element);
    return column;
  }

  kernelAt(column, line) {
    let found = null;
    for (const [at, name] of column.heads) if (at <= line) found = name;
    return found;
  }

  /** Chooses an operation by its tags, or nothing. */
  choose(chosen) {
    this.chosen = chosen;
    this.partner = null;
    this.refresh(true);
  }

  chooseKernel(name) {
    for (const levelName of ["uop", "kernel"]) {
      const level = this.program.level(levelName), func = level?.functions.find((other) => other.name === name);
      if (func?.ops.length) return this.choose({tag: func.ops[func.ops.length - 1], number: level.number, level, line: func.base + func.ops[func.ops.length - 2]});
    }
  }

  refresh(moves = false) {
    const chosen = this.chosen, status = document.getElementById("status");
    const kernels = chosen ? this.program.kernelsOf(chosen) : new Set();
    for (const column of this.columns) {
      if (column.code) continue;
      const linked = chosen ? this.program.linkedTags(chosen, column.level) : new Set();
      const isOwn = chosen?.level === column.level;
      // A launch belongs to its kernel, and an argument to those who read it.
      const related = new Set([...column.level.nodes.filter((node) => node.op === "kernel.launch" && kernels.has(node.label)), ...(chosen ? this.program.argumentNodes(chosen, column.level) : [])]);
      const lines = new Set([...related].filter((node) => node.op !== "argument").map((node) => node.at));
      const state = (line) => {
        if (isOwn && line === chosen.line && chosen.tag !== undefined) return "chosen";
        const tag = column.level.opsAt.get(line);
        return (tag !== undefined && linked.has(tag)) || lines.has(line) ? "lit" : "";
      };
      column.text.mark(state);
      column.graph?.mark((node) => chosen && (node === chosen.node || node === this.partner) ? "chosen" : related.has(node) ? "lit" : node.op === "argument" ? "" : state(node.at));
      if (!chosen) continue;
      // Rather an operation of a kernel than a constant or the program's.
      let first = isOwn ? chosen.line : -1;
      for (const isFirst of [(func, line) => (column.level.number < 2 || !func.nodes) && !/\bconstant\b/.test(line), () => true])
        for (const func of column.level.functions)
          for (let i = 0; i < func.ops.length && first < 0; i += 2)
            if (linked.has(func.ops[i + 1]) && isFirst(func, func.lines[func.ops[i]])) first = func.base + func.ops[i];
      if (first < 0) first = [...lines][0] ?? -1;
      if (first >= 0 && moves) {
        column.text.scrollTo(first);
        if (column.graph && !column.isText) {
          const node = isOwn ? chosen.node ?? column.drawn.nodes.find((other) => other.at === chosen.line) : column.drawn.nodes.find((other) => related.has(other) || (other.tag !== undefined && linked.has(other.tag)));
          if (node) column.graph.reveal(node);
        }
        const func = column.level.functionAt(first);
        column.functions.value = column.level.functions.indexOf(func);
      }
    }
    for (const column of this.columns) {
      if (!column.code) continue;
      const linked = chosen && column.tagAt.size ? this.program.linkedTags(chosen, column.level) : new Set(), isOwn = chosen?.level === column.level;
      // Where lines are not known, all of the kernel is lit.
      column.text.mark((line) => isOwn && line === chosen.line ? "chosen" : column.tagAt.size ? (linked.has(column.tagAt.get(line)) ? "lit" : "") : kernels.has(this.kernelAt(column, line)) ? "lit" : "");
      const [first] = [...column.tagAt].find(([line, tag]) => linked.has(tag) && (!kernels.size || kernels.has(this.kernelAt(column, line)))) ?? [...column.heads].find(([, name]) => kernels.has(name)) ?? [];
      if (first !== undefined && moves && !isOwn) {
        column.text.scrollTo(first);
        const head = [...column.heads.keys()].filter((line) => line <= first).pop();
        if (head !== undefined) column.functions.value = head;
      }
    }
    const node = chosen && (chosen.node ?? chosen.level.nodes.find((other) => other.at === chosen.line));
    if (moves) this.explain(node ? explainNode(this.program, node, {pair: (from, to) => this.explainPair(from, to), goTo: (other) => this.goTo(other), showKernel: (name) => this.showKernel(name)}) : []);
    if (!chosen) { status.textContent = "Click an operation: what became of it is lit at every level, with the reasons. Click a line between two, or a second one with Shift: why they are one kernel or not. / searches, 1 to 5 change the tab, arrows and Enter do what clicks do."; return; }
    status.replaceChildren(`${chosen.level.name}: ${node ? [node.op, node.type, node.place].filter((part) => part).join(" · ") : chosen.level.lines[chosen.line].trim().slice(0, 160)} `,
      ...[...kernels].slice(0, 8).map((name) => make("button", {class: "kernel-link", onclick: () => this.showKernel(name)}, name)));
  }

  /** Chooses the first of two operations, and shows why both are one kernel or not. */
  explainPair(from, to) {
    this.choose({tag: from.tag, number: from.number, level: from.level, line: from.at, node: from});
    this.partner = to;
    this.refresh();
    this.explain(explainPair(this.program, from, to, (name) => this.showKernel(name)));
  }

  /** Shows reasons under the levels. */
  explain(parts) {
    this.why.hidden = this.grip.hidden = !parts.length;
    this.why.replaceChildren(...(parts.length ? [make("button", {class: "close", title: "Close", onclick: () => this.explain([])}, "×"), ...parts] : []));
    this.why.scrollTop = 0;
  }

  goTo(node) {
    this.show("Levels");
    this.choose({tag: node.tag, number: node.number, level: node.level, line: node.at, node});
  }

  watchSearch() {
    const query = document.getElementById("query"), found = document.getElementById("found");
    let actions = [], current = 0;
    const point = (index) => {
      current = Math.max(0, Math.min(actions.length - 1, index));
      [...found.children].forEach((item, place) => item.classList.toggle("first", place === current));
      found.children[current]?.scrollIntoView({block: "nearest"});
    };
    const close = () => { found.hidden = true; };
    query.addEventListener("input", () => {
      const text = query.value.trim().toLowerCase();
      actions = [];
      if (text) {
        for (const kernel of this.program.kernels) if (kernel.name.toLowerCase().includes(text)) actions.push(["kernel", kernel.name, () => this.showKernel(kernel.name)]);
        for (const level of this.program.levels)
          for (const node of level.nodes)
            if (node.tag !== undefined && `${node.place} ${node.label} ${node.op} ${node.type}`.toLowerCase().includes(text)) actions.push([level.name, [node.label, node.place, node.type].filter((part) => part).join(" · "), () => this.goTo(node)]);
      }
      // What has exactly this name comes first.
      const isOther = ([, label]) => !label.toLowerCase().split(" · ").includes(text);
      actions = actions.sort((a, b) => isOther(a) - isOther(b)).slice(0, 60);
      found.replaceChildren(...actions.map(([kind, label, act]) => make("li", {onclick: () => { close(); act(); }}, make("small", {}, kind), " ", label)));
      if (text && !actions.length) found.append(make("li", {class: "soft"}, "Nothing has this in its name"));
      found.hidden = !text;
      point(0);
    });
    query.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && actions.length) { close(); actions[current][2](); query.blur(); }
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (step && actions.length) { point(current + step); event.preventDefault(); }
      if (event.key === "Escape") { close(); query.blur(); }
    });
    document.addEventListener("click", (event) => { if (!event.target.closest("#search")) close(); });
  }
}

(async () => {
  try {
    const [data, other] = [await readData("data"), await readData("other")];
    window.view = new Page(new Program(data), other && new Program(other));
  } catch (error) {
    document.getElementById("main").replaceChildren(make("p", {class: "note bad"}, `The page cannot be shown: ${error.message}`));
    throw error;
  }
})();
