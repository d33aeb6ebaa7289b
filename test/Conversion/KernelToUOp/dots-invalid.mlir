// Ranges of kind dot stand for four bytes of a sum of products.
// RUN: tiny-opt %s --convert-kernel-to-uop -split-input-file -verify-diagnostics -o /dev/null

kernel.func @points(%a: memref<8xi8>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : index
  // expected-error @below {{range of kind dot has 8 points, expected 4}}
  %d = kernel.range dot id(0) extent(8)
  %x = kernel.load %a[%d] : memref<8xi8>
  %xw = arith.extsi %x : i8 to i32
  %p = arith.muli %xw, %xw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%zero] : memref<1xi32>
}

// -----

kernel.func @no_bytes(%a: memref<4xi16>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : index
  %d = kernel.range dot id(0) extent(4)
  %x = kernel.load %a[%d] : memref<4xi16>
  %xw = arith.extsi %x : i16 to i32
  %p = arith.muli %xw, %xw : i32
  // expected-error @below {{is over range id(0) of kind dot: a factor is no byte that is widened}}
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%zero] : memref<1xi32>
}

// -----

kernel.func @no_product(%a: memref<4xi8>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : index
  %d = kernel.range dot id(0) extent(4)
  %x = kernel.load %a[%d] : memref<4xi8>
  %xw = arith.extsi %x : i8 to i32
  // expected-error @below {{is over range id(0) of kind dot: the sum is not over a product of its own}}
  %sum = kernel.reduce addi (%xw) over (%d) : i32
  kernel.store %sum, %out[%zero] : memref<1xi32>
}

// -----

kernel.func @strided(%a: memref<8xi8>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %d = kernel.range dot id(0) extent(4)
  %i = arith.muli %d, %two : index
  // expected-error @below {{does not move by one element along range id(0) of kind dot}}
  %x = kernel.load %a[%i] : memref<8xi8>
  %xw = arith.extsi %x : i8 to i32
  %p = arith.muli %xw, %xw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%zero] : memref<1xi32>
}

// -----

kernel.func @two(%a: memref<16xi8>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : index
  %d = kernel.range dot id(0) extent(4)
  %e = kernel.range dot id(1) extent(4)
  %x = kernel.load %a[%d] : memref<16xi8>
  %y = kernel.load %a[%e] : memref<16xi8>
  %xw = arith.extsi %x : i8 to i32
  %yw = arith.extsi %y : i8 to i32
  // expected-error @below {{depends on two ranges of kind dot}}
  %p = arith.muli %xw, %yw : i32
  %sum = kernel.reduce addi (%p) over (%d, %e) : i32
  kernel.store %sum, %out[%zero] : memref<1xi32>
}

// -----

kernel.func @inside(%a: memref<32xi8>, %out: memref<1xi32>) {
  %zero = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %k = kernel.range reduce id(0) extent(8)
  %d = kernel.range dot id(1) extent(4)
  %k4 = arith.muli %k, %c4 : index
  %i = arith.addi %k4, %d : index
  %x = kernel.load %a[%i] : memref<32xi8>
  // expected-error @below {{is not done to each point of range id(1) of kind dot}}
  %most = kernel.reduce maxs (%x) over (%k) : i8
  %xw = arith.extsi %most : i8 to i32
  %p = arith.muli %xw, %xw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%zero] : memref<1xi32>
}
