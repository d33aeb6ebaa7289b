"""Random kernels whose ranges end at sizes that are read from a buffer."""
import math


class Axis:
    """A range: of `extent` points, or of as many as a size says, times `times`."""

    def __init__(self, extent, size=None, times=1):
        self.extent, self.size, self.times = extent, size, times

    def length(self, sizes):
        """As a number, where the sizes are known."""
        return self.extent if self.size is None else sizes[self.size] * self.times


class SizedKernel:
    """Draws one kernel, over two sizes of at most `bounds`. `print` writes it with live sizes, or for known ones."""

    def __init__(self, rng, name):
        self.rng, self.name = rng, name
        self.bounds = [rng.choice([3, 5, 8, 12]), rng.choice([4, 6, 16])]
        self.buffers, self.plan = [], []
        self.free = [self.axis() for _ in range(rng.randint(1, 3))]
        while not any(axis.size is not None for axis in self.free) and rng.random() < 0.8:
            self.free[rng.randrange(len(self.free))] = self.sized()
        self.form = rng.choice(["map", "map", "sum", "product", "softmax", "pair", "online"])
        self.reduced = [self.axis(), *([self.axis()] if rng.random() < 0.3 else [])]
        if all(axis.size is None for axis in self.free + self.reduced):
            self.reduced[0] = self.sized()
        self.seed = rng.random()

    def sized(self):
        size, times = self.rng.randrange(2), self.rng.choice([1, 1, 1, 2, 4])
        return Axis(self.bounds[size] * times, size, times)

    def axis(self):
        return self.sized() if self.rng.random() < 0.55 else Axis(self.rng.choice([2, 3, 4, 8, 16]))

    def print(self, sizes=None):
        """The function, and the lengths of its buffers; the last is the result, the one before it holds the sizes."""
        return Printer(self, sizes).print()


class Printer:
    def __init__(self, kernel, sizes):
        import random
        self.kernel, self.sizes, self.rng = kernel, sizes, random.Random(kernel.seed)
        self.lines, self.count, self.buffers, self.constants, self.ids = [], 0, [], {}, 0

    def emit(self, text):
        self.count += 1
        self.lines.append(f"    %v{self.count} = {text}")
        return f"%v{self.count}"

    def constant(self, number):
        if number not in self.constants:
            self.constants[number] = self.emit(f"arith.constant {number} : index")
        return self.constants[number]

    def length(self, axis):
        """The value, or the number."""
        if axis.size is None or self.sizes is not None:
            return axis.length(self.sizes)
        live = self.live[axis.size]
        return live if axis.times == 1 else self.emit(f"arith.muli {live}, {self.constant(axis.times)} : index")

    def value(self, length):
        return self.constant(length) if isinstance(length, int) else length

    def range(self, axis, kind):
        length, self.ids = self.length(axis), self.ids + 1
        if isinstance(length, int):
            return self.emit(f"kernel.range {kind} id({self.ids}) extent({length})")
        return self.emit(f"kernel.range {kind} id({self.ids}) extent({axis.extent}) size({length})")

    def linear(self, axes):
        """Row-major at the live sizes."""
        index = None
        for axis, name in axes:
            if index is None:
                index = name
                continue
            scaled = self.emit(f"arith.muli {index}, {self.value(self.length(axis))} : index")
            index = self.emit(f"arith.addi {scaled}, {name} : index")
        return index or self.constant(0), math.prod(axis.extent for axis, _ in axes)

    def buffer(self, size):
        self.buffers.append(size)
        return f"%b{len(self.buffers) - 1}"

    def load(self, axes):
        axes = [axis for axis in axes if self.rng.random() < 0.8]
        if self.rng.random() < 0.3:
            self.rng.shuffle(axes)
        index, size = self.linear(axes)
        # A buffer is as long for known sizes.
        buffer = self.buffer(size)
        if self.rng.random() < 0.15:
            shifted = self.emit(f"arith.subi {index}, {self.constant(self.rng.randint(1, 2))} : index")
            gate = self.emit(f"arith.cmpi sge, {shifted}, {self.constant(0)} : index")
            loaded = self.emit(f"kernel.load {buffer}[{shifted}] if {gate} : memref<{size}xf32>")
            return self.emit(f"arith.select {gate}, {loaded}, %zero : f32")
        return self.emit(f"kernel.load {buffer}[{index}] : memref<{size}xf32>")

    def expression(self, axes, *values):
        pool = [*values, *(self.load(axes) for _ in range(self.rng.randint(1, 2)))]
        while len(pool) > 1:
            self.rng.shuffle(pool)
            pool.append(self.emit(f"arith.{self.rng.choice(['addf', 'mulf', 'subf', 'maximumf'])} {pool.pop()}, {pool.pop()} : f32"))
        if self.rng.random() < 0.2:
            number = self.emit(f"arith.index_cast {self.rng.choice(axes)[1]} : index to i32")
            return self.emit(f"arith.addf {pool[0]}, {self.emit(f'arith.sitofp {number} : i32 to f32')} : f32")
        return pool[0]

    def reduce(self, kind, value, axes):
        return self.emit(f"kernel.reduce {kind} ({value}) over ({', '.join(name for _, name in axes)}) : f32")

    def print(self):
        kernel = self.kernel
        self.lines.append("    %zero = arith.constant 0.0 : f32")
        if self.sizes is None:
            self.live = []
            for number, bound in enumerate(kernel.bounds):
                read = self.emit(f"kernel.load %sizes[{self.constant(number)}] : memref<2xi64>")
                index = self.emit(f"arith.index_cast {read} : i64 to index")
                # Whatever stands there.
                inside = self.emit(f"sym.mod {index}, {self.constant(bound + 1)} : index")
                self.live.append(self.emit(f"sym.range_of {inside} [0, {bound}] : index"))
        free = [(axis, self.range(axis, "loop")) for axis in kernel.free]
        closed = [(axis, self.range(axis, "reduce")) for axis in (kernel.reduced if kernel.form != "map" else [])]
        every = free + closed
        kind = self.rng.choice(["addf", "addf", "maximumf"])
        if kernel.form == "map":
            value = self.expression(free)
        elif kernel.form == "sum":
            value = self.reduce(kind, self.expression(every), closed)
        elif kernel.form == "product":
            value = self.reduce("addf", self.emit(f"arith.mulf {self.load(every)}, {self.load(every)} : f32"), closed)
        elif kernel.form == "pair":
            value = self.reduce("addf", self.expression(every), closed)
            other = self.reduce(kind, self.expression(every), closed)
            value = self.emit(f"arith.subf {value}, {other} : f32")
        elif kernel.form == "softmax":
            # What is summed depends on a maximum over ranges of the same length.
            element = self.load(free + closed)
            largest = self.reduce("maximumf", element, closed)
            again = [(axis, self.range(axis, "reduce")) for axis in kernel.reduced]
            difference = self.emit(f"arith.subf {self.load(free + again)}, {largest} : f32")
            value = self.reduce("addf", difference, again)
            # Nothing is -inf, where no point is left.
            finite = self.emit(f"arith.cmpf ogt, {largest}, %lowest : f32")
            self.lines.insert(0, "    %lowest = arith.constant 0xFF800000 : f32")
            value = self.emit(f"arith.select {finite}, {value}, %zero : f32")
        else:
            first, second = self.expression(every), self.expression(every)
            self.count += 1
            pair = f"%v{self.count}"
            self.lines.append(
                f"    {pair}:2 = kernel.reduce ({first}, {second}) init (%zero, %zero) over ({', '.join(n for _, n in closed)}) "
                "fastmath<none> : f32, f32 {\n    ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):\n"
                "      %p = arith.cmpf ogt, %c, %a : f32\n      %q = arith.select %p, %c, %a : f32\n"
                "      %s = arith.select %p, %d, %b : f32\n      kernel.yield %q, %s : f32, f32\n    }")
            value = self.emit(f"arith.addf {pair}#0, {pair}#1 : f32")
        index, size = self.linear(free)
        result = self.buffer(size)
        self.lines.append(f"    kernel.store {value}, {result}[{index}] : memref<{size}xf32>")
        names = [f"%b{k}: memref<{n}xf32>" for k, n in enumerate(self.buffers)]
        names.insert(-1, "%sizes: memref<2xi64>")
        body = "\n".join(self.lines)
        return f"  kernel.func private @{self.kernel.name}({', '.join(names)}) {{\n{body}\n  }}\n", self.buffers


def print_program(name, kernel, buffers, sizes=None):
    """A program of one launch. Its sizes are its last argument, or these. What the kernel does not write is 0."""
    arguments = [f"%b{k}: memref<{n}xf32> {{tiny.type = tensor<{n}xf32>}}" for k, n in enumerate(buffers[:-1])]
    read = [f"%b{k}" for k in range(len(buffers) - 1)] + ["%sizes"]
    types = [f"memref<{n}xf32>" for n in buffers[:-1]] + ["memref<2xi64>"]
    size, lines = buffers[-1], []
    if sizes is None:
        arguments.append("%sizes: memref<2xi64> {tiny.type = tensor<2xi64>}")
    else:
        lines.append(f"    %sizes = kernel.constant dense<{list(sizes)}> : tensor<2xi64> -> memref<2xi64>")
    lines += [f"    %y = kernel.alloc : memref<{size}xf32>", f"    kernel.fill %y, 0.0 : f32 -> memref<{size}xf32>",
              f"    kernel.launch @{kernel} ins({', '.join(read)} : {', '.join(types)}) outs(%y : memref<{size}xf32>)",
              f"    kernel.return %y : memref<{size}xf32>"]
    body = "\n".join(lines)
    return (f"  kernel.program @{name}({', '.join(arguments)}) -> (memref<{size}xf32> {{tiny.type = tensor<{size}xf32>}}) {{\n"
            f"{body}\n  }}\n")
