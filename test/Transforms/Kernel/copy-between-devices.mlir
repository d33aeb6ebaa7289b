// RUN: tiny-opt %s -split-input-file --kernel-copy-between-devices=devices=gpu,cpu --check-passes | FileCheck %s
// RUN: tiny-opt %s -split-input-file --kernel-copy-between-devices | FileCheck %s --check-prefix=NONE --implicit-check-not='on "' --implicit-check-not=kernel.copy

// Without devices nothing changes.
// NONE-LABEL: kernel.program @chain(

// A chain over two devices, and back. Each buffer lies where it is made.

// CHECK-LABEL: kernel.program @chain(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK-SAME: attributes {devices = ["gpu", "cpu"]}
// CHECK-NEXT: %[[X_CPU:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK-NEXT: %[[A:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK-NEXT: %[[A_GPU:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[X]], %[[X_CPU]]
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] : {{.*}} outs(%[[A]] :
// CHECK-NEXT: %[[B:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: %[[B_CPU:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[A]], %[[A_GPU]]
// CHECK-NEXT: kernel.launch @double ins(%[[A_GPU]] : {{.*}} outs(%[[B]] :
// CHECK-NEXT: %[[C:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[B]], %[[B_CPU]]
// CHECK-NEXT: kernel.launch @square ins(%[[B_CPU]] : {{.*}} outs(%[[C]] :
// CHECK-NEXT: kernel.return %[[C]]
kernel.program @chain(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %a = kernel.alloc : memref<8xf32>
  kernel.launch @square ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  %b = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  %c = kernel.alloc : memref<8xf32>
  kernel.launch @square ins(%b : memref<8xf32>) outs(%c : memref<8xf32>)
  kernel.return %c : memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// The arms of a diamond. What both read is copied once, and once more where its home has changed.

// CHECK-LABEL: kernel.program @diamond(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[X]], %[[X_CPU:.*]] :
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] :
// CHECK-NOT: kernel.copy
// CHECK: kernel.launch @square ins(%[[X_CPU]] :
// CHECK-NOT: kernel.copy
// CHECK: kernel.launch @double ins(%[[X]] : {{.*}} outs(%[[X]] :
// CHECK: kernel.copy %[[X]], %[[X_CPU]] :
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] :
kernel.program @diamond(%x: memref<8xf32> {tiny.donated, tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %a = kernel.alloc : memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  kernel.launch @square ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  kernel.launch @square ins(%x : memref<8xf32>) outs(%b : memref<8xf32>)
  kernel.launch @double ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  kernel.launch @square ins(%x : memref<8xf32>) outs(%c : memref<8xf32>)
  kernel.return %a, %b, %c : memref<8xf32>, memref<8xf32>, memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// State that a kernel elsewhere writes in place comes back: a donated argument lies on the first device.

// CHECK-LABEL: kernel.program @state(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: %[[X_CPU:.*]] = kernel.alloc on "cpu"
// CHECK-NEXT: kernel.copy %[[X]], %[[X_CPU]]
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] : {{.*}} outs(%[[X_CPU]] :
// CHECK-NEXT: kernel.copy %[[X_CPU]], %[[X]]
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] : {{.*}} outs(%[[X_CPU]] :
// CHECK-NEXT: kernel.copy %[[X_CPU]], %[[X]]
// CHECK-NEXT: kernel.return %[[X]]
kernel.program @state(%x: memref<8xf32> {tiny.donated, tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.aliases = 0 : i64, tiny.type = tensor<8xf32>}) {
  kernel.launch @square ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  kernel.launch @square ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
  kernel.return %x : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// Parts: only those that are needed are copied. One buffer is written on both devices, part by part.

// CHECK-LABEL: kernel.program @parts(
// CHECK-SAME: %[[X:[^:]*]]: memref<16xf32>
// CHECK: %[[X_CPU:.*]] = kernel.alloc on "cpu" : memref<16xf32>
// CHECK: %[[HIGH:.*]] = kernel.alias %[[X]][8]
// CHECK-NEXT: %[[HIGH_CPU:.*]] = kernel.alias %[[X_CPU]][8]
// CHECK: %[[Y:.*]] = kernel.alloc : memref<16xf32>
// CHECK-NEXT: %[[Y_CPU:.*]] = kernel.alloc on "cpu" : memref<16xf32>
// CHECK: %[[Y_HIGH:.*]] = kernel.alias %[[Y]][8]
// CHECK-NEXT: %[[Y_HIGH_CPU:.*]] = kernel.alias %[[Y_CPU]][8]
// CHECK-NEXT: kernel.launch @double
// CHECK-NEXT: kernel.copy %[[HIGH]], %[[HIGH_CPU]] : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[Y_HIGH]], %[[Y_HIGH_CPU]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @square ins(%[[HIGH_CPU]] : {{.*}} outs(%[[Y_HIGH_CPU]] :
// CHECK-NEXT: kernel.copy %[[Y_HIGH_CPU]], %[[Y_HIGH]] : memref<8xf32>
// CHECK-NEXT: kernel.return %[[Y]]
kernel.program @parts(%x: memref<16xf32> {tiny.type = tensor<16xf32>}) -> (memref<16xf32> {tiny.type = tensor<16xf32>}) {
  %low = kernel.alias %x[0] : memref<16xf32> -> memref<8xf32>
  %high = kernel.alias %x[8] : memref<16xf32> -> memref<8xf32>
  %y = kernel.alloc : memref<16xf32>
  kernel.fill %y, 0.0 : f32 -> memref<16xf32>
  %y_low = kernel.alias %y[0] : memref<16xf32> -> memref<8xf32>
  %y_high = kernel.alias %y[8] : memref<16xf32> -> memref<8xf32>
  kernel.launch @double ins(%low : memref<8xf32>) outs(%y_low : memref<8xf32>)
  kernel.launch @square ins(%high : memref<8xf32>) outs(%y_high : memref<8xf32>)
  kernel.return %y : memref<16xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// A constant lies where it is read first, and is copied where it stands, even if a loop reads it.

// CHECK-LABEL: kernel.program @constants(
// CHECK: %[[V:.*]] = kernel.constant dense<3.000000e+00> : tensor<8xf32> on "cpu" -> memref<8xf32>
// CHECK-NEXT: %[[W:.*]] = kernel.constant dense<2.000000e+00> : tensor<8xf32> -> memref<8xf32>
// CHECK-NEXT: %[[W_CPU:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK-NEXT: kernel.copy %[[W]], %[[W_CPU]]
// CHECK: kernel.loop
// CHECK-NOT: kernel.copy %[[W]]
// CHECK: kernel.launch @square ins(%[[W_CPU]] :
kernel.program @constants() -> (memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %v = kernel.constant dense<3.0> : tensor<8xf32> -> memref<8xf32>
  %w = kernel.constant dense<2.0> : tensor<8xf32> -> memref<8xf32>
  %a = kernel.alloc : memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  kernel.launch @double ins(%w : memref<8xf32>) outs(%a : memref<8xf32>)
  kernel.launch @square ins(%v : memref<8xf32>) outs(%b : memref<8xf32>)
  kernel.loop most(3) {
    kernel.launch @square ins(%w : memref<8xf32>) outs(%b : memref<8xf32>)
  }
  kernel.return %a, %b : memref<8xf32>, memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// A loop with kernels on both devices. What no iteration writes is copied in front of it, its state in each iteration.

// CHECK-LABEL: kernel.program @loop(
// CHECK-SAME: %[[H:[^:]*]]: memref<8xf32> {{.*}}, %[[W:[^:]*]]: memref<8xf32>
// CHECK-DAG: %[[H_CPU:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK-DAG: kernel.copy %[[W]], %[[W_CPU:.*]] : memref<8xf32>
// CHECK: kernel.loop most(3) counter(%{{.*}}) {
// CHECK-NEXT: kernel.launch @double ins(%[[H]] : {{.*}} outs(%[[H]] :
// CHECK-NEXT: kernel.copy %[[H]], %[[H_CPU]]
// CHECK-NEXT: kernel.launch @add ins(%[[H_CPU]], %[[W_CPU]] : {{.*}} outs(%[[H_CPU]] :
// CHECK-NEXT: kernel.copy %[[H_CPU]], %[[H]]
// CHECK-NEXT: }
kernel.program @loop(%h: memref<8xf32> {tiny.donated, tiny.type = tensor<8xf32>}, %w: memref<8xf32> {tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.aliases = 0 : i64, tiny.type = tensor<8xf32>}) {
  %i = kernel.alloc : memref<1xi64>
  kernel.loop most(3) counter(%i) {
    kernel.launch @double ins(%h : memref<8xf32>) outs(%h : memref<8xf32>)
    kernel.launch @add ins(%h, %w : memref<8xf32>, memref<8xf32>) outs(%h : memref<8xf32>)
  }
  kernel.return %h : memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @add(%a: memref<8xf32>, %b: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %a[%i] : memref<8xf32>
  %y = kernel.load %b[%i] : memref<8xf32>
  %z = arith.addf %x, %y : f32
  kernel.store %z, %out[%i] : memref<8xf32>
}

// -----

// What one list of a branch copies is not there behind it.

// CHECK-LABEL: kernel.program @branch(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32> {{.*}}, %[[C:[^:]*]]: memref<1xi1>
// CHECK: kernel.if %[[C]] {
// CHECK-NEXT: kernel.copy %[[X]], %[[X_CPU:.*]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] : {{.*}} outs(%[[Y:.*]] : memref<8xf32>)
// CHECK: } else {
// CHECK-NEXT: kernel.launch @double ins(%[[X]] : {{.*}} outs(%[[Y_GPU:.*]] : memref<8xf32>)
// CHECK-NEXT: kernel.copy %[[Y_GPU]], %[[Y]] : memref<8xf32>
// CHECK: }
// CHECK: kernel.copy %[[X]], %[[X_CPU]]
// CHECK-NEXT: kernel.launch @square ins(%[[X_CPU]] :
kernel.program @branch(%x: memref<8xf32> {tiny.type = tensor<8xf32>}, %c: memref<1xi1> {tiny.type = tensor<1xi1>})
    -> (memref<8xf32> {tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<8xf32>
  %z = kernel.alloc : memref<8xf32>
  kernel.if %c {
    kernel.launch @square ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  } else {
    kernel.launch @double ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  }
  kernel.launch @square ins(%x : memref<8xf32>) outs(%z : memref<8xf32>)
  kernel.return %y, %z : memref<8xf32>, memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// A buffer that some way has written, and another one not: a kernel elsewhere writes a part of it, so that it gets a value
// that can be copied.

// CHECK-LABEL: kernel.program @perhaps_written(
// CHECK: %[[Y:.*]] = kernel.alloc : memref<16xf32>
// CHECK: kernel.fill %[[Y]], 0.000000e+00
// CHECK: kernel.if
// CHECK: kernel.copy %{{.*}}, %{{.*}} : memref<8xf32>
// CHECK: kernel.launch @square
// CHECK-NEXT: kernel.copy
kernel.program @perhaps_written(%x: memref<8xf32> {tiny.type = tensor<8xf32>}, %c: memref<1xi1> {tiny.type = tensor<1xi1>})
    -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<16xf32>
  %low = kernel.alias %y[0] : memref<16xf32> -> memref<8xf32>
  %high = kernel.alias %y[8] : memref<16xf32> -> memref<8xf32>
  kernel.if %c {
    kernel.launch @double ins(%x : memref<8xf32>) outs(%low : memref<8xf32>)
  }
  kernel.launch @square ins(%x : memref<8xf32>) outs(%high : memref<8xf32>)
  kernel.return %high : memref<8xf32>
}
kernel.func private @double(%in: memref<8xf32>, %out: memref<8xf32>) {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.addf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// What ranks exchange lies on the first device. What only some stages run, they alone copy, each time.

// CHECK-LABEL: kernel.program @ranks(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: %[[A:.*]] = kernel.alloc : memref<8xf32>
// CHECK-NEXT: %[[A_CPU:.*]] = kernel.alloc on "cpu" : memref<8xf32>
// CHECK: kernel.launch @square ins(%{{.*}} : {{.*}} outs(%[[A_CPU]] :
// CHECK-NEXT: kernel.copy %[[A_CPU]], %[[A]] : memref<8xf32>
// CHECK-NEXT: kernel.collective "all_reduce" %[[A]], %[[B:.*]] grid
// CHECK: kernel.copy %[[B]], %[[B_CPU:.*]] {tiny.places = array<i64: 1>} : memref<8xf32>
// CHECK-NEXT: kernel.launch @square ins(%[[B_CPU]] : {{.*}} outs(%[[C:.*]] : memref<8xf32>) {tiny.places = array<i64: 1>}
// CHECK-NEXT: kernel.copy %[[B]], %[[B_CPU]] : memref<8xf32>
// CHECK-NEXT: kernel.launch @square ins(%[[B_CPU]] :
kernel.program @ranks(%x: memref<8xf32> {tiny.type = tensor<8xf32>})
    -> (memref<8xf32> {tiny.stage = 1 : i64, tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>})
    attributes {tiny.grid = array<i64: 2>, tiny.stage_axis = 0 : i64} {
  %a = kernel.alloc : memref<8xf32>
  %b = kernel.alloc : memref<8xf32>
  %c = kernel.alloc : memref<8xf32>
  %d = kernel.alloc : memref<8xf32>
  kernel.launch @square ins(%x : memref<8xf32>) outs(%a : memref<8xf32>)
  kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
  kernel.launch @square ins(%b : memref<8xf32>) outs(%c : memref<8xf32>) {tiny.places = array<i64: 1>}
  kernel.launch @square ins(%b : memref<8xf32>) outs(%d : memref<8xf32>)
  kernel.return %c, %d : memref<8xf32>, memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// What a device has is known once, however often it was written: lists of it grew by squares at each branch.

// CHECK-LABEL: kernel.program @branches(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[X]], %[[X_CPU:.*]] :
// CHECK-COUNT-3: kernel.copy %[[X_CPU]], %[[X]] :
// CHECK-COUNT-6: kernel.if
// CHECK-NOT: kernel.copy
// CHECK: kernel.launch @square ins(%[[X_CPU]] :
// CHECK: kernel.return
kernel.program @branches(%x: memref<8xf32> {tiny.donated, tiny.type = tensor<8xf32>}, %c: memref<1xi1> {tiny.type = tensor<1xi1>}) -> (memref<8xf32> {tiny.aliases = 0 : i64, tiny.type = tensor<8xf32>}, memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<8xf32>
  %z = kernel.alloc : memref<8xf32>
  kernel.launch @square ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
  kernel.launch @square ins(%y : memref<8xf32>) outs(%x : memref<8xf32>)
  kernel.launch @square ins(%y : memref<8xf32>) outs(%x : memref<8xf32>)
  kernel.launch @square ins(%y : memref<8xf32>) outs(%x : memref<8xf32>)
  kernel.if %c {
  }
  kernel.if %c {
  }
  kernel.if %c {
  }
  kernel.if %c {
  }
  kernel.if %c {
  }
  kernel.if %c {
  }
  kernel.launch @square ins(%x : memref<8xf32>) outs(%z : memref<8xf32>)
  kernel.return %x, %z : memref<8xf32>, memref<8xf32>
}
kernel.func private @square(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}

// -----

// Of what a device has, it gets anew what was written since, and no more.

// CHECK-LABEL: kernel.program @parts(
// CHECK-SAME: %[[X:[^:]*]]: memref<8xf32>
// CHECK: kernel.copy %[[X]], %{{.*}} : memref<8xf32>
// CHECK: kernel.fill
// CHECK-NOT: kernel.copy
// CHECK: kernel.launch @square
// CHECK: kernel.copy %{{.*}}, %{{.*}} : memref<4xf32>
// CHECK-NEXT: kernel.launch @square
// CHECK: kernel.return
kernel.program @parts(%x: memref<8xf32> {tiny.donated, tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.aliases = 0 : i64, tiny.type = tensor<8xf32>}, memref<4xf32> {tiny.type = tensor<4xf32>}, memref<4xf32> {tiny.type = tensor<4xf32>}) {
  %low = kernel.alias %x[0] : memref<8xf32> -> memref<4xf32>
  %high = kernel.alias %x[4] : memref<8xf32> -> memref<4xf32>
  %s = kernel.alloc : memref<8xf32>
  %y = kernel.alloc : memref<4xf32>
  %z = kernel.alloc : memref<4xf32>
  kernel.launch @whole ins(%x : memref<8xf32>) outs(%s : memref<8xf32>)
  kernel.fill %high, 1.0 : f32 -> memref<4xf32>
  kernel.launch @square ins(%low : memref<4xf32>) outs(%y : memref<4xf32>)
  kernel.launch @square ins(%high : memref<4xf32>) outs(%z : memref<4xf32>)
  kernel.return %x, %y, %z : memref<8xf32>, memref<4xf32>, memref<4xf32>
}
kernel.func private @whole(%in: memref<8xf32>, %out: memref<8xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(8)
  %x = kernel.load %in[%i] : memref<8xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<8xf32>
}
kernel.func private @square(%in: memref<4xf32>, %out: memref<4xf32>) attributes {device = "cpu"} {
  %i = kernel.range loop id(0) extent(4)
  %x = kernel.load %in[%i] : memref<4xf32>
  %y = arith.mulf %x, %x : f32
  kernel.store %y, %out[%i] : memref<4xf32>
}
