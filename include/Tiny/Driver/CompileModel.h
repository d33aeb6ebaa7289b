// The job of tiny-compile: a program, taken down to a level and written there.
#ifndef TINY_DRIVER_COMPILEMODEL_H
#define TINY_DRIVER_COMPILEMODEL_H

#include "Tiny/Driver/ModelRequest.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// Without a name of a function, every function of the module.
struct CompileRequest : ModelRequest {
  /// `tensor`, `lazy`, `kernel`, `uop` or `llvm` for MLIR; `llvm-ir`, `assembly` or `object` for the kernels' code.
  std::string to = "object";
  /// A kernel to show at every level instead, from the operations that it came from down to assembly; empty for none.
  std::string kernel;
};

/// What comes of it: text, or the bytes of an ELF object. Errors are one line.
llvm::Expected<std::string> compileModel(const CompileRequest &request, mlir::MLIRContext *context);

/// `NAME=SIZE` each; the message names the text that is none.
llvm::Expected<llvm::StringMap<int64_t>> parseDims(llvm::ArrayRef<std::string> texts);

} // namespace tiny

#endif // TINY_DRIVER_COMPILEMODEL_H
