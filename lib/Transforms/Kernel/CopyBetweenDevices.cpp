// kernel-copy-between-devices: copies where a kernel needs a buffer that lies on another device.
//
// Each buffer has one home. A kernel of another device uses a twin there: an allocation that is a cache of the home.
// What such a kernel writes is copied home at once, so that the home is always up to date, and a twin is, for the parts
// that it has, until something else writes to the home.
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELCOPYBETWEENDEVICES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// Elements of a root's.
struct Part {
  Value root;
  int64_t begin = 0, end = 0;
};

Part getPart(Value buffer) {
  Part part;
  int64_t count = cast<MemRefType>(buffer.getType()).getNumElements();
  for (part.root = buffer; auto alias = part.root.getDefiningOp<AliasOp>(); part.root = alias.getSource())
    part.begin += alias.getOffset();
  part.end = part.begin + count;
  return part;
}

/// A root on a device.
using Twin = std::pair<Value, Attribute>;

/// Elements [begin, end), sorted; two never touch.
using Parts = SmallVector<std::pair<int64_t, int64_t>>;

void add(Parts &parts, int64_t begin, int64_t end) {
  Parts all;
  for (auto [from, to] : parts) {
    if (to < begin || end < from) {
      all.push_back({from, to});
    } else {
      begin = std::min(begin, from);
      end = std::max(end, to);
    }
  }
  all.push_back({begin, end});
  llvm::sort(all);
  parts = std::move(all);
}

void remove(Parts &parts, int64_t begin, int64_t end) {
  Parts rest;
  for (auto [from, to] : parts) {
    if (from < std::min(to, begin))
      rest.push_back({from, std::min(to, begin)});
    if (std::max(from, end) < to)
      rest.push_back({std::max(from, end), to});
  }
  parts = std::move(rest);
}

/// The elements that both have.
Parts intersect(const Parts &a, const Parts &b) {
  Parts common;
  for (auto [beginA, endA] : a)
    for (auto [beginB, endB] : b)
      if (std::max(beginA, beginB) < std::min(endA, endB))
        common.push_back({std::max(beginA, beginB), std::min(endA, endB)});
  return common;
}

/// What is known in front of an item.
struct State {
  /// Parts of twins that are as their homes are.
  DenseMap<Twin, Parts> valid;
  /// Roots that every way to here has written.
  DenseSet<Value> written;
};

class Copies {
public:
  explicit Copies(ProgramOp program) : program(program), builder(program.getContext()) {}

  /// How many copies there are now.
  unsigned run();

private:
  void chooseHomes();
  StringAttr getHome(Value root) { return getDevice(root); }
  StringAttr getDeviceOf(LaunchOp launch);
  void visitList(Block &list, State &state);
  void visitLaunch(LaunchOp launch, State &state);
  void visitLoop(LoopOp loop, State &state);
  void visitIf(IfOp branch, State &state);
  void hoist(LoopOp loop, State &state);
  Value getTwin(Value buffer, StringAttr device);
  void copyTo(Value buffer, StringAttr device, State &state, Location loc, Attribute places);
  void copy(Location loc, Value source, Value target, Attribute places);
  void markWritten(State &state, Value buffer, StringAttr except = nullptr);
  bool mayBeWritten(Value root, Operation *item);

  ProgramOp program;
  OpBuilder builder;
  /// Buffers on another device than theirs.
  DenseMap<Twin, Value> twins;
  DenseSet<Twin> copiedConstants;
  /// Allocations that got a value so that a copy may read them.
  DenseSet<Value> filled;
  unsigned numCopies = 0;
};

bool isDefinedIn(Value root, Operation *item) {
  Operation *definition = root.getDefiningOp();
  return definition && item->isProperAncestor(definition);
}

State meet(const State &a, const State &b) {
  State both;
  for (const auto &[twin, parts] : a.valid)
    if (auto other = b.valid.find(twin); other != b.valid.end())
      both.valid[twin] = intersect(parts, other->second);
  for (Value root : a.written)
    if (b.written.contains(root))
      both.written.insert(root);
  return both;
}

} // namespace

StringAttr Copies::getDeviceOf(LaunchOp launch) {
  return getDevice(program, SymbolTable::lookupNearestSymbolFrom(launch, launch.getCalleeAttr()));
}

/// An allocation lies where the first kernel that writes it runs, or else the first one that reads it; a constant,
/// where the first one reads it. What ranks exchange, and all that no kernel uses, lies on the first device.
void Copies::chooseHomes() {
  DenseMap<Value, StringAttr> writers, readers;
  DenseSet<Value> pinned;
  program.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<CollectiveOp, WaitOp>(op))
      for (Value operand : op->getOperands())
        pinned.insert(getRoot(operand));
    auto launch = dyn_cast<LaunchOp>(op);
    if (!launch)
      return;
    for (Value buffer : launch.getIns())
      readers.try_emplace(getRoot(buffer), getDeviceOf(launch));
    for (Value buffer : launch.getOuts())
      writers.try_emplace(getRoot(buffer), getDeviceOf(launch));
  });
  Attribute first = (*program.getDevices())[0];
  auto choose = [&](auto op) {
    Value root = op.getBuffer();
    StringAttr home = writers.contains(root) ? writers.lookup(root) : readers.lookup(root);
    if (home && home != first && !pinned.contains(root) && !op.getDeviceAttr())
      op.setDeviceAttr(home);
  };
  program.getBody().walk([&](AllocOp op) { choose(op); });
  program.getBody().walk([&](ConstantOp op) { choose(op); });
}

/// The buffer, or as much of its root's twin, on the device.
Value Copies::getTwin(Value buffer, StringAttr device) {
  auto [known, isNew] = twins.try_emplace({buffer, device}, Value());
  if (!isNew)
    return known->second;
  OpBuilder::InsertionGuard guard(builder);
  Value made;
  if (auto alias = buffer.getDefiningOp<AliasOp>()) {
    Value source = getTwin(alias.getSource(), device);
    builder.setInsertionPointAfter(alias);
    made = AliasOp::create(builder, alias.getLoc(), buffer.getType(), source, alias.getOffset());
  } else {
    builder.setInsertionPointAfterValue(buffer);
    bool isFirst = device == (*program.getDevices())[0];
    auto alloc = AllocOp::create(builder, buffer.getLoc(), buffer.getType());
    if (!isFirst)
      alloc.setDeviceAttr(device);
    made = alloc;
  }
  return twins[{buffer, device}] = made;
}

void Copies::copy(Location loc, Value source, Value target, Attribute places) {
  auto copy = CopyOp::create(builder, loc, source, target);
  if (places)
    copy->setAttr(kPlacesAttr, places);
  ++numCopies;
}

/// Brings what the buffer holds to the device. What only some stages bring is not there for others. A constant is
/// copied as a whole where it stands: such a copy belongs to the preparation.
void Copies::copyTo(Value buffer, StringAttr device, State &state, Location loc, Attribute places) {
  Part part = getPart(buffer);
  auto constant = part.root.getDefiningOp<ConstantOp>();
  if (constant && constant->getParentOp() == program) {
    if (!copiedConstants.insert({part.root, device}).second)
      return;
    OpBuilder::InsertionGuard guard(builder);
    Value twin = getTwin(part.root, device);
    builder.setInsertionPointAfterValue(twin);
    return copy(constant.getLoc(), part.root, twin, nullptr);
  }
  Parts &valid = state.valid[{part.root, device}];
  if (!places && llvm::any_of(valid, [&](auto known) { return known.first <= part.begin && part.end <= known.second; }))
    return;
  copy(loc, buffer, getTwin(buffer, device), places);
  if (!places)
    add(valid, part.begin, part.end);
}

/// The home of the buffer changes: twins on other devices than `except` no longer have it.
void Copies::markWritten(State &state, Value buffer, StringAttr except) {
  Part part = getPart(buffer);
  state.written.insert(part.root);
  for (auto &[twin, parts] : state.valid)
    if (twin.first == part.root && twin.second != except)
      remove(parts, part.begin, part.end);
}

/// Whether one item may run before the other: it stands in front of it, or both are in a loop that stands behind
/// `root`.
static bool mayPrecede(Operation *first, Operation *second, Value root) {
  for (auto loop = first->getParentOfType<LoopOp>(); loop; loop = loop->getParentOfType<LoopOp>())
    if (loop->isProperAncestor(second) && !isDefinedIn(root, loop))
      return true;
  for (Operation *around = second; around; around = around->getParentOp())
    if (Operation *other = around->getBlock()->findAncestorOpInBlock(*first))
      return other != around && other->isBeforeInBlock(around);
  return false;
}

/// Whether an item that may run before this one writes something to the root.
bool Copies::mayBeWritten(Value root, Operation *item) {
  SmallVector<Value> parts = {root};
  while (!parts.empty()) {
    Value part = parts.pop_back_val();
    for (Operation *user : part.getUsers()) {
      if (auto alias = dyn_cast<AliasOp>(user))
        parts.push_back(alias.getResult());
      else if (user != item && hasEffect<MemoryEffects::Write>(user, part) && mayPrecede(user, item, root))
        return true;
    }
  }
  return false;
}

void Copies::visitLaunch(LaunchOp launch, State &state) {
  StringAttr device = getDeviceOf(launch);
  Attribute places = launch->getAttr(kPlacesAttr);
  size_t nInputs = launch.getIns().size();
  SmallVector<Value> buffers(launch->getOperands());
  builder.setInsertionPoint(launch);
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    Value root = getRoot(buffer);
    if (getHome(root) == device)
      continue;
    // A kernel need not write all of a buffer.
    if (index >= nInputs && !state.written.contains(root) && mayBeWritten(root, launch)) {
      // Some way here writes to it, others do not: then there must be something to copy.
      if (filled.insert(root).second) {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(root);
        auto zero = builder.getZeroAttr(cast<MemRefType>(root.getType()).getElementType());
        FillOp::create(builder, root.getLoc(), root, cast<TypedAttr>(zero));
      }
      state.written.insert(root);
    }
    if (index < nInputs || state.written.contains(root))
      copyTo(buffer, device, state, launch.getLoc(), places);
    launch->setOperand(index, getTwin(buffer, device));
  }
  builder.setInsertionPointAfter(launch);
  for (Value buffer : ArrayRef(buffers).drop_front(nInputs)) {
    bool isHome = getHome(buffer) == device;
    if (!isHome)
      copy(launch.getLoc(), getTwin(buffer, device), buffer, places);
    markWritten(state, buffer, isHome || places ? StringAttr() : device);
    Part part = getPart(buffer);
    if (!isHome && !places)
      add(state.valid[{part.root, device}], part.begin, part.end);
  }
}

/// What no iteration writes is copied once, in front of the loop.
void Copies::hoist(LoopOp loop, State &state) {
  DenseSet<Value> written;
  auto note = [&](Operation *op) {
    for (Value operand : op->getOperands())
      if (hasEffect<MemoryEffects::Write>(op, operand))
        written.insert(getRoot(operand));
  };
  loop->walk(note);
  for (auto &[twin, parts] : state.valid)
    if (written.contains(twin.first))
      parts.clear();
  builder.setInsertionPoint(loop);
  loop->walk([&](LaunchOp launch) {
    StringAttr device = getDeviceOf(launch);
    for (Value buffer : launch.getIns()) {
      Value root = getRoot(buffer);
      if (isDefinedIn(root, loop) || !state.written.contains(root) || getHome(root) == device ||
          written.contains(root) || launch->hasAttr(kPlacesAttr))
        continue;
      while (isDefinedIn(buffer, loop))
        buffer = buffer.getDefiningOp<AliasOp>().getSource();
      copyTo(buffer, device, state, launch.getLoc(), nullptr);
    }
  });
}

void Copies::visitLoop(LoopOp loop, State &state) {
  hoist(loop, state);
  State inside = state;
  if (loop.getCounter())
    markWritten(inside, loop.getCounter());
  visitList(loop.getBody().front(), inside);
  // As the runtime has it, a loop has written what its list has.
  State behind = meet(state, inside);
  behind.written = std::move(inside.written);
  state = std::move(behind);
}

void Copies::visitIf(IfOp branch, State &state) {
  State first = state, second = state;
  visitList(branch.getBody().front(), first);
  if (!branch.getOtherwise().empty())
    visitList(branch.getOtherwise().front(), second);
  state = meet(first, second);
}

void Copies::visitList(Block &list, State &state) {
  for (Operation &item : llvm::make_early_inc_range(list)) {
    if (auto launch = dyn_cast<LaunchOp>(item)) {
      visitLaunch(launch, state);
    } else if (auto loop = dyn_cast<LoopOp>(item)) {
      visitLoop(loop, state);
    } else if (auto branch = dyn_cast<IfOp>(item)) {
      visitIf(branch, state);
    } else {
      for (Value operand : item.getOperands())
        if (hasEffect<MemoryEffects::Write>(&item, operand))
          markWritten(state, operand);
    }
  }
}

unsigned Copies::run() {
  chooseHomes();
  State state;
  for (BlockArgument argument : program.getBody().front().getArguments())
    state.written.insert(argument);
  program.getBody().walk([&](ConstantOp constant) { state.written.insert(constant.getBuffer()); });
  visitList(program.getBody().front(), state);
  return numCopies;
}

namespace {

struct CopyBetweenDevices : impl::KernelCopyBetweenDevicesBase<CopyBetweenDevices> {
  using KernelCopyBetweenDevicesBase::KernelCopyBetweenDevicesBase;

  void runOnOperation() override {
    SmallVector<StringRef> names(llvm::map_range(devices, [](const std::string &name) { return StringRef(name); }));
    ArrayAttr list = Builder(&getContext()).getStrArrayAttr(names);
    for (auto program : getOperation().getOps<ProgramOp>()) {
      if (program.getDevices() || names.empty())
        continue;
      if (failed(verifyKernels(program, list)))
        return signalPassFailure();
      program.setDevicesAttr(list);
      numCopies += Copies(program).run();
    }
  }

  LogicalResult verifyKernels(ProgramOp program, ArrayAttr list) {
    WalkResult result = program.getBody().walk([&](LaunchOp launch) {
      Operation *kernel = SymbolTable::lookupNearestSymbolFrom(launch, launch.getCalleeAttr());
      auto device = kernel->getAttrOfType<StringAttr>(target::kDevice);
      if (!device || llvm::is_contained(list, Attribute(device)))
        return WalkResult::advance();
      kernel->emitError("kernel '") << launch.getCallee() << "' runs on " << device << ", expected one of " << list;
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
} // namespace tiny::kernel
