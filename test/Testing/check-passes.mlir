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

// A program with sizes runs at its least, its greatest and some sizes between, on inputs no longer than what is live.
// RUN: tiny-opt %source/test/tools/tiny-exec/Inputs/rows.mlir --check-passes -o /dev/null \
// RUN:   --pass-pipeline='builtin.module(kernel.func(canonicalize,cse),convert-kernel-to-uop,uop.func(canonicalize))'
// RUN: not tiny-opt %source/test/tools/tiny-exec/Inputs/rows.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so \
// RUN:   --check-passes --pass-pipeline='builtin.module(kernel.func(test-break-index))' 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: error: pass 'test-break-index' broke 'main': it reads element 1 of a buffer of 1 elements

// A NaN among the inputs shows what numbers do not, unless the program says that there is none.
// RUN: not tiny-opt %t/nan.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-nan))' 2>&1 | FileCheck %s --check-prefix=NAN
// NAN: error: pass 'test-break-nan' changed result 0 of 'main': element {{[0-9]+}} was nan, now it is {{.*}} (inputs of seed 0 with NaNs and infinities)
// RUN: tiny-opt %t/nan.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --check-passes-special-floats=false --pass-pipeline='builtin.module(func.func(test-break-nan))' -o /dev/null
// RUN: tiny-opt %t/no-nan.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-nan))' -o /dev/null

// A large integer shows its sign.
// RUN: not tiny-opt %t/sign.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(convert-tensor-to-lazy,test-break-sign)' 2>&1 | FileCheck %s --check-prefix=SIGN
// SIGN: error: pass 'test-break-sign' changed result 0 of 'main': element {{[0-9]+}} was {{.*}} (inputs of seed 0 with {{.*}})

// So does a zero of the other sign.
// RUN: not tiny-opt %t/zero.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-zero))' 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: pass 'test-break-zero' changed result 0 of 'main': element {{[0-9]+}} was -0, now it is 0 (inputs of seed 0)
// RUN: tiny-opt %t/no-zero.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-zero))' -o /dev/null

// So do magnitudes whose squares overflow or vanish.
// RUN: not tiny-opt %t/square.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-square))' 2>&1 | FileCheck %s --check-prefix=SQUARE
// SQUARE: error: pass 'test-break-square' changed result 0 of 'main': element {{[0-9]+}} was {{.*}} (inputs of seed 0 with extreme magnitudes)

// The one pass, what it was given and the seed are a file that shows it again, checks and all.
// RUN: not tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes --check-passes-seed=5 \
// RUN:   --check-passes-reproducer=%t/again.mlir \
// RUN:   --pass-pipeline='builtin.module(tensor-decompose,func.func(canonicalize,test-break-add,cse))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITES
// WRITES: error: pass 'test-break-add' changed result 0 of 'main'{{.*}} (inputs of seed 5)
// WRITES: note: to see it again: tiny-opt {{.*}}again.mlir --run-reproducer
// RUN: FileCheck %s --check-prefix=FILE < %t/again.mlir
// FILE: tiny.add
// FILE: pipeline: "builtin.module(func.func(test-break-add))"
// RUN: not tiny-opt %t/again.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --run-reproducer -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=AGAIN
// AGAIN: error: pass 'test-break-add' changed result 0 of 'main'{{.*}} (inputs of seed 5)
// RUN: not tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --check-passes-reproducer=%t/no/such/folder.mlir --pass-pipeline='builtin.module(func.func(test-break-add))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: note: cannot write a reproducer to '{{.*}}folder.mlir'

// What is found fails the run though a debug counter skips the passes behind.
// RUN: not tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(canonicalize,test-break-add,cse,canonicalize))' \
// RUN:   --mlir-debug-counter=pass-execution-skip=0,pass-execution-count=3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ADD

// A pass is named where its result does not verify, too.
// RUN: not tiny-opt %t/zero.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --pass-pipeline='builtin.module(func.func(test-break-type))' 2>&1 | FileCheck %s --check-prefix=VERIFIER
// VERIFIER: error: 'arith.negf' op requires the same type
// VERIFIER: error: pass 'test-break-type' left IR that does not verify
// VERIFIER: note: to see it again: tiny-opt

// Some functions, or some passes, are checked alone.
// RUN: tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --check-passes-function=other,another --pass-pipeline='builtin.module(func.func(test-break-add))' -o /dev/null
// RUN: tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --check-passes-from=cse --pass-pipeline='builtin.module(func.func(test-break-add,cse,canonicalize))' -o /dev/null
// RUN: tiny-opt %t/tensor.mlir --load-pass-plugin=%build/lib/TinyTestPasses.so --check-passes \
// RUN:   --check-passes-to=canonicalize --pass-pipeline='builtin.module(func.func(canonicalize,test-break-add))' -o /dev/null
// RUN: tiny-opt %t/tensor.mlir --check-passes --check-passes-from=no-pass --canonicalize -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOWHERE
// RUN: tiny-opt %t/tensor.mlir --check-passes --check-passes-to=no-pass --canonicalize -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: check-passes: no pass 'no-pass' ran
// RUN: tiny-opt %t/tensor.mlir --check-passes --check-passes-function=main,no-function --canonicalize -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=NOBODY
// NOBODY: check-passes: no program 'no-function'

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
// UNKNOWN: check-passes: there was nothing to compare

// Not to draw a billion numbers for an argument that nobody reads.
// RUN: tiny-opt %t/huge.mlir --check-passes --check-passes-verbose --canonicalize 2>&1 \
// RUN:   | FileCheck %s --check-prefix=HUGE
// HUGE: remark: check-passes: 'main' is not evaluated at the start: its inputs have too many elements
// HUGE: check-passes: there was nothing to compare

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

//--- square.mlir
func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.absf %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}

//--- sign.mlir
func.func @main(%x: tensor<16xui8>, %y: tensor<16xui8>) -> tensor<16xui8> {
  %0 = tiny.maximum %x, %y : (tensor<16xui8>, tensor<16xui8>) -> tensor<16xui8>
  return %0 : tensor<16xui8>
}
