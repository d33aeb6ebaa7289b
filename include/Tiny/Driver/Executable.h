// From a module to something that runs: what lies between is all of the compiler and all of the runtime.
#ifndef TINY_DRIVER_EXECUTABLE_H
#define TINY_DRIVER_EXECUTABLE_H

#include "Tiny/Pipelines/Pipelines.h"
#include "Tiny/Runtime/Runtime.h"
#include "Tiny/Support/Npy.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace tiny {

/// The device whose kernels are machine code.
constexpr llvm::StringLiteral kCpuDevice = "cpu";

/// An argument or a result of a program.
struct Parameter {
  /// What the program calls it: `tiny.name`, else `arg0`, `result0`.
  std::string name;
  mlir::RankedTensorType type;
};

struct CompileOptions {
  /// The device it is to run on; see `tiny_device_name_at`.
  std::string device = "cpu";
  /// The program to run. Empty: `main`, or the only one that there is.
  std::string function;
  /// Options of the pipelines as text, such as `fusion=none schedules=mine.mlir`. May be empty.
  std::string pipeline;
  /// On how many threads the device runs kernels; 0 leaves it as it is. It stays so for later programs.
  unsigned threads = 0;
  /// LLVM's name of the processor to compile for, which this machine must be able to play; empty for itself.
  std::string processor;
  /// What the pass manager is set up with beside the pipeline, such as printing. May be empty.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;
  /// Whether to note what each kernel moves and computes.
  bool countWork = false;
  /// Where not null, and on the device "cpu", the executable as bytes for `Executable::load` is put there.
  std::string *image = nullptr;
  /// Where passes, code generation and loading report their time. May be null.
  mlir::TimingScope *timing = nullptr;
};

/// What one launch of a kernel does.
struct KernelWork {
  /// Sizes of its buffers: what moves when each element is read or written once.
  uint64_t bytes = 0;
  /// Scalar operations on data, as `uop-count-operations` counts them.
  uint64_t operations = 0;
};

/// What one run gave.
struct RunResult {
  std::vector<HostTensor> tensors;
  /// Wall time on the device, in seconds.
  double seconds = 0;
};

/// A compiled program on a device. Runs may overlap in time.
class Executable {
public:
  /// Lowers the module from its level to the device's kernels, in place, and loads them. The context must outlive the
  /// executable. Errors are one line: the place in a file where there is one, and what is wrong.
  static llvm::Expected<std::unique_ptr<Executable>> compile(mlir::ModuleOp module, const CompileOptions &options);
  /// The same from an image that the same build of the compiler made on a machine like this, on the device "cpu". The
  /// error is for a programmer: an image that does not load is best made anew.
  static llvm::Expected<std::unique_ptr<Executable>> load(std::unique_ptr<llvm::MemoryBuffer> image,
                                                          mlir::MLIRContext *context, unsigned threads = 0,
                                                          mlir::TimingScope *timing = nullptr);
  ~Executable();

  llvm::ArrayRef<Parameter> getInputs() const { return inputs; }
  llvm::ArrayRef<Parameter> getResults() const { return results; }

  /// Runs it on one tensor per input, which must have the input's type (see `checkInput`) and are read in place.
  /// `options` go to the runtime, and have no meaning to the interpreter.
  llvm::Expected<RunResult> run(llvm::ArrayRef<const HostTensor *> arguments,
                                const tiny_run_options *options = nullptr) const;
  /// The same into tensors that exist: one per result, of its type. Where a result aliases an argument the tensor takes
  /// its elements first, unless it is the argument's own: then the state is updated where it is, without a copy.
  llvm::Error run(llvm::ArrayRef<const HostTensor *> arguments, std::vector<HostTensor> &tensors,
                  const tiny_run_options *options = nullptr) const;

  /// On how many threads it runs; 1 on the interpreter.
  unsigned getThreads() const;

  /// By kernel; empty unless the options asked for it, and for programs that began below the uop level.
  const llvm::StringMap<KernelWork> &getKernelWork() const;

  /// The memory that a run takes; none on the interpreter.
  std::optional<tiny_memory_plan> getMemoryPlan() const;

private:
  Executable();
  llvm::Error describe(mlir::FunctionOpInterface program);
  llvm::Error loadHost(mlir::ModuleOp module, mlir::TimingScope *timing);
  llvm::Error runOnDevice(llvm::ArrayRef<const HostTensor *> arguments, std::vector<HostTensor> &tensors,
                          const tiny_run_options *options) const;

  std::vector<Parameter> inputs, results;
  struct Loaded;
  std::unique_ptr<Loaded> loaded;
};

/// The arguments or the results of a program (see `findProgram`) at any level.
std::vector<Parameter> getInputs(mlir::FunctionOpInterface program);
std::vector<Parameter> getResults(mlir::FunctionOpInterface program);

/// Leaves the program and what it refers to in the module: other functions need not be compiled, nor be fit for it.
void dropOtherPrograms(mlir::ModuleOp module, mlir::FunctionOpInterface program);

/// Sets what the processor has (LLVM's name; empty for the host), and then what the text says.
llvm::Error setPipelineOptions(PipelineOptions &options, llvm::StringRef text, llvm::StringRef processor = "");

/// The program of this name; if the name is empty `main`, or the only one that there is. The error lists what there is.
llvm::Expected<mlir::FunctionOpInterface> findProgram(mlir::ModuleOp module, llvm::StringRef name);

/// The tensor as its builtin type, for messages: `tensor<2x3xf32>`.
std::string formatType(const HostTensor &tensor);
std::string formatType(mlir::Type type);

/// Whether the tensor has the input's element type and shape. The message names the input and both types.
llvm::Error checkInput(const Parameter &input, const HostTensor &tensor);

} // namespace tiny

#endif // TINY_DRIVER_EXECUTABLE_H
