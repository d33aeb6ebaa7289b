"""Every element type through every class of operation: writes programs with their inputs, and compares runs.

  element-types.py generate FOLDER     a program and its inputs for each type
  element-types.py compare FOLDER      <type>.reference.safetensors with what definitions.py says, and
                                       <type>.cpu.safetensors with <type>.reference.safetensors, bit by bit

Types that are named behind the folder are left out, also of casts.
"""
import json
import random
import struct
import sys
from fractions import Fraction

import definitions
from definitions import FLOATS, INTEGERS, decode, encode, signed, value

TYPES = [name for name in list(FLOATS) + list(INTEGERS) if name not in sys.argv[3:]]
BITS = {name: max(bits, 8) for name, bits in definitions.BITS.items()}  # in memory
NAMES = {"i1": "BOOL", "f8E4M3FN": "F8_E4M3", "f8E5M2": "F8_E5M2"}  # in files
NAMES |= {name: name.upper().replace("UI", "U") for name in TYPES if name not in NAMES}
COUNT, SIDE = 256, 16
# What exp may differ by, in units in the last place: its stated error in f32 and f64, and one rounding of a result that
# is already near.
EXP_ULPS = {"f64": 2, "f32": 2, "f16": 1, "bf16": 1, "f8E4M3FN": 1, "f8E5M2": 1}

# From here on a quotient may be off by one: bits of 2^(p-2), with p bits in the mantissa.
WHOLE = {name: encode(name, signed(1 << (mantissa - 1))) for name, (_, mantissa, _) in FLOATS.items()}


def special(name):
    """Numbers at the edges of a type, as bits."""
    bits = BITS[name]
    if name == "i1":
        return [0, 1]
    if name in INTEGERS:
        top = 1 << bits
        return [0, 1, 2, 3, 7, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1]
    mantissa, infinite = FLOATS[name][1:]
    sign, top = 1 << (bits - 1), (1 << (bits - 1)) - (1 << mantissa)
    one = ((1 << (bits - 2 - mantissa)) - 1) << mantissa
    nan = top + (1 << (mantissa - 1)) if infinite else sign - 1
    positive = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, one, one + 1, one - 1, one + (1 << mantissa), top, nan]
    if infinite:
        positive += [top - 1, top + 1]  # the largest number; a signalling NaN
    return positive + [sign | number for number in positive]


def operands(name, draw):
    """All pairs of special numbers as far as there is room, then random ones."""
    edge = special(name)
    pairs = [(x, y) for x in edge for y in edge]
    draw.shuffle(pairs)
    limit = 2 if name == "i1" else 1 << BITS[name]
    while len(pairs) < COUNT:
        pairs.append((draw.randrange(limit), draw.randrange(limit)))
    return [list(column) for column in zip(*pairs[:COUNT])]


def exact(name, draw, numbers):
    """Numbers drawn from a few small ones, whose products and sums every type holds, in any order."""
    if name[0] == "u" or name == "i1":
        numbers = [abs(number) for number in numbers]
    draws = [draw.choice(numbers) for _ in range(COUNT)]
    return [encode(name, signed(number) if name in FLOATS else number) for number in draws]


def write(path, tensors):
    header, data = {}, b""
    for name, (dtype, shape, numbers) in tensors.items():
        width = BITS[dtype] // 8
        part = b"".join(number.to_bytes(width, "little") for number in numbers)
        header[name] = {"dtype": NAMES[dtype], "shape": shape, "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    with open(path, "rb") as file:
        content = file.read()
    size = struct.unpack("<Q", content[:8])[0]
    data = content[8 + size:]
    types = {spelling: name for name, spelling in NAMES.items()}
    tensors = {}
    for name, entry in json.loads(content[8:8 + size]).items():
        dtype = types[entry["dtype"]]
        begin, end = entry["data_offsets"]
        width = BITS[dtype] // 8
        tensors[name] = dtype, [int.from_bytes(data[at:at + width], "little") for at in range(begin, end, width)]
    return tensors


def rows(numbers):
    return [numbers[at:at + SIDE] for at in range(0, len(numbers), SIDE)]


def total(name, numbers):
    return signed(sum(value(x) for x in numbers)) if name in FLOATS else sum(numbers)


def product(name, numbers):
    result = Fraction(1)
    for x in numbers:
        result *= value(x) if name in FLOATS else x
    return signed(result) if name in FLOATS else int(result)


def dot(name, xs, ys):
    return total(name, [signed(value(x) * value(y)) for x, y in zip(xs, ys)] if name in FLOATS
                 else [x * y for x, y in zip(xs, ys)])


class Program:
    """The operations on a type. Each gives a result, and beside it what to expect there: a function of the inputs, of
    their numbers or (`raw`) of their bits; or nothing where the interpreter alone says it."""

    def __init__(self, name):
        self.name, self.lines, self.entries = name, [], []
        self.plain, self.square = self.tensor(), self.tensor(shape=(SIDE, SIDE))

    def tensor(self, element=None, shape=(COUNT,)):
        return "tensor<" + "".join(f"{n}x" for n in shape) + f"{element or self.name}>"

    def add(self, label, text, types, result, expected=None, raw=False):
        self.lines.append(f"  %{len(self.entries)} = tiny.{text} : " + (f"({', '.join(types)}) -> " if types is not None else "")
                          + result)
        self.entries.append((label, result, expected, raw))

    def text(self):
        arguments = [("x", self.plain), ("y", self.plain), ("z", self.plain), ("c", self.tensor("i1")), ("m", self.square),
                     ("e", self.square), ("q", self.square), ("k", self.tensor("i32", (SIDE,)))]
        signature = ", ".join(f'%{label}: {kind} {{tiny.name = "{label}"}}' for label, kind in arguments)
        results = ", ".join(result for _, result, _, _ in self.entries)
        returned = ", ".join(f"%{i}" for i in range(len(self.entries)))
        body = "\n".join(self.lines)
        return f"func.func @main({signature}) -> ({results}) {{\n{body}\n  return {returned} : {results}\n}}\n"


def add_elementwise(program):
    name, plain, floating, number = program.name, program.plain, program.name in FLOATS, program.name != "i1"

    def unary(op, result=plain, known=True):
        program.add(op, f"{op} %x", [plain], result,
                    (lambda i: [definitions.unary(name, op, x) for x in i["x"]]) if known else None)

    def binary(op, result=plain, known=True):
        program.add(op, f"{op} %x, %y", [plain, plain], result,
                    (lambda i: [definitions.binary(name, op, x, y) for x, y in zip(i["x"], i["y"])]) if known else None)

    for op in ["add", "sub", "mul"] * number + ["maximum", "minimum"]:
        binary(op)
    if number:
        binary("div", plain if floating else program.tensor("f32"))
        binary("fmod")
        for op in "floordiv", "truncdiv", "mod":
            binary(op)
        for op in "neg", "abs", "sign", "square", "relu":
            unary(op)
    if floating:
        for op in "floor", "ceil", "round", "trunc", "sqrt":
            unary(op)
        unary("exp", known=False)
        for op in "isnan", "isinf":
            unary(op, program.tensor("i1"))
    else:
        for op in ["and", "or", "xor"] + ["shl", "shr", "pow"] * number:
            binary(op)
        unary("not")
    for op in "eq", "ne", "lt", "le", "gt", "ge":
        binary(op, program.tensor("i1"))
    program.add("where", "where %c, %x, %y", [program.tensor("i1"), plain, plain], plain,
                lambda i: [x if c else y for c, x, y in zip(i["c"], i["x"], i["y"])], raw=True)
    program.add("clamp", "clamp %x, %y, %z", [plain] * 3, plain,
                lambda i: [definitions.largest([definitions.largest([x, y]), z], least=True)
                           for x, y, z in zip(i["x"], i["y"], i["z"])])
    for other in TYPES:
        if other != name:
            program.add(f"cast to {other}", "cast %x", [plain], program.tensor(other),
                        lambda i, other=other: [definitions.cast(name, other, x) for x in i["x"]])
            if number and other != "i1" and BITS[other] == BITS[name]:
                program.add(f"bitcast to {other}", "bitcast %x", [plain], program.tensor(other), lambda i: i["x"], raw=True)


def add_reductions(program):
    name, square, floating = program.name, program.square, program.name in FLOATS
    row = lambda element=None: program.tensor(element, (SIDE,))
    for op in "max", "min":
        program.add(op, f"{op} %m axes [1]", [square], row(),
                    lambda i, op=op: [definitions.largest(r, op == "min") for r in rows(i["m"])])
        program.add(f"arg{op}", f"arg{op} %m axes [1]", [square], row("i32"),
                    lambda i, op=op: [definitions.place_of_largest(r, op == "min") for r in rows(i["m"])])
    nonzero = lambda x: x != 0 if isinstance(x, int) else x[1] != 0
    program.add("any", "any %e axes [1]", [square], row("i1"), lambda i: [any(map(nonzero, r)) for r in rows(i["e"])])
    program.add("all", "all %m axes [1]", [square], row("i1"), lambda i: [all(map(nonzero, r)) for r in rows(i["m"])])
    # Short integers accumulate in 32 bits and stay there.
    wide = name if floating or (BITS[name] >= 32 and name != "i1") else "ui32" if name[0] == "u" else "i32"
    program.add("sum", "sum %e axes [1]", [square], row(wide), lambda i: [total(name, r) for r in rows(i["e"])])
    program.add("prod", "prod %q axes [1]", [square], row(wide), lambda i: [product(name, r) for r in rows(i["q"])])
    program.add("mean", "mean %e axes [1]", [square], row(name if floating else "f32"),
                lambda i: [signed(Fraction(value(t) if floating else t) / SIDE)
                           for t in (total(name, r) for r in rows(i["e"]))])
    if name == "i1":
        return
    # The least integer of all makes sums wrap around; floats do not do that.
    if not floating and BITS[name] >= 32:
        program.add("wrapping sum", "sum %m axes [1]", [square], row(), lambda i: [sum(r) for r in rows(i["m"])])
    product_of = lambda xs, ys: [dot(name, r, column) for r in rows(xs) for column in zip(*rows(ys))]
    program.add("matmul", "matmul %e, %q", [square, square], square, lambda i: product_of(i["e"], i["q"]))
    if not floating:
        program.add("wrapping matmul", "matmul %m, %m", [square, square], square, lambda i: product_of(i["m"], i["m"]))


def add_windows(program):
    name, square = program.name, program.square
    if name == "i1":
        return
    image, kernel = program.tensor(shape=(1, 1, SIDE, SIDE)), program.tensor(shape=(1, 1, 3, 3))
    program.add("image", "reshape %e", [square], image, lambda i: i["e"], raw=True)
    at = len(program.entries) - 1
    program.add("kernel", "slice %q begin [0, 0] end [3, 3] strides [1, 1]", [square], program.tensor(shape=(3, 3)),
                lambda i: [x for r in rows(i["q"])[:3] for x in r[:3]], raw=True)
    program.add("window", f"reshape %{at + 1}", [program.tensor(shape=(3, 3))], kernel,
                lambda i: [x for r in rows(i["q"])[:3] for x in r[:3]], raw=True)

    def convolved(i):
        image, window = rows(i["e"]), [x for r in rows(i["q"])[:3] for x in r[:3]]
        zero = signed(0) if name in FLOATS else 0
        inside = lambda a, b: image[a][b] if 0 <= a < SIDE and 0 <= b < SIDE else zero
        return [dot(name, [inside(a + da, b + db) for da in (-1, 0, 1) for db in (-1, 0, 1)], window)
                for a in range(SIDE) for b in range(SIDE)]
    program.add("conv", f"conv %{at}, %{at + 2} low [1, 1] high [1, 1]", [image, kernel], image, convolved)
    program.add("edges", "reshape %m", [square], image, lambda i: i["m"], raw=True)
    program.add("max_pool", f"max_pool %{at + 4} kernel [2, 2] strides [2, 2]", [image],
                program.tensor(shape=(1, 1, SIDE // 2, SIDE // 2)),
                lambda i: [definitions.largest([rows(i["m"])[a + da][b + db] for da in (0, 1) for db in (0, 1)])
                           for a in range(0, SIDE, 2) for b in range(0, SIDE, 2)])


def add_movement(program):
    """What only moves elements keeps their bits, those of a NaN too."""
    name, square = program.name, program.square
    one, filling = signed(1) if name in FLOATS else 1, "1.0" if name in FLOATS else "true" if name == "i1" else "1"
    filling += "" if name == "i1" else f" : {name}"
    add = lambda label, text, types, result, expected: program.add(label, text, types, result, expected, raw=True)
    add("permute", "permute %m [1, 0]", [square], square, lambda i: [x for column in zip(*rows(i["m"])) for x in column])
    add("flip", "flip %m [1]", [square], square, lambda i: [x for r in rows(i["m"]) for x in reversed(r)])
    add("slice", "slice %m begin [0, 15] end [16, 0] strides [3, -2]", [square], program.tensor(shape=(6, 8)),
        lambda i: [x for r in rows(i["m"])[::3] for x in r[15:0:-2]])
    add("pad", f"pad %m low [0, 1] high [1, 0] value {filling}", [square], program.tensor(shape=(SIDE + 1, SIDE + 1)),
        lambda i: [x for r in rows(i["m"]) for x in [encode(name, one)] + r] + [encode(name, one)] * (SIDE + 1))
    add("concat", "concat %m, %e axis 0", [square, square], program.tensor(shape=(2 * SIDE, SIDE)), lambda i: i["m"] + i["e"])
    add("take", "take %m, %k axis 0", [square, program.tensor("i32", (SIDE,))], square,
        lambda i: [x for k in i["k"] for x in rows(i["m"])[k]])
    add("gather", "gather %m [%k, %k]", [square] + [program.tensor("i32", (SIDE,))] * 2, program.tensor(shape=(SIDE,)),
        lambda i: [rows(i["m"])[k][k] for k in i["k"]])
    add("setitem", "setitem %m, %e begin [0, 0] end [16, 16] strides [1, 1]", [square, square], square, lambda i: i["e"])
    add("full", f"full {filling} -> tensor<4x{name}>".replace(" -> ", " -> "), None, "", lambda i: [encode(name, one)] * 4)
    program.lines[-1] = f"  %{len(program.entries) - 1} = tiny.full {filling} -> tensor<4x{name}>"
    program.entries[-1] = ("full", f"tensor<4x{name}>", program.entries[-1][2], True)
    if name != "i1":
        program.add("iota", "iota 1", None, square, lambda i: [signed(k) if name in FLOATS else k for k in range(SIDE)] * SIDE)


def build(name):
    program = Program(name)
    add_elementwise(program)
    add_reductions(program)
    add_windows(program)
    add_movement(program)
    return program


def generate(folder):
    draw = random.Random(1)
    for name in TYPES:
        x, y = operands(name, draw)
        with open(f"{folder}/{name}.mlir", "w") as file:
            file.write(build(name).text())
        square = [SIDE, SIDE]
        write(f"{folder}/{name}.safetensors",
              {"x": (name, [COUNT], x), "y": (name, [COUNT], y), "z": (name, [COUNT], x[7:] + y[:7]),
               "c": ("i1", [COUNT], [k % 3 % 2 for k in range(COUNT)]), "m": (name, square, x),
               "e": (name, square, exact(name, draw, (-1, 0, 1))), "q": (name, square, exact(name, draw, (-1, 1))),
               "k": ("i32", [SIDE], [draw.randrange(SIDE) for _ in range(SIDE)])})


def is_nan(name, bits):
    return name in FLOATS and decode(name, bits)[1] == definitions.NAN


def ordered(name, bits):
    """Neighbouring numbers of a float type as neighbouring integers."""
    sign = 1 << (BITS[name] - 1)
    return -(bits - sign) if bits & sign else bits


def differs(name, label, raw, got, expected):
    if not raw and (expected is None or is_nan(name, got) or is_nan(name, expected)):
        return not (is_nan(name, got) and (expected is None or is_nan(name, expected)))
    if label in ("floordiv", "truncdiv") and name in FLOATS and expected & ((1 << (BITS[name] - 1)) - 1) >= WHOLE[name]:
        return abs(ordered(name, got) - ordered(name, expected)) > 4  # off by one
    if label == "exp":
        return abs(ordered(name, got) - ordered(name, expected)) > EXP_ULPS[name]
    return got != expected


def compare(folder):
    count = defined = failures = 0
    for name in TYPES:
        cpu, reference = (read(f"{folder}/{name}.{device}.safetensors") for device in ("cpu", "reference"))
        entries = build(name).entries
        assert len(cpu) == len(reference) == len(entries)
        patterns = {key: bits for key, (_, bits) in read(f"{folder}/{name}.safetensors").items()}
        numbers = {key: [decode({"c": "i1", "k": "i32"}.get(key, name), each) for each in bits]
                   for key, bits in patterns.items()}
        for index, (label, _, expected, raw) in enumerate(entries):
            kind, got = cpu[f"result{index}"]
            right = reference[f"result{index}"][1]
            pairs = [("cpu", got, right)]
            if expected:
                by_definition = expected(patterns if raw else numbers)
                if not raw:
                    by_definition = [encode(kind, each) for each in by_definition]
                pairs.append(("reference", right, by_definition))
                defined += len(right)
            count += len(right)
            for device, left, wanted in pairs:
                assert len(left) == len(wanted) > 0, (name, label)
                wrong = [k for k, pair in enumerate(zip(left, wanted)) if differs(kind, label, raw, *pair)]
                failures += len(wrong)
                for k in wrong[:2]:
                    operand = ", ".join(f"{patterns[a][k]:#x}" for a in "xyz") if len(left) == COUNT else f"place {k}"
                    text = "NaN" if wanted[k] is None else f"{wanted[k]:#x}"
                    print(f"{device}: {name} {label} of {operand}: got {left[k]:#x}, expected {text} ({len(wrong)} differ)")
    print(f"{failures} wrong of {count} elements of {len(TYPES)} types, {defined} of them defined here")
    return failures != 0


if __name__ == "__main__":
    sys.exit({"generate": generate, "compare": compare}[sys.argv[1]](sys.argv[2]))
