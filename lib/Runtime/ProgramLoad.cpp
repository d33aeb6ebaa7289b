// Makes programs of containers: chooses a binary, finds constants, and hands the rest to tiny_program_create's checks.
#include "Error.h"
#include "Handles.h"
#include "LoadedProgram.h"
#include "Program.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <initializer_list>
#include <map>

using namespace tiny::runtime;

namespace {

class Loader {
public:
  Loader(tiny_device *device, const char *folder, uint32_t flags)
      : device(device), folder(folder ? folder : ""), flags(flags) {}

  tiny_status load(const void *data, uint64_t size, std::unique_ptr<LoadedProgram> parts, tiny_program **program);

private:
  bool canRun(const tiny_device &on, const tiny_format_binary &binary) const;
  const tiny_format_binary *findBinary(const tiny_device &on) const;
  tiny_status chooseBinaries();
  tiny_status chooseDevices();
  tiny_status describeDevices();
  tiny_status refuse() const;
  tiny_status chooseParts();
  void describeKernels();
  void describeMaps(uint32_t number, tiny_kernel &kernel);
  tiny_status describeItems();
  tiny_status findConstant(const tiny_format_constant &constant, const void *&data);
  tiny_status openFile(const tiny_format_constant &constant, const std::string &name, MappedFile &file);
  tiny_status findInFile(const tiny_format_constant &constant, const char *name, const void *&data);

  tiny_device *device;
  std::string folder;
  uint32_t flags;
  std::unique_ptr<LoadedProgram> loaded;
  std::map<std::string, MappedFile *> files;
  std::vector<tiny_slot> slots;
  std::vector<tiny_kernel> kernels;
  std::vector<tiny_item> items;
  std::vector<tiny_size> sizes;
  std::vector<int64_t> grid;
  std::deque<tiny_collective> collectives;
  /// By kernel.
  std::deque<std::vector<tiny_tensor_map>> maps;
  /// Of a program on several devices: by binary, the member that runs it, or TINY_FORMAT_NONE; by slot and by kernel,
  /// where they are.
  std::vector<uint32_t> memberOf, slotDevices, kernelDevices;
};

} // namespace

/// The first binary whose record the device can run; null where there is none.
const tiny_format_binary *Loader::findBinary(const tiny_device &on) const {
  for (const tiny_format_binary &binary : loaded->container.binaries)
    if (canRun(on, binary))
      return &binary;
  return nullptr;
}

bool Loader::canRun(const tiny_device &on, const tiny_format_binary &binary) const {
  const ContainerReader &container = loaded->container;
  const tiny_format_record &record = container.records[binary.record];
  return on.canRun(container.getString(record.device), record.machine, record.features, binary.format);
}

tiny_status Loader::refuse() const {
  const ContainerReader &container = loaded->container;
  std::string names;
  for (const tiny_format_binary &binary : container.binaries)
    names += (names.empty() ? "" : ", ") + std::string(container.getString(container.records[binary.record].name));
  return fail(TINY_UNSUPPORTED, "the program has code for %.200s, and none that runs on '%s' of this machine",
              names.c_str(), device->name);
}

/// Of a program whose items say what is copied between devices: a member for each binary, the first that can run it. A
/// device alone may be all of them.
tiny_status Loader::chooseDevices() {
  const ContainerReader &container = loaded->container;
  std::vector<tiny_device *> members = device->getMembers();
  if (members.empty())
    members.push_back(device);
  for (const tiny_format_binary &binary : container.binaries) {
    auto member = std::find_if(members.begin(), members.end(), [&](tiny_device *on) { return canRun(*on, binary); });
    memberOf.push_back(member == members.end() ? TINY_FORMAT_NONE : uint32_t(member - members.begin()));
    if (member == members.end())
      continue;
    std::unique_ptr<Code> code;
    if (tiny_status status = (*member)->loadCode(container.code + binary.offset, binary.size, code))
      return status;
    loaded->parts.push_back({&binary, std::move(code)});
  }
  return loaded->parts.empty() ? refuse() : chooseParts();
}

/// Where slots lie and kernels run, on a device of several.
tiny_status Loader::describeDevices() {
  const ContainerReader &container = loaded->container;
  for (const tiny_format_slot &slot : container.slots) {
    uint32_t binary = slot.flags >> TINY_SLOT_DEVICE_SHIFT;
    if (memberOf[binary] == TINY_FORMAT_NONE)
      return fail(TINY_UNSUPPORTED, "slot %u of the program lies on '%.100s', which '%.100s' is not among",
                  uint32_t(&slot - container.slots.begin()),
                  container.getString(container.records[container.binaries[binary].record].device), device->name);
    slotDevices.push_back(memberOf[binary]);
  }
  for (uint32_t kernel = 0; kernel < loaded->partOf.size(); ++kernel)
    kernelDevices.push_back(memberOf[size_t(loaded->getPart(kernel).binary - container.binaries.begin())]);
  return TINY_OK;
}

/// A binary for the device, or for each of its members one where there is one.
tiny_status Loader::chooseBinaries() {
  const ContainerReader &container = loaded->container;
  std::vector<tiny_device *> members = device->getMembers();
  if (!container.binaries.count)
    return TINY_OK;
  if (container.isOnSeveral)
    return chooseDevices();
  for (uint32_t member = 0; member < std::max<size_t>(members.size(), 1); ++member) {
    tiny_device &on = members.empty() ? *device : *members[member];
    const tiny_format_binary *binary = findBinary(on);
    if (!binary)
      continue;
    std::unique_ptr<Code> code;
    if (tiny_status status = on.loadCode(container.code + binary->offset, binary->size, code))
      return status;
    if (!members.empty()) {
      auto own = std::make_unique<MemberCode>();
      own->member = member;
      own->code = std::move(code);
      code = std::move(own);
    }
    loaded->parts.push_back({binary, std::move(code)});
  }
  return loaded->parts.empty() ? refuse() : chooseParts();
}

/// A kernel without a symbol is not in a binary.
tiny_status Loader::chooseParts() {
  uint32_t count = loaded->parts.front().binary->n_kernels;
  for (uint32_t kernel = 0; kernel < count; ++kernel) {
    uint32_t part = 0;
    while (part < loaded->parts.size() && !loaded->getKernel(loaded->parts[part], kernel).symbol)
      ++part;
    if (part == loaded->parts.size())
      return fail(TINY_UNSUPPORTED, "kernel '%.100s' of the program has no code that runs on '%.100s' of this machine",
                  loaded->container.getString(loaded->getKernel(loaded->parts.front(), kernel).name), device->name);
    loaded->partOf.push_back(part);
  }
  return TINY_OK;
}

/// The maps of the container's kernel of this number.
void Loader::describeMaps(uint32_t number, tiny_kernel &kernel) {
  std::vector<tiny_tensor_map> &own = maps.emplace_back();
  for (const tiny_format_map &map : loaded->container.maps) {
    if (map.kernel != number)
      continue;
    tiny_tensor_map entry = {};
    entry.buffer = map.buffer;
    entry.dtype = tiny_dtype(map.dtype);
    entry.rank = map.rank;
    entry.swizzle = map.swizzle;
    std::memcpy(entry.box, map.box, sizeof(entry.box));
    std::memcpy(entry.extents, map.extents, sizeof(entry.extents));
    std::memcpy(entry.strides, map.strides, sizeof(entry.strides));
    own.push_back(entry);
  }
  kernel.maps = own.data();
  kernel.n_maps = uint32_t(own.size());
}

void Loader::describeKernels() {
  const ContainerReader &container = loaded->container;
  for (uint32_t k = 0; k < loaded->partOf.size(); ++k) {
    const tiny_format_kernel &launch = loaded->getKernel(loaded->getPart(k), k);
    tiny_kernel kernel = {};
    kernel.name = container.getString(launch.name);
    std::memcpy(kernel.grid, launch.grid, sizeof(kernel.grid));
    kernel.n_buffers = launch.n_buffers;
    kernel.flags = launch.flags;
    kernel.scratch_bytes = launch.scratch_bytes;
    describeMaps(uint32_t(&launch - container.kernels.begin()), kernel);
    kernels.push_back(kernel);
  }
}

/// Whether the path leads to a place below the folder, links followed. A file that is not there leads nowhere.
static bool isBelow(const std::string &folder, const std::string &path) {
  std::unique_ptr<char, decltype(&std::free)> root(realpath(folder.empty() ? "." : folder.c_str(), nullptr), std::free),
      file(realpath(path.c_str(), nullptr), std::free);
  if (!root || !file)
    return true;
  size_t length = std::strlen(root.get());
  return !std::strncmp(file.get(), root.get(), length) && (length == 1 || file.get()[length] == '/');
}

/// Maps the file, and compares it with what the container says of it.
tiny_status Loader::openFile(const tiny_format_constant &constant, const std::string &name, MappedFile &file) {
  std::string path = folder.empty() || name.front() == '/' ? name : folder + "/" + name;
  if (!(flags & TINY_LOAD_ANY_FILE) &&
      (name.front() == '/' || ("/" + name + "/").find("/../") != std::string::npos || !isBelow(folder, path)))
    return fail(TINY_INVALID_ARGUMENT, "the file of a constant, '%.200s', is not below the container's folder",
                name.c_str());
  if (tiny_status status = file.open(path))
    return status;
  for (const tiny_format_file &known : loaded->container.files) {
    if (known.name != constant.file)
      continue;
    if (known.size != file.size())
      return fail(TINY_INVALID_ARGUMENT, "'%.200s' has %llu bytes; the program was compiled with a file of %llu",
                  name.c_str(), (unsigned long long)file.size(), (unsigned long long)known.size);
    if ((known.modified && known.modified != file.modified()) ||
        known.sample != tiny_format_sample(file.data(), file.size()))
      return fail(TINY_INVALID_ARGUMENT, "'%.200s' was changed after the program was compiled", name.c_str());
  }
  return TINY_OK;
}

/// A constant in a file, which is mapped once.
tiny_status Loader::findInFile(const tiny_format_constant &constant, const char *name, const void *&data) {
  MappedFile *&file = files[name];
  if (!file) {
    file = &loaded->constantFiles.emplace_back();
    if (tiny_status status = openFile(constant, name, *file))
      return status;
  }
  if (constant.offset > file->size() || constant.size > file->size() - constant.offset)
    return fail(TINY_INVALID_ARGUMENT, "a constant of %llu bytes at offset %llu leaves '%.200s' of %llu bytes",
                (unsigned long long)constant.size, (unsigned long long)constant.offset, name,
                (unsigned long long)file->size());
  data = file->data() + constant.offset;
  if ((flags & TINY_LOAD_CHECK_CONSTANTS) && constant.identity &&
      tiny_format_checksum(data, constant.size) != constant.identity)
    return fail(TINY_INVALID_ARGUMENT, "a constant in '%.200s' is not what the program was compiled with", name);
  return TINY_OK;
}

tiny_status Loader::findConstant(const tiny_format_constant &constant, const void *&data) {
  const char *name = loaded->container.getString(constant.file);
  if (*name)
    return findInFile(constant, name, data);
  data = loaded->container.data + constant.offset;
  return TINY_OK;
}

tiny_status Loader::describeItems() {
  const ContainerReader &container = loaded->container;
  for (const tiny_format_item &entry : container.items) {
    tiny_item item = {};
    item.kind = tiny_item_kind(entry.kind);
    item.slot = entry.slot;
    item.source = entry.source;
    item.kernel = entry.kernel;
    item.offset = entry.offset;
    item.buffers = container.operands.begin() + entry.first_operand;
    item.n_inputs = entry.n_inputs;
    item.n_outputs = entry.n_outputs;
    item.data = entry.pattern;
    item.data_size = entry.pattern_size;
    item.n_nested = entry.n_nested;
    item.limit = entry.constant;
    item.count = entry.count;
    if (entry.kind == TINY_ITEM_CONSTANT) {
      const tiny_format_constant &constant = container.constants[entry.constant];
      item.data_size = constant.size;
      if (tiny_status status = findConstant(constant, item.data))
        return status;
    }
    if (entry.kind == TINY_ITEM_COLLECTIVE) {
      item.n_inputs = item.n_outputs = 0;
      item.collective = &collectives.emplace_back(tiny_collective{tiny_collective_kind(entry.kernel),
                                                                  tiny_reduction(entry.n_outputs & 0xFF),
                                                                  tiny_dtype(entry.n_outputs >> 8 & 0xFF),
                                                                  container.operands.begin() + entry.first_operand,
                                                                  entry.n_inputs,
                                                                  {0, 0},
                                                                  entry.n_outputs >> 16});
      std::memcpy(collectives.back().peers, entry.pattern, sizeof(entry.pattern));
    }
    if (entry.kind >= TINY_ITEM_LAUNCH)
      item.places = entry.offset;
    items.push_back(item);
  }
  for (const tiny_format_grid &axis : container.grid)
    grid.push_back(axis.size);
  for (const tiny_format_slot &slot : container.slots)
    slots.push_back({slot.size, slot.alignment, slot.flags & ((1u << TINY_SLOT_DEVICE_SHIFT) - 1)});
  for (const tiny_format_size &size : container.sizes)
    sizes.push_back({container.getString(size.name), size.least, size.most, size.flags & TINY_SIZE_COMPUTED});
  return TINY_OK;
}

tiny_status Loader::load(const void *data, uint64_t size, std::unique_ptr<LoadedProgram> parts,
                         tiny_program **program) {
  loaded = std::move(parts);
  ContainerReader &container = loaded->container;
  if (tiny_status status = container.read(data, size, flags & TINY_LOAD_CHECK_CONSTANTS))
    return status;
  if (tiny_status status = chooseBinaries())
    return status;
  describeKernels();
  if (tiny_status status = describeItems())
    return status;
  bool isOnSeveral = container.isOnSeveral && !device->getMembers().empty();
  if (isOnSeveral)
    if (tiny_status status = describeDevices())
      return status;
  tiny_program_desc desc = {};
  desc.name = container.getString(container.program->name);
  desc.slots = slots.data();
  desc.n_slots = uint32_t(slots.size());
  desc.n_arguments = container.program->n_arguments;
  desc.results = container.operands.begin() + container.program->first_result;
  desc.n_results = container.program->n_results;
  desc.kernels = kernels.data();
  desc.n_kernels = uint32_t(kernels.size());
  desc.items = items.data();
  desc.n_items = uint32_t(items.size());
  desc.sizes = sizes.data();
  desc.n_sizes = uint32_t(sizes.size());
  desc.grid = grid.data();
  desc.n_grid = uint32_t(grid.size());
  desc.slot_devices = isOnSeveral ? slotDevices.data() : nullptr;
  desc.kernel_devices = isOnSeveral ? kernelDevices.data() : nullptr;
  desc.reads_place = container.grid.count && (container.grid[0].flags & TINY_GRID_PLACE);
  for (uint32_t axis = 0; axis < container.grid.count; ++axis)
    if (container.grid[axis].flags & TINY_GRID_STAGES) {
      desc.has_stages = 1;
      desc.stage_axis = axis;
    }
  return createProgram(device, desc, std::move(loaded), program);
}

tiny_status tiny_program_load(tiny_device *device, const void *data, uint64_t size, const char *folder, uint32_t flags,
                              tiny_program **program) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(device, HandleKind::Device))
      return status;
    if (!data || !program)
      return fail(TINY_INVALID_ARGUMENT, "container or out parameter is null");
    if (reinterpret_cast<uintptr_t>(data) % TINY_FORMAT_ALIGNMENT)
      return fail(TINY_INVALID_ARGUMENT, "container at %p is not aligned to %u bytes", data, TINY_FORMAT_ALIGNMENT);
    if (flags & ~uint32_t(TINY_LOAD_CHECK_CONSTANTS | TINY_LOAD_ANY_FILE))
      return fail(TINY_INVALID_ARGUMENT, "unknown flags 0x%x", flags);
    return Loader(device, folder, flags).load(data, size, std::make_unique<LoadedProgram>(), program);
  });
}

tiny_status tiny_program_open(tiny_device *device, const char *path, uint32_t flags, tiny_program **program) {
  return guarded([&]() -> tiny_status {
    if (tiny_status status = checkHandle(device, HandleKind::Device))
      return status;
    if (!path || !program)
      return fail(TINY_INVALID_ARGUMENT, "path or out parameter is null");
    if (flags & ~uint32_t(TINY_LOAD_CHECK_CONSTANTS | TINY_LOAD_ANY_FILE))
      return fail(TINY_INVALID_ARGUMENT, "unknown flags 0x%x", flags);
    auto loaded = std::make_unique<LoadedProgram>();
    if (tiny_status status = loaded->file.open(path))
      return status;
    const char *slash = std::strrchr(path, '/');
    std::string folder = slash ? std::string(path, slash == path ? 1 : slash - path) : "";
    const char *data = loaded->file.data();
    uint64_t size = loaded->file.size();
    return Loader(device, folder.c_str(), flags).load(data, size, std::move(loaded), program);
  });
}

/*---- What a loaded program says of itself --------------------------------------------------------------------------*/

namespace {

/// The container of a program, or null.
const LoadedProgram *getLoaded(const tiny_program *program) {
  return isLiveHandle(program, HandleKind::Program) ? program->loaded.get() : nullptr;
}

tiny_status getParameter(const tiny_program *program, bool isInput, uint32_t index, tiny_parameter *parameter) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  const LoadedProgram *loaded = getLoaded(program);
  uint32_t nInputs = loaded ? loaded->container.program->n_arguments : 0;
  uint32_t count = !loaded ? 0 : isInput ? nInputs : loaded->container.program->n_results;
  if (index >= count || !parameter)
    return fail(TINY_INVALID_ARGUMENT, "%s %u is asked for, there are %u", isInput ? "input" : "result", index, count);
  const ContainerReader &container = loaded->container;
  const tiny_format_parameter &entry = container.parameters[isInput ? index : nInputs + index];
  parameter->name = container.getString(entry.name);
  parameter->dtype = tiny_dtype(entry.dtype);
  parameter->rank = entry.rank;
  parameter->shape = container.extents.begin() + entry.first_extent;
  parameter->donated = entry.flags & TINY_PARAMETER_DONATED ? 1 : 0;
  parameter->alias = entry.alias == TINY_FORMAT_NONE ? -1 : int64_t(entry.alias);
  bool hasSizes = container.sizes.count != 0;
  parameter->dimensions = hasSizes ? container.dimensions.begin() + entry.first_extent : nullptr;
  parameter->terms = hasSizes ? container.terms.begin() : nullptr;
  parameter->cuts = container.grid.count ? container.cuts.begin() + entry.first_extent : nullptr;
  parameter->cut_axes = container.cutAxes.begin();
  parameter->stage = entry.flags & TINY_PARAMETER_STAGE ? int64_t(entry.flags >> 8) : -1;
  parameter->stage_axis = program->stageAxis < 0 ? 0 : uint32_t(program->stageAxis);
  return TINY_OK;
}

} // namespace

uint32_t tiny_program_input_count(const tiny_program *program) {
  const LoadedProgram *loaded = getLoaded(program);
  return loaded ? loaded->container.program->n_arguments : 0;
}

uint32_t tiny_program_result_count(const tiny_program *program) {
  const LoadedProgram *loaded = getLoaded(program);
  return loaded ? loaded->container.program->n_results : 0;
}

tiny_status tiny_program_input(const tiny_program *program, uint32_t index, tiny_parameter *parameter) {
  return getParameter(program, true, index, parameter);
}

tiny_status tiny_program_result(const tiny_program *program, uint32_t index, tiny_parameter *parameter) {
  return getParameter(program, false, index, parameter);
}

uint32_t tiny_program_kernel_count(const tiny_program *program) {
  const LoadedProgram *loaded = getLoaded(program);
  return loaded ? uint32_t(loaded->partOf.size()) : 0;
}

tiny_status tiny_program_kernel(const tiny_program *program, uint32_t index, tiny_kernel_info *info) {
  if (tiny_status status = checkHandle(program, HandleKind::Program))
    return status;
  uint32_t count = tiny_program_kernel_count(program);
  if (index >= count || !info)
    return fail(TINY_INVALID_ARGUMENT, "kernel %u is asked for, there are %u", index, count);
  const LoadedProgram *loaded = getLoaded(program);
  const tiny_format_kernel &kernel = loaded->getKernel(loaded->getPart(index), index);
  info->name = loaded->container.getString(kernel.name);
  info->operations = kernel.operations;
  info->bytes = kernel.bytes;
  return TINY_OK;
}

uint32_t tiny_program_grid(const tiny_program *program, const int64_t **sizes) {
  if (!isLiveHandle(program, HandleKind::Program))
    return 0;
  if (sizes)
    *sizes = program->grid.data();
  return uint32_t(program->grid.size());
}

const char *tiny_program_record_name(const tiny_program *program) {
  const LoadedProgram *loaded = getLoaded(program);
  if (!loaded)
    return isLiveHandle(program, HandleKind::Program) ? "" : nullptr;
  if (loaded->parts.empty())
    return "";
  return loaded->container.getString(loaded->container.records[loaded->parts.front().binary->record].name);
}
