// RUN: tiny-opt %s -split-input-file -verify-diagnostics

func.func @movement_c1_rank(%x: tensor<4x1xf32>) {
  // expected-error @below {{'lazy.expand' op keeps the rank: got rank 1 from rank 2}}
  %0 = lazy.expand %x : tensor<4x1xf32> -> tensor<4xf32>
  return
}

// -----

func.func @movement_c2_entries(%x: tensor<4x6xf32>) {
  // expected-error @below {{'lazy.pad' op expects one high entry per axis: got 1 for rank 2}}
  %0 = lazy.pad %x low [1, 0] high [1] : tensor<4x6xf32> -> tensor<6x6xf32>
  return
}

// -----

func.func @movement_c3_size(%x: tensor<4x6xf32>) {
  // expected-error @below {{'lazy.flip' op expects size 6 for result axis 1, got 7}}
  %0 = lazy.flip %x [0] : tensor<4x6xf32> -> tensor<4x7xf32>
  return
}

// -----

func.func @reshape_c1_overflow(%x: tensor<4611686018427387904x4xf32>) {
  // expected-error @below {{'lazy.reshape' op has a type whose size overflows}}
  %0 = lazy.reshape %x : tensor<4611686018427387904x4xf32> -> tensor<4x4611686018427387904xf32>
  return
}

// -----

func.func @reshape_c2_elements(%x: tensor<4x6xf32>) {
  // expected-error @below {{'lazy.reshape' op keeps the number of elements: got 25 from 24}}
  %0 = lazy.reshape %x : tensor<4x6xf32> -> tensor<25xf32>
  return
}

// -----

func.func @expand_c1_axis(%x: tensor<4x2xf32>) {
  // expected-error @below {{'lazy.expand' op expands axes of size 1 only: axis 1 goes from 2 to 6}}
  %0 = lazy.expand %x : tensor<4x2xf32> -> tensor<4x6xf32>
  return
}

// -----

func.func @permute_c1_twice(%x: tensor<4x4xf32>) {
  // expected-error @below {{'lazy.permute' op expects a permutation of the axes, got [1, 1]}}
  %0 = lazy.permute %x [1, 1] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @permute_c1_range(%x: tensor<4x4xf32>) {
  // expected-error @below {{'lazy.permute' op expects a permutation of the axes, got [0, 2]}}
  %0 = lazy.permute %x [0, 2] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @pad_c1_negative(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.pad' op expects padding of zero or more: axis 0 has -1 and 0}}
  %0 = lazy.pad %x low [-1] high [0] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @pad_c2_overflow(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.pad' op pads axis 0 beyond what can be counted}}
  %0 = lazy.pad %x low [9223372036854775807] high [9] : tensor<4xf32> -> tensor<12xf32>
  return
}

// -----

func.func @shrink_c1_window(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.shrink' op expects a window inside axis 0 of size 4, got [2, 5)}}
  %0 = lazy.shrink %x begin [2] end [5] : tensor<4xf32> -> tensor<3xf32>
  return
}

// -----

func.func @flip_c1_axes(%x: tensor<4x4xf32>) {
  // expected-error @below {{'lazy.flip' op expects sorted and unique axes below rank 2, got [1, 0]}}
  %0 = lazy.flip %x [1, 0] : tensor<4x4xf32> -> tensor<4x4xf32>
  return
}

// -----

func.func @view_c1_shape(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.view' op expects the tracker's shape (4, 8) to be the result's}}
  %0 = lazy.view %x <(4, 8):(8, 1)> : tensor<4x8xf32> -> tensor<8x4xf32>
  return
}

// -----

func.func @view_c2_inside(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.view' op reads positions 1 to 32 of an input of 32 elements}}
  %0 = lazy.view %x <(4, 8):(8, 1) + 1> : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// expected-error @below {{expects one stride per axis: got 1 for 2}}
func.func private @tracker_strides() attributes {t = #lazy.tracker<(4, 8):(8)>}

// -----

// expected-error @below {{expects one mask interval per axis: got 1 for 2}}
func.func private @tracker_mask_rank() attributes {t = #lazy.tracker<(4, 8):(8, 1) mask [0:4]>}

// -----

// expected-error @below {{axis 0 has the negative size -4}}
func.func private @tracker_size() attributes {t = #lazy.tracker<(-4):(1)>}

// -----

// expected-error @below {{axis 0 of size 4 can't have the mask 1:5}}
func.func private @tracker_mask() attributes {t = #lazy.tracker<(4):(1) mask [1:5]>}

// -----

// expected-error @below {{a position of this view overflows}}
func.func private @tracker_c1_overflow() attributes {t = #lazy.tracker<(4):(4611686018427387904)>}

// -----

// expected-error @below {{view #1 reads positions 0 to 5 of a view of 4 elements}}
func.func private @tracker_c1_inside() attributes {t = #lazy.tracker<(4):(1), (6):(1)>}

// -----

// expected-error @below {{expects at least one view}}
func.func private @tracker_empty() attributes {t = #lazy.tracker<>}

// -----

func.func @iota_c1_axis() {
  // expected-error @below {{'lazy.iota' op expects an axis below rank 2, got 2}}
  %0 = lazy.iota 2 : tensor<4x8xi32>
  return
}

// -----

func.func @reduce_c1_results(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.reduce' op expects one result per input and at least one: got 2 for 1}}
  %0:2 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @reduce_c2_shapes(%x: tensor<4x8xf32>, %y: tensor<4x4xf32>) {
  // expected-error @below {{'lazy.reduce' op expects inputs of one shape, got 'tensor<4x8xf32>' and 'tensor<4x4xf32>'}}
  %0:2 = lazy.reduce addf (%x, %y) axes [1] : (tensor<4x8xf32>, tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @reduce_c3_axes(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.reduce' op expects sorted and unique axes below rank 2, got [1, 1]}}
  %0 = lazy.reduce addf (%x) axes [1, 1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c4_result(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.reduce' op expects a result of type 'tensor<4xf32>', got 'tensor<8xf32>'}}
  %0 = lazy.reduce addf (%x) axes [1] : (tensor<4x8xf32>) -> tensor<8xf32>
  return
}

// -----

func.func @reduce_c5_neither(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.reduce' op expects a kind or a region}}
  %0 = lazy.reduce (%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_c5_both(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op has a kind and a region: expects one of them}}
  %0 = lazy.reduce addf (%x) axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    lazy.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c6_inits(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op with a kind starts at its identity: expects no initial values}}
  %0 = lazy.reduce addf (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c6_assign(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op expects a kind that combines, got assign}}
  %0 = lazy.reduce assign (%x) axes [0] : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c6_kind(%x: tensor<4xi32>) {
  // expected-error @below {{'lazy.reduce' op of kind maximumf can't combine 'i32'}}
  %0 = lazy.reduce maximumf (%x) axes [0] : (tensor<4xi32>) -> tensor<i32>
  return
}

// -----

func.func @reduce_c7_count(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op with a region expects one initial value per input: got 0 for 1}}
  %0 = lazy.reduce (%x) axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    lazy.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c7_type(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op expects initial value #0 of type 'f32', got 0 : i32}}
  %0 = lazy.reduce (%x) init [0 : i32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    lazy.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c8_count(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op expects 2 combiner arguments, got 1}}
  %0 = lazy.reduce (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32):
    lazy.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c8_type(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op expects combiner argument #1 of type 'f32', got 'i32'}}
  %0 = lazy.reduce (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: i32):
    lazy.yield %a : f32
  }
  return
}

// -----

func.func @reduce_c9_terminator(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.reduce' op expects the combiner to end with lazy.yield}}
  %0 = lazy.reduce (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }
  return
}

// -----

func.func @reduce_c9_count(%x: tensor<4xf32>) {
  %0 = lazy.reduce (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'lazy.yield' op expects 1 values, got 2}}
    lazy.yield %a, %b : f32, f32
  }
  return
}

// -----

func.func @reduce_c9_type(%x: tensor<4xf32>) {
  %0 = lazy.reduce (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    %k = arith.constant 0 : i32
    // expected-error @below {{'lazy.yield' op expects value #0 of type 'f32', got 'i32'}}
    lazy.yield %k : i32
  }
  return
}

// -----

func.func private @callee()
func.func @reduce_c10_effects(%x: tensor<4xf32>) {
  %0 = lazy.reduce (%x) init [0.0 : f32] axes [0] : (tensor<4xf32>) -> tensor<f32> {
  ^bb0(%a: f32, %b: f32):
    // expected-error @below {{'func.call' op is no scalar arithmetic: a combiner has no effects and no regions}}
    func.call @callee() : () -> ()
    lazy.yield %a : f32
  }
  return
}

// -----

func.func @group_c1_results(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.group' op expects at least one result}}
  lazy.group (%x) : (tensor<4xf32>) -> () {
  ^bb0(%a: tensor<4xf32>):
    lazy.yield
  }
  return
}

// -----

func.func @group_c2_arguments(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.group' op expects body arguments of types ('tensor<4xf32>'), got ('tensor<8xf32>')}}
  %0 = lazy.group (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    lazy.yield %a : tensor<8xf32>
  }
  return
}

// -----

func.func @group_c3_types(%x: tensor<4xf32>) {
  // expected-error @below {{'lazy.group' op expects to yield types ('tensor<8xf32>'), got ('tensor<4xf32>')}}
  %0 = lazy.group (%x) : (tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    lazy.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c4_nested(%x: tensor<4xf32>) {
  %0 = lazy.group (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'lazy.group' op can't stand in a group, which is one kernel}}
    %g = lazy.group (%a) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%b: tensor<4xf32>):
      lazy.yield %b : tensor<4xf32>
    }
    lazy.yield %g : tensor<4xf32>
  }
  return
}

// -----

func.func private @callee()
func.func @group_c5_effects(%x: tensor<4xf32>) {
  %0 = lazy.group (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    // expected-error @below {{'func.call' op has effects: a group only computes}}
    func.call @callee() : () -> ()
    lazy.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @assign_c1(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'lazy.assign' op expects the tracker's shape (4) to be the value's}}
  %0 = lazy.assign %v, %b <(4):(1)> : tensor<3xf32>, tensor<8xf32>
  return
}

// -----

func.func @assign_c2(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'lazy.assign' op writes positions 6 to 8 of a base of 8 elements}}
  %0 = lazy.assign %v, %b <(3):(1) + 6> : tensor<3xf32>, tensor<8xf32>
  return
}

// -----

func.func @assign_c3(%v: tensor<3x2xf32>, %b: tensor<8xf32>) {
  // expected-error @below {{'lazy.assign' op may write one element of its base twice}}
  %0 = lazy.assign %v, %b <(3, 2):(1, 1)> : tensor<3x2xf32>, tensor<8xf32>
  return
}

// -----

// Too large to look at each element, and the strides do not nest.
func.func @assign_c3_large(%v: tensor<300x300xf32>, %b: tensor<3000xf32>) {
  // expected-error @below {{'lazy.assign' op may write one element of its base twice}}
  %0 = lazy.assign %v, %b <(300, 300):(2, 3)> : tensor<300x300xf32>, tensor<3000xf32>
  return
}

// -----

func.func @group_c6(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  %0 = lazy.group (%v, %b) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%w: tensor<3xf32>, %c: tensor<8xf32>):
    %n = arith.negf %c : tensor<8xf32>
    // expected-error @below {{'lazy.assign' op in a group expects a base that is an input of the group, assigned once, a splat, or what the group assigns}}
    %1 = lazy.assign %w, %n <(3):(1)> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %1 : tensor<8xf32>
  }
  return
}

// -----

func.func @group_c6_twice(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  %0:2 = lazy.group (%v, %b) : (tensor<3xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%w: tensor<3xf32>, %c: tensor<8xf32>):
    %1 = lazy.assign %w, %c <(3):(1)> : tensor<3xf32>, tensor<8xf32>
    // expected-error @below {{'lazy.assign' op in a group expects a base that is an input of the group, assigned once, a splat, or what the group assigns}}
    %2 = lazy.assign %w, %c <(3):(1) + 4> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

func.func @group_c7(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  %0 = lazy.group (%v, %b) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%w: tensor<3xf32>, %c: tensor<8xf32>):
    // expected-error @below {{'lazy.assign' op in a group is only for the group to yield, or to assign to once more}}
    %1 = lazy.assign %w, %c <(3):(1)> : tensor<3xf32>, tensor<8xf32>
    %n = arith.negf %1 : tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return
}

// -----

func.func @group_c7_twice(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  %0:2 = lazy.group (%v, %b) : (tensor<3xf32>, tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  ^bb0(%w: tensor<3xf32>, %c: tensor<8xf32>):
    // expected-error @below {{'lazy.assign' op in a group is only for the group to yield, or to assign to once more}}
    %1 = lazy.assign %w, %c <(3):(1)> : tensor<3xf32>, tensor<8xf32>
    %2 = lazy.assign %w, %1 <(3):(1) + 4> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  return
}

// -----

func.func @group_c8(%v: tensor<3xf32>, %b: tensor<8xf32>) {
  %0 = lazy.group (%v, %b) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%w: tensor<3xf32>, %c: tensor<8xf32>):
    %1 = lazy.assign %w, %c <(3):(2)> : tensor<3xf32>, tensor<8xf32>
    // expected-note @below {{by this}}
    %2 = lazy.assign %w, %1 <(3):(2) + 3> : tensor<3xf32>, tensor<8xf32>
    // expected-error @below {{'lazy.assign' op may write an element that its group has assigned before}}
    %3 = lazy.assign %w, %2 <(3):(1) + 4> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %3 : tensor<8xf32>
  }
  return
}

// -----

func.func @unknown_kind(%x: tensor<4xf32>) {
  // expected-error @below {{expected a kind of reduction, got 'addd'; there are addf, addi, }}
  %0 = lazy.reduce addd (%x) axes [0] : (tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @group_c9(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lazy.group' op expects 'in_place' of 1 numbers, one for each result, got 2}}
  %0 = lazy.group (%x) attributes {in_place = array<i64: 0, -1>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    lazy.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c9_number(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lazy.group' op writes result #0 over input #1, which it has not}}
  %0 = lazy.group (%x) attributes {in_place = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    lazy.yield %a : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c10(%x: tensor<4xf32>) {
  // expected-error @+1 {{'lazy.group' op writes two results over input #0}}
  %0:2 = lazy.group (%x) attributes {in_place = array<i64: 0, 0>} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  ^bb0(%a: tensor<4xf32>):
    lazy.yield %a, %a : tensor<4xf32>, tensor<4xf32>
  }
  return
}

// -----

func.func @group_c10_type(%x: tensor<4xi32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{'lazy.group' op writes result #0 of type 'tensor<4xf32>' over input #0, which is of type 'tensor<4xi32>'}}
  %0 = lazy.group (%x, %y) attributes {in_place = array<i64: 0>} : (tensor<4xi32>, tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xi32>, %b: tensor<4xf32>):
    lazy.yield %b : tensor<4xf32>
  }
  return
}

// -----

func.func @group_c11(%x: tensor<4xf32>, %y: tensor<4xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{'lazy.group' op writes result #0 over input #1, but assigns it to input #0}}
  %0 = lazy.group (%x, %y, %v) attributes {in_place = array<i64: 1>} : (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<2xf32>):
    %n = lazy.assign %c, %a <(2):(1)> : tensor<2xf32>, tensor<4xf32>
    lazy.yield %n : tensor<4xf32>
  }
  return
}

// -----

func.func @scan_c1_axis(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.scan' op expects an axis below rank 2, got 2}}
  %0 = lazy.scan addf %x axis 2 : tensor<4x8xf32>
  return
}

// -----

func.func @scan_c2_kind(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.scan' op of kind addi can't combine 'f32'}}
  %0 = lazy.scan addi %x axis 1 : tensor<4x8xf32>
  return
}

// -----

// A first NaN would not be there.
func.func @scan_c2_identity(%x: tensor<4x8xf32>) {
  // expected-error @below {{'lazy.scan' op of kind maxnumf can't combine 'f32'}}
  %0 = lazy.scan maxnumf %x axis 1 : tensor<4x8xf32>
  return
}

// -----

func.func @scan_without_kind(%x: tensor<4x8xf32>) {
  // expected-error @below {{expected a kind of reduction}}
  %0 = lazy.scan %x axis 1 : tensor<4x8xf32>
  return
}
