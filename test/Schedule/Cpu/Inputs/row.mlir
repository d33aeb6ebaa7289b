// To read the matrix takes longer than to compute: a tile of some columns accumulates several rows of it at a time.
func.func @row(%x: tensor<4096xf32>, %m: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %0 = tiny.matmul %x, %m : (tensor<4096xf32>, tensor<4096x4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
