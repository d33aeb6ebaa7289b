// Every scalar operation, on every type, as a scalar and as vectors, becomes instructions on every processor: no crash
// in instruction selection, no call. Older processors lack some, and then the message names what would be called.
#include "CompileTest.h"
#include "Tiny/Target/Cpu/Processor.h"

using namespace tiny::cpu;

namespace {

struct OpFamily {
  /// Operations on operands %a, %b, %c of type T; a comparison's result is i1.
  std::vector<const char *> ops;
  std::vector<const char *> types;
};

const OpFamily families[] = {
    {{"arith.addf %a, %b : T", "arith.subf %a, %b : T", "arith.mulf %a, %b : T", "arith.divf %a, %b : T",
      "arith.negf %a : T", "arith.maximumf %a, %b : T", "arith.minimumf %a, %b : T", "arith.maxnumf %a, %b : T",
      "arith.minnumf %a, %b : T", "math.absf %a : T", "math.sqrt %a : T", "math.rsqrt %a : T",
      "math.copysign %a, %b : T"},
     {"f32", "f64"}},
    {{"math.floor %a : T", "math.ceil %a : T", "math.trunc %a : T", "math.roundeven %a : T", "math.round %a : T",
      "math.fma %a, %b, %c : T"},
     {"f32", "f64"}},
    {{"arith.addi %a, %b : T",      "arith.subi %a, %b : T",  "arith.muli %a, %b : T",  "arith.divsi %a, %b : T",
      "arith.divui %a, %b : T",     "arith.remsi %a, %b : T", "arith.remui %a, %b : T", "arith.floordivsi %a, %b : T",
      "arith.ceildivsi %a, %b : T", "sym.mod %a, %b : T",     "arith.andi %a, %b : T",  "arith.ori %a, %b : T",
      "arith.xori %a, %b : T",      "arith.shli %a, %b : T",  "arith.shrsi %a, %b : T", "arith.shrui %a, %b : T",
      "arith.maxsi %a, %b : T",     "arith.minsi %a, %b : T", "arith.maxui %a, %b : T", "arith.minui %a, %b : T",
      "math.absi %a : T",           "math.ctpop %a : T",      "math.ctlz %a : T",       "math.cttz %a : T"},
     {"i8", "i16", "i32", "i64", "index"}},
    {{"arith.andi %a, %b : T", "arith.ori %a, %b : T", "arith.xori %a, %b : T"}, {"i1"}},
};

/// One kernel that loads %a, %b, %c of a type, computes, and stores.
std::string makeKernel(llvm::StringRef name, std::string op, llvm::StringRef element, unsigned lanes) {
  std::string type = lanes == 1 ? element.str() : "vector<" + std::to_string(lanes) + "x" + element.str() + ">";
  for (size_t at; (at = op.find(": T")) != std::string::npos;)
    op.replace(at, 3, ": " + type);
  std::string buffer = "memref<64x" + element.str() + ">";
  std::string text = "uop.func @" + name.str() + "(%in: " + buffer + ", %out: " + buffer + ") {\n";
  text += "  %c0 = arith.constant 0 : index\n  %c16 = arith.constant 16 : index\n  %c32 = arith.constant 32 : index\n";
  const char *operands[][2] = {{"a", "c0"}, {"b", "c16"}, {"c", "c32"}};
  for (auto [value, index] : operands)
    text += "  %" + std::string(value) + " = uop.load %in[%" + index + "] : " + buffer + ", " + type + "\n";
  text += "  %r = " + op + "\n  uop.store %r, %out[%c0] : " + type + ", " + buffer + "\n  uop.return\n}\n";
  return text;
}

std::string makeAll(const OpFamily &family) {
  std::string text;
  unsigned count = 0;
  for (const char *op : family.ops)
    for (const char *element : family.types)
      for (unsigned lanes : {1, 3, 16})
        text += makeKernel("k" + std::to_string(count++), op, element, lanes);
  return text;
}

} // namespace

TEST_F(CompileTest, EveryOpCompilesForTheHost) {
  for (const OpFamily &family : families) {
    CodeOptions options;
    options.optimization = 1;
    EXPECT_TRUE(compile(makeAll(family), options)) << errors;
  }
}

#if defined(__x86_64__)
TEST_F(CompileTest, EveryOpCompilesForEveryX86) {
  for (const char *processor : {"x86-64", "x86-64-v3", "x86-64-v4"}) {
    for (const OpFamily &family : families) {
      // Rounding and fused multiplication are instructions since SSE4.1 and FMA.
      if (processor == llvm::StringRef("x86-64") && &family == &families[1])
        continue;
      CodeOptions options;
      options.optimization = 0;
      EXPECT_TRUE(compile(makeAll(family), options, processor)) << processor << ": " << errors;
    }
  }
}

TEST_F(CompileTest, MissingInstructionIsAnErrorThatNamesTheCall) {
  EXPECT_FALSE(compile(makeKernel("fused", "math.fma %a, %b, %c : T", "f32", 8), {}, "x86-64"));
  EXPECT_NE(errors.find("kernel 'fused' would call 'fmaf'"), std::string::npos) << errors;
}

TEST_F(CompileTest, ProcessorSaysWhatItHas) {
  struct {
    const char *name;
    bool fma, f16, rounding;
  } expected[] = {{"x86-64", false, false, false},
                  {"x86-64-v2", false, false, true},
                  {"x86-64-v3", true, true, true},
                  {"bdver1", true, false, true},
                  {"ivybridge", false, true, true}};
  for (const auto &[name, fma, f16, rounding] : expected) {
    llvm::Expected<Processor> described = describeProcessor(name);
    ASSERT_TRUE(bool(described)) << llvm::toString(described.takeError());
    EXPECT_EQ(described->fma, fma) << name;
    EXPECT_EQ(described->f16, f16) << name;
    EXPECT_EQ(described->rounding, rounding) << name;
  }
  llvm::Expected<Processor> unknown = describeProcessor("abacus");
  ASSERT_FALSE(bool(unknown));
  EXPECT_NE(llvm::toString(unknown.takeError()).find("unknown processor 'abacus'"), std::string::npos);
}

TEST_F(CompileTest, FeaturesAreAddedAndTakenAway) {
  llvm::Expected<Processor> less = describeProcessor("x86-64-v3", "-fma"),
                            more = describeProcessor("x86-64", "+avx512f");
  ASSERT_TRUE(bool(less)) << llvm::toString(less.takeError());
  ASSERT_TRUE(bool(more)) << llvm::toString(more.takeError());
  EXPECT_FALSE(less->fma);
  EXPECT_EQ(less->vectorBits, 256u);
  EXPECT_EQ(more->vectorBits, 512u);
  for (const char *features : {"+abacus", "avx2", "+"}) {
    llvm::Expected<Processor> unknown = describeProcessor("x86-64-v3", features);
    ASSERT_FALSE(bool(unknown)) << features;
    EXPECT_NE(llvm::toString(unknown.takeError()).find("unknown feature '"), std::string::npos);
  }
}
#endif

TEST_F(CompileTest, EveryCastCompilesForTheHost) {
  std::string text;
  unsigned count = 0;
  auto add = [&](llvm::StringRef op, llvm::StringRef from, llvm::StringRef to) {
    for (unsigned lanes : {1, 8}) {
      auto type = [&](llvm::StringRef element) {
        return lanes == 1 ? element.str() : "vector<" + std::to_string(lanes) + "x" + element.str() + ">";
      };
      std::string in = "memref<8x" + from.str() + ">", out = "memref<8x" + to.str() + ">";
      text += "uop.func @c" + std::to_string(count++) + "(%in: " + in + ", %out: " + out + ") {\n" +
              "  %c0 = arith.constant 0 : index\n  %a = uop.load %in[%c0] : " + in + ", " + type(from) +
              "\n  %r = " + op.str() + " %a : " + type(from) + " to " + type(to) +
              "\n  uop.store %r, %out[%c0] : " + type(to) + ", " + out + "\n  uop.return\n}\n";
    }
  };
  const char *integers[] = {"i1", "i8", "i16", "i32", "i64"};
  for (int narrow = 0; narrow < 5; ++narrow) {
    for (int wide = narrow + 1; wide < 5; ++wide) {
      add("arith.extsi", integers[narrow], integers[wide]);
      add("arith.extui", integers[narrow], integers[wide]);
      add("arith.trunci", integers[wide], integers[narrow]);
    }
    if (narrow > 0)
      add("arith.index_cast", integers[narrow], "index");
    for (const char *real : {"f32", "f64"}) {
      for (const char *op : {"arith.sitofp", "arith.uitofp"})
        add(op, integers[narrow], real);
      for (const char *op : {"arith.fptosi", "arith.fptoui"})
        add(op, real, integers[narrow]);
    }
  }
  add("arith.extf", "f32", "f64");
  add("arith.truncf", "f64", "f32");
  add("arith.bitcast", "f32", "i32");
  add("arith.bitcast", "i64", "f64");
  EXPECT_TRUE(compile(text)) << errors;
}
