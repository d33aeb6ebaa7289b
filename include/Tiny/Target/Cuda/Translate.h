// Kernels as PTX, in tiny-translate.
#ifndef TINY_TARGET_CUDA_TRANSLATE_H
#define TINY_TARGET_CUDA_TRANSLATE_H

namespace tiny::cuda {

/// Registers `kernels-to-ptx`, which prints what the target makes of a module's kernels at the llvm level, for the
/// architecture of its record. Call it once, before the command line is read.
void registerTranslations();

} // namespace tiny::cuda

#endif // TINY_TARGET_CUDA_TRANSLATE_H
