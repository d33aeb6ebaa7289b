#!/usr/bin/env python3
"""Writes one training step of a GPT, cut among ranks, as a program of the tensor level.

usage: gpt_program.py --layers 2 --width 64 --heads 4 --batch 4 --tokens 16 --vocabulary 128 [--grid 2x4] [--state-cut]
           [--stages 2 --microbatches 4]

The grid is data x tensor: the batch is cut along its first axis; heads, hidden columns and the vocabulary along its second.
With --state-cut each weight and its two moments are cut along the data axis, too: a weight is gathered where it is used,
and its gradient scattered. Adam makes the new weights and moments, which are the results beside the loss.
With --stages each stage has its share of the layers and such a grid of ranks, and microbatches go through the stages.
"""
import argparse
import math
import sys

RATE, FIRST, SECOND = 1e-3, 0.9, 0.99
# What cuts an axis of a tensor: data ranks, tensor ranks, data ranks and then microbatches.
DATA, TENSOR, BATCH = range(3)


def text_of(shape, element="f32"):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


class Program:
    """Lines of one function. A value is its name, shape and element type.

    `grid`: data x tensor ranks. `pipeline`: stages, of so many ranks each, and microbatches."""

    def __init__(self, grid=None, pipeline=None):
        self.pipeline, self.lines, self.arguments, self.count = pipeline, [], [], 0
        self.grid = (pipeline[0], *grid, pipeline[1]) if pipeline else grid

    def argument(self, name, shape, element="f32"):
        self.arguments.append((f"%{name}", tuple(shape), element))
        return self.arguments[-1]

    def add(self, text, operands, shape, element="f32"):
        self.count += 1
        types = ", ".join(text_of(*value[1:]) for value in operands)
        self.lines.append(f"%_{self.count} = tiny.{text.format(*(value[0] for value in operands))} : ({types}) -> {text_of(shape, element)}")
        return f"%_{self.count}", tuple(shape), element

    def constant(self, text, shape=(), element="f32"):
        self.count += 1
        self.lines.append(f"%_{self.count} = tiny.{text} : {text_of(shape, element)}")
        return f"%_{self.count}", tuple(shape), element

    def number(self, value):
        return self.constant(f"constant dense<{value:.9e}>")

    def binary(self, name, x, y, shape=None):
        return self.add(name + " {}, {}", [x, y], shape or x[1])

    def unary(self, text, x):
        return self.add(text, [x], x[1])

    def product(self, x, y):
        return self.add("matmul {}, {}", [x, y], x[1][:-1] + y[1][-1:])

    def reshape(self, x, shape):
        return self.add("reshape {}", [x], shape)

    def permute(self, x, order):
        return self.add(f"permute {{}} {list(order)}", [x], [x[1][k] for k in order])

    def shard(self, value, cuts):
        """The value with axis `k` cut by cuts[k], or by nothing."""
        if not self.grid:
            return value
        self.count += 1
        names = ("[1]", "[2]", "[1, 3]") if self.pipeline else ("[0]", "[1]", "[0]")
        axes = ", ".join(names[cuts[k]] if cuts.get(k) is not None else "[]" for k in range(len(value[1])))
        self.lines.append(f"%cut{self.count} = shard.sharding @grid split_axes = [{axes}] : !shard.sharding")
        self.lines.append(f"%_{self.count} = shard.shard {value[0]} to %cut{self.count} : {text_of(*value[1:])}")
        return (f"%_{self.count}",) + value[1:]

    def stage(self, value, to):
        """The value in the next stage."""
        self.count += 1
        text = text_of(*value[1:])
        self.lines.append(f"%_{self.count} = tiny.stage {value[0]} on @grid axis 0 from {to - 1} to {to} : ({text}) -> {text}")
        return (f"%_{self.count}",) + value[1:]

    def gradients(self, loss, weights):
        names = [f"%gradient{self.count}_{k}" for k in range(len(weights))]
        types = ", ".join(text_of(*weight[1:]) for weight in weights)
        self.lines.append(f"{', '.join(names)} = tiny.gradient {loss[0]} wrt {', '.join(weight[0] for weight in weights)} : (tensor<f32>, {types}) -> ({types})")
        return [(name,) + weight[1:] for name, weight in zip(names, weights)]

    def text(self, results):
        types = ", ".join(text_of(*result[1:]) for result in results)
        arguments = ", ".join(f'{name}: {text_of(shape, element)} {{tiny.name = "{name[1:]}"}}' for name, shape, element in self.arguments)
        microbatches = " {tiny.microbatches = 3 : i64}" if self.pipeline else ""
        grid = f"shard.grid @grid(shape = {'x'.join(map(str, self.grid))}){microbatches}\n" if self.grid else ""
        body = "\n  ".join(self.lines + [f"return {', '.join(result[0] for result in results)} : {types}"])
        return f"{grid}func.func @step({arguments}) -> ({types}) {{\n  {body}\n}}\n"


class Gpt:
    """Sizes of a network, and the program of one step of it."""

    def __init__(self, layers, width, heads, batch, tokens, vocabulary, grid=None, state_cut=False, stages=1, microbatches=1):
        self.layers, self.width, self.heads, self.batch = layers, width, heads, batch
        self.tokens, self.vocabulary, self.state_cut = tokens, vocabulary, state_cut
        self.pipeline = (stages, microbatches) if stages > 1 else None
        self.grid = (grid or (1, 1)) if self.pipeline or (grid and math.prod(grid) > 1) else None

    def count_weights(self):
        return self.layers * (12 * self.width ** 2 + 2 * self.width) + 2 * self.vocabulary * self.width

    def weight(self, name, shape, cuts):
        """The weight as the network uses it; what is kept of it may be cut along the data axis, too."""
        kept = dict(cuts)
        if self.state_cut and len(shape) == 2:
            # The axis that tensor parallelism leaves alone.
            kept[0 if cuts.get(0) is None else 1] = DATA
        value = self.program.argument(name, shape)
        held = self.program.shard(value, kept)
        self.kept.append((value, held, kept))
        self.used.append(self.program.add("watch {}", [self.program.shard(held, cuts) if kept != cuts else held], shape))
        return self.used[-1]

    def norm(self, x, scale):
        return self.program.add("rms_norm {} scale {} axis -1 epsilon 1.0e-5", [x, scale], x[1])

    def attention(self, x, weights, mask):
        program = self.program
        depth = self.width // self.heads

        def heads(weight, order):
            value = program.product(x, weight)
            return program.permute(program.reshape(value, (self.batch, self.tokens, self.heads, depth)), order)

        q, k, v = heads(weights[0], (0, 2, 1, 3)), heads(weights[1], (0, 2, 3, 1)), heads(weights[2], (0, 2, 1, 3))
        scores = program.binary("mul", program.product(q, k), program.number(1 / math.sqrt(depth)))
        seen = program.unary("softmax {} axis -1", program.binary("add", scores, mask))
        mixed = program.permute(program.product(seen, v), (0, 2, 1, 3))
        return program.product(program.reshape(mixed, (self.batch, self.tokens, self.width)), weights[3])

    def layer(self, number, x, mask):
        program, width = self.program, self.width
        scales = [self.weight(f"scale{number}_{k}", (width,), {}) for k in range(2)]
        attention = [self.weight(f"{name}{number}", (width, width), {1: TENSOR}) for name in "qkv"]
        attention.append(self.weight(f"o{number}", (width, width), {0: TENSOR}))
        up = self.weight(f"up{number}", (width, 4 * width), {1: TENSOR})
        down = self.weight(f"down{number}", (4 * width, width), {0: TENSOR})
        x = program.binary("add", x, self.attention(self.norm(x, scales[0]), attention, mask))
        hidden = program.unary("gelu {}", program.product(self.norm(x, scales[1]), up))
        return program.binary("add", x, program.product(hidden, down))

    def mark(self, words):
        """A one for each word's number, in a row of zeros."""
        program = self.program
        numbers = program.constant("arange 0.0, 1.0", (self.vocabulary,), "i64")
        shape = words[1] + (self.vocabulary,)
        marks = program.add("eq {}, {}", [program.add("reshape {}", [words], words[1] + (1,), "i64"), numbers], shape, "i1")
        return program.add("cast {}", [marks], shape)

    def loss(self, x, labels, head):
        """The mean of log(sum(exp(scores))) less the score of the right word."""
        program = self.program
        scores = program.product(x, head)
        logs = program.unary("log_softmax {} axis -1", scores)
        right = program.binary("mul", logs, self.mark(labels))
        total = program.add("sum {} axes [0, 1, 2]", [right], [])
        return program.binary("mul", total, program.number(-1.0 / (self.batch * self.tokens)))

    def adam(self, weight, gradient, kept, name):
        program = self.program
        moments = [program.shard(program.argument(f"{name}_{k}", weight[1]), kept) for k in ("m", "s")]
        gradient = program.shard(gradient, kept)

        def blend(old, new, share):
            return program.binary("add", program.binary("mul", old, program.number(share)), program.binary("mul", new, program.number(1 - share)))

        first = blend(moments[0], gradient, FIRST)
        second = blend(moments[1], program.binary("mul", gradient, gradient), SECOND)
        root = program.binary("add", program.unary("sqrt {}", second), program.number(1e-8))
        change = program.binary("mul", program.binary("div", first, root), program.number(RATE))
        return program.binary("sub", weight, change), first, second

    def write(self):
        self.program = program = Program(self.grid, self.pipeline)
        self.kept, self.used = [], []
        tokens, labels = (program.shard(program.argument(name, (self.batch, self.tokens), "i64"), {0: BATCH}) for name in ("tokens", "labels"))
        table = self.weight("table", (self.vocabulary, self.width), {0: TENSOR})
        # A product, whose gradient is one as well: that of a look-up would bring the batches of all ranks together.
        x = program.product(self.mark(tokens), table)
        places = program.constant("arange 0.0, 1.0", (self.tokens,), "i64")
        rows = program.add("reshape {}", [places], (self.tokens, 1), "i64")
        later = program.add("gt {}, {}", [places, rows], (self.tokens, self.tokens), "i1")
        mask = program.binary("mul", program.add("cast {}", [later], later[1]), program.number(-1e9))
        stages = self.pipeline[0] if self.pipeline else 1
        for number in range(self.layers):
            stage = number * stages // self.layers
            if number and stage > (number - 1) * stages // self.layers:
                x = program.stage(x, stage)
            x = self.layer(number, x, mask)
        loss = self.loss(x, labels, self.weight("head", (self.width, self.vocabulary), {1: TENSOR}))
        results = [loss]
        for (value, held, kept), gradient in zip(self.kept, program.gradients(loss, self.used)):
            results += self.adam(held, gradient, kept, value[0][1:])
        return program.text(results)


def parse_grid(text):
    return tuple(int(size) for size in text.split("x"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, default in [("layers", 2), ("width", 64), ("heads", 4), ("batch", 4), ("tokens", 16), ("vocabulary", 128)]:
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--grid", type=parse_grid, help="data x tensor, such as 2x4")
    parser.add_argument("--state-cut", action="store_true", help="cut weights and moments along the data axis, too")
    for name in ("stages", "microbatches"):
        parser.add_argument(f"--{name}", type=int, default=1)
    sys.stdout.write(Gpt(**vars(parser.parse_args())).write())


if __name__ == "__main__":
    main()
