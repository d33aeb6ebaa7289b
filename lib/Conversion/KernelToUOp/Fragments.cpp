// Products of matrices on ranges of kind fragment: the lanes of a subgroup hold what varies along them together. Two of
// these ranges are rows and columns of the sums, the third one is summed up. A factor is read as a matrix, so its index
// is wanted at the matrix's corner; what is computed of a sum has a copy for each element that the lane holds of it.
#include "Emitter.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/ReductionIdentity.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::kernel_to_uop {

using uop::FragmentRole;
using uop::FragmentType;

bool Emitter::isFragment(kernel::RangeOp range) const {
  return nest->getAxes()[nest->getAxis(range)].role == AxisRole::Fragment;
}

SmallVector<kernel::RangeOp> Emitter::getFragmentRanges(Value value) const {
  SmallVector<kernel::RangeOp> ranges;
  for (unsigned position : sets->getOpen(value))
    if (kernel::RangeOp range = sets->getRanges()[position]; isFragment(range))
      ranges.push_back(range);
  return ranges;
}

/// How a factor lies in its tile: `stride` elements from row to row, or from column to column.
static FailureOr<std::pair<int64_t, bool>> findLayout(kernel::LoadOp load, kernel::RangeOp rows,
                                                      kernel::RangeOp columns) {
  std::optional<int64_t> rowStride = kernel::AccessStride(rows.getResult()).get(load.getIndex());
  std::optional<int64_t> columnStride = kernel::AccessStride(columns.getResult()).get(load.getIndex());
  if (rowStride && columnStride == std::optional<int64_t>(1) && *rowStride >= static_cast<int64_t>(columns.getExtent()))
    return std::pair(*rowStride, false);
  if (columnStride && rowStride == std::optional<int64_t>(1) && *columnStride >= static_cast<int64_t>(rows.getExtent()))
    return std::pair(*columnStride, true);
  return failure();
}

LogicalResult Emitter::findFragments() {
  llvm::SmallDenseSet<Operation *> used;
  for (Operation *op : order) {
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    kernel::RangeOp depth;
    if (reduce)
      for (Value value : reduce.getRanges())
        if (auto range = value.getDefiningOp<kernel::RangeOp>(); isFragment(range)) {
          if (depth)
            return reduce.emitError() << "is over two ranges of kind fragment";
          depth = range;
        }
    if (!depth)
      continue;
    std::string reason;
    std::optional<kernel::MatrixProduct> match = kernel::matchMatrixProduct(reduce, reason);
    if (!match)
      return reduce.emitError() << "is over range id(" << depth.getId() << ") of kind fragment: " << reason;
    FragmentProduct product;
    auto left = match->left.getDefiningOp<kernel::LoadOp>(), right = match->right.getDefiningOp<kernel::LoadOp>();
    if (!left || !right || left.getGate() || right.getGate())
      return reduce.emitError("is a product of fragments whose factors are not read as they are");
    SmallVector<kernel::RangeOp> ofLeft = getFragmentRanges(left), ofRight = getFragmentRanges(right);
    auto takeOther = [&](ArrayRef<kernel::RangeOp> ranges) {
      return ranges.size() == 2 && llvm::is_contained(ranges, depth) ? ranges[ranges[0] == depth] : kernel::RangeOp();
    };
    kernel::RangeOp rows = takeOther(ofLeft), columns = takeOther(ofRight);
    if (!rows || !columns || rows == columns)
      return reduce.emitError("is a product of fragments whose factors do not vary along two of them each");
    // Which factor comes first is the device's choice.
    auto has = [&](kernel::RangeOp m, kernel::RangeOp n) {
      return llvm::any_of(options.matrices, [&](const cost::MatrixShape &shape) {
        return shape.m == static_cast<int64_t>(m.getExtent()) && shape.n == static_cast<int64_t>(n.getExtent()) &&
               shape.k == static_cast<int64_t>(depth.getExtent());
      });
    };
    bool isTurned =
        fragmentRows ? fragmentRows == columns && fragmentColumns == rows : !has(rows, columns) && has(columns, rows);
    if (isTurned) {
      std::swap(left, right);
      std::swap(rows, columns);
    }
    if (fragmentRows && (fragmentRows != rows || fragmentColumns != columns))
      return reduce.emitError("is a product of other fragments than those of another one in the kernel");
    fragmentRows = rows;
    fragmentColumns = columns;
    product.left.load = left;
    product.right.load = right;
    for (auto [factor, first, second] :
         {std::tuple(&product.left, rows, depth), std::tuple(&product.right, depth, columns)}) {
      FailureOr<std::pair<int64_t, bool>> layout = findLayout(factor->load, first, second);
      if (failed(layout))
        return factor->load->emitError("reads no matrix: along one range of kind fragment elements must be neighbours, "
                                       "along the other rows must not overlap");
      std::tie(factor->stride, factor->isTransposed) = *layout;
      factor->type =
          FragmentType::get(builder.getContext(), factor == &product.left ? FragmentRole::Left : FragmentRole::Right,
                            first.getExtent(), second.getExtent(), factor->load.getType());
    }
    product.sum = FragmentType::get(builder.getContext(), FragmentRole::Sum, rows.getExtent(), columns.getExtent(),
                                    reduce.getResult(0).getType());
    products.insert_range(match->inside);
    products.insert(left);
    products.insert(right);
    used.insert(rows);
    used.insert(columns);
    used.insert(depth);
    fragmentProducts[reduce] = product;
  }
  for (auto [number, axis] : llvm::enumerate(nest->getAxes())) {
    if (axis.role != AxisRole::Fragment)
      continue;
    kernel::RangeOp range = axis.range;
    if (!used.contains(range))
      return range.emitError("range of kind fragment belongs to no product of matrices");
    if (range == fragmentRows || range == fragmentColumns)
      fragmentAxis = fragmentAxis.value_or(number);
  }
  if (!fragmentAxis)
    return success();
  if (options.subgroup == 0)
    return fragmentRows.emitError("range of kind fragment needs subgroups, which the device's record does not state");
  int64_t elements = int64_t(fragmentRows.getExtent()) * int64_t(fragmentColumns.getExtent());
  if (elements % options.subgroup != 0)
    return fragmentRows.emitError() << "sums of " << elements << " elements are not shared evenly by "
                                    << options.subgroup << " lanes";
  heldElements = elements / options.subgroup;
  return success();
}

/// All lanes store different elements, or one of them stores.
LogicalResult Emitter::checkSubgroupStores(ArrayRef<kernel::RangeOp> subgroups) {
  for (Operation *op : order) {
    if (!isa<kernel::StoreOp, kernel::StageOp>(op))
      continue;
    ArrayRef<unsigned> open = sets->getOpenOfOperands(op);
    SmallVector<kernel::RangeOp> all(subgroups);
    if (fragmentAxis)
      all.append({fragmentRows, fragmentColumns});
    auto count =
        llvm::count_if(all, [&](kernel::RangeOp range) { return llvm::is_contained(open, sets->getPosition(range)); });
    if (count != 0 && count != static_cast<int64_t>(all.size()))
      return op->emitError("varies along some of the ranges of kind warp and fragment, and not along others: several "
                           "lanes would store one element");
  }
  return success();
}

LogicalResult Emitter::placeSubgroups() {
  SmallVector<kernel::RangeOp> subgroups;
  int64_t count = 1;
  for (const Axis &axis : nest->getAxes())
    if (kernel::RangeOp range = axis.range; range.getKind() == kernel::AxisKind::Warp) {
      subgroups.push_back(range);
      count *= range.getExtent();
    }
  if (subgroups.empty() && !fragmentAxis)
    return success();
  if (options.subgroup == 0)
    return subgroups.front().emitError("range of kind warp has no hardware axis at the uop level");
  if (failed(checkSubgroupStores(subgroups)))
    return failure();
  Location loc = kernel.getLoc();
  int64_t lanes = 1;
  for (AxisList &members : localAxes)
    lanes *= getExtent(members.front());
  if (localAxes.empty()) {
    lanes = count * options.subgroup;
    localAxes.emplace_back();
    localIndices.push_back(
        uop::SpecialOp::create(builder, loc, builder.getIndexType(), uop::HardwareAxis::Local, 0, lanes));
  }
  if (lanes != count * options.subgroup)
    return kernel.emitError() << "kernel has " << count << " subgroups of " << options.subgroup << " lanes, and "
                              << lanes << " lanes of kind local and group_reduce";
  Value number = constant(builder.getIndexAttr(0));
  if (count > 1)
    number = uop::SpecialOp::create(builder, loc, builder.getIndexType(), uop::HardwareAxis::Subgroup, 0, count);
  int64_t inner = 1;
  for (kernel::RangeOp range : llvm::reverse(subgroups)) {
    Value index = builder.createOrFold<arith::FloorDivSIOp>(loc, number, constant(builder.getIndexAttr(inner)));
    inner *= range.getExtent();
    if (inner != count)
      index = builder.createOrFold<sym::ModOp>(loc, index, constant(builder.getIndexAttr(range.getExtent())));
    packets[{range.getResult(), Full}] = {index};
  }
  return success();
}

LogicalResult Emitter::placeFragments() {
  if (!fragmentAxis)
    return success();
  for (const Axis &axis : nest->getAxes()) {
    if (axis.role != AxisRole::Fragment)
      continue;
    kernel::RangeOp range = axis.range;
    packets[{range.getResult(), Corner}] = {constant(builder.getIndexAttr(0))};
    assert((range == fragmentRows || range == fragmentColumns || !wanted.contains({range.getResult(), Full})) &&
           "what varies along the depth is a part of a product");
  }
  auto isWanted = [&](kernel::RangeOp range) { return wanted.contains({range.getResult(), Full}); };
  if (!isWanted(fragmentRows) && !isWanted(fragmentColumns))
    return success();
  auto type = VectorType::get(heldElements, builder.getIndexType());
  auto place = uop::FragmentPlaceOp::create(builder, kernel.getLoc(), type, type, fragmentProducts.begin()->second.sum);
  for (auto [range, held] :
       {std::pair(fragmentRows, place.getRows()), std::pair(fragmentColumns, place.getColumns())}) {
    Packet &packet = packets[{range.getResult(), Full}];
    for (int64_t k : llvm::seq(heldElements)) {
      Value index = vector::ExtractOp::create(builder, range.getLoc(), held, k);
      packet.push_back(sym::RangeOfOp::create(builder, range.getLoc(), index, builder.getI64IntegerAttr(0),
                                              builder.getI64IntegerAttr(range.getExtent() - 1)));
    }
  }
  return success();
}

Emitter::Packet Emitter::buildFragments(kernel::ReduceOp reduce, const FragmentProduct &product) {
  Value zero =
      constant(getReductionIdentity(*reduce.getKind(), reduce.getResult(0).getType(), builder, reduce.getLoc()));
  Value empty = uop::FragmentFillOp::create(builder, reduce.getLoc(), product.sum, zero);
  return Packet(countCopies(getCopyAxes(reduce.getResult(0), Corner)), empty);
}

void Emitter::combineFragments(kernel::ReduceOp reduce, const FragmentProduct &product, Packet &accumulated) {
  AxisList copyAxes = getCopyAxes(reduce.getResult(0), Corner), all = copyAxes;
  SmallVector<unsigned> closed = nest->getClosedCopies(reduce);
  llvm::append_range(all, closed);
  unsigned points = countCopies(copyAxes), inner = countCopies(closed);
  /// The matrices of one factor: each is loaded in front of its first use.
  struct Matrices {
    const FragmentFactor &factor;
    SmallVector<unsigned> where;
    Packet indices, loaded;
  };
  auto describe = [&](const FragmentFactor &factor) {
    kernel::LoadOp load = factor.load;
    AxisList axes = getCopyAxes(load.getIndex(), Corner);
    Packet indices = read(load.getIndex(), axes, Corner);
    size_t count = indices.size();
    return Matrices{factor, project(all, axes), std::move(indices), Packet(count)};
  };
  Matrices left = describe(product.left), right = describe(product.right);
  auto load = [&](Matrices &matrices, unsigned at) {
    Value &value = matrices.loaded[matrices.where[at]];
    kernel::LoadOp from = matrices.factor.load;
    if (!value)
      value = uop::FragmentLoadOp::create(
          builder, from.getLoc(), matrices.factor.type, packets[{from.getBuffer(), Full}].front(),
          matrices.indices[matrices.where[at]], matrices.factor.stride, matrices.factor.isTransposed);
    return value;
  };
  for (unsigned step : llvm::seq(inner))
    for (unsigned point : llvm::seq(points)) {
      unsigned at = point * inner + step;
      Value x = load(left, at), y = load(right, at);
      accumulated[point] = uop::MmaOp::create(builder, reduce.getLoc(), product.sum, x, y, accumulated[point]);
    }
}

void Emitter::setElements(kernel::ReduceOp reduce, ArrayRef<Value> accumulated) {
  auto type = VectorType::get(heldElements, reduce.getResult(0).getType());
  Packet packet;
  for (Value fragment : accumulated) {
    Value held = uop::FragmentElementsOp::create(builder, reduce.getLoc(), type, fragment);
    for (int64_t k : llvm::seq(heldElements))
      packet.push_back(vector::ExtractOp::create(builder, reduce.getLoc(), held, k));
  }
  packets[{reduce.getResult(0), Full}] = std::move(packet);
}

} // namespace tiny::kernel_to_uop
