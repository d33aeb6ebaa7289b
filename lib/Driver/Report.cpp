#include "Tiny/Driver/Report.h"

#include "Tiny/Driver/Executable.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace tiny {
namespace {

double decode(const llvm::fltSemantics &semantics, unsigned width, uint64_t bits) {
  llvm::APFloat value(semantics, llvm::APInt(width, bits));
  bool inexact;
  value.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
  return value.convertToDouble();
}

bool isFloat(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_F16:
  case TINY_DTYPE_BF16:
  case TINY_DTYPE_F32:
  case TINY_DTYPE_F64:
  case TINY_DTYPE_F8E4M3FN:
  case TINY_DTYPE_F8E5M2:
    return true;
  default:
    return false;
  }
}

/// `[1, 2]` for an element's number in row-major order.
std::string formatIndex(ArrayRef<int64_t> shape, int64_t index) {
  SmallVector<int64_t> place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    place[axis] = index % shape[axis];
  std::string text = "[";
  for (int64_t i : place)
    text += (text.size() == 1 ? "" : ", ") + std::to_string(i);
  return text + "]";
}

} // namespace

double getElement(const HostTensor &tensor, int64_t index) {
  switch (tensor.dtype) {
  case TINY_DTYPE_I1:
  case TINY_DTYPE_U8:
    return tensor.data<uint8_t>()[index];
  case TINY_DTYPE_I8:
    return tensor.data<int8_t>()[index];
  case TINY_DTYPE_I16:
    return tensor.data<int16_t>()[index];
  case TINY_DTYPE_I32:
    return tensor.data<int32_t>()[index];
  case TINY_DTYPE_I64:
    return double(tensor.data<int64_t>()[index]);
  case TINY_DTYPE_U16:
    return tensor.data<uint16_t>()[index];
  case TINY_DTYPE_U32:
    return tensor.data<uint32_t>()[index];
  case TINY_DTYPE_U64:
    return double(tensor.data<uint64_t>()[index]);
  case TINY_DTYPE_F16:
    return decode(llvm::APFloat::IEEEhalf(), 16, tensor.data<uint16_t>()[index]);
  case TINY_DTYPE_BF16:
    return decode(llvm::APFloat::BFloat(), 16, tensor.data<uint16_t>()[index]);
  case TINY_DTYPE_F8E4M3FN:
    return decode(llvm::APFloat::Float8E4M3FN(), 8, tensor.data<uint8_t>()[index]);
  case TINY_DTYPE_F8E5M2:
    return decode(llvm::APFloat::Float8E5M2(), 8, tensor.data<uint8_t>()[index]);
  case TINY_DTYPE_F32:
    return tensor.data<float>()[index];
  case TINY_DTYPE_F64:
    return tensor.data<double>()[index];
  }
  return 0;
}

std::optional<std::vector<int64_t>> getPredictions(const HostTensor &tensor) {
  if (tensor.shape.size() != 2 || tensor.shape[1] < 2 || !isFloat(tensor.dtype))
    return std::nullopt;
  std::vector<int64_t> predictions;
  int64_t classes = tensor.shape[1];
  for (int64_t row = 0; row < tensor.shape[0]; ++row) {
    int64_t best = 0;
    double most = getElement(tensor, row * classes);
    for (int64_t i = 1; i < classes && !std::isnan(most); ++i) {
      double value = getElement(tensor, row * classes + i);
      if (value > most || std::isnan(value)) {
        best = i;
        most = value;
      }
    }
    predictions.push_back(best);
  }
  return predictions;
}

llvm::Expected<int64_t> countRight(ArrayRef<int64_t> predictions, const HostTensor &labels) {
  if (isFloat(labels.dtype) || labels.dtype == TINY_DTYPE_I1 || labels.shape.size() != 1 ||
      labels.size() != int64_t(predictions.size()))
    return llvm::createStringError("got " + formatType(labels) + ", expected one integer for each of " +
                                   Twine(predictions.size()) + " predictions");
  int64_t right = 0;
  for (int64_t i = 0; i < labels.size(); ++i)
    right += getElement(labels, i) == double(predictions[i]);
  return right;
}

llvm::Expected<double> compareTensors(const HostTensor &actual, const HostTensor &expected, double tolerance) {
  if (actual.dtype != expected.dtype || actual.shape != expected.shape)
    return llvm::createStringError("got " + formatType(actual) + ", expected " + formatType(expected));
  double largest = 0;
  int64_t place = 0;
  for (int64_t i = 0, e = actual.size(); i < e; ++i) {
    double a = getElement(actual, i), b = getElement(expected, i);
    double difference = a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::abs(a - b);
    if (!(difference <= largest)) {
      largest = difference;
      place = i;
      if (std::isnan(difference))
        break;
    }
  }
  if (largest <= tolerance)
    return largest;
  std::string text;
  llvm::raw_string_ostream(text) << "element " << formatIndex(actual.shape, place) << " is "
                                 << llvm::format("%.9g", getElement(actual, place)) << ", expected "
                                 << llvm::format("%.9g", getElement(expected, place)) << " within "
                                 << llvm::format("%g", tolerance);
  return llvm::createStringError(text);
}

void printNumbers(raw_ostream &stream, ArrayRef<int64_t> numbers, size_t limit) {
  size_t column = 0;
  for (int64_t number : numbers.take_front(limit)) {
    std::string text = std::to_string(number);
    if (column && column + 1 + text.size() > 120) {
      stream << "\n";
      column = 0;
    }
    stream << (column ? " " : "") << text;
    column += text.size() + (column ? 1 : 0);
  }
  if (numbers.size() > limit)
    stream << " ... (" << numbers.size() << " in all)";
  stream << "\n";
}

void printSummary(raw_ostream &stream, const HostTensor &tensor) {
  constexpr int64_t kShown = 8;
  stream << formatType(tensor) << " [";
  for (int64_t i = 0, e = std::min(tensor.size(), kShown); i < e; ++i)
    stream << (i ? ", " : "") << llvm::format("%.7g", getElement(tensor, i));
  stream << (tensor.size() > kShown ? ", ...]\n" : "]\n");
}

} // namespace tiny
