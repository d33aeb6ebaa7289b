// The pass that broke a kernel of a GPU is named on a machine without one, though every value was right by chance.
// RUN: not tiny-opt %s --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(uop.func(canonicalize,test-break-barrier,cse))' 2>&1 | FileCheck %s
// CHECK: error: pass 'test-break-barrier' broke 'mirror': it has a race: lane 0 reads element 3 of tile 0 by 'uop.load', and lane 3 writes it by 'uop.store', with no barrier between
// CHECK: note: the other operation is here
// CHECK: note: to see it again: tiny-opt
// CHECK-NOT: error

// RUN: tiny-opt %s --check-passes -o /dev/null --pass-pipeline='builtin.module(uop.func(canonicalize,cse))'
uop.func @mirror(%in: memref<4xf32>, %out: memref<4xf32>) {
  %tile = uop.local : memref<4xf32>
  %lane = uop.special local dim(0) extent(4)
  %c3 = arith.constant 3 : index
  %mirror = arith.subi %c3, %lane : index
  %x = uop.load %in[%lane] : memref<4xf32>, f32
  uop.store %x, %tile[%lane] : f32, memref<4xf32>
  uop.barrier
  %y = uop.load %tile[%mirror] : memref<4xf32>, f32
  uop.store %y, %out[%lane] : f32, memref<4xf32>
  uop.return
}
