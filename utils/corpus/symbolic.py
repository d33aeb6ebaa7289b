"""Recorded index expressions and gated indices through sym-simplify.

Each case becomes a function: its variables are arguments whose bounds `sym.range_of` states. What comes back is read as a
tree, evaluated at every point of the variables' ranges (at seeded points where there are too many), and counted.
"""
import ast
import math
import re
import struct

from . import tool
from .criterion import check_case, check_pair
from .recorded import INVALID, Float, Unsupported, cdiv, cmod, divide, floordiv, wrap

FLOATS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64", "weakfloat": "f32"}
KIND_OF = {"f16": "e", "f32": "f", "f64": "d"}
COMPARISONS = {ast.Lt: ("slt", "olt"), ast.LtE: ("sle", "ole"), ast.Gt: ("sgt", "ogt"), ast.GtE: ("sge", "oge"),
               ast.NotEq: ("ne", "une"), ast.Eq: ("eq", "oeq")}
BINARIES = {ast.Add: "arith.addi", ast.Sub: "arith.subi", ast.Mult: "arith.muli", ast.FloorDiv: "arith.floordivsi",
            ast.Mod: "sym.mod", ast.BitAnd: "arith.andi", ast.BitOr: "arith.ori", ast.BitXor: "arith.xori",
            ast.LShift: "arith.shli", ast.RShift: "arith.shrsi"}
FLOAT_BINARIES = {ast.Add: "arith.addf", ast.Sub: "arith.subf", ast.Mult: "arith.mulf", ast.Div: "arith.divf"}
CALLS = {"cdiv": "arith.divsi", "cmod": "arith.remsi", "max": "arith.maxsi", "min": "arith.minsi"}


def is_float(value):
    return value[1] in FLOATS.values()


class Writer:
    """Writes recorded expressions as operations of one function. A value is its name and its type; the invalid value is
    None, and what is computed from it too."""

    def __init__(self, name, variables):
        self.lines, self.next, self.values = [], 0, {}
        self.name = name
        self.arguments = [FLOATS.get(facts["dtype"], "index") for facts in variables.values()]
        bounded = []
        for n, (variable, facts) in enumerate(variables.items()):
            low, high, kind = float(facts["min"]), float(facts["max"]), self.arguments[n]
            if facts.get("bound_expr"):
                bounded.append((n, variable, facts["bound_expr"]))
            elif kind != "index":
                self.values[variable] = (f"%v{n}", kind)
                if math.isfinite(low) and math.isfinite(high):
                    self.values[variable] = (self.op(f"sym.range_of %v{n}[{low!r}, {high!r}] : {kind}"), kind)
            else:
                low, high = int(facts["min"]), int(facts["max"])
                self.values[variable] = (self.op(f"sym.range_of %v{n}[{low}, {max(low, high)}] : index"), "index")
        for n, variable, text in bounded:
            # Below an expression: the remainder by it, which the reader takes for the variable.
            bound, _ = self.expression(ast.parse(text, mode="eval").body)
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
            if not math.isfinite(value):
                bits = {"f16": "e", "f32": "f", "f64": "d"}[kind]
                return self.op(f"arith.constant 0x{struct.pack('>' + bits, value).hex().upper()} : {kind}"), kind
            return self.op(f"arith.constant {value!r} : {kind}" if "." in repr(value) else
                           f"arith.constant {value:.17e} : {kind}"), kind
        return self.op(f"arith.constant {value} : index"), "index"

    def binary(self, name, a, b):
        return self.op(f"{name} {a[0]}, {b[0]} : {a[1]}"), a[1]

    def as_index(self, value):
        if value[1] == "i1":
            return self.op(f"arith.index_castui {value[0]} : i1 to index"), "index"
        if is_float(value):
            raise Unsupported("a float where an integer is needed")
        return value

    def as_float(self, value, kind):
        """A number as a float of one format."""
        if value[1] == kind:
            return value
        if is_float(value):
            name = "arith.extf" if int(value[1].lstrip("bf")) < int(kind.lstrip("bf")) else "arith.truncf"
            return self.op(f"{name} {value[0]} : {value[1]} to {kind}"), kind
        if value[1] == "i1":
            return self.op(f"arith.uitofp {value[0]} : i1 to {kind}"), kind
        wide = self.op(f"arith.index_cast {value[0]} : index to i64")
        return self.op(f"arith.sitofp {wide} : i64 to {kind}"), kind

    def operands(self, *nodes):
        """Values of one type: literals take the type of what stands beside them. Null where one is invalid."""
        literal = [isinstance(n, ast.Constant) or (isinstance(n, ast.UnaryOp) and isinstance(n.operand, ast.Constant))
                   or (isinstance(n, ast.Name) and n.id in ("inf", "nan")) for n in nodes]
        values = [None if is_literal else self.expression(node) for node, is_literal in zip(nodes, literal)]
        if any(value is None and not is_literal for value, is_literal in zip(values, literal)):
            return None
        kinds = [value[1] for value in values if value and is_float(value)]
        values = [self.expression(node, kinds[0] if kinds else None) if is_literal else value
                  for node, is_literal, value in zip(nodes, literal, values)]
        kinds = [value[1] for value in values if is_float(value)]
        if kinds:
            return [self.as_float(value, kinds[0]) for value in values]
        if all(value[1] == "i1" for value in values):
            return values
        return [self.as_index(value) for value in values]

    def literal(self, value, kind):
        """A literal beside a float is a float of its type."""
        if isinstance(value, float) or (kind and not isinstance(value, bool)):
            return self.constant(float(value), kind or "f32")
        return self.constant(value)

    def negated(self, node, kind):
        if isinstance(node.operand, ast.Constant):
            return self.literal(-node.operand.value, kind)
        value = self.expression(node.operand)
        if value is None:
            return None
        if is_float(value):
            return self.op(f"arith.negf {value[0]} : {value[1]}"), value[1]
        return self.binary("arith.subi", self.constant(0), self.as_index(value))

    def expression(self, node, literal_kind=None):
        if isinstance(node, ast.Constant):
            return self.literal(node.value, literal_kind)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            value = self.expression(node.operand)
            ones = self.constant(True) if value and value[1] == "i1" else self.constant(-1)
            return value and self.binary("arith.xori", value, ones)
        if isinstance(node, ast.UnaryOp):
            return self.negated(node, literal_kind)
        if isinstance(node, ast.Name):
            if node.id == INVALID:
                return None
            if node.id in ("inf", "nan") and node.id not in self.values:
                return self.constant(float(node.id), literal_kind or "f32")
            return self.values[node.id]
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.Compare):
            pair = self.operands(node.left, node.comparators[0])
            if pair is None:
                return None
            a, b = pair
            ordered, on_floats = COMPARISONS[type(node.ops[0])]
            if a[1] == "i1" and ordered == "ne":
                return self.binary("arith.xori", a, b)
            if is_float(a):
                return self.op(f"arith.cmpf {on_floats}, {a[0]}, {b[0]} : {a[1]}"), "i1"
            a, b = self.as_index(a), self.as_index(b)
            return self.op(f"arith.cmpi {ordered}, {a[0]}, {b[0]} : index"), "i1"
        pair = self.operands(node.left, node.right)
        if pair is None:
            return None
        a, b = pair
        if is_float(a):
            if type(node.op) not in FLOAT_BINARIES:
                raise Unsupported(f"{type(node.op).__name__} of floats")
            return self.binary(FLOAT_BINARIES[type(node.op)], a, b)
        name = BINARIES[type(node.op)]
        if a[1] == "i1" and not name.endswith(("andi", "ori")):
            a, b = self.as_index(a), self.as_index(b)
        return self.binary(name, a, b)

    def cast(self, dtype, value):
        if dtype == "bool":
            if value[1] == "i1":
                return value
            if is_float(value):
                return self.op(f"arith.cmpf une, {value[0]}, {self.constant(0.0, value[1])[0]} : {value[1]}"), "i1"
            return self.op(f"arith.cmpi ne, {value[0]}, {self.constant(0)[0]} : index"), "i1"
        if dtype in FLOATS:
            return self.as_float(value, FLOATS[dtype])
        match = re.fullmatch(r"(u?)int(\d+)", dtype)
        if is_float(value):
            name, width = ("arith.fptoui", match[2]) if match and match[1] else ("arith.fptosi", match[2] if match else "64")
            narrow = self.op(f"{name} {value[0]} : {value[1]} to i{width}")
            return self.op(f"arith.index_cast{'ui' if name.endswith('ui') else ''} {narrow} : i{width} to index"), "index"
        if value[1] == "i1" or dtype in ("index", "weakint"):
            return self.as_index(value)
        if not match:
            raise Unsupported(f"cast to {dtype}")
        # Not in one step: upstream takes index -> i8 -> index for the index itself, whatever its value.
        wide = self.op(f"arith.index_cast {value[0]} : index to i64")
        if match[2] != "64":
            narrow = self.op(f"arith.trunci {wide} : i64 to i{match[2]}")
            wide = self.op(f"arith.ext{'ui' if match[1] else 'si'} {narrow} : i{match[2]} to i64")
        return self.op(f"arith.index_cast {wide} : i64 to index"), "index"

    def call(self, node):
        name = node.func.id
        if name == "cast":
            value = self.expression(node.args[1])
            return value and self.cast(node.args[0].id, value)
        if name == "bitcast":
            value, dtype = self.expression(node.args[1]), node.args[0].id
            if value is None:
                return None
            if value[1] == "index":
                bits = self.op(f"arith.index_cast {value[0]} : index to i32")
                return self.op(f"arith.bitcast {bits} : i32 to {FLOATS[dtype]}"), FLOATS[dtype]
            bits = self.op(f"arith.bitcast {value[0]} : {value[1]} to i32")
            return self.op(f"arith.index_cast {bits} : i32 to index"), "index"
        if name in ("recip", "trunc"):
            value = self.expression(node.args[0])
            if value is None or (name == "trunc" and not is_float(value)):
                return value
            if name == "trunc":
                return self.op(f"math.trunc {value[0]} : {value[1]}"), value[1]
            value = value if is_float(value) else self.as_float(value, "f32")
            return self.binary("arith.divf", self.constant(1.0, value[1]), value)
        if name == "where":
            # An invalid value may be anything.
            branches = self.operands(*node.args[1:])
            condition = self.expression(node.args[0])
            if branches is None:
                known = [n for n in node.args[1:] if not (isinstance(n, ast.Name) and n.id == INVALID)]
                return self.expression(known[0]) if len(known) == 1 else None
            a, b = branches
            return condition and (self.op(f"arith.select {condition[0]}, {a[0]}, {b[0]} : {a[1]}"), a[1])
        if name not in CALLS:
            raise Unsupported(f"no operation {name} is known")
        pair = self.operands(*node.args)
        if pair is None:
            return None
        a, b = pair
        if is_float(a):
            if name not in ("max", "min"):
                raise Unsupported(f"{name} of floats")
            return self.binary(f"arith.{name}imumf", a, b)
        return self.binary(CALLS[name], self.as_index(a), self.as_index(b))

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
    "arith.select": lambda c, a, b: a if c else b, "arith.index_castui": int, "arith.fptosi": int, "arith.fptoui": int,
    "arith.addf": lambda a, b: a + b, "arith.subf": lambda a, b: a - b, "arith.mulf": lambda a, b: a * b,
    "arith.divf": lambda a, b: a / b, "arith.maximumf": max, "arith.minimumf": min, "arith.negf": lambda a: -a,
    "math.trunc": lambda a: Float(math.trunc(a), a.kind) if math.isfinite(a) else a,
}
CONVERSIONS = ("arith.sitofp", "arith.uitofp", "arith.extf", "arith.truncf")
PREDICATES = {"slt": lambda a, b: a < b, "sle": lambda a, b: a <= b, "sgt": lambda a, b: a > b,
              "sge": lambda a, b: a >= b, "eq": lambda a, b: a == b, "ne": lambda a, b: a != b}
PREDICATES |= {"o" + name[1:]: compare for name, compare in PREDICATES.items() if name.startswith("s")}
PREDICATES |= {"oeq": PREDICATES["eq"], "une": PREDICATES["ne"]}


def read_constant(text):
    """The value of a constant as it is printed."""
    literal, _, kind = (part.strip() for part in text.partition(":"))
    if literal in ("true", "false"):
        return literal == "true"
    if kind not in KIND_OF:
        return int(literal)
    if literal.startswith("0x"):
        return Float(struct.unpack(">" + KIND_OF[kind], bytes.fromhex(literal[2:]))[0], KIND_OF[kind])
    return Float(float(literal), KIND_OF[kind])


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
                attribute = re.search(r"sym\.bounds = array<(i64|f64): ([^,>]+), ([^,>]+)>", rest)
                if attribute:
                    read = int if attribute[1] == "i64" else lambda text: float(read_constant(text + ": f64"))
                    self.bounds[name] = (read(attribute[2]), read(attribute[3]))
                operands = re.findall(r"%[\w-]+", rest)
                if op == "arith.constant":
                    value = read_constant(rest.split("{")[0].strip())
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
                elif op in ("arith.cmpi", "arith.cmpf"):
                    self.steps.append((name, PREDICATES[rest.split(",")[0]], operands))
                elif op.startswith("arith.index_cast") and " i1 " not in rest + " ":
                    kind = re.search(r": (\w+) to (\w+)", rest)
                    target = kind[2] if kind[2] != "index" else kind[1]
                    sign = "u" if op.endswith("ui") and kind[2] == "index" else ""
                    convert = (lambda t: lambda a: wrap(t, a))(f"{sign}int{target[1:]}")
                    convert.is_width = True
                    self.steps.append((name, convert, operands))
                elif op in ("arith.trunci", "arith.extsi", "arith.extui"):
                    kind = re.search(r": (\w+) to (\w+)", rest)
                    target = f"int{kind[2][1:]}" if op == "arith.trunci" else f"{'u' if op.endswith('ui') else ''}int{kind[1][1:]}"
                    convert = (lambda t: lambda a: wrap(t, a))(target)
                    # Of a cast, losing bits is what counts.
                    convert.is_width = op != "arith.trunci"
                    self.steps.append((name, convert, operands))
                elif op in CONVERSIONS:
                    target = KIND_OF[re.search(r" to (\w+)", rest)[1]]
                    self.steps.append((name, (lambda t: lambda a: Float(a, t))(target), operands))
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


def write(name, case):
    """The function of a case; None where it is the invalid value. Raises Unsupported."""
    writer = Writer(name, case["vars"])
    sources = case.get("expr_yx") or [case["expr"]]
    if "valid" in case:
        sources = sources + [case["valid"]]
    results = [writer.expression(ast.parse(s, mode="eval").body) for s in sources]
    if None in results:
        return None
    if len(results) > 1:
        results = [writer.as_index(result) for result in results[:-1]] + results[-1:]
    return writer.function(results)


def prepare(corpus, report):
    """Each case that is index arithmetic, with its function; `report` hears of the others."""
    for n, case in enumerate(corpus["cases"] + corpus["valid_cases"]):
        try:
            function = write(f"case{n}", case)
        except Unsupported as reason:
            report(case["id"], f"{case.get('expr')}: no index arithmetic: {reason}")
            continue
        except Exception as error:  # the recorded case makes no sense: the others still count
            report(case["id"], f"{case.get('expr')}: can't be written: {type(error).__name__}: {error}")
            continue
        if function is None:
            report(case["id"], None)  # the invalid value itself: there is nothing to compute
        else:
            yield case, function, n >= len(corpus["cases"])


def module(corpus):
    """All functions of a corpus."""
    return "\n".join(function for _, function, _ in prepare(corpus, lambda *_: None))


def run(corpus, report):
    """Runs every case; `report(id, failure or None, unsound)` hears of each, with its expectations that do not hold."""
    prepared = list(prepare(corpus, report))
    # Folding comes first: what is constant, and casts there and back.
    passes = ["--canonicalize", "--sym-simplify", "--sym-annotate-bounds"]
    bodies = tool.tiny_opt_each(["--allow-unregistered-dialect", *passes], [function for _, function, _ in prepared])
    for (case, _, is_pair), (body, error) in zip(prepared, bodies):
        check = check_pair if is_pair else check_case
        if error is None:
            result, error = tool.guarded(lambda: check(case, Function(body, case["vars"])))
        failure, unsound = (f"{case.get('expr')}: {error}", ()) if error else result
        report(case["id"], failure, unsound)
