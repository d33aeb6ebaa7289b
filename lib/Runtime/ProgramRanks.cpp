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
  if (tiny_status status = agree(*communicator, identity, program.name.c_str()))
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

tiny_status runStepOfRanks(tiny_device &device, const tiny_program &program, tiny_communicator &communicator,
                           const Step &step, const Region &from, const Region &to) {
  std::vector<uint32_t> group;
  tiny_group_call call = {};
  call.kind = step.collective;
  call.reduction = step.reduction;
  call.dtype = step.dtype;
  call.place = findGroup(program.grid, step.axes, communicator.rank, group);
  if (step.collective == TINY_SEND) {
    if (call.place != step.peers[0] && call.place != step.peers[1]) {
      communicator.passOver();
      return TINY_OK;
    }
    call.place = call.place == step.peers[0] ? 0 : 1;
    group = {group[step.peers[0]], group[step.peers[1]]};
  }
  call.ranks = group.data();
  call.n_ranks = uint32_t(group.size());
  bool hasParts = step.collective == TINY_REDUCE_SCATTER || step.collective == TINY_ALL_TO_ALL;
  call.count = from.size / tiny_dtype_size(step.dtype) / (hasParts ? group.size() : 1);
  if (!call.count)
    return TINY_OK;
  if (tiny_status status = device.synchronize())
    return status;
  void *source = nullptr, *target = nullptr;
  tiny_status status = device.map(from, TINY_MAP_READ, &source);
  if (status == TINY_UNSUPPORTED)
    return callOnCopies(device, communicator, from, to, call);
  if (status)
    return status;
  status = device.map(to, TINY_MAP_WRITE, &target);
  if (!status) {
    call.source = source;
    call.target = target;
    status = callCollective(communicator, call);
    tiny_status unmapped = device.unmap(to, target);
    status = status ? status : unmapped;
  }
  tiny_status unmapped = device.unmap(from, source);
  return status ? status : unmapped;
}

} // namespace runtime
} // namespace tiny
