// Parts that few threads share most evenly: as many as there are threads, or more where no such number divides.
// RUN: tiny-opt %s -lazy-split-reduce="parallelism=2 min-elements=1000" --remarks-filter=lazy-split-reduce \
// RUN:   --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: [Passed] split {{.*}}Function=even | {{.*}}"axis 0 goes into 2 parts"
func.func @even(%x: tensor<4000xi32>) -> tensor<i32> {
  %s = lazy.reduce addi (%x) axes [0] : (tensor<4000xi32>) -> tensor<i32>
  return %s : tensor<i32>
}

// Of nine parts a thread waits for a shorter one than of three.
// CHECK: [Passed] split {{.*}}Function=odd | {{.*}}"axis 0 goes into 9 parts"
func.func @odd(%x: tensor<4509xi32>) -> tensor<i32> {
  %s = lazy.reduce addi (%x) axes [0] : (tensor<4509xi32>) -> tensor<i32>
  return %s : tensor<i32>
}

// CHECK: [Missed] split {{.*}}Function=prime | {{.*}}"stays whole: no fitting number of parts divides an axis (min-parts)"
func.func @prime(%x: tensor<4001xi32>) -> tensor<i32> {
  %s = lazy.reduce addi (%x) axes [0] : (tensor<4001xi32>) -> tensor<i32>
  return %s : tensor<i32>
}
