// The communicator "nccl": collectives on the memory of CUDA's devices, by NVIDIA's library, which is opened by dlopen.
//
// Another communicator starts it, carries what is in the host's memory, and is where ranks meet before each collective:
// they see that all come with the same one, within the time limit, before a GPU waits for another. A call only hands
// work to a stream. Every group of ranks has a communicator of NCCL's, made when they first meet in it.
#include "Api.h"
#include "Communicator.h"
#include "Device.h"
#include "Error.h"
#include "Handles.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <memory>

using namespace tiny::runtime;
using namespace tiny::runtime::nccl;

namespace {

/// The library to open.
constexpr const char *kLibraryVariable = "TINY_NCCL_LIBRARY";

tiny_status openLibrary(Api &api) {
  const char *chosen = std::getenv(kLibraryVariable), *name = chosen && *chosen ? chosen : "libnccl.so.2";
  // Never closed: it has threads.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(TINY_NOT_FOUND, "communicator 'nccl' needs NVIDIA's NCCL: %.300s", dlerror());
#define TINY_NCCL_FIND(Name, Answer, Parameters)                                                                       \
  if (!(api.Name = reinterpret_cast<decltype(api.Name)>(dlsym(library, "nccl" #Name))))                                \
    return fail(TINY_UNSUPPORTED, "communicator 'nccl': '%.200s' has no %s, expected NCCL 2.7 or later", name,         \
                "nccl" #Name);
  TINY_NCCL_FUNCTIONS(TINY_NCCL_FIND)
#undef TINY_NCCL_FIND
  return TINY_OK;
}

/// An element type of NCCL's, and how many of them one of ours is; none where it only has bytes for it.
struct ElementType {
  DataType type;
  uint64_t each;
  bool canReduce;
};

ElementType getElementType(tiny_dtype dtype) {
  switch (dtype) {
  case TINY_DTYPE_I8:
    return {kInt8, 1, true};
  case TINY_DTYPE_U8:
    return {kUint8, 1, true};
  case TINY_DTYPE_I32:
    return {kInt32, 1, true};
  case TINY_DTYPE_U32:
    return {kUint32, 1, true};
  case TINY_DTYPE_I64:
    return {kInt64, 1, true};
  case TINY_DTYPE_U64:
    return {kUint64, 1, true};
  case TINY_DTYPE_F16:
    return {kFloat16, 1, true};
  case TINY_DTYPE_F32:
    return {kFloat32, 1, true};
  case TINY_DTYPE_F64:
    return {kFloat64, 1, true};
  case TINY_DTYPE_BF16:
    return {kBfloat16, 1, true};
  default:
    return {kUint8, tiny_dtype_size(dtype), false};
  }
}

bool isFloat(DataType type) { return type >= kFloat16; }

Reduction getReduction(tiny_reduction reduction) {
  switch (reduction) {
  case TINY_REDUCE_PRODUCT:
    return kProduct;
  case TINY_REDUCE_MAX:
    return kMax;
  case TINY_REDUCE_MIN:
    return kMin;
  default:
    return kSum;
  }
}

class NcclCommunicator : public tiny_communicator {
public:
  NcclCommunicator(const Api &api, tiny_communicator *control)
      : tiny_communicator(control->rank, control->size), api(api), control(control) {}
  ~NcclCommunicator() override {
    for (auto &[ranks, group] : groups)
      (void)(hasFailed ? api.CommAbort(group) : api.CommDestroy(group));
    tiny_communicator_release(control);
  }

  tiny_status call(const tiny_group_call &call) override {
    control->timeout = timeout.load();
    return callCollective(*control, call);
  }
  void abort(const char *message) override {
    hasFailed = true;
    for (auto &[ranks, group] : groups)
      (void)api.CommAbort(group);
    groups.clear();
    control->abort(message);
  }
  void passOver() override { control->passOver(); }

  bool runsOn(const tiny_device &device, const tiny_group_call &call) const override;
  tiny_status meet(const tiny_group_call &call) override;
  tiny_status callOnDevice(const tiny_group_call &call, void *stream) override;

private:
  tiny_status check(Result result, const char *name);
  tiny_status agreeOn(const tiny_group_call &call);
  tiny_status exchange(const tiny_group_call &call, ElementType element, Comm group, Stream stream);

  const Api api;
  /// Held.
  tiny_communicator *const control;
  std::map<std::vector<uint32_t>, Comm> groups;
  bool hasFailed = false;
};

/// The key of a group: messages go both ways through one.
std::vector<uint32_t> getKey(const tiny_group_call &call) {
  std::vector<uint32_t> ranks(call.ranks, call.ranks + call.n_ranks);
  if (call.kind == TINY_SEND)
    std::sort(ranks.begin(), ranks.end());
  return ranks;
}

} // namespace

tiny_status NcclCommunicator::check(Result result, const char *name) {
  if (!result)
    return TINY_OK;
  hasFailed = true;
  return fail(TINY_DEVICE_ERROR, "communicator 'nccl': %s gave %.300s on rank %u", name, api.GetErrorString(result),
              rank);
}

/// What it reduces as our own reduction does; the rest goes through the host. Its maximum of floats may drop a NaN.
bool NcclCommunicator::runsOn(const tiny_device &device, const tiny_group_call &call) const {
  if (std::strcmp(device.name, "cuda") != 0)
    return false;
  ElementType element = getElementType(call.dtype);
  bool orders = call.reduction == TINY_REDUCE_MAX || call.reduction == TINY_REDUCE_MIN;
  return call.reduction == TINY_REDUCE_NONE || (element.canReduce && !(orders && isFloat(element.type)));
}

/// All ranks of the group have come, with the same collective.
tiny_status NcclCommunicator::agreeOn(const tiny_group_call &call) {
  uint64_t own[2] = {uint64_t(call.kind) << 32 | uint64_t(call.reduction) << 16 | uint64_t(call.dtype), call.count};
  std::vector<uint64_t> all(2 * call.n_ranks);
  tiny_group_call meeting = call;
  meeting.kind = TINY_ALL_GATHER;
  meeting.reduction = TINY_REDUCE_NONE;
  meeting.dtype = TINY_DTYPE_U64;
  meeting.source = own;
  meeting.target = all.data();
  meeting.count = 2;
  if (tiny_status status = this->call(meeting))
    return status;
  for (uint32_t k = 0; k < call.n_ranks; ++k)
    if (all[2 * k] != own[0] || all[2 * k + 1] != own[1])
      return fail(TINY_DEVICE_ERROR, "rank %u comes with another collective than rank %u", call.ranks[k], rank);
  return TINY_OK;
}

tiny_status NcclCommunicator::meet(const tiny_group_call &call) {
  std::vector<uint32_t> key = getKey(call);
  // Who sends goes on: the receiver's stream waits, and nobody else.
  bool isKnown = groups.count(key) != 0;
  if (call.kind != TINY_SEND)
    if (tiny_status status = agreeOn(call))
      return status;
  if (isKnown)
    return TINY_OK;
  UniqueId id = {};
  uint32_t place = uint32_t(std::find(key.begin(), key.end(), rank) - key.begin());
  if (place == 0)
    if (tiny_status status = check(api.GetUniqueId(&id), "ncclGetUniqueId"))
      return status;
  UniqueId shared = {};
  tiny_group_call first = {};
  first.kind = TINY_BROADCAST;
  first.dtype = TINY_DTYPE_U8;
  first.ranks = key.data();
  first.n_ranks = uint32_t(key.size());
  first.place = place;
  first.source = &id;
  first.target = &shared;
  first.count = sizeof(id);
  if (tiny_status status = this->call(first))
    return status;
  Comm made = nullptr;
  if (tiny_status status = check(api.CommInitRank(&made, int(key.size()), shared, int(place)), "ncclCommInitRank"))
    return status;
  groups[key] = made;
  return TINY_OK;
}

tiny_status NcclCommunicator::exchange(const tiny_group_call &call, ElementType element, Comm group, Stream stream) {
  // Messages of one group are one operation: a rank could wait for its own otherwise.
  if (tiny_status status = check(api.GroupStart(), "ncclGroupStart"))
    return status;
  uint64_t bytes = call.count * tiny_dtype_size(call.dtype);
  tiny_status status = TINY_OK;
  for (uint32_t k = 0; k < call.n_ranks && !status; ++k) {
    status = check(api.Send(static_cast<const char *>(call.source) + k * bytes, call.count * element.each, element.type,
                            int(k), group, stream),
                   "ncclSend");
    if (!status)
      status = check(api.Recv(static_cast<char *>(call.target) + k * bytes, call.count * element.each, element.type,
                              int(k), group, stream),
                     "ncclRecv");
  }
  tiny_status ended = check(api.GroupEnd(), "ncclGroupEnd");
  return status ? status : ended;
}

tiny_status NcclCommunicator::callOnDevice(const tiny_group_call &call, void *onStream) {
  Comm group = groups.at(getKey(call));
  auto stream = static_cast<Stream>(onStream);
  ElementType element = getElementType(call.dtype);
  uint64_t count = call.count * element.each;
  Reduction reduction = getReduction(call.reduction);
  switch (call.kind) {
  case TINY_ALL_REDUCE:
    return check(api.AllReduce(call.source, call.target, count, element.type, reduction, group, stream),
                 "ncclAllReduce");
  case TINY_REDUCE_SCATTER:
    return check(api.ReduceScatter(call.source, call.target, count, element.type, reduction, group, stream),
                 "ncclReduceScatter");
  case TINY_ALL_GATHER:
    return check(api.AllGather(call.source, call.target, count, element.type, group, stream), "ncclAllGather");
  case TINY_BROADCAST:
    return check(api.Broadcast(call.source, call.target, count, element.type, /*root=*/0, group, stream),
                 "ncclBroadcast");
  case TINY_ALL_TO_ALL:
    return exchange(call, element, group, stream);
  default:
    break;
  }
  int peer = call.ranks[call.place] < call.ranks[1 - call.place] ? 1 : 0;
  return call.place == 0 ? check(api.Send(call.source, count, element.type, peer, group, stream), "ncclSend")
                         : check(api.Recv(call.target, count, element.type, peer, group, stream), "ncclRecv");
}

tiny_status tiny_communicator_create_nccl(tiny_communicator *control, tiny_communicator **communicator) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(control, HandleKind::Communicator))
      return status;
    if (!communicator)
      return fail(TINY_INVALID_ARGUMENT, "out parameter is null");
    Api api;
    if (tiny_status status = openLibrary(api))
      return status;
    if (tiny_status status = tiny_communicator_retain(control))
      return status;
    auto made = std::make_unique<NcclCommunicator>(api, control);
    made->timeout = control->timeout.load();
    enterHandle(made.get(), HandleKind::Communicator);
    *communicator = made.release();
    return TINY_OK;
  });
}
