"""What is measured: programs of the tensor level, as text, and their sizes."""

STREAM = 1 << 26  # elements of a streaming problem
# The convolutions of ResNet-50: input channels, input size, output channels, kernel, stride, padding.
RESNET = [(3, 224, 64, 7, 2, 3), (64, 56, 64, 1, 1, 0), (64, 56, 64, 3, 1, 1), (64, 56, 256, 1, 1, 0),
          (256, 56, 64, 1, 1, 0), (256, 56, 128, 1, 1, 0), (128, 56, 128, 3, 2, 1), (128, 28, 512, 1, 1, 0),
          (256, 56, 512, 1, 2, 0), (512, 28, 128, 1, 1, 0), (128, 28, 128, 3, 1, 1), (512, 28, 256, 1, 1, 0),
          (256, 28, 256, 3, 2, 1), (256, 14, 1024, 1, 1, 0), (512, 28, 1024, 1, 2, 0), (1024, 14, 256, 1, 1, 0),
          (256, 14, 256, 3, 1, 1), (1024, 14, 512, 1, 1, 0), (512, 14, 512, 3, 2, 1), (512, 7, 2048, 1, 1, 0),
          (1024, 14, 2048, 1, 2, 0), (2048, 7, 512, 1, 1, 0), (512, 7, 512, 3, 1, 1)]


def function(inputs: list[str], result: str, body: str) -> str:
    arguments = ", ".join(f"%{i}: {kind}" for i, kind in enumerate(inputs))
    return f"func.func @main({arguments}) -> {result} {{\n{body}  return %r : {result}\n}}\n"


def matmul(m: int, n: int, k: int) -> str:
    a, b, c = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    return function([a, b], c, f"  %r = tiny.matmul %0, %1 : ({a}, {b}) -> {c}\n")


def convolution(channels: int, size: int, out: int, kernel: int, stride: int, pad: int) -> str:
    after = (size + 2 * pad - kernel) // stride + 1
    x, w = f"tensor<1x{channels}x{size}x{size}xf32>", f"tensor<{out}x{channels}x{kernel}x{kernel}xf32>"
    y = f"tensor<1x{out}x{after}x{after}xf32>"
    windows = f"strides [{stride}, {stride}] low [{pad}, {pad}] high [{pad}, {pad}]"
    return function([x, w], y, f"  %r = tiny.conv %0, %1 {windows} : ({x}, {w}) -> {y}\n")


def chain(rows: int, columns: int) -> str:
    flat = f"tensor<{rows * columns}xf32>"
    pair = f"({flat}, {flat}) -> {flat}"
    return function([flat, flat], flat, f"""  %half = tiny.constant dense<0.5> : tensor<f32>
  %a = tiny.mul %0, %1 : {pair}
  %b = tiny.add %a, %0 : {pair}
  %c = tiny.relu %b : ({flat}) -> {flat}
  %d = tiny.mul %c, %half : ({flat}, tensor<f32>) -> {flat}
  %r = tiny.sub %d, %1 : {pair}
""")


def row_sum(rows: int, columns: int) -> str:
    x, row = f"tensor<{rows}x{columns}xf32>", f"tensor<{rows}xf32>"
    return function([x], row, f"  %r = tiny.sum %0 axes [1] : ({x}) -> {row}\n")


def softmax(rows: int, columns: int) -> str:
    x = f"tensor<{rows}x{columns}xf32>"
    return function([x], x, f"  %r = tiny.softmax %0 axis -1 : ({x}) -> {x}\n")


def layer_norm(rows: int, columns: int) -> str:
    x, row = f"tensor<{rows}x{columns}xf32>", f"tensor<{columns}xf32>"
    return function([x, row, row], x, f"  %r = tiny.layer_norm %0 scale %1 bias %2 axis 1 epsilon 1.0e-5 : "
                                      f"({x}, {row}, {row}) -> {x}\n")


STREAMING = {"chain": chain, "sum": row_sum, "softmax": softmax, "layer_norm": layer_norm}
# What is compiled cold: the name of a row, the problem as contestants/framework.py spells it, and the program.
COMPILED = [("matrix product 1024", ["matmul", 1024, 1024, 1024], matmul(1024, 1024, 1024)),
            ("softmax of 1024 rows", ["softmax", 1024, 1024], softmax(1024, 1024)),
            ("layer norm of 1024 rows", ["layer_norm", 1024, 1024], layer_norm(1024, 1024)),
            ("conv 64x56x56 to 64, 3x3 by 1", ["conv", 64, 56, 64, 3, 1, 1], convolution(64, 56, 64, 3, 1, 1))]
