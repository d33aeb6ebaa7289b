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
    For a program whose author promises more than it says: adds `flags` to each operation that carries such flags, and
    takes none away. Under `nsz` it folds `x + 0.0`, which upstream does not.

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
    A sum over a masked constant counts unmasked elements. Where the mask is an interval of each reduced axis, the count
    is arithmetic on the result's indices: an arange that is spelled as pad, expand and sum becomes one, and a sum over
    a triangle becomes a product. Needs folded views. Sums of floats must allow `reassoc`.

    ```mlir
    %0 = lazy.view %ones <(4, 5):(0, 1) + -2 mask [0:4, 2:5], (3, 3):(6, 1)> : tensor<3xi32> -> tensor<3x3xi32>
    %1 = lazy.reduce addi (%0) axes [1] : (tensor<3x3xi32>) -> tensor<3xi32>
    ```
    becomes
    ```mlir
    %0 = lazy.iota 0 : tensor<3xi32>
    %1 = arith.addi %0, %one : tensor<3xi32>
    ```

    A sum over numbers that comparisons of indices choose, `sum(j < i ? 1 : 0)`, is such a count too. Of floats where
    one of the numbers is plus zero and the other finite, or where they are converted integers.

    Nothing times a negative number is -0.0, so such a product gets the `+ 0.0` of the sum, save under `nsz`. Counts that
    a type of less than 32 bits can't hold exactly stay sums.

    A sum over `select(condition, x, 0)`, where the condition is about indices only and holds for at most one index of a
    reduced axis, which the others determine, reads that element: the axis becomes a view of `x`, masked where the
    condition never holds. A float keeps the `+ 0.0` that turns -0.0 into 0.0, save under `nsz`.

    ```mlir
    %1 = arith.cmpi eq, %iota, %two : tensor<3xi32>
    %2 = arith.select %1, %x, %zero : tensor<3xi1>, tensor<3xi32>
    %3 = lazy.reduce addi (%2) axes [0] : (tensor<3xi32>) -> tensor<i32>
    ```
    becomes
    ```mlir
    %3 = lazy.view %x <():() + 2> : tensor<3xi32> -> tensor<i32>
    ```

    Where the condition compares the index of a reduced axis with data that does not depend on it, the sum is a
    `lazy.gather` at that data. So is the sum of a product with the condition as a number: for integers, and for floats
    whose sum has `nnan` and `ninf`, since zero times infinity is NaN. What is selected must be a buffer or a view of
    one, or be repeated by the view: a gather reads its base from a buffer.

    ```mlir
    %1 = arith.cmpi eq, %iota, %tokens : tensor<4x10xi64>
    %2 = arith.select %1, %rows, %zero : tensor<4x10xi1>, tensor<4x10xf32>
    %3 = lazy.reduce addf (%2) axes [1] : (tensor<4x10xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %3 = lazy.gather %rows [%iota, %token] : tensor<4x10xf32>, (tensor<4xi64>, tensor<4xi64>) -> tensor<4xf32>
    ```

    A remark of the category `lazy-collapse-reduce` says what such a sum became, or why it stays.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tiny::lazy::LazyDialect", "::tiny::sym::SymDialect"];
}

def LazyMergeReductions : Pass<"lazy-merge-reductions", "::mlir::func::FuncOp"> {
  let summary = "Merge sums that depend on a maximum with it, into one reduction of several values";
  let description = [{
    Needs folded views. Where a sum along some axes has elements `exp(x - m) * w`, and `m` is the maximum of `x` along
    the same axes, the sum waits for the maximum, so `x` must be computed twice or stored. But what was summed relative
    to one maximum is corrected to another by a factor, so both run in one pass, which keeps the running maximum: a
    `lazy.reduce` of several values. docs/OnlineReductions.md derives it.

    - Factors that do not vary along the summed axes leave the sum first: a softmax's quotient is taken afterwards.
    - `exp2` counts as `exp`, also of `c * (x - m)` with a positive constant c.
    - All sums over one such element merge, `sum exp(x - m)` as well as those with a weight of more axes than `x`.
    - What is subtracted may be at least the maximum, `max(m, a)`, or the maximum of x and of one element more that a
      concatenation appends to each row; or nothing, where the sums are divided by `sum exp(x)`. The merged sums are
      corrected from m to it.
    - A selection of zero instead of an element is a weight, or leaves the sum where it is the same for a row. So does
      `isNaN(e / l)` of a softmax.

    The sums must allow `reassoc`. What the results are is kept, that of a row of infinities, too. The pass leaves alone
    what would gain nothing: where `x` is cheap to read again, where the elements are used besides (a softmax that is
    stored), and where no sum has an axis more than `x`. One kernel then keeps the accumulators of all points of those
    axes side by side, so there may be at most `max-accumulators` of them. Types without infinity stay as they
    are, too: the running maximum starts at its negative.

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
           "Points, at most, of the axes that a weight has and the elements lack">,
  ];
  let statistics = [
    Statistic<"mergedReductions", "merged-reductions", "Reductions that became part of another">,
  ];
}

def LazyMoveGathers : Pass<"lazy-move-gathers", "::mlir::func::FuncOp"> {
  let summary = "Compute what gathers pick for the picked elements only";
  let description = [{
    A gather reads its base from a buffer, so `lazy-kernelize` stores what is computed to be picked from. But f(x)[i] is
    f(x[i]): the gather moves before the operations that compute its base, down to what is in memory.

    - An axis whose index is affine in the result's indices is read through a view. What varies along such axes only,
      such as the statistics of a row of which data picks one element, becomes a view, whatever computes it, and a gather
      along such axes alone is a view.
    - A gather of a gather has its indices gathered.
    - What lies outside is `outside` still: a selection by a gather of the truth, which needs no memory. There is none
      where zeros in place of all that is gathered compute to that anyway.

    A gather stays where the cost model (CostModel.h) prefers the buffer, where something stores the base anyway, or where
    another value that is computed would be stored in its place, unless that is one, no larger, and is not only what the
    base ends. Gathers of one base move together or stay together, and those in groups stay. Remarks of the category
    `lazy-move-gathers` say which, and why.

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
    A reduction that combines at least `min-elements` for each result, and has fewer results than can run side by side,
    becomes two: the first combines parts, which `lazy.contiguous` makes a buffer, the second the parts. The first
    reduced axis with a fitting divisor is split. What may be combined in parts:

    - sums and products of integers, bitwise operations, extrema; sums and products of floats under `reassoc`;
    - regions that combine each accumulator with its element by one of these, with an initial value that is an identity
      or does no harm twice;
    - regions that take either all accumulators or all elements by a strict comparison, for floats under `nnan`: there
      only the outermost reduced axis, so that the first of equals stays the first.

    A remark of the category `lazy-split-reduce` says of each reduction into how many parts it goes or why it stays whole.

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
    Option<"parallelism", "parallelism", "::tiny::Bounded<1>", "256", "Results that fill the device; a reduction with as many stays">,
    Option<"minElements", "min-elements", "::tiny::Bounded<1>", "32768", "Elements that each result combines, at least">,
    Option<"minParts", "min-parts", "::tiny::Bounded<1>", "8", "Parts of a split axis, at least, unless fewer fill the device">,
    Option<"maxParts", "max-parts", "::tiny::Bounded<1>", "256", "Parts of a split axis, at most">,
  ];
  let statistics = [
    Statistic<"splitReductions", "split-reductions", "Reductions that became two">,
  ];
}

def LazyEvaluateGroups : Pass<"lazy-evaluate-groups"> {
  let summary = "Replace small groups that read nothing but constants";
  let description = [{
    A group whose inputs are constants, or that has none, gives the same on every run. Where its results are small it is
    evaluated by the folders of its operations, and what reads it reads a constant; where an operation has no folder it
    stays. Runs behind `lazy-kernelize`: what is computed where it is used, such as an index or a mask, costs no memory
    and stays. A remark of the category `lazy-evaluate-groups` says which of the two it is, and why.

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
    Option<"maxBytes", "max-bytes", "::tiny::Bounded<0, ::tiny::kLargestSize>", "4096", "Largest results of one group, in bytes">,
    Option<"maxElements", "max-elements", "::tiny::Bounded<0, ::tiny::kLargestSize>", "16384", "Most elements to evaluate for one group">,
  ];
  let statistics = [Statistic<"evaluated", "evaluated", "Groups that became constants">];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

#endif // TINY_TRANSFORMS_LAZY_PASSES
