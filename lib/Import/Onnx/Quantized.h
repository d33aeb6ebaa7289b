// Integers with a scale and a zero point: from numbers, and back.
#ifndef TINY_LIB_IMPORT_ONNX_QUANTIZED_H
#define TINY_LIB_IMPORT_ONNX_QUANTIZED_H

#include "Node.h"

namespace tiny::onnximport {

/// One number for all, or one for each place on `axis`, shaped to broadcast against `like`. Null after an error.
Value spread(Node &node, Value numbers, Value like, int64_t axis);

/// saturate(round(x / scale) + zero) as an integer type.
Value quantize(Node &node, Value input, Value scale, Value zero, mlir::Type element);

/// (x - zero) as i32.
Value center(Node &node, Value input, Value zero);

/// The input as unsigned bytes, with a scale and a zero point that cover its range and zero, so that zero is exact.
Values quantizeDynamically(Node &node, Value input);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_QUANTIZED_H
