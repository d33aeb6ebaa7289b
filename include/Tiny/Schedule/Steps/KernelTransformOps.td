// Schedule changes as transform-dialect operations.
#ifndef TINY_KERNEL_TRANSFORM_OPS
#define TINY_KERNEL_TRANSFORM_OPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"
include "Tiny/Dialect/Kernel/KernelOps.td"

class Kernel_TransformOp<string mnemonic, list<Trait> traits> : Op<Transform_Dialect, "tiny." # mnemonic,
    [DeclareOpInterfaceMethods<TransformOpInterface>] # traits> {
  let cppNamespace = "::tiny::kernel";
}

/// Handles to what is changed in place stay good.
class Kernel_InPlaceTransformOp<string mnemonic>
    : Kernel_TransformOp<mnemonic, [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
      ::mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

/// Handles to what is changed are used up, and there are new ones.
class Kernel_ConsumingTransformOp<string mnemonic>
    : Kernel_TransformOp<mnemonic, [FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface]>;

def TransformAxisOp : Kernel_TransformOp<"axis", [NavigationTransformOpTrait, MemoryEffectsOpInterface]> {
  let summary = "finds an axis of a kernel by its id";
  let description = [{
    Handles do not survive a print and a re-parse; ids do. Fails (silenceably) when the kernel has no such axis.

    ```mlir
    %j = transform.tiny.axis %kernel [1] : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, I64Attr:$id);
  let results = (outs TransformHandleTypeInterface:$axis);
  let assemblyFormat = "$kernel `[` $id `]` attr-dict `:` functional-type(operands, results)";
}

def TransformSplitOp : Kernel_ConsumingTransformOp<"split"> {
  let summary = "splits an axis into an outer and an inner one of another kind";
  let description = [{
    The axis of extent n becomes `outer * factor + inner`. The part of extent `factor` takes the kind after `as`: the
    inner part, or for `thread` and `global` the outer part. The outer part keeps the id, the inner part gets the next
    free one. Parts of the old kind stand where the axis stood among the loops. A factor of 0, or of n itself, turns the
    whole axis over: the outer handle is then empty. A tile that is filled for each point of the axis is filled for all
    copies at once: it gets an axis of copies, its fastest. An inner part of kind `dot` has four points, over which sums of
    products of bytes are taken. What divides an axis of constant size by the extent of the inner part gets the parts.

    Consumes the axis and returns (outer, inner). Refused, with the reason: a factor that does not divide the extent, a
    kind that does not fit a free or a reduced axis, and a change that reassociates a reduction whose flags forbid it.

    ```mlir
    %outer, %inner = transform.tiny.split %j by 8 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$axis, I64Attr:$factor, Kernel_AxisKindAttr:$kind);
  let results = (outs TransformHandleTypeInterface:$outer, TransformHandleTypeInterface:$inner);
  let assemblyFormat = "$axis `by` $factor `as` custom<Axis>($kind) attr-dict `:` functional-type(operands, results)";
}

def TransformSwapOp : Kernel_InPlaceTransformOp<"swap"> {
  let summary = "exchanges the places of two axes among the loops";
  let description = [{
    The two loops change places; every other loop keeps its own. Refused, with the reason: axes of different kinds,
    since loops nest by kind first, and an exchange that reassociates a reduction whose flags forbid it.

    ```mlir
    transform.tiny.swap %i, %j : (!transform.any_op, !transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$first, TransformHandleTypeInterface:$second);
  let assemblyFormat = "$first `,` $second attr-dict `:` functional-type(operands, results)";
}

def TransformFuseSiblingOp : Kernel_ConsumingTransformOp<"fuse_sibling"> {
  let summary = "lets two loops beside each other run as one";
  let description = [{
    What varies along the second axis varies along the first one instead: stores that have nothing in common share
    loops, and so lanes and workgroups. Consumes both axes and returns the first one. Refused, with the reason: axes
    that are no free loops, that have different extents, or that something depends on together.

    ```mlir
    %f = transform.tiny.fuse_sibling %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$first, TransformHandleTypeInterface:$second);
  let results = (outs TransformHandleTypeInterface:$fused);
  let assemblyFormat = "$first `,` $second attr-dict `:` functional-type(operands, results)";
}

def TransformMergeOp : Kernel_ConsumingTransformOp<"merge"> {
  let summary = "makes two nested loops one";
  let description = [{
    The axis `i * n + j` takes the place of `i` and of `j`, which has n points. An access that walks the two as one
    keeps an index as simple as it was; other accesses, gates and other uses take the parts by division. Consumes both
    axes and returns the merged one, with the outer one's id. Refused, with the reason: axes that are neither both free
    loops, nor both reduced together by reductions that may combine in any order, nor fill one tile next to each other.

    ```mlir
    %m = transform.tiny.merge %i, %j : (!transform.any_op, !transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$outer, TransformHandleTypeInterface:$inner);
  let results = (outs TransformHandleTypeInterface:$merged);
  let assemblyFormat = "$outer `,` $inner attr-dict `:` functional-type(operands, results)";
}

def TransformPadToOp : Kernel_ConsumingTransformOp<"pad_to"> {
  let summary = "makes an axis as long as the next multiple";
  let description = [{
    Behind the axis's old end nothing is stored and nothing that it indexes is loaded, and reductions over it see their
    identity; sums relative to a running maximum see an element of -inf. A tile that the axis fills grows; what is read of a tile inside of it needs no gate. Consumes the axis and returns it. Refused, with the reason: an axis that
    fills a tile beside others, and one that is reduced by a combiner without a known identity.

    ```mlir
    %padded = transform.tiny.pad_to %j multiple 16 : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$axis, I64Attr:$multiple);
  let results = (outs TransformHandleTypeInterface:$padded);
  let assemblyFormat = "$axis `multiple` $multiple attr-dict `:` functional-type(operands, results)";
}

def TransformStageOp : Kernel_InPlaceTransformOp<"stage"> {
  let summary = "keeps what a kernel reads from a buffer in a tile";
  let description = [{
    Names a buffer by its argument's number, and axes by their ids. The tile is over these axes, the last one fastest,
    and is filled in this order. It is filled once for each iteration of the other axes that the read varies over. Masks
    and functions of this one operand are staged with it. If the buffer is read in several places, each read that varies
    along all of the axes has a tile of its own.

    Returns the `kernel.stage`s. Refused, with the reason: a buffer that is not read, axes that a read does not vary
    along or that run on several threads, axes of copies that are not listed, and reads that depend on a reduction along
    the axes.

    ```mlir
    %packed = transform.tiny.stage %kernel argument 1 over [2, 5] local : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, I64Attr:$argument, DenseI64ArrayAttr:$axes,
    Kernel_StageSpaceAttr:$space);
  let results = (outs TransformHandleTypeInterface:$stage);
  let assemblyFormat = "$kernel `argument` $argument `over` $axes custom<Space>($space) attr-dict `:` functional-type(operands, results)";
}

def TransformUnstageOp : Kernel_ConsumingTransformOp<"unstage"> {
  let summary = "takes a tile back: what reads it computes it";
  let description = [{
    Names an axis that fills the tile. Each read of the tile becomes the computation of the element that it reads, and
    the tile goes. So a row of a few vectors, whose passes become the same copies, stays in registers.

    Consumes the axis. Refused, with the reason: an axis that fills no tile, or several; a tile that is filled with a
    reduction or another tile along its axes, and one that is read behind a gate.

    ```mlir
    transform.tiny.unstage %j : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$filling);
  let assemblyFormat = "$filling attr-dict `:` functional-type(operands, results)";
}

def TransformStagePartialOp : Kernel_InPlaceTransformOp<"stage_partial"> {
  let summary = "splits a reduction in two, with the partial results in a tile";
  let description = [{
    Names a reduced axis, the blocks, and free axes by their ids. A first reduction runs over the other reduced axes,
    into a tile over the blocks and the free axes in the order given; a second one combines the blocks from the tile. The
    loops that fill the tile nest in this order, blocks outermost. So what is packed inside is packed for one block, and
    all free loops pass over it while it is in a near cache.

    With `accumulates` the tile is over the free axes alone, and holds the sums of the blocks so far: the loop over the
    blocks stands around those of the tile, and each of its rounds adds to all of it. So what is read of a block is read
    as it lies, however far the next block is.

    Returns the `kernel.stage`. Refused, with the reason: an axis of no reduction or of several, or one that is all that
    the reduction is over; a reduction without a kind, with flags that keep the order, or with other axes that it shares
    with other reductions; and what `tiny.stage` refuses.

    ```mlir
    %sums = transform.tiny.stage_partial %kernel [2] over [0, 4] local : (!transform.any_op) -> !transform.any_op
    %sum = transform.tiny.stage_partial %kernel [2] over [0, 4] local accumulates : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, I64Attr:$axis, DenseI64ArrayAttr:$axes,
    Kernel_StageSpaceAttr:$space, UnitAttr:$accumulates);
  let results = (outs TransformHandleTypeInterface:$stage);
  let assemblyFormat = [{
    $kernel `[` $axis `]` `over` $axes custom<Space>($space) (`accumulates` $accumulates^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def TransformHoldOp : Kernel_InPlaceTransformOp<"hold"> {
  let summary = "reads a row once for several passes over it";
  let description = [{
    Names a parameter of the kernel by its position, and the axes of passes over a row: each load of the parameter varies
    along one of them, and all loads are of the same elements. A tile in registers along a new axis, with the next free
    id, is filled with them; the passes read the tile. When the new axis and the passes are cut alike, into lanes and
    copies, each lane reads what it holds itself.

    Returns the `kernel.stage`. Refused, with the reason: axes of several lengths, fewer than two loads, loads that differ
    in more than the axis, and what `tiny.stage` refuses.

    ```mlir
    %row = transform.tiny.hold %kernel [0] along [1, 2, 3] : (!transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, I64Attr:$parameter, DenseI64ArrayAttr:$axes);
  let results = (outs TransformHandleTypeInterface:$stage);
  let assemblyFormat = "$kernel `[` $parameter `]` `along` $axes attr-dict `:` functional-type(operands, results)";
}

def TransformWidenStageOp : Kernel_InPlaceTransformOp<"widen_stage"> {
  let summary = "fills a tile for all points of a loop around it at once";
  let description = [{
    Names an axis that fills the tile, and the loop: a tile of one row becomes a tile of a block of rows. The elements
    are computed along a new axis, with the next free id, which is the tile's slowest. The readers of the tile stay in
    the loop. So a product that was computed row by row has several rows, which register tiles and packing need.

    Returns the new axis. Refused, with the reason: an axis that fills no tile, a loop that is not free or that the tile
    does not vary along, another tile on the way, and a reduction on the way that something else uses.

    ```mlir
    %rows = transform.tiny.widen_stage %c, %i : (!transform.any_op, !transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$filling, TransformHandleTypeInterface:$axis);
  let results = (outs TransformHandleTypeInterface:$rows);
  let assemblyFormat = "$filling `,` $axis attr-dict `:` functional-type(operands, results)";
}

def TransformPipelineOp : Kernel_InPlaceTransformOp<"pipeline"> {
  let summary = "fills a tile while lanes read another one";
  let description = [{
    Names an axis that fills the tile, and how many there are in place of one: `uop-pipeline-tiles` fills all but one
    of them ahead. No value changes. Refused, with the reason: an axis that fills no tile, a tile that is not in the
    memory of a workgroup or that no reduced loop fills again, and tiles that do not fit.

    ```mlir
    transform.tiny.pipeline %r by 2 : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$filling, I64Attr:$buffers);
  let assemblyFormat = "$filling `by` $buffers attr-dict `:` functional-type(operands, results)";
}

def TransformTensorizeOp : Kernel_InPlaceTransformOp<"tensorize"> {
  let summary = "lets a workgroup multiply matrices";
  let description = [{
    Names the rows, the columns and the depth of a product by the ids of two free axes and a reduced one. A workgroup
    computes a tile of `tile` rows, columns and depth at a time; `subgroups` says how many subgroups lie along its rows
    and columns, `shape` what one instruction multiplies; they are teams where several compute that. With `lanes` in place of the two each lane multiplies
    elements: it holds rows and columns, as many lanes apart as there are, and of columns vectors of 16 bytes. The axes
    are padded and cut; what is left of them outside of the tile keeps their ids. All lanes fill a tile of each factor,
    16 bytes at a time where that is possible. What is computed of the sums is computed by the lanes that hold them.

    With four axes these are rows, keys, depth and columns of two products with a running maximum between them, as in
    attention: the keys are the columns of the first product and the depth of the second one, and `lazy-merge-reductions`
    made the maximum and the sums relative to it one reduction over them. Keys are taken in blocks (`block_reduce`), and
    lanes hold what lies between the products. The elements are rounded to the type of their weight, which the flag
    `afn` allows.

    Refused, with the reason: a reduction that is no sum of products, or whose factors do not vary along two of the axes
    each; a shape that the record does not have; a tile that subgroups or lanes do not share evenly, or that does not
    fit; a kernel with other tiles, or with stores or reductions that the lanes would repeat.

    ```mlir
    transform.tiny.tensorize %kernel [0, 1, 2] tile [128, 128, 32] subgroups [2, 2] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.tiny.tensorize %kernel [0, 3, 2, 1] tile [64, 64, 64] subgroups [4, 1] shape [16, 8, 16] : (!transform.any_op) -> ()
    transform.tiny.tensorize %kernel [0, 1, 2] tile [128, 128, 16] lanes [16, 16] : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$kernel, DenseI64ArrayAttr:$axes, DenseI64ArrayAttr:$tile,
    OptionalAttr<DenseI64ArrayAttr>:$subgroups, OptionalAttr<DenseI64ArrayAttr>:$shape,
    OptionalAttr<DenseI64ArrayAttr>:$lanes);
  let assemblyFormat = "$kernel $axes `tile` $tile (`subgroups` $subgroups^ `shape` $shape)? (`lanes` $lanes^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ProductTile getProductTile();
  }];
}

def TransformBlockReduceOp : Kernel_ConsumingTransformOp<"block_reduce"> {
  let summary = "gives a reduction relative to a running maximum one element for each block";
  let description = [{
    The axis, the inner part of a split, is the block. The elements of a block go into a tile. The block's maximum is
    computed, then its sums relative to that, and the reduction combines the results of the blocks. A sum whose weight
    varies over copies that the elements do not vary over is a loop over the block, and its factors are a tile too; other
    sums are reductions over copies. Rows that the elements vary over must be copies already. See
    `docs/OnlineReductions.md`.

    Consumes the axis. Refused, with the reason: an axis that is not of copies, or not of exactly one reduction whose
    combiner yields a maximum and sums corrected to it; a reduction over no other axis; one whose flags keep the order.

    ```mlir
    transform.tiny.block_reduce %j : (!transform.any_op) -> ()
    ```
  }];
  let arguments = (ins TransformHandleTypeInterface:$axis);
  let assemblyFormat = "$axis attr-dict `:` functional-type(operands, results)";
}

#endif // TINY_KERNEL_TRANSFORM_OPS
