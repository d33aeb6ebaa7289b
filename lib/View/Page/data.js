// The data, and what follows from it: which operations of two levels belong together, what a kernel came from.

/** Reads what a script element holds: base 64 of JSON, packed by zlib where it begins with 'z'. */
async function readData(id) {
  const text = document.getElementById(id).textContent.trim();
  if (!text) return null;
  const letters = atob(text.slice(1)), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  if (text[0] === "p") return JSON.parse(new TextDecoder().decode(bytes));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
}

/** The program with indices that the views share. */
class Program {
  constructor(data) {
    // Any name may be that of a kernel, and no other object's.
    data.kernels = Object.assign(Object.create(null), data.kernels);
    this.data = data;
    // Of each set of tags, the numbers by level.
    this.tags = data.tags.map((flat) => {
      const byLevel = new Map();
      for (let i = 0; i < flat.length; i += 2) {
        if (!byLevel.has(flat[i])) byLevel.set(flat[i], new Set());
        byLevel.get(flat[i]).add(flat[i + 1]);
      }
      return byLevel;
    });
    // On how many threads kernels are predicted.
    this.threads = data.threads ?? 1;
    this.levels = data.levels.map((level) => new Level(level));
    this.kernelTags = new Map();
    this.findLaunches();
    this.kernels = this.findKernels();
  }

  /** Which groups of the lazy level each kernel is launched for: equal kernels of many groups are one. */
  findLaunches() {
    this.groupsOf = new Map();
    this.kernelOfGroup = new Map();
    const lazy = this.level("lazy"), groupOfId = new Map();
    for (const node of lazy?.nodes ?? [])
      if (node.group !== undefined) for (const id of this.tags[node.tag]?.get(1) ?? []) groupOfId.set(id, node.group);
    for (const launch of this.levels.find((level) => level.number >= 2)?.nodes ?? []) {
      if (launch.op !== "kernel.launch") continue;
      for (const id of this.tags[launch.tag].get(1) ?? []) {
        const group = groupOfId.get(id);
        if (group === undefined) continue;
        if (!this.groupsOf.has(launch.label)) this.groupsOf.set(launch.label, new Set());
        this.groupsOf.get(launch.label).add(group);
        this.kernelOfGroup.set(group, launch.label);
      }
    }
    for (const node of lazy?.nodes ?? []) if (node.op === "lazy.group") node.kernel = this.kernelOfGroup.get(node.index);
  }

  level(name) { return this.levels.find((level) => level.name === name); }

  /** Whether two sets of tags, of operations at two levels, have an origin in common at the upper level. */
  areLinked(tagA, numberA, tagB, numberB) {
    if (tagA === tagB) return true;
    const a = this.tags[tagA], b = this.tags[tagB];
    for (let level = Math.min(numberA, numberB); level >= 0; --level) {
      const left = a.get(level), right = b.get(level);
      if (!left || !right) continue;
      const [few, many] = left.size < right.size ? [left, right] : [right, left];
      for (const id of few) if (many.has(id)) return true;
      return false;
    }
    return false;
  }

  /** The sets of tags at a level that are linked with the operation. */
  linkedTags(chosen, level) {
    const linked = new Set();
    if (chosen.tag === undefined) return linked;
    for (const tag of level.tagSets) if (this.areLinked(chosen.tag, chosen.number, tag, level.number)) linked.add(tag);
    return linked;
  }

  /** Where an argument is chosen: the argument of the same number at a level, and what reads it there. */
  argumentNodes(chosen, level) {
    if (chosen.node?.op !== "argument") return [];
    const count = (func) => (func.nodes ?? []).filter((node) => node.op === "argument").length;
    const own = chosen.node.func, func = level === chosen.level ? own : level.functions.find((other) => other.nodes && count(other) === count(own));
    const argument = func?.nodes[chosen.node.index];
    return argument ? [argument, ...func.nodes.filter((node) => node.inputs.includes(argument.index) && !/\.(yield|return)$/.test(node.op))] : [];
  }

  /** Kernels, slowest first: with measured times where there was a run, else with predicted ones. */
  findKernels() {
    const measured = new Map((this.data.measured?.kernels ?? []).map((kernel) => [kernel.name, kernel]));
    const names = new Set([...Object.keys(this.data.kernels), ...measured.keys()]);
    const kernels = [...names].map((name) => {
      // Copies, fills and exchanges among ranks are measured like kernels, and are none.
      const isItem = this.data.kernels[name] === undefined, facts = this.data.kernels[name] ?? {}, run = measured.get(name);
      const predicted = facts.predicted ? facts.predicted.total / 1000 : undefined;
      // `time` is what kernels are compared by. A branch may not launch all kernels.
      return {name, facts, isItem, measured: run, predicted, microseconds: run?.microseconds, time: measured.size ? run?.microseconds : predicted, isLaunched: !measured.size || run !== undefined};
    });
    return kernels.sort((a, b) => (b.time ?? 0) - (a.time ?? 0) || (a.name < b.name ? -1 : 1));
  }

  /** The loops and branches around the launches of a kernel, outermost first: a text for each launch. */
  nestingOf(name) {
    const level = this.levels.find((other) => other.number >= 2), texts = new Set();
    for (const launch of level?.nodes ?? []) {
      if (launch.op !== "kernel.launch" || launch.label !== name) continue;
      const around = [];
      for (let node = launch; node.group !== undefined; node = node.func.nodes[node.group])
        around.unshift(`${node.func.nodes[node.group].label}${node.branch ? ` (${node.branch})` : ""}`);
      texts.add(around.join(", "));
    }
    return [...texts].filter((text) => text);
  }

  /** The tags of all operations of a kernel, by level: at the highest of the levels below fusion that has it. */
  tagsOfKernel(name) {
    if (this.kernelTags.has(name)) return this.kernelTags.get(name);
    const all = new Map();
    for (const level of this.levels) {
      const found = level.functions.find((other) => other.name === name && other.kind !== "builtin.module");
      if (!found || level.number < 2) continue;
      for (let i = 1; i < found.ops.length; i += 2)
        for (const [number, ids] of this.tags[found.ops[i]]) {
          if (!all.has(number)) all.set(number, new Set());
          ids.forEach((id) => all.get(number).add(id));
        }
      break;
    }
    this.kernelTags.set(name, all);
    return all;
  }

  /** Whether something with these tags went into the kernel. */
  isInKernel(tag, name) {
    const kernel = this.tagsOfKernel(name);
    for (const number of [1, 0]) {
      const ids = this.tags[tag].get(number);
      if (!ids || !kernel.has(number)) continue;
      for (const id of ids) if (kernel.get(number).has(id)) return true;
      return false;
    }
    return false;
  }

  /** The lazy nodes that a kernel computes. */
  lazyNodesOf(name) {
    const nodes = this.level("lazy")?.nodes.filter((node) => node.tag !== undefined && node.op !== "lazy.group") ?? [];
    const groups = this.groupsOf.get(name);
    return nodes.filter((node) => groups ? groups.has(node.group) : this.isInKernel(node.tag, name));
  }

  /** The tensor nodes that went into the kernel. */
  tensorNodesOf(name) {
    const nodes = this.level("tensor")?.nodes.filter((node) => node.tag !== undefined) ?? [];
    if (!this.groupsOf.has(name)) return nodes.filter((node) => this.isInKernel(node.tag, name));
    const ids = new Set();
    for (const node of this.lazyNodesOf(name)) for (const id of this.tags[node.tag].get(0) ?? []) ids.add(id);
    return nodes.filter((node) => [...this.tags[node.tag].get(0) ?? []].some((id) => ids.has(id)));
  }

  /** Whether a remark is about one of the nodes: it has the place of one, and, since several may have one name, came
   *  from the same operation where that is known. */
  isAbout(remark, nodes) {
    const tag = this.tags[remark.tag];
    const isOf = (node) => node.place === remark.place && (!tag?.size || node.tag === undefined || this.areLinked(node.tag, node.number, remark.tag, Math.max(...tag.keys())));
    return remark.place && this.data.kernels[remark.function] === undefined && nodes.some(isOf);
  }

  /** What passes said of a kernel. Passes that run before there are kernels name the place of an operation. */
  remarksOf(name, lazyNodes) {
    return this.data.remarks.filter((remark) => remark.function === name || this.isAbout(remark, lazyNodes));
  }

  /** What passes said of an operation, by its place; of a group, of what is in it. */
  remarksAt(node) {
    const members = node.op === "lazy.group" ? node.func.nodes.filter((other) => other.group === node.index) : [node];
    return this.data.remarks.filter((remark) => this.isAbout(remark, members));
  }

  /** The names of the kernels that an operation went into, or that it stands in. */
  kernelsOf(chosen) {
    const kernels = new Set();
    if (chosen.node?.op === "argument") {
      for (const level of this.levels) for (const node of this.argumentNodes(chosen, level)) if (node.op === "kernel.launch") kernels.add(node.label);
      return kernels;
    }
    if (chosen.tag === undefined) return kernels;
    if (chosen.node?.op === "kernel.launch") return kernels.add(chosen.node.label);
    const lazy = this.level("lazy");
    if (chosen.number < 2 && this.groupsOf.size) {
      const linked = this.linkedTags(chosen, lazy);
      for (const node of lazy.nodes)
        if (node.group !== undefined && linked.has(node.tag) && this.kernelOfGroup.has(node.group) && !/constant/.test(node.op)) kernels.add(this.kernelOfGroup.get(node.group));
      return kernels;
    }
    const level = this.levels.find((other) => other.number >= 2);
    if (!level) return kernels;
    const linked = this.linkedTags(chosen, level);
    for (const func of level.functions)
      if (!func.nodes && func.kind !== "builtin.module")
        for (let i = 0; i < func.ops.length; i += 2)
          if (linked.has(func.ops[i + 1]) && !/\bconstant\b/.test(func.lines[func.ops[i]])) { kernels.add(func.name); break; }
    return kernels;
  }
}

/** A level as one text, function after function. */
class Level {
  constructor(data) {
    this.name = data.name;
    this.number = data.number;
    this.functions = data.functions;
    this.sizes = data.sizes;
    this.lines = [];
    this.heads = new Map();
    this.opsAt = new Map();
    this.tagSets = new Set();
    this.nodes = [];
    for (const func of data.functions) {
      const base = this.lines.length;
      func.base = base;
      this.heads.set(base, func.name);
      for (const line of func.lines) this.lines.push(line);
      this.lines.push("");
      for (let i = 0; i < func.ops.length; i += 2) {
        const line = base + func.ops[i], tag = func.ops[i + 1];
        if (!this.opsAt.has(line)) this.opsAt.set(line, tag);
        this.tagSets.add(tag);
      }
      for (const [index, node] of (func.nodes ?? []).entries())
        this.nodes.push(Object.assign(node, {index, func, number: this.number, level: this, at: base + node.line}));
    }
  }

  /** The name of the function that a line stands in. */
  functionAt(line) {
    let found = null;
    for (const func of this.functions) if (func.base <= line) found = func;
    return found;
  }
}
