// Containers: what a good one gives, and that a bad one is refused.
#include "ContainerTest.h"

#include <cstdio>
#include <deque>
#include <functional>
#include <random>
#include <unistd.h>

using namespace tiny::runtime;

namespace {

class Containers : public OnEveryDevice {
protected:
  void SetUp() override {
    OnEveryDevice::SetUp();
    sample.makeFor(GetParam());
  }
  /// Loads the sample after a change to its tables, with right checksums.
  tiny_status loadChanged(const std::function<void(char *bytes, uint64_t size)> &change) {
    AlignedBytes bytes(sample.write());
    change(bytes.get(), bytes.size);
    repairChecksums(bytes.get(), bytes.size);
    Program program;
    return load(device, bytes, program);
  }
  /// The same, for an entry of a section.
  template <typename T>
  tiny_status loadChangedEntry(uint32_t kind, uint32_t index, const std::function<void(T &)> &change) {
    return loadChanged([&](char *bytes, uint64_t) {
      tiny_format_section section = find(bytes, kind);
      change(reinterpret_cast<T *>(bytes + section.offset)[index]);
    });
  }
  static tiny_format_section find(const char *bytes, uint32_t kind) {
    auto *sections = reinterpret_cast<const tiny_format_section *>(bytes + sizeof(tiny_format_header));
    while (sections->kind != kind)
      ++sections;
    return *sections;
  }

  void expectRuns(const Program &program) {
    Buffer x = upload({1, 2, 3, 4}), state = upload({0, 0, 0, 0});
    tiny_buffer *arguments[] = {x.get(), state.get()}, *results[] = {nullptr, nullptr};
    ASSERT_OK(tiny_program_run(program.get(), arguments, 2, results, 2, nullptr));
    Buffer y(results[0]), copy(results[1]);
    expectValues(y.get(), {4, 8, 12, 16});
    expectValues(state.get(), {4, 8, 12, 16});
  }

  SampleContainer sample;
};
TINY_ON_EVERY_DEVICE(Containers);

TEST_P(Containers, LoadAndRun) {
  AlignedBytes bytes(sample.write());
  Program program;
  ASSERT_OK(load(device, bytes, program, TINY_LOAD_CHECK_CONSTANTS));
  expectRuns(program);
}

TEST_P(Containers, SayWhatTheyTakeAndGive) {
  AlignedBytes bytes(sample.write());
  Program program;
  ASSERT_OK(load(device, bytes, program));
  EXPECT_EQ(tiny_program_input_count(program.get()), 2u);
  EXPECT_EQ(tiny_program_result_count(program.get()), 2u);
  EXPECT_EQ(tiny_program_kernel_count(program.get()), 2u);
  EXPECT_STREQ(tiny_program_record_name(program.get()), "here");
  tiny_parameter parameter;
  ASSERT_OK(tiny_program_input(program.get(), 1, &parameter));
  EXPECT_STREQ(parameter.name, "state");
  EXPECT_EQ(parameter.dtype, TINY_DTYPE_F32);
  EXPECT_EQ(std::vector<int64_t>(parameter.shape, parameter.shape + parameter.rank), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(parameter.donated, 1u);
  ASSERT_OK(tiny_program_result(program.get(), 1, &parameter));
  EXPECT_STREQ(parameter.name, "");
  EXPECT_EQ(parameter.alias, 1);
  tiny_kernel_info info;
  ASSERT_OK(tiny_program_kernel(program.get(), 0, &info));
  EXPECT_STREQ(info.name, "add");
  EXPECT_EQ(info.operations, 4u);
  EXPECT_EQ(info.bytes, 48u);
  EXPECT_FAILS(tiny_program_input(program.get(), 2, &parameter), TINY_INVALID_ARGUMENT,
               "input 2 is asked for, there are 2");
  EXPECT_FAILS(tiny_program_kernel(program.get(), 2, &info), TINY_INVALID_ARGUMENT,
               "kernel 2 is asked for, there are 2");
  EXPECT_EQ(tiny_program_input_count(nullptr), 0u);
  EXPECT_EQ(tiny_program_record_name(nullptr), nullptr);
}

TEST_P(Containers, EveryTruncationIsRefused) {
  std::string whole = sample.write();
  for (size_t size = 0; size < whole.size(); ++size) {
    AlignedBytes bytes(whole.substr(0, size));
    Program program;
    EXPECT_EQ(load(device, bytes, program), TINY_INVALID_ARGUMENT) << size;
  }
}

TEST_P(Containers, EveryChangedByteIsRefused) {
  AlignedBytes bytes(sample.write());
  for (size_t at = 0; at < bytes.size; ++at)
    for (int bit : {0, 7}) {
      bytes.get()[at] ^= char(1 << bit);
      Program program;
      EXPECT_NE(load(device, bytes, program, TINY_LOAD_CHECK_CONSTANTS), TINY_OK) << at;
      bytes.get()[at] ^= char(1 << bit);
    }
}

/// Changes that checksums cannot find: nothing crashes, whatever the tables say. The code is never run.
TEST_P(Containers, DamageWithRightChecksumsIsNoCrash) {
  const std::string whole = sample.write();
  std::mt19937 random(7);
  // A driver may rely on its code, and takes its time for what is well.
  const tiny_format_section code = find(whole.data(), TINY_SECTION_CODE);
  const unsigned rounds = isGpu() ? 500 : 20000;
  unsigned refused = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    AlignedBytes bytes(whole);
    for (unsigned k = 0, n = 1 + random() % 4; k < n; ++k) {
      size_t at = random() % (bytes.size / 4) * 4;
      if (isGpu() && at >= code.offset && at < code.offset + code.size)
        continue;
      uint32_t word;
      std::memcpy(&word, bytes.get() + at, 4);
      const uint32_t words[] = {word ^ (1u << random() % 32), uint32_t(random()), 0, ~0u, word + 1, word - 1,
                                1u << random() % 32};
      word = words[random() % std::size(words)];
      std::memcpy(bytes.get() + at, &word, 4);
    }
    repairChecksums(bytes.get(), bytes.size);
    Program program;
    refused += load(device, bytes, program) != TINY_OK;
  }
  EXPECT_GT(refused, rounds / 20);
}

TEST_P(Containers, NewerVersionsAreRefused) {
  EXPECT_FAILS(loadChanged([](char *bytes, uint64_t) { reinterpret_cast<tiny_format_header *>(bytes)->version = 10; }),
               TINY_UNSUPPORTED, "a container of version 10; this runtime reads versions 1 to 9");
}

/// Devices that copy no boxes have no use for maps of arrays; containers with them are of version 8.
TEST_P(Containers, MapsAreChecked) {
  tiny_tensor_map map = {};
  map.buffer = 1;
  map.dtype = TINY_DTYPE_F32;
  map.rank = 2;
  sample.container.binaries[0].kernels[1].maps = {map};
  AlignedBytes bytes(sample.write());
  EXPECT_EQ(reinterpret_cast<tiny_format_header *>(bytes.get())->version, 8u);
  Program program;
  if (std::string(GetParam()) == "cuda")
    EXPECT_FAILS(load(device, bytes, program), TINY_INVALID_ARGUMENT,
                 "is launched with 2 buffers and 1 tensor maps, and has 2");
  else
    ASSERT_OK(load(device, bytes, program));
  auto change = [&](const std::function<void(tiny_format_map &)> &body, const char *part) {
    EXPECT_FAILS(loadChangedEntry<tiny_format_map>(TINY_SECTION_MAPS, 0, body), TINY_INVALID_ARGUMENT, part);
  };
  change([](tiny_format_map &it) { it.kernel = 99; }, "map 0: its kernel does not exist");
  change([](tiny_format_map &it) { it.buffer = 2; }, "map 0: its buffer does not exist");
  change([](tiny_format_map &it) { it.dtype = 99; }, "its type or its rank is unknown");
  change([](tiny_format_map &it) { it.rank = 6; }, "its type or its rank is unknown");
  change([](tiny_format_map &it) { it.rank = 0; }, "its type or its rank is unknown");
  EXPECT_FAILS(loadChanged([](char *data, uint64_t) { reinterpret_cast<tiny_format_header *>(data)->version = 7; }),
               TINY_INVALID_ARGUMENT, "stands there twice, or is unknown");
  sample.container.binaries[0].kernels[0].maps = {map};
  change(
      [](tiny_format_map &it) {
        it.kernel = 1;
        (&it)[1].kernel = 0;
      },
      "comes before that of the map in front of it");
}

TEST_P(Containers, HeadersAreChecked) {
  Program program;
  EXPECT_FAILS(load(device, AlignedBytes("short"), program), TINY_INVALID_ARGUMENT, "it is shorter than its header");
  EXPECT_FAILS(load(device, AlignedBytes(std::string(64, 'x')), program), TINY_INVALID_ARGUMENT,
               "this is no container of a program");
  AlignedBytes longer(sample.write() + "x");
  EXPECT_FAILS(load(device, longer, program), TINY_INVALID_ARGUMENT, "malformed container: it has");
  AlignedBytes damaged(sample.write());
  damaged.get()[25] ^= 1;
  EXPECT_FAILS(load(device, damaged, program), TINY_INVALID_ARGUMENT, "the checksum of its header does not fit");
  AlignedBytes code(sample.write());
  code.get()[find(code.get(), TINY_SECTION_CODE).offset + 100] ^= 1;
  EXPECT_FAILS(load(device, code, program), TINY_INVALID_ARGUMENT, "the checksum of section 12 does not fit");
  EXPECT_FAILS(
      loadChanged([](char *bytes, uint64_t) { reinterpret_cast<tiny_format_header *>(bytes)->n_sections = 1000; }),
      TINY_INVALID_ARGUMENT, "its table of sections leaves it");
  EXPECT_FAILS(tiny_program_load(device.get(), nullptr, 0, nullptr, 0, program.receive()), TINY_INVALID_ARGUMENT,
               "container or out parameter is null");
  AlignedBytes good(sample.write());
  EXPECT_FAILS(tiny_program_load(device.get(), good.get() + 1, good.size - 1, nullptr, 0, program.receive()),
               TINY_INVALID_ARGUMENT, "is not aligned to 64 bytes");
  EXPECT_FAILS(load(device, good, program, 8), TINY_INVALID_ARGUMENT, "unknown flags 0x8");
}

TEST_P(Containers, SectionsAreChecked) {
  auto change = [&](const std::function<void(tiny_format_section &)> &edit, uint32_t kind) {
    return loadChanged([&](char *bytes, uint64_t) {
      auto *section = reinterpret_cast<tiny_format_section *>(bytes + sizeof(tiny_format_header));
      while (section->kind != kind)
        ++section;
      edit(*section);
    });
  };
  EXPECT_FAILS(change([](auto &section) { section.reserved = 1; }, TINY_SECTION_SLOTS), TINY_INVALID_ARGUMENT,
               "a section is not aligned, or has unknown flags");
  EXPECT_FAILS(change([](auto &section) { section.offset = 0; }, TINY_SECTION_SLOTS), TINY_INVALID_ARGUMENT,
               "a section leaves it, or lies on another");
  EXPECT_FAILS(change([](auto &section) { section.size -= 1; }, TINY_SECTION_SLOTS), TINY_INVALID_ARGUMENT,
               "bytes of slots");
  EXPECT_FAILS(change([](auto &section) { section.size -= 8; }, TINY_SECTION_PROGRAM), TINY_INVALID_ARGUMENT,
               "malformed container: its program has another size");
  EXPECT_FAILS(change([](auto &section) { section.kind = TINY_SECTION_SLOTS; }, TINY_SECTION_ITEMS),
               TINY_INVALID_ARGUMENT, "section 6 stands there twice, or is unknown");
  EXPECT_FAILS(change([](auto &section) { section.kind = 0; }, TINY_SECTION_ITEMS), TINY_INVALID_ARGUMENT,
               "malformed container: a section of unknown kind 0");
  EXPECT_FAILS(change([](auto &section) { section.size -= 16; }, TINY_SECTION_DATA), TINY_INVALID_ARGUMENT,
               "there is something behind its sections");
  EXPECT_FAILS(change([](auto &section) { section.size = 0; }, TINY_SECTION_STRINGS), TINY_INVALID_ARGUMENT,
               "there is something between its sections");
  EXPECT_FAILS(loadChanged([](char *bytes, uint64_t size) {
                 auto *header = reinterpret_cast<tiny_format_header *>(bytes);
                 std::memset(bytes + sizeof(*header), 0, size - sizeof(*header));
                 header->n_sections = 0;
                 header->size = size;
               }),
               TINY_INVALID_ARGUMENT, "there is something behind its sections");
}

TEST_P(Containers, TablesAreChecked) {
  if (isMulti())
    return; // two binaries, and other tables
  auto entry = [&](uint32_t kind, uint32_t index, auto change, const char *part) {
    EXPECT_FAILS(change(kind, index), TINY_INVALID_ARGUMENT, part);
  };
#define TINY_EXPECT_BAD(Type, kind, index, statement, part)                                                            \
  entry(                                                                                                               \
      kind, index,                                                                                                     \
      [&](uint32_t section, uint32_t at) { return loadChangedEntry<Type>(section, at, [](Type &it) { statement; }); }, \
      part)
  TINY_EXPECT_BAD(char, TINY_SECTION_STRINGS, 0, it = 'x', "its strings do not begin and end with zero");
  TINY_EXPECT_BAD(tiny_format_program, TINY_SECTION_PROGRAM, 0, it.name = 1 << 20, "its name leaves the strings");
  TINY_EXPECT_BAD(tiny_format_program, TINY_SECTION_PROGRAM, 0, it.n_arguments = 99, "more arguments than slots");
  TINY_EXPECT_BAD(tiny_format_program, TINY_SECTION_PROGRAM, 0, it.first_result = 99, "its results leave the operands");
  TINY_EXPECT_BAD(tiny_format_program, TINY_SECTION_PROGRAM, 0, it.n_results = 1,
                  "not every argument and result is described");
  TINY_EXPECT_BAD(tiny_format_record, TINY_SECTION_RECORDS, 0, it.name = 1 << 20, "record 0: a string leaves");
  TINY_EXPECT_BAD(tiny_format_kernel, TINY_SECTION_KERNELS, 1, it.symbol = 1 << 20, "kernel 1: a string leaves");
  TINY_EXPECT_BAD(tiny_format_binary, TINY_SECTION_BINARIES, 0, it.record = 1, "binary 0: its record does not exist");
  TINY_EXPECT_BAD(tiny_format_binary, TINY_SECTION_BINARIES, 0, it.size = 1 << 30,
                  "binary 0: its code leaves the section of code");
  TINY_EXPECT_BAD(tiny_format_binary, TINY_SECTION_BINARIES, 0, it.n_kernels = 3, "binary 0: its kernels do not exist");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 0, it.n_nested = 1, "item 0: it has a list of its own");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 0, it.constant = 1, "item 0: its constant does not exist");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 3, it.n_inputs = 99, "item 3: its buffers leave the operands");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 5, it.kind = TINY_ITEM_FILL;
                  it.pattern_size = 9, "item 5: its pattern is too long");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 5, it.kind = TINY_ITEM_LOOP,
                  "item 5: its kind is of version 4");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 5, it.kind = TINY_ITEM_IF, "item 5: its kind is of version 4");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 5, it.kind = TINY_ITEM_WAIT,
                  "item 5: its kind is of version 7");
  TINY_EXPECT_BAD(tiny_format_item, TINY_SECTION_ITEMS, 5, it.kind = 77, "item 5: its kind is unknown");
  TINY_EXPECT_BAD(tiny_format_parameter, TINY_SECTION_PARAMETERS, 0, it.rank = 99, "its name or its shape does not");
  TINY_EXPECT_BAD(tiny_format_parameter, TINY_SECTION_PARAMETERS, 0, it.dtype = 99, "its element type is unknown");
  TINY_EXPECT_BAD(int64_t, TINY_SECTION_EXTENTS, 0, it = -4, "its shape is negative or too large");
  TINY_EXPECT_BAD(int64_t, TINY_SECTION_EXTENTS, 0, it = 5, "parameter 0: its slot has another size");
  TINY_EXPECT_BAD(tiny_format_parameter, TINY_SECTION_PARAMETERS, 3, it.alias = 2, "an input that does not exist");
  TINY_EXPECT_BAD(tiny_format_constant, TINY_SECTION_CONSTANTS, 0, it.file = 1 << 20, "its file leaves the strings");
  TINY_EXPECT_BAD(tiny_format_constant, TINY_SECTION_CONSTANTS, 0, it.size = UINT64_C(1) << 63, "it is too large");
  TINY_EXPECT_BAD(tiny_format_constant, TINY_SECTION_CONSTANTS, 0, it.offset = 8, "it leaves the section of data");
#undef TINY_EXPECT_BAD
}

TEST_P(Containers, KernelsAreTakenFromTheDeviceThatHasThem) {
  if (!isMulti())
    return;
  AlignedBytes bytes(sample.write());
  Program program;
  ASSERT_OK(load(device, bytes, program));
  expectRuns(program);
  // The other way round, and a kernel that neither has.
  std::swap(sample.container.binaries[0].kernels[0].symbol, sample.container.binaries[0].kernels[1].symbol);
  sample.container.binaries[0].kernels[1].symbol = "twice";
  AlignedBytes swapped(sample.write());
  ASSERT_OK(load(device, swapped, program));
  expectRuns(program);
  sample.container.binaries[1].kernels[0].symbol.clear();
  AlignedBytes none(sample.write());
  EXPECT_FAILS(load(device, none, program), TINY_UNSUPPORTED,
               "kernel 'add' of the program has no code that runs on '" + std::string(GetParam()) +
                   "' of this machine");
}

TEST_P(Containers, TheFirstBinaryThatRunsHereIsTaken) {
  if (isMulti())
    return; // each of them takes one
  sample.container.records.insert(sample.container.records.begin(),
                                  {"cpu", "elsewhere", "", 1234, UINT64_C(1) << 63, 0});
  sample.container.binaries.insert(sample.container.binaries.begin(), sample.container.binaries[0]);
  sample.container.binaries[0].code = "of no use here";
  sample.container.binaries[1].record = 1;
  AlignedBytes bytes(sample.write());
  Program program;
  ASSERT_OK(load(device, bytes, program));
  EXPECT_STREQ(tiny_program_record_name(program.get()), computes() ? "here" : "elsewhere");
  expectRuns(program);
  if (!computes())
    return;
  sample.container.binaries.pop_back();
  AlignedBytes none(sample.write());
  EXPECT_FAILS(load(device, none, program), TINY_UNSUPPORTED,
               "the program has code for elsewhere, and none that runs on '" + std::string(GetParam()) +
                   "' of this machine");
  // All binaries have the same kernels.
  sample.container.binaries.push_back(sample.container.binaries[0]);
  sample.container.binaries[1].kernels.pop_back();
  AlignedBytes fewer(sample.write());
  EXPECT_FAILS(load(device, fewer, program), TINY_INVALID_ARGUMENT, "it has not as many kernels as the first one");
}

TEST_P(Containers, KernelsAreFoundByTheirSymbols) {
  sample.container.binaries[0].kernels[0].symbol = "subtract";
  AlignedBytes bytes(sample.write());
  Program program;
  if (computes()) {
    EXPECT_FAILS(load(device, bytes, program), TINY_INVALID_ARGUMENT, "the program's code has no function 'subtract'");
  }
}

/// A folder of this test's own.
class ExternalConstants : public Containers {
protected:
  void SetUp() override {
    Containers::SetUp();
    if (IsSkipped())
      return;
    char name[] = "/tmp/tiny-container-XXXXXX";
    folder = mkdtemp(name);
    std::ofstream(folder + "/weights.bin", std::ios::binary)
        << std::string(8, 'x')
        << std::string(reinterpret_cast<const char *>(sample.values.data()), sample.values.size() * sizeof(float));
    external = {"weights.bin", 8, tiny_format_checksum(sample.values.data(), 16)};
  }
  void TearDown() override {
    if (IsSkipped())
      return;
    unlink((folder + "/weights.bin").c_str());
    unlink((folder + "/model.tiny").c_str());
    rmdir(folder.c_str());
  }
  tiny_status open(uint32_t flags, Program &program) {
    sample.container.external = {{0, external}};
    std::ofstream(folder + "/model.tiny", std::ios::binary) << sample.write();
    return tiny_program_open(device.get(), (folder + "/model.tiny").c_str(), flags, program.receive());
  }
  std::string folder;
  ExternalConstant external;
};
TINY_ON_EVERY_DEVICE(ExternalConstants);

TEST_P(ExternalConstants, AreMapped) {
  Program program;
  ASSERT_OK(open(TINY_LOAD_CHECK_CONSTANTS, program));
  expectRuns(program);
}

TEST_P(ExternalConstants, AreChecked) {
  Program program;
  external.identity = 5;
  ASSERT_OK(open(0, program));
  EXPECT_FAILS(open(TINY_LOAD_CHECK_CONSTANTS, program), TINY_INVALID_ARGUMENT,
               "a constant in 'weights.bin' is not what the program was compiled with");
  external.offset = 9;
  EXPECT_FAILS(open(0, program), TINY_INVALID_ARGUMENT,
               "a constant of 16 bytes at offset 9 leaves 'weights.bin' of 24");
  for (const char *path : {"/etc/passwd", "../weights.bin", "a/../../b"}) {
    external.file = path;
    EXPECT_FAILS(open(0, program), TINY_INVALID_ARGUMENT, "is not below the container's folder");
  }
  external.file = "absent.bin";
  EXPECT_FAILS(open(0, program), TINY_NOT_FOUND, "cannot read '");
  EXPECT_FAILS(tiny_program_open(device.get(), folder.c_str(), 0, program.receive()), TINY_NOT_FOUND, "Is a directory");
  EXPECT_FAILS(tiny_program_open(device.get(), nullptr, 0, program.receive()), TINY_INVALID_ARGUMENT,
               "path or out parameter is null");
}

TEST_P(ExternalConstants, FilesHaveNames) {
  sample.container.files = {{"weights.bin", 24, 0, 0}};
  auto load = [&](auto change) { return loadChangedEntry<tiny_format_file>(TINY_SECTION_FILES, 0, change); };
  const char *message = "file 0: its name leaves the strings";
  EXPECT_FAILS(load([](tiny_format_file &file) { file.name = 1 << 20; }), TINY_INVALID_ARGUMENT, message);
  EXPECT_FAILS(load([](tiny_format_file &file) { file.reserved = 1; }), TINY_INVALID_ARGUMENT, message);
}

TEST_P(ExternalConstants, FilesAreWhatTheyWere) {
  std::string bytes = readFile(folder + "/weights.bin");
  uint64_t sum = tiny_format_sample(bytes.data(), bytes.size());
  Program program;
  sample.container.files = {{"weights.bin", 24, 0, sum}};
  ASSERT_OK(open(0, program));
  expectRuns(program);
  sample.container.files = {{"weights.bin", 25, 0, sum}};
  EXPECT_FAILS(open(0, program), TINY_INVALID_ARGUMENT,
               "'weights.bin' has 24 bytes; the program was compiled with a file of 25");
  sample.container.files = {{"weights.bin", 24, 0, sum + 1}};
  EXPECT_FAILS(open(0, program), TINY_INVALID_ARGUMENT, "'weights.bin' was changed after the program was compiled");
  sample.container.files = {{"weights.bin", 24, 1, sum}};
  EXPECT_FAILS(open(0, program), TINY_INVALID_ARGUMENT, "'weights.bin' was changed after the program was compiled");
}

TEST_P(ExternalConstants, LieAnywhereForWhoeverTrustsTheContainer) {
  Program program;
  external.file = folder + "/weights.bin";
  ASSERT_OK(open(TINY_LOAD_ANY_FILE, program));
  expectRuns(program);
  EXPECT_FAILS(open(4, program), TINY_INVALID_ARGUMENT, "unknown flags 0x4");
}

} // namespace

//===--- Slots on several devices
//-------------------------------------------------------------------------------------//

namespace {

/// The sample with its second kernel, and what that one uses, on the CPU; the first kernel on the driver of the tests.
class ContainersOfTwo : public testing::Test {
protected:
  void SetUp() override {
    if (isSet("TINY_TEST_CUDA"))
      GTEST_SKIP() << "needs the driver of the tests";
    useFakeCuda(/*overwrite=*/0);
    ProgramBuilder &builder = sample.builder;
    builder = ProgramBuilder();
    uint32_t x = builder.argument(4), state = builder.argument(4, TINY_SLOT_WRITABLE);
    uint32_t constant = builder.constant(sample.values), sum = builder.alloc(4);
    sumThere = builder.alloc(4);
    uint32_t y = builder.alloc(4);
    builder.launch(0, {x, constant}, {sum});
    builder.copy(sum, sumThere);
    builder.launch(1, {sumThere}, {y});
    builder.copy(y, state);
    builder.results = {y, state};
    slotDevices = {0, 0, 0, 0, 1, 1};
    sample.makeFor("cuda,cpu");
  }
  std::string write() {
    sample.container.program = sample.builder.desc();
    sample.container.program.slot_devices = slotDevices.data();
    return writeContainer(sample.container);
  }
  tiny_status loadOn(const char *name, Program &program,
                     const std::function<void(tiny_format_header &, tiny_format_slot *)> &change = nullptr) {
    AlignedBytes &bytes = kept.emplace_back(write());
    auto *sections = reinterpret_cast<const tiny_format_section *>(bytes.get() + sizeof(tiny_format_header));
    while (sections->kind != TINY_SECTION_SLOTS)
      ++sections;
    if (change)
      change(*reinterpret_cast<tiny_format_header *>(bytes.get()),
             reinterpret_cast<tiny_format_slot *>(bytes.get() + sections->offset));
    repairChecksums(bytes.get(), bytes.size);
    if (tiny_status status = tiny_device_open(name, device.receive()))
      return status;
    return load(device, bytes, program);
  }

  SampleContainer sample;
  uint32_t sumThere = 0;
  std::vector<uint32_t> slotDevices;
  std::deque<AlignedBytes> kept;
  Device device;
};

} // namespace

TEST_F(ContainersOfTwo, RunInAnyOrderOfTheirDevices) {
  for (const char *name : {"cuda,cpu", "cpu,cuda", "cuda:1,cpu", "cpu", "null", "cuda,null", "null,cpu"}) {
    SCOPED_TRACE(name);
    Program program;
    ASSERT_OK(loadOn(name, program));
    EXPECT_EQ(reinterpret_cast<tiny_format_header *>(kept.back().get())->version, 9u);
    for (int round = 0; round < 3; ++round) {
      float values[] = {1, 2, 3, 4}, got[4] = {};
      Buffer x, state;
      ASSERT_OK(tiny_buffer_allocate(device.get(), 16, x.receive()));
      ASSERT_OK(tiny_buffer_allocate(device.get(), 16, state.receive()));
      ASSERT_OK(tiny_buffer_write(x.get(), 0, values, 16));
      ASSERT_OK(tiny_buffer_write(state.get(), 0, got, 16));
      tiny_buffer *arguments[] = {x.get(), state.get()}, *results[] = {nullptr, nullptr};
      ASSERT_OK(tiny_program_run(program.get(), arguments, 2, results, 2, nullptr));
      Buffer y(results[0]), copy(results[1]);
      if (std::strstr(name, "null"))
        continue;
      for (tiny_buffer *buffer : {y.get(), state.get(), copy.get()}) {
        ASSERT_OK(tiny_buffer_read(buffer, 0, got, 16));
        EXPECT_EQ(std::vector<float>(got, got + 4), (std::vector<float>{4, 8, 12, 16}));
      }
    }
  }
}

TEST_F(ContainersOfTwo, WithoutDevicesOfSlotsTheRuntimeCopies) {
  slotDevices.assign(6, 0);
  Program program;
  ASSERT_OK(loadOn("cuda,cpu", program));
  EXPECT_EQ(reinterpret_cast<tiny_format_header *>(kept.back().get())->version, 1u);
}

TEST_F(ContainersOfTwo, BadOnesAreRefused) {
  Program program;
  auto refuse = [&](const std::function<void(tiny_format_header &, tiny_format_slot *)> &change, const char *message) {
    EXPECT_FAILS(loadOn("cuda,cpu", program, change), TINY_INVALID_ARGUMENT, message);
  };
  refuse([](tiny_format_header &header, tiny_format_slot *) { header.version = 8; },
         "slot 4: that it lies on a device is of version 9");
  refuse([](tiny_format_header &, tiny_format_slot *slots) { slots[5].flags = 2 << TINY_SLOT_DEVICE_SHIFT; },
         "slot 5: it lies on the device of a binary that is not there");
  refuse([](tiny_format_header &, tiny_format_slot *slots) { slots[4].flags = 0; },
         "item 6: launch of 'twice the sum' on 'cpu' with slot 4, which lies on 'cuda': no item has copied it");
}

TEST_F(ContainersOfTwo, TheirDevicesMustBeThere) {
  Program program;
  EXPECT_FAILS(loadOn("cuda", program), TINY_UNSUPPORTED, "kernel 'twice the sum' of the program has no code");
  sample.container.binaries[0].kernels[1].symbol = "twice";
  EXPECT_FAILS(loadOn("cuda:0,cuda:1", program), TINY_UNSUPPORTED,
               "slot 4 of the program lies on 'cpu', which 'cuda:0,cuda:1' is not among");
}
