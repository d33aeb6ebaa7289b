// Decides whether a kernel may write over a buffer that it reads. Follows each input through elementwise operations and
// movement to what is stored; the tracker that arrives there says which element an iteration reads. It must be the
// tracker of the store, or meet it nowhere.
#include "WriteOver.h"

#include "Tiny/Analysis/Lazy/StateUses.h"
#include "Tiny/Dialect/Lazy/Parts.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tiny;

/// Most different ways in which one value reads an input; a value with more is taken to read anything.
static constexpr size_t kMaxTrackers = 16;

namespace {
/// How the values of a group read one of its inputs.
class InputReads {
public:
  explicit InputReads(BlockArgument input) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(input.getType()).getShape();
    trackers[input].push_back(ShapeTracker::identity(shape));
    for (Operation &op : input.getOwner()->without_terminator())
      follow(&op);
  }

  /// The elements that an iteration which computes an element of `value` reads at its own index.
  ArrayRef<ShapeTracker> getTrackers(Value value) const {
    auto it = trackers.find(value);
    return it == trackers.end() ? ArrayRef<ShapeTracker>() : ArrayRef(it->second);
  }

  /// The elements that are read at other indices: by reductions, as tables, or before something is kept.
  ArrayRef<ShapeTracker> getOthers() const { return others; }

  /// Whether not all that is read is known.
  bool isUnknown() const { return unknown; }

private:
  void add(SmallVector<ShapeTracker, 1> &known, const ShapeTracker &tracker) {
    if (!tracker.isValid() || known.size() == kMaxTrackers)
      unknown = true;
    else if (!llvm::is_contained(known, tracker))
      known.push_back(tracker);
  }

  void follow(Operation *op) {
    SmallVector<ShapeTracker, 1> found;
    for (OpOperand &operand : op->getOpOperands()) {
      if (auto assign = dyn_cast<lazy::AssignOp>(op); assign) // what is stored is compared with where
        continue;
      for (const ShapeTracker &tracker : getTrackers(operand.get())) {
        if (lazy::isMovement(op))
          add(found, lazy::applyMovement(op, tracker).simplify());
        else if (lazy::isElementwise(op))
          add(found, tracker);
        else
          add(others, tracker);
      }
    }
    if (!found.empty())
      for (Value result : op->getResults())
        trackers[result] = found;
  }

  DenseMap<Value, SmallVector<ShapeTracker, 1>> trackers;
  SmallVector<ShapeTracker, 1> others;
  bool unknown = false;
};

/// A value that a kernel stores, and where in its buffer.
struct Store {
  Value value;
  ShapeTracker place;
};
} // namespace

static SmallVector<Store, 1> getStores(Value yielded) {
  SmallVector<Store, 1> stores;
  for (lazy::AssignOp assign : getAssignments(yielded))
    stores.push_back({assign.getValue(), assign.getTracker().getTracker().simplify()});
  if (stores.empty())
    stores.push_back({yielded, ShapeTracker::identity(cast<RankedTensorType>(yielded.getType()).getShape())});
  return stores;
}

/// Whether `read` names, at each index where it reads at all, the element at `place`.
static bool isSameElement(const ShapeTracker &read, const ShapeTracker &place) {
  if (read == place)
    return true;
  if (read.views().size() != 1 || place.views().size() != 1 || !place.isUnmasked())
    return false;
  const View &view = read.views().front();
  std::optional<View> bare = View::get(view.getShape(), view.getStrides(), view.getOffset());
  return bare && ShapeTracker(*bare) == place;
}

bool tiny::canWriteOver(lazy::GroupOp group, unsigned result, ArrayRef<unsigned> inputs) {
  Operation *yield = group.getBody().front().getTerminator();
  SmallVector<Store, 1> written = getStores(yield->getOperand(result));
  for (unsigned input : inputs) {
    BlockArgument argument = group.getBody().getArgument(input);
    InputReads reads(argument);
    if (reads.isUnknown())
      return false;
    ArrayRef<int64_t> shape = cast<RankedTensorType>(argument.getType()).getShape();
    auto isElsewhere = [&](const ShapeTracker &read) {
      return llvm::all_of(written, [&](const Store &store) { return areApart(read, store.place, shape); });
    };
    if (!llvm::all_of(reads.getOthers(), isElsewhere))
      return false;
    bool readsWritten = false;
    for (const Store &store : written)
      for (const ShapeTracker &read : reads.getTrackers(store.value))
        if (!isElsewhere(read)) {
          if (!isSameElement(read, store.place))
            return false;
          readsWritten = true;
        }
    // Another result shares the loops if it has the same shape and is stored whole; then one load serves both.
    for (auto [k, yielded] : llvm::enumerate(yield->getOperands())) {
      if (k == result)
        continue;
      for (const Store &store : getStores(yielded))
        for (const ShapeTracker &read : reads.getTrackers(store.value)) {
          if (isElsewhere(read))
            continue;
          bool sharesLoops = readsWritten && written.size() == 1 &&
                             store.value.getType() == written.front().value.getType() &&
                             lazy::findParts(store.value).begins.size() == 1 &&
                             lazy::findParts(written.front().value).begins.size() == 1;
          if (!sharesLoops || read != written.front().place ||
              !llvm::is_contained(reads.getTrackers(written.front().value), read))
            return false;
        }
    }
  }
  return true;
}
