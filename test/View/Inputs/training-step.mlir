// A step of gradient descent on a product with a bias.
func.func @main(%x: tensor<32x48xf32>, %w: tensor<48x10xf32>, %b: tensor<10xf32>, %y: tensor<32x10xf32>)
    -> (tensor<48x10xf32>, tensor<10xf32>, tensor<f32>) {
  %rate = tiny.constant dense<0.01> : tensor<f32>
  %p = tiny.matmul %x, %w : (tensor<32x48xf32>, tensor<48x10xf32>) -> tensor<32x10xf32>
  %q = tiny.add %p, %b : (tensor<32x10xf32>, tensor<10xf32>) -> tensor<32x10xf32>
  %s = tiny.log_softmax %q axis -1 : (tensor<32x10xf32>) -> tensor<32x10xf32>
  %m = tiny.mul %s, %y : (tensor<32x10xf32>, tensor<32x10xf32>) -> tensor<32x10xf32>
  %t = tiny.sum %m axes [0, 1] : (tensor<32x10xf32>) -> tensor<f32>
  %loss = tiny.neg %t : (tensor<f32>) -> tensor<f32>
  %dw, %db = tiny.gradient %loss wrt %w, %b : (tensor<f32>, tensor<48x10xf32>, tensor<10xf32>) -> (tensor<48x10xf32>, tensor<10xf32>)
  %sw = tiny.mul %dw, %rate : (tensor<48x10xf32>, tensor<f32>) -> tensor<48x10xf32>
  %sb = tiny.mul %db, %rate : (tensor<10xf32>, tensor<f32>) -> tensor<10xf32>
  %w1 = tiny.sub %w, %sw : (tensor<48x10xf32>, tensor<48x10xf32>) -> tensor<48x10xf32>
  %b1 = tiny.sub %b, %sb : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
  return %w1, %b1, %loss : tensor<48x10xf32>, tensor<10xf32>, tensor<f32>
}
