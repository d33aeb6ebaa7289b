// Ranks take turns: which of them runs does not depend on the machine, and no two touch the context at once.
#include "Ranks.h"

#include "Tiny/Support/Signature.h"
#include <thread>

using namespace mlir;

namespace tiny::reference {

Ranks::Ranks(ArrayRef<int64_t> grid) : grid(grid) {
  int64_t count = 1;
  for (int64_t size : grid)
    count *= size;
  states.resize(count);
}

/// Gives the turn to the next rank that has not ended. The mutex is held.
void Ranks::pass(int64_t rank) {
  for (int64_t k = 1; k <= size(); ++k)
    if (int64_t next = (rank + k) % size(); !states[next].hasEnded) {
      turn = next;
      break;
    }
  turns.notify_all();
}

void Ranks::run(llvm::function_ref<void(int64_t)> body) {
  std::vector<std::thread> threads;
  threads.reserve(size());
  for (int64_t rank = 0; rank < size(); ++rank)
    threads.emplace_back([&, rank] {
      {
        std::unique_lock<std::mutex> lock(mutex);
        turns.wait(lock, [&] { return turn == rank; });
      }
      body(rank);
      std::lock_guard<std::mutex> lock(mutex);
      states[rank].hasEnded = true;
      pass(rank);
    });
  for (std::thread &thread : threads)
    thread.join();
}

FailureOr<SmallVector<Buffer>> Ranks::meet(Session &session, Operation *op, const Buffer &own,
                                           ArrayRef<int64_t> group) {
  int64_t rank = session.rank;
  State &state = states[rank];
  std::unique_lock<std::mutex> lock(mutex);
  unsigned slot = state.meetings++ % 2;
  state.at[slot] = op;
  state.left[slot] = own;
  pass(rank);
  turns.wait(lock, [&] { return turn == rank; });
  // All others have come to this meeting, or to none.
  for (auto [number, other] : llvm::enumerate(states)) {
    bool hasMet = other.meetings >= state.meetings;
    if (!hasMet || other.at[slot] != op)
      return session.fail(Session::Kind::Undefined, op->getLoc(),
                          "rank " + Twine(rank) + " comes to a collective that rank " + Twine(number) +
                              " does not come to");
  }
  SmallVector<Buffer> all;
  for (int64_t other : group)
    all.push_back(states[other].left[slot]);
  return all;
}

//===--- Parts ----------------------------------------------------------------------------------------------------===//

/// Calls `visit` with the position in the part and that in the whole of every element that the rank has; -1 where the
/// part is padded.
static void forEachElement(const ShardedTensor &tensor, ArrayRef<int64_t> grid, ArrayRef<int64_t> place,
                           llvm::function_ref<void(int64_t, int64_t)> visit) {
  ArrayRef<int64_t> whole = tensor.whole.getShape();
  SmallVector<SmallVector<int64_t>> places;
  SmallVector<int64_t> local;
  for (auto [size, axes] : llvm::zip_equal(whole, tensor.axes)) {
    // Each cut keeps one part of those before it.
    auto own = llvm::to_vector(llvm::seq<int64_t>(0, size));
    for (int16_t axis : axes) {
      int64_t part = (static_cast<int64_t>(own.size()) + grid[axis] - 1) / grid[axis];
      own.resize(part * grid[axis], -1);
      own = SmallVector<int64_t>(ArrayRef(own).slice(part * place[axis], part));
    }
    local.push_back(own.size());
    places.push_back(std::move(own));
  }
  forEachIndex(local, [&](int64_t at, ArrayRef<int64_t> indices) {
    SmallVector<int64_t> from;
    for (auto [axis, index] : llvm::enumerate(indices)) {
      if (places[axis][index] < 0)
        return visit(at, -1);
      from.push_back(places[axis][index]);
    }
    visit(at, toLinear(whole, from));
  });
}

namespace {
/// What all ranks share of one evaluation.
struct WholeProgram {
  FunctionOpInterface function;
  SmallVector<int64_t> grid;
  SmallVector<ShardedTensor> inputs, results;
  /// By result the stage that has it, -1 where all ranks do, and the axis of the grid along which stages lie.
  SmallVector<int64_t> stages;
  int64_t stageAxis = -1;
  /// Local types of the tensor level.
  SmallVector<RankedTensorType> localInputs, localResults;
};
} // namespace

static HostTensor cut(const HostTensor &whole, const ShardedTensor &tensor, RankedTensorType local,
                      ArrayRef<int64_t> grid, ArrayRef<int64_t> place) {
  HostTensor part = HostTensor::zeros(whole.dtype, local.getShape());
  int64_t width = tiny_dtype_size(whole.dtype);
  std::fill(part.bytes.begin(), part.bytes.end(), whole.dtype == TINY_DTYPE_I1 ? 1 : 0xFF);
  forEachElement(tensor, grid, place, [&](int64_t to, int64_t from) {
    if (from >= 0)
      std::memcpy(part.bytes.data() + to * width, whole.bytes.data() + from * width, width);
  });
  return part;
}

static LogicalResult read(Session &session, FunctionOpInterface function, WholeProgram &program) {
  program.function = function;
  auto grid = dyn_cast<DenseI64ArrayAttr>(function->getAttr(kGridAttr));
  FailureOr<Signature> signature = getSignature(function);
  int64_t ranks = 1;
  bool isValid = grid && succeeded(signature) &&
                 llvm::all_of(grid.asArrayRef(), [&](int64_t size) { return size >= 1 && (ranks *= size) <= 1024; });
  if (isValid)
    program.grid.assign(grid.asArrayRef().begin(), grid.asArrayRef().end());
  auto add = [&](ArrayRef<RankedTensorType> types, bool isInput, SmallVector<ShardedTensor> &tensors) {
    for (auto [number, type] : llvm::enumerate(types)) {
      auto attribute = [&, number = number](StringRef name) {
        return isInput ? function.getArgAttr(number, name) : function.getResultAttr(number, name);
      };
      std::optional<ShardedTensor> tensor =
          getShardedTensor(type, attribute(kShardingAttr), attribute(kWholeAttr), program.grid);
      isValid &= tensor.has_value();
      if (tensor)
        tensors.push_back(*tensor);
    }
  };
  if (isValid) {
    program.localInputs = signature->inputs;
    program.localResults = signature->results;
    add(signature->inputs, true, program.inputs);
    add(signature->results, false, program.results);
  }
  if (auto axis = function->getAttrOfType<IntegerAttr>(kStageAxisAttr)) {
    program.stageAxis = axis.getInt();
    isValid &= program.stageAxis >= 0 && program.stageAxis < static_cast<int64_t>(program.grid.size());
  }
  for (unsigned number = 0; number < function.getNumResults(); ++number) {
    auto stage = function.getResultAttrOfType<IntegerAttr>(number, kStageAttr);
    program.stages.push_back(stage && program.stageAxis >= 0 ? stage.getInt() : -1);
  }
  if (!isValid)
    return session.fail(Session::Kind::Unsupported, function.getLoc(),
                        "'" + function.getName() + "' does not say how its tensors are cut among at most 1024 ranks");
  return success();
}

/// What one rank computes.
static FailureOr<SmallVector<HostTensor>> runRank(Session &session, const WholeProgram &program,
                                                  ArrayRef<HostTensor> inputs) {
  FunctionOpInterface function = program.function;
  SmallVector<int64_t> place = getGridPlace(session.rank, program.grid);
  Buffers arguments;
  for (auto [number, input] : llvm::enumerate(inputs)) {
    HostTensor part = cut(input, program.inputs[number], program.localInputs[number], program.grid, place);
    FailureOr<Buffer> buffer =
        fromHost(session, part, getElementTypeOrSelf(function.getArgumentTypes()[number]), function.getLoc());
    if (failed(buffer))
      return failure();
    arguments.push_back(*buffer);
  }
  if (function.getNumArguments() > inputs.size()) {
    HostTensor rank = HostTensor::zeros(TINY_DTYPE_I64, {static_cast<int64_t>(place.size())});
    std::memcpy(rank.bytes.data(), place.data(), rank.bytes.size());
    FailureOr<Buffer> buffer =
        fromHost(session, rank, getElementTypeOrSelf(function.getArgumentTypes().back()), function.getLoc());
    if (failed(buffer))
      return failure();
    arguments.push_back(*buffer);
  }
  FailureOr<Buffers> results = evaluateFunction(session, function, arguments);
  if (failed(results))
    return failure();
  SmallVector<HostTensor> tensors;
  for (auto [buffer, type, stage] : llvm::zip_equal(*results, program.localResults, program.stages)) {
    // What another stage has may be written nowhere here.
    if (stage >= 0 && place[program.stageAxis] != stage) {
      tensors.push_back(HostTensor::zeros(*getDtype(type.getElementType()), type.getShape()));
      continue;
    }
    FailureOr<HostTensor> tensor = toHost(session, buffer, type, function.getLoc());
    if (failed(tensor))
      return failure();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

LogicalResult evaluateRanks(FunctionOpInterface function, ArrayRef<HostTensor> inputs, Evaluated &evaluated,
                            const InterpreterOptions &options) {
  Session session(options);
  WholeProgram program;
  auto give = [&](LogicalResult result) {
    if (failed(result))
      evaluated.error = session.error;
    return result;
  };
  if (failed(read(session, function, program)))
    return give(failure());
  bool fits = inputs.size() == program.inputs.size();
  for (auto [input, tensor] : llvm::zip(inputs, program.inputs))
    fits = fits && ArrayRef<int64_t>(input.shape) == tensor.whole.getShape() &&
           getDtype(tensor.whole.getElementType()) == input.dtype;
  if (!fits)
    return give(session.fail(Session::Kind::Inputs, function.getLoc(),
                             "'" + function.getName() + "' takes whole tensors, of the types it names"));
  Ranks ranks(program.grid);
  std::vector<std::optional<SmallVector<HostTensor>>> results(ranks.size());
  std::vector<std::optional<InterpreterError>> errors(ranks.size());
  ranks.run([&](int64_t rank) {
    Session own(options);
    own.ranks = &ranks;
    own.rank = rank;
    FailureOr<SmallVector<HostTensor>> tensors = runRank(own, program, inputs);
    if (succeeded(tensors))
      results[rank] = std::move(*tensors);
    errors[rank] = own.error;
    evaluated.dividedByZero |= own.undefined;
    evaluated.steps += own.steps;
  });
  // The first error that is not about another rank's.
  for (const std::optional<InterpreterError> &error : errors)
    if (error && (!evaluated.error || StringRef(evaluated.error->message).contains("does not come to")))
      evaluated.error = error;
  if (evaluated.error)
    return failure();
  for (auto [number, tensor] : llvm::enumerate(program.results)) {
    HostTensor whole = HostTensor::zeros((*results[0])[number].dtype, tensor.whole.getShape());
    int64_t width = tiny_dtype_size(whole.dtype), different = -1;
    std::vector<bool> written(whole.size());
    for (int64_t rank = 0; rank < ranks.size(); ++rank) {
      const HostTensor &part = (*results[rank])[number];
      if (int64_t stage = program.stages[number];
          stage >= 0 && getGridPlace(rank, program.grid)[program.stageAxis] != stage)
        continue;
      forEachElement(tensor, program.grid, getGridPlace(rank, program.grid), [&](int64_t from, int64_t to) {
        if (to < 0)
          return;
        auto *target = whole.bytes.data() + to * width;
        const auto *source = part.bytes.data() + from * width;
        if (written[to] && std::memcmp(target, source, width) != 0)
          different = rank;
        std::memcpy(target, source, width);
        written[to] = true;
      });
    }
    if (different >= 0)
      return give(session.fail(Session::Kind::Undefined, function.getLoc(),
                               "ranks do not agree on result " + Twine(number) + " of '" + function.getName() +
                                   "': rank " + Twine(different) + " has other elements than a rank before it"));
    evaluated.results.push_back(std::move(whole));
  }
  return success();
}

} // namespace tiny::reference
