// Collectives of a program, and what ranks agree on before the first one.
#include "ProgramRanks.h"

#include "Error.h"
#include "Handles.h"
#include "LoadedProgram.h"

#include <algorithm>

namespace tiny {
namespace runtime {

tiny_status checkRanks(tiny_program &program, tiny_communicator *communicator) {
  if (program.grid.empty())
    return TINY_OK;
  uint64_t ranks = 1;
  for (int64_t size : program.grid)
    ranks *= uint64_t(size);
  if (!communicator)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s' is one of %llu ranks, and has no communicator",
                program.name.c_str(), (unsigned long long)ranks);
  if (tiny_status status = checkHandle(communicator, HandleKind::Communicator))
    return status;
  if (communicator->size != ranks)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s' is for %llu ranks, and there are %u", program.name.c_str(),
                (unsigned long long)ranks, communicator->size);
  {
    std::lock_guard<std::mutex> lock(program.arenasMutex);
    if (std::find(program.agreed.begin(), program.agreed.end(), communicator->number) != program.agreed.end())
      return TINY_OK;
  }
  uint64_t identity = program.loaded ? program.loaded->container.getIdentity() : program.steps.size();
  std::string differs = "runs another program '" + program.name.substr(0, 100) + "'";
  if (tiny_status status = agree(*communicator, identity, differs.c_str()))
    return status;
  std::lock_guard<std::mutex> lock(program.arenasMutex);
  program.agreed.push_back(communicator->number);
  return TINY_OK;
}

static tiny_status callOnCopies(tiny_device &device, tiny_communicator &communicator, const Region &from,
                                const Region &to, tiny_group_call call) {
  std::vector<char> source(from.size), target(to.size);
  bool sends = call.kind != TINY_SEND || call.place == 0, receives = call.kind != TINY_SEND || call.place == 1;
  if (tiny_status status = sends ? device.read(from, source.data()) : TINY_OK)
    return status;
  call.source = source.data();
  call.target = target.data();
  if (tiny_status status = callCollective(communicator, call))
    return status;
  return receives ? device.write(to, target.data()) : TINY_OK;
}

/// By a communicator of the device's own. The call is handed to a stream, and who needs its target waits there.
static tiny_status callOnDevice(tiny_device &device, tiny_communicator &communicator, const Region &from,
                                const Region &to, tiny_group_call call) {
  call.timeout = communicator.timeout;
  if (tiny_status status = communicator.meet(call))
    return status;
  return device.enqueueCall(from, to, [&](uint64_t source, uint64_t target, void *stream) {
    // NOLINTBEGIN(performance-no-int-to-ptr): addresses of a device
    call.source = reinterpret_cast<const void *>(source);
    call.target = reinterpret_cast<void *>(target);
    // NOLINTEND(performance-no-int-to-ptr)
    return communicator.callOnDevice(call, stream);
  });
}

/// The call that this rank makes for the step; of a message between others there is none.
static tiny_group_call describeCall(const tiny_program &program, uint32_t rank, const Step &step, uint64_t bytes,
                                    std::vector<uint32_t> &group) {
  tiny_group_call call = {};
  call.kind = step.collective;
  call.reduction = step.reduction;
  call.dtype = step.dtype;
  call.place = findGroup(program.grid, step.axes, rank, group);
  if (step.collective == TINY_SEND) {
    bool takesPart = call.place == step.peers[0] || call.place == step.peers[1];
    call.place = call.place == step.peers[0] ? 0 : 1;
    group = takesPart ? std::vector<uint32_t>{group[step.peers[0]], group[step.peers[1]]} : std::vector<uint32_t>();
  }
  call.n_ranks = uint32_t(group.size());
  bool hasParts = step.collective == TINY_REDUCE_SCATTER || step.collective == TINY_ALL_TO_ALL;
  call.count = group.empty() ? 0 : bytes / tiny_dtype_size(step.dtype) / (hasParts ? group.size() : 1);
  return call;
}

void passOver(tiny_communicator &communicator) {
  if (communicator.beside.isIdle())
    return communicator.passOver();
  communicator.beside.push([&communicator] {
    communicator.passOver();
    return TINY_OK;
  });
}

tiny_status runStepOfRanks(tiny_device &device, const tiny_program &program, tiny_communicator &communicator,
                           const Step &step, const Region &from, const Region &to, uint64_t &number) {
  number = 0;
  std::vector<uint32_t> group;
  tiny_group_call call = describeCall(program, communicator.rank, step, from.size, group);
  if (group.empty())
    passOver(communicator);
  if (!call.count)
    return TINY_OK;
  bool isOnDevice = communicator.runsOn(device, call);
  bool isBeside = step.isAsync && (isOnDevice || device.computesInHostMemory());
  if (!isBeside)
    if (tiny_status status = communicator.beside.drain())
      return status;
  call.ranks = group.data();
  if (isOnDevice && !isBeside)
    return callOnDevice(device, communicator, from, to, call);
  if (isOnDevice) {
    // The queue's thread has a stream of its own. Work of this one is ordered with it by the memory that both use.
    number = communicator.beside.push([&device, &communicator, from, to, call, ranks = std::move(group)]() mutable {
      call.ranks = ranks.data();
      return callOnDevice(device, communicator, from, to, call);
    });
    return TINY_OK;
  }
  if (tiny_status status = device.synchronize())
    return status;
  void *source = nullptr, *target = nullptr;
  tiny_status status = device.map(from, TINY_MAP_READ, &source);
  if (status == TINY_UNSUPPORTED)
    return callOnCopies(device, communicator, from, to, call);
  if (status)
    return status;
  status = device.map(to, TINY_MAP_WRITE, &target);
  call.source = source;
  call.target = target;
  if (isBeside && !status) {
    // Its memory stays mapped: an address is all that a mapping is there.
    number = communicator.beside.push([&communicator, call, ranks = std::move(group)]() mutable {
      call.ranks = ranks.data();
      return callCollective(communicator, call);
    });
    return TINY_OK;
  }
  if (!status) {
    status = callCollective(communicator, call);
    tiny_status unmapped = device.unmap(to, target);
    status = status ? status : unmapped;
  }
  tiny_status unmapped = device.unmap(from, source);
  return status ? status : unmapped;
}

} // namespace runtime
} // namespace tiny
