// Calls of programs: on buffers, and on the host's memory.
#include "Error.h"
#include "Handles.h"
#include "Program.h"

using namespace tiny::runtime;

namespace {

tiny_status checkCall(const tiny_program *program, bool hasArguments, size_t nArguments, bool hasResults,
                      size_t nResults) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  if (nArguments != program->nArguments)
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s' takes %u arguments, got %llu", program->name.c_str(),
                program->nArguments, (unsigned long long)nArguments);
  if (nResults != program->results.size())
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s' gives %llu results, got %llu", program->name.c_str(),
                (unsigned long long)program->results.size(), (unsigned long long)nResults);
  if ((nArguments && !hasArguments) || (nResults && !hasResults))
    return fail(TINY_INVALID_ARGUMENT, "program '%.100s': list of arguments or results is null", program->name.c_str());
  return TINY_OK;
}

/// A run's buffers over memory of the caller's. They have no handles, and go with the run.
class HostBuffers {
public:
  HostBuffers(tiny_device *device, size_t count) : device(device) {
    buffers.reserve(count);
    pointers.reserve(count);
  }
  ~HostBuffers() {
    for (tiny_buffer &buffer : buffers)
      device->free(buffer.storage);
  }

  tiny_status add(const tiny_host_memory &memory, bool isWritten) {
    if (tiny_status status = checkImport(memory.data, memory.size, isWritten))
      return status;
    tiny_buffer &buffer = buffers.emplace_back();
    buffer.device = device;
    buffer.size = buffer.storage.size = memory.size;
    buffer.storage.owned = false;
    buffer.memory = &buffer.storage;
    buffer.readOnly = !isWritten;
    pointers.push_back(&buffer);
    return device->import(memory.data, buffer.storage);
  }
  tiny_buffer **get(size_t first) { return pointers.data() + first; }

private:
  tiny_device *device;
  std::vector<tiny_buffer> buffers;
  std::vector<tiny_buffer *> pointers;
};

} // namespace

tiny_status tiny_program_run(tiny_program *program, tiny_buffer *const *arguments, size_t n_arguments,
                             tiny_buffer **results, size_t n_results, const tiny_run_options *options) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkCall(program, arguments != nullptr, n_arguments, results != nullptr, n_results))
      return status;
    return runProgram(*program, arguments, results, /*haveHandles=*/true, options);
  });
}

tiny_status tiny_program_run_on_host(tiny_program *program, const tiny_host_memory *arguments, size_t n_arguments,
                                     const tiny_host_memory *results, size_t n_results,
                                     const tiny_run_options *options) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkCall(program, arguments != nullptr, n_arguments, results != nullptr, n_results))
      return status;
    if (!program->device->computesInHostMemory())
      return fail(TINY_UNSUPPORTED, "device '%s' does not compute in the host's memory", program->device->name);
    HostBuffers buffers(program->device, n_arguments + n_results);
    for (size_t i = 0; i < n_arguments; ++i)
      if (tiny_status status = buffers.add(arguments[i], program->slots[i].writable))
        return status;
    for (size_t i = 0; i < n_results; ++i)
      if (tiny_status status = buffers.add(results[i], /*isWritten=*/true))
        return status;
    return runProgram(*program, buffers.get(0), buffers.get(n_arguments), /*haveHandles=*/false, options);
  });
}
