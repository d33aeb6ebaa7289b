// lazy-plan-state: decides which results of groups are written over an older state, and which readers get a copy.
#include "StateGraph.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Transforms/Lazy/Passes.h"
#include "WriteOver.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYPLANSTATE
#include "Tiny/Transforms/Lazy/Passes.h.inc"
} // namespace tiny::lazy

using namespace mlir;
using namespace tiny;

/// What remarks call a state.
static std::string describe(Value state) {
  if (auto argument = dyn_cast<BlockArgument>(state))
    return "argument #" + std::to_string(argument.getArgNumber());
  auto group = state.getDefiningOp<lazy::GroupOp>();
  return group ? "what '" + group.getLabel().value_or("group").str() + "' makes" : "a constant";
}

/// What happens to one update.
namespace {
struct Decision {
  Location loc;
  bool inPlace; ///< no copy was needed
  std::string message;
  SmallVector<ReasonNumber, 1> numbers;
};

/// A *state* is a value in a buffer of its own: an argument, or what a group yields. A result of a group takes over the
/// buffer of an older state where
/// - it is an assignment to it, or is returned as the next state of an argument (`tiny.aliases`);
/// - the old state is donated or a temporary, and nobody else takes it over;
/// - whoever else reads the old state can run before;
/// - the kernel may write over what it reads (WriteOver.h).
/// Where it could but for some readers, these read a copy: of the state, or of the parts that they read, whatever is
/// less. Where it can not, the base is copied and the assignment takes over the copy. Which of several assignments to
/// one state takes it over is decided from the end: the one that leads to what must be in that buffer.
class StatePlanner {
public:
  explicit StatePlanner(func::FuncOp func) : func(func), block(func.getBody().front()), graph(func) {}

  /// Rewrites the function, and returns what was decided, in that order.
  std::vector<Decision> run() {
    findHomes();
    // Of states that wait for each other the larger ones are decided first, and the small ones copied.
    SmallVector<Value> states(func.getArguments());
    for (Operation &op : block)
      if (isa<lazy::GroupOp>(op) || (isa<arith::ConstantOp>(op) && isa<RankedTensorType>(op.getResult(0).getType())))
        llvm::append_range(states, op.getResults());
    SmallVector<std::pair<double, unsigned>> order;
    for (auto [k, state] : llvm::enumerate(states))
      order.push_back({-countBytes(state), k});
    llvm::sort(order);
    for (auto [bytes, k] : order) {
      copied = {splits.contains(states[k]) ? splits.lookup(states[k]) : states[k]};
      while (!copied.empty())
        place(copied.pop_back_val());
    }
    for (size_t k = 0; k < roots.size(); ++k)
      placeRoot(roots[k].first, roots[k].second);
    writeDown();
    graph.sort();
    llvm::erase_if(decisions, [](const Decision &decision) { return decision.message.empty(); });
    return std::move(decisions);
  }

private:
  static constexpr int kFresh = -1; ///< the home of what leads to a result with a buffer of its own
  static constexpr int kNone = -2;  ///< of what leads to none
  /// What stands against a result that would be written over a state.
  struct Obstacles {
    bool isMain = false;         ///< it must end up in that buffer
    SmallVector<StateUse> late;  ///< reads that can not be before, or of what the kernel would have written over
    SmallVector<StateUse> apart; ///< reads behind it, of elements that it leaves: they find them in the new state too
    bool byKernel = false;       ///< some are of the latter kind
    double bytes = 0;            ///< to copy
    std::string reason;          ///< of the first of them
  };
  //===--- Homes: the buffers that states must end up in ----------------------------------------------------------===//

  /// Finds for each state that leads to a result, by assignments, the argument in whose buffer that result is.
  void findHomes() {
    Operation *terminator = block.getTerminator();
    SmallVector<std::pair<unsigned, unsigned>> others; // result, argument
    llvm::SmallDenseSet<unsigned> aliased;
    SmallVector<Value> borrowed;
    for (unsigned position = 0; position < terminator->getNumOperands(); ++position) {
      Value value = terminator->getOperand(position), state = getState(value);
      std::optional<unsigned> argument = getAliasedArgument(func, position);
      if (argument)
        aliased.insert(*argument);
      if (!argument && func.getResultAttr(position, kBorrowedAttr))
        borrowed.push_back(state);
      else if (!argument)
        returned[state] |= isWhole(value);
      else if (findRoot(state) != func.getArgument(*argument) || !isWhole(value))
        others.push_back({position, *argument});
      else // It begins in the buffer where it ends.
        finish(state, position, *argument);
    }
    for (auto [position, argument] : others) {
      Value value = terminator->getOperand(position), state = getState(value);
      // What has another buffer besides is copied at the end.
      auto root = dyn_cast<BlockArgument>(findRoot(state));
      bool isScratch = root && getLocation(root) && !aliased.contains(root.getArgNumber());
      if (!state.getDefiningOp<lazy::GroupOp>() || !isWhole(value) || homes.contains(state) || returned.lookup(state) ||
          isScratch) {
        Value made = copy(value, terminator);
        bool isSplat = made.getDefiningOp()->getNumOperands() == 0;
        decide(terminator->getLoc(), isSplat,
               isSplat ? llvm::formatv("fills argument #{0} with a constant", argument).str()
                       : llvm::formatv("{0:f0} bytes of {1} are copied: result #{2} must be in argument #{3}",
                                       countBytes(value), describe(state), position, argument)
                             .str(),
               {{"bytes", countBytes(value)}});
        if (value == state)
          copies[state].push_back(made);
        graph.setOperand({terminator, position}, made);
        state = made;
      }
      finish(state, position, argument);
    }
    for (auto [state, whole] : returned)
      borrowed.push_back(state);
    for (Value state : borrowed)
      markHome(state, kFresh);
  }

  /// Notes that a state is a result that aliases an argument.
  void finish(Value state, unsigned position, unsigned argument) {
    finals[state] = position;
    markHome(state, argument);
  }

  /// The state that an update goes on from, or null.
  static Value getBase(Value state) {
    std::optional<Update> update = getUpdateOf(state);
    return update && update->base && isWhole(update->base->get()) ? getState(update->base->get()) : Value();
  }

  Value findRoot(Value state) {
    while (Value base = homes.contains(state) ? Value() : getBase(state))
      state = base;
    return state;
  }

  void markHome(Value state, int home) {
    bool isOwn = home >= 0 && findRoot(state) == func.getArgument(home);
    while (state && state.getDefiningOp<lazy::GroupOp>() && homes.try_emplace(state, home).second) {
      if (std::optional<Update> update = getUpdateOf(state); home >= 0 && (!update || !update->base))
        roots.push_back({state, home});
      state = getBase(state);
      if (home >= 0 && !isOwn && returned.lookup(state))
        break;
    }
  }

  int getHome(Value state) const {
    auto it = homes.find(state);
    return it == homes.end() ? kNone : it->second;
  }

  /// The donated argument in whose buffer a state is, or null.
  Value getLocation(Value state) {
    if (auto argument = dyn_cast<BlockArgument>(state))
      return func.getArgAttr(argument.getArgNumber(), kDonatedAttr) ? state : Value();
    if (int home = getHome(state); home >= 0)
      return func.getArgument(home);
    return locations.lookup(state);
  }

  //===--- One state ----------------------------------------------------------------------------------------------===//

  /// Decides which of its updates takes over the buffer of a state, and gives the others bases of their own.
  void place(Value state) {
    Value location = getLocation(state);
    if (location)
      saveResults(state);
    SmallVector<Update> updates;
    for (StateUse use : getUses(state))
      if (std::optional<Update> update = getUpdate(use); update && isWhole(use.get()))
        updates.push_back(*update);
      else if (update)
        copyBase(*update, "it is a part of another state");
    if (updates.empty())
      return;

    std::string whyNot = isa<BlockArgument>(state) ? "it is not donated" : "it is a constant";
    std::optional<Update> chosen;
    Obstacles obstacles;
    if (auto final = finals.find(state); final != finals.end()) {
      whyNot = "it is result #" + std::to_string(final->second);
    } else if (location || state.getDefiningOp<lazy::GroupOp>()) {
      whyNot = "it must end up elsewhere";
      choose(updates, state, location, chosen, obstacles);
      // A copy of the base takes as much as one of all that is read, and leaves more freedom. Another update could go
      // on from the latter.
      if (chosen && !obstacles.isMain && updates.size() == 1 && obstacles.bytes > 0 &&
          obstacles.bytes >= (isReplaced(chosen->result()) ? 0 : countBytes(state))) {
        whyNot = obstacles.reason;
        chosen.reset();
      }
    }
    if (chosen) {
      llvm::erase_if(updates, [&](const Update &update) { return *update.base == *chosen->base; });
      OpResult result = takeOver(*chosen, state, obstacles, updates);
      llvm::SmallDenseMap<Value, Value> moved = {{state, result}};
      graph.moveReads(obstacles.apart, moved);
      for (const Update &update : updates)
        if (getState(update.base->get()) == state)
          copyBase(update, "another one takes over its buffer");
      settle(result, state);
    } else {
      for (const Update &update : updates)
        copyBase(update, whyNot);
    }
    graph.dropUnusedInputs();
  }

  /// The update that must take over the buffer; else the last one, of those against which the least stands.
  void choose(ArrayRef<Update> updates, Value state, Value location, std::optional<Update> &chosen,
              Obstacles &obstacles) {
    auto isMain = [&](const Update &update) {
      int home = getHome(update.result());
      return location && home >= 0 && func.getArgument(home) == location;
    };
    auto isAllowed = [&](const Update &update) {
      int home = getHome(update.result());
      return location ? home == kNone : home < 0;
    };
    SmallVector<Update> candidates = llvm::filter_to_vector(updates, isMain);
    bool hasMain = !candidates.empty();
    if (!hasMain)
      candidates = llvm::filter_to_vector(updates, isAllowed);
    for (const Update &update : llvm::reverse(candidates)) {
      Obstacles found = findObstacles(update.group, update.number, update.base, state);
      if (chosen && found.bytes >= obstacles.bytes)
        continue;
      chosen = update;
      obstacles = found;
      obstacles.isMain = hasMain;
      if (hasMain || obstacles.late.empty())
        break;
    }
  }

  /// What stands against a result of `writer` over a state; `base` does not.
  Obstacles findObstacles(lazy::GroupOp writer, unsigned number, std::optional<StateUse> base, Value state) {
    Obstacles obstacles;
    SmallVector<StateUse> uses = getUses(state);
    SmallVector<unsigned> inputs;
    llvm::SmallDenseSet<Operation *> readers;
    for (StateUse use : uses) {
      if (use.owner != writer)
        readers.insert(use.owner);
      else if (isRead(use) && !isWhole(use.get()))
        obstacles.late.push_back(use);
      else if (isRead(use))
        inputs.push_back(use.number);
    }
    if (!inputs.empty() && !canWriteOver(writer, number, inputs))
      for (unsigned input : inputs)
        obstacles.late.push_back({writer, input});
    obstacles.byKernel = !obstacles.late.empty();
    if (obstacles.byKernel)
      obstacles.reason = "its kernel reads elements that other iterations write";
    llvm::SmallDenseSet<Operation *> after = graph.findAfter(writer, readers);
    std::vector<ShapeTracker> places;
    if (base)
      for (lazy::AssignOp assign : getAssignmentsOf(writer->getResult(number)))
        places.push_back(assign.getTracker().getTracker());
    for (StateUse use : uses) {
      bool isResult = isa<func::ReturnOp>(use.owner);
      // The base of another update is copied before.
      if (use.owner == writer || use == base || !(isResult || (after.contains(use.owner) && isRead(use))))
        continue;
      if (base && !isResult && readsApart(use, places)) {
        obstacles.apart.push_back(use);
        continue;
      }
      obstacles.late.push_back(use);
      if (!obstacles.reason.empty())
        continue;
      if (isResult)
        obstacles.reason = "result #" + std::to_string(use.number) + " is the old state";
      else if (auto reader = dyn_cast<lazy::GroupOp>(use.owner))
        obstacles.reason = "'" + reader.getLabel().value_or("group").str() + "' reads the old state and must run later";
    }
    obstacles.bytes = findSource(state, obstacles.late, writer).bytes;
    return obstacles;
  }

  /// Lets an update write over a state, of which hindered reads get a copy. Returns the result that does.
  OpResult takeOver(Update update, Value state, Obstacles obstacles, ArrayRef<Update> others) {
    if (obstacles.byKernel && prefersSplit(update, state, obstacles)) {
      double bytes = countBytes(update.first().getValue());
      OpResult result = split(update);
      decide(result.getLoc(), false,
             llvm::formatv("is computed, {0:f0} bytes, and then put in its place in {1}: {2}", bytes, describe(state),
                           obstacles.reason),
             {{"bytes", bytes}});
      llvm::erase_if(obstacles.late, [&](StateUse use) { return use.owner == update.group; });
      save(state, obstacles.late, result.getOwner(), others);
      return result;
    }
    decideOver(update.result(), state, obstacles);
    save(state, obstacles.late, update.group, others);
    return update.result();
  }

  /// Notes that `result` is written over `state`, behind all that reads it.
  void settle(OpResult result, Value state) {
    for (StateUse use : getUses(state))
      if (use.owner != result.getOwner() && !isa<func::ReturnOp>(use.owner))
        graph.addEdge(use.owner, result.getOwner());
    overwritten[result] = state;
    taken[state] = result;
    if (Value location = getLocation(state))
      locations[result] = location;
  }

  /// Puts what must be in an argument's buffer, and is not made of what is there, behind all that is.
  void placeRoot(Value state, int argument) {
    auto result = cast<OpResult>(state);
    auto writer = cast<lazy::GroupOp>(result.getOwner());
    Value old = func.getArgument(argument);
    llvm::SmallDenseSet<Operation *> before;
    for (Value next = taken.lookup(old); next; next = taken.lookup(next))
      before.insert(next.getDefiningOp());
    llvm::SmallDenseSet<Operation *> after = graph.findAfter(writer, before);
    while (Value next = taken.lookup(old)) {
      // It can not wait for itself, and a kernel writes a buffer for one result only.
      if (next.getDefiningOp() == writer || after.contains(next.getDefiningOp())) {
        overwritten.erase(next);
        decisions[decisionOf.lookup(next)].message.clear();
        copyBase(*getUpdateOf(next), "result #" + std::to_string(finals.lookup(state)) + " takes over its buffer");
        if (Value base = getBase(next))
          settle(cast<OpResult>(next), base);
        break;
      }
      old = next;
    }
    Obstacles obstacles = findObstacles(writer, result.getResultNumber(), std::nullopt, old);
    decideOver(result, old, obstacles);
    save(old, obstacles.late, writer, {});
    settle(result, old);
    if (Operation *before = old.getDefiningOp())
      graph.addEdge(before, writer);
    graph.dropUnusedInputs();
  }

  //===--- Copies -------------------------------------------------------------------------------------------------===//

  Value copy(Value value, Operation *user) {
    copied.push_back(graph.copy(value, user));
    ownCopies.insert(copied.back());
    return copied.back();
  }

  /// Where uses read what a state was before `writer` writes over it: a copy of all of it that is there and stays, or
  /// else copies to be made, of the different parts that they read or of all.
  struct Source {
    Value whole;
    SmallVector<Value> parts;
    double bytes = 0; ///< to copy
  };

  Source findSource(Value state, ArrayRef<StateUse> uses, Operation *writer) {
    Source source;
    if (uses.empty())
      return source;
    bool isResult = llvm::any_of(uses, [](StateUse use) { return isa<func::ReturnOp>(use.owner); });
    for (Value made : copies.lookup(state)) {
      Operation *op = made.getDefiningOp();
      auto waitsFor = [&](Operation *other) { return other == op || !graph.findAfter(other, {op}).empty(); };
      if ((isResult && getLocation(made)) || waitsFor(writer) ||
          llvm::any_of(uses, [&](StateUse use) { return waitsFor(use.owner); }))
        continue;
      source.whole = made;
      return source;
    }
    llvm::SmallDenseSet<Value> seen;
    for (StateUse use : uses)
      if (seen.insert(use.get()).second) {
        source.parts.push_back(use.get());
        source.bytes += countBytes(use.get());
      }
    if (source.bytes >= countBytes(state)) {
      source.parts.clear();
      source.bytes = countBytes(state);
    }
    return source;
  }

  /// Lets uses of a state read such a source. If that is a new copy of all of the state, the updates `others` go on
  /// from there.
  void save(Value state, ArrayRef<StateUse> uses, Operation *writer, ArrayRef<Update> others) {
    if (uses.empty())
      return;
    Source source = findSource(state, uses, writer);
    llvm::SmallDenseMap<Value, Value> moved;
    for (Value part : source.parts)
      moved[part] = copy(part, writer);
    bool isNew = source.parts.empty() && !source.whole;
    if (isNew)
      source.whole = copy(state, writer);
    if (source.whole)
      moved[state] = source.whole;
    graph.moveReads(uses, moved);
    if (!isNew)
      return;
    if (others.empty())
      copies[state].push_back(source.whole);
    graph.moveBases(others, moved);
  }

  /// Copies what results are of a state in a donated buffer, which is not the caller's but for what aliases it.
  void saveResults(Value state) {
    SmallVector<StateUse> uses = getUses(state), results;
    // What nothing is written over may be read where it lies.
    for (StateUse use : uses)
      if (isa<func::ReturnOp>(use.owner) && !getAliasedArgument(func, use.number) &&
          !(finals.contains(state) && func.getResultAttr(use.number, kBorrowedAttr)))
        results.push_back(use);
    if (results.empty())
      return;
    double bytes = findSource(state, results, uses.front().owner).bytes;
    save(state, results, uses.front().owner, {});
    // Others who read it there need not run before the state is written over.
    if (Value whole = findCopy(state))
      for (StateUse use : getUses(state))
        if (use.owner != whole.getDefiningOp() && use.get() == state && !getUpdate(use) &&
            !isa<func::ReturnOp>(use.owner))
          graph.setOperand(use, whole);
    decide(block.getTerminator()->getLoc(), false,
           llvm::formatv("{0:f0} bytes of {1} are copied: result #{2} must be in a buffer of its own", bytes,
                         describe(state), results.front().number),
           {{"bytes", bytes}});
  }

  /// A copy of all of a state that has a buffer of its own, or null.
  Value findCopy(Value state) {
    for (Value made : copies.lookup(state))
      if (!getLocation(made))
        return made;
    return Value();
  }

  /// Gives an update a base of its own.
  void copyBase(const Update &update, const std::string &reason) {
    OpResult result = update.result();
    int home = getHome(result);
    Value base = update.base->get(), state = getState(base);
    DenseElementsAttr splat;
    if (auto constant = state.getDefiningOp<arith::ConstantOp>())
      splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (isReplaced(result) || splat) {
      if (!splat)
        decide(result.getLoc(), true, "needs nothing of " + describe(state) + ": all of it is assigned");
      auto type = cast<RankedTensorType>(base.getType());
      graph.setBase(
          update, splat ? splat.reshape(type)
                        : DenseElementsAttr::get(type, Builder(func.getContext()).getZeroAttr(type.getElementType())));
      if (home >= 0)
        roots.push_back({result, home});
      return;
    }
    decide(result.getLoc(), false,
           llvm::formatv("goes on from a copy of {0:f0} bytes of {1}: {2}", countBytes(base), describe(state), reason),
           {{"bytes", countBytes(base)}});
    Value saved = findCopy(state);
    Value made = copy(saved && base == state ? saved : base, update.group);
    if (home != kNone)
      markHome(made, home);
    graph.setBase(update, made);
  }

  //===--- An update in two groups --------------------------------------------------------------------------------===//

  /// Whether to compute the value first and put it in its place then, rather than to copy what is read: by bytes moved.
  /// A launch counts as what it could have moved.
  bool prefersSplit(const Update &update, Value state, const Obstacles &obstacles) {
    SmallVector<lazy::AssignOp, 1> assigns = getAssignmentsOf(update.result());
    if (assigns.size() != 1)
      return false;
    cost::CostModel costs;
    SmallVector<StateUse> others(obstacles.late);
    llvm::erase_if(others, [&](StateUse use) { return use.owner == update.group; });
    bool isPart = getContiguousOffset(assigns.front().getTracker().getTracker()).has_value();
    return 2 * (countBytes(assigns.front().getValue()) + findSource(state, others, update.group).bytes) +
               (isPart ? 0 : costs.launch / costs.byteMoved) <
           2 * obstacles.bytes;
  }

  OpResult split(const Update &update) {
    OpResult result = update.result(), made = graph.split(update);
    splits[result] = made;
    if (auto home = homes.find(result); home != homes.end()) {
      int place = home->second;
      homes.erase(home);
      homes[made] = place;
    }
    if (auto final = finals.find(result); final != finals.end()) {
      unsigned position = final->second;
      finals.erase(final);
      finals[made] = position;
    }
    return made;
  }

  //===--- The IR -------------------------------------------------------------------------------------------------===//

  /// Says on each group which of its results are written over which inputs.
  void writeDown() {
    for (auto group : block.getOps<lazy::GroupOp>()) {
      SmallVector<int64_t> over(group.getNumResults(), -1);
      for (OpResult result : group->getResults())
        if (Value state = overwritten.lookup(result))
          over[result.getResultNumber()] = findInput(result, state);
      if (llvm::any_of(over, [](int64_t input) { return input >= 0; }))
        group.setInPlace(over);
    }
  }

  /// The input of a result's group that is all of a state: what the result is assigned to, else any; a new one where
  /// there is none.
  int64_t findInput(OpResult result, Value state) {
    if (std::optional<Update> update = getUpdateOf(result); update && update->base)
      return update->base->number;
    auto group = cast<lazy::GroupOp>(result.getOwner());
    for (auto [k, input] : llvm::enumerate(group.getInputs()))
      if (getState(input) == state && isWhole(input))
        return k;
    return graph.addInput(group, state).getArgNumber();
  }

  //===--- Remarks ------------------------------------------------------------------------------------------------===//

  void decide(Location loc, bool inPlace, std::string message, ArrayRef<ReasonNumber> numbers = {}) {
    decisions.push_back({loc, inPlace, std::move(message), {numbers.begin(), numbers.end()}});
  }

  void decideOver(Value made, Value state, const Obstacles &obstacles) {
    std::string message = "writes over " + describe(state);
    if (!obstacles.late.empty())
      message += llvm::formatv(", of which {0:f0} bytes are copied: {1}", obstacles.bytes, obstacles.reason);
    // What a copy itself takes is told where it is asked for.
    if (obstacles.late.empty() && (ownCopies.contains(made) || ownCopies.contains(state)))
      return;
    decisionOf[made] = decisions.size();
    decide(made.getLoc(), obstacles.late.empty(), std::move(message),
           {{"copied", obstacles.late.empty() ? 0 : double(obstacles.bytes)}});
  }

  func::FuncOp func;
  Block &block;
  StateGraph graph;
  std::vector<Decision> decisions;
  DenseMap<Value, Value> overwritten;    // by result of a group: the state whose buffer it takes over
  DenseMap<Value, int> homes;            // by state: the argument in whose buffer it must be, or kFresh
  DenseMap<Value, unsigned> finals;      // by state that a result is which aliases an argument: that result
  llvm::MapVector<Value, bool> returned; // states that results with buffers of their own are; or false: parts of them
  SmallVector<std::pair<Value, int>> roots; // what must be in an argument's buffer and comes from elsewhere
  DenseMap<Value, Value> locations; // by state that was written over another: the donated argument in whose buffer
  DenseMap<Value, Value> taken;     // by state that is written over: the result that does
  DenseMap<Value, SmallVector<Value, 1>> copies; // by state: copies of all of it that nothing is written over
  DenseMap<Value, Value> splits;                 // by result that was split: the new one
  SmallVector<Value> copied;                     // copies whose updates are to be placed
  llvm::DenseSet<Value> ownCopies;               // all that were made
  DenseMap<Value, size_t> decisionOf;            // by result that is written over a state
};

struct LazyPlanState : lazy::impl::LazyPlanStateBase<LazyPlanState> {
  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (!isPlannable(func))
      return;
    if (failed(verifyState(func)))
      return signalPassFailure();
    // What was decided before is decided again.
    for (auto group : func.getOps<lazy::GroupOp>())
      group.removeInPlaceAttr();
    for (const Decision &decision : StatePlanner(func).run()) {
      Remarks remarks("lazy-plan-state", func);
      if (decision.inPlace)
        remarks.passed(decision.loc, "in-place", decision.message, decision.numbers);
      else
        remarks.missed(decision.loc, "copied", decision.message, decision.numbers);
    }
  }
};
} // namespace
