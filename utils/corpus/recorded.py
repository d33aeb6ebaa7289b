"""What a recorded expression is at a point."""
import ast
import math
import re
import struct

INVALID = "invalid"


class Unsupported(Exception):
    """The case has an operation that is no index arithmetic."""


class Float(float):
    """A number of one float format (e: f16, f, d), whose operations round to it."""

    def __new__(cls, value, kind):
        try:
            value = struct.unpack(kind, struct.pack(kind, value))[0]
        except OverflowError:
            value = math.copysign(math.inf, value)
        self = super().__new__(cls, value)
        self.kind = kind
        return self

    def __neg__(self):
        return Float(-float(self), self.kind)

    def __abs__(self):
        return Float(abs(float(self)), self.kind)


def divide(a, b):
    """a / b as IEEE has it."""
    if b != 0:
        return a / b
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def _operation(compute):
    def forward(self, other):
        return Float(compute(float(self), float(other)), self.kind)

    def backward(self, other):
        return Float(compute(float(other), float(self)), self.kind)

    return forward, backward


for _name, _compute in {"add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
                        "truediv": divide}.items():
    for _prefix, _method in zip(("", "r"), _operation(_compute)):
        setattr(Float, f"__{_prefix}{_name}__", _method)

KINDS = {"float16": "e", "float32": "f", "float64": "d", "weakfloat": "f"}


def equal(a, b):
    """Equal numbers, or both NaN."""
    return a == b or (isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b))


def floordiv(a, b):
    return a // b


def cdiv(a, b):
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def cmod(a, b):
    return a - cdiv(a, b) * b


def wrap(dtype, value):
    """The value that a cast to an integer type gives."""
    if dtype == "bool":
        return bool(value)
    match = re.fullmatch(r"(u?)int(\d+)", dtype)
    if not match:
        return int(value) if dtype == "index" else Float(value, KINDS[dtype]) if dtype in KINDS else value
    bits = int(match[2])
    value = int(value) % (1 << bits)
    return value if match[1] or value < 1 << (bits - 1) else value - (1 << bits)


def evaluate(node, env):
    """The value of a recorded expression, or INVALID."""
    if isinstance(node, ast.Expression):
        return evaluate(node.body, env)
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        if node.id in ("inf", "nan") and node.id not in env:
            return float(node.id)
        return INVALID if node.id == INVALID else env[node.id]
    if isinstance(node, ast.Call) and node.func.id == "where":
        condition = evaluate(node.args[0], env)
        return INVALID if condition is INVALID else evaluate(node.args[1 if condition else 2], env)
    if isinstance(node, ast.Call) and node.func.id in ("cast", "bitcast"):
        value = evaluate(node.args[1], env)
        return value if value is INVALID else wrap(node.args[0].id, value)
    if isinstance(node, ast.UnaryOp):
        value = evaluate(node.operand, env)
        return value if value is INVALID else ~value if isinstance(node.op, ast.Invert) else -value
    if isinstance(node, ast.Call):
        args = [evaluate(a, env) for a in node.args]
        functions = {"cdiv": cdiv, "cmod": cmod, "max": max, "min": min, "recip": lambda x: divide(1, x) if x == 0 else 1 / x,
                     "trunc": lambda x: Float(math.trunc(x), x.kind) if isinstance(x, Float) and math.isfinite(x) else x}
        if node.func.id not in functions:
            raise Unsupported(f"no operation {node.func.id} is known")
        return INVALID if INVALID in args else functions[node.func.id](*args)
    if isinstance(node, ast.Compare):
        a, b = evaluate(node.left, env), evaluate(node.comparators[0], env)
        if INVALID in (a, b):
            return INVALID
        return {ast.Lt: a < b, ast.LtE: a <= b, ast.Gt: a > b, ast.GtE: a >= b, ast.NotEq: a != b,
                ast.Eq: a == b}[type(node.ops[0])]
    a, b = evaluate(node.left, env), evaluate(node.right, env)
    if a is INVALID or b is INVALID:
        return INVALID
    op = type(node.op)
    return {ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.FloorDiv: lambda: a // b,
            ast.Div: lambda: divide(a, b) if b == 0 else a / b, ast.Mod: lambda: a % b, ast.BitAnd: lambda: a & b, ast.BitOr: lambda: a | b, ast.BitXor: lambda: a ^ b,
            ast.LShift: lambda: a << b, ast.RShift: lambda: a >> b}[op]()
