"""What the scheduler makes of a program: its kernels, what they compute, why they were not fewer, and their results."""
import collections
import dataclasses
import math
import os
import random
import re
import subprocess
import zlib

from corpus import npy, tool

# Elements of all values of a graph up to which it is evaluated as it was recorded, every value in memory; a larger one
# is evaluated after its movements are folded, by element on demand.
LARGEST_RECORDED = 1 << 22
TIMEOUT = 300  # seconds
# By how many epsilons of the largest number of a result floats may differ: reductions are reordered.
TOLERANCE = {"float32": 128 * 2.0**-23, "float64": 128 * 2.0**-52, "float16": 16 * 2.0**-10}


class Failed(Exception):
    """A tool failed; its first error."""


@dataclasses.dataclass
class Schedule:
    kernels: int  # launches that compute
    copies: int  # launches that only move data
    operations: int  # scalar operations of all launches, index arithmetic apart
    refusals: list  # what was stored although it might have been fused, and why: (text, how often)


def call(name, *arguments, text=None):
    done = subprocess.run([tool.find(name), *arguments], input=text, capture_output=True, text=True, timeout=TIMEOUT)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise Failed(f"{name}: " + next((line for line in lines if "error" in line), f"exit code {done.returncode}"))
    return done


def to_lazy(text, nsz=False):
    """A program of the tensor level at the lazy level; with `nsz`, where zeros have no sign."""
    passes = ["--tiny-tensor-to-lazy-pipeline"]
    if nsz:
        passes += ["--lazy-set-fastmath=flags=nsz", "--canonicalize", "--cse", "--lazy-fold-views"]
    return call("tiny-opt", *passes, text=text).stdout


def schedule(lazy, fusion="default") -> Schedule:
    """Schedules a lazy program. Counts on the loops of kernels that no schedule has changed yet."""
    done = call("tiny-opt", f"--tiny-lazy-to-kernel-pipeline=fusion={fusion} default-schedule=false",
                "--convert-kernel-to-uop", "--canonicalize", "--cse", "--uop-count-operations",
                "--remark-format=emitRemark", "--remarks-filter=lazy-kernelize", text=lazy)
    operations = {name: int(count) for name, count in
                  re.findall(r"uop\.func (?:private )?@(\w+)\(.*uop\.operations = (\d+)", done.stdout)}
    launched = [operations[name] for name in re.findall(r"kernel\.launch @(\w+)", done.stdout)]
    refusals = collections.Counter(re.findall(r"Missed.*?\"?([\w.]+ stored: [^\"\n]*)", done.stderr))
    return Schedule(sum(count > 0 for count in launched), launched.count(0), sum(launched), sorted(refusals.items()))


def draw(rng, dtype, count, positive):
    if dtype == "bool":
        return [rng.random() < 0.5 for _ in range(count)]
    if dtype.startswith("float"):
        # Multiples of 1/8: sums and products of few of them are exact in any order.
        return [rng.randint(1 if positive else -16, 16) / 8 for _ in range(count)]
    return [rng.randint(0 if positive or dtype.startswith("uint") else -3, 9) for _ in range(count)]


def differ(got, wanted, dtype):
    """Why one result is not another's equal, or None."""
    (got, shape), (wanted, expected) = got, wanted
    if list(shape) != list(expected):
        return f"shape {shape}, expected {expected}"
    bound = TOLERANCE.get(dtype, 0)
    if bound:
        # Inputs are numbers around 1: a result of much smaller ones is what a cancellation left.
        bound *= max([1 / 16, *(abs(x) for x in wanted if math.isfinite(x))])
    for position, (a, b) in enumerate(zip(got, wanted)):
        if a == b or (a != a and b != b):
            continue
        if not bound or not abs(a - b) <= bound:
            return f"element {position} is {a}, the interpreter gives {b}"
    return None


def compare(case, program, nodes, lazy, scheduled, folder):
    """Runs `scheduled`, at the lazy level, on the CPU and compares it with the interpreter's results of the graph.
    Returns what is wrong, or None; and what was compared."""
    elements = sum(math.prod(node["shape"]) for node in nodes)
    recorded = elements <= LARGEST_RECORDED
    note = "the graph as recorded" if recorded else "the folded graph, by element on demand"
    for name, text in (("reference", program.text if recorded else lazy), ("scheduled", scheduled)):
        with open(os.path.join(folder, name + ".mlir"), "w") as file:
            file.write(text)
    for positive in (False, True):
        rng = random.Random(zlib.crc32(case.encode()))
        arguments = []
        for position, (shape, dtype) in enumerate(program.arguments):
            path = os.path.join(folder, f"in{position}.npy")
            npy.write(path, draw(rng, dtype, math.prod(shape), positive), shape, dtype)
            arguments += ["--input", path]
        results = []
        for name, device in (("reference", "reference"), ("scheduled", "cpu")):
            output = os.path.join(folder, name + ".npz")
            call("tiny-run", os.path.join(folder, name + ".mlir"), "--device", device, "--no-cache", "--output", output,
                 *arguments)
            results.append(npy.read_all(output))
        # Where the draw left no number anywhere, nothing was compared: positive numbers have logarithms and roots.
        if positive or all(not values or any(x == x for x in values) for values, _ in results[0]):
            break
    for index, (wanted, got) in enumerate(zip(*results)):
        if reason := differ(got, wanted, program.results[index][1]):
            return f"result {index}: {reason}", note
    return None, note
