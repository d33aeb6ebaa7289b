// Sizes that the program computes: who writes them, and that all who need them come later.
#include "Join.h"
#include "Tiny/Support/Family.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace tiny::kernel {

/// Of a result that says a size: what it is at most.
void Join::noteMost(ArrayRef<DictionaryAttr> peers) {
  SmallVector<int64_t> mosts;
  for (DictionaryAttr peer : peers)
    if (auto most = peer ? peer.getAs<IntegerAttr>(kBoundAttr) : IntegerAttr())
      mosts.push_back(most.getInt());
  if (mosts.size() != peers.size())
    return;
  auto found = llvm::find(family.names, peers.front().getAs<StringAttr>(kSizeAttr));
  std::optional<Dim> most = fit.fit(mosts);
  if (found != family.names.end() && most)
    this->mosts.emplace_back(found - family.names.begin(), *most);
}

/// A result that says a size is no result of the whole: it is copied to the size's place.
LogicalResult Join::writeSizes(ProgramOp program) {
  llvm::BitVector isSize(program.getNumResults());
  Operation *end = program.getBody().front().getTerminator();
  OpBuilder builder(end);
  for (unsigned number = 0; number < program.getNumResults(); ++number) {
    auto name = program.getResultAttrOfType<StringAttr>(number, kSizeAttr);
    if (!name)
      continue;
    auto found = llvm::find(family.names, name);
    auto type = MemRefType::get({1}, builder.getI64Type());
    if (found == family.names.end() || program.getResultTypes()[number] != type)
      return program.emitError("result #")
             << number << " says size '" << name.getValue() << "', which the family does not have, or is no " << type;
    isSize.set(number);
    Value place = AliasOp::create(builder, end->getLoc(), type, program.getArguments().back(),
                                  builder.getI64IntegerAttr(found - family.names.begin()));
    CopyOp::create(builder, end->getLoc(), end->getOperand(number), place);
  }
  end->eraseOperands(isSize);
  return program.eraseResults(isSize);
}

/// The sizes that are computed of which an item needs to know one: what its kernel reads of the buffer of sizes.
SmallVector<unsigned, 2> Join::listComputed(Operation *item, Value sizes) {
  SmallVector<unsigned, 2> needed;
  item->walk([&](LaunchOp launch) {
    auto kernel = SymbolTable::lookupNearestSymbolFrom<FuncOp>(item, launch.getCalleeAttr());
    for (auto [number, operand] : llvm::enumerate(launch->getOperands())) {
      if (operand != sizes)
        continue;
      for (Operation *user : kernel.getArgument(number).getUsers())
        if (APInt place; matchPattern(cast<LoadOp>(user).getIndex(), m_ConstantInt(&place)))
          if (family.isComputed[place.getZExtValue()])
            needed.push_back(place.getZExtValue());
    }
  });
  return needed;
}

namespace {

/// Puts the items of a program in an order in which each stands behind what it needs, and otherwise as they were.
class ItemOrder {
public:
  /// `needs` says which items must stand in front of one, wherever they stand now; it knows all that there is of the
  /// buffer `except`.
  ItemOrder(Block &block, Value except, llvm::function_ref<SmallVector<Operation *>(Operation *)> needs)
      : block(block) {
    llvm::DenseMap<Value, SmallVector<Operation *>> readers, writers;
    for (Operation &item : block.without_terminator()) {
      SmallVector<Operation *> &before = dependences[&item];
      before = needs(&item);
      SmallVector<ItemAccess> accesses = listAccesses(&item);
      for (const ItemAccess &access : accesses) {
        if (Operation *definition = access.buffer.getDefiningOp())
          before.push_back(definition);
        Value root = getRoot(access.buffer);
        if (root == except)
          continue;
        llvm::append_range(before, writers[root]);
        if (access.isWritten)
          llvm::append_range(before, readers[root]);
      }
      llvm::erase(before, &item);
      for (const ItemAccess &access : accesses)
        if (Value root = getRoot(access.buffer); root != except)
          (access.isWritten ? writers : readers)[root].push_back(&item);
    }
  }

  LogicalResult apply() {
    std::vector<Operation *> items;
    for (Operation &item : block.without_terminator())
      items.push_back(&item);
    for (Operation *item : items)
      if (failed(place(item)))
        return failure();
    return success();
  }

private:
  LogicalResult place(Operation *first) {
    // Depth first without recursion: a program may have thousands of items in a chain.
    SmallVector<std::pair<Operation *, size_t>> open = {{first, 0}};
    isOpen.insert(first);
    while (!open.empty()) {
      auto &[item, next] = open.back();
      ArrayRef<Operation *> before = dependences[item];
      if (isPlaced.contains(item) || next == before.size()) {
        if (isPlaced.insert(item).second)
          item->moveBefore(block.getTerminator());
        isOpen.erase(item);
        open.pop_back();
        continue;
      }
      Operation *needed = before[next++];
      if (isPlaced.contains(needed))
        continue;
      if (!isOpen.insert(needed).second)
        return needed->emitError("needs a size that is computed from its result");
      open.push_back({needed, 0});
    }
    return success();
  }

  Block &block;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> dependences;
  llvm::DenseSet<Operation *> isPlaced, isOpen;
};

} // namespace

LogicalResult Join::orderBySizes(ProgramOp program) {
  Value sizes = program.getArguments().back();
  llvm::DenseMap<unsigned, Operation *> writers;
  for (auto copy : program.getBody().front().getOps<CopyOp>())
    if (auto place = copy.getTarget().getDefiningOp<AliasOp>(); place && place.getSource() == sizes)
      writers[place.getOffset()] = copy;
  if (writers.empty())
    return success();
  return ItemOrder(program.getBody().front(), sizes,
                   [&](Operation *item) {
                     SmallVector<Operation *> needed;
                     for (unsigned size : listComputed(item, sizes))
                       needed.push_back(writers.lookup(size));
                     return needed;
                   })
      .apply();
}

} // namespace tiny::kernel
