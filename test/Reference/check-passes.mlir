// The first pass that changes a result is named, at every level; what is right passes.
// RUN: split-file %s %t

// RUN: not tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(canonicalize,test-break-add,cse))' 2>&1 | FileCheck %s --check-prefix=ADD
// ADD: tensor.mlir:1:1: error: pass 'test-break-add' changed result 0 of 'main': element 0 was {{.*}}, now it is {{.*}} (inputs of seed 0)
// ADD-NOT: error

// RUN: not tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(tensor-decompose,convert-tensor-to-lazy,canonicalize,test-break-add,cse)' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ADD

// RUN: not tiny-opt %t/kernel.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(kernel.func(test-break-index))' 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: kernel.mlir:3:8: error: pass 'test-break-index' broke 'copy': it reads element 4 of a buffer of 4 elements

// RUN: not tiny-opt %t/kernel.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(convert-kernel-to-uop,uop.func(test-break-index))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UOP
// UOP: error: pass 'test-break-index' broke 'copy': it reads element 4 of a buffer of 4 elements

// A NaN among the inputs shows what numbers do not, unless the program says that there is none.
// RUN: not tiny-opt %t/nan.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-nan))' 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: pass 'test-break-nan' changed result 0 of 'main': element {{[0-9]+}} was nan, now it is {{.*}} (inputs of seed 0 with NaNs and infinities)
// RUN: tiny-opt %t/nan.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --check-passes-special-floats=false --pass-pipeline='builtin.module(func.func(test-break-nan))' -o /dev/null
// RUN: tiny-opt %t/no-nan.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-nan))' -o /dev/null

// So does a zero of the other sign.
// RUN: not tiny-opt %t/zero.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-zero))' 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: pass 'test-break-zero' changed result 0 of 'main': element {{[0-9]+}} was -0, now it is 0 (inputs of seed 0)
// RUN: tiny-opt %t/no-zero.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-zero))' -o /dev/null

// What nothing changes, and what is not checked, is not an error.
// RUN: tiny-opt %t/tensor.mlir --check-passes --check-passes-seed=7 --check-passes-wide-floats --tensor-decompose \
// RUN:   --convert-tensor-to-lazy --canonicalize 2>&1 | FileCheck %s --check-prefix=RIGHT --implicit-check-not=warning
// RIGHT: lazy.reduce

// RUN: tiny-opt %t/tensor.mlir --check-passes --check-passes-verbose --tensor-decompose --convert-tensor-to-lazy \
// RUN:   2>&1 | FileCheck %s --check-prefix=VERBOSE
// VERBOSE: remark: check-passes: 'main' is evaluated at the start
// VERBOSE: remark: check-passes: 'main' is the same after 'tensor-decompose'
// VERBOSE: remark: check-passes: 'main' is the same after 'convert-tensor-to-lazy'

// RUN: tiny-opt %t/unknown.mlir --check-passes --check-passes-verbose --canonicalize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: remark: check-passes: 'main' is not evaluated at the start: the interpreter does not know 'memref.dim' on these types
// UNKNOWN: warning: check-passes had nothing to compare

// Not to draw a billion numbers for an argument that nobody reads.
// RUN: tiny-opt %t/huge.mlir --check-passes --check-passes-verbose --canonicalize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HUGE
// HUGE: remark: check-passes: 'main' is not evaluated at the start: its inputs have too many elements
// HUGE: warning: check-passes had nothing to compare

//--- huge.mlir
func.func @main(%x: tensor<4xf32>, %unused: tensor<1000000007xf32>) -> tensor<4xf32> {
  %0 = arith.negf %x : tensor<4xf32>
  %1 = arith.negf %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- tensor.mlir
func.func @main(%x: tensor<4x3xf32>, %w: tensor<3x2xf32>, %b: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = tiny.matmul %x, %w : (tensor<4x3xf32>, tensor<3x2xf32>) -> tensor<4x2xf32>
  %1 = tiny.add %0, %b : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = tiny.tanh %1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

//--- nan.mlir
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %0 = arith.maximumf %x, %zero : tensor<64xf32>
  return %0 : tensor<64xf32>
}

//--- no-nan.mlir
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  %0 = arith.maximumf %x, %zero fastmath<nnan> : tensor<64xf32>
  return %0 : tensor<64xf32>
}

//--- kernel.mlir
kernel.func @copy(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%i] : memref<4xf32>
}

//--- unknown.mlir
func.func @main(%x: tensor<4xf32>, %b: memref<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %0 = memref.dim %b, %c0 : memref<4xf32>
  %1 = math.exp %x : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- zero.mlir
func.func @main(%x: tensor<99xf32>) -> tensor<99xf32> {
  %0 = arith.negf %x : tensor<99xf32>
  return %0 : tensor<99xf32>
}

//--- no-zero.mlir
func.func @main(%x: tensor<99xf32>) -> tensor<99xf32> {
  %0 = arith.negf %x fastmath<nsz> : tensor<99xf32>
  return %0 : tensor<99xf32>
}
