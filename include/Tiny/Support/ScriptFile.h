// Files of transform scripts that options of passes name.
#ifndef TINY_SUPPORT_SCRIPTFILE_H
#define TINY_SUPPORT_SCRIPTFILE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>

namespace mlir::transform {
class NamedSequenceOp;
} // namespace mlir::transform

namespace tiny {

/// Attributes of a script that search found: what it is for, a kernel of this structure or a convolution of this kind,
/// and the record of the device that it was found on. A script without the first two is for what has its name.
constexpr llvm::StringLiteral kKernelKeyAttr = "kernel_key", kConvKeyAttr = "conv_key", kRecordKeyAttr = "record_key";

/// Parses a file of `what`, such as "schedules". Null after an error, at `module` where it can't be read or has no
/// transform.named_sequence, else in the file.
mlir::OwningOpRef<mlir::ModuleOp> readScripts(mlir::ModuleOp module, llvm::StringRef what, llvm::StringRef path);

/// Runs a script on what it is for, `what` in words. Empty where it went well, else why not: it may have done some of
/// its steps by then.
std::string applyScript(mlir::Operation *payload, mlir::transform::NamedSequenceOp script, llvm::StringRef what);

} // namespace tiny

#endif // TINY_SUPPORT_SCRIPTFILE_H
