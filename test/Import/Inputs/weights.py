"""Writes an ONNX model of one product, y = x w, with the weights where the arguments say; without the onnx package.

    weights.py MODEL [--rows N] [--columns N] [--shift N] [--scale N] [KEY=VALUE...]

Pairs make the weights external data with these entries. Of a location that is a plain name the file is written, too:
from the offset on, which may lie behind a hole of any size. --shift moves raw weights inside of the model by that many
bytes.
"""

import argparse
import os
import struct


def varint(number):
    out = b""
    while number >= 0x80:
        out += bytes([number & 0x7F | 0x80])
        number >>= 7
    return out + bytes([number])


def field(number, content):
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    content = content.encode() if isinstance(content, str) else content
    return varint(number << 3 | 2) + varint(len(content)) + content


def value_info(name, shape):
    dims = b"".join(field(1, field(1, size)) for size in shape)
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)))


def weights(rows, columns, scale):
    """Whole numbers, so that every order of summation gives the same."""
    return struct.pack(f"<{rows * columns}f", *((i * 5 % 7 - 3) * scale for i in range(rows * columns)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("model")
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--columns", type=int, default=256)
    parser.add_argument("--shift", type=int, default=0)
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--no-data", action="store_true", help="write no file")
    parser.add_argument("entries", nargs="*")
    args = parser.parse_intermixed_args()
    data = weights(args.rows, args.columns, args.scale)
    entries = dict(entry.split("=", 1) for entry in args.entries)
    tensor = field(1, args.rows) + field(1, args.columns) + field(2, 1) + field(8, "w")
    if entries:
        tensor += b"".join(field(13, field(1, key) + field(2, text)) for key, text in entries.items()) + field(14, 1)
        location = entries.get("location", "")
        if location and os.path.basename(location) == location and not args.no_data:
            with open(os.path.join(os.path.dirname(args.model), location), "wb") as file:
                file.seek(int(entries.get("offset", "0")))
                file.write(data)
    else:
        tensor += field(12, "s" * args.shift) + field(9, data)
    node = field(1, "x") + field(1, "w") + field(2, "y") + field(3, "product") + field(4, "MatMul")
    graph = field(1, node) + field(2, "graph") + field(5, tensor)
    graph += field(11, value_info("x", [1, args.rows])) + field(12, value_info("y", [1, args.columns]))
    with open(args.model + ".new", "wb") as file:
        file.write(field(1, 8) + field(7, graph) + field(8, field(1, "") + field(2, 17)))
    os.replace(args.model + ".new", args.model)


main()
