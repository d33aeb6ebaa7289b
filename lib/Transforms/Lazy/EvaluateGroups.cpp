// lazy-evaluate-groups: a small kernel that reads nothing but constants is one.
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/ReductionIdentity.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/Lazy/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace tiny::lazy {
#define GEN_PASS_DEF_LAZYEVALUATEGROUPS
#include "Tiny/Transforms/Lazy/Passes.h.inc"

namespace {

using Elements = SmallVector<Attribute>;

/// Evaluates the body of one group by the folders of its operations, element by element. What has no folder, or folds
/// to something else than a constant, has no value.
class Evaluator {
public:
  Evaluator(GroupOp group, int64_t budget) : group(group), budget(budget) {}

  /// Why there are no results.
  std::string whyNot;
  /// Whether the limit on elements is why.
  bool hasTooMany() const { return budget < 0; }

  /// The results, or nothing. All inputs are constants.
  std::optional<SmallVector<DenseElementsAttr>> run() {
    for (auto [argument, input] : llvm::zip_equal(group.getBody().getArguments(), group.getInputs())) {
      DenseElementsAttr constant;
      if (!matchPattern(input, m_Constant(&constant)))
        return std::nullopt;
      if ((budget -= constant.getNumElements()) < 0) {
        whyNot = kTooMany.str();
        return std::nullopt;
      }
      values[argument] = Elements(constant.getValues<Attribute>());
    }
    for (Operation &op : group.getBody().front().without_terminator())
      if (!evaluate(&op)) {
        whyNot = budget < 0 ? kTooMany.str() : ("what " + op.getName().getStringRef() + " gives is not known").str();
        return std::nullopt;
      }
    SmallVector<DenseElementsAttr> results;
    for (Value value : group.getBody().front().getTerminator()->getOperands())
      results.push_back(DenseElementsAttr::get(cast<RankedTensorType>(value.getType()), values[value]));
    return results;
  }

private:
  static constexpr llvm::StringLiteral kTooMany = "it has more elements than may be evaluated (max-elements)";

  bool evaluate(Operation *op) {
    for (Type type : op->getResultTypes()) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrIndexOrFloat() ||
          (budget -= tensor.getNumElements()) < 0)
        return false;
    }
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant))) {
      values[op->getResult(0)] = Elements(constant.getValues<Attribute>());
      return true;
    }
    if (auto iota = dyn_cast<IotaOp>(op))
      return evaluateIota(iota);
    if (isa<KeepOp>(op)) {
      values[op->getResult(0)] = Elements(values[op->getOperand(0)]);
      return true;
    }
    if (isMovement(op))
      return evaluateMovement(op);
    if (auto reduce = dyn_cast<ReduceOp>(op))
      return evaluateReduce(reduce);
    return isElementwise(op) && evaluateElementwise(op);
  }

  bool evaluateIota(IotaOp iota) {
    auto type = cast<RankedTensorType>(iota.getType());
    int64_t stride = 1, extent = type.getDimSize(iota.getAxis());
    for (int64_t size : type.getShape().drop_front(iota.getAxis() + 1))
      stride *= size;
    Builder builder(iota.getContext());
    for (int64_t k = 0; k < type.getNumElements(); ++k)
      values[iota.getResult()].push_back(builder.getIntegerAttr(type.getElementType(), k / stride % extent));
    values.try_emplace(iota.getResult());
    return true;
  }

  bool evaluateMovement(Operation *op) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    auto shape = cast<RankedTensorType>(op->getOperand(0).getType()).getShape();
    ShapeTracker tracker = applyMovement(op, ShapeTracker::identity(shape));
    if (!tracker)
      return false;
    Attribute zero = Builder(op->getContext()).getZeroAttr(type.getElementType());
    Elements source = values[op->getOperand(0)], moved;
    for (int64_t k = 0; k < type.getNumElements(); ++k) {
      std::optional<int64_t> position = tracker.evaluateLinear(k);
      moved.push_back(position ? source[*position] : zero);
    }
    values[op->getResult(0)] = std::move(moved);
    return true;
  }

  bool evaluateElementwise(Operation *op) {
    SmallVector<Type> types =
        llvm::map_to_vector(op->getResultTypes(), [](Type type) { return getElementTypeOrSelf(type); });
    Block scratch;
    SmallVector<Value> arguments;
    for (Value operand : op->getOperands())
      arguments.push_back(scratch.addArgument(getElementTypeOrSelf(operand.getType()), op->getLoc()));
    OpBuilder builder(op->getContext());
    Operation *scalar = builder.create(op->getLoc(), op->getName().getIdentifier(), arguments, types, op->getAttrs());
    scratch.push_back(scalar);
    SmallVector<Elements> results(types.size());
    int64_t count = cast<RankedTensorType>(op->getResult(0).getType()).getNumElements();
    for (int64_t k = 0; k < count; ++k) {
      SmallVector<Attribute> operands;
      for (Value operand : op->getOperands()) {
        const Elements &source = values[operand];
        operands.push_back(source[isa<RankedTensorType>(operand.getType()) ? k : 0]);
      }
      std::optional<SmallVector<Attribute>> folded = fold(scalar, operands);
      if (!folded)
        return false;
      for (auto [own, value] : llvm::zip_equal(results, *folded))
        own.push_back(value);
    }
    for (auto [result, own] : llvm::zip_equal(op->getResults(), results))
      values[result] = std::move(own);
    return true;
  }

  /// Folds an operation on block arguments with these values.
  static std::optional<SmallVector<Attribute>> fold(Operation *scalar, ArrayRef<Attribute> operands) {
    SmallVector<OpFoldResult> folded;
    if (failed(scalar->fold(operands, folded)) || folded.size() != scalar->getNumResults())
      return std::nullopt;
    SmallVector<Attribute> results;
    for (auto [result, type] : llvm::zip_equal(folded, scalar->getResultTypes())) {
      auto attr = dyn_cast<Attribute>(result);
      if (!attr)
        attr = operands[cast<BlockArgument>(cast<Value>(result)).getArgNumber()];
      auto typed = dyn_cast<TypedAttr>(attr);
      if (!typed || typed.getType() != type)
        return std::nullopt;
      results.push_back(attr);
    }
    return results;
  }

  bool evaluateReduce(ReduceOp reduce) {
    std::optional<arith::AtomicRMWKind> kind = reduce.getKind();
    if (!kind || reduce.getInputs().size() != 1)
      return false;
    auto type = cast<RankedTensorType>(reduce.getInputs().front().getType());
    Location loc = reduce.getLoc();
    Block scratch;
    Value accumulator = scratch.addArgument(type.getElementType(), loc),
          element = scratch.addArgument(type.getElementType(), loc);
    OpBuilder builder(reduce.getContext());
    builder.setInsertionPointToEnd(&scratch);
    Value combined = arith::getReductionOp(*kind, builder, loc, accumulator, element);
    TypedAttr identity = getReductionIdentity(*kind, type.getElementType(), builder, loc);
    if (!combined || !identity)
      return false;
    // In row-major order; the strides of the result's axes are 0 where they are reduced.
    SmallVector<int64_t> strides(type.getRank(), 0);
    int64_t count = 1;
    for (int64_t axis = type.getRank(); axis-- > 0;)
      if (!llvm::is_contained(reduce.getAxes(), axis)) {
        strides[axis] = count;
        count *= type.getDimSize(axis);
      }
    Elements results(count, identity);
    const Elements source = values[reduce.getInputs().front()];
    for (auto [k, value] : llvm::enumerate(source)) {
      int64_t rest = k, position = 0;
      for (int64_t axis = type.getRank(); axis-- > 0; rest /= type.getDimSize(axis))
        position += rest % type.getDimSize(axis) * strides[axis];
      std::optional<SmallVector<Attribute>> folded = fold(combined.getDefiningOp(), {results[position], value});
      if (!folded)
        return false;
      results[position] = folded->front();
    }
    values[reduce.getResult(0)] = std::move(results);
    return true;
  }

  GroupOp group;
  int64_t budget; ///< elements that may still be evaluated
  llvm::DenseMap<Value, Elements> values;
};

struct LazyEvaluateGroups : impl::LazyEvaluateGroupsBase<LazyEvaluateGroups> {
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([&](GroupOp group) {
      DenseElementsAttr constant;
      bool isConstant =
          llvm::all_of(group.getInputs(), [&](Value input) { return matchPattern(input, m_Constant(&constant)); });
      if (!isConstant)
        return;
      StringRef label = group.getLabel().value_or("group");
      Remarks remarks("lazy-evaluate-groups", group);
      int64_t bytes = 0;
      for (Type type : group.getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type); tensor.getElementType().isIntOrFloat())
          bytes += tensor.getNumElements() * llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
      if (bytes > maxBytes) {
        remarks.missed(group.getLoc(), "evaluate",
                       "'" + label + "' stays: its results have " + Twine(bytes) + " bytes (max-bytes)",
                       {{"bytes", double(bytes)}, {"limit", double(maxBytes)}});
        return;
      }
      Evaluator evaluator(group, maxElements);
      std::optional<SmallVector<DenseElementsAttr>> results = evaluator.run();
      if (!results) {
        ReasonNumber limit{"limit", double(maxElements)};
        remarks.missed(group.getLoc(), "evaluate", "'" + label + "' stays: " + evaluator.whyNot,
                       evaluator.hasTooMany() ? ArrayRef(limit) : ArrayRef<ReasonNumber>());
        return;
      }
      remarks.passed(group.getLoc(), "evaluate", "'" + label + "' becomes constants, " + Twine(bytes) + " bytes",
                     {{"bytes", double(bytes)}, {"limit", double(maxBytes)}});
      OpBuilder builder(group);
      for (auto [result, value] : llvm::zip_equal(group.getResults(), *results))
        result.replaceAllUsesWith(arith::ConstantOp::create(builder, group.getLoc(), value));
      group.erase();
      ++evaluated;
    });
  }
};

} // namespace
} // namespace tiny::lazy
