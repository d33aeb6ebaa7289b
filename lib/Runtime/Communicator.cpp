// Groups of ranks, and the public calls on communicators.
#include "Communicator.h"
#include "Error.h"
#include "Handles.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>

using namespace tiny::runtime;

std::vector<int64_t> tiny::runtime::getPlace(const std::vector<int64_t> &grid, uint32_t rank) {
  std::vector<int64_t> place(grid.size());
  int64_t rest = rank;
  for (size_t axis = grid.size(); axis-- > 0; rest /= grid[axis])
    place[axis] = rest % grid[axis];
  return place;
}

uint32_t tiny::runtime::findGroup(const std::vector<int64_t> &grid, const std::vector<uint32_t> &axes, uint32_t rank,
                                  std::vector<uint32_t> &group) {
  std::vector<int64_t> strides(grid.size(), 1), place = getPlace(grid, rank);
  for (size_t axis = grid.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * grid[axis];
  int64_t first = rank;
  uint32_t own = 0;
  for (uint32_t axis : axes) {
    first -= place[axis] * strides[axis];
    own = own * uint32_t(grid[axis]) + uint32_t(place[axis]);
  }
  group = {uint32_t(first)};
  for (uint32_t axis : axes) {
    std::vector<uint32_t> next;
    for (uint32_t begin : group)
      for (int64_t k = 0; k < grid[axis]; ++k)
        next.push_back(begin + uint32_t(k * strides[axis]));
    group = std::move(next);
  }
  return own;
}

tiny_status tiny::runtime::readTimeout(const char *variable, double &seconds) {
  seconds = 120;
  const char *text = std::getenv(variable);
  if (!text || !*text)
    return TINY_OK;
  char *end = nullptr;
  seconds = std::strtod(text, &end);
  if (*end || !(seconds > 0) || seconds > 1e6)
    return fail(TINY_INVALID_ARGUMENT, "%s: got '%.100s', expected seconds, more than 0 and at most 10^6", variable,
                text);
  return TINY_OK;
}

const char *tiny::runtime::getCollectiveName(tiny_collective_kind kind) {
  switch (kind) {
  case TINY_ALL_REDUCE:
    return "all-reduce";
  case TINY_ALL_GATHER:
    return "all-gather";
  case TINY_REDUCE_SCATTER:
    return "reduce-scatter";
  case TINY_ALL_TO_ALL:
    return "all-to-all";
  case TINY_BROADCAST:
    return "broadcast";
  case TINY_SEND:
    return "message";
  case TINY_COLLECTIVE_WIDTH:
    break;
  }
  return "unknown collective";
}

void tiny::runtime::describeCollective(const tiny_group_call *call, char *text, uint64_t room) {
  std::snprintf(text, room, "%s of %" PRIu64 " bytes", getCollectiveName(call->kind),
                call->count * tiny_dtype_size(call->dtype));
}

tiny_status tiny::runtime::callCollective(tiny_communicator &communicator, tiny_group_call call) {
  bool reduces = call.kind == TINY_ALL_REDUCE || call.kind == TINY_REDUCE_SCATTER;
  if (uint32_t(call.kind) > TINY_SEND || uint32_t(call.reduction) > TINY_REDUCE_MIN ||
      reduces != (call.reduction != TINY_REDUCE_NONE) || uint32_t(call.dtype) > TINY_DTYPE_F8E5M2)
    return fail(TINY_INVALID_ARGUMENT, "collective of unknown kind %d, reduction %d or element type %d", int(call.kind),
                int(call.reduction), int(call.dtype));
  if (call.kind == TINY_SEND && call.n_ranks != 2)
    return fail(TINY_INVALID_ARGUMENT, "message among %u ranks, expected 2", call.n_ranks);
  if (!call.ranks || call.place >= call.n_ranks || call.ranks[call.place] != communicator.rank)
    return fail(TINY_INVALID_ARGUMENT, "rank %u is not where the group of its %s says", communicator.rank,
                getCollectiveName(call.kind));
  for (uint32_t k = 0; k < call.n_ranks; ++k)
    if (call.ranks[k] >= communicator.size)
      return fail(TINY_INVALID_ARGUMENT, "rank %u does not exist, there are %u", call.ranks[k], communicator.size);
  if (call.count && (!call.source || !call.target))
    return fail(TINY_INVALID_ARGUMENT, "source or target of a collective is null");
  call.timeout = communicator.timeout;
  return communicator.call(call);
}

tiny_status tiny::runtime::agree(tiny_communicator &communicator, uint64_t number, const char *differs) {
  std::vector<uint32_t> all(communicator.size);
  for (uint32_t k = 0; k < communicator.size; ++k)
    all[k] = k;
  std::vector<uint64_t> numbers(communicator.size);
  tiny_group_call call = {};
  call.kind = TINY_ALL_GATHER;
  call.dtype = TINY_DTYPE_U64;
  call.ranks = all.data();
  call.n_ranks = communicator.size;
  call.place = communicator.rank;
  call.source = &number;
  call.target = numbers.data();
  call.count = 1;
  if (tiny_status status = callCollective(communicator, call))
    return status;
  // Every rank says the same, whichever is another.
  for (uint32_t k = 0; k < communicator.size; ++k)
    if (numbers[k] != numbers[0])
      return fail(TINY_INVALID_ARGUMENT, "rank %u %.200s than rank 0", k, differs);
  return TINY_OK;
}

tiny_status tiny_communicator_retain(tiny_communicator *communicator) {
  return guarded([&] { return retainHandle(communicator, HandleKind::Communicator); });
}

tiny_status tiny_communicator_release(tiny_communicator *communicator) {
  return guarded([&]() -> tiny_status {
    bool last;
    if (tiny_status status = releaseHandle(communicator, HandleKind::Communicator, last))
      return status;
    if (last)
      delete communicator;
    return TINY_OK;
  });
}

uint32_t tiny_communicator_rank(const tiny_communicator *communicator) {
  return isLiveHandle(communicator, HandleKind::Communicator) ? communicator->rank : 0;
}

uint32_t tiny_communicator_size(const tiny_communicator *communicator) {
  return isLiveHandle(communicator, HandleKind::Communicator) ? communicator->size : 0;
}

tiny_status tiny_communicator_set_timeout(tiny_communicator *communicator, double seconds) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(communicator, HandleKind::Communicator))
      return status;
    if (!(seconds > 0) || seconds > 1e6)
      return fail(TINY_INVALID_ARGUMENT, "a time limit of %g seconds, expected more than 0, at most 10^6", seconds);
    communicator->timeout = seconds;
    return TINY_OK;
  });
}

tiny_status tiny_communicator_abort(tiny_communicator *communicator, const char *message) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(communicator, HandleKind::Communicator))
      return status;
    communicator->abort(message ? message : "");
    return TINY_OK;
  });
}

tiny_status tiny_communicator_agree(tiny_communicator *communicator, uint64_t number, const char *differs) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(communicator, HandleKind::Communicator))
      return status;
    return agree(*communicator, number, differs ? differs : "has another number");
  });
}

tiny_status tiny_communicator_call(tiny_communicator *communicator, const tiny_group_call *call) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(communicator, HandleKind::Communicator))
      return status;
    if (!call)
      return fail(TINY_INVALID_ARGUMENT, "a collective is not described");
    return callCollective(*communicator, *call);
  });
}
