// A product whose lanes hold 128 sums each, and a function of them that reads its argument twice.
func.func @main(%a: tensor<4096x1024xf16>, %b: tensor<1024x4096xf16>) -> tensor<4096x4096xf16> {
  %product = tiny.matmul %a, %b : (tensor<4096x1024xf16>, tensor<1024x4096xf16>) -> tensor<4096x4096xf16>
  %result = tiny.silu %product : (tensor<4096x4096xf16>) -> tensor<4096x4096xf16>
  return %result : tensor<4096x4096xf16>
}
