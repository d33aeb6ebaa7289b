// Compiled kernels as text, in tiny-translate.
#ifndef TINY_TARGET_CPU_TRANSLATE_H
#define TINY_TARGET_CPU_TRANSLATE_H

namespace tiny::cpu {

/// Registers `kernels-to-llvmir` and `kernels-to-assembly`, which print the code that the CPU target makes of a module
/// at the llvm level, and their option `--processor`. Call it once, before the command line is read.
void registerTranslations();

} // namespace tiny::cpu

#endif // TINY_TARGET_CPU_TRANSLATE_H
