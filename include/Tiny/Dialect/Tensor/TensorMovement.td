// Sources and movement.
#ifndef TINY_TENSOR_MOVEMENT
#define TINY_TENSOR_MOVEMENT

include "Tiny/Dialect/Tensor/TensorBase.td"

//===--- Sources --------------------------------------------------------------------------------------------------===//

def Tiny_ConstantOp : Tiny_InferredOp<"constant", [ConstantLike]> {
  let summary = "a tensor whose elements are written down, or held in a resource";
  let description = [{
    ```mlir
    %0 = tiny.constant dense<[1.0, 2.0]> : tensor<2xf32>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}

def Tiny_FullOp : Tiny_Op<"full", [DeclareOpInterfaceMethods<DecomposableOpInterface>, Tiny_Shardable]> {
  let summary = "a tensor whose elements are all one number";
  let description = [{
    ```mlir
    %0 = tiny.full 1.5 : f32 -> tensor<4x3xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$value attr-dict `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tiny_IotaOp : Tiny_Op<"iota", [Tiny_SometimesPrimitive, Tiny_Shardable]> {
  let summary = "the index along one axis";
  let description = [{
    ```mlir
    %0 = tiny.iota 1 : tensor<4x8xi32>
    ```
  }];
  let arguments = (ins I64Attr:$axis);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$shape, "::mlir::Type":$element, "int64_t":$axis)>];
  let hasVerifier = 1;
}

def Tiny_ArangeOp : Tiny_Op<"arange", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "start, start + step, start + 2 * step, ...";
  let description = [{
    ```mlir
    %0 = tiny.arange 2.0, 0.5 : tensor<4xf32>
    ```
  }];
  let arguments = (ins F64Attr:$start, F64Attr:$step);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = "$start `,` $step attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def Tiny_EyeOp : Tiny_Op<"eye", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "a matrix with ones on one diagonal, zeros elsewhere";
  let description = [{
    `diagonal` counts from the main diagonal to the right.

    ```mlir
    %0 = tiny.eye diagonal 1 : tensor<3x4xf32>
    ```
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$diagonal);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "(`diagonal` $diagonal^)? attr-dict `:` type($result)";
  let hasVerifier = 1;
}

//===--- Movement -------------------------------------------------------------------------------------------------===//

// The result type is written, not inferred: (movement_element) its element type is the input's.
class Tiny_ShapedOp<string mnemonic, list<Trait> traits = []> : Tiny_Op<mnemonic, [Tiny_Shardable] # traits> {
  let arguments = (ins Tiny_Tensor:$input);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$shape), [{
    build($_builder, $_state, ::llvm::cast<::mlir::RankedTensorType>(input.getType()).clone(shape), input);
  }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

// The result type is inferred from the attributes.
class Tiny_MovementOp<string mnemonic, dag extra, string format, list<Trait> traits = [], bit hasSizes = 0>
    : Tiny_InferredOp<mnemonic, traits # !if(hasSizes, [Tiny_ShardableWithSizes], [Tiny_Shardable])> {
  let arguments = !con((ins Tiny_Tensor:$input), extra);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input " # format # " attr-dict `:` functional-type(operands, results)";
}

def Tiny_ReshapeOp : Tiny_ShapedOp<"reshape", [Tiny_HasGradient]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    ```mlir
    %1 = tiny.reshape %0 : (tensor<4x6xf32>) -> tensor<24xf32>
    ```
  }];
}

def Tiny_ExpandOp : Tiny_ShapedOp<"expand", [Tiny_SometimesPrimitive, Tiny_HasGradient]> {
  let summary = "NumPy's broadcast_to: repeats along axes of size 1 and along new leading axes";
  let description = [{
    ```mlir
    %1 = tiny.expand %0 : (tensor<4x1xf32>) -> tensor<2x4x8xf32>
    ```
  }];
}

def Tiny_PermuteOp : Tiny_MovementOp<"permute", (ins DenseI64ArrayAttr:$permutation), "$permutation",
    [Tiny_HasGradient]> {
  let summary = "reorders axes: result axis k is input axis permutation[k]";
  let description = [{
    ```mlir
    %1 = tiny.permute %0 [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
    ```
  }];
  let hasFolder = 1;
}

def Tiny_TransposeOp : Tiny_MovementOp<"transpose", (ins I64Attr:$first, I64Attr:$second),
    "$first `,` $second", [DeclareOpInterfaceMethods<DecomposableOpInterface>]> {
  let summary = "exchanges two axes; negative ones count from the end";
  let description = [{
    ```mlir
    %1 = tiny.transpose %0 -1, -2 : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
    ```
  }];
}

def Tiny_PadOp : Tiny_MovementOp<"pad", (ins DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
    OptionalAttr<TypedAttrInterface>:$value), "`low` $low `high` $high (`value` $value^)?", [Tiny_SometimesPrimitive,
    Tiny_HasGradient]> {
  let summary = "adds elements before and after each axis: zeros, or another number";
  let description = [{
    ```mlir
    %1 = tiny.pad %0 low [1, 0] high [1, 2] value 1.0 : f32 : (tensor<4x6xf32>) -> tensor<6x8xf32>
    ```
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$input, "::llvm::ArrayRef<int64_t>":$low,
    "::llvm::ArrayRef<int64_t>":$high), [{
    build($_builder, $_state, input, low, high, ::mlir::TypedAttr());
  }]>];
  let hasFolder = 1;
}

def Tiny_ShrinkOp : Tiny_MovementOp<"shrink", (ins DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$end), "`begin` $begin `end` $end",
    [Tiny_HasGradient], 1> {
  let summary = "takes the window [begin, end) of each axis";
  let description = [{
    ```mlir
    %1 = tiny.shrink %0 begin [1, 0] end [3, 6] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    ```
  }];
  let hasFolder = 1;
}

def Tiny_FlipOp : Tiny_MovementOp<"flip", (ins DenseI64ArrayAttr:$axes), "$axes", [Tiny_HasGradient]> {
  let summary = "reverses the named axes";
  let description = [{
    ```mlir
    %1 = tiny.flip %0 [0] : (tensor<4x6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let hasFolder = 1;
}

def Tiny_ContiguousOp : Tiny_MovementOp<"contiguous", (ins), "", [Tiny_HasGradient]> {
  let summary = "the same value, computed into a buffer of its own";
  let description = [{
    What reads the result reads the buffer: nothing is fused over it (`lazy.contiguous`).

    ```mlir
    %1 = tiny.contiguous %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let hasFolder = 1;
}

// Everything below is movement in other words.
class Tiny_DerivedMovementOp<string mnemonic, dag extra, string format, bit hasSizes = 0>
    : Tiny_MovementOp<mnemonic, extra, format, [DeclareOpInterfaceMethods<DecomposableOpInterface>], hasSizes>;

def Tiny_SliceOp : Tiny_DerivedMovementOp<"slice", (ins DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$end,
    DenseI64ArrayAttr:$strides), "", 1> {
  let summary = "every stride-th element from begin until end, along each axis";
  let description = [{
    Where the stride is negative the slice runs down from `begin` and stops above `end`, which is -1 to include the
    first element.

    ```mlir
    %1 = tiny.slice %0 begin [0, 5] end [4, -1] strides [2, -1] : (tensor<4x6xf32>) -> tensor<2x6xf32>
    ```
  }];
  let assemblyFormat = [{
    $input `begin` $begin `end` $end `strides` $strides attr-dict `:` functional-type(operands, results)
  }];
}

def Tiny_SetItemOp : Tiny_InferredOp<"setitem", [Tiny_SometimesPrimitive, Tiny_HasGradient,
    Tiny_ShardableWithSizes]> {
  let summary = "a tensor with the elements of a slice replaced; the value broadcasts to the slice";
  let description = [{
    The slice is that of `tiny.slice`. The value is converted to the element type of the tensor.

    ```mlir
    %2 = tiny.setitem %0, %1 begin [0, 5] end [4, -1] strides [2, -1] : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Tiny_Tensor:$value, DenseI64ArrayAttr:$begin, DenseI64ArrayAttr:$end,
    DenseI64ArrayAttr:$strides);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = [{
    $input `,` $value `begin` $begin `end` $end `strides` $strides attr-dict `:` functional-type(operands, results)
  }];
  let extraClassDeclaration = [{
    /// The shape of the slice.
    ::llvm::SmallVector<int64_t> getSliceShape();
  }];
}

def Tiny_SqueezeOp : Tiny_DerivedMovementOp<"squeeze", (ins DenseI64ArrayAttr:$axes), "$axes"> {
  let summary = "removes axes of size 1";
  let description = [{
    ```mlir
    %1 = tiny.squeeze %0 [-1] : (tensor<4x1xf32>) -> tensor<4xf32>
    ```
  }];
}

def Tiny_UnsqueezeOp : Tiny_DerivedMovementOp<"unsqueeze", (ins DenseI64ArrayAttr:$axes), "$axes"> {
  let summary = "adds axes of size 1 at these positions of the result";
  let description = [{
    ```mlir
    %1 = tiny.unsqueeze %0 [0, 2] : (tensor<4xf32>) -> tensor<1x4x1xf32>
    ```
  }];
}

def Tiny_FlattenOp : Tiny_DerivedMovementOp<"flatten", (ins DefaultValuedAttr<I64Attr, "0">:$first,
    DefaultValuedAttr<I64Attr, "-1">:$last), "`axes` $first `to` $last"> {
  let summary = "merges the axes from first to last, both included";
  let description = [{
    ```mlir
    %1 = tiny.flatten %0 axes 1 to -1 : (tensor<4x2x3xf32>) -> tensor<4x6xf32>
    ```
  }];
}

class Tiny_JoinOp<string mnemonic, list<Trait> traits = []> : Tiny_CompositeOp<mnemonic, [Tiny_Shardable] # traits> {
  let arguments = (ins Variadic<Tiny_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$inputs `axis` $axis attr-dict `:` functional-type(operands, results)";
}

def Tiny_ConcatOp : Tiny_JoinOp<"concat", [Tiny_HasGradient]> {
  let summary = "tensors one after the other along an axis";
  let description = [{
    ```mlir
    %2 = tiny.concat %0, %1 axis 0 : (tensor<4x6xf32>, tensor<2x6xf32>) -> tensor<6x6xf32>
    ```
  }];
}

def Tiny_StackOp : Tiny_JoinOp<"stack"> {
  let summary = "tensors of one shape along a new axis";
  let description = [{
    ```mlir
    %2 = tiny.stack %0, %1 axis 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
    ```
  }];
}

#endif // TINY_TENSOR_MOVEMENT
