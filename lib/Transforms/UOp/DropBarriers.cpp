// uop-drop-barriers: barriers between accesses that have nothing to do with each other.
#include "Tiny/Dialect/UOp/Parallel.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPDROPBARRIERS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// The memory that operations touch, of lanes together.
struct Touched {
  llvm::SmallPtrSet<Value, 8> read, written;
  /// Some of it is not known.
  bool isOpen = false;

  void add(Operation *op) {
    op->walk([&](Operation *inner) {
      auto access = dyn_cast<MemoryEffectOpInterface>(inner);
      if (!access)
        return;
      SmallVector<MemoryEffects::EffectInstance> effects;
      access.getEffects(effects);
      for (const MemoryEffects::EffectInstance &effect : effects) {
        if (effect.getResource() != SideEffects::DefaultResource::get() ||
            isa<MemoryEffects::Allocate>(effect.getEffect()))
          continue;
        Value buffer = effect.getValue();
        if (!buffer)
          isOpen = true;
        else if (getMemorySpace(buffer) != MemorySpace::Private)
          (isa<MemoryEffects::Read>(effect.getEffect()) ? read : written).insert(buffer);
      }
    });
  }

  /// Whether lanes on both sides may touch one element that one of them writes. Buffers may overlap where the kernel
  /// runs in place, and then only reads of them are free of each other.
  bool meets(const Touched &other) const {
    if (isOpen || other.isOpen)
      return true;
    auto isBuffer = [](Value value) { return getMemorySpace(value) == MemorySpace::Global; };
    auto overlap = [&](const auto &writes, const auto &touched) {
      return llvm::any_of(writes, [&](Value written) {
        return llvm::any_of(touched,
                            [&](Value value) { return value == written || (isBuffer(value) && isBuffer(written)); });
      });
    };
    return overlap(written, other.read) || overlap(written, other.written) || overlap(other.written, read);
  }
};

struct UOpDropBarriers : impl::UOpDropBarriersBase<UOpDropBarriers> {
  using Base::Base;

  static bool holdsBarrier(Operation &op) {
    return op.getNumRegions() != 0 && op.walk([](BarrierOp) { return WalkResult::interrupt(); }).wasInterrupted();
  }

  /// Erases barriers of one block that stand between two others of it.
  static void clean(Block &block) {
    BarrierOp last, middle;
    Touched before, after;
    auto restart = [&](BarrierOp barrier) {
      last = barrier;
      middle = {};
      before = after = {};
    };
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto barrier = dyn_cast<BarrierOp>(op);
      if (holdsBarrier(op)) {
        restart({});
        continue;
      }
      if (!barrier) {
        if (last)
          (middle ? after : before).add(&op);
        continue;
      }
      if (!last) {
        restart(barrier);
      } else if (!middle) {
        middle = barrier;
      } else if (before.meets(after)) {
        last = middle;
        middle = barrier;
        before = std::move(after);
        after = {};
      } else {
        middle.erase();
        middle = barrier;
        before.read.insert_range(after.read);
        before.written.insert_range(after.written);
        before.isOpen |= after.isOpen;
        after = {};
      }
    }
  }

  void runOnOperation() override {
    clean(getOperation().getBody().front());
    getOperation().walk([](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          if (!isa<FuncOp>(op))
            clean(block);
    });
  }
};

} // namespace
} // namespace tiny::uop
