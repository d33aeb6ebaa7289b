// Barriers of phases and copies of boxes, against "mbarrier" and "Tensors" of NVIDIA's "PTX ISA". What breaks their
// rules is planted, and found.
#include "Machine.h"

#include <gtest/gtest.h>

using namespace fake;

namespace {

class Memory : public DeviceMemory {
public:
  static constexpr uint64_t kBegin = uint64_t(1) << 40;
  explicit Memory(size_t size) : bytes(size) {
    block.begin = kBegin;
    block.size = size;
    block.bytes = bytes.data();
  }
  Block *find(uint64_t address) override { return address - kBegin < block.size ? &block : nullptr; }
  std::vector<char> bytes;
  Block block;
};

/// 128 lanes read two boxes of 8 rows of 64 numbers, one after the other from one tile: each of 12 rows of a matrix,
/// the last four of the second one outside of it. Lane l gives number 8 (l % 8) of row l / 8, l below 64, of both.
struct Boxes {
  static constexpr unsigned kRows = 12, kColumns = 64, kLanes = 128, kOut = kRows * kColumns * 2;

  std::string show = "fence.proxy.async.shared::cta;\n", meet = "bar.sync 0;\n";
  std::string copy = "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes";
  std::string firstAt = "{%r7, %r7}", secondAt = "{%r7, %r8}", tile = "%r2", bytes = "1024";
  std::string firstPhase = "0", secondPhase = "1", emptyPhase = "0";
  std::string arrive = "@%p2 mbarrier.arrive.shared::cta.b64 _, [%r4];\n", more;
  bool waitsFirst = true, waitsSecond = true, waitsEmpty = true, readsEarly = false;
  bool isEncoded = true;

  static std::string wait(const char *name, const char *barrier, const std::string &phase) {
    return std::string(name) + ":\nmbarrier.try_wait.parity.shared::cta.b64 %p3, [" + barrier + "], " + phase +
           ";\n@!%p3 bra " + name + ";\n";
  }
  std::string fill(const std::string &at) const {
    return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], " + bytes + ";\n" + copy + " [" + tile + "], [%rd4, " +
           at + "], [%r3];\n";
  }

  Memory operator()() const {
    std::string text =
        ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k(\n.param .u64 .ptr .align 4 k_0,\n"
        ".param .align 64 .b8 k_1[128]\n)\n{\n.reg .pred %p<9>;\n.reg .b16 %rs<9>;\n.reg .b32 %r<20>;\n"
        ".reg .b64 %rd<20>;\n.shared .align 1024 .b8 tiles[1152];\n"
        "ld.param.b64 %rd1, [k_0];\ncvta.to.global.u64 %rd2, %rd1;\nmov.b64 %rd3, k_1;\ncvta.param.u64 %rd4, %rd3;\n"
        "mov.u32 %r1, %tid.x;\nmov.b32 %r2, tiles;\nadd.s32 %r3, %r2, 1024;\nadd.s32 %r4, %r2, 1032;\n"
        "mov.b32 %r7, 0;\nmov.b32 %r8, 8;\nsetp.ne.s32 %p1, %r1, 0;\nand.b32 %r5, %r1, 31;\nsetp.eq.s32 %p2, %r5, 0;\n"
        // Row l / 8, whose groups of 16 bytes are swizzled by the row's number.
        "and.b32 %r9, %r1, 7;\nshr.u32 %r10, %r1, 3;\nand.b32 %r10, %r10, 7;\nxor.b32 %r11, %r9, %r10;\n"
        "shl.b32 %r11, %r11, 4;\nshl.b32 %r12, %r10, 7;\nadd.s32 %r12, %r12, %r11;\nadd.s32 %r12, %r12, %r2;\n"
        "mul.wide.u32 %rd5, %r1, 4;\nadd.s64 %rd6, %rd2, %rd5;\n"
        "@%p1 bra BEGUN;\nmbarrier.init.shared::cta.b64 [%r3], 1;\nmbarrier.init.shared::cta.b64 [%r4], 4;\nBEGUN:\n" +
        show + meet + "@%p1 bra FIRST;\n" + fill(firstAt) + "FIRST:\n";
    if (waitsFirst)
      text += wait("W1", "%r3", firstPhase);
    text += "ld.shared.b16 %rs1, [%r12];\n" + more + "bar.warp.sync -1;\n" + arrive + "@%p1 bra SECOND;\n";
    if (waitsEmpty)
      text += wait("W2", "%r4", emptyPhase);
    text += fill(secondAt) + "SECOND:\n";
    if (waitsSecond)
      text += wait("W3", "%r3", secondPhase) + "ld.shared.b16 %rs2, [%r12];\n";
    text += "st.global.b16 [%rd6+" + std::to_string(kOut) + "], %rs1;\nst.global.b16 [%rd6+" +
            std::to_string(kOut + 2) + "], %rs2;\nret;\n}\n";
    PtxModule module = parsePtx(text);
    Memory memory(kOut + kLanes * 4);
    for (unsigned k = 0; k < kRows * kColumns; ++k) {
      auto value = uint16_t(k + 1);
      std::memcpy(memory.bytes.data() + size_t(k) * 2, &value, 2);
    }
    const PtxKernel &kernel = module.kernels.at("k");
    std::vector<char> parameters(kernel.parameterBytes);
    std::memcpy(parameters.data(), &Memory::kBegin, 8);
    TensorMap map = {};
    map.magic = isEncoded ? TensorMap::kMagic : 0;
    map.address = Memory::kBegin;
    map.width = 2;
    map.rank = 2;
    map.swizzle = 128;
    map.extents[0] = map.box[0] = kColumns;
    map.extents[1] = kRows;
    map.strides[0] = kColumns * 2;
    map.box[1] = 8;
    std::memcpy(parameters.data() + kernel.parameters[1].offset, &map, sizeof(map));
    Machine machine(memory);
    Grid grid = {{1, 1, 1}, {kLanes, 1, 1}};
    machine.run(kernel, grid, parameters);
    return memory;
  }
};

void expectFault(const std::string &part, const std::function<void(Boxes &)> &change) {
  Boxes boxes;
  change(boxes);
  try {
    boxes();
    ADD_FAILURE() << "no error: " << part;
  } catch (const PtxError &error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

} // namespace

TEST(PtxBoxes, LieSwizzledAndEndWithZeros) {
  Memory memory = Boxes()();
  for (unsigned lane = 0; lane < 64; ++lane) {
    uint16_t values[2];
    std::memcpy(values, memory.bytes.data() + Boxes::kOut + size_t(lane) * 4, 4);
    unsigned row = lane / 8, at = row * 64 + lane % 8 * 8 + 1;
    EXPECT_EQ(values[0], at);
    EXPECT_EQ(values[1], row < 4 ? at + 512 : 0) << "lane " << lane;
  }
}

TEST(PtxBoxes, BeginOutsideOfTheMatrix) {
  Boxes boxes;
  boxes.more = "mov.b32 %r8, -4;\n";
  Memory memory = boxes();
  for (unsigned lane = 0; lane < 64; ++lane) {
    uint16_t value;
    std::memcpy(&value, memory.bytes.data() + Boxes::kOut + size_t(lane) * 4 + 2, 2);
    EXPECT_EQ(value, lane < 32 ? 0 : (lane / 8 - 4) * 64 + lane % 8 * 8 + 1) << "lane " << lane;
  }
}

TEST(PtxBoxes, FaultsOfOrderAreFound) {
  expectFault("which a copy may still write", [](Boxes &b) { b.waitsFirst = false; });
  expectFault("which a copy may still write", [](Boxes &b) { b.firstPhase = "1"; });
  expectFault("which a copy may still write", [](Boxes &b) { b.secondPhase = "0"; });
  expectFault("which warp 2 may still read", [](Boxes &b) { b.waitsEmpty = false; });
  expectFault("which does not end", [](Boxes &b) { b.emptyPhase = "1"; });
  expectFault("a workgroup ends before its copies do", [](Boxes &b) { b.waitsSecond = false; });
  expectFault("which warp 2 may still read", [](Boxes &b) { b.arrive += "@%p2 ld.shared.b16 %rs1, [%r12];\n"; });
}

TEST(PtxBoxes, PhasesThatDoNotEndAreFound) {
  expectFault("does not end: 0 arrivals and -512 bytes are missing", [](Boxes &b) { b.bytes = "512"; });
  expectFault("does not end: 0 arrivals and 1024 bytes are missing", [](Boxes &b) { b.bytes = "2048"; });
  expectFault("which does not end", [](Boxes &b) { b.arrive = ""; });
  expectFault("more arrivals at an mbarrier than its phase has", [](Boxes &b) {
    b.more = "@!%p1 mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 8;\n"
             "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r3];\n";
  });
  expectFault("a parity of 2", [](Boxes &b) { b.firstPhase = "2"; });
}

TEST(PtxBoxes, FaultsOfBarriersAreFound) {
  expectFault("began without a fence.proxy.async behind it", [](Boxes &b) { b.show = ""; });
  expectFault("an mbarrier that lane 0 began, with no barrier between", [](Boxes &b) { b.meet = ""; });
  expectFault("an mbarrier that has begun",
              [](Boxes &b) { b.more = "@!%p1 mbarrier.init.shared::cta.b64 [%r3], 1;\n"; });
  expectFault("an mbarrier of 0 arrivals",
              [](Boxes &b) { b.more = "@!%p1 mbarrier.init.shared::cta.b64 [%r2+1048], 0;\n"; });
  expectFault("at no multiple of 8", [](Boxes &b) { b.more = "@!%p1 mbarrier.init.shared::cta.b64 [%r2+1044], 1;\n"; });
  expectFault("no mbarrier has begun at byte 1048",
              [](Boxes &b) { b.more = "mbarrier.arrive.shared::cta.b64 _, [%r2+1048];\n"; });
  expectFault("unknown form of mbarrier", [](Boxes &b) { b.more = "mbarrier.inval.shared::cta.b64 [%r3];\n"; });
  expectFault("a state of an mbarrier", [](Boxes &b) { b.more = "mbarrier.arrive.shared::cta.b64 %rd9, [%r3];\n"; });
}

TEST(PtxBoxes, FaultsOfCopiesAreFound) {
  expectFault("no multiple of 128", [](Boxes &b) { b.tile = "%r2+64"; });
  expectFault("over the end of shared memory", [](Boxes &b) { b.tile = "%r2+256"; });
  expectFault("cuTensorMapEncodeTiled did not make", [](Boxes &b) { b.isEncoded = false; });
  expectFault("a tensor map of 2 dimensions", [](Boxes &b) {
    b.firstAt = b.secondAt = "{%r7}";
    b.copy[21] = '1';
  });
  expectFault("as many coordinates as dimensions", [](Boxes &b) { b.firstAt = "{%r7}"; });
  expectFault("to what another copy may still write",
              [](Boxes &b) { b.firstAt += "], [%r3];\n" + b.copy + " [%r2], [%rd4, {%r7, %r7}"; });
  expectFault("unknown form of cp.async.bulk", [](Boxes &b) { b.copy += ".multicast::cluster"; });
}
