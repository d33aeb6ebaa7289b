/* The element types that the compiler, the runtime and files agree on. Plain C; any layer may include it. */
#ifndef TINY_RUNTIME_ABI_H
#define TINY_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Element types. The numbers are part of the binary interface and never change. */
typedef enum tiny_dtype {
  TINY_DTYPE_I1 = 0, /**< one byte in memory, 0 or 1 */
  TINY_DTYPE_I8 = 1,
  TINY_DTYPE_I16 = 2,
  TINY_DTYPE_I32 = 3,
  TINY_DTYPE_I64 = 4,
  TINY_DTYPE_U8 = 5,
  TINY_DTYPE_U16 = 6,
  TINY_DTYPE_U32 = 7,
  TINY_DTYPE_U64 = 8,
  TINY_DTYPE_F16 = 9,
  TINY_DTYPE_BF16 = 10,
  TINY_DTYPE_F32 = 11,
  TINY_DTYPE_F64 = 12,
  TINY_DTYPE_F8E4M3FN = 13,
  TINY_DTYPE_F8E5M2 = 14
} tiny_dtype;

/** Bytes that one element takes in memory; 0 for a number that names no type. */
static inline uint64_t tiny_dtype_size(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I1:
  case TINY_DTYPE_I8:
  case TINY_DTYPE_U8:
  case TINY_DTYPE_F8E4M3FN:
  case TINY_DTYPE_F8E5M2:
    return 1;
  case TINY_DTYPE_I16:
  case TINY_DTYPE_U16:
  case TINY_DTYPE_F16:
  case TINY_DTYPE_BF16:
    return 2;
  case TINY_DTYPE_I32:
  case TINY_DTYPE_U32:
  case TINY_DTYPE_F32:
    return 4;
  case TINY_DTYPE_I64:
  case TINY_DTYPE_U64:
  case TINY_DTYPE_F64:
    return 8;
  }
  return 0;
}

/** A kernel of the CPU device: its buffers in the order of its arguments, and the index along each grid axis. */
typedef void (*tiny_cpu_kernel)(void *const *buffers, const int64_t *grid_index);

#ifdef __cplusplus
}
#endif

#endif /* TINY_RUNTIME_ABI_H */
