// kernel-specialize-sizes: makes kernels of their own for sizes at which one schedule would be slow.
#include "SizeTree.h"

#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Schedule/Passes.h"
#include "Tiny/Support/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELSPECIALIZESIZES
#include "Tiny/Schedule/Passes.h.inc"

namespace {

struct SpecializeSizes : impl::KernelSpecializeSizesBase<SpecializeSizes> {
  using Base::Base;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable table(module);
    symbols = &table;
    // The kernels that only launches of this module's programs name.
    llvm::MapVector<StringAttr, SmallVector<LaunchOp>> launches;
    llvm::DenseSet<StringAttr> named;
    module.walk([&](Operation *op) {
      auto launch = dyn_cast<LaunchOp>(op);
      if (launch && launch->getParentOfType<ModuleOp>() == module)
        launches[launch.getCalleeAttr().getAttr()].push_back(launch);
      else if (!isa<FuncOp>(op))
        op->getAttrDictionary().walk([&](SymbolRefAttr symbol) { named.insert(symbol.getLeafReference()); });
    });
    for (auto &[name, own] : launches)
      if (auto kernel = table.lookup<FuncOp>(name); kernel && kernel.isPrivate() && !named.contains(name))
        specialize(kernel, own);
  }

private:
  void specialize(FuncOp kernel, ArrayRef<LaunchOp> launches) {
    const cost::Machine &machine = target::findMachine(kernel);
    if (machine.kind == cost::DeviceKind::Gpu || kernel.getSchedule() || kernel.getBody().empty())
      return;
    SmallVector<OpenSize> sizes = findOpenSizes(kernel);
    if (sizes.empty())
      return;
    std::unique_ptr<SizeTree> tree = divideSizes(kernel, machine);
    if (tree->isLeaf())
      return;
    llvm::DenseMap<const SizeTree *, StringAttr> kernels;
    FuncOp original = kernel.clone();
    addKernels(*tree, kernel, original, sizes, kernels);
    original->erase();
    for (LaunchOp launch : launches) {
      OpBuilder builder(launch);
      replace(builder, launch, *tree, sizes, kernels);
      launch.erase();
    }
  }

  /// A kernel for each leaf; the greatest sizes keep the name.
  void addKernels(const SizeTree &tree, FuncOp kernel, FuncOp original, ArrayRef<OpenSize> sizes,
                  llvm::DenseMap<const SizeTree *, StringAttr> &kernels, bool isGreatest = true) {
    if (!tree.isLeaf()) {
      addKernels(*tree.below, kernel, original, sizes, kernels, false);
      addKernels(*tree.above, kernel, original, sizes, kernels, isGreatest);
      return;
    }
    FuncOp own = kernel;
    if (!isGreatest) {
      own = original.clone();
      std::string name = (kernel.getSymName() + "_upto").str();
      for (int64_t most : tree.most)
        name += "_" + std::to_string(most);
      own.setSymName(name);
      symbols->insert(own, Block::iterator(kernel));
    }
    for (auto [size, least, most] : llvm::zip_equal(sizes, tree.least, tree.most))
      narrow(own, size, least, most);
    kernels[&tree] = own.getSymNameAttr();
    if (Remarks remarks("kernel-specialize-sizes", own); remarks.isOn())
      remarks.passed(own.getLoc(), "specialized",
                     llvm::formatv("a kernel for sizes {0} to {1}, predicted to take {2:f2} times as long as schedules "
                                   "of each size at most",
                                   llvm::interleaved_array(tree.least), llvm::interleaved_array(tree.most), tree.regret)
                         .str(),
                     {{"regret", tree.regret}});
  }

  void replace(OpBuilder &builder, LaunchOp launch, const SizeTree &tree, ArrayRef<OpenSize> sizes,
               const llvm::DenseMap<const SizeTree *, StringAttr> &kernels) {
    if (tree.isLeaf()) {
      auto own = cast<LaunchOp>(builder.clone(*launch));
      own.setCalleeAttr(FlatSymbolRefAttr::get(kernels.at(&tree)));
      return;
    }
    const OpenSize &size = sizes[tree.size];
    Value condition = getCondition(builder, launch, size, tree.threshold);
    auto branch = IfOp::create(builder, launch.getLoc(), condition);
    for (auto [region, part] :
         {std::pair(&branch.getBody(), tree.below.get()), {&branch.getOtherwise(), tree.above.get()}}) {
      OpBuilder inner = OpBuilder::atBlockBegin(&region->emplaceBlock());
      replace(inner, launch, *part, sizes, kernels);
    }
  }

  /// Whether the size is at most `threshold`, in a buffer. Where nothing writes sizes they are compared once.
  Value getCondition(OpBuilder &builder, LaunchOp launch, const OpenSize &size, int64_t threshold) {
    Value buffer = launch->getOperand(size.argument);
    auto argument = dyn_cast<BlockArgument>(buffer);
    bool isFixed = argument && isNeverWritten(argument);
    OpBuilder place = isFixed ? OpBuilder::atBlockBegin(argument.getOwner()) : builder;
    Value &known = conditions[{buffer, size.element, threshold}];
    if (isFixed && known)
      return known;
    Location loc = launch.getLoc();
    Value condition = AllocOp::create(place, loc, MemRefType::get({1}, place.getI1Type()));
    FuncOp comparison = getComparison(loc, cast<MemRefType>(buffer.getType()), size.element, threshold);
    LaunchOp::create(place, loc, FlatSymbolRefAttr::get(comparison), ValueRange{buffer}, ValueRange{condition});
    return known = condition;
  }

  static bool isNeverWritten(BlockArgument argument) {
    SmallVector<Value> parts{argument};
    for (size_t k = 0; k < parts.size(); ++k)
      for (Operation *user : parts[k].getUsers()) {
        if (hasEffect<MemoryEffects::Write>(user, parts[k]))
          return false;
        if (auto alias = dyn_cast<AliasOp>(user))
          parts.push_back(alias.getResult());
      }
    return true;
  }

  FuncOp getComparison(Location loc, MemRefType sizes, int64_t element, int64_t threshold) {
    FuncOp &kernel = comparisons[{sizes, element, threshold}];
    if (kernel)
      return kernel;
    OpBuilder outer(&getContext());
    auto flag = MemRefType::get({1}, outer.getI1Type());
    kernel = FuncOp::create(outer, loc, ("is_upto_" + Twine(threshold)).str(), outer.getFunctionType({sizes, flag}, {}),
                            /*schedule=*/nullptr, outer.getStringAttr("private"), /*arg_attrs=*/nullptr,
                            /*res_attrs=*/nullptr);
    Block &block = kernel.getBody().emplaceBlock();
    block.addArguments({sizes, flag}, {loc, loc});
    ImplicitLocOpBuilder body(loc, OpBuilder::atBlockBegin(&block));
    Value place = arith::ConstantIndexOp::create(body, element), first = arith::ConstantIndexOp::create(body, 0);
    Value size = LoadOp::create(body, block.getArgument(0), place, Value());
    Value bound = arith::ConstantIntOp::create(body, sizes.getElementType(), threshold);
    StoreOp::create(body, arith::CmpIOp::create(body, arith::CmpIPredicate::sle, size, bound), block.getArgument(1),
                    first, Value());
    symbols->insert(kernel);
    return kernel;
  }

  SymbolTable *symbols = nullptr;
  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, Value> conditions;
  llvm::DenseMap<std::tuple<Type, int64_t, int64_t>, FuncOp> comparisons;
};

} // namespace
} // namespace tiny::kernel
