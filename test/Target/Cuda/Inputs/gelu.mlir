func.func @main(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf16> {
  %r = tiny.matmul %a, %b : (tensor<4096x4096xf16>, tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  %g = tiny.gelu %r : (tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %g : tensor<4096x4096xf16>
}
