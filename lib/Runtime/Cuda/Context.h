// The connection to one device of CUDA's: the driver's library, the device with its limits, its primary context, and
// whether all is still well. It lives as long as the process.
#ifndef TINY_LIB_RUNTIME_CUDA_CONTEXT_H
#define TINY_LIB_RUNTIME_CUDA_CONTEXT_H

#include "Api.h"
#include "Signal.h"

#include <atomic>
#include <mutex>
#include <string>

namespace tiny {
namespace runtime {
namespace cuda {

/// What the device has, as far as the runtime asks.
struct Limits {
  std::string name;
  int major = 0, minor = 0;
  uint64_t memoryBytes = 0;
  uint32_t lanesTogether = 0, sharedBytes = 0;
  uint32_t groups[3] = {}, lanes[3] = {};
  bool hasPools = false, hasGraphs = false, hasLoops = false, hasPeers = false, hasMaps = false;
};

class Context {
public:
  /// The name is for messages.
  explicit Context(const char *name) : name(name) {}
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;
  /// Of one that was not opened. The device's own is kept.
  ~Context();
  /// Loads, chooses the device of a number, or any, connects. Reports why that is not possible.
  tiny_status open(const uint32_t *number);

  /// TINY_OK for success, else an error with the call's name and the driver's words for it. What leaves the context
  /// dead makes the device lost.
  tiny_status check(CUresult result, const char *call);
  /// "CUDA_ERROR_INVALID_PTX (218): a PTX JIT compilation failed".
  std::string describe(CUresult result) const;
  /// The error that the device is lost, if it is.
  tiny_status checkWell();
  bool isLost() const { return lost; }

  const char *const name;
  Api cu;
  CUdevice device = 0;
  CUcontext context = nullptr;
  Limits limits;

private:
  tiny_status openLibrary();
  tiny_status chooseDevice(const uint32_t *number);
  tiny_status readLimits();
  void lose();

  std::atomic<bool> lost{false};
  std::mutex failureMutex;
  Failure loss;
};

/// Makes the context this thread's while it lives; what was the thread's before is so again behind it.
class Current {
public:
  explicit Current(Context &context) : context(context) {
    status = context.checkWell();
    if (!status)
      status = context.check(context.cu.CtxPushCurrent(context.context), "cuCtxPushCurrent");
    isPushed = !status;
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;
  ~Current() {
    CUcontext popped;
    if (isPushed)
      (void)context.cu.CtxPopCurrent(&popped);
  }

  /// Why nothing may be called.
  tiny_status status;

private:
  Context &context;
  bool isPushed;
};

/// The driver's library to open, and part of the name of devices to choose among.
constexpr const char *kLibraryVariable = "TINY_CUDA_LIBRARY";
constexpr const char *kDeviceVariable = "TINY_CUDA_DEVICE";
/// "0": devices copy from each other through the host.
constexpr const char *kPeersVariable = "TINY_CUDA_PEERS";

} // namespace cuda
} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CUDA_CONTEXT_H
