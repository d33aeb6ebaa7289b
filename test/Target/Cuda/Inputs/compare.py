"""Runs the kernels of a PTX file by the driver that TINY_CUDA_LIBRARY names, and compares what they write with the
interpreter, bit for bit.

usage: compare.py UOP.mlir BEFORE.txt AFTER.txt KERNELS.ptx

AFTER is what tiny-interpret prints of the kernels in UOP: the contents of each buffer afterwards. BEFORE is the same of
kernels that do nothing.
"""
import math
import re
import struct
import sys

from cuda import Cuda, CudaError

CODES = {"f64": "d", "f32": "f", "f16": "e", "bf16": "H", "i64": "q", "i32": "i", "i16": "h", "i8": "b", "i1": "B", "index": "q",
         "f8E4M3FN": "B", "f8E5M2": "B"}
# Bits behind the point, the exponent's bias, and whether there are infinities.
SMALL = {"f8E4M3FN": (3, 7, False), "f8E5M2": (2, 15, True)}


def signed(bits, size):
    return bits - (1 << size) if bits >> (size - 1) else bits


def round_to_bf16(value):
    """The bits of the nearest number, ties to even."""
    if value != value:
        return 0x7FC0
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def read_small(kind, bits):
    """A number of 8 bits: the sign, an exponent, and the rest."""
    mantissa, bias, has_infinities = SMALL[kind]
    exponent, fraction = divmod(bits & 0x7F, 1 << mantissa)
    if exponent == (1 << (7 - mantissa)) - 1 and (has_infinities or fraction == (1 << mantissa) - 1):
        value = math.inf if has_infinities and not fraction else math.nan
    else:
        value = math.ldexp(fraction + (1 << mantissa if exponent else 0), max(exponent, 1) - bias - mantissa)
    return math.copysign(value, -1 if bits & 0x80 else 1)


def round_to_small(kind, value):
    """The bits of the nearest number: texts have as many digits as tell it from others."""
    if value != value or math.isinf(value):
        return next(bits for bits in range(256) if str(read_small(kind, bits)) == str(value) or (
            value != value and read_small(kind, bits) != read_small(kind, bits)))
    signs = [bits for bits in range(256) if (bits >= 128) == (math.copysign(1, value) < 0)]
    return min((bits for bits in signs if math.isfinite(read_small(kind, bits))),
               key=lambda bits: abs(read_small(kind, bits) - value))


def decode(kind, element):
    value = struct.unpack("<" + CODES[kind], element)[0]
    if kind in SMALL:
        return read_small(kind, value)
    return struct.unpack("<f", struct.pack("<I", value << 16))[0] if kind == "bf16" else value


def encode(kind, texts):
    values = []
    for text in texts:
        text = {"true": "1", "false": "0"}.get(text.strip(), text.strip())
        values.append(round_to_small(kind, float(text)) if kind in SMALL else
                      round_to_bf16(float(text)) if kind == "bf16" else float(text) if kind[0] == "f" else int(text))
    bits = struct.calcsize(CODES[kind]) * 8
    if kind[0] == "i" and kind != "index":
        values = [signed(value & (1 << bits) - 1, bits) if kind != "i1" else value & 1 for value in values]
    return bytearray(b"".join(struct.pack("<" + CODES[kind], value) for value in values))


def read_buffers(text):
    """Type and elements of each kernel's buffers, by its name."""
    buffers = {}
    for name, _, kind, texts in re.findall(r"^(\w+) result (\d+): tensor<\d+x(\w+)> \[(.*)\]$", text, re.M):
        buffers.setdefault(name, []).append((kind, texts.split(", ")))
    return buffers


def main():
    uop, before, after, code = (open(path).read() for path in sys.argv[1:])
    # Each has its lanes behind its parameters.
    kernels = {name: (parameters.count(".param"), tuple(map(int, lanes))) for name, parameters, *lanes in re.findall(
        r"\.visible \.entry (\w+)\((.*?)\)\s*\.reqntid (\d+), (\d+), (\d+)", code, re.S)}
    cuda = Cuda()
    module = cuda.load(code)
    grids = {name: tuple(map(int, re.findall(r"\d+", grid))) for name, grid in re.findall(
        r"uop\.func (?:private )?@(\w+)\([^\n]*kernel\.entry<grid = \[([\d, ]+)\]", uop)}
    # Tiles that are more than an entry may have are given by the launch.
    scratch = dict(re.findall(r"uop\.func (?:private )?@(\w+)\([^\n]*kernel\.entry<[^\n]*scratch = (\d+)", uop))
    given = {name: int(scratch.get(name, 0)) for name in kernels if f".b8 {name}_tiles[];" in code}
    maps = {name: [dict(re.findall(r"(\w+) = (\w+)", map)) for map in re.findall(r"#kernel\.tensor_map<(.*?)>", line)]
            for name, line in re.findall(r"uop\.func (?:private )?@(\w+)(\([^\n]*)", uop)}
    before, after = read_buffers(before), read_buffers(after)
    # Sums over lanes that may be reassociated are trees below the uop level.
    sums = {name for name, body in re.findall(r"uop\.func (?:private )?@(\w+)\([^\n]*\{\n(.*?)\n  \}\n", uop, re.S)
            if re.search(r"vector\.reduction <(add|mul)>.*reassoc|uop\.subgroup_reduce (addf|mulf)", body)}
    agree = failed = skipped = 0
    for name, (count, lanes) in kernels.items():
        contents = after.get(name, [])
        if len(contents) + len(maps.get(name, [])) != count or any(
                kind not in CODES or texts[-1] == "..." for kind, texts in contents):
            skipped += 1
            continue
        wanted = [encode(kind, texts) for kind, texts in contents]
        memory = [encode(kind, texts) for kind, texts in before[name]]
        try:
            cuda.launch(module, name, grids.get(name, (1, 1, 1)), lanes, memory, given.get(name, 0),
                        maps.get(name, []))
        except CudaError as error:
            print(f"{name}: {error}")
            failed += 1
            break
        for number, (kind, _) in enumerate(contents):
            size = struct.calcsize(CODES[kind])
            largest = max([1.0] + [abs(float(text)) for text in contents[number][1]]) if name in sums else 0
            for at in range(0, len(wanted[number]), size):
                got, want = memory[number][at : at + size], wanted[number][at : at + size]
                both = [decode(kind, element) for element in (got, want)]
                is_near = kind[0] in "fb" and (all(x != x for x in both) or (
                    name in sums and abs(both[0] - both[1]) <= 4e-6 * largest))
                if got != want and not is_near:
                    print(f"{name}: buffer {number}, element {at // size}: got {both[0]}, expected {both[1]}")
                    failed += 1
                    break
            else:
                continue
            break
        else:
            agree += 1
    print(f"{agree} kernels agree, {failed} fail, {skipped} were not compared")


main()
