"""What a recorded expression is at a point."""
import ast
import re

INVALID = "invalid"


class Unsupported(Exception):
    """The case has an operation that is no index arithmetic."""


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
        return int(value) if dtype == "index" else float(value) if dtype.startswith("float") else value
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
        return INVALID if node.id == INVALID else env[node.id]
    if isinstance(node, ast.Call) and node.func.id == "where":
        condition = evaluate(node.args[0], env)
        return INVALID if condition is INVALID else evaluate(node.args[1 if condition else 2], env)
    if isinstance(node, ast.Call) and node.func.id in ("cast", "bitcast"):
        value = evaluate(node.args[1], env)
        return value if value is INVALID else wrap(node.args[0].id, value)
    if isinstance(node, ast.UnaryOp):
        return -evaluate(node.operand, env)
    if isinstance(node, ast.Call):
        args = [evaluate(a, env) for a in node.args]
        functions = {"cdiv": cdiv, "cmod": cmod, "max": max, "min": min, "recip": lambda x: 1 / x}
        if node.func.id not in functions:
            raise Unsupported(node.func.id)
        return INVALID if INVALID in args else functions[node.func.id](*args)
    if isinstance(node, ast.Compare):
        a, b = evaluate(node.left, env), evaluate(node.comparators[0], env)
        if INVALID in (a, b):
            return INVALID
        return {ast.Lt: a < b, ast.NotEq: a != b, ast.Eq: a == b}[type(node.ops[0])]
    a, b = evaluate(node.left, env), evaluate(node.right, env)
    if a is INVALID or b is INVALID:
        return INVALID
    op = type(node.op)
    return {ast.Add: lambda: a + b, ast.Sub: lambda: a - b, ast.Mult: lambda: a * b, ast.FloorDiv: lambda: a // b,
            ast.Mod: lambda: a % b, ast.BitAnd: lambda: a & b, ast.BitOr: lambda: a | b, ast.BitXor: lambda: a ^ b,
            ast.LShift: lambda: a << b, ast.RShift: lambda: a >> b}[op]()
