// What varies along a range, as two ways to find it say.
#include "Tiny/Dialect/Kernel/Dependence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny::kernel;

namespace {

// Users come first here and there: textual order means nothing. Of the reduction with two results the first is combined
// from the first input alone.
constexpr llvm::StringLiteral kKernel = R"mlir(
kernel.func @f(%in: memref<96xf32>, %out: memref<8xf32>, %out2: memref<8xf32>) {
  kernel.store %last, %out[%i] {name = "store"} : memref<8xf32>
  %last = arith.addf %sum, %max#0 {name = "last"} : f32
  %i = kernel.range loop id(0) extent(8)
  %j = kernel.range reduce id(1) extent(12)
  %k = kernel.range reduce id(2) extent(12)
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %at = arith.muli %j, %c8 {name = "at"} : index
  %x = kernel.load %in[%at] {name = "x"} : memref<96xf32>
  %y = kernel.load %in[%i] {name = "y"} : memref<96xf32>
  %z = kernel.load %in[%k] {name = "z"} : memref<96xf32>
  %xy = arith.mulf %x, %y {name = "xy"} : f32
  %sum = kernel.reduce addf (%xy) over (%j) {name = "sum"} : f32
  %max:2 = kernel.reduce (%z, %y) init (%zero, %zero) over (%k) {name = "max"} : f32, f32 {
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %m = arith.maximumf %a, %c : f32
    %n = arith.addf %b, %d : f32
    kernel.yield %m, %n : f32, f32
  }
  kernel.store %max#1, %out2[%i] : memref<8xf32>
}
)mlir";

std::vector<std::string> namesOf(const llvm::DenseSet<Value> &values) {
  std::vector<std::string> names;
  for (Value value : values)
    if (auto name = value.getDefiningOp()->getAttrOfType<StringAttr>("name"))
      names.push_back((name.getValue() + "#" + Twine(cast<OpResult>(value).getResultNumber())).str());
  llvm::sort(names);
  return names;
}

TEST(Dependence, FindVarying) {
  DialectRegistry registry;
  registry.insert<KernelDialect, arith::ArithDialect>();
  MLIRContext context(registry);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kKernel, &context);
  ASSERT_TRUE(module);
  Block &block = (*module->getOps<FuncOp>().begin()).getBody().front();
  SmallVector<Operation *> order = sortByDependence(block);
  RangeSets sets(order);
  ASSERT_EQ(sets.getRanges().size(), 3u);

  std::map<uint64_t, std::vector<std::string>> varying;
  for (RangeOp range : sets.getRanges()) {
    llvm::DenseSet<Value> found = findVarying(range);
    varying[range.getId()] = namesOf(found);
    for (Operation *op : order)
      for (Value value : op->getResults())
        EXPECT_EQ(found.contains(value), llvm::is_contained(sets.getOpen(value), sets.getPosition(range)))
            << "range " << range.getId();
  }
  using Names = std::vector<std::string>;
  EXPECT_EQ(varying[0], (Names{"last#0", "max#1", "sum#0", "xy#0", "y#0"}));
  EXPECT_EQ(varying[1], (Names{"at#0", "x#0", "xy#0"}));
  EXPECT_EQ(varying[2], (Names{"z#0"}));
}

} // namespace
