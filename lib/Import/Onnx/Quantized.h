// Integers with a scale and a zero point: from numbers, and back.
#ifndef TINY_LIB_IMPORT_ONNX_QUANTIZED_H
#define TINY_LIB_IMPORT_ONNX_QUANTIZED_H

#include "Node.h"

namespace tiny::onnximport {

/// One number for all, or one for each place on `axis`, shaped to broadcast against `like`. Null after an error.
Value spread(Node &node, Value numbers, Value like, int64_t axis);

/// The same where the node has a `block_size`: one number for each block of elements on the axis.
Value spreadBlocks(Node &node, Value numbers, Value like, int64_t axis);

/// saturate(round(x / scale) + zero) as an integer type, or within 4 bits of it.
Value quantize(Node &node, Value input, Value scale, Value zero, mlir::Type element, bool isFourBit = false);

/// (x - zero) as i32.
Value center(Node &node, Value input, Value zero);

/// The numbers of `bits` bits in each byte, the lowest first, along the last axis.
Value unpack(Node &node, Value bytes, int64_t bits);

/// The input as unsigned bytes, with a scale and a zero point that cover its range and zero, so that zero is exact.
Values quantizeDynamically(Node &node, Value input);

/// The product of two matrices of bytes as numbers, plus the bias where there is one. The first is bytes, one scale and
/// a zero point, as `quantizeDynamically` gives them; the second may have a scale and a zero point for each column.
Value multiplyBytes(Node &node, Values lhs, Value rhs, Value rhsScale, Value rhsZero, Value bias);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_QUANTIZED_H
