// A walk over a module's instructions. Numbers are the SPIR-V specification's.
#include "Spirv.h"
#include "Error.h"
#include "Tiny/Runtime/Format.h"

#include <algorithm>
#include <cstring>

using namespace tiny::runtime;
using namespace tiny::runtime::vulkan;

const char *vulkan::nameCapability(uint32_t capability) {
  switch (capability) {
  case 1:
    return "Shader";
  case 9:
    return "Float16";
  case 10:
    return "Float64";
  case 11:
    return "Int64";
  case 22:
    return "Int16";
  case 39:
    return "Int8";
  case 61:
    return "GroupNonUniform";
  case 63:
    return "GroupNonUniformArithmetic";
  case 65:
    return "GroupNonUniformShuffle";
  case 66:
    return "GroupNonUniformShuffleRelative";
  case 4433:
    return "StorageBuffer16BitAccess";
  case 4448:
    return "StorageBuffer8BitAccess";
  case 5345:
    return "VulkanMemoryModel";
  case 6022:
    return "CooperativeMatrixKHR";
  default:
    return "a capability";
  }
}

namespace {

constexpr uint32_t kMagic = 0x07230203, kHeaderWords = 5;
/// Operations, by their numbers.
enum : uint32_t {
  kEntryPoint = 15,
  kExecutionMode = 16,
  kCapability = 17,
  kTypeInt = 21,
  kTypeFloat = 22,
  kTypeArray = 28,
  kTypePointer = 32,
  kConstant = 43,
  kSpecConstant = 50,
  kVariable = 59,
  kDecorate = 71
};
constexpr uint32_t kLocalSize = 17, kWorkgroup = 4, kGLCompute = 5, kBinding = 33, kSpecId = 1;
/// No device shares more; the sum of a broken module stops there.
constexpr uint64_t kMostShared = uint64_t(1) << 40;

class Reader {
public:
  explicit Reader(SpirvModule &module) : module(module) {}

  void readInstruction(const uint32_t *words, uint32_t count) {
    uint32_t operation = words[0] & 0xFFFF;
    auto has = [&](uint32_t number) { return count >= number; };
    if (operation == kCapability && has(2))
      module.capabilities.push_back(words[1]);
    else if (operation == kEntryPoint && has(4) && words[1] == kGLCompute)
      readEntry(words, count);
    else if (operation == kExecutionMode && has(6) && words[2] == kLocalSize)
      readLanes(words);
    else if (operation == kDecorate && has(4) && words[2] == kBinding)
      buffers[words[1]] = uint64_t(words[3]) + 1;
    else if (operation == kDecorate && has(4) && words[2] == kSpecId && words[3] == TINY_SPIRV_SUBGROUP_SIZE)
      subgroupSize = words[1];
    else if (operation == kSpecConstant && has(4) && words[2] == subgroupSize)
      module.subgroupSize = words[3];
    else if ((operation == kTypeInt || operation == kTypeFloat) && has(3))
      bytes[words[1]] = words[2] / 8;
    else if (operation == kConstant && has(4))
      constants[words[2]] = words[3];
    else if (operation == kTypeArray && has(4))
      bytes[words[1]] = std::min(find(bytes, words[2]) * find(constants, words[3]), kMostShared);
    else if (operation == kTypePointer && has(4))
      bytes[words[1]] = words[2] == kWorkgroup ? find(bytes, words[3]) : 0;
    else if (operation == kVariable && has(4) && words[3] == kWorkgroup)
      shared[words[2]] = find(bytes, words[1]);
  }

  /// A module with several entries has variables of all of them: each entry's own count.
  void finish() {
    for (const auto &[function, users] : interfaces) {
      uint64_t sum = 0, nBuffers = 0;
      for (uint32_t variable : users) {
        sum = std::min(sum + find(shared, variable), kMostShared);
        nBuffers = std::max(nBuffers, find(buffers, variable));
      }
      for (const std::string &name : functions[function])
        module.entries[name].nBuffers = nBuffers;
      module.sharedBytes = std::max(module.sharedBytes, sum);
    }
  }

private:
  static uint64_t find(const std::map<uint32_t, uint64_t> &table, uint32_t id) {
    auto found = table.find(id);
    return found == table.end() ? 0 : found->second;
  }

  void readEntry(const uint32_t *words, uint32_t count) {
    // The name ends in a zero byte, within the instruction.
    const char *name = reinterpret_cast<const char *>(words + 3);
    size_t length = strnlen(name, (count - 3) * sizeof(uint32_t));
    std::string text(name, length);
    module.entries[text];
    functions[words[2]].push_back(text);
    uint32_t begin = 3 + uint32_t(length / sizeof(uint32_t)) + 1;
    for (uint32_t k = begin; k < count; ++k)
      interfaces[words[2]].push_back(words[k]);
  }

  void readLanes(const uint32_t *words) {
    auto found = functions.find(words[1]);
    if (found == functions.end())
      return;
    for (const std::string &name : found->second)
      std::memcpy(module.entries[name].lanes, words + 3, 3 * sizeof(uint32_t));
  }

  SpirvModule &module;
  std::map<uint32_t, std::vector<std::string>> functions;
  std::map<uint32_t, std::vector<uint32_t>> interfaces;
  /// By id: sizes of types, values of constants, sizes of shared variables, bindings and one of buffers.
  std::map<uint32_t, uint64_t> bytes, constants, shared, buffers;
  /// The id of the constant that is the size of subgroups.
  uint32_t subgroupSize = 0;
};

} // namespace

tiny_status vulkan::readSpirv(const uint32_t *words, uint64_t count, SpirvModule &module) {
  if (count < kHeaderWords || words[0] != kMagic)
    return fail(TINY_INVALID_ARGUMENT, "the program's code is no SPIR-V module");
  Reader reader(module);
  for (uint64_t at = kHeaderWords; at < count;) {
    uint32_t length = words[at] >> 16;
    if (length == 0 || length > count - at)
      return fail(TINY_INVALID_ARGUMENT, "the program's SPIR-V has an instruction of %u words at word %llu of %llu",
                  length, (unsigned long long)at, (unsigned long long)count);
    reader.readInstruction(words + at, length);
    at += length;
  }
  reader.finish();
  return TINY_OK;
}
