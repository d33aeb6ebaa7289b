"""The style of figures in documents: that of the page (docs/View.md), dark and light."""
import pathlib
import re

STYLE = pathlib.Path(__file__).resolve().parent.parent / "lib/View/Page/style.css"


def dress(drawing):
    """An SVG of class `plot` as a file of its own: the page's colours and rules go into it."""
    style = STYLE.read_text()
    light, dark = re.findall(r":root \{(.*?)\}", style, re.DOTALL)[:2]
    rules = " ".join(re.findall(r"svg\.plot (?:text|\.)[^{]*\{[^}]*\}", style))
    head, rest = re.match(r"(<svg[^>]*>)(.*)", drawing, re.DOTALL).groups()
    # One element a line, so that a change of the figure is a change of few lines.
    rest = re.sub(r"(?<=>)(?=<(?:line|rect|circle|text|path|polyline)\b)", "\n", rest)
    return (f"{head}\n<style>svg {{{light}}} @media (prefers-color-scheme: dark) {{ svg {{{dark}}} }}\n{rules} svg.plot text {{ font-family: system-ui, sans-serif }}"
            f'</style>\n<rect width="100%" height="100%" fill="var(--ground)"/>{rest}')
