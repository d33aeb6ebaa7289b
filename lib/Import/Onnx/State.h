// Buffers that a model carries from one call to the next.
#ifndef TINY_LIB_IMPORT_ONNX_STATE_H
#define TINY_LIB_IMPORT_ONNX_STATE_H

#include "Node.h"

namespace tiny::onnximport {

/// The buffer `past` with `rows` along `axis` from place `first` on, which is i64 and broadcasts against them; or zeros
/// where there is no buffer. The result has `length` places on the axis. With `wraps` places count modulo the length.
Value writeRows(Node &node, Value past, Value rows, Value first, int64_t axis, int64_t length, bool wraps = false);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_STATE_H
