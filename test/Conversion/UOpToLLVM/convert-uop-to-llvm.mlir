// RUN: tiny-opt %s -split-input-file --uop-describe-entry -convert-uop-to-llvm | FileCheck %s --implicit-check-not=uop. --implicit-check-not=arith. --implicit-check-not=cf. --implicit-check-not=unrealized

// A kernel's arguments are the list of its buffers and the grid index.

// CHECK-LABEL: llvm.func @double(
// CHECK-SAME: %[[BUFFERS:[^ ]+]]: !llvm.ptr, %[[GRID:[^ ]+]]: !llvm.ptr)
// CHECK-SAME: kernel.entry = #kernel.entry<grid = [128, 1, 1]
// CHECK: %[[IN:.+]] = llvm.load %[[BUFFERS]] invariant dereferenceable<bytes = 512>
// CHECK: %[[SLOT:.+]] = llvm.getelementptr inbounds %[[BUFFERS]][1]
// CHECK: %[[OUT:.+]] = llvm.load %[[SLOT]] invariant dereferenceable<bytes = 512>
// CHECK: %[[I:.+]] = llvm.load %[[GRID]] invariant {{.*}} -> i64
// CHECK: %[[FROM:.+]] = llvm.getelementptr inbounds|nuw %[[IN]][%[[I]]] : {{.*}}, f32
// CHECK: %[[X:.+]] = llvm.load %[[FROM]] {alias_scopes = [#[[INSCOPE:.+]]], alignment = 1 : i64, noalias_scopes = [#[[OUTSCOPE:.+]]]}
// CHECK: %[[Y:.+]] = llvm.fadd %[[X]], %[[X]] : f32
// CHECK: %[[TO:.+]] = llvm.getelementptr inbounds|nuw %[[OUT]][%[[I]]]
// CHECK: llvm.store %[[Y]], %[[TO]] {alias_scopes = [#[[OUTSCOPE]]], alignment = 4 : i64, noalias_scopes = [#[[INSCOPE]]]}
// CHECK: llvm.return
uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>) {
  %i = uop.special global dim(0) extent(128)
  %x = uop.load %in[%i] : memref<128xf32>, f32
  %y = arith.addf %x, %x fastmath<contract> : f32
  uop.store %y, %out[%i] : f32, memref<128xf32>
  uop.return
}

// -----

// Thread axes take the grid axes that global ones leave.

// CHECK-LABEL: llvm.func @axes(
// CHECK-SAME: %[[GRID:[^ ]+]]: !llvm.ptr) attributes {kernel.entry = #kernel.entry<grid = [4, 3, 5]
// CHECK: %[[G0:.+]] = llvm.load %[[GRID]] invariant {{.*}} -> i64
// CHECK: %[[P1:.+]] = llvm.getelementptr inbounds %[[GRID]][1]
// CHECK: %[[G1:.+]] = llvm.load %[[P1]] invariant
// CHECK: %[[P2:.+]] = llvm.getelementptr inbounds %[[GRID]][2]
// CHECK: %[[G2:.+]] = llvm.load %[[P2]] invariant
// CHECK: %[[A:.+]] = llvm.add %[[G2]], %[[G0]]
// CHECK: llvm.add %[[A]], %[[G1]]
uop.func @axes(%out: memref<16xi64>) {
  %t = uop.special thread dim(0) extent(4)
  %g1 = uop.special global dim(1) extent(3)
  %g2 = uop.special global dim(2) extent(5)
  %a = arith.addi %g2, %t : index
  %b = arith.addi %a, %g1 : index
  %c = arith.constant 1 : i64
  uop.store %c, %out[%b] : i64, memref<16xi64>
  uop.return
}

// -----

// CHECK-LABEL: llvm.func @sum(
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]](%[[ZERO:.+]], %[[INIT:.+]] : i64, f32)
// CHECK: ^[[HEAD]](%[[I:.+]]: i64, %[[ACC:.+]]: f32):
// CHECK: %[[INSIDE:.+]] = llvm.icmp "slt" %[[I]], %[[N:.+]] : i64
// CHECK: llvm.cond_br %[[INSIDE]], ^[[BODY:bb[0-9]+]], ^[[EXIT:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: %[[NEXT_ACC:.+]] = llvm.fadd %[[ACC]]
// CHECK: %[[NEXT:.+]] = llvm.add %[[I]], %{{.+}} overflow<nsw, nuw>
// CHECK: llvm.br ^[[HEAD]](%[[NEXT]], %[[NEXT_ACC]] : i64, f32)
// CHECK: ^[[EXIT]]:
// CHECK: llvm.store %[[ACC]]
uop.func @sum(%in: memref<64xf32>, %out: memref<1xf32>) {
  %n = arith.constant 64 : index
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %s = uop.for %k to %n iter(%acc = %zero) -> (f32) {
    %x = uop.load %in[%k] : memref<64xf32>, f32
    %t = arith.addf %acc, %x : f32
    uop.yield %t : f32
  }
  uop.store %s, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// -----

// A nest with a carried value and a condition inside.

// CHECK-LABEL: llvm.func @nest(
// CHECK: llvm.br ^[[OUTER:bb[0-9]+]](
// CHECK: ^[[OUTER]](%{{.+}}: i64):
// CHECK: llvm.cond_br %{{.+}}, ^[[OUTER_BODY:bb[0-9]+]], ^[[OUTER_EXIT:bb[0-9]+]]
// CHECK: ^[[OUTER_BODY]]:
// CHECK: llvm.br ^[[INNER:bb[0-9]+]](
// CHECK: ^[[INNER]](%{{.+}}: i64, %[[ACC:.+]]: i32):
// CHECK: llvm.cond_br %{{.+}}, ^[[INNER_BODY:bb[0-9]+]], ^[[INNER_EXIT:bb[0-9]+]]
// CHECK: ^[[INNER_BODY]]:
// CHECK: llvm.br ^[[INNER]](
// CHECK: ^[[INNER_EXIT]]:
// CHECK: llvm.cond_br %{{.+}}, ^[[THEN:bb[0-9]+]], ^[[LATCH:bb[0-9]+]]
// CHECK: ^[[THEN]]:
// CHECK: llvm.store %[[ACC]]
// CHECK: llvm.br ^[[LATCH]]
// CHECK: ^[[LATCH]]:
// CHECK: llvm.br ^[[OUTER]](
// CHECK: ^[[OUTER_EXIT]]:
// CHECK: llvm.return
uop.func @nest(%in: memref<32xi32>, %out: memref<4xi32>) {
  %n = arith.constant 4 : index
  %m = arith.constant 8 : index
  %zero = arith.constant 0 : i32
  uop.for %i to %n {
    %row = arith.muli %i, %m : index
    %s = uop.for %k to %m iter(%acc = %zero) -> (i32) {
      %at = arith.addi %row, %k : index
      %x = uop.load %in[%at] : memref<32xi32>, i32
      %t = arith.addi %acc, %x : i32
      uop.yield %t : i32
    }
    %positive = arith.cmpi sgt, %s, %zero : i32
    uop.if %positive {
      uop.store %s, %out[%i] : i32, memref<4xi32>
    }
  }
  uop.return
}

// -----

// i1 is a byte in memory.

// CHECK-LABEL: llvm.func @bools(
// CHECK: dereferenceable<bytes = 8>
// CHECK: %[[BYTE:.+]] = llvm.load %{{.+}} -> i8
// CHECK: %[[BIT:.+]] = llvm.icmp "ne" %[[BYTE]], %{{.+}} : i8
// CHECK: %[[STORED:.+]] = llvm.zext %[[BIT]] : i1 to i8
// CHECK: llvm.store %[[STORED]], %{{.+}} : i8, !llvm.ptr
// CHECK: %[[BYTES:.+]] = llvm.load %{{.+}} {{.*}}alignment = 1 : i64{{.*}} -> vector<8xi8>
// CHECK: %[[BITS:.+]] = llvm.icmp "ne" %[[BYTES]], %{{.+}} : vector<8xi8>
// CHECK: %[[ALL:.+]] = llvm.zext %[[BITS]] : vector<8xi1> to vector<8xi8>
// CHECK: llvm.store %[[ALL]], %{{.+}} {{.*}}alignment = 1 : i64
uop.func @bools(%in: memref<8xi1>, %out: memref<8xi1>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<8xi1>, i1
  uop.store %x, %out[%c0] : i1, memref<8xi1>
  %v = uop.load %in[%c0] : memref<8xi1>, vector<8xi1>
  uop.store %v, %out[%c0] : vector<8xi1>, memref<8xi1>
  uop.return
}

// -----

// A gate that is off reads the first element.

// CHECK-LABEL: llvm.func @gated_scalar(
// CHECK: %[[GATE:.+]] = llvm.icmp "slt" %[[I:.+]], %{{.+}} : i64
// CHECK: %[[SAFE:.+]] = llvm.select %[[GATE]], %[[I]], %{{.+}} : i1, i64
// CHECK: %[[AT:.+]] = llvm.getelementptr inbounds|nuw %{{.+}}[%[[SAFE]]]
// CHECK: llvm.load %[[AT]]
// CHECK: llvm.cond_br %[[GATE]], ^[[THEN:bb[0-9]+]], ^[[AFTER:bb[0-9]+]]
// CHECK: ^[[THEN]]:
// CHECK: llvm.store
// CHECK: llvm.br ^[[AFTER]]
uop.func @gated_scalar(%in: memref<10xf32>, %out: memref<10xf32>) {
  %i = uop.special global dim(0) extent(16)
  %n = arith.constant 10 : index
  %gate = arith.cmpi slt, %i, %n : index
  %x = uop.load %in[%i] if %gate as i1 : memref<10xf32>, f32
  uop.store %x, %out[%i] if %gate as i1 : f32, memref<10xf32>
  uop.return
}

// -----

// Where no element can be read a branch decides.

// CHECK-LABEL: llvm.func @gated_short(
// CHECK: llvm.cond_br %{{.+}}, ^[[THEN:bb[0-9]+]], ^[[AFTER:bb[0-9]+]](%{{.+}} : f32)
// CHECK: ^[[THEN]]:
// CHECK: %[[X:.+]] = llvm.load
// CHECK: llvm.br ^[[AFTER]](%[[X]] : f32)
// CHECK: ^[[AFTER]](%[[VALUE:.+]]: f32):
// CHECK: llvm.cond_br %{{.+}}, ^[[VECTOR:bb[0-9]+]], ^[[END:bb[0-9]+]](%{{.+}} : vector<4xi32>)
// CHECK: ^[[VECTOR]]:
// CHECK: %[[V:.+]] = llvm.load
// CHECK: llvm.br ^[[END]](%[[V]] : vector<4xi32>)
uop.func @gated_short(%empty: memref<0xf32>, %short: memref<3xi32>, %out: memref<1xf32>, %wide: memref<4xi32>) {
  %i = uop.special global dim(0) extent(2)
  %c0 = arith.constant 0 : index
  %gate = arith.cmpi slt, %i, %c0 : index
  %x = uop.load %empty[%i] if %gate as i1 : memref<0xf32>, f32
  uop.store %x, %out[%c0] : f32, memref<1xf32>
  %v = uop.load %short[%i] if %gate as i1 : memref<3xi32>, vector<4xi32>
  uop.store %v, %wide[%c0] : vector<4xi32>, memref<4xi32>
  uop.return
}

// -----

// A gate for each lane is a masked access, whose address may be outside, but not far: where all lanes are off, the first
// element's is taken.

// CHECK-LABEL: llvm.func @gated_lanes(
// CHECK: %[[PLACE:.+]] = llvm.add %{{.+}}, %{{.+}} : i64
// CHECK: %[[INSIDE:.+]] = llvm.icmp "ult" %[[PLACE]], %{{.+}} : i64
// CHECK: %[[NEAR:.+]] = llvm.select %[[INSIDE]], %{{.+}}, %{{.+}} : i1, i64
// CHECK: %[[AT:.+]] = llvm.getelementptr %{{.+}}[%[[NEAR]]] :
// CHECK: %[[X:.+]] = llvm.intr.masked.load %[[AT]], %[[GATE:.+]], %{{.+}} {alignment = 1 : i32} : (!llvm.ptr, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
// CHECK: llvm.intr.masked.store %[[X]], %{{.+}}, %[[GATE]] {alignment = 4 : i32}
// CHECK: %[[BYTES:.+]] = llvm.intr.masked.load {{.*}} -> vector<8xi8>
// CHECK: %[[BITS:.+]] = llvm.icmp "ne" %[[BYTES]]
// CHECK: %[[STORED:.+]] = llvm.zext %[[BITS]]
// CHECK: llvm.intr.masked.store %[[STORED]]
uop.func @gated_lanes(%in: memref<10xf32>, %bits: memref<10xi1>, %out: memref<10xf32>, %bits_out: memref<10xi1>) {
  %g = uop.special global dim(0) extent(2)
  %c8 = arith.constant 8 : index
  %n = arith.constant dense<10> : vector<8xindex>
  %i = arith.muli %g, %c8 : index
  %lane = vector.step : vector<8xindex>
  %base = vector.broadcast %i : index to vector<8xindex>
  %all = arith.addi %base, %lane : vector<8xindex>
  %gate = arith.cmpi slt, %all, %n : vector<8xindex>
  %x = uop.load %in[%i] if %gate as vector<8xi1> : memref<10xf32>, vector<8xf32>
  uop.store %x, %out[%i] if %gate as vector<8xi1> : vector<8xf32>, memref<10xf32>
  %b = uop.load %bits[%i] if %gate as vector<8xi1> : memref<10xi1>, vector<8xi1>
  uop.store %b, %bits_out[%i] if %gate as vector<8xi1> : vector<8xi1>, memref<10xi1>
  uop.return
}

// -----

// CHECK-LABEL: llvm.func @index_arithmetic(
// CHECK: llvm.sdiv
// CHECK: %[[REST:.+]] = llvm.srem %[[X:.+]], %[[Y:.+]] : i64
// CHECK: %[[SIGNS:.+]] = llvm.xor %[[REST]], %[[Y]]
// CHECK: %[[MOVED:.+]] = llvm.add %[[REST]], %[[Y]]
// CHECK: llvm.select %{{.+}}, %[[MOVED]], %[[REST]]
uop.func @index_arithmetic(%in: memref<4xindex>, %out: memref<4xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = uop.load %in[%c0] : memref<4xindex>, index
  %y = uop.load %in[%c1] : memref<4xindex>, index
  %bounded = sym.range_of %x [0, 31] : index
  %q = arith.floordivsi %bounded, %y : index
  %r = sym.mod %bounded, %y : index
  %s = arith.addi %q, %r : index
  uop.store %s, %out[%c0] : index, memref<4xindex>
  uop.return
}

// -----

// What vectors are made of and taken apart with.

// CHECK-LABEL: llvm.func @vectors(
// CHECK: llvm.intr.fma
// CHECK-COUNT-8: llvm.fadd {{.*}} : f32
// CHECK: llvm.intr.sqrt
uop.func @vectors(%in: memref<32xf32>, %out: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %x = uop.load %in[%c0] : memref<32xf32>, vector<8xf32>
  %low = vector.extract_strided_slice %x {offsets = [0], sizes = [4], strides = [1]} : vector<8xf32> to vector<4xf32>
  %both = vector.shuffle %low, %low [0, 1, 2, 3, 4, 5, 6, 7] : vector<4xf32>, vector<4xf32>
  %wide = vector.insert_strided_slice %low, %both {offsets = [4], strides = [1]} : vector<4xf32> into vector<8xf32>
  %e = vector.extract %x[3] : f32 from vector<8xf32>
  %b = vector.broadcast %e : f32 to vector<8xf32>
  %i = vector.insert %e, %b [1] : f32 into vector<8xf32>
  %f = vector.fma %i, %wide, %b : vector<8xf32>
  %m = math.fma %f, %x, %b : vector<8xf32>
  %s = vector.reduction <add>, %m, %zero : vector<8xf32> into f32
  %r = math.sqrt %s : f32
  uop.store %r, %out[%c0] : f32, memref<32xf32>
  uop.return
}

// -----

// Vectors of two dimensions are arrays of vectors; a mask is a comparison.

// CHECK-LABEL: llvm.func @tiles_and_masks(
// CHECK: !llvm.array<2 x vector<2xf32>>
// CHECK: llvm.intr.masked.store
uop.func @tiles_and_masks(%in: memref<16xf32>, %out: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %n = uop.special global dim(0) extent(4)
  %x = uop.load %in[%c0] : memref<16xf32>, vector<4xf32>
  %tile = vector.shape_cast %x : vector<4xf32> to vector<2x2xf32>
  %turned = vector.transpose %tile, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
  %product = arith.mulf %turned, %tile : vector<2x2xf32>
  %flat = vector.shape_cast %product : vector<2x2xf32> to vector<4xf32>
  %e:4 = vector.to_elements %flat : vector<4xf32>
  %again = vector.from_elements %e#3, %e#2, %e#1, %e#0 : vector<4xf32>
  %first = vector.create_mask %n : vector<4xi1>
  %three = vector.constant_mask [3] : vector<4xi1>
  %mask = arith.andi %first, %three : vector<4xi1>
  uop.store %again, %out[%c0] if %mask as vector<4xi1> : vector<4xf32>, memref<16xf32>
  uop.return
}

// -----

// The program and its launches stay. A kernel that is launched on overlapping buffers loses its alias scopes.

// CHECK-LABEL: kernel.program @main(
// CHECK: kernel.launch @apart
// CHECK: kernel.launch @accumulate
// CHECK-LABEL: llvm.func @accumulate(
// CHECK-SAME: in_place = true
// CHECK-NOT: alias_scopes
// CHECK: llvm.return
// CHECK-LABEL: llvm.func @apart(
// CHECK-NOT: in_place = true
// CHECK: alias_scopes
kernel.program @main(%x: memref<8xf32> {tiny.type = tensor<8xf32>}) -> (memref<8xf32> {tiny.type = tensor<8xf32>}) {
  %y = kernel.alloc : memref<8xf32>
  %low = kernel.alias %y[0] : memref<8xf32> -> memref<4xf32>
  %high = kernel.alias %y[4] : memref<8xf32> -> memref<4xf32>
  %middle = kernel.alias %y[2] : memref<8xf32> -> memref<4xf32>
  %part = kernel.alias %x[0] : memref<8xf32> -> memref<4xf32>
  kernel.launch @apart ins(%part : memref<4xf32>) outs(%low : memref<4xf32>)
  kernel.launch @apart ins(%low : memref<4xf32>) outs(%high : memref<4xf32>)
  kernel.launch @accumulate ins(%low : memref<4xf32>) outs(%middle : memref<4xf32>)
  kernel.return %y : memref<8xf32>
}
uop.func @accumulate(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %x = uop.load %in[%i] : memref<4xf32>, f32
  uop.store %x, %out[%i] : f32, memref<4xf32>
  uop.return
}
uop.func @apart(%in: memref<4xf32>, %out: memref<4xf32>) {
  %i = uop.special global dim(0) extent(4)
  %x = uop.load %in[%i] : memref<4xf32>, f32
  uop.store %x, %out[%i] : f32, memref<4xf32>
  uop.return
}

// -----

// Local memory is a part, of any size, of the scratch memory behind the buffers, register memory is on the stack.

// CHECK-LABEL: llvm.func @tiles(
// CHECK-SAME: %[[BUFFERS:[^ ]+]]: !llvm.ptr
// CHECK-SAME: scratch = 4294967552
// CHECK: %[[SLOT:.+]] = llvm.getelementptr inbounds %[[BUFFERS]][1]
// CHECK: %[[SCRATCH:.+]] = llvm.load %[[SLOT]] invariant
// CHECK: %[[BEGIN:.+]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[FIRST:.+]] = llvm.getelementptr inbounds %[[SCRATCH]][%[[BEGIN]]]
// CHECK: %[[NEXT:.+]] = llvm.mlir.constant(4294967296 : i64)
// CHECK: %[[SECOND:.+]] = llvm.getelementptr inbounds %[[SCRATCH]][%[[NEXT]]]
// CHECK: %[[NEAR:.+]] = llvm.alloca %{{.+}} x i8 {alignment = 64 : i64}
uop.func @tiles(%out: memref<8xf32>) {
  %i = arith.constant 3 : index
  %x = arith.constant 1.0 : f32
  %a = uop.local : memref<1073741824xf32>
  %b = uop.local : memref<64xf32>
  %c = uop.register : memref<8xf32>
  uop.store %x, %a[%i] : f32, memref<1073741824xf32>
  uop.store %x, %b[%i] : f32, memref<64xf32>
  uop.store %x, %c[%i] : f32, memref<8xf32>
  %v = uop.load %b[%i] : memref<64xf32>, f32
  uop.store %v, %out[%i] : f32, memref<8xf32>
  uop.return
}

// -----

// What only moves bf16 moves its bits, in loops and vectors, too.
// CHECK-LABEL: llvm.func @moves_bf16(
// CHECK-DAG:     llvm.mlir.constant(16256 : i16) : i16
// CHECK-DAG:     llvm.mlir.constant(dense<16256> : vector<4xi16>) : vector<4xi16>
// CHECK:         llvm.select %{{.+}}, %{{.+}}, %{{.+}} : i1, i16
// CHECK:         llvm.intr.masked.load {{.+}} -> vector<4xi16>
// CHECK:         llvm.select %{{.+}}, %{{.+}}, %{{.+}} : vector<4xi1>, vector<4xi16>
// CHECK:         llvm.intr.masked.store %{{.+}}, %{{.+}}, %{{.+}} {{.+}} : vector<4xi16>
uop.func @moves_bf16(%in: memref<8xbf16>, %out: memref<9xbf16>, %bits: memref<8xi16>, %gates: memref<4xi1>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %one = arith.constant 1.0 : bf16
  %ones = arith.constant dense<1.0> : vector<4xbf16>
  %gate = uop.load %gates[%c0] : memref<4xi1>, i1
  %last = uop.for %i to %c8 iter(%held = %one) -> (bf16) {
    %x = uop.load %in[%i] : memref<8xbf16>, bf16
    %next = arith.select %gate, %x, %held : bf16
    uop.yield %next : bf16
  }
  uop.store %last, %out[%c8] : bf16, memref<9xbf16>
  %mask = uop.load %gates[%c0] : memref<4xi1>, vector<4xi1>
  %v = uop.load %in[%c4] if %mask as vector<4xi1> : memref<8xbf16>, vector<4xbf16>
  %w = arith.select %mask, %v, %ones : vector<4xi1>, vector<4xbf16>
  %b = arith.bitcast %w : vector<4xbf16> to vector<4xi16>
  uop.store %b, %bits[%c0] : vector<4xi16>, memref<8xi16>
  uop.store %w, %out[%c0] if %mask as vector<4xi1> : vector<4xbf16>, memref<9xbf16>
  uop.return
}

// -----

// What computes in bf16 keeps it: the processor may have it.
// CHECK-LABEL: llvm.func @computes_bf16(
// CHECK:         llvm.fadd %{{.+}}, %{{.+}} : bf16
uop.func @computes_bf16(%in: memref<1xbf16>, %out: memref<1xbf16>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<1xbf16>, bf16
  %y = arith.addf %x, %x : bf16
  uop.store %y, %out[%c0] : bf16, memref<1xbf16>
  uop.return
}

// -----

// Lanes at indices of their own: 32 bits are enough for what lies in a buffer of this size, whatever a lane that is off
// has.

// CHECK-LABEL: llvm.func @gathers(
// CHECK: %[[OFFSETS:.+]] = llvm.{{trunc|mlir.constant}}{{.*}} vector<8xi32>
// CHECK: %[[PLACES:.+]] = llvm.getelementptr %{{.+}}[%[[OFFSETS]]] : (!llvm.ptr, vector<8xi32>) -> vector<8x!llvm.ptr>, f32
// CHECK: llvm.intr.masked.gather %[[PLACES]], %{{.+}}, %{{.+}} {alignment = 1 : i32}
uop.func @gathers(%in: memref<64xf32>, %at: memref<8xindex>, %mask: memref<8xi1>, %out: memref<8xf32>) {
  %i = arith.constant 0 : index
  %indices = uop.load %at[%i] : memref<8xindex>, vector<8xindex>
  %gate = uop.load %mask[%i] : memref<8xi1>, vector<8xi1>
  %x = uop.gather %in[%indices] if %gate as vector<8xi1> : memref<64xf32>, vector<8xf32>
  uop.store %x, %out[%i] : vector<8xf32>, memref<8xf32>
  uop.return
}

// -----

// No machine gathers short elements. A lane that is off reads the first one, which LLVM needs no branch for.

// CHECK-LABEL: llvm.func @gathers_short(
// CHECK: %[[ALL:.+]] = llvm.mlir.constant(dense<true> : vector<8xi1>)
// CHECK: %[[PLACES:.+]] = llvm.select %{{.+}}, %{{.+}}, %{{.+}} : vector<8xi1>, vector<8xi32>
// CHECK: %[[ADDRESSES:.+]] = llvm.getelementptr %{{.+}}[%[[PLACES]]]
// CHECK: llvm.intr.masked.gather %[[ADDRESSES]], %[[ALL]], %{{.+}} {alignment = 1 : i32}
uop.func @gathers_short(%in: memref<64xi16>, %at: memref<8xindex>, %mask: memref<8xi1>, %out: memref<8xi16>) {
  %i = arith.constant 0 : index
  %indices = uop.load %at[%i] : memref<8xindex>, vector<8xindex>
  %gate = uop.load %mask[%i] : memref<8xi1>, vector<8xi1>
  %x = uop.gather %in[%indices] if %gate as vector<8xi1> : memref<64xi16>, vector<8xi16>
  uop.store %x, %out[%i] : vector<8xi16>, memref<8xi16>
  uop.return
}

// -----

// What all lanes of an index share is added up by itself.

// CHECK-LABEL: llvm.func @gathers_of_sums(
// CHECK-DAG: %[[SHARED:.+]] = llvm.add %{{.+}}, %{{.+}} : i32
// CHECK-DAG: %[[LANES:.+]] = llvm.trunc %{{.+}} : vector<8xi64> to vector<8xi32>
// CHECK: %[[OFFSETS:.+]] = llvm.add %[[LANES]], %{{.+}} : vector<8xi32>
// CHECK: llvm.getelementptr %{{.+}}[%[[OFFSETS]]] : (!llvm.ptr, vector<8xi32>) -> vector<8x!llvm.ptr>, f32
uop.func @gathers_of_sums(%in: memref<640xf32>, %at: memref<8xindex>, %out: memref<8xf32>) {
  %zero = arith.constant 0 : index
  %ten = arith.constant 10 : index
  %i = uop.special thread dim(0) extent(4)
  %j = uop.special thread dim(1) extent(4)
  %lanes = uop.load %at[%zero] : memref<8xindex>, vector<8xindex>
  %scaled = arith.muli %i, %ten : index
  %is = vector.broadcast %scaled : index to vector<8xindex>
  %js = vector.broadcast %j : index to vector<8xindex>
  %first = arith.addi %is, %lanes : vector<8xindex>
  %indices = arith.addi %first, %js : vector<8xindex>
  %x = uop.gather %in[%indices] : memref<640xf32>, vector<8xf32>
  uop.store %x, %out[%zero] : vector<8xf32>, memref<8xf32>
  uop.return
}

// -----

// What is fetched ahead, into the first cache or another, may lie outside of its buffer.

// CHECK-LABEL: llvm.func @prefetches(
// CHECK: %[[IN:.+]] = llvm.load %{{.+}} invariant
// CHECK: %[[PLACE:.+]] = llvm.getelementptr %[[IN]][%{{.+}}] : (!llvm.ptr, i64) -> !llvm.ptr, f32
// CHECK: "llvm.intr.prefetch"(%[[PLACE]]) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}>
// CHECK: "llvm.intr.prefetch"(%{{.+}}) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}>
uop.func @prefetches(%in: memref<64xf32>) {
  %i = arith.constant 1024 : index
  uop.prefetch %in[%i] : memref<64xf32>
  uop.prefetch %in[%i] level(2) : memref<64xf32>
  uop.return
}

// -----

// A sum that may be reassociated is taken in halves, and then the accumulator; no flag is left that lets LLVM choose.

// CHECK-LABEL: llvm.func @sum_in_halves(
// CHECK: %[[X:.+]] = llvm.load {{.*}} -> vector<4xf32>
// CHECK: %[[LOW:.+]] = llvm.shufflevector %[[X]], %[[X]] [0, 1] : vector<4xf32>
// CHECK: %[[HIGH:.+]] = llvm.shufflevector %[[X]], %[[X]] [2, 3] : vector<4xf32>
// CHECK: %[[TWO:.+]] = llvm.fadd %[[LOW]], %[[HIGH]] : vector<2xf32>
// CHECK: %[[FIRST:.+]] = llvm.shufflevector %[[TWO]], %[[TWO]] [0] : vector<2xf32>
// CHECK: %[[SECOND:.+]] = llvm.shufflevector %[[TWO]], %[[TWO]] [1] : vector<2xf32>
// CHECK: %[[ONE:.+]] = llvm.fadd %[[FIRST]], %[[SECOND]] : vector<1xf32>
// CHECK: %[[ALL:.+]] = llvm.extractelement %[[ONE]]
// CHECK: %[[SUM:.+]] = llvm.fadd %{{.+}}, %[[ALL]] : f32
// CHECK: llvm.fmul %[[SUM]], %[[SUM]] {fastmathFlags = #llvm.fastmath<nnan, ninf, nsz>} : f32
uop.func @sum_in_halves(%in: memref<4xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, vector<4xf32>
  %start = uop.load %out[%c0] : memref<1xf32>, f32
  %s = vector.reduction <add>, %x, %start fastmath<reassoc,contract> : vector<4xf32> into f32
  %y = arith.mulf %s, %s fastmath<fast> : f32
  uop.store %y, %out[%c0] : f32, memref<1xf32>
  uop.return
}

// -----

// Without the flag, or where halves do not come out even, lane by lane. The first lane starts.

// CHECK-LABEL: llvm.func @sum_in_order(
// CHECK-NOT: shufflevector
// CHECK: %[[A:.+]] = llvm.extractelement %[[X:[^\[]+]][
// CHECK: %[[B:.+]] = llvm.extractelement %[[X]][
// CHECK: %[[AB:.+]] = llvm.fadd %[[A]], %[[B]] : f32
// CHECK: %[[C:.+]] = llvm.extractelement %[[X]][
// CHECK: llvm.fadd %[[AB]], %[[C]] : f32
// CHECK-NOT: shufflevector
// CHECK: llvm.fmul
// CHECK: llvm.fmul
// CHECK: llvm.fmul
uop.func @sum_in_order(%in: memref<4xf32>, %out: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %x = uop.load %in[%c0] : memref<4xf32>, vector<3xf32>
  %s = vector.reduction <add>, %x fastmath<reassoc> : vector<3xf32> into f32
  %y = uop.load %in[%c0] : memref<4xf32>, vector<4xf32>
  %p = vector.reduction <mul>, %y : vector<4xf32> into f32
  %z = arith.addf %s, %p : f32
  uop.store %z, %out[%c0] : f32, memref<1xf32>
  uop.return
}
