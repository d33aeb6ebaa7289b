// Creates and destroys programs: verifies, plans, then hands kernels and constants to the device.
#include "Program.h"
#include "Error.h"
#include "Handles.h"
#include "LoadedProgram.h"
#include "Timelines.h"

using namespace tiny::runtime;

namespace {

/// A constant's bytes where the device computes: where they are, or in a copy, as where they are not aligned.
tiny_status placeConstant(tiny_device *device, const tiny_item &item, uint32_t alignment, Memory &memory) {
  memory.size = item.data_size;
  memory.owned = false;
  // Read-only by construction: the verifier lets no item write a constant.
  tiny_status status = TINY_UNSUPPORTED;
  if (reinterpret_cast<uintptr_t>(item.data) % alignment == 0 && device->usesInPlace(item.data, memory.size))
    status = device->import(const_cast<void *>(item.data), memory);
  if (status != TINY_UNSUPPORTED)
    return status;
  memory.owned = true;
  status = device->allocateCounted(memory);
  if (status || !memory.size)
    return status;
  status = device->write({&memory, 0, memory.size}, item.data);
  if (status)
    device->freeCounted(memory);
  return status;
}

/// A launch takes no buffer that is larger than what a kernel of its device sees.
tiny_status checkSizes(const tiny_program_desc &desc, const tiny_program &program, uint32_t number) {
  const tiny_item &item = desc.items[number];
  uint64_t most = program.devices[program.kernels[item.kernel].device].device->getMostBufferBytes();
  for (uint32_t k = 0; k < item.n_inputs + item.n_outputs; ++k)
    if (uint64_t size = desc.slots[item.buffers[k]].size; size > most)
      return fail(TINY_UNSUPPORTED,
                  "program '%.100s': item %u: buffer %u of kernel '%.100s' has %llu bytes, the device takes %llu",
                  desc.name ? desc.name : "", number, k, desc.kernels[item.kernel].name, (unsigned long long)size,
                  (unsigned long long)most);
  return TINY_OK;
}

/// Hands what the description points to over to the device: kernels and constants.
tiny_status prepareOnDevice(const tiny_program_desc &desc, tiny_program &program) {
  for (uint32_t i = 0; i < desc.n_items; ++i)
    if (desc.items[i].kind == TINY_ITEM_LAUNCH)
      if (tiny_status status = checkSizes(desc, program, i))
        return status;
  for (uint32_t i = 0; i < desc.n_kernels; ++i) {
    Code *code = program.loaded ? program.loaded->getPart(i).code.get() : nullptr;
    const char *symbol = code ? program.loaded->getSymbol(i) : desc.kernels[i].name;
    PlannedKernel &kernel = program.kernels[i];
    if (tiny_status status =
            program.devices[kernel.device].device->prepare(desc.kernels[i], code, symbol, kernel.kernel))
      return status;
  }
  program.device->keepCode();
  program.constants.reserve(desc.n_items);
  for (uint32_t i = 0; i < desc.n_items; ++i) {
    const tiny_item &item = desc.items[i];
    if (item.kind != TINY_ITEM_CONSTANT)
      continue;
    Memory memory;
    PlannedSlot &slot = program.slots[item.slot];
    if (tiny_status status = placeConstant(program.devices[slot.device].device, item, slot.alignment, memory))
      return status;
    if (memory.owned && program.loaded)
      program.loaded->dropPages(item.data, item.data_size);
    slot.storageIndex = program.constants.size();
    program.constants.push_back({memory, slot.device});
  }
  return TINY_OK;
}

} // namespace

tiny_program::tiny_program() = default;

tiny_program::~tiny_program() {
  idleReplays.clear(); // before the kernels in them
  for (PlacedConstant &constant : constants)
    devices[constant.device].device->freeCounted(constant.memory);
  if (isPrepared)
    freeKept();
  for (std::vector<Memory> &arenas : idleArenas)
    for (size_t k = 0; k < arenas.size(); ++k)
      if (arenas[k].size)
        devices[k].device->freeCounted(arenas[k]);
}

tiny_status tiny_program::allocateKept() {
  for (size_t k = 0; k < devices.size(); ++k) {
    devices[k].kept.size = devices[k].keptSize;
    if (tiny_status status = devices[k].device->allocateCounted(devices[k].kept)) {
      while (k--)
        devices[k].device->freeCounted(devices[k].kept);
      return status;
    }
  }
  return TINY_OK;
}

void tiny_program::freeKept() {
  for (ProgramDevice &own : devices)
    own.device->freeCounted(own.kept);
}

tiny_status tiny::runtime::createProgram(tiny_device *device, const tiny_program_desc &desc,
                                         std::unique_ptr<LoadedProgram> loaded, tiny_program **program) {
  auto result = std::make_unique<tiny_program>();
  result->device = device;
  result->loaded = std::move(loaded);
  std::vector<tiny_device *> members;
  if (desc.slot_devices)
    members = device->getMembers();
  if (members.empty())
    members.push_back(device);
  result->devices.resize(members.size());
  for (size_t k = 0; k < members.size(); ++k)
    result->devices[k].device = members[k];
  if (tiny_status status = verifyProgram(desc, *result))
    return status;
  planProgram(*result);
  if (tiny_status status = prepareOnDevice(desc, *result))
    return status;
  enterHandle(result.get(), HandleKind::Program);
  if (tiny_status status = retainHandle(device, HandleKind::Device)) {
    bool last;
    releaseHandle(result.get(), HandleKind::Program, last);
    return status;
  }
  *program = result.release();
  return TINY_OK;
}

tiny_status tiny_program_create(tiny_device *device, const tiny_program_desc *desc, tiny_program **program) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(device, HandleKind::Device))
      return status;
    if (!desc || !program)
      return fail(TINY_INVALID_ARGUMENT, "program description or out parameter is null");
    return createProgram(device, *desc, nullptr, program);
  });
}

tiny_status tiny_program_retain(tiny_program *program) { return retainHandle(program, HandleKind::Program); }

tiny_status tiny_program_release(tiny_program *program) {
  bool last;
  if (tiny_status status = releaseHandle(program, HandleKind::Program, last))
    return status;
  if (!last)
    return TINY_OK;
  tiny_device *device = program->device;
  delete program;
  return tiny_device_release(device);
}

uint64_t tiny_program_arena_size(const tiny_program *program) {
  return isLiveHandle(program, HandleKind::Program) ? program->arenaSize : 0;
}

tiny_status tiny_program_memory(const tiny_program *program, tiny_memory_plan *plan) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  if (!plan)
    return fail(TINY_INVALID_ARGUMENT, "memory plan is null");
  *plan = program->memory;
  return TINY_OK;
}

uint32_t tiny_program_temporary_count(const tiny_program *program) {
  return isLiveHandle(program, HandleKind::Program) ? uint32_t(program->temporaries.size()) : 0;
}

tiny_status tiny_program_temporary(const tiny_program *program, uint32_t index, tiny_temporary *temporary) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  if (!temporary)
    return fail(TINY_INVALID_ARGUMENT, "temporary is null");
  if (index >= program->temporaries.size())
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s' has %llu temporaries, got %u", program->name.c_str(),
                (unsigned long long)program->temporaries.size(), index);
  const Lifetime &lifetime = program->temporaries[index];
  const PlannedSlot &slot = program->slots[lifetime.slot];
  const char *writer = "copy";
  if (lifetime.begin < program->steps.size()) {
    const Step &step = program->steps[lifetime.begin];
    if (step.kind == TINY_ITEM_LAUNCH)
      writer = program->kernels[step.kernel].name.c_str();
    else if (step.kind == TINY_ITEM_FILL)
      writer = "fill";
    else if (step.kind == TINY_ITEM_LOOP)
      writer = "loop";
  }
  *temporary = {slot.arenaOffset, slot.size, lifetime.begin, lifetime.end, writer};
  return TINY_OK;
}
