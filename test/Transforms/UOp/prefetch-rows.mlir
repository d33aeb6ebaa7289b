// RUN: tiny-opt %s -split-input-file --uop-prefetch-rows | FileCheck %s
// RUN: tiny-opt %s -split-input-file --uop-prefetch-rows -o /dev/null --remarks-filter=uop-prefetch-rows \
// RUN:   --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK
// Hints change no value, and a program that has them still has one.
// RUN: tiny-opt %S/Inputs/softmax.mlir --tiny-tensor-to-uop-pipeline --uop-prefetch-rows='min-buffer=0 distance=256' \
// RUN:   --check-passes | FileCheck %s --check-prefix=SOFTMAX
// SOFTMAX-COUNT-4: uop.prefetch
// SOFTMAX-NOT: uop.prefetch

// The loop that computes more fetches the next row, a line at a time, and the one before it the row that it writes.
// CHECK-LABEL: uop.func @rows(
// CHECK-SAME: %[[IN:[^:]+]]: memref<262144xf32>, %[[OUT:[^:]+]]: memref<262144xf32>
// CHECK: uop.for
// CHECK: %[[ROW:.+]] = arith.muli
// CHECK: uop.for %[[J:.+]] to
// CHECK: %[[BEGIN:.+]] = arith.addi %[[ROW]], %{{.+}} : index
// CHECK: %[[C32:.+]] = arith.constant 32 : index
// CHECK: %[[DONE:.+]] = arith.muli %[[J]], %[[C32]]
// CHECK: %[[WRITTEN:.+]] = arith.addi %[[BEGIN]], %[[DONE]]
// CHECK: %[[NONE:.+]] = arith.constant 0 : index
// CHECK: %[[NOW:.+]] = arith.addi %[[WRITTEN]], %[[NONE]]
// CHECK: uop.prefetch %[[OUT]][%[[NOW]]] : memref<262144xf32>
// CHECK: arith.constant 16 : index
// CHECK: uop.prefetch %[[OUT]]
// CHECK-NOT: uop.prefetch
// CHECK: uop.for
// CHECK: %[[AT:.+]] = arith.addi
// CHECK: %[[FIRST:.+]] = arith.constant 1024 : index
// CHECK: %[[NEXT:.+]] = arith.addi %[[AT]], %[[FIRST]]
// CHECK: uop.prefetch %[[IN]][%[[NEXT]]] : memref<262144xf32>
// CHECK: %[[SECOND:.+]] = arith.constant 1040 : index
// CHECK: %[[LAST:.+]] = arith.addi %[[AT]], %[[SECOND]]
// CHECK: uop.prefetch %[[IN]][%[[LAST]]] : memref<262144xf32>
// CHECK-NEXT: uop.load %[[IN]][%[[AT]]]
// CHECK-NOT: uop.prefetch
// REMARK: remark: [Passed] prefetch {{.*}}Function=rows | {{.*}}"rows of argument 0 are fetched 1 ahead, of 4096 bytes each, read 2 times"
// REMARK: [Passed] prefetch {{.*}}Function=rows | {{.*}}"rows of argument 1 are fetched 0 ahead, of 4096 bytes each, before they are written"
uop.func @rows(%in: memref<262144xf32>, %out: memref<262144xf32>) {
  %c256 = arith.constant 256 : index
  %c1024 = arith.constant 1024 : index
  %c32 = arith.constant 32 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  uop.for %i to %c256 {
    %row = arith.muli %i, %c1024 : index
    %sum = uop.for %j to %c32 iter(%acc = %zero) -> (vector<32xf32>) {
      %lane = arith.muli %j, %c32 : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<32xf32>
      %next = arith.addf %acc, %x : vector<32xf32>
      uop.yield %next : vector<32xf32>
    }
    uop.for %j to %c32 {
      %lane = arith.muli %j, %c32 : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<32xf32>
      %y = arith.mulf %x, %sum : vector<32xf32>
      %z = arith.subf %y, %x : vector<32xf32>
      uop.store %z, %out[%at] : vector<32xf32>, memref<262144xf32>
    }
  }
  uop.return
}

// -----

// A short row is fetched as many rows ahead as make 2048 bytes; rows may come from the last to the first.
// CHECK-LABEL: uop.func @short_and_backwards(
// CHECK-SAME: %[[IN:[^:]+]]: memref<262144xf32>, %[[OUT:[^:]+]]: memref<262144xf32>
// CHECK: arith.constant -512 : index
// CHECK: uop.prefetch %[[OUT]]
// CHECK: uop.load
// CHECK: arith.constant -512 : index
// CHECK: uop.prefetch %[[IN]]
// CHECK-NOT: uop.prefetch
// REMARK: Function=short_and_backwards | {{.*}}"rows of argument 0 are fetched 8 ahead, of 256 bytes each, read 2 times"
// REMARK: Function=short_and_backwards | {{.*}}"rows of argument 1 are fetched 8 ahead, of 256 bytes each, before they are written"
uop.func @short_and_backwards(%in: memref<262144xf32>, %out: memref<262144xf32>) {
  %c4096 = arith.constant 4096 : index
  %c4095 = arith.constant 4095 : index
  %c64 = arith.constant 64 : index
  %c16 = arith.constant 16 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  uop.for %i to %c4096 {
    %back = arith.subi %c4095, %i : index
    %row = arith.muli %back, %c64 : index
    %sum = uop.for %j to %c4 iter(%acc = %zero) -> (vector<16xf32>) {
      %lane = arith.muli %j, %c16 : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
      uop.yield %x : vector<16xf32>
    }
    uop.for %j to %c4 {
      %lane = arith.muli %j, %c16 : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
      %y = arith.mulf %x, %sum : vector<16xf32>
      uop.store %y, %out[%at] : vector<16xf32>, memref<262144xf32>
    }
  }
  uop.return
}

// -----

// The next row would drive out this one.
// REMARK: [Missed] prefetch {{.*}}Function=long_rows | {{.*}}"rows of argument 0 are not fetched ahead: a row is too long (max-row)", bytes=131072, limit=65536
// CHECK-LABEL: uop.func @long_rows(
// CHECK-NOT: uop.prefetch
uop.func @long_rows(%in: memref<262144xf32>) {
  %rows = arith.constant 8 : index
  %length = arith.constant 32768 : index
  %trips = arith.constant 2048 : index
  %step = arith.constant 16 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// All of it stays in a cache.
// REMARK: [Missed] prefetch {{.*}}Function=small_buffer | {{.*}}"rows of argument 0 are not fetched ahead: the buffer is too small (min-buffer)", bytes=1048572, limit=1048576
// CHECK-LABEL: uop.func @small_buffer(
// CHECK-NOT: uop.prefetch
uop.func @small_buffer(%in: memref<262143xf32>) {
  %rows = arith.constant 4 : index
  %length = arith.constant 256 : index
  %trips = arith.constant 16 : index
  %step = arith.constant 16 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262143xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262143xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// With 128 bytes a row, none is 2048 bytes ahead.
// REMARK: [Missed] prefetch {{.*}}Function=few_rows | {{.*}}"rows of argument 0 are not fetched ahead: the buffer has no row so far ahead", ahead=16
// CHECK-LABEL: uop.func @few_rows(
// CHECK-NOT: uop.prefetch
uop.func @few_rows(%in: memref<262144xf32>) {
  %rows = arith.constant 16 : index
  %length = arith.constant 16384 : index
  %trips = arith.constant 2 : index
  %step = arith.constant 16 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// Each line would be fetched more than once.
// REMARK: [Missed] prefetch {{.*}}Function=narrow_loads | {{.*}}"rows of argument 0 are not fetched ahead: an access has less than a cache line", bytes=
// CHECK-LABEL: uop.func @narrow_loads(
// CHECK-NOT: uop.prefetch
uop.func @narrow_loads(%in: memref<262144xf32>) {
  %rows = arith.constant 256 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 128 : index
  %step = arith.constant 8 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<8xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<8xf32>
    }
  }
  uop.return
}

// -----

// The processor follows a stream by itself.
// REMARK-NOT: Function=read_once
// CHECK-LABEL: uop.func @read_once(
// CHECK-NOT: uop.prefetch
uop.func @read_once(%in: memref<262144xf32>) {
  %rows = arith.constant 256 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 16 : index
  %step = arith.constant 16 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %k = arith.addi %j, %step : index
    }
  }
  uop.return
}

// -----

// The second loop reads another part of the row.
// REMARK-NOT: Function=other_part
// CHECK-LABEL: uop.func @other_part(
// CHECK-NOT: uop.prefetch
uop.func @other_part(%in: memref<262144xf32>) {
  %rows = arith.constant 256 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 16 : index
  %step = arith.constant 16 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %half = arith.addi %j, %step : index
      %lane = arith.muli %half, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// The next row has a part of this one.
// REMARK-NOT: Function=windows
// CHECK-LABEL: uop.func @windows(
// CHECK-NOT: uop.prefetch
uop.func @windows(%in: memref<262144xf32>) {
  %rows = arith.constant 256 : index
  %length = arith.constant 128 : index
  %trips = arith.constant 16 : index
  %step = arith.constant 16 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// Its elements are not contiguous.
// REMARK-NOT: Function=spread
// CHECK-LABEL: uop.func @spread(
// CHECK-NOT: uop.prefetch
uop.func @spread(%in: memref<262144xf32>) {
  %rows = arith.constant 16 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 16 : index
  %step = arith.constant 32 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// Some of it may not be there.
// REMARK-NOT: Function=gated
// CHECK-LABEL: uop.func @gated(
// CHECK-NOT: uop.prefetch
uop.func @gated(%in: memref<262144xf32>) {
  %rows = arith.constant 256 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 16 : index
  %step = arith.constant 16 : index
  %gate = arith.constant true
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] if %gate as i1 : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// A tile is in a cache, and a loop that runs nobody knows how often has no row.
// REMARK-NOT: Function=tiles_and_bounds
// CHECK-LABEL: uop.func @tiles_and_bounds(
// CHECK-NOT: uop.prefetch
uop.func @tiles_and_bounds(%in: memref<262144xf32>, %sizes: memref<1xindex>) {
  %tile = uop.local : memref<262144xf32>
  %zero = arith.constant 0 : index
  %rows = arith.constant 256 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 64 : index
  %step = arith.constant 16 : index
  %some = uop.load %sizes[%zero] : memref<1xindex>, index
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %tile[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %tile[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %some {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
    uop.for %j to %some {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
    }
  }
  uop.return
}

// -----

// What is read where it is written is in a cache already, the first loop has none before it, a gate may leave parts out,
// and 15 trips do not divide a row of 16.
// REMARK-NOT: Function=not_fetched_to_write
// CHECK-LABEL: uop.func @not_fetched_to_write(
// CHECK-NOT: uop.prefetch
uop.func @not_fetched_to_write(%in: memref<262144xf32>, %a: memref<262144xf32>, %b: memref<262144xf32>,
                               %c: memref<262144xf32>) {
  %rows = arith.constant 1024 : index
  %length = arith.constant 256 : index
  %trips = arith.constant 16 : index
  %fewer = arith.constant 15 : index
  %step = arith.constant 16 : index
  %gate = arith.constant true
  %zero = arith.constant dense<0.0> : vector<16xf32>
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %fewer {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      uop.store %zero, %a[%at] : vector<16xf32>, memref<262144xf32>
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      uop.store %zero, %b[%at] if %gate as i1 : vector<16xf32>, memref<262144xf32>
      %x = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
      uop.store %x, %in[%at] : vector<16xf32>, memref<262144xf32>
    }
  }
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    uop.for %j to %fewer {
      %k = arith.addi %j, %step : index
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      uop.store %zero, %c[%at] : vector<16xf32>, memref<262144xf32>
    }
  }
  uop.return
}

// -----

// What the index is computed from may stand between the loops; what the loop before gives is not known in it.
// REMARK: Function=between | {{.*}}"rows of argument 0 are fetched 0 ahead, of 4096 bytes each, before they are written"
// REMARK-NOT: Function=carried
// CHECK-LABEL: uop.func @between(
// CHECK: uop.for
// CHECK: uop.for
// CHECK: uop.prefetch
// CHECK: }
// CHECK-NOT: uop.prefetch
// CHECK: uop.store
uop.func @between(%out: memref<262144xf32>) {
  %rows = arith.constant 256 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 64 : index
  %step = arith.constant 16 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  uop.for %i to %rows {
    uop.for %j to %trips {
      %k = arith.addi %j, %step : index
    }
    %row = arith.muli %i, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      uop.store %zero, %out[%at] : vector<16xf32>, memref<262144xf32>
    }
  }
  uop.return
}

// -----

// CHECK-LABEL: uop.func @carried(
// CHECK-NOT: uop.prefetch
uop.func @carried(%out: memref<262144xf32>) {
  %rows = arith.constant 128 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 64 : index
  %step = arith.constant 16 : index
  %none = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  uop.for %i to %rows {
    %row = arith.muli %i, %length : index
    %begin = uop.for %j to %trips iter(%k = %none) -> (index) {
      uop.yield %row : index
    }
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %both = arith.addi %begin, %row : index
      %at = arith.addi %both, %lane : index
      uop.store %zero, %out[%at] : vector<16xf32>, memref<262144xf32>
    }
  }
  uop.return
}

// -----

// Two rows at a time are added to a tile, each times two numbers: four multiply-adds for two loads. The next two rows
// are fetched meanwhile, in a loop that ends early, too.
// CHECK-LABEL: uop.func @accumulated(
// CHECK-COUNT-2: uop.prefetch %{{.*}}[%{{.*}}] : memref<262144xf32>
// CHECK-NOT: uop.prefetch
uop.func @accumulated(%in: memref<262144xf32>, %end: memref<1xi64>, %out: memref<2048xf32>) {
  %c0 = arith.constant 0 : index
  %rows = arith.constant 128 : index
  %two = arith.constant 2048 : index
  %length = arith.constant 1024 : index
  %most = arith.constant 64 : index
  %step = arith.constant 16 : index
  %x = arith.constant dense<2.0> : vector<16xf32>
  %sums = uop.local : memref<2048xf32>
  %live = uop.load %end[%c0] : memref<1xi64>, i64
  %known = arith.index_cast %live : i64 to index
  %lowered = arith.minsi %known, %most : index
  %trips = arith.maxsi %lowered, %c0 : index
  uop.for %i to %rows {
    %row = arith.muli %i, %two : index
    %next = arith.addi %row, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %other = arith.addi %lane, %length : index
      %at = arith.addi %row, %lane : index
      %below = arith.addi %next, %lane : index
      %a = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
      %b = uop.load %in[%below] : memref<262144xf32>, vector<16xf32>
      %first = uop.load %sums[%lane] : memref<2048xf32>, vector<16xf32>
      %second = uop.load %sums[%other] : memref<2048xf32>, vector<16xf32>
      %p = math.fma %x, %a, %first : vector<16xf32>
      %q = math.fma %x, %b, %p : vector<16xf32>
      %r = math.fma %x, %a, %second : vector<16xf32>
      %s = math.fma %x, %b, %r : vector<16xf32>
      uop.store %q, %sums[%lane] : vector<16xf32>, memref<2048xf32>
      uop.store %s, %sums[%other] : vector<16xf32>, memref<2048xf32>
    }
  }
  uop.return
}

// -----

// A sum of rows waits for memory alone.
// CHECK-LABEL: uop.func @streamed(
// CHECK-NOT: uop.prefetch
uop.func @streamed(%in: memref<262144xf32>, %out: memref<1024xf32>) {
  %rows = arith.constant 128 : index
  %two = arith.constant 2048 : index
  %length = arith.constant 1024 : index
  %trips = arith.constant 64 : index
  %step = arith.constant 16 : index
  %sums = uop.local : memref<1024xf32>
  uop.for %i to %rows {
    %row = arith.muli %i, %two : index
    %next = arith.addi %row, %length : index
    uop.for %j to %trips {
      %lane = arith.muli %j, %step : index
      %at = arith.addi %row, %lane : index
      %below = arith.addi %next, %lane : index
      %a = uop.load %in[%at] : memref<262144xf32>, vector<16xf32>
      %b = uop.load %in[%below] : memref<262144xf32>, vector<16xf32>
      %first = uop.load %sums[%lane] : memref<1024xf32>, vector<16xf32>
      %p = arith.addf %a, %first : vector<16xf32>
      %q = arith.addf %b, %p : vector<16xf32>
      uop.store %q, %sums[%lane] : vector<16xf32>, memref<1024xf32>
    }
  }
  uop.return
}

// -----

// Each iteration reads two lines of the next row, which no prefetcher follows, and computes as much of them: those of the
// sixty-fourth row from there are fetched, and a third line, as rows do not begin with lines.
// CHECK-LABEL: uop.func @pieces(
// CHECK-SAME: %[[IN:[^:]+]]: memref<1003000xf32>
// CHECK: uop.for
// CHECK: %[[AT:.+]] = arith.muli
// CHECK: %[[C0:.+]] = arith.constant 64192 : index
// CHECK: %[[P0:.+]] = arith.addi %[[AT]], %[[C0]]
// CHECK: uop.prefetch %[[IN]][%[[P0]]]
// CHECK: arith.constant 64208 : index
// CHECK: uop.prefetch
// CHECK: arith.constant 64224 : index
// CHECK: uop.prefetch
// CHECK-NEXT: uop.load %[[IN]][%[[AT]]]
// CHECK-NOT: uop.prefetch
// REMARK: [Passed] prefetch {{.*}}Function=pieces | {{.*}}"rows of argument 0 are fetched 64 ahead, of 128 bytes each, a piece in each iteration"
uop.func @pieces(%in: memref<1003000xf32>, %out: memref<32xf32>) {
  %c1000 = arith.constant 1000 : index
  %c1003 = arith.constant 1003 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %sums:2 = uop.for %k to %c1000 iter(%a = %zero, %b = %zero) -> (vector<32xf32>, vector<32xf32>) {
    %at = arith.muli %k, %c1003 : index
    %x = uop.load %in[%at] : memref<1003000xf32>, vector<32xf32>
    %c = math.fma %x, %x, %a : vector<32xf32>
    %d = arith.maximumf %x, %b : vector<32xf32>
    uop.yield %c, %d : vector<32xf32>, vector<32xf32>
  }
  %sum = arith.addf %sums#0, %sums#1 : vector<32xf32>
  uop.store %sum, %out[%c0] : vector<32xf32>, memref<32xf32>
  uop.return
}

// -----

// Of little that is computed the processor sees enough ahead, and a loop that ends before has no such row.
// CHECK-LABEL: uop.func @few(
// CHECK-NOT: uop.prefetch
// REMARK: [Missed] prefetch {{.*}}Function=few | {{.*}}"rows of argument 0 are not fetched ahead: the loop has no row so far ahead"
// REMARK-NOT: Function=few
uop.func @few(%in: memref<1003000xf32>, %out: memref<32xf32>) {
  %c64 = arith.constant 64 : index
  %c1000 = arith.constant 1000 : index
  %c1003 = arith.constant 1003 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %sum = uop.for %k to %c1000 iter(%a = %zero) -> (vector<32xf32>) {
    %at = arith.muli %k, %c1003 : index
    %x = uop.load %in[%at] : memref<1003000xf32>, vector<32xf32>
    %c = math.fma %x, %x, %a : vector<32xf32>
    uop.yield %c : vector<32xf32>
  }
  %short = uop.for %k to %c64 iter(%a = %sum) -> (vector<32xf32>) {
    %at = arith.muli %k, %c1003 : index
    %x = uop.load %in[%at] : memref<1003000xf32>, vector<32xf32>
    %y = arith.maximumf %x, %zero : vector<32xf32>
    %c = math.fma %y, %y, %a : vector<32xf32>
    uop.yield %c : vector<32xf32>
  }
  uop.store %short, %out[%c0] : vector<32xf32>, memref<32xf32>
  uop.return
}

// -----

// A tile reads two rows of a matrix that no cache holds side by side, twice, and computes so much of each line that the
// processor does not see far enough: those of the next tile are fetched. Of a matrix that a cache holds nothing is.
// CHECK-LABEL: uop.func @tile(
// CHECK-SAME: %[[IN:[^:]+]]: memref<19200000xf32>, %[[CACHED:[^:]+]]: memref<384000xf32>
// CHECK: uop.for
// CHECK: uop.for
// CHECK: uop.for
// CHECK: %[[AT0:.+]] = arith.addi
// CHECK: %[[NEXT0:.+]] = arith.constant 768 : index
// CHECK: %[[P0:.+]] = arith.addi %[[AT0]], %[[NEXT0]]
// CHECK: uop.prefetch %[[IN]][%[[P0]]]
// CHECK-NEXT: uop.load %[[IN]][%[[AT0]]]
// CHECK: %[[AT1:.+]] = arith.addi
// CHECK: arith.constant 768 : index
// CHECK: uop.prefetch %[[IN]]
// CHECK-NEXT: uop.load %[[IN]][%[[AT1]]]
// CHECK-NOT: uop.prefetch
// REMARK: [Passed] prefetch {{.*}}Function=tile | {{.*}}"rows of argument 0 are fetched 1 ahead, of 1536 bytes each, 2 side by side"
// REMARK: [Passed] prefetch {{.*}}Function=tile | {{.*}}"rows of argument 0 are fetched 1 ahead
// REMARK-NOT: Function=tile
uop.func @tile(%in: memref<19200000xf32>, %cached: memref<384000xf32>, %out: memref<800000xf32>) {
  %c2 = arith.constant 2 : index
  %c16 = arith.constant 16 : index
  %c24 = arith.constant 24 : index
  %c32 = arith.constant 32 : index
  %c384 = arith.constant 384 : index
  %c500 = arith.constant 500 : index
  %c768 = arith.constant 768 : index
  %c25000 = arith.constant 25000 : index
  %zero = arith.constant dense<0.0> : vector<16xf32>
  uop.for %j to %c25000 {
    %tile = arith.muli %j, %c768 : index
    %second = arith.addi %tile, %c384 : index
    %place = arith.muli %j, %c32 : index
    uop.for %again to %c2 {
      %sum = uop.for %k to %c24 iter(%a = %zero) -> (vector<16xf32>) {
        %along = arith.muli %k, %c16 : index
        %at0 = arith.addi %tile, %along : index
        %x = uop.load %in[%at0] : memref<19200000xf32>, vector<16xf32>
        %at1 = arith.addi %second, %along : index
        %y = uop.load %in[%at1] : memref<19200000xf32>, vector<16xf32>
        %b = math.fma %x, %x, %a : vector<16xf32>
        %c = math.fma %x, %y, %b : vector<16xf32>
        %d = math.fma %y, %y, %c : vector<16xf32>
        %e = math.fma %d, %x, %d : vector<16xf32>
        %f = math.fma %e, %y, %e : vector<16xf32>
        %g = math.fma %f, %x, %f : vector<16xf32>
        %h = math.fma %g, %y, %g : vector<16xf32>
        uop.yield %h : vector<16xf32>
      }
      %at = arith.addi %place, %again : index
      uop.store %sum, %out[%at] : vector<16xf32>, memref<800000xf32>
    }
  }
  uop.for %j to %c500 {
    %tile = arith.muli %j, %c768 : index
    %second = arith.addi %tile, %c384 : index
    %place = arith.muli %j, %c32 : index
    %sum = uop.for %k to %c24 iter(%a = %zero) -> (vector<16xf32>) {
      %along = arith.muli %k, %c16 : index
      %at0 = arith.addi %tile, %along : index
      %x = uop.load %cached[%at0] : memref<384000xf32>, vector<16xf32>
      %at1 = arith.addi %second, %along : index
      %y = uop.load %cached[%at1] : memref<384000xf32>, vector<16xf32>
      %b = math.fma %x, %x, %a : vector<16xf32>
      %c = math.fma %x, %y, %b : vector<16xf32>
      %d = math.fma %y, %y, %c : vector<16xf32>
      %e = math.fma %d, %x, %d : vector<16xf32>
      %f = math.fma %e, %y, %e : vector<16xf32>
      %g = math.fma %f, %x, %f : vector<16xf32>
      %h = math.fma %g, %y, %g : vector<16xf32>
      uop.yield %h : vector<16xf32>
    }
    uop.store %sum, %out[%place] : vector<16xf32>, memref<800000xf32>
  }
  uop.return
}

// -----

// Pieces of a matrix that no cache holds: the last iterations fetch the first pieces that the loop around reads next,
// be it that another loop reads the same ones before.
// CHECK-LABEL: uop.func @next_run(
// CHECK-SAME: %[[IN:[^:]+]]: memref<19916160xf32>
// CHECK: uop.for
// CHECK: uop.for
// CHECK: uop.for %[[K:.+]] to
// CHECK: %[[AT:.+]] = arith.addi
// CHECK: %[[LAST:.+]] = arith.constant 320 : index
// CHECK: %[[ENDS:.+]] = arith.cmpi sge, %[[K]], %[[LAST]]
// CHECK-DAG: %[[BACK:.+]] = arith.constant -19916128 : index
// CHECK-DAG: %[[STAY:.+]] = arith.constant 0 : index
// CHECK: %[[JUMP:.+]] = arith.select %[[ENDS]], %[[BACK]], %[[STAY]]
// CHECK: %[[HERE:.+]] = arith.addi %[[AT]], %[[JUMP]]
// CHECK: %[[FAR:.+]] = arith.constant 3319360 : index
// CHECK: %[[P:.+]] = arith.addi %[[HERE]], %[[FAR]]
// CHECK: uop.prefetch %[[IN]][%[[P]]]
uop.func @next_run(%in: memref<19916160xf32>, %out: memref<4000xf32>) {
  %c2 = arith.constant 2 : index
  %c32 = arith.constant 32 : index
  %c100 = arith.constant 100 : index
  %c384 = arith.constant 384 : index
  %c51865 = arith.constant 51865 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  uop.for %j to %c100 {
    %tile = arith.muli %j, %c32 : index
    uop.for %again to %c2 {
      %sum = uop.for %k to %c384 iter(%a = %zero) -> (vector<32xf32>) {
        %row = arith.muli %k, %c51865 : index
        %at = arith.addi %row, %tile : index
        %x = uop.load %in[%at] : memref<19916160xf32>, vector<32xf32>
        %y = arith.maximumf %x, %zero : vector<32xf32>
        %c = math.fma %y, %x, %a : vector<32xf32>
        uop.yield %c : vector<32xf32>
      }
      %place = arith.addi %tile, %again : index
      uop.store %sum, %out[%place] : vector<32xf32>, memref<4000xf32>
    }
  }
  uop.return
}

// -----

// Rows that lie pages apart have one place in the first cache, which does not hold as many of their pieces.
// CHECK-LABEL: uop.func @pages(
// CHECK: arith.constant 262144 : index
// CHECK: uop.prefetch %{{.+}}[%{{.+}}] level(2)
// CHECK: uop.prefetch %{{.+}}[%{{.+}}] level(2)
// CHECK-NEXT: uop.load
uop.func @pages(%in: memref<2097152xf32>, %out: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c512 = arith.constant 512 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant dense<0.0> : vector<32xf32>
  %sum = uop.for %k to %c512 iter(%a = %zero) -> (vector<32xf32>) {
    %at = arith.muli %k, %c4096 : index
    %x = uop.load %in[%at] : memref<2097152xf32>, vector<32xf32>
    %y = arith.maximumf %x, %zero : vector<32xf32>
    %c = math.fma %y, %x, %a : vector<32xf32>
    uop.yield %c : vector<32xf32>
  }
  uop.store %sum, %out[%c0] : vector<32xf32>, memref<32xf32>
  uop.return
}

// -----

// Rows that no memory has are left alone.
// CHECK-LABEL: uop.func @no_memory(
// CHECK-NOT: uop.prefetch
uop.func @no_memory(%in: memref<4611686018427387904xi64>) {
  %n = arith.constant 2 : index
  %t = arith.constant 2305843009213693952 : index
  uop.for %i to %n {
    %r = arith.muli %i, %t : index
    uop.for %j to %t {
      %at = arith.addi %r, %j : index
      %x = uop.load %in[%at] : memref<4611686018427387904xi64>, i64
      %y = arith.addi %x, %x : i64
    }
    uop.for %j to %t {
      %at = arith.addi %r, %j : index
      %x = uop.load %in[%at] : memref<4611686018427387904xi64>, i64
      %y = arith.addi %x, %x : i64
    }
  }
  uop.return
}

// -----

// A buffer that a loop carries is none of the function's.
// CHECK-LABEL: uop.func @carried_buffer(
// CHECK-NOT: uop.prefetch
uop.func @carried_buffer(%in: memref<4000000xf32>, %out: memref<4000000xf32>) {
  %n = arith.constant 1000 : index
  %t = arith.constant 16 : index
  %w = arith.constant 64 : index
  %s = arith.constant 1024 : index
  %c = arith.constant dense<0.0> : vector<16xf32>
  uop.for %i to %n {
    %r = arith.muli %i, %s : index
    uop.for %j to %w {
      %k = arith.muli %j, %t : index
      %at = arith.addi %r, %k : index
      %x = uop.load %in[%at] : memref<4000000xf32>, vector<16xf32>
      %y = arith.addf %x, %x : vector<16xf32>
    }
    %m = uop.for %j to %w iter(%buf = %out) -> (memref<4000000xf32>) {
      %k = arith.muli %j, %t : index
      %at = arith.addi %r, %k : index
      uop.store %c, %buf[%at] : vector<16xf32>, memref<4000000xf32>
      uop.yield %buf : memref<4000000xf32>
    }
  }
  uop.return
}
