// What lanes of a workgroup do together: barriers, exchange, reductions, asynchronous copies, products of matrices, and
// what lanes of all workgroups may do to one element. UOpOps.td includes it.
#ifndef TINY_UOP_PARALLEL_OPS
#define TINY_UOP_PARALLEL_OPS

include "mlir/Dialect/Arith/IR/ArithBase.td"
include "Tiny/Dialect/UOp/UOpTypes.td"

// What lanes exchange: an operation on it can neither move nor go.
def UOp_Lanes : Resource<"::tiny::uop::LanesResource">;
// Copies that are under way.
def UOp_Copies : Resource<"::tiny::uop::CopiesResource">;

def UOp_ShuffleModeAttr : EnumAttr<UOp_Dialect, UOp_ShuffleMode, "shuffle"> {
  let assemblyFormat = "`<` $value `>`";
}

def UOp_Number : AnyTypeOf<[AnySignlessInteger, AnyFloat, Index], "a scalar">;

/// All lanes of a workgroup, or of a subgroup, come to it together or none of them does.
class UOp_TogetherOp<string mnemonic, list<Trait> traits = []> : UOp_Op<mnemonic, traits # [
    MemoryEffects<[MemRead<UOp_Lanes>, MemWrite<UOp_Lanes>]>]>;

def UOp_BarrierOp : UOp_Op<"barrier", [MemoryEffects<[MemRead, MemWrite, MemRead<UOp_Lanes>, MemWrite<UOp_Lanes>]>]> {
  let summary = "waits for all lanes of the workgroup";
  let description = [{
    What any lane of the workgroup wrote in front of it, to tiles and buffers, all of them read behind it. It stands in
    control flow that is the same for the workgroup.

    ```mlir
    uop.barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def UOp_SubgroupBarrierOp : UOp_Op<"subgroup_barrier", [
    MemoryEffects<[MemRead, MemWrite, MemRead<UOp_Lanes>, MemWrite<UOp_Lanes>]>]> {
  let summary = "waits for all lanes of the subgroup";
  let description = [{
    What any lane of the subgroup wrote in front of it, to tiles and buffers, all of them read behind it.

    ```mlir
    uop.subgroup_barrier
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def UOp_ShuffleOp : UOp_TogetherOp<"shuffle", [AllTypesMatch<["value", "result"]>]> {
  let summary = "another lane's value";
  let description = [{
    Lane `l` of a subgroup reads from lane `l xor offset`, `l - offset` (`up`), `l + offset` (`down`) or `offset`
    (`from`). What comes from outside the subgroup is unspecified.

    ```mlir
    %y = uop.shuffle xor %x, %c1 : f32
    ```
  }];
  let arguments = (ins UOp_ShuffleModeAttr:$mode, UOp_Number:$value, Index:$offset);
  let results = (outs UOp_Number:$result);
  let assemblyFormat = "custom<ShuffleMode>($mode) $value `,` $offset attr-dict `:` type($value)";
}

def UOp_SubgroupReduceOp : UOp_TogetherOp<"subgroup_reduce", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combines the values of a subgroup's lanes";
  let description = [{
    Every lane gets the result. The device chooses the order, which the result of a sum of floats depends on.

    ```mlir
    %s = uop.subgroup_reduce addf %x : f32
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, UOp_Number:$value);
  let results = (outs UOp_Number:$result);
  let assemblyFormat = "$kind $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def UOp_WorkgroupReduceOp : UOp_TogetherOp<"workgroup_reduce", [AllTypesMatch<["value", "result"]>]> {
  let summary = "combines the values of a workgroup's lanes";
  let description = [{
    Combines over the first `dims` local axes: lanes that differ only there get one result, all of them. It is no
    barrier for memory. `uop-expand-group-reduce` replaces it.

    ```mlir
    %s = uop.workgroup_reduce addf %x dims(1) : f32
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, UOp_Number:$value, I64Attr:$dims);
  let results = (outs UOp_Number:$result);
  let assemblyFormat = "$kind $value `dims` `(` $dims `)` attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def UOp_AtomicOp : UOp_Op<"atomic", []> {
  let summary = "combines a value into an element that other lanes may combine into at the same time";
  let description = [{
    Kinds commute, so any order is right; the order of a sum of floats is the device's. It orders nothing else.

    ```mlir
    uop.atomic addi %x, %count[%i] : i32, memref<16xi32>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, UOp_Number:$value, Arg<UOp_Buffer, "", [MemRead, MemWrite]>:$buffer,
    Index:$index, Optional<I1>:$gate);
  let assemblyFormat = "$kind $value `,` $buffer `[` $index `]` (`if` $gate^)? attr-dict `:` type($value) `,` "
    "type($buffer)";
  let hasVerifier = 1;
}

//===--- Asynchronous copies --------------------------------------------------------------------------------------===//

def UOp_CopyAsyncOp : UOp_Op<"copy_async", []> {
  let summary = "begins to copy consecutive elements of a buffer into a tile of the workgroup";
  let description = [{
    The lane's own wait ends it, and a barrier behind that shows other lanes what was copied. Nothing may touch the
    elements of the tile before, or write those of the buffer. Where its gate is off it reads nothing and writes zeros.

    ```mlir
    uop.copy_async %in[%i], %tile[%j] count(4) : memref<128xf32>, memref<64xf32>
    uop.copy_async %in[%i], %tile[%j] count(4) if %inside : memref<128xf32>, memref<64xf32>
    ```
  }];
  let arguments = (ins Arg<UOp_Buffer, "", [MemRead]>:$source, Index:$from, Arg<UOp_Buffer, "", [MemWrite]>:$tile,
    Index:$to, I64Attr:$count, Optional<I1>:$gate);
  let assemblyFormat = "$source `[` $from `]` `,` $tile `[` $to `]` `count` `(` $count `)` (`if` $gate^)? attr-dict `:` "
    "type($source) `,` type($tile)";
  let hasVerifier = 1;
}

def UOp_CopyCommitOp : UOp_Op<"copy_commit", [MemoryEffects<[MemRead<UOp_Copies>, MemWrite<UOp_Copies>, MemRead,
    MemWrite]>]> {
  let summary = "makes a group of the lane's copies since the last one";
  let description = [{
    ```mlir
    uop.copy_commit
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def UOp_CopyWaitOp : UOp_Op<"copy_wait", [MemoryEffects<[MemRead<UOp_Copies>, MemWrite<UOp_Copies>, MemRead,
    MemWrite]>]> {
  let summary = "waits until at most so many of the lane's groups of copies, the last ones, are under way";
  let description = [{
    ```mlir
    uop.copy_wait pending(1)
    ```
  }];
  let arguments = (ins I64Attr:$pending);
  let assemblyFormat = "`pending` `(` $pending `)` attr-dict";
  let hasVerifier = 1;
}

//===--- Copies of boxes ------------------------------------------------------------------------------------------===//

// Numbers of 64 bits in the workgroup's memory, each a barrier of its own.
def UOp_Barriers : Type<CPred<"::tiny::uop::isStaticBuffer($_self) && "
    "::llvm::cast<::mlir::MemRefType>($_self).getElementType().isInteger(64)">, "static rank-1 memref of i64",
    "::mlir::MemRefType">;

// What waits for a phase, or ends one, moves over nothing.
class UOp_PhaseOp<string mnemonic, list<Trait> traits = []> : UOp_Op<mnemonic, traits # [
    MemoryEffects<[MemRead<UOp_Copies>, MemWrite<UOp_Copies>, MemRead<UOp_Lanes>, MemWrite<UOp_Lanes>, MemRead,
      MemWrite]>]>;

def UOp_MbarrierInitOp : UOp_PhaseOp<"mbarrier_init"> {
  let summary = "makes each number of a tile a barrier of phases";
  let description = [{
    A phase ends when `arrivals` have come, with all bytes that they said to expect; then the next one begins. Phases are
    counted from 0. All lanes of the workgroup come to it, and behind it each of them may use the barriers.

    ```mlir
    uop.mbarrier_init %full arrivals(1) : memref<4xi64>
    ```
  }];
  let arguments = (ins UOp_Barriers:$barriers, I64Attr:$arrivals);
  let assemblyFormat = "$barriers `arrivals` `(` $arrivals `)` attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def UOp_MbarrierExpectOp : UOp_PhaseOp<"mbarrier_expect"> {
  let summary = "the lane arrives at a barrier, whose phase ends no earlier than so many bytes are copied";
  let description = [{
    ```mlir
    uop.mbarrier_expect %full[%slot] bytes(16384) : memref<4xi64>
    ```
  }];
  let arguments = (ins UOp_Barriers:$barriers, Index:$index, I64Attr:$bytes);
  let assemblyFormat = "$barriers `[` $index `]` `bytes` `(` $bytes `)` attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def UOp_MbarrierArriveOp : UOp_PhaseOp<"mbarrier_arrive"> {
  let summary = "a subgroup arrives at a barrier, once for all of its lanes";
  let description = [{
    Whoever waits for the phase sees what these lanes did in front of it.

    ```mlir
    uop.mbarrier_arrive %empty[%slot] : memref<4xi64>
    ```
  }];
  let arguments = (ins UOp_Barriers:$barriers, Index:$index);
  let assemblyFormat = "$barriers `[` $index `]` attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def UOp_MbarrierWaitOp : UOp_PhaseOp<"mbarrier_wait"> {
  let summary = "the lane waits until a phase of a barrier is over";
  let description = [{
    `phase` is 0 for phases of even numbers and 1 for others. It goes on at once where the phase that is not over yet has
    the other parity.

    ```mlir
    uop.mbarrier_wait %full[%slot] phase(%parity) : memref<4xi64>
    ```
  }];
  let arguments = (ins UOp_Barriers:$barriers, Index:$index, Index:$phase);
  let assemblyFormat = "$barriers `[` $index `]` `phase` `(` $phase `)` attr-dict `:` type($barriers)";
  let hasVerifier = 1;
}

def UOp_CopyBulkOp : UOp_Op<"copy_bulk", [MemoryEffects<[MemRead<UOp_Copies>, MemWrite<UOp_Copies>]>]> {
  let summary = "begins to copy a box of a matrix into a tile of the workgroup";
  let description = [{
    The matrix has `extents` rows and columns; its rows begin `stride` elements apart, the first with the buffer. Rows of
    the box lie one behind the other in the tile, 128 bytes each, whose groups of 16 bytes are swizzled as
    `uop.fragment_load` with `panel` reads them. What lies outside of the matrix is zero. A barrier counts the bytes of
    the whole box; who waits for its phase may read them. Nothing may touch the elements of the tile before, or write
    those of the buffer.

    ```mlir
    uop.copy_bulk %in[%row, %column] extents(512, 256) stride(256), %tile[%to] box(128, 64), %full[%slot]
      : memref<131072xbf16>, memref<32768xbf16>, memref<4xi64>
    ```
  }];
  let arguments = (ins Arg<UOp_Buffer, "", [MemRead]>:$source, Index:$row, Index:$column, I64Attr:$rows,
    I64Attr:$columns, I64Attr:$stride, Arg<UOp_Buffer, "", [MemWrite]>:$tile, Index:$to, I64Attr:$boxRows,
    I64Attr:$boxColumns, Arg<UOp_Barriers, "", [MemRead, MemWrite]>:$barriers, Index:$index);
  let assemblyFormat = "$source `[` $row `,` $column `]` `extents` `(` $rows `,` $columns `)` `stride` `(` $stride `)` "
    "`,` $tile `[` $to `]` `box` `(` $boxRows `,` $boxColumns `)` `,` $barriers `[` $index `]` attr-dict `:` "
    "type($source) `,` type($tile) `,` type($barriers)";
  let extraClassDeclaration = [{
    /// Elements of the box.
    int64_t getCount() { return static_cast<int64_t>(getBoxRows()) * static_cast<int64_t>(getBoxColumns()); }
  }];
  let hasVerifier = 1;
}

//===--- Products of matrices -------------------------------------------------------------------------------------===//

def UOp_FragmentFillOp : UOp_TogetherOp<"fragment_fill", [
    TypesMatchWith<"value is the fragment's element", "result", "value",
      "::llvm::cast<::tiny::uop::FragmentType>($_self).getScalar()">]> {
  let summary = "a fragment of one value";
  let description = [{
    ```mlir
    %c = uop.fragment_fill %zero : !uop.fragment<sum 16x8xf32>
    ```
  }];
  let arguments = (ins UOp_Number:$value);
  let results = (outs UOp_FragmentType:$result);
  let assemblyFormat = "$value attr-dict `:` type($result)";
}

def UOp_FragmentLoadOp : UOp_Op<"fragment_load", []> {
  let summary = "reads a matrix into a fragment";
  let description = [{
    Row `r` begins at `index + r * stride`; with `transposed` column `c` begins at `index + c * stride`. The index is
    the same for the subgroups that hold the fragment.

    With `panel(p)` the tile is laid out as units for matrices read it. Lines (rows, or columns if transposed) are cut
    into pieces of 128 bytes, the stride; each next piece of a line begins `p` elements further. The eight groups of 16
    bytes in a piece are swizzled: bits 4 to 6 of a byte's place in the tile are combined by `xor` with bits 7 to 9.

    ```mlir
    %a = uop.fragment_load %tile[%i] stride(16) : memref<256xf16>, !uop.fragment<left 16x16xf16>
    %b = uop.fragment_load %t[%i] stride(64) panel(4096) : memref<8192xf16>, !uop.fragment<right 16x128xf16 by 4>
    ```
  }];
  let arguments = (ins Arg<UOp_Buffer, "", [MemRead]>:$buffer, Index:$index, I64Attr:$stride, UnitAttr:$transposed,
    OptionalAttr<I64Attr>:$panel);
  let results = (outs UOp_FragmentType:$result);
  let assemblyFormat = "$buffer `[` $index `]` `stride` `(` $stride `)` (`transposed` $transposed^)? (`panel` `(` "
    "$panel^ `)`)? attr-dict `:` type($buffer) `,` type($result)";
  let extraClassDeclaration = [{
    /// Bytes of a piece of a line in a panel, and of what the swizzle moves as one.
    static constexpr int64_t kPieceBytes = 128, kGroupBytes = 16;
  }];
  let hasVerifier = 1;
}

def UOp_FragmentStoreOp : UOp_Op<"fragment_store", []> {
  let summary = "writes a fragment as a matrix";
  let description = [{
    ```mlir
    uop.fragment_store %c, %out[%i] stride(8) : !uop.fragment<sum 16x8xf32>, memref<128xf32>
    ```
  }];
  let arguments = (ins UOp_FragmentType:$value, Arg<UOp_Buffer, "", [MemWrite]>:$buffer, Index:$index,
    I64Attr:$stride);
  let assemblyFormat = "$value `,` $buffer `[` $index `]` `stride` `(` $stride `)` attr-dict `:` type($value) `,` "
    "type($buffer)";
  let hasVerifier = 1;
}

def UOp_FragmentPlaceOp : UOp_Op<"fragment_place", [Pure, AllTypesMatch<["rows", "columns"]>]> {
  let summary = "which elements of a fragment the lane holds";
  let description = [{
    Gives row and column of each, the same for all fragments of the type. Which ones they are is the device's choice; the
    lanes of a subgroup hold each element once, and equally many.

    ```mlir
    %rows, %columns = uop.fragment_place !uop.fragment<sum 16x8xf32> : vector<4xindex>
    ```
  }];
  let arguments = (ins TypeAttrOf<UOp_FragmentType>:$fragment);
  let results = (outs VectorOfRankAndType<[1], [Index]>:$rows, VectorOfRankAndType<[1], [Index]>:$columns);
  let assemblyFormat = "$fragment attr-dict `:` type($rows)";
}

def UOp_FragmentElementsOp : UOp_Op<"fragment_elements", [Pure]> {
  let summary = "the elements of a fragment that the lane holds";
  let description = [{
    In the order of `uop.fragment_place`.

    ```mlir
    %x = uop.fragment_elements %c : !uop.fragment<sum 16x8xf32>, vector<4xf32>
    ```
  }];
  let arguments = (ins UOp_FragmentType:$value);
  let results = (outs VectorOfRankAndType<[1], [UOp_Number]>:$elements);
  let assemblyFormat = "$value attr-dict `:` type($value) `,` type($elements)";
  let hasVerifier = 1;
}

def UOp_FragmentReduceOp : UOp_TogetherOp<"fragment_reduce", [AllTypesMatch<["elements", "result"]>]> {
  let summary = "combines each row of a sum whose elements the lanes hold";
  let description = [{
    The lane's elements lie where `uop.fragment_place` says. For each of them it gets what all of its row combines to.
    The device chooses the order.

    ```mlir
    %m = uop.fragment_reduce maximumf %x of !uop.fragment<sum 16x8xf32> : vector<4xf32>
    ```
  }];
  let arguments = (ins AtomicRMWKindAttr:$kind, VectorOfRankAndType<[1], [UOp_Number]>:$elements,
    TypeAttrOf<UOp_FragmentType>:$fragment);
  let results = (outs VectorOfRankAndType<[1], [UOp_Number]>:$result);
  let assemblyFormat = "$kind $elements `of` $fragment attr-dict `:` type($elements)";
  let hasVerifier = 1;
}

def UOp_FragmentPackOp : UOp_TogetherOp<"fragment_pack"> {
  let summary = "a left factor of elements that the lanes hold";
  let description = [{
    The lane's elements lie where `uop.fragment_place` says for a sum of as many rows. Elements of f32 are rounded to
    the factor's type. With `from(c)` the factor is the sum's columns from number c on.

    ```mlir
    %p = uop.fragment_pack %x : vector<4xf32>, !uop.fragment<left 16x8xbf16>
    %q = uop.fragment_pack %y from(16) : vector<32xf32>, !uop.fragment<left 64x16xf16 by 4>
    ```
  }];
  let arguments = (ins VectorOfRankAndType<[1], [UOp_Number]>:$elements, OptionalAttr<I64Attr>:$from);
  let results = (outs UOp_FragmentType:$result);
  let assemblyFormat = "$elements (`from` `(` $from^ `)`)? attr-dict `:` type($elements) `,` type($result)";
  let hasVerifier = 1;
}

def UOp_MmaOp : UOp_TogetherOp<"mma", [AllTypesMatch<["sum", "result"]>]> {
  let summary = "adds a product of matrices to a third one";
  let description = [{
    The device's record states the shapes. Products are exact, and summed up in the order that the device chooses.

    ```mlir
    %d = uop.mma %a, %b, %c : !uop.fragment<left 16x16xf16>, !uop.fragment<right 16x8xf16>, !uop.fragment<sum 16x8xf32>
    ```
  }];
  let arguments = (ins UOp_FragmentType:$left, UOp_FragmentType:$right, UOp_FragmentType:$sum);
  let results = (outs UOp_FragmentType:$result);
  let assemblyFormat = "$left `,` $right `,` $sum attr-dict `:` type($left) `,` type($right) `,` type($sum)";
  let hasVerifier = 1;
}

def UOp_MmaWaitOp : UOp_PhaseOp<"mma_wait", [AllTypesMatch<["sums", "results"]>]> {
  let summary = "ends a series of products, and waits until at most so many of the last ones are under way";
  let description = [{
    Products of several subgroups run on behind where they stand, and read their tiles until they are done. In a kernel
    that has this operation a team's products since its last wait are a series. Tiles that series under way read must
    not be written, and their sums are for other products and waits alone.

    ```mlir
    %s = uop.mma_wait %c pending(1) : !uop.fragment<sum 64x256xf32 by 4>
    ```
  }];
  let arguments = (ins Variadic<UOp_FragmentType>:$sums, I64Attr:$pending);
  let results = (outs Variadic<UOp_FragmentType>:$results);
  let assemblyFormat = "$sums `pending` `(` $pending `)` attr-dict `:` type($sums)";
  let hasVerifier = 1;
}

#endif // TINY_UOP_PARALLEL_OPS
