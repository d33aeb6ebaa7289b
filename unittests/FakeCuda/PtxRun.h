// Runs PTX for tests: a body of instructions on one block of memory.
#ifndef TINY_UNITTESTS_FAKECUDA_PTXRUN_H
#define TINY_UNITTESTS_FAKECUDA_PTXRUN_H

#include "Floats.h"
#include "Machine.h"

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace fake {

/// One block of memory at an address.
class Memory : public DeviceMemory {
public:
  explicit Memory(size_t size) : bytes(size) {
    block.begin = kBegin;
    block.size = size;
    block.bytes = bytes.data();
  }
  Block *find(uint64_t address) override { return address - kBegin < block.size ? &block : nullptr; }
  static constexpr uint64_t kBegin = uint64_t(1) << 40;
  std::vector<char> bytes;
  Block block;
};

struct Lanes3 {
  uint32_t x, y, z;
};

/// Runs a body on memory, whose address is in %rd2; other registers are %p, %rs, %r and %rd from 10 on.
inline Memory run(const std::string &body, size_t size = 8, Lanes3 lanes = {1, 1, 1}, Lanes3 groups = {1, 1, 1},
                  const std::string &declarations = "") {
  std::string text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .align 4 k_0\n)\n{\n"
      ".reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<20>;\n" +
      declarations + "ld.param.b64 %rd1, [k_0];\ncvta.to.global.u64 %rd2, %rd1;\n" + body + "\nret;\n}\n";
  PtxModule module = parsePtx(text);
  Memory memory(size);
  Machine machine(memory);
  std::vector<char> parameters(8);
  std::memcpy(parameters.data(), &Memory::kBegin, 8);
  Grid grid = {{groups.x, groups.y, groups.z}, {lanes.x, lanes.y, lanes.z}};
  machine.run(module.kernels.at("k"), grid, parameters);
  return memory;
}

inline uint32_t f32(float value) { return bitsOf<uint32_t>(value); }

/// The body fails with a text that has this part and, where one is given, with this code.
inline void expectError(const std::string &part, const std::function<void()> &body, int code = 0) {
  try {
    body();
    ADD_FAILURE() << "no error: " << part;
  } catch (const PtxError &error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    if (code) {
      EXPECT_EQ(error.result, code);
    }
  }
}

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_PTXRUN_H
