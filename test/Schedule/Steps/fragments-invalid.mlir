// Subgroups, and matrices that they hold, stay as tensorize made them.
// RUN: tiny-opt %s -split-input-file -verify-diagnostics --target-attach="target=cuda processor=sm_80" -kernel-apply-schedules

// expected-error @+1 {{failed on kernel}}
kernel.func @columns_as_workgroups(%a: memref<1024xf16>, %b: memref<256xf16>, %c: memref<256xf32>) attributes {schedule = @schedules::@columns_as_workgroups} {
  %i = kernel.range loop id(0) extent(32)
  // expected-note @+1 {{the axis}}
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(32)
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i32 = arith.muli %i, %c32 : index
  %ik = arith.addi %i32, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<1024xf16>
  %y = kernel.load %b[%kj] : memref<256xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<256xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @columns_as_workgroups(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 1 is of matrices that the lanes of a subgroup hold}}
    %outer, %inner = transform.tiny.split %axis by 2 as global : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @depth_as_loops(%a: memref<1024xf16>, %b: memref<256xf16>, %c: memref<256xf32>) attributes {schedule = @schedules::@depth_as_loops} {
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(8)
  // expected-note @+1 {{the axis}}
  %k = kernel.range reduce id(2) extent(32)
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i32 = arith.muli %i, %c32 : index
  %ik = arith.addi %i32, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<1024xf16>
  %y = kernel.load %b[%kj] : memref<256xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<256xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @depth_as_loops(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [11] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 11 is of matrices that the lanes of a subgroup hold}}
    %outer, %inner = transform.tiny.split %axis by 2 as reduce : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @whole_rows(%a: memref<1024xf16>, %b: memref<256xf16>, %c: memref<256xf32>) attributes {schedule = @schedules::@whole_rows} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(32)
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i32 = arith.muli %i, %c32 : index
  %ik = arith.addi %i32, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<1024xf16>
  %y = kernel.load %b[%kj] : memref<256xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<256xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @whole_rows(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [10] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 10 is of matrices that the lanes of a subgroup hold}}
    %outer, %inner = transform.tiny.split %axis by 0 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @subgroups_as_loops(%a: memref<1024xf16>, %b: memref<256xf16>, %c: memref<256xf32>) attributes {schedule = @schedules::@subgroups_as_loops} {
  // expected-note @+1 {{the axis}}
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(32)
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i32 = arith.muli %i, %c32 : index
  %ik = arith.addi %i32, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<1024xf16>
  %y = kernel.load %b[%kj] : memref<256xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<256xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @subgroups_as_loops(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 0 numbers the subgroups of a workgroup}}
    %outer, %inner = transform.tiny.split %axis by 0 as loop : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// expected-error @+1 {{failed on kernel}}
kernel.func @longer_rows(%a: memref<1024xf16>, %b: memref<256xf16>, %c: memref<256xf32>) attributes {schedule = @schedules::@longer_rows} {
  %i = kernel.range loop id(0) extent(32)
  %j = kernel.range loop id(1) extent(8)
  %k = kernel.range reduce id(2) extent(32)
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i32 = arith.muli %i, %c32 : index
  %ik = arith.addi %i32, %k : index
  %k8 = arith.muli %k, %c8 : index
  %kj = arith.addi %k8, %j : index
  %x = kernel.load %a[%ik] : memref<1024xf16>
  %y = kernel.load %b[%kj] : memref<256xf16>
  %xw = arith.extf %x : f16 to f32
  %yw = arith.extf %y : f16 to f32
  %p = arith.mulf %xw, %yw : f32
  %s = kernel.reduce addf (%p) over (%k) : f32
  %i8 = arith.muli %i, %c8 : index
  %ij = arith.addi %i8, %j : index
  kernel.store %s, %c[%ij] : memref<256xf32>
}
module @schedules attributes {transform.with_named_sequence} {
  transform.named_sequence @longer_rows(%kernel: !transform.any_op {transform.readonly}) {
    transform.tiny.tensorize %kernel [0, 1, 2] tile [32, 8, 32] subgroups [2, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    %axis = transform.tiny.axis %kernel [10] : (!transform.any_op) -> !transform.any_op
    // expected-error @+1 {{axis 10 is of matrices that the lanes of a subgroup hold}}
    %padded = transform.tiny.pad_to %axis multiple 24 : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
