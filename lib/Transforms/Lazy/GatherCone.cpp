// Finds what computes the base of a gather, and writes that computation for the picked elements alone.
#include "GatherCone.h"

#include "IndexTensors.h"
#include "Tiny/Analysis/Lazy/LazyGraph.h"
#include "Tiny/Support/Division.h"
#include "Tiny/Algebra/Cost/CostModel.h"
#include "Tiny/Dialect/Target/OpClass.h"
#include "Tiny/Dialect/Target/Target.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace tiny::lazy {

static RankedTensorType tensorOf(Value value) { return cast<RankedTensorType>(value.getType()); }

double GatherCone::countBytes(Value value) {
  Type element = tensorOf(value).getElementType();
  return element.isIntOrFloat() ? llvm::divideCeil(element.getIntOrFloatBitWidth(), 8) : 8;
}

static Attribute getZero(Value value) { return Builder(value.getContext()).getZeroAttr(value.getType()); }

GatherCone::GatherCone(GatherOp gather) : gather(gather) {
  readIndices();
  if (kept)
    root = visit(gather.getBase(), ShapeTracker::identity(tensorOf(gather.getBase()).getShape()));
  if (root)
    count();
}

void GatherCone::readIndices() {
  ArrayRef<int64_t> shape = tensorOf(gather.getBase()).getShape(), resultShape = gather.getType().getShape();
  if (llvm::is_contained(shape, 0) || llvm::is_contained(resultShape, 0))
    return;
  ExprContext context;
  SmallVector<Expr> indices;
  for (int64_t extent : resultShape)
    indices.push_back(context.leaf({0, extent - 1}));
  // The other axes are a row-major buffer of their own, which each element of the result has a position in.
  SmallVector<int64_t> strides(resultShape.size(), 0);
  int64_t offset = 0, stride = 1;
  for (int64_t axis = shape.size(); axis-- > 0;) {
    Expr place = readIndexTensor(context, gather.getIndices()[axis], indices);
    LinearForm form = place ? context.linear(place) : LinearForm();
    auto isLeaf = [&](const LinearForm::Term &term) { return llvm::is_contained(indices, term.atom); };
    if (!place || place->low < 0 || place->high >= shape[axis] || !llvm::all_of(form.terms, isLeaf)) {
      dataAxes.push_back(axis);
      continue;
    }
    for (auto [k, index] : llvm::enumerate(indices))
      strides[k] += stride * static_cast<int64_t>(form.coefficientOf(index));
    offset += stride * static_cast<int64_t>(form.constant);
    stride *= shape[axis];
  }
  std::reverse(dataAxes.begin(), dataAxes.end());
  if (std::optional<View> view = View::get(resultShape, strides, offset))
    kept = ShapeTracker(*view);
}

ShapeTracker GatherCone::findInvariantView(const ShapeTracker &view) const {
  ShapeTracker rest = view;
  for (int64_t axis : llvm::reverse(dataAxes)) {
    // Without the axis, the elements that its mask hides would appear.
    if (!rest || rest.views().back().isAxisMasked(axis))
      return {};
    rest = rest.dropAxis(axis);
  }
  return rest ? rest.compose(kept).simplify() : rest;
}

std::optional<unsigned> GatherCone::visit(Value value, ShapeTracker view, bool isMasked) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isMovement(op))
      break;
    ShapeTracker inner = applyMovement(op, ShapeTracker::identity(tensorOf(op->getOperand(0)).getShape()));
    ShapeTracker both = inner ? inner.compose(view) : ShapeTracker();
    // A movement whose positions overflow is treated as an unknown operation.
    if (!both)
      break;
    isMasked &= inner.isUnmasked();
    view = both.simplify();
    value = op->getOperand(0);
  }
  bool isExact = isMasked || view.isUnmasked();
  auto &nodeOf = known[isExact];
  std::pair<Value, Attribute> key = {value, TrackerAttr::get(gather.getContext(), view)};
  if (auto it = nodeOf.find(key); it != nodeOf.end())
    return it->second;
  if (++visited > kMaxValues)
    return std::nullopt;

  Operation *op = value.getDefiningOp();
  Node node{Node::load, value, view};
  DenseElementsAttr splat;
  if (isExact && matchPattern(value, m_Constant(&splat)) && splat.isSplat()) {
    node.kind = Node::constant;
    node.outside = splat;
  } else if (ShapeTracker invariant = findInvariantView(view)) {
    node.kind = Node::invariant;
    node.view = std::move(invariant);
  } else if (op && isPointwise(op) && !mayTrap(op) && op->getNumRegions() == 0) {
    std::optional<unsigned> computed = isExact ? visitOperation(op, value, view) : visitMasked(value, view);
    if (computed)
      nodeOf[key] = *computed;
    return computed;
  } else {
    node.needsReduction = node.endsReduction = op && (isPointwise(op) || isa<ReduceOp>(op));
    if (!isa_and_present<IotaOp>(op))
      node.outside = getZero(value);
  }
  nodes.push_back(std::move(node));
  return nodeOf[key] = nodes.size() - 1;
}

/// Whether nobody but `user` reads what it reads as `operand`, through views or not.
static bool isOnlyReader(Operation *user, Value operand) {
  while (llvm::all_of(operand.getUsers(), [&](Operation *other) { return other == user; })) {
    user = operand.getDefiningOp();
    if (!user || !isMovement(user))
      return true;
    operand = user->getOperand(0);
  }
  return false;
}

std::optional<unsigned> GatherCone::visitOperation(Operation *op, Value value, const ShapeTracker &view) {
  Node node{Node::compute, value, view};
  SmallVector<Attribute> outside;
  unsigned reductions = 0;
  for (Value operand : op->getOperands().drop_front(isa<GatherOp>(op))) {
    if (!isa<RankedTensorType>(operand.getType())) {
      outside.push_back({});
      continue;
    }
    std::optional<unsigned> source = visit(operand, view, /*isMasked=*/true);
    if (!source)
      return std::nullopt;
    const Node &input = nodes[*source];
    if (input.needsReduction && !llvm::is_contained(node.operands, *source)) {
      ++reductions;
      node.endsReduction = input.endsReduction && isOnlyReader(op, operand);
    }
    node.operands.push_back(*source);
    auto splat = dyn_cast_if_present<DenseElementsAttr>(input.outside);
    outside.push_back(splat ? Attribute(splat.resizeSplat(tensorOf(operand))) : Attribute());
  }
  node.needsReduction = reductions != 0;
  node.endsReduction = node.endsReduction && reductions == 1;
  SmallVector<OpFoldResult> folded;
  if (node.endsReduction)
    node.outside = getZero(value);
  // With all operands constant nothing is folded in place. Kernels compute functions, but not arithmetic, nearly only.
  else if (isa<arith::ArithDialect>(op->getDialect()) && llvm::all_of(outside, [](Attribute attr) { return attr; }) &&
           succeeded(op->fold(outside, folded)) && folded.size() == 1)
    node.outside = dyn_cast_if_present<DenseElementsAttr>(dyn_cast<Attribute>(folded.front()));
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

std::optional<unsigned> GatherCone::visitMasked(Value value, const ShapeTracker &view) {
  std::optional<unsigned> inner = visit(value, view, /*isMasked=*/true);
  // A base that ends a reduction is gathered through the mask, and reads as zero there.
  if (!inner || nodes[*inner].endsReduction)
    return inner;
  Node node{Node::masked, value, view, {*inner}};
  node.needsReduction = nodes[*inner].needsReduction;
  node.outside = getZero(value);
  nodes.push_back(std::move(node));
  return nodes.size() - 1;
}

bool GatherCone::isLookup() const {
  if (!isValid() || endsReduction() || nodes[*root].kind != Node::load)
    return false;
  return !isIndex(nodes[*root]);
}

bool GatherCone::isIndex(const Node &node) {
  auto iota = node.value.getDefiningOp<IotaOp>();
  return iota && node.view.isIdentity(iota.getType().getShape());
}

void GatherCone::count() {
  const cost::CostModel costs(target::findMachine(nodes[*root].value.getParentRegion()->getParentOp()));
  isNeeded.assign(nodes.size(), false);
  isNeeded[*root] = true;
  for (unsigned k = nodes.size(); k-- > 0;) {
    const Node &node = nodes[k];
    if (!isNeeded[k])
      continue;
    if (node.endsReduction)
      storedInstead.push_back(node.value);
    if (node.endsReduction || node.kind == Node::load)
      bytesRead += isa_and_present<IotaOp>(node.value.getDefiningOp()) ? 0 : countBytes(node.value);
    if (node.endsReduction || (node.kind != Node::compute && node.kind != Node::masked))
      continue;
    ++operations;
    weight += node.kind == Node::masked ? 1 : costs.getWeight(target::classify(node.value.getDefiningOp()));
    if (auto inner = node.value.getDefiningOp<GatherOp>(); inner && node.kind == Node::compute)
      bytesRead += countBytes(inner.getBase());
    for (unsigned operand : node.operands)
      isNeeded[operand] = true;
  }
}

Value GatherCone::writeLoad(OpBuilder &builder, const Node &node) {
  Location loc = gather.getLoc();
  ArrayRef<int64_t> shape = tensorOf(gather.getBase()).getShape();
  auto type = tensorOf(node.value).clone(gather.getType().getShape());
  if (isIndex(node)) {
    Value index = gather.getIndices()[node.value.getDefiningOp<IotaOp>().getAxis()];
    unsigned from = tensorOf(index).getElementTypeBitWidth(), to = type.getElementTypeBitWidth();
    if (from == to)
      return index;
    return from < to ? arith::ExtSIOp::create(builder, loc, type, index).getResult()
                     : arith::TruncIOp::create(builder, loc, type, index).getResult();
  }
  Value base = builder.createOrFold<ViewOp>(loc, type.clone(shape), node.value,
                                            TrackerAttr::get(gather.getContext(), node.view));
  return GatherOp::create(builder, loc, type, base, gather.getIndices(), /*outside=*/nullptr);
}

Value GatherCone::writeNode(OpBuilder &builder, const Node &node, ArrayRef<Value> written) {
  auto type = tensorOf(node.value).clone(gather.getType().getShape());
  if (node.endsReduction || node.kind == Node::load)
    return writeLoad(builder, node);
  if (node.kind == Node::constant)
    return arith::ConstantOp::create(builder, node.value.getLoc(),
                                     cast<DenseElementsAttr>(node.outside).resizeSplat(type));
  if (node.kind == Node::invariant)
    return builder.createOrFold<ViewOp>(gather.getLoc(), type, node.value,
                                        TrackerAttr::get(gather.getContext(), node.view));
  if (node.kind == Node::masked)
    return writeSelection(builder, node.view, written[node.operands.front()],
                          builder.getZeroAttr(type.getElementType()));
  Operation *op = node.value.getDefiningOp();
  SmallVector<Value> operands(op->getOperands());
  unsigned next = 0;
  for (Value &operand : MutableArrayRef(operands).drop_front(isa<GatherOp>(op)))
    if (isa<RankedTensorType>(operand.getType()))
      operand = written[node.operands[next++]];
  auto types = llvm::map_to_vector(op->getResultTypes(), [&](Type result) -> Type {
    return cast<RankedTensorType>(result).clone(gather.getType().getShape());
  });
  Operation *picked = builder.create(op->getLoc(), op->getName().getIdentifier(), operands, types, op->getAttrs());
  return picked->getResult(cast<OpResult>(node.value).getResultNumber());
}

Value GatherCone::writeSelection(OpBuilder &builder, const ShapeTracker &view, Value value, Attribute other) {
  // A gather of the truth tells where that is.
  Location loc = gather.getLoc();
  RankedTensorType type = tensorOf(value), conditions = tensorOf(gather.getBase()).clone(builder.getI1Type());
  int64_t last = 0;
  if (auto range = view.getRange())
    last = range->second;
  Value truth = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(RankedTensorType::get({last + 1}, builder.getI1Type()), true));
  truth = builder.createOrFold<ViewOp>(loc, conditions, truth, TrackerAttr::get(builder.getContext(), view));
  Value isInside = GatherOp::create(builder, loc, type.clone(builder.getI1Type()), truth, gather.getIndices(),
                                    /*outside=*/nullptr);
  Value constant = arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(type, other));
  return arith::SelectOp::create(builder, loc, isInside, value, constant);
}

Value GatherCone::write() {
  OpBuilder builder(gather);
  SmallVector<Value> written(nodes.size());
  for (auto [k, node] : llvm::enumerate(nodes))
    if (isNeeded[k])
      written[k] = writeNode(builder, node, written);
  Value result = written[*root];
  Attribute zero = builder.getZeroAttr(gather.getType().getElementType());
  Attribute outside = gather.getOutsideAttr() ? Attribute(gather.getOutsideAttr()) : zero;
  auto there = dyn_cast_if_present<DenseElementsAttr>(nodes[*root].outside);
  if (dataAxes.empty() || (there && there.getSplatValue<Attribute>() == outside))
    return result;
  auto identity = ShapeTracker::identity(tensorOf(gather.getBase()).getShape());
  return writeSelection(builder, identity, result, outside);
}

} // namespace tiny::lazy
