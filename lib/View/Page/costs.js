// What a run cost: kernels, roofline, timeline, memory; and two runs side by side.

function drawCosts(program, showKernel) {
  const data = program.data, measured = data.measured, page = make("div", {class: "page"});
  const add = (title, ...content) => page.append(make("h2", {}, title), ...content);
  if (measured) {
    const summary = [measured.runSeconds !== undefined ? `A run takes ${formatTime(measured.runSeconds * 1e6)}` : null, measured.threads ? `on ${measured.threads} thread${measured.threads === 1 ? "" : "s"}` : null,
                     measured.compileSeconds !== undefined ? `it took ${formatTime(measured.compileSeconds * 1e6)} to compile on one thread` : null];
    page.append(make("p", {id: "summary"}, summary.filter((part) => part).join(", ") + "."));
    if (measured.delayed > 0.1) page.append(make("p", {class: "bad"}, `Other programs had the processors for ${formatNumber(100 * measured.delayed, 2)} % of the time that was measured: times here are too long, and shares of the limit too small.`));
    const kernels = program.kernels.filter((kernel) => kernel.measured), sum = kernels.reduce((total, kernel) => total + kernel.microseconds, 0);
    const rows = kernels.map(({name, measured: time, predicted}) => {
      const sorted = [...time.times ?? [time.microseconds]].sort((a, b) => a - b), quarter = sorted.length >> 2;
      return [name, time.launches, formatTime(time.microseconds), `${formatTime(sorted[quarter])} – ${formatTime(sorted[sorted.length - 1 - quarter])}`, formatNumber(100 * time.microseconds / sum, 2) + " %", predicted === undefined ? "-" : formatTime(predicted * time.launches),
        time.waiting === undefined ? "-" : formatTime(time.waiting), time.limit ? formatNumber(100 * time.limit / time.microseconds) + " %" : "-", time.bytes === undefined ? "-" : formatBytes(time.bytes), formatNumber(time.operations)];
    });
    add("Kernels, slowest first", makeLongTable(["kernel", word("launch", "launches"), word("median"), word("middle half"), "of all", `predicted, ${onThreads(program.threads)}`, word("waiting"), word("limit", "of limit"), "bytes", word("operation", "operations")], rows, (index) => showKernel(kernels[index].name)),
        make("p", {class: "soft"}, `Times are those of all launches of a run, over ${measured.runs ?? 1} runs; bytes and operations those of one launch. The limit is from a short measurement of this machine: where something else used it meanwhile, a kernel can exceed it. Click a kernel to see why it takes its time.`));
    if (measured.limits?.operationsPerSecond) add("Roofline", make("p", {class: "soft"}, kWords.roofline, " The larger a point, the more time."), makeScrollable(drawRoofline(program, measured, showKernel)));
    if (measured.events?.length) add("Timeline of a run", drawTimeline(measured, showKernel));
    if (measured.memory) add("Memory", drawMemoryPlan(data, measured.memory));
  } else {
    page.append(make("p", {class: "note"}, "Nothing was measured: tiny-run --view measures; what follows is predicted."));
    add("Kernels", makeTable(["kernel", `predicted, ${onThreads(program.threads)}`], program.kernels.map((kernel) => [kernel.name, formatTime(kernel.predicted)]), (index) => showKernel(program.kernels[index].name)));
    if (data.buffers?.length) add("Memory", drawMemoryPlan(data, null));
  }
  const byName = new Map(), code = data.code.find((one) => one.seconds);
  for (const pass of data.passes) byName.set(pass.name, (byName.get(pass.name) ?? 0) + pass.seconds);
  const inPasses = [...byName.values()].reduce((sum, seconds) => sum + seconds, 0);
  if (measured?.compileSeconds > inPasses) byName.set("reading, code generation", measured.compileSeconds - inPasses);
  const passes = [...byName].sort((a, b) => b[1] - a[1]).slice(0, 20);
  add("Compile time by pass", drawBars(passes.map(([name, seconds]) => ({label: name, parts: [{name, value: seconds * 1e6, color: "--compute"}]})), formatTime));
  const byFunction = new Map();
  for (const pass of data.passes) for (const change of pass.changes) if (change.seconds) byFunction.set(change.function, (byFunction.get(change.function) ?? 0) + change.seconds);
  const codeOf = (name) => Object.hasOwn(code?.seconds ?? {}, name) ? code.seconds[name] : 0;
  for (const name of Object.keys(code?.seconds ?? {})) if (!byFunction.has(name)) byFunction.set(name, 0);
  const functions = [...byFunction].sort((a, b) => b[1] + codeOf(b[0]) - a[1] - codeOf(a[0])).slice(0, 15);
  if (functions.length) add("Compile time by kernel", make("p", {class: "legend soft"}, make("span", {style: "background:var(--launch)"}), "passes on it alone", ...(code ? [make("span", {style: "background:var(--compute)"}), "code generation, measured once more for this page"] : [])),
    drawBars(functions.map(([name, seconds]) => ({label: name, parts: [{name: "passes", value: seconds * 1e6, color: "--launch"}, {name: "code generation", value: codeOf(name) * 1e6, color: "--compute"}]})), formatTime));
  return page;
}

/** Operations a second over operations a byte, in logarithms, under what the machine can do. */
function drawRoofline(program, measured, showKernel) {
  const width = 640, height = 360, left = 60, bottom = 40;
  const points = program.kernels.filter((kernel) => kernel.measured?.bytes && kernel.measured.operations && kernel.measured.microseconds)
    .map((kernel) => ({name: kernel.name, x: kernel.measured.operations / kernel.measured.bytes, y: kernel.measured.operations * (kernel.measured.launches ?? 1) / (kernel.measured.microseconds * 1e-6), share: kernel.microseconds}));
  const peak = measured.limits.operationsPerSecond, bandwidths = measured.limits.transfers ?? [];
  const xs = points.map((point) => point.x).concat(bandwidths.map((one) => peak / one.bytesPerSecond)), ys = points.map((point) => point.y).concat([peak]);
  const range = (values) => [Math.floor(Math.log10(Math.min(...values))) , Math.ceil(Math.log10(Math.max(...values)) + 0.01)];
  const [x0, x1] = range(xs), [y0, y1] = range(ys);
  const X = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (width - left - 20), Y = (value) => height - bottom - (Math.log10(value) - y0) / (y1 - y0) * (height - bottom - 16);
  const svg = makeSvg("svg", {class: "plot", id: "roofline", viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "Roofline"});
  for (let power = x0; power <= x1; ++power) svg.append(makeSvg("line", {class: "grid", x1: X(10 ** power), x2: X(10 ** power), y1: 16, y2: height - bottom}), makeSvg("text", {x: X(10 ** power), y: height - bottom + 15, "text-anchor": "middle"}, String(10 ** power)));
  for (let power = y0; power <= y1; ++power) svg.append(makeSvg("line", {class: "grid", x1: left, x2: width - 20, y1: Y(10 ** power), y2: Y(10 ** power)}), makeSvg("text", {x: left - 6, y: Y(10 ** power) + 4, "text-anchor": "end"}, formatNumber(10 ** power / 1e9) + " G"));
  svg.append(makeSvg("text", {x: width / 2, y: height - 6, "text-anchor": "middle", class: "soft"}, "operations a byte"), makeSvg("text", {x: left, y: 10, class: "soft"}, "operations a second"));
  bandwidths.forEach((one, index) => {
    const knee = peak / one.bytesPerSecond, from = 10 ** x0, to = Math.min(knee, 10 ** x1);
    const isLast = index + 1 === bandwidths.length;
    svg.append(makeSvg("line", {x1: X(from), y1: Y(Math.max(10 ** y0, from * one.bytesPerSecond)), x2: X(to), y2: Y(Math.max(10 ** y0, to * one.bytesPerSecond)), stroke: "var(--memory)", "stroke-width": isLast ? 2 : 1, "stroke-dasharray": isLast ? "" : "4 3"},
      makeSvg("title", {}, `${formatNumber(one.bytesPerSecond / 1e9)} GB/s for ${formatBytes(one.bytes)}`)));
  });
  const knee = bandwidths.length ? peak / bandwidths[0].bytesPerSecond : 10 ** x0;
  svg.append(makeSvg("line", {x1: X(Math.max(knee, 10 ** x0)), x2: width - 20, y1: Y(peak), y2: Y(peak), stroke: "var(--compute)", "stroke-width": 2}, makeSvg("title", {}, `${formatNumber(peak / 1e9)} Gop/s`)));
  const most = Math.max(1e-9, ...points.map((point) => point.share));
  for (const point of points) svg.append(makeSvg("circle", {cx: X(point.x), cy: Y(Math.max(point.y, 10 ** y0)), r: 3 + 9 * Math.sqrt(point.share / most), fill: "var(--accent)", "fill-opacity": 0.6, style: "cursor:pointer", ...asButton(() => showKernel(point.name)), "aria-label": point.name}, makeSvg("title", {}, `${point.name}: ${formatTime(point.share)}`)));
  return svg;
}

/** The launches of a run on the queue, and below it what each thread did of them. */
function drawTimeline(measured, showKernel) {
  const events = measured.events, busy = new Array(measured.threads ?? 1).fill(0);
  let end = 1e-9, isAtOnce = false;
  for (const event of events) {
    // Two clocks' readings may differ a little.
    isAtOnce ||= event.begin < end - 1e-3 * event.microseconds - 0.5;
    end = Math.max(end, event.begin + event.microseconds);
    for (const [thread, , time] of event.parts ?? []) busy[thread] = (busy[thread] ?? 0) + time;
  }
  const threads = busy.length, parts = [...busy].map((time, thread) => `thread ${thread} ${formatNumber(100 * (time ?? 0) / end, 2)} %`);
  const names = [...new Set(events.map((event) => event.name))], colorOf = (name) => `var(${kTermColors[names.indexOf(name) % kTermColors.length]})`;
  const row = 26, left = 76, height = (threads + 1) * row, holder = make("div", {class: "scroll"});
  let zoom = 1;
  const draw = () => {
    const width = 900 * zoom, X = (time) => left + time / end * (width - left - 4);
    const svg = makeSvg("svg", {class: "plot wide", id: "timeline", viewBox: `0 0 ${width} ${height + 22}`, width, height: height + 22, role: "img", "aria-label": "Timeline"});
    for (let i = 0; i <= 8 * zoom; ++i) {
      const x = X(end * i / 8 / zoom);
      svg.append(makeSvg("line", {class: "grid", x1: x, x2: x, y1: 0, y2: height}));
      if (i < 8 * zoom) svg.append(makeSvg("text", {x: x + 2, y: height + 15, class: "soft"}, formatTime(end * i / 8 / zoom)));
    }
    const drawBar = (y, event, begin, time, text) => svg.append(makeSvg("rect", {x: X(begin), y: y + 3, width: Math.max(0.6, X(begin + time) - X(begin)), height: row - 6, fill: colorOf(event.name), style: "cursor:pointer", onclick: () => showKernel(event.name)}, makeSvg("title", {}, text)));
    svg.append(makeSvg("text", {x: 0, y: 17}, "queue"));
    const drawn = new Array(threads + 1).fill(-1);
    for (const event of events) {
      // What would lie on the same pixel is left out.
      if (X(event.begin + event.microseconds) > drawn[0] + 0.4) {
        drawBar(0, event, event.begin, event.microseconds, `${event.name}: ${formatTime(event.microseconds)}, from ${formatTime(event.begin)}`);
        drawn[0] = X(event.begin + event.microseconds);
      }
      for (const [thread, begin, time] of event.parts ?? [])
        if (X(begin + time) > drawn[thread + 1] + 0.4) {
          drawBar((thread + 1) * row, event, begin, time, `${event.name} on thread ${thread}: ${formatTime(time)}, from ${formatTime(begin)}`);
          drawn[thread + 1] = X(begin + time);
        }
    }
    for (let thread = 0; thread < threads; ++thread) svg.append(makeSvg("text", {x: 0, y: (thread + 1) * row + 17}, `thread ${thread}`));
    holder.replaceChildren(svg);
  };
  draw();
  const change = (factor) => { zoom = Math.max(1, Math.min(64, zoom * factor)); draw(); };
  return make("div", {}, make("p", {class: "soft"}, `The fastest run: ${events.length}${measured.launches > events.length ? ` of ${measured.launches.toLocaleString("en")}` : ""} launches${isAtOnce ? ", some of them at the same time" : " on one queue, one after the other"}. ${busy.some((time) => time) ? `Busy: ${parts.join(", ")}. ` : ""}`,
    make("button", {title: "Zoom in", onclick: () => change(2)}, "+"), " ", make("button", {title: "Zoom out", onclick: () => change(0.5)}, "−")), holder);
}

/** Temporaries over the steps of the program: where each lies in the arena, or, where nothing ran, side by side. */
function drawMemoryPlan(data, memory) {
  const parts = [], placed = data.measured?.temporaries ?? [];
  if (memory) parts.push(make("p", {}, `Arguments ${formatBytes(memory.arguments)}, constants ${formatBytes(memory.constants)}, results ${formatBytes(memory.results)}; temporaries of ${formatBytes(memory.temporaries)} lie in an arena of ${formatBytes(memory.arena)}, of which ${formatBytes(memory.lowerBound)} are needed at once.`));
  if (memory && !placed.length) return make("div", {}, ...parts, make("p", {class: "soft"}, "The program has no temporaries in the arena."));
  const buffers = placed.length ? placed : data.buffers ?? [];
  if (!buffers.length) return make("div", {}, ...parts);
  const steps = buffers.reduce((most, buffer) => Math.max(most, buffer.last + 1), 1), live = new Array(steps).fill(0);
  for (const buffer of buffers) for (let step = buffer.first; step <= buffer.last; ++step) live[step] += buffer.bytes;
  const peak = live.reduce((most, bytes) => Math.max(most, bytes), 1), top = Math.max(peak, memory?.arena ?? 0), width = 900, height = 260, left = 70;
  const svg = makeSvg("svg", {class: "plot", id: "memory", viewBox: `0 0 ${width} ${height + 34}`, width, role: "img", "aria-label": "Memory over the steps"});
  const X = (step) => left + step * (width - left - 2) / steps, Y = (bytes) => 12 + height - bytes / top * height;
  for (let i = 0; i <= 4; ++i) svg.append(makeSvg("line", {class: "grid", x1: left, x2: width, y1: Y(top * i / 4), y2: Y(top * i / 4)}), makeSvg("text", {x: left - 6, y: Y(top * i / 4) + 4, "text-anchor": "end", class: "soft"}, formatBytes(top * i / 4)));
  const base = new Array(steps).fill(0), order = placed.length ? buffers : [...buffers].sort((a, b) => b.last - b.first - (a.last - a.first) || b.bytes - a.bytes);
  order.forEach((buffer, index) => {
    const title = makeSvg("title", {}, `${buffer.writer ? buffer.writer + " writes " : ""}${formatBytes(buffer.bytes)}${buffer.offset === undefined ? "" : ` at ${formatBytes(buffer.offset)}`}, steps ${buffer.first + 1} to ${buffer.last + 1}`);
    const style = {fill: `var(${kTermColors[index % 4]})`, "fill-opacity": 0.75, stroke: "var(--ground)", "stroke-width": 0.5};
    if (buffer.offset !== undefined) {
      const across = X(buffer.last + 1) - X(buffer.first), tall = Y(buffer.offset) - Y(buffer.offset + buffer.bytes);
      svg.append(makeSvg("rect", {x: X(buffer.first), y: Y(buffer.offset + buffer.bytes), width: across, height: Math.max(0.5, tall), ...style}, title));
      const room = Math.floor((across - 8) / 6);
      if (tall > 14 && room > 3) svg.append(makeSvg("text", {x: X(buffer.first) + 4, y: Y(buffer.offset + buffer.bytes) + 13, "pointer-events": "none"}, buffer.writer.length > room ? buffer.writer.slice(0, room - 1) + "…" : buffer.writer));
      return;
    }
    let upper = "", lower = "";
    for (let step = buffer.first; step <= buffer.last; ++step) {
      lower = `L${X(step + 1)},${Y(base[step])}L${X(step)},${Y(base[step])}` + lower;
      upper += `L${X(step)},${Y(base[step] + buffer.bytes)}L${X(step + 1)},${Y(base[step] + buffer.bytes)}`;
      base[step] += buffer.bytes;
    }
    svg.append(makeSvg("path", {d: "M" + upper.slice(1) + lower + "Z", ...style}, title));
  });
  const line = live.map((bytes, step) => `${X(step)},${Y(bytes)} ${X(step + 1)},${Y(bytes)}`).join(" ");
  svg.append(makeSvg("polyline", {points: line, fill: "none", stroke: "var(--ink)", "stroke-width": 1.5}, makeSvg("title", {}, "bytes that are live")));
  if (memory) svg.append(makeSvg("line", {x1: left, x2: width, y1: Y(memory.lowerBound), y2: Y(memory.lowerBound), stroke: "var(--bad)", "stroke-dasharray": "5 4"}, makeSvg("title", {}, `${formatBytes(memory.lowerBound)}: no arena can be smaller`)));
  svg.append(makeSvg("text", {x: left, y: height + 30, class: "soft"}, "step 1"), makeSvg("text", {x: width - 2, y: height + 30, "text-anchor": "end", class: "soft"}, `step ${steps}`));
  const legend = placed.length ? "Across: the steps of a run. Up: offsets in the arena; what lies at the same height at different steps shares memory. The line is what is live, the dashed one the lower bound." : "Stacked; offsets are known once the program was run. The line is what is live.";
  parts.push(make("p", {class: "soft"}, `${buffers.length} temporaries, at most ${formatBytes(peak)} live at once. ${legend}`), makeScrollable(svg));
  return make("div", {}, ...parts);
}

/** A table of which the first rows are shown, and all when they are asked for. */
function makeLongTable(heads, rows, onRow, most = 12) {
  const holder = make("div", {}, makeTable(heads, rows.slice(0, most), onRow));
  if (rows.length > most) holder.append(make("button", {onclick: () => holder.replaceChildren(makeTable(heads, rows, onRow))}, `All ${rows.length}`));
  return holder;
}

/** The other run's kernels by the names of those of this run that compute the same: the nodes that went into them tell,
 *  since names are numbered. What has no partner keeps its name, with a mark where this run has another of that name. */
function pairKernels(program, other) {
  const signatureOf = (owner, kernel) => owner.tensorNodesOf(kernel.name).map((node) => `${node.op} ${node.type}`).sort().join("\n") || kernel.name;
  const waiting = new Map(), pairs = new Map(), byName = (a, b) => a.name < b.name ? -1 : 1;
  for (const kernel of [...other.kernels].sort(byName)) {
    const signature = signatureOf(other, kernel);
    if (!waiting.has(signature)) waiting.set(signature, []);
    waiting.get(signature).push(kernel);
  }
  const open = [...program.kernels].sort(byName).map((kernel) => [kernel.name, waiting.get(signatureOf(program, kernel)) ?? []]);
  // Of equal ones rather that of the same name, else in order.
  for (const isNamed of [true, false])
    for (const [name, equal] of open) {
      const place = isNamed ? equal.findIndex((kernel) => kernel.name === name) : 0;
      if (!pairs.has(name) && place >= 0 && equal.length) pairs.set(name, equal.splice(place, 1)[0]);
    }
  const names = new Set(program.kernels.map((kernel) => kernel.name));
  for (const rest of waiting.values()) for (const kernel of rest) pairs.set(names.has(kernel.name) ? `${kernel.name} (before)` : kernel.name, kernel);
  return pairs;
}

/** What is faster, slower or made otherwise than in the other run. */
function drawComparison(program, other, showKernel) {
  // What was measured in one run alone is compared by what was predicted in both.
  const isMeasured = [program, other].every(({data}) => data.measured?.kernels?.length), isMixed = !isMeasured && [program, other].some(({data}) => data.measured?.kernels?.length);
  const page = make("div", {class: "page"}), time = (kernel) => isMeasured ? kernel?.time : kernel?.predicted;
  const mine = new Map(program.kernels.map((kernel) => [kernel.name, kernel])), theirs = pairKernels(program, other);
  const sum = (kernels) => kernels.reduce((total, kernel) => total + (time(kernel) ?? 0), 0);
  const before = sum(other.kernels), now = sum(program.kernels);
  const faster = before >= now, factor = faster ? before / now : now / before;
  page.append(make("p", {id: "compared"}, `All kernels take ${formatTime(now)} now, ${formatTime(before)} in the other run (${other.data.program})${isMeasured ? "" : ", as predicted"}`, ...(now && before ? [": ", make("b", {class: faster ? "good" : "bad"}, `${formatNumber(factor)} times as ${faster ? "fast" : "long"}`)] : []), `. ${mine.size} kernels, ${theirs.size} before.`));
  if (isMixed) page.append(make("p", {class: "note"}, "Only one of both was measured: predicted times are compared."));
  if (mine.size && theirs.size && ![...mine.keys()].some((name) => theirs.has(name))) page.append(make("p", {class: "note"}, "No kernel is in both: this may be another program."));
  const placesOf = (owner, name) => new Set(owner.tensorNodesOf(name).map((node) => node.place).filter((place) => place));
  // Kernels of the other run that this run does not have, with the places of the nodes in them.
  const gone = [...theirs].filter(([name]) => !mine.has(name)).map(([name, kernel]) => [name, placesOf(other, kernel.name)]), fresh = [...mine.keys()].filter((name) => !theirs.has(name)).map((name) => [name, placesOf(program, name)]);
  const partners = (name, owner, others) => {
    const own = placesOf(owner, name);
    return others.filter(([, places]) => [...places].some((place) => own.has(place))).map(([partner]) => partner);
  };
  const list = (names) => names.slice(0, 4).join(", ") + (names.length > 4 ? ` and ${names.length - 4} more` : "");
  const describe = (text, names, between) => names.length ? `${text}: ${between} ${list(names)}` : text;
  const rows = [...new Set([...mine.keys(), ...theirs.keys()])].map((name) => ({name, now: time(mine.get(name)), before: time(theirs.get(name))}))
    .sort((a, b) => Math.abs((b.now ?? 0) - (b.before ?? 0)) - Math.abs((a.now ?? 0) - (a.before ?? 0)));
  page.append(makeTable(["kernel", "before", "now", "difference", ""], rows.map((row) => {
    const isBoth = row.now !== undefined && row.before !== undefined, difference = (row.now ?? 0) - (row.before ?? 0);
    const what = !theirs.has(row.name) ? describe("new: fused otherwise", partners(row.name, program, gone), "before in") :
      !mine.has(row.name) ? describe("gone: fused otherwise", partners(theirs.get(row.name).name, other, fresh), "now in") :
      JSON.stringify(mine.get(row.name).facts.axes) !== JSON.stringify(theirs.get(row.name).facts.axes) ? "scheduled otherwise" : "";
    return [row.name, row.before === undefined ? "-" : formatTime(row.before), row.now === undefined ? "-" : formatTime(row.now),
            make("span", {class: difference > 0 ? "bad" : "good"}, isBoth ? `${difference > 0 ? "+" : "−"}${formatTime(Math.abs(difference))} (${formatNumber(row.before / Math.max(row.now, 1e-12))}×)` : ""), what];
  }), (index) => mine.has(rows[index].name) && showKernel(rows[index].name)));
  return page;
}
