"""Numeric programs: compiled, run on a device (tool.device), and compared with the recorded outputs and gradients."""
import math
import os
import subprocess
import tempfile

from corpus import npy, tool
from corpus.programs import Unsupported, write_program



def number(value, dtype):
    if dtype.startswith("float"):
        value = float(value)
        # Beyond f32's range a recorded draw is infinite, as it was in f32.
        return math.copysign(math.inf, value) if dtype == "float32" and abs(value) > 3.4028235677973366e38 else value
    return bool(value) if dtype == "bool" else int(value)


def close(got, expected, atol, rtol):
    if isinstance(expected, str) or isinstance(expected, float):
        expected = float(expected)
        if math.isnan(expected):
            return math.isnan(got)
        if math.isinf(expected):
            return got == expected
    return abs(got - expected) <= atol + rtol * abs(expected)


def find_differences(what, values, wanted, atol, rtol):
    """None, or the first element that is another."""
    if len(values) != len(wanted):
        return f"{what} has {len(values)} elements, expected {len(wanted)}"
    for position, (got, expected) in enumerate(zip(values, wanted)):
        if not close(got, expected, atol, rtol):
            return f"element {position} of {what} is {got}, expected {expected}"
    return None


def run_case(case):
    """None when the outputs, and the gradients that were recorded, are right, else why not."""
    nodes = case["graph"]["nodes"]
    recorded = {k: grad for k, grad in enumerate(case.get("grad_of_sum_wrt_inputs") or []) if grad is not None}
    order = [node["arg"].get("input") for node in nodes if node["op"] == "BUFFER"]
    gradients = [position for position, given in enumerate(order) if given in recorded]
    try:
        program = write_program(nodes, case["graph"]["outputs"], gradients)
    except Unsupported as reason:
        return f"unsupported: {reason}"
    except Exception as error:  # the recorded case makes no sense: the others still count
        return f"can't be written: {type(error).__name__}: {error}"
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "program.mlir")
        with open(source, "w") as file:
            file.write(program.text)
        command = [str(tool.find("tiny-run")), source, "--no-cache", "--device", tool.device, "--output",
                   os.path.join(folder, "out.npz")]
        for position, index in enumerate(program.inputs):
            node = nodes[index]
            given = node["arg"]
            if isinstance(given.get("captured_constant"), str):
                return "unsupported: an input that was not recorded"
            values = case["inputs"][given["input"]]["values"] if "input" in given else given["captured_constant"]
            path = os.path.join(folder, f"in{position}.npy")
            npy.write(path, [number(value, node["dtype"]) for value in values], node["shape"], node["dtype"])
            command += ["--input", path]
        result = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if result.returncode:
            return (result.stderr.strip().splitlines() or [f"exit code {result.returncode}"])[0]
        results = npy.read_all(os.path.join(folder, "out.npz"))
    expected = case["output"]
    values, shape = results[0]
    if list(shape) != list(expected["shape"]):
        return f"shape {shape}, expected {expected['shape']}"
    failure = find_differences("the result", values, expected["values"], case["atol"], case["rtol"])
    first = len(case["graph"]["outputs"])
    for position, place in enumerate(gradients):
        values, _ = results[first + position]
        failure = failure or find_differences(f"the gradient of input {order[place]}", values, recorded[order[place]],
                                              case["grad_atol"], case["grad_rtol"])
    return failure


def run(corpus, report):
    for case in corpus["cases"]:
        failure, error = tool.guarded(run_case, case)
        report(case["id"], error or failure)
