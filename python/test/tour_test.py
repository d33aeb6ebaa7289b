"""Makes the page docs/Tour.md, by running what it shows: python tour_test.py [--write] PAGE. Without --write the page is
compared."""
import difflib
import pathlib
import sys

import tiny
from tiny import Tensor

page = []


def say(text):
    page.append(text.strip() + "\n")


def show(code, output, language="mlir"):
    page.append(f"```python\n{code.strip()}\n```\n")
    page.append(f"```{language}\n{output.strip()}\n```\n")


say("""
# Tour

One small program, from Python down to C. `python/test/tour_test.py --write docs/Tour.md` runs it and writes this page; a
test compares the two. What each level may say is in [the architecture](Architecture.md).
""")
y = (Tensor([1.0, 2.0, 3.0]) + 2).sum()
say("""
## The graph

An operation adds a node. Nothing is computed; `graph()` is the program that would be. Known values are its arguments, and
so is the number: another one needs no other program.
""")
show("""
import tiny
from tiny import Tensor

y = (Tensor([1.0, 2.0, 3.0]) + 2).sum()
print(y.graph())
""", y.graph())
program = tiny.program([y])
say("""
## Lazy: primitives over views

Broadcasting has become a view of one element with stride 0: its shape, strides and offset are the tracker.
""")
lazy = program.run_passes("tiny-tensor-to-lazy-pipeline")
show("""
program = tiny.program([y])
lazy = program.run_passes("tiny-tensor-to-lazy-pipeline")
print(lazy)
""", str(lazy))
say("""
## Kernels

Kernelize puts the addition and the sum into one kernel. A kernel is a graph over ranges, without an order, and the
program beside it says what is allocated and launched. Scripts are the schedules: what is to be done to the ranges.
""")
kernel = program.run_passes("tiny-tensor-to-kernel-pipeline")
show("""
kernel = program.run_passes("tiny-tensor-to-kernel-pipeline")
print(kernel)
""", str(kernel))
say("""
## UOps: a program in order

The schedule has run. Loops, loads and stores are explicit.
""")
uop = program.run_passes("tiny-tensor-to-uop-pipeline")
show("""
uop = program.run_passes("tiny-tensor-to-uop-pipeline")
print(uop)
""", str(uop))
say("""
## C

Every target begins at the level above. That of the processor makes machine code (`lowered("llvm")`, `lowered("assembly")`);
the target `c` writes a function for each kernel.
""")
source = program.lowered("", "c")
start = source.find("static void ")
source = source[start:] if start >= 0 else source
show("""
print(program.lowered("", "c"))          # without what every such file begins with
""", source, "c")
say("""
## The value
""")
show("""
print(y.item())
""", str(y.item()), "text")

text = "\n".join(page)
path = pathlib.Path(sys.argv[-1])
if sys.argv[1] == "--write":
    path.write_text(text)
elif path.read_text() != text:
    sys.stdout.writelines(difflib.unified_diff(path.read_text().splitlines(True), text.splitlines(True), "written", "generated"))
    sys.exit(f"{path} is stale; run {sys.argv[0]} --write {path}")
print(f"the value is {y.item()}")
