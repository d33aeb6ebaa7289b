"""Writes kernels that multiply matrices at the kernel level, with scripts that let subgroups do it.

usage: tensor-products.py TYPE ROWSxCOLUMNSxDEPTH ROWTILExCOLUMNTILExDEPTHTILE ROWSUBGROUPSxCOLUMNSUBGROUPS DEPTHOFSHAPE...
Five arguments for each set of four kernels: each factor as it lies or transposed. `-` for the tile writes no script.
Of tf32 rows and columns are exchanged where the shape is a whole one, of a team, and the left factor alone lies along
the depth: there the right one should.
The last one may be a whole shape, ROWSxCOLUMNSxDEPTH, and either DEPTHOFSHAPE:BUFFERS:AXIS,AXIS: so many tiles of each factor, which these axes fill.
"""
import itertools
import sys

KERNEL = """kernel.func @{name}(%a: memref<{mk}x{type}>, %b: memref<{kn}x{type}>, %bias: memref<{n}x{sum}>, %c: memref<{mn}x{out}>){schedule} {{
  %i = kernel.range loop id(0) extent({m})
  %j = kernel.range loop id(1) extent({n})
  %k = kernel.range reduce id(2) extent({k})
  %m = arith.constant {m} : index
  %n = arith.constant {n} : index
  %d = arith.constant {k} : index
  %a0 = arith.muli {a0}, {as} : index
  %a1 = arith.addi %a0, {a1} : index
  %x = kernel.load %a[%a1] : memref<{mk}x{type}>
  %b0 = arith.muli {b0}, {bs} : index
  %b1 = arith.addi %b0, {b1} : index
  %y = kernel.load %b[%b1] : memref<{kn}x{type}>
{widen}  %p = arith.{mul} %xw, %yw : {sum}
  %s = kernel.reduce {add} (%p) over (%k) : {sum}
  %v = kernel.load %bias[%j] : memref<{n}x{sum}>
  %t = arith.{add} %s, %v : {sum}
{narrow}  %c0 = arith.muli %i, %n : index
  %c1 = arith.addi %c0, %j : index
  kernel.store {value}, %c[%c1] : memref<{mn}x{out}>
}}
"""
SCRIPT = """  transform.named_sequence @{name}(%kernel: !transform.any_op {{transform.readonly}}) {{
    transform.tiny.tensorize %kernel [{axes}] tile [{tile}] subgroups [{subgroups}] shape [{shape}] : (!transform.any_op) -> ()
{pipeline}    %i = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    %i0, %i1 = transform.tiny.split %i by 0 as global : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    %j0, %j1 = transform.tiny.split %j by 0 as global : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }}
"""

PIPELINE = """    %f{axis} = transform.tiny.axis %kernel [{axis}] : (!transform.any_op) -> !transform.any_op
    transform.tiny.pipeline %f{axis} by {buffers} : (!transform.any_op) -> ()
"""

WIDEN = """  %xw = arith.{ext} %x : {type} to {sum}
  %yw = arith.{ext} %y : {type} to {sum}
"""
# tf32 are the upper bits of f32.
TRUNCATE = """  %mask = arith.constant -8192 : i32
  %xb = arith.bitcast %x : f32 to i32
  %xu = arith.andi %xb, %mask : i32
  %xw = arith.bitcast %xu : i32 to f32
  %yb = arith.bitcast %y : f32 to i32
  %yu = arith.andi %yb, %mask : i32
  %yw = arith.bitcast %yu : i32 to f32
"""

scripts = ""
for number in range(1, len(sys.argv), 5):
    type, sizes, tile, subgroups, shape = sys.argv[number : number + 5]
    shape, buffers, axes = (shape.split(":") + [None, ""])[:3]
    pipeline = "".join(PIPELINE.format(axis=axis, buffers=buffers) for axis in axes.split(",") if axis)
    m, n, k = map(int, sizes.split("x"))
    isFloat = "f" in type
    sum = "f32" if isFloat else "i32"
    for aTurned, bTurned in itertools.product([False, True], repeat=2):
        name = "_".join(["product", type, sizes, str(tile), "turned" if aTurned else "plain",
                         "turned" if bTurned else "plain"]).replace("-", "default")
        ext = "extf" if isFloat else "extsi"
        isTruncated = type == "tf32"
        readsAlongDepth = isTruncated and "x" in shape
        lies = "f32" if isTruncated else type
        print(KERNEL.format(
            widen=TRUNCATE if isTruncated else WIDEN.format(ext=ext, type=type, sum=sum), name=name, type=lies, sum=sum, out=lies if isFloat else sum, m=m, n=n, k=k, mk=m * k, kn=k * n, mn=m * n,
            a0="%k" if aTurned else "%i", a1="%i" if aTurned else "%k", b0="%j" if bTurned else "%k",
            b1="%k" if bTurned else "%j", mul="mulf" if isFloat else "muli",
            add="addf" if isFloat else "addi", **{"as": "%m" if aTurned else "%d", "bs": "%d" if bTurned else "%n"},
            narrow=f"  %o = arith.truncf %t : f32 to {type}\n" if isFloat and not isTruncated else "",
            value="%o" if isFloat and not isTruncated else "%t",
            schedule="" if tile == "-" else f" attributes {{schedule = @schedules::@{name}}}"), end="")
        if tile != "-":
            scripts += SCRIPT.format(name=name, axes="1, 0, 2" if readsAlongDepth and not aTurned and not bTurned else "0, 1, 2", tile=tile.replace("x", ", "), subgroups=subgroups.replace("x", ", "),
                                     shape=(shape if "x" in shape else f"16x8x{shape}").replace("x", ", "),
                                     pipeline=pipeline)
if scripts:
    print("module @schedules attributes {transform.with_named_sequence} {\n" + scripts + "}")
