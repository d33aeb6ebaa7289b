// Upstream's readers on files that may be anything: its parser recurses on what is nested, and its bytecode reader
// trusts what it reads, so either may end the process.
#ifndef TINY_SUPPORT_SAFEPARSE_H
#define TINY_SUPPORT_SAFEPARSE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

namespace tiny {

/// The line on which text is nested deeper than any program, constant or header, or none: what recursive parsers, of
/// MLIR or of JSON, must not see.
std::optional<size_t> findDeepNesting(llvm::StringRef text);

/// Parses text or bytecode; null after an error, which was reported at the context or is in `error`. After a fault in
/// the reader the context must not be used any more, and the process should end soon.
mlir::OwningOpRef<mlir::ModuleOp> parseSafely(llvm::StringRef bytes, llvm::StringRef path, mlir::MLIRContext *context,
                                              std::string &error);

/// For tools whose main is upstream's: the error of a file that upstream's readers would not survive. Everything else
/// is success, a file that is not there too: the reader tells about it.
llvm::Error checkReadable(llvm::StringRef path, const mlir::DialectRegistry &registry);

/// The same for each argument of a command line that names a file and is not an output (`-o`); prints the error, after
/// the tool's name, and gives whether there is none.
bool checkReadableArguments(int argc, char **argv, const mlir::DialectRegistry &registry);

/// For servers, which can refuse no text that an editor shows: runs `body` on a thread with a stack of gigabytes, of
/// which only what is used takes memory; where the system gives none, on the caller's.
void runOnLargeStack(llvm::function_ref<void()> body);

} // namespace tiny

#endif // TINY_SUPPORT_SAFEPARSE_H
