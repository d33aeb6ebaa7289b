// Verification of a container: magic, version, checksums, then every offset, count and reference.
#include "ContainerReader.h"
#include "Device.h"
#include "Error.h"

#include <cstring>
#include <initializer_list>
#include <vector>

using namespace tiny::runtime;

namespace {

constexpr uint32_t kLastSection = TINY_SECTION_MAPS;
/// Entries of one table: indices have 32 bits.
constexpr uint64_t kMaxCount = UINT64_C(1) << 31;

tiny_status malformed(const char *what) { return fail(TINY_INVALID_ARGUMENT, "malformed container: %s", what); }

tiny_status malformedAt(const char *table, uint32_t index, const char *what) {
  return fail(TINY_INVALID_ARGUMENT, "malformed container: %s %u: %s", table, index, what);
}

bool isZero(const char *begin, const char *end) {
  for (; begin != end; ++begin)
    if (*begin)
      return false;
  return true;
}

} // namespace

tiny_status ContainerReader::readHeader() {
  if (size < sizeof(header))
    return malformed("it is shorter than its header");
  std::memcpy(&header, bytes, sizeof(header));
  if (std::memcmp(header.magic, TINY_FORMAT_MAGIC, sizeof(header.magic)) != 0)
    return fail(TINY_INVALID_ARGUMENT, "this is no container of a program");
  if (header.version < TINY_FORMAT_FIRST_VERSION || header.version > TINY_FORMAT_VERSION)
    return fail(TINY_UNSUPPORTED, "a container of version %u; this runtime reads versions %u to %u", header.version,
                TINY_FORMAT_FIRST_VERSION, TINY_FORMAT_VERSION);
  if (header.size != size)
    return fail(TINY_INVALID_ARGUMENT, "malformed container: it has %llu bytes, and says %llu",
                (unsigned long long)size, (unsigned long long)header.size);
  if (header.n_sections > kLastSection || sizeof(header) + header.n_sections * sizeof(tiny_format_section) > size)
    return malformed("its table of sections leaves it");
  uint64_t sum = header.checksum;
  header.checksum = 0;
  uint64_t front = sizeof(header) + header.n_sections * sizeof(tiny_format_section);
  // As if the header and the table stood in one block with a checksum of zero.
  uint64_t found = tiny_format_checksum_from(front ^ UINT64_C(0x54696E7950726F67), &header, sizeof(header));
  found = tiny_format_checksum_from(found, bytes + sizeof(header), front - sizeof(header));
  if (found != sum)
    return malformed("the checksum of its header does not fit");
  header.checksum = sum;
  return TINY_OK;
}

template <typename T>
tiny_status ContainerReader::setTable(Table<T> &table, const tiny_format_section &section, const char *name) {
  if (section.size % sizeof(T) || section.size / sizeof(T) > kMaxCount)
    return fail(TINY_INVALID_ARGUMENT, "malformed container: %llu bytes of %s", (unsigned long long)section.size, name);
  table.entries = reinterpret_cast<const T *>(bytes + section.offset);
  table.count = uint32_t(section.size / sizeof(T));
  return TINY_OK;
}

tiny_status ContainerReader::readSection(const tiny_format_section &section, bool checkSum) {
  if (section.reserved || section.offset % TINY_FORMAT_ALIGNMENT)
    return malformed("a section is not aligned, or has unknown flags");
  if (checkSum && tiny_format_checksum(bytes + section.offset, section.size) != section.checksum)
    return fail(TINY_INVALID_ARGUMENT, "malformed container: the checksum of section %u does not fit", section.kind);
  switch (section.kind) {
  case TINY_SECTION_STRINGS:
    return setTable(strings, section, "strings");
  case TINY_SECTION_PROGRAM:
    if (section.size != sizeof(tiny_format_program))
      return malformed("its program has another size");
    program = reinterpret_cast<const tiny_format_program *>(bytes + section.offset);
    return TINY_OK;
  case TINY_SECTION_RECORDS:
    return setTable(records, section, "records");
  case TINY_SECTION_BINARIES:
    return setTable(binaries, section, "binaries");
  case TINY_SECTION_KERNELS:
    return setTable(kernels, section, "kernels");
  case TINY_SECTION_SLOTS:
    return setTable(slots, section, "slots");
  case TINY_SECTION_ITEMS:
    return setTable(items, section, "items");
  case TINY_SECTION_OPERANDS:
    return setTable(operands, section, "operands");
  case TINY_SECTION_PARAMETERS:
    return setTable(parameters, section, "parameters");
  case TINY_SECTION_EXTENTS:
    return setTable(extents, section, "extents");
  case TINY_SECTION_CONSTANTS:
    return setTable(constants, section, "constants");
  case TINY_SECTION_CODE:
    code = bytes + section.offset;
    codeSize = section.size;
    return TINY_OK;
  case TINY_SECTION_DATA:
    data = bytes + section.offset;
    dataSize = section.size;
    return TINY_OK;
  case TINY_SECTION_FILES:
    return setTable(files, section, "files");
  case TINY_SECTION_SIZES:
    return setTable(sizes, section, "sizes");
  case TINY_SECTION_DIMENSIONS:
    return setTable(dimensions, section, "dimensions");
  case TINY_SECTION_TERMS:
    return setTable(terms, section, "terms");
  case TINY_SECTION_GRID:
    return setTable(grid, section, "the grid");
  case TINY_SECTION_CUTS:
    return setTable(cuts, section, "cuts");
  case TINY_SECTION_CUT_AXES:
    return setTable(cutAxes, section, "axes");
  case TINY_SECTION_MAPS:
    return setTable(maps, section, "maps");
  default:
    return fail(TINY_INVALID_ARGUMENT, "malformed container: a section of unknown kind %u", section.kind);
  }
}

tiny_status ContainerReader::readSections(bool checkConstants) {
  bool seen[kLastSection + 1] = {};
  uint64_t end = sizeof(header) + header.n_sections * sizeof(tiny_format_section);
  for (uint32_t k = 0; k < header.n_sections; ++k) {
    tiny_format_section section;
    std::memcpy(&section, bytes + sizeof(header) + k * sizeof(section), sizeof(section));
    if (section.offset < end || section.offset > size || section.size > size - section.offset)
      return malformed("a section leaves it, or lies on another");
    if (!isZero(bytes + end, bytes + section.offset))
      return malformed("there is something between its sections");
    uint32_t last = header.version == 1  ? uint32_t(TINY_SECTION_FILES)
                    : header.version < 5 ? uint32_t(TINY_SECTION_TERMS)
                    : header.version < 8 ? uint32_t(TINY_SECTION_CUT_AXES)
                                         : kLastSection;
    if (section.kind > last || seen[section.kind])
      return fail(TINY_INVALID_ARGUMENT, "malformed container: section %u stands there twice, or is unknown",
                  section.kind);
    seen[section.kind] = true;
    end = section.offset + section.size;
    if (tiny_status status = readSection(section, checkConstants || section.kind != TINY_SECTION_DATA))
      return status;
  }
  if (end != size)
    return malformed("there is something behind its sections");
  return program ? TINY_OK : malformed("it has no program");
}

/// An offset anywhere among strings that end in zero is a string.
tiny_status ContainerReader::checkStrings() {
  if (!strings.count || strings[0] || strings[strings.count - 1])
    return malformed("its strings do not begin and end with zero");
  for (const tiny_format_record &record : records)
    if (!isString(record.device) || !isString(record.name) || !isString(record.text))
      return malformedAt("record", uint32_t(&record - records.begin()), "a string leaves the strings");
  for (const tiny_format_kernel &kernel : kernels)
    if (!isString(kernel.name) || !isString(kernel.symbol))
      return malformedAt("kernel", uint32_t(&kernel - kernels.begin()), "a string leaves the strings");
  for (const tiny_format_file &file : files)
    if (!isString(file.name) || file.reserved)
      return malformedAt("file", uint32_t(&file - files.begin()), "its name leaves the strings");
  return isString(program->name) ? TINY_OK : malformed("its name leaves the strings");
}

tiny_status ContainerReader::checkProgram() {
  bool readsPlace = grid.count && (grid[0].flags & TINY_GRID_PLACE);
  if (program->n_arguments + uint64_t(sizes.count != 0) + readsPlace > slots.count)
    return malformed("it has more arguments than slots");
  if (!operands.holds(program->first_result, program->n_results))
    return malformed("its results leave the operands");
  if (uint64_t(program->n_arguments) + program->n_results != parameters.count)
    return malformed("not every argument and result is described");
  return TINY_OK;
}

tiny_status ContainerReader::checkBinaries() {
  for (const tiny_format_binary &binary : binaries) {
    uint32_t index = uint32_t(&binary - binaries.begin());
    if (binary.record >= records.count)
      return malformedAt("binary", index, "its record does not exist");
    if (binary.offset % TINY_FORMAT_ALIGNMENT || binary.offset > codeSize || binary.size > codeSize - binary.offset)
      return malformedAt("binary", index, "its code leaves the section of code");
    if (!kernels.holds(binary.first_kernel, binary.n_kernels))
      return malformedAt("binary", index, "its kernels do not exist");
    if (binary.n_kernels != binaries[0].n_kernels)
      return malformedAt("binary", index, "it has not as many kernels as the first one");
  }
  return TINY_OK;
}

/// A slot lies on the device of a binary.
tiny_status ContainerReader::checkSlots() {
  for (const tiny_format_slot &slot : slots) {
    uint32_t device = slot.flags >> TINY_SLOT_DEVICE_SHIFT;
    if (device && header.version < 9)
      return malformedAt("slot", uint32_t(&slot - slots.begin()), "that it lies on a device is of version 9");
    if (device && device >= binaries.count)
      return malformedAt("slot", uint32_t(&slot - slots.begin()),
                         "it lies on the device of a binary that is not there");
    isOnSeveral |= device != 0;
  }
  return TINY_OK;
}

/// Maps follow their kernels' order, and are of buffers of theirs. What a device wants of them it checks.
tiny_status ContainerReader::checkMaps() {
  uint32_t last = 0;
  for (const tiny_format_map &map : maps) {
    uint32_t index = uint32_t(&map - maps.begin());
    if (map.kernel >= kernels.count || map.kernel < last)
      return malformedAt("map", index, "its kernel does not exist, or comes before that of the map in front of it");
    if (map.buffer >= kernels[map.kernel].n_buffers || map.dtype > TINY_DTYPE_F8E5M2 || map.rank < 1 || map.rank > 5)
      return malformedAt("map", index, "its buffer does not exist, or its type or its rank is unknown");
    last = map.kernel;
  }
  return TINY_OK;
}

tiny_status ContainerReader::checkAlloc(const tiny_format_item &, uint32_t) const { return TINY_OK; }
tiny_status ContainerReader::checkAlias(const tiny_format_item &, uint32_t) const { return TINY_OK; }
tiny_status ContainerReader::checkCopy(const tiny_format_item &, uint32_t) const { return TINY_OK; }

tiny_status ContainerReader::checkConstant(const tiny_format_item &item, uint32_t index) const {
  return item.constant < constants.count ? TINY_OK : malformedAt("item", index, "its constant does not exist");
}

tiny_status ContainerReader::checkLaunch(const tiny_format_item &item, uint32_t index) const {
  return operands.holds(item.first_operand, uint64_t(item.n_inputs) + item.n_outputs)
             ? TINY_OK
             : malformedAt("item", index, "its buffers leave the operands");
}

tiny_status ContainerReader::checkCollective(const tiny_format_item &item, uint32_t index) const {
  if (header.version < 5 || !grid.count)
    return malformedAt("item", index, "its kind is of version 5, and needs a grid");
  return operands.holds(item.first_operand, item.n_inputs) ? TINY_OK
                                                           : malformedAt("item", index, "its axes leave the operands");
}

tiny_status ContainerReader::checkWait(const tiny_format_item &, uint32_t index) const {
  return header.version >= 7 ? TINY_OK : malformedAt("item", index, "its kind is of version 7");
}

tiny_status ContainerReader::checkFill(const tiny_format_item &item, uint32_t index) const {
  return item.pattern_size <= sizeof(item.pattern) ? TINY_OK : malformedAt("item", index, "its pattern is too long");
}

tiny_status ContainerReader::checkLoop(const tiny_format_item &, uint32_t index) const {
  return header.version >= 4 ? TINY_OK : malformedAt("item", index, "its kind is of version 4");
}

tiny_status ContainerReader::checkIf(const tiny_format_item &, uint32_t index) const {
  return header.version >= 4 ? TINY_OK : malformedAt("item", index, "its kind is of version 4");
}

tiny_status ContainerReader::checkItem(const tiny_format_item &item, uint32_t index) {
  bool isNesting = item.kind == TINY_ITEM_LOOP || item.kind == TINY_ITEM_IF;
  if (!isNesting && (item.n_nested || item.count))
    return malformedAt("item", index, "it has a list of its own, which its kind does not");
  if (header.version < 6 && item.kind >= TINY_ITEM_LAUNCH && item.offset)
    return malformedAt("item", index, "that some ranks run it is of version 6");
  switch (item.kind) {
#define TINY_CHECK(KIND, Name)                                                                                         \
  case TINY_ITEM_##KIND:                                                                                               \
    return check##Name(item, index);
    TINY_ITEMS(TINY_CHECK)
#undef TINY_CHECK
  default:
    return malformedAt("item", index, "its kind is unknown");
  }
}

tiny_status ContainerReader::checkItems() {
  for (const tiny_format_item &item : items)
    if (tiny_status status = checkItem(item, uint32_t(&item - items.begin())))
      return status;
  return TINY_OK;
}

/// Each is described as its slot is: the buffer's size is that of the tensor.
tiny_status ContainerReader::checkParameters() {
  for (uint32_t k = 0; k < parameters.count; ++k) {
    const tiny_format_parameter &parameter = parameters[k];
    if (!isString(parameter.name) || !extents.holds(parameter.first_extent, parameter.rank))
      return malformedAt("parameter", k, "its name or its shape does not exist");
    // An enumeration must not hold what it does not name.
    uint64_t count = parameter.dtype <= TINY_DTYPE_F8E5M2 ? tiny_dtype_size(tiny_dtype(parameter.dtype)) : 0;
    if (!count)
      return malformedAt("parameter", k, "its element type is unknown");
    for (uint32_t axis = 0; axis < parameter.rank; ++axis) {
      int64_t extent = extents[parameter.first_extent + axis];
      if (extent < 0 || (extent && count > kMaxSize / uint64_t(extent)))
        return malformedAt("parameter", k, "its shape is negative or too large");
      count *= uint64_t(extent);
    }
    bool isInput = k < program->n_arguments;
    uint32_t slot = isInput ? k : operands[program->first_result + k - program->n_arguments];
    if (slot >= slots.count || slots[slot].size != count)
      return malformedAt("parameter", k, "its slot has another size");
    if (parameter.alias != TINY_FORMAT_NONE && (isInput || parameter.alias >= program->n_arguments))
      return malformedAt("parameter", k, "it is in the buffer of an input that does not exist");
  }
  return TINY_OK;
}

/// Terms lie in their table, and give what is said of their dimension where all sizes are at their most.
tiny_status ContainerReader::checkDimensions() {
  if (dimensions.count != (sizes.count ? extents.count : 0) || (terms.count && !sizes.count))
    return malformed("not every dimension is described, or there are no sizes for them");
  std::vector<int64_t> most;
  for (const tiny_format_size &size : sizes)
    most.push_back(size.most);
  for (const tiny_format_dimension &dimension : dimensions) {
    uint32_t index = uint32_t(&dimension - dimensions.begin());
    if (!terms.holds(dimension.first_term, dimension.n_terms))
      return malformedAt("dimension", index, "its terms do not exist");
    int64_t extent;
    if (dimension.n_terms && (!tiny_format_evaluate(terms.begin() + dimension.first_term, dimension.n_terms,
                                                    most.data(), most.size(), &extent) ||
                              extent != extents[index]))
      return malformedAt("dimension", index, "its terms do not give its extent");
  }
  return TINY_OK;
}

/// Cuts lie in their table, name axes of the grid, each once, and give what is said of their dimension.
tiny_status ContainerReader::checkGrid() {
  if (cuts.count != (grid.count ? extents.count : 0) || (cutAxes.count && !grid.count) || (grid.count && sizes.count))
    return malformed("not every cut is described, or there is no grid for them, or it has sizes");
  uint64_t ranks = 1, stages = 0;
  uint32_t known = header.version < 6 ? 0 : uint32_t(TINY_GRID_STAGES);
  for (const tiny_format_grid &axis : grid) {
    bool isFirst = &axis == grid.begin();
    if (axis.size < 1 || uint64_t(axis.size) > INT32_MAX / ranks || axis.reserved ||
        axis.flags & ~((isFirst ? uint32_t(TINY_GRID_PLACE) : 0u) | known))
      return malformedAt("axis of the grid", uint32_t(&axis - grid.begin()), "its size or its flags are unknown");
    ranks *= uint64_t(axis.size);
    if (!(axis.flags & TINY_GRID_STAGES))
      continue;
    if (stages || axis.size > 64)
      return malformedAt("axis of the grid", uint32_t(&axis - grid.begin()), "it has too many stages, or is not alone");
    stages = uint64_t(axis.size);
  }
  for (uint32_t k = 0; k < parameters.count; ++k) {
    uint32_t flags = parameters[k].flags, stage = flags >> 8;
    bool isOfStage = flags & TINY_PARAMETER_STAGE;
    if ((stage && !isOfStage) || (isOfStage && (k < program->n_arguments || stage >= stages)))
      return malformedAt("parameter", k, "it is of a stage that does not exist");
  }
  for (const tiny_format_parameter &parameter : parameters) {
    std::vector<bool> seen(grid.count);
    for (uint32_t k = 0; grid.count && k < parameter.rank; ++k) {
      uint32_t index = parameter.first_extent + k;
      const tiny_format_cut &cut = cuts[index];
      int64_t local = cut.whole;
      if (!cutAxes.holds(cut.first_axis, cut.n_axes) || cut.whole < 0 || uint64_t(cut.whole) > kMaxSize)
        return malformedAt("cut", index, "its axes do not exist, or it is too large");
      for (uint32_t k = 0; k < cut.n_axes; ++k) {
        uint32_t axis = cutAxes[cut.first_axis + k];
        if (axis >= grid.count || seen[axis])
          return malformedAt("cut", index, "it names no axis of the grid, or one twice");
        seen[axis] = true;
        local = local / grid[axis].size + (local % grid[axis].size != 0);
      }
      if (local != extents[index])
        return malformedAt("cut", index, "it does not give its extent");
    }
  }
  return TINY_OK;
}

/// Every size is a dimension of an argument, or computed, and then in no argument's shape.
tiny_status ContainerReader::checkSizes() {
  std::vector<bool> isDefined(sizes.count);
  auto isComputed = [&](uint32_t size) { return (sizes[size].flags & TINY_SIZE_COMPUTED) != 0; };
  for (uint32_t k = 0; sizes.count && k < program->n_arguments; ++k)
    for (uint32_t axis = 0; axis < parameters[k].rank; ++axis) {
      const tiny_format_dimension &dimension = dimensions[parameters[k].first_extent + axis];
      const tiny_format_term *first = terms.begin() + dimension.first_term;
      if (dimension.n_terms == 1 && first->kind == TINY_TERM_SIZE)
        isDefined[first->value] = true;
      for (uint32_t term = 0; term < dimension.n_terms; ++term)
        if (first[term].kind == TINY_TERM_SIZE && isComputed(uint32_t(first[term].value)))
          return malformedAt("argument", k, "its shape depends on a size that is computed");
    }
  for (uint32_t k = 0; k < sizes.count; ++k)
    if (!isString(sizes[k].name) || sizes[k].flags > (header.version < 3 ? 0u : uint32_t(TINY_SIZE_COMPUTED)) ||
        (!isDefined[k] && !isComputed(k)))
      return malformedAt("size", k, "it has no name, or no argument has it");
  return TINY_OK;
}

tiny_status ContainerReader::checkConstants() {
  for (uint32_t k = 0; k < constants.count; ++k) {
    const tiny_format_constant &constant = constants[k];
    if (!isString(constant.file) || constant.reserved)
      return malformedAt("constant", k, "its file leaves the strings");
    bool isInline = !*getString(constant.file);
    if (constant.size > kMaxSize || constant.offset > kMaxSize)
      return malformedAt("constant", k, "it is too large");
    if (isInline && (constant.offset > dataSize || constant.size > dataSize - constant.offset))
      return malformedAt("constant", k, "it leaves the section of data");
  }
  return TINY_OK;
}

tiny_status ContainerReader::read(const void *container, uint64_t containerSize, bool checkConstantSums) {
  bytes = static_cast<const char *>(container);
  size = containerSize;
  if (tiny_status status = readHeader())
    return status;
  if (tiny_status status = readSections(checkConstantSums))
    return status;
  for (auto check : {&ContainerReader::checkStrings, &ContainerReader::checkProgram, &ContainerReader::checkBinaries,
                     &ContainerReader::checkSlots, &ContainerReader::checkMaps, &ContainerReader::checkItems,
                     &ContainerReader::checkParameters, &ContainerReader::checkDimensions, &ContainerReader::checkGrid,
                     &ContainerReader::checkSizes, &ContainerReader::checkConstants})
    if (tiny_status status = (this->*check)())
      return status;
  return TINY_OK;
}
