// How operations of tosa are translated, by family.
#ifndef TINY_LIB_IMPORT_TOSA_TRANSLATORS_H
#define TINY_LIB_IMPORT_TOSA_TRANSLATORS_H

#include "Tiny/Dialect/Tensor/TensorBuilder.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/StringMap.h"

namespace tiny::tosaimport {

using Ints = llvm::SmallVector<int64_t>;

/// The value of an operation in tensor operations, or null after an error at it.
using Translator = std::function<mlir::Value(mlir::Operation *op, tensor::TensorBuilder &build)>;

/// All translators, by the operation's name.
struct TranslatorTable {
  llvm::StringMap<Translator> translators;

  template <typename OpTy, typename Function> void add(Function translate) {
    translators[OpTy::getOperationName()] = [translate](mlir::Operation *op, tensor::TensorBuilder &build) {
      return translate(llvm::cast<OpTy>(op), build);
    };
  }
};

void addElementwise(TranslatorTable &table);
void addProducts(TranslatorTable &table);
void addQuantized(TranslatorTable &table);
void addStructure(TranslatorTable &table);

/// Null, after an error.
mlir::Value fail(mlir::Operation *op, const llvm::Twine &message);

inline mlir::Type getResultElement(mlir::Operation *op) {
  return llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()).getElementType();
}
inline llvm::ArrayRef<int64_t> getResultShape(mlir::Operation *op) {
  return llvm::cast<mlir::RankedTensorType>(op->getResult(0).getType()).getShape();
}
inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(tensor::TensorBuilder::getElement(value)); }

/// An integer number in the element type of `value`, exact where a float would round.
mlir::Value likeInteger(tensor::TensorBuilder &build, mlir::Value value, int64_t number);
/// The low and the high end of an integer type.
std::pair<int64_t, int64_t> getRange(mlir::Type element, bool isUnsigned = false);
/// An operand of an operation with a zero point: floats as they are, integers wide and without it.
mlir::Value readQuantized(tensor::TensorBuilder &build, mlir::Value value, int64_t zeroPoint, unsigned width = 32);
/// The numbers of an operand that is a constant shape, or nothing after an error.
std::optional<Ints> readShape(mlir::Operation *op, mlir::Value value);
/// Whether what is not a number counts nothing there.
bool ignoresNan(mlir::Value input, mlir::tosa::NanPropagationMode mode);
/// The value with a number instead of NaN.
mlir::Value replaceNan(tensor::TensorBuilder &build, mlir::Value value, double number);

} // namespace tiny::tosaimport

#endif // TINY_LIB_IMPORT_TOSA_TRANSLATORS_H
