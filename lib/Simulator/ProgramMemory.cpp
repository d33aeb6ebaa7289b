// Lifetimes of buffers on a rank, by the items that it runs.
#include "ProgramMemory.h"

#include "Tiny/Support/Signature.h"

using namespace mlir;

namespace tiny {

int64_t countBufferBytes(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return type.getNumElements() * static_cast<int64_t>(llvm::divideCeil(type.getElementTypeBitWidth(), 8));
}

namespace {

/// The ranks of one stage, or of a program that has none.
class StageMemory {
public:
  StageMemory(kernel::ProgramOp program, std::optional<int64_t> stage) : program(program), stage(stage) {}

  RankMemory count();

private:
  bool runs(OpOperand &use);
  std::pair<Operation *, Operation *> findLife(Value buffer, Block &list);
  int64_t countAlive(Block &list);

  kernel::ProgramOp program;
  std::optional<int64_t> stage;
};

} // namespace

/// Whether the item that uses a buffer is one of the stage's, or the result that it is.
bool StageMemory::runs(OpOperand &use) {
  if (!stage)
    return true;
  if (isa<kernel::ReturnOp>(use.getOwner())) {
    auto has = program.getResultAttrOfType<IntegerAttr>(use.getOperandNumber(), kStageAttr);
    return !has || has.getInt() == *stage;
  }
  Operation *item = program.getBody().front().findAncestorOpInBlock(*use.getOwner());
  auto places = item ? item->getAttrOfType<DenseI64ArrayAttr>(kPlacesAttr) : DenseI64ArrayAttr();
  return !places || llvm::is_contained(places.asArrayRef(), *stage);
}

/// The first and the last item of the list that touch the buffer or a part of it; null where none does.
std::pair<Operation *, Operation *> StageMemory::findLife(Value buffer, Block &list) {
  Operation *first = nullptr, *last = nullptr;
  SmallVector<Value> views = {buffer};
  while (!views.empty())
    for (OpOperand &use : views.pop_back_val().getUses()) {
      if (auto alias = dyn_cast<kernel::AliasOp>(use.getOwner())) {
        views.push_back(alias.getResult());
        continue;
      }
      Operation *item = list.findAncestorOpInBlock(*use.getOwner());
      if (!item || !runs(use))
        continue;
      first = !first || item->isBeforeInBlock(first) ? item : first;
      last = !last || last->isBeforeInBlock(item) ? item : last;
    }
  return {first, last};
}

int64_t StageMemory::countAlive(Block &list) {
  DenseMap<Operation *, int64_t> made, freed;
  for (auto alloc : list.getOps<kernel::AllocOp>()) {
    auto [first, last] = findLife(alloc.getBuffer(), list);
    if (!first)
      continue;
    made[first] += countBufferBytes(alloc.getBuffer());
    freed[last] += countBufferBytes(alloc.getBuffer());
  }
  int64_t alive = 0, most = 0;
  for (Operation &op : list) {
    alive += made.lookup(&op);
    int64_t nested = 0;
    for (Region &region : op.getRegions())
      if (!region.empty())
        nested = std::max(nested, countAlive(region.front()));
    most = std::max(most, alive + nested);
    alive -= freed.lookup(&op);
  }
  return most;
}

RankMemory StageMemory::count() {
  RankMemory memory;
  Block &body = program.getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (!stage || findLife(argument, body).first)
      memory.arguments += countBufferBytes(argument);
  program.walk([&](kernel::ConstantOp constant) {
    if (!stage || constant->getBlock() != &body || findLife(constant.getBuffer(), body).first)
      memory.arguments += countBufferBytes(constant.getBuffer());
  });
  memory.alive = countAlive(body);
  return memory;
}

RankMemory countMemory(kernel::ProgramOp program) {
  auto axis = program->getAttrOfType<IntegerAttr>(kStageAxisAttr);
  auto grid = program->getAttrOfType<DenseI64ArrayAttr>(kGridAttr);
  if (!axis || !grid || axis.getInt() < 0 || axis.getInt() >= grid.size())
    return StageMemory(program, std::nullopt).count();
  RankMemory most;
  for (int64_t stage = 0; stage < grid[axis.getInt()]; ++stage) {
    RankMemory memory = StageMemory(program, stage).count();
    if (memory.getTotal() > most.getTotal())
      most = memory;
  }
  return most;
}

} // namespace tiny
