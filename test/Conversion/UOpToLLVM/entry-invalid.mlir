// Kernels whose entry is missing, or is that of another kernel: neither conversion guesses.
// RUN: tiny-opt %s -split-input-file -verify-diagnostics --convert-uop-to-llvm
// RUN: tiny-opt %s -split-input-file -verify-diagnostics --convert-uop-to-emitc

// expected-error @below {{has no 'kernel.entry'; uop-describe-entry writes it}}
uop.func @missing(%out: memref<4xf32>) {
  uop.return
}

// -----

// expected-error @below {{has other hardware axes than its 'kernel.entry' says}}
uop.func @grid(%out: memref<4xf32>) attributes {kernel.entry = #kernel.entry<grid = [5, 1, 1]>} {
  %i = uop.special global dim(0) extent(4)
  uop.return
}

// -----

// expected-error @below {{has tiles of 64 bytes, its 'kernel.entry' says 0}}
uop.func @scratch(%out: memref<4xf32>) attributes {kernel.entry = #kernel.entry<>} {
  %a = uop.local : memref<8xf32>
  uop.return
}
