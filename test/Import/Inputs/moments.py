#!/usr/bin/env python3
"""Checks the mean and the variance of the f32 in an .npy file against bounds: FILE, least and largest of each."""
import struct
import sys

data = open(sys.argv[1], "rb").read()
start = 10 + struct.unpack_from("<H", data, 8)[0]
numbers = struct.unpack(f"<{(len(data) - start) // 4}f", data[start:])
mean = sum(numbers) / len(numbers)
variance = sum((number - mean) ** 2 for number in numbers) / len(numbers)
low, high, least, most = map(float, sys.argv[2:])
sys.exit(0 if low <= mean <= high and least <= variance <= most else f"mean {mean}, variance {variance}")
