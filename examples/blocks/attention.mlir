// Attention of 8 heads over 512 positions of 64 numbers, and inputs for it.
func.func @main(%q: tensor<8x512x64xf32> {tiny.name = "q"}, %k: tensor<8x512x64xf32> {tiny.name = "k"},
    %v: tensor<8x512x64xf32> {tiny.name = "v"}) -> tensor<8x512x64xf32> {
  %kt = tiny.permute %k [0, 2, 1] : (tensor<8x512x64xf32>) -> tensor<8x64x512xf32>
  %s = tiny.matmul %q, %kt : (tensor<8x512x64xf32>, tensor<8x64x512xf32>) -> tensor<8x512x512xf32>
  %scale = tiny.constant dense<0.125> : tensor<f32>
  %x = tiny.mul %s, %scale : (tensor<8x512x512xf32>, tensor<f32>) -> tensor<8x512x512xf32>
  %p = tiny.softmax %x axis -1 : (tensor<8x512x512xf32>) -> tensor<8x512x512xf32>
  %o = tiny.matmul %p, %v : (tensor<8x512x512xf32>, tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %o : tensor<8x512x64xf32>
}

func.func @inputs() -> (tensor<8x512x64xf32> {tiny.name = "q"}, tensor<8x512x64xf32> {tiny.name = "k"},
    tensor<8x512x64xf32> {tiny.name = "v"}) {
  %0 = tiny.iota 1 : tensor<8x512x64xi32>
  %1 = tiny.iota 2 : tensor<8x512x64xi32>
  %2 = tiny.mul %0, %1 : (tensor<8x512x64xi32>, tensor<8x512x64xi32>) -> tensor<8x512x64xi32>
  %3 = tiny.cast %2 : (tensor<8x512x64xi32>) -> tensor<8x512x64xf32>
  %q = tiny.sin %3 : (tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %k = tiny.cos %3 : (tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  %v = tiny.neg %q : (tensor<8x512x64xf32>) -> tensor<8x512x64xf32>
  return %q, %k, %v : tensor<8x512x64xf32>, tensor<8x512x64xf32>, tensor<8x512x64xf32>
}
