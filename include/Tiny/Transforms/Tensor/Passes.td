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
    compute their bodies again where they give gradients, all but products of loops, which are kept as rows. What a
    loop's gradient only adds up, as for weights, is one product behind it where that moves less. The second gradient of a function is a `tiny.gradient` of the
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

def TensorMergeLoops : Pass<"tensor-merge-loops"> {
  let summary = "Make one loop of two of which one computes what the other does";
  let description = [{
    Before: `tiny` operations of which equal ones are one (`cse`).

    After: two loops of a block that carry the same and run as often are one, where the body of one computes all that the
    other yields. What is missing in its rows becomes rows. So a loss and its gradient share the loop forwards, of which
    the gradient keeps more.

    ```mlir
    %a, %n = tiny.loop most(5) carry(%x) : (tensor<4xf32>) -> (tensor<4xf32>, tensor<i64>) {
    ^bb0(%i: tensor<i64>, %old: tensor<4xf32>):
      %new = tiny.sin %old : (tensor<4xf32>) -> tensor<4xf32>
      tiny.yield %new : tensor<4xf32>
    }
    // is the first result of a loop that yields %new, %old
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect"];
  let statistics = [Statistic<"numMerged", "num-merged", "Number of loops that became part of another">];
}

def TensorTurnFactors : Pass<"tensor-turn-factors", "::mlir::func::FuncOp"> {
  let summary = "Copy once what products of a loop would turn in each iteration";
  let description = [{
    After: where a product in a loop has as its right factor the transpose of a matrix from outside, and so many rows that
    a CPU packs that factor, it reads a copy of the transpose, made in front of the loop: packing what lies along its rows
    takes a fraction of turning it. So do the weights of a recurrence. By the record, and not where dot products along the
    matrix's own rows are as good.

    ```mlir
    %wt = tiny.permute %w [1, 0] : (tensor<1024x256xf32>) -> tensor<256x1024xf32>
    %y = tiny.matmul %h, %wt : (tensor<32x256xf32>, tensor<256x1024xf32>) -> tensor<32x1024xf32>
    // reads, in a loop
    %copy = tiny.contiguous %wt : (tensor<256x1024xf32>) -> tensor<256x1024xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect"];
  let statistics = [Statistic<"numTurned", "num-turned", "Number of products that read a copy">];
}

def TensorImposeWinograd : Pass<"tensor-impose-winograd", "::mlir::ModuleOp"> {
  let summary = "Say of convolutions that Winograd's minimal filtering computes them";
  let description = [{
    After: a `tiny.conv` that said nothing says `winograd` if a script of the file is for such a convolution
    (`conv_key`) and this record (`record_key`), as `tiny-tune` writes them, or, with `tile`, if it sums up several
    channels and has an axis along which that is possible. Scripts without a `conv_key` are others' business. A script
    that is refused is a remark, and so is one that says nothing.

    ```mlir
    %y = tiny.conv %x, %w low [1, 1] high [1, 1] : (tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x16x16xf32>
    // says, with tile=4
    %y = tiny.conv %x, %w low [1, 1] high [1, 1] winograd [4, 4]
        : (tensor<1x8x16x16xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x16x16xf32>
    ```
  }];
  let options = [
    Option<"file", "file", "std::string", "\"\"", "File of transform scripts">,
    Option<"tile", "tile", "::tiny::Bounded<0>", "0",
           "Outputs of a tile along each axis of all other convolutions, or as many as are possible; 0 for none">];
}

def TensorPropagateShardings : Pass<"tensor-propagate-shardings", "::mlir::func::FuncOp"> {
  let summary = "Complete the shardings that somebody wrote down";
  let description = [{
    Before: a function of `tiny` operations, some values of which `shard.shard` annotates.

    After: every value whose sharding follows from these is annotated, too. Each operation's rule joins the axes of its
    operands and results; shardings go forwards and backwards along them until nothing changes. What somebody wrote
    stays. Where two annotations want different things of one operation the first one stays, and a remark names both.
    An operation without a rule is computed whole by every rank, and a remark says so.

    ```mlir
    %s = shard.sharding @grid split_axes = [[0]] : !shard.sharding
    %xs = shard.shard %x to %s : tensor<8x4xf32>
    %y = tiny.exp %xs : (tensor<8x4xf32>) -> tensor<8x4xf32>
    // gets behind it
    %t = shard.sharding @grid split_axes = [[0], []] : !shard.sharding
    %ys = shard.shard %y to %t : tensor<8x4xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect", "::mlir::shard::ShardDialect"];
  let statistics = [Statistic<"numPropagated", "num-propagated", "Number of values annotated">];
}

def TensorChooseShardings : Pass<"tensor-choose-shardings", "::mlir::ModuleOp"> {
  let summary = "Annotate arguments and constants with the shardings of the shortest step";
  let description = [{
    Before: public functions of `tiny` operations, without gradients that are still to be expanded; a record with a
    `network`.

    After: arguments and large constants are annotated, those that stand alike alike, over a grid of `ranks` with one axis or two, so that the step that the record
    predicts is the shortest of those tried and fits `memory_bytes`. What somebody annotated stays, and its grid. A
    remark says the grid, the predicted step and a rank's memory, others how arguments are cut. That no plan fits is an
    error.

    ```mlir
    // --tensor-choose-shardings=ranks=4
    func.func @f(%x: tensor<512x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> {
    // gets
    %s = shard.sharding @ranks split_axes = [[0], []] : !shard.sharding
    %xs = shard.shard %x to %s : tensor<512x64xf32>
    ```
  }];
  let options = [Option<"ranks", "ranks", "int64_t", "2", "How many ranks the program runs on">,
                 Option<"announces", "announce", "bool", "false", "Say the plan as plain remarks, too">];
  let dependentDialects = ["::tiny::tensor::TinyDialect", "::mlir::shard::ShardDialect"];
}

def TensorPartition : Pass<"tensor-partition", "::mlir::ModuleOp"> {
  let summary = "Turn annotated functions into the program of one rank";
  let description = [{
    Before: functions with annotations of upstream's `shard` dialect, over one grid each.

    After: the program that every rank runs (SPMD). Tensors have local shapes; an axis that is not a multiple of its
    ranks is padded, and padding is masked where it would be reduced. Collectives stand where shardings meet; a
    reduction stays partial until it is needed, and what would be reduced and cut is scattered. An operation that
    cannot be cut along an axis is decomposed. Arguments and results say in `tiny.sharding` and `tiny.whole` what they
    are part of, the function in `tiny.grid` which grid it runs on.

    ```mlir
    %y = tiny.sum %xs axes [0] : (tensor<8x4xf32>) -> tensor<4xf32>
    // becomes, on two ranks
    %0 = tiny.sum %x axes [0] : (tensor<4x4xf32>) -> tensor<4xf32>
    %y = shard.all_reduce %0 on @grid grid_axes = [0] : tensor<4xf32> -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect", "::mlir::shard::ShardDialect"];
  let statistics = [Statistic<"numPartitioned", "num-partitioned", "Number of functions partitioned">];
}

def TensorScatterReductions : Pass<"tensor-scatter-reductions", "::mlir::ModuleOp"> {
  let summary = "Scatter all-reduced values where their readers can be cut, and gather behind these";
  let description = [{
    Before: functions that `tensor-partition` made.

    After: an all-reduce whose readers need only their parts is a reduce-scatter. Where the record has a network, readers
    that compute the same on all ranks of a group are cut along with it, if the predicted time of all of them is shorter:
    elementwise operations, norms, whatever is parallel along an axis. What others read whole is gathered. So an
    optimiser's update or a norm between products is computed once and not on each rank, with as many bytes sent as
    before. A reduction along the cut axis is all-reduced.

    ```mlir
    %1 = shard.all_reduce %0 on @grid grid_axes = [0] : tensor<64x32xf32> -> tensor<64x32xf32>
    %2 = tiny.rms_norm %1 scale %g axis 1 epsilon 1.0e-5 : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
    // becomes, on two ranks
    %1 = shard.reduce_scatter %0 on @grid grid_axes = [0] scatter_axis = 0 : tensor<64x32xf32> -> tensor<32x32xf32>
    %2 = tiny.rms_norm %1 scale %g axis 1 epsilon 1.0e-5 : (tensor<32x32xf32>, tensor<32xf32>) -> tensor<32x32xf32>
    %3 = shard.all_gather %2 on @grid grid_axes = [0] gather_axis = 0 : tensor<32x32xf32> -> tensor<64x32xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect", "::mlir::shard::ShardDialect"];
  let statistics = [Statistic<"numScattered", "num-scattered", "Number of all-reduces that became reduce-scatters">];
}

def TensorLowerCollectives : Pass<"tensor-lower-collectives", "::mlir::ModuleOp"> {
  let summary = "Replace collectives on axes by collectives on whole tensors";
  let description = [{
    Before: functions that `tensor-partition` made, with collectives of upstream's `shard` dialect.

    After: `tiny.collective`, which exchanges whole tensors or slices of their first axis, with reshapes and
    permutations around it. A slice by the rank's number reads the rank's place in the grid, which becomes the
    function's last argument, `tiny.rank`. There is no operation of the `shard` dialect.

    ```mlir
    %1 = shard.all_gather %0 on @grid grid_axes = [0] gather_axis = 1 : tensor<4x2xf32> -> tensor<4x4xf32>
    // becomes
    %2 = tiny.collective "all_gather" %0 grid [2] axes [0] : (tensor<4x2xf32>) -> tensor<2x4x2xf32>
    %3 = tiny.permute %2 [1, 0, 2] : (tensor<2x4x2xf32>) -> tensor<4x2x2xf32>
    %1 = tiny.reshape %3 : (tensor<4x2x2xf32>) -> tensor<4x4xf32>
    ```
  }];
  let dependentDialects = ["::tiny::tensor::TinyDialect"];
  let statistics = [Statistic<"numLowered", "num-lowered", "Number of collectives replaced">];
}

#endif // TINY_TRANSFORMS_TENSOR_PASSES
