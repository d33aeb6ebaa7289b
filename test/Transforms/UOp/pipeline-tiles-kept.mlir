// Tiles that can't be filled ahead stay as they are, with a reason.
// RUN: tiny-opt %s --pass-pipeline='builtin.module(target-attach{target=cuda processor=sm_80},uop.func(uop-pipeline-tiles))' --mlir-disable-threading --remarks-filter=uop-pipeline-tiles --remark-format=emitRemark 2>&1 | FileCheck %s

// CHECK: tiles are there once: the number of iterations is not known
uop.func @live(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n0 = uop.load %size[%c0] : memref<1xi64>, i64
  %n = arith.index_cast %n0 : i64 to index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: tiles want different numbers of buffers
uop.func @numbers(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(3) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: a tile is used outside of the loop
uop.func @outside(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.barrier
  %last = uop.load %t[%other] : memref<32xf32>, f32
  uop.store %last, %out[%l] : f32, memref<32xf32>
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: a tile is filled in a loop of its own
uop.func @own_loop(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.for %i to %n {
      uop.store %x, %u[%l] : f32, memref<32xf32>
    }
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: a tile is neither filled nor read
uop.func @atomic(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    uop.atomic addf %y, %u[%l] : f32, memref<32xf32>
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: a loop inside has barriers
uop.func @barriers(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    uop.for %i to %n {
      uop.barrier
    }
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: the loop does not fill its tiles between two barriers
uop.func @one_barrier(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: a barrier does not stand between filling and reading its tiles
uop.func @behind(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %false = arith.constant false
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    %early = uop.load %t[%l] if %false as i1 : memref<32xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: the loop uses tiles that are filled elsewhere than in front of it
uop.func @other_tile(%in: memref<640xf32>, %out: memref<32xf32>, %size: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.store %x, %u[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %z = uop.load %u[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: the loop uses tiles that are filled elsewhere
uop.func @written_behind(%in: memref<640xf32>, %out: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  uop.store %zero, %u[%l] : f32, memref<32xf32>
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.barrier
    %z = uop.load %u[%other] : memref<32xf32>, f32
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %u[%l] : f32, memref<32xf32>
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: the loop reads a buffer that it writes
uop.func @through_memory(%in: memref<640xf32>, %out: memref<32xf32>, %both: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  %sum = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %begin = arith.muli %k, %c32 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<640xf32>, f32
    uop.barrier
    uop.store %x, %t[%l] : f32, memref<32xf32>
    uop.barrier
    %y = uop.load %t[%other] : memref<32xf32>, f32
    uop.store %y, %both[%l] : f32, memref<32xf32>
    uop.barrier
    %z = uop.load %both[%other] : memref<32xf32>, f32
    %next = arith.addf %acc, %y : f32
    uop.yield %next : f32
  }
  uop.store %sum, %out[%l] : f32, memref<32xf32>
  uop.return
}

// CHECK: tiles are there once: the loop uses tiles that are filled elsewhere
uop.func @in_a_loop(%in: memref<640xf32>, %out: memref<32xf32>) {
  %c31 = arith.constant 31 : index
  %c32 = arith.constant 32 : index
  %n = arith.constant 5 : index
  %zero = arith.constant 0.0 : f32
  %t = uop.local buffers(2) : memref<32xf32>
  %u = uop.local : memref<32xf32>
  %l = uop.special local dim(0) extent(32)
  %other = arith.subi %c31, %l : index
  uop.for %round to %n {
    uop.store %zero, %u[%l] : f32, memref<32xf32>
    uop.for %k to %n {
      %begin = arith.muli %k, %c32 : index
      %at = arith.addi %begin, %l : index
      %x = uop.load %in[%at] : memref<640xf32>, f32
      uop.barrier
      uop.store %x, %t[%l] : f32, memref<32xf32>
      uop.barrier
      %y = uop.load %u[%other] : memref<32xf32>, f32
      uop.barrier
      %z = uop.load %t[%other] : memref<32xf32>, f32
      %w = arith.addf %y, %z : f32
      uop.store %w, %out[%l] : f32, memref<32xf32>
    }
  }
  uop.return
}
