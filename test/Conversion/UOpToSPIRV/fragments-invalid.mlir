// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv --split-input-file --verify-diagnostics

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "example", types = [f32, i32, i16, i8], converts = [f16],
  subgroup = 8, workgroup = 128, cores = 4, shared = 32768, matrices = [(8, 8, 8, f16, f32)]>>} {
uop.func @elements(%out: memref<64xf32>) {
  %l = uop.special local dim(0) extent(8)
  // expected-error@+1 {{'uop.fragment_place' op is of elements of a matrix, which lanes cannot tell in SPIR-V; uop-share-fragments gives them elements by way of a tile}}
  %rows, %columns = uop.fragment_place !uop.fragment<sum 8x8xf32> : vector<8xindex>
  uop.return
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "example", types = [f32, i32, i16, i8], converts = [f16],
  subgroup = 8, workgroup = 128, cores = 4, shared = 32768, matrices = [(8, 8, 8, bf16, f32)]>>} {
uop.func @types(%a: memref<64xbf16>) {
  %c0 = arith.constant 0 : index
  %l = uop.special local dim(0) extent(8)
  // expected-error@+1 {{'uop.fragment_load' op has a value of type '!uop.fragment<left 8x8xbf16>', which has no form in SPIR-V}}
  %x = uop.fragment_load %a[%c0] stride(8) : memref<64xbf16>, !uop.fragment<left 8x8xbf16>
  uop.return
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "example", types = [f32, i32, i16, i8], converts = [f16],
  subgroup = 8, workgroup = 128, cores = 4, shared = 32768, matrices = [(8, 64, 64, f16, f32)]>>} {
uop.func @panel() {
  %c0 = arith.constant 0 : index
  %t = uop.local : memref<4096xf16>
  %l = uop.special local dim(0) extent(8)
  // expected-error@+1 {{'uop.fragment_load' op of a panel has no form in SPIR-V}}
  %x = uop.fragment_load %t[%c0] stride(64) panel(4096) : memref<4096xf16>, !uop.fragment<right 64x64xf16>
  uop.return
}
}
