// kernel-fuse-collectives: one message for several small collectives.
//
// Items are nodes of a graph. A fused collective is several of them taken for one, which waits for what each waits for;
// two are fused only where neither is reached from the other in the graph with all that is fused already, so that
// there is still an order.
#include "ItemGraph.h"
#include "Tiny/Algebra/Cost/Network.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Collective.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "llvm/ADT/BitVector.h"
#include <set>

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELFUSECOLLECTIVES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

namespace {

/// Without a network: what a fast one sends within the latency of a message.
constexpr int64_t kMostBytes = 1 << 16;
/// The newest bundles that a collective may join: whether it may is a walk over the program.
constexpr size_t kMostTried = 8;

/// What must be the same of those that are fused. Attributes are compared, never ordered by address.
bool isAlike(CollectiveOp a, CollectiveOp b) {
  return a.getKind() == b.getKind() && a.getReductionAttr() == b.getReductionAttr() && a.getGrid() == b.getGrid() &&
         a.getAxes() == b.getAxes() && a->getAttr(kPlacesAttr) == b->getAttr(kPlacesAttr) &&
         a.getSource().getType().getElementType() == b.getSource().getType().getElementType();
}

/// Collectives of one list that become one, by number of item.
struct Bundle {
  SmallVector<unsigned> members;
  int64_t bytes = 0;
};

/// One list.
class Fusion {
public:
  Fusion(Block &block, int64_t maxBytes) : block(block), maxBytes(maxBytes), items(block) {}

  /// How many collectives became part of another one.
  unsigned run();

private:
  bool isCandidate(CollectiveOp op) const;
  int64_t findLimit(CollectiveOp op) const;
  void collect();
  bool reaches(unsigned from, unsigned to) const;
  std::vector<unsigned> orderItems() const;
  Value join(ArrayRef<Value> buffers, OpBuilder &builder);
  void fuse(const Bundle &bundle);

  CollectiveOp getCollective(unsigned item) const { return dyn_cast<CollectiveOp>(items.items[item]); }

  Block &block;
  int64_t maxBytes;
  ItemGraph items;
  std::vector<SmallVector<unsigned, 4>> behind;
  std::vector<Bundle> bundles;
  /// By item, its bundle, or -1.
  std::vector<int> bundleOf;
  llvm::DenseSet<Value> returned, taken;
};

} // namespace

bool Fusion::isCandidate(CollectiveOp op) const {
  std::optional<CollectiveKind> kind = parseCollectiveKind(op.getKind());
  if (op.getAsync() || (kind != CollectiveKind::AllReduce && kind != CollectiveKind::Broadcast))
    return false;
  // Buffers become parts of one. What is returned should not be a part, which would be copied.
  return llvm::all_of(op->getOperands(), [&](Value buffer) {
    auto alloc = buffer.getDefiningOp<AllocOp>();
    return alloc && alloc->getBlock() == &block && !returned.contains(buffer) && !taken.contains(buffer);
  });
}

int64_t Fusion::findLimit(CollectiveOp op) const {
  if (maxBytes >= 0)
    return maxBytes;
  const cost::Machine &machine = target::findMachine(op);
  if (machine.network.front().ranks == 0)
    return kMostBytes;
  const cost::Distance &distance = cost::findDistance(machine, cost::findSpan(op.getGrid(), op.getAxes()));
  // 10^6 bytes a second in nanoseconds.
  return static_cast<int64_t>(static_cast<double>(distance.latency) * static_cast<double>(distance.bandwidth) / 1e3);
}

/// Whether one item, or what is fused with it, comes before another one in every order.
bool Fusion::reaches(unsigned from, unsigned to) const {
  llvm::BitVector seen(items.items.size());
  SmallVector<unsigned> open;
  auto visit = [&](unsigned item) {
    if (bundleOf[item] < 0) {
      if (!seen.test(item))
        open.push_back(item);
      seen.set(item);
      return;
    }
    for (unsigned member : bundles[bundleOf[item]].members)
      if (!seen.test(member)) {
        seen.set(member);
        open.push_back(member);
      }
  };
  visit(from);
  while (!open.empty())
    for (unsigned next : behind[open.pop_back_val()])
      visit(next);
  return seen.test(to);
}

void Fusion::collect() {
  for (unsigned item = 0; item < items.items.size(); ++item) {
    CollectiveOp op = getCollective(item);
    if (!op || !isCandidate(op))
      continue;
    int64_t bytes = countBytes(op.getSource()), limit = findLimit(op);
    if (bytes > limit)
      continue;
    auto fits = [&](const Bundle &bundle) {
      unsigned first = bundle.members.front();
      return bundle.bytes + bytes <= limit && isAlike(getCollective(first), op) && !reaches(first, item) &&
             !reaches(item, first);
    };
    size_t number = bundles.size();
    for (size_t tried = bundles.size(), least = tried - std::min(tried, kMostTried); tried > least; --tried)
      if (fits(bundles[tried - 1])) {
        number = tried - 1;
        break;
      }
    if (number == bundles.size())
      bundles.emplace_back();
    bundles[number].members.push_back(item);
    bundles[number].bytes += bytes;
    bundleOf[item] = static_cast<int>(number);
    taken.insert(op->operand_begin(), op->operand_end());
  }
}

/// What is fused stands where the last of its members stood, and all else as near to its place as can be.
std::vector<unsigned> Fusion::orderItems() const {
  size_t size = items.items.size();
  auto getPlace = [&](unsigned item) { return bundleOf[item] < 0 ? item : bundles[bundleOf[item]].members.back(); };
  // By place, what it waits for.
  std::vector<unsigned> waits(size);
  for (unsigned item = 0; item < size; ++item)
    waits[getPlace(item)] += items.graph.before[item].size();
  std::set<unsigned> ready;
  for (unsigned item = 0; item < size; ++item)
    if (getPlace(item) == item && waits[item] == 0)
      ready.insert(item);
  std::vector<unsigned> order;
  while (!ready.empty()) {
    unsigned place = *ready.begin();
    ready.erase(ready.begin());
    SmallVector<unsigned> members = {place};
    if (bundleOf[place] >= 0)
      members = bundles[bundleOf[place]].members;
    for (unsigned member : members) {
      order.push_back(member);
      for (unsigned next : behind[member])
        if (--waits[getPlace(next)] == 0)
          ready.insert(getPlace(next));
    }
  }
  return order;
}

/// One buffer, of which these become parts.
Value Fusion::join(ArrayRef<Value> buffers, OpBuilder &builder) {
  int64_t count = 0;
  Operation *first = buffers.front().getDefiningOp();
  for (Value buffer : buffers) {
    count += cast<MemRefType>(buffer.getType()).getNumElements();
    if (buffer.getDefiningOp()->isBeforeInBlock(first))
      first = buffer.getDefiningOp();
  }
  builder.setInsertionPoint(first);
  Type element = cast<MemRefType>(buffers.front().getType()).getElementType();
  Value whole = AllocOp::create(builder, first->getLoc(), MemRefType::get({count}, element));
  int64_t offset = 0;
  for (Value buffer : buffers) {
    builder.setInsertionPoint(buffer.getDefiningOp());
    auto type = cast<MemRefType>(buffer.getType());
    Value part = AliasOp::create(builder, buffer.getLoc(), type, whole, offset);
    offset += type.getNumElements();
    Operation *alloc = buffer.getDefiningOp();
    buffer.replaceAllUsesWith(part);
    alloc->erase();
  }
  return whole;
}

void Fusion::fuse(const Bundle &bundle) {
  SmallVector<Value> sources, targets;
  SmallVector<Location> locations;
  for (unsigned member : bundle.members) {
    CollectiveOp op = getCollective(member);
    sources.push_back(op.getSource());
    targets.push_back(op.getTarget());
    locations.push_back(op.getLoc());
  }
  CollectiveOp last = getCollective(bundle.members.back());
  OpBuilder builder(last);
  Value source = join(sources, builder), target = join(targets, builder);
  builder.setInsertionPoint(last);
  auto fused = CollectiveOp::create(builder, builder.getFusedLoc(locations), last.getKindAttr(), source, target,
                                    last.getGridAttr(), last.getAxesAttr(), last.getReductionAttr(),
                                    last.getPeersAttr(), UnitAttr());
  if (Attribute places = last->getAttr(kPlacesAttr))
    fused->setAttr(kPlacesAttr, places);
  Remarks("kernel-fuse-collectives", fused)
      .passed(fused.getLoc(), "fused",
              "one '" + fused.getKind() + "' of " + Twine(bundle.bytes) + " bytes instead of " +
                  Twine(bundle.members.size()),
              {{"collectives", double(bundle.members.size())}, {"bytes", double(bundle.bytes)}});
  for (unsigned member : bundle.members)
    getCollective(member)->erase();
}

unsigned Fusion::run() {
  if (llvm::count_if(items.items, llvm::IsaPred<CollectiveOp>) < 2)
    return 0;
  if (auto end = dyn_cast<ReturnOp>(block.back()))
    for (Value result : end->getOperands())
      returned.insert(getRoot(result));
  behind.resize(items.items.size());
  bundleOf.assign(items.items.size(), -1);
  for (auto [item, before] : llvm::enumerate(items.graph.before))
    for (unsigned other : before)
      behind[other].push_back(item);
  collect();
  for (Bundle &bundle : bundles)
    if (bundle.members.size() == 1)
      bundleOf[bundle.members.front()] = -1;
  if (llvm::all_of(bundles, [](const Bundle &bundle) { return bundle.members.size() == 1; }))
    return 0;
  reorderItems(items, orderItems(), block);
  unsigned fused = 0;
  for (const Bundle &bundle : bundles)
    if (bundle.members.size() > 1) {
      fuse(bundle);
      fused += bundle.members.size() - 1;
    }
  return fused;
}

namespace {

struct FuseCollectives : impl::KernelFuseCollectivesBase<FuseCollectives> {
  using KernelFuseCollectivesBase::KernelFuseCollectivesBase;

  void runOnOperation() override {
    SmallVector<Block *> lists;
    getOperation()->walk([&](Operation *op) {
      for (Region &region : op->getRegions())
        for (Block &block : region)
          lists.push_back(&block);
    });
    unsigned fused = 0;
    for (Block *list : lists)
      fused += Fusion(*list, maxBytes).run();
    numFused += fused;
    if (!fused)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace tiny::kernel
