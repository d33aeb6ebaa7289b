// What is added to a product may lie along the lanes as it likes: it is gathered once for each result.
// RUN: tiny-opt %s -target-attach=processor=x86-64-v4 -tiny-tensor-to-kernel-pipeline \
// RUN:   -remarks-filter-passed=kernel-default-schedule -remarks-filter-analyse=kernel-default-schedule \
// RUN:   -remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: tiny-opt %s -target-attach=processor=x86-64-v4 -tiny-tensor-to-uop-pipeline -check-passes \
// RUN:   | FileCheck %s --check-prefix=UOP

// UOP: math.fma {{.*}} : vector<32xf32>
// UOP: uop.gather %{{.+}}[%{{.+}}] : memref<12288xf32>
// CHECK: the rule that fits is about tiles of products
func.func @main(%q: tensor<12x32x24xf32>, %k: tensor<12x32x24xf32>, %bias: tensor<32x32x12xf32>)
    -> tensor<12x32x32xf32> {
  %0 = tiny.permute %k [0, 2, 1] : (tensor<12x32x24xf32>) -> tensor<12x24x32xf32>
  %1 = tiny.matmul %q, %0 : (tensor<12x32x24xf32>, tensor<12x24x32xf32>) -> tensor<12x32x32xf32>
  %2 = tiny.permute %bias [2, 0, 1] : (tensor<32x32x12xf32>) -> tensor<12x32x32xf32>
  %3 = tiny.add %1, %2 : (tensor<12x32x32xf32>, tensor<12x32x32xf32>) -> tensor<12x32x32xf32>
  %4 = tiny.softmax %3 axis 2 : (tensor<12x32x32xf32>) -> tensor<12x32x32xf32>
  return %4 : tensor<12x32x32xf32>
}
