"""Kernel counts: recorded graphs are scheduled. A case passes with at most the expected kernels, none of them wrong by
the reference interpreter, and at most four times the operations of the graph unfused.

A kernel is a launch that computes. A launch that only moves data (0 operations: its stores take loads or constants) is a
copy or a fill, as the items `kernel.copy` and `kernel.fill` are, and is counted apart.
"""
import concurrent.futures
import json
import re
import subprocess
import tempfile

from corpus import scheduled, tool
from corpus.programs import Unsupported, write_program

STEP = re.compile(r"%(\d+) = (\w+)\(([^)]*)\)\s*(.*?)\s*: (\w+)(?:\[([^\]]*)\])?$")
# Graphs that call kernels of their own, or that live on several devices, are not programs of the tensor level.
FOREIGN = {"unshard", "range", "param", "index", "end", "sink", "call", "mstack", "mselect", "allreduce"}
LARGEST_FACTOR = 4  # operations, against the graph unfused
WORKERS = 2


def parse(steps):
    """The nodes of a case, in the encoding of `write_program`. Raises Unsupported. A variable is a scalar argument."""
    nodes = []
    for step in steps:
        match = STEP.match(step)
        if not match or match[2] in FOREIGN:
            raise Unsupported(step.split("(")[0])
        op, argument = match[2].upper(), match[4]
        shape = [int(dim) for dim in match[6].split(",")] if match[6] else []
        node = {"op": op, "src": [int(source) for source in re.findall(r"%(\d+)", match[3])], "shape": shape,
                "dtype": match[5]}
        if op == "CONST":
            node["arg"] = parse_constant(argument)
        elif argument:
            node["arg"] = json.loads(argument) if argument[0] in "[{" else argument.strip('"')
        nodes.append(node)
    return nodes


def parse_constant(text):
    if text == '"invalid"':
        return "invalid"
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text.strip('"')) if re.search(r"[.einf]", text) else int(text)
    except ValueError:
        raise Unsupported(f"the constant {text}") from None


def run_case(case):
    """What is wrong, or None; and a line on what was seen."""
    try:
        nodes = parse(case["steps"])
        program = write_program(nodes, case["outputs"])
    except Unsupported as reason:
        return f"unsupported: {reason}", ""
    except Exception as error:  # the recorded case makes no sense: the others still count
        return f"can't be written: {type(error).__name__}: {error}", ""
    try:
        return check(case, nodes, program)
    except (scheduled.Failed, subprocess.TimeoutExpired) as reason:
        return str(reason), ""


def check(case, nodes, program):
    expected = case["expected_kernels"]
    lazy = chosen = scheduled.to_lazy(program.text)
    result, flags = scheduled.schedule(chosen), ""
    if result.kernels > expected:
        # x + 0.0 is not x where x is -0.0: some expectations stand on zeros without a sign.
        unsigned = scheduled.to_lazy(program.text, nsz=True)
        if (other := scheduled.schedule(unsigned)).kernels < result.kernels:
            chosen, result, flags = unsigned, other, ", under nsz"
    unfused = scheduled.schedule(chosen, "none").operations
    with tempfile.TemporaryDirectory() as folder:
        wrong, compared = scheduled.compare(case["id"], program, nodes, lazy, chosen, folder)
    note = (f"{result.kernels} kernels, expected {expected}{flags}" +
            (f", and {result.copies} launches that only move data" if result.copies else "") +
            f"; {result.operations} operations, {unfused} unfused; compared with {compared}")
    if wrong:
        return f"{wrong} ({note})", note
    if result.operations > LARGEST_FACTOR * unfused:
        return f"more than {LARGEST_FACTOR} times the operations ({note})", note
    if result.kernels > expected:
        reasons = "".join(f"\n    {count} x {text}" for text, count in result.refusals)
        return note + (reasons or "\n    nothing was refused: no fusion was seen"), note
    return None, note


def run_guarded(case):
    result, error = tool.guarded(run_case, case)
    return (error, "") if error else result


def run(corpus, report):
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for case, (failure, note) in zip(corpus["cases"], pool.map(run_guarded, corpus["cases"])):
            report(case["id"], failure, note=note)
