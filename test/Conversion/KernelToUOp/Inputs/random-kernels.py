#!/usr/bin/env python3
"""Prints random kernels that verify: axes of every kind, split and not, masks, reduces of reduces, combiners, tiles.

usage: random-kernels.py SEED COUNT
"""
import random
import sys


class Kernel:
    def __init__(self, name: str, source: random.Random):
        self.name, self.random = name, source
        self.lines = ["%zero = arith.constant 0.0 : f32", "%one = arith.constant 1.0 : f32"]
        self.constants: set[int] = set()
        self.buffers: list[int] = []
        self.values = self.ranges = self.hardware = 0
        self.ids = source.sample(range(256), 256)
        self.copies: set[str] = set()

    def emit(self, text: str) -> str:
        self.values += 1
        self.lines.append(f"%v{self.values} = {text}")
        return f"%v{self.values}"

    def constant(self, value: int) -> str:
        if value not in self.constants:
            self.constants.add(value)
            self.lines.append(f"%k{value} = arith.constant {value} : index")
        return f"%k{value}"

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def range(self, kind: str, extent: int) -> str:
        name = f"%r{self.ranges}"
        order = f" order({self.random.randint(0, 5)})" if self.chance(0.2) else ""
        self.lines.append(f"{name} = kernel.range {kind} id({self.ids[self.ranges]}) extent({extent}){order}")
        self.ranges += 1
        if kind in ("upcast", "unroll"):
            self.copies.add(name)
        return name

    def scaled(self, a: str, factor: int, b: str) -> str:
        product = self.emit(f"arith.muli {a}, {self.constant(factor)} : index")
        return self.emit(f"arith.addi {product}, {b} : index")

    def axis(self, reduced: bool):
        """An index, the ranges it consists of, and its extent."""
        extent = self.random.choice([1, 2, 3, 4] if reduced else [1, 2, 3, 4, 6, 8])
        kind = "reduce" if reduced else self.random.choice(["loop", "loop", "global", "thread", "upcast"])
        if kind in ("global", "thread"):
            self.hardware += 1
            kind = kind if self.hardware <= 3 else "loop"
        if reduced and self.chance(0.15):
            kind = self.random.choice(["unroll", "upcast", "group_reduce"])
        if self.chance(0.45) or extent == 1:
            whole = self.range(kind, extent)
            return whole, [whole], extent
        inner_extent = self.random.choice([d for d in range(1, extent + 1) if extent % d == 0])
        outer = self.range(kind, extent // inner_extent)
        inner = self.range(self.random.choice(["unroll", "upcast"]) if reduced else "upcast", inner_extent)
        if self.chance(0.8):
            return self.scaled(outer, inner_extent, inner), [outer, inner], extent
        return self.scaled(inner, extent // inner_extent, outer), [outer, inner], extent

    def linear(self, axes) -> tuple[str, int]:
        index, size = "", 1
        for value, _, extent in axes:
            index = self.scaled(index, extent, value) if index else value
            size *= extent
        return index or self.constant(0), size

    def load(self, axes) -> str:
        axes = [axis for axis in axes if self.chance(0.8)]
        if self.chance(0.4):
            self.random.shuffle(axes)
        index, size = self.linear(axes)
        buffer = f"%b{len(self.buffers)}"
        self.buffers.append(size)
        if not self.chance(0.25):
            return self.emit(f"kernel.load {buffer}[{index}] : memref<{size}xf32>")
        shifted = self.emit(f"arith.subi {index}, {self.constant(self.random.randint(1, 3))} : index")
        gate = self.emit(f"arith.cmpi sge, {shifted}, {self.constant(0)} : index")
        value = self.emit(f"kernel.load {buffer}[{shifted}] if {gate} : memref<{size}xf32>")
        return self.emit(f"arith.select {gate}, {value}, %zero : f32")

    def tile(self, axes) -> str:
        """A load from a tile over some of the axes; copies of the others would need a tile each."""
        inner = [axis for axis in axes if self.copies & set(axis[1]) or self.chance(0.5)]
        outer = [axis for axis in axes if axis not in inner]
        if not inner:
            return self.load(axes)
        fresh = [(self.range(self.random.choice(["loop", "upcast", "unroll"]), axis[2]), axis[2]) for axis in inner]
        value = self.load(outer + [(name, [name], extent) for name, extent in fresh])
        index, size = self.linear(inner)
        ranges, space = ", ".join(name for name, _ in fresh), self.random.choice(["local", "register"])
        tile = self.emit(f"kernel.stage {value} over ({ranges}) {space} : memref<{size}xf32>")
        return self.emit(f"kernel.load {tile}[{index}] : memref<{size}xf32>")

    def expression(self, axes, *values: str) -> str:
        pool = list(values) + [self.tile(axes) if self.chance(0.15) else self.load(axes)
                               for _ in range(self.random.randint(1, 3))]
        while len(pool) > 1:
            self.random.shuffle(pool)
            op = self.random.choice(["addf", "mulf", "subf", "maximumf"])
            pool.append(self.emit(f"arith.{op} {pool.pop()}, {pool.pop()} : f32"))
        if not self.chance(0.25):
            return pool[0]
        integer = self.emit(f"arith.index_cast {self.random.choice(axes)[0]} : index to i32")
        return self.emit(f"arith.addf {pool[0]}, {self.emit(f'arith.sitofp {integer} : i32 to f32')} : f32")

    def reduce(self, value: str, ranges: list[str]) -> str:
        kind = self.random.choice(["addf", "addf", "maximumf", "minimumf"])
        return self.emit(f"kernel.reduce {kind} ({value}) over ({', '.join(ranges)}) : f32")

    def reduce_pair(self, axes, value: str, ranges: list[str]) -> str:
        """The value that stands beside the largest one, plus that."""
        other = self.expression(axes)
        self.values += 1
        pair = f"%v{self.values}"
        self.lines.append(
            f"{pair}:2 = kernel.reduce ({value}, {other}) init (%zero, %one) over ({', '.join(ranges)}) : f32, f32 {{\n"
            "  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):\n    %p = arith.cmpf ogt, %c, %a : f32\n"
            "    %q = arith.select %p, %c, %a : f32\n    %s = arith.select %p, %d, %b : f32\n"
            "    kernel.yield %q, %s : f32, f32\n  }")
        return self.emit(f"arith.addf {pair}#0, {pair}#1 : f32")

    def stage(self, outer, before: str) -> str:
        closed = [self.axis(True) for _ in range(self.random.randint(1, 2))]
        axes, ranges = outer + closed, [r for axis in closed for r in axis[1]]
        value = self.expression(axes, *([before] if before and self.chance(0.7) else []))
        how = self.random.random()
        if how < 0.2:
            value = self.reduce_pair(axes, value, ranges)
        elif how < 0.45 and len(closed) == 2:
            value = self.reduce(self.reduce(value, closed[1][1]), closed[0][1])
        else:
            value = self.reduce(value, ranges)
            if self.chance(0.4):
                value = self.emit(f"arith.subf {value}, {self.reduce(self.expression(axes), ranges)} : f32")
        return self.emit(f"arith.addf {before}, {value} : f32") if before else value

    def store(self, value: str, axes, gated: bool) -> None:
        index, size = self.linear(axes)
        buffer = f"%b{len(self.buffers)}"
        self.buffers.append(size)
        gate = ""
        if gated:
            gate = " if " + self.emit(f"arith.cmpi slt, {index}, {self.constant(max(1, size - 1))} : index")
        self.lines.append(f"kernel.store {value}, {buffer}[{index}]{gate} : memref<{size}xf32>")

    def print(self) -> None:
        axes = [self.axis(False) for _ in range(self.random.randint(1, 3))]
        value = self.expression(axes) if self.chance(0.3) else ""
        for _ in range(self.random.randint(0 if value else 1, 3)):
            value = self.stage(axes, value)
        self.store(value, self.random.sample(axes, len(axes)) if self.chance(0.2) else axes, False)
        if self.chance(0.3):
            self.store(self.expression(axes), axes, True)
        if self.chance(0.5):
            self.random.shuffle(self.lines)
        arguments = ", ".join(f"%b{i}: memref<{size}xf32>" for i, size in enumerate(self.buffers))
        print(f"kernel.func @{self.name}({arguments}) {{")
        print("\n".join("  " + line for line in self.lines))
        print("}")


for number in range(int(sys.argv[2])):
    Kernel(f"kernel{number}", random.Random(f"{sys.argv[1]} {number}")).print()
