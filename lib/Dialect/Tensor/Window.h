// Sliding windows over spatial axes, shared by convolution and pooling.
#ifndef TINY_LIB_DIALECT_TENSOR_WINDOW_H
#define TINY_LIB_DIALECT_TENSOR_WINDOW_H

#include "Tiny/Dialect/Tensor/TensorBuilder.h"

namespace tiny::tensor {

/// One number per spatial axis in each list.
struct Window {
  llvm::SmallVector<int64_t> kernel, strides, dilations, low;
  /// Padding after, and what `ceil_mode` adds to it so that the last window lies inside.
  llvm::SmallVector<int64_t> high, extra;
  /// How many windows there are.
  llvm::SmallVector<int64_t> output;
};

/// What an operation says about its windows; an absent list has ones, or zeros for padding.
struct WindowAttrs {
  std::optional<llvm::ArrayRef<int64_t>> strides, dilations, low, high;
  bool ceilMode = false;
};

/// Reads and checks the attributes; `spatial` and `kernel` are sizes. Fails with an error for the operation `name`.
mlir::FailureOr<Window> inferWindow(std::optional<mlir::Location> location, llvm::StringRef name,
                                    llvm::ArrayRef<int64_t> spatial, llvm::ArrayRef<int64_t> kernel,
                                    const WindowAttrs &attrs);

template <typename OpOrAdaptor> WindowAttrs getWindowAttrs(OpOrAdaptor op) {
  return {op.getStrides(), op.getDilations(), op.getLow(), op.getHigh(), false};
}

/// Pads the spatial axes of [batch, channels, ...], with zeros or with `number`. Fails with an error where the result
/// passes 2^62 bytes.
mlir::FailureOr<mlir::Value> padWindow(TensorBuilder &build, mlir::Value input, const Window &window,
                                       mlir::TypedAttr number = {});

/// From the padded input [batch, channels, spatial...] every window: [batch, channels, output..., kernel...]. Only
/// movement, so that a window is a view. Fails with an error where intermediate shapes pass 2^62 bytes.
mlir::FailureOr<mlir::Value> slideWindow(TensorBuilder &build, mlir::Value padded, const Window &window);

} // namespace tiny::tensor

#endif // TINY_LIB_DIALECT_TENSOR_WINDOW_H
