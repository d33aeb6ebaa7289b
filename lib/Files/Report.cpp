// Compares and describes results: predictions, accuracy, differences.
#include "Tiny/Files/Report.h"

#include "Text.h"
#include "Tiny/Files/Tensors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace tiny::files {
namespace {

/// So many predictions are shown.
constexpr size_t kShownPredictions = 1000;
constexpr int64_t kShownElements = 8;

/// `[1, 2]` for an element's number in row-major order.
std::string formatIndex(const std::vector<int64_t> &shape, int64_t index) {
  std::vector<int64_t> place(shape.size());
  for (size_t axis = shape.size(); axis-- > 0; index /= shape[axis])
    place[axis] = index % shape[axis];
  std::string text = "[";
  for (int64_t i : place)
    text += (text.size() == 1 ? "" : ", ") + std::to_string(i);
  return text + "]";
}

std::string formatNumber(const char *format, int digits, double number) {
  char text[64];
  std::snprintf(text, sizeof(text), format, digits, number);
  return text;
}

/// A float in so many significant digits, an integer in all of its own.
std::string formatElement(const HostTensor &tensor, int64_t index, int digits) {
  if (tensor.dtype == TINY_DTYPE_U64)
    return std::to_string(uint64_t(tensor.getInteger(index)));
  if (!isFloat(tensor.dtype))
    return std::to_string(tensor.getInteger(index));
  return formatNumber("%.*g", digits, tensor.getNumber(index));
}

/// How far apart the elements of two tensors of one type are; two NaNs are at one place. Integers of 64 bits are told
/// apart where no double does.
double getDistance(const HostTensor &a, const HostTensor &b, int64_t index) {
  if (isFloat(a.dtype)) {
    double x = a.getNumber(index), y = b.getNumber(index);
    return x == y || (std::isnan(x) && std::isnan(y)) ? 0 : std::abs(x - y);
  }
  uint64_t x = uint64_t(a.getInteger(index)), y = uint64_t(b.getInteger(index));
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

Result<int64_t> countRight(const std::vector<int64_t> &predictions, const HostTensor &labels) {
  if (isFloat(labels.dtype) || labels.dtype == TINY_DTYPE_I1 || labels.shape.size() != 1 ||
      labels.size() != int64_t(predictions.size()))
    return failed("got " + formatType(labels) + ", expected one integer for each of " +
                  std::to_string(predictions.size()) + " predictions");
  int64_t right = 0;
  for (int64_t i = 0; i < labels.size(); ++i)
    right += labels.getNumber(i) == double(predictions[size_t(i)]);
  return right;
}

Result<std::string> describeAccuracy(const std::string &path, const std::vector<HostTensor> &results) {
  Result<std::vector<NamedTensor>> labels = readTensors(path);
  if (!labels)
    return labels.takeFailure();
  std::optional<std::vector<int64_t>> predictions;
  if (!results.empty())
    predictions = getPredictions(results.front());
  if (!predictions)
    return failed("--labels needs a first result of shape [rows, classes]" +
                  (results.empty() ? std::string() : ", got " + formatType(results.front())));
  if (labels->size() != 1)
    return failed(path + ": got " + std::to_string(labels->size()) + " tensors, expected 1");
  Result<int64_t> right = countRight(*predictions, labels->front().tensor);
  if (!right)
    return failed(path + ": " + right.message());
  double share = double(*right) / double(std::max<size_t>(predictions->size(), 1));
  return "accuracy: " + std::to_string(*right) + " of " + std::to_string(predictions->size()) + ", " +
         formatNumber("%.*f", 4, share);
}

Result<double> compareTensors(const HostTensor &actual, const HostTensor &expected, double tolerance) {
  if (actual.dtype != expected.dtype || actual.shape != expected.shape)
    return failed("got " + formatType(actual) + ", expected " + formatType(expected));
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
  return failed("element " + formatIndex(actual.shape, place) + " is " + formatElement(actual, place, 9) +
                ", expected " + formatElement(expected, place, 9) + " within " + formatNumber("%.*g", 6, tolerance));
}

std::string formatNumbers(const std::vector<int64_t> &numbers, size_t limit) {
  std::string lines;
  size_t column = 0;
  for (size_t k = 0; k < std::min(numbers.size(), limit); ++k) {
    std::string text = std::to_string(numbers[k]);
    if (column && column + 1 + text.size() > 120) {
      lines += "\n";
      column = 0;
    }
    lines += (column ? " " : "") + text;
    column += text.size() + (column ? 1 : 0);
  }
  if (numbers.size() > limit)
    lines += " ... (" + std::to_string(numbers.size()) + " in all)";
  return lines + "\n";
}

std::string formatSummary(const HostTensor &tensor) {
  std::string text = formatType(tensor) + " [";
  for (int64_t i = 0, e = std::min(tensor.size(), kShownElements); i < e; ++i)
    text += (i ? ", " : "") + formatElement(tensor, i, 7);
  return text + (tensor.size() > kShownElements ? ", ...]\n" : "]\n");
}

std::string formatResult(const std::string &name, const HostTensor &tensor, bool isClassifier) {
  std::optional<std::vector<int64_t>> predictions = getPredictions(tensor);
  if (isClassifier && predictions && !predictions->empty())
    return name + ", predictions of " + std::to_string(predictions->size()) + " rows:\n" +
           formatNumbers(*predictions, kShownPredictions);
  return name + ": " + formatSummary(tensor);
}

} // namespace tiny::files
