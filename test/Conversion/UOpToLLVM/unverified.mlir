// What the verifier of uop.func keeps out is no kernel for a CPU either.
// RUN: tiny-opt %s -verify-diagnostics --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=false --uop-describe-entry --convert-uop-to-llvm

// expected-error @below {{argument 0 of type 'memref<2x2xf32>' is no rank-1 buffer}}
uop.func @plane(%in: memref<2x2xf32>) {
  uop.return
}
