// Reductions, and what is computed from them along axes.
#ifndef TINY_TENSOR_REDUCE
#define TINY_TENSOR_REDUCE

include "Tiny/Dialect/Tensor/TensorBase.td"

// `axes` may be negative and stand in any order. `rule` (ReduceRule in Reduction.h) says what it accumulates in and
// what the result is. Explicit is: ascending axes, at least one, no keepdims, an input of the accumulator's type.
class Tiny_ReduceOp<string mnemonic, string rule, string primitive = "false", dag parameters = (ins),
    string format = "", list<Trait> traits = [Tiny_HasGradient]>
    : Tiny_InferredOp<mnemonic, [Tiny_SometimesPrimitive, Tiny_Shardable] # traits> {
  let arguments = !con((ins Tiny_Tensor:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims), parameters);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input `axes` $axes " # format # " (`keepdims` $keepdims^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// What it accumulates in, and what the result is.
    static constexpr ::tiny::tensor::ReduceRule kRule = ::tiny::tensor::ReduceRule::}] # rule # [{;
  }] # !if(!eq(primitive, "true"), "", [{
    /// The operation in simpler ones, for explicit operands; its value has the accumulator's type.
    ::mlir::Value lower(::tiny::tensor::TensorBuilder &build);
  }]);
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::tiny::tensor::inferReduction(location, getOperationName(), adaptor.getInput().getType(),
          adaptor.getAxes(), adaptor.getKeepdims(), kRule, types);
    }
    ::tiny::tensor::ShardingRule $cppClass::getShardingRule() {
      return ::tiny::tensor::getReductionRule(*this, getAxes(), getKeepdims());
    }
    bool $cppClass::isPrimitive() {
      return }] # primitive # [{ && ::tiny::tensor::isExplicitReduction(getInput(), getAxes(), getKeepdims(), kRule);
    }
    ::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>> $cppClass::decompose(::mlir::OpBuilder &builder) {
      if (!::tiny::tensor::isExplicitReduction(getInput(), getAxes(), getKeepdims(), kRule))
        return ::tiny::tensor::makeReductionExplicit(builder, *this, getAxes(), kRule);
      }] # !if(!eq(primitive, "true"), "return ::mlir::failure();", [{
      ::tiny::tensor::TensorBuilder build(builder, getLoc());
      return ::llvm::SmallVector<::mlir::Value>{lower(build)};}]) # [{
    }
  }];
}

def Tiny_SumOp : Tiny_ReduceOp<"sum", "Accumulate", "true"> {
  let summary = "the sum along axes; small integers and truth values add up in 32 bits";
  let description = [{
    ```mlir
    %1 = tiny.sum %0 axes [1] keepdims : (tensor<4x6xf32>) -> tensor<4x1xf32>
    ```
  }];
}
def Tiny_ProdOp : Tiny_ReduceOp<"prod", "Accumulate", "true"> { let summary = "the product along axes; small integers and truth values multiply in 32 bits"; }
def Tiny_MaxOp : Tiny_ReduceOp<"max", "Same", "true"> { let summary = "the largest element along axes; NaN where one is NaN"; }
def Tiny_MinOp : Tiny_ReduceOp<"min", "Same", "true"> { let summary = "the smallest element along axes; NaN where one is NaN"; }
def Tiny_MeanOp : Tiny_ReduceOp<"mean", "Float"> { let summary = "the mean along axes"; }
def Tiny_VarOp : Tiny_ReduceOp<"var", "Float", "false", (ins DefaultValuedAttr<I64Attr, "0">:$correction),
    "(`correction` $correction^)?", []> { let summary = "the mean squared distance from the mean; divides by the count less the correction"; }
def Tiny_LogSumExpOp : Tiny_ReduceOp<"logsumexp", "Float"> { let summary = "log(sum(exp(x))), without overflow"; }
def Tiny_AnyOp : Tiny_ReduceOp<"any", "Bool", "false", (ins), "", []> { let summary = "whether an element along axes is not zero"; }
def Tiny_AllOp : Tiny_ReduceOp<"all", "Bool", "false", (ins), "", []> { let summary = "whether every element along axes is not zero"; }
def Tiny_ArgMaxOp : Tiny_ReduceOp<"argmax", "Index", "false", (ins), "", []> {
  let summary = "where the largest element stands: the first NaN, else the first of equals";
  let description = [{
    The index counts the elements of the reduced axes in row-major order. It is i32, or i64 where i32 is too small.

    ```mlir
    %1 = tiny.argmax %0 axes [1] : (tensor<4x6xf32>) -> tensor<4xi32>
    ```
  }];
}
def Tiny_ArgMinOp : Tiny_ReduceOp<"argmin", "Index", "false", (ins), "", []> { let summary = "where the smallest element stands: the first NaN, else the first of equals"; }

//===--- Along an axis, shape unchanged ---------------------------------------------------------------------------===//

def Tiny_CumSumOp : Tiny_InferredOp<"cumsum", [Tiny_SometimesPrimitive, Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "the sum of each element and those before it along an axis; small integers and truth values add up in 32 bits";
  let description = [{
    Elements are added in order, from the first on.

    ```mlir
    %1 = tiny.cumsum %0 axis -1 : (tensor<4x10xf32>) -> tensor<4x10xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, I64Attr:$axis);
  let results = (outs Tiny_NumberTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` functional-type(operands, results)";
}

class Tiny_AxisOp<string mnemonic> : Tiny_CompositeOp<mnemonic, [Tiny_HasGradient, Tiny_Shardable]> {
  let arguments = (ins Tiny_Tensor:$input, I64Attr:$axis);
  let results = (outs Tiny_FloatTensor:$result);
  let assemblyFormat = "$input `axis` $axis attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> location,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::tiny::tensor::inferAlongAxis(location, getOperationName(), adaptor.getInput().getType(),
          adaptor.getAxis(), types);
    }
    ::tiny::tensor::ShardingRule $cppClass::getShardingRule() {
      return ::tiny::tensor::getAlongAxisRule(*this, getAxis());
    }
  }];
}

def Tiny_SoftmaxOp : Tiny_AxisOp<"softmax"> {
  let summary = "exp(x) over its sum along an axis, without overflow";
  let description = [{
    ```mlir
    %1 = tiny.softmax %0 axis -1 : (tensor<4x10xf32>) -> tensor<4x10xf32>
    ```
  }];
}
def Tiny_LogSoftmaxOp : Tiny_AxisOp<"log_softmax"> { let summary = "the logarithm of softmax, without overflow"; }

//===--- Normalisation --------------------------------------------------------------------------------------------===//

def Tiny_LayerNormOp : Tiny_CompositeOp<"layer_norm", [AttrSizedOperandSegments, Tiny_Shardable]> {
  let summary = "to mean 0 and variance 1 over the axes from `axis` on; then times scale, plus bias";
  let description = [{
    ```mlir
    %1 = tiny.layer_norm %0 scale %s bias %b axis 1 epsilon 1.0e-5
        : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Optional<Tiny_Tensor>:$scale, Optional<Tiny_Tensor>:$bias, I64Attr:$axis,
    F64Attr:$epsilon);
  let results = (outs Tiny_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`scale` $scale^)? (`bias` $bias^)? `axis` $axis `epsilon` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

def Tiny_RmsNormOp : Tiny_CompositeOp<"rms_norm", [Tiny_Shardable]> {
  let summary = "over the root of the mean square of the axes from `axis` on; then times scale";
  let description = [{
    ```mlir
    %1 = tiny.rms_norm %0 scale %s axis 1 epsilon 1.0e-5 : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Optional<Tiny_Tensor>:$scale, I64Attr:$axis, F64Attr:$epsilon);
  let results = (outs Tiny_FloatTensor:$result);
  let assemblyFormat = [{
    $input (`scale` $scale^)? `axis` $axis `epsilon` $epsilon attr-dict `:` functional-type(operands, results)
  }];
}

def Tiny_BatchNormOp : Tiny_CompositeOp<"batch_norm", [Tiny_Shardable]> {
  let summary = "(x - mean) / sqrt(variance + epsilon) * scale + bias, with one of each per channel";
  let description = [{
    Inference: mean and variance are given. Channels are axis 1.

    ```mlir
    %1 = tiny.batch_norm %0, %scale, %bias, %mean, %variance epsilon 1.0e-5
        : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Tiny_Tensor:$scale, Tiny_Tensor:$bias, Tiny_Tensor:$mean,
    Tiny_Tensor:$variance, F64Attr:$epsilon);
  let results = (outs Tiny_FloatTensor:$result);
  let assemblyFormat = [{
    $input `,` $scale `,` $bias `,` $mean `,` $variance `epsilon` $epsilon attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif // TINY_TENSOR_REDUCE
