// Syntax, rules and interfaces of the uop ops. The rules are numbered as in docs/Dialects/UOp.md.
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/UOp.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionImplementation.h"

using namespace mlir;
using namespace tiny::uop;

/// `global`, `local` or `thread`, without the attribute's angle brackets.
static ParseResult parseAxis(OpAsmParser &parser, HardwareAxisAttr &axis) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<HardwareAxis> value = symbolizeHardwareAxis(keyword);
  if (!value)
    return parser.emitError(loc) << "expected a hardware axis (global, local, thread, subgroup, lane or team), got '"
                                 << keyword << "'";
  axis = HardwareAxisAttr::get(parser.getContext(), *value);
  return success();
}

static void printAxis(OpAsmPrinter &printer, Operation *, HardwareAxisAttr axis) {
  printer << stringifyHardwareAxis(axis.getValue());
}

/// `xor`, `up`, `down` or `from`.
static ParseResult parseShuffleMode(OpAsmParser &parser, ShuffleModeAttr &mode) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return failure();
  std::optional<ShuffleMode> value = symbolizeShuffleMode(keyword);
  if (!value)
    return parser.emitError(loc) << "expected where lanes read from (xor, up, down or from), got '" << keyword << "'";
  mode = ShuffleModeAttr::get(parser.getContext(), *value);
  return success();
}

static void printShuffleMode(OpAsmPrinter &printer, Operation *, ShuffleModeAttr mode) {
  printer << stringifyShuffleMode(mode.getValue());
}

#define GET_OP_CLASSES
#include "Tiny/Dialect/UOp/UOpOps.cpp.inc"

//===--- func -----------------------------------------------------------------------------------------------------===//

void FuncOp::build(OpBuilder &builder, OperationState &state, StringRef name, FunctionType type, ArrayAttr argAttrs) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.sym_name = builder.getStringAttr(name);
  properties.function_type = TypeAttr::get(type);
  properties.arg_attrs = argAttrs;
  Block &body = state.addRegion()->emplaceBlock();
  for (Type input : type.getInputs())
    body.addArgument(input, state.location);
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildType = [](Builder &builder, ArrayRef<Type> inputs, ArrayRef<Type> results,
                      function_interface_impl::VariadicFlag,
                      std::string &) { return builder.getFunctionType(inputs, results); };
  return function_interface_impl::parseFunctionOp(parser, result, /*allowVariadic=*/false,
                                                  getFunctionTypeAttrName(result.name), buildType,
                                                  getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
                                           getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  // (func_c1) every argument is a rank-1 buffer without a layout
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer || buffer.getRank() != 1 || !buffer.getLayout().isIdentity())
      return emitOpError() << "argument " << index << " must be a rank-1 memref without layout, got " << type;
  }
  // (func_c2) a kernel has no results
  if (!getResultTypes().empty())
    return emitOpError() << "must have no results, got " << getResultTypes().size();
  // (func_c3) the body ends with uop.return
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError() << "must end with uop.return";
  // (func_c4) its device has a record
  return target::verifyDevice(*this);
}

//===--- special --------------------------------------------------------------------------------------------------===//

LogicalResult SpecialOp::verify() {
  // (special_c1) a device has three axes of a kind
  if (getDim() > 2)
    return emitOpError() << "dim must be 0, 1 or 2, got " << getDim();
  // (special_c2) an axis has at least one element, and an index fits in 62 bits
  if (getExtent() < 1 || getExtent() >= int64_t(1) << 62)
    return emitOpError() << "extent must be in [1, 2^62), got " << getExtent();
  // (special_c3) subgroups and their lanes are numbered along one axis
  bool isOfSubgroups =
      getAxis() == HardwareAxis::Subgroup || getAxis() == HardwareAxis::Lane || getAxis() == HardwareAxis::Team;
  if (isOfSubgroups && getDim() != 0)
    return emitOpError() << "dim of a " << stringifyHardwareAxis(getAxis()) << " axis must be 0, got " << getDim();
  return success();
}

void SpecialOp::inferResultRanges(ArrayRef<ConstantIntRanges>, SetIntRangeFn setResultRange) {
  setResultRange(getResult(), ConstantIntRanges::fromSigned(APInt(64, 0), APInt(64, getExtent() - 1)));
}

//===--- for ------------------------------------------------------------------------------------------------------===//

void ForOp::build(OpBuilder &builder, OperationState &state, Value bound, ValueRange inits) {
  state.addOperands(bound);
  state.addOperands(inits);
  state.addTypes(inits.getTypes());
  Region *region = state.addRegion();
  Block &body = region->emplaceBlock();
  body.addArgument(builder.getIndexType(), state.location);
  for (Value init : inits)
    body.addArgument(init.getType(), init.getLoc());
  if (inits.empty())
    ensureTerminator(*region, builder, state.location);
}

// uop.for %i to %n (iter(%a = %x, ...) -> (f32, ...))? { ... }
ParseResult ForOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  OpAsmParser::Argument induction;
  OpAsmParser::UnresolvedOperand bound;
  if (parser.parseArgument(induction) || parser.parseKeyword("to") || parser.parseOperand(bound))
    return failure();
  induction.type = builder.getIndexType();
  if (parser.resolveOperand(bound, builder.getIndexType(), result.operands))
    return failure();
  SmallVector<OpAsmParser::Argument> arguments{induction};
  if (succeeded(parser.parseOptionalKeyword("iter"))) {
    SmallVector<OpAsmParser::Argument> carried;
    SmallVector<OpAsmParser::UnresolvedOperand> inits;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseAssignmentList(carried, inits) || parser.parseArrowTypeList(result.types))
      return failure();
    if (carried.size() != result.types.size())
      return parser.emitError(loc) << "expected as many types as carried values, got " << result.types.size()
                                   << " types for " << carried.size();
    if (parser.resolveOperands(inits, result.types, loc, result.operands))
      return failure();
    for (auto [argument, type] : llvm::zip_equal(carried, result.types)) {
      argument.type = type;
      arguments.push_back(argument);
    }
  }
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments) || parser.parseOptionalAttrDict(result.attributes))
    return failure();
  if (arguments.size() == 1)
    ensureTerminator(*body, builder, result.location);
  return success();
}

void ForOp::print(OpAsmPrinter &printer) {
  printer << " " << getInductionVar() << " to " << getBound();
  if (!getInits().empty()) {
    printer << " iter(";
    llvm::interleaveComma(llvm::zip_equal(getRegionIterArgs(), getInits()), printer,
                          [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
    printer << ") -> (" << getInits().getTypes() << ")";
  }
  printer << " ";
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/!getInits().empty());
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult ForOp::verify() {
  // (for_c1) one result, one initial value and one body argument per carried value, all of one type
  Block *body = getBody();
  TypeRange inits = getInits().getTypes();
  if (body->getNumArguments() != inits.size() + 1 || !body->getArgument(0).getType().isIndex())
    return emitOpError() << "body must take an index and " << inits.size() << " carried values";
  if (TypeRange(body->getArguments().drop_front()) != inits || getResultTypes() != inits)
    return emitOpError() << "results and body arguments must have the types of the initial values";
  // (for_c2) the body yields the carried values
  auto yield = dyn_cast<YieldOp>(body->getTerminator());
  if (!yield || yield.getOperandTypes() != inits) {
    InFlightDiagnostic diag = emitOpError() << "body must yield the types of the carried values";
    diag.attachNote(body->getTerminator()->getLoc()) << "yielded here";
    return diag;
  }
  return success();
}

SmallVector<Region *> ForOp::getLoopRegions() { return {&getRegion()}; }
std::optional<SmallVector<Value>> ForOp::getLoopInductionVars() { return SmallVector<Value>{getInductionVar()}; }
std::optional<SmallVector<OpFoldResult>> ForOp::getLoopLowerBounds() {
  return SmallVector<OpFoldResult>{Builder(getContext()).getIndexAttr(0)};
}
std::optional<SmallVector<OpFoldResult>> ForOp::getLoopUpperBounds() { return SmallVector<OpFoldResult>{getBound()}; }
std::optional<SmallVector<OpFoldResult>> ForOp::getLoopSteps() {
  return SmallVector<OpFoldResult>{Builder(getContext()).getIndexAttr(1)};
}
MutableArrayRef<OpOperand> ForOp::getInitsMutable() { return getOperation()->getOpOperands().drop_front(); }
Block::BlockArgListType ForOp::getRegionIterArgs() { return getBody()->getArguments().drop_front(); }
std::optional<MutableArrayRef<OpOperand>> ForOp::getYieldedValuesMutable() {
  return getBody()->getTerminator()->getOpOperands();
}
std::optional<ResultRange> ForOp::getLoopResults() { return getResults(); }

std::optional<APInt> ForOp::getStaticTripCount() {
  IntegerAttr bound;
  if (!matchPattern(getBound(), m_Constant(&bound)))
    return std::nullopt;
  return bound.getValue().isNegative() ? APInt(64, 0) : bound.getValue();
}

LogicalResult ForOp::promoteIfSingleIteration(RewriterBase &rewriter) {
  std::optional<APInt> trips = getStaticTripCount();
  if (!trips || !trips->isOne())
    return failure();
  rewriter.setInsertionPoint(*this);
  SmallVector<Value> arguments{arith::ConstantIndexOp::create(rewriter, getLoc(), 0)};
  llvm::append_range(arguments, getInits());
  Operation *yield = getBody()->getTerminator();
  SmallVector<Value> results(yield->getOperands());
  // A yielded body argument is one of the values that replace the arguments.
  for (Value &result : results)
    if (auto argument = dyn_cast<BlockArgument>(result); argument && argument.getOwner() == getBody())
      result = arguments[argument.getArgNumber()];
  rewriter.eraseOp(yield);
  rewriter.inlineBlockBefore(getBody(), *this, arguments);
  rewriter.replaceOp(*this, results);
  return success();
}

OperandRange ForOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

void ForOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  // From outside and from the body alike: into the body, or out.
  regions.push_back(RegionSuccessor(&getRegion(), getRegionIterArgs()));
  regions.push_back(RegionSuccessor(getOperation(), getResults()));
}

//===--- if -------------------------------------------------------------------------------------------------------===//

void IfOp::build(OpBuilder &builder, OperationState &state, Value condition) {
  state.addOperands(condition);
  Region *region = state.addRegion();
  region->emplaceBlock();
  ensureTerminator(*region, builder, state.location);
}

ParseResult IfOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand condition;
  Region *body = result.addRegion();
  if (parser.parseOperand(condition) ||
      parser.resolveOperand(condition, parser.getBuilder().getI1Type(), result.operands) || parser.parseRegion(*body) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void IfOp::print(OpAsmPrinter &printer) {
  printer << " " << getCondition() << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false, /*printBlockTerminators=*/false);
  printer.printOptionalAttrDict((*this)->getAttrs());
}

LogicalResult IfOp::verify() {
  // (if_c1) a condition carries no values
  if (getBody().front().getTerminator()->getNumOperands() != 0)
    return emitOpError() << "body must yield no values";
  return success();
}

void IfOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.push_back(RegionSuccessor(&getBody()));
  regions.push_back(RegionSuccessor(getOperation(), getOperation()->getResults()));
}

void IfOp::getRegionInvocationBounds(ArrayRef<Attribute> operands, SmallVectorImpl<InvocationBounds> &bounds) {
  if (auto condition = dyn_cast_or_null<IntegerAttr>(operands.front()))
    bounds.emplace_back(condition.getValue().getZExtValue(), condition.getValue().getZExtValue());
  else
    bounds.emplace_back(0, 1);
}

//===--- load, gather and store
//-------------------------------------------------------------------------------------------===//

/// What loads and stores share: `type` is what is moved, `what` its name in messages.
static LogicalResult verifyAccess(Operation *op, StringRef what, Type type, MemRefType buffer, Value gate) {
  // (load_c1) (gather_c1) (store_c1) the buffer has no layout
  if (!buffer.getLayout().isIdentity())
    return op->emitOpError() << "buffer must have no layout, got " << buffer;
  // (load_c2) (gather_c2) (store_c2) the value is an element, or a vector of elements of fixed length and rank 1
  auto vector = dyn_cast<VectorType>(type);
  if (vector && (vector.getRank() != 1 || vector.isScalable()))
    return op->emitOpError() << what << " must be a scalar or a fixed vector of rank 1, got " << type;
  if ((vector ? vector.getElementType() : type) != buffer.getElementType())
    return op->emitOpError() << what << " must have the buffer's element type " << buffer.getElementType() << ", got "
                             << type;
  // (load_c3) (gather_c3) (store_c3) a gate per lane has the value's lanes
  if (!gate)
    return success();
  if (auto lanes = dyn_cast<VectorType>(gate.getType()))
    if (!vector || lanes.isScalable() || lanes.getShape() != vector.getShape())
      return op->emitOpError() << "gate must be one bit, or one bit per lane of " << type << ", got " << lanes;
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, "result", getType(), cast<MemRefType>(getBuffer().getType()), getGate());
}

LogicalResult GatherOp::verify() {
  return verifyAccess(*this, "result", getType(), cast<MemRefType>(getBuffer().getType()), getGate());
}

LogicalResult DotOp::verify() {
  // (dot_c1) each lane of the sum has its bytes
  VectorType left = getLeft().getType(), sum = getSum().getType();
  if (left.isScalable() || sum.isScalable() || left.getNumElements() != kBytes * sum.getNumElements())
    return emitOpError() << "must multiply " << kBytes << " bytes for each lane of the sum, got " << left << " and "
                         << sum;
  return success();
}

LogicalResult StoreOp::verify() {
  return verifyAccess(*this, "value", getValue().getType(), cast<MemRefType>(getBuffer().getType()), getGate());
}
