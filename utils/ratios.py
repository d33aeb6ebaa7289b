"""Draws ratios as bars, in the colours of the pages that --view writes, dark and light.

usage: python3 utils/ratios.py ROWS.json >FILE.svg

ROWS.json is what `benchmarks/run --json` or `benchmarks/models --json` wrote. `utils/generate-docs` draws the table of
docs/Performance.md so.
"""
import json
import pathlib
import re
import sys
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEAD = "| problem | peer | one thread | two |"
ROW, LEFT, RIGHT, WIDTH = 18, 250, 110, 760
COLORS = ["compute", "latency", "memory", "launch"]


def read_table(page: str):
    """Name and ratios of each row that has two."""
    table = page.split(HEAD)[1].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        name, _, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if all(re.fullmatch(r"\d+\.\d+", cell) for cell in cells):
            yield name, [float(cell) for cell in cells]


def read_rows(rows: list):
    """The peers, and of each row that has some its name and its ratio to each, or none."""
    def ratios_of(row):
        return row["ratios"] if "ratios" in row else {name: value["ratio"] for name, value in row.items() if isinstance(value, dict) and "ratio" in value}

    peers = list(dict.fromkeys(peer for row in rows for peer in ratios_of(row)))
    named = [(row.get("problem", row.get("model", "")) + (f", {row['threads']} thread{'s' if row['threads'] > 1 else ''}" if "threads" in row else ""), ratios_of(row)) for row in rows]
    return peers, [(name, [ratios.get(peer) for peer in peers]) for name, ratios in named if ratios]


def draw_bars(series: list[str], rows: list) -> str:
    """The drawing as SVG. A bar ends at its ratio; the line at 1 is the peer."""
    style = (ROOT / "lib/View/Page/style.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    most = max([1.0] + [ratio for _, ratios in rows for ratio in ratios if ratio])
    place = lambda ratio: LEFT + ratio / most * (WIDTH - LEFT - RIGHT)
    height, bar = (len(rows) + 2) * ROW, (ROW - 3) // max(1, len(series)) - 1
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
             f"<style>svg {{{light}}} @media (prefers-color-scheme: dark) {{ svg {{{dark}}} }}",
             "text { fill: var(--ink); font: 11px system-ui, sans-serif } .back { fill: var(--ground) } line { stroke: var(--soft) } "
             + " ".join(f".{color} {{ fill: var(--{color}) }}" for color in COLORS) + "</style>",
             f'<rect class="back" width="{WIDTH}" height="{height}"/>']
    for index, name in enumerate(series):
        x = LEFT + 100 * index
        parts.append(f'<rect class="{COLORS[index % 4]}" x="{x}" y="4" width="10" height="10"/><text x="{x + 14}" y="13">{escape(name)}</text>')
    for index, (name, ratios) in enumerate(rows):
        y = (index + 1) * ROW + 4
        parts.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{escape(name)}</text>')
        for number, ratio in enumerate(ratios):
            if ratio:
                parts.append(f'<rect class="{COLORS[number % 4]}" x="{LEFT}" y="{y + 1 + number * (bar + 1)}" width="{place(ratio) - LEFT:.1f}" height="{bar}"/>')
        numbers = " ".join(f"{ratio:.2f}" if ratio else "-" for ratio in ratios)
        parts.append(f'<text x="{WIDTH - 8}" y="{y + 11}" text-anchor="end">{numbers}</text>')
    parts.append(f'<line x1="{place(1):.1f}" x2="{place(1):.1f}" y1="{ROW}" y2="{height}"/>')
    return "\n".join(parts) + "\n</svg>\n"


def draw_ratios(root: pathlib.Path) -> str:
    """The figure of docs/Performance.md."""
    return draw_bars(["one thread", "two threads"], list(read_table((root / "docs/Performance.md").read_text())))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(draw_bars(*read_rows(json.loads(pathlib.Path(sys.argv[1]).read_text()))), end="")
