// Pipelines between the levels: the passes of each step, the level that a module stands at, and the registration.
#include "Tiny/Pipelines/Pipelines.h"

#include "Tiny/Conversion/KernelToUOp/Passes.h"
#include "Tiny/Conversion/LazyToKernel/Passes.h"
#include "Tiny/Conversion/TensorToLazy/Passes.h"
#include "Tiny/Conversion/UOpToLLVM/Passes.h"
#include "Tiny/Schedule/Passes.h"
#include "Tiny/Transforms/Kernel/Passes.h"
#include "Tiny/Transforms/Kernelize/Passes.h"
#include "Tiny/Transforms/Lazy/Passes.h"
#include "Tiny/Transforms/Symbolic/Passes.h"
#include "Tiny/Transforms/Tensor/Passes.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/StringSaver.h"

using namespace mlir;

namespace tiny {

/// Graph regions print users first as happily as last; `cse` only sees what stands in order.
static void addKernelCleanup(OpPassManager &manager) {
  OpPassManager &kernels = manager.nest<kernel::FuncOp>();
  kernels.addPass(sym::createSymSimplify());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createTopologicalSortPass());
  kernels.addPass(createCSEPass());
}

static void addTensorToLazy(OpPassManager &manager, const PipelineOptions &options) {
  // Gradients are of what is computed. Sizes may leave less than a tile, which instances have each their own.
  if (!options.instances && (options.winograd > 0 || !options.schedules.empty()))
    manager.addPass(tensor::createTensorImposeWinograd({options.schedules, options.winograd}));
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(tensor::createTensorExpandGradients());
  functions.addPass(createCanonicalizerPass());
  // How many rows a product has may depend on sizes, which instances have each their own.
  if (!options.instances)
    functions.addPass(tensor::createTensorTurnFactors());
  if (options.ranks > 1)
    manager.addPass(tensor::createTensorChooseShardings({options.ranks, /*announces=*/true}));
  // Programs that somebody annotated become those of one rank.
  manager.addPass(tensor::createTensorPartition());
  manager.addPass(tensor::createTensorScatterReductions());
  manager.addPass(tensor::createTensorLowerCollectives());
  OpPassManager &local = manager.nest<func::FuncOp>();
  local.addPass(tensor::createTensorDecompose());
  local.addPass(createCanonicalizerPass());
  local.addPass(createCSEPass());
  local.addPass(tensor::createTensorMergeLoops());
  local.addPass(createLoopInvariantCodeMotionPass());
  manager.addPass(createConvertTensorToLazy());
  manager.addPass(lazy::createVerifyLazy());
  OpPassManager &lazyFunctions = manager.nest<func::FuncOp>();
  lazyFunctions.addPass(createCanonicalizerPass());
  lazyFunctions.addPass(createCSEPass());
  lazyFunctions.addPass(lazy::createLazyFoldViews());
  lazyFunctions.addPass(lazy::createLazyCollapseReduce());
  lazyFunctions.addPass(createCSEPass());
}

/// A reduction that combines fewer elements for each result is done before a second kernel would be compiled.
static constexpr unsigned kSplitElements = 1 << 20;

/// Up to the groups. Instances are in modules of their own, and get one plan.
static void addKernelize(OpPassManager &whole, const PipelineOptions &options) {
  OpPassManager &manager = options.instances ? whole.nest<ModuleOp>() : whole;
  manager.addPass(lazy::createLazyImposeGroups({options.groups}));
  manager.nest<func::FuncOp>().addPass(lazy::createLazyApproximateExponentials());
  if (options.fusion != lazy::KernelizePolicy::none)
    manager.nest<func::FuncOp>().addPass(lazy::createLazyMoveGathers());
  // How many parts a reduction is split into depends on its length, which instances have each their own.
  if (!options.instances && options.parallelism != 1 && options.fusion == lazy::KernelizePolicy::costModel) {
    lazy::LazySplitReduceOptions split;
    split.parallelism = options.parallelism;
    split.minElements = kSplitElements;
    manager.nest<func::FuncOp>().addPass(lazy::createLazySplitReduce(split));
  }
  if (options.online && options.fusion != lazy::KernelizePolicy::none)
    manager.nest<func::FuncOp>().addPass(lazy::createLazyMergeReductions());
  if (options.instances)
    whole.addPass(lazy::createLazyKernelizeInstances({options.fusion}));
  else
    manager.nest<func::FuncOp>().addPass(lazy::createLazyKernelize({options.fusion}));
}

static void addLazyToKernel(OpPassManager &whole, const PipelineOptions &options) {
  addKernelize(whole, options);
  OpPassManager &manager = options.instances ? whole.nest<ModuleOp>() : whole;
  // Whether there are few enough elements depends on sizes, which instances have each their own.
  if (!options.instances)
    manager.nest<func::FuncOp>().addPass(lazy::createLazyEvaluateGroups());
  manager.nest<func::FuncOp>().addPass(lazy::createLazyPlanState());
  manager.addPass(createConvertLazyToKernel());
  manager.nest<kernel::ProgramOp>().addPass(kernel::createKernelOrderLaunches());
  OpPassManager &programs = manager.nest<kernel::ProgramOp>();
  programs.addPass(kernel::createKernelPlaceStages());
  programs.addPass(kernel::createKernelFuseCollectives());
  programs.addPass(kernel::createKernelOverlapCollectives());
  manager.addPass(kernel::createVerifyKernel());
  addKernelCleanup(manager);
}

static void addSchedules(OpPassManager &manager, const PipelineOptions &options) {
  if (options.tf32)
    manager.nest<kernel::FuncOp>().addPass(kernel::createKernelTruncateFactors());
  manager.addPass(kernel::createKernelDeduplicate());
  // Only what is joined has sizes, and only what has no schedule yet may be asked for a faster one.
  if (options.instances && options.defaultSchedule) {
    manager.addPass(kernel::createKernelSpecializeSizes());
    addKernelCleanup(manager);
  }
  if (!options.schedules.empty())
    manager.addPass(kernel::createKernelImposeSchedules({options.schedules}));
  if (options.defaultSchedule)
    manager.addPass(kernel::createKernelDefaultSchedule());
}

static void addKernelToUOp(OpPassManager &manager, const PipelineOptions &options) {
  manager.addPass(kernel::createKernelApplySchedules());
  manager.addPass(kernel::createKernelPrepareStages());
  addKernelCleanup(manager);
  ConvertKernelToUOpOptions convert;
  convert.contract = options.contract;
  manager.addPass(createConvertKernelToUOp(convert));
  OpPassManager &lanes = manager.nest<uop::FuncOp>();
  lanes.addPass(uop::createUOpSimplifyCopies());
  lanes.addPass(uop::createUOpExpandGroupReduce());
  lanes.addPass(uop::createUOpDropBarriers());
  lanes.addPass(uop::createUOpCopyBoxes());
  lanes.addPass(uop::createUOpPipelineTiles());
  lanes.addPass(uop::createUOpSwizzleTiles());
  lanes.addPass(uop::createUOpPadTiles());
  lanes.addPass(uop::createUOpShareFragments());
  manager.addPass(uop::createUOpSplitBuffers());
  manager.addPass(uop::createUOpDescribeEntry());
  OpPassManager &kernels = manager.nest<uop::FuncOp>();
  kernels.addPass(uop::createUOpSplitExtrema());
  kernels.addPass(uop::createUOpExpandMath());
  kernels.addPass(uop::createUOpSplitLiveLoops());
  kernels.addPass(uop::createUOpPeelGates());
  kernels.addPass(uop::createUOpLegalize());
  kernels.addPass(uop::createUOpMoveOffsets());
  kernels.addPass(uop::createUOpNarrowMasks());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createLoopInvariantCodeMotionPass());
  kernels.addPass(uop::createUOpPrefetchRows());
  kernels.addPass(uop::createUOpLimitRounds());
  manager.addPass(uop::createVerifyUOp());
}

static void addUOpToLLVM(OpPassManager &manager, const PipelineOptions &options) {
  // Kernels that entered at the uop level have no entry yet.
  manager.addPass(uop::createUOpDescribeEntry());
  manager.addPass(createConvertUOpToLLVM());
}

void buildSchedules(OpPassManager &manager) { manager.addPass(kernel::createKernelDefaultSchedule()); }

void buildCopiesBetweenDevices(OpPassManager &manager, ArrayRef<StringRef> devices) {
  kernel::KernelCopyBetweenDevicesOptions how;
  for (StringRef device : devices)
    how.devices.push_back(device.str());
  manager.addPass(kernel::createKernelCopyBetweenDevices(how));
}

void buildPipeline(OpPassManager &manager, Level from, Level to, const PipelineOptions &options) {
  bool isAbove = from < Level::Kernel, reaches = to >= Level::Kernel;
  if (from <= Level::Tensor && to > Level::Tensor)
    addTensorToLazy(options.instances ? manager.nest<ModuleOp>() : manager, options);
  if (isAbove && reaches) {
    addLazyToKernel(manager, options);
    if (options.instances) {
      manager.addPass(kernel::createKernelJoinInstances());
      addKernelCleanup(manager);
    }
    // What is the same at some size need not be at others.
    addSchedules(manager, options);
  }
  if (from <= Level::Kernel && to > Level::Kernel)
    addKernelToUOp(manager, options);
  if (from <= Level::UOp && to > Level::UOp)
    addUOpToLLVM(manager, options);
}

//===--- Levels ---------------------------------------------------------------------------------------------------===//

static constexpr StringLiteral kLevelNames[] = {"tensor", "lazy", "kernel", "uop", "llvm"};

StringRef getLevelName(Level level) { return kLevelNames[static_cast<int>(level)]; }

std::optional<Level> parseLevel(StringRef name) {
  const auto *found = llvm::find(kLevelNames, name);
  if (found == std::end(kLevelNames))
    return std::nullopt;
  return static_cast<Level>(found - std::begin(kLevelNames));
}

/// Unsigned types exist at the tensor level only: a function may pass such a tensor on without an operation of it.
static bool hasUnsigned(func::FuncOp function) {
  auto isUnsigned = [](Type type) { return getElementTypeOrSelf(type).isUnsignedInteger(); };
  return llvm::any_of(function.getArgumentTypes(), isUnsigned) || llvm::any_of(function.getResultTypes(), isUnsigned);
}

Level detectLevel(ModuleOp module) {
  std::optional<Level> level;
  auto see = [&](Level other) { level = level ? std::min(*level, other) : other; };
  module.walk([&](Operation *op) {
    StringRef dialect = op->getName().getDialectNamespace();
    if (dialect == "tiny" || dialect == "shard")
      see(Level::Tensor);
    else if (auto function = dyn_cast<func::FuncOp>(op))
      see(hasUnsigned(function) ? Level::Tensor : Level::Lazy);
    else if (dialect == "lazy")
      see(Level::Lazy);
    else if (isa<kernel::FuncOp>(op))
      see(Level::Kernel);
    else if (isa<uop::FuncOp>(op))
      see(Level::UOp);
    else if (dialect == "llvm")
      see(Level::Llvm);
  });
  return level.value_or(Level::Kernel);
}

//===--- Registration ---------------------------------------------------------------------------------------------===//

void registerPipelines() {
  // The registry keeps references to names and summaries.
  static llvm::BumpPtrAllocator allocator;
  static llvm::StringSaver saver(allocator);
  auto add = [](const Twine &name, const Twine &summary, Level from, Level to) {
    PassPipelineRegistration<PipelineOptions>(saver.save(name), saver.save(summary),
                                              [from, to](OpPassManager &manager, const PipelineOptions &options) {
                                                buildPipeline(manager, from, to, options);
                                              });
  };
  for (int from = 0; from < static_cast<int>(Level::Llvm); ++from) {
    for (int to = from + 1; to <= static_cast<int>(Level::Llvm); ++to) {
      StringRef upper = kLevelNames[from], lower = kLevelNames[to];
      add("tiny-" + upper + "-to-" + lower + "-pipeline",
          "Take a module from the " + upper + " level to the " + lower + " level", static_cast<Level>(from),
          static_cast<Level>(to));
    }
  }
  add("tiny-cpu-pipeline", "Take a module from the tensor level to what the CPU target compiles", Level::Tensor,
      Level::Llvm);
}

} // namespace tiny
