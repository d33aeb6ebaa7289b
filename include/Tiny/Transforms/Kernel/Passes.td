// Verbs that stay on the kernel level.
#ifndef TINY_TRANSFORMS_KERNEL_PASSES
#define TINY_TRANSFORMS_KERNEL_PASSES

include "mlir/Pass/PassBase.td"

def VerifyKernel : Pass<"verify-kernel", "::mlir::ModuleOp"> {
  let summary = "Reject whatever does not belong on the kernel level";
  let description = [{
    The gate after `convert-lazy-to-kernel`. It changes nothing. What passes it:

    - (gate_c1) at the top `kernel.program` and `kernel.func`, and nested modules, which have rules of their own;
    - (gate_c2) in a program items of this dialect, in a kernel this dialect, `arith`, `math`, `sym` and whatever else
      is elementwise and without effects;
    - (gate_c3) in a kernel scalars: signless integers, floats and indices; and the tiles of stages;
    - (gate_c4) accesses without a gate that stay inside their buffer, as far as the bounds of the index say: an index
      that is linear in the ranges is decided exactly, any other one is an offence only where all of it lies outside.

    Every offence is reported, with its location.
  }];
}

def KernelOrderLaunches : Pass<"kernel-order-launches", "::tiny::kernel::ProgramOp"> {
  let summary = "Order a program's items so that its temporaries take less memory";
  let description = [{
    Launches, copies and fills keep the order of what they read and write: a read stands behind the write before it, a
    write behind the reads and writes before it, buffer by buffer. Of the orders that are left the one is taken in which
    the temporaries that are live at the same time take least, among the order as it stands and those of two heuristics (see
    MemoryOrder.h); at equal peaks the order stays. Allocations, constants and aliases go where they are first needed.
    Buffers that the program returns are not temporaries: they are there for the whole run.

    A remark says what the peak was, what it is, and below which no order gets.
  }];
}

def KernelDeduplicate : Pass<"kernel-deduplicate", "::mlir::ModuleOp"> {
  let summary = "Make one kernel of those that are the same";
  let description = [{
    Layers of a model are often the same but for their buffers, and so are their kernels: the first one takes over the
    launches of all private kernels that differ from it in nothing but their name, and is compiled once. Its location is
    that of all of them. A kernel that something else than a launch names stays.

    ```mlir
    kernel.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    kernel.launch @exp_0 ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
    // becomes
    kernel.launch @exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
    kernel.launch @exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
    ```
  }];
  let statistics = [Statistic<"erased", "erased", "Kernels that were the same as another one">];
}

#endif // TINY_TRANSFORMS_KERNEL_PASSES
