// Seeded inputs for differential tests.
#ifndef TINY_TESTING_RANDOMINPUTS_H
#define TINY_TESTING_RANDOMINPUTS_H

#include "Tiny/Support/HostTensor.h"
#include "Tiny/Support/Signature.h"

namespace tiny::reference {

/// What random elements look like.
struct RandomOptions {
  uint64_t seed = 0;
  /// By default floats are multiples of 1/8 from -2 to 2, so that sums and products are exact and the order of a
  /// reduction shows in no bit; wide floats have full mantissas and exponents from -4 to 4.
  bool wideFloats = false;
  /// Keeps integers away from zero, for programs that divide by them.
  bool nonzeroIntegers = false;
  /// Makes about one float in six a NaN, an infinity or a negative zero.
  bool specialFloats = false;
  /// Makes about half of the numbers extreme: floats huge, tiny or subnormal, powers of two that are near an end of the
  /// type's range or whose squares leave it; integers any that the type has.
  bool extremes = false;
};

/// A tensor of random elements; the same for the same seed, type and `stream` on every machine. Integers lie between
/// -8 and 8, unsigned ones between 0 and 16, unless they are extreme.
HostTensor randomTensor(tiny_dtype dtype, llvm::ArrayRef<int64_t> shape, const RandomOptions &options,
                        uint64_t stream = 0);

/// One tensor for each input; fails without a message when a type has no dtype, is dynamic or too large.
mlir::FailureOr<llvm::SmallVector<HostTensor>> randomInputs(const Signature &signature, const RandomOptions &options);

} // namespace tiny::reference

#endif // TINY_TESTING_RANDOMINPUTS_H
