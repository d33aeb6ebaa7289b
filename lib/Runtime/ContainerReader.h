// Reads containers: verifies everything that Format.h promises, and gives tables that may be used without a check.
#ifndef TINY_LIB_RUNTIME_CONTAINERREADER_H
#define TINY_LIB_RUNTIME_CONTAINERREADER_H

#include "Tiny/Runtime/ItemKinds.h"
#include "Tiny/Runtime/Format.h"
#include "Tiny/Runtime/Runtime.h"

namespace tiny {
namespace runtime {

/// A table of a container. Sections begin at multiples of 64 bytes, so that entries are aligned.
template <typename T> struct Table {
  const T *entries = nullptr;
  uint32_t count = 0;
  const T &operator[](uint32_t index) const { return entries[index]; }
  const T *begin() const { return entries; }
  const T *end() const { return entries + count; }
  /// Whether so many entries stand there.
  bool holds(uint32_t first, uint64_t number) const { return number <= count && first <= count - number; }
};

/// A verified container. It points into the bytes that it was read from.
struct ContainerReader {
  const tiny_format_program *program = nullptr;
  Table<tiny_format_record> records;
  Table<tiny_format_binary> binaries;
  Table<tiny_format_kernel> kernels;
  Table<tiny_format_slot> slots;
  Table<tiny_format_item> items;
  Table<uint32_t> operands;
  Table<tiny_format_parameter> parameters;
  Table<int64_t> extents;
  Table<tiny_format_constant> constants;
  Table<tiny_format_file> files;
  /// Empty where all shapes are static; else there is a dimension for each of the extents.
  Table<tiny_format_size> sizes;
  Table<tiny_format_dimension> dimensions;
  Table<tiny_format_term> terms;
  /// Empty where the program runs alone; else there is a cut for each of the extents.
  Table<tiny_format_grid> grid;
  Table<tiny_format_cut> cuts;
  Table<uint32_t> cutAxes;
  /// Those of one kernel side by side.
  Table<tiny_format_map> maps;
  Table<char> strings;
  /// Bytes of the binaries and of the constants in the container.
  const char *code = nullptr, *data = nullptr;
  uint64_t codeSize = 0, dataSize = 0;
  /// Whether slots say on which binary's device they lie.
  bool isOnSeveral = false;

  /// Checks all of the container that does not depend on a device: what items say of slots is the program's verifier's.
  /// TINY_INVALID_ARGUMENT or, for another version, TINY_UNSUPPORTED.
  tiny_status read(const void *bytes, uint64_t size, bool checkConstants);

  /// Tells most other containers from this one.
  uint64_t getIdentity() const { return header.checksum; }
  const char *getString(uint32_t offset) const { return strings.entries + offset; }

private:
  tiny_status readHeader();
  tiny_status readSections(bool checkConstants);
  tiny_status readSection(const tiny_format_section &section, bool checkSum);
  template <typename T> tiny_status setTable(Table<T> &table, const tiny_format_section &section, const char *name);
  tiny_status checkStrings();
  tiny_status checkProgram();
  tiny_status checkSizes();
  tiny_status checkDimensions();
  tiny_status checkGrid();
  tiny_status checkBinaries();
  tiny_status checkSlots();
  tiny_status checkMaps();
  tiny_status checkItems();
  tiny_status checkItem(const tiny_format_item &item, uint32_t index);
#define TINY_CHECK(KIND, Name) tiny_status check##Name(const tiny_format_item &item, uint32_t index) const;
  TINY_ITEMS(TINY_CHECK)
#undef TINY_CHECK
  tiny_status checkParameters();
  tiny_status checkConstants();
  bool isString(uint32_t offset) const { return offset < strings.count; }

  const char *bytes = nullptr;
  uint64_t size = 0;
  tiny_format_header header = {};
};

} // namespace runtime
} // namespace tiny

#endif // TINY_LIB_RUNTIME_CONTAINERREADER_H
