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
      that is linear in the ranges is decided exactly, any other one is an offence only where all of it lies outside;
    - (gate_c5) in a list, for each async collective a wait, and before that nothing that touches its target or writes
      its source.

    Every offence is reported, with its location.
  }];
}

def KernelOrderLaunches : Pass<"kernel-order-launches", "::tiny::kernel::ProgramOp"> {
  let summary = "Order a program's items so that its temporaries take less memory";
  let description = [{
    Reorders the launches, copies and fills of a program so that temporaries which are live at the same time take less
    memory. Reads and writes of one buffer keep their order. The candidates are the present order and those of two
    heuristics (MemoryOrder.h); the lowest peak wins, and the present order stays at equal peaks. Allocations, constants
    and aliases move to their first use. A buffer that the program returns is no temporary.

    A remark gives the peak before and after, and a lower bound for any order.
  }];
}

def KernelPlaceStages : Pass<"kernel-place-stages", "::tiny::kernel::ProgramOp"> {
  let summary = "Let each stage of a pipeline run its own items of a program";
  let description = [{
    Before: the program of one rank whose ranks are stages along one axis of the grid (`tiny.stage_axis`), with messages
    between them. A program without stages stays as it is.

    After: `tiny.places` on an item names the stages that run it: those which need what it writes, for a message, a
    result, or another item. Loops with collectives run everywhere. Items stand in one order for all ranks, in which a
    stage takes what it can begin first, by predicted times. So no two ranks wait for each other, and microbatches
    follow each other through the stages.

    ```mlir
    kernel.launch @first ins(%x : memref<8xf32>) outs(%y : memref<8xf32>) {tiny.places = array<i64: 0>}
    kernel.collective "send" %y, %z grid [2] axes [0] peers [0, 1] : memref<8xf32>, memref<8xf32>
    kernel.launch @second ins(%z : memref<8xf32>) outs(%r : memref<8xf32>) {tiny.places = array<i64: 1>}
    ```
  }];
  let statistics = [Statistic<"numPlaced", "num-placed", "Number of items that some stages pass over">];
}

def KernelFuseCollectives : Pass<"kernel-fuse-collectives", "::tiny::kernel::ProgramOp"> {
  let summary = "Make one collective of small ones";
  let description = [{
    All-reduces, and broadcasts, of one list become one where they have the same group, reduction, element type and
    stages, where none waits for another, and where their buffers are allocations of the program that it does not
    return. The buffers become parts of one, so nothing is copied. Ranks send as many bytes as before, in fewer
    messages.

    Together they have at most `max-bytes`. By default that is what a rank sends within the latency of a message among
    those ranks, by the record's network: above it bytes count, not messages. Without a network it is 64 KiB.

    ```mlir
    kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" : memref<8xf32>, memref<8xf32>
    kernel.collective "all_reduce" %c, %d grid [2] axes [0] by "sum" : memref<4xf32>, memref<4xf32>
    // becomes
    kernel.collective "all_reduce" %ac, %bd grid [2] axes [0] by "sum" : memref<12xf32>, memref<12xf32>
    ```
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "-1", "Most bytes of a fused collective; 0 fuses none">];
  let statistics = [Statistic<"numFused", "num-fused", "Number of collectives that became part of another one">];
}

def KernelOverlapCollectives : Pass<"kernel-overlap-collectives", "::tiny::kernel::ProgramOp"> {
  let summary = "Let collectives run beside kernels that do not need them";
  let description = [{
    Before: lists of items without `kernel.wait`; a list with one stays as it is.

    After: a collective begins as soon as what it needs is there (`async`), and a `kernel.wait` stands in front of the
    first item that needs it, where a kernel stands between. With a network in the record items are ordered in time: of
    those that can begin first the earlier one comes next, on a clock that predicts exchanges by the record, and
    kernels as fast as no schedule can beat. Without a network, and in programs of stages, only collectives move.
    Messages stay: their sender does not wait anyway.

    ```mlir
    kernel.collective "all_reduce" %a, %b grid [2] axes [0] by "sum" async : memref<8xf32>, memref<8xf32>
    kernel.launch @other ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    kernel.wait %a, %b : memref<8xf32>, memref<8xf32>
    kernel.launch @update ins(%b : memref<8xf32>) outs(%w : memref<8xf32>)
    ```
  }];
  let statistics = [Statistic<"numOverlapped", "num-overlapped", "Number of collectives that run beside kernels">];
}

def KernelCopyBetweenDevices : Pass<"kernel-copy-between-devices", "::mlir::ModuleOp"> {
  let summary = "Copy what a kernel needs from another device, as items";
  let description = [{
    Before: a kernel says by `device` where it runs; without, that is the first of the option's.

    After: the program has `devices`, each buffer lies on one, and each launch takes buffers of its kernel's. Arguments
    lie on the first, an allocation where the first kernel that writes it runs. For a kernel elsewhere there is a second
    allocation; `kernel.copy` fills it in front of the launch where it is not up to date, and brings back what the kernel
    writes. What a loop does not write is copied in front of the loop, and a constant where it stands, so that the copy
    is part of the preparation.

    ```mlir
    kernel.launch @first ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    kernel.launch @second ins(%y : memref<8xf32>) outs(%z : memref<8xf32>)
    // with @second on "cpu", and the other one on the first device, becomes
    %y_0 = kernel.alloc on "cpu" : memref<8xf32>
    kernel.launch @first ins(%x : memref<8xf32>) outs(%y : memref<8xf32>)
    kernel.copy %y, %y_0 : memref<8xf32>
    kernel.launch @second ins(%y_0 : memref<8xf32>) outs(%z : memref<8xf32>)
    ```
  }];
  let options = [ListOption<"devices", "devices", "std::string", "The devices by name; without any, nothing changes">];
  let statistics = [Statistic<"numCopies", "num-copies", "Number of copies between devices">];
}

def KernelDeduplicate : Pass<"kernel-deduplicate", "::mlir::ModuleOp"> {
  let summary = "Make one kernel of those that are the same";
  let description = [{
    Private kernels that differ in nothing but their names become one: the first takes over all launches, and its
    location fuses those of all. So the layers of a model, which differ in their buffers only, are scheduled and
    compiled once. A kernel that anything but a launch refers to stays.

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

def KernelJoinInstances : Pass<"kernel-join-instances", "::mlir::ModuleOp"> {
  let summary = "Make one program for all sizes of instances at some of them";
  let description = [{
    A program with open dimensions comes down the ladder as static instances: modules in a module whose `tiny.sizes`
    gives the bounds. Most must be the same but for numbers. Each number that differs follows a polynomial of the sizes
    (a float also a part of one, one over it, or a root), which one instance more checks. It becomes arithmetic on the
    sizes, which kernels read from a buffer; a range gets a live `size`. Buffers have room for the greatest sizes, and
    are dense at those of the run.

    A result with `tiny.size`, a size that is data, is copied to that buffer, in front of what reads it.

    Indices that are no data are bounded at the least and greatest sizes. One outside of what is live of its buffer is an
    error, as is whatever else differs. A module without `tiny.sizes` stays as it is.
  }];
}

def KernelPrepareStages : Pass<"kernel-prepare-stages", "::mlir::ModuleOp"> {
  let summary = "Make tiles of constants once, in kernels of their own";
  let description = [{
    Before: schedules are applied. A stage in `local` space that is computed from constants alone, in every launch of its
    private kernel, packs the same tiles in each run.

    After: a kernel of its own writes all of its tiles, one behind the other, to a buffer that the first kernel reads in
    place of the stage. It depends on constants alone, so the runtime launches it in the first run and keeps what it
    writes (docs/Runtime.md). Tiles that take more than a quarter more bytes than what they are made of stay stages:
    weights that are unpacked in registers are not unpacked in memory.

    ```mlir
    %w = kernel.constant dense_resource<w> : tensor<4096xf32>
    kernel.launch @matmul ins(%x, %w : memref<512xf32>, memref<4096xf32>) outs(%y : memref<512xf32>)
    // becomes
    %p = kernel.alloc : memref<4096xf32>
    kernel.launch @matmul_prepare ins(%w : memref<4096xf32>) outs(%p : memref<4096xf32>)
    kernel.launch @matmul ins(%x, %w, %p : memref<512xf32>, memref<4096xf32>, memref<4096xf32>) outs(%y : memref<512xf32>)
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", "int64_t(1) << 32", "Most bytes of all tiles; what is beyond stays stages">];
  let statistics = [Statistic<"numPrepared", "num-prepared", "Number of stages that became kernels of their own">];
}

def KernelTruncateFactors : Pass<"kernel-truncate-factors", "::tiny::kernel::FuncOp"> {
  let summary = "Multiply matrices of f32 by their upper 19 bits (tf32)";
  let description = [{
    Before: no schedules are chosen. Sums of products of two f32, each of which is multiplied by several of the other,
    may be reordered.

    After, where the device's record has products of `tf32`: factors of these sums are cut to the sign, the exponent and
    10 bits behind the point, by a mask. Products of two such numbers are exact in f32. A schedule may give them to the
    device's instruction, which reads no other bits. Results differ by up to 2^-9 of each product, so pipelines run
    this pass on request only.

    ```mlir
    %p = arith.mulf %x, %y : f32
    // becomes, with the same of %y
    %b = arith.bitcast %x : f32 to i32
    %u = arith.andi %b, %c-8192_i32 : i32
    %t = arith.bitcast %u : i32 to f32
    %p = arith.mulf %t, %t_0 : f32
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [Statistic<"numTruncated", "num-truncated", "Number of products whose factors were truncated">];
}

def KernelPredict : Pass<"kernel-predict", "::mlir::ModuleOp"> {
  let summary = "Print how long each kernel should take, and why";
  let description = [{
    Changes nothing. Predicts the time of each kernel, as its axes stand, from the module's record
    (`include/Tiny/Algebra/Cost/Nest.h`), and prints it to standard error: first the whole, then for each pass over the
    data its time, and the terms: the longest counts, and a quarter of the others. `compute` is all operations,
    `latency` the longest chain of additions, `control` the loops themselves, `cache 1` what is loaded, and each further
    level what the one before it lacks. All times are nanoseconds of one core. Run it behind `kernel-apply-schedules`;
    before, it predicts plain loops.

    ```text
    matmul: 5211.4 ns, of which 100 to launch
      pass 5011.4: compute 4681.1, latency 1170.3, cache 1 5011.4, cache 2 890.2, cache 3 546.1, memory 1310.7
    ```
  }];
}

#endif // TINY_TRANSFORMS_KERNEL_PASSES
