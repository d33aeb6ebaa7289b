func.func @main(%x: tensor<32x48xf32>, %w: tensor<48x64xf32>, %b: tensor<64xf32>) -> tensor<32x64xf32> {
  %p = tiny.matmul %x, %w : (tensor<32x48xf32>, tensor<48x64xf32>) -> tensor<32x64xf32>
  %s = tiny.add %p, %b : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %q = tiny.pad %s low [1, 0] high [1, 0] : (tensor<32x64xf32>) -> tensor<34x64xf32>
  %t = tiny.shrink %q begin [0, 0] end [32, 64] : (tensor<34x64xf32>) -> tensor<32x64xf32>
  %r = tiny.softmax %t axis -1 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  return %r : tensor<32x64xf32>
}
