// Loads at numbers beside one index read beside an element of the buffer where their gate is off: one choice of an
// index for each gate, and neighbours stay neighbours.
#include "NvvmLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace tiny {

namespace {

/// Loads of one buffer at one index, with what each adds to it.
struct GuardedLoads {
  SmallVector<std::pair<uop::LoadOp, int64_t>> loads;
  int64_t least = 0, most = 0;
};

} // namespace

void NvvmLowering::shareGates() {
  func.walk([&](Block *block) {
    llvm::MapVector<std::pair<Value, Value>, GuardedLoads> groups;
    for (auto load : block->getOps<uop::LoadOp>()) {
      Value gate = load.getGate();
      auto type = cast<MemRefType>(load.getBuffer().getType());
      if (!gate || isa<VectorType>(gate.getType()) || isa<VectorType>(load.getType()) || !type.hasStaticShape())
        continue;
      auto [base, number] = splitIndex(load.getIndex());
      if (!base)
        continue;
      GuardedLoads &group = groups[{load.getBuffer(), base}];
      int64_t least = std::min(group.least, number), most = std::max(group.most, number);
      if (llvm::alignTo(-least, kWarp) + most >= uint64_t(type.getNumElements()))
        continue;
      group.least = least;
      group.most = most;
      group.loads.push_back({load, number});
    }
    for (auto &[key, group] : groups) {
      Value base = key.second;
      // At all numbers beside it there is an element.
      int64_t inside = llvm::alignTo(-group.least, kWarp);
      llvm::DenseMap<Value, Value> choices;
      for (auto [load, number] : group.loads) {
        Location loc = load.getLoc();
        builder.setInsertionPoint(load);
        Value &choice = choices[load.getGate()];
        if (!choice)
          choice = arith::SelectOp::create(builder, loc, load.getGate(), base, makeIndex(loc, inside));
        Value index = arith::AddIOp::create(builder, loc, choice, makeIndex(loc, number));
        load.getIndexMutable().assign(index);
        load.getGateMutable().clear();
      }
    }
  });
}

} // namespace tiny
