// Sums of products of bytes along ranges of kind dot: a lane has four bytes, which one operation multiplies and adds up.
// RUN: tiny-opt %s --convert-kernel-to-uop --verify-uop | FileCheck %s
// RUN: tiny-opt %s --convert-kernel-to-uop --check-passes -o /dev/null
// RUN: tiny-opt %s --target-attach=processor=x86-64-v3 --check-passes --convert-kernel-to-uop --uop-legalize=split-vectors --canonicalize -o /dev/null
// RUN: tiny-opt %s --check-passes --convert-kernel-to-uop=vectorize=false --uop-legalize -o /dev/null

// In the body of another sum, whose lanes have the bytes of four points each.
// CHECK-LABEL: uop.func @nested
// CHECK: uop.for
// CHECK: %[[W:.*]] = uop.load %{{.*}}[%{{.*}}] : memref<32xi8>, vector<16xi8>
// CHECK: %[[Q:.*]] = uop.load %{{.*}}[%{{.*}}] : memref<32xi8>, vector<16xi8>
// CHECK: %[[LOW:.*]] = arith.remui %[[W]], %{{.*}} : vector<16xi8>
// CHECK: %[[SUM:.*]] = uop.dot %[[LOW]], %[[Q]], %{{.*}} unsigned_left : vector<16xi8>, vector<4xi32>
// CHECK: arith.sitofp %[[SUM]] : vector<4xi32> to vector<4xf32>
// CHECK-NOT: arith.muli {{.*}} i32
kernel.func @nested(%w: memref<32xi8>, %q: memref<32xi8>, %s: memref<2xf32>, %out: memref<1xf32>) {
  %zero = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %n = arith.constant 16 : i8
  %b = kernel.range reduce id(0) extent(2)
  %l = kernel.range upcast id(1) extent(4)
  %d = kernel.range dot id(2) extent(4)
  %b16 = arith.muli %b, %c16 : index
  %l4 = arith.muli %l, %c4 : index
  %bl = arith.addi %b16, %l4 : index
  %i = arith.addi %bl, %d : index
  %x = kernel.load %w[%i] : memref<32xi8>
  %low = arith.remui %x, %n : i8
  %xw = arith.extui %low : i8 to i32
  %y = kernel.load %q[%i] : memref<32xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  %f = arith.sitofp %sum : i32 to f32
  %scale = kernel.load %s[%b] : memref<2xf32>
  %t = arith.mulf %f, %scale : f32
  %r = kernel.reduce addf (%t) over (%b, %l) {fastmath = #arith.fastmath<reassoc,contract>} : f32
  kernel.store %r, %out[%zero] : memref<1xf32>
}

// Around a loop, without lanes, and with copies that share a factor.
// CHECK-LABEL: uop.func @loop
// CHECK: uop.for {{.*}} iter
// CHECK: %[[X:.*]] = uop.load {{.*}} vector<4xi8>
// CHECK: uop.load {{.*}} vector<4xi8>
// CHECK: uop.load {{.*}} vector<4xi8>
// CHECK-COUNT-2: uop.dot %[[X]], {{.*}} : vector<4xi8>, vector<1xi32>
kernel.func @loop(%a: memref<32xi8>, %b: memref<64xi8>, %out: memref<2xi32>) {
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %j = kernel.range upcast id(0) extent(2)
  %k = kernel.range reduce id(1) extent(8)
  %d = kernel.range dot id(2) extent(4)
  %k4 = arith.muli %k, %c4 : index
  %i = arith.addi %k4, %d : index
  %j32 = arith.muli %j, %c32 : index
  %ji = arith.addi %j32, %i : index
  %x = kernel.load %a[%i] : memref<32xi8>
  %xw = arith.extsi %x : i8 to i32
  %y = kernel.load %b[%ji] : memref<64xi8>
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %sum = kernel.reduce addi (%p) over (%k, %d) : i32
  kernel.store %sum, %out[%j] : memref<2xi32>
}

// One factor is the same in all lanes, the other one in all bytes of a lane.
// CHECK-LABEL: uop.func @spread
// CHECK-DAG: %[[X:.*]] = uop.load {{.*}} vector<16xi8>
// CHECK-DAG: %[[Y:.*]] = uop.load {{.*}} vector<4xi8>
// CHECK-DAG: vector.shuffle %[[Y]], %[[Y]] [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]
// CHECK-DAG: %[[Z:.*]] = uop.load {{.*}} vector<4xi8>
// CHECK-DAG: vector.shuffle %[[Z]], %[[Z]] [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3]
kernel.func @spread(%a: memref<16xi8>, %b: memref<4xi8>, %c: memref<4xi8>, %out: memref<4xi32>) {
  %c4 = arith.constant 4 : index
  %l = kernel.range upcast id(0) extent(4)
  %d = kernel.range dot id(1) extent(4)
  %l4 = arith.muli %l, %c4 : index
  %i = arith.addi %l4, %d : index
  %x = kernel.load %a[%i] : memref<16xi8>
  %y = kernel.load %b[%d] : memref<4xi8>
  %z = kernel.load %c[%l] : memref<4xi8>
  %yz = arith.addi %y, %z : i8
  %xw = arith.extui %x : i8 to i32
  %yw = arith.extsi %yz : i8 to i32
  %p = arith.muli %yw, %xw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%l] : memref<4xi32>
}

// A gate of bytes, and an index among them: lanes whose bytes are not neighbours are no lanes.
// CHECK-LABEL: uop.func @gated
// CHECK-COUNT-2: uop.dot {{.*}} vector<4xi8>, vector<1xi32>
kernel.func @gated(%a: memref<16xi8>, %b: memref<16xi8>, %out: memref<2xi32>) {
  %c8 = arith.constant 8 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0 : i8
  %l = kernel.range upcast id(0) extent(2)
  %d = kernel.range dot id(1) extent(4)
  %l8 = arith.muli %l, %c8 : index
  %i = arith.addi %l8, %d : index
  %inside = arith.cmpi slt, %d, %c3 : index
  %x = kernel.load %a[%i] if %inside : memref<16xi8>
  %xs = arith.select %inside, %x, %zero : i8
  %y = kernel.load %b[%i] : memref<16xi8>
  %xw = arith.extsi %xs : i8 to i32
  %yw = arith.extsi %y : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%l] : memref<2xi32>
}

// What all lanes read together is read where any of them asks for it.
// CHECK-LABEL: uop.func @gates
// CHECK: %[[ANY:.*]] = vector.reduction <or>, %{{.*}} : vector<4xi1> into i1
// CHECK: uop.load %{{.*}} if %[[ANY]] as i1 : memref<4xi8>, vector<4xi8>
// CHECK-COUNT-3: arith.ori %{{.*}} : vector<4xi1>
// CHECK: uop.load %{{.*}} if %{{.*}} as vector<4xi1> : memref<4xi8>, vector<4xi8>
kernel.func @gates(%a: memref<16xi8>, %b: memref<4xi8>, %c: memref<4xi8>, %out: memref<4xi32>) {
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0 : i8
  %l = kernel.range upcast id(0) extent(4)
  %d = kernel.range dot id(1) extent(4)
  %l4 = arith.muli %l, %c4 : index
  %i = arith.addi %l4, %d : index
  %ofLanes = arith.cmpi slt, %l, %c2 : index
  %ofBoth = arith.cmpi slt, %d, %l : index
  %x = kernel.load %a[%i] : memref<16xi8>
  %y = kernel.load %b[%d] if %ofLanes : memref<4xi8>
  %ys = arith.select %ofLanes, %y, %zero : i8
  %z = kernel.load %c[%d] if %ofBoth : memref<4xi8>
  %zs = arith.select %ofBoth, %z, %zero : i8
  %yz = arith.addi %ys, %zs : i8
  %xw = arith.extsi %x : i8 to i32
  %yw = arith.extsi %yz : i8 to i32
  %p = arith.muli %xw, %yw : i32
  %sum = kernel.reduce addi (%p) over (%d) : i32
  kernel.store %sum, %out[%l] : memref<4xi32>
}
