// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv --split-input-file --verify-diagnostics

uop.func @maximum(%in: memref<32xf32>) {
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(8)
  %x = uop.load %in[%l] : memref<32xf32>, f32
  // expected-error@+1 {{'uop.subgroup_reduce' op of kind maximumf on f32 has no form in SPIR-V}}
  %y = uop.subgroup_reduce maximumf %x : f32
  uop.return
}

// -----

uop.func @wide(%in: memref<32xi64>) {
  %c1 = arith.constant 1 : index
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(8)
  %x = uop.load %in[%l] : memref<32xi64>, i64
  // expected-error@+1 {{'uop.shuffle' op of a value of 64 bits has no form in SPIR-V}}
  %y = uop.shuffle xor %x, %c1 : i64
  uop.return
}

// -----

uop.func @sum(%out: memref<32xf32>) {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  // expected-error@+1 {{'uop.atomic' op of kind addf on f32 has no form in SPIR-V}}
  uop.atomic addf %one, %out[%c1] : f32, memref<32xf32>
  uop.return
}

// -----

uop.func @teams(%out: memref<32xf32>) {
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(8)
  // expected-error@+1 {{'uop.special' op of teams of subgroups has no form in SPIR-V}}
  %t = uop.special team dim(0) extent(2)
  uop.return
}
