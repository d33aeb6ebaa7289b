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
    double a = actual.getNumber(i), b = expected.getNumber(i);
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
                                 << llvm::format("%.9g", actual.getNumber(place)) << ", expected "
                                 << llvm::format("%.9g", expected.getNumber(place)) << " within "
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
    stream << (i ? ", " : "") << llvm::format("%.7g", tensor.getNumber(i));
  stream << (tensor.size() > kShown ? ", ...]\n" : "]\n");
}

} // namespace tiny
