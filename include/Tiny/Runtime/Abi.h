/* What the compiler, the runtime and files agree on: element types, and what a device states of itself. Plain C; any
 * layer may include it. */
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

/** A product of matrices that the lanes of a subgroup compute together: m x k by k x n, added to a sum. */
typedef struct tiny_matrix_shape {
  uint32_t m, n, k;
  tiny_dtype factor, sum;
} tiny_matrix_shape;

/** What a device states of itself, for the compiler to make a record of. What is 0 it does not state. */
typedef struct tiny_device_facts {
  const char *name; /**< in the driver's words */
  uint32_t cores;
  uint32_t dtypes; /**< bit 1 << TINY_DTYPE_*: kernels compute in it, and have it in buffers */
  uint32_t subgroup_lanes;
  uint32_t workgroup_lanes, workgroup_extents[3]; /**< at most, together and along x, y and z */
  uint32_t workgroup_bytes;                       /**< that the lanes of one share */
  uint32_t grid[3];                               /**< workgroups of a launch along x, y and z */
  uint32_t buffers;                               /**< of a kernel */
  uint64_t buffer_bytes;
  uint32_t loop_rounds; /**< after which it ends all loops of a lane */
  uint32_t n_matrices;
  const tiny_matrix_shape *matrices;
} tiny_device_facts;

/** A kernel of the CPU device: its buffers in the order of its arguments, and the index along each grid axis. */
typedef void (*tiny_cpu_kernel)(void *const *buffers, const int64_t *grid_index);

#ifdef __cplusplus
}
#endif

#endif /* TINY_RUNTIME_ABI_H */
