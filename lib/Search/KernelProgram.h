// One kernel as a program of its own, and the compilation of many such programs at once.
#ifndef TINY_LIB_SEARCH_KERNELPROGRAM_H
#define TINY_LIB_SEARCH_KERNELPROGRAM_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"
#include "mlir/IR/MLIRContext.h"

namespace tiny {

/// The kernel with a schedule, as a detached script; null if the kernel does not take the steps.
mlir::transform::NamedSequenceOp writeScript(kernel::FuncOp kernel, llvm::ArrayRef<kernel::ScheduleStep> steps);

/// What programs that search compiles are called.
constexpr llvm::StringLiteral kSearchProgram = "tiny_tune";

/// The text of a program that launches the kernel once, as `launch` does: what the kernel reads are its arguments, what
/// it writes its results. The kernel has the schedule of the steps.
std::string writeKernelProgram(kernel::FuncOp kernel, kernel::LaunchOp launch,
                               llvm::ArrayRef<kernel::ScheduleStep> steps);

/// Compiles programs side by side, each worker in a context of its own.
class CompilePool {
public:
  CompilePool(llvm::StringRef target, unsigned workers);
  ~CompilePool();

  /// The containers of the programs; an empty one where a program does not compile, or nobody waits for it.
  std::vector<std::string> compile(llvm::ArrayRef<std::string> programs, llvm::function_ref<bool()> isOver);

private:
  std::string target;
  std::vector<std::unique_ptr<mlir::MLIRContext>> contexts;
};

} // namespace tiny

#endif // TINY_LIB_SEARCH_KERNELPROGRAM_H
