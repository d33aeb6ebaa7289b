"""Lists the operations of kernels that do not say which tensor operation they come from.

Reads a program at the kernel level, printed with --mlir-print-debuginfo --mlir-print-local-scope. Constants do not
count: equal ones are one operation, and upstream's folders make them without a place.
"""
import re
import sys

kernel, seen = None, 0
for line in sys.stdin:
    if match := re.search(r"kernel\.func .*?@(\w+)", line):
        kernel = match[1]
    elif line.startswith("  }"):
        kernel = None
    elif kernel and " loc(" in line and not re.search(r"= arith\.constant |^ *} loc\(|kernel\.yield", line):
        seen += 1
        if "tiny.origin" not in line:
            print(f"@{kernel} has no origin: {line.strip()}")
print("all operations have one" if seen else "no operations at all")
