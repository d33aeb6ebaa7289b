// Passes that stay on the uop level.
#ifndef TINY_TRANSFORMS_UOP_PASSES
#define TINY_TRANSFORMS_UOP_PASSES

include "mlir/Pass/PassBase.td"

def VerifyUOp : Pass<"verify-uop", "::mlir::ModuleOp"> {
  let summary = "Check that kernels are ordered programs and nothing of the kernel level is left";
  let description = [{
    The gate behind `convert-kernel-to-uop`. Reports: a `kernel.func`; in a `uop.func`, an operation of another dialect
    than arith, math, vector, sym and uop, or a hardware axis that is stated with two extents or that skips a dim. With
    `legal`, also what `uop-legalize` and `uop-expand-math` should have replaced.
  }];
  let options = [Option<"legal", "legal", "bool", "false", "Also demand what uop-legalize and uop-expand-math leave">];
}

def UOpExpandGroupReduce : Pass<"uop-expand-group-reduce", "::tiny::uop::FuncOp"> {
  let summary = "Reduce over the lanes of a workgroup by subgroups and shared memory";
  let description = [{
    Replaces each `uop.workgroup_reduce`. Where the record is a GPU's, numbers have 32 bits and the lanes are whole
    subgroups, each subgroup reduces its own, and where there are several their results go through a tile. Else all
    values lie in a tile, and half of the lanes take in the other half until one is left. Extrema of f32 are those of
    integers, so that NaN and zeros are the same on every device.

    A lane that is behind may still read a tile that a loop fills again, so there a barrier stands in front.

    ```mlir
    %s = uop.workgroup_reduce addi %x dims(1) : i32
    // becomes, for a workgroup of one subgroup
    %s = uop.subgroup_reduce addi %x : i32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UOpLegalize : Pass<"uop-legalize", "::tiny::uop::FuncOp"> {
  let summary = "Rewrite what a target does not have in terms of what it has";
  let description = [{
    Rewrites what the target lacks, by its `#target.record`. Afterwards:

    - `arith.floordivsi`, `ceildivsi`, `ceildivui`, `sym.mod` and `sym.range_of` are gone: by a power of two they are
      shifts and masks, on values that range analysis proves non-negative unsigned divisions, else the exact sequence.
    - With `split-vectors`, no vector is wider than the record's. A wider one is several of equal length and a shorter
      rest. An index counts 64 bits and a condition nothing.
    - Without `fma`, a `math.fma` that may be contracted is a product and a sum.
    - Without `round`, `floor`, `ceil`, `trunc`, `round` and `roundeven` are additions and comparisons.
    - Float types that the device neither computes in nor converts are only moved, selected, constant or bit-cast
      (docs/Numerics.md). `float_to_bfloat` rounds to bf16.
    - Integers of 64 bits that a GPU lacks are two words, in memory a `vector<2xi32>`.
    - `arith.fptosi` and `fptoui` saturate, and give 0 for NaN.

    ```mlir
    %q = arith.floordivsi %x, %c8 : index
    // becomes
    %q = arith.shrsi %x, %c3 : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
  let options = [Option<"splitVectors", "split-vectors", "bool", "false", "Cut vectors that are wider than the device's">];
}

def UOpPrefetchRows : Pass<"uop-prefetch-rows", "::tiny::uop::FuncOp"> {
  let summary = "Fetch the rows to come while a row is computed";
  let description = [{
    A processor prefetches streams of loads by itself, but not where loops read them again, nor across rows of a
    tile. Each line of these gets a `uop.prefetch`:

    - rows that two loops in a loop over rows read, at least `distance` bytes ahead, and a row that one of them writes;
    - in an innermost loop, lines of another row in each iteration, where it computes two operations of each, then the
      first of the next run;
    - several rows of a buffer larger than the last cache that an innermost loop reads side by side, those of the next
      iteration around, where the processor sees no further than memory takes to answer.

    Left alone are rows longer than `max-row`, which would evict the row in use; buffers smaller than `min-buffer`;
    accesses that are gated or shorter than a line; and devices without a `cache_line`. No value changes.

    ```text
    uop.for %i to %rows {
      ... // reads each %in[1024 * %i + 64 * %j]
      uop.for %j to %c16 {
        %at = ... // 1024 * %i + 64 * %j
        %x = uop.load %in[%at] : memref<1048576xf32>, vector<64xf32>
    // becomes
        %c1024 = arith.constant 1024 : index
        %ahead = arith.addi %at, %c1024 : index // and three more, 16 elements apart
        uop.prefetch %in[%ahead] : memref<1048576xf32>
        %x = uop.load %in[%at] : memref<1048576xf32>, vector<64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"distance", "distance", "::tiny::Bounded<1>", "2048", "Fewest bytes to be ahead">,
    Option<"maxRow", "max-row", "::tiny::Bounded<1>", "65536", "Longest row, in bytes">,
    Option<"minBuffer", "min-buffer", "::tiny::Bounded<0>", "1048576", "Smallest buffer, in bytes">
  ];
}

def UOpSplitExtrema : Pass<"uop-split-extrema", "::tiny::uop::FuncOp"> {
  let summary = "Carry maxima and minima of floats in three accumulators";
  let description = [{
    `arith.maximumf` propagates NaN and orders -0 below +0. No processor has an instruction for that: on AVX-512 it
    takes six, in a chain that each step of a loop waits for. After the pass, a loop that combines vectors of f32 or f64
    by it, or by `arith.minimumf`, carries three values, each updated by one instruction: the extremum of the numbers,
    and the largest bits as signed and as unsigned integers. After the loop, and after a horizontal `vector.reduction`,
    the bits tell whether there was a NaN, and which zero wins.

    Operations with `nnan` and `nsz` stay, and so do loops that combine fewer than four vectors without a horizontal
    reduction behind, and values that would make a loop carry more than `max-carried` bytes.

    ```mlir
    %m = uop.for %i to %n iter(%a = %least) -> (vector<16xf32>) {
      %x = uop.load %in[%i] : memref<1024xf32>, vector<16xf32>
      %b = arith.maximumf %a, %x : vector<16xf32>
      uop.yield %b : vector<16xf32>
    }
    // becomes
    %m:3 = uop.for %i to %n iter(%a = %least, %s = %bits, %u = %bits) -> (vector<16xf32>, vector<16xi32>, vector<16xi32>) {
      %x = uop.load %in[%i] : memref<1024xf32>, vector<16xf32>
      %y = arith.bitcast %x : vector<16xf32> to vector<16xi32>
      %c = arith.cmpf ogt, %x, %a : vector<16xf32>
      %b = arith.select %c, %x, %a : vector<16xi1>, vector<16xf32>
      %t = arith.maxsi %s, %y : vector<16xi32>
      %v = arith.maxui %u, %y : vector<16xi32>
      uop.yield %b, %t, %v : vector<16xf32>, vector<16xi32>, vector<16xi32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"maxCarried", "max-carried", "::tiny::Bounded<0>", "1024",
      "Most bytes that a loop carries: they should stay in registers">
  ];
}

def UOpPadTiles : Pass<"uop-pad-tiles", "::tiny::uop::FuncOp"> {
  let summary = "Let lanes read tiles without bank conflicts";
  let description = [{
    A fragment is read by rows of 16 bytes, eight at a time, and the memory of a workgroup serves 128 bytes at a time: two
    rows that begin the same number of bytes beyond a multiple of 128 wait for each other. Where rows of a `uop.local`
    that is read by `uop.fragment_load` do, the pass puts 16 bytes between them: rows then begin an odd multiple of 16
    bytes apart, and eight of them in eight places. Indices become `x + x floordiv row * 16 bytes`, as far as they are
    known to stay in the rows that they begin in; a tile with another access stays as it is.

    In a tile that lanes read one by one, a row is as long as two lanes read apart; 16 bytes follow it where the banks
    then take fewer turns.

    ```text
    %t = uop.local : memref<4096xf16>
    %a = uop.fragment_load %t[%i] stride(32) : memref<4096xf16>, !uop.fragment<left 16x16xf16>
    // becomes
    %t = uop.local : memref<5120xf16>
    %a = uop.fragment_load %t[%j] stride(40) : memref<5120xf16>, !uop.fragment<left 16x16xf16>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::sym::SymDialect"];
}

def UOpSwizzleTiles : Pass<"uop-swizzle-tiles", "::tiny::uop::FuncOp"> {
  let summary = "Lay tiles out as units for matrices read them";
  let description = [{
    What several subgroups multiply together stays in tiles. Where all `uop.fragment_load` of a `uop.local` are of such
    fragments and have lines of one length, a multiple of 128 bytes, the pass cuts lines into pieces of 128 bytes, puts
    those that begin at one column one behind the other, and swizzles their groups of 16 bytes: `uop.fragment_load` says
    it with `panel`, and what fills the tile writes there. A tile that does not fit stays, and a remark says why.

    ```text
    %b = uop.fragment_load %t[%i] stride(128) : memref<8192xf16>, !uop.fragment<right 16x128xf16 by 4>
    // becomes
    %b = uop.fragment_load %t[%j] stride(64) panel(4096) : memref<8192xf16>, !uop.fragment<right 16x128xf16 by 4>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::sym::SymDialect"];
}

def UOpCopyBoxes : Pass<"uop-copy-boxes", "::tiny::uop::FuncOp"> {
  let summary = "Have the device copy panels of products into a ring of tiles";
  let description = [{
    Where the record has `bulk_copy`, and all tiles with `buffers(n)` of a loop are for products of several subgroups and
    filled with boxes of matrices as they are, they become rings of n tiles, laid out as `uop-swizzle-tiles` does it. Lane
    0 has the device copy boxes (`uop.copy_bulk`), n - 1 iterations ahead. Barriers of phases say which tile is full, and
    which one no subgroup reads any more; no other barrier is left in the loop. Products run on into the next
    iteration where the loop carries their sums, the second half of them where lanes read left factors into registers;
    otherwise an iteration waits for them. Zeros that a gate gives outside of
    a matrix are the device's. Where one tile does not fit, a remark says why, and `uop-pipeline-tiles` comes to them.

    ```text
    uop.mbarrier_wait %full[%slot] phase(%phase)
    ...
    %s = uop.mma_wait %c pending(1)
    uop.mbarrier_arrive %empty[%before]
    uop.if %first {
      uop.mbarrier_wait %empty[%before] phase(%phase)
      uop.mbarrier_expect %full[%before] bytes(16384)
      uop.copy_bulk %in[%row, %column] ..., %tile[%to] box(128, 64), %full[%before]
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::sym::SymDialect"];
}

def UOpShareFragments : Pass<"uop-share-fragments", "::tiny::uop::FuncOp"> {
  let summary = "Let lanes have elements of fragments by way of a tile";
  let description = [{
    Where the record has `hidden_fragments`, lanes cannot tell which elements of a fragment they hold. A lane l of S then
    has the elements l, S + l, 2 S + l and so on, row by row: a subgroup stores the fragment in its part of a tile, and
    lanes load theirs. Rows are reduced by shuffles; factors of elements that lanes hold go the other way. Subgroups wait
    for their own lanes alone.

    ```mlir
    %x = uop.fragment_elements %c : !uop.fragment<sum 8x8xf32>, vector<2xf32>
    // becomes
    uop.fragment_store %c, %tile[%begin] stride(8) : !uop.fragment<sum 8x8xf32>, memref<64xf32>
    uop.subgroup_barrier
    %x0 = uop.load %tile[%place] : memref<64xf32>, f32
    %x1 = uop.load %tile[%next] : memref<64xf32>, f32
    uop.subgroup_barrier
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect", "::tiny::sym::SymDialect"];
}

def UOpDropBarriers : Pass<"uop-drop-barriers", "::tiny::uop::FuncOp"> {
  let summary = "Erase barriers that separate nothing";
  let description = [{
    A barrier between two others, in the same block, orders what lanes do between the first one and it before what they
    do between it and the last one. The pass erases it where no element can be touched on both sides, and written on one:
    where they share no tile and no buffer that one of them writes. So lanes fill several tiles at once.

    ```text
    uop.barrier
    uop.store %x, %s[%i] : f32, memref<64xf32>
    uop.barrier  // goes
    uop.store %y, %t[%i] : f32, memref<64xf32>
    uop.barrier
    ```
  }];
}

def UOpSimplifyCopies : Pass<"uop-simplify-copies", "::tiny::uop::FuncOp"> {
  let summary = "Simplify indices and gates of copies";
  let description = [{
    Copies of one body are the same with other numbers, so what no range decides about the body is decided for some of
    them: of windows beside each other those in the middle lie in their row. On GPUs, in kernels without tiles, the pass
    simplifies indices and conditions as `sym-simplify` does, canonicalizes, and merges what is alike.

    ```text
    %m = sym.mod %x, %c14
    %w = arith.muli %m, %c4
    %a = arith.addi %w, %c2
    %p = arith.cmpi slt, %a, %c57   // true
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::sym::SymDialect"];
}

def UOpPipelineTiles : Pass<"uop-pipeline-tiles", "::tiny::uop::FuncOp"> {
  let summary = "Fill a tile while lanes read another one";
  let description = [{
    Tiles with `buffers(n)` that the body of a loop fills between barriers, and reads behind one, become n tiles side by
    side. Each may have barriers of its own. The first n - 1 are filled in front of the loop. An iteration waits until
    its own tile is there, begins to fill that of n - 1 iterations later, and computes: one barrier is left. Where the device copies by itself, vectors
    that go to the tile as they are, or as zeros where a gate is off, are `uop.copy_async`. Where there are only such,
    gates replace the branch, and an iteration loads the first factors of the next one.

    A loop stays as it is, with a remark, whose number of iterations is not known, that fills its tiles in loops of its
    own, whose fillings depend on what it carries, or whose barriers serve other tiles or buffers.

    ```text
    uop.for %k to %n {
      uop.barrier
      uop.store %x, %t[%i]
      uop.barrier
      ... %t ...
    // becomes
    uop.copy_async %in[%first], %t[%i]
    uop.copy_commit
    uop.for %k to %n {
      uop.copy_wait pending(0)
      uop.barrier
      ... %t ...
      uop.copy_async %in[%next], %t[%other] if %more
      uop.copy_commit
      ... %t ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UOpMoveOffsets : Pass<"uop-move-offsets", "::tiny::uop::FuncOp"> {
  let summary = "Add constants to indices last";
  let description = [{
    Copies of one body differ in constants of their indices: rows `4 * %i` and `4 * %i + 1` of windows read some of the
    same places. The pass moves these constants out of sums and products, so that each index is a value that the copies
    share, and a constant. CSE then finds the accesses that are alike, and an address is a register and an offset.

    ```text
    %row = arith.addi %i, %c1 : index
    %begin = arith.muli %row, %c16 : index
    %at = arith.addi %begin, %j : index
    // becomes
    %begin = arith.muli %i, %c16 : index
    %sum = arith.addi %begin, %j : index
    %at = arith.addi %sum, %c16 : index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UOpNarrowMasks : Pass<"uop-narrow-masks", "::tiny::uop::FuncOp"> {
  let summary = "Compute the masks of lanes from indices of 32 bits";
  let description = [{
    A gate along lanes compares a vector of indices, and an index has 64 bits: a mask for eight floats would take two
    registers for each of its bounds. Where range analysis shows that both sides fit in 32 bits, and they are made of
    constants and of values that all lanes share, the pass computes them in 32 bits.

    A condition that all lanes share is no vector then: where a mask is such a condition and a comparison with an upper
    bound, the bound becomes the least number where the condition is false.

    ```text
    %mask = vector.broadcast %c : i1 to vector<8xi1>
    %i = arith.addi %begin, %cst : vector<8xindex>
    %end = arith.cmpi slt, %i, %c60 : vector<8xindex>
    %gate = arith.andi %mask, %end : vector<8xi1>
    // becomes
    %i = arith.addi %begin_0, %cst_1 : vector<8xi32>
    %bound = arith.select %c, %c60_i32, %least : i32
    %bounds = vector.broadcast %bound : i32 to vector<8xi32>
    %gate = arith.cmpi slt, %i, %bounds : vector<8xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect"];
}

def UOpPeelGates : Pass<"uop-peel-gates", "::tiny::uop::FuncOp"> {
  let summary = "Run the first and last steps of a loop, and the last thread, by themselves where only they are gated";
  let description = [{
    An axis that was padded to whole vectors has lanes behind its end in the last steps of its loop only, but every step
    computes the gate. Where a comparison of indices has one value in all steps of a loop but the last ones, at most
    `max-steps`, the pass moves these steps behind the loop, where the gate is a constant for each lane. It peels the
    fewest steps that make some comparison constant in the loop, and no more than `max-operations` operations. Windows
    that begin before a picture are gated in the first steps: these go before the loop likewise, where more steps are
    left in it than stand outside. A kernel of which the last thread alone is gated has two bodies
    likewise, for it and for the others.

    ```mlir
    uop.for %i to %c5 {
      %at = arith.muli %i, %c64 : index
      %first = vector.broadcast %at : index to vector<64xindex>
      %lanes = arith.addi %first, %steps : vector<64xindex> // 0 to 63 further
      %gate = arith.cmpi slt, %lanes, %c300s : vector<64xindex>
      uop.store %x, %out[%at] if %gate as vector<64xi1> : vector<64xf32>, memref<300xf32>
    }
    // becomes, when it is canonical
    uop.for %i to %c4 {
      %at = arith.muli %i, %c64 : index
      uop.store %x, %out[%at] : vector<64xf32>, memref<300xf32>
    }
    uop.store %x, %out[%c256] if %first44 as vector<64xi1> : vector<64xf32>, memref<300xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"maxSteps", "max-steps", "::tiny::Bounded<0>", "4", "Most steps behind one loop">,
    Option<"maxOperations", "max-operations", "::tiny::Bounded<0>", "512",
      "Most operations behind one loop, those of loops inside among them">
  ];
}

def UOpSplitLiveLoops : Pass<"uop-split-live-loops", "::tiny::uop::FuncOp"> {
  let summary = "Run the steps of a loop that no live end reaches without gates";
  let description = [{
    Where a size is known only when the kernel runs, copies and lanes behind it are gated in every step. The pass splits
    such a loop in two: the first steps, all inside of each end that was read from memory, have no gates; the last ones
    keep them. It looks at comparisons of indices that are linear in the loop's index, in loops inside too.

    Masks of lanes are moved behind the steps that need none also where the end is known, but a loop outside or a thread
    decides with this one which step reaches it; not in workgroups, whose lanes would leave the loop apart.

    ```mlir
    uop.for %i to %n {
      %at = arith.muli %i, %c4 : index
      %last = arith.addi %at, %c3 : index
      %gate = arith.cmpi slt, %last, %size : index
      uop.store %x, %out[%last] if %gate as i1 : f32, memref<128xf32>
    }
    // becomes
    uop.for %i to %inside {
      %at = arith.muli %i, %c4 : index
      %last = arith.addi %at, %c3 : index
      uop.store %x, %out[%last] : f32, memref<128xf32>
    }
    uop.for %i to %left { ... } // from %inside on, with gates
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"maxOperations", "max-operations", "::tiny::Bounded<0>", "2048",
      "Most operations of a loop that is split, those of loops inside among them">
  ];
}

def UOpExpandMath : Pass<"uop-expand-math", "::tiny::uop::FuncOp"> {
  let summary = "Replace transcendental functions by polynomials with stated errors";
  let description = [{
    Replaces every `math` function that would be a call, and `arith.remf`, by polynomials and other arithmetic, so that
    a kernel needs no libm. It works on scalars and vectors of f32 and f64; narrower floats are computed in f32 and
    rounded. `sqrt`, `fma`, `absf`, `copysign`, `floor`, `ceil`, `round`, `roundeven` and `trunc` stay; `ipowi` becomes
    multiplications.

    Where the record has `exp2`, `exp2` of f32 with the flag `afn` stays, and such an `exp` becomes one of a product.

    All devices whose record has `fma` compute the same bits, and so do all devices without it. NaN,
    infinities, signed zeros, subnormals and arguments of any size give what C's Annex F says. docs/Numerics.md has the
    largest error and the method of each function.

    ```mlir
    %y = math.exp2 %x : vector<8xf32>
    // becomes arith and math.fma on vector<8xf32>, and arith on vector<8xi32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::mlir::vector::VectorDialect"];
}

def UOpSplitBuffers : Pass<"uop-split-buffers", "::mlir::ModuleOp"> {
  let summary = "Pass buffers that are larger than a kernel may see in parts";
  let description = [{
    The record says how large a buffer of a kernel may be (`buffer_bytes`). An argument that is larger becomes several:
    parts of the largest multiple of 256 bytes below that, the last one shorter. A load reads all parts, gated by the
    part that its index lies in; a store and an atomic write one. Launches pass parts of their buffers by `kernel.alias`.

    A kernel that nothing launches keeps its arguments, and so does one of which an operation touches several elements at
    once, or which would have more buffers than the device has; a remark says so, and the conversion to the device's code
    reports the size.

    ```mlir
    kernel.launch @double ins(%x : memref<96xf32>) outs(%y : memref<64xf32>)
    // becomes, with buffers of 256 bytes:
    %0 = kernel.alias %x[0] : memref<96xf32> -> memref<64xf32>
    %1 = kernel.alias %x[64] : memref<96xf32> -> memref<32xf32>
    kernel.launch @double ins(%0, %1 : memref<64xf32>, memref<32xf32>) outs(%y : memref<64xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::kernel::KernelDialect"];
}

def UOpDescribeEntry : Pass<"uop-describe-entry", "::mlir::ModuleOp"> {
  let summary = "Write how each kernel is entered, and what a launch of it does";
  let description = [{
    Sets `kernel.entry` on each `uop.func` that has none: its grid and workgroup, from its hardware axes; the bytes of
    its tiles in local space; whether a launch in the module passes written buffers that overlap others; and the
    operations and bytes of a launch. `global dim(d)` is axis d of the grid, a `thread` axis the first one that is free.

    Operations are counted on the kernel as it stands, so the pipelines run this pass before functions are expanded.
    What comes later does not change hardware axes or tiles; the conversions check that.

    ```mlir
    uop.func @double(%in: memref<128xf32>, %out: memref<128xf32>)
        attributes {kernel.entry = #kernel.entry<grid = [128, 1, 1], operations = 128, bytes = 1024>} { ... }
    ```
  }];
  let dependentDialects = ["::tiny::kernel::KernelDialect"];
}

def UOpLimitRounds : Pass<"uop-limit-rounds", "::tiny::uop::FuncOp"> {
  let summary = "Unroll loops until a lane runs no more rounds than the device lets it";
  let description = [{
    A driver may end the loops of a lane after some number of rounds, whatever they compute; the record says how many
    (`loop_rounds`). The loops of a kernel count together, each with its end. The pass unrolls the loop that has most
    rounds, by 2 or 3, or as a whole where it has up to 8, until they are few enough. What is left over stands behind the
    loop. Rounds keep their order. A loop whose bound is not constant counts as one round, and stays.

    A kernel of which no loop may grow any more is an error.

    ```mlir
    uop.for %i to %n {
      uop.store %x, %out[%i] : f32, memref<128xf32>
    }
    // becomes, with half the bound:
    uop.for %i to %half {
      %a = arith.muli %i, %c2 : index
      uop.store %x, %out[%a] : f32, memref<128xf32>
      %b = arith.addi %a, %c1 : index
      uop.store %x, %out[%b] : f32, memref<128xf32>
    }
    ```
  }];
  let options = [Option<"maxOperations", "max-operations", "::tiny::Bounded<0>", "4096",
    "Most operations of a loop's body">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def UOpCountOperations : Pass<"uop-count-operations", "::tiny::uop::FuncOp"> {
  let summary = "Note how many scalar operations a kernel runs";
  let description = [{
    Sets `uop.operations` on each kernel: the number of `arith` and `math` operations on data, times the trip counts of
    the loops around them, the extents of the hardware axes and the lanes. A fused multiply-add counts two; the body of
    a `uop.if` counts always. Index arithmetic, conditions on indices, constants, loads and stores count nothing, so a
    kernel that only moves data has 0. A loop without a constant bound counts once, with a warning.

    ```mlir
    uop.func @sum(%in: memref<8xf32>, %out: memref<1xf32>) attributes {uop.operations = 8 : i64} { ... }
    ```
  }];
}

#endif // TINY_TRANSFORMS_UOP_PASSES
