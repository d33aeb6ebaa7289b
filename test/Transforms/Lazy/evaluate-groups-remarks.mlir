// RUN: tiny-opt %s --lazy-evaluate-groups="max-bytes=16 max-elements=64" --remarks-filter=lazy-evaluate-groups --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=remark:
// Of each group of constants a remark; of others none.

// CHECK: remark: [Passed] evaluate {{.*}}Function=made | Remark="'iota' becomes constants, 16 bytes"
func.func @made() -> tensor<4xi32> {
  %0 = lazy.group "iota" () : () -> tensor<4xi32> {
    %i = lazy.iota 0 : tensor<4xi32>
    lazy.yield %i : tensor<4xi32>
  }
  return %0 : tensor<4xi32>
}

// CHECK: remark: [Missed] evaluate {{.*}}Function=large | Remark="'iota' stays: its results have 20 bytes (max-bytes)"
func.func @large() -> tensor<5xi32> {
  %0 = lazy.group "iota" () : () -> tensor<5xi32> {
    %i = lazy.iota 0 : tensor<5xi32>
    lazy.yield %i : tensor<5xi32>
  }
  return %0 : tensor<5xi32>
}

// CHECK: remark: [Missed] evaluate {{.*}}Function=long | Remark="'sum' stays: it has more elements than may be evaluated (max-elements)"
func.func @long() -> tensor<i32> {
  %0 = lazy.group "sum" () : () -> tensor<i32> {
    %i = lazy.iota 0 : tensor<65xi32>
    %s = lazy.reduce addi (%i) axes [0] : (tensor<65xi32>) -> tensor<i32>
    lazy.yield %s : tensor<i32>
  }
  return %0 : tensor<i32>
}

// CHECK: remark: [Missed] evaluate {{.*}}Function=unknown | Remark="'cbrt' stays: what math.cbrt gives is not known"
func.func @unknown() -> tensor<2xf32> {
  %0 = lazy.group "cbrt" () : () -> tensor<2xf32> {
    %c = arith.constant dense<2.0> : tensor<2xf32>
    %r = math.cbrt %c : tensor<2xf32>
    lazy.yield %r : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

func.func @reads(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = lazy.group "negf" (%x) : (tensor<2xf32>) -> tensor<2xf32> {
  ^bb0(%a: tensor<2xf32>):
    %r = arith.negf %a : tensor<2xf32>
    lazy.yield %r : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
