#!/usr/bin/env python3
"""Writes an ONNX model of one node to standard output.

usage: one-node.py [--opset=N] [--domain=NAME] OP[:OUTPUTS] [VALUE | NAME=ATTRIBUTE]...

A value is `f32:2x3`, an input of the model (`f32:nx3` with an open size, `f32` without a shape, `any` without a type), or `i64:2=4,-1`, a constant
(with `~` for `=` a sparse one of elements `place:value`, with `@` a segment, with `!` one of typed elements), or `-`, an input that is left out. An attribute is `1`, `0.5`, `'text'`, `[1,2]` or a
constant.
"""
import ast
import re
import struct
import sys

TYPES = {"f32": 1, "u8": 2, "i32": 6, "i64": 7, "f64": 11, "u4": 21, "i4": 22}

# How a constant's numbers are packed; those of 4 bits come two in a byte.
PACKED = {"f32": "f", "i64": "q", "u4": "B", "i4": "B"}


def varint(number):
    number &= (1 << 64) - 1
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])


def field(number, value):
    """One field of a message: an integer, a float, or bytes, text or messages joined."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 5) + struct.pack("<f", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def dims(text):
    return [int(dim) for dim in text.split("x") if dim]


def tensor(text, name):
    kind, shape, form, numbers = re.fullmatch(r"(\w+):([^=~@!]*)([=~@!])(.*)", text).groups()
    values = [float(x) if kind == "f32" else int(x) for x in numbers.split(",") if x]
    raw = struct.pack(f"<{len(values)}{PACKED.get(kind, 'i')}", *values)
    elements = b"".join(field(5 if kind in ("u4", "i4") else 7, value) for value in values) if form == "!" else field(9, raw)
    segment = field(3, b"") if form == "@" else b""
    return b"".join(field(1, dim) for dim in dims(shape)) + field(2, TYPES[kind]) + segment + field(8, name) + elements


def sparse(text, name):
    """A sparse tensor: its elements, their places, its shape."""
    kind, shape, pairs = re.fullmatch(r"(\w+):([^~]*)~(.*)", text).groups()
    places, values = zip(*(pair.split(":") for pair in pairs.split(",")))
    list_of = lambda kind, numbers, name: tensor(f"{kind}:{len(numbers)}={','.join(numbers)}", name)
    return field(1, list_of(kind, values, name)) + field(2, list_of("i64", places, "")) + b"".join(field(3, dim) for dim in dims(shape))


def attribute(name, text):
    if "~" in text:
        return field(1, name) + field(22, sparse(text, "")) + field(20, 11)
    if re.match(r"\w+:", text):
        return field(1, name) + field(5, tensor(text, name)) + field(20, 4)
    value = ast.literal_eval(text)
    if isinstance(value, list) and value and not isinstance(value[0], int):
        number, kind = (9, 8) if isinstance(value[0], str) else (7, 6)
        return field(1, name) + b"".join(field(number, x) for x in value) + field(20, kind)
    if isinstance(value, list):
        return field(1, name) + b"".join(field(8, x) for x in value) + field(20, 7)
    number, kind = {float: (2, 1), int: (3, 2), str: (4, 3)}[type(value)]
    return field(1, name) + field(number, value) + field(20, kind)


def value_info(name, text):
    kind, colon, shape = text.partition(":")
    axes = b"".join(field(1, field(1, int(dim)) if dim.isdigit() else field(2, dim)) for dim in shape.split("x") if dim)
    tensor_type = field(1, TYPES.get(kind, 0)) + (field(2, axes) if colon else b"")
    return field(1, name) + field(2, b"" if kind == "any" else field(1, tensor_type))


def main():
    arguments, opset = sys.argv[1:], 18
    if arguments[0].startswith("--opset="):
        opset = int(arguments.pop(0)[8:])
    domain = arguments.pop(0)[9:] if arguments[0].startswith("--domain=") else ""
    op, _, outputs = arguments.pop(0).partition(":")
    node, graph = b"", b""
    for position, text in enumerate(arguments):
        name = f"v{position}"
        if match := re.fullmatch(r"([A-Za-z]\w*)=(.*)", text):
            node += field(5, attribute(*match.groups()))
            continue
        node += field(1, "" if text == "-" else name)
        if "~" in text:
            graph += field(15, sparse(text, name))
        elif re.search("[=@!]", text):
            graph += field(5, tensor(text, name))
        elif text != "-":
            graph += field(11, value_info(name, text))
    results = [f"result{k}" for k in range(int(outputs or 1))]
    node += b"".join(field(2, result) for result in results) + field(3, "it") + field(4, op) + field(7, domain)
    graph += field(1, node) + field(2, "main") + b"".join(field(12, field(1, result)) for result in results)
    sys.stdout.buffer.write(field(1, 8) + field(7, graph) + field(8, field(1, domain) + field(2, opset)))


main()
