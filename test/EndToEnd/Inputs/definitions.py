"""What operations give by docs/Numerics.md, in exact arithmetic: nothing here knows how Tiny computes.

A number of a float type is a pair of its sign (True for minus) and its magnitude, which is a Fraction, INF or NAN; a
number of an integer type is an int.
"""
import math
from fractions import Fraction

INF, NAN = "inf", "nan"
# By type: bits, and for floats the bits of the mantissa and whether there are infinities.
FLOATS = {"f64": (64, 52, True), "f32": (32, 23, True), "f16": (16, 10, True), "bf16": (16, 7, True),
          "f8E4M3FN": (8, 3, False), "f8E5M2": (8, 2, True)}
INTEGERS = {"i1": 8} | {f"i{n}": n for n in (8, 16, 32, 64)} | {f"ui{n}": n for n in (8, 16, 32, 64)}
BITS = {name: bits for name, (bits, _, _) in FLOATS.items()} | INTEGERS


def bias(name):
    bits, mantissa, _ = FLOATS[name]
    return (1 << (bits - 2 - mantissa)) - 1


def decode(name, pattern):
    if name == "i1" or name[0] == "u":
        return pattern
    bits = BITS[name]
    if name in INTEGERS:
        return pattern - (1 << bits) if pattern >> (bits - 1) else pattern
    _, mantissa, infinite = FLOATS[name]
    sign, magnitude = bool(pattern >> (bits - 1)), pattern & ((1 << (bits - 1)) - 1)
    exponent, fraction = magnitude >> mantissa, magnitude & ((1 << mantissa) - 1)
    top = (1 << (bits - 1 - mantissa)) - 1
    if infinite and exponent == top:
        return sign, NAN if fraction else INF
    if not infinite and magnitude == (1 << (bits - 1)) - 1:
        return sign, NAN
    scale = max(exponent, 1) - bias(name) - mantissa
    return sign, Fraction(fraction + ((1 << mantissa) if exponent else 0)) * Fraction(2) ** scale


def encode(name, number):
    """The bits of the nearest number of a type, ties to even; integers wrap around. NaN is None: it has many."""
    if name == "i1":
        return int(bool(number))
    if name in INTEGERS:
        return number % (1 << BITS[name])
    bits, mantissa, infinite = FLOATS[name]
    sign, magnitude = number
    minus = int(sign) << (bits - 1)
    top = ((1 << (bits - 1 - mantissa)) - 1) << mantissa
    if magnitude == NAN:
        return None
    if magnitude == INF:
        return minus | top if infinite else None
    if magnitude == 0:
        return minus
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > magnitude
    exponent = max(exponent, 1 - bias(name))
    steps = magnitude / Fraction(2) ** (exponent - mantissa)
    whole = round(steps)  # ties to even
    pattern = ((exponent + bias(name) - 1) << mantissa) + whole if whole >> mantissa else whole
    if infinite:
        return minus | min(pattern, top)
    return minus | pattern if pattern < (1 << (bits - 1)) - 1 else None


def signed(value, minus=False):
    """An exact number; `minus` is the sign of a zero."""
    return (value < 0 or (value == 0 and minus), abs(Fraction(value)))


def value(x):
    return -x[1] if x[0] else x[1]


def rounded(name, number):
    """A number that its type holds."""
    pattern = encode(name, number)
    return (False, NAN) if pattern is None else decode(name, pattern)


# --- Arithmetic on floats ---


def add(x, y):
    if NAN in (x[1], y[1]) or (x[1] == y[1] == INF and x[0] != y[0]):
        return False, NAN
    if INF in (x[1], y[1]):
        return x if x[1] == INF else y
    return signed(value(x) + value(y), x[0] and y[0])


def negate(x):
    return not x[0], x[1]


def multiply(x, y):
    sign = x[0] != y[0]
    if NAN in (x[1], y[1]) or (INF in (x[1], y[1]) and 0 in (x[1], y[1])):
        return False, NAN
    return sign, INF if INF in (x[1], y[1]) else x[1] * y[1]


def divide(x, y):
    sign = x[0] != y[0]
    if NAN in (x[1], y[1]) or x[1] == y[1] == INF or x[1] == y[1] == 0:
        return False, NAN
    if x[1] == INF or y[1] == 0:
        return sign, INF
    return sign, Fraction(0) if y[1] == INF else x[1] / y[1]


def remainder(x, y):
    """With the sign of x."""
    if NAN in (x[1], y[1]) or x[1] == INF or y[1] == 0:
        return False, NAN
    return x if y[1] == INF else (x[0], x[1] % y[1])


def floor_remainder(x, y):
    """With the sign of y."""
    rest = remainder(x, y)
    return add(rest, y) if rest[1] not in (0, NAN) and rest[0] != y[0] else rest


def quotient(name, cut, x, y):
    exact = divide(x, y)
    return exact if exact[1] in (INF, NAN) else signed(cut(value(exact)), exact[0])


def whole(how):
    return lambda x: x if x[1] in (INF, NAN) else signed(how(value(x)), x[0])


def root(name, x):
    if x[1] in (NAN, 0):
        return x
    if x[0]:
        return False, NAN
    if x[1] == INF:
        return x
    # Some 200 bits of it, and one bit more that says whether there is a rest: that rounds like the root.
    shift = 400 + 2 * x[1].denominator.bit_length()
    scaled = (x[1].numerator << shift) // x[1].denominator
    bits = math.isqrt(scaled)
    exact = bits * bits == scaled and (x[1].numerator << shift) % x[1].denominator == 0
    return False, Fraction(2 * bits + (not exact), 2 << (shift // 2))


def order(x):
    """A key by which floats that are no NaN are ordered, -0 below 0."""
    return (math.inf if x[1] == INF else x[1]) * (-1 if x[0] else 1), not x[0]


def largest(numbers, least=False):
    if isinstance(numbers[0], int):
        return min(numbers) if least else max(numbers)
    if any(x[1] == NAN for x in numbers):
        return False, NAN
    return min(numbers, key=order) if least else max(numbers, key=order)


def place_of_largest(numbers, least=False):
    """The first NaN, else the first of equals."""
    if not isinstance(numbers[0], int):
        for place, x in enumerate(numbers):
            if x[1] == NAN:
                return place
        numbers = [order(x)[0] for x in numbers]
    return numbers.index(min(numbers) if least else max(numbers))


def compare(op, x, y):
    if not isinstance(x, int):
        if NAN in (x[1], y[1]):
            return op == "ne"
        x, y = order(x)[0], order(y)[0]
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op]


# --- Integers ---


def truncated(x, y):
    return 0 if y == 0 else abs(x) // abs(y) * (-1 if (x < 0) != (y < 0) else 1)


def shift(name, x, y, left):
    bits = BITS[name]
    y = y if 0 <= y < bits else bits
    return x << y if left else x >> y


def power(name, x, y):
    """By repeated multiplication, wrapping around; 1 / x^-y cut off where y is negative."""
    if y >= 0:
        return pow(x, y, 1 << BITS[name])
    return 1 if x == 1 else (-1) ** (y % 2) if x == -1 else 0


def cast(source, target, x):
    if source in FLOATS and target in FLOATS:
        return x
    if source in INTEGERS:
        return signed(x) if target in FLOATS else x
    if target == "i1":
        return x[1] != 0
    low = 0 if target[0] == "u" else -(1 << (BITS[target] - 1))
    high = (1 << BITS[target]) - 1 + low
    if x[1] == NAN:
        return 0
    if x[1] == INF:
        return low if x[0] else high
    return min(max(math.trunc(value(x)), low), high)


def unary(name, op, x):
    """What an operation on one number gives, not yet rounded."""
    if name in FLOATS:
        return {"neg": negate, "abs": lambda x: (False, x[1]), "floor": whole(math.floor), "ceil": whole(math.ceil),
                "round": whole(round), "trunc": whole(math.trunc), "sqrt": lambda x: root(name, x),
                "square": lambda x: multiply(x, x), "isnan": lambda x: x[1] == NAN, "isinf": lambda x: x[1] == INF,
                "sign": lambda x: x if x[1] == NAN or x[1] == 0 else (x[0], Fraction(1)),
                "relu": lambda x: largest([x, (False, Fraction(0))])}[op](x)
    return {"neg": -x, "abs": abs(x), "not": int(not x) if name == "i1" else ~x, "square": x * x,
            "sign": (x > 0) - (x < 0), "relu": max(x, 0)}[op]


def binary(name, op, x, y):
    if op in ("maximum", "minimum"):
        return largest([x, y], op == "minimum")
    if op in ("eq", "ne", "lt", "le", "gt", "ge"):
        return compare(op, x, y)
    if name in FLOATS:
        return {"add": lambda: add(x, y), "sub": lambda: add(x, negate(y)), "mul": lambda: multiply(x, y),
                "div": lambda: divide(x, y), "fmod": lambda: remainder(x, y), "mod": lambda: floor_remainder(x, y),
                "floordiv": lambda: quotient(name, math.floor, x, y),
                "truncdiv": lambda: quotient(name, math.trunc, x, y)}[op]()
    if op == "div":
        return divide(*(rounded("f32", signed(number)) for number in (x, y)))
    return {"add": lambda: x + y, "sub": lambda: x - y, "mul": lambda: x * y, "and": lambda: x & y, "or": lambda: x | y,
            "xor": lambda: x ^ y, "truncdiv": lambda: truncated(x, y), "fmod": lambda: x - truncated(x, y) * y if y else 0,
            "floordiv": lambda: x // y if y else 0, "mod": lambda: x % y if y else 0,
            "shl": lambda: shift(name, x, y, True), "shr": lambda: shift(name, x, y, False),
            "pow": lambda: power(name, x, y)}[op]()
