// The words of the page and what they mean: a word can be asked for its meaning wherever it stands.

const kWords = {
  // Levels.
  "tensor": "The first level: operations on whole tensors, as the model has them.",
  "lazy": "The second level: few primitive operations and views. Groups of them become kernels.",
  "kernel": "A function that runs as one launch. What is computed in it needs no buffer between its operations. Also the third level: each kernel as a graph over its axes.",
  "uop": "The fourth level: each kernel as an ordered program of loops, loads and stores.",
  "llvm": "The level below uop: instructions of LLVM, of which machine code is made.",
  "assembly": "The instructions of the machine.",
  // How a program runs.
  "launch": "One call of a kernel by the program. It costs some time besides the work.",
  "fused": "In one kernel: the value between two operations stays in registers or in a cache, and is never stored in a buffer.",
  "stored": "Written to a buffer in memory, which another kernel reads.",
  "view": "The same elements seen in another order or shape. It moves no data: whoever reads it computes other addresses.",
  "mask": "The part of a view that lies on real elements; elsewhere it is zero. Masked elements are hatched.",
  "loop": "An axis whose points run one after the other. As an operation: a list of items that runs again and again.",
  "branch": "Of two lists of items the condition chooses one when the program runs.",
  // Why.
  "evaluations": "How often a value would be computed if it were in the same kernel as its reader. More than its elements means the same is computed again.",
  "additions": "The unit in which fusion compares costs: the time of one addition.",
  "recomputation": "The cost of computing a value again for each reader, in additions.",
  "buffer cost": "The cost of storing a value and reading it again, with the launch that this needs, in additions.",
  // Schedules.
  "schedule": "How a kernel's axes become loops, lanes, copies and parts. It changes no result.",
  "script": "A schedule as text, which --schedules= runs again: copy it, change it, try it.",
  "global": "Kind of an axis: its points are parts that run in any order, on several threads (or workgroups of a GPU).",
  "thread": "Kind of an axis: its points are parts, which the threads of the processor share.",
  "local": "Kind of an axis: its points are lanes of a GPU's workgroup.",
  "warp": "Kind of an axis: its points are lanes of a GPU that run in step.",
  "reduction": "A sum, product or comparison that combines many values into one.",
  "reduce": "Kind of an axis: a loop over what is summed up (or multiplied, or compared).",
  "group_reduce": "Kind of an axis: lanes that sum up together.",
  "upcast": "Kind of an axis: its points are not a loop. They are lanes of a vector, or copies of the code that stand side by side.",
  "unroll": "Kind of an axis: the iterations of a sum's loop, written out one after the other.",
  "lanes": "Elements that one vector instruction handles at once.",
  "register tile": "A block of the result that stays in registers while sums go into it.",
  "stage": "A tile that a kernel fills for itself, to read it more than once: packed data, or a row.",
  "packed": "Copied into the order in which a kernel reads it.",
  "accumulator": "A register that a sum goes into.",
  // Predicted and measured times.
  "loop nest": "A kernel runs one nest of loops after the other. Of each the prediction counts operations and bytes.",
  "compute": "Part of a prediction: the time of a nest's operations if nothing else were slow.",
  "latency": "Part of a prediction: the time that sums take because each addition waits for the one before it.",
  "control": "Part of a prediction: the time of the loops themselves, the jump of each round and the wait for what each run of a loop leaves.",
  "L1": "The first cache, the smallest and fastest. As part of a prediction: the time of all loads and stores.",
  "L2": "The second cache. As part of a prediction: the time to bring from it what the first one lacks.",
  "L3": "The third cache, which cores may share. As part of a prediction: the time to bring from it what the second one lacks.",
  "memory": "Main memory. As part of a prediction: the time to bring from it what no cache holds.",
  "median": "Half of the runs took longer, half less.",
  "middle half": "A quarter of the runs took less, a quarter took longer. What lies close together can be trusted.",
  "waiting": "Time in which a thread that shares the kernel did nothing: it was woken late, was interrupted, or found no part left.",
  "limit": "The time that the kernel's bytes or operations take at best, whichever is more, by a measurement of this machine.",
  "operation": "One addition, multiplication, comparison or function of one number; a multiply-add counts as two.",
  "Gop/s": "10⁹ operations a second.",
  "GB/s": "10⁹ bytes a second.",
  "roofline": "Each kernel by its operations a byte (across) and a second (up). Below the slope memory is the limit, below the flat line the units that compute.",
  // Memory and passes.
  "temporary": "A buffer that holds a value between two kernels.",
  "arena": "The one piece of memory in which all temporaries lie. Those that are not needed at the same time share bytes.",
  "lower bound": "What is needed at once at the worst moment: no arena can be smaller.",
  "step": "An item of the program that does work: a launch, a copy or a fill.",
  "pass": "A part of the compiler that changes the program. They run in the order of the list.",
  "rule": "An identity of index arithmetic, such as x * 1 = x. docs/SymbolicRules.md lists and proves them.",
};

/** Where words stand in texts: longest first, so that "loop nest" is no "loop". */
const kWordPattern = new RegExp(`(?<![\\w.-])(${Object.keys(kWords).sort((a, b) => b.length - a.length).map((name) => name.replace(/[/\\]/g, "\\$&")).join("|")})(s?)(?![\\w/-]|\\.\\w)`, "g");

/** The word as an element: its meaning shows where the pointer rests on it, and in the list of words after a click. */
function word(name, text = name) {
  return make("span", {class: "word", title: kWords[name] ?? "", tabIndex: 0, role: "button", onclick: (event) => { event.stopPropagation(); showWords(name); },
    onkeydown: (event) => { if (event.key === "Enter") showWords(name); }}, text);
}

/** A text as pieces, with each word that has a meaning as an element where it stands first. */
function explainWords(text, seen = new Set()) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(kWordPattern)) {
    if (seen.has(match[1])) continue;
    seen.add(match[1]);
    parts.push(text.slice(end, match.index), word(match[1], match[0]));
    end = match.index + match[0].length;
  }
  return [...parts, text.slice(end)].filter((part) => part !== "");
}

/** The list of words, at one of them. */
function showWords(name) {
  document.getElementById("words")?.remove();
  const items = Object.entries(kWords).map(([key, meaning]) => make("div", {class: key === name ? "asked" : ""}, make("dt", {}, key), make("dd", {}, meaning)));
  const dialog = make("dialog", {id: "words", "aria-label": "Words", onclick: (event) => { if (event.target === dialog) dialog.close(); }, onclose: () => dialog.remove()},
    make("form", {method: "dialog"}, make("b", {}, "Words"), make("button", {title: "Close (Esc)"}, "×")), make("dl", {}, ...items));
  document.body.append(dialog);
  dialog.showModal();
  dialog.querySelector(".asked")?.scrollIntoView({block: "center"});
}
