// What becomes one kernel: decided by cost, or imposed.
#ifndef TINY_TRANSFORMS_KERNELIZE_PASSES
#define TINY_TRANSFORMS_KERNELIZE_PASSES

include "mlir/Pass/PassBase.td"

def LazyImposeGroups : Pass<"lazy-impose-groups", "::mlir::ModuleOp"> {
  let summary = "Make the groups that a person asks for, by attributes or by scripts";
  let description = [{
    Makes groups that a person asks for, whatever they cost. Operations of one function with the same string
    `lazy.group_id` become one `lazy.group`, with the views, index sources and masks between them. Run it before
    `lazy-kernelize`, which leaves existing groups alone and schedules the rest around them.

    `file` holds transform scripts: each public `transform.named_sequence` runs on the function of its name, before the
    pass looks at attributes, and may use `transform.tiny.fuse`.

    It is an error, reported at the operations, if a group would wait for itself, has more than `max-buffers` buffers,
    or is read by nobody. A remark lists what each new group has.

    ```mlir
    %1 = math.exp %0 {lazy.group_id = "a"} : tensor<4xf32>
    %2 = lazy.reduce addf(%1) axes [0] {lazy.group_id = "a"} : (tensor<4xf32>) -> tensor<f32>
    ```
    becomes
    ```mlir
    %2 = lazy.group "exp_reduce"(%0) : (tensor<4xf32>) -> tensor<f32> {
    ^bb0(%x: tensor<4xf32>):
      %3 = math.exp %x : tensor<4xf32>
      %4 = lazy.reduce addf(%3) axes [0] : (tensor<4xf32>) -> tensor<f32>
      lazy.yield %4 : tensor<f32>
    }
    ```
  }];
  let dependentDialects = ["::tiny::lazy::LazyDialect", "::mlir::transform::TransformDialect"];
  let options = [
    Option<"file", "file", "std::string", "", "Path of an MLIR file with transform.named_sequence operations">,
    Option<"maxBuffers", "max-buffers", "::tiny::Bounded<2>", "1024", "Most inputs and results of one group, where the record allows so many">,
  ];
}

def LazyKernelize : Pass<"lazy-kernelize", "::mlir::func::FuncOp"> {
  let summary = "Decide what is computed into buffers and mark the kernels";
  let description = [{
    Before: a function of one block that `verify-lazy` accepts; `lazy-fold-views` before it lets more fuse. After: all
    elementwise operations, reductions and index sources stand in `lazy.group` operations, each of which becomes one
    kernel. Outside remain constants, returned views that are contiguous parts of bases, and operations that the pass
    does not know. Existing groups keep their bodies, except that views which they read move inside, so the pass may run
    again on a function that grew.

    Elementwise operations and views fuse into their consumers and into reductions, what follows a reduction joins it,
    and kernels that read the same buffer or continue each other merge. A value that several places want is computed
    again only if the cost model (CostModel.h) prefers that to a buffer. docs/Scheduling.md has the rules; remarks tell
    what fused, what did not, and why.

    ```mlir
    %1 = arith.addf %a, %b : tensor<4x8xf32>
    %2 = lazy.reduce addf(%1) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
    ```
    becomes
    ```mlir
    %2 = lazy.group "addf_reduce"(%a, %b) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4xf32> {
    ^bb0(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>):
      %3 = arith.addf %x, %y : tensor<4x8xf32>
      %4 = lazy.reduce addf(%3) axes [1] : (tensor<4x8xf32>) -> tensor<4xf32>
      lazy.yield %4 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::tiny::lazy::LazyDialect"];
  let options = [
    Option<"policy", "policy", "::tiny::lazy::KernelizePolicy", "::tiny::lazy::KernelizePolicy::costModel",
           "What to fuse", [{::llvm::cl::values(
             clEnumValN(::tiny::lazy::KernelizePolicy::costModel, "default", "what the cost model prefers"),
             clEnumValN(::tiny::lazy::KernelizePolicy::none, "none", "one kernel per computing operation"),
             clEnumValN(::tiny::lazy::KernelizePolicy::all, "all", "one kernel, which keeps what the cost model would store"))}]>,
    Option<"maxBuffers", "max-buffers", "::tiny::Bounded<2>", "1024", "Most inputs and results of one kernel, where the record allows so many">,
    Option<"maxOps", "max-ops", "::tiny::Bounded<1>", "1024", "Most operations of one kernel, roughly, dearer ones by their cost, except under policy=all (default 1024)">,
  ];
  let statistics = [
    Statistic<"groups", "groups", "Kernels that were made">,
    Statistic<"recomputed", "recomputed-ops", "Operations in several kernels, not counting the first">,
  ];
}

def LazyKernelizeInstances : Pass<"lazy-kernelize-instances", "::mlir::ModuleOp"> {
  let summary = "Decide alike for all instances of a program what is computed into buffers";
  let description = [{
    Before: a module of instances (`tiny.sizes`), whose functions `lazy-kernelize` takes. After: each has its
    `lazy.group` operations. Functions of one structure get those of one of them: what is cheaper at some sizes is done
    at all, so that `kernel-join-instances` finds the same kernels. Which parts are copied into a concatenation is each
    one's own decision; where that differs, so do the groups.
  }];
  let dependentDialects = ["::tiny::lazy::LazyDialect"];
  let options = [
    Option<"policy", "policy", "::tiny::lazy::KernelizePolicy", "::tiny::lazy::KernelizePolicy::costModel",
           "What to fuse", [{::llvm::cl::values(
             clEnumValN(::tiny::lazy::KernelizePolicy::costModel, "default", "what the cost model prefers"),
             clEnumValN(::tiny::lazy::KernelizePolicy::none, "none", "one kernel per computing operation"),
             clEnumValN(::tiny::lazy::KernelizePolicy::all, "all", "one kernel, which keeps what the cost model would store"))}]>,
    Option<"maxBuffers", "max-buffers", "::tiny::Bounded<2>", "1024", "Most inputs and results of one kernel, where the record allows so many">,
    Option<"maxOps", "max-ops", "::tiny::Bounded<1>", "1024", "Most operations of one kernel, roughly, dearer ones by their cost, except under policy=all (default 1024)">,
  ];
}

#endif // TINY_TRANSFORMS_KERNELIZE_PASSES
