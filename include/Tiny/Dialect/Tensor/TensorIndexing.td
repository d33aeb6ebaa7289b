// Elements chosen by integers that are data.
#ifndef TINY_TENSOR_INDEXING
#define TINY_TENSOR_INDEXING

include "Tiny/Dialect/Tensor/TensorBase.td"

def Tiny_GatherOp : Tiny_InferredOp<"gather", [Tiny_SometimesPrimitive, Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "the elements at given coordinates: input[i, j, ...]";
  let description = [{
    One index tensor for each axis of the input; they broadcast, and their shape is the result's. An index below zero
    counts from the end; what lies outside of the input all the same reads zero.

    ```mlir
    %1 = tiny.gather %x [%i, %j] : (tensor<4x6xf32>, tensor<8xi64>, tensor<8xi64>) -> tensor<8xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Variadic<Tiny_IntTensor>:$indices);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input `[` $indices `]` attr-dict `:` functional-type(operands, results)";
}

def Tiny_TakeOp : Tiny_CompositeOp<"take", [Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "slices along one axis: NumPy's take, an embedding look-up";
  let description = [{
    The indices' shape stands in the result in place of the axis. Indices are those of `tiny.gather`.

    ```mlir
    %1 = tiny.take %table, %tokens axis 0 : (tensor<50257x768xf32>, tensor<4xi64>) -> tensor<4x768xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Tiny_IntTensor:$indices, I64Attr:$axis);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Tiny_TakeAlongOp : Tiny_CompositeOp<"take_along", [Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "elements along one axis, chosen anew for each place: NumPy's take_along_axis";
  let description = [{
    The result has the indices' shape; along the other axes an element stays where it is. Indices are those of
    `tiny.gather`.

    ```mlir
    %1 = tiny.take_along %x, %k axis 1 : (tensor<4x6xf32>, tensor<4x1xi64>) -> tensor<4x1xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Tiny_IntTensor:$indices, I64Attr:$axis);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input `,` $indices `axis` $axis attr-dict `:` functional-type(operands, results)";
}

#endif // TINY_TENSOR_INDEXING
