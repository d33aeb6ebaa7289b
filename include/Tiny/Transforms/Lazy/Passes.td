// Passes on the lazy level.
#ifndef TINY_TRANSFORMS_LAZY_PASSES
#define TINY_TRANSFORMS_LAZY_PASSES

include "mlir/Pass/PassBase.td"

def VerifyLazy : Pass<"verify-lazy", "::mlir::ModuleOp"> {
  let summary = "Reject whatever does not belong on the lazy level";
  let description = [{
    The gate after `convert-tensor-to-lazy`. It changes nothing. What passes it:

    - `func`, `lazy`, `arith` and `math` operations, and any other operation that is `ElementwiseMappable`;
    - functions of one block;
    - values that are statically shaped tensors of signless integers or floats, of at most 2^62 bytes; inside the
      combiner of a `lazy.reduce`, scalars of those types.

    Every offence is reported, with its location.
  }];
}

def LazyFoldViews : Pass<"lazy-fold-views"> {
  let summary = "Fold chains of movement operations into views";
  let description = [{
    Needs lazy functions. Afterwards no `lazy.reshape`, `expand`, `permute`, `pad`, `shrink` or `flip` remains, no
    view reads a view, no tracker is the identity, and no view without a mask reads a splat constant.

    ```mlir
    %1 = lazy.reshape %0 : tensor<4x6xf32> -> tensor<24xf32>
    %2 = lazy.flip %1 [0] : tensor<24xf32> -> tensor<24xf32>
    ```
    becomes
    ```mlir
    %2 = lazy.view %0 <(24):(-1) + 23> : tensor<4x6xf32> -> tensor<24xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::lazy::LazyDialect"];
  let statistics = [
    Statistic<"foldedMovements", "folded-movements", "Movement operations that were folded into views">,
  ];
}

def LazySetFastmath : Pass<"lazy-set-fastmath"> {
  let summary = "Add fast-math flags to every float operation";
  let description = [{
    Adds `flags` to each operation that can carry them, and removes none: for a program whose author promises more than
    its operations say. Under `nsz` it also folds `x + 0.0`, which upstream does not.

    ```mlir
    %1 = arith.addf %0, %zero : tensor<4xf32>
    %2 = arith.mulf %1, %1 : tensor<4xf32>
    ```
    becomes, with `flags=nsz`,
    ```mlir
    %2 = arith.mulf %0, %0 fastmath<nsz> : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"flags", "flags", "std::string", [{""}], "Comma-separated names of arith's fast-math flags">,
  ];
}

def LazyCollapseReduce : Pass<"lazy-collapse-reduce"> {
  let summary = "Replace sums that only count or look up by arithmetic, views and gathers";
  let description = [{
    Before: views are folded. The pass rewrites three kinds of sums; floats must allow `reassoc`:

    - A count, of constants under a mask or chosen by comparisons of indices, becomes arithmetic on the result's
      indices. The condition must be an interval of each reduced axis.
    - A selection `select(condition, x, 0)`, whose condition holds for at most one index of a reduced axis, becomes a
      view.
    - A look-up, where the condition compares that index with data, becomes a `lazy.gather`. `x` must be a buffer, a
      view of one, or repeated by a view. A product with the condition as a number counts too, for integers and under
      `nnan` and `ninf`.

    A float keeps the `+ 0.0` by which a sum turns -0.0 into 0.0, save under `nsz`. Counts that a short type cannot hold
    exactly stay sums. A remark says what each sum became, or why it stays.

    ```mlir
    %0 = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xi32> -> tensor<3x3xi32>
    %1 = lazy.reduce addi (%0) axes [1] : (tensor<3x3xi32>) -> tensor<3xi32>
    // becomes
    %0 = lazy.iota 0 : tensor<3xi32>
    %1 = arith.addi %0, %one : tensor<3xi32>
    ```
    ```mlir
    %1 = arith.cmpi eq, %iota, %two : tensor<3xi32>
    %2 = arith.select %1, %x, %zero : tensor<3xi1>, tensor<3xi32>
    %3 = lazy.reduce addi (%2) axes [0] : (tensor<3xi32>) -> tensor<i32>
    // becomes
    %3 = lazy.view %x <():() + 2> : tensor<3xi32> -> tensor<i32>
    ```
    ```mlir
    %1 = arith.cmpi eq, %iota, %tokens : tensor<4x10xi64>
    %2 = arith.select %1, %rows, %zero : tensor<4x10xi1>, tensor<4x10xf32>
    %3 = lazy.reduce addf (%2) axes [1] : (tensor<4x10xf32>) -> tensor<4xf32>
    // becomes
    %3 = lazy.gather %rows [%iota, %token] : tensor<4x10xf32>, (tensor<4xi64>, tensor<4xi64>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::lazy::LazyDialect", "::tiny::sym::SymDialect"];
}

def LazyApproximateExponentials : Pass<"lazy-approximate-exponentials", "::mlir::func::FuncOp"> {
  let summary = "Let a device approximate exponentials relative to a maximum";
  let description = [{
    Before: views are folded. Where the device's record has `exp2`, the pass adds the flag `afn` to each `exp(c (x - m))`
    of f32, with m at least the maximum of the row's x and c positive: a softmax's, and its logarithm's. Such a number is
    at most 1, the row's largest is about 1, and what the approximation loses is small against that one:
    docs/Numerics.md has the bound. Other exponentials stay as they are. Quotients of these numbers and their row's sum get
    the flag `arcp`: they are numbers of 0 to 1 by one of 1 or more, which a device divides by way of one reciprocal.

    ```mlir
    %m = lazy.reduce maximumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %mm = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
    %d = arith.subf %x, %mm : tensor<4x8xf32>
    %p = math.exp %d : tensor<4x8xf32>
    ```
    becomes
    ```mlir
    %p = math.exp %d fastmath<afn> : tensor<4x8xf32>
    ```
  }];
}

def LazyMergeReductions : Pass<"lazy-merge-reductions", "::mlir::func::FuncOp"> {
  let summary = "Merge sums that depend on a maximum with it, into one reduction of several values";
  let description = [{
    Before: views are folded. A sum of elements `exp(x - m) * w` waits for the maximum `m` of `x` along the same axes,
    so `x` must be stored or computed twice.

    After: the maximum and all sums over one such element are one `lazy.reduce` of several values. It keeps a running
    maximum, corrects its sums when that grows, and reads `x` once.
    docs/OnlineReductions.md has the rules and the other forms that match.

    The sums must allow `reassoc`. The pass merges only where that saves something: not where `x` is cheap to read
    again, where something else uses the elements (a softmax that is stored), or where no weight has an axis that `x`
    lacks. It leaves types without infinity, sums of which more than `max-accumulators` would stand side by side, and what
    is predicted to be faster as two kernels. For a GPU it merges between products of matrices.

    ```mlir
    %m = lazy.reduce maximumf(%x) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    %mm = lazy.view %m <(4, 8):(1, 0)> : tensor<4xf32> -> tensor<4x8xf32>
    %d = arith.subf %x, %mm : tensor<4x8xf32>
    %p = math.exp %d : tensor<4x8xf32>
    %pp = lazy.view %p <(4, 16, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x16x8xf32>
    %pv = arith.mulf %pp, %v : tensor<4x16x8xf32>
    %o = lazy.reduce addf(%pv) axes [2] : (tensor<4x16x8xf32>) -> tensor<4x16xf32>
    ```
    becomes
    ```mlir
    %xx = lazy.view %x <(4, 16, 8):(8, 0, 1)> : tensor<4x8xf32> -> tensor<4x16x8xf32>
    %mo:2 = lazy.reduce(%xx, %v) init [0xFF800000 : f32, 0.0 : f32] axes [2] ... {
    ^bb0(%m1: f32, %s1: f32, %m2: f32, %s2: f32):
      // M = max(m1, m2), S = s1 * exp(m1 - M) + s2 * exp(m2 - M)
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect", "::tiny::lazy::LazyDialect"];
  let options = [
    Option<"maxAccumulators", "max-accumulators", "::tiny::Bounded<1>", "128",
           "Most points of the axes that a weight has and the elements lack">,
  ];
  let statistics = [
    Statistic<"mergedReductions", "merged-reductions", "Reductions that became part of another">,
  ];
}

def LazyMoveGathers : Pass<"lazy-move-gathers", "::mlir::func::FuncOp"> {
  let summary = "Compute what gathers pick for the picked elements only";
  let description = [{
    A gather reads its base from a buffer, so `lazy-kernelize` stores a computed base whole. But `f(x)[i]` is `f(x[i])`:
    the pass moves the gather above what computes its base, down to what is in memory, so that only the picked elements
    are computed.

    - An axis whose index is affine in the result's indices is read through a view. What varies along such axes only,
      such as the statistics of a row, is not gathered.
    - A gather of a gather has its indices gathered.
    - An index outside the base still gives `outside`, by a selection where the computation would not.

    A gather stays where its base is stored anyway, where more would be stored in place of it, and where the cost model
    (CostModel.h) prefers the buffer. Gathers of one base move together or not at all; those in groups stay. Remarks say
    why.

    ```mlir
    %1 = arith.mulf %table, %scale : tensor<1000x64xf32>
    %2 = lazy.gather %1[%tokens, %j] : tensor<1000x64xf32>, (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xf32>
    ```
    becomes
    ```mlir
    %1 = lazy.gather %table[%tokens, %j] : tensor<1000x64xf32>, (tensor<8x64xi32>, tensor<8x64xi32>) -> tensor<8x64xf32>
    %2 = arith.mulf %1, %scale : tensor<8x64xf32>
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::lazy::LazyDialect"];
  let statistics = [
    Statistic<"movedGathers", "moved-gathers", "Gathers that were moved, or became views">,
  ];
}

def LazySplitReduce : Pass<"lazy-split-reduce", "::mlir::func::FuncOp"> {
  let summary = "Split long reductions with few results in two stages";
  let description = [{
    Before: any lazy function. After: a reduction that combines at least `min-elements` for each result, and has fewer
    than `parallelism` results (by default as many as fill the device), is two. The first combines parts and stores
    them, the second combines them. The pass splits the first reduced axis with a fitting divisor, of

    - sums and products of integers, bitwise operations, extrema; sums and products of floats under `reassoc`;
    - regions that combine each accumulator with its element by one of these, from an initial value that may be combined
      twice;
    - regions that keep all accumulators or take all elements by a strict comparison, for floats under `nnan`: only the
      outermost reduced axis, so that of equals the first stays.

    On a GPU a product of matrices is split where its results do not fill lanes. A remark says into how many parts
    each reduction goes, or why not.

    ```mlir
    %1 = lazy.reduce addf(%0) axes [0] : (tensor<65536xf32>) -> tensor<f32>
    ```
    becomes
    ```mlir
    %1 = lazy.reshape %0 : tensor<65536xf32> -> tensor<256x256xf32>
    %2 = lazy.reduce addf(%1) axes [1] : (tensor<256x256xf32>) -> tensor<256xf32>
    %3 = lazy.contiguous %2 : tensor<256xf32>
    %4 = lazy.reduce addf(%3) axes [0] : (tensor<256xf32>) -> tensor<f32>
    ```
  }];
  let dependentDialects = ["::tiny::lazy::LazyDialect"];
  let options = [
    Option<"parallelism", "parallelism", "::tiny::Bounded<0>", "0",
      "Results that should be computed side by side: a reduction with as many or more stays; 0 for what fills the device">,
    Option<"minElements", "min-elements", "::tiny::Bounded<1>", "32768", "Fewest elements that each result combines">,
    Option<"minParts", "min-parts", "::tiny::Bounded<1>", "8", "Fewest parts of a split axis, unless fewer fill the device">,
    Option<"maxParts", "max-parts", "::tiny::Bounded<1>", "256", "Most parts of a split axis">,
  ];
  let statistics = [
    Statistic<"splitReductions", "split-reductions", "Reductions that became two">,
  ];
}

def LazyEvaluateGroups : Pass<"lazy-evaluate-groups"> {
  let summary = "Replace small groups that read nothing but constants";
  let description = [{
    Runs after `lazy-kernelize`. A group that reads only constants, or nothing, gives the same values on every run. If
    its results are small and every operation in it has a folder, the group is evaluated now and becomes constants. What
    is computed where it is used, such as an index or a mask, is in no such group and stays. A remark gives the outcome
    and the reason.

    ```mlir
    %1 = lazy.group () : () -> tensor<4xi32> {
      %0 = lazy.iota 0 : tensor<4xi32>
      %f = lazy.flip %0 [0] : tensor<4xi32> -> tensor<4xi32>
      lazy.yield %f : tensor<4xi32>
    }
    ```
    becomes
    ```mlir
    %1 = arith.constant dense<[3, 2, 1, 0]> : tensor<4xi32>
    ```
  }];
  let options = [
    Option<"maxBytes", "max-bytes", "::tiny::Bounded<0, ::tiny::kLargestSize>", "4096", "Most bytes of the results of one group">,
    Option<"maxElements", "max-elements", "::tiny::Bounded<0, ::tiny::kLargestSize>", "16384", "Most elements to evaluate for one group">,
  ];
  let statistics = [Statistic<"evaluated", "evaluated", "Groups that became constants">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def LazyPlanState : Pass<"lazy-plan-state", "::mlir::func::FuncOp"> {
  let summary = "Decide which results of groups are written over older states";
  let description = [{
    Runs after `lazy-kernelize`. Says on each group, as `in_place`, which results are written in the buffer of an input:
    an assignment in that of its base, the next state of an argument (`tiny.aliases`) in the argument's. The old state
    must be donated or made by a group, other readers must run before, and by the trackers from the input to the result
    no iteration may read what another writes. Where only some readers hinder, they read a copy, which is a group of its
    own; a value may be computed first and put in its place then, in two groups; else the assignment goes on from a copy.
    Groups are reordered so that readers come first. A function that has compute outside of groups is left alone. Each
    decision is a remark.

    ```mlir
    %1 = lazy.group "relu"(%x) : (tensor<4xf32>) -> tensor<4xf32> {...}
    ```
    becomes
    ```mlir
    %1 = lazy.group "relu"(%x) attributes {in_place = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32> {...}
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TINY_TRANSFORMS_LAZY_PASSES
