// Whether two results are the same, within what floats may differ by.
#ifndef TINY_LIB_TESTING_COMPARE_H
#define TINY_LIB_TESTING_COMPARE_H

#include "Tiny/Support/HostTensor.h"
#include <string>

namespace tiny::reference {

/// The first place at which two tensors differ.
struct Difference {
  int64_t element;
  std::string before, after;
};

/// The first difference of two tensors of one type and shape: integers must be equal, floats may differ by `tolerance`
/// epsilons of their type (an eighth of it for narrow types), relative to the larger of the two and to the largest
/// finite number of `before` (at least 1/16), or to 1/16 alone where each element stands `alone`. -0 and +0 are two
/// numbers where zeros have signs; all NaNs are one.
std::optional<Difference> findDifference(const HostTensor &before, const HostTensor &after, double tolerance,
                                         bool zerosHaveSigns = true, bool alone = false);

} // namespace tiny::reference

#endif // TINY_LIB_TESTING_COMPARE_H
