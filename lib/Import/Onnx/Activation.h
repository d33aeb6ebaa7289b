// Activation functions that an attribute names, with parameters: of recurrent cells and of fused products.
#ifndef TINY_LIB_IMPORT_ONNX_ACTIVATION_H
#define TINY_LIB_IMPORT_ONNX_ACTIVATION_H

#include "Node.h"

namespace tiny::onnximport {

/// A function with the parameters that are its own.
struct Activation {
  /// In lower case.
  std::string name;
  double alpha = 0, beta = 0;
  /// Whether the function takes them.
  bool hasAlpha = false, hasBeta = false;
};

/// The function of that name with the parameters it has where none are given. None after an error.
std::optional<Activation> findActivation(Node &node, llvm::StringRef name);

Value activate(Node &node, const Activation &function, Value value);

} // namespace tiny::onnximport

#endif // TINY_LIB_IMPORT_ONNX_ACTIVATION_H
