// A program that runs: from a container to results.
#ifndef TINY_DRIVER_EXECUTABLE_H
#define TINY_DRIVER_EXECUTABLE_H

#include "Tiny/Driver/CompileProgram.h"
#include "Tiny/Files/Inputs.h"
#include "Tiny/Runtime/Runtime.h"
#include "Tiny/Support/Npy.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include <memory>

namespace tiny {

/// The device that is no device: the interpreter, which defines what a program means.
constexpr llvm::StringLiteral kReferenceDevice = "reference";

/// An argument or a result of a program.
struct Parameter {
  /// What the program calls it: `tiny.name`, else `arg0`, `result0`.
  std::string name;
  /// At the greatest sizes, where the shape depends on sizes.
  mlir::RankedTensorType type;
  files::LiveShape live = {};
};

/// The tensors that texts such as `x=x.npy` or `random:1` give for the inputs; see `files::readInputs`.
llvm::Expected<std::vector<HostTensor>> readInputs(llvm::ArrayRef<std::string> texts, llvm::ArrayRef<Parameter> inputs,
                                                   files::SizeRequest *sizes = nullptr);

/// What one run gave.
struct RunResult {
  std::vector<HostTensor> tensors;
  /// Wall time on the device, in seconds.
  double seconds = 0;
};

/// Where a container comes from, which says where its files of constants may be.
struct ContainerOrigin {
  /// Its folder; empty for the current one.
  std::string folder;
  /// Whether this machine wrote it, as its cache does: then files may be anywhere.
  bool isOwn = false;
  /// Whether to check the bytes of constants, too, which reads all of them.
  bool checkConstants = false;
};

/// A program on a device of the runtime, or in the interpreter. Runs may overlap in time. One of many ranks takes whole
/// tensors, of which each rank has its part, and gives them: ranks are threads, or under `mpirun` processes that all
/// call it alike.
class Executable {
public:
  /// Loads a container on the device, by its name in the runtime (see `tiny_device_name_at`); empty means the default
  /// target's. `threads` says on how many the device runs kernels; 0 leaves it as it is. It stays so for later
  /// programs. Types are made in the context, which must outlive the executable.
  static llvm::Expected<std::unique_ptr<Executable>> load(std::unique_ptr<llvm::MemoryBuffer> container,
                                                          mlir::MLIRContext *context, llvm::StringRef device = "",
                                                          unsigned threads = 0, const ContainerOrigin &origin = {});
  /// The same from a copy of the bytes.
  static llvm::Expected<std::unique_ptr<Executable>> load(llvm::StringRef container, mlir::MLIRContext *context,
                                                          llvm::StringRef device = "", unsigned threads = 0,
                                                          const ContainerOrigin &origin = {});
  /// The program of this name (see `findProgram`) on the interpreter, at whatever level it stands.
  static llvm::Expected<std::unique_ptr<Executable>> interpret(mlir::ModuleOp module, llvm::StringRef function = "");
  /// Compiles for the target, without one for the device's, and loads what comes of it. Lowers the module in place.
  /// Constants stay in their files, whatever the options say.
  static llvm::Expected<std::unique_ptr<Executable>> compile(mlir::ModuleOp module, const CompileOptions &options,
                                                             llvm::StringRef device = "", unsigned threads = 0);
  /// The error that `load` would give because of the device or its threads.
  static llvm::Error checkDevice(llvm::StringRef device, unsigned threads);
  /// On how many threads a program would run there, with that error.
  static llvm::Expected<unsigned> countThreads(llvm::StringRef device, unsigned threads);
  ~Executable();

  llvm::ArrayRef<Parameter> getInputs() const { return inputs; }
  llvm::ArrayRef<Parameter> getResults() const { return results; }
  /// The sizes that are known when it runs.
  llvm::ArrayRef<files::Size> getSizes() const { return sizes; }

  /// The sizes that arguments of these shapes have; the message names the argument and the dimension that does not fit.
  /// None on the interpreter, which finds them itself.
  llvm::Expected<std::vector<int64_t>> findSizes(llvm::ArrayRef<const HostTensor *> arguments) const;

  /// Zeros of a result's type at these sizes, by default the greatest. An error where the machine's memory is too small
  /// for it and `others`, in bytes.
  llvm::Expected<HostTensor> makeResult(unsigned index, uint64_t others = 0, llvm::ArrayRef<int64_t> at = {}) const;

  /// Runs it on one tensor per input, which must have the input's type (see `checkInput`) and are read in place.
  /// `options` go to the runtime, and have no meaning to the interpreter.
  llvm::Expected<RunResult> run(llvm::ArrayRef<const HostTensor *> arguments,
                                const tiny_run_options *options = nullptr) const;
  /// The same into tensors that exist: one per result, of its type at the arguments' sizes. Where a result aliases an
  /// argument the tensor takes its elements first, unless it is the argument's own: then the state is updated where it
  /// is, without a copy. `known` is what `findSizes` gives for the arguments, where the caller has it.
  llvm::Error run(llvm::ArrayRef<const HostTensor *> arguments, std::vector<HostTensor> &tensors,
                  const tiny_run_options *options = nullptr,
                  std::optional<llvm::ArrayRef<int64_t>> known = std::nullopt) const;

  /// The same on memory of the caller's, without a copy: the row-major elements of one tensor each, at a multiple of 8
  /// bytes. The sizes of the run, if there are any, are in the options. A span that is not as long as its tensor, or
  /// not aligned, is an error that names the parameter. The interpreter copies.
  llvm::Error runOn(llvm::ArrayRef<llvm::ArrayRef<char>> arguments, llvm::ArrayRef<llvm::MutableArrayRef<char>> results,
                    const tiny_run_options *options = nullptr) const;

  /// Whether it is one of many ranks.
  bool hasRanks() const;

  /// On how many threads it runs; 1 on the interpreter.
  unsigned getThreads() const;

  /// By kernel; empty unless it was asked for when the program was compiled, and for programs that began below the uop
  /// level.
  const WorkByKernel &getKernelWork() const;

  /// The memory that a run takes; none on the interpreter.
  std::optional<tiny_memory_plan> getMemoryPlan() const;
  /// What lies in its arena, and when; nothing on the interpreter.
  std::vector<tiny_temporary> getTemporaries() const;

  /// The error that a run takes more than this machine's memory, before it takes any.
  llvm::Error checkFits() const;

private:
  Executable();
  bool hasComputedSizes() const;
  /// Gives results the shapes that they have at these sizes.
  llvm::Error resizeResults(std::vector<HostTensor> &tensors, llvm::ArrayRef<int64_t> at) const;
  /// The program of all ranks, or of the one whose communicator the options have.
  llvm::Error runOnDevice(llvm::ArrayRef<llvm::ArrayRef<char>> arguments,
                          llvm::ArrayRef<llvm::MutableArrayRef<char>> results, const tiny_run_options *options) const;
  llvm::Error runAlone(llvm::ArrayRef<llvm::ArrayRef<char>> arguments,
                       llvm::ArrayRef<llvm::MutableArrayRef<char>> results, const tiny_run_options *options) const;

  std::vector<Parameter> inputs, results;
  std::vector<files::Size> sizes;
  struct Loaded;
  std::unique_ptr<Loaded> loaded;
};

/// The arguments or the results of a program (see `findProgram`) at any level.
std::vector<Parameter> getInputs(mlir::FunctionOpInterface program);
std::vector<Parameter> getResults(mlir::FunctionOpInterface program);
/// The sizes that a program knows when it runs.
std::vector<files::Size> getSizes(mlir::FunctionOpInterface program);

/// The type as text, for messages.
std::string formatType(mlir::Type type);

/// Whether the tensor has the input's element type and shape; where the shape depends on sizes, its rank. The message
/// names the input and both types.
llvm::Error checkInput(const Parameter &input, const HostTensor &tensor);

} // namespace tiny

#endif // TINY_DRIVER_EXECUTABLE_H
