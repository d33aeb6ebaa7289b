// RUN: tiny-opt %s -split-input-file -verify-diagnostics

// func_c1
// expected-error @+1 {{argument #0 must be a static rank-1 buffer, got 'memref<4x4xf32>'}}
kernel.func @rank2_argument(%in: memref<4x4xf32>) {
}

// -----

// func_c1
// expected-error @+1 {{argument #0 must be a static rank-1 buffer, got 'memref<?xf32>'}}
kernel.func @dynamic_argument(%in: memref<?xf32>) {
}

// -----

// func_c1
// expected-error @+1 {{argument #0 must be a static rank-1 buffer, got 'memref<4xui8>'}}
kernel.func @unsigned_argument(%in: memref<4xui8>) {
}

// -----

// func_c1
// expected-error @+1 {{argument #0 must be a static rank-1 buffer, got 'memref<4611686018427387904xi8>'}}
kernel.func @huge_argument(%in: memref<4611686018427387904xi8>) {
}

// -----

// func_c1
// expected-error @+1 {{must have no results, got 1}}
kernel.func @with_result() -> memref<4xf32> {
}

// -----

// func_c2
kernel.func @repeated_id() {
  // expected-note @+1 {{by this range}}
  %i = kernel.range loop id(3) extent(4)
  // expected-error @+1 {{id 3 is already taken}}
  %j = kernel.range loop id(3) extent(4)
}

// -----

// func_c3
kernel.func @region(%c: i1) {
}
// expected-error @-2 {{argument #0 must be a static rank-1 buffer, got 'i1'}}

// -----

// func_c3
kernel.func @nested_control_flow(%out: memref<4xf32>) {
  %true = arith.constant true
  // expected-error @+1 {{has a region, which a kernel's operation other than kernel.reduce may not have}}
  scf.if %true {
  }
}

// -----

// func_c4
kernel.func @cycle(%out: memref<4xf32>) {
  %i = kernel.range loop id(0) extent(4)
  // expected-error @+1 {{depends on its own result}}
  %x = arith.addf %y, %y : f32
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<4xf32>
}

// -----

// func_c4
kernel.func @self_cycle(%out: memref<4xf32>) {
  // expected-error @+1 {{depends on its own result}}
  %x = arith.addf %x, %x : f32
}

// -----

kernel.func @no_axis_kind() {
  // expected-error @+1 {{expected an axis kind (global, thread, local, warp, loop, group_reduce, reduce, upcast, unroll, fragment or dot), got 'parallel'}}
  %i = kernel.range parallel id(0) extent(4)
}

// -----

// expected-error @+1 {{attribute 'sym_name' is part of the signature}}
kernel.func @name_twice() attributes {sym_name = "other"} {
}

// -----

// range_c1
kernel.func @negative_id() {
  // expected-error @+1 {{id must be at least 0 and below 2^31, got -1}}
  %i = kernel.range loop id(-1) extent(4)
}

// -----

// range_c1
kernel.func @huge_id() {
  // expected-error @+1 {{id must be at least 0 and below 2^31, got 9223372036854775807}}
  %i = kernel.range loop id(9223372036854775807) extent(4)
}

// -----

// range_c2
kernel.func @empty_range() {
  // expected-error @+1 {{extent must be at least 1 and below 2^62, got 0}}
  %i = kernel.range loop id(0) extent(0)
}

// -----

// range_c2
kernel.func @endless_range() {
  // expected-error @+1 {{extent must be at least 1 and below 2^62, got 4611686018427387904}}
  %i = kernel.range loop id(0) extent(4611686018427387904)
}

// -----

// range_c3
kernel.func @open_reduce_axis(%in: memref<4xf32>, %out: memref<4xf32>) {
  // expected-note @+1 {{the range is here}}
  %i = kernel.range reduce id(7) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  // expected-error @+1 {{depends on range 7 of kind reduce, which no reduce closes}}
  kernel.store %x, %out[%i] : memref<4xf32>
}

// -----

// reduce_c1
kernel.func @closed_range_at_store(%in: memref<4xf32>, %out: memref<4xf32>) {
  // expected-note @+1 {{the range is here}}
  %k = kernel.range reduce id(7) extent(4)
  %x = kernel.load %in[%k] : memref<4xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  // expected-error @+1 {{depends on range 7 other than through the reduce or stage that closes it}}
  kernel.store %s, %out[%k] : memref<4xf32>
}

// -----

// reduce_c1
kernel.func @closed_range_beside_reduce(%in: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the range is here}}
  %k = kernel.range upcast id(7) extent(4)
  %x = kernel.load %in[%k] : memref<4xf32>
  %s = kernel.reduce addf (%x) over (%k) : f32
  %y = arith.subf %x, %s : f32
  // expected-error @+1 {{depends on range 7 other than through the reduce or stage that closes it}}
  kernel.store %y, %out[%c0] : memref<4xf32>
}

// -----

// reduce_c2
kernel.func @reduce_of_reduce(%in: memref<4xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the range is here}}
  %k = kernel.range reduce id(2) extent(4)
  %x = kernel.load %in[%k] : memref<4xf32>
  %mean = kernel.reduce addf (%x) over (%k) : f32
  %centred = arith.subf %x, %mean : f32
  // expected-error @+1 {{operand depends on the result of another reduce or stage over the same range 2}}
  %var = kernel.reduce addf (%centred) over (%k) : f32
  kernel.store %var, %out[%c0] : memref<1xf32>
}

// -----

// reduce_c3
kernel.func @init_over_range(%in: memref<4xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  // expected-note @+1 {{the range is here}}
  %k = kernel.range reduce id(2) extent(4)
  %x = kernel.load %in[%k] : memref<4xf32>
  // expected-error @+1 {{initial value depends on range 2, which the reduce is over}}
  %s = kernel.reduce (%x) init (%x) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    kernel.yield %c : f32
  }
  kernel.store %s, %out[%c0] : memref<1xf32>
}

// -----

// reduce_c4
kernel.func @reduce_nothing() {
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{must have an input}}
  "kernel.reduce"(%k) <{kind = 0 : i64, operandSegmentSizes = array<i32: 0, 0, 1>}> ({}) : (index) -> ()
}

// -----

// reduce_c4
kernel.func @reduce_changes_type() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{must have results of its inputs' types, got ('f32') and ('f64')}}
  %0 = "kernel.reduce"(%x, %k) <{kind = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 1>}> ({}) : (f32, index) -> f64
}

// -----

// reduce_c5
kernel.func @reduce_over_nothing() {
  %x = arith.constant 0.0 : f32
  // expected-error @+1 {{must be over at least one range}}
  %0 = "kernel.reduce"(%x) <{kind = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0>}> ({}) : (f32) -> f32
}

// -----

// reduce_c5
kernel.func @reduce_over_value() {
  %x = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  // expected-error @+1 {{must be over results of kernel.range, but #0 is not one}}
  %0 = kernel.reduce addf (%x) over (%c1) : f32
}

// -----

// reduce_c5
kernel.func @reduce_over_range_twice() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{is over range 2 twice}}
  %0 = kernel.reduce addf (%x) over (%k, %k) : f32
}

// -----

// reduce_c5
kernel.func @reduce_over_free_axis() {
  %x = arith.constant 0.0 : f32
  // expected-note @+1 {{the range is here}}
  %k = kernel.range loop id(2) extent(4)
  // expected-error @+1 {{cannot close range 2 of kind loop; expected reduce, group_reduce, upcast, unroll, fragment or dot}}
  %0 = kernel.reduce addf (%x) over (%k) : f32
}

// -----

// reduce_c6
kernel.func @reduce_without_combiner() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{must have either a kind or a combiner region}}
  %0 = kernel.reduce (%x) init (%x) over (%k) : f32
}

// -----

// reduce_c6
kernel.func @kind_with_init() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{of a kind starts at its identity and takes no initial value}}
  %0 = kernel.reduce addf (%x) init (%x) over (%k) : f32
}

// -----

// reduce_c6
kernel.func @region_without_init() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{with a combiner region must have one initial value per input, of its type, got () for ('f32')}}
  %0 = kernel.reduce (%x) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    kernel.yield %a : f32
  }
}

// -----

// reduce_c7
kernel.func @float_kind_on_integers() {
  %x = arith.constant 0 : i32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{kind addf does not work on 'i32'}}
  %0 = kernel.reduce addf (%x) over (%k) : i32
}

// -----

// reduce_c7
kernel.func @integer_kind_on_floats() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{kind maxs does not work on 'f32'}}
  %0 = kernel.reduce maxs (%x) over (%k) : f32
}

// -----

// reduce_c7
kernel.func @assign_kind() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{kind assign does not work on 'f32'}}
  %0 = kernel.reduce assign (%x) over (%k) : f32
}

// -----

// reduce_c8
kernel.func @combiner_arguments() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{combiner must take ('f32', 'f32'), got ('f32')}}
  %0 = kernel.reduce (%x) init (%x) over (%k) : f32 {
  ^bb0(%a: f32):
    kernel.yield %a : f32
  }
}

// -----

// reduce_c8
kernel.func @combiner_yields() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{combiner must yield ('f32'), got ('f32', 'f32')}}
  %0 = kernel.reduce (%x) init (%x) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-note @+1 {{yielded here}}
    kernel.yield %a, %b : f32, f32
  }
}

// -----

// reduce_c8
kernel.func @combiner_terminator() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  // expected-error @+1 {{combiner must end with kernel.yield, not with llvm.unreachable}}
  %0 = kernel.reduce (%x) init (%x) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    llvm.unreachable
  }
}

// -----

// reduce_c8
kernel.func @combiner_effects() {
  %x = arith.constant 0.0 : f32
  %k = kernel.range reduce id(2) extent(4)
  %0 = kernel.reduce (%x) init (%x) over (%k) : f32 {
  ^bb0(%a: f32, %b: f32):
    // expected-error @+1 {{cannot stand in a combiner, which is scalar compute without effects or regions}}
    %m = memref.alloc() : memref<4xf32>
    kernel.yield %a : f32
  }
}

// -----

// program_c1
// expected-error @+1 {{argument #1 must be a static rank-1 buffer, got 'tensor<4xf32>'}}
kernel.program @tensor_argument(%x: memref<4xf32>, %y: tensor<4xf32>) {
  kernel.return
}

// -----

// program_c1
// expected-error @+1 {{result #0 must be a static rank-1 buffer, got 'f32'}}
kernel.program @scalar_result() -> f32 {
  kernel.return
}

// -----

// program_c2
// expected-error @+1 {{argument #0 must have a static tensor type as 'tiny.type', got f32}}
kernel.program @scalar_tensor_type(%x: memref<4xf32> {tiny.type = f32}) {
  kernel.return
}

// -----

// program_c2
// expected-error @+1 {{argument #0 is a 'memref<4xf32>', which cannot hold the 'tiny.type' 'tensor<5xf32>'}}
kernel.program @wrong_size(%x: memref<4xf32> {tiny.type = tensor<5xf32>}) {
  kernel.return
}

// -----

// program_c2
// expected-error @+1 {{argument #0 is a 'memref<0xf32>', which cannot hold the 'tiny.type' 'tensor<4294967296x4294967296xf32>'}}
kernel.program @size_that_wraps(%x: memref<0xf32> {tiny.type = tensor<4294967296x4294967296xf32>}) {
  kernel.return
}

// -----

// program_c2
// expected-error @+1 {{result #0 is a 'memref<4xi8>', which cannot hold the 'tiny.type' 'tensor<4xui16>'}}
kernel.program @wrong_element(%x: memref<4xi8>) -> (memref<4xi8> {tiny.type = tensor<4xui16>}) {
  kernel.return %x : memref<4xi8>
}

// -----

// program_c3
// expected-error @+1 {{must end with kernel.return, not with llvm.unreachable}}
kernel.program @no_return() {
  // expected-note @+1 {{the last operation is here}}
  llvm.unreachable
}

// -----

// constant_c1
kernel.program @constant_size() {
  // expected-error @+1 {{of 'tensor<2xf32>' does not fit 'memref<3xf32>'}}
  %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<3xf32>
  kernel.return
}

// -----

// constant_c1
kernel.program @constant_type() {
  // expected-error @+1 {{of 'tensor<2xf32>' does not fit 'memref<2xi32>'}}
  %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xi32>
  kernel.return
}

// -----

// launch_c1
kernel.func @write(%out: memref<1xf32>) {
}
kernel.program @launch_on_constant() {
  // expected-note @+1 {{the constant is here}}
  %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32>
  %a = kernel.alias %w[1] : memref<2xf32> -> memref<1xf32>
  // expected-error @+1 {{writes to a constant}}
  kernel.launch @write ins() outs(%a : memref<1xf32>)
  kernel.return
}

// -----

// launch_c2
kernel.program @no_callee() {
  // expected-error @+1 {{calls missing, which does not exist}}
  kernel.launch @missing ins() outs()
  kernel.return
}

// -----

// launch_c2
// expected-note @+1 {{it is a builtin.module}}
module @inner {
}
kernel.program @callee_is_no_function() {
  // expected-error @+1 {{calls inner, which is no function}}
  kernel.launch @inner ins() outs()
  kernel.return
}

// -----

// launch_c2
// expected-note @+1 {{the program is here}}
kernel.program @recursive() {
  // expected-error @+1 {{calls recursive, which is a program, not a kernel}}
  kernel.launch @recursive ins() outs()
  kernel.return
}

// -----

// launch_c3
// expected-note @+1 {{the kernel is here}}
kernel.func @one(%out: memref<4xf32>) {
}
kernel.program @argument_count() {
  // expected-error @+1 {{passes 0 buffers to one, which takes 1}}
  kernel.launch @one ins() outs()
  kernel.return
}

// -----

// launch_c3
// expected-note @+1 {{the kernel is here}}
kernel.func @one(%out: memref<4xf32>) {
}
kernel.program @argument_type(%x: memref<8xf32>) {
  // expected-error @+1 {{passes a 'memref<8xf32>' as argument #0 of one, which expects 'memref<4xf32>'}}
  kernel.launch @one ins() outs(%x : memref<8xf32>)
  kernel.return
}

// -----

// copy_c1
kernel.program @copy_to_constant(%x: memref<2xf32>) {
  // expected-note @+1 {{the constant is here}}
  %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32>
  // expected-error @+1 {{writes to a constant}}
  kernel.copy %x, %w : memref<2xf32>
  kernel.return
}

// -----

// fill_c1
kernel.program @fill_type(%x: memref<2xf32>) {
  // expected-error @+1 {{fills 'memref<2xf32>' with a 'i32'}}
  kernel.fill %x, 0 : i32 -> memref<2xf32>
  kernel.return
}

// -----

// fill_c2
kernel.program @fill_constant() {
  // expected-note @+1 {{the constant is here}}
  %w = kernel.constant dense<[1.0, 2.0]> : tensor<2xf32> -> memref<2xf32>
  // expected-error @+1 {{writes to a constant}}
  kernel.fill %w, 0.0 : f32 -> memref<2xf32>
  kernel.return
}

// -----

// alias_c1
kernel.program @alias_type(%x: memref<2xf32>) {
  // expected-error @+1 {{must keep element type and memory space, got 'memref<2xf32>' and 'memref<2xi32>'}}
  %a = kernel.alias %x[0] : memref<2xf32> -> memref<2xi32>
  kernel.return
}

// -----

// alias_c2
kernel.program @alias_bounds(%x: memref<8xf32>) {
  // expected-error @+1 {{of 4 elements at offset 5 leaves the 8 elements of its source}}
  %a = kernel.alias %x[5] : memref<8xf32> -> memref<4xf32>
  kernel.return
}

// -----

// alias_c2
kernel.program @alias_offset(%x: memref<8xf32>) {
  // expected-error @+1 {{of 4 elements at offset -1 leaves the 8 elements of its source}}
  %a = kernel.alias %x[-1] : memref<8xf32> -> memref<4xf32>
  kernel.return
}

// -----

// return_c1
// expected-note @+1 {{the program is here}}
kernel.program @return_type(%x: memref<8xf32>) -> memref<4xf32> {
  // expected-error @+1 {{returns ('memref<8xf32>') from a program with results ('memref<4xf32>')}}
  kernel.return %x : memref<8xf32>
}

// -----

// stage_c1
kernel.func @stage_of_nothing(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = kernel.load %in[%c0] : memref<4xf32>
  // expected-error @+1 {{must be over at least one range}}
  %t = kernel.stage %x over () local : memref<1xf32>
}

// -----

// stage_c1
kernel.func @stage_over_value(%in: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %x = kernel.load %in[%c0] : memref<4xf32>
  // expected-error @+1 {{must be over results of kernel.range, but #0 is not one}}
  %t = kernel.stage %x over (%c0) local : memref<1xf32>
}

// -----

// stage_c1
kernel.func @stage_twice(%in: memref<4xf32>) {
  %i = kernel.range loop id(3) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  // expected-error @+1 {{is over range 3 twice}}
  %t = kernel.stage %x over (%i, %i) local : memref<16xf32>
}

// -----

// stage_c1
kernel.func @stage_over_threads(%in: memref<4xf32>) {
  // expected-note @+1 {{the range is here}}
  %i = kernel.range thread id(3) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  // expected-error @+1 {{cannot fill a tile along range 3 of kind thread; expected loop, upcast, unroll or local, or fragment in register space}}
  %t = kernel.stage %x over (%i) local : memref<4xf32>
}

// -----

// stage_c2
kernel.func @stage_size(%in: memref<4xf32>) {
  %i = kernel.range loop id(3) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  // expected-error @+1 {{has a tile of 5 elements for 4 points}}
  %t = kernel.stage %x over (%i) local : memref<5xf32>
}

// -----

// stage_c3
kernel.func @staged_range_at_store(%in: memref<4xf32>, %out: memref<4xf32>) {
  // expected-note @+1 {{the range is here}}
  %i = kernel.range loop id(3) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  %t = kernel.stage %x over (%i) local : memref<4xf32>
  %y = kernel.load %t[%i] : memref<4xf32>
  // expected-error @+1 {{depends on range 3 other than through the reduce or stage that closes it}}
  kernel.store %y, %out[%i] : memref<4xf32>
}

// -----

// stage_c4
kernel.func @stage_of_stage(%in: memref<4xf32>, %out: memref<4xf32>) {
  // expected-note @+1 {{the range is here}}
  %i = kernel.range loop id(3) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  %t = kernel.stage %x over (%i) local : memref<4xf32>
  %y = kernel.load %t[%i] : memref<4xf32>
  // expected-error @+1 {{operand depends on the result of another reduce or stage over the same range 3}}
  %u = kernel.stage %y over (%i) local : memref<4xf32>
}

// -----

kernel.func @stage_space(%in: memref<4xf32>) {
  %i = kernel.range loop id(3) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  // expected-error @+1 {{expected a space (local or register), got 'shared'}}
  %t = kernel.stage %x over (%i) shared : memref<4xf32>
}

// -----

// program_c4
// expected-error @+1 {{result #0 aliases argument #0, which is not 'tiny.donated'}}
kernel.program @state(%x: memref<4xf32>) -> (memref<4xf32> {tiny.aliases = 0 : i64}) {
  kernel.return %x : memref<4xf32>
}

// -----

// return_c2
kernel.program @alias(%x: memref<4xf32> {tiny.donated}) -> (memref<4xf32> {tiny.aliases = 0 : i64}) {
  // expected-note @+1 {{the buffer is here}}
  %y = kernel.alloc : memref<4xf32>
  kernel.copy %x, %y : memref<4xf32>
  // expected-error @+1 {{returns another buffer than that of argument #0, which result #0 aliases}}
  kernel.return %y : memref<4xf32>
}

// -----

// range_c4
kernel.func @size_of_copies(%n: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{of kind upcast must have no size}}
  %i = kernel.range upcast id(0) extent(4) size(%c0)
}

// -----

// range_c5
kernel.func @size_by_range(%y: memref<16xf32>) {
  %c = arith.constant 1.0 : f32
  %i = kernel.range loop id(0) extent(4)
  // expected-error @+1 {{has a size that depends on another range}}
  %j = kernel.range loop id(1) extent(4) size(%i)
  %s = arith.addi %i, %j : index
  kernel.store %c, %y[%s] : memref<16xf32>
}

// -----

// size_c1
// expected-error @+1 {{expected a name, a least and a greatest value below 2^31, got 'n', 4 and 3}}
#size = #kernel.size<"n", 4, 3>

// -----

// program_c5
// expected-error @+1 {{must have a 'memref<1xi64>' of its sizes as its last argument}}
kernel.program @no_buffer(%x: memref<4xf32> {tiny.type = tensor<4xf32>, tiny.shape = affine_map<()[n] -> (n)>})
    attributes {sizes = [#kernel.size<"n", 1, 4>]} {
  kernel.return
}

// -----

// program_c5
// expected-error @+1 {{has size 'n' twice}}
kernel.program @twice(%x: memref<4xf32> {tiny.type = tensor<4xf32>, tiny.shape = affine_map<()[n, m] -> (n)>}, %s: memref<2xi64>)
    attributes {sizes = [#kernel.size<"n", 1, 4>, #kernel.size<"n", 1, 4>]} {
  kernel.return
}

// -----

// program_c5
// expected-error @+1 {{argument #0 must have a map from the 1 sizes to the shape of its 'tiny.type' as 'tiny.shape', got affine_map<(d0) -> (d0)>}}
kernel.program @no_symbols(%x: memref<4xf32> {tiny.type = tensor<4xf32>, tiny.shape = affine_map<(n) -> (n)>}, %s: memref<1xi64>)
    attributes {sizes = [#kernel.size<"n", 1, 4>]} {
  kernel.return
}

// -----

// program_c5
// expected-error @+1 {{argument #0 has the shape [8] at the greatest sizes, but its 'tiny.type' is 'tensor<4xf32>'}}
kernel.program @other_shape(%x: memref<4xf32> {tiny.type = tensor<4xf32>, tiny.shape = affine_map<()[n] -> (2 * n)>}, %s: memref<1xi64>)
    attributes {sizes = [#kernel.size<"n", 1, 4>]} {
  kernel.return
}

// -----

// program_c5
// expected-error @+1 {{argument #0 has a shape that depends on a size that is computed: #kernel.size<"n", 1, 4, computed>}}
kernel.program @computed(%x: memref<4xf32> {tiny.type = tensor<4xf32>, tiny.shape = affine_map<()[n] -> (n)>}, %s: memref<1xi64>)
    attributes {sizes = [#kernel.size<"n", 1, 4, computed>]} {
  kernel.return
}

// -----

// program_c5
// expected-error @+1 {{has a size that is no extent of an argument: #kernel.size<"n", 1, 4>}}
kernel.program @never_given(%x: memref<8xf32> {tiny.type = tensor<8xf32>, tiny.shape = affine_map<()[n] -> (2 * n)>}, %s: memref<1xi64>)
    attributes {sizes = [#kernel.size<"n", 1, 4>]} {
  kernel.return
}

// -----

kernel.program @negative() {
  // expected-error @+1 {{attribute 'most' failed to satisfy constraint: 64-bit signless integer attribute whose value is non-negative}}
  kernel.loop most(-1) {}
  kernel.return
}

// -----

kernel.program @returned() {
  kernel.loop most(1) {
    // expected-error @+1 {{expects parent op 'kernel.program'}}
    kernel.return
  }
  kernel.return
}

// -----

// loop_c1
kernel.program @constant_counter() {
  // expected-note @+1 {{the constant is here}}
  %c = kernel.constant dense<0> : tensor<1xi64> -> memref<1xi64>
  // expected-error @+1 {{'kernel.loop' op writes to a constant}}
  kernel.loop most(1) counter(%c) {}
  kernel.return
}

// -----

// scan_c1
kernel.func @scan_over_copies(%in: memref<8xf32>, %out: memref<8xf32>) {
  // expected-note @below {{the range is here}}
  %k = kernel.range upcast id(0) extent(8)
  %x = kernel.load %in[%k] : memref<8xf32>
  // expected-error @below {{'kernel.scan' op cannot follow range 0 of kind upcast; expected loop or reduce}}
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%k] : memref<8xf32>
}

// -----

// scan_c1
kernel.func @scan_over_value(%in: memref<8xf32>, %out: memref<8xf32>) {
  %k = arith.constant 0 : index
  %x = kernel.load %in[%k] : memref<8xf32>
  // expected-error @below {{'kernel.scan' op must be over a result of kernel.range}}
  %s = kernel.scan addf (%x) over (%k) : f32
  kernel.store %s, %out[%k] : memref<8xf32>
}

// -----

// scan_c2
kernel.func @scan_of_wrong_kind(%in: memref<8xf32>, %out: memref<8xf32>) {
  %k = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%k] : memref<8xf32>
  // expected-error @below {{'kernel.scan' op kind addi does not work on 'f32'}}
  %s = kernel.scan addi (%x) over (%k) : f32
  kernel.store %s, %out[%k] : memref<8xf32>
}

// -----

// program_c6
// expected-error @+1 {{has a device without a name, or "cpu" twice}}
kernel.program @device_twice() attributes {devices = ["cpu", "cpu"]} {
  kernel.return
}

// -----

// program_c6
// expected-error @+1 {{has an empty list of devices}}
kernel.program @no_device() attributes {devices = []} {
  kernel.return
}

// -----

// device_c1
// expected-note @+1 {{the program is here}}
kernel.program @unknown_device() attributes {devices = ["gpu"]} {
  // expected-error @+1 {{lies on "cpu", which is no device of the program}}
  %a = kernel.alloc on "cpu" : memref<8xf32>
  kernel.return
}

// -----

// device_c1
// expected-note @+1 {{the program is here}}
kernel.program @one_device() {
  // expected-error @+1 {{lies on "cpu", which is no device of the program}}
  %w = kernel.constant dense<1.0> : tensor<2xf32> on "cpu" -> memref<2xf32>
  kernel.return
}

// -----

// launch_c4
kernel.program @launch_elsewhere(%x: memref<8xf32>) attributes {devices = ["gpu", "cpu"]} {
  // expected-note @+1 {{the buffer is here}}
  %a = kernel.alloc on "cpu" : memref<8xf32>
  %p = kernel.alias %a[0] : memref<8xf32> -> memref<4xf32>
  // expected-error @+1 {{passes a buffer on "cpu" as argument #0 of on_gpu, which runs on "gpu"}}
  kernel.launch @on_gpu ins(%a : memref<8xf32>) outs()
  kernel.return
}
kernel.func private @on_gpu(%in: memref<8xf32>) {
}

// -----

// launch_c4
// expected-note @+1 {{the buffer is here}}
kernel.program @argument_elsewhere(%x: memref<8xf32>) attributes {devices = ["gpu", "cpu"]} {
  // expected-error @+1 {{passes a buffer on "gpu" as argument #0 of on_cpu, which runs on "cpu"}}
  kernel.launch @on_cpu ins(%x : memref<8xf32>) outs()
  kernel.return
}
kernel.func private @on_cpu(%in: memref<8xf32>) attributes {device = "cpu"} {
}

// -----

// collective_c7
kernel.program @collective_elsewhere(%x: memref<8xf32>) attributes {devices = ["gpu", "cpu"]} {
  %a = kernel.alloc on "cpu" : memref<8xf32>
  // expected-error @+1 {{reads a buffer on "gpu" and writes one on "cpu"}}
  kernel.collective "broadcast" %x, %a grid [2] axes [0] : memref<8xf32>, memref<8xf32>
  kernel.return
}
