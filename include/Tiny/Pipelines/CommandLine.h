// What tools with mlir-opt's command line do before they parse it.
#ifndef TINY_PIPELINES_COMMANDLINE_H
#define TINY_PIPELINES_COMMANDLINE_H

#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/StringRef.h"

namespace tiny {

/// Call it when all passes are registered, before any option is: LLVM's own options are left to --help-hidden, and an
/// error is one line, without the operation behind it, unless --mlir-print-op-on-diagnostic asks for that. Returns the
/// text for --help: the overview, and Tiny's pipelines and passes before upstream's.
std::string prepareCommandLine(llvm::StringRef overview, mlir::DialectRegistry &registry);

/// The part of it that is about errors, for tools with other command lines.
void printErrorsAlone();

} // namespace tiny

#endif // TINY_PIPELINES_COMMANDLINE_H
