// RUN: tiny-opt %s -split-input-file --convert-lazy-to-kernel -verify-diagnostics

func.func @outside_group(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'arith.addf' op stands outside a group; run lazy-kernelize first}}
  %0 = arith.addf %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @scalar_condition(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'arith.constant' op can stand in no kernel: expected a lazy operation, or an elementwise one on tensors of one static shape}}
  %c = arith.constant true
  %0 = arith.select %c, %x, %y : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @view_that_needs_a_kernel(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  // expected-error @+1 {{'lazy.permute' op stands outside a group; run lazy-kernelize first}}
  %0 = lazy.permute %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// -----

func.func @part_that_is_not_contiguous(%x: tensor<4x6xf32>) -> tensor<4x3xf32> {
  // expected-error @+1 {{'lazy.shrink' op stands outside a group; run lazy-kernelize first}}
  %0 = lazy.shrink %x begin [0, 0] end [4, 3] : tensor<4x6xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// -----

// expected-error @+1 {{'func.func' op has no body to convert}}
func.func private @declaration(tensor<4xf32>)

// -----

// expected-error @+1 {{'func.func' op has control flow; expected one block}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{expected a tensor of static shape, got 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) {
  return
}

// -----

// expected-error @+1 {{expected a tensor of static shape, got 'f32'}}
func.func @scalar(%x: f32) {
  return
}

// -----

// expected-error @+1 {{no buffer holds a 'tensor<4xui8>': expected signless integers or floats, below 2^62 bytes}}
func.func @unsigned(%x: tensor<4xui8>) {
  return
}

// -----

// expected-error @+1 {{no buffer holds a 'tensor<4294967296x4294967296xf32>': expected signless integers or floats, below 2^62 bytes}}
func.func @huge(%x: tensor<4294967296x4294967296xf32>) {
  return
}

// -----

func.func @index_elements(%x: tensor<4xf32>) {
  // expected-error @+1 {{no buffer holds a 'tensor<4xindex>': expected signless integers or floats, below 2^62 bytes}}
  %0 = lazy.group "index" (%x) : (tensor<4xf32>) -> tensor<4xindex> {
  ^bb0(%a: tensor<4xf32>):
    %c = arith.constant dense<1> : tensor<4xindex>
    lazy.yield %c : tensor<4xindex>
  }
  return
}

// -----

func.func @constant_in_group() -> tensor<2xf32> {
  %0 = lazy.group "constant" () : () -> tensor<2xf32> {
    // expected-error @+1 {{'arith.constant' op in a group must be a splat; other constants are inputs of the group}}
    %c = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    lazy.yield %c : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

func.func @huge_inside() -> tensor<i32> {
  %0 = lazy.group "huge" () : () -> tensor<i32> {
    %i = lazy.iota 0 : tensor<4294967296x4294967296xi32>
    // expected-error @+1 {{'lazy.reduce' op needs static shapes of fewer than 2^62 elements, got 'tensor<4294967296x4294967296xi32>'}}
    %s = lazy.reduce addi (%i) axes [0, 1] : (tensor<4294967296x4294967296xi32>) -> tensor<i32>
    lazy.yield %s : tensor<i32>
  }
  return %0 : tensor<i32>
}

// -----

func.func @not_elementwise() -> tensor<4xf32> {
  %0 = lazy.group "not_elementwise" () : () -> tensor<4xf32> {
    %f = arith.constant 1.0 : f32
    // expected-error @+1 {{'builtin.unrealized_conversion_cast' op has no lowering into a kernel: it is neither elementwise nor an operation of the lazy level}}
    %v = builtin.unrealized_conversion_cast %f : f32 to tensor<4xf32>
    lazy.yield %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @vector_inside() -> tensor<4xf32> {
  %0 = lazy.group "vector" () : () -> tensor<4xf32> {
    %c = arith.constant dense<1.0> : vector<4xf32>
    // expected-error @+1 {{'builtin.unrealized_conversion_cast' op works on 'vector<4xf32>', which no scalar of a kernel stands for}}
    %v = builtin.unrealized_conversion_cast %c : vector<4xf32> to tensor<4xf32>
    lazy.yield %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @kept_too_large(%x: tensor<8xf64>) -> tensor<8xf64> {
  %0 = lazy.group (%x) : (tensor<8xf64>) -> tensor<8xf64> {
  ^bb0(%a: tensor<8xf64>):
    %r = lazy.reshape %a : tensor<8xf64> -> tensor<1x8xf64>
    %w = lazy.expand %r : tensor<1x8xf64> -> tensor<72057594037927936x8xf64>
    // expected-error @below {{no buffer holds a 'tensor<72057594037927936x8xf64>'}}
    %k = lazy.keep %w : tensor<72057594037927936x8xf64>
    %s = lazy.shrink %k begin [0, 0] end [1, 8] : tensor<72057594037927936x8xf64> -> tensor<1x8xf64>
    %o = lazy.reshape %s : tensor<1x8xf64> -> tensor<8xf64>
    lazy.yield %o : tensor<8xf64>
  }
  return %0 : tensor<8xf64>
}

// -----

func.func @in_place_c1(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'lazy.group' op writes result #0 over input #0: expected all of a donated argument, or of what a group made}}
  %0 = lazy.group "neg" (%x) attributes {in_place = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @in_place_c2(%x: tensor<4xf32> {tiny.donated}) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-error @+1 {{'lazy.group' op writes result #0 over input #0, which is needed later}}
  %0 = lazy.group "neg" (%x) attributes {in_place = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %n = arith.negf %a : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  // expected-note @+1 {{here}}
  return %0, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @in_place_c3(%x: tensor<4xf32> {tiny.donated}) -> tensor<4xf32> {
  // expected-error @+1 {{'lazy.group' op writes result #0 over input #0, of which it reads elements that other iterations write}}
  %0 = lazy.group "flip" (%x) attributes {in_place = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %f = lazy.view %a <(4):(-1) + 3> : tensor<4xf32> -> tensor<4xf32>
    %n = arith.negf %f : tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @scan_out_of_order(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = lazy.group (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    // expected-error @below {{'lazy.scan' op is read otherwise than in order; a group that does so keeps it}}
    %s = lazy.scan addf %a axis 0 : tensor<8xf32>
    %f = lazy.flip %s [0] : tensor<8xf32> -> tensor<8xf32>
    lazy.yield %f : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
