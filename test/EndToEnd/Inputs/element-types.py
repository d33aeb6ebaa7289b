"""Every element type through every basic operation: writes programs with their inputs, and compares two runs.

  element-types.py generate FOLDER     a program and its inputs for each type
  element-types.py compare FOLDER      <type>.cpu.safetensors against <type>.reference.safetensors, bit by bit
"""
import json
import random
import struct
import sys

# By type: the name in files, bits, and for floats the bits of the mantissa and whether there are infinities.
FLOATS = {"f64": ("F64", 64, 52, True), "f32": ("F32", 32, 23, True), "f16": ("F16", 16, 10, True),
          "bf16": ("BF16", 16, 7, True), "f8E4M3FN": ("F8_E4M3", 8, 3, False), "f8E5M2": ("F8_E5M2", 8, 2, True)}
INTEGERS = {"i1": ("BOOL", 8)} | {f"i{n}": (f"I{n}", n) for n in (8, 16, 32, 64)} | {
    f"ui{n}": (f"U{n}", n) for n in (8, 16, 32, 64)}
TYPES = list(FLOATS) + list(INTEGERS)
BITS = {name: (8 if name == "i1" else spec[1]) for name, spec in (FLOATS | INTEGERS).items()}
NAMES = {name: spec[0] for name, spec in (FLOATS | INTEGERS).items()}
COUNT, SIDE = 256, 16
# What exp may differ by, in units in the last place: its stated error in f32 and f64, and one rounding of a result that
# is already near.
EXP_ULPS = {"f64": 2, "f32": 2, "f16": 1, "bf16": 1, "f8E4M3FN": 1, "f8E5M2": 1}


def special(name):
    """Numbers at the edges of a type, as bits."""
    bits = BITS[name]
    if name == "i1":
        return [0, 1]
    if name in INTEGERS:
        top = 1 << bits
        return [0, 1, 2, 3, 7, top - 1, top - 2, top // 2, top // 2 - 1, top // 2 + 1]
    mantissa, infinite = FLOATS[name][2:]
    sign, top = 1 << (bits - 1), (1 << (bits - 1)) - (1 << mantissa)
    one = ((1 << (bits - 2 - mantissa)) - 1) << mantissa
    nan = top + (1 << (mantissa - 1)) if infinite else sign - 1
    positive = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, one, one + 1, one - 1, one + (1 << mantissa), top, nan]
    if infinite:
        positive.append(top - 1)
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


def exact(name, draw):
    """Small whole numbers, whose products and sums every type holds, in any order."""
    numbers = [draw.randrange(2) if name[0] == "u" or name == "i1" else draw.randrange(-1, 2) for _ in range(COUNT)]
    if name in INTEGERS:
        return [number % (1 << BITS[name]) for number in numbers]
    bits, mantissa = FLOATS[name][1:3]
    one = ((1 << (bits - 2 - mantissa)) - 1) << mantissa
    return [abs(number) * one | (number < 0) << (bits - 1) for number in numbers]


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


def program(name):
    """The program of a type, and the operation behind each result."""
    tensor = lambda element, shape=(COUNT,): "tensor<" + "".join(f"{n}x" for n in shape) + element + ">"
    plain, square = tensor(name), tensor(name, (SIDE, SIDE))
    lines, results, labels = [], [], []

    def add(label, text, types, result):
        lines.append(f"  %{len(results)} = tiny.{text} : ({', '.join(types)}) -> {result}")
        results.append(result)
        labels.append(label)

    number, floating = name != "i1", name in FLOATS
    for op in ["add", "sub", "mul"] * number + ["maximum", "minimum"]:
        add(op, f"{op} %x, %y", [plain, plain], plain)
    if number:
        add("div", "div %x, %y", [plain, plain], plain if floating else tensor("f32"))
        add("fmod", "fmod %x, %y", [plain, plain], plain)
        add("neg", "neg %x", [plain], plain)
        for op in ["floordiv", "truncdiv"] * (not floating):
            add(op, f"{op} %x, %y", [plain, plain], plain)
    if not floating:
        for op in "and", "or", "xor":
            add(op, f"{op} %x, %y", [plain, plain], plain)
        add("not", "not %x", [plain], plain)
    else:
        for op in "floor", "ceil", "round", "trunc", "abs", "sqrt", "exp":
            add(op, f"{op} %x", [plain], plain)
    for op in "eq", "ne", "lt", "le", "gt", "ge":
        add(op, f"{op} %x, %y", [plain, plain], tensor("i1"))
    add("where", "where %c, %x, %y", [tensor("i1"), plain, plain], plain)
    for op in "max", "min":
        add(op, f"{op} %m axes [1]", [square], tensor(name, (SIDE,)))
    if number:
        # Short integers accumulate in 32 bits and stay there.
        total = name if BITS[name] >= 32 or floating else "ui32" if name[0] == "u" else "i32"
        add("sum", "sum %e axes [1]", [square], tensor(total, (SIDE,)))
        add("matmul", "matmul %e, %e", [square, square], tensor(name, (SIDE, SIDE)))
    for other in TYPES:
        if other != name:
            add(f"cast to {other}", "cast %x", [plain], tensor(other))
    arguments = [("x", plain), ("y", plain), ("c", tensor("i1")), ("m", square), ("e", square)]
    signature = ", ".join(f'%{label}: {kind} {{tiny.name = "{label}"}}' for label, kind in arguments)
    text = f"func.func @main({signature}) -> ({', '.join(results)}) {{\n" + "\n".join(lines)
    returned = ", ".join(f"%{i}" for i in range(len(results)))
    return text + f"\n  return {returned} : {', '.join(results)}\n}}\n", labels


def generate(folder):
    draw = random.Random(1)
    for name in TYPES:
        x, y = operands(name, draw)
        with open(f"{folder}/{name}.mlir", "w") as file:
            file.write(program(name)[0])
        write(f"{folder}/{name}.safetensors",
              {"x": (name, [COUNT], x), "y": (name, [COUNT], y), "c": ("i1", [COUNT], [k % 3 % 2 for k in range(COUNT)]),
               "m": (name, [SIDE, SIDE], x), "e": (name, [SIDE, SIDE], exact(name, draw))})


def is_nan(name, bits):
    if name not in FLOATS:
        return False
    width, mantissa, infinite = FLOATS[name][1:]
    magnitude = bits & ((1 << (width - 1)) - 1)
    top = (1 << (width - 1)) - (1 << mantissa)
    return magnitude > top if infinite else magnitude == (1 << (width - 1)) - 1


def ordered(name, bits):
    """Neighbouring numbers of a float type as neighbouring integers."""
    sign = 1 << (BITS[name] - 1)
    return -(bits - sign) if bits & sign else bits


def differs(name, label, got, expected):
    if is_nan(name, got) or is_nan(name, expected):
        return is_nan(name, got) != is_nan(name, expected)
    if label == "exp":
        return abs(ordered(name, got) - ordered(name, expected)) > EXP_ULPS[name]
    return got != expected


def compare(folder):
    count = failures = 0
    for name in TYPES:
        got, expected = (read(f"{folder}/{name}.{device}.safetensors") for device in ("cpu", "reference"))
        labels = program(name)[1]
        assert len(got) == len(expected) == len(labels)
        inputs = read(f"{folder}/{name}.safetensors")
        for index, label in enumerate(labels):
            kind, left = got[f"result{index}"]
            right = expected[f"result{index}"][1]
            assert len(left) == len(right) > 0
            count += len(left)
            wrong = [k for k, pair in enumerate(zip(left, right)) if differs(kind, label, *pair)]
            failures += len(wrong)
            for k in wrong[:2]:
                operand = ", ".join(f"{inputs[a][1][k]:#x}" for a in "xy") if len(left) == COUNT else f"row {k}"
                print(f"{name} {label} of {operand}: got {left[k]:#x}, expected {right[k]:#x} ({len(wrong)} differ)")
    print(f"{count - failures} of {count} elements of {len(TYPES)} types agree")
    return failures != 0


if __name__ == "__main__":
    sys.exit({"generate": generate, "compare": compare}[sys.argv[1]](sys.argv[2]))
