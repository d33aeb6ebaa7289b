// What Inputs/version1.tiny was made of, by tiny-compile --processor=x86-64.
func.func @main(%x: tensor<4xf32> {tiny.name = "x"}) -> (tensor<4xf32> {tiny.name = "y"}) {
  %0 = tiny.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
