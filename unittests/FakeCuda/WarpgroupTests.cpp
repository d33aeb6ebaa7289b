// Products by warpgroups against "Asynchronous Warpgroup-Level Matrix Instructions" of NVIDIA's "PTX ISA". What breaks
// their rules is planted, and found.
#include "PtxRun.h"

using namespace fake;

namespace {

/// Two tiles of 8 KiB, all zeros but for two elements, behind what makes them visible; a product of 64 x 8, and a
/// lane's four sums of it.
struct WarpgroupProduct {
  unsigned leftByte = 3490, rightByte = 706;
  /// Bits of the descriptors' orders, and of all else in them.
  std::string orders = "0, 0", left = descriptor(0), right = descriptor(8192);
  std::string shape = "m64n8k16.f32.f16.f16", show = "fence.proxy.async.shared::cta;\n",
              fence = "wgmma.fence.sync.aligned;\n", factor = "%rd5", behind,
              commit = "wgmma.commit_group.sync.aligned;\n", wait = "wgmma.wait_group.sync.aligned 0;\n";
  unsigned lanes = 128;

  /// Swizzled by 128 bytes, with so many bytes between panels and 1024 between eight lines.
  static std::string descriptor(uint64_t begin, uint64_t panel = 16, uint64_t more = uint64_t(1) << 62) {
    return std::to_string(more | uint64_t(64) << 32 | panel / 16 << 16 | begin / 16);
  }

  Memory operator()() const {
    std::string body = "mov.u32 %r1, %tid.x;\nmov.b32 %r7, 0;\nmov.b32 %r9, tiles;\nshl.b32 %r2, %r1, 7;\n"
                       "add.s32 %r3, %r9, %r2;\nmov.b16 %rs1, 0x3C00;\nmov.b16 %rs2, 0x4000;\n";
    for (unsigned k = 0; k < 128; k += 16)
      body += "st.shared.v4.b32 [%r3+" + std::to_string(k) + "], {%r7, %r7, %r7, %r7};\n";
    body += "bar.sync 0;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 st.shared.b16 [%r9+" + std::to_string(leftByte) +
            "], %rs1;\n@%p1 st.shared.b16 [%r9+" + std::to_string(8192 + rightByte) + "], %rs2;\n" + show +
            "bar.sync 0;\nmov.pred %p2, -1;\nmov.b64 %rd5, " + left + ";\nmov.b64 %rd6, " + right + ";\n";
    for (unsigned k = 10; k < 14; ++k)
      body += "mov.b32 %r" + std::to_string(k) + ", 0;\n";
    body += fence + "wgmma.mma_async.sync.aligned." + shape + " {%r10, %r11, %r12, %r13}, " + factor +
            ", %rd6, %p2, 1, 1" + (orders.empty() ? "" : ", " + orders) + ";\n" + commit + behind + wait +
            "mul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd4, %rd2, %rd3;\n"
            "st.global.v4.b32 [%rd4], {%r10, %r11, %r12, %r13};";
    return run(body, 2048, {lanes, 1, 1}, {1, 1, 1}, ".shared .align 1024 .b8 tiles[16384];\n");
  }
  uint32_t at(unsigned lane, unsigned element) const {
    Memory memory = (*this)();
    uint32_t value;
    std::memcpy(&value, memory.bytes.data() + 16 * lane + 4 * element, 4);
    return value;
  }
};

} // namespace

// "Shared Memory Matrix Layout" and "Register Fragments": row 27, depth 9 by column 5 is d3 of lane 46.
TEST(PtxWarpgroups, Products) {
  // 27 * 128 + (18 xor 3 * 16), and 5 * 128 + (18 xor 5 * 16).
  EXPECT_EQ(WarpgroupProduct().at(46, 3), f32(2));
  WarpgroupProduct bfloat;
  bfloat.shape = "m64n8k16.f32.bf16.bf16";
  EXPECT_EQ(bfloat.at(46, 3), f32(2.0f * 0.0078125f));
  // The left factor across the depth: 9 * 128 + (54 xor 1 * 16); both: the right one at 9 * 128 + (10 xor 1 * 16).
  WarpgroupProduct turned;
  turned.leftByte = 1190;
  turned.orders = "1, 0";
  EXPECT_EQ(turned.at(46, 3), f32(2));
  turned.rightByte = 1178;
  turned.orders = "1, 1";
  EXPECT_EQ(turned.at(46, 3), f32(2));
  // One element of the depth further there is no sum.
  turned.rightByte = 1306;
  EXPECT_EQ(turned.at(46, 3), 0u);
  // Depth 25 is that of a descriptor 32 bytes further.
  WarpgroupProduct second;
  second.leftByte = 27 * 128 + (50 ^ 48);
  second.rightByte = 5 * 128 + (50 ^ 80);
  EXPECT_EQ(second.at(46, 3), 0u);
  second.left = WarpgroupProduct::descriptor(32);
  second.right = WarpgroupProduct::descriptor(8192 + 32);
  EXPECT_EQ(second.at(46, 3), f32(2));
}

TEST(PtxWarpgroups, RunAsLateAsAllowed) {
  WarpgroupProduct early;
  early.wait = "";
  EXPECT_EQ(early.at(46, 3), 0x7FC0DEADu) << "nobody waits";
  WarpgroupProduct open;
  open.commit = "";
  EXPECT_EQ(open.at(46, 3), 0x7FC0DEADu) << "of no group";
  WarpgroupProduct pending;
  pending.wait = "wgmma.wait_group.sync.aligned 1;\n";
  EXPECT_EQ(pending.at(46, 3), 0x7FC0DEADu) << "the last group may go on";
  // A second product goes on from the first one's sums, of which the second group waits for both.
  WarpgroupProduct two;
  two.behind =
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r10, %r11, %r12, %r13}, %rd5, %rd6, %p2, 1, 1, 0, 0;\n" +
      two.commit;
  EXPECT_EQ(two.at(46, 3), f32(4));
  two.wait = "wgmma.wait_group.sync.aligned 1;\nwgmma.wait_group.sync.aligned 0;\n";
  EXPECT_EQ(two.at(46, 3), f32(4));
}

// "WGMMA .m64nNk16 register fragment layout for matrix A": register 3 of lane 46 is row 27, depths 12 and 13.
TEST(PtxWarpgroups, LeftFactorsInRegisters) {
  WarpgroupProduct product;
  product.fence = "mov.b32 %r3, 0;\nmov.b32 %r4, 0;\nmov.b32 %r5, 0;\nsetp.eq.s32 %p4, %r1, 46;\n"
                  "selp.b32 %r6, 0x3C000000, 0, %p4;\n" +
                  product.fence;
  product.factor = "{%r3, %r4, %r5, %r6}";
  product.orders = "0";
  // The right factor's depth 13 of column 5: 5 * 128 + (26 xor 5 * 16).
  product.rightByte = 5 * 128 + (26 ^ 80);
  EXPECT_EQ(product.at(46, 3), f32(2));
  EXPECT_EQ(product.at(46, 2), 0u);
  WarpgroupProduct other = product;
  other.rightByte = 5 * 128 + (24 ^ 80);
  EXPECT_EQ(other.at(46, 3), 0u) << "another depth";
  auto expect = [&](const std::string &what, auto &&change) {
    WarpgroupProduct changed = product;
    change(changed);
    expectError(what, [&] { changed(); });
  };
  using Product = WarpgroupProduct;
  expect("registers that were written behind the last wgmma.fence", [](Product &p) { p.fence += "mov.b32 %r4, 0;\n"; });
  expect("registers were written that the wgmma may still read", [](Product &p) { p.behind = "mov.b32 %r4, 0;\n"; });
  expect("wants a vector of 4 registers", [](Product &p) { p.factor = "{%r3, %r4}"; });
  expect("got 8 operands, expected 7", [](Product &p) { p.orders = "0, 0"; });
}

// Elements of 32 bits lie along the depth, without an order; their lower 13 bits are not read. ".m64nNk8" of a left
// factor in registers: register 3 of lane 46 is row 27, depth 6.
TEST(PtxWarpgroups, UpperBitsOfFloats) {
  WarpgroupProduct product;
  product.shape = "m64n8k8.f32.tf32.tf32";
  product.orders = "";
  // The upper halves of row 27, depth 5 and of depth 5, column 5.
  product.leftByte = 27 * 128 + (20 ^ 48) + 2;
  product.rightByte = 5 * 128 + (20 ^ 80) + 2;
  EXPECT_EQ(product.at(46, 3), f32(2.0f * 0.0078125f));
  WarpgroupProduct other = product;
  other.rightByte = 5 * 128 + (24 ^ 80) + 2;
  EXPECT_EQ(other.at(46, 3), 0u) << "another depth";
  WarpgroupProduct held = other;
  held.fence = "mov.b32 %r3, 0;\nmov.b32 %r4, 0;\nmov.b32 %r5, 0;\nsetp.eq.s32 %p4, %r1, 46;\n"
               "selp.b32 %r6, 0x3F801FFF, 0, %p4;\n" +
               held.fence;
  held.factor = "{%r3, %r4, %r5, %r6}";
  EXPECT_EQ(held.at(46, 3), f32(2));
  EXPECT_EQ(held.at(46, 2), 0u);
  held.rightByte = product.rightByte;
  EXPECT_EQ(held.at(46, 3), 0u) << "another depth";
  held.behind = "mov.b32 %r6, 0;\n";
  expectError("registers were written that the wgmma may still read", [&] { held(); });
  WarpgroupProduct ordered = product;
  ordered.orders = "0, 0";
  expectError("got 8 operands, expected 6", [&] { ordered(); });
  WarpgroupProduct deep = product;
  deep.shape = "m64n8k16.f32.tf32.tf32";
  expectError("unknown shape of wgmma", [&] { deep(); });
}

TEST(PtxWarpgroups, FaultsAreFound) {
  auto expect = [](const std::string &what, auto &&change) {
    WarpgroupProduct product;
    change(product);
    expectError(what, [&] { product(); });
  };
  using Product = WarpgroupProduct;
  expect("without a wgmma.fence in front of it", [](Product &p) { p.fence = ""; });
  expect("registers that were written behind the last wgmma.fence",
         [](Product &p) { p.fence += "mov.b32 %r12, 0;\n"; });
  expect("which lane 0 wrote without a fence.proxy.async behind it", [](Product &p) { p.show = ""; });
  expect("which the wgmma may still read", [](Product &p) { p.behind = "@%p1 st.shared.b16 [%r9+3490], %rs1;\n"; });
  expect("not all lanes of the warpgroup come here", [](Product &p) { p.lanes = 64; });
  expect("differs between lanes of the warpgroup", [](Product &p) { p.fence = "cvt.u64.u32 %rd5, %r1;\n" + p.fence; });
  expect("not swizzled by 128 bytes", [](Product &p) { p.left = Product::descriptor(0, 16, 0); });
  expect("a base offset",
         [](Product &p) { p.left = Product::descriptor(0, 16, uint64_t(1) << 62 | uint64_t(1) << 49); });
  expect("bytes of shared memory", [](Product &p) { p.right = Product::descriptor(16384); });
  expect("some of the registers of another wgmma", [](Product &p) {
    p.behind =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r11, %r10, %r12, %r13}, %rd5, %rd6, %p2, 1, 1, 0, 0;\n";
  });
  expect("drops sums which are on their way", [](Product &p) {
    p.behind =
        "mov.pred %p3, 0;\nwgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%r10, %r11, %r12, %r13}, %rd5, %rd6, "
        "%p3, 1, 1, 0, 0;\n";
  });
  expect("unknown shape of wgmma", [](Product &p) { p.shape = "m64n12k16.f32.f16.f16"; });
  expect("unknown type of wgmma", [](Product &p) { p.shape = "m64n8k16.f16.f16.f16"; });
  expect("wants a vector of 8 registers", [](Product &p) { p.shape = "m64n16k16.f32.f16.f16"; });
  expect("unknown sign or order", [](Product &p) { p.orders = "2, 0"; });
  expect("unknown form of wgmma", [](Product &p) { p.wait = "wgmma.wait_all.sync.aligned 0;\n"; });
}
