// REQUIRES: target-x86
// RUN: tiny-compile %s --processor=x86-64-v3 --show-kernel=pad_sum | FileCheck %s

// 7 elements of each row but the first and the last, in a vector of 16 for the padded 9: of the second register, which
// is 3 in each row, nothing is read.
// CHECK: // ----- assembly
// CHECK-LABEL: pad_sum:
// CHECK-NOT: 32(%r{{.+}}), %ymm
// CHECK: vpmaskmovd (%r{{[^)]+}}), %ymm{{[0-9]+}}, %ymm{{[0-9]+}}
// CHECK-NOT: 32(%r{{.+}}), %ymm
// CHECK: retq
func.func @main(%x: tensor<39x7xi32>) -> tensor<9xi32> {
  %0 = tiny.pad %x low [1, 0] high [1, 2] value 3 : i32 : (tensor<39x7xi32>) -> tensor<41x9xi32>
  %1 = tiny.sum %0 axes [0] : (tensor<41x9xi32>) -> tensor<9xi32>
  return %1 : tensor<9xi32>
}

// The mask of each register is computed by itself: nothing is packed to bytes.
// RUN: tiny-compile %S/Inputs/window.mlir --processor=x86-64-v3 --compile-to=assembly -o - | FileCheck %s --check-prefix=WINDOW
// WINDOW-NOT: {{vpacksswb|vpinsrb|vpmovmskb}}
// WINDOW: vmaskmovps
// WINDOW-NOT: {{vpacksswb|vpinsrb|vpmovmskb}}
