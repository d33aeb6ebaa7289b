// The job of tiny-compile: a program, taken down to a level and written there.
#ifndef TINY_DRIVER_COMPILEMODEL_H
#define TINY_DRIVER_COMPILEMODEL_H

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include <functional>
#include <string>
#include <vector>

namespace tiny {

struct CompileRequest {
  /// An ONNX model, or MLIR of any level.
  std::string model;
  /// `tensor`, `lazy`, `kernel`, `uop` or `llvm` for MLIR; `llvm-ir`, `assembly` or `object` for the kernels' code.
  std::string to = "object";
  /// A kernel to show at every level instead, from the operations that it came from down to assembly; empty for none.
  std::string kernel;
  /// Empty: every function of the module.
  std::string function;
  /// `NAME=SIZE` for dimensions that an ONNX model leaves open.
  std::vector<std::string> dims;
  /// Options of the pipelines as text. May be empty.
  std::string pipeline;
  /// LLVM's name of the processor to compile for; empty for the host.
  std::string processor;
  /// Sets up the pass managers. May be empty.
  std::function<llvm::LogicalResult(mlir::PassManager &)> configure;
};

/// What comes of it: text, or the bytes of an ELF object. Errors are one line.
llvm::Expected<std::string> compileModel(const CompileRequest &request, mlir::MLIRContext *context);

/// `NAME=SIZE` each; the message names the text that is none.
llvm::Expected<llvm::StringMap<int64_t>> parseDims(llvm::ArrayRef<std::string> texts);

} // namespace tiny

#endif // TINY_DRIVER_COMPILEMODEL_H
