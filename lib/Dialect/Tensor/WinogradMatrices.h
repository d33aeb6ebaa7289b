// The matrices of Winograd's minimal filtering.
#ifndef TINY_LIB_DIALECT_TENSOR_WINOGRADMATRICES_H
#define TINY_LIB_DIALECT_TENSOR_WINOGRADMATRICES_H

#include "llvm/ADT/SmallVector.h"
#include <cstdint>

namespace tiny::tensor {

/// `outputs` neighbouring sums of products y[i] = sum over k of g[k] d[i + k] with `taps` weights, by as many
/// multiplications as there are inputs: y = output ((filter g) * (input d)). Each matrix row by row.
struct WinogradMatrices {
  int64_t inputs = 0;
  /// [inputs, inputs], [inputs, taps] and [outputs, inputs].
  llvm::SmallVector<double> input, filter, output;

  /// Toom and Cook's algorithm, transposed: polynomials are multiplied by their values at small numbers and at infinity
  /// (Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, CVPR 2016). `outputs` and `taps` are 2 at
  /// least, and `outputs + taps - 1` is at most `kMostWinogradInputs`.
  static WinogradMatrices make(int64_t outputs, int64_t taps);
};

/// Rounding errors grow with the largest of the points, which are as many as inputs. With eight errors are 8 times
/// those of a sum.
constexpr int64_t kMostWinogradInputs = 8;

} // namespace tiny::tensor

#endif // TINY_LIB_DIALECT_TENSOR_WINOGRADMATRICES_H
