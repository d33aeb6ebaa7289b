// NCCL's interface, as far as the runtime uses it: declarations of our own, so that no build needs its headers. They
// are those of version 2; later ones of it keep them as they are.
#ifndef TINY_LIB_RUNTIME_NCCL_API_H
#define TINY_LIB_RUNTIME_NCCL_API_H

#include <cstddef>

namespace tiny {
namespace runtime {
namespace nccl {

using Comm = struct ncclComm *;
using Stream = struct CUstream_st *;
using Result = int; ///< ncclResult_t, 0 is success

/// ncclUniqueId, which is passed by value.
struct UniqueId {
  char internal[128];
};

/// ncclDataType_t.
enum DataType : int {
  kInt8 = 0,
  kUint8 = 1,
  kInt32 = 2,
  kUint32 = 3,
  kInt64 = 4,
  kUint64 = 5,
  kFloat16 = 6,
  kFloat32 = 7,
  kFloat64 = 8,
  kBfloat16 = 9,
};

/// ncclRedOp_t.
enum Reduction : int { kSum = 0, kProduct = 1, kMax = 2, kMin = 3 };

/// FUNCTION(name behind `nccl`, result, parameters).
#define TINY_NCCL_FUNCTIONS(FUNCTION)                                                                                  \
  FUNCTION(GetErrorString, const char *, (Result))                                                                     \
  FUNCTION(GetUniqueId, Result, (UniqueId *))                                                                          \
  FUNCTION(CommInitRank, Result, (Comm *, int, UniqueId, int))                                                         \
  FUNCTION(CommDestroy, Result, (Comm))                                                                                \
  FUNCTION(CommAbort, Result, (Comm))                                                                                  \
  FUNCTION(AllReduce, Result, (const void *, void *, size_t, DataType, Reduction, Comm, Stream))                       \
  FUNCTION(ReduceScatter, Result, (const void *, void *, size_t, DataType, Reduction, Comm, Stream))                   \
  FUNCTION(AllGather, Result, (const void *, void *, size_t, DataType, Comm, Stream))                                  \
  FUNCTION(Broadcast, Result, (const void *, void *, size_t, DataType, int, Comm, Stream))                             \
  FUNCTION(Send, Result, (const void *, size_t, DataType, int, Comm, Stream))                                          \
  FUNCTION(Recv, Result, (void *, size_t, DataType, int, Comm, Stream))                                                \
  FUNCTION(GroupStart, Result, ())                                                                                     \
  FUNCTION(GroupEnd, Result, ())

struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define TINY_NCCL_POINTER(Name, Answer, Parameters) Answer(*Name) Parameters = nullptr;
  TINY_NCCL_FUNCTIONS(TINY_NCCL_POINTER)
#undef TINY_NCCL_POINTER
};

} // namespace nccl
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_NCCL_API_H
