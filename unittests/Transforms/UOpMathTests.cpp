// The errors that uop-expand-math states, measured: every function compiled for the host and compared with the C
// library's in a wider type, on special values, all magnitudes, and the range where the function is interesting.
#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "../Target/CompiledKernels.h"
#include "../Target/HostRecord.h"
#include "Tiny/Transforms/UOp/Passes.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "gtest/gtest.h"
#include <cmath>
#include <cstring>
#include <random>

using namespace mlir;
using namespace tiny;

namespace {

constexpr int kCount = 4096, kRounds = 8;

struct Function {
  const char *name;
  long double (*exact)(long double, long double);
  /// Largest error in units in the last place, as docs/Numerics.md states it, for f32 and f64.
  double boundSingle, boundDouble;
  /// Where the function is interesting.
  double low, high;
  bool isBinary = false;
  /// The operation where it is not `%c = math.<name> %a` and perhaps `, %b`.
  const char *operation = nullptr;

  bool isExact() const { return boundSingle == 0; }
  bool isPeriodic() const { return high == 100; }
};

#define UNARY(name, function) name, [](long double x, long double) -> long double { return function(x); }
#define BINARY(name, function) name, [](long double x, long double y) -> long double { return function(x, y); }

const Function kFunctions[] = {
    {UNARY("exp", std::exp), 1.5, 1.5, -110, 95},
    {UNARY("exp2", std::exp2), 1.5, 1.5, -155, 135},
    {UNARY("expm1", std::expm1), 1.5, 1.5, -30, 90},
    {UNARY("log", std::log), 1.5, 1.5, 0, 4},
    {UNARY("log2", std::log2), 1.5, 1.5, 0, 4},
    {UNARY("log10", std::log10), 1.5, 1.5, 0, 4},
    {UNARY("log1p", std::log1p), 1.5, 1.5, -1, 4},
    {UNARY("sin", std::sin), 1.5, 1.5, -100, 100},
    {UNARY("cos", std::cos), 1.5, 1.5, -100, 100},
    {UNARY("tan", std::tan), 2.5, 2.5, -100, 100},
    {UNARY("asin", std::asin), 1.5, 1.5, -1, 1},
    {UNARY("acos", std::acos), 1.5, 1.5, -1, 1},
    {UNARY("atan", std::atan), 1.5, 1.5, -4, 4},
    {UNARY("sinh", std::sinh), 2, 2, -90, 90},
    {UNARY("cosh", std::cosh), 2, 2, -90, 90},
    {UNARY("tanh", std::tanh), 2.5, 2.5, -12, 12},
    {UNARY("asinh", std::asinh), 2.5, 2.5, -10, 10},
    {UNARY("acosh", std::acosh), 2.5, 2.5, 1, 10},
    {UNARY("atanh", std::atanh), 2.5, 2.5, -1, 1},
    {UNARY("erf", std::erf), 1.5, 1.5, -5, 5},
    {UNARY("cbrt", std::cbrt), 1.5, 1.5, -10, 10},
    {UNARY("rsqrt", 1.0L / std::sqrt), 1.5, 1.5, 0, 10},
    {BINARY("powf", std::pow), 1.5, 1.5, 0, 4, true},
    {BINARY("atan2", std::atan2), 1.5, 1.5, -4, 4, true},
    {UNARY("erfc", std::erfc), 3.5, 3, -7, 30},
    {UNARY("sincos_sin", std::sin), 1.5, 1.5, -100, 100, false, "%c, %d = math.sincos %a"},
    {UNARY("sincos_cos", std::cos), 1.5, 1.5, -100, 100, false, "%d, %c = math.sincos %a"},
    {BINARY("remf", std::fmod), 0, 0, -1000, 1000, true, "%c = arith.remf %a, %b"},
};

/// The error of `got` in units in the last place of the type; infinite for a wrong NaN, infinity or sign of zero.
template <typename T> double errorInUlps(T got, long double exact) {
  const double wrong = std::numeric_limits<double>::infinity();
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(got))
    return std::isnan(exact) && std::isnan(got) ? 0 : wrong;
  T rounded = static_cast<T>(exact);
  if (rounded == 0 || got == 0) {
    if (std::signbit(rounded) != std::signbit(got))
      return wrong;
  }
  int exponent;
  std::frexp(std::max(std::abs(std::isinf(rounded) ? Limits::max() : rounded), Limits::min()), &exponent);
  long double unit = std::ldexp(1.0L, exponent - Limits::digits);
  // Infinity stands for the first number that is too large.
  auto extend = [](long double value, bool isInfinite) {
    return isInfinite ? std::copysign(std::ldexp(1.0L, Limits::max_exponent), value) : value;
  };
  if (std::isinf(rounded) && std::isinf(got))
    return std::signbit(rounded) == std::signbit(got) ? 0 : wrong;
  if (std::isinf(exact))
    return wrong;
  return static_cast<double>(std::abs(extend(got, std::isinf(got)) - exact) / unit);
}

template <typename T> class Sweep {
public:
  Sweep(StringRef type, bool fma) : type(type), fma(fma) {
    context.loadDialect<arith::ArithDialect, math::MathDialect, vector::VectorDialect, uop::UOpDialect>();
    std::string text;
    llvm::raw_string_ostream os(text);
    for (const Function &function : kFunctions)
      printKernel(os, function);
    module = parseSourceString<ModuleOp>(text, &context);
  }

  void compile() {
    ASSERT_TRUE(module);
    attachHost(*module, [&](cost::Machine &machine) {
      if (!fma)
        machine.instructions.erase(cost::Instruction::Fma);
    });
    PassManager manager(&context);
    OpPassManager &functions = manager.nest<uop::FuncOp>();
    functions.addPass(uop::createUOpExpandMath());
    functions.addPass(uop::createUOpLegalize());
    functions.addPass(createCanonicalizerPass());
    functions.addPass(createCSEPass());
    manager.addPass(uop::createVerifyUOp({/*legal=*/true}));
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToLLVM());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    cpu::CodeOptions options;
    options.optimization = 1;
    auto compiled = cpu::CompiledKernels::compile(*module, options);
    ASSERT_TRUE(succeeded(compiled));
    jit = std::move(*compiled);
  }

  void measure(const Function &function) {
    const cpu::CompiledKernel *kernel = jit->lookup(function.name);
    ASSERT_NE(kernel, nullptr);
    double bound = sizeof(T) == 4 ? function.boundSingle : function.boundDouble;
    std::vector<T> x(kCount), y(kCount), result(kCount);
    for (int round = 0; round < kRounds; ++round) {
      fill(function, round, x, y);
      void *buffers[] = {x.data(), y.data(), result.data()};
      int64_t grid[] = {0, 0, 0};
      kernel->function(buffers, grid);
      for (int i = 0; i < kCount; ++i) {
        double error = errorInUlps<T>(result[i], function.exact(x[i], y[i]));
        ASSERT_LE(error, bound) << function.name << " of " << x[i] << " and " << y[i] << " is " << result[i];
      }
    }
  }

private:
  void printKernel(llvm::raw_ostream &os, const Function &function) {
    std::string buffer = ("memref<" + Twine(kCount) + "x" + type + ">").str(),
                vector = ("vector<8x" + type + ">").str();
    os << "uop.func @" << function.name << "(%x: " << buffer << ", %y: " << buffer << ", %r: " << buffer << ") {\n"
       << "  %n = arith.constant " << kCount / 8 << " : index\n  %w = arith.constant 8 : index\n"
       << "  uop.for %i to %n {\n    %j = arith.muli %i, %w : index\n"
       << "    %a = uop.load %x[%j] : " << buffer << ", " << vector << "\n"
       << "    %b = uop.load %y[%j] : " << buffer << ", " << vector << "\n"
       << "    ";
    if (function.operation)
      os << function.operation;
    else
      os << "%c = math." << function.name << " %a" << (function.isBinary ? ", %b" : "");
    os << " : " << vector << "\n"
       << "    uop.store %c, %r[%j] : " << vector << ", " << buffer << "\n  }\n  uop.return\n}\n";
  }

  T anyBits() {
    T value;
    uint64_t bits = random();
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
  T between(double low, double high) { return static_cast<T>(low + (high - low) * ((random() >> 11) * 0x1p-53)); }

  void fill(const Function &function, int round, std::vector<T> &x, std::vector<T> &y) {
    using Limits = std::numeric_limits<T>;
    for (int i = 0; i < kCount; ++i) {
      x[i] = anyBits();
      y[i] = anyBits();
      if (round == 0)
        continue;
      if (function.isExact() && round < 6) {
        // Any numbers, multiples, their neighbours, denormals, and the largest ratios.
        if (round >= 4)
          y[i] = Limits::denorm_min() * std::floor(between(1, 1000));
        if (round == 4)
          x[i] = Limits::denorm_min() * std::floor(between(-1000000, 1000000));
        if (round == 2 || round == 3)
          x[i] = y[i] * std::floor(between(-1000, 1000));
        if (round == 3)
          x[i] = std::nextafter(x[i], random() % 2 ? Limits::max() : -Limits::max());
        continue;
      }
      // The interesting range, evenly and by magnitude; powers also near 1, where exponents may be large.
      x[i] = between(function.low, function.high) * (round % 2 ? T(1) : std::exp2(-between(0, 30)));
      y[i] = round % 3 ? between(-30, 30) : std::floor(between(-30, 30));
      // Near the multiples of a quarter turn, where little is left of the argument.
      if (function.isPeriodic() && round % 4 == 3) {
        long double turn = std::floor(between(0, std::exp2(between(1, 24)))) * 1.57079632679489661923132169163975144L;
        x[i] = std::copysign(static_cast<T>(turn), between(-1, 1));
      }
      if (function.isBinary && round % 4 == 3) {
        x[i] = 1 + between(-1, 1) * std::exp2(-between(1, 20));
        y[i] = between(-3000, 3000);
      }
    }
    if (round != 0)
      return;
    T special[] = {0,
                   T(-0.0),
                   1,
                   -1,
                   2,
                   -2,
                   3,
                   -3,
                   T(0.5),
                   T(-0.5),
                   T(1.5),
                   T(-1.5),
                   Limits::infinity(),
                   -Limits::infinity(),
                   Limits::quiet_NaN(),
                   Limits::min(),
                   -Limits::min(),
                   Limits::denorm_min(),
                   -Limits::denorm_min(),
                   Limits::max(),
                   -Limits::max(),
                   std::nextafter(T(1), T(0)),
                   std::nextafter(T(1), T(2)),
                   T(1e10),
                   T(-1e10),
                   T(100),
                   T(-101)};
    int i = 0;
    for (T a : special)
      for (T b : special) {
        x[i] = a;
        y[i++] = b;
      }
  }

  MLIRContext context;
  StringRef type;
  bool fma;
  OwningOpRef<ModuleOp> module;
  std::unique_ptr<cpu::CompiledKernels> jit;
  std::mt19937_64 random{1};
};

template <typename T> void measureAll(StringRef type, bool fma) {
  Sweep<T> sweep(type, fma);
  ASSERT_NO_FATAL_FAILURE(sweep.compile());
  for (const Function &function : kFunctions)
    sweep.measure(function);
}

TEST(UOpMath, SingleStaysWithinItsBounds) { measureAll<float>("f32", /*fma=*/true); }
TEST(UOpMath, SingleStaysWithinItsBoundsUnfused) { measureAll<float>("f32", /*fma=*/false); }
TEST(UOpMath, DoubleStaysWithinItsBounds) { measureAll<double>("f64", /*fma=*/true); }
TEST(UOpMath, DoubleStaysWithinItsBoundsUnfused) { measureAll<double>("f64", /*fma=*/false); }

} // namespace
