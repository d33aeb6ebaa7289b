// Lays out a container: tables first, then code, then the data of constants.
#include "Tiny/Runtime/ContainerWriter.h"
#include "Tiny/Runtime/ItemKinds.h"

#include <cstring>
#include <map>

using namespace tiny::runtime;

namespace {

/// Strings, each once; the empty one is at 0.
class Strings {
public:
  uint32_t add(const std::string &text) {
    if (text.empty())
      return 0;
    auto [known, isNew] = offsets.try_emplace(text, uint32_t(bytes.size()));
    if (isNew)
      bytes.append(text.c_str(), text.size() + 1);
    return known->second;
  }
  const std::string &getBytes() const { return bytes; }

private:
  std::string bytes = std::string(1, '\0');
  std::map<std::string, uint32_t> offsets;
};

template <typename T> void append(std::string &table, const T &entry) {
  table.append(reinterpret_cast<const char *>(&entry), sizeof(T));
}

uint64_t alignUp(uint64_t size) {
  return (size + TINY_FORMAT_ALIGNMENT - 1) / TINY_FORMAT_ALIGNMENT * TINY_FORMAT_ALIGNMENT;
}

/// Bytes of a section: parts, each of which begins at a multiple of the alignment. They stay where they are until the
/// container is written, since those of constants may be most of the memory.
class Parts {
public:
  Parts() = default;
  Parts(const std::string &bytes) { add(bytes); }
  /// Where it begins in the section.
  uint64_t add(std::string_view part) {
    uint64_t offset = alignUp(size);
    size = offset + part.size();
    list.emplace_back(offset, part);
    return offset;
  }
  uint64_t getSize() const { return size; }
  void copy(char *target) const {
    for (const auto &[offset, part] : list)
      std::copy(part.begin(), part.end(), target + offset);
  }

private:
  std::vector<std::pair<uint64_t, std::string_view>> list;
  uint64_t size = 0;
};

/// Collects sections, then writes them behind header and table.
class Sections {
public:
  void add(tiny_format_section_kind kind, Parts parts) { sections.emplace_back(kind, std::move(parts)); }

  std::string finish(uint32_t version) {
    size_t front = sizeof(tiny_format_header) + sections.size() * sizeof(tiny_format_section);
    uint64_t size = front;
    for (const auto &[kind, parts] : sections)
      size = alignUp(size) + parts.getSize();
    std::string bytes(size, '\0'), table;
    uint64_t offset = front;
    for (const auto &[kind, parts] : sections) {
      offset = alignUp(offset);
      parts.copy(&bytes[0] + offset);
      tiny_format_section section = {};
      section.kind = kind;
      section.offset = offset;
      section.size = parts.getSize();
      section.checksum = tiny_format_checksum(bytes.data() + offset, section.size);
      append(table, section);
      offset += section.size;
    }
    tiny_format_header header = {};
    std::memcpy(header.magic, TINY_FORMAT_MAGIC, sizeof(header.magic));
    header.version = version;
    header.n_sections = uint32_t(sections.size());
    header.size = size;
    std::memcpy(&bytes[0], &header, sizeof(header));
    std::memcpy(&bytes[sizeof(header)], table.data(), table.size());
    header.checksum = tiny_format_checksum(bytes.data(), front);
    std::memcpy(&bytes[0], &header, sizeof(header));
    return bytes;
  }

private:
  std::vector<std::pair<tiny_format_section_kind, Parts>> sections;
};

class Writer {
public:
  explicit Writer(const Container &container) : container(container) {}
  std::string write();

private:
  void addRecords();
  void addBinaries();
  void addMap(uint32_t kernel, const tiny_tensor_map &map);
  void addFiles();
  void addParameters(const std::vector<ContainerParameter> &list);
  void addDimensions(const ContainerParameter &parameter);
  void addSizes();
  void addCuts(const ContainerParameter &parameter);
  void addGrid();
  void addItem(uint32_t index, const tiny_item &item);
#define TINY_ADD(KIND, Name) void add##Name(uint32_t index, const tiny_item &item, tiny_format_item &entry);
  TINY_ITEMS(TINY_ADD)
#undef TINY_ADD
  tiny_format_program describeProgram();

  const Container &container;
  Strings strings;
  std::string records, binaries, kernels, slots, items, operands, parameters, extents, constants, files;
  std::string sizes, dimensions, terms, grid, cuts, cutAxes, maps;
  bool isComputed = false, isNested = false, isAsync = false, isOnSeveral = false;
  Parts code, data;
};

} // namespace

void Writer::addRecords() {
  for (const ContainerRecord &record : container.records) {
    tiny_format_record entry = {};
    entry.device = strings.add(record.device);
    entry.name = strings.add(record.name);
    entry.text = strings.add(record.text);
    entry.machine = record.machine;
    entry.features = record.features;
    entry.hash = record.hash;
    append(records, entry);
  }
}

void Writer::addMap(uint32_t kernel, const tiny_tensor_map &map) {
  tiny_format_map entry = {};
  entry.kernel = kernel;
  entry.buffer = map.buffer;
  entry.dtype = map.dtype;
  entry.rank = map.rank;
  entry.swizzle = map.swizzle;
  std::memcpy(entry.box, map.box, sizeof(entry.box));
  std::memcpy(entry.extents, map.extents, sizeof(entry.extents));
  std::memcpy(entry.strides, map.strides, sizeof(entry.strides));
  append(maps, entry);
}

void Writer::addBinaries() {
  for (const ContainerBinary &binary : container.binaries) {
    tiny_format_binary entry = {};
    entry.record = binary.record;
    entry.format = binary.format;
    entry.offset = code.add(binary.code);
    entry.size = binary.code.size();
    entry.first_kernel = uint32_t(kernels.size() / sizeof(tiny_format_kernel));
    entry.n_kernels = uint32_t(binary.kernels.size());
    append(binaries, entry);
    for (const ContainerKernel &kernel : binary.kernels) {
      tiny_format_kernel launch = {};
      launch.name = strings.add(kernel.name);
      launch.symbol = strings.add(kernel.symbol);
      std::memcpy(launch.grid, kernel.grid, sizeof(launch.grid));
      launch.n_buffers = kernel.nBuffers;
      launch.flags = kernel.flags;
      launch.scratch_bytes = kernel.scratchBytes;
      launch.operations = kernel.operations;
      launch.bytes = kernel.bytes;
      for (const tiny_tensor_map &map : kernel.maps)
        addMap(uint32_t(kernels.size() / sizeof(tiny_format_kernel)), map);
      append(kernels, launch);
    }
  }
}

void Writer::addFiles() {
  for (const ContainerFile &file : container.files) {
    tiny_format_file entry = {};
    entry.name = strings.add(file.name);
    entry.size = file.size;
    entry.modified = file.modified;
    entry.sample = file.sample;
    append(files, entry);
  }
}

void Writer::addParameters(const std::vector<ContainerParameter> &list) {
  for (const ContainerParameter &parameter : list) {
    tiny_format_parameter entry = {};
    entry.name = strings.add(parameter.name);
    entry.dtype = parameter.dtype;
    entry.rank = uint32_t(parameter.shape.size());
    entry.first_extent = uint32_t(extents.size() / sizeof(int64_t));
    entry.flags = parameter.donated ? TINY_PARAMETER_DONATED : 0;
    if (parameter.stage >= 0)
      entry.flags |= TINY_PARAMETER_STAGE | uint32_t(parameter.stage) << 8;
    entry.alias = parameter.alias;
    append(parameters, entry);
    for (int64_t extent : parameter.shape)
      append(extents, extent);
    if (container.program.n_sizes)
      addDimensions(parameter);
    if (container.program.n_grid)
      addCuts(parameter);
  }
}

void Writer::addDimensions(const ContainerParameter &parameter) {
  for (size_t axis = 0; axis < parameter.shape.size(); ++axis) {
    tiny_format_dimension entry = {};
    entry.first_term = uint32_t(terms.size() / sizeof(tiny_format_term));
    if (axis < parameter.live.size())
      for (const tiny_format_term &term : parameter.live[axis]) {
        append(terms, term);
        ++entry.n_terms;
      }
    append(dimensions, entry);
  }
}

void Writer::addCuts(const ContainerParameter &parameter) {
  for (size_t axis = 0; axis < parameter.shape.size(); ++axis) {
    tiny_format_cut entry = {};
    entry.whole = parameter.shape[axis];
    entry.first_axis = uint32_t(cutAxes.size() / sizeof(uint32_t));
    if (axis < parameter.cuts.size()) {
      entry.whole = parameter.cuts[axis].first;
      entry.n_axes = uint32_t(parameter.cuts[axis].second.size());
      for (uint32_t gridAxis : parameter.cuts[axis].second)
        append(cutAxes, gridAxis);
    }
    append(cuts, entry);
  }
}

void Writer::addGrid() {
  for (uint32_t k = 0; k < container.program.n_grid; ++k) {
    tiny_format_grid entry = {};
    entry.size = container.program.grid[k];
    entry.flags = k == 0 && container.program.reads_place ? TINY_GRID_PLACE : 0;
    if (container.program.has_stages && k == container.program.stage_axis)
      entry.flags |= TINY_GRID_STAGES;
    append(grid, entry);
  }
}

void Writer::addSizes() {
  for (uint32_t k = 0; k < container.program.n_sizes; ++k) {
    const tiny_size &size = container.program.sizes[k];
    tiny_format_size entry = {};
    entry.name = strings.add(size.name);
    entry.least = size.least;
    entry.most = size.most;
    entry.flags = size.computed ? TINY_SIZE_COMPUTED : 0;
    isComputed |= size.computed != 0;
    append(sizes, entry);
  }
}

void Writer::addConstant(uint32_t index, const tiny_item &item, tiny_format_item &entry) {
  entry.slot = item.slot;
  entry.constant = uint32_t(constants.size() / sizeof(tiny_format_constant));
  tiny_format_constant constant = {};
  constant.size = item.data_size;
  auto external = container.external.find(index);
  if (external != container.external.end()) {
    constant.file = strings.add(external->second.file);
    constant.offset = external->second.offset;
    constant.identity = external->second.identity;
  } else {
    constant.offset = data.add({static_cast<const char *>(item.data), item.data_size});
  }
  append(constants, constant);
}

void Writer::addAlloc(uint32_t, const tiny_item &item, tiny_format_item &entry) { entry.slot = item.slot; }

void Writer::addAlias(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.slot = item.slot;
  entry.source = item.source;
  entry.offset = item.offset;
}

void Writer::addLaunch(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.kernel = item.kernel;
  entry.first_operand = uint32_t(operands.size() / sizeof(uint32_t));
  entry.n_inputs = item.n_inputs;
  entry.n_outputs = item.n_outputs;
  for (uint32_t k = 0; k < item.n_inputs + item.n_outputs; ++k)
    append(operands, item.buffers[k]);
}

void Writer::addCopy(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.slot = item.slot;
  entry.source = item.source;
}

void Writer::addCollective(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.slot = item.slot;
  entry.source = item.source;
  const tiny_collective *collective = item.collective;
  if (!collective)
    return;
  entry.kernel = collective->kind;
  entry.first_operand = uint32_t(operands.size() / sizeof(uint32_t));
  entry.n_inputs = collective->n_axes;
  entry.n_outputs = uint32_t(collective->reduction) | uint32_t(collective->dtype) << 8 | (collective->async != 0) << 16;
  for (uint32_t k = 0; k < collective->n_axes; ++k)
    append(operands, collective->axes[k]);
  if (collective->kind == TINY_SEND)
    std::memcpy(entry.pattern, collective->peers, sizeof(entry.pattern));
}

void Writer::addWait(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  isAsync = true;
  entry.slot = item.slot;
  entry.source = item.source;
}

void Writer::addFill(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.slot = item.slot;
  entry.pattern_size = uint32_t(item.data_size);
  if (item.data_size <= sizeof(entry.pattern))
    std::memcpy(entry.pattern, item.data, item.data_size);
}

void Writer::addLoop(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.slot = item.slot;
  entry.source = item.source;
  entry.constant = item.limit;
  entry.n_nested = item.n_nested;
  entry.count = item.count;
  isNested = true;
}

void Writer::addIf(uint32_t, const tiny_item &item, tiny_format_item &entry) {
  entry.source = item.source;
  entry.n_nested = item.n_nested;
  entry.count = item.count;
  isNested = true;
}

void Writer::addItem(uint32_t index, const tiny_item &item) {
  tiny_format_item entry = {};
  entry.kind = item.kind;
  switch (item.kind) {
#define TINY_ADD(KIND, Name)                                                                                           \
  case TINY_ITEM_##KIND:                                                                                               \
    add##Name(index, item, entry);                                                                                     \
    break;
    TINY_ITEMS(TINY_ADD)
#undef TINY_ADD
  default: // the loader refuses what is no kind
    break;
  }
  if (item.kind >= TINY_ITEM_LAUNCH)
    entry.offset = item.places;
  append(items, entry);
}

tiny_format_program Writer::describeProgram() {
  const tiny_program_desc &program = container.program;
  tiny_format_program entry = {};
  entry.name = strings.add(program.name ? program.name : "");
  entry.n_arguments = program.n_arguments;
  entry.n_results = program.n_results;
  entry.first_result = uint32_t(operands.size() / sizeof(uint32_t));
  for (uint32_t k = 0; k < program.n_results; ++k) {
    append(operands, program.results[k]);
    if (program.results[k] < program.n_slots)
      entry.results_bytes += program.slots[program.results[k]].size;
  }
  for (uint32_t k = 0; k < program.n_slots; ++k) {
    tiny_format_slot slot = {program.slots[k].size, program.slots[k].alignment, program.slots[k].flags};
    if (program.slot_devices) {
      slot.flags |= program.slot_devices[k] << TINY_SLOT_DEVICE_SHIFT;
      isOnSeveral |= program.slot_devices[k] != 0;
    }
    append(slots, slot);
    if (k < program.n_arguments)
      entry.arguments_bytes += slot.size;
  }
  for (uint32_t k = 0; k < program.n_items; ++k) {
    const tiny_item &item = program.items[k];
    if (item.kind == TINY_ITEM_CONSTANT)
      entry.constants_bytes += item.data_size;
    else if (item.kind == TINY_ITEM_ALLOC && item.slot < program.n_slots)
      entry.temporaries_bytes += program.slots[item.slot].size;
  }
  // What is allocated for results is no temporary.
  entry.temporaries_bytes -=
      entry.temporaries_bytes < entry.results_bytes ? entry.temporaries_bytes : entry.results_bytes;
  return entry;
}

std::string Writer::write() {
  addRecords();
  addBinaries();
  addFiles();
  for (uint32_t k = 0; k < container.program.n_items; ++k)
    addItem(k, container.program.items[k]);
  addParameters(container.inputs);
  addParameters(container.results);
  addSizes();
  addGrid();
  std::string program;
  append(program, describeProgram());

  Sections sections;
  sections.add(TINY_SECTION_STRINGS, strings.getBytes());
  sections.add(TINY_SECTION_PROGRAM, program);
  sections.add(TINY_SECTION_RECORDS, records);
  sections.add(TINY_SECTION_BINARIES, binaries);
  sections.add(TINY_SECTION_KERNELS, kernels);
  sections.add(TINY_SECTION_SLOTS, slots);
  sections.add(TINY_SECTION_ITEMS, items);
  sections.add(TINY_SECTION_OPERANDS, operands);
  sections.add(TINY_SECTION_PARAMETERS, parameters);
  sections.add(TINY_SECTION_EXTENTS, extents);
  sections.add(TINY_SECTION_CONSTANTS, constants);
  if (!files.empty())
    sections.add(TINY_SECTION_FILES, files);
  if (!sizes.empty()) {
    sections.add(TINY_SECTION_SIZES, sizes);
    sections.add(TINY_SECTION_DIMENSIONS, dimensions);
    sections.add(TINY_SECTION_TERMS, terms);
  }
  if (!grid.empty()) {
    sections.add(TINY_SECTION_GRID, grid);
    sections.add(TINY_SECTION_CUTS, cuts);
    sections.add(TINY_SECTION_CUT_AXES, cutAxes);
  }
  if (!maps.empty())
    sections.add(TINY_SECTION_MAPS, maps);
  sections.add(TINY_SECTION_CODE, code);
  sections.add(TINY_SECTION_DATA, data);
  // Readers of older versions take what they can.
  return sections.finish(isOnSeveral                    ? 9
                         : !maps.empty()                ? 8
                         : isAsync                      ? 7
                         : container.program.has_stages ? 6
                         : !grid.empty()                ? 5
                         : isNested                     ? 4
                         : isComputed                   ? 3
                         : sizes.empty()                ? 1
                                                        : 2);
}

std::string tiny::runtime::writeContainer(const Container &container) { return Writer(container).write(); }
