// Groups of ranks, and what holds of every collective.
#include "Tiny/Support/Collective.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace tiny {

std::optional<CollectiveKind> parseCollectiveKind(StringRef name) {
  return llvm::StringSwitch<std::optional<CollectiveKind>>(name)
      .Case("all_reduce", CollectiveKind::AllReduce)
      .Case("all_gather", CollectiveKind::AllGather)
      .Case("reduce_scatter", CollectiveKind::ReduceScatter)
      .Case("all_to_all", CollectiveKind::AllToAll)
      .Case("broadcast", CollectiveKind::Broadcast)
      .Case("send", CollectiveKind::Send)
      .Default(std::nullopt);
}

bool isCollectiveReduction(StringRef name) {
  return name == "sum" || name == "product" || name == "max" || name == "min" || name == "unsigned_max" ||
         name == "unsigned_min";
}

int64_t countGroup(ArrayRef<int64_t> grid, ArrayRef<int64_t> axes) {
  int64_t count = 1;
  for (int64_t axis : axes)
    count *= grid[axis];
  return count;
}

SmallVector<int64_t> getGroup(int64_t rank, ArrayRef<int64_t> grid, ArrayRef<int64_t> axes) {
  SmallVector<int64_t> strides(grid.size(), 1);
  for (size_t axis = grid.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * grid[axis];
  // The group's first rank, then one axis after the other.
  for (int64_t axis : axes)
    rank -= rank / strides[axis] % grid[axis] * strides[axis];
  SmallVector<int64_t> group = {rank};
  for (int64_t axis : axes) {
    SmallVector<int64_t> next;
    for (int64_t first : group)
      for (int64_t k = 0; k < grid[axis]; ++k)
        next.push_back(first + k * strides[axis]);
    group = std::move(next);
  }
  return group;
}

LogicalResult verifyCollective(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef kindName,
                               std::optional<StringRef> reduction, ArrayRef<int64_t> grid, ArrayRef<int64_t> axes,
                               std::optional<ArrayRef<int64_t>> peers, ShapedType input, ShapedType result) {
  // (collective_c1)
  std::optional<CollectiveKind> kind = parseCollectiveKind(kindName);
  if (!kind)
    return emitError() << "expects a kind of 'all_reduce', 'all_gather', 'reduce_scatter', 'all_to_all', 'broadcast' "
                          "or 'send', got '"
                       << kindName << "'";
  bool reduces = *kind == CollectiveKind::AllReduce || *kind == CollectiveKind::ReduceScatter;
  if (reduces != reduction.has_value() || (reduces && !isCollectiveReduction(*reduction)))
    return emitError() << "expects " << (reduces ? "'sum', 'product', 'max' or 'min'" : "no reduction") << ", got "
                       << (reduction ? "'" + reduction->str() + "'" : std::string("none"));
  // (collective_c2)
  int64_t ranks = 1;
  for (int64_t size : grid) {
    if (size < 1 || ranks > INT32_MAX / size)
      return emitError() << "expects a grid of positive sizes and fewer than 2^31 ranks, got [" << grid << "]";
    ranks *= size;
  }
  llvm::SmallSet<int64_t, 4> seen;
  for (int64_t axis : axes)
    if (axis < 0 || axis >= static_cast<int64_t>(grid.size()) || !seen.insert(axis).second)
      return emitError() << "expects axes of the grid, each once, got [" << axes << "]";
  // (collective_c7)
  int64_t group = countGroup(grid, axes);
  bool sends = *kind == CollectiveKind::Send;
  auto isPlace = [&](int64_t place) { return place >= 0 && place < group; };
  if (sends != peers.has_value() ||
      (sends && (peers->size() != 2 || !llvm::all_of(*peers, isPlace) || peers->front() == peers->back()))) {
    InFlightDiagnostic error = emitError() << "expects ";
    if (sends)
      error << "the places of two peers among " << group << ", got [";
    else
      error << "no peers, got [";
    return error << peers.value_or(ArrayRef<int64_t>()) << "]";
  }
  // (collective_c3)
  SmallVector<int64_t> expected(input.getShape()), own(result.getShape());
  if (*kind == CollectiveKind::AllGather)
    expected.insert(expected.begin(), group);
  else if (*kind == CollectiveKind::ReduceScatter)
    own.insert(own.begin(), group);
  bool hasAxis = *kind != CollectiveKind::AllToAll || (!own.empty() && own.front() == group);
  if (!hasAxis || expected != own || input.getElementType() != result.getElementType())
    return emitError() << "expects shapes of '" << kindName << "' among " << group << " ranks, got " << input << " and "
                       << result;
  return success();
}

} // namespace tiny
