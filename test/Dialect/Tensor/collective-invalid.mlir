// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @collective_c1_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a kind of 'all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast' or 'send', got 'gossip'}}
  %0 = tiny.collective "gossip" %x grid [2] axes [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c1_reduction(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects 'sum', 'product', 'max' or 'min', got none}}
  %0 = tiny.collective "all_reduce" %x grid [2] axes [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c1_no_reduction(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects no reduction, got 'sum'}}
  %0 = tiny.collective "broadcast" %x grid [2] axes [0] by "sum" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c2_grid(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects a grid of positive sizes and fewer than 2^31 ranks, got [2, 0]}}
  %0 = tiny.collective "all_reduce" %x grid [2, 0] axes [0] by "sum" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c2_axes(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects axes of the grid, each once, got [0, 0]}}
  %0 = tiny.collective "all_reduce" %x grid [2, 2] axes [0, 0] by "sum" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c3(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-error @below {{expects shapes of 'all_gather' among 2 ranks, got 'tensor<4xf32>' and 'tensor<8xf32>'}}
  %0 = tiny.collective "all_gather" %x grid [2] axes [0] : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

func.func @collective_c4(%x: tensor<4xi32>) -> tensor<4xi32> {
  // expected-error @below {{expects 'sum', 'product', 'max' or 'min', got 'unsigned_max'}}
  %0 = tiny.collective "all_reduce" %x grid [2] axes [0] by "unsigned_max" : (tensor<4xi32>) -> tensor<4xi32>
  return %0 : tensor<4xi32>
}

// -----

func.func @lazy(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects shapes of 'reduce_scatter' among 2 ranks, got 'tensor<4xf32>' and 'tensor<4xf32>'}}
  %0 = lazy.collective "reduce_scatter" %x grid [2] axes [0] by "sum" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

kernel.program @collective_c6(%x: memref<4xf32>) -> memref<4xf32> {
  %y = kernel.alloc : memref<4xf32>
  // expected-error @below {{reads and writes one buffer}}
  kernel.collective "all_reduce" %y, %y grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
  kernel.return %y : memref<4xf32>
}

// -----

func.func @collective_c7_no_peers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects the places of two peers among 2, got []}}
  %0 = tiny.collective "send" %x grid [2] axes [0] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c7_outside(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects the places of two peers among 2, got [0, 2]}}
  %0 = tiny.collective "send" %x grid [2] axes [0] peers [0, 2] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c7_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects the places of two peers among 2, got [1, 1]}}
  %0 = tiny.collective "send" %x grid [2] axes [0] peers [1, 1] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @collective_c7_peers(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{expects no peers, got [0, 1]}}
  %0 = tiny.collective "broadcast" %x grid [2] axes [0] peers [0, 1] : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
