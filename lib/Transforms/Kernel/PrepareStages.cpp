// kernel-prepare-stages: tiles of constants are made once, by kernels of their own, and not in each run.
#include "Tiny/Analysis/Kernel/ConstantArguments.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <map>

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELPREPARESTAGES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

using Launches = SmallVector<LaunchOp>;

/// What a stage computes, and over what.
struct Slice {
  /// Definitions anywhere among them: a kernel has no order.
  llvm::SetVector<Operation *> ops;
  /// Ranges that the stage does not close, the outermost first.
  SmallVector<RangeOp> outer;
  llvm::SetVector<BlockArgument> arguments;
};

uint64_t countBytes(Type type) {
  auto buffer = cast<MemRefType>(type);
  return uint64_t(buffer.getNumElements()) * llvm::divideCeil(buffer.getElementTypeBitWidth(), 8);
}

/// All that the tile is computed by, where that is loads of arguments and what is elementwise, over static ranges.
std::optional<Slice> findSlice(StageOp stage) {
  Slice slice;
  SmallVector<Value> pending{stage.getValue()};
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      slice.arguments.insert(argument);
      continue;
    }
    Operation *op = value.getDefiningOp();
    bool isKnown = isa<LoadOp>(op) ||
                   (!isa<KernelDialect>(op->getDialect()) && op->getNumRegions() == 0 && isMemoryEffectFree(op));
    if (auto range = dyn_cast<RangeOp>(op)) {
      AxisKind kind = range.getKind();
      isKnown = !range.getSize() && (kind == AxisKind::Loop || kind == AxisKind::Thread || kind == AxisKind::Reduce ||
                                     kind == AxisKind::Upcast || kind == AxisKind::Unroll);
      if (isKnown && slice.ops.insert(op) && !llvm::is_contained(stage.getRanges(), value))
        slice.outer.push_back(range);
    }
    if (!isKnown)
      return std::nullopt;
    slice.ops.insert(op);
    for (Value operand : op->getOperands())
      if (isa<BlockArgument>(operand) || !slice.ops.contains(operand.getDefiningOp()))
        pending.push_back(operand);
  }
  auto isThread = [](RangeOp range) { return range.getKind() == AxisKind::Thread; };
  llvm::sort(slice.outer, [&](RangeOp a, RangeOp b) {
    return isThread(a) != isThread(b) ? isThread(a) : a.getPlace() < b.getPlace();
  });
  return slice;
}

/// Where a point of the outer ranges has its tile, in elements.
Value createOffset(OpBuilder &builder, Location loc, ArrayRef<Value> outer, ArrayRef<RangeOp> ranges, int64_t tile) {
  Value offset = arith::ConstantIndexOp::create(builder, loc, 0);
  for (auto [index, range] : llvm::zip_equal(outer, llvm::to_vector(ranges))) {
    Value extent = arith::ConstantIndexOp::create(builder, loc, range.getExtent());
    offset = arith::AddIOp::create(builder, loc, arith::MulIOp::create(builder, loc, offset, extent), index);
  }
  return arith::MulIOp::create(builder, loc, offset, arith::ConstantIndexOp::create(builder, loc, tile));
}

/// The kernel that writes all tiles, one behind the other.
FuncOp createPreparation(FuncOp kernel, StageOp stage, const Slice &slice, MemRefType tiles, StringRef name) {
  OpBuilder builder(kernel);
  SmallVector<Type> types;
  for (BlockArgument argument : slice.arguments)
    types.push_back(argument.getType());
  types.push_back(tiles);
  Location loc = stage.getLoc();
  OperationState state(loc, FuncOp::getOperationName());
  state.addAttribute("sym_name", builder.getStringAttr(name));
  state.addAttribute("function_type", TypeAttr::get(builder.getFunctionType(types, {})));
  state.addAttribute("sym_visibility", builder.getStringAttr("private"));
  state.addRegion();
  auto made = cast<FuncOp>(builder.create(state));
  Block &body = made.getBody().emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : slice.arguments)
    mapping.map(argument, body.addArgument(argument.getType(), argument.getLoc()));
  Value target = body.addArgument(tiles, loc);
  builder.setInsertionPointToEnd(&body);
  SmallVector<Value> outer, inner;
  int64_t count = 0;
  auto add = [&](RangeOp range, SmallVector<Value> &list) {
    AxisKind kind = range.getKind() == AxisKind::Reduce ? AxisKind::Loop : range.getKind();
    list.push_back(RangeOp::create(builder, range.getLoc(), kind, count, range.getExtent(),
                                   builder.getI64IntegerAttr(count), Value()));
    mapping.map(range.getResult(), list.back());
    ++count;
  };
  for (RangeOp range : slice.outer)
    add(range, outer);
  SmallVector<RangeOp> closed;
  for (Value range : stage.getRanges())
    add(closed.emplace_back(range.getDefiningOp<RangeOp>()), inner);
  // Operands are mapped once all are cloned: they may stand behind their users.
  SmallVector<Operation *> clones;
  for (Operation *op : slice.ops)
    if (!isa<RangeOp>(op))
      clones.push_back(builder.clone(*op, mapping));
  for (Operation *clone : clones)
    for (OpOperand &operand : clone->getOpOperands())
      operand.set(mapping.lookupOrDefault(operand.get()));
  Value index = createOffset(builder, loc, outer, slice.outer, stage.getTile().getType().getNumElements());
  Value within = createOffset(builder, loc, inner, closed, 1);
  StoreOp::create(builder, loc, mapping.lookup(stage.getValue()), target,
                  arith::AddIOp::create(builder, loc, index, within), Value());
  return made;
}

/// Tiles of a group of lanes are near them, and what is kept is not.
bool hasGroups(FuncOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<RangeOp>(), [](RangeOp range) {
    AxisKind kind = range.getKind();
    return kind == AxisKind::Global || kind == AxisKind::Local || kind == AxisKind::Warp;
  });
}

struct PrepareStages : impl::KernelPrepareStagesBase<PrepareStages> {
  using Base::Base;

  void runOnOperation() override {
    llvm::MapVector<StringAttr, Launches> launches;
    llvm::DenseSet<StringAttr> named;
    getOperation().walk([&](Operation *op) {
      if (auto launch = dyn_cast<LaunchOp>(op))
        launches[launch.getCalleeAttr().getAttr()].push_back(launch);
      else if (!isa<FuncOp>(op))
        op->getAttrDictionary().walk([&](SymbolRefAttr symbol) { named.insert(symbol.getLeafReference()); });
    });
    SymbolTable symbols(getOperation());
    preparedBytes = 0;
    for (auto &[name, calls] : launches) {
      auto kernel = symbols.lookup<FuncOp>(name);
      if (!kernel || !kernel.isPrivate() || named.contains(name) || hasGroups(kernel) ||
          llvm::any_of(calls, [&](LaunchOp call) { return call->getParentOfType<ModuleOp>() != getOperation(); }))
        continue;
      for (auto stage : llvm::make_early_inc_range(kernel.getBody().getOps<StageOp>()))
        if (succeeded(prepare(kernel, stage, calls, symbols)))
          ++numPrepared;
    }
  }

private:
  int64_t preparedBytes = 0;

  /// By what tiles are made of.
  using Buffers = std::map<std::vector<const void *>, Value>;

  LogicalResult prepare(FuncOp kernel, StageOp stage, Launches &calls, SymbolTable &symbols) {
    if (stage.getSpace() != StageSpace::Local)
      return failure();
    // What one launch reads and another one writes has no place behind what all read.
    unsigned place = calls.front().getIns().size();
    if (llvm::any_of(calls, [&](LaunchOp call) { return call.getIns().size() != place; }) ||
        !llvm::all_of(stage.getTile().getUsers(), llvm::IsaPred<LoadOp>))
      return failure();
    std::optional<Slice> slice = findSlice(stage);
    if (!slice || slice->arguments.empty())
      return failure();
    uint64_t read = 0;
    for (BlockArgument argument : slice->arguments) {
      unsigned number = argument.getArgNumber();
      read += countBytes(argument.getType());
      for (LaunchOp call : calls)
        if (number >= call.getIns().size() || !isConstantBuffer(call.getIns()[number]))
          return failure();
    }
    MemRefType tile = stage.getTile().getType();
    __int128 elements = tile.getNumElements();
    for (RangeOp range : slice->outer)
      elements = std::min<__int128>(elements * range.getExtent(), __int128(1) << 62);
    uint64_t width = llvm::divideCeil(tile.getElementTypeBitWidth(), 8);
    // Weights that are unpacked in registers stay packed in memory.
    if (elements * width > __int128(read) + read / 4)
      return failure();

    // Of each launch, though some may share theirs.
    __int128 bytes = elements * width * calls.size();
    if (bytes > maxBytes - preparedBytes)
      return failure();
    preparedBytes += int64_t(bytes);

    auto tiles = MemRefType::get({int64_t(elements)}, tile.getElementType());
    FuncOp made = createPreparation(kernel, stage, *slice, tiles, (kernel.getSymName() + "_prepare").str());
    symbols.insert(made);
    Buffers buffers;
    for (LaunchOp call : calls)
      callBoth(call, made, *slice, tiles, buffers);
    // The tile is where its outer ranges are.
    if (failed(kernel.insertArgument(place, tiles, {}, stage.getLoc())))
      return failure();
    OpBuilder builder(stage);
    SmallVector<Value> outer;
    for (RangeOp range : slice->outer)
      outer.push_back(range.getResult());
    Value offset = createOffset(builder, stage.getLoc(), outer, slice->outer, tile.getNumElements());
    for (Operation *user : llvm::make_early_inc_range(stage.getTile().getUsers())) {
      auto load = cast<LoadOp>(user);
      Value index = arith::AddIOp::create(builder, load.getLoc(), offset, load.getIndex());
      load.getIndexMutable().assign(index);
      load.getBufferMutable().assign(kernel.getArgument(place));
    }
    stage.erase();
    auto isDead = [](Operation *op) { return isOpTriviallyDead(op); };
    for (auto dead = llvm::find_if(slice->ops, isDead); dead != slice->ops.end();
         dead = llvm::find_if(slice->ops, isDead)) {
      Operation *op = *dead;
      slice->ops.remove(op);
      op->erase();
    }
    SmallVector<BlockArgument> arguments = sorted(slice->arguments);
    for (BlockArgument argument : llvm::reverse(arguments))
      dropUnused(kernel, argument, calls);
    return success();
  }

  static SmallVector<BlockArgument> sorted(const llvm::SetVector<BlockArgument> &arguments) {
    SmallVector<BlockArgument> list = llvm::to_vector(arguments);
    llvm::sort(list, [](BlockArgument a, BlockArgument b) { return a.getArgNumber() < b.getArgNumber(); });
    return list;
  }

  static void dropUnused(FuncOp kernel, BlockArgument argument, Launches &calls) {
    unsigned number = argument.getArgNumber();
    if (!argument.use_empty() || failed(kernel.eraseArgument(number)))
      return;
    for (LaunchOp call : calls)
      call.getInsMutable().erase(number);
  }

  /// Launches of the same tiles share them.
  static void callBoth(LaunchOp call, FuncOp made, const Slice &slice, MemRefType tiles, Buffers &buffers) {
    SmallVector<Value> sources;
    for (BlockArgument argument : slice.arguments)
      sources.push_back(call.getIns()[argument.getArgNumber()]);
    std::vector<const void *> key;
    for (Value source : sources)
      key.push_back(source.getAsOpaquePointer());
    Value &buffer = buffers[key];
    if (!buffer) {
      OpBuilder builder(call);
      Operation *last = findLastMaker(sources.front());
      for (Value source : sources)
        if (Operation *maker = findLastMaker(source); last->isBeforeInBlock(maker))
          last = maker;
      builder.setInsertionPointAfter(last);
      buffer = AllocOp::create(builder, call.getLoc(), tiles);
      LaunchOp::create(builder, call.getLoc(), FlatSymbolRefAttr::get(made), sources, buffer);
    }
    call.getInsMutable().append(buffer);
  }
};

} // namespace
} // namespace tiny::kernel
