// RUN: tiny-opt %s | tiny-opt | FileCheck %s

// CHECK-LABEL: func.func @all()
// CHECK-SAME: kernel.entry = #kernel.entry<grid = [4, 3, 2], workgroup = [8, 1, 1], shared = 16, scratch = 64, in_place = true, operations = 7, bytes = 9>
func.func @all() attributes {kernel.entry = #kernel.entry<bytes = 9, grid = [4, 3, 2], workgroup = [8, 1, 1], shared = 16, scratch = 64, in_place = true, operations = 7>} {
  return
}
// CHECK-LABEL: func.func @nothing()
// CHECK-SAME: kernel.entry = #kernel.entry<>
func.func @nothing() attributes {kernel.entry = #kernel.entry<grid = [1, 1, 1]>} {
  return
}
