// Kernels as SPIR-V, in tiny-translate.
#ifndef TINY_TARGET_VULKAN_TRANSLATE_H
#define TINY_TARGET_VULKAN_TRANSLATE_H

namespace tiny::vulkan {

/// Registers `kernels-to-spirv`, which writes a module's kernels at the spirv level. Call it once, before the command
/// line is read.
void registerTranslations();

} // namespace tiny::vulkan

#endif // TINY_TARGET_VULKAN_TRANSLATE_H
