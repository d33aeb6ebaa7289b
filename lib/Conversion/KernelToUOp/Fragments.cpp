// Products of matrices on ranges of kind fragment: the lanes of a subgroup hold what varies along them together. Two of
// these ranges are rows and columns of the sums, the third one is summed up. A factor is read as a matrix, so its index
// is wanted at the matrix's corner; what is computed of a sum has a copy for each element that the lane holds of it.
#include "Emitter.h"

#include "Tiny/Analysis/Kernel/AccessStride.h"
#include "Tiny/Analysis/Kernel/MatrixProduct.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Dialect/Target/Target.h"
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

/// The range of kind fragment that the reduce is over; null where there is none, failure of several.
static FailureOr<kernel::RangeOp> findDepth(kernel::ReduceOp reduce,
                                            llvm::function_ref<bool(kernel::RangeOp)> isFragment) {
  kernel::RangeOp depth;
  for (Value value : reduce.getRanges())
    if (auto range = value.getDefiningOp<kernel::RangeOp>(); isFragment(range)) {
      if (depth)
        return reduce.emitError() << "is over two ranges of kind fragment";
      depth = range;
    }
  return depth;
}

bool Emitter::isHeldTile(Value buffer) const {
  auto stage = buffer.getDefiningOp<kernel::StageOp>();
  return stage && stage.getSpace() == kernel::StageSpace::Register && llvm::any_of(stage.getRanges(), [&](Value range) {
           AxisRole role = nest->getAxes()[nest->getAxis(range.getDefiningOp<kernel::RangeOp>())].role;
           return role == AxisRole::Fragment || role == AxisRole::Special;
         });
}

bool Emitter::isColumns(kernel::RangeOp range) const { return fragmentColumns.contains(range); }

LogicalResult Emitter::findProduct(kernel::ReduceOp reduce, kernel::RangeOp depth, const kernel::MatrixProduct &match) {
  FragmentProduct product;
  auto findMatrix = [&](Value factor) {
    auto load = factor.getDefiningOp<kernel::LoadOp>();
    return load && !load.getGate() && !isHeldTile(load.getBuffer()) ? load : kernel::LoadOp();
  };
  Value leftValue = match.left;
  kernel::LoadOp left = findMatrix(leftValue), right = findMatrix(match.right);
  if (left && !right) {
    std::swap(left, right);
    leftValue = match.right;
  }
  // What lanes hold is the sum of a product in front of it.
  if (!right || (!left && !fragmentRows))
    return reduce.emitError("is a product of fragments whose factors are not read as they are");
  bool isHeld = !left;
  SmallVector<kernel::RangeOp> ofLeft = getFragmentRanges(leftValue), ofRight = getFragmentRanges(right);
  auto takeOther = [&](ArrayRef<kernel::RangeOp> ranges) {
    return ranges.size() == 2 && llvm::is_contained(ranges, depth) ? ranges[ranges[0] == depth] : kernel::RangeOp();
  };
  kernel::RangeOp rows = takeOther(ofLeft), columns = takeOther(ofRight);
  if (!rows || !columns || rows == columns)
    return reduce.emitError("is a product of fragments whose factors do not vary along two of them each");
  // Which factor comes first is the device's choice.
  int64_t length = depth.getExtent();
  auto findShape = [&](kernel::RangeOp m, kernel::RangeOp n) {
    return llvm::find_if(options.matrices, [&](const cost::MatrixShape &shape) {
      // What a team holds of a sum is as many left factors as it has of their columns.
      bool isParts = isHeld && shape.subgroups > 1 && length % shape.k == 0;
      return shape.m == static_cast<int64_t>(m.getExtent()) && shape.n == static_cast<int64_t>(n.getExtent()) &&
             (shape.k == length || isParts);
    });
  };
  auto has = [&](kernel::RangeOp m, kernel::RangeOp n) { return findShape(m, n) != options.matrices.end(); };
  bool isTurned = fragmentRows ? fragmentRows == columns : !has(rows, columns) && has(columns, rows);
  // A team reads a right factor of tf32 along the depth alone.
  if (!fragmentRows && !isHeld && match.factorType.isTF32() && has(rows, columns) && has(columns, rows) &&
      findShape(rows, columns)->subgroups > 1) {
    FailureOr<std::pair<int64_t, bool>> layout = findLayout(right, depth, columns);
    isTurned = succeeded(layout) && !layout->second;
  }
  if (isTurned && !isHeld) {
    std::swap(left, right);
    std::swap(rows, columns);
    leftValue = left;
  }
  if (fragmentRows &&
      (fragmentRows != rows || kernel::RangeOp(fragmentColumns.front()).getExtent() != columns.getExtent()))
    return reduce.emitError("is a product of other fragments than those of another one in the kernel");
  // What the lanes hold of a sum is a factor as it is where they hold both alike.
  if (isHeld && depth.getExtent() != columns.getExtent())
    return reduce.emitError() << "is a product of what lanes hold over " << depth.getExtent()
                              << " elements at a time, expected " << columns.getExtent() << " as in a sum";
  fragmentRows = rows;
  fragmentColumns.insert(columns);
  if (has(rows, columns)) {
    const auto *shape = findShape(rows, columns);
    teamSubgroups = shape->subgroups;
    product.parts = length / shape->k;
    length = shape->k;
  }
  if (isHeld) {
    setHeld(product.left, leftValue);
    product.left.type = FragmentType::get(builder.getContext(), FragmentRole::Left, rows.getExtent(), length,
                                          match.factorType, teamSubgroups);
  }
  product.left.load = left;
  product.right.load = right;
  for (auto [factor, first, second] :
       {std::tuple(&product.left, rows, depth), std::tuple(&product.right, depth, columns)}) {
    if (!factor->load)
      continue;
    FailureOr<std::pair<int64_t, bool>> layout = findLayout(factor->load, first, second);
    if (failed(layout))
      return factor->load->emitError("reads no matrix: along one range of kind fragment elements must be neighbours, "
                                     "along the other rows must not overlap");
    std::tie(factor->stride, factor->isTransposed) = *layout;
    bool isLeft = factor == &product.left;
    factor->type = FragmentType::get(builder.getContext(), isLeft ? FragmentRole::Left : FragmentRole::Right,
                                     isLeft ? int64_t(first.getExtent()) : length,
                                     isLeft ? length : int64_t(second.getExtent()), match.factorType, teamSubgroups);
    products.insert(factor->load);
  }
  product.sum = FragmentType::get(builder.getContext(), FragmentRole::Sum, rows.getExtent(), columns.getExtent(),
                                  reduce.getResult(0).getType(), teamSubgroups);
  products.insert_range(match.inside);
  fragmentProducts[reduce] = product;
  return success();
}

/// The value before it is rounded to what nothing but sums of widened elements reads, over one range of fragments each.
static arith::TruncFOp findRounded(Value value, llvm::function_ref<bool(kernel::RangeOp)> isFragment) {
  auto isSum = [&](Operation *user) {
    auto reduce = dyn_cast<kernel::ReduceOp>(user);
    return reduce && llvm::any_of(reduce.getRanges(),
                                  [&](Value range) { return isFragment(range.getDefiningOp<kernel::RangeOp>()); });
  };
  auto isProduct = [&](Operation *user) {
    return isa<arith::MulFOp>(user) && user->hasOneUse() && isSum(*user->getUsers().begin());
  };
  auto narrowed = value.getDefiningOp<arith::TruncFOp>();
  if (!narrowed || !narrowed.getIn().getType().isF32())
    return nullptr;
  bool isOfSums = llvm::all_of(narrowed->getUsers(), [&](Operation *widened) {
    return isa<arith::ExtFOp>(widened) &&
           llvm::all_of(widened->getUsers(), [&](Operation *user) { return isSum(user) || isProduct(user); });
  });
  return isOfSums ? narrowed : nullptr;
}

void Emitter::setHeld(FragmentFactor &factor, Value value) {
  factor.held = value;
  if (auto narrowed = findRounded(value, [&](kernel::RangeOp range) { return isFragment(range); })) {
    products.insert(narrowed);
    factor.held = narrowed.getIn();
  }
}

bool Emitter::findRowProduct(kernel::ReduceOp reduce, kernel::RangeOp depth) {
  auto widened = reduce.getInputs().front().getDefiningOp<arith::ExtFOp>();
  arith::TruncFOp narrowed =
      widened ? findRounded(widened.getIn(), [&](kernel::RangeOp range) { return isFragment(range); }) : nullptr;
  if (!narrowed || reduce.getKind() != arith::AtomicRMWKind::addf || !nest->getClosedLoops(reduce).empty())
    return false;
  int64_t rows = fragmentRows.getExtent(), columns = depth.getExtent();
  Type factor = narrowed.getType(), sum = reduce.getResult(0).getType();
  const auto *found = llvm::find_if(options.matrices, [&](const cost::MatrixShape &shape) {
    return shape.m == rows && shape.n == columns && shape.subgroups == teamSubgroups &&
           (teamSubgroups > 1 ? columns % shape.k == 0 : shape.k == columns) &&
           shape.input == tiny::target::getElementType(factor) && shape.sum == tiny::target::getElementType(sum);
  });
  if (found == options.matrices.end())
    return false;
  MLIRContext *context = builder.getContext();
  FragmentProduct product;
  setHeld(product.left, widened.getIn());
  products.insert(widened);
  product.parts = columns / found->k;
  product.left.type = FragmentType::get(context, FragmentRole::Left, rows, found->k, factor, teamSubgroups);
  product.right.type = FragmentType::get(context, FragmentRole::Right, found->k, columns, factor, teamSubgroups);
  product.sum = FragmentType::get(context, FragmentRole::Sum, rows, columns, sum, teamSubgroups);
  fragmentProducts[reduce] = product;
  return true;
}

LogicalResult Emitter::findFragments() {
  llvm::SmallDenseSet<Operation *> used;
  auto isOfFragments = [&](kernel::RangeOp range) { return isFragment(range); };
  for (Operation *op : order) {
    auto reduce = dyn_cast<kernel::ReduceOp>(op);
    if (!reduce)
      continue;
    FailureOr<kernel::RangeOp> depth = findDepth(reduce, isOfFragments);
    if (failed(depth))
      return failure();
    if (!*depth)
      continue;
    std::string reason;
    std::optional<kernel::MatrixProduct> match = kernel::matchMatrixProduct(reduce, reason);
    // A matrix by a matrix is summed up over a third axis; rows of what a product in front gave, over one of two.
    if (fragmentRows && reduce.getKind() && reduce.mayReorder() && reduce.getInputs().size() == 1 &&
        getFragmentRanges(reduce.getInputs().front()).size() == 2) {
      findRowProduct(reduce, *depth);
      continue;
    }
    if (!match)
      return reduce.emitError() << "is over range id(" << (*depth).getId() << ") of kind fragment: " << reason;
    if (failed(findProduct(reduce, *depth, *match)))
      return failure();
    used.insert(*depth);
  }
  if (failed(findHeldTiles()) || (fragmentRows && failed(findRowReduces())))
    return failure();
  for (auto [number, axis] : llvm::enumerate(nest->getAxes())) {
    if (axis.role != AxisRole::Fragment)
      continue;
    kernel::RangeOp range = axis.range;
    if (range == fragmentRows)
      fragmentAxis = number;
    if (range != fragmentRows && !isColumns(range) && !used.contains(range))
      return range.emitError("range of kind fragment belongs to no product of matrices");
  }
  if (!fragmentAxis)
    return success();
  if (options.subgroup == 0)
    return fragmentRows.emitError("range of kind fragment needs subgroups, which the device's record does not state");
  int64_t elements = int64_t(fragmentRows.getExtent()) * int64_t(kernel::RangeOp(fragmentColumns.front()).getExtent());
  int64_t lanes = options.subgroup * teamSubgroups;
  if (elements % lanes != 0)
    return fragmentRows.emitError() << "sums of " << elements << " elements are not shared evenly by " << lanes
                                    << " lanes";
  heldElements = elements / lanes;
  return success();
}

/// All lanes store different elements, or one of them stores.
LogicalResult Emitter::checkSubgroupStores(ArrayRef<kernel::RangeOp> subgroups) {
  for (Operation *op : order) {
    if (!isa<kernel::StoreOp, kernel::StageOp>(op))
      continue;
    ArrayRef<unsigned> open = sets->getOpenOfOperands(op);
    auto stage = dyn_cast<kernel::StageOp>(op);
    if (stage && isHeldTile(stage.getTile()))
      continue;
    SmallVector<kernel::RangeOp> all(subgroups);
    auto isOpen = [&](kernel::RangeOp range) { return llvm::is_contained(open, sets->getPosition(range)); };
    if (fragmentAxis) {
      const kernel::RangeOp *columns = llvm::find_if(fragmentColumns, isOpen);
      all.append({fragmentRows, columns == fragmentColumns.end() ? fragmentColumns.front() : *columns});
    }
    auto count = llvm::count_if(all, isOpen);
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
  // A range of kind warp is of teams where several subgroups hold a fragment.
  int64_t together = options.subgroup * teamSubgroups, lanes = 1;
  for (AxisList &members : localAxes)
    lanes *= getExtent(members.front());
  if (localAxes.empty()) {
    lanes = count * together;
    localAxes.emplace_back();
    localIndices.push_back(
        uop::SpecialOp::create(builder, loc, builder.getIndexType(), uop::HardwareAxis::Local, 0, lanes));
  }
  if (lanes != count * together)
    return kernel.emitError() << "kernel has " << count << (teamSubgroups > 1 ? " teams of " : " subgroups of ")
                              << together << " lanes, and " << lanes << " lanes of kind local and group_reduce";
  Value number = constant(builder.getIndexAttr(0));
  if (count > 1)
    number =
        uop::SpecialOp::create(builder, loc, builder.getIndexType(),
                               teamSubgroups > 1 ? uop::HardwareAxis::Team : uop::HardwareAxis::Subgroup, 0, count);
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
    assert((range == fragmentRows || isColumns(range) || !wanted.contains({range.getResult(), Full})) &&
           "what varies along the depth is a part of a product");
  }
  auto isWanted = [&](kernel::RangeOp range) { return wanted.contains({range.getResult(), Full}); };
  if (!isWanted(fragmentRows) && llvm::none_of(fragmentColumns, isWanted))
    return success();
  auto type = VectorType::get(heldElements, builder.getIndexType());
  auto place = uop::FragmentPlaceOp::create(builder, kernel.getLoc(), type, type, fragmentProducts.begin()->second.sum);
  auto give = [&](kernel::RangeOp range, Value held) {
    Packet &packet = packets[{range.getResult(), Full}];
    for (int64_t k : llvm::seq(heldElements)) {
      Value index = vector::ExtractOp::create(builder, range.getLoc(), held, k);
      packet.push_back(sym::RangeOfOp::create(builder, range.getLoc(), index, builder.getI64IntegerAttr(0),
                                              builder.getI64IntegerAttr(range.getExtent() - 1)));
    }
  };
  give(fragmentRows, place.getRows());
  for (kernel::RangeOp columns : fragmentColumns)
    give(columns, place.getColumns());
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
  /// The matrices of one factor: each is made in front of its first use.
  struct Matrices {
    const FragmentFactor &factor;
    SmallVector<unsigned> where;
    /// Indices, or elements that the lane holds, one matrix after the other.
    Packet elements;
    Packet made;
    /// Of what the lane holds, the elements of each matrix.
    Packet vectors;
  };
  auto describe = [&](const FragmentFactor &factor) {
    if (factor.held) {
      AxisList axes = getCopyAxes(factor.held), outer = axes;
      llvm::erase(outer, *fragmentAxis);
      Packet held = read(factor.held, axes), elements;
      for (unsigned position : findElements(outer, axes))
        elements.push_back(held[position]);
      return Matrices{factor, project(all, outer), elements, Packet(countCopies(outer) * product.parts),
                      Packet(countCopies(outer))};
    }
    kernel::LoadOp load = factor.load;
    if (!load)
      return Matrices{factor, project(all, {}), {}, Packet(product.parts), {}};
    AxisList axes = getCopyAxes(load.getIndex(), Corner);
    Packet indices = read(load.getIndex(), axes, Corner);
    size_t count = indices.size();
    return Matrices{factor, project(all, axes), std::move(indices), Packet(count * product.parts), {}};
  };
  Matrices left = describe(product.left), right = describe(product.right);
  int64_t depth = product.left.type.getColumns();
  auto make = [&](Matrices &matrices, unsigned at, int64_t part) {
    unsigned number = matrices.where[at];
    Value &value = matrices.made[number * product.parts + part];
    if (value)
      return value;
    if (Value held = matrices.factor.held) {
      auto type = VectorType::get(heldElements, held.getType());
      Value &elements = matrices.vectors[number];
      if (!elements)
        elements = vector::FromElementsOp::create(
            builder, held.getLoc(), type, ArrayRef(matrices.elements).slice(number * heldElements, heldElements));
      IntegerAttr from = product.parts > 1 ? builder.getI64IntegerAttr(part * depth) : IntegerAttr();
      return value = uop::FragmentPackOp::create(builder, held.getLoc(), matrices.factor.type, elements, from);
    }
    kernel::LoadOp load = matrices.factor.load;
    if (!load) {
      Value one = constant(builder.getFloatAttr(matrices.factor.type.getScalar(), 1.0));
      return value = uop::FragmentFillOp::create(builder, reduce.getLoc(), matrices.factor.type, one);
    }
    Value index = matrices.elements[number];
    if (part > 0) {
      int64_t distance = part * depth * (matrices.factor.isTransposed ? 1 : matrices.factor.stride);
      index = arith::AddIOp::create(builder, load.getLoc(), index, constant(builder.getIndexAttr(distance)));
    }
    return value = uop::FragmentLoadOp::create(builder, load.getLoc(), matrices.factor.type,
                                               packets[{load.getBuffer(), Full}].front(), index, matrices.factor.stride,
                                               matrices.factor.isTransposed, /*panel=*/IntegerAttr());
  };
  // What lanes hold is there before the first product.
  for (unsigned at : llvm::seq<unsigned>(product.left.held && product.parts > 1 ? points * inner : 0))
    for (int64_t part : llvm::seq(product.parts))
      make(left, at, part);
  for (unsigned step : llvm::seq(inner))
    for (int64_t part : llvm::seq(product.parts))
      for (unsigned point : llvm::seq(points)) {
        unsigned at = point * inner + step;
        Value x = make(left, at, part), y = make(right, at, part);
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
