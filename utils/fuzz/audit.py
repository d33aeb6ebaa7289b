"""What kernels compute: the operations that lazy-kernelize planned against those that stand in the loops."""
import re

from corpus import tool

# No kernel, nor program, evaluates more than so many times what the graph does when nothing is fused: maxEvaluations.
MOST = 4
COUNT = ["--lazy-plan-state", "--convert-lazy-to-kernel", "--convert-kernel-to-uop", "--uop-count-operations", "--remark-format=emitRemark",
         "--remarks-filter=lazy-kernelize"]
# What `uop-count-operations` counts and the plan does not, or counts otherwise: masks, index sources, coordinates, regions.
UNPLANNED = re.compile(r"lazy\.(iota|pad|gather|assign)|mask \[|\binit \[")


class Audit:
    """Sums of both counts over the graphs that were checked and that the plan counts exactly."""

    def __init__(self):
        self.planned = self.counted = 0

    def check(self, graphs, run):
        """What is wrong, or None; `run` calls tiny-opt with options on the graphs."""
        default, wrong = run(["--canonicalize", "--cse", "--lazy-fold-views", "--lazy-kernelize", *COUNT])
        if wrong:
            return wrong
        unfused, wrong = run(["--lazy-kernelize=policy=none", *COUNT])
        if wrong:
            return wrong
        kernels, most = self.count_kernels(default.stdout), self.count_kernels(unfused.stdout)
        planned = {int(name): int(count) for name, count in
                   re.findall(r'planned.*Function=f(\d+) .*?kernels, (\d+) operations', default.stderr)}
        for k, graph in enumerate(graphs):
            if sum(kernels[k]) > MOST * sum(most[k]):
                return f"f{k}: kernels of {kernels[k]} operations, unfused {sum(most[k])} (audit)"
            if any(UNPLANNED.search(op.text) for op in graph.ops):
                continue
            if sum(kernels[k]) > planned[k]:
                return f"f{k}: {sum(kernels[k])} operations, planned {planned[k]} (audit)"
            if "lazy.expand" not in "".join(op.text for op in graph.ops):
                self.planned += planned[k]
                self.counted += sum(kernels[k])
        return None

    @staticmethod
    def count_kernels(text):
        """By function, f0 and so on: the counted operations of each launch."""
        operations = {name: int(count) for name, count in
                      re.findall(r"uop\.func (?:private )?@(\w+)\(.*uop\.operations = (\d+)", text)}
        return {int(name): [operations[kernel] for kernel in re.findall(r"kernel\.launch @(\w+)", body)]
                for name, body in re.findall(r"kernel\.program @f(\d+)\(((?:.*\n)*?)  \}\n", text)}
