// The ELF loader refuses whatever is not the code that it is made for.
#include "ContainerTest.h"

#include <elf.h>
#include <functional>

using namespace tiny::runtime;

namespace {

class ElfImages : public testing::Test {
protected:
  void SetUp() override { ASSERT_OK(tiny_device_open("cpu", device.receive())); }

  tiny_status loadChanged(const std::function<void(std::string &code)> &change) {
    SampleContainer sample;
    change(sample.container.binaries[0].code);
    AlignedBytes bytes(sample.write());
    Program program;
    return load(device, bytes, program);
  }
  tiny_status loadWithHeader(const std::function<void(Elf64_Ehdr &)> &change) {
    return loadChanged([&](std::string &code) { change(*reinterpret_cast<Elf64_Ehdr *>(&code[0])); });
  }
  /// Changes the first segment of a type.
  tiny_status loadWithSegment(uint32_t type, const std::function<void(Elf64_Phdr &)> &change) {
    return loadChanged([&](std::string &code) { change(*findSegment(code, type)); });
  }
  static Elf64_Phdr *findSegment(std::string &code, uint32_t type) {
    auto &header = *reinterpret_cast<Elf64_Ehdr *>(&code[0]);
    auto *segment = reinterpret_cast<Elf64_Phdr *>(&code[header.e_phoff]);
    while (segment->p_type != type)
      ++segment;
    return segment;
  }
  /// Changes an entry of the dynamic section.
  tiny_status loadWithDynamic(int64_t tag, const std::function<void(Elf64_Dyn &)> &change) {
    return loadChanged([&](std::string &code) { change(*findDynamic(code, tag)); });
  }
  static Elf64_Dyn *findDynamic(std::string &code, int64_t tag) {
    auto *entry = reinterpret_cast<Elf64_Dyn *>(&code[findSegment(code, PT_DYNAMIC)->p_offset]);
    while (entry->d_tag != tag)
      ++entry;
    return entry;
  }

  Device device;
};

TEST_F(ElfImages, HeadersAreChecked) {
  EXPECT_OK(loadChanged([](std::string &) {}));
  EXPECT_FAILS(loadChanged([](std::string &code) { code.resize(10); }), TINY_INVALID_ARGUMENT,
               "it is shorter than its header");
  EXPECT_FAILS(loadWithHeader([](auto &header) { header.e_ident[0] = 0; }), TINY_INVALID_ARGUMENT,
               "it is no little-endian 64-bit ELF file");
  EXPECT_FAILS(loadWithHeader([](auto &header) { header.e_type = ET_EXEC; }), TINY_UNSUPPORTED,
               "it is no shared object");
  EXPECT_FAILS(loadWithHeader([](auto &header) { header.e_machine = 3; }), TINY_UNSUPPORTED,
               "code for machine 3, this one is");
  EXPECT_FAILS(loadWithHeader([](auto &header) { header.e_phoff = 1 << 30; }), TINY_INVALID_ARGUMENT,
               "its table of segments leaves the file");
}

TEST_F(ElfImages, SegmentsAreChecked) {
  EXPECT_FAILS(loadWithSegment(PT_LOAD, [](auto &segment) { segment.p_offset = 1 << 30; }), TINY_INVALID_ARGUMENT,
               "a segment leaves the file");
  EXPECT_FAILS(loadWithSegment(PT_LOAD, [](auto &segment) { segment.p_memsz = UINT64_C(1) << 40; }),
               TINY_INVALID_ARGUMENT, "a segment is too large");
  EXPECT_FAILS(loadWithSegment(PT_LOAD, [](auto &segment) { segment.p_flags = PF_R | PF_W | PF_X; }), TINY_UNSUPPORTED,
               "a segment is writable and executable");
  EXPECT_FAILS(loadWithSegment(PT_LOAD, [](auto &segment) { segment.p_memsz = 1 << 20; }), TINY_INVALID_ARGUMENT,
               "segments overlap");
  EXPECT_FAILS(loadWithSegment(PT_DYNAMIC, [](auto &segment) { segment.p_type = PT_TLS; }), TINY_UNSUPPORTED,
               "it wants storage of threads, or an interpreter");
  EXPECT_FAILS(loadWithSegment(PT_DYNAMIC, [](auto &segment) { segment.p_type = PT_NOTE; }), TINY_INVALID_ARGUMENT,
               "it has no dynamic section");
  EXPECT_FAILS(loadChanged([](std::string &code) {
                 auto &header = *reinterpret_cast<Elf64_Ehdr *>(&code[0]);
                 for (unsigned k = 0; k < header.e_phnum; ++k)
                   reinterpret_cast<Elf64_Phdr *>(&code[header.e_phoff])[k].p_type = PT_NOTE;
               }),
               TINY_INVALID_ARGUMENT, "it has nothing to load");
}

TEST_F(ElfImages, NothingIsLookedUp) {
  auto become = [](int64_t tag) { return [tag](Elf64_Dyn &entry) { entry.d_tag = tag; }; };
  EXPECT_FAILS(loadWithDynamic(DT_STRSZ, become(DT_NEEDED)), TINY_UNSUPPORTED, "it needs another library");
  EXPECT_FAILS(loadWithDynamic(DT_STRSZ, become(DT_INIT)), TINY_UNSUPPORTED, "of its dynamic section");
  EXPECT_FAILS(loadWithDynamic(DT_STRSZ,
                               [](auto &entry) {
                                 entry.d_tag = DT_FLAGS;
                                 entry.d_un.d_val = DF_TEXTREL;
                               }),
               TINY_UNSUPPORTED, "it wants its code changed");
  EXPECT_FAILS(loadWithDynamic(DT_SYMENT, [](auto &entry) { entry.d_un.d_val = 8; }), TINY_INVALID_ARGUMENT,
               "its symbols have another size");
  EXPECT_FAILS(loadWithDynamic(DT_RELAENT, [](auto &entry) { entry.d_un.d_val = 8; }), TINY_INVALID_ARGUMENT,
               "its relocations have another size");
  // Linkers leave room behind the end, which is zero, too.
  EXPECT_FAILS(loadChanged([](std::string &code) {
                 Elf64_Phdr *segment = findSegment(code, PT_DYNAMIC);
                 auto *end = reinterpret_cast<Elf64_Dyn *>(&code[segment->p_offset + segment->p_filesz]);
                 for (Elf64_Dyn *entry = findDynamic(code, DT_NULL); entry != end; ++entry)
                   entry->d_tag = DT_SONAME;
               }),
               TINY_INVALID_ARGUMENT, "its dynamic section has no end");
}

TEST_F(ElfImages, TablesAreChecked) {
  EXPECT_FAILS(loadWithDynamic(DT_RELASZ, [](auto &entry) { entry.d_un.d_val = 24 << 20; }), TINY_INVALID_ARGUMENT,
               "its relocations leave it");
  EXPECT_FAILS(loadWithDynamic(DT_HASH, [](auto &entry) { entry.d_un.d_ptr = 1 << 28; }), TINY_INVALID_ARGUMENT,
               "it has no table of symbols");
  EXPECT_FAILS(loadWithDynamic(DT_SYMTAB, [](auto &entry) { entry.d_un.d_ptr = 1 << 28; }), TINY_INVALID_ARGUMENT,
               "its symbols leave it");
  auto withRelocation = [&](const std::function<void(Elf64_Rela &)> &change) {
    return loadChanged([&](std::string &code) {
      // The first segment begins at 0, in the file and in memory, and holds the tables.
      change(*reinterpret_cast<Elf64_Rela *>(&code[findDynamic(code, DT_RELA)->d_un.d_ptr]));
    });
  };
  EXPECT_FAILS(withRelocation([](auto &relocation) { relocation.r_info = ELF64_R_INFO(0, 6); }), TINY_UNSUPPORTED,
               "a relocation of type 6");
  EXPECT_FAILS(withRelocation([](auto &relocation) { relocation.r_offset = 1 << 28; }), TINY_INVALID_ARGUMENT,
               "a relocation leaves it");
  auto withSymbol = [&](const std::function<void(Elf64_Sym &)> &change) {
    return loadChanged([&](std::string &code) {
      auto *symbol = reinterpret_cast<Elf64_Sym *>(&code[findDynamic(code, DT_SYMTAB)->d_un.d_ptr]) + 1;
      while (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC)
        ++symbol;
      change(*symbol);
    });
  };
  EXPECT_FAILS(withSymbol([](auto &symbol) { symbol.st_shndx = SHN_UNDEF; }), TINY_UNSUPPORTED,
               "it has an undefined symbol");
  EXPECT_FAILS(withSymbol([](auto &symbol) { symbol.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_GNU_IFUNC); }),
               TINY_UNSUPPORTED, "a symbol is chosen, or made, as it is loaded");
  EXPECT_FAILS(withSymbol([](auto &symbol) { symbol.st_name = 1 << 20; }), TINY_INVALID_ARGUMENT,
               "the name of a symbol leaves it");
  EXPECT_FAILS(withSymbol([](auto &symbol) { symbol.st_value = 1; }), TINY_INVALID_ARGUMENT,
               "a function leaves the code");
}

} // namespace
