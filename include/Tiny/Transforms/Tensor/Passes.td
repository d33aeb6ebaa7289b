// Passes that stay on the tensor level.
#ifndef TINY_TRANSFORMS_TENSOR_PASSES
#define TINY_TRANSFORMS_TENSOR_PASSES

include "mlir/Pass/PassBase.td"

def TensorDecompose : Pass<"tensor-decompose"> {
  let summary = "Decompose tensor operations until only primitives remain";
  let description = [{
    Before: any verified `tiny` operations, in any region below the operation that the pass runs on.

    After: every `tiny` operation is primitive: a source (`constant`, `iota`), one of the movements `reshape`,
    `expand`, `permute`, `pad` (of zeros), `shrink` and `flip`, a primitive reduction (`sum`, `prod`, `max`, `min` of
    ascending axes, without `keepdims`), `cast`, `bitcast`, or an elementwise operation whose operands have the
    result's shape and one element type. What was implicit, broadcasts and promotions, is explicit `reshape`, `expand`
    and `cast`. New operations carry the name of the operation they come from in their location. f16, bf16 and f8 are
    summed in f32, small integers in 32 bits.

    ```mlir
    %1 = tiny.softmax %0 axis 1 : (tensor<4x10xf32>) -> tensor<4x10xf32>
    ```
    becomes
    ```mlir
    %1 = tiny.max %0 axes [1] : (tensor<4x10xf32>) -> tensor<4xf32>
    %2 = tiny.reshape %1 : (tensor<4xf32>) -> tensor<4x1xf32>
    %3 = tiny.expand %2 : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %4 = tiny.sub %0, %3 : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    %5 = tiny.exp %4 : (tensor<4x10xf32>) -> tensor<4x10xf32>
    %6 = tiny.sum %5 axes [1] : (tensor<4x10xf32>) -> tensor<4xf32>
    %7 = tiny.reshape %6 : (tensor<4xf32>) -> tensor<4x1xf32>
    %8 = tiny.expand %7 : (tensor<4x1xf32>) -> tensor<4x10xf32>
    %9 = tiny.div %5, %8 : (tensor<4x10xf32>, tensor<4x10xf32>) -> tensor<4x10xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect"];
  let statistics = [Statistic<"numDecomposed", "num-decomposed", "Number of operations decomposed">];
}

def TensorExpandGradients : Pass<"tensor-expand-gradients"> {
  let summary = "Replace gradients by operations that compute them";
  let description = [{
    Reverse mode, from graph to graph. Each `tiny.gradient`, in the order of the block, becomes the operations that
    compute the gradients of its targets: of all that lies between them and the loss, backwards, what each operation's
    `differentiate` adds. It runs before `tensor-decompose`, so that softmax and its like keep their stable forms; an
    operation without a gradient of its own is decomposed first. Gradients are summed over broadcast axes and have the
    types of what they are of. Integers and truth values have none. Branches and loops of a bounded number of iterations
    compute their bodies again where they give gradients. The second gradient of a function is a `tiny.gradient` of the
    first.

    ```mlir
    %y = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %dx = tiny.gradient %y seed %s wrt %x : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    // becomes
    %y = tiny.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    %dx = tiny.mul %s, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect"];
  let statistics = [Statistic<"numExpanded", "num-expanded", "Number of gradients expanded">];
}

#endif // TINY_TRANSFORMS_TENSOR_PASSES
