// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @matmul_c1(%x: tensor<4x6xf32>, %y: tensor<f32>) {
  // expected-error @below {{'tiny.matmul' op expects operands of rank 1 or more, got 'tensor<4x6xf32>' and 'tensor<f32>'}}
  // expected-error @below {{'tiny.matmul' op failed to infer returned types}}
  %0 = tiny.matmul %x, %y : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.matmul' op expects a right operand with 6 rows, got 4}}
  // expected-error @below {{'tiny.matmul' op failed to infer returned types}}
  %0 = tiny.matmul %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_c3(%x: tensor<2x4x6xf32>, %y: tensor<3x6x4xf32>) {
  // expected-error @below {{'tiny.matmul' op expects batch axes that broadcast, got 2 and 3}}
  // expected-error @below {{'tiny.matmul' op failed to infer returned types}}
  %0 = tiny.matmul %x, %y : (tensor<2x4x6xf32>, tensor<3x6x4xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @linear_c1(%x: tensor<4x6xf32>, %w: tensor<6x3xf32>) {
  // expected-error @below {{'tiny.linear' op expects an input [..., in] and a weight [out, in], got 'tensor<4x6xf32>' and 'tensor<6x3xf32>'}}
  // expected-error @below {{'tiny.linear' op failed to infer returned types}}
  %0 = tiny.linear %x, %w : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @linear_c2(%x: tensor<4x6xf32>, %w: tensor<3x6xf32>, %b: tensor<6xf32>) {
  // expected-error @below {{'tiny.linear' op expects a bias of 3 numbers, got 'tensor<6xf32>'}}
  // expected-error @below {{'tiny.linear' op failed to infer returned types}}
  %0 = tiny.linear %x, %w bias %b : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c1(%x: tensor<4x6xf32>, %y: tensor<6xf32>) {
  // expected-error @below {{'tiny.gemm' op expects operands of rank 2, got 'tensor<4x6xf32>' and 'tensor<6xf32>'}}
  // expected-error @below {{'tiny.gemm' op failed to infer returned types}}
  %0 = tiny.gemm %x, %y : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c2(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.gemm' op expects an inner size of 6 on the right, got 4}}
  // expected-error @below {{'tiny.gemm' op failed to infer returned types}}
  %0 = tiny.gemm %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c3(%x: tensor<4x6xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{'tiny.gemm' op expects an addend that broadcasts to 4x4, got 'tensor<3xf32>'}}
  // expected-error @below {{'tiny.gemm' op failed to infer returned types}}
  %0 = tiny.gemm %x, %x plus %c transpose_b : (tensor<4x6xf32>, tensor<4x6xf32>, tensor<3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @gemm_c4(%x: tensor<4x6xi32>) {
  // expected-error @below {{'tiny.gemm' op expects an integer alpha and beta for 'i32'}}
  // expected-error @below {{'tiny.gemm' op failed to infer returned types}}
  %0 = tiny.gemm %x, %x alpha 0.5 transpose_b : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x4xi32>
  return
}

// -----

func.func @conv_c1(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects input and weight of one rank of 3 or more, got 'tensor<1x4x8x8xf32>' and 'tensor<6x4x3xf32>'}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w : (tensor<1x4x8x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects groups that divide 4 and 6 channels, got 4}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w groups 4 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c5_ints(%x: tensor<1x4x8x8xi32>, %w: tensor<6x4x3x3xi32>) {
  // expected-error @below {{'tiny.conv' op expects floats for winograd, got i32}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w winograd [2, 2] : (tensor<1x4x8x8xi32>, tensor<6x4x3x3xi32>) -> tensor<1x6x6x6xi32>
  return
}

// -----

func.func @conv_c5_number(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects 2 numbers as winograd, one per spatial axis, got 1}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w winograd [4] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c5_zero(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects winograd of at least 1, got 0}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w winograd [0, 4] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c5_large(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects winograd of at most 6 on spatial axis 1, with a window of 3 by 1 dilated by 1, got 7}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w winograd [4, 7] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c5_stride(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects winograd of at most 1 on spatial axis 1, with a window of 3 by 2 dilated by 1, got 2}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w strides [1, 2] winograd [4, 2] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x3xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects a weight with 2 input channels, got 4}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w groups 2 : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'tiny.conv' op expects a bias of 6 numbers, got 'tensor<4xf32>'}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w bias %b : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>, tensor<4xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @window_c1(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects 2 numbers as strides, one per spatial axis, got 1}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w strides [1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @window_c1_kernel(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{'tiny.max_pool' op expects 2 numbers as kernel, one per spatial axis, got 1}}
  // expected-error @below {{'tiny.max_pool' op failed to infer returned types}}
  %0 = tiny.max_pool %x kernel [2] : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @window_c2(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects dilations of at least 1 and at most 2^30, got 0}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w dilations [1, 0] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @window_c2_padding(%x: tensor<1x4x8x8xf32>, %w: tensor<6x4x3x3xf32>) {
  // expected-error @below {{'tiny.conv' op expects low of at least 0 and at most 2^30, got -1}}
  // expected-error @below {{'tiny.conv' op failed to infer returned types}}
  %0 = tiny.conv %x, %w low [0, -1] : (tensor<1x4x8x8xf32>, tensor<6x4x3x3xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @window_c3(%x: tensor<1x4x8x8xf32>) {
  // expected-error @below {{'tiny.max_pool' op expects a padded size of at least 9 on spatial axis 1 for its window, got 8}}
  // expected-error @below {{'tiny.max_pool' op failed to infer returned types}}
  %0 = tiny.max_pool %x kernel [2, 9] : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return
}

// -----

func.func @window_c4(%x: tensor<0x1x4611686018427387903xi8>) {
  // expected-error @below {{'tiny.max_pool' op expects at most 2^61 elements on a spatial axis, got 4611686018427387903}}
  // expected-error @below {{'tiny.max_pool' op failed to infer returned types}}
  %0 = tiny.max_pool %x kernel [2] : (tensor<0x1x4611686018427387903xi8>) -> tensor<0x1x2xi8>
  return
}

// -----

func.func @pool_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.avg_pool' op expects an input of rank 3 or more, got 'tensor<4x6xf32>'}}
  // expected-error @below {{'tiny.avg_pool' op failed to infer returned types}}
  %0 = tiny.avg_pool %x kernel [] : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @global_pool_c1(%x: tensor<4x6xf32>) {
  // expected-error @below {{'tiny.global_avg_pool' op expects an input of rank 3 or more, got 'tensor<4x6xf32>'}}
  // expected-error @below {{'tiny.global_avg_pool' op failed to infer returned types}}
  %0 = tiny.global_avg_pool %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return
}
