// What tensors say to a person: predicted classes, accuracy, the difference to what was expected. tiny-run and
// tiny-exec print the same.
#ifndef TINY_FILES_REPORT_H
#define TINY_FILES_REPORT_H

#include "Tiny/Files/HostTensor.h"
#include "Tiny/Files/Result.h"

namespace tiny::files {

/// The index of the largest element in each row of a tensor [rows, classes] of floats; the first of equals, and the
/// first NaN before all. None for other tensors.
std::optional<std::vector<int64_t>> getPredictions(const HostTensor &tensor);

/// How many predictions are their label. Fails when the labels are not one integer per prediction.
Result<int64_t> countRight(const std::vector<int64_t> &predictions, const HostTensor &labels);

/// "accuracy: 358 of 360, 0.9944", for the first result of a program and the labels in a file.
Result<std::string> describeAccuracy(const std::string &path, const std::vector<HostTensor> &results);

/// The largest absolute difference of two tensors of one type and shape; equal infinities and two NaNs do not differ.
/// Fails when the types or shapes differ, or when it passes the tolerance: the message names the element.
Result<double> compareTensors(const HostTensor &actual, const HostTensor &expected, double tolerance);

/// Numbers in lines of at most 120 columns, at most `limit` of them.
std::string formatNumbers(const std::vector<int64_t> &numbers, size_t limit);

/// A tensor's type and its first elements on one line.
std::string formatSummary(const HostTensor &tensor);

/// A result: predictions where a classifier's result is one of classes, else the first elements.
std::string formatResult(const std::string &name, const HostTensor &tensor, bool isClassifier);

} // namespace tiny::files

#endif // TINY_FILES_REPORT_H
