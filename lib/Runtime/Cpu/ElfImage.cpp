// The ELF loader of the CPU device: everything is checked against the bytes at hand, then mapped, relocated, protected.
#include "ElfImage.h"

#include <cstdio>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace tiny::runtime;

namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kRelative = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kRelative = R_AARCH64_RELATIVE;
#else
constexpr uint16_t kMachine = EM_NONE;
constexpr uint32_t kRelative = 0;
#endif

/// The most that an image takes in memory: kernels are some kilobytes each.
constexpr uint64_t kMaxImage = uint64_t(1) << 30;
constexpr unsigned kMaxSegments = 64;

tiny_status malformed(const char *what) { return fail(TINY_INVALID_ARGUMENT, "malformed code: %s", what); }
tiny_status foreign(const char *what) { return fail(TINY_UNSUPPORTED, "code that cannot be loaded: %s", what); }

} // namespace

/// One image on its way: addresses are relative to where it is mapped.
class ElfImage::Loader {
public:
  Loader(ElfImage &image, const void *bytes, uint64_t size)
      : image(image), bytes(static_cast<const char *>(bytes)), size(size), page(uint64_t(sysconf(_SC_PAGESIZE))) {}

  tiny_status load();

private:
  struct Tables {
    uint64_t symbols = 0, strings = 0, stringsSize = 0, hash = 0, relocations = 0, relocationsSize = 0;
  };

  tiny_status readHeader();
  tiny_status checkSegment(const Elf64_Phdr &segment);
  tiny_status map();
  tiny_status readDynamic();
  tiny_status relocate();
  tiny_status readSymbols();
  tiny_status readSymbol(const Elf64_Sym &symbol);
  tiny_status protect();

  uint64_t roundUp(uint64_t value) const { return (value + page - 1) / page * page; }
  /// Whether the image holds so many bytes there, in its segments.
  bool holds(uint64_t address, uint64_t count, bool executable = false) const;
  template <typename T> T read(uint64_t address) const {
    T value;
    std::memcpy(&value, image.memory + address, sizeof(T));
    return value;
  }

  ElfImage &image;
  const char *bytes;
  uint64_t size, page;
  std::vector<Elf64_Phdr> segments; ///< those to load, in ascending order
  Elf64_Phdr dynamic = {};
  Tables tables;
};

bool ElfImage::Loader::holds(uint64_t address, uint64_t count, bool executable) const {
  for (const Elf64_Phdr &segment : segments)
    if (address >= segment.p_vaddr && count <= segment.p_memsz && address - segment.p_vaddr <= segment.p_memsz - count)
      return !executable || (segment.p_flags & PF_X);
  return false;
}

tiny_status ElfImage::Loader::checkSegment(const Elf64_Phdr &segment) {
  if (segment.p_filesz > segment.p_memsz || segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
    return malformed("a segment leaves the file");
  if (segment.p_vaddr > kMaxImage || segment.p_memsz > kMaxImage - segment.p_vaddr)
    return malformed("a segment is too large");
  if ((segment.p_flags & PF_W) && (segment.p_flags & PF_X))
    return foreign("a segment is writable and executable");
  // Segments have different rights, so that they must not share pages.
  if (!segments.empty()) {
    const Elf64_Phdr &last = segments.back();
    if (segment.p_vaddr / page * page < roundUp(last.p_vaddr + last.p_memsz))
      return malformed("segments overlap");
  }
  return TINY_OK;
}

tiny_status ElfImage::Loader::readHeader() {
  Elf64_Ehdr header;
  if (size < sizeof(header))
    return malformed("it is shorter than its header");
  std::memcpy(&header, bytes, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_ident[EI_VERSION] != EV_CURRENT)
    return malformed("it is no little-endian 64-bit ELF file");
  if (header.e_type != ET_DYN)
    return foreign("it is no shared object");
  if (header.e_machine != kMachine || kMachine == EM_NONE)
    return fail(TINY_UNSUPPORTED, "code for machine %u, this one is %u", header.e_machine, kMachine);
  if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > kMaxSegments || header.e_phoff > size ||
      header.e_phnum * sizeof(Elf64_Phdr) > size - header.e_phoff)
    return malformed("its table of segments leaves the file");
  for (unsigned k = 0; k < header.e_phnum; ++k) {
    Elf64_Phdr segment;
    std::memcpy(&segment, bytes + header.e_phoff + k * sizeof(segment), sizeof(segment));
    if (segment.p_type == PT_TLS || segment.p_type == PT_INTERP)
      return foreign("it wants storage of threads, or an interpreter");
    if (segment.p_type == PT_DYNAMIC)
      dynamic = segment;
    if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
      continue;
    if (tiny_status status = checkSegment(segment))
      return status;
    segments.push_back(segment);
  }
  if (segments.empty())
    return malformed("it has nothing to load");
  if (dynamic.p_memsz == 0 || !holds(dynamic.p_vaddr, dynamic.p_memsz) || dynamic.p_vaddr % 8)
    return malformed("it has no dynamic section");
  return TINY_OK;
}

tiny_status ElfImage::Loader::map() {
  image.mappedSize = roundUp(segments.back().p_vaddr + segments.back().p_memsz);
  void *memory = mmap(nullptr, image.mappedSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail(TINY_OUT_OF_MEMORY, "cannot map %llu bytes of code", (unsigned long long)image.mappedSize);
  image.memory = static_cast<char *>(memory);
  for (const Elf64_Phdr &segment : segments)
    std::memcpy(image.memory + segment.p_vaddr, bytes + segment.p_offset, segment.p_filesz);
  return TINY_OK;
}

tiny_status ElfImage::Loader::readDynamic() {
  for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_memsz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry = read<Elf64_Dyn>(dynamic.p_vaddr + at);
    switch (entry.d_tag) {
    case DT_NULL:
      return TINY_OK;
    case DT_SYMTAB:
      tables.symbols = entry.d_un.d_ptr;
      break;
    case DT_STRTAB:
      tables.strings = entry.d_un.d_ptr;
      break;
    case DT_STRSZ:
      tables.stringsSize = entry.d_un.d_val;
      break;
    case DT_HASH:
      tables.hash = entry.d_un.d_ptr;
      break;
    case DT_RELA:
      tables.relocations = entry.d_un.d_ptr;
      break;
    case DT_RELASZ:
      tables.relocationsSize = entry.d_un.d_val;
      break;
    case DT_SYMENT:
      if (entry.d_un.d_val != sizeof(Elf64_Sym))
        return malformed("its symbols have another size");
      break;
    case DT_RELAENT:
      if (entry.d_un.d_val != sizeof(Elf64_Rela))
        return malformed("its relocations have another size");
      break;
    case DT_RELACOUNT:
    case DT_FLAGS_1:
    case DT_SONAME:
    case DT_GNU_HASH:
    case DT_SYMBOLIC:
      break;
    case DT_FLAGS:
      if (entry.d_un.d_val & (DF_TEXTREL | DF_STATIC_TLS))
        return foreign("it wants its code changed, or storage of threads");
      break;
    case DT_NEEDED:
      return foreign("it needs another library");
    default:
      return fail(TINY_UNSUPPORTED, "code that cannot be loaded: entry 0x%llx of its dynamic section",
                  (unsigned long long)entry.d_tag);
    }
  }
  return malformed("its dynamic section has no end");
}

tiny_status ElfImage::Loader::relocate() {
  if (tables.relocationsSize % sizeof(Elf64_Rela) ||
      (tables.relocationsSize && !holds(tables.relocations, tables.relocationsSize)))
    return malformed("its relocations leave it");
  // A relocation must not change the table that is being read.
  std::vector<Elf64_Rela> relocations(tables.relocationsSize / sizeof(Elf64_Rela));
  if (!relocations.empty())
    std::memcpy(relocations.data(), image.memory + tables.relocations, tables.relocationsSize);
  for (const Elf64_Rela &relocation : relocations) {
    if (ELF64_R_TYPE(relocation.r_info) != kRelative)
      return fail(TINY_UNSUPPORTED, "code that cannot be loaded: a relocation of type %u",
                  unsigned(ELF64_R_TYPE(relocation.r_info)));
    if (!holds(relocation.r_offset, 8) || uint64_t(relocation.r_addend) > image.mappedSize)
      return malformed("a relocation leaves it");
    uint64_t value = reinterpret_cast<uintptr_t>(image.memory) + uint64_t(relocation.r_addend);
    std::memcpy(image.memory + relocation.r_offset, &value, sizeof(value));
  }
  return TINY_OK;
}

tiny_status ElfImage::Loader::readSymbol(const Elf64_Sym &symbol) {
  if (symbol.st_shndx == SHN_UNDEF)
    return foreign("it has an undefined symbol");
  unsigned type = ELF64_ST_TYPE(symbol.st_info);
  if (type == STT_TLS || type == STT_GNU_IFUNC)
    return foreign("a symbol is chosen, or made, as it is loaded");
  if (type != STT_FUNC)
    return TINY_OK;
  if (symbol.st_name >= tables.stringsSize)
    return malformed("the name of a symbol leaves it");
  if (!holds(symbol.st_value, symbol.st_size ? symbol.st_size : 1, /*executable=*/true))
    return malformed("a function leaves the code");
  const char *name = image.memory + tables.strings + symbol.st_name;
  if (!std::memchr(name, 0, tables.stringsSize - symbol.st_name))
    return malformed("the name of a symbol has no end");
  image.functions.try_emplace(name, Function{symbol.st_value, symbol.st_size});
  return TINY_OK;
}

/// The table of hashes says how many symbols there are; nothing else does.
tiny_status ElfImage::Loader::readSymbols() {
  if (!holds(tables.strings, tables.stringsSize) || !holds(tables.hash, 8))
    return malformed("it has no table of symbols");
  uint64_t count = read<uint32_t>(tables.hash + 4);
  if (!holds(tables.symbols, count * sizeof(Elf64_Sym)))
    return malformed("its symbols leave it");
  for (uint64_t k = 1; k < count; ++k)
    if (tiny_status status = readSymbol(read<Elf64_Sym>(tables.symbols + k * sizeof(Elf64_Sym))))
      return status;
  return TINY_OK;
}

tiny_status ElfImage::Loader::protect() {
  for (const Elf64_Phdr &segment : segments) {
    int rights = (segment.p_flags & PF_R ? PROT_READ : 0) | (segment.p_flags & PF_W ? PROT_WRITE : 0) |
                 (segment.p_flags & PF_X ? PROT_EXEC : 0);
    uint64_t begin = segment.p_vaddr / page * page, end = roundUp(segment.p_vaddr + segment.p_memsz);
    if (mprotect(image.memory + begin, end - begin, rights))
      return fail(TINY_DEVICE_ERROR, "cannot make %llu bytes of code executable", (unsigned long long)(end - begin));
    if (segment.p_flags & PF_X)
      __builtin___clear_cache(image.memory + begin, image.memory + end);
  }
  return TINY_OK;
}

tiny_status ElfImage::Loader::load() {
  for (auto step : {&Loader::readHeader, &Loader::map, &Loader::readDynamic, &Loader::relocate, &Loader::readSymbols,
                    &Loader::protect})
    if (tiny_status status = (this->*step)())
      return status;
  return TINY_OK;
}

ElfImage::~ElfImage() {
  if (memory)
    munmap(memory, mappedSize);
}

tiny_status ElfImage::load(const void *bytes, uint64_t size) { return Loader(*this, bytes, size).load(); }

void *ElfImage::find(const char *symbol) const {
  auto found = functions.find(symbol);
  return found == functions.end() ? nullptr : memory + found->second.begin;
}

void ElfImage::writePerfMap() const {
  char path[64];
  std::snprintf(path, sizeof(path), "/tmp/perf-%ld.map", long(getpid()));
  FILE *file = std::fopen(path, "a");
  if (!file)
    return;
  for (const auto &[name, function] : functions)
    std::fprintf(file, "%lx %lx %s\n", (unsigned long)(uintptr_t)(memory + function.begin),
                 (unsigned long)function.size, name.c_str());
  std::fclose(file);
}
