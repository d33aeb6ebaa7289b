"""Draws the table of ratios in docs/Performance.md as bars, in the colours of the pages that --view writes, dark and light."""
import pathlib
import re
from xml.sax.saxutils import escape

HEAD = "| problem | peer | one thread | two |"
ROW, LEFT, RIGHT, WIDTH = 18, 250, 90, 760


def read_rows(page: str):
    """Name and ratios of each row that has two."""
    table = page.split(HEAD)[1].split("\n\n")[0]
    for line in table.splitlines()[2:]:
        name, _, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if all(re.fullmatch(r"\d+\.\d+", cell) for cell in cells):
            yield name, [float(cell) for cell in cells]


def draw_ratios(root: pathlib.Path) -> str:
    """The drawing as SVG. A bar ends at its ratio; the line at 1 is the peer."""
    rows = list(read_rows((root / "docs/Performance.md").read_text()))
    style = (root / "lib/View/Page/style.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    most = max(max(ratios) for _, ratios in rows)
    place = lambda ratio: LEFT + ratio / most * (WIDTH - LEFT - RIGHT)
    height = (len(rows) + 2) * ROW
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">',
             f"<style>svg {{{light}}} @media (prefers-color-scheme: dark) {{ svg {{{dark}}} }}",
             "text { fill: var(--ink); font: 11px system-ui, sans-serif } .back { fill: var(--ground) } .one { fill: var(--compute) } "
             ".two { fill: var(--latency) } line { stroke: var(--soft) }</style>",
             f'<rect class="back" width="{WIDTH}" height="{height}"/>',
             f'<rect class="one" x="{LEFT}" y="4" width="10" height="10"/><text x="{LEFT + 14}" y="13">one thread</text>'
             f'<rect class="two" x="{LEFT + 100}" y="4" width="10" height="10"/><text x="{LEFT + 114}" y="13">two threads</text>']
    for index, (name, ratios) in enumerate(rows):
        y = (index + 1) * ROW + 4
        parts.append(f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end">{escape(name)}</text>')
        for kind, ratio, offset in zip(("one", "two"), ratios, (1, 8)):
            parts.append(f'<rect class="{kind}" x="{LEFT}" y="{y + offset}" width="{place(ratio) - LEFT:.1f}" height="6"/>')
        parts.append(f'<text x="{WIDTH - 8}" y="{y + 11}" text-anchor="end">{ratios[0]:.2f} {ratios[1]:.2f}</text>')
    parts.append(f'<line x1="{place(1):.1f}" x2="{place(1):.1f}" y1="{ROW}" y2="{height}"/>')
    return "\n".join(parts) + "\n</svg>\n"
