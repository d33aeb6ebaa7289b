// What the terms of a nest compute with.
#ifndef TINY_LIB_ALGEBRA_COST_NESTMATH_H
#define TINY_LIB_ALGEBRA_COST_NESTMATH_H

#include "Tiny/Algebra/Cost/Nest.h"
#include "llvm/Support/MathExtras.h"

namespace tiny::cost {

/// Products of trips saturate: what takes so long is not worth telling apart.
inline int64_t multiply(int64_t a, int64_t b) {
  constexpr int64_t most = int64_t(1) << 60;
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? most : std::min(product, most);
}

/// Whether an axis is in a set of them, as bits.
inline bool contains(uint64_t axes, size_t axis) { return axes >> axis & 1; }

/// Picoseconds of so many hundredths of a cycle.
inline int64_t toTime(int64_t hundredths, const Machine &machine) {
  return multiply(hundredths, 10000) / std::max<int64_t>(1, machine.clock);
}

} // namespace tiny::cost

#endif // TINY_LIB_ALGEBRA_COST_NESTMATH_H
