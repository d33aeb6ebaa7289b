// What tensors say to a person: predicted classes, accuracy, the difference to what was expected.
#ifndef TINY_DRIVER_REPORT_H
#define TINY_DRIVER_REPORT_H

#include "Tiny/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace tiny {

/// The index of the largest element in each row of a tensor [rows, classes] of floats; the first of equals, and the
/// first NaN before all. None for other tensors.
std::optional<std::vector<int64_t>> getPredictions(const HostTensor &tensor);

/// How many predictions are their label. Fails when the labels are not one integer per prediction.
llvm::Expected<int64_t> countRight(llvm::ArrayRef<int64_t> predictions, const HostTensor &labels);

/// The largest absolute difference of two tensors of one type and shape; equal infinities and two NaNs do not differ.
/// Fails when the types or shapes differ, or when it passes the tolerance: the message names the element.
llvm::Expected<double> compareTensors(const HostTensor &actual, const HostTensor &expected, double tolerance);

/// Prints numbers in lines of at most 120 columns, at most `limit` of them.
void printNumbers(llvm::raw_ostream &stream, llvm::ArrayRef<int64_t> numbers, size_t limit);

/// Prints a tensor's type and its first elements on one line.
void printSummary(llvm::raw_ostream &stream, const HostTensor &tensor);

} // namespace tiny

#endif // TINY_DRIVER_REPORT_H
