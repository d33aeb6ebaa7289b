// What a compiled kernel computes, where the lowering decides it: gates, bytes for i1, floor division, loops, grids.
#include "CompileTest.h"

#include <cmath>
#include <sys/mman.h>
#include <unistd.h>

using namespace tiny::cpu;

namespace {

/// A buffer whose last byte is the last byte that can be touched: reading past its end is a fault.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t size) : pageSize(sysconf(_SC_PAGESIZE)) {
    base = static_cast<char *>(mmap(nullptr, 3 * pageSize, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(base + pageSize, pageSize, PROT_READ | PROT_WRITE);
    begin = base + 2 * pageSize - size;
  }
  ~GuardedBuffer() { munmap(base, 3 * pageSize); }
  template <typename T> T *data() { return reinterpret_cast<T *>(begin); }

private:
  size_t pageSize;
  char *base, *begin;
};

class LanesTest : public CompileTest {
protected:
  /// Compiles the program with `element` for each T behind an x, and runs it: for this processor, and on x86 for one
  /// without masked moves, and for one with those of AVX2 only if that is here.
  void runEverywhere(std::string text, llvm::StringRef element, llvm::function_ref<void(const CompiledKernels &)> run) {
    for (size_t at; (at = text.find("xT")) != std::string::npos;)
      text.replace(at, 2, ("x" + element).str());
    std::vector<std::string> processors = {""};
#if defined(__x86_64__)
    processors.push_back("x86-64");
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
      processors.push_back("x86-64-v3");
#endif
    for (const std::string &processor : processors) {
      SCOPED_TRACE(element.str() + " " + processor);
      auto compiled = compile(text, {}, processor);
      ASSERT_TRUE(compiled) << errors;
      run(*compiled);
    }
  }
};

} // namespace

TEST_F(CompileTest, GatedScalarsTouchNothingOutside) {
  auto compiled = compile(R"mlir(
uop.func @gated(%in: memref<10xf32>, %out: memref<10xf32>) {
  %c1000 = arith.constant 1000 : index
  %n = arith.constant 10 : index
  %i = uop.special global dim(0) extent(16)
  %inside = arith.cmpi slt, %i, %n : index
  %far = arith.muli %i, %c1000 : index
  %at = arith.select %inside, %i, %far : index
  %x = uop.load %in[%at] if %inside as i1 : memref<10xf32>, f32
  uop.store %x, %out[%at] if %inside as i1 : f32, memref<10xf32>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  GuardedBuffer in(40), out(40);
  for (int i = 0; i < 10; ++i)
    in.data<float>()[i] = float(i);
  call(*compiled, "gated", {in.data<void>(), out.data<void>()});
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(out.data<float>()[i], float(i));
}

TEST_F(CompileTest, GatedAccessToAnEmptyOrShortBufferIsSafe) {
  auto compiled = compile(R"mlir(
uop.func @short(%empty: memref<0xf32>, %short: memref<3xi32>, %out: memref<4xi32>) {
  %c0 = arith.constant 0 : index
  %i = uop.special global dim(0) extent(2)
  %never = arith.cmpi slt, %i, %c0 : index
  %x = uop.load %empty[%i] if %never as i1 : memref<0xf32>, f32
  %v = uop.load %short[%i] if %never as i1 : memref<3xi32>, vector<4xi32>
  %one = arith.constant dense<1> : vector<4xi32>
  %safe = arith.select %never, %v, %one : vector<4xi32>
  uop.store %x, %empty[%i] if %never as i1 : f32, memref<0xf32>
  uop.store %safe, %out[%c0] : vector<4xi32>, memref<4xi32>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  GuardedBuffer empty(0), shortBuffer(12);
  int32_t out[4] = {};
  call(*compiled, "short", {empty.data<void>(), shortBuffer.data<void>(), out});
  EXPECT_EQ(out[3], 1);
}

TEST_F(LanesTest, ThatAreOffTouchNothingOutside) {
  for (llvm::StringRef element : {"f32", "i8", "f64", "i16", "i1"}) {
    runEverywhere(R"mlir(
uop.func @lanes(%in: memref<10xT>, %out: memref<10xT>) {
  %c8 = arith.constant 8 : index
  %n = arith.constant dense<10> : vector<8xindex>
  %g = uop.special global dim(0) extent(2)
  %i = arith.muli %g, %c8 : index
  %lane = vector.step : vector<8xindex>
  %base = vector.broadcast %i : index to vector<8xindex>
  %all = arith.addi %base, %lane : vector<8xindex>
  %gate = arith.cmpi slt, %all, %n : vector<8xindex>
  %x = uop.load %in[%i] if %gate as vector<8xi1> : memref<10xT>, vector<8xT>
  uop.store %x, %out[%i] if %gate as vector<8xi1> : vector<8xT>, memref<10xT>
  uop.return
})mlir",
                  element, [&](const CompiledKernels &compiled) {
                    size_t size = 10 * (element == "f64" ? 8 : element == "f32" ? 4 : element == "i16" ? 2 : 1);
                    GuardedBuffer in(size), out(size);
                    for (size_t i = 0; i < size; ++i)
                      in.data<char>()[i] = char(element == "i1" ? i % 2 : i);
                    call(compiled, "lanes", {in.data<void>(), out.data<void>()});
                    EXPECT_EQ(memcmp(in.data<void>(), out.data<void>(), size), 0);
                  });
  }
}

// LLVM 22 would load the second register of AVX2, in which no lane can be on, as if all were.
TEST_F(LanesTest, RegistersWithoutOneTouchNothing) {
  for (auto [element, mask] : std::vector<std::pair<std::string, std::string>>{
           {"i32", "%both"}, {"i32", "%either"}, {"i32", "%uniform"}, {"i64", "%both"}, {"i8", "%both"}}) {
    runEverywhere(R"mlir(
uop.func @row(%in: memref<7xT>, %out: memref<9xT>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant dense<3> : vector<16xT>
  %none = arith.constant dense<false> : vector<16xi1>
  %seven = arith.constant dense<[true, true, true, true, true, true, true, false,
                                 false, false, false, false, false, false, false, false]> : vector<16xi1>
  %nine = arith.constant dense<[true, true, true, true, true, true, true, true,
                                true, false, false, false, false, false, false, false]> : vector<16xi1>
  %g = uop.special global dim(0) extent(2)
  %is = arith.cmpi eq, %g, %c1 : index
  %all = vector.broadcast %is : i1 to vector<16xi1>
  %both = arith.andi %all, %seven : vector<16xi1>
  %either = arith.select %all, %seven, %none : vector<16xi1>, vector<16xi1>
  %uniform = arith.select %is, %seven, %none : vector<16xi1>
  %written = arith.andi %all, %nine : vector<16xi1>
  %x = uop.load %in[%c0] if )mlir" +
                      mask + R"mlir( as vector<16xi1> : memref<7xT>, vector<16xT>
  %y = arith.select )mlir" +
                      mask + R"mlir(, %x, %three : vector<16xi1>, vector<16xT>
  uop.store %y, %out[%c0] if %written as vector<16xi1> : vector<16xT>, memref<9xT>
  uop.return
})mlir",
                  element, [&, element = element](const CompiledKernels &compiled) {
                    size_t width = element == "i64" ? 8 : element == "i32" ? 4 : 1;
                    GuardedBuffer in(7 * width), out(9 * width);
                    std::vector<char> expected(9 * width);
                    for (size_t i = 0; i < 9; ++i)
                      expected[i * width] = char(i < 7 ? i + 10 : 3);
                    memcpy(in.data<void>(), expected.data(), 7 * width);
                    call(compiled, "row", {in.data<void>(), out.data<void>()});
                    EXPECT_EQ(memcmp(out.data<void>(), expected.data(), 9 * width), 0);
                  });
  }
}

TEST_F(CompileTest, BoolsAreBytesOfZeroOrOne) {
  auto compiled = compile(R"mlir(
uop.func @invert(%in: memref<4xi1>, %out: memref<4xi1>) {
  %c0 = arith.constant 0 : index
  %ones = arith.constant dense<true> : vector<4xi1>
  %x = uop.load %in[%c0] : memref<4xi1>, vector<4xi1>
  %y = arith.xori %x, %ones : vector<4xi1>
  uop.store %y, %out[%c0] : vector<4xi1>, memref<4xi1>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  uint8_t in[4] = {0, 1, 1, 0}, out[4] = {7, 7, 7, 7};
  call(*compiled, "invert", {in, out});
  EXPECT_EQ(std::vector<int>(out, out + 4), (std::vector<int>{1, 0, 0, 1}));
}

TEST_F(CompileTest, FloorDivisionAndModuloOfNegatives) {
  auto compiled = compile(R"mlir(
uop.func @divide(%x: memref<1xi64>, %y: memref<1xi64>, %q: memref<1xi64>, %r: memref<1xi64>) {
  %c0 = arith.constant 0 : index
  %a = uop.load %x[%c0] : memref<1xi64>, i64
  %b = uop.load %y[%c0] : memref<1xi64>, i64
  %d = arith.floordivsi %a, %b : i64
  %m = sym.mod %a, %b : i64
  uop.store %d, %q[%c0] : i64, memref<1xi64>
  uop.store %m, %r[%c0] : i64, memref<1xi64>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  for (int64_t x = -7; x <= 7; ++x)
    for (int64_t y : {-3, -2, -1, 1, 2, 3}) {
      int64_t q = 0, r = 0;
      call(*compiled, "divide", {&x, &y, &q, &r});
      EXPECT_EQ(q, int64_t(std::floor(double(x) / double(y)))) << x << " / " << y;
      EXPECT_EQ(r, x - y * q) << x << " mod " << y;
    }
}

TEST_F(CompileTest, LoopsCarryValuesAndMayBeEmpty) {
  auto compiled = compile(R"mlir(
uop.func @sum(%n: memref<1xindex>, %in: memref<8xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %bound = uop.load %n[%c0] : memref<1xindex>, index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %s:2 = uop.for %k to %bound iter(%acc = %zero, %count = %one) -> (f32, f32) {
    %x = uop.load %in[%k] : memref<8xf32>, f32
    %t = arith.addf %acc, %x : f32
    uop.yield %count, %t : f32, f32
  }
  uop.store %s#0, %out[%c0] : f32, memref<2xf32>
  uop.store %s#1, %out[%c1] : f32, memref<2xf32>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  float in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, out[2];
  auto run = [&](int64_t bound) {
    call(*compiled, "sum", {&bound, in, out});
    return std::make_pair(out[0], out[1]);
  };
  // The two values change places in each iteration.
  EXPECT_EQ(run(0), std::make_pair(0.0f, 1.0f));
  EXPECT_EQ(run(-5), std::make_pair(0.0f, 1.0f));
  EXPECT_EQ(run(1), std::make_pair(1.0f, 1.0f));
  EXPECT_EQ(run(2), std::make_pair(1.0f, 3.0f));
  EXPECT_EQ(run(3), std::make_pair(3.0f, 4.0f));
}

TEST_F(CompileTest, ThreeGridAxesReachTheKernel) {
  auto compiled = compile(R"mlir(
uop.func @grid(%out: memref<24xi32>) {
  %x = uop.special global dim(0) extent(2)
  %z = uop.special global dim(2) extent(4)
  %t = uop.special thread dim(0) extent(3)
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %a = arith.muli %z, %c3 : index
  %b = arith.addi %a, %t : index
  %c = arith.muli %b, %c2 : index
  %at = arith.addi %c, %x : index
  %value = arith.index_cast %at : index to i32
  uop.store %value, %out[%at] : i32, memref<24xi32>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  EXPECT_EQ(compiled->getKernels()[0].entry.getGrid(), (std::array<int64_t, 3>{2, 3, 4}));
  std::vector<int32_t> out(24, -1);
  call(*compiled, "grid", {out.data()});
  for (int i = 0; i < 24; ++i)
    EXPECT_EQ(out[i], i);
}

TEST_F(CompileTest, MaximumPropagatesNan) {
  auto compiled = compile(R"mlir(
uop.func @maximum(%x: memref<4xf32>, %y: memref<4xf32>, %out: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  %a = uop.load %x[%c0] : memref<4xf32>, vector<4xf32>
  %b = uop.load %y[%c0] : memref<4xf32>, vector<4xf32>
  %m = arith.maximumf %a, %b : vector<4xf32>
  uop.store %m, %out[%c0] : vector<4xf32>, memref<4xf32>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  float x[4] = {1, NAN, 3, -0.0f}, y[4] = {2, 2, NAN, 0.0f}, out[4];
  call(*compiled, "maximum", {x, y, out});
  EXPECT_EQ(out[0], 2);
  EXPECT_TRUE(std::isnan(out[1]) && std::isnan(out[2]));
  EXPECT_FALSE(std::signbit(out[3]));
}

// Without contract flags a product and a sum are rounded one by one.
TEST_F(CompileTest, NothingIsContractedWithoutItsFlag) {
  auto compiled = compile(R"mlir(
uop.func @fused(%x: memref<1xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = uop.load %x[%c0] : memref<1xf32>, f32
  %p = arith.mulf %a, %a : f32
  %minus = arith.negf %p : f32
  %q = arith.mulf %a, %a : f32
  %d = arith.addf %q, %minus : f32
  uop.store %d, %out[%c0] : f32, memref<2xf32>
  uop.store %p, %out[%c1] : f32, memref<2xf32>
  uop.return
})mlir");
  ASSERT_TRUE(compiled) << errors;
  float x = 1.0001f, out[2] = {1, 1};
  call(*compiled, "fused", {&x, out});
  EXPECT_EQ(out[0], 0.0f);
}
