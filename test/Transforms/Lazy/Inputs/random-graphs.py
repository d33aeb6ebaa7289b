#!/usr/bin/env python3
"""Prints functions of random lazy operations, for tests that compare before and after.

usage: random-graphs.py SEED COUNT OPERATIONS
"""
import math
import random
import sys

LIMIT = 400  # elements of a tensor


def tensor(shape, element="f32"):
    return "tensor<" + "".join(f"{d}x" for d in shape) + element + ">"


class Graph:
    def __init__(self, rng, name, operations):
        self.rng, self.name, self.lines, self.values, self.count = rng, name, [], [], 0
        self.arguments = []
        for k in range(rng.randint(1, 3)):
            shape = tuple(rng.choice([1, 2, 3, 4, 6]) for _ in range(rng.randint(0, 3)))
            self.arguments.append((f"%arg{k}", shape))
        self.values += self.arguments
        for _ in range(operations):
            self.step()

    def emit(self, text, shape):
        name = f"%{self.count}"
        self.count += 1
        self.lines.append(f"    {name} = {text}")
        self.values.append((name, tuple(shape)))
        return name

    def pick(self):
        # Recent values more often: deep graphs, with an old value now and then.
        recent = self.values[-6:] if self.rng.random() < 0.7 else self.values
        return self.rng.choice(recent)

    def movement(self, op, shape, result, extra=""):
        name, _ = op
        kind = shape[0]
        return self.emit(f"lazy.{kind} {name}{extra} : {tensor(op[1])} -> {tensor(result)}", result)

    def step(self):
        rng, (name, shape) = self.rng, self.pick()
        choice = rng.random()
        value = (name, shape)
        axes = list(range(len(shape)))
        if choice < 0.3:
            others = [v for v in self.values if v[1] == shape]
            other = rng.choice(others)[0]
            op = rng.choice(["addf", "subf", "mulf", "maximumf"])
            self.emit(f"arith.{op} {name}, {other} : {tensor(shape)}", shape)
        elif choice < 0.36:
            splat = self.emit(f"arith.constant dense<{rng.choice(['2.0', '0.0', '-0.5'])}> : {tensor(shape)}", shape)
            self.emit(f"arith.{rng.choice(['addf', 'minimumf'])} {name}, {splat} : {tensor(shape)}", shape)
        elif choice < 0.42:
            self.emit(f"math.absf {name} : {tensor(shape)}", shape)
        elif choice < 0.46 and shape:
            iota = self.emit(f"lazy.iota {rng.choice(axes)} : {tensor(shape, 'i32')}", shape)
            self.values.pop()
            cast = self.emit(f"arith.sitofp {iota} : {tensor(shape, 'i32')} to {tensor(shape)}", shape)
            self.emit(f"arith.addf {name}, {cast} : {tensor(shape)}", shape)
        elif choice < 0.60 and shape:
            drop = sorted(rng.sample(axes, rng.randint(1, len(axes))))
            result = [d for k, d in enumerate(shape) if k not in drop]
            kind = rng.choice(["addf", "addf", "maximumf"])
            self.emit(f"lazy.reduce {kind} ({name}) axes {drop} : ({tensor(shape)}) -> {tensor(result)}", result)
        elif choice < 0.63:
            self.emit(f"lazy.contiguous {name} : {tensor(shape)}", shape)
        elif choice < 0.70:
            # To some other factors, with or without a unit axis.
            size, result = math.prod(shape), []
            if size == 0:
                return
            while size > 1 and rng.random() < 0.8:
                factor = rng.choice([d for d in range(1, size + 1) if size % d == 0])
                result.append(factor)
                size //= factor
            if size > 1 or rng.random() < 0.3:
                result.insert(rng.randint(0, len(result)), size)
            if len(result) <= 5:
                self.movement(value, ("reshape",), result)
        elif choice < 0.80 and 1 in shape:
            result = [rng.choice([2, 3, 4]) if d == 1 and rng.random() < 0.7 else d for d in shape]
            if math.prod(result) <= LIMIT:
                self.movement(value, ("expand",), result)
        elif choice < 0.85 and shape:
            order = axes[:]
            rng.shuffle(order)
            self.movement(value, ("permute",), [shape[k] for k in order], f" {order}")
        elif choice < 0.90 and shape:
            low, high = ([rng.choice([0, 0, 1, 2]) for _ in shape] for _ in range(2))
            result = [a + d + b for a, d, b in zip(low, shape, high)]
            if math.prod(result) <= LIMIT:
                self.movement(value, ("pad",), result, f" low {low} high {high}")
        elif choice < 0.96 and shape:
            begin = [rng.randint(0, max(d - 1, 0)) for d in shape]
            end = [rng.randint(min(b + 1, d), d) for b, d in zip(begin, shape)]
            if rng.random() < 0.05:
                end[0] = begin[0]  # nothing is left
            self.movement(value, ("shrink",), [b - a for a, b in zip(begin, end)], f" begin {begin} end {end}")
        elif shape:
            flipped = sorted(rng.sample(axes, rng.randint(1, len(axes))))
            self.movement(value, ("flip",), shape, f" {flipped}")

    def text(self):
        results = self.rng.sample(self.values[-12:], min(self.rng.randint(1, 4), len(self.values[-12:])))
        if self.values[-1] not in results:
            results.append(self.values[-1])
        arguments = ", ".join(f"{n}: {tensor(s)}" for n, s in self.arguments)
        types = ", ".join(tensor(s) for _, s in results)
        names = ", ".join(n for n, _ in results)
        body = "\n".join(self.lines)
        return f"  func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n    return {names} : {types}\n  }}"


def main():
    seed, count, operations = (int(argument) for argument in sys.argv[1:4])
    rng = random.Random(seed)
    print("module {")
    for k in range(count):
        print(Graph(rng, f"f{k}", operations).text())
    print("}")


if __name__ == "__main__":
    main()
