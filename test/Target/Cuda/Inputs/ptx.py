"""Runs kernels in PTX, as LLVM writes it, lane by lane: the semantics are those of NVIDIA's "PTX ISA", per instruction.

A register holds bits, as a number. Addresses say where they point: the upper half numbers a buffer, or is the window of
shared or of local memory; each access is checked. What is not known here is an error, never a guess. Lanes of a workgroup
run one after the other, so kernels with barriers need more than this.
"""
import math
import re
import struct
from fractions import Fraction

SHARED, LOCAL, FIRST_BUFFER = 1 << 56, 2 << 56, 1 << 32
FLOATS = {"f16": ("e", 16), "f32": ("f", 32), "f64": ("d", 64)}


class PtxError(Exception):
    pass


def width(kind):
    return 1 if kind == "pred" else int(re.sub(r"\D.*", "", kind[1:]))


def to_float(bits, kind):
    code, size = FLOATS[kind]
    return struct.unpack("<" + code, bits.to_bytes(size // 8, "little"))[0]


def round_exact(value, kind):
    """The float of the kind nearest to a fraction that is not zero, ties to even, as bits."""
    digits, least = {"f16": (11, -14), "f32": (24, -126), "f64": (53, -1022)}[kind]
    size = FLOATS[kind][1]
    sign, value = (1, -value) if value < 0 else (0, value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if value < Fraction(2) ** exponent:
        exponent -= 1
    step = max(exponent, least) - (digits - 1)
    scaled = value / Fraction(2) ** step
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    if rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2):
        whole += 1
    # A mantissa without its leading bit, and the exponent: one above the other they carry over rightly.
    bits = whole + ((step + digits - 2 - least + 1) << (digits - 1)) if whole >> (digits - 1) else whole
    infinity = ((1 << (size - digits)) - 1) << (digits - 1)
    return (sign << (size - 1)) | min(bits, infinity)


def from_float(value, kind):
    """Bits of the float of the kind nearest to a double."""
    code, size = FLOATS[kind]
    if math.isnan(value):
        return {"f16": 0x7FFF, "f32": 0x7FFFFFFF, "f64": 0x7FF8000000000000}[kind]
    if math.isinf(value) or value == 0 or kind == "f64":
        return int.from_bytes(struct.pack("<" + code, value), "little")
    return round_exact(Fraction(value), kind)


def fused(a, b, c, kind):
    """a * b + c, rounded once."""
    if not all(map(math.isfinite, (a, b, c))):
        return from_float(a * b + c if math.isfinite(c) or not (math.isfinite(a) and math.isfinite(b)) else c, kind)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    if exact == 0:
        return from_float(a * b + c if a == 0 or b == 0 else 0.0, kind)
    return round_exact(exact, kind)


def add(a, b, kind):
    if not (math.isfinite(a) and math.isfinite(b)) or Fraction(a) + Fraction(b) == 0:
        return from_float(a + b, kind)
    return round_exact(Fraction(a) + Fraction(b), kind)


def multiply(a, b, kind):
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0 or b == 0:
        return from_float(a * b, kind)
    return round_exact(Fraction(a) * Fraction(b), kind)


def divide(a, b, kind):
    if math.isfinite(a) and math.isfinite(b) and a != 0 and b != 0:
        return round_exact(Fraction(a) / Fraction(b), kind)
    if math.isnan(a) or math.isnan(b) or (a == 0 and b == 0) or (math.isinf(a) and math.isinf(b)):
        return from_float(math.nan, kind)
    sign = math.copysign(1, a) * math.copysign(1, b)
    return from_float(sign * (math.inf if math.isinf(a) or b == 0 else 0.0), kind)


def square_root(a, kind):
    # A double has more than twice the digits of f32 and f16, so rounding twice is rounding once.
    return from_float(math.nan if a < 0 else math.sqrt(a) if math.isfinite(a) else a, kind)


def extreme(a, b, kind, greater, keeps_nan):
    x, y = to_float(a, kind), to_float(b, kind)
    if math.isnan(x) or math.isnan(y):
        if keeps_nan or (math.isnan(x) and math.isnan(y)):
            return from_float(math.nan, kind)
        return b if math.isnan(x) else a
    if x == y:  # -0 is less than +0
        return (a & b) if greater else (a | b)
    return a if (x > y) == greater else b


def round_whole(value, mode):
    if not math.isfinite(value):
        return value
    whole = {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[mode](value)
    return math.copysign(float(whole), value)


def signed(bits, size):
    return bits - (1 << size) if bits >> (size - 1) else bits


def convert(bits, to, source, modes):
    mask = (1 << width(to)) - 1
    if source in FLOATS:
        value = to_float(bits, source)
        rounding = next((mode for mode in modes if mode.endswith("i")), None)
        if to in FLOATS:
            if rounding:
                value = round_whole(value, rounding)
            return from_float(value, to)
        # To integers: NaN is 0, what does not fit is the nearest that does.
        least, most = (0, mask) if to[0] == "u" else (-(mask // 2) - 1, mask // 2)
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return (most if value > 0 else least) & mask
        return min(max(int(round_whole(value, rounding)), least), most) & mask
    bits &= (1 << width(source)) - 1
    value = signed(bits, width(source)) if source[0] == "s" else bits
    if to in FLOATS:
        return round_exact(Fraction(value), to) if value else 0
    return value & mask


def compare(relation, a, b, kind):
    if kind in FLOATS:
        x, y = to_float(a, kind), to_float(b, kind)
        unordered = math.isnan(x) or math.isnan(y)
        if relation in ("nan", "num"):
            return unordered == (relation == "nan")
        if unordered:
            return relation.endswith("u")
        relation = relation[:-1] if len(relation) == 3 else relation
    else:
        size = width(kind)
        x, y = (signed(a, size), signed(b, size)) if kind[0] == "s" else (a, b)
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[relation]


def permute(a, b, selector):
    data = (b << 32) | a
    result = 0
    for byte in range(4):
        control = (selector >> (4 * byte)) & 15
        value = (data >> (8 * (control & 7))) & 255
        if control & 8:
            value = 255 if value & 128 else 0
        result |= value << (8 * byte)
    return result


class Kernel:
    def __init__(self, name, parameters):
        self.name, self.parameters = name, parameters
        self.lanes, self.symbols, self.shared, self.local = (1, 1, 1), {}, 0, 0
        self.code, self.labels = [], {}


def parse(text):
    """The kernels of a file, by name."""
    kernels, kernel, pending = {}, None, None
    text = re.sub(r"//[^\n]*", "", text)
    for match in re.finditer(r"\.visible \.entry (\w+)\((.*?)\)(.*?)\n\{(.*?)\n\}", text, re.S):
        name, parameters, directives, body = match.groups()
        kernel = kernels[name] = Kernel(name, re.findall(rf"{name}_param_\d+", parameters))
        if lanes := re.search(r"\.reqntid (\d+), (\d+), (\d+)", directives):
            kernel.lanes = tuple(map(int, lanes.groups()))
        for line in re.split(r"[;\n]", re.sub(r"(\$\w+):", r"\1:;", body)):
            line = line.strip()
            # A block of its own, for a register that nothing else needs.
            line = line[1:].strip() if line.startswith("{") else "" if line == "}" else line
            if not line or line.startswith(".reg"):
                continue
            if found := re.match(r"\.(shared|local) \.align (\d+) \.b8\s+(\w+)\[(\d+)\]", line):
                space, align, symbol, size = found[1], int(found[2]), found[3], int(found[4])
                used = getattr(kernel, space)
                begin = (used + align - 1) // align * align
                kernel.symbols[symbol] = (SHARED if space == "shared" else LOCAL) + begin
                setattr(kernel, space, begin + size)
            elif line.endswith(":"):
                kernel.labels[line[:-1]] = len(kernel.code)
            elif found := re.match(r"(?:@(!?)(%p\d+)\s+)?([a-z][\w.]*)\s*(.*)$", line, re.S):
                operands = re.findall(r"\{[^}]*\}|\[[^\]]*\]|[^,\s]+", found[4])
                kernel.code.append((found[1] == "!", found[2], found[3].split("."), operands))
            else:
                raise PtxError(f"{name}: cannot read '{line}'")
    return kernels


class Lane:
    def __init__(self, kernel, buffers, shared, workgroup, lane):
        self.kernel, self.buffers, self.shared = kernel, buffers, shared
        self.local, self.registers = bytearray(b"\xa5" * kernel.local), {}
        self.special = {f"%{kind}.{axis}": place[k] for kind, place in (("ctaid", workgroup), ("tid", lane))
                        for k, axis in enumerate("xyz")}

    def read(self, operand, kind):
        mask = (1 << width(kind)) - 1
        if operand[0] == "%":
            bits = self.special[operand] if operand in self.special else self.registers.get(operand)
            if bits is None:
                raise PtxError(f"{self.kernel.name}: reads {operand} before it is written")
            return bits & mask
        if operand[:2] in ("0f", "0d"):
            return int(operand[2:], 16)
        if operand in self.kernel.symbols:
            return self.kernel.symbols[operand]
        return int(operand.rstrip("U"), 0) & mask

    def memory(self, operand, size, writes):
        base, offset = re.fullmatch(r"\[([%\w$]+)(?:\+(-?\d+))?\]", operand).groups()
        address = self.read(base, "b64") + int(offset or 0)
        if address >= LOCAL:
            memory, begin = self.local, address - LOCAL
        elif address >= SHARED:
            memory, begin = self.shared, address - SHARED
        else:
            number, begin = divmod(address, FIRST_BUFFER)
            if not 1 <= number <= len(self.buffers):
                raise PtxError(f"{self.kernel.name}: address {address:#x} is in no buffer")
            memory = self.buffers[number - 1]
        if begin < 0 or begin + size > len(memory):
            raise PtxError(f"{self.kernel.name}: {'writes' if writes else 'reads'} bytes {begin} to {begin + size} of "
                           f"{len(memory)}")
        return memory, begin, address

    def access(self, operation, operands):
        writes, kind = operation[0] == "st", operation[-1]
        size = width(kind) // 8
        place, values = (operands[0], operands[1]) if writes else (operands[1], operands[0])
        registers = values.strip("{}").replace(" ", "").split(",")
        memory, begin, address = self.memory(place, size * len(registers), writes)
        if address % (size * len(registers)):
            raise PtxError(f"{self.kernel.name}: address {address:#x} is not aligned to {size * len(registers)} bytes")
        for number, register in enumerate(registers):
            at = begin + number * size
            if writes:
                memory[at : at + size] = self.read(register, kind).to_bytes(size, "little")
            else:
                bits = int.from_bytes(memory[at : at + size], "little")
                self.registers[register] = signed(bits, 8 * size) if kind[0] == "s" else bits

    def compute(self, operation, operands):
        """The bits that an instruction without effect gives."""
        name, kind, modes = operation[0], operation[-1], operation[1:-1]
        if name == "cvt":
            return convert(self.read(operands[1], kind), operation[-2], kind, operation[1:-2])
        if name == "setp":
            return int(compare(operation[1], *(self.read(x, kind) for x in operands[1:3]), kind))
        if name == "selp":
            return self.read(operands[1 if self.read(operands[3], "pred") else 2], kind)
        if name == "mul" and "wide" in modes:
            a, b = (self.read(x, kind) for x in operands[1:])
            size = width(kind)
            a, b = (signed(a, size), signed(b, size)) if kind[0] == "s" else (a, b)
            return a * b & (1 << 2 * size) - 1
        if kind == "f16x2":
            halves = [[bits >> shift & 0xFFFF for bits in (self.read(x, "b32") for x in operands[1:])] for shift in (0, 16)]
            low, high = (self.compute_float(name, "f16", modes, half) for half in halves)
            return high << 16 | low
        values = [self.read(x, kind if name not in ("shl", "shr") or k == 0 else "b32")
                  for k, x in enumerate(operands[1:])]
        size = width(kind)
        mask = (1 << size) - 1
        if name in ("mov", "cvta"):
            return values[0]
        if name in ("and", "or", "xor"):
            a, b = values
            return {"and": a & b, "or": a | b, "xor": a ^ b}[name]
        if name == "not":
            return ~values[0] & mask
        if kind in FLOATS:
            return self.compute_float(name, kind, modes, values)
        if kind[0] == "s":
            values = [signed(x, size) for x in values[:1]] + [
                x if name == "shr" else signed(x, size) for x in values[1:]]
        return self.compute_integer(name, kind, modes, values, size) & mask

    def compute_float(self, name, kind, modes, values):
        sign = 1 << (width(kind) - 1)
        floats = [to_float(x, kind) for x in values]
        if name == "neg":
            return values[0] ^ sign
        if name == "abs":
            return values[0] & ~sign
        if name == "copysign":  # the sign of the first, the rest of the second
            return (values[0] & sign) | (values[1] & ~sign)
        if name in ("min", "max"):
            return extreme(*values, kind, name == "max", "NaN" in modes)
        if "rn" in modes:
            if name == "fma":
                return fused(*floats, kind)
            if name == "sub":
                return add(floats[0], -floats[1], kind)
            rule = {"add": add, "mul": multiply, "div": divide, "sqrt": square_root}.get(name)
            if name == "rcp":
                return divide(1.0, floats[0], kind)
            if rule:
                return rule(*floats, kind)
        raise PtxError(f"{self.kernel.name}: unknown instruction {name}.{'.'.join(modes)}.{kind}")

    def compute_integer(self, name, kind, modes, values, size):
        if name in ("add", "sub"):
            return values[0] + (values[1] if name == "add" else -values[1])
        if name == "mul" and "lo" in modes:
            return values[0] * values[1]
        if name == "mul" and "hi" in modes:
            return values[0] * values[1] >> size
        if name == "mad" and "lo" in modes:
            return values[0] * values[1] + values[2]
        if name in ("div", "rem"):
            if values[1] == 0:
                raise PtxError(f"{self.kernel.name}: divides by zero, which has no value")
            quotient = abs(values[0]) // abs(values[1]) * (1 if (values[0] < 0) == (values[1] < 0) else -1)
            return quotient if name == "div" else values[0] - quotient * values[1]
        if name in ("min", "max"):
            return (min if name == "min" else max)(values)
        if name in ("neg", "abs"):
            return -values[0] if name == "neg" else abs(values[0])
        if name == "shl":
            return values[0] << min(values[1], size)
        if name == "shr":
            return values[0] >> min(values[1], size)
        if name == "bfe" and kind in ("u32", "u64"):
            return values[0] >> min(values[1] & 255, size) & (1 << (values[2] & 255)) - 1
        if name == "prmt":
            return permute(*values)
        if name == "shf" and modes == ["l", "wrap"]:
            return ((values[1] << 32 | values[0]) << (values[2] & 31)) >> 32
        raise PtxError(f"{self.kernel.name}: unknown instruction {name}.{'.'.join(modes)}.{kind}")

    def move_parts(self, operands, size):
        """Between a register and the registers of its parts, the lowest first."""
        target, source = (operand.strip("{}").replace(" ", "").split(",") for operand in operands)
        # A part that nobody uses may come from a register that nobody wrote.
        bits = sum(self.read(x, f"b{size // len(source)}") << (size // len(source) * k) for k, x in enumerate(source)
                   if x in self.registers or x[0] != "%")
        for number, register in enumerate(target):
            if register != "_":
                self.registers[register] = bits >> (size // len(target) * number) & (1 << size // len(target)) - 1

    def run(self, most_steps=1000000):
        at = 0
        for _ in range(most_steps):
            inverted, guard, operation, operands = self.kernel.code[at]
            at += 1
            if guard and bool(self.registers[guard]) == inverted:
                continue
            if operation[0] == "ret":
                return
            if operation[0] == "bra":
                at = self.kernel.labels[operands[0]]
            elif operation[0] == "ld" and "param" in operation:
                number = self.kernel.parameters.index(operands[1].strip("[]"))
                self.registers[operands[0]] = (number + 1) * FIRST_BUFFER
            elif operation[0] in ("ld", "st"):
                self.access(operation, operands)
            elif operation[0] == "mov" and any(x[0] == "{" for x in operands):
                self.move_parts(operands, width(operation[-1]))
            else:
                self.registers[operands[0]] = self.compute(operation, operands)
        raise PtxError(f"{self.kernel.name}: does not end")


def run(kernel, grid, buffers):
    """Runs the kernel on buffers of bytes, in place."""
    if len(buffers) != len(kernel.parameters):
        raise PtxError(f"{kernel.name}: got {len(buffers)} buffers, expected {len(kernel.parameters)}")

    def points(extents):
        x, y, z = extents
        return [(i, j, k) for k in range(z) for j in range(y) for i in range(x)]

    for workgroup in points(grid):
        shared = bytearray(b"\xa5" * kernel.shared)
        for lane in points(kernel.lanes):
            Lane(kernel, buffers, shared, workgroup, lane).run()
