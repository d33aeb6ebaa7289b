"""When a simplified expression or access passes, and which expectations do not hold themselves."""
import ast
import itertools
import math
import random

from .recorded import INVALID, KINDS, Float, Unsupported, equal, evaluate

POINTS = 20000


def float_samples(low, high, kind):
    """Numbers of a format between two bounds: the bounds, the middle, small integers, thirds, and the format's extremes."""
    largest = {"e": 65504.0, "f": 3.4028234663852886e38, "d": 1.7976931348623157e308}[kind]
    least = {"e": 2.0**-24, "f": 2.0**-149, "d": 2.0**-1074}[kind]
    known = [low, high, *(n / 3 for n in range(-12, 40)), *(sign * edge for sign in (1, -1) for edge in (largest, least))]
    if math.isfinite(low) and math.isfinite(high):
        known += [low + (high - low) * n / 16 for n in range(17)]
    return sorted({number for number in (Float(value, kind) for value in known) if low <= number <= high})


def points(variables, seed):
    """Every assignment of the variables, or enough of them."""
    names, ranges = list(variables), []
    for facts in variables.values():
        low, high = facts["min"], facts["max"]
        if facts["dtype"] in KINDS:
            ranges.append(float_samples(float(low), float(high), KINDS[facts["dtype"]]))
            continue
        ranges.append(range(int(low), int(high) + 1))
    count = math.prod(len(r) for r in ranges)
    if count <= POINTS:
        candidates = itertools.product(*ranges)
    else:
        generator = random.Random(seed)
        corners = itertools.product(*(sorted({r[0], r[0] + min(1, len(r) - 1), r[-1]}) for r in ranges))
        candidates = itertools.chain(corners, ([generator.choice(r) for r in ranges] for _ in range(POINTS)))
    for values in candidates:
        env = dict(zip(names, values))
        if all(env[name] < evaluate(ast.parse(facts["bound_expr"], mode="eval"), env)
               for name, facts in variables.items() if facts.get("bound_expr")):
            yield env


def at(env):
    return " ".join(f"{name}={value}" for name, value in env.items())


def parsed(texts):
    """Each text once, with its tree; what is no expression of the recorded syntax has none."""
    result = {}
    for text in texts:
        try:
            result[text] = ast.parse(text, mode="eval")
        except (SyntaxError, TypeError):
            continue
    return result


def disagreement(tree, env, value):
    """What a stated form gives at a point where it should give `value`, or None where it agrees or says nothing."""
    try:
        stated = evaluate(tree, env)
    except (ArithmeticError, AttributeError, KeyError, TypeError, Unsupported):
        return None
    return None if stated is INVALID or equal(stated, value) else stated


def contradicted_bounds(case, value, env, refuted):
    """Notes in `refuted` each pair of stated bounds that the value at a point leaves."""
    for stated in case.get("expectations", []) + [{"min": case["expected_min"], "max": case["expected_max"]}]:
        low, high = stated.get("min"), stated.get("max")
        if isinstance(low, (int, float)) and isinstance(high, (int, float)) and not low <= value <= high:
            refuted.setdefault((low, high), f"{case['expr']} is {value} at {at(env)}, stated within {low}..{high}")


def check_case(case, function):
    """What is wrong with one simplified expression, or None; and the expectations that are themselves wrong."""
    tree = ast.parse(case["expr"], mode="eval")
    stated = parsed(case["expected"] + [text for e in case.get("expectations", []) for text in e["simplified"]])
    result = function.results[0]
    low, high = None, None
    refuted = {}
    failure = None
    for env in points(case["vars"], case["id"]):
        try:
            expected = evaluate(tree, env)
        except ZeroDivisionError:
            continue
        if expected is INVALID:
            continue
        got = function.evaluate(env)[0]
        if not equal(got, expected):
            failure = f"{case['expr']} is {expected} at {at(env)}, simplified {got}"
            break
        if low is None or not low <= expected <= high:
            contradicted_bounds(case, expected, env, refuted)
        reached = float(expected) if isinstance(expected, float) else int(expected)
        if reached == reached:
            low = reached if low is None else min(low, reached)
            high = reached if high is None else max(high, reached)
        for text in [text for text in stated if text not in refuted]:
            value = disagreement(stated[text], env, expected)
            if value is not None:
                refuted[text] = f"{case['expr']} is {expected} at {at(env)}, stated {text} is {value}"
    return failure or exceeds(case, function, result, low, high, refuted), list(refuted.values())


def exceeds(case, function, result, low, high, refuted):
    """Whether a right result is larger, or its bounds wider, than a sound expectation allows."""
    if case["kind"] != "minmax" and case["expected"] and case["expected"][0] not in refuted:
        nodes, limit = function.nodes(result), case["expected_nodes"]
        if nodes > limit and not (limit > case["expr_nodes"] and nodes <= case["expr_nodes"]):
            return f"{case['expr']} has {nodes} nodes, expected {limit}: {case['expected'][0]}"
    if isinstance(case["expected_min"], (int, float)) and not math.isinf(case["expected_min"]):
        computed = function.bounds.get(result)
        if computed is None:
            name = next((rest for n, what, rest in function.steps if n == result and what == "variable"), None)
            if name is None:
                return f"{case['expr']} has no bounds that the passes know"
            computed = (case["vars"][name]["min"], case["vars"][name]["max"])
        if low is not None and not computed[0] <= low <= high <= computed[1]:
            return f"{case['expr']} has bounds {computed}, reaches {low}..{high}"
        is_sound = (case["expected_min"], case["expected_max"]) not in refuted
        if is_sound and (case["expected_min"] > computed[0] or computed[1] > case["expected_max"]):
            return f"{case['expr']} has bounds {computed}, expected {case['expected_min']}..{case['expected_max']}"
    return None


def check_pair(case, function):
    """What is wrong with one condition or gated index, or None; and the expectations that are themselves wrong."""
    kind = case["kind"]
    refuted = {}
    if kind == "simplify_valid":
        failure = check_condition(case, function, refuted)
    else:
        failure = check_access(case, function, refuted)
    return failure, list(refuted.values())


def check_condition(case, function, refuted):
    tree, stated = ast.parse(case["expr"], mode="eval"), parsed(case["expected"])
    for env in points(case["vars"], case["id"]):
        expected = evaluate(tree, env)
        if function.evaluate(env)[0] != expected:
            return f"{case['expr']} differs at {at(env)}"
        for text in [text for text in stated if text not in refuted]:
            if disagreement(stated[text], env, expected) is not None:
                refuted[text] = f"{case['expr']} is {expected} at {at(env)}, stated {text} is not"
    if case["expected"][0] in refuted:
        return None
    limit, nodes = count_nodes(case["expected"][0]), function.nodes(function.results[0])
    return f"{case['expr']} has {nodes} nodes, expected {limit}" if nodes > limit else None


def check_access(case, function, refuted):
    kind = case["kind"]
    sources = [case["expr"]] if kind == "gated_index" else case["expr_yx"]
    trees = [ast.parse(s, mode="eval") for s in sources]
    valid = ast.parse(case["valid"], mode="eval")
    sizes = case.get("image_shape", [])[:2]
    stated_index, stated_valid = case.get("expected_idx"), case.get("expected_valid")
    stated = parsed(text for text in (stated_index, stated_valid) if text)

    def read(indices, gate):
        if not gate or any(not 0 <= i < size for i, size in zip(indices, sizes)):
            return None
        return tuple(indices)

    for env in points(case["vars"], case["id"]):
        gate = evaluate(valid, env)
        expected = read([evaluate(t, env) for t in trees] if gate else [], gate)
        *indices, new_gate = function.evaluate(env)
        # A recorded index counts where it is valid; in an image the validity may change, so that only reads compare.
        if kind == "gated_index":
            for text, value in ((stated_index, evaluate(trees[0], env) if gate else None), (stated_valid, gate)):
                if text in stated and text not in refuted and value is not None:
                    if disagreement(stated[text], env, value) is not None:
                        refuted[text] = f"{sources[0]} under {case['valid']} is {value} at {at(env)}, stated {text} is not"
        if kind == "gated_index" and bool(gate) != bool(new_gate):
            return f"validity {case['valid']} differs at {at(env)}"
        if read(indices, new_gate) != expected:
            return f"{sources} under {case['valid']} differs at {at(env)}: {expected}, simplified {indices}"
    if kind == "gated_index" and stated_index and stated_index not in refuted:
        nodes, limit = function.nodes(function.results[0]), count_nodes(case["expected_idx"])
        if nodes > limit:
            return f"{sources[0]} under {case['valid']} has {nodes} nodes, expected {limit}"
    return None


def count_nodes(text):
    return sum(isinstance(n, (ast.BinOp, ast.Compare, ast.Call)) for n in ast.walk(ast.parse(text, mode="eval")))
