"""damage.py FOLDER: changes a byte in the middle of each entry of a cache."""
import pathlib
import sys

entries = [path for path in pathlib.Path(sys.argv[1]).iterdir() if path.stat().st_size]
assert entries
for path in entries:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
