"""Writes kernels that multiply matrices by fragments: each type and depth, each factor as it lies or transposed, from
buffers and from tiles that the lanes fill.

usage: products.py [DEPTHxTYPE...]
"""
import itertools
import sys

SHAPES = sys.argv[1:] or ["8xf16", "16xf16", "8xbf16", "16xbf16", "16xi8", "32xi8"]

KERNEL = """  uop.func @{name}(%a: memref<{left}x{type}>, %b: memref<{right}x{type}>, %c: memref<128x{total}>) {{
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %leftstep = arith.constant {leftstep} : index
    %rightstep = arith.constant {rightstep} : index
    %lane = uop.special local dim(0) extent(32)
{fill}    %zero = arith.constant {zero} : {total}
    %start = uop.fragment_fill %zero : !uop.fragment<sum 16x8x{total}>
    %sum = uop.for %k to %c2 iter(%before = %start) -> (!uop.fragment<sum 16x8x{total}>) {{
      %i = arith.muli %k, %leftstep : index
      %x = uop.fragment_load %{a}[%i] stride({leftstride}){leftmark} : memref<{left}x{type}>, !uop.fragment<left 16x{depth}x{type}>
      %j = arith.muli %k, %rightstep : index
      %y = uop.fragment_load %{b}[%j] stride({rightstride}){rightmark} : memref<{right}x{type}>, !uop.fragment<right {depth}x8x{type}>
      %next = uop.mma %x, %y, %before : !uop.fragment<left 16x{depth}x{type}>, !uop.fragment<right {depth}x8x{type}>, !uop.fragment<sum 16x8x{total}>
      uop.yield %next : !uop.fragment<sum 16x8x{total}>
    }}
    uop.fragment_store %sum, %c[%c0] stride(8) : !uop.fragment<sum 16x8x{total}>, memref<128x{total}>
    uop.return
  }}
"""

FILL = """    %t{name} = uop.local : memref<{count}x{type}>
    %rounds{name} = arith.constant {rounds} : index
    uop.for %r to %rounds{name} {{
      %c32 = arith.constant 32 : index
      %begin = arith.muli %r, %c32 : index
      %at = arith.addi %begin, %lane : index
      %v = uop.load %{name}[%at] : memref<{count}x{type}>, {type}
      uop.store %v, %t{name}[%at] : {type}, memref<{count}x{type}>
    }}
"""

print("module {")
for shape, left_turned, right_turned, in_tiles in itertools.product(SHAPES, *[[False, True]] * 3):
    depth, type = shape.split("x")
    depth = int(depth)
    left, right = 16 * 2 * depth, 8 * 2 * depth
    fill = ""
    if in_tiles:
        fill = "".join(FILL.format(name=name, count=count, type=type, rounds=count // 32)
                       for name, count in (("a", left), ("b", right))) + "    uop.barrier\n"
    marks = [("turned" if turned else "plain") for turned in (left_turned, right_turned)]
    print(KERNEL.format(
        name="_".join(["of", shape, *marks, "tiles" if in_tiles else "buffers"]),
        type=type, depth=depth, left=left, right=right, fill=fill,
        total="i32" if type == "i8" else "f32", zero="7" if type == "i8" else "0.5",
        a="ta" if in_tiles else "a", b="tb" if in_tiles else "b",
        leftstep=16 * depth if left_turned else depth, leftstride=16 if left_turned else 2 * depth,
        leftmark=" transposed" if left_turned else "",
        rightstep=depth if right_turned else 8 * depth, rightstride=2 * depth if right_turned else 8,
        rightmark=" transposed" if right_turned else ""), end="")
print("}")
