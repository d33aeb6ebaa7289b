// Everything that can be wrong with a program is found here, once, so that a run checks only its buffers.
#include "Error.h"
#include "ProgramVerifier.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <utility>

using namespace tiny::runtime;

namespace {

constexpr uint32_t kMaxCount = 1u << 24;
/// Lists in lists: a run goes into them by recursion.
constexpr size_t kMaxDepth = 256;

/// "program 'x': item 3: ..."
tiny_status failAt(tiny_status status, const std::string &name, int64_t item, const char *format, va_list arguments) {
  char text[256], place[32] = "";
  std::vsnprintf(text, sizeof(text), format, arguments);
  if (item >= 0)
    std::snprintf(place, sizeof(place), "item %lld: ", (long long)item);
  return fail(status, "program '%.100s': %s%s", name.c_str(), place, text);
}

} // namespace

tiny_status Verifier::error(tiny_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  failAt(status, program.name, current, format, arguments);
  va_end(arguments);
  return status;
}

tiny_status Verifier::invalid(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  failAt(TINY_INVALID_ARGUMENT, program.name, current, format, arguments);
  va_end(arguments);
  return TINY_INVALID_ARGUMENT;
}

tiny_status Verifier::checkCounts() {
  struct {
    const char *what;
    const void *list;
    uint32_t count;
  } lists[] = {{"slots", desc.slots, desc.n_slots},       {"results", desc.results, desc.n_results},
               {"kernels", desc.kernels, desc.n_kernels}, {"items", desc.items, desc.n_items},
               {"sizes", desc.sizes, desc.n_sizes},       {"axes of the grid", desc.grid, desc.n_grid}};
  for (const auto &list : lists) {
    if (list.count && !list.list)
      return invalid("list of %u %s is null", list.count, list.what);
    if (list.count > kMaxCount)
      return invalid("%u %s, at most %u are allowed", list.count, list.what, kMaxCount);
  }
  if (desc.n_arguments > desc.n_slots)
    return invalid("%u arguments but %u slots", desc.n_arguments, desc.n_slots);
  return TINY_OK;
}

/// The slot of the sizes is written by each run.
tiny_status Verifier::checkSizes() {
  if (!desc.n_sizes)
    return TINY_OK;
  uint32_t slot = desc.n_arguments;
  uint64_t bytes = desc.n_sizes * sizeof(int64_t);
  if (slot >= desc.n_slots || desc.slots[slot].size != bytes)
    return invalid("%u sizes, and slot %u behind the arguments has not %llu bytes", desc.n_sizes, slot, ull(bytes));
  for (uint32_t i = 0; i < desc.n_sizes; ++i) {
    const tiny_size &size = desc.sizes[i];
    if (!size.name || !*size.name)
      return invalid("size %u has no name", i);
    if (size.least < 0 || size.most < size.least)
      return invalid("size '%.100s' is %lld to %lld", size.name, (long long)size.least, (long long)size.most);
    program.sizes.push_back({size.name, size.least, size.most, size.computed != 0});
  }
  defined[slot] = visible[slot] = written[slot] = true;
  return TINY_OK;
}

/// The slot of the rank's place is written by each run.
tiny_status Verifier::checkGrid() {
  uint64_t ranks = 1;
  for (uint32_t i = 0; i < desc.n_grid; ++i) {
    if (desc.grid[i] < 1 || uint64_t(desc.grid[i]) > INT32_MAX / ranks)
      return invalid("axis %u of the grid has %lld ranks", i, (long long)desc.grid[i]);
    ranks *= uint64_t(desc.grid[i]);
  }
  if (desc.n_grid)
    program.grid.assign(desc.grid, desc.grid + desc.n_grid);
  if (desc.n_grid && desc.n_sizes)
    return invalid("it has a grid of ranks and sizes");
  if (desc.has_stages) {
    if (desc.stage_axis >= desc.n_grid || desc.grid[desc.stage_axis] > 64)
      return invalid("axis %u of the grid is to have stages: it is not there, or has more than 64", desc.stage_axis);
    program.stageAxis = desc.stage_axis;
  }
  if (!desc.reads_place)
    return TINY_OK;
  uint32_t slot = desc.n_arguments;
  uint64_t bytes = desc.n_grid * sizeof(int64_t);
  if (!desc.n_grid || slot >= desc.n_slots || desc.slots[slot].size != bytes)
    return invalid("slot %u behind the arguments has not the %llu bytes of a rank's place", slot, ull(bytes));
  program.readsPlace = defined[slot] = visible[slot] = written[slot] = true;
  return TINY_OK;
}

tiny_status Verifier::checkSlots() {
  program.slots.resize(desc.n_slots);
  defined.resize(desc.n_slots);
  visible.resize(desc.n_slots);
  written.resize(desc.n_slots);
  for (uint32_t i = 0; i < desc.n_slots; ++i) {
    const tiny_slot &slot = desc.slots[i];
    if (slot.size > kMaxSize)
      return error(TINY_OUT_OF_RANGE, "slot %u of %llu bytes is too large", i, ull(slot.size));
    uint32_t alignment = slot.alignment ? slot.alignment : 1;
    if ((alignment & (alignment - 1)) || alignment > TINY_BUFFER_ALIGNMENT)
      return invalid("slot %u: alignment %u is no power of two up to %d", i, alignment, TINY_BUFFER_ALIGNMENT);
    bool isArgument = i < desc.n_arguments;
    if (slot.flags & ~uint32_t(isArgument ? TINY_SLOT_WRITABLE : 0))
      return invalid("slot %u: flags 0x%x do not fit %s", i, slot.flags, isArgument ? "an argument" : "it");
    PlannedSlot &planned = program.slots[i];
    planned.size = slot.size;
    planned.alignment = alignment;
    planned.writable = slot.flags & TINY_SLOT_WRITABLE;
    planned.root = i;
    if (isArgument) {
      planned.storage = StorageKind::Argument;
      planned.storageIndex = i;
      defined[i] = visible[i] = written[i] = true;
    }
  }
  return TINY_OK;
}

/// Every slot lies on a device, and every kernel runs on one.
tiny_status Verifier::checkDevices() {
  if (!desc.slot_devices && !desc.kernel_devices)
    return TINY_OK;
  if (!desc.slot_devices || (desc.n_kernels && !desc.kernel_devices))
    return invalid("it says where kernels run and not where slots lie, or the other way round");
  auto count = uint32_t(program.devices.size());
  for (uint32_t i = 0; i < desc.n_slots; ++i) {
    if (desc.slot_devices[i] >= count)
      return invalid("slot %u lies on device %u of %u", i, desc.slot_devices[i], count);
    program.slots[i].device = desc.slot_devices[i];
  }
  for (uint32_t i = 0; i < desc.n_kernels; ++i) {
    if (desc.kernel_devices[i] >= count)
      return invalid("kernel '%.100s' runs on device %u of %u", desc.kernels[i].name, desc.kernel_devices[i], count);
    program.kernels[i].device = desc.kernel_devices[i];
  }
  return TINY_OK;
}

const char *Verifier::nameDevice(uint32_t slot) const {
  return program.devices[program.slots[slot].device].device->name;
}

tiny_status Verifier::checkKernels() {
  for (uint32_t i = 0; i < desc.n_kernels; ++i) {
    const tiny_kernel &kernel = desc.kernels[i];
    if (!kernel.name)
      return invalid("kernel %u has no name", i);
    if (kernel.flags & ~uint32_t(TINY_KERNEL_IN_PLACE))
      return invalid("kernel '%.100s' has unknown flags 0x%x", kernel.name, kernel.flags);
    if (kernel.scratch_bytes > kMaxSize)
      return error(TINY_OUT_OF_RANGE, "kernel '%.100s' wants %llu bytes of scratch memory", kernel.name,
                   (unsigned long long)kernel.scratch_bytes);
    // The bound keeps a malformed grid from running for ever: no kernel that does anything has so many parts.
    uint64_t points = 1;
    for (int64_t extent : kernel.grid) {
      if (extent < 0)
        return invalid("kernel '%.100s' has a grid of %lld x %lld x %lld", kernel.name, (long long)kernel.grid[0],
                       (long long)kernel.grid[1], (long long)kernel.grid[2]);
      if (extent && points > kMaxGrid / uint64_t(extent))
        return error(TINY_OUT_OF_RANGE, "kernel '%.100s' has a grid of %lld x %lld x %lld, more than 2^26 points",
                     kernel.name, (long long)kernel.grid[0], (long long)kernel.grid[1], (long long)kernel.grid[2]);
      points *= extent;
    }
    PlannedKernel planned;
    planned.name = kernel.name;
    planned.inPlace = kernel.flags & TINY_KERNEL_IN_PLACE;
    planned.empty = points == 0;
    program.kernels.push_back(std::move(planned));
  }
  return TINY_OK;
}

tiny_status Verifier::define(uint32_t slot) {
  if (slot >= desc.n_slots)
    return invalid("slot %u does not exist, there are %u", slot, desc.n_slots);
  if (defined[slot])
    return slot < desc.n_arguments ? invalid("slot %u is an argument", slot)
                                   : invalid("slot %u is defined twice", slot);
  defined[slot] = visible[slot] = true;
  if (!open.empty())
    open.back().defined.push_back(slot);
  for (const OpenList &list : open)
    if (program.steps[list.step].kind == TINY_ITEM_LOOP)
      program.slots[slot].loop = list.step;
  return TINY_OK;
}

tiny_status Verifier::checkDefined(uint32_t slot) {
  if (slot >= desc.n_slots)
    return invalid("slot %u does not exist, there are %u", slot, desc.n_slots);
  if (!defined[slot])
    return invalid("slot %u is used before an item defines it", slot);
  if (!visible[slot])
    return invalid("slot %u is used outside of the list that defines it", slot);
  return TINY_OK;
}

tiny_status Verifier::checkRead(uint32_t slot) {
  if (tiny_status status = checkDefined(slot))
    return status;
  if (!written[program.slots[slot].root] && program.slots[slot].size)
    return invalid("slot %u is read before anything wrote it", slot);
  return checkPending(slot, false);
}

tiny_status Verifier::checkWrite(uint32_t slot) {
  if (tiny_status status = checkDefined(slot))
    return status;
  const PlannedSlot &root = program.slots[program.slots[slot].root];
  if (root.storage == StorageKind::Constant)
    return error(TINY_READ_ONLY, "slot %u is written, but is a constant", slot);
  if (!program.sizes.empty() && program.slots[slot].root == program.nArguments)
    for (uint64_t place = 0; place < program.sizes.size(); ++place)
      if (!program.sizes[place].isComputed && rangesOverlap(program.slots[slot].rootOffset, program.slots[slot].size,
                                                            place * sizeof(int64_t), sizeof(int64_t)))
        return error(TINY_READ_ONLY, "slot %u is written, but holds size '%.100s', which the run tells", slot,
                     program.sizes[place].name.c_str());
  if (program.readsPlace && program.slots[slot].root == program.nArguments)
    return error(TINY_READ_ONLY, "slot %u is written, but holds the rank's place", slot);
  if (root.storage == StorageKind::Argument && !root.writable)
    return error(TINY_READ_ONLY, "slot %u is written, but argument %u is not writable", slot, root.storageIndex);
  return checkPending(slot, true);
}

bool Verifier::overlap(uint32_t a, uint32_t b) const {
  const PlannedSlot &slotA = program.slots[a], &slotB = program.slots[b];
  return slotA.root == slotB.root && rangesOverlap(slotA.rootOffset, slotA.size, slotB.rootOffset, slotB.size);
}

tiny_status Verifier::checkAlloc(const tiny_item &item) { return define(item.slot); }

tiny_status Verifier::checkAlias(const tiny_item &item) {
  if (tiny_status status = checkDefined(item.source))
    return status;
  if (tiny_status status = define(item.slot))
    return status;
  const PlannedSlot &source = program.slots[item.source];
  PlannedSlot &slot = program.slots[item.slot];
  if (item.offset > source.size || slot.size > source.size - item.offset)
    return error(TINY_OUT_OF_RANGE, "alias of %llu bytes at offset %llu leaves slot %u of %llu bytes", ull(slot.size),
                 ull(item.offset), item.source, ull(source.size));
  if (slot.device != source.device)
    return invalid("slot %u on '%s' is a part of slot %u on '%s'", item.slot, nameDevice(item.slot), item.source,
                   nameDevice(item.source));
  slot.root = source.root;
  slot.rootOffset = source.rootOffset + item.offset;
  // The root must be aligned for each of its parts.
  PlannedSlot &root = program.slots[slot.root];
  if (!program.sizes.empty() && slot.rootOffset && root.storage == StorageKind::Argument)
    program.parts.push_back(item.slot);
  if (slot.rootOffset % slot.alignment)
    return invalid("alias at offset %llu of slot %u is not aligned to %u bytes", ull(item.offset), item.source,
                   slot.alignment);
  if (root.alignment < slot.alignment)
    root.alignment = slot.alignment;
  return TINY_OK;
}

tiny_status Verifier::checkConstant(const tiny_item &item) {
  if (tiny_status status = define(item.slot))
    return status;
  PlannedSlot &slot = program.slots[item.slot];
  if (item.data_size != slot.size)
    return invalid("constant of %llu bytes for slot %u of %llu bytes", ull(item.data_size), item.slot, ull(slot.size));
  if (!item.data && slot.size)
    return invalid("constant for slot %u has no data", item.slot);
  slot.storage = StorageKind::Constant;
  written[item.slot] = true;
  return TINY_OK;
}

tiny_status Verifier::checkLaunch(const tiny_item &item) {
  if (item.kernel >= desc.n_kernels)
    return invalid("kernel %u does not exist, there are %u", item.kernel, desc.n_kernels);
  const tiny_kernel &kernel = desc.kernels[item.kernel];
  uint64_t count = uint64_t(item.n_inputs) + item.n_outputs;
  if (count != kernel.n_buffers)
    return invalid("launch of '%.100s' with %llu buffers, expected %u", kernel.name, ull(count), kernel.n_buffers);
  if (count && !item.buffers)
    return invalid("launch of '%.100s' has a null list of buffers", kernel.name);
  for (uint32_t i = 0; i < item.n_inputs; ++i)
    if (tiny_status status = checkRead(item.buffers[i]))
      return status;
  for (uint32_t i = item.n_inputs; i < count; ++i)
    if (tiny_status status = checkWrite(item.buffers[i]))
      return status;
  const PlannedKernel &planned = program.kernels[item.kernel];
  for (uint32_t i = 0; i < count; ++i)
    if (program.slots[item.buffers[i]].device != planned.device)
      return invalid("launch of '%.100s' on '%s' with slot %u, which lies on '%s': no item has copied it", kernel.name,
                     program.devices[planned.device].device->name, item.buffers[i], nameDevice(item.buffers[i]));
  if (!(kernel.flags & TINY_KERNEL_IN_PLACE))
    for (uint32_t i = item.n_inputs; i < count; ++i)
      for (uint32_t j = 0; j < i; ++j)
        if (overlap(item.buffers[i], item.buffers[j]))
          return invalid("launch of '%.100s' writes slot %u, which overlaps its slot %u", kernel.name, item.buffers[i],
                         item.buffers[j]);
  Step step(TINY_ITEM_LAUNCH);
  step.kernel = item.kernel;
  step.slots.assign(item.buffers, item.buffers + count);
  step.nInputs = item.n_inputs;
  for (uint32_t i = item.n_inputs; i < count; ++i)
    markWritten(item.buffers[i]);
  program.steps.push_back(std::move(step));
  return TINY_OK;
}

tiny_status Verifier::checkCopy(const tiny_item &item) {
  if (tiny_status status = checkRead(item.source))
    return status;
  if (tiny_status status = checkWrite(item.slot))
    return status;
  if (program.slots[item.source].size != program.slots[item.slot].size)
    return invalid("copy of slot %u of %llu bytes to slot %u of %llu bytes", item.source,
                   ull(program.slots[item.source].size), item.slot, ull(program.slots[item.slot].size));
  Step step(TINY_ITEM_COPY);
  step.slots = {item.source, item.slot};
  step.nInputs = 1;
  program.steps.push_back(std::move(step));
  markWritten(item.slot);
  return TINY_OK;
}

tiny_status Verifier::checkFill(const tiny_item &item) {
  if (tiny_status status = checkWrite(item.slot))
    return status;
  uint64_t patternSize = item.data_size;
  if (!item.data || (patternSize != 1 && patternSize != 2 && patternSize != 4 && patternSize != 8))
    return invalid("fill pattern of %llu bytes, expected 1, 2, 4 or 8", ull(item.data ? patternSize : 0));
  if (program.slots[item.slot].size % patternSize)
    return invalid("slot %u of %llu bytes is no multiple of the fill pattern of %llu", item.slot,
                   ull(program.slots[item.slot].size), ull(patternSize));
  Step step(TINY_ITEM_FILL);
  step.slots = {item.slot};
  std::memcpy(step.pattern.data(), item.data, patternSize);
  step.patternSize = patternSize;
  program.steps.push_back(std::move(step));
  markWritten(item.slot);
  return TINY_OK;
}

tiny_status Verifier::checkBytes(const char *what, uint32_t slot, uint64_t size) {
  if (program.slots[slot].size == size)
    return TINY_OK;
  return invalid("slot %u of %llu bytes is no %s, which has %llu", slot, ull(program.slots[slot].size), what,
                 ull(size));
}

/// The item's first list of `count` items, which is all of its items where it is not a branch.
tiny_status Verifier::openList(const tiny_item &item, uint64_t count) {
  int64_t end = current + 1 + int64_t(item.n_nested), last = open.empty() ? desc.n_items : open.back().end;
  if (end > last)
    return invalid("its list of %u items leaves the one that it stands in", item.n_nested);
  if (count > item.n_nested)
    return invalid("its first list has %llu of %u items", ull(count), item.n_nested);
  if (open.size() == kMaxDepth)
    return invalid("lists are nested deeper than %zu", kMaxDepth);
  OpenList list = {uint32_t(program.steps.size()), current + 1 + int64_t(count)};
  if (item.kind == TINY_ITEM_IF) {
    list.otherwise = end;
    list.before = written;
  }
  open.push_back(std::move(list));
  return TINY_OK;
}

/// Ends the lists that end in front of the current item. A slot of a list is not seen behind it. A branch has written
/// what both of its lists have; a loop, what its list has: without an iteration that is unspecified, as any temporary.
void Verifier::closeLists() {
  while (!open.empty() && open.back().end == current) {
    OpenList &list = open.back();
    for (uint32_t slot : list.defined)
      visible[slot] = false;
    list.defined.clear();
    Step &step = program.steps[list.step];
    step.end = uint32_t(program.steps.size());
    if (list.otherwise >= 0) {
      step.otherwise = step.end;
      list.first = std::exchange(written, list.before);
      list.end = std::exchange(list.otherwise, -1);
      continue;
    }
    for (size_t slot = 0; slot < list.first.size(); ++slot)
      written[slot] = written[slot] && list.first[slot];
    open.pop_back();
  }
}

tiny_status Verifier::checkLoop(const tiny_item &item) {
  Step step(TINY_ITEM_LOOP);
  step.count = std::min<uint64_t>(item.count, INT64_MAX);
  if ((step.hasLimit = item.limit != TINY_NO_SLOT)) {
    if (tiny_status status = checkRead(item.limit))
      return status;
    if (tiny_status status = checkBytes("limit", item.limit, sizeof(int64_t)))
      return status;
    step.slots.push_back(item.limit);
  }
  if ((step.hasCounter = item.slot != TINY_NO_SLOT)) {
    if (tiny_status status = checkWrite(item.slot))
      return status;
    if (tiny_status status = checkBytes("counter", item.slot, sizeof(int64_t)))
      return status;
    step.slots.push_back(item.slot);
    markWritten(item.slot);
  }
  if ((step.hasCondition = item.source != TINY_NO_SLOT)) {
    if (tiny_status status = checkRead(item.source))
      return status;
    if (tiny_status status = checkBytes("condition", item.source, 1))
      return status;
    step.slots.push_back(item.source);
  }
  if (tiny_status status = openList(item, item.n_nested))
    return status;
  program.steps.push_back(std::move(step));
  return TINY_OK;
}

tiny_status Verifier::checkIf(const tiny_item &item) {
  if (tiny_status status = checkRead(item.source))
    return status;
  if (tiny_status status = checkBytes("condition", item.source, 1))
    return status;
  if (tiny_status status = openList(item, item.count))
    return status;
  Step step(TINY_ITEM_IF);
  step.slots = {item.source};
  program.steps.push_back(std::move(step));
  return TINY_OK;
}

/// Where an item may say which stages run it, and what it says.
tiny_status Verifier::checkPlaces(const tiny_item &item) {
  bool isDefining = item.kind < TINY_ITEM_LAUNCH;
  int64_t count = program.stageAxis < 0 ? 0 : program.grid[size_t(program.stageAxis)];
  if (item.places && (isDefining || (count < 64 && item.places >> count)))
    return invalid("places 0x%llx of %lld stages are to run it", ull(item.places), (long long)count);
  return TINY_OK;
}

tiny_status Verifier::checkItem(const tiny_item &item) {
  if (tiny_status status = checkPlaces(item))
    return status;
  size_t step = program.steps.size();
  tiny_status status = checkKind(item);
  if (!status && step < program.steps.size())
    program.steps[step].places = item.places;
  return status;
}

tiny_status Verifier::checkKind(const tiny_item &item) {
  switch (item.kind) {
#define TINY_CHECK(KIND, Name)                                                                                         \
  case TINY_ITEM_##KIND:                                                                                               \
    return check##Name(item);
    TINY_ITEMS(TINY_CHECK)
#undef TINY_CHECK
  default:
    return invalid("unknown kind %d", int(item.kind));
  }
}

tiny_status Verifier::checkResults() {
  for (uint32_t i = 0; i < desc.n_results; ++i) {
    uint32_t slot = desc.results[i];
    if (slot >= desc.n_slots)
      return invalid("result %u is slot %u, which does not exist", i, slot);
    if (!visible[slot])
      return invalid("result %u is slot %u, which no item defines", i, slot);
    if (!written[program.slots[slot].root] && program.slots[slot].size)
      return invalid("result %u is slot %u, which nothing writes", i, slot);
    program.results.push_back({slot});
  }
  for (uint32_t i = 0; i < desc.n_slots; ++i)
    if (!defined[i])
      return invalid("slot %u is defined by no item", i);
  return TINY_OK;
}

tiny_status Verifier::run() {
  program.name = desc.name ? desc.name : "";
  program.nArguments = desc.n_arguments;
  if (tiny_status status = checkCounts())
    return status;
  if (tiny_status status = checkSlots())
    return status;
  if (tiny_status status = checkSizes())
    return status;
  if (tiny_status status = checkGrid())
    return status;
  if (tiny_status status = checkKernels())
    return status;
  if (tiny_status status = checkDevices())
    return status;
  for (current = 0; current < int64_t(desc.n_items); ++current) {
    closeLists();
    if (tiny_status status = checkItem(desc.items[current]))
      return status;
  }
  closeLists();
  current = -1;
  if (!pending.empty())
    return invalid("an async collective from slot %u to slot %u is not waited for", pending.front().source,
                   pending.front().target);
  return checkResults();
}

tiny_status tiny::runtime::verifyProgram(const tiny_program_desc &desc, tiny_program &program) {
  return Verifier(desc, program).run();
}
