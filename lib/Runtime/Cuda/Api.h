// CUDA's driver interface, as far as the runtime uses it: declarations of our own, so that no build needs a toolkit.
// They are those of version 12.0, and functions are asked for by that version: a later driver keeps them as they are.
#ifndef TINY_LIB_RUNTIME_CUDA_API_H
#define TINY_LIB_RUNTIME_CUDA_API_H

#include <cstddef>
#include <cstdint>

namespace tiny {
namespace runtime {
namespace cuda {

/// 1000 * major + 10 * minor of the version that the declarations below are of, and of those of loops in graphs. A
/// later version of cuGraphAddNode has other parameters.
constexpr int kApiVersion = 12000, kAddNodeVersion = 12020, kConditionalVersion = 12030;

using CUdevice = int;
using CUdeviceptr = unsigned long long;
using CUcontext = struct CUctx_st *;
using CUmodule = struct CUmod_st *;
using CUfunction = struct CUfunc_st *;
using CUstream = struct CUstream_st *;
using CUevent = struct CUevent_st *;
using CUmemoryPool = struct CUmemPoolHandle_st *;
using CUgraph = struct CUgraph_st *;
using CUgraphNode = struct CUgraphNode_st *;
using CUgraphExec = struct CUgraphExec_st *;
using CUgraphConditionalHandle = unsigned long long;

/// Results that the runtime tells from others.
enum CUresult : int {
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NO_DEVICE = 100,
  CUDA_ERROR_INVALID_PTX = 218,
  CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
  CUDA_ERROR_NOT_FOUND = 500,
  CUDA_ERROR_NOT_READY = 600,
  CUDA_ERROR_ILLEGAL_ADDRESS = 700,
  CUDA_ERROR_LAUNCH_TIMEOUT = 702,
  CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED = 704,
  CUDA_ERROR_ASSERT = 710,
  CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
  CUDA_ERROR_LAUNCH_FAILED = 719,
  CUDA_ERROR_NOT_SUPPORTED = 801,
};

/// CUdevice_attribute.
enum : int {
  CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
  CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X = 2, ///< y and z behind it
  CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X = 5,  ///< y and z behind it
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
  CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
  CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97,
  CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED = 115,
};

/// CUfunction_attribute.
enum : int {
  CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
  CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
  CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
};

/// CUjit_option.
enum : int {
  CU_JIT_ERROR_LOG_BUFFER = 5,
  CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,
};

enum : unsigned { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_EVENT_DISABLE_TIMING = 2 };
enum : int {
  CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
  CU_MEM_ALLOCATION_TYPE_PINNED = 1,
  CU_MEM_LOCATION_TYPE_DEVICE = 1,
  CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3
};
enum : unsigned { CU_MEMORYTYPE_DEVICE = 2 };

struct CUmemPoolProps {
  int allocType;
  int handleTypes;
  struct {
    int type, id;
  } location;
  void *win32SecurityAttributes;
  unsigned char reserved[64];
};
static_assert(sizeof(CUmemPoolProps) == 88, "as the driver has it");

/// Which device may do what with a pool's memory.
struct CUmemAccessDesc {
  struct {
    int type, id;
  } location;
  int flags;
};

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct CUkernelNodeParams {
  CUfunction func;
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  void **kernelParams;
  void **extra;
  void *kern;
  CUcontext ctx;
};
static_assert(sizeof(CUkernelNodeParams) == 72, "as the driver has it");

/// CUDA_MEMSET_NODE_PARAMS_v1.
struct CUmemsetNodeParams {
  CUdeviceptr dst;
  size_t pitch;
  unsigned value;
  unsigned elementSize;
  size_t width;
  size_t height;
};

/// CUDA_MEMCPY3D_v2.
struct CUmemcpy3D {
  size_t srcXInBytes, srcY, srcZ, srcLOD;
  unsigned srcMemoryType;
  const void *srcHost;
  CUdeviceptr srcDevice;
  void *srcArray, *reserved0;
  size_t srcPitch, srcHeight;
  size_t dstXInBytes, dstY, dstZ, dstLOD;
  unsigned dstMemoryType;
  void *dstHost;
  CUdeviceptr dstDevice;
  void *dstArray, *reserved1;
  size_t dstPitch, dstHeight;
  size_t WidthInBytes, Height, Depth;
};
static_assert(sizeof(CUmemcpy3D) == 200, "as the driver has it");

enum : int { CU_GRAPH_NODE_TYPE_CONDITIONAL = 13, CU_GRAPH_COND_TYPE_WHILE = 1 };
enum : unsigned { CU_GRAPH_COND_ASSIGN_DEFAULT = 1 };

/// CUgraphNodeParams of a conditional node. What is not used must be zero.
struct CUconditionalNodeParams {
  int type;
  int reserved0[3];
  CUgraphConditionalHandle handle;
  int conditionalType;
  unsigned size;
  /// The driver's list of the graphs of what is done, of `size`.
  CUgraph *bodies;
  CUcontext ctx;
  char reserved1[200];
  long long reserved2;
};
static_assert(sizeof(CUconditionalNodeParams) == 256, "as the driver has it");

/// What the device reads of an array that it copies boxes of.
struct alignas(64) CUtensorMap {
  uint64_t opaque[16];
};

/// CUtensorMapDataType and CUtensorMapSwizzle, as far as they are used; zeros stand for no interleaving, and for zeros
/// outside of the array.
enum : int {
  CU_TENSOR_MAP_DATA_TYPE_UINT8 = 0,
  CU_TENSOR_MAP_DATA_TYPE_UINT16 = 1,
  CU_TENSOR_MAP_DATA_TYPE_UINT32 = 2,
  CU_TENSOR_MAP_DATA_TYPE_UINT64 = 4,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT16 = 6,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT32 = 7,
  CU_TENSOR_MAP_DATA_TYPE_FLOAT64 = 8,
  CU_TENSOR_MAP_DATA_TYPE_BFLOAT16 = 9,
  CU_TENSOR_MAP_SWIZZLE_NONE = 0,
  CU_TENSOR_MAP_SWIZZLE_32B = 1,
  CU_TENSOR_MAP_SWIZZLE_64B = 2,
  CU_TENSOR_MAP_SWIZZLE_128B = 3,
  CU_TENSOR_MAP_L2_PROMOTION_L2_128B = 2,
};

/// Every function that a device must have: F(Name, parameters). Names are the plain ones; the version says which is
/// meant.
#define TINY_CUDA_FUNCTIONS(F)                                                                                         \
  F(Init, (unsigned flags))                                                                                            \
  F(DriverGetVersion, (int *version))                                                                                  \
  F(GetErrorName, (CUresult error, const char **name))                                                                 \
  F(GetErrorString, (CUresult error, const char **text))                                                               \
  F(DeviceGetCount, (int *count))                                                                                      \
  F(DeviceGet, (CUdevice * device, int ordinal))                                                                       \
  F(DeviceGetName, (char *name, int length, CUdevice device))                                                          \
  F(DeviceGetAttribute, (int *value, int attribute, CUdevice device))                                                  \
  F(DeviceTotalMem, (size_t *bytes, CUdevice device))                                                                  \
  F(DevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                                                    \
  F(DevicePrimaryCtxRelease, (CUdevice device))                                                                        \
  F(CtxPushCurrent, (CUcontext context))                                                                               \
  F(CtxPopCurrent, (CUcontext * context))                                                                              \
  F(StreamCreate, (CUstream * stream, unsigned flags))                                                                 \
  F(StreamDestroy, (CUstream stream))                                                                                  \
  F(StreamSynchronize, (CUstream stream))                                                                              \
  F(StreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                                                 \
  F(EventCreate, (CUevent * event, unsigned flags))                                                                    \
  F(EventDestroy, (CUevent event))                                                                                     \
  F(EventRecord, (CUevent event, CUstream stream))                                                                     \
  F(EventElapsedTime, (float *milliseconds, CUevent begin, CUevent end))                                               \
  F(EventSynchronize, (CUevent event))                                                                                 \
  F(MemAlloc, (CUdeviceptr * pointer, size_t bytes))                                                                   \
  F(MemFree, (CUdeviceptr pointer))                                                                                    \
  F(MemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                                                      \
  F(MemFreeHost, (void *pointer))                                                                                      \
  F(MemcpyHtoDAsync, (CUdeviceptr target, const void *source, size_t bytes, CUstream stream))                          \
  F(MemcpyDtoHAsync, (void *target, CUdeviceptr source, size_t bytes, CUstream stream))                                \
  F(MemcpyDtoDAsync, (CUdeviceptr target, CUdeviceptr source, size_t bytes, CUstream stream))                          \
  F(MemsetD8Async, (CUdeviceptr target, unsigned char value, size_t count, CUstream stream))                           \
  F(MemsetD16Async, (CUdeviceptr target, unsigned short value, size_t count, CUstream stream))                         \
  F(MemsetD32Async, (CUdeviceptr target, unsigned value, size_t count, CUstream stream))                               \
  F(MemsetD2D8Async,                                                                                                   \
    (CUdeviceptr target, size_t pitch, unsigned char value, size_t width, size_t height, CUstream stream))             \
  F(ModuleLoadDataEx, (CUmodule * module, const void *image, unsigned count, int *options, void **values))             \
  F(ModuleUnload, (CUmodule module))                                                                                   \
  F(ModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))                                     \
  F(FuncGetAttribute, (int *value, int attribute, CUfunction function))                                                \
  F(FuncSetAttribute, (CUfunction function, int attribute, int value))                                                 \
  F(LaunchKernel,                                                                                                      \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY,            \
     unsigned blockZ, unsigned sharedBytes, CUstream stream, void **parameters, void **extra))

/// What a device may lack: memory in a stream's order.
#define TINY_CUDA_POOL_FUNCTIONS(F)                                                                                    \
  F(MemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps *properties))                                            \
  F(MemPoolDestroy, (CUmemoryPool pool))                                                                               \
  F(MemPoolSetAttribute, (CUmemoryPool pool, int attribute, void *value))                                              \
  F(MemAllocFromPoolAsync, (CUdeviceptr * pointer, size_t bytes, CUmemoryPool pool, CUstream stream))                  \
  F(MemFreeAsync, (CUdeviceptr pointer, CUstream stream))

/// And ways to other devices' memory.
#define TINY_CUDA_PEER_FUNCTIONS(F)                                                                                    \
  F(DeviceCanAccessPeer, (int *can, CUdevice device, CUdevice peer))                                                   \
  F(CtxEnablePeerAccess, (CUcontext peer, unsigned flags))                                                             \
  F(MemPoolSetAccess, (CUmemoryPool pool, const CUmemAccessDesc *list, size_t count))                                  \
  F(MemcpyPeerAsync, (CUdeviceptr target, CUcontext targetContext, CUdeviceptr source, CUcontext sourceContext,        \
                      size_t bytes, CUstream stream))

/// And maps of arrays, which kernels of some architectures want.
#define TINY_CUDA_MAP_FUNCTIONS(F)                                                                                     \
  F(TensorMapEncodeTiled,                                                                                              \
    (CUtensorMap * map, int type, unsigned rank, void *address, const uint64_t *extents, const uint64_t *strides,      \
     const unsigned *box, const unsigned *steps, int interleave, int swizzle, int promotion, int fill))

/// And graphs.
#define TINY_CUDA_GRAPH_FUNCTIONS(F)                                                                                   \
  F(GraphCreate, (CUgraph * graph, unsigned flags))                                                                    \
  F(GraphDestroy, (CUgraph graph))                                                                                     \
  F(GraphAddKernelNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,             \
                         const CUkernelNodeParams *parameters))                                                        \
  F(GraphAddMemsetNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,             \
                         const CUmemsetNodeParams *parameters, CUcontext context))                                     \
  F(GraphAddMemcpyNode, (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,             \
                         const CUmemcpy3D *parameters, CUcontext context))                                             \
  F(GraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))                          \
  F(GraphExecKernelNodeSetParams, (CUgraphExec exec, CUgraphNode node, const CUkernelNodeParams *parameters))          \
  F(GraphExecMemsetNodeSetParams,                                                                                      \
    (CUgraphExec exec, CUgraphNode node, const CUmemsetNodeParams *parameters, CUcontext context))                     \
  F(GraphExecMemcpyNodeSetParams,                                                                                      \
    (CUgraphExec exec, CUgraphNode node, const CUmemcpy3D *parameters, CUcontext context))                             \
  F(GraphExecDestroy, (CUgraphExec exec))                                                                              \
  F(GraphLaunch, (CUgraphExec exec, CUstream stream))

/// And loops in graphs, each with the version that it is asked for by: F(Name, version, parameters).
#define TINY_CUDA_LOOP_FUNCTIONS(F)                                                                                    \
  F(GraphConditionalHandleCreate, kConditionalVersion,                                                                 \
    (CUgraphConditionalHandle * handle, CUgraph graph, CUcontext context, unsigned initial, unsigned flags))           \
  F(GraphAddNode, kAddNodeVersion,                                                                                     \
    (CUgraphNode * node, CUgraph graph, const CUgraphNode *dependencies, size_t count,                                 \
     CUconditionalNodeParams *parameters))

/// The functions, found in the driver that this process opens. Nothing is linked; null is what there is not.
struct Api {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration's parameters
#define TINY_CUDA_DECLARE(Name, Parameters) CUresult(*Name) Parameters = nullptr;
  TINY_CUDA_FUNCTIONS(TINY_CUDA_DECLARE)
  TINY_CUDA_POOL_FUNCTIONS(TINY_CUDA_DECLARE)
  TINY_CUDA_PEER_FUNCTIONS(TINY_CUDA_DECLARE)
  TINY_CUDA_MAP_FUNCTIONS(TINY_CUDA_DECLARE)
  TINY_CUDA_GRAPH_FUNCTIONS(TINY_CUDA_DECLARE)
#undef TINY_CUDA_DECLARE
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define TINY_CUDA_DECLARE(Name, Version, Parameters) CUresult(*Name) Parameters = nullptr;
  TINY_CUDA_LOOP_FUNCTIONS(TINY_CUDA_DECLARE)
#undef TINY_CUDA_DECLARE
  /// `status` says why a function is not there.
  CUresult (*GetProcAddress)(const char *name, void **function, int version, uint64_t flags, int *status) = nullptr;
};

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_API_H
