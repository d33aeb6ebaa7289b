// One ONNX operator as tensor operations: the importer's compositions for those who have no model.
#ifndef TINY_IMPORT_OPERATOR_H
#define TINY_IMPORT_OPERATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include <variant>
#include <vector>

namespace tiny {

/// An operator to be translated, of the newest operator set.
struct OnnxNode {
  /// Not given, an argument of the function, or integers that are known: one of rank 0, or a list.
  using Operand = std::variant<std::monostate, mlir::RankedTensorType, int64_t, std::vector<int64_t>>;
  using Attribute = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<std::string>>;

  std::string op;
  std::vector<Operand> operands = {};
  std::vector<std::pair<std::string, Attribute>> attributes = {};
  unsigned results = 1;
};

/// A module with the function `main` of the operands that are arguments. Null after errors at the context.
mlir::OwningOpRef<mlir::ModuleOp> importOnnxNode(const OnnxNode &node, mlir::MLIRContext *context);

} // namespace tiny

#endif // TINY_IMPORT_OPERATOR_H
