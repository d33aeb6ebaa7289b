"""Rows of special numbers for extrema.test: `extrema.py make FILE` writes them as .npz, also as columns,
`extrema.py check FILE` compares results with what is right: NaN where there is one, and -0 less than +0."""

import itertools
import math
import random
import struct
import sys
import zipfile

ROW = 96
SPECIAL = {
    "f": ["00000000", "80000000", "3f800000", "bf800000", "7f800000", "ff800000", "7fc00000", "ffc00001", "00000001"],
    "d": ["0000000000000000", "8000000000000000", "3ff0000000000000", "bff0000000000000", "7ff0000000000000",
          "fff0000000000000", "7ff8000000000000", "fff8000000000001", "0000000000000001"],
}


def rows(kind):
    """Each choice of up to three of the special numbers, of which the first fills the row."""
    chance = random.Random(1)
    for count in (1, 2, 3):
        for chosen in itertools.permutations(SPECIAL[kind], count):
            row = [chosen[0]] * ROW
            for value, place in zip(chosen[1:], chance.sample(range(ROW), count - 1)):
                row[place] = value
            yield [struct.unpack(">" + kind, bytes.fromhex(bits))[0] for bits in row]


def save(archive, name, kind, table):
    header = f"{{'descr': '<{kind}{struct.calcsize(kind)}', 'fortran_order': False, 'shape': ({len(table)}, {len(table[0])})}}"
    header = header.replace("'<d", "'<f") + " " * (117 - len(header)) + "\n"
    data = b"".join(struct.pack(f"<{len(row)}{kind}", *row) for row in table)
    archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def load(archive, name, kind):
    data = archive.read(name + ".npy")
    data = data[10 + struct.unpack("<H", data[8:10])[0]:]
    return struct.unpack(f"<{len(data) // struct.calcsize(kind)}{kind}", data)


def most(row, sign):
    if any(math.isnan(x) for x in row):
        return "nan"
    return repr(sign * max((sign * x for x in row), key=lambda x: (x, math.copysign(1, x))))


def main():
    if sys.argv[1] == "make":
        with zipfile.ZipFile(sys.argv[2], "w") as archive:
            for name, kind in (("x", "f"), ("y", "d")):
                save(archive, name, kind, list(rows(kind)))
                save(archive, name + "t", kind, list(zip(*rows(kind))))
        return
    wrong = 0
    with zipfile.ZipFile(sys.argv[2]) as archive:
        for name in archive.namelist():
            kind, sign = ("f" if name[0] == "x" else "d"), (1 if "max" in name else -1)
            for row, got in zip(rows(kind), load(archive, name[:-4], kind), strict=True):
                text = "nan" if math.isnan(got) else repr(got)
                wrong += text != most(row, sign)
        print(len(archive.namelist()), "results,", wrong, "wrong")


main()
