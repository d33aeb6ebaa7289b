// Compares and prints results: predictions, accuracy, differences.
#include "Tiny/Driver/Report.h"

#include "Tiny/Driver/Executable.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace tiny {
namespace {

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

/// A float in so many significant digits, an integer in all of its own.
std::string formatElement(const HostTensor &tensor, int64_t index, int digits) {
  if (tensor.dtype == TINY_DTYPE_U64)
    return std::to_string(uint64_t(tensor.getInteger(index)));
  if (!isFloat(tensor.dtype))
    return std::to_string(tensor.getInteger(index));
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("%.*g", digits, tensor.getNumber(index));
  return text;
}

/// How far apart the elements of two tensors of one type are; two NaNs are at one place. Integers of 64 bits are told
/// apart where no double does.
double getDistance(const HostTensor &a, const HostTensor &b, int64_t index) {
  if (isFloat(a.dtype)) {
    double x = a.getNumber(index), y = b.getNumber(index);
    return x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::abs(x - y);
  }
  uint64_t x = a.getInteger(index), y = b.getInteger(index);
  bool isLess = a.dtype == TINY_DTYPE_U64 ? x < y : int64_t(x) < int64_t(y);
  return double(isLess ? y - x : x - y);
}

} // namespace

std::optional<std::vector<int64_t>> getPredictions(const HostTensor &tensor) {
  if (tensor.shape.size() != 2 || tensor.shape[1] < 2 || !isFloat(tensor.dtype))
    return std::nullopt;
  std::vector<int64_t> predictions;
  int64_t classes = tensor.shape[1];
  for (int64_t row = 0; row < tensor.shape[0]; ++row) {
    int64_t best = 0;
    double most = tensor.getNumber(row * classes);
    for (int64_t i = 1; i < classes && !std::isnan(most); ++i) {
      double value = tensor.getNumber(row * classes + i);
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
    right += labels.getNumber(i) == double(predictions[i]);
  return right;
}

llvm::Expected<double> compareTensors(const HostTensor &actual, const HostTensor &expected, double tolerance) {
  if (actual.dtype != expected.dtype || actual.shape != expected.shape)
    return llvm::createStringError("got " + formatType(actual) + ", expected " + formatType(expected));
  double largest = 0;
  int64_t place = 0;
  for (int64_t i = 0, e = actual.size(); i < e; ++i) {
    double difference = getDistance(actual, expected, i);
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
                                 << formatElement(actual, place, 9) << ", expected "
                                 << formatElement(expected, place, 9) << " within " << llvm::format("%g", tolerance);
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
    stream << (i ? ", " : "") << formatElement(tensor, i, 7);
  stream << (tensor.size() > kShown ? ", ...]\n" : "]\n");
}

} // namespace tiny
