// Orders the live operations of a kernel inside each loop, and emits the loops. Combine.cpp emits single operations.
#include "Emitter.h"

#include <set>

using namespace mlir;

namespace tiny::kernel_to_uop {

Emitter::Emitter(kernel::FuncOp kernel, uop::FuncOp target, const EmitOptions &options)
    : kernel(kernel), target(target), options(options), builder(target.getContext()) {}

LogicalResult Emitter::run() {
  if (failed(collectLive()))
    return failure();
  sets.emplace(order);
  FailureOr<LoopNest> built = LoopNest::build(order, options.hasLanes);
  if (failed(built))
    return failure();
  nest = std::move(*built);
  if (options.vectorize)
    laneAxes = llvm::map_to_vector(kernel::chooseVectorAxes(order, *sets, options.maxCopies, distances),
                                   [&](kernel::RangeOp range) { return nest->getAxis(range); });
  if (failed(findFragments()) || failed(findDots()))
    return failure();
  findProducts();
  markForms();

  for (auto [from, to] : llvm::zip_equal(kernel.getBody().getArguments(), target.getBody().getArguments()))
    packets[{from, Full}] = {to};
  builder.setInsertionPointToEnd(&target.getBody().front());
  uop::ReturnOp::create(builder, kernel.getLoc());
  builder.setInsertionPoint(&target.getBody().front().back());
  if (failed(emitHardwareAxes()) || failed(buildItems()))
    return failure();
  return emitBlock(LoopNest::kRoot);
}

LogicalResult Emitter::collectLive() {
  SmallVector<Operation *> all = kernel::sortByDependence(kernel.getBody().front());
  llvm::DenseSet<Operation *> live;
  for (Operation *op : llvm::reverse(all)) {
    bool isStore = isa<kernel::StoreOp>(op);
    if (!isStore && !isMemoryEffectFree(op))
      return op->emitOpError("has effects and cannot be put in order; a kernel's only effects are its stores");
    if (!isStore && !live.contains(op))
      continue;
    live.insert(op);
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp())
        live.insert(def);
  }
  llvm::copy_if(all, std::back_inserter(order), [&](Operation *op) { return live.contains(op); });
  return success();
}

void Emitter::placePoints(kernel::RangeOp range) {
  int64_t points = range.getExtent();
  Value value = range.getResult();
  SmallVector<Attribute> steps;
  for (int64_t point : llvm::seq(points))
    steps.push_back(builder.getIndexAttr(point));
  if (wanted.contains({value, FirstLane}))
    packets[{value, FirstLane}] = {constant(builder.getIndexAttr(0))};
  if (wanted.contains({value, Full}))
    packets[{value, Full}] = {constant(DenseElementsAttr::get(VectorType::get(points, builder.getIndexType()), steps))};
}

LogicalResult Emitter::emitHardwareAxes() {
  if (failed(placeLanes()) || failed(checkHeldLanes()) || failed(placeSubgroups()) || failed(placeFragments()))
    return failure();
  unsigned counts[3] = {0, 0, 0};
  for (auto [i, axis] : llvm::enumerate(nest->getAxes())) {
    kernel::RangeOp range = axis.range;
    Value value = range.getResult();
    if (axis.role == AxisRole::Copies) {
      if (llvm::is_contained(laneAxes, i)) {
        placePoints(range);
        continue;
      }
      if (static_cast<int64_t>(range.getExtent()) > options.maxCopies)
        return range.emitError() << "range of kind " << kernel::stringifyAxisKind(range.getKind()) << " has "
                                 << range.getExtent()
                                 << " points, and each would be a copy of what depends on it; at most "
                                 << options.maxCopies << " are made";
      Packet &packet = packets[{value, Full}];
      for (int64_t point : llvm::seq<int64_t>(range.getExtent()))
        packet.push_back(constant(builder.getIndexAttr(point)));
      continue;
    }
    if (axis.role == AxisRole::Dot)
      placePoints(range);
    if (axis.role != AxisRole::Special)
      continue;
    uop::HardwareAxis hardware;
    switch (range.getKind()) {
    case kernel::AxisKind::Global:
      hardware = uop::HardwareAxis::Global;
      break;
    case kernel::AxisKind::Local:
    case kernel::AxisKind::Warp:
    case kernel::AxisKind::GroupReduce:
      continue;
    case kernel::AxisKind::Thread:
      hardware = uop::HardwareAxis::Thread;
      break;
    default:
      return range.emitError() << "range of kind " << kernel::stringifyAxisKind(range.getKind())
                               << " has no hardware axis at the uop level";
    }
    unsigned dim = counts[static_cast<unsigned>(hardware)]++;
    if (dim == 3)
      return range.emitError() << "kernel has more than 3 ranges of kind "
                               << kernel::stringifyAxisKind(range.getKind());
    packets[{value, Full}] = {
        uop::SpecialOp::create(builder, range.getLoc(), builder.getIndexType(), hardware, dim, range.getExtent())};
  }
  return success();
}

void Emitter::markForms() {
  auto want = [&](Value value, Form form) { wanted.insert({value, getForm(value, form)}); };
  for (Operation *op : llvm::reverse(order)) {
    if (auto range = dyn_cast<kernel::RangeOp>(op)) {
      if (range.getSize())
        want(range.getSize(), Full);
      continue;
    }
    if (auto product = fragmentProducts.find(op); product != fragmentProducts.end()) {
      for (const FragmentFactor *factor : {&product->second.left, &product->second.right})
        if (factor->held)
          want(factor->held, Full);
        else if (factor->load)
          want(kernel::LoadOp(factor->load).getIndex(), Corner);
      continue;
    }
    if (auto store = dyn_cast<kernel::StoreOp>(op)) {
      auto distance = distances.find(store);
      want(store.getIndex(), distance != distances.end() && distance->second == 0 ? Full : FirstLane);
      want(store.getValue(), Full);
      if (store.getGate())
        want(store.getGate(), Full);
      continue;
    }
    if (auto stage = dyn_cast<kernel::StageOp>(op)) {
      want(stage.getValue(), Full);
      if (isHeldTile(stage.getTile()))
        continue;
      for (Value range : stage.getRanges())
        want(range, FirstLane);
      continue;
    }
    if (auto scan = dyn_cast<kernel::ScanOp>(op)) {
      want(scan.getInput(), Full);
      continue;
    }
    for (Form form : {Full, FirstLane, Corner}) {
      if (llvm::none_of(op->getResults(), [&](Value result) { return wanted.contains({result, form}); }))
        continue;
      if (auto load = dyn_cast<kernel::LoadOp>(op)) {
        if (isHeldTile(load.getBuffer()))
          continue;
        auto distance = distances.find(load);
        bool isGather = form == Full && distance != distances.end() && distance->second == 0;
        want(load.getIndex(), isGather ? Full : form == Corner ? Corner : FirstLane);
        if (load.getGate())
          want(load.getGate(), form);
        continue;
      }
      for (Value operand : op->getOperands())
        want(operand, form);
    }
  }
}

//===--- Order ----------------------------------------------------------------------------------------------------===//

/// Loads as early as they can, stores as late.
unsigned Emitter::getPriority(Operation *op) const {
  auto load = dyn_cast<kernel::LoadOp>(op);
  if (!load)
    return isa<kernel::StoreOp>(op) ? 3 : 1;
  // Lanes that fill several tiles wait for each other once.
  auto stage = load.getBuffer().getDefiningOp<kernel::StageOp>();
  return stage && isShared(stage) ? 2 : 0;
}

LogicalResult Emitter::addEdge(Operation *user, int home, Value operand) {
  Operation *def = operand.getDefiningOp();
  if (!def || isa<kernel::RangeOp>(def))
    return success();
  auto found = itemOfOp.find(def);
  if (found == itemOfOp.end())
    return success(); // A constant.
  int block = nest->getResultHome(def);
  unsigned source = found->second;
  if (SmallVector<unsigned> closed = nest->getClosedLoops(def); !closed.empty())
    source = itemOfLoop[closed.front()];
  bool isAncestor;
  int child = nest->getChildTowards(block, home, isAncestor);
  unsigned sink = child == LoopNest::kRoot ? itemOfOp.lookup(user) : itemOfLoop[child];
  if (!isAncestor || source == sink) {
    InFlightDiagnostic diag =
        user->emitError("needs a value that no loop around it can see: a range would need two loops");
    diag.attachNote(def->getLoc()) << "the value is computed here";
    return diag;
  }
  items[source].users.push_back(sink);
  ++items[sink].pending;
  return success();
}

LogicalResult Emitter::buildItems() {
  blocks.resize(nest->getAxes().size() + 1);
  closing.resize(nest->getAxes().size());
  scanning.resize(nest->getAxes().size());
  filling.resize(nest->getAxes().size());
  accumulating.resize(nest->getAxes().size());
  itemOfLoop.resize(nest->getAxes().size());
  // Loops come first, so that an edge may name one; a loop takes the position of the first thing in it.
  for (unsigned loop : nest->getLoops()) {
    itemOfLoop[loop] = items.size();
    blocks[nest->getParent(loop) + 1].push_back(items.size());
    items.push_back({nullptr, static_cast<int>(loop), 1, static_cast<unsigned>(order.size()), 0, {}});
  }
  for (auto [position, op] : llvm::enumerate(order)) {
    if (isa<kernel::RangeOp>(op) || products.contains(op))
      continue;
    if (auto constantOp = dyn_cast<arith::ConstantOp>(op)) {
      packets[{constantOp.getResult(), Full}] = {constant(constantOp.getValue())};
      continue;
    }
    int home = nest->getHome(op);
    for (int loop = home; loop != LoopNest::kRoot; loop = nest->getParent(loop))
      items[itemOfLoop[loop]].position = std::min(items[itemOfLoop[loop]].position, static_cast<unsigned>(position));
    itemOfOp[op] = items.size();
    blocks[home + 1].push_back(items.size());
    items.push_back({op, LoopNest::kRoot, getPriority(op), static_cast<unsigned>(position), 0, {}});
    if (auto reduce = dyn_cast<kernel::ReduceOp>(op))
      for (unsigned loop : nest->getClosedLoops(reduce))
        closing[loop].push_back(reduce);
    if (auto scan = dyn_cast<kernel::ScanOp>(op))
      scanning[home].push_back(scan);
    if (auto stage = dyn_cast<kernel::StageOp>(op))
      if (SmallVector<unsigned> loops = nest->getClosedLoops(stage); !loops.empty()) {
        if (isShared(stage))
          filling[loops.front()].push_back(stage);
        if (!nest->getAccumulatingLoops(stage).empty())
          accumulating[loops.front()].push_back(stage);
      }
  }
  // A loop begins when its size is known.
  for (unsigned loop : nest->getLoops()) {
    kernel::RangeOp range = nest->getAxes()[loop].range;
    if (!range.getSize())
      continue;
    itemOfOp[range] = itemOfLoop[loop];
    if (failed(addEdge(range, nest->getParent(loop), range.getSize())))
      return failure();
    itemOfOp.erase(range);
  }
  for (Operation *op : order) {
    auto found = itemOfOp.find(op);
    if (found == itemOfOp.end())
      continue;
    int home = nest->getHome(op);
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    for (Value operand : op->getOperands()) {
      Operation *def = operand.getDefiningOp();
      if (def && products.contains(def)) {
        SmallVector<Value> pending(def->getOperands());
        while (!pending.empty()) {
          Value factor = pending.pop_back_val();
          if (Operation *inside = factor.getDefiningOp(); inside && products.contains(inside))
            llvm::append_range(pending, inside->getOperands());
          else if (failed(addEdge(op, home, factor)))
            return failure();
        }
        continue;
      }
      // A reduce needs its initial values where its outermost loop begins.
      bool isInit = reduce && llvm::is_contained(reduce.getInits(), operand);
      SmallVector<unsigned> closed = isInit ? nest->getClosedLoops(reduce) : SmallVector<unsigned>();
      if (closed.empty()) {
        if (failed(addEdge(op, home, operand)))
          return failure();
        continue;
      }
      unsigned own = found->second;
      std::swap(itemOfOp[op], itemOfLoop[closed.front()]);
      LogicalResult added = addEdge(op, nest->getParent(closed.front()), operand);
      std::swap(itemOfOp[op], itemOfLoop[closed.front()]);
      assert(itemOfOp[op] == own);
      (void)own;
      if (failed(added))
        return failure();
    }
  }
  return success();
}

LogicalResult Emitter::emitBlock(int loop) {
  // By priority, then as written.
  auto later = [&](unsigned a, unsigned b) {
    return std::tie(items[a].priority, items[a].position, a) < std::tie(items[b].priority, items[b].position, b);
  };
  std::set<unsigned, decltype(later)> ready(later);
  ArrayRef<unsigned> block = blocks[loop + 1];
  for (unsigned item : block)
    if (items[item].pending == 0)
      ready.insert(item);
  size_t emitted = 0;
  while (!ready.empty()) {
    Item &item = items[*ready.begin()];
    ready.erase(ready.begin());
    if (failed(item.op ? emitOp(item.op) : emitLoop(item.loop)))
      return failure();
    ++emitted;
    for (unsigned user : item.users)
      if (--items[user].pending == 0)
        ready.insert(user);
  }
  if (emitted == block.size())
    return success();
  const unsigned *stuck =
      llvm::find_if(block, [&](unsigned item) { return items[item].pending != 0 && !items[item].op; });
  assert(stuck != block.end() && "operations wait for each other only where a loop is between them");
  kernel::RangeOp range = nest->getAxes()[items[*stuck].loop].range;
  return range.emitError() << "range id(" << range.getId()
                           << ") needs two loops: what it encloses depends on a reduce over it";
}

LogicalResult Emitter::emitLoop(unsigned loop) {
  kernel::RangeOp range = nest->getAxes()[loop].range;
  // In a loop around this one, lanes that are behind still read the tile.
  if (!filling[loop].empty() && nest->getParent(loop) != LoopNest::kRoot)
    uop::BarrierOp::create(builder, range.getLoc());
  for (kernel::StageOp stage : accumulating[loop])
    emitNeutral(stage);
  Packet inits;
  SmallVector<size_t> sizes;
  for (kernel::ReduceOp reduce : closing[loop]) {
    if (nest->getClosedLoops(reduce).front() == loop)
      accumulators[reduce] = buildInits(reduce);
    sizes.push_back(accumulators[reduce].size());
    llvm::append_range(inits, accumulators[reduce]);
  }
  for (kernel::ScanOp scan : scanning[loop])
    llvm::append_range(inits, buildInits(scan));
  Value bound = range.getSize() ? packets.lookup({range.getSize(), Full}).front()
                                : constant(builder.getIndexAttr(range.getExtent()));
  auto loopOp = uop::ForOp::create(builder, range.getLoc(), bound, inits);
  packets[{range.getResult(), Full}] = {loopOp.getInductionVar()};
  auto distribute = [&](ValueRange values) -> size_t {
    size_t begin = 0;
    for (auto [reduce, size] : llvm::zip_equal(closing[loop], sizes)) {
      accumulators[reduce] = Packet(values.slice(begin, size));
      begin += size;
    }
    return begin;
  };
  size_t next = distribute(loopOp.getRegionIterArgs());
  for (kernel::ScanOp scan : scanning[loop]) {
    size_t size = countCopies(getCopyAxes(scan.getResult()));
    running[scan] = Packet(ValueRange(loopOp.getRegionIterArgs()).slice(next, size));
    next += size;
  }
  {
    OpBuilder::InsertionGuard guard(builder);
    Block *body = loopOp.getBody();
    if (body->empty())
      builder.setInsertionPointToEnd(body);
    else
      builder.setInsertionPoint(body->getTerminator());
    if (failed(emitBlock(loop)))
      return failure();
    if (!inits.empty()) {
      Packet yielded;
      for (kernel::ReduceOp reduce : closing[loop])
        llvm::append_range(yielded, accumulators[reduce]);
      for (kernel::ScanOp scan : scanning[loop])
        llvm::append_range(yielded, running[scan]);
      uop::YieldOp::create(builder, range.getLoc(), yielded);
    }
  }
  distribute(loopOp.getResults());
  if (!filling[loop].empty())
    uop::BarrierOp::create(builder, range.getLoc());
  for (kernel::ReduceOp reduce : closing[loop])
    if (nest->getClosedLoops(reduce).front() == loop)
      setResults(reduce, accumulators[reduce]);
  return success();
}

} // namespace tiny::kernel_to_uop
