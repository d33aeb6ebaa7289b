// What a run cost: kernels, roofline, timeline, memory; and two runs side by side.

function drawCosts(program, showKernel) {
  const data = program.data, measured = data.measured, page = make("div", {class: "page"});
  const add = (title, ...content) => page.append(make("h2", {}, title), ...content);
  if (measured) {
    const summary = [measured.runSeconds !== undefined ? `A run takes ${formatTime(measured.runSeconds * 1e6)}` : null, measured.threads ? `on ${measured.threads} thread${measured.threads === 1 ? "" : "s"}` : null,
                     measured.compileSeconds !== undefined ? `it took ${formatTime(measured.compileSeconds * 1e6)} to compile` : null];
    page.append(make("p", {id: "summary"}, summary.filter((part) => part).join(", ") + "."));
    add("Kernels", makeTable(["kernel", "launches", "measured", "predicted", "of limit", "bytes", "operations"], program.kernels.filter((kernel) => kernel.measured).map((kernel) => {
      const time = kernel.measured;
      return [kernel.name, time.launches, formatTime(time.microseconds), kernel.predicted === undefined ? "-" : formatTime(kernel.predicted * time.launches),
              time.limit ? formatNumber(100 * time.limit / time.microseconds) + " %" : "-", time.bytes === undefined ? "-" : formatBytes(time.bytes), formatNumber(time.operations)];
    }), (index) => showKernel(program.kernels.filter((kernel) => kernel.measured)[index].name)));
    if (measured.limits?.operationsPerSecond) add("Roofline", drawRoofline(program, measured, showKernel));
    if (measured.events?.length) add("Timeline of a run", drawTimeline(measured, showKernel));
    if (measured.memory) add("Memory", drawMemoryPlan(data, measured.memory));
  } else {
    page.append(make("p", {class: "note"}, "Nothing was measured: tiny-run --view measures; what follows is predicted."));
    add("Kernels", makeTable(["kernel", "predicted"], program.kernels.map((kernel) => [kernel.name, formatTime(kernel.predicted)]), (index) => showKernel(program.kernels[index].name)));
    if (data.buffers?.length) add("Memory", drawMemoryPlan(data, null));
  }
  const byName = new Map();
  for (const pass of data.passes) byName.set(pass.name, (byName.get(pass.name) ?? 0) + pass.seconds);
  const passes = [...byName].sort((a, b) => b[1] - a[1]).slice(0, 20);
  add("Time of passes", drawBars(passes.map(([name, seconds]) => ({label: name, parts: [{name, value: seconds * 1e6, color: "--compute"}]})), formatTime));
  const byFunction = new Map();
  for (const pass of data.passes) for (const change of pass.changes) if (change.seconds) byFunction.set(change.function, (byFunction.get(change.function) ?? 0) + change.seconds);
  const functions = [...byFunction].sort((a, b) => b[1] - a[1]).slice(0, 15);
  if (functions.length) add("Time of passes by kernel", drawBars(functions.map(([name, seconds]) => ({label: name, parts: [{name, value: seconds * 1e6, color: "--launch"}]})), formatTime));
  return page;
}

/** Operations a second over operations a byte, in logarithms, under what the machine can do. */
function drawRoofline(program, measured, showKernel) {
  const width = 640, height = 360, left = 60, bottom = 40;
  const points = program.kernels.filter((kernel) => kernel.measured?.bytes && kernel.measured.operations && kernel.measured.microseconds)
    .map((kernel) => ({name: kernel.name, x: kernel.measured.operations / kernel.measured.bytes, y: kernel.measured.operations / (kernel.measured.microseconds * 1e-6), share: kernel.microseconds}));
  const peak = measured.limits.operationsPerSecond, bandwidths = measured.limits.transfers ?? [];
  const xs = points.map((point) => point.x).concat(bandwidths.map((one) => peak / one.bytesPerSecond)), ys = points.map((point) => point.y).concat([peak]);
  const range = (values) => [Math.floor(Math.log10(Math.min(...values))) , Math.ceil(Math.log10(Math.max(...values)) + 0.01)];
  const [x0, x1] = range(xs), [y0, y1] = range(ys);
  const X = (value) => left + (Math.log10(value) - x0) / (x1 - x0) * (width - left - 20), Y = (value) => height - bottom - (Math.log10(value) - y0) / (y1 - y0) * (height - bottom - 16);
  const svg = makeSvg("svg", {class: "plot", id: "roofline", viewBox: `0 0 ${width} ${height}`, width, role: "img", "aria-label": "Roofline"});
  for (let power = x0; power <= x1; ++power) svg.append(makeSvg("line", {class: "grid", x1: X(10 ** power), x2: X(10 ** power), y1: 16, y2: height - bottom}), makeSvg("text", {x: X(10 ** power), y: height - bottom + 15, "text-anchor": "middle"}, power < 0 ? String(10 ** power) : String(10 ** power)));
  for (let power = y0; power <= y1; ++power) svg.append(makeSvg("line", {class: "grid", x1: left, x2: width - 20, y1: Y(10 ** power), y2: Y(10 ** power)}), makeSvg("text", {x: left - 6, y: Y(10 ** power) + 4, "text-anchor": "end"}, formatNumber(10 ** power / 1e9) + " G"));
  svg.append(makeSvg("text", {x: width / 2, y: height - 6, "text-anchor": "middle", class: "soft"}, "operations a byte"), makeSvg("text", {x: 4, y: 12, class: "soft"}, "operations a second"));
  bandwidths.forEach((one, index) => {
    const knee = peak / one.bytesPerSecond, from = 10 ** x0, to = Math.min(knee, 10 ** x1);
    const isLast = index + 1 === bandwidths.length;
    svg.append(makeSvg("line", {x1: X(from), y1: Y(Math.max(10 ** y0, from * one.bytesPerSecond)), x2: X(to), y2: Y(Math.max(10 ** y0, to * one.bytesPerSecond)), stroke: "var(--memory)", "stroke-width": isLast ? 2 : 1, "stroke-dasharray": isLast ? "" : "4 3"},
      makeSvg("title", {}, `${formatNumber(one.bytesPerSecond / 1e9)} GB/s for ${formatBytes(one.bytes)}`)));
  });
  const knee = bandwidths.length ? peak / bandwidths[0].bytesPerSecond : 10 ** x0;
  svg.append(makeSvg("line", {x1: X(Math.max(knee, 10 ** x0)), x2: width - 20, y1: Y(peak), y2: Y(peak), stroke: "var(--compute)", "stroke-width": 2}, makeSvg("title", {}, `${formatNumber(peak / 1e9)} Gop/s`)));
  const most = Math.max(1e-9, ...points.map((point) => point.share));
  for (const point of points) svg.append(makeSvg("circle", {cx: X(point.x), cy: Y(Math.max(point.y, 10 ** y0)), r: 3 + 9 * Math.sqrt(point.share / most), fill: "var(--accent)", "fill-opacity": 0.6, style: "cursor:pointer", onclick: () => showKernel(point.name)}, makeSvg("title", {}, `${point.name}: ${formatTime(point.share)}`)));
  return svg;
}

function drawTimeline(measured, showKernel) {
  const end = Math.max(...measured.events.map((event) => event.begin + event.microseconds), 1e-9), width = 900;
  const svg = makeSvg("svg", {class: "plot", id: "timeline", viewBox: `0 0 ${width} 74`, width, role: "img", "aria-label": "Timeline"});
  for (let i = 0; i <= 8; ++i) svg.append(makeSvg("line", {class: "grid", x1: i * width / 8, x2: i * width / 8, y1: 0, y2: 52}), makeSvg("text", {x: Math.min(i * width / 8 + 2, width - 60), y: 68, class: "soft"}, formatTime(end * i / 8)));
  measured.events.forEach((event, index) => svg.append(makeSvg("rect", {x: event.begin / end * width, y: 8, width: Math.max(0.6, event.microseconds / end * width), height: 36, fill: `var(${kTermColors[index % 4]})`, style: "cursor:pointer", onclick: () => showKernel(event.name)}, makeSvg("title", {}, `${event.name}: ${formatTime(event.microseconds)}`))));
  return make("div", {}, svg, make("p", {class: "soft"}, `${measured.events.length} launches, one after the other, on ${measured.threads ?? 1} threads each`));
}

/** Temporaries over the launches of the program, largest at the bottom. */
function drawMemoryPlan(data, memory) {
  const parts = [];
  if (memory) parts.push(make("p", {}, `Arguments ${formatBytes(memory.arguments)}, constants ${formatBytes(memory.constants)}, results ${formatBytes(memory.results)}; temporaries of ${formatBytes(memory.temporaries)} lie in ${formatBytes(memory.arena)}, at least ${formatBytes(memory.lowerBound)} are needed.`));
  const buffers = data.buffers ?? [];
  if (!buffers.length) return make("div", {}, ...parts);
  const steps = Math.max(...buffers.map((buffer) => buffer.last)) + 1, live = new Array(steps).fill(0);
  for (const buffer of buffers) for (let step = buffer.first; step <= buffer.last; ++step) live[step] += buffer.bytes;
  const most = Math.max(...live, 1), width = 900, height = 240;
  const svg = makeSvg("svg", {class: "plot", id: "memory", viewBox: `0 0 ${width} ${height + 22}`, width, role: "img", "aria-label": "Memory over launches"});
  const base = new Array(steps).fill(0);
  [...buffers].sort((a, b) => b.last - b.first - (a.last - a.first) || b.bytes - a.bytes).forEach((buffer, index) => {
    let top = "", low = "";
    for (let step = buffer.first; step <= buffer.last; ++step) {
      const y = height - base[step] / most * height, up = height - (base[step] + buffer.bytes) / most * height;
      low = `L${(step + 1) * width / steps},${y}L${step * width / steps},${y}` + low;
      top += `L${step * width / steps},${up}L${(step + 1) * width / steps},${up}`;
      base[step] += buffer.bytes;
    }
    svg.append(makeSvg("path", {d: "M" + top.slice(1) + low + "Z", fill: `var(${kTermColors[index % 4]})`, "fill-opacity": 0.75, stroke: "var(--ground)", "stroke-width": 0.5}, makeSvg("title", {}, `${formatBytes(buffer.bytes)}, launches ${buffer.first + 1} to ${buffer.last + 1}`)));
  });
  svg.append(makeSvg("text", {x: 2, y: height + 16, class: "soft"}, "first launch"), makeSvg("text", {x: width - 2, y: height + 16, "text-anchor": "end", class: "soft"}, `launch ${steps}`));
  parts.push(make("p", {class: "soft"}, `${buffers.length} buffers of the program, at most ${formatBytes(most)} at once`), svg);
  return make("div", {}, ...parts);
}

/** What is faster, slower or made otherwise than in the other run. */
function drawComparison(program, other, showKernel) {
  const page = make("div", {class: "page"}), time = (kernel) => kernel?.microseconds ?? kernel?.predicted;
  const mine = new Map(program.kernels.map((kernel) => [kernel.name, kernel])), theirs = new Map(other.kernels.map((kernel) => [kernel.name, kernel]));
  const sum = (kernels) => kernels.reduce((total, kernel) => total + (time(kernel) ?? 0), 0);
  const before = sum(other.kernels), now = sum(program.kernels);
  page.append(make("p", {id: "compared"}, `Kernels take ${formatTime(now)}; in ${other.data.program} they took ${formatTime(before)}: ${formatNumber(before / Math.max(now, 1e-12))} times as fast. ${mine.size} kernels, ${theirs.size} before.`));
  const rows = [...new Set([...mine.keys(), ...theirs.keys()])].map((name) => ({name, now: time(mine.get(name)), before: time(theirs.get(name))}))
    .sort((a, b) => Math.abs((b.now ?? 0) - (b.before ?? 0)) - Math.abs((a.now ?? 0) - (a.before ?? 0)));
  page.append(makeTable(["kernel", "before", "now", "difference", ""], rows.map((row) => {
    const isBoth = row.now !== undefined && row.before !== undefined, difference = (row.now ?? 0) - (row.before ?? 0);
    const what = !theirs.has(row.name) ? "new: fused otherwise" : !mine.has(row.name) ? "gone: fused otherwise" :
      JSON.stringify(mine.get(row.name).facts.axes) !== JSON.stringify(theirs.get(row.name).facts.axes) ? "scheduled otherwise" : "";
    return [row.name, row.before === undefined ? "-" : formatTime(row.before), row.now === undefined ? "-" : formatTime(row.now),
            make("span", {class: difference > 0 ? "bad" : "good"}, isBoth ? `${difference > 0 ? "+" : "−"}${formatTime(Math.abs(difference))} (${formatNumber(row.before / Math.max(row.now, 1e-12))}×)` : ""), what];
  }), (index) => mine.has(rows[index].name) && showKernel(rows[index].name)));
  return page;
}
