// The reference interpreter: what a program means, at every level.
//
// It evaluates functions of `tiny` operations, graphs of `lazy`, programs of `kernel` (with their kernels at the kernel
// or the uop level), and single kernels. It shares no code with the conversions: each level is evaluated by its own
// definition, so that equality before and after a pass says something.
#ifndef TINY_REFERENCE_INTERPRETER_H
#define TINY_REFERENCE_INTERPRETER_H

#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/Signature.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace tiny::reference {

/// Limits, so that nothing hangs.
struct InterpreterOptions {
  /// Operations on elements before evaluation gives up.
  uint64_t maxSteps = uint64_t(1) << 36;
  /// Bytes of all values that are held at once.
  uint64_t maxBytes = uint64_t(1) << 32;
};

/// Why a program has no result.
struct InterpreterError {
  enum class Kind {
    Unsupported, ///< an operation or a type that the interpreter does not know
    Inputs,      ///< the inputs are not what the program takes, or there is no such program
    Undefined,   ///< the program does what has no meaning, such as an access outside a buffer
    Limit,       ///< `maxSteps` or `maxBytes` is reached
  };
  Kind kind;
  mlir::Location location;
  std::string message;
  /// Another operation that takes part in it, as in a race.
  std::optional<mlir::Location> other = std::nullopt;
};

/// What an evaluation gives: results, or an error.
struct Evaluated {
  llvm::SmallVector<HostTensor> results;
  std::optional<InterpreterError> error;
  /// An integer was divided by zero on the way. The interpreter goes on with 0, devices may do anything.
  bool dividedByZero = false;
  /// Operations on elements that it took.
  uint64_t steps = 0;
};

/// Evaluates a function of the module on inputs of its tensor-level types. A kernel (`kernel.func`, `uop.func`) takes
/// the contents of all its buffers and gives what they hold afterwards. Reports nothing.
Evaluated evaluate(mlir::ModuleOp module, llvm::StringRef program, llvm::ArrayRef<HostTensor> inputs,
                   const InterpreterOptions &options = {});

/// The same, with the error reported at its operation.
mlir::FailureOr<llvm::SmallVector<HostTensor>> interpret(mlir::ModuleOp module, llvm::StringRef program,
                                                         llvm::ArrayRef<HostTensor> inputs,
                                                         const InterpreterOptions &options = {});

/// The functions of a module that can be evaluated by themselves: its programs, and kernels that no program launches.
llvm::SmallVector<mlir::FunctionOpInterface> getEvaluable(mlir::ModuleOp module);

/// What `evaluate` takes and gives for a function: its signature, and for a kernel all its buffers as results too.
mlir::FailureOr<Signature> getEvaluationSignature(mlir::FunctionOpInterface function);

/// Prints a tensor as `tensor<2x2xf32> [[1, 2], [3, 4]]`; of more than `maxElements` elements only the first ones.
void printTensor(llvm::raw_ostream &os, const HostTensor &tensor, int64_t maxElements = 1 << 16);

/// Evaluates and prints `name result 0: tensor<...> [...]`, one line for each result.
mlir::LogicalResult interpretAndPrint(mlir::ModuleOp module, llvm::StringRef program, llvm::ArrayRef<HostTensor> inputs,
                                      llvm::raw_ostream &os, const InterpreterOptions &options = {});

} // namespace tiny::reference

#endif // TINY_REFERENCE_INTERPRETER_H
