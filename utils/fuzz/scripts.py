"""Random transform scripts for the loops of kernels, and graphs whose kernels have loops worth changing."""
import dataclasses
import re

from fuzz.lazydraw import Generator
from fuzz.lazygraph import Value

ANY = "!transform.any_op"
KINDS = ["upcast", "upcast", "upcast", "unroll", "loop", "loop", "reduce", "reduce", "thread", "global"]


class Programs(Generator):
    """A random graph on top of a product, a softmax or an attention, of sizes that factors divide and that none
    divides. In an exact one every reduction keeps its order."""
    sizes = [1, 2, 3, 4, 5, 6, 8, 12]
    floats = ["f32"]  # files of inputs hold no bf16
    donated = 0

    def __init__(self, rng, operations, exact):
        self.root = rng.choice([self.product, self.product, self.softmax, self.attention, None])
        self.flags = [" fastmath<none>"] if exact else [""]
        super().__init__(rng, operations)
        if self.root and rng.random() < 0.5:
            # Nothing that is read elsewhere stands between one kernel and the next.
            self.graph.results = [(self.result, None)]
        for op in self.ops:
            # Which of two equal elements comes first is a matter of the order.
            if op.text.startswith("lazy.reduce ({0}, {1})"):
                op.text = re.sub(r"(axes \[[^]]*\])", r"\1 fastmath<none>", op.text)

    def arguments(self):
        if not self.root:
            return super().arguments()
        m, n, k = (self.rng.choice([2, 3, 4, 5, 6, 8, 12]) for _ in range(3))
        return [Value((m, k), "f32"), Value((k, n), "f32"), Value((n, k), "f32")]

    def begin(self):
        if self.root:
            self.limit = 12**3
            self.result = self.root(*self.values)
            self.limit = Generator.limit

    def sum_up(self, kind, value, axes):
        shape = tuple(dim for axis, dim in enumerate(value.shape) if axis not in axes)
        return self.emit(f"lazy.reduce {kind} ({{0}}) axes {axes}{self.flags[0]} : ({value.type}) -> {Value(shape, 'f32').type}",
                         [value], (shape, "f32"))

    def apply(self, op, *values):
        return self.emit(f"{op} {', '.join(f'{{{k}}}' for k in range(len(values)))} : {values[0].type}", list(values),
                         (values[0].shape, "f32"))

    def spread(self, value, axis, dim):
        """Equal along a new axis."""
        unit, shape = list(value.shape), list(value.shape)
        unit.insert(axis, 1)
        shape.insert(axis, dim)
        self.move("reshape", value, unit)
        self.move("expand", self.values[-1], shape)
        return self.values[-1]

    def product(self, a, b, _):
        """(m, k) by (k, n)."""
        self.move("permute", b, (b.shape[1], b.shape[0]), " [1, 0]")
        columns = self.values[-1]
        left, right = self.spread(a, 1, b.shape[1]), self.spread(columns, 0, a.shape[0])
        return self.sum_up("addf", self.apply("arith.mulf", left, right), [2])

    def softmax(self, a, *_):
        weights = self.apply("math.exp", self.apply("arith.subf", a, self.spread(self.sum_up("maximumf", a, [1]), 1, a.shape[1])))
        return self.apply("arith.divf", weights, self.spread(self.sum_up("addf", weights, [1]), 1, a.shape[1]))

    def attention(self, q, k, v):
        """(m, k) queries, keys as columns of (k, n), and (n, k) values."""
        return self.product(self.softmax(self.product(q, k, None)), v, None)


@dataclasses.dataclass(eq=False)
class Axis:
    kind: str
    id: int
    extent: int
    is_online: bool  # that of a reduction of several values


def print_steps(name, steps):
    """A script that tries each step, says which were accepted, and goes on behind those that were refused."""
    lines = [f"    transform.named_sequence @{name}(%kernel: {ANY} {{transform.readonly}}) {{",
             f"      transform.sequence %kernel : {ANY} failures(suppress) {{", f"      ^bb0(%all: {ANY}):"]
    for number, step in enumerate(steps):
        lines += [f"        transform.sequence %all : {ANY} failures(propagate) {{", f"        ^bb0(%k: {ANY}):",
                  *(f"          {line}" for line in step),
                  f'          transform.print %k {{name = "accepted {name} {number}", skip_regions}} : {ANY}', "        }"]
    return "\n".join([*lines, "      }", "      transform.yield", "    }"])


def impose(kernels, scripts):
    """A module of kernels with a script for each."""
    for name in scripts:
        kernels = re.sub(rf"(kernel\.func (?:private )?@{name}\([^)]*\)) \{{", rf"\1 attributes {{schedule = @schedules::@{name}}} {{", kernels)
    module = "\n".join(print_steps(name, steps) for name, steps in scripts.items())
    return kernels.rstrip().removesuffix("}") + ("  module @schedules attributes {transform.with_named_sequence} {\n"
                                                 f"{module}\n  }}\n}}\n")


def find_kernels(text):
    """(name, number of arguments, axes) of each kernel of a module."""
    for name, arguments, body in re.findall(r"kernel\.func (?:private )?@(\w+)\((.*?)\) \{\n(.*?)\n  \}\n", text, re.S):
        online = re.findall(r"kernel\.reduce \([^)]*\) init \([^)]*\) over \((%\w+)\)", body)
        axes = [Axis(kind, int(id), int(extent), value in online) for value, kind, id, extent in
                re.findall(r"(%\w+) = kernel\.range (\w+) id\((\d+)\) extent\((\d+)\)", body)]
        yield name, arguments.count("%"), axes


class Script:
    """Draws steps for one kernel. What it believes of the axes is right as long as every step is accepted; a wrong
    guess is one more refusal."""

    def __init__(self, rng, arguments, axes):
        self.rng, self.count, self.axes = rng, arguments, axes
        self.steps = []
        ways = [self.split] * 6 + [self.swap, self.merge, self.pad_to, self.pad_to, self.stage, self.stage, self.unstage,
                                   self.stage_partial, self.block_reduce]
        if any(axis.is_online for axis in axes) and rng.random() < 0.7:
            self.block_reduce()
        for _ in range(rng.randint(1, 8) if axes else 0):
            rng.choice(ways)(rng.choice(self.axes))

    def step(self, text, *axes):
        """One transform of the axes %a, %b."""
        found = [f"%{name} = transform.tiny.axis %k [{axis.id}] : ({ANY}) -> {ANY}" for name, axis in zip("ab", axes)]
        self.steps.append([*found, f"transform.tiny.{text}"])

    def split_by(self, axis, factor, kind):
        """The inner part, as it will be."""
        self.step(f"split %a by {factor} as {kind} : ({ANY}) -> ({ANY}, {ANY})", axis)
        if factor in (0, axis.extent):
            axis.kind = kind
            return axis
        if axis.extent % factor:
            return axis
        self.axes.append(Axis(kind, max(other.id for other in self.axes) + 1, factor, False))
        axis.extent //= factor
        return self.axes[-1]

    def split(self, axis):
        factors = [d for d in range(1, axis.extent + 1) if axis.extent % d == 0]
        self.split_by(axis, self.rng.choice([*factors, *factors, 0, 3]), self.rng.choice(KINDS))

    def swap(self, axis):
        others = [other for other in self.axes if other is not axis and other.kind == axis.kind]
        if others:
            self.step(f"swap %a, %b : ({ANY}, {ANY}) -> ()", axis, self.rng.choice(others))

    def merge(self, axis):
        others = [other for other in self.axes if other.id > axis.id and other.kind == axis.kind]
        if others:
            other = self.rng.choice([others[0], others[-1]])
            self.step(f"merge %a, %b : ({ANY}, {ANY}) -> {ANY}", axis, other)
            axis.extent *= other.extent
            self.axes.remove(other)

    def pad_to(self, axis):
        multiple = self.rng.choice([2, 3, 4, 8])
        self.step(f"pad_to %a multiple {multiple} : ({ANY}) -> {ANY}", axis)
        axis.extent = -(-axis.extent // multiple) * multiple

    def stage(self, axis):
        others = [other for other in self.axes if other is not axis]
        ids = [axis.id, *(other.id for other in self.rng.sample(others, self.rng.randint(0, min(2, len(others)))))]
        self.step(f"stage %k argument {self.rng.randrange(self.count)} over {ids} {self.space()} : ({ANY}) -> {ANY}")

    def unstage(self, axis):
        self.step(f"unstage %a : ({ANY}) -> ()", axis)

    def stage_partial(self, axis):
        blocks = self.reduced(axis)
        if self.rng.random() < 0.7:
            self.split_by(blocks, self.rng.choice([2, 3, 4]), "reduce")
        free = [other for other in self.axes if other.kind in ("loop", "upcast", "unroll")]
        ids = [other.id for other in self.rng.sample(free, self.rng.randint(0, len(free)))]
        accumulates = self.rng.choice(["", " accumulates"])
        self.step(f"stage_partial %k [{blocks.id}] over {ids} {self.space()}{accumulates} : ({ANY}) -> {ANY}")

    def block_reduce(self, axis=None):
        """With what it needs: copies of a block, and of the rows and columns."""
        for loop in [axis] if axis else [loop for loop in self.axes if loop.kind == "loop"]:
            if self.rng.random() < 0.7:
                self.split_by(loop, self.rng.choice([0, 0, 2]), "upcast")
        block = self.split_by(self.reduced(axis or self.axes[-1]), self.rng.choice([0, 2, 3, 4]), "upcast")
        self.step(f"block_reduce %a : ({ANY}) -> ()", block)

    def reduced(self, axis):
        reduced = [other for other in self.axes if other.kind == "reduce"] or [axis]
        return self.rng.choice([other for other in reduced if other.is_online] or reduced)

    def space(self):
        return self.rng.choice(["local", "register"])
