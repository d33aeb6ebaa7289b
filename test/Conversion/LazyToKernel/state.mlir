// RUN: tiny-opt %s -split-input-file --lazy-plan-state --convert-lazy-to-kernel --verify-kernel --check-passes | FileCheck %s --implicit-check-not=lazy.
// Which assignments happen in place, and what is copied where they do not.

// The same element is read and written by one iteration.
// CHECK-LABEL: kernel.program @same_element(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: kernel.launch @add ins(%[[X]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
// CHECK-NEXT: kernel.return %[[X]]
func.func @same_element(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "add" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(3):(2) + 1> : tensor<8xf32> -> tensor<3xf32>
    %w = arith.addf %v, %v : tensor<3xf32>
    %n = lazy.assign %w, %a <(3):(2) + 1> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Even elements are read, odd ones written: they never meet.
// CHECK-LABEL: kernel.program @disjoint(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: kernel.launch @neg ins(%[[X]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
// CHECK-NEXT: kernel.return %[[X]]
func.func @disjoint(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(4):(-2) + 6> : tensor<8xf32> -> tensor<4xf32>
    %w = arith.negf %v : tensor<4xf32>
    %n = lazy.assign %w, %a <(4):(2) + 1> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// One element is written that another iteration reads: the value goes to a temporary, then in its place.
// CHECK-LABEL: kernel.program @overlapping(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[T:.*]] = kernel.alloc : memref<4xf32>
// CHECK-NEXT: kernel.launch @neg ins(%[[X]] : memref<8xf32>) outs(%[[T]] : memref<4xf32>)
// CHECK-NEXT: %[[P:.*]] = kernel.alias %[[X]][3]
// CHECK-NEXT: kernel.copy %[[T]], %[[P]] : memref<4xf32>
// CHECK-NEXT: kernel.return %[[X]]
func.func @overlapping(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
    %w = arith.negf %v : tensor<4xf32>
    %n = lazy.assign %w, %a <(4):(1) + 3> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// To a strided place a second kernel would have to put it: a copy of so small a state, to read, is cheaper.
// CHECK-LABEL: kernel.program @overlapping_strided(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @neg ins(%[[Y]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
// CHECK-NEXT: kernel.return %[[X]]
func.func @overlapping_strided(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %v = lazy.view %a <(4):(-1) + 3> : tensor<8xf32> -> tensor<4xf32>
    %w = arith.negf %v : tensor<4xf32>
    %n = lazy.assign %w, %a <(4):(2)> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// The same of a large state.
// CHECK-LABEL: kernel.program @overlapping_large(
// CHECK-SAME: %[[X:[^:]*]]: memref<65536xf32>
// CHECK-NEXT: %[[T:.*]] = kernel.alloc : memref<512xf32>
// CHECK-NEXT: kernel.launch @neg ins(%[[X]] : memref<65536xf32>) outs(%[[T]] : memref<512xf32>)
// CHECK-NEXT: kernel.launch @assign ins(%[[T]] : memref<512xf32>) outs(%[[X]] : memref<65536xf32>)
// CHECK-NEXT: kernel.return %[[X]]
func.func @overlapping_large(%x: tensor<65536xf32> {tiny.donated}) -> (tensor<65536xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "neg" (%x) : (tensor<65536xf32>) -> tensor<65536xf32> {
  ^bb0(%a: tensor<65536xf32>):
    %v = lazy.view %a <(512):(1)> : tensor<65536xf32> -> tensor<512xf32>
    %w = arith.negf %v : tensor<512xf32>
    %n = lazy.assign %w, %a <(512):(2)> : tensor<512xf32>, tensor<65536xf32>
    lazy.yield %n : tensor<65536xf32>
  }
  return %0 : tensor<65536xf32>
}

// -----

// x = x.T can not be stored where it is read: it reads a copy.
// CHECK-LABEL: kernel.program @transpose(
// CHECK-SAME: %[[X:[^:]*]]: memref<16xf32>
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<16xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]]
// CHECK-NEXT: kernel.launch @copy ins(%[[Y]] : memref<16xf32>) outs(%[[X]] : memref<16xf32>)
// CHECK-NEXT: kernel.return %[[X]]
func.func @transpose(%x: tensor<4x4xf32> {tiny.donated}) -> (tensor<4x4xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "copy" (%x) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
  ^bb0(%a: tensor<4x4xf32>):
    %t = lazy.view %a <(4, 4):(1, 4)> : tensor<4x4xf32> -> tensor<4x4xf32>
    lazy.yield %t : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// What is not donated stays: its next state is elsewhere, and what is assigned after that goes there in place.
// CHECK-LABEL: kernel.program @not_donated(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>{{.*}}, %[[V:[^:]*]]: memref<3xf32>
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]] : memref<8xf32>
// CHECK-NEXT: %[[P:.*]] = kernel.alias %[[Y]][1]
// CHECK-NEXT: kernel.copy %[[V]], %[[P]] : memref<3xf32>
// CHECK-NEXT: kernel.launch @strided ins(%[[V]] : memref<3xf32>) outs(%[[Y]] : memref<8xf32>)
// CHECK-NEXT: kernel.return %[[Y]]
func.func @not_donated(%x: tensor<8xf32>, %v: tensor<3xf32>) -> tensor<8xf32> {
  %0 = lazy.group "part" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(1) + 1> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "strided" (%v, %0) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2) + 2> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// -----

// A reader of the old state that stands behind is moved before.
// CHECK-LABEL: kernel.program @reader_first(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.launch @sum ins(%[[X]] : memref<8xf32>)
// CHECK: kernel.launch @strided ins(%{{.*}}) outs(%[[X]] : memref<8xf32>)
func.func @reader_first(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<f32>) {
  %0 = lazy.group "strided" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2) + 2> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "sum" (%x) : (tensor<8xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<8xf32>):
    %s = lazy.reduce addf(%a) axes [0] : (tensor<8xf32>) -> tensor<f32>
    lazy.yield %s : tensor<f32>
  }
  return %0, %1 : tensor<8xf32>, tensor<f32>
}

// -----

// A reader of both states can not: it reads a copy of the old one.
// CHECK-LABEL: kernel.program @reader_of_both(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @strided ins(%{{.*}}) outs(%[[X]] : memref<8xf32>)
// CHECK-NEXT: %[[S:.*]] = kernel.alloc
// CHECK-NEXT: kernel.launch @sub ins(%[[Y]], %[[X]] : {{.*}}) outs(%[[S]]
// CHECK-NEXT: kernel.return %[[X]], %[[S]]
func.func @reader_of_both(%x: tensor<8xf32> {tiny.donated}, %v: tensor<3xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32>) {
  %0 = lazy.group "strided" (%v, %x) : (tensor<3xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(3):(2) + 2> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  %1 = lazy.group "sub" (%x, %0) : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>, %b: tensor<8xf32>):
    %s = arith.subf %a, %b : tensor<8xf32>
    lazy.yield %s : tensor<8xf32>
  }
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// -----

// A splat is a fill; nothing else of it is there before.
// CHECK-LABEL: kernel.program @splat(
// CHECK-SAME: %[[V:[^:]*]]: memref<3xf32>
// CHECK-NEXT: %[[Y:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.fill %[[Y]], 2.0
// CHECK-NEXT: kernel.launch @strided ins(%[[V]] : memref<3xf32>) outs(%[[Y]] : memref<8xf32>)
func.func @splat(%v: tensor<3xf32>) -> tensor<8xf32> {
  %0 = lazy.group "strided" (%v) : (tensor<3xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<3xf32>):
    %b = arith.constant dense<2.0> : tensor<8xf32>
    %n = lazy.assign %a, %b <(3):(2) + 2> : tensor<3xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// Two states change places: one of them waits in a buffer of its own.
// CHECK-LABEL: kernel.program @swap(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>{{.*}}, %[[Y:[^:]*]]: memref<8xf32>
// CHECK-NEXT: %[[T:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[Y]], %[[T]]
// CHECK-NEXT: kernel.copy %[[X]], %[[Y]]
// CHECK-NEXT: kernel.copy %[[T]], %[[X]]
// CHECK-NEXT: kernel.return %[[X]], %[[Y]]
func.func @swap(%x: tensor<8xf32> {tiny.donated}, %y: tensor<8xf32> {tiny.donated})
    -> (tensor<8xf32> {tiny.aliases = 0 : i64}, tensor<8xf32> {tiny.aliases = 1 : i64}) {
  return %y, %x : tensor<8xf32>, tensor<8xf32>
}

// -----

// A masked element is gated: position 3 keeps what it was.
// CHECK-LABEL: kernel.func private @masked(
// CHECK: kernel.store %{{.*}}, %{{.*}}[%{{.*}}] if %{{.*}} : memref<8xf32>
func.func @gated(%x: tensor<8xf32> {tiny.donated}, %v: tensor<4xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "masked" (%v, %x) : (tensor<4xf32>, tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %b: tensor<8xf32>):
    %n = lazy.assign %a, %b <(4):(1) mask [0:3]> : tensor<4xf32>, tensor<8xf32>
    lazy.yield %n : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A result that is stored in two parts, each in loops of its own, reads in one what the other stores.
// CHECK-LABEL: kernel.program @other_part(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[X]], %[[Y:.*]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @half ins(%[[Y]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
// CHECK-LABEL: kernel.program @own_part(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-NEXT: kernel.launch @half_0 ins(%[[X]] : memref<8xf32>) outs(%[[X]] : memref<8xf32>)
func.func @other_part(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "half" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %i = lazy.iota 0 : tensor<8xi32>
    %c = arith.constant dense<4> : tensor<8xi32>
    %p = arith.cmpi slt, %i, %c : tensor<8xi32>
    %n = arith.negf %a : tensor<8xf32>
    %f = lazy.flip %a [0] : tensor<8xf32> -> tensor<8xf32>
    %r = arith.select %p, %n, %f : tensor<8xi1>, tensor<8xf32>
    lazy.yield %r : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

func.func @own_part(%x: tensor<8xf32> {tiny.donated}) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "half" (%x) : (tensor<8xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8xf32>):
    %i = lazy.iota 0 : tensor<8xi32>
    %c = arith.constant dense<4> : tensor<8xi32>
    %p = arith.cmpi slt, %i, %c : tensor<8xi32>
    %n = arith.negf %a : tensor<8xf32>
    %f = math.absf %a : tensor<8xf32>
    %r = arith.select %p, %n, %f : tensor<8xi1>, tensor<8xf32>
    lazy.yield %r : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// What stays as it was is neither read nor written.

// CHECK-LABEL: kernel.program @kept_elements(
// CHECK-SAME: %[[STATE:.*]]: memref<8xf32>
// CHECK: kernel.launch @[[KERNEL:.*]] ins(%{{[a-z0-9]+}}, %{{[a-z0-9]+}} : memref<8xi1>, memref<1xf32>) outs(%[[STATE]] : memref<8xf32>)
// CHECK: kernel.func private @[[KERNEL]](%[[MASK:[a-z0-9]+]]: memref<8xi1>, %[[NEW:[a-z0-9]+]]: memref<1xf32>, %[[OUT:[a-z0-9]+]]: memref<8xf32>)
// CHECK: %[[GATE:.*]] = kernel.load %[[MASK]]
// CHECK: %[[VALUE:.*]] = kernel.load %[[NEW]]
// CHECK-NOT: arith.select
// CHECK: kernel.store %[[VALUE]], %[[OUT]][%{{.*}}] if %[[GATE]]
func.func @kept_elements(%state: tensor<8xf32> {tiny.donated}, %mask: tensor<8xi1>, %new: tensor<1xf32>) -> (tensor<8xf32> {tiny.aliases = 0 : i64}) {
  %0 = lazy.group "place" (%state, %mask, %new) attributes {in_place = array<i64: 0>} : (tensor<8xf32>, tensor<8xi1>, tensor<1xf32>) -> tensor<8xf32> {
  ^bb0(%old: tensor<8xf32>, %where: tensor<8xi1>, %value: tensor<1xf32>):
    %1 = lazy.view %value <(8):(0)> : tensor<1xf32> -> tensor<8xf32>
    %2 = arith.select %where, %1, %old : tensor<8xi1>, tensor<8xf32>
    lazy.yield %2 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
