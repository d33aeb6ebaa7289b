"""Every name of names.txt is there, or has a reason why not: python names_test.py."""
import pathlib

import tiny

lines = [line for line in (pathlib.Path(__file__).parent / "names.txt").read_text().splitlines() if line and line[0] != "#"]
there = absent = 0
for line in lines:
    name, _, reason = line.partition(": ")
    known = hasattr(tiny.Tensor, name) or hasattr(tiny, name)
    if known == bool(reason):
        print(f"{name}: " + ("is there, but has a reason why not" if known else "is not there, and has no reason"))
    there, absent = there + known, absent + (not known)
print(f"{there} names are there, {absent} are not")
