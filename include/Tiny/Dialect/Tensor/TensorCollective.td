// What the ranks of a program do together.
#ifndef TINY_TENSOR_COLLECTIVE
#define TINY_TENSOR_COLLECTIVE

include "Tiny/Dialect/Tensor/TensorBase.td"

def Tiny_StageOp : Tiny_CompositeOp<"stage", [Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "a value that goes to another stage of a pipeline";
  let description = [{
    An annotation: ranks at place `from` along `axis` of the grid compute the value, and those at place `to` what is
    computed from it. It changes no value. A value that no stage has gone into, such as one made of arguments alone, is
    of no stage: each one that uses it computes it. Its gradient goes the other way.

    ```mlir
    %1 = tiny.stage %0 on @grid axis 0 from 0 to 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, FlatSymbolRefAttr:$grid, I64Attr:$axis, I64Attr:$from, I64Attr:$to);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = [{
    $input `on` $grid `axis` $axis `from` $from `to` $to attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

def Tiny_CollectiveOp : Tiny_Op<"collective"> {
  let summary = "what each rank gets from the ranks of its group";
  let description = [{
    Ranks stand row-major in a grid. A group are the ranks that differ along `axes` alone, in row-major order of these.
    Every rank of the grid comes to the same collectives in the same order. Of `n` ranks in a group,

    - `all_reduce` gives the sum, product, minimum or maximum of what they have;
    - `all_gather` gives all of it, along a new first axis of `n`;
    - `reduce_scatter` takes tensors whose first axis is `n` and gives each rank its slice of their reduction;
    - `all_to_all` takes the same, and gives each rank its slices of all others;
    - `broadcast` gives what the first one has;
    - `send` gives the second of its `peers`, two places in the group, what the first one has. What all others get is
      unspecified.

    ```mlir
    %1 = tiny.collective "all_reduce" %0 grid [2, 4] axes [1] by "sum" : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, Tiny_Tensor:$input, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$axes,
    OptionalAttr<StrAttr>:$reduction, OptionalAttr<DenseI64ArrayAttr>:$peers);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `grid` $grid `axes` $axes (`by` $reduction^)? (`peers` $peers^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TINY_TENSOR_COLLECTIVE
