// Gradients as operations.
#ifndef TINY_TENSOR_GRADIENT
#define TINY_TENSOR_GRADIENT

include "Tiny/Dialect/Tensor/TensorBase.td"

def Tiny_GradientOp : Tiny_Op<"gradient", [AttrSizedOperandSegments]> {
  let summary = "gradients of the sum of `loss`, or of the sum of `loss * seed`, with respect to values before it";
  let description = [{
    One result for each target, of its type. A target that the loss does not depend on has a gradient of zeros. Targets
    are arguments or results of `tiny.watch`: what is computed may fold into what it was computed from. Gradients may be
    losses themselves. `tensor-expand-gradients` replaces the operation by those of reverse mode.

    ```mlir
    %y = tiny.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %dx = tiny.gradient %y wrt %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tiny_FloatTensor:$loss, Optional<Tiny_FloatTensor>:$seed, Variadic<Tiny_FloatTensor>:$targets);
  let results = (outs Variadic<Tiny_FloatTensor>:$gradients);
  let assemblyFormat = "$loss (`seed` $seed^)? `wrt` $targets attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// Not pure: two of one value are two values, and none goes while a gradient may be asked for.
def Tiny_WatchOp : Op<Tiny_Dialect, "watch", [InferTypeOpAdaptor, DeclareOpInterfaceMethods<DecomposableOpInterface>,
    Tiny_HasGradient, Tiny_Shardable]> {
  let summary = "the same value, with respect to which there may be gradients";
  let description = [{
    `kept` is the same value, too, from where it was computed before. It is read in the end, and the input is what
    gradients pass to.

    ```mlir
    %h = tiny.watch %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Optional<Tiny_Tensor>:$kept);
  let results = (outs Tiny_Tensor:$result);
  let builders = [OpBuilder<(ins "::mlir::Value":$input), [{
    build($_builder, $_state, input, ::mlir::Value());
  }]>];
  let assemblyFormat = "$input (`kept` $kept^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Tiny_DetachOp : Tiny_InferredOp<"detach", [DeclareOpInterfaceMethods<DecomposableOpInterface>, Tiny_HasGradient,
    Tiny_Shardable]> {
  let summary = "the same value, through which no gradient passes";
  let description = [{
    ```mlir
    %1 = tiny.detach %0 : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input attr-dict `:` functional-type(operands, results)";
}

def Tiny_CheckpointOp : Tiny_CompositeOp<"checkpoint", [Tiny_HasGradient]> {
  let summary = "the same value, which gradients compute anew from earlier values";
  let description = [{
    A hint to `tensor-expand-gradients`: what the value was computed by, from `begins` on, is not kept for its gradient
    but computed again there. `always` is true in every run. It is data, so that no pass finds that both computations
    are one.

    ```mlir
    %h = tiny.tanh %x : (tensor<4xf32>) -> tensor<4xf32>
    %y = tiny.exp %h : (tensor<4xf32>) -> tensor<4xf32>
    %1 = tiny.checkpoint %y from %x when %always
        : (tensor<4xf32>, tensor<4xf32>, tensor<i1>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Tiny_Tensor:$input, Variadic<Tiny_Tensor>:$begins, 0DTensorOf<[I1]>:$always);
  let results = (outs Tiny_Tensor:$result);
  let assemblyFormat = "$input `from` $begins `when` $always attr-dict `:` functional-type(operands, results)";
}

#endif // TINY_TENSOR_GRADIENT
