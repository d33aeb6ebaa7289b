"""Runs the Python of a page, block after block, as one program: python page_test.py PAGE."""
import re
import sys

blocks = re.findall(r"^```python\n(.*?)^```", open(sys.argv[1]).read(), re.M | re.S)
names = {}
for block in blocks:
    exec(compile(block, sys.argv[1], "exec"), names)
print(f"{len(blocks)} blocks ran, the last value is {names['right']}")
