// Lanes and subgroups of a kernel whose matrices subgroups hold are as tensorize made them: no other axis becomes some.
// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @rows_as_lanes(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@rows_as_lanes} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @rows_as_lanes(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a product of matrices varies along axis 0, and the lanes of a subgroup compute it together}}
    %outer, %inner = transform.tiny.split %axis by 0 as local : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @depth_by_lanes(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@depth_by_lanes} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @depth_by_lanes(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a product of matrices varies along axis 2, and the lanes of a subgroup compute it together}}
    %outer, %inner = transform.tiny.split %axis by 0 as group_reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @third_axis_of_rows(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@third_axis_of_rows} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @third_axis_of_rows(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a product of matrices that varies along axis 0 has its rows, columns and depth}}
    %outer, %inner = transform.tiny.split %axis by 0 as fragment : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @second_depth(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@second_depth} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @second_depth(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a product of matrices that varies along axis 2 has its rows, columns and depth}}
    %outer, %inner = transform.tiny.split %axis by 0 as fragment : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @rows_as_subgroups(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@rows_as_subgroups} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @rows_as_subgroups(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a tile that all subgroups fill varies along axis 0}}
    %outer, %inner = transform.tiny.split %axis by 0 as warp : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @too_many_lanes_fill(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@too_many_lanes_fill} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @too_many_lanes_fill(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [8] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{128 lanes would fill a tile, and a workgroup has 64}}
    %outer, %inner = transform.tiny.split %axis by 2 as local : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @fewer_lanes_fill(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@fewer_lanes_fill} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @fewer_lanes_fill(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [9] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{2 lanes would fill a tile, and a workgroup has 64}}
    %outer, %inner = transform.tiny.split %axis by 32 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @rows_as_copies(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@rows_as_copies} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @rows_as_copies(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{a tile that matrices are read of varies along axis 0: its copies would lie between the elements of a row}}
    %outer, %inner = transform.tiny.split %axis by 0 as unroll : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @longer_depth(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@longer_depth} {
  %i = kernel.range loop id(0) extent(64)
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @longer_depth(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [2] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 2 is of matrices that subgroups read, which have no gates}}
    %padded = transform.tiny.pad_to %axis multiple 3 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @columns_as_subgroups(%a: memref<4096xf16>, %b: memref<1024xf16>, %c: memref<1024xf32>) attributes {schedule = @schedules::@columns_as_subgroups} {
  %i = kernel.range loop id(0) extent(64)
  // expected-note @+1 {{the axis}}
  %j = kernel.range loop id(1) extent(16)
  %k = kernel.range reduce id(2) extent(64)
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  %i64 = arith.muli %i, %c64 : index
  %ik = arith.addi %i64, %k : index
  %k16 = arith.muli %k, %c16 : index
  %kj = arith.addi %k16, %j : index
  %x = kernel.load %a[%ik] : memref<4096xf16>
  %y = kernel.load %b[%kj] : memref<1024xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i16 = arith.muli %i, %c16 : index
  %ij = arith.addi %i16, %j : index
  kernel.store %s, %c[%ij] : memref<1024xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @columns_as_subgroups(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 16, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{64 lanes fill a tile, and the subgroups would have 128}}
    %outer, %inner = transform.tiny.split %axis by 0 as warp : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
