// RUN: tiny-opt %s --pass-pipeline='builtin.module(uop.func(uop-share-fragments))' --split-input-file --verify-diagnostics | FileCheck %s --implicit-check-not=fragment_place --implicit-check-not=fragment_elements --implicit-check-not=fragment_reduce --implicit-check-not=fragment_pack
// RUN: tiny-opt %s --pass-pipeline='builtin.module(uop.func(uop-share-fragments))' --split-input-file --verify-diagnostics --check-passes -o /dev/null

#gpu = #target.record<gpu "example", instructions = [hidden_fragments], subgroup = 8, workgroup = 128, cores = 4,
  shared = 32768, matrices = [(8, 8, 8, f16, f32)]>

// Each of two subgroups stores its sum in its part of a tile, and lanes load what lies next to each other.
// CHECK-LABEL: uop.func @sum
// CHECK-DAG: %[[LANE:.*]] = uop.special lane dim(0) extent(8)
// CHECK-DAG: %[[NUMBER:.*]] = uop.special subgroup dim(0) extent(2)
// CHECK-DAG: %[[TILE:.*]] = uop.local : memref<128xf32>
// CHECK: %[[BEGIN:.*]] = arith.muli %[[NUMBER]], %{{.*}} : index
// CHECK: uop.fragment_store %{{.*}}, %[[TILE]][%[[BEGIN]]] stride(8)
// CHECK-NEXT: uop.subgroup_barrier
// CHECK-COUNT-8: uop.load %[[TILE]]
// CHECK: uop.subgroup_barrier
// CHECK-COUNT-8: uop.store
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #gpu>} {
  uop.func @sum(%a: memref<128xf16>, %b: memref<64xf16>, %out: memref<128xf32>) {
    %c64 = arith.constant 64 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %l = uop.special local dim(0) extent(16)
    %s = uop.special subgroup dim(0) extent(2)
    %zero = arith.constant 0.0 : f32
    %at = arith.muli %s, %c64 : index
    %x = uop.fragment_load %a[%at] stride(8) : memref<128xf16>, !uop.fragment<left 8x8xf16>
    %y = uop.fragment_load %b[%c0] stride(8) transposed : memref<64xf16>, !uop.fragment<right 8x8xf16>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 8x8xf32>
    %d = uop.mma %x, %y, %c : !uop.fragment<left 8x8xf16>, !uop.fragment<right 8x8xf16>, !uop.fragment<sum 8x8xf32>
    %e = uop.fragment_elements %d : !uop.fragment<sum 8x8xf32>, vector<8xf32>
    %rows, %columns = uop.fragment_place !uop.fragment<sum 8x8xf32> : vector<8xindex>
    %r0 = vector.extract %rows[0] : index from vector<8xindex>
    %c0x = vector.extract %columns[0] : index from vector<8xindex>
    %m0 = arith.muli %r0, %c8 : index
    %n0 = arith.addi %m0, %c0x : index
    %o0 = arith.addi %n0, %at : index
    %v0 = vector.extract %e[0] : f32 from vector<8xf32>
    uop.store %v0, %out[%o0] : f32, memref<128xf32>
    %r1 = vector.extract %rows[1] : index from vector<8xindex>
    %c1x = vector.extract %columns[1] : index from vector<8xindex>
    %m1 = arith.muli %r1, %c8 : index
    %n1 = arith.addi %m1, %c1x : index
    %o1 = arith.addi %n1, %at : index
    %v1 = vector.extract %e[1] : f32 from vector<8xf32>
    uop.store %v1, %out[%o1] : f32, memref<128xf32>
    %r2 = vector.extract %rows[2] : index from vector<8xindex>
    %c2x = vector.extract %columns[2] : index from vector<8xindex>
    %m2 = arith.muli %r2, %c8 : index
    %n2 = arith.addi %m2, %c2x : index
    %o2 = arith.addi %n2, %at : index
    %v2 = vector.extract %e[2] : f32 from vector<8xf32>
    uop.store %v2, %out[%o2] : f32, memref<128xf32>
    %r3 = vector.extract %rows[3] : index from vector<8xindex>
    %c3x = vector.extract %columns[3] : index from vector<8xindex>
    %m3 = arith.muli %r3, %c8 : index
    %n3 = arith.addi %m3, %c3x : index
    %o3 = arith.addi %n3, %at : index
    %v3 = vector.extract %e[3] : f32 from vector<8xf32>
    uop.store %v3, %out[%o3] : f32, memref<128xf32>
    %r4 = vector.extract %rows[4] : index from vector<8xindex>
    %c4x = vector.extract %columns[4] : index from vector<8xindex>
    %m4 = arith.muli %r4, %c8 : index
    %n4 = arith.addi %m4, %c4x : index
    %o4 = arith.addi %n4, %at : index
    %v4 = vector.extract %e[4] : f32 from vector<8xf32>
    uop.store %v4, %out[%o4] : f32, memref<128xf32>
    %r5 = vector.extract %rows[5] : index from vector<8xindex>
    %c5x = vector.extract %columns[5] : index from vector<8xindex>
    %m5 = arith.muli %r5, %c8 : index
    %n5 = arith.addi %m5, %c5x : index
    %o5 = arith.addi %n5, %at : index
    %v5 = vector.extract %e[5] : f32 from vector<8xf32>
    uop.store %v5, %out[%o5] : f32, memref<128xf32>
    %r6 = vector.extract %rows[6] : index from vector<8xindex>
    %c6x = vector.extract %columns[6] : index from vector<8xindex>
    %m6 = arith.muli %r6, %c8 : index
    %n6 = arith.addi %m6, %c6x : index
    %o6 = arith.addi %n6, %at : index
    %v6 = vector.extract %e[6] : f32 from vector<8xf32>
    uop.store %v6, %out[%o6] : f32, memref<128xf32>
    %r7 = vector.extract %rows[7] : index from vector<8xindex>
    %c7x = vector.extract %columns[7] : index from vector<8xindex>
    %m7 = arith.muli %r7, %c8 : index
    %n7 = arith.addi %m7, %c7x : index
    %o7 = arith.addi %n7, %at : index
    %v7 = vector.extract %e[7] : f32 from vector<8xf32>
    uop.store %v7, %out[%o7] : f32, memref<128xf32>
    uop.return
  }
}

// -----

#gpu = #target.record<gpu "example", instructions = [hidden_fragments], subgroup = 4, workgroup = 128, cores = 4,
  shared = 32768, matrices = [(8, 8, 8, f16, f32)]>

// Rows of eight elements in four lanes: two that a lane has, then two rounds of shuffles. What lanes hold becomes the
// left factor of another product by a tile of its own.
// CHECK-LABEL: uop.func @rows
// CHECK-DAG: uop.local : memref<64xf32>
// CHECK-DAG: %[[FACTOR:.*]] = uop.local : memref<64xf16>
// CHECK-COUNT-16: uop.shuffle xor
// CHECK-NOT: uop.shuffle
// CHECK-COUNT-16: arith.truncf
// CHECK: uop.subgroup_barrier
// CHECK: uop.fragment_load %[[FACTOR]]
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #gpu>} {
  uop.func @rows(%a: memref<64xf16>, %b: memref<64xf16>, %out: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %l = uop.special local dim(0) extent(4)
    %zero = arith.constant 0.0 : f32
    %x = uop.fragment_load %a[%c0] stride(8) : memref<64xf16>, !uop.fragment<left 8x8xf16>
    %y = uop.fragment_load %b[%c0] stride(8) : memref<64xf16>, !uop.fragment<right 8x8xf16>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 8x8xf32>
    %d = uop.mma %x, %y, %c : !uop.fragment<left 8x8xf16>, !uop.fragment<right 8x8xf16>, !uop.fragment<sum 8x8xf32>
    %e = uop.fragment_elements %d : !uop.fragment<sum 8x8xf32>, vector<16xf32>
    %m = uop.fragment_reduce maximumf %e of !uop.fragment<sum 8x8xf32> : vector<16xf32>
    %p = uop.fragment_pack %m : vector<16xf32>, !uop.fragment<left 8x8xf16>
    %f = uop.mma %p, %y, %c : !uop.fragment<left 8x8xf16>, !uop.fragment<right 8x8xf16>, !uop.fragment<sum 8x8xf32>
    uop.fragment_store %f, %out[%c0] stride(8) : !uop.fragment<sum 8x8xf32>, memref<64xf32>
    uop.return
  }
}

// -----

// A device whose lanes know what they hold.
// CHECK-LABEL: uop.func @known
// CHECK: uop.fragment_load
// CHECK-NOT: uop.local
// CHECK-NOT: uop.subgroup_barrier
#gpu = #target.record<gpu "example", subgroup = 8, workgroup = 128, cores = 4, shared = 32768,
  matrices = [(8, 8, 8, f16, f32)]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #gpu>} {
  uop.func @known(%a: memref<64xf16>, %out: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %l = uop.special local dim(0) extent(8)
    %x = uop.fragment_load %a[%c0] stride(8) : memref<64xf16>, !uop.fragment<left 8x8xf16>
    %zero = arith.constant 0.0 : f32
    %c = uop.fragment_fill %zero : !uop.fragment<sum 8x8xf32>
    uop.fragment_store %c, %out[%c0] stride(8) : !uop.fragment<sum 8x8xf32>, memref<64xf32>
    uop.return
  }
}

// -----

#gpu = #target.record<gpu "example", instructions = [hidden_fragments], subgroup = 8, workgroup = 128, cores = 4,
  shared = 32768, matrices = [(8, 8, 8, f16, f32)]>

// Where lanes part they cannot store a matrix together.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #gpu>} {
  uop.func @apart(%out: memref<64xf32>) {
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %l = uop.special local dim(0) extent(8)
    %zero = arith.constant 0.0 : f32
    %c = uop.fragment_fill %zero : !uop.fragment<sum 8x8xf32>
    %is = arith.cmpi slt, %l, %c3 : index
    // expected-note@+1 {{they part here}}
    uop.if %is {
      // expected-error@+1 {{'uop.fragment_elements' op stands where lanes of a subgroup part, and needs all of them}}
      %e = uop.fragment_elements %c : !uop.fragment<sum 8x8xf32>, vector<8xf32>
      %x = vector.extract %e[0] : f32 from vector<8xf32>
      uop.store %x, %out[%l] : f32, memref<64xf32>
    }
    uop.return
  }
}

// -----

#gpu = #target.record<gpu "example", instructions = [hidden_fragments], subgroup = 8, workgroup = 128, cores = 4,
  shared = 32768, matrices = [(8, 24, 8, f16, f32)]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #gpu>} {
  uop.func @odd(%out: memref<192xf32>) {
    %c0 = arith.constant 0 : index
    %l = uop.special local dim(0) extent(8)
    %x = arith.constant dense<1.0> : vector<24xf32>
    // expected-error@+1 {{'uop.fragment_reduce' op reduces rows of 24 elements of 32 bits by 8 lanes, expected powers of two and 32 bits}}
    %m = uop.fragment_reduce addf %x of !uop.fragment<sum 8x24xf32> : vector<24xf32>
    %y = vector.extract %m[0] : f32 from vector<24xf32>
    uop.store %y, %out[%l] : f32, memref<192xf32>
    uop.return
  }
}

// -----

#gpu = #target.record<gpu "example", instructions = [hidden_fragments], subgroup = 8, workgroup = 128, cores = 4,
  shared = 32768, matrices = [(64, 64, 16, f16, f32, 4)]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #gpu>} {
  uop.func @team(%out: memref<4096xf32>) {
    %l = uop.special local dim(0) extent(32)
    // expected-error@+1 {{'uop.fragment_place' op is of several subgroups, whose lanes cannot tell which elements they hold}}
    %rows, %columns = uop.fragment_place !uop.fragment<sum 64x64xf32 by 4> : vector<128xindex>
    %row = vector.extract %rows[0] : index from vector<128xindex>
    %zero = arith.constant 0.0 : f32
    uop.store %zero, %out[%row] : f32, memref<4096xf32>
    uop.return
  }
}
