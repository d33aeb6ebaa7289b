"""Random index expressions and gated indices through sym-simplify, against evaluation."""
import ast
import copy

from corpus import symbolic, tool

LIMIT = 1 << 62


def integer(generator, depth, names):
    if depth == 0 or generator.random() < 0.15:
        return generator.choice(names) if generator.random() < 0.8 else str(generator.randint(-8, 20))
    a = integer(generator, depth - 1, names)
    constant = generator.choice([2, 3, 4, 4, 5, 6, 8, 12, 16, -1, -2, -3, -4])
    kind = generator.randrange(14)
    if kind < 4:
        return f"({a} {generator.choice('+-')} {integer(generator, depth - 1, names)})"
    if kind < 6:
        return f"({a} * {constant})"
    if kind < 8:
        return f"({a} // {constant})"
    if kind < 10:
        return f"({a} % {constant})"
    if kind == 10:
        name = generator.choice(["cdiv", "cmod", "min", "max"])
        b = constant if name.startswith("c") else integer(generator, depth - 1, names)
        return f"{name}({a}, {b})"
    if kind == 11:
        return f"({a} {generator.choice(['&', '|', '^'])} {generator.choice([0, 1, 3, 7, 8, 15, -1, -4])})"
    if kind == 12:
        shift = generator.randint(0, 3)
        return generator.choice([f"({a} << {shift})", f"({a} >> {shift})", f"cast(int8, {a})", f"cast(uint8, {a})",
                                 f"cast(int32, cast(float32, {a}))"])
    return f"where({condition(generator, depth - 1, names)}, {a}, {integer(generator, depth - 1, names)})"


def condition(generator, depth, names):
    if depth <= 1 or generator.random() < 0.3:
        a, b = (integer(generator, max(depth - 1, 0), names) for _ in range(2))
        if generator.random() < 0.1:
            a, b = f"cast(float32, {a})", f"{generator.randint(-9, 9)}.5"
        return f"({a} {generator.choice(['<', '!=', '=='])} {b})"
    a, b = (condition(generator, depth - 1, names) for _ in range(2))
    return generator.choice([f"({a} & {b})", f"({a} | {b})", f"({a} != {b})", f"({a} != True)", f"({a} == {b})"])


def make(generator, n):
    names = ["a", "b", "c"][:generator.randint(1, 3)]
    variables = {}
    for name in names:
        low = generator.choice([0, 0, -generator.randint(1, 9)])
        variables[name] = {"min": low, "max": low + generator.randint(0, 12), "dtype": "index", "kind": "variable"}
    depth = generator.randint(1, 6)
    case = {"id": f"fuzz{n}", "vars": variables, "dtype": "index", "expected": [], "expected_nodes": None,
            "expected_min": -LIMIT, "expected_max": LIMIT, "expr": integer(generator, depth, names), "kind": "simplify"}
    if generator.random() < 0.3:
        # A gated index: equal wherever its gate is on.
        return {**case, "kind": "gated_index", "valid": condition(generator, generator.randint(1, 4), names), "expected_idx": None}
    if generator.random() < 0.3:
        case["expr"], case["dtype"] = condition(generator, depth, names), "bool"
    return case


def corpus_of(cases):
    return {"cases": [c for c in cases if "valid" not in c], "valid_cases": [c for c in cases if "valid" in c]}


def check(cases):
    """What is wrong with each case, or None. Stops where the tool fails."""
    wrong = {}
    symbolic.run(corpus_of(cases), lambda identity, failure, unsound=(): wrong.__setitem__(identity, failure))
    corpus = corpus_of(cases)
    passes = ["--allow-unregistered-dialect", "--sym-simplify"]
    once = tool.tiny_opt(passes, symbolic.module(corpus))
    if tool.tiny_opt(passes, once) != once:
        wrong[cases[0]["id"]] = wrong[cases[0]["id"]] or (
            "a second run of sym-simplify changes something" if len(cases) == 1 else
            next((failure for case in cases for failure in check([case]) if failure), None))
    return [wrong[case["id"]] for case in cases]


def is_condition(node):
    return isinstance(node, ast.Compare) or (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr))
                                             and is_condition(node.left))


def smaller_texts(text):
    """Every way to put a part of an expression, or a small constant, in the place of one node."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, (ast.BinOp, ast.Compare, ast.Call)):
            continue
        operands = node.args if isinstance(node, ast.Call) else [c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr)]
        parts = [part for part in operands if is_condition(part) == is_condition(node)
                 and not (isinstance(part, ast.Name) and part.id.startswith(("int", "uint", "float")))]
        if not is_condition(node):
            parts += [ast.Constant(0), ast.Constant(1)]
        for part in parts:
            class Replace(ast.NodeTransformer):
                def visit(self, other):
                    return part if ast.dump(other) == ast.dump(node) else self.generic_visit(other)
            yield ast.unparse(Replace().visit(copy.deepcopy(tree)))


def smaller(case):
    for key in ("expr", "valid"):
        if key in case:
            for text in smaller_texts(case[key]):
                if len(text) < len(case[key]):
                    yield {**case, key: text}
    for name, facts in case["vars"].items():
        for low, high in ((0, facts["max"]), (facts["min"], (facts["min"] + facts["max"]) // 2), (facts["min"] // 2, facts["max"])):
            if facts["min"] <= low <= high <= facts["max"] and (low, high) != (facts["min"], facts["max"]):
                yield {**case, "vars": {**case["vars"], name: {**facts, "min": low, "max": high}}}


def show(case):
    return symbolic.module(corpus_of([case]))
