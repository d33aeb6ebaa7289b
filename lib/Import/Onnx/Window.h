// Products that several operators are: windows that slide over the spatial axes of an image, and Gemm.
#ifndef TINY_LIB_IMPORT_ONNX_WINDOW_H
#define TINY_LIB_IMPORT_ONNX_WINDOW_H

#include "Node.h"

namespace tiny::onnximport {

/// A sliding window over the spatial axes, one number per axis.
struct Window {
  Ints kernel, strides, dilations, low, high;
};

/// Reads strides, dilations and padding of a window over an input [batch, channels, spatial...]. None after an error.
std::optional<Window> readWindow(Node &node, Value input, llvm::ArrayRef<int64_t> kernel);

/// The convolution that the node's attributes describe; the bias may be null.
Value convolve(Node &node, Value input, Value weight, Value bias);

/// alpha * A * B + beta * C, as Gemm has it.
Value multiplyAdd(Node &node);

/// The pooling operation `op` that the node's attributes describe, with those of its `flags` that the node sets.
Value pool(Node &node, Value input, llvm::StringRef op, llvm::ArrayRef<llvm::StringRef> flags);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_WINDOW_H
