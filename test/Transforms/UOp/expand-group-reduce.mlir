// RUN: tiny-opt %s --pass-pipeline='builtin.module(uop.func(uop-expand-group-reduce))' --split-input-file | FileCheck %s --implicit-check-not=workgroup_reduce
// RUN: tiny-opt %s --pass-pipeline='builtin.module(uop.func(uop-expand-group-reduce))' --split-input-file --check-passes -o /dev/null

// One subgroup reduces alone.
// CHECK-LABEL: uop.func @one
// CHECK: %[[X:.*]] = uop.load
// CHECK-NEXT: %[[SUM:.*]] = uop.subgroup_reduce addf %[[X]] : f32
// CHECK-NEXT: uop.store %[[SUM]]
// CHECK-NOT: uop.barrier
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 32, workgroup = 128, cores = 4>>} {
  uop.func @one(%in: memref<32xf32>, %out: memref<32xf32>) {
    %l = uop.special local dim(0) extent(32)
    %x = uop.load %in[%l] : memref<32xf32>, f32
    %y = uop.workgroup_reduce addf %x dims(1) : f32
    uop.store %y, %out[%l] : f32, memref<32xf32>
    uop.return
  }
}

// -----

// Several put their results into a tile; a segment reads its own.
// CHECK-LABEL: uop.func @several
// CHECK: %[[TILE:.*]] = uop.local : memref<4xi32>
// CHECK: %[[PART:.*]] = uop.subgroup_reduce addi
// CHECK-DAG: %[[SUBGROUP:.*]] = uop.special subgroup dim(0) extent(4)
// CHECK-DAG: %[[LANE:.*]] = uop.special lane dim(0) extent(32)
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]]
// CHECK-NOT: uop.barrier
// CHECK: uop.store %[[PART]], %[[TILE]][%[[SUBGROUP]]] if %[[FIRST]]
// CHECK: uop.barrier
// CHECK-COUNT-2: uop.load %[[TILE]]
// CHECK-NOT: uop.load
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 32, workgroup = 128, cores = 4>>} {
  uop.func @several(%in: memref<128xi32>, %out: memref<128xi32>) {
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce addi %x dims(1) : i32
    uop.store %y, %out[%at] : i32, memref<128xi32>
    uop.return
  }
}

// -----

// An extremum of floats is one of integers.
// CHECK-LABEL: uop.func @maximum
// CHECK: %[[KEY:.*]] = arith.xori
// CHECK: %[[MAX:.*]] = uop.subgroup_reduce maxs %[[KEY]] : i32
// CHECK: arith.xori %[[MAX]]
// CHECK: arith.bitcast {{.*}} : i32 to f32
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 32, workgroup = 128, cores = 4>>} {
  uop.func @maximum(%in: memref<32xf32>, %out: memref<32xf32>) {
    %l = uop.special local dim(0) extent(32)
    %x = uop.load %in[%l] : memref<32xf32>, f32
    %y = uop.workgroup_reduce maximumf %x dims(1) : f32
    uop.store %y, %out[%l] : f32, memref<32xf32>
    uop.return
  }
  uop.func @minimum(%in: memref<32xf32>, %out: memref<32xf32>) {
    %l = uop.special local dim(0) extent(32)
    %x = uop.load %in[%l] : memref<32xf32>, f32
    %y = uop.workgroup_reduce minimumf %x dims(1) : f32
    uop.store %y, %out[%l] : f32, memref<32xf32>
    uop.return
  }
  uop.func @numbers(%in: memref<32xf32>, %out: memref<64xf32>) {
    %c32 = arith.constant 32 : index
    %l = uop.special local dim(0) extent(32)
    %x = uop.load %in[%l] : memref<32xf32>, f32
    %y = uop.workgroup_reduce maxnumf %x dims(1) : f32
    %z = uop.workgroup_reduce minnumf %x dims(1) : f32
    uop.store %y, %out[%l] : f32, memref<64xf32>
    %at = arith.addi %l, %c32 : index
    uop.store %z, %out[%at] : f32, memref<64xf32>
    uop.return
  }
}

// -----

// Without subgroups half of the lanes take in the other half. In a loop a barrier guards the tile's readers.
// CHECK-LABEL: uop.func @tree
// CHECK: %[[TILE:.*]] = uop.local : memref<6xf16>
// CHECK: uop.for
// CHECK: uop.barrier
// CHECK: uop.store {{.*}}, %[[TILE]]
// CHECK: uop.barrier
// CHECK-COUNT-3: uop.if
// CHECK: uop.barrier
// CHECK: %[[SUM:.*]] = uop.load %[[TILE]]
// CHECK: uop.store %[[SUM]]
uop.func @tree(%in: memref<12xf16>, %out: memref<12xf16>) {
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %l = uop.special local dim(0) extent(6)
  uop.for %k to %c2 {
    %row = arith.muli %k, %c6 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<12xf16>, f16
    %y = uop.workgroup_reduce addf %x dims(1) : f16
    uop.store %y, %out[%at] : f16, memref<12xf16>
  }
  uop.return
}

// -----

// A single lane has it.
// CHECK-LABEL: uop.func @single
// CHECK: %[[X:.*]] = uop.load
// CHECK-NEXT: uop.store %[[X]]
uop.func @single(%in: memref<4xf32>, %out: memref<4xf32>) {
  %l = uop.special local dim(0) extent(1)
  %m = uop.special local dim(1) extent(4)
  %x = uop.load %in[%m] : memref<4xf32>, f32
  %y = uop.workgroup_reduce addf %x dims(1) : f32
  uop.store %y, %out[%m] : f32, memref<4xf32>
  uop.return
}

// -----

// The lanes' order is anybody's: a product of huge numbers and of small ones overflows in some, and proves nothing.
// CHECK-LABEL: uop.func @product
// CHECK: uop.subgroup_reduce mulf
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 2, workgroup = 128, cores = 4>>} {
  uop.func @product(%in: memref<16xf32>, %out: memref<16xf32>) {
    %l = uop.special local dim(0) extent(16)
    %x = uop.load %in[%l] : memref<16xf32>, f32
    %y = uop.workgroup_reduce mulf %x dims(1) : f32
    uop.store %y, %out[%l] : f32, memref<16xf32>
    uop.return
  }
}
