// RUN: tiny-opt %s -verify-diagnostics --kernel-copy-between-devices=devices=gpu,cpu

kernel.program @main(%x: memref<8xf32>) {
  kernel.launch @elsewhere ins(%x : memref<8xf32>) outs()
  kernel.return
}
// expected-error @+1 {{kernel 'elsewhere' runs on "tpu", expected one of ["gpu", "cpu"]}}
kernel.func private @elsewhere(%in: memref<8xf32>) attributes {device = "tpu"} {
}
