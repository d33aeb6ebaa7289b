// What lanes do together stands where all of them come to, and their axes agree.
// RUN: tiny-opt %s --verify-uop -split-input-file -verify-diagnostics -o /dev/null

uop.func @fine(%in: memref<64xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %l = uop.special local dim(0) extent(64)
  %g = uop.special global dim(0) extent(8)
  %sg = uop.special subgroup dim(0) extent(2)
  %lane = uop.special lane dim(0) extent(32)
  %x = uop.load %in[%l] : memref<64xf32>, f32
  // A bound that every lane loads is the same for all.
  %n = uop.load %size[%c0] : memref<1xi64>, i64
  %bound = arith.index_cast %n : i64 to index
  uop.for %k to %bound {
    uop.barrier
    %is = arith.cmpi eq, %k, %g : index
    uop.if %is {
      uop.barrier
    }
  }
  // What a workgroup reduces is the same for all, what a subgroup does for that.
  %sum = uop.workgroup_reduce addf %x dims(1) : f32
  %zero = arith.constant 0.0 : f32
  %positive = arith.cmpf ogt, %sum, %zero : f32
  uop.if %positive {
    uop.barrier
  }
  %part = uop.subgroup_reduce addf %x : f32
  %other = arith.cmpf ogt, %part, %zero : f32
  uop.if %other {
    %y = uop.shuffle xor %x, %c1 : f32
    uop.store %y, %in[%l] : f32, memref<64xf32>
  }
  %first = arith.cmpi eq, %sg, %c0 : index
  uop.if %first {
    %z = uop.subgroup_reduce maximumf %x : f32
  }
  %all = uop.shuffle from %x, %c0 : f32
  %same = arith.cmpf ogt, %all, %zero : f32
  uop.if %same {
    %z = uop.subgroup_reduce maximumf %x : f32
  }
  uop.return
}

// -----

uop.func @uniform_c1() {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(64)
  %is = arith.cmpi eq, %l, %c0 : index
  // expected-note @below {{lanes part here}}
  uop.if %is {
    // expected-error @below {{'uop.barrier' op stands in control flow that differs between the lanes of a workgroup}}
    uop.barrier
  }
  uop.return
}

// -----

uop.func @uniform_c1_loop() {
  %l = uop.special local dim(0) extent(64)
  // expected-note @below {{lanes part here}}
  uop.for %k to %l {
    // expected-error @below {{'uop.barrier' op stands in control flow that differs between the lanes of a workgroup}}
    uop.barrier
  }
  uop.return
}

// -----

// What a loop carries differs as soon as it takes in something that differs.
uop.func @uniform_c1_carried() {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %l = uop.special local dim(0) extent(64)
  %r = uop.for %k to %c4 iter(%a = %c0) -> (index) {
    %is = arith.cmpi eq, %a, %c0 : index
    // expected-note @below {{lanes part here}}
    uop.if %is {
      // expected-error @below {{'uop.barrier' op stands in control flow that differs between the lanes of a workgroup}}
      uop.barrier
    }
    %next = arith.addi %a, %l : index
    uop.yield %next : index
  }
  uop.return
}

// -----

// What is a lane's own may differ, whatever index it is read at.
uop.func @uniform_c1_register(%in: memref<64xi1>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(64)
  %own = uop.register : memref<1xi1>
  %x = uop.load %in[%l] : memref<64xi1>, i1
  uop.store %x, %own[%c0] : i1, memref<1xi1>
  %y = uop.load %own[%c0] : memref<1xi1>, i1
  // expected-note @below {{lanes part here}}
  uop.if %y {
    // expected-error @below {{'uop.barrier' op stands in control flow that differs between the lanes of a workgroup}}
    uop.barrier
  }
  uop.return
}

// -----

uop.func @uniform_c1_subgroup() {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(64)
  %lane = uop.special lane dim(0) extent(32)
  %sg = uop.special subgroup dim(0) extent(2)
  %is = arith.cmpi eq, %sg, %c0 : index
  // expected-note @below {{lanes part here}}
  uop.if %is {
    // expected-error @below {{'uop.workgroup_reduce' op stands in control flow that differs between the lanes of a workgroup}}
    %x = uop.workgroup_reduce addi %l dims(1) : index
  }
  uop.return
}

// -----

uop.func @uniform_c2() {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(64)
  %lane = uop.special lane dim(0) extent(32)
  %is = arith.cmpi eq, %lane, %c0 : index
  // expected-note @below {{lanes part here}}
  uop.if %is {
    // expected-error @below {{'uop.subgroup_reduce' op stands in control flow that differs between the lanes of a subgroup}}
    %x = uop.subgroup_reduce addi %l : index
  }
  uop.return
}

// -----

uop.func @subgroup_c1(%in: memref<64xf32>) {
  %l = uop.special local dim(0) extent(64)
  %x = uop.load %in[%l] : memref<64xf32>, f32
  // expected-error @below {{'uop.subgroup_reduce' op needs the size of subgroups, which neither a lane axis nor the record of a GPU states}}
  %y = uop.subgroup_reduce addf %x : f32
  uop.return
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 32, workgroup = 128, cores = 4,
    matrices = [(16, 8, 16, f16, f32)]>>} {
  uop.func @subgroup_c2() {
    %l = uop.special local dim(0) extent(64)
    // expected-error @below {{'uop.special' op has extent 16, expected that of the device's subgroups, 32}}
    %lane = uop.special lane dim(0) extent(16)
    uop.return
  }
}

// -----

uop.func @subgroup_c3() {
  %l = uop.special local dim(0) extent(48)
  // expected-error @below {{'uop.special' op needs whole subgroups of 32 lanes, but a workgroup has 48}}
  %lane = uop.special lane dim(0) extent(32)
  uop.return
}

// -----

uop.func @subgroup_c4() {
  %l = uop.special local dim(0) extent(64)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.special' op has extent 4, expected 2 subgroups of a workgroup of 64 lanes}}
  %sg = uop.special subgroup dim(0) extent(4)
  uop.return
}

// -----

uop.func @workgroup_reduce_c3() {
  %l = uop.special local dim(0) extent(48)
  // expected-error @below {{'uop.workgroup_reduce' op is over 2 local axes, but the kernel has 1}}
  %x = uop.workgroup_reduce addi %l dims(2) : index
  uop.return
}

// -----

uop.func @fragment_load_c3(%in: memref<1024xf16>) {
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.fragment_load' op has an index that differs between the lanes of a subgroup}}
  %a = uop.fragment_load %in[%l] stride(16) : memref<1024xf16>, !uop.fragment<left 16x16xf16>
  uop.return
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "gpu" = #target.record<gpu "example", subgroup = 32, workgroup = 128, cores = 4,
    matrices = [(16, 8, 16, f16, f32)]>>} {
  uop.func @mma_fine(%in: memref<1024xf16>, %out: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %l = uop.special local dim(0) extent(32)
    %zero = arith.constant 0.0 : f32
    %a = uop.fragment_load %in[%c0] stride(16) : memref<1024xf16>, !uop.fragment<left 16x16xf16>
    %b = uop.fragment_load %in[%c0] stride(8) : memref<1024xf16>, !uop.fragment<right 16x8xf16>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
    %d = uop.mma %a, %b, %c : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
    uop.fragment_store %d, %out[%c0] stride(8) : !uop.fragment<sum 16x8xf32>, memref<1024xf32>
    uop.return
  }
  uop.func @mma_c4(%in: memref<1024xf16>, %out: memref<1024xf32>) {
    %c0 = arith.constant 0 : index
    %l = uop.special local dim(0) extent(32)
    %zero = arith.constant 0.0 : f32
    %a = uop.fragment_load %in[%c0] stride(8) : memref<1024xf16>, !uop.fragment<left 16x8xf16>
    %b = uop.fragment_load %in[%c0] stride(8) : memref<1024xf16>, !uop.fragment<right 8x8xf16>
    %c = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
    // expected-error @below {{'uop.mma' op is of 16x8x8 'f16' to 'f32', which the device's record has no instruction for}}
    %d = uop.mma %a, %b, %c : !uop.fragment<left 16x8xf16>, !uop.fragment<right 8x8xf16>, !uop.fragment<sum 16x8xf32>
    uop.return
  }
}

// -----

uop.func @fragment_place_c1() {
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.fragment_place' op gives a lane 2 elements of '!uop.fragment<sum 16x8xf32>', which 32 lanes hold together}}
  %rows, %columns = uop.fragment_place !uop.fragment<sum 16x8xf32> : vector<2xindex>
  uop.return
}

// -----

uop.func @fragment_reduce_c2() {
  %in = arith.constant dense<1.0> : vector<2xf32>
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.fragment_reduce' op gives a lane 2 elements of '!uop.fragment<sum 16x8xf32>', which 32 lanes hold together}}
  %y = uop.fragment_reduce addf %in of !uop.fragment<sum 16x8xf32> : vector<2xf32>
  uop.return
}

// -----

uop.func @fragment_pack_c2() {
  %in = arith.constant dense<1.0> : vector<8xf32>
  %l = uop.special local dim(0) extent(32)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.fragment_pack' op gives a lane 8 elements of '!uop.fragment<left 16x8xbf16>', which 32 lanes hold together}}
  %y = uop.fragment_pack %in : vector<8xf32>, !uop.fragment<left 16x8xbf16>
  uop.return
}

// -----

uop.func @fragment_pack_c3() {
  %in = arith.constant dense<1.0> : vector<32xf32>
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  %x = uop.fragment_pack %in from(48) : vector<32xf32>, !uop.fragment<left 64x16xf16 by 4>
  // expected-error @below {{'uop.fragment_pack' op takes columns 64 to 79 of 64, in steps of 16}}
  %y = uop.fragment_pack %in from(64) : vector<32xf32>, !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

uop.func @fragment_pack_c3_step() {
  %in = arith.constant dense<1.0> : vector<32xf32>
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.fragment_pack' op takes columns 8 to 23 of 64, in steps of 16}}
  %y = uop.fragment_pack %in from(8) : vector<32xf32>, !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

// What a team multiplies is the same for its subgroups, and may differ for another team.
uop.func @teams(%in: memref<8192xf16>, %sums: memref<8192xf32>) {
  %zero = arith.constant 0.0 : f32
  %c1024 = arith.constant 1024 : index
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(256)
  %lane = uop.special lane dim(0) extent(32)
  %t = uop.special team dim(0) extent(2)
  %i = arith.muli %t, %c1024 : index
  %is = arith.cmpi eq, %t, %c0 : index
  uop.if %is {
    %a = uop.fragment_load %in[%i] stride(16) : memref<8192xf16>, !uop.fragment<left 64x16xf16 by 4>
  }
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  %rows, %columns = uop.fragment_place !uop.fragment<sum 64x64xf32 by 4> : vector<32xindex>
  uop.return
}

// -----

uop.func @subgroup_c5() {
  %l = uop.special local dim(0) extent(256)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.special' op has extent 3, which 8 subgroups are not shared by}}
  %t = uop.special team dim(0) extent(3)
  uop.return
}

// -----

uop.func @subgroup_c6(%in: memref<8192xf16>) {
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(256)
  %lane = uop.special lane dim(0) extent(32)
  %t = uop.special team dim(0) extent(4)
  // expected-error @below {{'uop.fragment_fill' op is of 4 subgroups together, but a workgroup has 8 in 4 teams}}
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  uop.return
}

// -----

uop.func @subgroup_c6_no_axis() {
  %zero = arith.constant 0.0 : f32
  %l = uop.special local dim(0) extent(64)
  %lane = uop.special lane dim(0) extent(32)
  // expected-error @below {{'uop.fragment_fill' op is of 4 subgroups together, but a workgroup has 2}}
  %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  uop.return
}

// -----

uop.func @fragment_load_c3_team(%in: memref<8192xf16>) {
  %c1024 = arith.constant 1024 : index
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  %s = uop.special subgroup dim(0) extent(4)
  %i = arith.muli %s, %c1024 : index
  // expected-error @below {{'uop.fragment_load' op has an index that differs between the lanes of a team}}
  %a = uop.fragment_load %in[%i] stride(16) : memref<8192xf16>, !uop.fragment<left 64x16xf16 by 4>
  uop.return
}

// -----

uop.func @uniform_c2_team() {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(128)
  %lane = uop.special lane dim(0) extent(32)
  %s = uop.special subgroup dim(0) extent(4)
  %is = arith.cmpi eq, %s, %c0 : index
  // expected-note @below {{lanes part here}}
  uop.if %is {
    // expected-error @below {{'uop.fragment_fill' op stands in control flow that differs between the lanes of a team}}
    %c = uop.fragment_fill %zero : !uop.fragment<sum 64x64xf32 by 4>
  }
  uop.return
}
