// What the interpreter refuses, each in one line with its place.
// RUN: split-file %s %t
// RUN: not tiny-interpret %t/kernel.mlir --program=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: kernel.mlir:4:8: error: reads element 4 of a buffer of 4 elements
// RUN: not tiny-interpret %t/kernel.mlir --program=store 2>&1 | FileCheck %s --check-prefix=STORE
// STORE: kernel.mlir:13:3: error: writes element -1 of a buffer of 4 elements
// RUN: not tiny-interpret %t/kernel.mlir --program=unwritten 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: kernel.mlir:19:8: error: reads element 0 of a buffer before it is written
// RUN: not tiny-interpret %t/kernel.mlir --program=result 2>&1 | FileCheck %s --check-prefix=RESULT
// RESULT: kernel.mlir:28:1: error: element 0 of a result is never written
// RUN: not tiny-interpret %t/uop.mlir --program=outside 2>&1 | FileCheck %s --check-prefix=UOP
// UOP: uop.mlir:3:8: error: reads element 4 of a buffer of 4 elements
// RUN: not tiny-interpret %t/uop.mlir --program=spin --max-steps=1000 2>&1 | FileCheck %s --check-prefix=SPIN
// SPIN: uop.mlir:8:3: error: evaluation takes more than 1000 steps
// RUN: not tiny-interpret %t/uop.mlir --program=empty --max-steps=1000 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: uop.mlir:13:1: error: evaluation takes more than 1000 steps
// RUN: not tiny-interpret %t/kernel.mlir --program=large --max-steps=1000 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: kernel.mlir:{{.*}}: error: evaluation takes more than
// RUN: not tiny-interpret %t/large.mlir --program=bytes 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: error: evaluation takes more than 4294967296 bytes
// RUN: not tiny-interpret %t/large.mlir --program=arguments 2>&1 | FileCheck %s --check-prefix=ARGUMENTS
// ARGUMENTS: error: no random inputs of this function's types
// RUN: not tiny-interpret %t/unknown.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown.mlir:2:8: error: the interpreter does not know 'memref.rank' on these types
// RUN: not tiny-interpret %t/uop.mlir --program=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: tiny-interpret: nothing to evaluate
// RUN: not tiny-interpret %t/uop.mlir --program=outside --input='dense<1> : tensor<3xi32>' 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: input 0 of 'outside' is tensor<4xf32>, got tensor<3xi32>
// RUN: not tiny-interpret %t/uop.mlir --program=outside --input='nonsense' 2>&1 | FileCheck %s --check-prefix=CONSTANT
// CONSTANT: tiny-interpret: not a constant tensor: nonsense
// RUN: python3 -c "print('--input=' + '[' * 50000)" > %t/deep
// RUN: not tiny-interpret %t/uop.mlir --program=outside @%t/deep 2>&1 | FileCheck %s --check-prefix=DEEP
// DEEP: tiny-interpret: not a constant tensor: {{\[}}{{\[}}
// RUN: not tiny-interpret %t/uop.mlir --program=extents 2>&1 | FileCheck %s --check-prefix=EXTENTS
// EXTENTS: error: one hardware axis has two extents
// RUN: not tiny-interpret %t/uop.mlir --program=lane 2>&1 | FileCheck %s --check-prefix=LANE
// LANE: error: lane 9 of a vector of 4
// RUN: not tiny-interpret %t/kernel.mlir --program=copied 2>&1 | FileCheck %s --check-prefix=COPIED
// COPIED: error: copies element 0 of a buffer before it is written
// RUN: not tiny-interpret %t/types.mlir --program=dynamic --input='dense<1.0> : tensor<2xf32>' 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: the interpreter does not know the type of input 0 of 'dynamic'
// RUN: not tiny-interpret %t/types.mlir --program=nibbles 2>&1 | FileCheck %s --check-prefix=NIBBLES
// NIBBLES: error: the interpreter does not know this result's type
// RUN: not tiny-interpret %t/types.mlir --program=wide 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: types.mlir:9:8: error: the interpreter does not know this type
// RUN: not tiny-interpret %t/types.mlir --program=vector 2>&1 | FileCheck %s --check-prefix=VECTOR
// VECTOR: types.mlir:13:8: error: the interpreter does not know this type
// RUN: not tiny-interpret %t/types.mlir --program=said 2>&1 | FileCheck %s --check-prefix=SAID
// SAID: types.mlir:17:1: error: the interpreter does not know this argument's type

//--- kernel.mlir
kernel.func @outside(%in: memref<4xf32>, %out: memref<5xf32>) {
  %i = kernel.range loop id(0) extent(5)
  // Gates are safety, and here is none.
  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%i] : memref<5xf32>
}

kernel.func @store(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  %m = arith.constant -1 : index
  %j = arith.addi %i, %m : index
  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%j] : memref<4xf32>
}

kernel.func private @copy(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)

  %x = kernel.load %in[%i] : memref<4xf32>
  kernel.store %x, %out[%i] : memref<4xf32>
}
kernel.program @unwritten() -> memref<4xf32> {
  %a = kernel.alloc : memref<4xf32>
  %b = kernel.alloc : memref<4xf32>
  kernel.launch @copy ins(%a : memref<4xf32>) outs(%b : memref<4xf32>)
  kernel.return %b : memref<4xf32>
}
kernel.program @result() -> memref<4xf32> {
  %a = kernel.alloc : memref<4xf32>
  kernel.return %a : memref<4xf32>
}
kernel.func @large(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(2)
  %j = kernel.range loop id(1) extent(1099511627776)
  %k = kernel.range loop id(2) extent(1099511627776)
  %c0 = arith.constant 0 : index
  %a = arith.muli %i, %c0 : index
  %b = arith.muli %j, %a : index
  %c = arith.muli %k, %b : index
  %x = kernel.load %in[%c] : memref<4xf32>
  kernel.store %x, %out[%c] : memref<4xf32>
}
kernel.program @copied() -> memref<4xf32> {
  %a = kernel.alloc : memref<4xf32>
  %b = kernel.alloc : memref<4xf32>
  kernel.copy %a, %b : memref<4xf32>
  kernel.return %b : memref<4xf32>
}
//--- uop.mlir
uop.func @outside(%in: memref<4xf32>) {
  %c4 = arith.constant 4 : index
  %x = uop.load %in[%c4] : memref<4xf32>, f32
  uop.return
}
uop.func @spin(%in: memref<4xf32>) {
  %n = arith.constant 1000000000000 : index
  uop.for %i to %n {
  }
  uop.return
}

uop.func @empty(%out: memref<4xf32>) {
  %a = uop.special global dim(0) extent(1099511627776)
  %b = uop.special global dim(1) extent(1099511627776)
  uop.return
}
uop.func @extents(%out: memref<8xf32>) {
  %i = uop.special global dim(0) extent(4)
  %j = uop.special global dim(0) extent(5)
  %x = arith.constant 1.0 : f32
  uop.store %x, %out[%i] : f32, memref<8xf32>
  uop.return
}
uop.func @lane(%out: memref<8xf32>) {
  %c9 = arith.constant 9 : index
  %c0 = arith.constant 0 : index
  %v = uop.load %out[%c0] : memref<8xf32>, vector<4xf32>
  %x = vector.extract %v[%c9] : f32 from vector<4xf32>
  uop.store %x, %out[%c0] : f32, memref<8xf32>
  uop.return
}
//--- large.mlir
func.func @bytes() -> tensor<1099511627776xf32> {
  %0 = arith.constant dense<1.0> : tensor<1099511627776xf32>
  return %0 : tensor<1099511627776xf32>
}
func.func @arguments(%x: tensor<1099511627776xf32>) -> tensor<1099511627776xf32> {
  return %x : tensor<1099511627776xf32>
}

//--- unknown.mlir
func.func @main(%x: tensor<4xf32>, %y: memref<4xf32>) -> tensor<4xf32> {
  %0 = memref.rank %y : memref<4xf32>
  return %x : tensor<4xf32>
}
//--- types.mlir
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
func.func @nibbles() -> tensor<2xi4> {
  %0 = arith.constant dense<1> : tensor<2xi4>
  return %0 : tensor<2xi4>
}
func.func @wide() -> tensor<4xi256> {
  %0 = lazy.iota 0 : tensor<4xi256>
  return %0 : tensor<4xi256>
}
func.func @vector(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = arith.constant dense<0.0> : vector<4xf32>
  %1 = tiny.neg %x : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @said(%x: tensor<2xi4> {tiny.type = tensor<2xf32>}) -> tensor<2xf32> {
  %0 = arith.uitofp %x : tensor<2xi4> to tensor<2xf32>
  return %0 : tensor<2xf32>
}
