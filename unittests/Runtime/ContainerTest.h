// A small container that the tests of containers damage.
#ifndef TINY_UNITTESTS_RUNTIME_CONTAINERTEST_H
#define TINY_UNITTESTS_RUNTIME_CONTAINERTEST_H

#include "RuntimeTest.h"
#include "Tiny/Runtime/ContainerWriter.h"

#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace tiny {
namespace runtime {

inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Makes it a container for this device, where that is a GPU's.
inline void makeFor(const std::string &device, Container &container) {
  ContainerBinary &binary = container.binaries[0];
  if (device == "vulkan") {
    const std::vector<uint32_t> &words = getTestSpirv();
    container.records[0].device = device;
    binary.format = TINY_CODE_SPIRV;
    binary.code.assign(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint32_t));
    // Rounds of loops: the kernels have none.
    container.records[0].features = 1;
  } else if (device == "cuda,cpu") {
    // Every second kernel is the CPU's alone.
    container.records.push_back(container.records[0]);
    container.binaries.push_back(binary);
    container.binaries[1].record = 1;
    makeFor("cuda", container);
    for (size_t k = 1; k < container.binaries[0].kernels.size(); k += 2)
      container.binaries[0].kernels[k].symbol.clear();
  } else if (device == "cuda:0,cuda:1") {
    makeFor("cuda", container);
    container.records.push_back(container.records[0]);
    container.binaries.push_back(container.binaries[0]);
    container.binaries[1].record = 1;
    container.records[0].device = "cuda:0";
    container.records[1].device = "cuda:1";
    for (size_t k = 1; k < container.binaries[0].kernels.size(); k += 2)
      container.binaries[0].kernels[k].symbol.clear();
  } else if (device == "cuda") {
    container.records[0] = {device, "here", "#target.record<here>", TINY_MACHINE_CUDA, 75, 7};
    binary.format = TINY_CODE_PTX;
    binary.code.assign(getTestPtx().c_str(), getTestPtx().size() + 1);
  }
}

/// y = 2 * (x + constant), for four floats; `copy` is a second result that is in the donated second input.
struct SampleContainer {
  SampleContainer() {
    uint32_t x = builder.argument(4), state = builder.argument(4, TINY_SLOT_WRITABLE);
    uint32_t constant = builder.constant(values), sum = builder.alloc(4), y = builder.alloc(4);
    builder.kernel("add", nullptr, 3);
    builder.kernel("twice", nullptr, 2);
    builder.launch(0, {x, constant}, {sum});
    builder.launch(1, {sum}, {y});
    builder.copy(y, state);
    builder.results = {y, state};
    container.records = {{"cpu", "here", "#target.record<here>", TINY_MACHINE_ANY, 0, 7}};
    ContainerBinary binary;
    binary.code = readFile(TINY_TEST_KERNELS);
    binary.kernels.resize(2);
    binary.kernels[0].name = binary.kernels[0].symbol = "add";
    binary.kernels[0].nBuffers = 3;
    binary.kernels[0].operations = 4;
    binary.kernels[0].bytes = 48;
    binary.kernels[1].name = "twice the sum";
    binary.kernels[1].symbol = "twice";
    binary.kernels[1].nBuffers = 2;
    container.binaries = {binary};
    container.inputs = {{"x", TINY_DTYPE_F32, {4}, false, TINY_FORMAT_NONE},
                        {"state", TINY_DTYPE_F32, {2, 2}, true, TINY_FORMAT_NONE}};
    container.results = {{"y", TINY_DTYPE_F32, {4}, false, TINY_FORMAT_NONE}, {"", TINY_DTYPE_F32, {2, 2}, false, 1}};
  }

  void makeFor(const std::string &device) { runtime::makeFor(device, container); }

  std::string write() {
    container.program = builder.desc();
    return writeContainer(container);
  }

  std::vector<float> values = {1, 2, 3, 4};
  ProgramBuilder builder;
  Container container;
};

/// Bytes where a container may be: aligned, with nothing behind them that a reader could run into unseen.
class AlignedBytes {
public:
  explicit AlignedBytes(const std::string &bytes)
      : size(bytes.size()), data(std::aligned_alloc(64, (bytes.size() + 64) / 64 * 64), std::free) {
    std::memcpy(data.get(), bytes.data(), size);
  }
  char *get() const { return static_cast<char *>(data.get()); }
  const uint64_t size;

private:
  std::unique_ptr<void, void (*)(void *)> data;
};

inline tiny_status load(const Device &device, const AlignedBytes &bytes, Program &program, uint32_t flags = 0,
                        const char *folder = nullptr) {
  return tiny_program_load(device.get(), bytes.get(), bytes.size, folder, flags, program.receive());
}

/// Makes header and sections say what the bytes are, after a change.
inline void repairChecksums(char *bytes, uint64_t size) {
  tiny_format_header header;
  std::memcpy(&header, bytes, sizeof(header));
  uint64_t front = sizeof(header) + header.n_sections * sizeof(tiny_format_section);
  if (front > size)
    return;
  for (uint32_t k = 0; k < header.n_sections; ++k) {
    char *at = bytes + sizeof(header) + k * sizeof(tiny_format_section);
    tiny_format_section section;
    std::memcpy(&section, at, sizeof(section));
    if (section.offset > size || section.size > size - section.offset)
      continue;
    section.checksum = tiny_format_checksum(bytes + section.offset, section.size);
    std::memcpy(at, &section, sizeof(section));
  }
  header.checksum = 0;
  std::memcpy(bytes, &header, sizeof(header));
  header.checksum = tiny_format_checksum(bytes, front);
  std::memcpy(bytes, &header, sizeof(header));
}

} // namespace runtime
} // namespace tiny

#endif // TINY_UNITTESTS_RUNTIME_CONTAINERTEST_H
