// Asks the processor what it can do.
#include "Features.h"
#include "Tiny/Runtime/Format.h"

bool tiny::runtime::machineHas(uint32_t machine, uint64_t features) {
#if defined(__x86_64__)
  if (machine != TINY_MACHINE_X86_64 && machine != TINY_MACHINE_ANY)
    return false;
  __builtin_cpu_init();
  uint64_t present = 0;
#define TINY_FEATURE(bit, name) present |= __builtin_cpu_supports(name) ? uint64_t(bit) : 0;
  TINY_FEATURE(TINY_X86_SSE3, "sse3")
  TINY_FEATURE(TINY_X86_SSSE3, "ssse3")
  TINY_FEATURE(TINY_X86_SSE41, "sse4.1")
  TINY_FEATURE(TINY_X86_SSE42, "sse4.2")
  TINY_FEATURE(TINY_X86_POPCNT, "popcnt")
  TINY_FEATURE(TINY_X86_AVX, "avx")
  TINY_FEATURE(TINY_X86_F16C, "f16c")
  TINY_FEATURE(TINY_X86_FMA, "fma")
  TINY_FEATURE(TINY_X86_AVX2, "avx2")
  TINY_FEATURE(TINY_X86_BMI, "bmi")
  TINY_FEATURE(TINY_X86_BMI2, "bmi2")
  TINY_FEATURE(TINY_X86_LZCNT, "lzcnt")
  TINY_FEATURE(TINY_X86_MOVBE, "movbe")
  TINY_FEATURE(TINY_X86_AVX512F, "avx512f")
  TINY_FEATURE(TINY_X86_AVX512BW, "avx512bw")
  TINY_FEATURE(TINY_X86_AVX512CD, "avx512cd")
  TINY_FEATURE(TINY_X86_AVX512DQ, "avx512dq")
  TINY_FEATURE(TINY_X86_AVX512VL, "avx512vl")
  TINY_FEATURE(TINY_X86_AVX512VNNI, "avx512vnni")
  TINY_FEATURE(TINY_X86_AVX512BF16, "avx512bf16")
  TINY_FEATURE(TINY_X86_AVX512FP16, "avx512fp16")
  TINY_FEATURE(TINY_X86_AVXVNNI, "avxvnni")
  TINY_FEATURE(TINY_X86_AVX512VBMI, "avx512vbmi")
  TINY_FEATURE(TINY_X86_AVX512VBMI2, "avx512vbmi2")
  TINY_FEATURE(TINY_X86_AVX512BITALG, "avx512bitalg")
  TINY_FEATURE(TINY_X86_AVX512VPOPCNTDQ, "avx512vpopcntdq")
  TINY_FEATURE(TINY_X86_AVX512IFMA, "avx512ifma")
  TINY_FEATURE(TINY_X86_GFNI, "gfni")
  TINY_FEATURE(TINY_X86_VPCLMULQDQ, "vpclmulqdq")
#undef TINY_FEATURE
  return (features & ~present) == 0;
#elif defined(__aarch64__)
  return (machine == TINY_MACHINE_AARCH64 || machine == TINY_MACHINE_ANY) && features == 0;
#else
  return machine == TINY_MACHINE_ANY && features == 0;
#endif
}
