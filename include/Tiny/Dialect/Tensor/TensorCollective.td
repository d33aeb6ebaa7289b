// What the ranks of a program do together.
#ifndef TINY_TENSOR_COLLECTIVE
#define TINY_TENSOR_COLLECTIVE

include "Tiny/Dialect/Tensor/TensorBase.td"

def Tiny_CollectiveOp : Tiny_Op<"collective"> {
  let summary = "what each rank gets from the ranks of its group";
  let description = [{
    Ranks stand row-major in a grid. A group are the ranks that differ along `axes` alone, in row-major order of these.
    Every rank of the grid comes to the same collectives in the same order. Of `n` ranks in a group,

    - `all_reduce` gives the sum, product, minimum or maximum of what they have;
    - `all_gather` gives all of it, along a new first axis of `n`;
    - `reduce_scatter` takes tensors whose first axis is `n` and gives each rank its slice of their reduction;
    - `all_to_all` takes the same, and gives each rank its slices of all others;
    - `broadcast` gives what the first one has.

    ```mlir
    %1 = tiny.collective "all_reduce" %0 grid [2, 4] axes [1] by "sum" : (tensor<4x8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins StrAttr:$kind, Tiny_Tensor:$input, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$axes,
    OptionalAttr<StrAttr>:$reduction);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = [{
    $kind $input `grid` $grid `axes` $axes (`by` $reduction^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

#endif // TINY_TENSOR_COLLECTIVE
