"""Writes a training program of a few steps, whole or for ranks, and what it takes.

    sharded-training.py digits|transformer RANKS FOLDER

Digits is cut along the batch, the transformer along its heads and along what its second product sums over. With 1 rank
nothing is annotated. FOLDER gets program.mlir, and inputs.npz, which is the same for any number of ranks. The program
gives the loss before each step, and the weights after the last one.
"""
import math
import pathlib
import sys

import numpy as np

DIGITS = pathlib.Path(__file__).resolve().parents[3] / "examples/train-digits"
STEPS, BATCH, RATE = 3, 32, 0.1
HEADS, ROWS, WIDTH, HIDDEN, WORDS = 4, 12, 32, 64, 17


def text_of(shape, element="f32"):
    return f"tensor<{''.join(f'{size}x' for size in shape)}{element}>"


class Program:
    """Lines of one function. Values are (name, shape)."""

    def __init__(self, ranks):
        self.ranks, self.lines, self.arguments, self.inputs, self.count = ranks, [], [], {}, 0

    def argument(self, name, array):
        self.inputs[name] = array
        self.arguments.append((f"%{name}", array.shape))
        return self.arguments[-1]

    def add(self, text, operands, shape):
        self.count += 1
        name = f"%v{self.count}"
        types = ", ".join(text_of(operand[1]) for operand in operands)
        self.lines.append(f"{name} = tiny.{text.format(*(operand[0] for operand in operands))} : ({types}) -> {text_of(shape)}")
        return name, tuple(shape)

    def shard(self, value, axis):
        """The value cut along an axis."""
        if self.ranks == 1:
            return value
        self.count += 1
        axes = ", ".join("[0]" if axis == k else "[]" for k in range(len(value[1])))
        self.lines.append(f"%h{self.count} = shard.sharding @grid split_axes = [{axes}] : !shard.sharding")
        self.lines.append(f"%v{self.count} = shard.shard {value[0]} to %h{self.count} : {text_of(value[1])}")
        return f"%v{self.count}", value[1]

    def product(self, x, y):
        return self.add("matmul {}, {}", [x, y], x[1][:-1] + y[1][-1:])

    def binary(self, name, x, y):
        return self.add(name + " {}, {}", [x, y], x[1])

    def watch(self, weights):
        """Weights that a gradient may name."""
        return [self.add("watch {}", [weight], weight[1]) for weight in weights]

    def number(self, value):
        self.count += 1
        self.lines.append(f"%v{self.count} = tiny.constant dense<{value!r}> : tensor<f32>")
        return f"%v{self.count}", ()

    def loss(self, scores, truth):
        """The mean of -log_softmax at the right classes, which `truth` has as rows with one 1."""
        logs = self.add("log_softmax {} axis -1", [scores], scores[1])
        total = self.add("sum {} axes [0, 1]", [self.binary("mul", logs, truth)], [])
        return self.binary("mul", total, self.number(-1.0 / math.prod(scores[1][:-1])))

    def step(self, loss, weights):
        """The weights after one step down the gradient."""
        names = [f"%g{self.count}_{k}" for k in range(len(weights))]
        types = ", ".join(text_of(shape) for _, shape in weights)
        self.lines.append(f"{', '.join(names)} = tiny.gradient {loss[0]} wrt {', '.join(name for name, _ in weights)} : (tensor<f32>, {types}) -> ({types})")
        rate = self.number(RATE)
        return [self.binary("sub", weight, self.binary("mul", (name, weight[1]), rate)) for name, weight in zip(names, weights)]

    def write(self, folder, results):
        types = ", ".join(text_of(shape) for _, shape in results)
        arguments = ", ".join(f'{name}: {text_of(shape)} {{tiny.name = "{name[1:]}"}}' for name, shape in self.arguments)
        text = f"shard.grid @grid(shape = {self.ranks})\n" if self.ranks > 1 else ""
        text += f"func.func @train({arguments}) -> ({types}) {{\n  " + "\n  ".join(self.lines)
        text += f"\n  return {', '.join(name for name, _ in results)} : {types}\n}}\n"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "program.mlir").write_text(text)
        np.savez(folder / "inputs.npz", **self.inputs)


def one_hot(labels, classes):
    return np.eye(classes, dtype=np.float32)[labels]


def digits(program, rng):
    images, labels = np.load(DIGITS / "images.npy"), np.load(DIGITS / "labels.npy")
    weights = [program.argument(name, (rng.standard_normal(shape) * scale).astype(np.float32))
               for name, shape, scale in [("w", (64, 48), 0.15), ("b", (48,), 0.1), ("v", (48, 10), 0.15), ("c", (10,), 0.1)]]
    losses = []
    for step in range(STEPS):
        rows = slice(step * BATCH, (step + 1) * BATCH)
        x = program.argument(f"x{step}", images[rows].reshape(BATCH, 64).astype(np.float32) / 16)
        truth = program.argument(f"t{step}", one_hot(labels[rows], 10))
        weights = w, b, v, c = program.watch(weights)
        hidden = program.binary("add", program.product(program.shard(x, 0), w), b)
        scores = program.binary("add", program.product(program.add("relu {}", [hidden], hidden[1]), v), c)
        losses.append(program.loss(scores, truth))
        weights = program.step(losses[-1], weights)
    return losses + weights


def transformer(program, rng):
    """A block with a causal mask over words, and the words that follow."""
    shapes = {"wq": (WIDTH, WIDTH), "wk": (WIDTH, WIDTH), "wv": (WIDTH, WIDTH), "wo": (WIDTH, WIDTH), "up": (WIDTH, HIDDEN),
              "down": (HIDDEN, WIDTH), "scale1": (WIDTH,), "scale2": (WIDTH,), "out": (WIDTH, WORDS)}
    weights = [program.argument(name, np.ones(shape, np.float32) if "scale" in name else (rng.standard_normal(shape) / math.sqrt(shape[0])).astype(np.float32))
               for name, shape in shapes.items()]
    mask = program.argument("mask", np.triu(np.full((ROWS, ROWS), -1e9, np.float32), 1))
    table = rng.standard_normal((WORDS, WIDTH)).astype(np.float32)
    losses = []
    for step in range(STEPS):
        words = rng.integers(0, WORDS, ROWS + 1)
        x = program.argument(f"x{step}", table[words[:-1]])
        truth = program.argument(f"t{step}", one_hot(words[1:], WORDS))
        weights = wq, wk, wv, wo, up, down, scale1, scale2, out = program.watch(weights)
        normed = program.add("rms_norm {} scale {} axis 1 epsilon 1.0e-5", [x, scale1], x[1])

        def heads(weight, order):
            value = program.product(normed, program.shard(weight, 1))
            value = program.add("reshape {}", [value], (ROWS, HEADS, WIDTH // HEADS))
            shape = [value[1][k] for k in order]
            return program.add(f"permute {{}} {order}", [value], shape)

        q, k, v = heads(wq, [1, 0, 2]), heads(wk, [1, 2, 0]), heads(wv, [1, 0, 2])
        scores = program.binary("mul", program.product(q, k), program.number(math.sqrt(HEADS / WIDTH)))
        seen = program.add("softmax {} axis -1", [program.binary("add", scores, mask)], scores[1])
        mixed = program.add("permute {} [1, 0, 2]", [program.product(seen, v)], (ROWS, HEADS, WIDTH // HEADS))
        joined = program.add("reshape {}", [mixed], (ROWS, WIDTH))
        y = program.binary("add", x, program.product(joined, program.shard(wo, 0)))
        normed = program.add("rms_norm {} scale {} axis 1 epsilon 1.0e-5", [y, scale2], y[1])
        hidden = program.product(normed, program.shard(up, 1))
        z = program.binary("add", y, program.product(program.add("gelu {}", [hidden], hidden[1]), program.shard(down, 0)))
        losses.append(program.loss(program.product(z, out), truth))
        weights = program.step(losses[-1], weights)
    return losses + weights


def main():
    network, ranks, folder = sys.argv[1], int(sys.argv[2]), pathlib.Path(sys.argv[3])
    program = Program(ranks)
    results = {"digits": digits, "transformer": transformer}[network](program, np.random.default_rng(1))
    program.write(folder, results)


main()
