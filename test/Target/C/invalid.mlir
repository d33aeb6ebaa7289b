// RUN: tiny-translate %s --export-c --split-input-file --verify-diagnostics

kernel.program @first() {
  kernel.return
}

// expected-error@+1 {{is a second program; C is written of one}}
kernel.program @second() {
  kernel.return
}

// -----

kernel.func @at_kernel_level(%x: memref<4xf32>) {
}
kernel.program @missing(%x: memref<4xf32>) {
  // expected-error@+1 {{launches 'at_kernel_level', which is no emitc.func}}
  kernel.launch @at_kernel_level ins() outs(%x : memref<4xf32>)
  kernel.return
}

// -----

emitc.func @without_entry(%x: !emitc.ptr<f32>) {
  emitc.return
}
kernel.program @entry(%x: memref<4xf32>) {
  // expected-error@+1 {{launches 'without_entry', which has no 'kernel.entry'}}
  kernel.launch @without_entry ins() outs(%x : memref<4xf32>)
  kernel.return
}

// -----

kernel.program @resource() -> memref<2xf32> {
  // expected-error@+1 {{has elements that are missing, too few, or of a type that has no form in C}}
  %x = kernel.constant dense_resource<nowhere> : tensor<2xf32> -> memref<2xf32>
  kernel.return %x : memref<2xf32>
}

// -----

kernel.program @fill(%x: memref<4xi7>) {
  // expected-error@+1 {{fills with a value that has no form in C}}
  kernel.fill %x, 1 : i7 -> memref<4xi7>
  kernel.return
}

// -----

kernel.program @item(%x: memref<4xf32>) {
  // expected-error@+1 {{has no form in C}}
  emitc.verbatim "item"
  kernel.return
}
