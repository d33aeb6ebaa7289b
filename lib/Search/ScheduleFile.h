// The file of schedules that search found: transform scripts with the kernels that they are for.
#ifndef TINY_LIB_SEARCH_SCHEDULEFILE_H
#define TINY_LIB_SEARCH_SCHEDULEFILE_H

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Schedule/Steps/SchedulePlan.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// What is known of a schedule that was measured.
struct ScheduleNumbers {
  uint64_t defaultNanoseconds = 0, nanoseconds = 0;
  unsigned threads = 1;
};

/// The scripts of a file. `kernel-impose-schedules` and `tensor-impose-winograd` read it.
class ScheduleFile {
public:
  /// Reads the file if there is one; else there are no scripts yet.
  static llvm::Expected<ScheduleFile> open(llvm::StringRef path, mlir::MLIRContext *context);

  /// Gives the kernel a schedule, in the place of one that the file had for such a kernel and record, or for its name.
  void set(kernel::FuncOp kernel, llvm::ArrayRef<kernel::ScheduleStep> steps, const ScheduleNumbers &numbers);

  /// Takes back what `set` gave the kernel: the file has for it what it had when it was opened.
  void drop(kernel::FuncOp kernel);

  /// Says that such convolutions are computed by tiles, in the place of what the file said of them.
  void setWinograd(tensor::ConvOp conv, llvm::ArrayRef<int64_t> tiles, const ScheduleNumbers &numbers);

  /// An error where the file could not be written, which is better known before a search.
  llvm::Error checkWritable() const;

  /// Writes the file anew, whole or not at all. A file without scripts is removed.
  llvm::Error write() const;

private:
  void insert(mlir::transform::NamedSequenceOp script, llvm::StringRef keyName, llvm::StringRef key,
              mlir::Operation *device, const ScheduleNumbers &numbers);

  std::string path;
  mlir::OwningOpRef<mlir::ModuleOp> module, opened;
};

} // namespace tiny

#endif // TINY_LIB_SEARCH_SCHEDULEFILE_H
