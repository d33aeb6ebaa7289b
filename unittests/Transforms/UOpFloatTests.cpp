// The floats that uop-legalize emulates, compiled for the host and compared with LLVM's own arithmetic bit by bit: all
// numbers of a format where there are few, else all places where rounding decides.
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
#include <numeric>
#include <random>

using namespace mlir;
using namespace tiny;
using llvm::APFloat;
using llvm::APInt;

namespace {

constexpr size_t kCount = 1 << 12, kLanes = 8;
constexpr auto kNearest = APFloat::rmNearestTiesToEven;

struct Format {
  const char *name;
  const llvm::fltSemantics &semantics;
  unsigned width;

  APFloat number(uint64_t bits) const { return APFloat(semantics, APInt(width, bits)); }
};

const Format kFormats[] = {{"bf16", APFloat::BFloat(), 16},
                           {"f16", APFloat::IEEEhalf(), 16},
                           {"f8E4M3FN", APFloat::Float8E4M3FN(), 8},
                           {"f8E5M2", APFloat::Float8E5M2(), 8}};

APFloat convert(APFloat x, const llvm::fltSemantics &semantics) {
  bool inexact;
  x.convert(semantics, kNearest, &inexact);
  return x;
}

/// Equal bits; a NaN is any NaN, of the same sign where `signedNaN` says so.
bool isSame(const Format &format, uint64_t got, const APFloat &expected, bool signedNaN = false) {
  APFloat number = format.number(got);
  if (expected.isNaN() || number.isNaN())
    return expected.isNaN() && number.isNaN() && (!signedNaN || expected.isNegative() == number.isNegative());
  return number.bitwiseIsEqual(expected);
}

/// A module of kernels over `kCount` elements, each as a scalar and as a vector loop, for one format.
class Emulation : public testing::TestWithParam<Format> {
protected:
  const Format &format() const { return GetParam(); }

  /// `body` computes %r from %a (and %b), with element types in braces where lanes may be added.
  void add(StringRef name, StringRef from, StringRef to, StringRef body) {
    for (bool isVector : {false, true}) {
      auto type = [&](StringRef element) {
        return isVector ? ("vector<" + Twine(kLanes) + "x" + element + ">").str() : element.str();
      };
      std::string operation;
      for (StringRef rest = body; !rest.empty();) {
        auto [text, tail] = rest.split('{');
        auto [element, end] = tail.split('}');
        operation += text.str() + (element.empty() ? "" : type(element));
        rest = end;
      }
      std::string in = ("memref<" + Twine(kCount) + "x" + from + ">").str(),
                  out = ("memref<" + Twine(kCount) + "x" + to + ">").str();
      llvm::raw_string_ostream(text) << "uop.func @" << name << (isVector ? "_vector" : "") << "(%x: " << in
                                     << ", %y: " << in << ", %z: " << out << ") {\n  %n = arith.constant "
                                     << kCount / (isVector ? kLanes : 1) << " : index\n  %w = arith.constant "
                                     << (isVector ? kLanes : 1)
                                     << " : index\n  uop.for %i to %n {\n    %j = arith.muli %i, %w : index\n"
                                     << "    %a = uop.load %x[%j] : " << in << ", " << type(from)
                                     << "\n    %b = uop.load %y[%j] : " << in << ", " << type(from) << "\n    "
                                     << operation << "\n    uop.store %r, %z[%j] : " << type(to) << ", " << out
                                     << "\n  }\n  uop.return\n}\n";
    }
  }

  void compile() {
    context.loadDialect<arith::ArithDialect, math::MathDialect, vector::VectorDialect, uop::UOpDialect>();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    attachHost(*module, [](cost::Machine &machine) { machine.converts = {}; });
    PassManager manager(&context);
    OpPassManager &functions = manager.nest<uop::FuncOp>();
    functions.addPass(uop::createUOpLegalize());
    functions.addPass(createCanonicalizerPass());
    functions.addPass(createCSEPass());
    manager.addPass(uop::createUOpDescribeEntry());
    manager.addPass(createConvertUOpToLLVM());
    ASSERT_TRUE(succeeded(manager.run(*module)));
    cpu::CodeOptions jitOptions;
    jitOptions.optimization = 1;
    auto compiled = cpu::CompiledKernels::compile(*module, jitOptions);
    ASSERT_TRUE(succeeded(compiled));
    jit = std::move(*compiled);
  }

  template <typename In, typename Out>
  void run(const std::string &name, ArrayRef<In> x, ArrayRef<In> y, llvm::function_ref<bool(In, In, Out)> isRight) {
    std::vector<In> a(kCount), b(kCount);
    std::vector<Out> r(kCount);
    for (StringRef suffix : {"", "_vector"}) {
      const cpu::CompiledKernel *kernel = jit->lookup(name + suffix.str());
      ASSERT_NE(kernel, nullptr);
      for (size_t at = 0; at < x.size(); at += kCount) {
        size_t count = std::min(kCount, x.size() - at);
        std::copy_n(x.begin() + at, count, a.begin());
        std::copy_n(y.begin() + at, count, b.begin());
        void *buffers[] = {a.data(), b.data(), r.data()};
        int64_t grid[] = {0, 0, 0};
        kernel->function(buffers, grid);
        for (size_t i = 0; i < count; ++i)
          ASSERT_TRUE(isRight(a[i], b[i], r[i])) << name << suffix.str() << " of bits " << toBits(a[i]) << " and "
                                                 << toBits(b[i]) << " is " << toBits(r[i]);
      }
    }
  }

  /// Kernels on the format's own numbers take a byte or two an element.
  template <typename Call> void withStorage(Call &&call) {
    if (format().width == 8)
      call(uint8_t());
    else
      call(uint16_t());
  }

  template <typename T> static uint64_t toBits(T value) {
    uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof(T));
    return bits;
  }

  /// All numbers of the format.
  template <typename T> std::vector<T> all() const {
    std::vector<T> numbers(size_t(1) << format().width);
    std::iota(numbers.begin(), numbers.end(), 0);
    return numbers;
  }

  /// All pairs of 8-bit numbers; of 16-bit ones as many at random, and all pairs of special ones.
  template <typename T> void pairs(std::vector<T> &x, std::vector<T> &y) {
    if (format().width == 8) {
      for (unsigned i = 0; i < 1 << 16; ++i) {
        x.push_back(i & 0xff);
        y.push_back(i >> 8);
      }
      return;
    }
    APFloat infinity = APFloat::getInf(format().semantics), large = APFloat::getLargest(format().semantics),
            normal = APFloat::getSmallestNormalized(format().semantics),
            small = APFloat::getSmallest(format().semantics), one = APFloat::getOne(format().semantics);
    std::vector<T> special;
    for (const APFloat &number : {infinity, large, normal, small, one, APFloat::getNaN(format().semantics)})
      for (int step : {-1, 0, 1})
        for (unsigned sign : {0u, 0x8000u})
          special.push_back(static_cast<T>((number.bitcastToAPInt().getZExtValue() + step) ^ sign));
    for (T a : special)
      for (T b : special) {
        x.push_back(a);
        y.push_back(b);
      }
    for (unsigned i = 0; i < 1 << 16; ++i) {
      x.push_back(static_cast<T>(random()));
      // Exponents near each other, too, where sums and quotients cancel and round.
      y.push_back(static_cast<T>(i % 2 ? random() : x.back() + random() % 4096 - 2048));
    }
  }

  /// Every number of the format and every middle between two, with their neighbours in T, and what lies far outside.
  template <typename T> std::vector<T> decisive() {
    const auto &wide = sizeof(T) == 4 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
    std::vector<T> numbers;
    auto addAround = [&](T x) {
      for (T y : {x, std::nextafter(x, T(INFINITY)), std::nextafter(x, T(-INFINITY))}) {
        numbers.push_back(y);
        numbers.push_back(-y);
      }
    };
    auto toT = [&](const APFloat &x) {
      if constexpr (sizeof(T) == 4)
        return convert(x, wide).convertToFloat();
      else
        return convert(x, wide).convertToDouble();
    };
    T last = 0;
    for (uint64_t bits = 0; bits < uint64_t(1) << (format().width - 1); ++bits) {
      APFloat number = format().number(bits);
      if (!number.isFinite())
        continue;
      T value = toT(number);
      addAround(value);
      addAround(last + (value - last) / 2);
      last = value;
    }
    // Where the next number would be, and half way to it.
    T above =
        last +
        (last - toT(format().number(APFloat::getLargest(format().semantics).bitcastToAPInt().getZExtValue() - 1)));
    addAround(last + (above - last) / 2);
    addAround(above);
    addAround(std::numeric_limits<T>::max());
    addAround(std::numeric_limits<T>::infinity());
    addAround(std::numeric_limits<T>::denorm_min());
    addAround(std::numeric_limits<T>::min());
    numbers.push_back(std::numeric_limits<T>::quiet_NaN());
    numbers.push_back(-std::numeric_limits<T>::quiet_NaN());
    for (int i = 0; i < 20000; ++i) {
      uint64_t bits = random();
      T value;
      std::memcpy(&value, &bits, sizeof(T));
      numbers.push_back(value);
    }
    return numbers;
  }

  /// Integers around every middle between two numbers of the format, as far as they fit; those beside the largest wrap.
  template <typename T> std::vector<T> decisiveIntegers() {
    std::vector<T> numbers = {0, 1, T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
    for (double middle : decisive<double>()) {
      if (!(std::abs(middle) < std::ldexp(1.0, 8 * sizeof(T) - 1)) || (std::is_unsigned_v<T> && middle < 0))
        continue;
      for (int step : {-1, 0, 1})
        numbers.push_back(static_cast<T>(static_cast<std::make_unsigned_t<T>>(static_cast<T>(middle)) + step));
    }
    for (int i = 0; i < 10000; ++i)
      numbers.push_back(static_cast<T>(random()) >> random() % (8 * sizeof(T) - 1));
    return numbers;
  }

  template <typename T> void checkFromFloat(const std::string &name) {
    std::vector<T> numbers = decisive<T>();
    withStorage([&](auto storage) {
      using Stored = decltype(storage);
      run<T, Stored>(name, numbers, numbers, [&](T x, T, Stored r) {
        return isSame(format(), r, convert(APFloat(x), format().semantics), /*signedNaN=*/true);
      });
    });
  }

  template <typename T> void checkFromInteger(const std::string &name) {
    std::vector<T> numbers = decisiveIntegers<T>();
    withStorage([&](auto storage) {
      using Stored = decltype(storage);
      run<T, Stored>(name, numbers, numbers, [&](T x, T, Stored r) {
        APFloat expected(format().semantics);
        expected.convertFromAPInt(APInt(8 * sizeof(T), static_cast<uint64_t>(x), std::is_signed_v<T>, true),
                                  std::is_signed_v<T>, kNearest);
        return isSame(format(), r, expected);
      });
    });
  }

  template <typename T> void checkToInteger(const std::string &name) {
    withStorage([&](auto storage) {
      using Stored = decltype(storage);
      std::vector<Stored> numbers = all<Stored>();
      run<Stored, T>(name, numbers, numbers, [&](Stored x, Stored, T r) {
        llvm::APSInt expected(8 * sizeof(T), std::is_unsigned_v<T>);
        bool isExact;
        // Saturates; NaN becomes 0.
        format().number(x).convertToInteger(expected, APFloat::rmTowardZero, &isExact);
        return APInt(8 * sizeof(T), static_cast<uint64_t>(r), std::is_signed_v<T>, true) == expected;
      });
    });
  }

  std::string text;
  MLIRContext context;
  std::unique_ptr<cpu::CompiledKernels> jit;
  std::mt19937_64 random{1};
};

TEST_P(Emulation, ConvertsEveryNumber) {
  std::string type = format().name;
  add("widen", type, "f32", "%r = arith.extf %a : {" + type + "} to {f32}");
  add("widen_double", type, "f64", "%r = arith.extf %a : {" + type + "} to {f64}");
  add("narrow", "f32", type, "%r = arith.truncf %a : {f32} to {" + type + "}");
  add("narrow_double", "f64", type, "%r = arith.truncf %a : {f64} to {" + type + "}");
  compile();
  ASSERT_TRUE(jit);
  withStorage([&](auto storage) {
    using Stored = decltype(storage);
    std::vector<Stored> numbers = all<Stored>();
    auto isExact = [&](Stored x, auto r) {
      APFloat expected = convert(format().number(x), APFloat(r).getSemantics());
      return expected.isNaN() ? std::isnan(r) && std::signbit(r) == expected.isNegative()
                              : expected.bitwiseIsEqual(APFloat(r));
    };
    run<Stored, float>("widen", numbers, numbers, [&](Stored x, Stored, float r) { return isExact(x, r); });
    run<Stored, double>("widen_double", numbers, numbers, [&](Stored x, Stored, double r) { return isExact(x, r); });
  });
  checkFromFloat<float>("narrow");
  checkFromFloat<double>("narrow_double");
}

TEST_P(Emulation, ConvertsIntegers) {
  std::string type = format().name;
  for (int width : {8, 16, 32, 64}) {
    std::string integer = "i" + std::to_string(width), number = std::to_string(width);
    add("from_signed" + number, integer, type, "%r = arith.sitofp %a : {" + integer + "} to {" + type + "}");
    add("from_unsigned" + number, integer, type, "%r = arith.uitofp %a : {" + integer + "} to {" + type + "}");
    add("to_signed" + number, type, integer, "%r = arith.fptosi %a : {" + type + "} to {" + integer + "}");
    add("to_unsigned" + number, type, integer, "%r = arith.fptoui %a : {" + type + "} to {" + integer + "}");
  }
  compile();
  ASSERT_TRUE(jit);
  checkFromInteger<int8_t>("from_signed8");
  checkFromInteger<int16_t>("from_signed16");
  checkFromInteger<int32_t>("from_signed32");
  checkFromInteger<int64_t>("from_signed64");
  checkFromInteger<uint8_t>("from_unsigned8");
  checkFromInteger<uint16_t>("from_unsigned16");
  checkFromInteger<uint32_t>("from_unsigned32");
  checkFromInteger<uint64_t>("from_unsigned64");
  checkToInteger<int8_t>("to_signed8");
  checkToInteger<int16_t>("to_signed16");
  checkToInteger<int32_t>("to_signed32");
  checkToInteger<int64_t>("to_signed64");
  checkToInteger<uint8_t>("to_unsigned8");
  checkToInteger<uint16_t>("to_unsigned16");
  checkToInteger<uint32_t>("to_unsigned32");
  checkToInteger<uint64_t>("to_unsigned64");
}

TEST_P(Emulation, ComputesWithOneRounding) {
  std::string type = format().name;
  for (const char *op : {"addf", "subf", "mulf", "divf", "maximumf", "minnumf"})
    add(op, type, type, ("%r = arith." + Twine(op) + " %a, %b : {" + type + "}").str());
  add("less", type, type,
      "%c = arith.cmpf olt, %a, %b : {" + type + "}\n    %r = arith.select %c, %a, %b : {i1}, {" + type + "}");
  add("negf", type, type, "%r = arith.negf %a : {" + type + "}");
  add("absf", type, type, "%r = math.absf %a : {" + type + "}");
  add("roundeven", type, type, "%r = math.roundeven %a : {" + type + "}");
  compile();
  ASSERT_TRUE(jit);
  withStorage([&](auto storage) {
    using Stored = decltype(storage);
    std::vector<Stored> x, y, numbers = all<Stored>();
    pairs(x, y);
    auto check = [&](const char *name, llvm::function_ref<APFloat(APFloat, const APFloat &)> compute) {
      run<Stored, Stored>(name, x, y, [&](Stored a, Stored b, Stored r) {
        return isSame(format(), r, compute(format().number(a), format().number(b)));
      });
    };
    check("addf", [](APFloat a, const APFloat &b) { return a.add(b, kNearest), a; });
    check("subf", [](APFloat a, const APFloat &b) { return a.subtract(b, kNearest), a; });
    check("mulf", [](APFloat a, const APFloat &b) { return a.multiply(b, kNearest), a; });
    check("divf", [](APFloat a, const APFloat &b) { return a.divide(b, kNearest), a; });
    check("maximumf", [](APFloat a, const APFloat &b) { return maximum(a, b); });
    run<Stored, Stored>("minnumf", x, y, [&](Stored a, Stored b, Stored r) {
      APFloat left = format().number(a), right = format().number(b);
      // Either zero is the smaller one.
      if (left.isZero() && right.isZero())
        return r == a || r == b;
      return isSame(format(), r, left.isNaN() ? right : right.isNaN() ? left : minimum(left, right));
    });
    check("less", [](APFloat a, const APFloat &b) { return a.compare(b) == APFloat::cmpLessThan ? a : b; });
    auto checkUnary = [&](const char *name, bool signedNaN, llvm::function_ref<void(APFloat &)> compute) {
      run<Stored, Stored>(name, numbers, numbers, [&](Stored a, Stored, Stored r) {
        APFloat expected = format().number(a);
        compute(expected);
        return isSame(format(), r, expected, signedNaN);
      });
    };
    checkUnary("negf", true, [](APFloat &a) { a.changeSign(); });
    checkUnary("absf", true, [](APFloat &a) { a.clearSign(); });
    checkUnary("roundeven", false, [](APFloat &a) { a.roundToIntegral(kNearest); });
  });
}

INSTANTIATE_TEST_SUITE_P(UOpFloats, Emulation, testing::ValuesIn(kFormats),
                         [](const testing::TestParamInfo<Format> &info) { return std::string(info.param.name); });

} // namespace
