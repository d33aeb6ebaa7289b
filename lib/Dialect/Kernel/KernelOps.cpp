// Verifiers and syntax of what stands in a kernel: ranges, accesses, reductions.
#include "Tiny/Dialect/Kernel/Keywords.h"
#include "Tiny/Support/ReductionIdentity.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tiny::kernel;

//===--- Syntax ---------------------------------------------------------------------------------------------------===//

template <typename Attr, typename Enum>
static ParseResult parseWord(OpAsmParser &parser, Attr &attr, std::optional<Enum> symbolize(StringRef),
                             StringRef expected) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef keyword;
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<Enum> value = symbolize(keyword);
  if (!value)
    return parser.emitError(loc, "expected ") << expected << ", got '" << keyword << "'";
  attr = Attr::get(parser.getContext(), *value);
  return success();
}

ParseResult tiny::kernel::parseAxis(OpAsmParser &parser, AxisKindAttr &kind) {
  return parseWord(
      parser, kind, symbolizeAxisKind,
      "an axis kind (global, thread, local, warp, loop, group_reduce, reduce, upcast, unroll, fragment or dot)");
}

ParseResult tiny::kernel::parseSpace(OpAsmParser &parser, StageSpaceAttr &space) {
  return parseWord(parser, space, symbolizeStageSpace, "a space (local or register)");
}

void tiny::kernel::printAxis(OpAsmPrinter &printer, Operation *, AxisKindAttr kind) {
  printer << stringifyAxisKind(kind.getValue());
}

void tiny::kernel::printSpace(OpAsmPrinter &printer, Operation *, StageSpaceAttr space) {
  printer << stringifyStageSpace(space.getValue());
}

// One list of types serves inputs, initial values and results.
static ParseResult parseSameTypes(OpAsmParser &parser, ArrayRef<OpAsmParser::UnresolvedOperand> inits,
                                  SmallVectorImpl<Type> &inputTypes, SmallVectorImpl<Type> &initTypes,
                                  SmallVectorImpl<Type> &resultTypes) {
  if (parser.parseTypeList(inputTypes))
    return failure();
  resultTypes.assign(inputTypes.begin(), inputTypes.end());
  if (!inits.empty())
    initTypes.assign(inputTypes.begin(), inputTypes.end());
  return success();
}

static void printSameTypes(OpAsmPrinter &printer, ReduceOp, OperandRange, TypeRange inputTypes, TypeRange, TypeRange) {
  llvm::interleaveComma(inputTypes, printer);
}

#define GET_OP_CLASSES
#include "Tiny/Dialect/Kernel/KernelOps.cpp.inc"

//===--- Ranges ---------------------------------------------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  // (range_c1) an id is not negative, and schedules may count on from it.
  if (getId() >= uint64_t(1) << 31)
    return emitOpError("id must be at least 0 and below 2^31, got ") << static_cast<int64_t>(getId());
  // (range_c2) a range has at least one point, and fewer than 2^62.
  int64_t extent = getExtent();
  if (extent < 1 || extent >= (int64_t(1) << 62))
    return emitOpError("extent must be at least 1 and below 2^62, got ") << extent;
  // (range_c4) only a loop or a reduce axis ends early: where points are places of hardware or copies, all are there.
  if (getSize() && getKind() != AxisKind::Loop && getKind() != AxisKind::Reduce)
    return emitOpError("of kind ") << stringifyAxisKind(getKind()) << " must have no size";
  return success();
}

LogicalResult SizeAttr::verify(llvm::function_ref<InFlightDiagnostic()> emitError, StringRef name, int64_t least,
                               int64_t most, bool) {
  // (size_c1) its name says something, and its bounds are in order.
  if (name.empty() || least < 0 || most < least || most >= int64_t(1) << 31)
    return emitError() << "expected a name, a least and a greatest value below 2^31, got '" << name << "', " << least
                       << " and " << most;
  return success();
}

void RangeOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  unsigned width = IndexType::kInternalStorageBitWidth;
  setResultRange(getResult(), ConstantIntRanges::fromSigned(APInt(width, 0), APInt(width, getExtent() - 1)));
}

//===--- Reductions -----------------------------------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  // (reduce_c4) inputs and results have the same types, and there is at least one.
  if (getInputs().empty())
    return emitOpError("must have an input");
  if (getInputs().getTypes() != getResultTypes())
    return emitOpError("must have results of its inputs' types, got (")
           << getInputs().getTypes() << ") and (" << getResultTypes() << ")";
  // (reduce_c5) it is over at least one range, each once, each of a kind that can be closed.
  if (getRanges().empty())
    return emitOpError("must be over at least one range");
  llvm::SmallDenseSet<Value> seen;
  for (auto [position, value] : llvm::enumerate(getRanges())) {
    auto range = value.getDefiningOp<RangeOp>();
    if (!range)
      return emitOpError("must be over results of kernel.range, but #") << position << " is not one";
    if (!seen.insert(value).second)
      return emitOpError("is over range ") << range.getId() << " twice";
    if (!isReduceKind(range.getKind())) {
      auto diag = emitOpError("cannot close range ")
                  << range.getId() << " of kind " << stringifyAxisKind(range.getKind())
                  << "; expected reduce, group_reduce, upcast, unroll, fragment or dot";
      diag.attachNote(range.getLoc()) << "the range is here";
      return diag;
    }
  }
  // (reduce_c6) the combiner is a kind, or a region with one initial value per input.
  std::optional<arith::AtomicRMWKind> kind = getKind();
  if (kind.has_value() != getCombiner().empty())
    return emitOpError("must have either a kind or a combiner region");
  if (kind && !getInits().empty())
    return emitOpError("of a kind starts at its identity and takes no initial value");
  if (!kind && getInits().getTypes() != getInputs().getTypes())
    return emitOpError("with a combiner region must have one initial value per input, of its type, got (")
           << getInits().getTypes() << ") for (" << getInputs().getTypes() << ")";
  // (reduce_c7) the kind works on the type.
  if (kind)
    for (Type type : getInputs().getTypes())
      if (!fitsType(*kind, type))
        return emitOpError("kind ") << arith::stringifyAtomicRMWKind(*kind) << " does not work on " << type;
  return success();
}

bool ReduceOp::mayReorder() {
  if (arith::bitEnumContainsAny(getFastmath(), arith::FastMathFlags::reassoc))
    return true;
  if (!getKind())
    return getAssociative() && getCommutative();
  return *getKind() != arith::AtomicRMWKind::addf && *getKind() != arith::AtomicRMWKind::mulf;
}

LogicalResult ReduceOp::verifyRegions() {
  if (getCombiner().empty())
    return success();
  // (reduce_c8) the combiner goes from the accumulators and then the elements to the new accumulators, without effects.
  Block &block = getCombiner().front();
  SmallVector<Type> expected(getInputs().getTypes());
  expected.append(getInputs().getTypes().begin(), getInputs().getTypes().end());
  if (!llvm::equal(block.getArgumentTypes(), expected))
    return emitOpError("combiner must take (") << TypeRange(expected) << "), got (" << block.getArgumentTypes() << ")";
  auto yield = dyn_cast<YieldOp>(block.back());
  if (!yield)
    return emitOpError("combiner must end with kernel.yield, not with ") << block.back().getName();
  if (yield.getOperandTypes() != getResultTypes()) {
    auto diag = emitOpError("combiner must yield (")
                << getResultTypes() << "), got (" << yield.getOperandTypes() << ")";
    diag.attachNote(yield.getLoc()) << "yielded here";
    return diag;
  }
  for (Operation &op : block.without_terminator())
    if (!isMemoryEffectFree(&op) || op.getNumRegions() != 0)
      return op.emitOpError("cannot stand in a combiner, which is scalar compute without effects or regions");
  return success();
}

//===--- Scans ----------------------------------------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  // (scan_c1) it is over a range whose points follow each other.
  auto range = getRange().getDefiningOp<RangeOp>();
  if (!range)
    return emitOpError("must be over a result of kernel.range");
  if (range.getKind() != AxisKind::Loop && range.getKind() != AxisKind::Reduce) {
    auto diag = emitOpError("cannot follow range ")
                << range.getId() << " of kind " << stringifyAxisKind(range.getKind()) << "; expected loop or reduce";
    diag.attachNote(range.getLoc()) << "the range is here";
    return diag;
  }
  // (scan_c2) the kind works on the type, and an identity of it changes no element.
  if (!mayScan(getKind()) || !fitsType(getKind(), getInput().getType()))
    return emitOpError("kind ") << arith::stringifyAtomicRMWKind(getKind()) << " does not work on "
                                << getInput().getType();
  return success();
}

bool tiny::kernel::isScanned(RangeOp range) {
  return llvm::any_of(range->getUsers(), [&](Operation *user) {
    auto scan = dyn_cast<ScanOp>(user);
    return scan && scan.getRange() == range.getResult();
  });
}

//===--- Stages ---------------------------------------------------------------------------------------------------===//

LogicalResult StageOp::verify() {
  // (stage_c1) it is over at least one range, each once, each a loop or copies, or lanes that share the tile.
  if (getRanges().empty())
    return emitOpError("must be over at least one range");
  llvm::SmallDenseSet<Value> seen;
  __int128 points = 1;
  for (auto [position, value] : llvm::enumerate(getRanges())) {
    auto range = value.getDefiningOp<RangeOp>();
    if (!range)
      return emitOpError("must be over results of kernel.range, but #") << position << " is not one";
    if (!seen.insert(value).second)
      return emitOpError("is over range ") << range.getId() << " twice";
    AxisKind kind = range.getKind();
    // Lanes fill what they share, and hold what each of them reads itself.
    bool isOfLanes = kind == AxisKind::Local || (kind == AxisKind::Fragment && getSpace() == StageSpace::Register);
    if (!isOfLanes && kind != AxisKind::Loop && kind != AxisKind::Upcast && kind != AxisKind::Unroll) {
      auto diag = emitOpError("cannot fill a tile along range ")
                  << range.getId() << " of kind " << stringifyAxisKind(kind)
                  << "; expected loop, upcast, unroll or local, or fragment in register space";
      diag.attachNote(range.getLoc()) << "the range is here";
      return diag;
    }
    points = std::min<__int128>(points * range.getExtent(), __int128(1) << 62);
  }
  // (stage_c2) the tile has an element for each point.
  int64_t elements = getTile().getType().getNumElements();
  if (points != elements)
    return emitOpError("has a tile of ") << elements << " elements for " << static_cast<int64_t>(points) << " points";
  return success();
}

ReduceOp StageOp::getAccumulated() {
  auto reduce = getValue().getDefiningOp<ReduceOp>();
  bool fits = getAccumulates() && reduce && reduce.getKind() && getValue().hasOneUse() &&
              llvm::all_of(reduce.getRanges(), [](Value range) {
                AxisKind kind = range.getDefiningOp<RangeOp>().getKind();
                return kind == AxisKind::Reduce || kind == AxisKind::Upcast || kind == AxisKind::Unroll;
              });
  return fits ? reduce : nullptr;
}

StageOp tiny::kernel::getAccumulatingTile(ReduceOp reduce) {
  auto stage = reduce->hasOneUse() ? dyn_cast<StageOp>(*reduce->getUsers().begin()) : nullptr;
  return stage && stage.getAccumulated() == reduce ? stage : nullptr;
}

OperandRange tiny::kernel::getClosedRanges(Operation *op) {
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return reduce.getRanges();
  if (auto stage = dyn_cast<StageOp>(op))
    return stage.getRanges();
  return op->getOperands().take_front(0);
}

//===--- Combining ------------------------------------------------------------------------------------------------===//

SmallVector<Value> tiny::kernel::buildCombine(OpBuilder &builder, Location loc,
                                              std::optional<arith::AtomicRMWKind> kind,
                                              arith::FastMathFlagsAttr fastmath, Region &combiner,
                                              ValueRange accumulators, ValueRange elements) {
  SmallVector<Value> results;
  if (kind) {
    for (auto [accumulator, element] : llvm::zip_equal(accumulators, elements)) {
      Value value = arith::getReductionOp(*kind, builder, loc, accumulator, element);
      if (auto op = value.getDefiningOp<arith::ArithFastMathInterface>())
        op->setAttr(op.getFastMathAttrName(), fastmath);
      results.push_back(value);
    }
    return results;
  }
  IRMapping mapping;
  Block &block = combiner.front();
  size_t count = accumulators.size();
  for (size_t i = 0; i < count; ++i) {
    mapping.map(block.getArgument(i), accumulators[i]);
    mapping.map(block.getArgument(count + i), elements[i]);
  }
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(mapping.lookupOrDefault(operand));
  return results;
}

SmallVector<Value> tiny::kernel::buildCombine(OpBuilder &builder, ReduceOp reduce, ValueRange accumulators,
                                              ValueRange elements) {
  return buildCombine(builder, reduce.getLoc(), reduce.getKind(), reduce.getFastmathAttr(), reduce.getCombiner(),
                      accumulators, elements);
}

SmallVector<Value> tiny::kernel::buildInits(OpBuilder &builder, ReduceOp reduce) {
  if (!reduce.getKind())
    return SmallVector<Value>(reduce.getInits());
  SmallVector<Value> inits;
  for (Type type : reduce.getResultTypes())
    inits.push_back(arith::ConstantOp::create(builder, reduce.getLoc(),
                                              getReductionIdentity(*reduce.getKind(), type, builder, reduce.getLoc())));
  return inits;
}
