// RUN: tiny-opt %s --lazy-kernelize -verify-diagnostics

// expected-error @below {{function 'control_flow' has control flow: expects one block}}
func.func @control_flow(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}
