func.func @main(%a: tensor<16x197x160xf16>, %b: tensor<16x160x197xf16>) -> tensor<16x197x197xf16> {
  %r = tiny.matmul %a, %b : (tensor<16x197x160xf16>, tensor<16x160x197xf16>) -> tensor<16x197x197xf16>
  return %r : tensor<16x197x197xf16>
}
