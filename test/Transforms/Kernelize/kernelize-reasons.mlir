// RUN: tiny-opt %s --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s --lazy-kernelize=policy=none --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tiny-opt %s --lazy-kernelize=max-buffers=3 --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 | sed 's/buffers = 31/buffers = 3/' | tiny-opt --lazy-kernelize --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=BUFFERS
// RUN: tiny-opt %s --lazy-kernelize=max-ops=2 --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: tiny-opt %s --lazy-kernelize=policy=all --remarks-filter=lazy-kernelize --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=ALL
// Each decision has a reason, and the numbers that decided it: both costs, or what met a limit and the limit.

// CHECK: arith.negf fused: recomputing it costs less than a buffer", buffer={{[0-9.e+]+}}, recomputation=8
func.func @cheap(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %n = arith.negf %x : tensor<8xf32>
  %f = lazy.flip %n [0] : tensor<8xf32> -> tensor<8xf32>
  %e = math.exp %f : tensor<8xf32>
  %s = math.sqrt %n : tensor<8xf32>
  return %e, %s : tensor<8xf32>, tensor<8xf32>
}

// CHECK: math.exp stored: recomputing it costs more than a buffer", buffer={{[0-9.e+]+}}, recomputation={{[0-9]+}}
func.func @expensive(%v: tensor<128xf32>, %x: tensor<4096x128xf32>) -> tensor<4096x128xf32> {
  %e_0 = math.exp %v : tensor<128xf32>
  %e_1 = math.exp %e_0 : tensor<128xf32>
  %e = math.exp %e_1 : tensor<128xf32>
  %w = lazy.view %e <(4096, 128):(0, 1)> : tensor<128xf32> -> tensor<4096x128xf32>
  %r = arith.addf %x, %w : tensor<4096x128xf32>
  return %r : tensor<4096x128xf32>
}

// CHECK: arith.mulf fused: recomputing it hides behind the memory that the kernel moves", buffer={{[0-9.e+]+}}, recomputation={{[0-9]+}}
func.func @hidden(%a: tensor<1x16xf32>, %b: tensor<1x16xf32>, %x: tensor<8192x16xf32>) -> tensor<8192x16xf32> {
  %0 = arith.mulf %a, %b : tensor<1x16xf32>
  %1 = lazy.view %0 <(8192, 16):(0, 1)> : tensor<1x16xf32> -> tensor<8192x16xf32>
  %2 = arith.mulf %1, %x : tensor<8192x16xf32>
  return %2 : tensor<8192x16xf32>
}

// CHECK: arith.cmpi fused: it is arithmetic on indices, as cheap as loading it
func.func @mask(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %i = lazy.iota 0 : tensor<8xi32>
  %c = arith.constant dense<3> : tensor<8xi32>
  %m = arith.cmpi slt, %i, %c : tensor<8xi32>
  %w = lazy.view %m <(4, 8):(0, 1)> : tensor<8xi1> -> tensor<4x8xi1>
  %zero = arith.constant dense<0.0> : tensor<4x8xf32>
  %r = arith.select %w, %x, %zero : tensor<4x8xi1>, tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// ALL: math.exp kept: data says where it is read
func.func @picked(%x: tensor<8xf32>, %i: tensor<4xi64>) -> tensor<4xf32> {
  %e = math.exp %x : tensor<8xf32>
  %g = lazy.gather %e [%i] : tensor<8xf32>, (tensor<4xi64>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// The parts have loops of their own, so nothing selects.
// CHECK: arith.cmpi fused: no part of what is stored selects it
func.func @parts(%a: tensor<4x6xf32>, %b: tensor<4x3xf32>) -> tensor<4x9xf32> {
  %e = math.exp %a : tensor<4x6xf32>
  %six = arith.constant dense<6> : tensor<4x9xi64>
  %i = lazy.iota 1 : tensor<4x9xi64>
  %first = arith.cmpi slt, %i, %six : tensor<4x9xi64>
  %p = lazy.pad %e low [0, 0] high [0, 3] : tensor<4x6xf32> -> tensor<4x9xf32>
  %q = lazy.pad %b low [0, 6] high [0, 0] : tensor<4x3xf32> -> tensor<4x9xf32>
  %s = arith.select %first, %p, %q : tensor<4x9xi1>, tensor<4x9xf32>
  return %s : tensor<4x9xf32>
}

// NONE: arith.negf stored: the policy asks for it
// BUFFERS: stored: the kernel would read more buffers than it may (max-buffers)", buffers=5, limit=3
// OPS: stored: the kernel would have more operations than it may (max-ops)", limit=2, operations=4
func.func @chain(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.addf %a, %b : tensor<8xf32>
  %n = arith.negf %c : tensor<8xf32>
  %1 = arith.addf %0, %n : tensor<8xf32>
  %2 = arith.addf %1, %d : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// BUFFERS: apart: their kernel would have too many buffers (max-buffers)", buffers=5, limit=3
// OPS: apart: their kernel would have too many operations (max-ops)", limit=2, operations=4
func.func @beside(%x: tensor<8xf32>, %y: tensor<8xf32>, %z: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %a = arith.addf %x, %y : tensor<8xf32>
  %b = arith.negf %a : tensor<8xf32>
  %c = arith.addf %x, %z : tensor<8xf32>
  %d = math.absf %c : tensor<8xf32>
  return %b, %d : tensor<8xf32>, tensor<8xf32>
}
