// A transformer block: layer norm, attention over 4 heads of 16 with a causal mask, projection, residual; layer norm,
// a product with gelu, a product, residual.
func.func @main(%x: tensor<32x64xf32>, %g1: tensor<64xf32>, %b1: tensor<64xf32>, %wq: tensor<64x64xf32>, %wk: tensor<64x64xf32>,
    %wv: tensor<64x64xf32>, %bq: tensor<64xf32>, %bk: tensor<64xf32>, %bv: tensor<64xf32>, %wo: tensor<64x64xf32>, %bo: tensor<64xf32>,
    %g2: tensor<64xf32>, %b2: tensor<64xf32>, %w1: tensor<64x256xf32>, %c1: tensor<256xf32>, %w2: tensor<256x64xf32>, %c2: tensor<64xf32>) -> tensor<32x64xf32> {
  %n1 = tiny.layer_norm %x scale %g1 bias %b1 axis 1 epsilon 1.0e-5 : (tensor<32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %q0 = tiny.matmul %n1, %wq : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %q1 = tiny.add %q0, %bq : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %k0 = tiny.matmul %n1, %wk : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %k1 = tiny.add %k0, %bk : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %v0 = tiny.matmul %n1, %wv : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %v1 = tiny.add %v0, %bv : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %q2 = tiny.reshape %q1 : (tensor<32x64xf32>) -> tensor<32x4x16xf32>
  %k2 = tiny.reshape %k1 : (tensor<32x64xf32>) -> tensor<32x4x16xf32>
  %v2 = tiny.reshape %v1 : (tensor<32x64xf32>) -> tensor<32x4x16xf32>
  %q = tiny.permute %q2 [1, 0, 2] : (tensor<32x4x16xf32>) -> tensor<4x32x16xf32>
  %kt = tiny.permute %k2 [1, 2, 0] : (tensor<32x4x16xf32>) -> tensor<4x16x32xf32>
  %v = tiny.permute %v2 [1, 0, 2] : (tensor<32x4x16xf32>) -> tensor<4x32x16xf32>
  %scale = tiny.constant dense<0.25> : tensor<f32>
  %s0 = tiny.matmul %q, %kt : (tensor<4x32x16xf32>, tensor<4x16x32xf32>) -> tensor<4x32x32xf32>
  %s1 = tiny.mul %s0, %scale : (tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
  %i = tiny.iota 0 : tensor<32x32xi32>
  %j = tiny.iota 1 : tensor<32x32xi32>
  %past = tiny.ge %i, %j : (tensor<32x32xi32>, tensor<32x32xi32>) -> tensor<32x32xi1>
  %inf = tiny.constant dense<0xFF800000> : tensor<f32>
  %s = tiny.where %past, %s1, %inf : (tensor<32x32xi1>, tensor<4x32x32xf32>, tensor<f32>) -> tensor<4x32x32xf32>
  %p = tiny.softmax %s axis -1 : (tensor<4x32x32xf32>) -> tensor<4x32x32xf32>
  %a0 = tiny.matmul %p, %v : (tensor<4x32x32xf32>, tensor<4x32x16xf32>) -> tensor<4x32x16xf32>
  %a1 = tiny.permute %a0 [1, 0, 2] : (tensor<4x32x16xf32>) -> tensor<32x4x16xf32>
  %a = tiny.reshape %a1 : (tensor<32x4x16xf32>) -> tensor<32x64xf32>
  %o0 = tiny.matmul %a, %wo : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
  %o1 = tiny.add %o0, %bo : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %y = tiny.add %x, %o1 : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %n2 = tiny.layer_norm %y scale %g2 bias %b2 axis 1 epsilon 1.0e-5 : (tensor<32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %h0 = tiny.matmul %n2, %w1 : (tensor<32x64xf32>, tensor<64x256xf32>) -> tensor<32x256xf32>
  %h1 = tiny.add %h0, %c1 : (tensor<32x256xf32>, tensor<256xf32>) -> tensor<32x256xf32>
  %h = tiny.gelu %h1 : (tensor<32x256xf32>) -> tensor<32x256xf32>
  %m0 = tiny.matmul %h, %w2 : (tensor<32x256xf32>, tensor<256x64xf32>) -> tensor<32x64xf32>
  %m1 = tiny.add %m0, %c2 : (tensor<32x64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %z = tiny.add %y, %m1 : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  return %z : tensor<32x64xf32>
}
