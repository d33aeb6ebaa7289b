// Prints tensors, each number as the shortest decimal that reads back as the same.
#include "Session.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace tiny::reference {

void printScalar(raw_ostream &os, Scalar value, ScalarType type, bool isUnsigned) {
  if (!type.isFloat()) {
    if (type.width == 1)
      os << (value.i ? "true" : "false");
    else if (isUnsigned)
      os << zeroExtend(value.i, type.width);
    else
      os << value.i;
    return;
  }
  if (std::isnan(value.f) || std::isinf(value.f)) {
    os << (std::isnan(value.f) ? "nan" : value.f > 0 ? "inf" : "-inf");
    return;
  }
  char text[40];
  if (value.f == std::trunc(value.f) && std::fabs(value.f) < 1e15) {
    std::snprintf(text, sizeof(text), "%.0f", value.f);
    os << text;
    return;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value.f);
    double back = std::strtod(text, nullptr);
    if (roundTo(type.format, back) == value.f) {
      os << text;
      return;
    }
  }
}

void printTensor(raw_ostream &os, const HostTensor &tensor, int64_t maxElements) {
  os << "tensor<";
  for (int64_t extent : tensor.shape)
    os << extent << "x";
  os << getDtypeName(tensor.dtype) << "> ";
  auto [type, isUnsigned] = getScalarTypeOf(tensor.dtype);
  int64_t size = tensor.size();
  // A bracket opens before element k for every axis whose row begins there, and closes where it ends.
  auto brackets = [&](int64_t k, char bracket) {
    int64_t row = 1;
    for (int64_t extent : llvm::reverse(tensor.shape)) {
      row *= extent;
      if (k % row != 0)
        break;
      os << bracket;
    }
  };
  if (size == 0)
    os << "[]";
  for (int64_t k = 0; k < size; ++k) {
    if (k == maxElements) {
      os << ", ...";
      return;
    }
    if (k > 0)
      os << ", ";
    brackets(k, '[');
    Scalar value;
    readElements(type, tensor.bytes.data() + k * type.bytes(), &value, 1);
    printScalar(os, value, type, isUnsigned);
    brackets(k + 1, ']');
  }
}

LogicalResult interpretAndPrint(ModuleOp module, StringRef program, ArrayRef<HostTensor> inputs, raw_ostream &os,
                                const InterpreterOptions &options) {
  FailureOr<SmallVector<HostTensor>> results = interpret(module, program, inputs, options);
  if (failed(results))
    return failure();
  for (auto [index, tensor] : llvm::enumerate(*results)) {
    os << program << " result " << index << ": ";
    printTensor(os, tensor);
    os << "\n";
  }
  return success();
}

} // namespace tiny::reference
