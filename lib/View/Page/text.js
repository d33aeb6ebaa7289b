// A long text of which only the visible lines are elements.

class TextView {
  /** `onPick(line)` is called where a line is clicked. */
  constructor(lines, heads, onPick) {
    this.lines = lines;
    this.heads = heads;
    this.height = 18;
    this.state = () => "";
    this.pad = make("div", {class: "pad"});
    const pick = (line) => {
      this.line = Math.max(0, Math.min(lines.length - 1, line));
      onPick(this.line);
    };
    this.element = make("div", {class: "text", tabIndex: 0, onscroll: () => this.show(), onclick: (event) => {
      const row = event.target.closest(".row");
      if (row) pick(Number(row.dataset.line));
    }, onkeydown: (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1, Enter: 0}[event.key];
      if (step === undefined || event.target !== this.element) return;
      event.preventDefault();
      pick(this.line === undefined ? Math.ceil(this.element.scrollTop / this.height) : this.line + step);
    }}, this.pad);
    this.pad.style.height = lines.length * this.height + "px";
    const longest = lines.reduce((most, line) => Math.max(most, Math.min(line.length, 2000)), 0);
    this.pad.style.width = `calc(${longest + 2}ch + 20px)`;
    new ResizeObserver(() => this.show()).observe(this.element);
  }

  show() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - 10);
    const last = Math.min(this.lines.length, first + Math.ceil(this.element.clientHeight / this.height) + 20);
    const rows = [];
    for (let line = first; line < last; ++line) {
      const row = make("div", {class: `row ${this.heads.has(line) ? "head" : ""} ${this.state(line)}`}, this.lines[line].slice(0, 2000));
      row.style.top = line * this.height + "px";
      row.dataset.line = line;
      rows.push(row);
    }
    this.pad.replaceChildren(...rows);
  }

  /** `state(line)` is the class of a line. */
  mark(state) {
    this.state = state;
    this.show();
  }

  scrollTo(line) {
    const top = line * this.height;
    if (top < this.element.scrollTop || top > this.element.scrollTop + this.element.clientHeight - 40)
      this.element.scrollTop = Math.max(0, top - this.element.clientHeight / 3);
    this.show();
  }
}
