// Matrix product, convolution and pooling.
#ifndef TINY_TENSOR_PRODUCT
#define TINY_TENSOR_PRODUCT

include "Tiny/Dialect/Tensor/TensorBase.td"

def Tiny_MatmulOp : Tiny_CompositeOp<"matmul", [Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "NumPy's matmul: the last two axes multiply, those before broadcast; rank 1 is a row or a column";
  let description = [{
    ```mlir
    %2 = tiny.matmul %0, %1 : (tensor<5x4x6xf32>, tensor<6x3xf32>) -> tensor<5x4x3xf32>
    ```
  }];
  let arguments = (ins Tiny_NumberTensor:$lhs, Tiny_NumberTensor:$rhs);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
}

def Tiny_LinearOp : Tiny_CompositeOp<"linear", [Tiny_Shardable]> {
  let summary = "x times the transposed weight [out, in], plus the bias";
  let description = [{
    ```mlir
    %1 = tiny.linear %0, %w bias %b : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Tiny_NumberTensor:$input, Tiny_NumberTensor:$weight, Optional<Tiny_NumberTensor>:$bias);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = "$input `,` $weight (`bias` $bias^)? attr-dict `:` functional-type(operands, results)";
}

def Tiny_GemmOp : Tiny_CompositeOp<"gemm", [Tiny_Shardable]> {
  let summary = "alpha * A * B + beta * C, where A and B may be transposed";
  let description = [{
    ```mlir
    %2 = tiny.gemm %a, %b plus %c alpha 0.5 transpose_b
        : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins Tiny_NumberTensor:$lhs, Tiny_NumberTensor:$rhs, Optional<Tiny_NumberTensor>:$addend,
    DefaultValuedAttr<F64Attr, "1.0">:$alpha, DefaultValuedAttr<F64Attr, "1.0">:$beta, UnitAttr:$transpose_a,
    UnitAttr:$transpose_b);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`plus` $addend^)? (`alpha` $alpha^)? (`beta` $beta^)? (`transpose_a` $transpose_a^)?
    (`transpose_b` $transpose_b^)? attr-dict `:` functional-type(operands, results)
  }];
}

//===--- Sliding windows ------------------------------------------------------------------------------------------===//

// One number per spatial axis; absent means 1 for strides and dilations, 0 for padding.
defvar Tiny_WindowArgs = (ins OptionalAttr<DenseI64ArrayAttr>:$strides, OptionalAttr<DenseI64ArrayAttr>:$dilations,
  OptionalAttr<DenseI64ArrayAttr>:$low, OptionalAttr<DenseI64ArrayAttr>:$high);
defvar Tiny_WindowFormat = "(`strides` $strides^)? (`dilations` $dilations^)? (`low` $low^)? (`high` $high^)?";

def Tiny_ConvOp : Tiny_CompositeOp<"conv", [Tiny_Shardable]> {
  let summary = "convolution over any number of spatial axes: input [batch, in, ...], weight [out, in / groups, ...]";
  let description = [{
    ```mlir
    %1 = tiny.conv %x, %w bias %b strides [2, 2] low [1, 1] high [1, 1]
        : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
    ```

    `winograd` says how to compute it: by Winograd's minimal filtering, as many outputs at a time along each spatial axis
    as it lists, where 1 leaves an axis as it is. Tiles of 4 x 4 outputs of a window of 3 x 3 take a quarter of the
    multiplications, and round otherwise than the sum of products does ([Numerics](../Numerics.md)).

    ```mlir
    %1 = tiny.conv %x, %w low [1, 1] high [1, 1] winograd [4, 4]
        : (tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x16x16xf32>
    ```
  }];
  let arguments = !con((ins Tiny_NumberTensor:$input, Tiny_NumberTensor:$weight, Optional<Tiny_NumberTensor>:$bias),
    Tiny_WindowArgs, (ins DefaultValuedAttr<I64Attr, "1">:$groups, OptionalAttr<DenseI64ArrayAttr>:$winograd));
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = !strconcat("$input `,` $weight (`bias` $bias^)? ", Tiny_WindowFormat,
    " (`groups` $groups^)? (`winograd` $winograd^)? attr-dict `:` functional-type(operands, results)");
}

class Tiny_PoolOp<string mnemonic, dag parameters, string format>
    : Tiny_CompositeOp<mnemonic, [Tiny_Shardable]> {
  let arguments = !con((ins Tiny_NumberTensor:$input, DenseI64ArrayAttr:$kernel), Tiny_WindowArgs,
    (ins UnitAttr:$ceil_mode), parameters);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = !strconcat("$input `kernel` $kernel ", Tiny_WindowFormat, " (`ceil_mode` $ceil_mode^)? ",
    format, " attr-dict `:` functional-type(operands, results)");
}

def Tiny_MaxPoolOp : Tiny_PoolOp<"max_pool", (ins), ""> {
  let summary = "the largest element of each window over the spatial axes; padding never wins";
  let description = [{
    With `ceil_mode` a last window that only partly lies inside counts too.

    ```mlir
    %1 = tiny.max_pool %x kernel [2, 2] strides [2, 2] : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
    ```
  }];
}

def Tiny_AvgPoolOp : Tiny_PoolOp<"avg_pool", (ins UnitAttr:$count_include_pad), "(`count_include_pad` $count_include_pad^)?"> {
  let summary = "the mean of each window over the spatial axes";
  let description = [{
    Padding counts as elements only with `count_include_pad`; what `ceil_mode` adds never counts.

    ```mlir
    %1 = tiny.avg_pool %x kernel [2, 2] strides [2, 2] : (tensor<1x3x8x8xf32>) -> tensor<1x3x4x4xf32>
    ```
  }];
}

class Tiny_GlobalPoolOp<string mnemonic> : Tiny_CompositeOp<mnemonic, [Tiny_Shardable]> {
  let arguments = (ins Tiny_NumberTensor:$input);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}
def Tiny_GlobalMaxPoolOp : Tiny_GlobalPoolOp<"global_max_pool"> { let summary = "the largest element over all spatial axes, which stay with size 1"; }
def Tiny_GlobalAvgPoolOp : Tiny_GlobalPoolOp<"global_avg_pool"> { let summary = "the mean over all spatial axes, which stay with size 1"; }

#endif // TINY_TENSOR_PRODUCT
