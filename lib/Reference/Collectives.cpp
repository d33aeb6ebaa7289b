// Collectives, each by its definition, from what all ranks of a group leave.
#include "Ranks.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"

using namespace mlir;

namespace tiny::reference {

/// Two elements as one.
static std::optional<Scalar> reduce(StringRef kind, Scalar x, Scalar y, Element type) {
  if (kind == "unsigned_max" || kind == "unsigned_min") {
    type.isUnsigned = true;
    kind = kind.drop_front(StringRef("unsigned_").size());
  }
  if (kind == "max" || kind == "min") {
    bool isMax = kind == "max";
    if (type.isFloat()) {
      double a = asDouble(x, type), b = asDouble(y, type);
      if (std::isnan(a) || std::isnan(b))
        return std::isnan(a) ? x : y;
      // +0 is above -0.
      return (isMax ? a < b : b < a) || (a == b && std::signbit(a) == isMax) ? y : x;
    }
    Wide a = asWide(x, type), b = asWide(y, type);
    return (isMax ? a < b : b < a) ? y : x;
  }
  if (kind != "sum" && kind != "product")
    return std::nullopt;
  bool isSum = kind == "sum";
  if (type.isFloat()) {
    double a = asDouble(x, type), b = asDouble(y, type);
    return fromDouble(isSum ? a + b : a * b, type);
  }
  Wide a = asWide(x, type), b = asWide(y, type);
  return fromWide(isSum ? a + b : a * b, type);
}

/// The first buffer, with the others reduced into it; a new one.
static FailureOr<Buffer> reduceAll(Session &session, Operation *op, StringRef kind, ArrayRef<Buffer> all,
                                   Element type) {
  FailureOr<Buffer> sum = allocate(session, all[0].type(), all[0].count, op->getLoc());
  if (failed(sum))
    return failure();
  for (int64_t k = 0; k < sum->count; ++k) {
    Scalar value = all[0].load(k);
    for (const Buffer &next : all.drop_front()) {
      std::optional<Scalar> both = reduce(kind, value, next.load(k), type);
      if (!both)
        return session.unsupported(op);
      value = *both;
    }
    sum->store(k, value);
  }
  return *sum;
}

FailureOr<Buffer> evaluateCollective(Session &session, Operation *op, StringRef kindName,
                                     std::optional<StringRef> reduction, ArrayRef<int64_t> grid, ArrayRef<int64_t> axes,
                                     std::optional<ArrayRef<int64_t>> peers, const Buffer &input) {
  std::optional<CollectiveKind> kind = parseCollectiveKind(kindName);
  if (!session.ranks || session.ranks->getGrid() != grid || !kind)
    return session.fail(Session::Kind::Unsupported, op->getLoc(),
                        "a collective means nothing where the program's ranks do not run together");
  SmallVector<int64_t> group = getGroup(session.rank, grid, axes);
  int64_t ranks = group.size(), place = llvm::find(group, session.rank) - group.begin();
  bool sends = *kind == CollectiveKind::Send, gives = !sends || place == peers->front();
  // What is left is not written again.
  FailureOr<Buffer> own = allocate(session, input.type(), input.count, op->getLoc());
  if (failed(own))
    return failure();
  for (int64_t k = 0; gives && k < input.count; ++k) {
    if (!input.isWritten(k))
      return session.fail(Session::Kind::Undefined, op->getLoc(),
                          "a collective reads element " + Twine(k) + " of a buffer before it is written");
    own->store(k, input.load(k));
  }
  FailureOr<SmallVector<Buffer>> all = session.ranks->meet(session, op, *own, group);
  if (failed(all))
    return failure();
  Element type{input.type()};
  if (sends && place == peers->back())
    return (*all)[peers->front()];
  if (sends) {
    // Nobody may count on what others get: NaN or -1 shows where somebody does.
    FailureOr<Buffer> poison = allocate(session, input.type(), input.count, op->getLoc());
    if (succeeded(poison))
      std::fill(poison->memory->bytes.begin(), poison->memory->bytes.end(), input.type().width == 1 ? 1 : 0xFF);
    return poison;
  }
  if (*kind == CollectiveKind::Broadcast)
    return (*all)[0];
  if (*kind == CollectiveKind::AllReduce)
    return reduceAll(session, op, *reduction, *all, type);
  if (*kind == CollectiveKind::ReduceScatter) {
    for (Buffer &buffer : *all) {
      buffer.count /= ranks;
      buffer.offset += place * buffer.count;
    }
    return reduceAll(session, op, *reduction, *all, type);
  }
  bool gathers = *kind == CollectiveKind::AllGather;
  int64_t part = gathers ? input.count : input.count / ranks;
  FailureOr<Buffer> result = allocate(session, input.type(), part * ranks, op->getLoc());
  if (failed(result))
    return failure();
  for (auto [number, buffer] : llvm::enumerate(*all))
    for (int64_t k = 0; k < part; ++k)
      result->store(number * part + k, buffer.load((gathers ? 0 : place * part) + k));
  return *result;
}

//===--- On tensors -----------------------------------------------------------------------------------------------===//

static StringRef getName(shard::ReductionKind kind) { return shard::stringifyReductionKind(kind); }

/// What the group's ranks have, as arrays; none after an error.
static FailureOr<SmallVector<Array>> meet(Session &session, Operation *op, const Array &own, ArrayRef<int16_t> axes,
                                          int64_t &place) {
  if (!session.ranks)
    return session.fail(Session::Kind::Unsupported, op->getLoc(),
                        "a collective means nothing where the program's ranks do not run together");
  SmallVector<int64_t> wide(axes.begin(), axes.end());
  SmallVector<int64_t> group = getGroup(session.rank, session.ranks->getGrid(), wide);
  place = llvm::find(group, session.rank) - group.begin();
  FailureOr<Buffer> buffer = allocate(session, own.type.scalar, own.size(), op->getLoc());
  if (failed(buffer))
    return failure();
  writeElements(own.type.scalar, own.values.data(), buffer->memory->bytes.data(), own.size());
  FailureOr<SmallVector<Buffer>> all = session.ranks->meet(session, op, *buffer, group);
  if (failed(all))
    return failure();
  SmallVector<Array> arrays;
  for (const Buffer &other : *all) {
    Array array = own;
    readElements(own.type.scalar, other.memory->bytes.data(), array.values.data(), own.size());
    arrays.push_back(std::move(array));
  }
  return arrays;
}

/// Those of upstream, whose axes are the tensor's own.
static Known evaluateShard(Session &session, Operation *op, const Array &input, Array &result) {
  auto run = [&](ArrayRef<int16_t> axes,
                 llvm::function_ref<std::optional<Scalar>(ArrayRef<Array>, int64_t, ArrayRef<int64_t>)> element) {
    int64_t place = 0;
    FailureOr<SmallVector<Array>> all = meet(session, op, input, axes, place);
    if (failed(all))
      return Known::Failed;
    bool known = true;
    forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      std::optional<Scalar> value = element(*all, place, indices);
      known &= value.has_value();
      if (value)
        result.values[at] = *value;
    });
    return known ? Known::Yes : Known::No;
  };
  auto reduceAt = [&](ArrayRef<Array> all, StringRef kind, ArrayRef<int64_t> from) -> std::optional<Scalar> {
    int64_t at = toLinear(input.shape, from);
    std::optional<Scalar> value = all[0].values[at];
    for (const Array &next : all.drop_front())
      value = value ? reduce(kind, *value, next.values[at], input.type) : value;
    return value;
  };
  if (auto reduction = dyn_cast<shard::AllReduceOp>(op))
    return run(reduction.getGridAxes(), [&](ArrayRef<Array> all, int64_t, ArrayRef<int64_t> indices) {
      return reduceAt(all, getName(reduction.getReduction()), indices);
    });
  if (auto gather = dyn_cast<shard::AllGatherOp>(op)) {
    int64_t axis = gather.getGatherAxis().getSExtValue(), part = input.shape[axis];
    return run(gather.getGridAxes(), [&](ArrayRef<Array> all, int64_t, ArrayRef<int64_t> indices) {
      SmallVector<int64_t> from(indices);
      from[axis] %= part;
      return std::optional<Scalar>(all[indices[axis] / part].values[toLinear(input.shape, from)]);
    });
  }
  if (auto slice = dyn_cast<shard::AllSliceOp>(op)) {
    int64_t axis = slice.getSliceAxis().getSExtValue(), part = result.shape[axis];
    SmallVector<int64_t> axes(slice.getGridAxes().begin(), slice.getGridAxes().end());
    if (!session.ranks)
      return Known::No;
    SmallVector<int64_t> group = getGroup(session.rank, session.ranks->getGrid(), axes);
    int64_t place = llvm::find(group, session.rank) - group.begin();
    forEachIndex(result.shape, [&](int64_t at, ArrayRef<int64_t> indices) {
      SmallVector<int64_t> from(indices);
      from[axis] += place * part;
      result.values[at] = input.values[toLinear(input.shape, from)];
    });
    return Known::Yes;
  }
  if (auto scatter = dyn_cast<shard::ReduceScatterOp>(op)) {
    int64_t axis = scatter.getScatterAxis().getSExtValue(), part = result.shape[axis];
    return run(scatter.getGridAxes(), [&](ArrayRef<Array> all, int64_t place, ArrayRef<int64_t> indices) {
      SmallVector<int64_t> from(indices);
      from[axis] += place * part;
      return reduceAt(all, getName(scatter.getReduction()), from);
    });
  }
  if (auto exchange = dyn_cast<shard::AllToAllOp>(op)) {
    int64_t split = exchange.getSplitAxis().getSExtValue(), concat = exchange.getConcatAxis().getSExtValue();
    return run(exchange.getGridAxes(), [&](ArrayRef<Array> all, int64_t place, ArrayRef<int64_t> indices) {
      SmallVector<int64_t> from(indices);
      int64_t ranks = all.size(), part = input.shape[split] / ranks;
      int64_t stride = split == concat ? part : input.shape[concat], other = indices[concat] / stride;
      from[concat] = indices[concat] % stride;
      from[split] += place * part;
      return std::optional<Scalar>(all[other].values[toLinear(input.shape, from)]);
    });
  }
  if (auto broadcast = dyn_cast<shard::BroadcastOp>(op))
    if (llvm::all_of(broadcast.getRoot(), [](int64_t root) { return root == 0; }))
      return run(broadcast.getGridAxes(), [&](ArrayRef<Array> all, int64_t, ArrayRef<int64_t> indices) {
        return std::optional<Scalar>(all[0].values[toLinear(input.shape, indices)]);
      });
  return Known::No;
}

Known evaluateCollective(Session &session, Operation *op, Operands operands, Array &result) {
  if (isa<shard::ShardDialect>(op->getDialect())) {
    // An annotation changes nothing.
    if (isa<shard::ShardOp>(op)) {
      result.values = operands[0]->values;
      return Known::Yes;
    }
    return operands.empty() ? Known::No : evaluateShard(session, op, *operands[0], result);
  }
  auto collective = dyn_cast<tensor::CollectiveOp>(op);
  if (!collective)
    return Known::No;
  const Array &input = *operands[0];
  FailureOr<Buffer> buffer = allocate(session, input.type.scalar, input.size(), op->getLoc());
  if (failed(buffer))
    return Known::Failed;
  writeElements(input.type.scalar, input.values.data(), buffer->memory->bytes.data(), input.size());
  std::optional<std::string> reduction;
  if (collective.getReduction())
    reduction = (input.type.isUnsigned && collective.getReduction()->starts_with("m") ? "unsigned_" : "") +
                collective.getReduction()->str();
  FailureOr<Buffer> all = evaluateCollective(
      session, op, collective.getKind(), reduction ? std::optional<StringRef>(*reduction) : std::nullopt,
      collective.getGrid(), collective.getAxes(), collective.getPeers(), *buffer);
  if (failed(all))
    return Known::Failed;
  readElements(input.type.scalar, all->memory->bytes.data() + all->offset * all->type().bytes(), result.values.data(),
               result.size());
  return Known::Yes;
}

} // namespace tiny::reference
