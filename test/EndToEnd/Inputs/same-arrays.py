"""Checks that files have the same arrays, bit for bit, and says how many."""
import sys

import numpy as np

files = [np.load(path) for path in sys.argv[1:]]
first = files[0]
for path, other in zip(sys.argv[2:], files[1:]):
    if set(other) != set(first):
        sys.exit(f"error: {path} has {sorted(other)}, expected {sorted(first)}")
    for name in first:
        if first[name].tobytes() != other[name].tobytes():
            sys.exit(f"error: {path}: {name} has other elements")
print(f"{len(files)} files have the same {len(first.files)} arrays")
