"""Predicted times of random shapes beside those of the next multiples of 16.

usage: cliffs.py TINY-OPT SOURCE FIRST COUNT RATIO

Prints each size that is predicted to take more than RATIO times as long as its next multiple of 16, then how many shapes
were looked at. Left out are times below a microsecond, most of which is a launch, and rows shorter than a vector, whose
lanes LLVM's vectoriser makes: prediction does not know them.
"""
import re
import subprocess
import sys

TOOL, SOURCE = sys.argv[1:3]
FIRST, COUNT, RATIO = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
sys.path.insert(0, SOURCE + "/benchmarks")
sys.dont_write_bytecode = True
import draws

LEAST_NANOSECONDS, SHORTEST_ROW = 1000, 16


def predict(problems):
    """Nanoseconds of each problem: the sum of its kernels."""
    program = "\n// -----\n".join(problem.program() for problem in problems)
    done = subprocess.run([TOOL, "-split-input-file", "-target-attach=processor=x86-64-v3",
                           "-tiny-tensor-to-kernel-pipeline", "-kernel-apply-schedules", "-canonicalize",
                           "-kernel-predict"], input=program, capture_output=True, text=True, check=True)
    kernels = [len(re.findall(r"^ *kernel.func", module, re.M)) for module in done.stdout.split("// -----")]
    times = [float(time) for time in re.findall(r"^\S.*: ([\d.]+) ns, of which", done.stderr, re.M)]
    assert len(kernels) == len(problems) and sum(kernels) == len(times), "a kernel has no prediction"
    following = iter(times)
    return [sum(next(following) for _ in range(count)) for count in kernels]


def main():
    found = looked = 0
    for kind in draws.CLASSES:
        pairs = []
        for seed in range(FIRST, FIRST + COUNT):
            problem = draws.draw(kind, seed)
            if problem.sizes.get("columns", SHORTEST_ROW) >= SHORTEST_ROW:
                pairs += [(problem, name, longer) for name in problem.grows if (longer := problem.rounded(name))]
        if not pairs:
            continue
        times = predict([problem for problem, _, _ in pairs] + [longer for _, _, longer in pairs])
        looked += len(times)
        for (problem, name, _), time, longer in zip(pairs, times, times[len(pairs):]):
            if time > LEAST_NANOSECONDS and time > RATIO * longer:
                found += 1
                print(f"{problem}: {time:.0f} ns, {longer:.0f} with {name} rounded up: {time / longer:.2f}")
    print(f"{found} cliffs in {looked} shapes")


main()
