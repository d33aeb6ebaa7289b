// What lanes do together, for subgroups of SUBGROUP lanes: a test puts the number in and adds a device.
module {
  // A tree in shared memory, of a row each.
  uop.func @tree(%in: memref<256xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %c6 = arith.constant 6 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    %c128 = arith.constant 128 : index
    %zero = arith.constant 0.0 : f32
    %tile = uop.local : memref<64xf32>
    %row = uop.special global dim(0) extent(2)
    %lane = uop.special local dim(0) extent(64)
    %begin = arith.muli %row, %c128 : index
    %sum = uop.for %k to %c2 iter(%acc = %zero) -> (f32) {
      %block = arith.muli %k, %c64 : index
      %column = arith.addi %block, %lane : index
      %at = arith.addi %begin, %column : index
      %x = uop.load %in[%at] : memref<256xf32>, f32
      %next = arith.addf %acc, %x : f32
      uop.yield %next : f32
    }
    uop.store %sum, %tile[%lane] : f32, memref<64xf32>
    uop.barrier
    uop.for %step to %c6 {
      %count = arith.shrui %c32, %step : index
      %is = arith.cmpi slt, %lane, %count : index
      uop.if %is {
        %there = arith.addi %lane, %count : index
        %a = uop.load %tile[%lane] : memref<64xf32>, f32
        %b = uop.load %tile[%there] : memref<64xf32>, f32
        %c = arith.addf %a, %b : f32
        uop.store %c, %tile[%lane] : f32, memref<64xf32>
      }
      uop.barrier
    }
    %first = arith.cmpi eq, %lane, %c0 : index
    uop.if %first {
      %total = uop.load %tile[%c0] : memref<64xf32>, f32
      uop.store %total, %out[%row] : f32, memref<2xf32>
    }
    uop.return
  }
  // A product in tiles of 8x8, which 64 lanes fill together.
  uop.func @product(%a: memref<256xf32>, %b: memref<256xf32>, %c: memref<256xf32>) {
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %zero = arith.constant 0.0 : f32
    %left = uop.local : memref<64xf32>
    %right = uop.local : memref<64xf32>
    %gi = uop.special global dim(0) extent(2)
    %gj = uop.special global dim(1) extent(2)
    %lj = uop.special local dim(0) extent(8)
    %li = uop.special local dim(1) extent(8)
    %gi8 = arith.muli %gi, %c8 : index
    %gj8 = arith.muli %gj, %c8 : index
    %i = arith.addi %gi8, %li : index
    %j = arith.addi %gj8, %lj : index
    %row = arith.muli %i, %c16 : index
    %li8 = arith.muli %li, %c8 : index
    %own = arith.addi %li8, %lj : index
    %sum = uop.for %block to %c2 iter(%acc = %zero) -> (f32) {
      %k = arith.muli %block, %c8 : index
      %ka = arith.addi %k, %lj : index
      %ata = arith.addi %row, %ka : index
      uop.copy_async %a[%ata], %left[%own] count(1) : memref<256xf32>, memref<64xf32>
      %kb = arith.addi %k, %li : index
      %kb16 = arith.muli %kb, %c16 : index
      %atb = arith.addi %kb16, %j : index
      uop.copy_async %b[%atb], %right[%own] count(1) : memref<256xf32>, memref<64xf32>
      uop.copy_commit
      uop.copy_wait pending(0)
      uop.barrier
      %inner = uop.for %s to %c8 iter(%part = %acc) -> (f32) {
        %ls = arith.addi %li8, %s : index
        %u = uop.load %left[%ls] : memref<64xf32>, f32
        %s8 = arith.muli %s, %c8 : index
        %rs = arith.addi %s8, %lj : index
        %v = uop.load %right[%rs] : memref<64xf32>, f32
        %p = arith.mulf %u, %v : f32
        %q = arith.addf %part, %p : f32
        uop.yield %q : f32
      }
      uop.barrier
      uop.yield %inner : f32
    }
    %at = arith.addi %row, %j : index
    uop.store %sum, %c[%at] : f32, memref<256xf32>
    uop.return
  }
  // Lanes of all workgroups count.
  uop.func @count(%in: memref<128xi32>, %out: memref<4xi32>, %most: memref<4xi32>) {
    %c64 = arith.constant 64 : index
    %three = arith.constant 3 : i32
    %zero = arith.constant 0 : i32
    %g = uop.special global dim(0) extent(2)
    %l = uop.special local dim(0) extent(64)
    %begin = arith.muli %g, %c64 : index
    %at = arith.addi %begin, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %low = arith.andi %x, %three : i32
    %bin = arith.index_castui %low : i32 to index
    %one = arith.constant 1 : i32
    %is = arith.cmpi ne, %low, %zero : i32
    uop.atomic addi %one, %out[%bin] if %is : i32, memref<4xi32>
    uop.atomic maxs %x, %most[%bin] : i32, memref<4xi32>
    uop.return
  }
  // Where a lane is, and what its subgroup has.
  uop.func @places(%in: memref<128xf32>, %out: memref<256xi32>, %sums: memref<128xf32>) {
    %c128 = arith.constant 128 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %c64 = arith.constant 64 : index
    %lane = uop.special lane dim(0) extent(SUBGROUP)
    %subgroup = uop.special subgroup dim(0) extent(COUNT)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %a = arith.index_cast %lane : index to i32
    %b = arith.index_cast %subgroup : index to i32
    uop.store %a, %out[%at] : i32, memref<256xi32>
    %behind = arith.addi %at, %c128 : index
    uop.store %b, %out[%behind] : i32, memref<256xi32>
    %sum = uop.subgroup_reduce addf %x : f32
    uop.store %sum, %sums[%at] : f32, memref<128xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @addf_f32(%in: memref<128xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %y = uop.workgroup_reduce addf %x dims(1) : f32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f32, memref<2xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @mulf_f32(%in: memref<128xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %y = uop.workgroup_reduce mulf %x dims(1) : f32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f32, memref<2xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @maximumf_f32(%in: memref<128xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %y = uop.workgroup_reduce maximumf %x dims(1) : f32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f32, memref<2xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @maxnumf_f32(%in: memref<128xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %y = uop.workgroup_reduce maxnumf %x dims(1) : f32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f32, memref<2xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @minimumf_f32(%in: memref<128xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %y = uop.workgroup_reduce minimumf %x dims(1) : f32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f32, memref<2xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @minnumf_f32(%in: memref<128xf32>, %out: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf32>, f32
    %y = uop.workgroup_reduce minnumf %x dims(1) : f32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f32, memref<2xf32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @addi_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce addi %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @maxs_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce maxs %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @maxu_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce maxu %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @mins_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce mins %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @minu_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce minu %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @andi_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce andi %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @ori_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce ori %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @xori_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce xori %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @muli_i32(%in: memref<128xi32>, %out: memref<2xi32>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi32>, i32
    %y = uop.workgroup_reduce muli %x dims(1) : i32
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i32, memref<2xi32>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @addi_i64(%in: memref<128xi64>, %out: memref<2xi64>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi64>, i64
    %y = uop.workgroup_reduce addi %x dims(1) : i64
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i64, memref<2xi64>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @maxs_i8(%in: memref<128xi8>, %out: memref<2xi8>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xi8>, i8
    %y = uop.workgroup_reduce maxs %x dims(1) : i8
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : i8, memref<2xi8>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @maximumf_f64(%in: memref<128xf64>, %out: memref<2xf64>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf64>, f64
    %y = uop.workgroup_reduce maximumf %x dims(1) : f64
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f64, memref<2xf64>
    uop.return
  }
  // Over 64 lanes, for each of two rows.
  uop.func @addf_f64(%in: memref<128xf64>, %out: memref<2xf64>) {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %l = uop.special local dim(0) extent(64)
    %m = uop.special local dim(1) extent(2)
    %row = arith.muli %m, %c64 : index
    %at = arith.addi %row, %l : index
    %x = uop.load %in[%at] : memref<128xf64>, f64
    %y = uop.workgroup_reduce addf %x dims(1) : f64
    %first = arith.cmpi eq, %l, %c0 : index
    uop.store %y, %out[%m] if %first as i1 : f64, memref<2xf64>
    uop.return
  }
  // Two trees one after the other, of workgroups smaller than a subgroup.
  uop.func @trees(%in: memref<8xf64>, %out: memref<8xf64>) {
    %c2 = arith.constant 2 : index
    %group = uop.special global dim(0) extent(4)
    %lane = uop.special local dim(0) extent(2)
    %begin = arith.muli %group, %c2 : index
    %at = arith.addi %begin, %lane : index
    %x = uop.load %in[%at] : memref<8xf64>, f64
    %most = uop.workgroup_reduce maximumf %x dims(1) : f64
    %below = arith.subf %most, %x : f64
    %sum = uop.workgroup_reduce addf %below dims(1) : f64
    uop.store %sum, %out[%at] : f64, memref<8xf64>
    uop.return
  }
  // Of lanes that are no whole subgroups, in a loop.
  uop.func @rounds(%in: memref<72xf32>, %out: memref<6xf32>) {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c12 = arith.constant 12 : index
    %l = uop.special local dim(0) extent(12)
    uop.for %k to %c6 {
      %row = arith.muli %k, %c12 : index
      %at = arith.addi %row, %l : index
      %x = uop.load %in[%at] : memref<72xf32>, f32
      %y = uop.workgroup_reduce addf %x dims(1) : f32
      %first = arith.cmpi eq, %l, %c0 : index
      uop.store %y, %out[%k] if %first as i1 : f32, memref<6xf32>
    }
    uop.return
  }
}
