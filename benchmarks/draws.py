"""Random problems by class, each a program of the tensor level whose sizes may be changed one at a time."""
import dataclasses
import math
import random
import typing

from problems import function

AWKWARD = [1, 3, 7, 13, 14, 28, 31, 49, 97, 147, 196, 197, 331, 384, 577, 1000, 1500]


@dataclasses.dataclass
class Draw:
    kind: str
    sizes: dict[str, int]
    write: typing.Callable[..., str]
    grows: list[str]  # the sizes that a cliff is looked for along

    def program(self) -> str:
        return self.write(**self.sizes)

    def rounded(self, name: str):
        """The same problem with this size at the next multiple of 16; none where it is one."""
        size = -(-self.sizes[name] // 16) * 16
        return None if size == self.sizes[name] else dataclasses.replace(self, sizes={**self.sizes, name: size})

    def onednn(self):
        """The same problem as bench-onednn takes it; none where that has no such one."""
        sizes, kind = self.sizes, self.kind
        if kind in ("product", "product-turned", "batched", "skinny", "skinny-turned", "row", "row-turned"):
            way = "batched" if kind == "batched" else "turned" if kind.endswith("turned") else "plain"
            return ["matmul", sizes["m"], sizes["n"], sizes["k"], sizes["batch"], way]
        if not kind.startswith(("convolution", "depthwise")):
            return None
        groups = sizes["channels"] if kind == "depthwise" else sizes.get("groups", 1)
        channels = sizes["groups"] * sizes["per"] if "groups" in sizes else sizes["channels"]
        out = channels if kind == "depthwise" else sizes["groups"] * sizes["out"] if "groups" in sizes else sizes["out"]
        dilation, stride = sizes.get("dilation", 1), sizes.get("stride", 1)
        pad = dilation * (sizes["window"] - 1) // 2
        return ["conv", 1, channels, sizes["height"], sizes["height"], out, sizes["window"], stride, pad, groups, dilation]

    def __str__(self):
        return f"{self.kind} " + " ".join(f"{name}={size}" for name, size in self.sizes.items())


def tensor(*shape, element="f32") -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def size(rng: random.Random, least: int, most: int) -> int:
    """Log-uniform; half of them beside a multiple of 16, or awkward."""
    drawn = round(math.exp(rng.uniform(math.log(least), math.log(most))))
    way = rng.randrange(4)
    if way == 0:
        drawn = rng.choice([n for n in AWKWARD if least <= n <= most] or [drawn])
    elif way == 1:
        drawn = max(drawn // 16, 1) * 16 + rng.choice([-1, 0, 1])
    return min(max(drawn, least), most)


def product(element="f32", turned=False):
    def write(batch, m, n, k):
        a = tensor(batch, m, k, element=element)
        b = tensor(n, k, element=element) if turned else tensor(k, n, element=element)
        c = tensor(batch, m, n, element="i32" if element == "i8" else element)
        body, right, plain = "", "%1", tensor(k, n, element=element)
        if turned:
            body, right = f"  %t = tiny.permute %1 [1, 0] : ({b}) -> {plain}\n", "%t"
        if element != "i8":
            return function([a, b], c, body + f"  %r = tiny.matmul %0, {right} : ({a}, {plain}) -> {c}\n")
        wide = [tensor(batch, m, k, element="i32"), tensor(k, n, element="i32")]
        return function([a, b], c, body + f"  %x = tiny.cast %0 : ({a}) -> {wide[0]}\n"
                        f"  %y = tiny.cast {right} : ({plain}) -> {wide[1]}\n"
                        f"  %r = tiny.matmul %x, %y : ({wide[0]}, {wide[1]}) -> {c}\n")
    return write


def batched(batch, m, n, k):
    a, b, c = tensor(batch, m, k), tensor(batch, k, n), tensor(batch, m, n)
    return function([a, b], c, f"  %r = tiny.matmul %0, %1 : ({a}, {b}) -> {c}\n")


def convolution(channels, height, out, window, stride=1, dilation=1, groups=1):
    reach = dilation * (window - 1)
    pad = reach // 2
    after = (height + 2 * pad - reach - 1) // stride + 1
    x, w = tensor(1, channels, height, height), tensor(out, channels // groups, window, window)
    y = tensor(1, out, after, after)
    windows = (f"strides [{stride}, {stride}] dilations [{dilation}, {dilation}] low [{pad}, {pad}] "
               f"high [{pad}, {pad}] groups {groups}")
    return function([x, w], y, f"  %r = tiny.conv %0, %1 {windows} : ({x}, {w}) -> {y}\n")


def depthwise(channels, height, window, stride):
    return convolution(channels, height, channels, window, stride, groups=channels)


def grouped(groups, per, height, out, window):
    return convolution(groups * per, height, groups * out, window, groups=groups)


def excite(channels, height, out):
    """A 1x1 convolution whose input is scaled by channel, as behind squeeze and excite."""
    x, s = tensor(1, channels, height, height), tensor(1, channels, 1, 1)
    w, y = tensor(out, channels, 1, 1), tensor(1, out, height, height)
    return function([x, s, w], y, f"  %g = tiny.sigmoid %1 : ({s}) -> {s}\n"
                    f"  %x = tiny.mul %0, %g : ({x}, {s}) -> {x}\n  %r = tiny.conv %x, %2 : ({x}, {w}) -> {y}\n")


def attention(mask=None):
    def write(heads, tokens, width):
        t, s, kt = tensor(heads, tokens, width), tensor(heads, tokens, tokens), tensor(heads, width, tokens)
        inputs, scores = [t, t, t], "%x"
        body = (f"  %kt = tiny.permute %1 [0, 2, 1] : ({t}) -> {kt}\n  %s = tiny.matmul %0, %kt : ({t}, {kt}) -> {s}\n"
                "  %c = tiny.constant dense<0.125> : tensor<f32>\n"
                f"  %x = tiny.mul %s, %c : ({s}, tensor<f32>) -> {s}\n")
        if mask == "added":
            row, scores = tensor(tokens), "%m"
            inputs.append(row)
            body += f"  %m = tiny.add %x, %3 : ({s}, {row}) -> {s}\n"
        elif mask == "causal":
            i, b, scores = tensor(tokens, tokens, element="i32"), tensor(tokens, tokens, element="i1"), "%m"
            body += (f"  %i = tiny.iota 0 : {i}\n  %j = tiny.iota 1 : {i}\n"
                     f"  %b = tiny.ge %i, %j : ({i}, {i}) -> {b}\n"
                     "  %z = tiny.constant dense<-1.0e9> : tensor<f32>\n"
                     f"  %m = tiny.where %b, %x, %z : ({b}, {s}, tensor<f32>) -> {s}\n")
        return function(inputs, t, body + f"  %p = tiny.softmax {scores} axis -1 : ({s}) -> {s}\n"
                        f"  %r = tiny.matmul %p, %2 : ({s}, {t}) -> {t}\n")
    return write


def reduction(op, axis):
    def write(rows, columns):
        x = tensor(rows, columns)
        if op == "softmax":
            return function([x], x, f"  %r = tiny.softmax %0 axis {axis} : ({x}) -> {x}\n")
        y = tensor(rows if axis else columns)
        return function([x], y, f"  %r = tiny.{op} %0 axes [{axis}] : ({x}) -> {y}\n")
    return write


def norm(rows, columns):
    x, row = tensor(rows, columns), tensor(columns)
    return function([x, row, row], x, f"  %r = tiny.layer_norm %0 scale %1 bias %2 axis 1 epsilon 1.0e-5 : "
                    f"({x}, {row}, {row}) -> {x}\n")


def elementwise(element="f32"):
    def write(rows, columns):
        x, row, column = (tensor(*shape, element=element) for shape in ((rows, columns), (columns,), (rows, 1)))
        return function([x, row, column], x, f"  %a = tiny.mul %0, %1 : ({x}, {row}) -> {x}\n"
                        f"  %b = tiny.add %a, %2 : ({x}, {column}) -> {x}\n  %r = tiny.relu %b : ({x}) -> {x}\n")
    return write


FUNCTIONS = ["exp", "tanh", "gelu", "sin", "log", "sigmoid"]


def functions(element="f32"):
    """One or two functions of an element, by their places in FUNCTIONS; those of one place are one."""
    def write(rows, columns, first, second):
        x = tensor(rows, columns, element=element)
        return function([x], x, f"  %a = tiny.{FUNCTIONS[first]} %0 : ({x}) -> {x}\n" +
                        (f"  %r = tiny.{FUNCTIONS[second]} %a : ({x}) -> {x}\n" if second != first else
                         f"  %r = tiny.mul %0, %a : ({x}, {x}) -> {x}\n"))
    return write


def transpose(rows, columns):
    x, r = tensor(rows, columns), tensor(columns, rows)
    return function([x], r, f"  %t = tiny.permute %0 [1, 0] : ({x}) -> {r}\n  %r = tiny.contiguous %t : ({r}) -> {r}\n")


# For each class what is drawn: the program, and the limits of each size.
CLASSES: dict[str, tuple] = {
    "product": (product(), dict(batch=(1, 1), m=(16, 1024), n=(16, 1024), k=(16, 1024)), "mnk"),
    "product-turned": (product(turned=True), dict(batch=(1, 1), m=(16, 1024), n=(16, 1024), k=(16, 1024)), "mnk"),
    "product-bf16": (product("bf16"), dict(batch=(1, 1), m=(16, 512), n=(16, 512), k=(16, 512)), "mnk"),
    "product-i8": (product("i8"), dict(batch=(1, 1), m=(16, 512), n=(16, 512), k=(16, 512)), "mnk"),
    "batched": (batched, dict(batch=(2, 32), m=(4, 256), n=(4, 256), k=(4, 256)), "mnk"),
    "skinny": (product(), dict(batch=(1, 1), m=(2, 15), n=(256, 8192), k=(64, 2048)), "nk"),
    "skinny-turned": (product(turned=True), dict(batch=(1, 1), m=(2, 15), n=(256, 8192), k=(64, 2048)), "nk"),
    "row": (product(), dict(batch=(1, 1), m=(1, 1), n=(256, 8192), k=(64, 2048)), "nk"),
    "row-turned": (product(turned=True), dict(batch=(1, 1), m=(1, 1), n=(256, 8192), k=(64, 2048)), "nk"),
    "convolution": (convolution, dict(channels=(3, 256), height=(7, 112), out=(16, 256), window=[1, 3, 5]),
                    ["channels", "height", "out"]),
    "convolution-strided": (convolution, dict(channels=(3, 256), height=(7, 112), out=(16, 256), window=[1, 3, 7],
                                              stride=[2]), ["channels", "out"]),
    "convolution-dilated": (convolution, dict(channels=(3, 128), height=(7, 64), out=(16, 128), window=[3],
                                              dilation=[2, 3]), ["channels", "height", "out"]),
    "convolution-grouped": (grouped, dict(groups=(2, 32), per=(2, 16), height=(7, 56), out=(2, 16), window=[1, 3]),
                            ["height"]),
    "depthwise": (depthwise, dict(channels=(16, 512), height=(7, 112), window=[3, 5, 7], stride=[1, 2]), ["height"]),
    "squeeze-excite": (excite, dict(channels=(16, 960), height=(7, 56), out=(16, 256)), ["channels", "height", "out"]),
    "attention": (attention(), dict(heads=(1, 12), tokens=(17, 1024), width=[32, 64, 80, 128]), ["tokens"]),
    "attention-masked": (attention("added"), dict(heads=(1, 12), tokens=(17, 512), width=[32, 64]), ["tokens"]),
    "attention-causal": (attention("causal"), dict(heads=(1, 12), tokens=(17, 512), width=[32, 64]), ["tokens"]),
    "sum-rows": (reduction("sum", 1), dict(rows=(1, 2048), columns=(2, 8192)), ["columns"]),
    "sum-columns": (reduction("sum", 0), dict(rows=(2, 2048), columns=(1, 4096)), ["columns"]),
    "max-rows": (reduction("max", 1), dict(rows=(1, 2048), columns=(2, 8192)), ["columns"]),
    "softmax-rows": (reduction("softmax", 1), dict(rows=(1, 1024), columns=(2, 4096)), ["columns"]),
    "softmax-columns": (reduction("softmax", 0), dict(rows=(2, 1024), columns=(1, 2048)), ["columns"]),
    "layer-norm": (norm, dict(rows=(1, 1024), columns=(2, 4096)), ["columns"]),
    "elementwise": (elementwise(), dict(rows=(1, 2048), columns=(1, 2048)), ["columns"]),
    "elementwise-bf16": (elementwise("bf16"), dict(rows=(1, 2048), columns=(1, 2048)), ["columns"]),
    "elementwise-i8": (elementwise("i8"), dict(rows=(1, 2048), columns=(1, 2048)), ["columns"]),
    "functions": (functions(), dict(rows=(1, 1024), columns=(1, 1024), first=[*range(6)], second=[*range(6)]), ["columns"]),
    "functions-f64": (functions("f64"), dict(rows=(1, 512), columns=(1, 512), first=[*range(6)], second=[*range(6)]), ["columns"]),
    "transpose": (transpose, dict(rows=(2, 2048), columns=(2, 2048)), ["columns"]),
}


def draw(kind: str, seed: int) -> Draw:
    """One problem of the class; the same for the same seed, whatever else is drawn."""
    rng = random.Random(f"{kind} {seed}")
    write, limits, grows = CLASSES[kind]
    sizes = {name: rng.choice(limit) if isinstance(limit, list) else size(rng, *limit)
             for name, limit in limits.items()}
    return Draw(kind, sizes, write, list(grows))
