// From a module of EmitC kernels and a program to files of C.
#ifndef TINY_LIB_TARGET_C_WRITEPROGRAM_H
#define TINY_LIB_TARGET_C_WRITEPROGRAM_H

#include "Tiny/Target/Target.h"

namespace tiny::c {

/// What the file needs before its first function: includes and the functions `tiny_...` that kernels call.
llvm::StringRef getHelpers();

/// The module's program, or its kernels alone where it has none. The header and the file with large constants follow
/// the main file; with `single` there is one file, which holds all. Reports what has no form in C.
mlir::FailureOr<std::vector<OutputFile>> writeProgram(mlir::ModuleOp module, llvm::StringRef stem, bool single);

} // namespace tiny::c

#endif // TINY_LIB_TARGET_C_WRITEPROGRAM_H
