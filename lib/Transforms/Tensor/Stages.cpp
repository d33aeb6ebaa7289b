// Which stage of a pipeline computes a value.
#include "Pipeline.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tiny::tensor {

namespace {

/// Values without an entry are of no stage.
class StageReader {
public:
  StageReader(func::FuncOp function, shard::GridOp grid) : function(function), grid(grid) {}
  FailureOr<PipelineStages> read();

private:
  LogicalResult readBoundary(StageOp op);
  LogicalResult follow(Operation &op);

  func::FuncOp function;
  shard::GridOp grid;
  PipelineStages stages;
  DenseMap<Value, std::pair<int64_t, StageOp>> known;
};

} // namespace

LogicalResult StageReader::readBoundary(StageOp op) {
  if (op.getGrid() != grid.getSymName())
    return op.emitOpError("expects the function's one grid, '")
           << grid.getSymName() << "', got '" << op.getGrid() << "'";
  if (stages.axis >= 0 && op.getAxis() != uint64_t(stages.axis))
    return op.emitOpError("expects the function's one axis of stages, ") << stages.axis << ", got " << op.getAxis();
  int64_t size = op.getAxis() < grid.getShape().size() ? grid.getShape()[op.getAxis()] : 0;
  if (int64_t(op.getFrom()) >= size || int64_t(op.getTo()) >= size)
    return op.emitOpError("names stages ") << op.getFrom() << " and " << op.getTo() << ", and axis " << op.getAxis()
                                           << " of grid '" << grid.getSymName() << "' has " << size;
  // A mask of them is one number in a container.
  constexpr int64_t most = 64;
  if (size > most)
    return op.emitOpError("expects at most ") << most << " stages, got " << size;
  stages.axis = op.getAxis();
  auto entry = known.find(op.getInput());
  if (entry != known.end() && entry->second.first != int64_t(op.getFrom())) {
    InFlightDiagnostic error = op.emitOpError("sends a value from stage ")
                               << op.getFrom() << ", and stage " << entry->second.first << " has it";
    error.attachNote(entry->second.second.getLoc()) << "this says so";
    return error;
  }
  known[op.getResult()] = {op.getTo(), op};
  return success();
}

LogicalResult StageReader::follow(Operation &op) {
  llvm::SetVector<Value> read(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), read);
  std::optional<std::pair<int64_t, StageOp>> own;
  for (Value value : read) {
    auto entry = known.find(value);
    if (entry == known.end())
      continue;
    if (own && own->first != entry->second.first) {
      InFlightDiagnostic error = op.emitOpError("reads values of stages ")
                                 << own->first << " and " << entry->second.first
                                 << "; 'tiny.stage' brings one to the other";
      error.attachNote(own->second.getLoc()) << "this says so of one";
      error.attachNote(entry->second.second.getLoc()) << "this says so of the other";
      return error;
    }
    own = entry->second;
  }
  if (own)
    for (Value result : op.getResults())
      known[result] = *own;
  return success();
}

FailureOr<PipelineStages> StageReader::read() {
  WalkResult nested = function.walk([&](StageOp op) {
    if (op->getBlock() == &function.getBody().front())
      return WalkResult::advance();
    op.emitOpError("expects to stand in the body of the function, got one inside of '")
        << op->getParentOp()->getName() << "'";
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();
  // The first stage computes what it sends from arguments alone.
  for (auto op : function.getBody().front().getOps<StageOp>())
    if (op.getInput().getDefiningOp())
      known.try_emplace(op.getInput(), op.getFrom(), op);
  for (Operation &op : function.getBody().front()) {
    if (auto boundary = dyn_cast<StageOp>(op)) {
      if (failed(readBoundary(boundary)))
        return failure();
    } else if (auto end = dyn_cast<func::ReturnOp>(op)) {
      for (Value value : end.getOperands()) {
        auto entry = known.find(value);
        stages.results.push_back(entry == known.end() ? -1 : entry->second.first);
      }
    } else if (failed(follow(op))) {
      return failure();
    }
  }
  return stages;
}

FailureOr<PipelineStages> readStages(func::FuncOp function, shard::GridOp grid) {
  return StageReader(function, grid).read();
}

} // namespace tiny::tensor
