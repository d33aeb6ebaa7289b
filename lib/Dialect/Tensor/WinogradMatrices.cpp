// The matrices of Winograd's minimal filtering, from the points at which polynomials are evaluated.
#include "WinogradMatrices.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using llvm::ArrayRef;
using llvm::SmallVector;

namespace tiny::tensor {

/// Powers of two, so that the matrices of input and output are exact.
static constexpr double kPoints[] = {0, 1, -1, 2, -2, 0.5, -0.5};
static_assert(std::size(kPoints) + 1 == kMostWinogradInputs, "infinity is the last point");

/// The coefficients of the product of (x - root) for all roots, the lowest first.
static SmallVector<double> expandRoots(ArrayRef<double> roots) {
  SmallVector<double> coefficients = {1};
  for (double root : roots) {
    coefficients.insert(coefficients.begin(), 0);
    for (size_t power = 0; power + 1 < coefficients.size(); ++power)
      coefficients[power] -= root * coefficients[power + 1];
  }
  return coefficients;
}

WinogradMatrices WinogradMatrices::make(int64_t outputs, int64_t taps) {
  WinogradMatrices matrices;
  int64_t inputs = matrices.inputs = outputs + taps - 1;
  assert(outputs > 1 && taps > 1 && inputs <= kMostWinogradInputs && "there are points for so many");
  ArrayRef<double> points = ArrayRef(kPoints).take_front(inputs - 1);
  matrices.input.assign(inputs * inputs, 0);
  matrices.filter.assign(inputs * taps, 0);
  matrices.output.assign(outputs * inputs, 0);
  for (int64_t row = 0; row < inputs; ++row) {
    bool isInfinity = row == inputs - 1;
    SmallVector<double> others;
    double scale = 1;
    for (auto [index, point] : llvm::enumerate(points))
      if (isInfinity || static_cast<int64_t>(index) != row) {
        others.push_back(point);
        scale *= isInfinity ? 1 : points[row] - point;
      }
    // Lagrange's polynomial of the point, without its scale, which is the filter's.
    llvm::copy(expandRoots(others), matrices.input.begin() + row * inputs);
    double power = 1;
    for (int64_t column = 0; column < std::max(taps, outputs); ++column) {
      if (column < taps)
        matrices.filter[row * taps + column] = isInfinity ? column == taps - 1 : power / scale + 0.0;
      if (column < outputs)
        matrices.output[column * inputs + row] = isInfinity ? column == outputs - 1 : power;
      power *= isInfinity ? 0 : points[row];
    }
  }
  return matrices;
}

} // namespace tiny::tensor
