#include "Session.h"

#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;

namespace tiny::reference {

/// The shortest decimal that reads back as the same number of the type.
static void printNumber(raw_ostream &os, Scalar value, ScalarType type, bool isUnsigned) {
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
  for (int digits = 1; digits <= 17; ++digits) {
    char text[40];
    std::snprintf(text, sizeof(text), "%.*g", digits, value.f);
    double back = std::strtod(text, nullptr);
    if (roundTo(type.format, back) == value.f) {
      os << text;
      return;
    }
  }
}

/// What an element of a dtype is, without a context at hand.
static std::pair<ScalarType, bool> getTypeOf(tiny_dtype dtype) {
  uint8_t width = static_cast<uint8_t>(8 * tiny_dtype_size(dtype));
  switch (dtype) {
  case TINY_DTYPE_I1:
    return {{Format::Int, 1}, false};
  case TINY_DTYPE_U8:
  case TINY_DTYPE_U16:
  case TINY_DTYPE_U32:
  case TINY_DTYPE_U64:
    return {{Format::Int, width}, true};
  case TINY_DTYPE_F16:
    return {{Format::F16, width}, false};
  case TINY_DTYPE_BF16:
    return {{Format::BF16, width}, false};
  case TINY_DTYPE_F32:
    return {{Format::F32, width}, false};
  case TINY_DTYPE_F64:
    return {{Format::F64, width}, false};
  case TINY_DTYPE_F8E4M3FN:
    return {{Format::F8E4M3FN, width}, false};
  case TINY_DTYPE_F8E5M2:
    return {{Format::F8E5M2, width}, false};
  default:
    return {{Format::Int, width}, false};
  }
}

void printTensor(raw_ostream &os, const HostTensor &tensor, int64_t maxElements) {
  os << "tensor<";
  for (int64_t extent : tensor.shape)
    os << extent << "x";
  os << getDtypeName(tensor.dtype) << "> ";
  auto [type, isUnsigned] = getTypeOf(tensor.dtype);
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
    printNumber(os, value, type, isUnsigned);
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
