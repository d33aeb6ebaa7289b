"""Counts what ptxas makes of the kernels of PTX files, and holds the counts against limits.

usage: sass.py [--limits FILE] --ptxas PTXAS --nvdisasm NVDISASM KERNELS.ptx...

For each kernel of NAME.ARCH.ptx a line: its counts as field=number. A line of the limits is a name, an architecture and
conditions: `chain sm_80 registers<=28 narrow=0`. They hold for the kernel of that file with the most products or, where
none has any, the most instructions. Each condition that does not hold is named, and the exit code is 1.

Counts of memory, of `spills` (bytes), of `narrow` accesses to global memory (below 128 bits) and of `all` instructions are
of the whole kernel. The others are of the hot loop, which is the innermost one of those with products, that with the
most of them, else with the most instructions; or of the whole kernel, where it has no loop.
"""
import argparse
import operator
import re
import subprocess
import sys
import tempfile
from collections import Counter

# Floating-point operations of one instruction of a warp.
PRODUCTS = {f"HGMMA.64x{n}x16": 2 * 64 * n * 16 // 4 for n in (64, 128, 256)}
PRODUCTS |= {f"HGMMA.64x{n}x8": 2 * 64 * n * 8 // 4 for n in (64, 128, 256)}
PRODUCTS |= {"HMMA.16816": 4096, "HMMA.1688": 2048, "HMMA.1684": 1024, "IMMA.16832": 8192, "IMMA.16816": 4096}
KINDS = {
    "f32": "FFMA FADD FMUL FMNMX FMNMX3 FSETP FSEL FCHK FSET",
    "function": "MUFU",
    "convert": "F2F F2FP F2I I2F I2FP FRND HADD2 HFMA2 HMUL2 HMNMX2 VHMNMX",
    "lanes": "SHFL VOTE REDUX MATCH",
    "wait": "BAR WARPSYNC DEPBAR LDGDEPBAR MEMBAR FENCE WARPGROUP",
    "control": "BRA EXIT BSSY BSYNC BREAK CALL RET JMP NOP YIELD BMOV PLOP3 P2R R2P",
    "move": "MOV CS2R S2R S2UR UMOV R2UR B2R LDC ULDC LDCU",
}
KIND = {name: kind for kind, names in KINDS.items() for name in names.split()}
OPERATORS = {"<=": operator.le, ">=": operator.ge, "=": operator.eq}


def classify(op):
    name = op.split(".")[0]
    if op.startswith("IMAD.MOV"):
        return "move"
    if name in ("HMMA", "IMMA", "HGMMA"):
        return "mma"
    if name in ("LDSM", "LDGSTS", "LDS", "STS", "LDG", "STG", "LDL", "STL"):
        return name.lower()
    return KIND.get(name) or ("uniform" if name.startswith("U") else "integer")


def count_flops(op):
    return next((flops for name, flops in PRODUCTS.items() if op.startswith(name)), 64 if op.startswith("FFMA") else 0)


def get_bits(op):
    found = re.search(r"\.(128|64|U16|S16|U8|S8)\b", op)
    return int(found.group(1).lstrip("US")) if found else 32


def disassemble(nvdisasm, cubin):
    """The instructions of each kernel, its labels, its branches, and those that always leave where they stand."""
    text = subprocess.run([nvdisasm, "-c", cubin], check=True, capture_output=True, text=True).stdout
    kernels = {}
    for line in text.splitlines():
        if section := re.match(r"\s*\.section\s+\.text\.(\w+)", line):
            instructions, labels, branches, leaving = kernels.setdefault(section.group(1), ([], {}, [], set()))
        elif label := re.match(r"(\.L_\w+):", line):
            labels[label.group(1)] = len(instructions)
        elif found := re.match(r"\s*/\*[0-9a-f]{4,}\*/\s+(?:@(!?U?P\w+)\s+)?([A-Z][\w.]*)(.*?);", line):
            predicate, op, rest = found.groups()
            if (target := re.search(r"`\((\.L_\w+)\)", rest)) and op.startswith("BRA"):
                branches.append((len(instructions), target.group(1)))
            if not predicate and (op == "BRA" or op.split(".")[0] in ("EXIT", "RET")) and "UP" not in rest:
                leaving.add(len(instructions))
            # Fillers never run, and a product with nothing is a move.
            if predicate == "!PT":
                op = "NOP"
            elif op.startswith("HFMA2") and "-RZ, RZ" in rest:
                op = "MOV"
            instructions.append(op)
    return kernels


def find_loops(instructions, labels, branches, leaving):
    """Where the target of a branch dominates it: the instructions from there to the branch. What stands elsewhere, and
    comes back into a loop, is run while something is waited for."""
    jumps = {at: labels[target] for at, target in branches if target in labels}
    begins = sorted({0, *jumps.values(), *(at + 1 for at in {*jumps, *leaving})} - {len(instructions)})
    before = {begin: set() for begin in begins}
    for begin, end in zip(begins, begins[1:] + [len(instructions)]):
        if end - 1 in jumps and jumps[end - 1] in before:
            before[jumps[end - 1]].add(begin)
        if end - 1 not in leaving and end in before:
            before[end].add(begin)
    dominators = {begin: {0} if begin == 0 else set(begins) for begin in begins}
    changes = True
    while changes:
        changes = False
        for begin in begins[1:]:
            found = set.intersection(*(dominators[other] for other in before[begin])) if before[begin] else set(begins)
            if found | {begin} != dominators[begin]:
                dominators[begin], changes = found | {begin}, True
    block = lambda at: max(begin for begin in begins if begin <= at)
    return sorted({(to, at + 1) for at, to in jumps.items() if to <= at and to in dominators[block(at)]})


def find_loop(instructions, labels, branches, leaving):
    """The hot loop's instructions."""
    loops = find_loops(instructions, labels, branches, leaving)
    # Where lanes wait for copies, or one begins them, there are small loops without any product.
    busy = [(begin, end) for begin, end in loops if any(map(count_flops, instructions[begin:end]))]
    loops = busy or loops
    inner = [(begin, end) for begin, end in loops
             if not any((b, e) != (begin, end) and begin <= b and e <= end for b, e in loops)]
    bodies = [instructions[begin:end] for begin, end in inner]
    return max(bodies, key=lambda body: (sum(map(count_flops, body)), len(body)), default=[])


def measure(arguments, path):
    arch, text = path.split(".")[-2], open(path).read()
    with tempfile.NamedTemporaryFile(suffix=".cubin") as cubin:
        said = subprocess.run([arguments.ptxas, "-v", "-arch=" + arch, path, "-o", cubin.name], capture_output=True,
                              text=True)
        if said.returncode:
            sys.exit(f"{path}: {said.stderr}")
        kernels = disassemble(arguments.nvdisasm, cubin.name)
    sizes = {name: [int(number) for number in numbers] for name, *numbers in re.findall(
        r"Function properties for (\w+)\n.*?(\d+) bytes spill stores, (\d+) bytes spill loads\n.*?Used (\d+) registers",
        said.stderr, re.S)}
    rows = []
    for name, (instructions, labels, branches, leaving) in kernels.items():
        while instructions and instructions[-1] in ("NOP", "BRA"):
            instructions.pop()
        body = find_loop(instructions, labels, branches, leaving)
        ops = [op for op in body or instructions if op != "NOP"]
        global_ops = [op for op in instructions if op.split(".")[0] in ("LDG", "STG")]
        counts = Counter(map(classify, ops))
        *spills, registers = sizes[name]
        flops = sum(map(count_flops, ops))
        row = {"registers": registers, "spills": sum(spills), "all": sum(op != "NOP" for op in instructions),
               "loop": len(ops) if body else 0, "flops": flops, "density": flops // max(1, len(ops)),
               "loads": sum(op.startswith("LDG.") for op in global_ops),
               "stores": sum(op.startswith("STG.") for op in global_ops),
               "narrow": sum(get_bits(op) < 128 for op in global_ops)}
        row |= {kind: counts[kind] for kind in ("mma", "ldsm", "ldgsts", "lds", "sts", "f32", "function", "convert", "lanes",
                                                "wait", "integer", "uniform", "move", "control")}
        row["singles"] = sum(op.startswith("LDSM") and not op.endswith(".4") for op in ops)
        rows.append((name, row))
    return arch, rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits")
    parser.add_argument("--ptxas", required=True)
    parser.add_argument("--nvdisasm", required=True)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    hottest = {}
    for path in arguments.files:
        arch, rows = measure(arguments, path)
        problem = path.split("/")[-1].split(".")[0]
        for name, row in rows:
            print(problem, arch, name, *(f"{field}={value}" for field, value in row.items()))
        hottest[problem, arch] = max((row for _, row in rows), key=lambda row: (row["mma"], row["all"]))
    broken = held = 0
    for line in filter(str.strip, open(arguments.limits) if arguments.limits else ()):
        problem, arch, *conditions = line.split()
        for condition in conditions:
            field, relation, limit = re.fullmatch(r"(\w+)(<=|>=|=)(\d+)", condition).groups()
            value = hottest[problem, arch][field]
            held += 1
            if not OPERATORS[relation](value, int(limit)):
                print(f"{problem} {arch}: {field} is {value}, expected {relation}{limit}")
                broken += 1
    print(f"{held - broken} limits hold, {broken} do not")
    return broken != 0


sys.exit(main())
