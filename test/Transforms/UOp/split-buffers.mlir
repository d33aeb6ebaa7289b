// RUN: tiny-opt %s --split-input-file --uop-split-buffers | FileCheck %s
// RUN: tiny-opt %s --split-input-file --check-passes --uop-split-buffers -o /dev/null
// RUN: tiny-opt %s --split-input-file --uop-split-buffers --remarks-filter=uop-split-buffers --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: argument 0 has 640 bytes: it comes in 3 parts
// REMARK: argument 0 has 320 bytes, and several elements are touched at once
// REMARK: argument 0 has 1280 bytes, and the kernel would have 6 buffers

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "small",
    types = [f32, i32, i64], subgroup = 4, workgroup = 64, cores = 1, buffers = 5, buffer_bytes = 300>>} {
  // Parts are multiples of 256 bytes, and the last one is shorter.
  // CHECK-LABEL: uop.func @mirror
  // CHECK-SAME: (%[[A:.*]]: memref<64xf32>, %[[B:.*]]: memref<64xf32>, %[[C:.*]]: memref<32xf32>, %[[OUT:.*]]: memref<16xf32>)
  // CHECK: %[[AT:.*]] = arith.subi
  // CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[AT]], %{{.*}} : index
  // CHECK: %[[X:.*]] = uop.load %[[A]][%[[AT]]] if %[[FIRST]] as i1
  // CHECK: %[[BEFORE:.*]] = arith.cmpi slt, %[[AT]]
  // CHECK: %[[BEHIND:.*]] = arith.cmpi sge, %[[AT]]
  // CHECK: %[[SECOND:.*]] = arith.andi %[[BEHIND]], %[[BEFORE]]
  // CHECK: %[[IN:.*]] = arith.subi %[[AT]]
  // CHECK: %[[Y:.*]] = uop.load %[[B]][%[[IN]]] if %[[SECOND]] as i1
  // CHECK: %[[XY:.*]] = arith.select %[[SECOND]], %[[Y]], %[[X]]
  // CHECK: uop.load %[[C]]
  // CHECK: uop.store
  // CHECK-NOT: uop.store
  uop.func @mirror(%in: memref<160xf32>, %out: memref<16xf32>) {
    %i = uop.special global dim(0) extent(16)
    %c10 = arith.constant 10 : index
    %c159 = arith.constant 159 : index
    %tenth = arith.muli %i, %c10 : index
    %at = arith.subi %c159, %tenth : index
    %x = uop.load %in[%at] : memref<160xf32>, f32
    uop.store %x, %out[%i] : f32, memref<16xf32>
    uop.return
  }
  // What is written is written once. A gate stays.
  // CHECK-LABEL: uop.func @spread
  // CHECK-SAME: (%{{.*}}: memref<16xf32>, %[[A:.*]]: memref<64xf32>, %[[B:.*]]: memref<16xf32>)
  // CHECK: %[[GATE:.*]] = arith.cmpi slt
  // CHECK: %[[FIRST:.*]] = arith.cmpi slt
  // CHECK: %[[ON:.*]] = arith.andi %[[GATE]], %[[FIRST]]
  // CHECK: uop.store %{{.*}}, %[[A]][%{{.*}}] if %[[ON]] as i1
  // CHECK: uop.store %{{.*}}, %[[B]][
  uop.func @spread(%in: memref<16xf32>, %out: memref<80xf32>) {
    %i = uop.special global dim(0) extent(20)
    %c4 = arith.constant 4 : index
    %c16 = arith.constant 16 : index
    %at = arith.muli %i, %c4 : index
    %inside = arith.cmpi slt, %i, %c16 : index
    %x = uop.load %in[%i] if %inside as i1 : memref<16xf32>, f32
    uop.store %x, %out[%at] if %inside as i1 : f32, memref<80xf32>
    uop.return
  }
  // CHECK-LABEL: uop.func @count
  // CHECK-SAME: (%{{.*}}: memref<8xi64>, %[[A:.*]]: memref<64xi32>, %[[B:.*]]: memref<16xi32>)
  // CHECK: uop.atomic addi %{{.*}}, %[[A]][%{{.*}}] if
  // CHECK: uop.atomic addi %{{.*}}, %[[B]][%{{.*}}] if
  uop.func @count(%in: memref<8xi64>, %out: memref<80xi32>) {
    %i = uop.special global dim(0) extent(8)
    %c11 = arith.constant 11 : index
    %one = arith.constant 1 : i32
    %at = arith.muli %i, %c11 : index
    uop.atomic addi %one, %out[%at] : i32, memref<80xi32>
    uop.return
  }
  // CHECK-LABEL: kernel.program @main
  // CHECK-SAME: %[[X:.*]]: memref<160xf32>)
  // CHECK: %[[T:.*]] = kernel.alloc
  // CHECK: %[[P0:.*]] = kernel.alias %[[X]][0] : memref<160xf32> -> memref<64xf32>
  // CHECK: %[[P1:.*]] = kernel.alias %[[X]][64] : memref<160xf32> -> memref<64xf32>
  // CHECK: %[[P2:.*]] = kernel.alias %[[X]][128] : memref<160xf32> -> memref<32xf32>
  // CHECK: kernel.launch @mirror ins(%[[P0]], %[[P1]], %[[P2]] : {{.*}}) outs(%[[T]]
  // CHECK: kernel.launch @spread ins(%[[T]] : {{.*}}) outs(%{{.*}}, %{{.*}} : memref<64xf32>, memref<16xf32>)
  kernel.program @main(%x: memref<160xf32>) -> (memref<80xf32>) {
    %t = kernel.alloc : memref<16xf32>
    %y = kernel.alloc : memref<80xf32>
    %zero = kernel.constant dense<0.0> : tensor<80xf32> -> memref<80xf32>
    kernel.copy %zero, %y : memref<80xf32>
    kernel.launch @mirror ins(%x : memref<160xf32>) outs(%t : memref<16xf32>)
    kernel.launch @spread ins(%t : memref<16xf32>) outs(%y : memref<80xf32>)
    kernel.return %y : memref<80xf32>
  }
  kernel.program @counts(%x: memref<8xi64>) -> (memref<80xi32>) {
    %y = kernel.alloc : memref<80xi32>
    %zero = kernel.constant dense<0> : tensor<80xi32> -> memref<80xi32>
    kernel.copy %zero, %y : memref<80xi32>
    kernel.launch @count ins(%x : memref<8xi64>) outs(%y : memref<80xi32>)
    kernel.return %y : memref<80xi32>
  }
}

// -----

// What stays: a kernel that nothing launches, one that reads several elements at once, and one of too many parts.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "small",
    types = [f32, i32, i64], subgroup = 4, workgroup = 64, cores = 1, buffers = 5, buffer_bytes = 256>>} {
  // CHECK-LABEL: uop.func @alone(%{{.*}}: memref<80xf32>)
  uop.func @alone(%in: memref<80xf32>) {
    %c0 = arith.constant 0 : index
    %x = uop.load %in[%c0] : memref<80xf32>, f32
    uop.store %x, %in[%c0] : f32, memref<80xf32>
    uop.return
  }
  // CHECK-LABEL: uop.func @wide(%{{.*}}: memref<80xf32>,
  uop.func @wide(%in: memref<80xf32>, %out: memref<4xf32>) {
    %c0 = arith.constant 0 : index
    %x = uop.load %in[%c0] : memref<80xf32>, vector<4xf32>
    uop.store %x, %out[%c0] : vector<4xf32>, memref<4xf32>
    uop.return
  }
  // CHECK-LABEL: uop.func @many(%{{.*}}: memref<320xf32>,
  uop.func @many(%in: memref<320xf32>, %out: memref<1xf32>) {
    %c0 = arith.constant 0 : index
    %x = uop.load %in[%c0] : memref<320xf32>, f32
    uop.store %x, %out[%c0] : f32, memref<1xf32>
    uop.return
  }
  // CHECK-LABEL: kernel.program @main
  // CHECK-NOT: kernel.alias
  kernel.program @main(%x: memref<80xf32>, %y: memref<320xf32>) -> (memref<4xf32>, memref<1xf32>) {
    %a = kernel.alloc : memref<4xf32>
    %b = kernel.alloc : memref<1xf32>
    kernel.launch @wide ins(%x : memref<80xf32>) outs(%a : memref<4xf32>)
    kernel.launch @many ins(%y : memref<320xf32>) outs(%b : memref<1xf32>)
    kernel.return %a, %b : memref<4xf32>, memref<1xf32>
  }
}
