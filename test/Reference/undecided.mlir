// RUN: not tiny-interpret %s 2>&1 | FileCheck %s

// CHECK: error: reads what it decides by before it is written
kernel.program @main() -> (memref<1xi1> {tiny.type = tensor<i1>}) {
  %c = kernel.alloc : memref<1xi1>
  kernel.if %c {}
  kernel.return %c : memref<1xi1>
}
