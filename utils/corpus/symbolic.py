"""Recorded index expressions and gated indices through sym-simplify.

Each case becomes a function: its variables are arguments whose bounds `sym.range_of` states. What comes back is read as a
tree, evaluated at every point of the variables' ranges (at seeded points where there are too many), and counted.
"""
import ast
import re

from . import tool
from .criterion import check_case, check_pair
from .recorded import INVALID, Unsupported, cdiv, cmod, floordiv, wrap

FLOATS = {"float16": "f16", "float32": "f32", "float64": "f64", "weakfloat": "f32"}


class Writer:
    """Writes recorded expressions as operations of one function."""

    def __init__(self, name, variables):
        self.lines, self.next, self.values = [], 0, {}
        self.name = name
        self.arguments = [FLOATS.get(facts["dtype"], "index") for facts in variables.values()]
        for n, (variable, facts) in enumerate(variables.items()):
            if facts["dtype"].startswith("float"):
                self.values[variable] = (f"%v{n}", FLOATS[facts["dtype"]])
                continue
            low, high = int(facts["min"]), int(facts["max"])
            if facts.get("bound_expr"):
                # Below an expression: the remainder by it, which the reader takes for the variable.
                self.values[variable] = None
                continue
            self.values[variable] = (self.op(f"sym.range_of %v{n}[{low}, {max(low, high)}] : index"), "index")
        for n, (variable, facts) in enumerate(variables.items()):
            if self.values[variable] is None:
                bound, _ = self.expression(ast.parse(facts["bound_expr"], mode="eval").body)
                raw = self.op(f"sym.range_of %v{n}[0, 1000000000] : index")
                self.values[variable] = (self.op(f"sym.mod {raw}, {bound} : index"), "index")

    def op(self, text):
        self.next += 1
        self.lines.append(f"  %t{self.next} = {text}")
        return f"%t{self.next}"

    def constant(self, value, kind="f32"):
        if isinstance(value, bool):
            return self.op(f"arith.constant {str(value).lower()}"), "i1"
        if isinstance(value, float):
            return self.op(f"arith.constant {value:e} : {kind}"), kind
        return self.op(f"arith.constant {value} : index"), "index"

    def binary(self, name, a, b):
        return self.op(f"{name} {a[0]}, {b[0]} : {a[1]}"), a[1]

    def as_index(self, value):
        if value[1] == "i1":
            return self.op(f"arith.index_castui {value[0]} : i1 to index"), "index"
        return value

    def expression(self, node):
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.UnaryOp):
            return self.constant(-node.operand.value)
        if isinstance(node, ast.Name):
            if node.id == INVALID:
                return None
            return self.values[node.id]
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Compare):
            a, b = self.expression(node.left), self.expression(node.comparators[0])
            if a[1] == "i1" and b[1] == "i1":
                return self.binary("arith.xori", a, b)
            a, b = self.as_index(a), self.as_index(b)
            predicate = {ast.Lt: "slt", ast.NotEq: "ne", ast.Eq: "eq"}[type(node.ops[0])]
            return self.op(f"arith.cmpi {predicate}, {a[0]}, {b[0]} : index"), "i1"
        a, b = self.expression(node.left), self.expression(node.right)
        if a is None or b is None:
            return None
        if a[1].startswith("f") and type(node.op) is ast.Mult:
            return self.binary("arith.mulf", a, b if b[1] == a[1] else self.constant(float(node.right.value), a[1]))
        if b[1].startswith("f") and type(node.op) is ast.Mult:
            return self.binary("arith.mulf", self.constant(float(node.left.value), b[1]), b)
        name = {ast.Add: "arith.addi", ast.Sub: "arith.subi", ast.Mult: "arith.muli", ast.FloorDiv: "arith.floordivsi",
                ast.Mod: "sym.mod", ast.BitAnd: "arith.andi", ast.BitOr: "arith.ori", ast.BitXor: "arith.xori",
                ast.LShift: "arith.shli", ast.RShift: "arith.shrsi"}[type(node.op)]
        if a[1] != b[1] or not name.endswith(("andi", "ori")):
            a, b = self.as_index(a), self.as_index(b)
        return self.binary(name, a, b)

    def call(self, node):
        name = node.func.id
        if name == "cast":
            value = self.expression(node.args[1])
            dtype = node.args[0].id
            if dtype == "bool":
                zero = self.constant(0)
                return self.op(f"arith.cmpi ne, {self.as_index(value)[0]}, {zero[0]} : index"), "i1"
            if dtype == "index" and value:
                return self.as_index(value)
            if value is None:
                return None
            if dtype in FLOATS:
                wide = self.op(f"arith.index_cast {self.as_index(value)[0]} : index to i64")
                return self.op(f"arith.sitofp {wide} : i64 to {FLOATS[dtype]}"), FLOATS[dtype]
            match = re.fullmatch(r"(u?)int(\d+)", dtype)
            if not match or value[1].startswith("f"):
                raise Unsupported(f"cast to {dtype}")
            if value[1] == "i1":
                return self.as_index(value)
            narrow = self.op(f"arith.index_cast {value[0]} : index to i{match[2]}")
            return self.op(f"arith.index_cast{'ui' if match[1] else ''} {narrow} : i{match[2]} to index"), "index"
        if name == "bitcast":
            value, dtype = self.expression(node.args[1]), node.args[0].id
            if value[1] == "index":
                bits = self.op(f"arith.index_cast {value[0]} : index to i32")
                return self.op(f"arith.bitcast {bits} : i32 to {FLOATS[dtype]}"), FLOATS[dtype]
            bits = self.op(f"arith.bitcast {value[0]} : {value[1]} to i32")
            return self.op(f"arith.index_cast {bits} : i32 to index"), "index"
        if name == "recip":
            value = self.expression(node.args[0])
            return self.binary("arith.divf", self.constant(1.0, value[1]), value)
        if name == "where":
            c, a, b = (self.expression(argument) for argument in node.args)
            # An invalid value may be anything.
            if a is None or b is None:
                return a or b
            for mine, other, source in ((a, b, node.args[1]), (b, a, node.args[2])):
                if other[1].startswith("f") and mine[1] != other[1] and isinstance(source, ast.Constant):
                    converted = self.constant(float(source.value), other[1])
                    a, b = (converted, b) if mine is a else (a, converted)
            if a[1] != b[1]:
                a, b = self.as_index(a), self.as_index(b)
            return self.op(f"arith.select {c[0]}, {a[0]}, {b[0]} : {a[1]}"), a[1]
        names = {"cdiv": "arith.divsi", "cmod": "arith.remsi", "max": "arith.maxsi", "min": "arith.minsi"}
        if name not in names:
            raise Unsupported(name)
        a, b = (self.as_index(self.expression(argument)) for argument in node.args)
        return self.binary(names[name], a, b)

    def function(self, results):
        arguments = ", ".join(f"%v{n}: {kind}" for n, kind in enumerate(self.arguments))
        if len(results) > 1:
            # Indices and their gate, as an access.
            *indices, gate = results
            lines = [f'  "corpus.access"(%m, {i[0]}, {gate[0]}) : (memref<1xf32>, index, i1) -> ()' for i in indices]
            if arguments:
                arguments += ", "
            return "\n".join([f"func.func @{self.name}({arguments}%m: memref<1xf32>) {{", *self.lines, *lines, "  return", "}"])
        value, kind = results[0]
        return "\n".join([f"func.func @{self.name}({arguments}) -> {kind} {{", *self.lines, f"  return {value} : {kind}", "}"])


# ---- the side that comes back ---------------------------------------------------------------------------------------

OPERATIONS = {
    "arith.addi": lambda a, b: a + b, "arith.subi": lambda a, b: a - b, "arith.muli": lambda a, b: a * b,
    "arith.floordivsi": floordiv, "sym.mod": lambda a, b: a % b, "arith.divsi": cdiv, "arith.remsi": cmod,
    "arith.minsi": min, "arith.maxsi": max, "arith.andi": lambda a, b: a & b, "arith.ori": lambda a, b: a | b,
    "arith.xori": lambda a, b: a ^ b, "arith.shli": lambda a, b: a << b, "arith.shrsi": lambda a, b: a >> b,
    "arith.select": lambda c, a, b: a if c else b, "arith.index_castui": int, "arith.sitofp": float,
    "arith.mulf": lambda a, b: a * b, "arith.divf": lambda a, b: a / b,
}
PREDICATES = {"slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b,
              "sge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}


class Function:
    """One function as it came back: its operations in order, and what it returns or accesses."""

    def __init__(self, text, variables):
        self.steps, self.results, self.bounds = [], [], {}
        arguments, variable_of = {}, list(variables)
        raw = set()
        for line in text.splitlines():
            line = line.strip()
            if line.startswith("func.func"):
                for n, name in enumerate(re.findall(r"(%[\w-]+): (?:index|f\d+)", line)):
                    arguments[name] = variable_of[n]
                    self.steps.append((name, "variable", variable_of[n]))
            match = re.match(r"(%[\w-]+) = ([\w.]+) ?(.*)", line)
            if line.startswith("return %"):
                self.results = re.findall(r"%[\w-]+", line.split(":")[0])
            elif line.startswith('"corpus.access"'):
                operands = re.findall(r"%[\w-]+", line.split(":")[0])
                self.results = (self.results[:-1] or []) + operands[1:2] + operands[2:3]
            elif match:
                name, op, rest = match.groups()
                attribute = re.search(r"sym\.bounds = array<i64: (-?\d+), (-?\d+)>", rest)
                if attribute:
                    self.bounds[name] = (int(attribute[1]), int(attribute[2]))
                operands = re.findall(r"%[\w-]+", rest)
                if op == "arith.constant":
                    literal = rest.split(":")[0].split("{")[0].strip()
                    is_float = "." in literal
                    value = float(literal) if is_float else literal == "true" if literal in ("true", "false") else int(literal)
                    self.steps.append((name, "constant", value))
                    self.bounds[name] = (value, value)
                elif op == "sym.range_of":
                    variable = arguments[operands[0]]
                    if variables[variable].get("bound_expr"):
                        raw.add(name)
                    self.steps.append((name, "variable", variable))
                elif op == "sym.mod" and operands[0] in raw:
                    variable = next(step[2] for step in self.steps if step[0] == operands[0])
                    self.steps.append((name, "variable", variable))
                elif op == "arith.cmpi":
                    self.steps.append((name, PREDICATES[rest.split(",")[0]], operands))
                elif op.startswith("arith.index_cast") and " i1 " not in rest + " ":
                    kind = re.search(r": (\w+) to (\w+)", rest)
                    target = kind[2] if kind[2] != "index" else kind[1]
                    sign = "u" if op.endswith("ui") and kind[2] == "index" else ""
                    convert = (lambda t: lambda a: wrap(t, a))(f"{sign}int{target[1:]}")
                    convert.is_width = True
                    self.steps.append((name, convert, operands))
                else:
                    self.steps.append((name, OPERATIONS[op], operands))

    def evaluate(self, env):
        values = {}
        for name, what, rest in self.steps:
            if what == "constant":
                values[name] = rest
            elif what == "variable":
                values[name] = env[rest]
            else:
                try:
                    values[name] = what(*(values[operand] for operand in rest))
                except ZeroDivisionError:
                    values[name] = INVALID
                except TypeError:
                    values[name] = INVALID
        return [values[result] for result in self.results]

    def nodes(self, result):
        """Operators of the printed tree: constants, variables and the reading of a condition as a number are none."""
        counts = {}
        for name, what, rest in self.steps:
            if what in ("constant", "variable"):
                counts[name] = 0
            else:
                counts[name] = (0 if what is int or getattr(what, "is_width", False) else 1) + sum(counts[operand] for operand in rest)
        return counts[result]


def prepare(corpus, report):
    """Each case that is index arithmetic, with its function; `report` hears of the others."""
    for n, case in enumerate(corpus["cases"] + corpus["valid_cases"]):
        try:
            writer = Writer(f"case{n}", case["vars"])
            sources = case.get("expr_yx") or [case["expr"]]
            if "valid" in case:
                sources = sources + [case["valid"]]
            results = [writer.expression(ast.parse(s, mode="eval").body) for s in sources]
            if None in results:
                report(case["id"], None)  # the invalid value itself: there is nothing to compute
                continue
            if len(results) > 1:
                results = [writer.as_index(result) for result in results[:-1]] + results[-1:]
            yield case, writer.function(results), n >= len(corpus["cases"])
        except Unsupported as reason:
            report(case["id"], f"{case.get('expr')}: no index arithmetic: {reason}")


def module(corpus):
    """All functions of a corpus."""
    return "\n".join(function for _, function, _ in prepare(corpus, lambda *_: None))


def run(corpus, report):
    """Runs every case; `report(id, failure or None, unsound)` hears of each, with its expectations that do not hold."""
    prepared = list(prepare(corpus, report))
    text = "\n".join(function for _, function, _ in prepared)
    # Folding comes first: what is constant, and casts there and back.
    passes = ["--canonicalize", "--sym-simplify", "--sym-annotate-bounds"]
    output = tool.tiny_opt(["--allow-unregistered-dialect", *passes], text)
    functions = re.split(r"(?=^  func\.func )", output, flags=re.M)[1:]
    for (case, _, is_pair), body in zip(prepared, functions):
        function = Function(body, case["vars"])
        failure, unsound = (check_pair if is_pair else check_case)(case, function)
        report(case["id"], failure, unsound)
