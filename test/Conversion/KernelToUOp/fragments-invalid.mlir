// Ranges of kind fragment stand for products of matrices that the device multiplies.
// RUN: tiny-opt %s --target-attach="target=cuda processor=sm_80" --convert-kernel-to-uop -split-input-file -verify-diagnostics -o /dev/null

kernel.func @two_depths(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %l = kernel.range fragment id(3) extent(2)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is over two ranges of kind fragment}}
  %s = kernel.reduce addf (%p) over (%k, %l) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @no_sum(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is over range id(2) of kind fragment: the reduction is no sum}}
  %s = kernel.reduce maximumf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @in_order(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is over range id(2) of kind fragment: the sum keeps its order}}
  %s = kernel.reduce addf (%p) over (%k) fastmath<none> : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @no_product(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is over range id(2) of kind fragment: the sum is not over a product}}
  %s = kernel.reduce addf (%xw) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @two_types(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.constant 2.0 : f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is a product of fragments whose factors are not read as they are}}
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @used_twice(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is over range id(2) of kind fragment: the product is used besides}}
  %s = kernel.reduce addf (%p) over (%k) : f32
  %most = kernel.reduce maximumf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  %sum = arith.addf %s, %most : f32
  kernel.store %sum, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @computed_factor(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %n = arith.negf %x : f16
  %xw = arith.extf %n : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is a product of fragments whose factors are not read as they are}}
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @one_range(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %c8 : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  // expected-error @below {{is a product of fragments whose factors do not vary along two of them each}}
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @no_matrix(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c8 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  // expected-error @below {{reads no matrix: along one range of kind fragment elements must be neighbours, along the other rows must not overlap}}
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @no_owner(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  // expected-error @below {{range of kind fragment belongs to no product of matrices}}
  %l = kernel.range fragment id(3) extent(2)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %il = arith.addi %i8, %l : index
  %ij = arith.addi %il, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @uneven(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>) {
  // expected-error @below {{sums of 24 elements are not shared evenly by 32 lanes}}
  %i = kernel.range fragment id(0) extent(8)
  %j = kernel.range fragment id(1) extent(3)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

kernel.func @other_rows(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>, %d: memref<128xf32>) {
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %l = kernel.range fragment id(3) extent(16)
  %m = kernel.range fragment id(4) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
  %l16 = arith.muli %l, %c16 : index
  %lm = arith.addi %l16, %m : index
  %m8 = arith.muli %m, %c8 : index
  %mj = arith.addi %m8, %j : index
  %u = kernel.load %a[%lm] : memref<256xf16>
  %v = kernel.load %b[%mj] : memref<128xf16>
  %uw = arith.extf %u : f16 to f32
  %vw = arith.extf %v : f16 to f32
  %q = arith.mulf %uw, %vw : f32
  // expected-error @below {{is a product of other fragments than those of another one in the kernel}}
  %t = kernel.reduce addf (%q) over (%m) : f32
  %l8 = arith.muli %l, %c8 : index
  %lj = arith.addi %l8, %j : index
  kernel.store %t, %d[%lj] : memref<128xf32>
}

// -----

kernel.func @few_subgroups(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>, %d: memref<2xf32>) {
  %w = kernel.range warp id(3) extent(2)
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %one = arith.constant 1.0 : f32
  // expected-error @below {{varies along some of the ranges of kind warp and fragment, and not along others: several lanes would store one element}}
  kernel.store %one, %d[%w] : memref<2xf32>
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}

// -----

// expected-error @below {{kernel has 1 subgroups of 32 lanes, and 16 lanes of kind local and group_reduce}}
kernel.func @other_lanes(%a: memref<256xf16>, %b: memref<128xf16>, %c: memref<128xf32>, %d: memref<16xf32>) {
  %l = kernel.range local id(3) extent(16)
  %i = kernel.range fragment id(0) extent(16)
  %j = kernel.range fragment id(1) extent(8)
  %k = kernel.range fragment id(2) extent(16)
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  %i16 = arith.muli %i, %c16 : index
  %ik = arith.addi %i16, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<256xf16>
  %y = kernel.load %b[%kj] : memref<128xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %one = arith.constant 1.0 : f32
  kernel.store %one, %d[%l] : memref<16xf32>
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<128xf32>
}
