// Compilations that a person waits for: what they see meanwhile, and how they end them.
#ifndef TINY_LIB_FRONTEND_COMPILING_H
#define TINY_LIB_FRONTEND_COMPILING_H

#include "Graph.h"
#include "Tiny/Driver/Executable.h"

namespace tiny::frontend {

/// Compiles a program for a device of the runtime, by its name; empty means the default target's. Lowers the module in
/// place. After a second a terminal shows how far it is. Where `setInterruptible` says so, SIGINT ends it with a
/// failure, if the main thread compiles and the process has a handler of that signal, which is called as well.
Result<std::shared_ptr<Executable>> compileWatched(mlir::ModuleOp module, llvm::StringRef device = "");

} // namespace tiny::frontend

#endif // TINY_LIB_FRONTEND_COMPILING_H
