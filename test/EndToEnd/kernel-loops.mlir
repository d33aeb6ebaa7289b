// A loop with a limit, a counter and a condition, and a branch in it: the same on every way to a value.
// RUN: tiny-interpret %s --input 'dense<[1, 2, 3, 4]> : tensor<4xi64>' --input 'dense<-1> : tensor<1xi64>' | FileCheck %s --check-prefix=NONE
// RUN: tiny-interpret %s --input 'dense<[1, 2, 3, 4]> : tensor<4xi64>' --input 'dense<3> : tensor<1xi64>' | FileCheck %s --check-prefix=THREE
// RUN: tiny-interpret %s --input 'dense<[1, 2, 3, 4]> : tensor<4xi64>' --input 'dense<99> : tensor<1xi64>' | FileCheck %s --check-prefix=ALL
// RUN: mkdir -p %t
// RUN: tiny-compile %s --processor=x86-64-v3 -o %t/loops.tiny
// RUN: python3 %S/Inputs/write-npy.py %t/x.npy 4 1 2 3 4
// RUN: python3 %S/Inputs/write-npy.py %t/none.npy 1 0
// RUN: python3 %S/Inputs/write-npy.py %t/three.npy 1 3
// RUN: python3 %S/Inputs/write-npy.py %t/all.npy 1 99
// RUN: tiny-exec %t/loops.tiny --input %t/x.npy --input %t/none.npy | FileCheck %s --check-prefix=NONE
// RUN: tiny-exec %t/loops.tiny --input %t/x.npy --input %t/three.npy --repeat 3 | FileCheck %s --check-prefix=THREE
// RUN: tiny-exec %t/loops.tiny --input %t/x.npy --input %t/all.npy | FileCheck %s --check-prefix=ALL
// RUN: tiny-exec %t/loops.tiny --device=null --input %t/x.npy --input %t/all.npy
// RUN: tiny-run %s --input %t/x.npy --input %t/all.npy | FileCheck %s --check-prefix=ALL
// NONE: [1, 2, 3, 4]
// NONE: [0]
// THREE: [12, 20, 28, 36]
// THREE: [3]
// ALL: [-1, -1, -1, -1]
// ALL: [10]

// In C they are loops and branches of C.
// RUN: tiny-compile %s --processor=x86-64-v3 --target=c -o %t/loops.c
// RUN: FileCheck %s --check-prefix=C --input-file=%t/loops.c
// C: for (; k0 < n0 && *[[GO:b[0-9]+]]; ++k0) {
// C-NEXT: *[[COUNT:b[0-9]+]] = k0;
// C: if (*[[GO]]) {
// C: } else {
// C: *[[COUNT]] = k0;
// RUN: cc -std=c11 -O1 -g -fsanitize=address,undefined -ffp-contract=off -Wall -Wextra -Werror -I%t %S/Inputs/loops.c %t/loops.c -lm -o %t/main
// RUN: %t/main | FileCheck %s --check-prefix=MAIN
// MAIN: 0: 1 2 3 4
// MAIN: 3: 12 20 28 36
// MAIN: 10: -1 -1 -1 -1

kernel.program @main(%x: memref<4xi64> {tiny.type = tensor<4xi64>, tiny.name = "x"}, %n: memref<1xi64> {tiny.type = tensor<1xi64>, tiny.name = "n"}) -> (memref<4xi64> {tiny.type = tensor<4xi64>, tiny.name = "y"}, memref<1xi64> {tiny.type = tensor<1xi64>, tiny.name = "count"}) {
  %h = kernel.alloc : memref<4xi64>
  %i = kernel.alloc : memref<1xi64>
  %go = kernel.alloc : memref<1xi1>
  kernel.copy %x, %h : memref<4xi64>
  kernel.fill %go, true -> memref<1xi1>
  kernel.loop most(10) limit(%n) counter(%i) while(%go) {
    %t = kernel.alloc : memref<4xi64>
    kernel.launch @step ins(%h, %i : memref<4xi64>, memref<1xi64>) outs(%t, %go : memref<4xi64>, memref<1xi1>)
    kernel.if %go {
      kernel.copy %t, %h : memref<4xi64>
    } else {
      kernel.fill %h, -1 : i64 -> memref<4xi64>
    }
  }
  kernel.return %h, %i : memref<4xi64>, memref<1xi64>
}
kernel.func private @step(%h: memref<4xi64>, %i: memref<1xi64>, %t: memref<4xi64>, %go: memref<1xi1>) {
  %k = kernel.range loop id(0) extent(4)
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : i64
  %limit = arith.constant 1000 : i64
  %x = kernel.load %h[%k] : memref<4xi64>
  %n = kernel.load %i[%c0] : memref<1xi64>
  %y = arith.muli %x, %c2 : i64
  %z = arith.addi %y, %n : i64
  kernel.store %z, %t[%k] : memref<4xi64>
  %f = kernel.load %h[%c0] : memref<4xi64>
  %g = arith.cmpi slt, %f, %limit : i64
  kernel.store %g, %go[%c0] : memref<1xi1>
}
