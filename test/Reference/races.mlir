// What goes wrong between lanes, each in one line with both operations, the lanes and the place.
// RUN: split-file %s %t

// RUN: not tiny-interpret %t/race.mlir --program=read 2>&1 | FileCheck %s --check-prefix=READ
// READ: race.mlir:7:8: error: has a race: lane 0 reads element 3 of tile 0 by 'uop.load', and lane 3 writes it by 'uop.store', with no barrier between
// READ: race.mlir:6:3: note: the other operation is here
// RUN: not tiny-interpret %t/race.mlir --program=overwrite 2>&1 | FileCheck %s --check-prefix=OVERWRITE
// OVERWRITE: race.mlir:20:3: error: has a race: lane 0 writes element 0 of tile 0 by 'uop.store', and lane 3 reads it by 'uop.load', with no barrier between
// RUN: not tiny-interpret %t/race.mlir --program=both 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: race.mlir:28:3: error: has a race: lane 1 writes element 0 of argument 0 by 'uop.store', and lane 0 writes it by 'uop.store', with no barrier between
// RUN: not tiny-interpret %t/race.mlir --program=groups 2>&1 | FileCheck %s --check-prefix=GROUPS
// GROUPS: race.mlir:37:8: error: has a race: lane 0 of workgroup 1 reads element 0 of argument 0 by 'uop.load', and lane 0 of workgroup 0 writes it by 'uop.store', with no barrier between
// RUN: not tiny-interpret %t/race.mlir --program=single 2>&1 | FileCheck %s --check-prefix=SINGLE
// SINGLE: race.mlir:46:3: error: has a race: workgroup 1 writes element 0 of argument 0 by 'uop.store', and workgroup 0 writes it by 'uop.store', with no barrier between
// RUN: not tiny-interpret %t/race.mlir --program=atomic 2>&1 | FileCheck %s --check-prefix=ATOMIC
// ATOMIC: race.mlir:55:8: error: has a race: lane 0 reads element 0 of argument 0 by 'uop.load', and lane 3 changes it by 'uop.atomic', with no barrier between
// RUN: not tiny-interpret %t/race.mlir --program=second 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: has a race: lane 0 writes element 0 of tile 0 by 'uop.store', and lane {{[123]}} reads it by 'uop.load', with no barrier between

// A subgroup waits for its own lanes alone.
// RUN: tiny-interpret %t/subgroups.mlir --program=own
// RUN: not tiny-interpret %t/subgroups.mlir --program=other 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: subgroups.mlir:23:8: error: has a race: lane 0 reads element 2 of tile 0 by 'uop.load', and lane 2 writes it by 'uop.store', with no barrier between
// RUN: not tiny-interpret %t/subgroups.mlir --program=part 2>&1 | FileCheck %s --check-prefix=PART
// PART: subgroups.mlir:33:5: error: has a 'uop.subgroup_barrier' that lane 0 comes to and lane 1 of its subgroup does not

// RUN: not tiny-interpret %t/barrier.mlir --program=condition 2>&1 | FileCheck %s --check-prefix=CONDITION
// CONDITION: barrier.mlir:6:5: error: has a 'uop.barrier' that lane 0 comes to and lane 2 does not
// RUN: not tiny-interpret %t/barrier.mlir --program=loop 2>&1 | FileCheck %s --check-prefix=LOOP
// LOOP: barrier.mlir:14:5: error: has a 'uop.barrier' that lane 1 comes to and lane 0 does not
// RUN: not tiny-interpret %t/barrier.mlir --program=subgroup 2>&1 | FileCheck %s --check-prefix=SUBGROUP
// SUBGROUP: barrier.mlir:25:10: error: has a 'uop.subgroup_reduce' that lane 0 comes to and lane 3 of its subgroup does not
// RUN: not tiny-interpret %t/barrier.mlir --program=whole 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: barrier.mlir:30:1: error: has a workgroup of 6 lanes, which are not whole subgroups
// RUN: not tiny-interpret %t/barrier.mlir --program=unknown 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: barrier.mlir:39:8: error: has a workgroup of 4 lanes, which are not whole subgroups

// RUN: not tiny-interpret %t/tile.mlir --program=outside 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: tile.mlir:6:3: error: writes element 4 of a buffer of 4 elements in lane 3
// RUN: not tiny-interpret %t/tile.mlir --program=unwritten 2>&1 | FileCheck %s --check-prefix=UNWRITTEN
// UNWRITTEN: tile.mlir:16:8: error: reads element 0 of a buffer before it is written
// RUN: not tiny-interpret %t/tile.mlir --program=private 2>&1 | FileCheck %s --check-prefix=PRIVATE
// PRIVATE: tile.mlir:27:8: error: reads element 0 of a buffer before it is written
// RUN: not tiny-interpret %t/tile.mlir --program=workgroup 2>&1 | FileCheck %s --check-prefix=WORKGROUP
// WORKGROUP: tile.mlir:41:10: error: reads element 0 of a buffer before it is written

// RUN: not tiny-interpret %t/copy.mlir --program=early 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: copy.mlir:7:8: error: reads element 0 of tile 0 in lane 0 before the wait for the asynchronous copy to it
// EARLY: copy.mlir:5:3: note: the other operation is here
// RUN: not tiny-interpret %t/copy.mlir --program=pending 2>&1 | FileCheck %s --check-prefix=PENDING
// PENDING: copy.mlir:20:8: error: reads element 4 of tile 0 in lane 0 before the wait for the asynchronous copy to it
// RUN: not tiny-interpret %t/copy.mlir --program=uncommitted 2>&1 | FileCheck %s --check-prefix=UNCOMMITTED
// UNCOMMITTED: copy.mlir:29:8: error: reads element 0 of tile 0 in lane 0 before the wait for the asynchronous copy to it
// RUN: not tiny-interpret %t/copy.mlir --program=unseen 2>&1 | FileCheck %s --check-prefix=UNSEEN
// UNSEEN: copy.mlir:42:8: error: has a race: lane 0 reads element 3 of tile 0 by 'uop.load', and lane 3 writes it by 'uop.copy_async', with no barrier between
// RUN: not tiny-interpret %t/copy.mlir --program=twice 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: copy.mlir:51:5: error: copies to element 0 of tile 0 in lane 0 before the wait for another copy to it

// RUN: not tiny-interpret %t/many.mlir 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: many.mlir:1:1: error: a workgroup has more lanes than the interpreter runs: 1073741824

//--- many.mlir
uop.func @many() {
  %x = uop.special local dim(0) extent(32768)
  %y = uop.special local dim(1) extent(32768)
  uop.return
}

//--- subgroups.mlir
uop.func @own(%out: memref<4xi64>) {
  %tile = uop.local : memref<4xindex>
  %lane = uop.special local dim(0) extent(4)
  %number = uop.special lane dim(0) extent(2)
  %c1 = arith.constant 1 : index
  %other = arith.xori %lane, %c1 : index
  uop.store %lane, %tile[%lane] : index, memref<4xindex>
  uop.subgroup_barrier
  %x = uop.load %tile[%other] : memref<4xindex>, index
  uop.subgroup_barrier
  uop.store %x, %tile[%lane] : index, memref<4xindex>
  uop.return
}
uop.func @other(%out: memref<4xi64>) {
  %tile = uop.local : memref<4xindex>
  %lane = uop.special local dim(0) extent(4)
  %number = uop.special lane dim(0) extent(2)
  %c2 = arith.constant 2 : index
  %there = arith.xori %lane, %c2 : index
  uop.store %lane, %tile[%lane] : index, memref<4xindex>
  // That one's subgroup is another.
  uop.subgroup_barrier
  %x = uop.load %tile[%there] : memref<4xindex>, index
  uop.return
}
uop.func @part(%out: memref<4xi64>) {
  %lane = uop.special local dim(0) extent(4)
  %number = uop.special lane dim(0) extent(2)
  %c0 = arith.constant 0 : index
  %is = arith.cmpi eq, %number, %c0 : index
  uop.if %is {
    // Nobody reads, and still lane 1 is missing.
    uop.subgroup_barrier
  }
  uop.return
}

//--- race.mlir
uop.func @read(%out: memref<4xi64>) {
  %tile = uop.local : memref<4xindex>
  %lane = uop.special local dim(0) extent(4)
  %c3 = arith.constant 3 : index
  %mirror = arith.subi %c3, %lane : index
  uop.store %lane, %tile[%lane] : index, memref<4xindex>
  %x = uop.load %tile[%mirror] : memref<4xindex>, index
  uop.return
}
uop.func @overwrite(%out: memref<4xi64>) {
  %tile = uop.local : memref<4xindex>
  %lane = uop.special local dim(0) extent(4)
  %c3 = arith.constant 3 : index
  %mirror = arith.subi %c3, %lane : index
  uop.store %lane, %tile[%lane] : index, memref<4xindex>
  uop.barrier
  %x = uop.load %tile[%mirror] : memref<4xindex>, index
  %c0 = arith.constant 0 : index
  %y = arith.addi %x, %c0 : index
  uop.store %y, %tile[%lane] : index, memref<4xindex>
  uop.return
}
uop.func @both(%out: memref<4xi64>) {
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  // Though both write the same.
  uop.store %zero, %out[%c0] : i64, memref<4xi64>
  uop.return
}
uop.func @groups(%out: memref<4xi64>) {
  %group = uop.special global dim(0) extent(2)
  %lane = uop.special local dim(0) extent(2)
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  %is = arith.cmpi eq, %lane, %c0 : index
  %x = uop.load %out[%c0] if %is as i1 : memref<4xi64>, i64
  uop.barrier
  uop.store %zero, %out[%group] if %is as i1 : i64, memref<4xi64>
  uop.return
}
uop.func @single(%out: memref<4xi64>) {
  %group = uop.special global dim(0) extent(2)
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i64
  uop.store %zero, %out[%c0] : i64, memref<4xi64>
  uop.return
}
uop.func @atomic(%out: memref<4xi64>) {
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i64
  uop.atomic addi %one, %out[%c0] : i64, memref<4xi64>
  uop.atomic addi %one, %out[%c0] : i64, memref<4xi64>
  %x = uop.load %out[%c0] : memref<4xi64>, i64
  uop.return
}
uop.func @second(%out: memref<4xi64>) {
  %tile = uop.local : memref<1xindex>
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %first = arith.cmpi eq, %lane, %c0 : index
  uop.if %first {
    uop.store %c0, %tile[%c0] : index, memref<1xindex>
  }
  uop.barrier
  %x = uop.load %tile[%c0] : memref<1xindex>, index
  // The writer reads last.
  uop.if %first {
    %y = uop.load %tile[%c0] : memref<1xindex>, index
    uop.store %y, %tile[%c0] : index, memref<1xindex>
  }
  uop.return
}
//--- barrier.mlir
uop.func @condition(%out: memref<4xi64>) {
  %lane = uop.special local dim(0) extent(4)
  %c2 = arith.constant 2 : index
  %is = arith.cmpi slt, %lane, %c2 : index
  uop.if %is {
    uop.barrier
  }
  uop.return
}
uop.func @loop(%out: memref<4xi64>) {
  %lane = uop.special local dim(0) extent(4)
  %c1 = arith.constant 1 : index
  uop.for %k to %lane {
    uop.barrier
  }
  uop.return
}
uop.func @subgroup(%in: memref<8xf32>) {
  %lane = uop.special local dim(0) extent(8)
  %inside = uop.special lane dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %is = arith.cmpi eq, %inside, %c0 : index
  %x = uop.load %in[%lane] : memref<8xf32>, f32
  uop.if %is {
    %y = uop.subgroup_reduce addf %x : f32
    uop.store %y, %in[%lane] : f32, memref<8xf32>
  }
  uop.return
}
uop.func @whole(%in: memref<8xf32>) {
  %lane = uop.special local dim(0) extent(6)
  %inside = uop.special lane dim(0) extent(4)
  uop.return
}
uop.func @unknown(%in: memref<8xf32>) {
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%lane] : memref<8xf32>, f32
  %y = uop.shuffle xor %x, %c0 : f32
  uop.return
}
//--- tile.mlir
uop.func @outside(%out: memref<4xi64>) {
  %tile = uop.local : memref<4xindex>
  %lane = uop.special local dim(0) extent(4)
  %c1 = arith.constant 1 : index
  %at = arith.addi %lane, %c1 : index
  uop.store %lane, %tile[%at] : index, memref<4xindex>
  uop.return
}
uop.func @unwritten(%out: memref<4xi64>) {
  %tile = uop.local : memref<4xindex>
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %is = arith.cmpi ne, %lane, %c0 : index
  uop.store %lane, %tile[%lane] if %is as i1 : index, memref<4xindex>
  uop.barrier
  %x = uop.load %tile[%lane] : memref<4xindex>, index
  uop.return
}
uop.func @private(%out: memref<4xi64>) {
  %tile = uop.register : memref<1xindex>
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  %is = arith.cmpi eq, %lane, %c0 : index
  // What one lane writes no other one sees.
  uop.store %lane, %tile[%c0] if %is as i1 : index, memref<1xindex>
  uop.barrier
  %x = uop.load %tile[%c0] : memref<1xindex>, index
  uop.return
}
uop.func @workgroup(%out: memref<4xi64>) {
  %tile = uop.local : memref<1xindex>
  %group = uop.special global dim(0) extent(2)
  %lane = uop.special local dim(0) extent(2)
  %c0 = arith.constant 0 : index
  %firstlane = arith.cmpi eq, %lane, %c0 : index
  %firstgroup = arith.cmpi eq, %group, %c0 : index
  %is = arith.andi %firstlane, %firstgroup : i1
  uop.store %lane, %tile[%c0] if %is as i1 : index, memref<1xindex>
  // A tile begins anew in each workgroup.
  uop.if %firstlane {
    %x = uop.load %tile[%c0] : memref<1xindex>, index
  }
  uop.return
}
//--- copy.mlir
uop.func @early(%in: memref<4xf32>, %out: memref<4xf32>) {
  %tile = uop.local : memref<4xf32>
  %lane = uop.special local dim(0) extent(4)
  %c0 = arith.constant 0 : index
  uop.copy_async %in[%lane], %tile[%lane] count(1) : memref<4xf32>, memref<4xf32>
  uop.copy_commit
  %x = uop.load %tile[%lane] : memref<4xf32>, f32
  uop.return
}
uop.func @pending(%in: memref<8xf32>, %out: memref<4xf32>) {
  %tile = uop.local : memref<8xf32>
  %lane = uop.special local dim(0) extent(4)
  %c4 = arith.constant 4 : index
  %next = arith.addi %lane, %c4 : index
  uop.copy_async %in[%lane], %tile[%lane] count(1) : memref<8xf32>, memref<8xf32>
  uop.copy_commit
  uop.copy_async %in[%next], %tile[%next] count(1) : memref<8xf32>, memref<8xf32>
  uop.copy_commit
  uop.copy_wait pending(1)
  %x = uop.load %tile[%next] : memref<8xf32>, f32
  uop.return
}
uop.func @uncommitted(%in: memref<8xf32>, %out: memref<4xf32>) {
  %tile = uop.local : memref<8xf32>
  %lane = uop.special local dim(0) extent(4)
  uop.copy_commit
  uop.copy_async %in[%lane], %tile[%lane] count(1) : memref<8xf32>, memref<8xf32>
  uop.copy_wait pending(0)
  %x = uop.load %tile[%lane] : memref<8xf32>, f32
  uop.return
}
uop.func @unseen(%in: memref<4xf32>, %out: memref<4xf32>) {
  %tile = uop.local : memref<4xf32>
  %lane = uop.special local dim(0) extent(4)
  %c3 = arith.constant 3 : index
  %mirror = arith.subi %c3, %lane : index
  uop.copy_async %in[%lane], %tile[%lane] count(1) : memref<4xf32>, memref<4xf32>
  uop.copy_commit
  uop.copy_wait pending(0)
  // Its own lane may read it, others need a barrier.
  %x = uop.load %tile[%lane] : memref<4xf32>, f32
  %y = uop.load %tile[%mirror] : memref<4xf32>, f32
  uop.return
}
uop.func @twice(%in: memref<4xf32>, %out: memref<4xf32>) {
  %tile = uop.local : memref<4xf32>
  %lane = uop.special local dim(0) extent(4)
  %c2 = arith.constant 2 : index
  uop.for %k to %c2 {
    // Waits for nothing.
    uop.copy_async %in[%lane], %tile[%lane] count(1) : memref<4xf32>, memref<4xf32>
  }
  uop.return
}
