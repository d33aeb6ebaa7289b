// How kernels get their schedules: by policy, by hand, and by running the scripts.
#ifndef TINY_SCHEDULE_PASSES
#define TINY_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def KernelDefaultSchedule : Pass<"kernel-default-schedule", "::mlir::ModuleOp"> {
  let summary = "Write a transform script for each kernel that has none";
  let description = [{
    The default heuristic, as scripts: each kernel without a `schedule` gets a `transform.named_sequence` of its own
    name in the nested module `@schedules`, and names it. A kernel that the heuristic would leave as it is gets none.

    First, free loops that every access walks as one are merged, and reduced ones outside of products. Then the first
    rule that fits decides, and a remark says what it chose. `docs/Performance.md` explains the figures.

    Lanes fit an axis best where all accesses that move with it move by one element; then where loads move by up to four,
    or backwards; and, where functions or reductions are along it, where some accesses have a place of their own for each
    lane: these are loaded and stored one by one.

    Product: a reduction of products of two reads gets a register tile of rows and lanes from `registers` and `lanes`, its
    axes are padded to fit, both operands are staged, and the loops nest so that a packed panel stays near. Rows of which
    functions are computed are a power of two, to be packed in vectors. Where one panel
    has all lanes and is too large for that, it is packed for a block of the reduced axis at a time, and what blocks sum
    up is staged. Beside a tile of 16 vectors or less, four steps of a long reduced loop are copies. Several such
    reductions in the same loops divide the registers, and what they share is staged once.

    Rows: a reduced axis that lanes fit, and no free axis beside it, becomes lanes, with four vectors of accumulators,
    where its reductions have a kind and may combine in any order; it is padded where these do not divide it, which
    `uop-peel-gates` makes cheap. Of up to 4 vectors it is whole, without a loop. What a reduction combines is staged where
    something costly computes it again; such a row is padded before. Of up to 8 vectors it is not staged, but whole, unless
    its functions give more than 16 KiB. There are no rows where lanes along one free axis would leave less scalar than
    they cost.

    Short rows: where all reductions are along rows shorter than `lanes`, and no axis of rows may be lanes, a row has no
    loops, so that neighbouring rows run side by side: up to 32 bytes and 8 elements, with two functions or more along the
    row (then up to half as long again as `lanes`), and reductions other than sums or in order; but not with functions that
    become loops. Others are one padded vector.

    Columns: where a pass along a reduced axis computes something costly that another one computes again, and a free axis
    may be lanes, that is padded and upcast by up to eight times `lanes`, and a tile over the reduced axis and the lanes is
    staged, if it has 256 KiB or less.

    Lanes: of the free axes that every store moves with, the one that takes least is upcast by the largest of `lanes`,
    `lanes`/2 ... 2 that divides its extent, from eight times `lanes` on where other free loops stand inside of it. Where
    what moves with it moves by one element, and a function is among it or 16 operations are, it is upcast by four times
    `lanes`, or as many from two to seven times as divide it; it is padded if none does and it is eight times as long. Where
    none of `lanes` or more divides it, it is padded if LLVM's vectoriser would do worse: with reductions, functions that become
    loops, lanes with places of their own, and with any function on a short axis or one that fewer lanes would divide. Of
    elementwise functions along an axis of less than half of `lanes` there are copies. Tile: in a kernel with lanes,
    another free axis along which some of the loads that reductions read stand still and others move is upcast by the
    largest number up to `tile` that divides its extent; the one with most reuse is taken. Its accesses must be affine in
    it, and no gate may depend on it.

    At last a kernel that is worth it is cut into parts for threads along a free axis, at least `parts` of them.

    Accumulator tile: where some results of a reduce with a combiner region vary along an axis and others do not, the axis
    is upcast whole, so that what the accumulators share is evaluated once, if there are at most 256 of them; a reduced
    axis that every load walks with stride one, or not at all, gets lanes beside it, and a tile of rows.

    ```mlir
    kernel.func @double(...) attributes {schedule = @schedules::@double} { ... }
    module @schedules attributes {transform.with_named_sequence} {
      transform.named_sequence @double(%kernel: !transform.any_op {transform.consumed}) {
        %axis = transform.tiny.axis %kernel [0] : (!transform.any_op) -> !transform.any_op
        %outer, %inner = transform.tiny.split %axis by 16 as upcast : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
        transform.yield
      }
    }
    ```
  }];
  let options = [
    Option<"lanes", "lanes", "::tiny::Bounded<1, 4096>", "16", "Widest lanes, in elements; a power of two">,
    Option<"tile", "tile", "::tiny::Bounded<1, 4096>", "8", "Most accumulators beside each other; 1 for none">,
    Option<"registers", "registers", "::tiny::Bounded<1, 4096>", "32", "Vector registers that a tile of a product may fill">,
    Option<"parts", "parts", "::tiny::Bounded<1, 4096>", "4", "Parts for threads, of kernels that are worth it; 1 for none">,
  ];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

def KernelImposeSchedules : Pass<"kernel-impose-schedules", "::mlir::ModuleOp"> {
  let summary = "Take schedules from a file of transform scripts";
  let description = [{
    Reads a module of named sequences from `file`, and gives each to the kernel of the same name, in place of the
    schedule that the kernel names. A file that does not parse is an error, and so is a sequence without a kernel of its
    name.
  }];
  let options = [
    Option<"file", "file", "std::string", "", "Path of an MLIR file with transform.named_sequence operations">,
  ];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

def KernelApplySchedules : Pass<"kernel-apply-schedules", "::mlir::ModuleOp"> {
  let summary = "Run the transform script that each kernel names";
  let description = [{
    Before: a `kernel.func` may name a `transform.named_sequence` of one argument, the kernel. After: every script has
    run, no kernel names one, and the modules of scripts are gone, unless `keep-scripts`. A step that is refused is an
    error at that step, with the reason.
  }];
  let options = [
    Option<"keepScripts", "keep-scripts", "bool", "false", "Leave the modules of scripts in place">,
  ];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

#endif // TINY_SCHEDULE_PASSES
