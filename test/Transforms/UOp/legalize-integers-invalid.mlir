// RUN: tiny-opt %s --uop-legalize -split-input-file -verify-diagnostics -o /dev/null

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "words",
    types = [f32, i32], subgroup = 4, workgroup = 64, cores = 1>>} {
uop.func @bits(%x: memref<4xi64>, %y: memref<4xi64>) {
  %i = uop.special global dim(0) extent(4)
  %v = uop.load %x[%i] : memref<4xi64>, i64
  // expected-error @below {{'math.ctpop' cannot be emulated on integers of 64 bits, which the target lacks}}
  %w = math.ctpop %v : i64
  uop.store %w, %y[%i] : i64, memref<4xi64>
  uop.return
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"gpu" = #target.record<gpu "words",
    types = [f32, i32], subgroup = 4, workgroup = 64, cores = 1>>} {
uop.func @doubles(%x: memref<4xf64>, %y: memref<4xi64>) {
  %i = uop.special global dim(0) extent(4)
  // expected-error @below {{'uop.load' has a value of f64, which the target lacks and nothing emulates}}
  %v = uop.load %x[%i] : memref<4xf64>, f64
  %w = arith.fptosi %v : f64 to i64
  uop.store %w, %y[%i] : i64, memref<4xi64>
  uop.return
}
}
