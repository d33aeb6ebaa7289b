// Loops and branches as operations with bodies, for handlers that translate a body once.
#ifndef TINY_LIB_IMPORT_ONNX_LOOPBUILDER_H
#define TINY_LIB_IMPORT_ONNX_LOOPBUILDER_H

#include "Node.h"

#include "mlir/IR/Diagnostics.h"

namespace tiny::onnximport {

/// Fewer iterations than this stand one behind the other: they fuse.
constexpr int64_t kFewestIterations = 5;

/// What an iteration gives: whether there is a next one, null where there always is; what the next one begins with; and
/// rows.
struct Iteration {
  Value condition;
  llvm::SmallVector<Value> next, rows;
};

/// A tiny.loop whose body `build` makes of the iteration's number, one i64, and what is carried. `limit` and
/// `condition` may be null. Gives the operation's results, the last of which is how many iterations there were; nothing
/// after an error.
Values createLoop(Node &node, int64_t most, Value limit, Value condition, llvm::ArrayRef<Value> carried,
                  llvm::function_ref<std::optional<Iteration>(Value number, mlir::ValueRange carried)> build);

/// A tiny.if whose bodies these make; nothing after an error. Where their results have other extents, an extent is a
/// size that is data.
Values createBranch(Node &node, Value condition, llvm::function_ref<std::optional<llvm::SmallVector<Value>>()> build,
                    llvm::function_ref<std::optional<llvm::SmallVector<Value>>()> otherwise);

/// The slice of an axis that `index`, one integer, says when the model runs, without that axis.
Value takeAt(Node &node, Value value, int64_t axis, Value index);

/// One way to translate a node, whose errors count only where no other way is left.
class Attempt {
public:
  /// Tries it; whether it went well.
  Attempt(Node &node, llvm::function_ref<Values()> translate);
  bool hasSucceeded() const { return succeeded; }
  Values take() { return std::move(values); }
  /// Emits the errors after all.
  void report();

private:
  Node &node;
  bool succeeded = false;
  Values values;
  std::vector<mlir::Diagnostic> errors;
};

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_LOOPBUILDER_H
