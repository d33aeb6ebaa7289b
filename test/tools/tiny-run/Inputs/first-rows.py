#!/usr/bin/env python3
"""Writes the first COUNT rows of an .npy file: first-rows.py COUNT FROM TO"""
import math
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[4] / "utils"))
from corpus import npy

count, source, target = int(sys.argv[1]), sys.argv[2], sys.argv[3]
values, shape = npy.read(source)
npy.write(target, values[:count * math.prod(shape[1:])], [count, *shape[1:]], "float32")
