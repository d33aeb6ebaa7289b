#!/usr/bin/env python3
"""Writes a tensor as .npy.  usage: write-npy.py FILE SHAPE NUMBER...  (SHAPE as 2x3; numbers with a point are f32, or all
are with --float; else i64)"""
import struct
import sys

path, shape, *numbers = sys.argv[1:]
is_float = numbers[0] == "--float"
numbers = numbers[is_float:]
is_float |= any("." in number for number in numbers)
sizes = "".join(size + "," for size in shape.split("x"))
text = "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }" % ("<f4" if is_float else "<i8", sizes)
text += " " * (-(len(text) + 11) % 64) + "\n"
with open(path, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode())
    file.write(struct.pack("<%d%s" % (len(numbers), "f" if is_float else "q"), *map(float if is_float else int, numbers)))
