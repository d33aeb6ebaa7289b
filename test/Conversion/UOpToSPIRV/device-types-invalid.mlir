// RUN: tiny-opt %s --uop-describe-entry --convert-uop-to-spirv --split-input-file --verify-diagnostics

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"vulkan" = #target.record<gpu "scarce",
    types = [f32, i32], subgroup = 8, workgroup = 64, cores = 1>>} {
// expected-error@+1 {{'uop.func' op argument 1 of type 'memref<4xi8>' has elements that the device 'scarce' lacks}}
uop.func @bytes(%x: memref<4xi32>, %y: memref<4xi8>) {
  uop.return
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"vulkan" = #target.record<gpu "scarce",
    types = [f32, i32], subgroup = 8, workgroup = 64, cores = 1>>} {
uop.func @doubles(%x: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xf32>, f32
  // expected-error@+1 {{'arith.extf' op has a value of type 'f64', which the device 'scarce' lacks}}
  %w = arith.extf %v : f32 to f64
  %s = arith.truncf %w : f64 to f32
  uop.store %s, %x[%i] : f32, memref<4xf32>
  uop.return
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"vulkan" = #target.record<gpu "scarce",
    types = [f32, i32], subgroup = 8, workgroup = 64, cores = 1>>} {
// expected-error@+1 {{'uop.func' op needs indices of 64 bits, which the device 'scarce' lacks}}
uop.func @wide(%x: memref<4xi32>) {
  %i = uop.special global dim(0) extent(4)
  %wide = arith.index_cast %i : index to i64
  uop.return
}
}
