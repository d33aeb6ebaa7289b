// Creates and destroys programs: verifies, plans, then hands kernels and constants to the device.
#include "Program.h"
#include "Error.h"
#include "Handles.h"
#include "LoadedProgram.h"

using namespace tiny::runtime;

namespace {

/// Hands what the description points to over to the device: kernels and constants.
tiny_status prepareOnDevice(const tiny_program_desc &desc, tiny_program &program) {
  for (uint32_t i = 0; i < desc.n_kernels; ++i)
    if (tiny_status status = program.device->prepare(desc.kernels[i], program.kernels[i].kernel))
      return status;
  for (uint32_t i = 0; i < desc.n_items; ++i) {
    const tiny_item &item = desc.items[i];
    if (item.kind != TINY_ITEM_CONSTANT)
      continue;
    Memory memory;
    memory.size = item.data_size;
    memory.owned = false;
    // Read-only by construction: the verifier lets no item write a constant.
    if (tiny_status status = program.device->import(const_cast<void *>(item.data), memory))
      return status;
    PlannedSlot &slot = program.slots[item.slot];
    slot.storageIndex = program.constants.size();
    program.constants.push_back(memory);
    if (program.device->address({&memory, 0, memory.size}) % slot.alignment)
      return fail(TINY_INVALID_ARGUMENT, "program '%s': item %u: constant at %p is not aligned to %u bytes",
                  program.name.c_str(), i, item.data, slot.alignment);
  }
  return TINY_OK;
}

} // namespace

tiny_program::tiny_program() = default;

tiny_program::~tiny_program() {
  for (Memory &memory : constants)
    device->free(memory);
  for (Memory &arena : idleArenas)
    device->freeCounted(arena);
}

tiny_status tiny::runtime::createProgram(tiny_device *device, const tiny_program_desc &desc,
                                         std::unique_ptr<LoadedProgram> loaded, tiny_program **program) {
  auto result = std::make_unique<tiny_program>();
  result->device = device;
  result->loaded = std::move(loaded);
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
