// From a file to a module, whatever the file is.
#ifndef TINY_DRIVER_SOURCE_H
#define TINY_DRIVER_SOURCE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// Catches what is reported at a context in its lifetime, and keeps the first error as one line, with its place in a
/// file where it has one: `model.mlir:3:5: expected ...`.
class FirstError {
public:
  explicit FirstError(mlir::MLIRContext *context);
  /// The error; `otherwise` when nothing was reported.
  llvm::Error take(const llvm::Twine &otherwise);

private:
  std::string message;
  mlir::ScopedDiagnosticHandler handler;
};

/// The error, with the path in front where its message does not begin with it.
llvm::Error addPath(llvm::StringRef path, llvm::Error error);

/// The sizes that a dimension may have.
struct DimSize {
  int64_t least = 0, most = 0;
  bool isOpen() const { return least != most; }
};
/// By the dimension's name.
using DimSizes = llvm::StringMap<DimSize>;

/// `NAME=SIZE` or `NAME=LEAST..MOST` each; the message names the text that is none.
llvm::Expected<DimSizes> parseDims(llvm::ArrayRef<std::string> texts);

/// Reads a program from a file, or from the bytes that it has (see `FileMapping` for bytes whose constants are not
/// copied): an ONNX model where its name ends in `.onnx`, else MLIR
/// of any level as text or bytecode. `dims` gives sizes to what an ONNX model leaves open; with one that has several,
/// the module is a family (Tiny/Support/Family.h), whose instances lie within the bounds if `isWithin` says so. The
/// module is verified. Messages begin with the path.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> readSource(llvm::StringRef path, mlir::MLIRContext *context,
                                                             const DimSizes &dims = {}, bool isWithin = false);

llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> parseSource(llvm::StringRef path, llvm::StringRef bytes,
                                                              mlir::MLIRContext *context, const DimSizes &dims = {},
                                                              bool isWithin = false);

} // namespace tiny

#endif // TINY_DRIVER_SOURCE_H
