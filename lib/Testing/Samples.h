// Programs on random inputs: drawing them, and comparing what programs give before and after a pass.
#ifndef TINY_LIB_TESTING_SAMPLES_H
#define TINY_LIB_TESTING_SAMPLES_H

#include "Tiny/Testing/CheckPasses.h"

namespace tiny::reference {

/// Inputs of one program, and its results after the last pass.
struct Sample {
  llvm::SmallVector<HostTensor> inputs, results;
  llvm::StringRef kind; ///< what is special about the inputs: "", or " with ..."
  bool isExtreme = false;
};

/// What one program is compared on.
struct Baseline {
  llvm::SmallVector<Sample, 3> samples;
  /// Operations on elements that one evaluation took.
  uint64_t steps = 0;
};

/// What is said of a program, and where.
struct Statement {
  mlir::Location location;
  std::string message;
  /// Of another operation that it is about, too.
  std::optional<mlir::Location> other = std::nullopt;
};

/// Draws the inputs of a function and evaluates it; or says why that cannot be. Integers stay away from zero where the
/// program would divide by one.
mlir::FailureOr<Baseline> drawBaseline(mlir::ModuleOp module, mlir::FunctionOpInterface function,
                                       const CheckPassesOptions &options, std::optional<Statement> &whyNot);

/// What one comparison came to.
struct Comparison {
  enum class Kind { Same, Different, NotEvaluated } kind;
  std::optional<Statement> statement; ///< of all but Same, without the name of the pass
  llvm::SmallVector<HostTensor> results = {};
};

/// Evaluates a function on a sample's inputs and compares with its results. Zeros of different signs are the same where
/// `ignoresSigns`.
Comparison compareSample(mlir::ModuleOp module, mlir::FunctionOpInterface function, const Sample &sample,
                         bool ignoresSigns, const CheckPassesOptions &options);

/// Whether an operation of the module has one of these fast-math flags.
bool hasFlags(mlir::ModuleOp module, mlir::arith::FastMathFlags flags);

/// Whether a sample says something of a module: not with special numbers where operations may assume that there are
/// none, nor with extreme ones where sums and products may be taken in another order and overflow there.
bool fits(const Sample &sample, mlir::ModuleOp module);

} // namespace tiny::reference

#endif // TINY_LIB_TESTING_SAMPLES_H
