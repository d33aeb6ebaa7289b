// How kernels get their schedules: by policy, by hand, and by running the scripts.
#ifndef TINY_SCHEDULE_PASSES
#define TINY_SCHEDULE_PASSES

include "mlir/Pass/PassBase.td"

def KernelDefaultSchedule : Pass<"kernel-default-schedule", "::mlir::ModuleOp"> {
  let summary = "Write a transform script for each kernel that has none";
  let description = [{
    Before: kernels without a schedule, as `convert-lazy-to-kernel` leaves them. After: each kernel that the pass can
    improve names a script of its own name, a `transform.named_sequence` in the nested module `@schedules`. No kernel
    has changed; `kernel-apply-schedules` runs the scripts. Kernels that name a script already keep it.

    A product gets a tile of registers, and a reduction that keeps a tile of accumulators has these as copies. All other
    kernels get the loops, lanes and copies that are predicted to cost least. At last the pass cuts a large kernel into
    parts for threads. Where the record is a GPU's, it makes workgroups and lanes of free axes instead. Lanes, registers,
    caches and cores are those of the module's record. docs/Scheduling.md says how, docs/Performance.md has figures. A
    remark says which steps a kernel got.

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
    Option<"tile", "tile", "::tiny::Bounded<1, 4096>", "8", "Most accumulators beside each other; 1 for none">,
  ];
  let dependentDialects = ["::mlir::transform::TransformDialect"];
}

def KernelSpecializeSizes : Pass<"kernel-specialize-sizes", "::mlir::ModuleOp"> {
  let summary = "Make kernels of their own for sizes at which one schedule would be slow";
  let description = [{
    Before: launches of kernels with open sizes. After: where the schedule that a kernel gets at its greatest sizes is
    predicted to take more than 1.1 times as long at smaller ones as the schedule that these would get, the launch
    stands in `kernel.if` of the sizes, beside launches of clones with narrower bounds. The passes behind choose a
    schedule for each. Tiles keep their extents. Kernels for GPUs stay as they are.

    A remark says which sizes a kernel is for, and how much slower the one schedule would have been.

    ```mlir
    kernel.launch @at_most ins(%sizes : memref<1xi64>) outs(%few : memref<1xi1>)
    kernel.if %few {
      kernel.launch @matmul_upto_8 ...
    } else {
      kernel.launch @matmul ...
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def KernelImposeSchedules : Pass<"kernel-impose-schedules", "::mlir::ModuleOp"> {
  let summary = "Take schedules from a file of transform scripts";
  let description = [{
    Reads a module of named sequences from `file`, and gives each to the kernel of the same name, in place of the
    schedule that the kernel names. A file that does not parse is an error, and so is a sequence without a kernel of its
    name.

    A sequence with an attribute `kernel_key`, as `tiny-tune` writes it, is for all kernels of that structure, whatever
    their names, and where it has a `record_key` only for that record. If there is no such kernel it has no effect. If a
    kernel refuses one of its steps a remark says so, and the kernel keeps what it has.
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
