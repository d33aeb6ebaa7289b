"""Runs the kernels of a SPIR-V module on a Vulkan device and compares what they write with the interpreter.

usage: compare.py UOP.mlir BEFORE.txt AFTER.txt KERNELS.spv RUNNER

AFTER is what tiny-interpret prints of the kernels in UOP: the contents of each buffer afterwards. BEFORE is the same of
kernels that do nothing. Results are the same bit for bit, but a device may take denormals for zero, and sum up the
lanes of a subgroup in another order.
"""
import re
import struct
import subprocess
import sys

CODES = {"f64": "d", "f32": "f", "f16": "e", "i64": "Q", "i32": "I", "i16": "H", "i8": "B", "i1": "B"}
SMALLEST = {"f64": 2.0 ** -1022, "f32": 2.0 ** -126, "f16": 2.0 ** -14}


def encode(kind, texts):
    code, data = "<" + CODES[kind], b""
    for text in texts:
        text = {"true": "1", "false": "0"}.get(text.strip(), text.strip())
        data += struct.pack(code, float(text) if kind[0] == "f" else int(text) & (1 << 8 * struct.calcsize(code)) - 1)
    return data


def read_buffers(text):
    """Type and elements of each kernel's buffers, by its name."""
    buffers = {}
    for name, _, kind, texts in re.findall(r"^(\w+) result (\d+): tensor<\d+x(\w+)> \[(.*)\]$", text, re.M):
        buffers.setdefault(name, []).append((kind, texts.split(", ")))
    return buffers


def is_same(kind, got, want, slack=0.0):
    if got == want:
        return True
    if kind[0] != "f":
        return False
    a, b = (struct.unpack("<" + CODES[kind], x)[0] for x in (got, want))
    if abs(a - b) <= slack:
        return True
    return (a != a and b != b) or (abs(a) < SMALLEST[kind] and abs(b) <= SMALLEST[kind])


def main():
    uop, before, after = (open(path).read() for path in sys.argv[1:4])
    kernels = {}
    for name, line in re.findall(r"uop\.func (?:private )?@(\w+)(\([^\n]*)", uop):
        grid = re.search(r"grid = \[([\d, ]+)\]", line)
        kernels[name] = (grid.group(1) if grid else "1", line.split(" attributes")[0].count("memref<"))
    before, after = read_buffers(before), read_buffers(after)
    # A subgroup sums up in an order of the device's.
    sums = {name for name, body in re.findall(r"uop\.func (?:private )?@(\w+)\([^\n]*\{\n(.*?)\n  \}\n", uop, re.S)
            if re.search(r"uop\.subgroup_reduce (addf|mulf)", body)}
    jobs, skipped = [], 0
    for name, (grid, count) in kernels.items():
        contents = after.get(name, [])
        if len(contents) != count or any(kind not in CODES or texts[-1] == "..." for kind, texts in contents):
            skipped += 1
            continue
        jobs.append((name, " ".join((re.findall(r"\d+", grid) + ["1", "1"])[:3])))
    lines = []
    for name, grid in jobs:
        lines.append(f"{name} {grid} {len(before[name])}")
        lines += [encode(kind, texts).hex() or "-" for kind, texts in before[name]]
    ran = subprocess.run(sys.argv[5:] + [sys.argv[4]], input="\n".join(lines) + "\n", capture_output=True, text=True)
    print(ran.stderr, end="")
    printed = ran.stdout.splitlines()
    # What is no result is a message of a validation layer.
    messages = [line for line in printed if not re.fullmatch(r"job \w+|[0-9a-f]+|-", line)]
    print("\n".join(messages[:20]))
    printed = iter(line for line in printed if line not in messages)
    agree = failed = 0
    for name, _ in jobs:
        if next(printed, None) != f"job {name}":
            print(f"{name}: did not run")
            failed += 1
            break
        wrong = None
        for number, (kind, texts) in enumerate(after[name]):
            got, want, size = bytes.fromhex(next(printed).strip("-")), encode(kind, texts), struct.calcsize(CODES[kind])
            slack = 4e-6 * max([1.0] + [abs(float(text)) for text in texts]) if name in sums and kind[0] == "f" else 0.0
            for at in range(0, len(want), size):
                if wrong is None and not is_same(
                        kind, got[at : at + size], want[at : at + size], slack):
                    values = [struct.unpack("<" + CODES[kind], x[at : at + size])[0] for x in (got, want)]
                    wrong = f"{name}: buffer {number}, element {at // size}: got {values[0]}, expected {values[1]}"
        if wrong:
            print(wrong)
        failed += wrong is not None
        agree += wrong is None
    print(f"{agree} kernels agree, {failed} fail, {skipped} were not compared, {len(messages)} messages")


main()
