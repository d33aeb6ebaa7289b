// What a program's arguments and results are at the tensor level, at whatever level it stands now.
#ifndef TINY_SUPPORT_SIGNATURE_H
#define TINY_SUPPORT_SIGNATURE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tiny {

/// On an argument or a result: the TypeAttr of its tensor type, with the shape and the sign that lower levels lose.
constexpr llvm::StringLiteral kTensorTypeAttr = "tiny.type";

/// The tensor types of arguments and results.
struct Signature {
  llvm::SmallVector<mlir::RankedTensorType> inputs, results;
};

/// Reads `tiny.type` where it stands, else the type itself: a tensor, or a buffer seen as one. Fails without a message
/// when an argument or a result is none of these.
mlir::FailureOr<Signature> getSignature(mlir::FunctionOpInterface function);

/// The entry points of a module: every public function or program on tensors or buffers, kernels left out.
llvm::SmallVector<mlir::FunctionOpInterface> getPrograms(mlir::ModuleOp module);

} // namespace tiny

#endif // TINY_SUPPORT_SIGNATURE_H
