// The interpreter of PTX against the tables of NVIDIA's "PTX ISA".
#include "PtxRun.h"

using namespace fake;

namespace {

/// What an instruction makes of operands of 32 bits: they are %r1, %r2, %r3, the result %r0.
uint32_t result(const std::string &instruction, uint32_t a = 0, uint32_t b = 0, uint32_t c = 0) {
  std::string set;
  const uint32_t values[] = {a, b, c};
  for (int k = 0; k < 3; ++k)
    set += "mov.b32 %r" + std::to_string(k + 1) + ", " + std::to_string(values[k]) + ";\n";
  Memory memory = run(set + instruction + ";\nst.global.b32 [%rd2], %r0;");
  uint32_t value;
  std::memcpy(&value, memory.bytes.data(), 4);
  return value;
}
/// The same for a predicate, %p0.
uint32_t holds(const std::string &instruction, uint32_t a, uint32_t b = 0) {
  return result(instruction + ";\nselp.b32 %r0, 1, 0, %p0", a, b);
}
uint64_t wide(const std::string &instruction, uint64_t a, uint64_t b = 0) {
  Memory memory = run("mov.b64 %rd10, " + std::to_string(a) + ";\nmov.b64 %rd11, " + std::to_string(b) + ";\n" +
                      instruction + ";\nst.global.b64 [%rd2], %rd12;");
  uint64_t value;
  std::memcpy(&value, memory.bytes.data(), 8);
  return value;
}
constexpr uint32_t kInfinity = 0x7F800000, kNaN = 0x7FFFFFFF;

} // namespace

TEST(PtxFloats, RoundOnceToNearestEven) {
  EXPECT_EQ(Half::of(65519).bits, 0x7BFF);
  EXPECT_EQ(Half::of(65520).bits, 0x7C00);
  EXPECT_EQ(Half::of(std::ldexp(1.0, -24)).bits, 1);
  EXPECT_EQ(Half::of(std::ldexp(1.0, -25)).bits, 0);
  EXPECT_EQ(Half::of(std::ldexp(3.0, -25)).bits, 2);
  EXPECT_EQ(Half::of(HUGE_VAL).bits, 0x7C00);
  EXPECT_EQ(Half::of(-2.0).bits, 0xC000);
  EXPECT_EQ(Bfloat::of(1.00390625).bits, 0x3F80);
  EXPECT_EQ(Bfloat::of(1.01171875).bits, 0x3F82);
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    Half half = {uint16_t(bits)};
    Bfloat bfloat = {uint16_t(bits)};
    if ((bits & 0x7FFF) <= 0x7C00) {
      EXPECT_EQ(Half::of(half.number()).bits, bits);
    }
    if ((bits & 0x7FFF) <= 0x7F80) {
      EXPECT_EQ(Bfloat::of(bfloat.number()).bits, bits);
      EXPECT_EQ(float(bfloat.number()), bitsOf<float>(bits << 16));
    }
  }
  // a * b = 1 - 2^-46, which is 1 in f32: only one rounding leaves the difference.
  uint32_t a = f32(1 + std::ldexp(1.0f, -23)), b = f32(1 - std::ldexp(1.0f, -23));
  EXPECT_EQ(result("fma.rn.f32 %r0, %r1, %r2, %r3", a, b, f32(-1)), f32(-std::ldexp(1.0f, -46)));
}

TEST(PtxFloats, ZerosInfinitiesAndNaN) {
  EXPECT_EQ(result("add.rn.f32 %r0, %r1, %r2", f32(1), f32(-1)), 0u);
  EXPECT_EQ(result("mul.rn.f32 %r0, %r1, %r2", f32(-0.0f), f32(3)), f32(-0.0f));
  EXPECT_EQ(result("div.rn.f32 %r0, %r1, %r2", f32(-1), 0), f32(-INFINITY));
  EXPECT_EQ(result("div.rn.f32 %r0, %r1, %r2", 0, 0), kNaN);
  EXPECT_EQ(result("sqrt.rn.f32 %r0, %r1", f32(-1)), kNaN);
  EXPECT_EQ(result("add.rn.f32 %r0, %r1, %r2", kInfinity, f32(-INFINITY)), kNaN);
  EXPECT_EQ(result("max.f32 %r0, %r1, %r2", kNaN, f32(1)), f32(1));
  EXPECT_EQ(result("max.NaN.f32 %r0, %r1, %r2", kNaN, f32(1)), kNaN);
  EXPECT_EQ(result("max.f32 %r0, %r1, %r2", f32(-0.0f), 0), 0u);
  EXPECT_EQ(result("min.f32 %r0, %r1, %r2", 0, f32(-0.0f)), f32(-0.0f));
  EXPECT_EQ(result("copysign.f32 %r0, %r1, %r2", f32(-1), f32(3)), f32(-3));
}

TEST(PtxFloats, PowersOfTwoFlushSubnormals) {
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", f32(3)), f32(8));
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", f32(-126)), f32(std::ldexp(1.0f, -126)));
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", f32(-127)), 0u);
  EXPECT_EQ(result("ex2.approx.f32 %r0, %r1", f32(-127)), f32(std::ldexp(1.0f, -127)));
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", 1), f32(1));
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", f32(-INFINITY)), 0u);
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", kInfinity), kInfinity);
  EXPECT_EQ(result("ex2.approx.ftz.f32 %r0, %r1", kNaN), kNaN);
}

TEST(PtxFloats, Comparisons) {
  EXPECT_EQ(holds("setp.lt.f32 %p0, %r1, %r2", kNaN, 0), 0u);
  EXPECT_EQ(holds("setp.ltu.f32 %p0, %r1, %r2", kNaN, 0), 1u);
  EXPECT_EQ(holds("setp.nan.f32 %p0, %r1, %r2", kNaN, 0), 1u);
  EXPECT_EQ(holds("setp.num.f32 %p0, %r1, %r2", kNaN, 0), 0u);
  EXPECT_EQ(holds("setp.eq.f32 %p0, %r1, %r2", f32(-0.0f), 0), 1u);
  EXPECT_EQ(holds("setp.lt.s32 %p0, %r1, %r2", ~0u, 0), 1u);
  EXPECT_EQ(holds("setp.lt.u32 %p0, %r1, %r2", ~0u, 0), 0u);
  EXPECT_EQ(holds("setp.hi.u32 %p0, %r1, %r2", ~0u, 0), 1u);
}

TEST(PtxIntegers, ShiftsAreClampedOrWrap) {
  EXPECT_EQ(result("shl.b32 %r0, %r1, %r2", 1, 32), 0u);
  EXPECT_EQ(result("shr.u32 %r0, %r1, %r2", 0x80000000, 40), 0u);
  EXPECT_EQ(result("shr.s32 %r0, %r1, %r2", 0x80000000, 40), ~0u);
  EXPECT_EQ(result("shf.l.wrap.b32 %r0, %r1, %r2, %r3", 0x80000000, 1, 33), 3u);
  EXPECT_EQ(result("shf.r.clamp.b32 %r0, %r1, %r2, %r3", 1, 7, 40), 7u);
}

TEST(PtxIntegers, ProductsQuotientsAndFields) {
  EXPECT_EQ(result("div.s32 %r0, %r1, %r2", uint32_t(-7), 2), uint32_t(-3));
  EXPECT_EQ(result("rem.s32 %r0, %r1, %r2", uint32_t(-7), 2), uint32_t(-1));
  EXPECT_EQ(result("mul.hi.u32 %r0, %r1, %r2", ~0u, 2), 1u);
  EXPECT_EQ(result("mul.hi.s32 %r0, %r1, %r2", ~0u, 2), ~0u);
  EXPECT_EQ(result("mad.lo.s32 %r0, %r1, %r2, %r3", ~0u, 3, 5), 2u);
  EXPECT_EQ(result("bfe.u32 %r0, %r1, 8, 4", 0xABCD), 0xBu);
  EXPECT_EQ(result("bfe.s32 %r0, %r1, 8, 4", 0xABCD), 0xFFFFFFFBu);
  EXPECT_EQ(result("bfi.b32 %r0, %r1, %r2, 4, 8", 0xAB, 0xFFFFFFFF), 0xFFFFFABFu);
  EXPECT_EQ(result("prmt.b32 %r0, %r1, %r2, 0x7610U", 0x33221100, 0x77665544), 0x77661100u);
  EXPECT_EQ(result("prmt.b32 %r0, %r1, 0, 0xaaa2U", 0x00800000), 0xFFFFFF80u);
  EXPECT_EQ(result("lop3.b32 %r0, %r1, %r2, %r3, 0x96", 12, 10, 9), 12u ^ 10u ^ 9u);
  EXPECT_EQ(result("clz.b32 %r0, %r1", 1), 31u);
  EXPECT_EQ(result("popc.b32 %r0, %r1", 0xF0F), 8u);
  EXPECT_EQ(result("brev.b32 %r0, %r1", 1), 0x80000000u);
  EXPECT_EQ(wide("mul.lo.s64 %rd12, %rd10, %rd11", ~uint64_t(0), 3), uint64_t(-3));
  EXPECT_EQ(wide("shr.s64 %rd12, %rd10, 4", uint64_t(-32)), uint64_t(-2));
  expectError("divides by zero", [] { result("div.u32 %r0, %r1, %r2", 1, 0); }, kLaunchFailed);
}

TEST(PtxConversions, SaturateRoundAndExtend) {
  EXPECT_EQ(result("cvt.rzi.s32.f32 %r0, %r1", f32(-2.7f)), uint32_t(-2));
  EXPECT_EQ(result("cvt.rzi.s32.f32 %r0, %r1", f32(1e20f)), 0x7FFFFFFFu);
  EXPECT_EQ(result("cvt.rzi.u32.f32 %r0, %r1", f32(-1)), 0u);
  EXPECT_EQ(result("cvt.rzi.s32.f32 %r0, %r1", kNaN), 0u);
  EXPECT_EQ(result("cvt.rni.f32.f32 %r0, %r1", f32(2.5f)), f32(2));
  EXPECT_EQ(result("cvt.rpi.f32.f32 %r0, %r1", f32(-0.5f)), f32(-0.0f));
  EXPECT_EQ(result("cvt.rn.f16.f32 %rs1, %r1;\ncvt.u32.u16 %r0, %rs1", f32(1e6f)), 0x7C00u);
  EXPECT_EQ(result("cvt.s64.s32 %rd10, %r1;\nshr.u64 %rd11, %rd10, 32;\ncvt.u32.u64 %r0, %rd11", ~0u), ~0u);
  EXPECT_EQ(result("cvt.u16.u32 %rs1, %r1;\ncvt.u32.u16 %r0, %rs1", 0x12345), 0x2345u);
  EXPECT_EQ(result("cvt.s32.s8 %r0, %r1", 0x80), 0xFFFFFF80u);
  EXPECT_EQ(result("cvt.rn.f16x2.f32 %r0, %r1, %r2", f32(1), f32(2)), 0x3C004000u);
  EXPECT_EQ(result("add.rn.f16x2 %r0, %r1, %r2", 0x3C003C00, 0x40003C00), 0x42004000u);
}

TEST(PtxKernels, LanesAndWorkgroups) {
  Memory memory = run("mov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\nshl.b32 %r3, %r1, 1;\nadd.s32 %r4, %r3, %r2;\n"
                      "cvt.u64.u32 %rd3, %r4;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.b8 [%rd4], %r4;",
                      6, {2, 1, 1}, {3, 1, 1});
  EXPECT_EQ(memory.bytes, (std::vector<char>{0, 1, 2, 3, 4, 5}));
}

TEST(PtxKernels, LanesBranchApartAndMeet) {
  // Lane n goes round n + 1 times; the last instruction runs once, for all.
  Memory memory = run("mov.u32 %r1, %tid.x;\nmov.b32 %r2, 0;\n$L_1:\nadd.s32 %r2, %r2, 1;\n"
                      "setp.le.u32 %p1, %r2, %r1;\n@%p1 bra $L_1;\n"
                      "activemask.b32 %r5;\nmul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd4, %rd2, %rd3;\n"
                      "st.global.v2.b32 [%rd4], {%r2, %r5};",
                      32, {4, 1, 1});
  for (uint32_t lane = 0; lane < 4; ++lane) {
    uint32_t got[2];
    std::memcpy(got, memory.bytes.data() + 8 * lane, 8);
    EXPECT_EQ(got[0], lane + 1);
    EXPECT_EQ(got[1], 0xFu);
  }
}

TEST(PtxKernels, LanesMeetBehindWhereTheyBranchedWhereverThatStands) {
  // Lanes meet at $L_1, in front of both ways there.
  Memory memory = run("mov.u32 %r1, %tid.x;\nmov.b32 %r2, 0;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra $L_2;\nbra.uni $L_3;\n"
                      "$L_1:\nactivemask.b32 %r5;\nmul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd4, %rd2, %rd3;\n"
                      "st.global.v2.b32 [%rd4], {%r2, %r5};\nret;\n"
                      "$L_2:\nmov.b32 %r2, 5;\nbra.uni $L_1;\n$L_3:\nmov.b32 %r2, 7;\nbra.uni $L_1;",
                      32, {4, 1, 1});
  for (uint32_t lane = 0; lane < 4; ++lane) {
    uint32_t got[2];
    std::memcpy(got, memory.bytes.data() + 8 * lane, 8);
    EXPECT_EQ(got[0], lane < 2 ? 5u : 7u);
    EXPECT_EQ(got[1], 0xFu);
  }
}

TEST(PtxKernels, PartsOfRegisters) {
  Memory memory = run("mov.b64 %rd3, 0x100000002;\nmov.b64 {%r1, %r2}, %rd3;\nst.global.v2.b32 [%rd2], {%r2, %r1};");
  EXPECT_EQ(memory.bytes, (std::vector<char>{1, 0, 0, 0, 2, 0, 0, 0}));
}

TEST(PtxKernels, AccessesAreChecked) {
  expectError("writes 8 bytes at 8 of 12 bytes", [] { run("st.global.b64 [%rd2+8], 0;", 12); }, kIllegalAddress);
  expectError("which is in no allocation", [] { run("ld.global.b32 %r1, [%rd2+-4];"); }, kIllegalAddress);
  expectError("no multiple of 4", [] { run("st.global.b32 [%rd2+2], 1;"); }, kMisalignedAddress);
  expectError("unknown instruction 'popc.b16'", [] { run("popc.b16 %r1, %r2;"); }, kInvalidPtx);
  expectError("unknown operand '%r99'", [] { run("add.s32 %r1, %r99, 1;"); }, kInvalidPtx);
  expectError("unknown label", [] { run("bra $L_9;"); }, kInvalidPtx);
  expectError("a register of 8 bytes, expected one of 4", [] { run("add.s32 %r1, %rd2, 1;"); }, kInvalidPtx);
}

TEST(PtxKernels, WorkgroupsShareMemoryBetweenBarriers) {
  // Each lane reads what its neighbour wrote.
  const std::string write = "mov.u32 %r1, %tid.x;\nmov.b32 %r9, tiles;\nshl.b32 %r2, %r1, 2;\nadd.s32 %r3, %r9, %r2;\n"
                            "st.shared.b32 [%r3], %r1;\n";
  const std::string read = "xor.b32 %r4, %r2, 4;\nadd.s32 %r5, %r9, %r4;\nld.shared.b32 %r6, [%r5];\n"
                           "cvt.u64.u32 %rd3, %r2;\nadd.s64 %rd4, %rd2, %rd3;\nst.global.b32 [%rd4], %r6;\n";
  const std::string tiles = ".shared .align 16 .b8 tiles[16];\n";
  Memory memory = run(write + "bar.sync 0;\n" + read, 16, {4, 1, 1}, {1, 1, 1}, tiles);
  uint32_t got[4];
  std::memcpy(got, memory.bytes.data(), 16);
  EXPECT_EQ(std::vector<uint32_t>(got, got + 4), (std::vector<uint32_t>{1, 0, 3, 2}));
  expectError(
      "a race in shared memory: lane 0 reads byte 4, which lane 1 wrote",
      [&] { run(write + read, 16, {4, 1, 1}, {1, 1, 1}, tiles); }, kLaunchFailed);
  expectError(
      "which nothing wrote", [&] { run("ld.shared.b32 %r1, [tiles];", 16, {1, 1, 1}, {1, 1, 1}, tiles); },
      kLaunchFailed);
  expectError(
      "of 16 bytes of shared memory", [&] { run("st.shared.b32 [tiles+16], 1;", 16, {1, 1, 1}, {1, 1, 1}, tiles); },
      kIllegalAddress);
}

TEST(PtxKernels, BarriersAreForAllLanes) {
  expectError("a barrier that some lanes skip",
              [] { run("mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bar.sync 0;", 8, {4, 1, 1}); });
  expectError("a barrier that 3 of 4 lanes reach", [] {
    run("mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $L_1;\nbar.sync 0;\n$L_1:", 8, {4, 1, 1});
  });
}

TEST(PtxLanes, ShufflesAsInTheIsa) {
  auto shuffle = [](const std::string &mode, uint32_t b, uint32_t c) {
    Memory memory = run("mov.u32 %r1, %tid.x;\nadd.s32 %r2, %r1, 100;\nshfl.sync." + mode + ".b32 %r3|%p1, %r2, " +
                            std::to_string(b) + ", " + std::to_string(c) +
                            ", -1;\nselp.b32 %r4, 1000, 0, %p1;\nadd.s32 %r5, %r3, %r4;\nmul.wide.u32 %rd3, %r1, 4;\n"
                            "add.s64 %rd4, %rd2, %rd3;\nst.global.b32 [%rd4], %r5;",
                        128, {32, 1, 1});
    std::vector<uint32_t> got(32);
    std::memcpy(got.data(), memory.bytes.data(), 128);
    return got;
  };
  std::vector<uint32_t> down = shuffle("down", 4, 31), up = shuffle("up", 1, 0), cross = shuffle("bfly", 16, 31),
                        index = shuffle("idx", 5, 31), halves = shuffle("idx", 1, 0x181F);
  for (uint32_t lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(down[lane], lane + 4 < 32 ? 1100 + lane + 4 : 100 + lane);
    EXPECT_EQ(up[lane], lane >= 1 ? 1100 + lane - 1 : 100 + lane);
    EXPECT_EQ(cross[lane], 1100 + (lane ^ 16));
    EXPECT_EQ(index[lane], 1105u);
    // Segments of 8 lanes.
    EXPECT_EQ(halves[lane], 1100 + lane / 8 * 8 + 1);
  }
  expectError("lanes of the subgroup that do not come here together", [] {
    run("mov.u32 %r1, %tid.x;\nsetp.eq.s32 %p1, %r1, 0;\n@%p1 bra $L_1;\nshfl.sync.bfly.b32 %r2, %r1, 1, 31, "
        "-1;\n$L_1:",
        8, {32, 1, 1});
  });
}

TEST(PtxIntegers, ConstantPredicates) {
  EXPECT_EQ(result("mov.pred %p1, -1;\nnot.pred %p0, %p1;\nselp.b32 %r0, 1, 0, %p0", 7), 0u);
  EXPECT_EQ(result("mov.pred %p0, 0;\nselp.b32 %r0, 1, 0, %p0", 7), 0u);
}

TEST(PtxLanes, VotesAndReductions) {
  EXPECT_EQ(result("setp.eq.s32 %p1, %r1, 7;\nvote.sync.ballot.b32 %r0, %p1, -1", 7), 1u);
  EXPECT_EQ(result("setp.eq.s32 %p1, %r1, 7;\nvote.sync.any.pred %p0, !%p1, -1;\nselp.b32 %r0, 1, 0, %p0", 7), 0u);
  Memory memory = run("mov.u32 %r1, %tid.x;\nredux.sync.add.s32 %r2, %r1, -1;\nsetp.eq.s32 %p1, %r1, 0;\n"
                      "@%p1 st.global.b32 [%rd2], %r2;",
                      8, {32, 1, 1});
  EXPECT_EQ(memory.bytes[0], char(496 & 255));
}

TEST(PtxLanes, AtomicsAddUp) {
  Memory memory = run("mov.u32 %r1, %tid.x;\nred.global.add.u32 [%rd2], %r1;\nmov.b32 %r2, 0f3F800000;\n"
                      "atom.global.add.f32 %r3, [%rd2+4], %r2;\natom.global.max.s32 %r4, [%rd2+8], %r1;\n"
                      "atom.global.cas.b32 %r5, [%rd2+12], 0, %r1;",
                      16, {64, 1, 1}, {2, 1, 1});
  uint32_t got[4];
  std::memcpy(got, memory.bytes.data(), 16);
  EXPECT_EQ(got[0], 2u * 63 * 32);
  EXPECT_EQ(got[1], f32(128));
  EXPECT_EQ(got[2], 63u);
  EXPECT_EQ(got[3], 1u);
}

TEST(PtxLanes, AsynchronousCopiesArriveWhenTheyAreWaitedFor) {
  const std::string copy = "mov.b32 %r9, tiles;\nmov.b64 %rd3, 0x0102030405060708;\nst.global.b64 [%rd2], %rd3;\n"
                           "cp.async.ca.shared.global [%r9], [%rd2], 8;\ncp.async.commit_group;\n";
  const std::string read = "ld.shared.b64 %rd4, [tiles];\nst.global.b64 [%rd2+8], %rd4;\n";
  const std::string tiles = ".shared .align 16 .b8 tiles[16];\n";
  Memory memory = run(copy + "cp.async.wait_group 0;\n" + read, 16, {1, 1, 1}, {1, 1, 1}, tiles);
  EXPECT_EQ(memory.bytes[8], 8);
  expectError("which nothing wrote", [&] { run(copy + read, 16, {1, 1, 1}, {1, 1, 1}, tiles); });
  expectError("which nothing wrote",
              [&] { run(copy + "cp.async.wait_group 1;\n" + read, 16, {1, 1, 1}, {1, 1, 1}, tiles); });
}

/// Sets a register to a value in one lane, whose number is in %r1, and to 0 in all others.
static std::string setOne(const std::string &name, unsigned lane, const std::string &value) {
  return "setp.eq.s32 %p1, %r1, " + std::to_string(lane) + ";\nselp.b32 " + name + ", " + value + ", 0, %p1;\n";
}

/// A product whose factors have one element each that is not 0: where its sum is, and what. Registers of factors that
/// are not set are %r7, which is 0.
static std::pair<unsigned, uint32_t> findProduct(const std::string &form, const std::string &set,
                                                 const std::string &left, const std::string &right) {
  Memory memory = run("mov.u32 %r1, %tid.x;\nmov.b32 %r7, 0;\n" + set + "mma.sync.aligned." + form +
                          " {%r10, %r11, %r12, %r13}, {" + left + "}, {" + right +
                          "}, {%r7, %r7, %r7, %r7};\nmul.wide.u32 %rd3, %r1, 16;\nadd.s64 %rd4, %rd2, %rd3;\n"
                          "st.global.v4.b32 [%rd4], {%r10, %r11, %r12, %r13};",
                      512, {32, 1, 1});
  std::pair<unsigned, uint32_t> found = {~0u, 0};
  for (unsigned k = 0; k < 128; ++k) {
    uint32_t value;
    std::memcpy(&value, memory.bytes.data() + 4 * k, 4);
    if (value != 0) {
      EXPECT_EQ(found.second, 0u) << "a second one at " << k;
      found = {k, value};
    }
  }
  return found;
}

// Places by the figures of "Matrix Fragments for mma.m16n8k16" and its siblings. Lane L has elements 4 L and on.
TEST(PtxMatrices, ProductsOfFloats) {
  // a7 of lane 5 is row 9, column 11; b3 of lane 25 row 11, column 6; row 9, column 6 of the sum is c2 of lane 7.
  auto set = setOne("%r2", 5, "0x3C000000") + setOne("%r3", 25, "0x40000000");
  EXPECT_EQ(findProduct("m16n8k16.row.col.f32.f16.f16.f32", set, "%r7, %r7, %r7, %r2", "%r7, %r3"),
            std::make_pair(4u * 7 + 2, f32(2)));
  // a2 of lane 30 is row 15, column 4; b0 of lane 2 row 4, column 0.
  set = setOne("%r2", 30, "0x00003F80") + setOne("%r3", 2, "0x00004040");
  EXPECT_EQ(findProduct("m16n8k16.row.col.f32.bf16.bf16.f32", set, "%r7, %r2, %r7, %r7", "%r3, %r7"),
            std::make_pair(4u * 28 + 2, f32(3)));
  // a1 of lane 11 is row 2, column 7; b1 of lane 31 row 7, column 7; c1 of lane 11 row 2, column 7.
  set = setOne("%r2", 11, "0x3C000000") + setOne("%r3", 31, "0x40000000");
  EXPECT_EQ(findProduct("m16n8k8.row.col.f32.f16.f16.f32", set, "%r2, %r7", "%r3"),
            std::make_pair(4u * 11 + 1, f32(2)));
  // Another place of the depth: no sum.
  set = setOne("%r2", 11, "0x3C000000") + setOne("%r3", 31, "0x00004000");
  EXPECT_EQ(findProduct("m16n8k8.row.col.f32.f16.f16.f32", set, "%r2, %r7", "%r3").second, 0u);
}

// "Matrix Fragments for mma.m16n8k4" and "for mma.m16n8k8", of .tf32.
TEST(PtxMatrices, ProductsOfTf32) {
  // a3 of lane 6 is row 9, column 6; b1 of lane 26 row 6, column 6; row 9, column 6 of the sum is c2 of lane 7.
  auto set = setOne("%r2", 6, "0x3F800000") + setOne("%r3", 26, "0x40000000");
  EXPECT_EQ(findProduct("m16n8k8.row.col.f32.tf32.tf32.f32", set, "%r7, %r7, %r7, %r2", "%r7, %r3"),
            std::make_pair(4u * 7 + 2, f32(2)));
  // a2 of lane 13 is row 3, column 5; b1 of lane 1 row 5, column 0; c0 of lane 12.
  set = setOne("%r2", 13, "0x3F800000") + setOne("%r3", 1, "0x40400000");
  EXPECT_EQ(findProduct("m16n8k8.row.col.f32.tf32.tf32.f32", set, "%r7, %r7, %r2, %r7", "%r7, %r3"),
            std::make_pair(4u * 12, f32(3)));
  // a1 of lane 30 is row 15, column 2; b0 of lane 22 row 2, column 5; c3 of lane 30.
  set = setOne("%r2", 30, "0x3F800000") + setOne("%r3", 22, "0x40000000");
  EXPECT_EQ(findProduct("m16n8k4.row.col.f32.tf32.tf32.f32", set, "%r7, %r2", "%r3"),
            std::make_pair(4u * 30 + 3, f32(2)));
  // Bits below the tenth behind the point do not count.
  set = setOne("%r2", 30, "0x3F803FFF") + setOne("%r3", 22, "0x40001FFF");
  EXPECT_EQ(findProduct("m16n8k4.row.col.f32.tf32.tf32.f32", set, "%r7, %r2", "%r3").second, 0x40002000u);
}

TEST(PtxMatrices, ProductsOfIntegers) {
  // a14 of lane 6 is row 9, column 26; b6 of lane 14 row 26, column 3; c3 of lane 5 row 9, column 3.
  auto set = setOne("%r2", 6, "0x00FE0000") + setOne("%r3", 14, "0x00030000");
  EXPECT_EQ(findProduct("m16n8k32.row.col.s32.s8.s8.s32", set, "%r7, %r7, %r7, %r2", "%r7, %r3"),
            std::make_pair(4u * 5 + 3, uint32_t(-6)));
  // a5 of lane 9 is row 10, column 5; b1 of lane 13 row 5, column 3.
  set = setOne("%r2", 9, "0x00000500") + setOne("%r3", 13, "0x00000700");
  EXPECT_EQ(findProduct("m16n8k16.row.col.s32.s8.s8.s32", set, "%r7, %r2", "%r3"), std::make_pair(4u * 9 + 3, 35u));
}

TEST(PtxMatrices, LoadsOfRowsAndColumns) {
  // Element e of shared memory is e; lane 8 m + r points to row r of matrix m, 8 elements each.
  const std::string fill = "mov.u32 %r1, %tid.x;\nmov.b32 %r9, tiles;\nshl.b32 %r2, %r1, 2;\nadd.s32 %r3, %r9, %r2;\n"
                           "shl.b32 %r4, %r1, 1;\nadd.s32 %r5, %r4, 1;\nshl.b32 %r6, %r5, 16;\nor.b32 %r6, %r6, %r4;\n"
                           "st.shared.b32 [%r3], %r6;\nadd.s32 %r6, %r6, 0x00400040;\nst.shared.b32 [%r3+128], %r6;\n"
                           "bar.sync 0;\nand.b32 %r2, %r1, 15;\nshl.b32 %r2, %r2, 4;\nadd.s32 %r3, %r9, %r2;\n";
  const std::string store = "mul.wide.u32 %rd3, %r1, 8;\nadd.s64 %rd4, %rd2, %rd3;\n"
                            "st.global.v2.b32 [%rd4], {%r10, %r11};";
  const std::string tiles = ".shared .align 16 .b8 tiles[256];\n";
  auto load = [&](const std::string &form, unsigned lane, unsigned matrix) {
    Memory memory = run(fill + "ldmatrix.sync.aligned.m8n8." + form + ".b16 {%r10, %r11}, [%r3];\n" + store, 256,
                        {32, 1, 1}, {1, 1, 1}, tiles);
    uint32_t value;
    std::memcpy(&value, memory.bytes.data() + 8 * lane + 4 * matrix, 4);
    return value;
  };
  // Lane 13 has row 3, columns 2 and 3; transposed, rows 2 and 3 of column 3.
  EXPECT_EQ(load("x2.shared", 13, 0), 26u | 27u << 16);
  EXPECT_EQ(load("x2.shared", 13, 1), 90u | 91u << 16);
  EXPECT_EQ(load("x2.trans.shared", 13, 1), 83u | 91u << 16);
  expectError("into other registers than it says", [&] { load("x4.shared", 0, 0); });
}

TEST(PtxMatrices, WholeWarps) {
  const std::string product = "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%r10, %r11, %r12, %r13}, {%r1, %r1}, "
                              "{%r1}, {%r1, %r1, %r1, %r1};\n";
  expectError("not all lanes of the warp come here", [&] { run(product, 8, {16, 1, 1}); });
  expectError("unknown shape or type of mma",
              [&] { run("mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 %r1, %r1, %r1, %r1;"); });
  expectError("unknown form of mma",
              [&] { run("mma.sync.aligned.m16n8k8.row.row.f32.f16.f16.f32 %r1, %r1, %r1, %r1;"); });
}
