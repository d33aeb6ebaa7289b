// Syntax and verifiers of kernel.func and kernel.program: signatures, scopes of ranges, cycles.
#include "Tiny/Dialect/Kernel/Dependence.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tiny::kernel;

//===--- Syntax ---------------------------------------------------------------------------------------------------===//

// Upstream's parseFunctionOp, but an empty body is a body: canonicalization can leave a kernel with nothing to do.
template <typename OpTy> static ParseResult parseFunctionLike(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> resultTypes;
  SmallVector<DictionaryAttr> resultAttrs;
  Builder &builder = parser.getBuilder();
  (void)mlir::impl::parseOptionalVisibilityKeyword(parser, result.attributes);
  StringAttr name;
  bool isVariadic = false;
  if (parser.parseSymbolName(name, SymbolTable::getSymbolAttrName(), result.attributes) ||
      function_interface_impl::parseFunctionSignatureWithArguments(parser, /*allowVariadic=*/false, arguments,
                                                                   isVariadic, resultTypes, resultAttrs))
    return failure();
  SmallVector<Type> argumentTypes;
  for (OpAsmParser::Argument &argument : arguments)
    argumentTypes.push_back(argument.type);
  result.addAttribute(OpTy::getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(argumentTypes, resultTypes)));
  NamedAttrList extra;
  SMLoc attributesLoc = parser.getCurrentLocation();
  if (parser.parseOptionalAttrDictWithKeyword(extra))
    return failure();
  for (StringRef taken : {StringRef("sym_name"), StringRef("sym_visibility"), StringRef("function_type")})
    if (extra.get(taken))
      return parser.emitError(attributesLoc) << "attribute '" << taken << "' is part of the signature";
  result.attributes.append(extra);
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, resultAttrs,
                                            OpTy::getArgAttrsAttrName(result.name),
                                            OpTy::getResAttrsAttrName(result.name));
  Region *body = result.addRegion();
  if (parser.parseRegion(*body, arguments))
    return failure();
  if (body->empty()) {
    Block &block = body->emplaceBlock();
    for (OpAsmParser::Argument &argument : arguments)
      block.addArgument(argument.type, argument.sourceLoc.value_or(result.location));
  }
  return success();
}

template <typename OpTy> static void printFunctionLike(OpAsmPrinter &printer, OpTy op) {
  function_interface_impl::printFunctionOp(printer, op, /*isVariadic=*/false, op.getFunctionTypeAttrName(),
                                           op.getArgAttrsAttrName(), op.getResAttrsAttrName());
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<FuncOp>(parser, result);
}
void FuncOp::print(OpAsmPrinter &printer) { printFunctionLike(printer, *this); }

ParseResult ProgramOp::parse(OpAsmParser &parser, OperationState &result) {
  return parseFunctionLike<ProgramOp>(parser, result);
}
void ProgramOp::print(OpAsmPrinter &printer) { printFunctionLike(printer, *this); }

//===--- Kernels --------------------------------------------------------------------------------------------------===//

LogicalResult FuncOp::verify() {
  // (func_c1) arguments are buffers, and there are no results: a kernel answers by its stores.
  for (auto [position, type] : llvm::enumerate(getArgumentTypes()))
    if (!isBuffer(type))
      return emitOpError("argument #") << position << " must be a static rank-1 buffer, got " << type;
  if (!getResultTypes().empty())
    return emitOpError("must have no results, got ") << getResultTypes().size();
  // (func_c5) its device has a record.
  return target::verifyDevice(*this);
}

// The first element of two ascending sets that is in both.
static std::optional<unsigned> findCommon(ArrayRef<unsigned> a, ArrayRef<unsigned> b) {
  auto left = a.begin(), right = b.begin();
  while (left != a.end() && right != b.end()) {
    if (*left == *right)
      return *left;
    *left < *right ? ++left : ++right;
  }
  return std::nullopt;
}

static InFlightDiagnostic &noteRange(InFlightDiagnostic &diag, RangeOp range) {
  diag.attachNote(range.getLoc()) << "the range is here";
  return diag;
}

static LogicalResult verifyScopes(ArrayRef<Operation *> order) {
  RangeSets sets(order);
  llvm::DenseSet<unsigned> closedSomewhere;
  for (Operation *op : order)
    for (Value range : getClosedRanges(op))
      closedSomewhere.insert(sets.getPosition(range.getDefiningOp<RangeOp>()));

  for (Operation *op : order) {
    // (range_c5) a size is known before the first loop: it depends on no range but those of threads.
    if (auto range = dyn_cast<RangeOp>(op)) {
      auto isThread = [&](unsigned position) {
        return RangeOp(sets.getRanges()[position]).getKind() == AxisKind::Thread;
      };
      if (range.getSize() &&
          (!llvm::all_of(sets.getOpen(range.getSize()), isThread) || !sets.getClosed(range.getSize()).empty()))
        return range.emitOpError("has a size that depends on another range");
      continue;
    }
    if (isa<StoreOp>(op)) {
      for (unsigned position : sets.getOpenOfOperands(op)) {
        RangeOp range = sets.getRanges()[position];
        // (reduce_c1), (stage_c3) a closed range reaches no store except through what closes it.
        if (closedSomewhere.contains(position)) {
          auto diag = op->emitOpError("depends on range ")
                      << range.getId() << " other than through the reduce or stage that closes it";
          return noteRange(diag, range);
        }
        // (range_c3) a reduce axis is closed by a reduce.
        if (range.getKind() == AxisKind::Reduce || range.getKind() == AxisKind::GroupReduce) {
          auto diag = op->emitOpError("depends on range ")
                      << range.getId() << " of kind " << stringifyAxisKind(range.getKind())
                      << ", which no reduce closes";
          return noteRange(diag, range);
        }
      }
      continue;
    }
    OperandRange ranges = getClosedRanges(op);
    if (ranges.empty())
      continue;
    SmallVector<unsigned> over;
    for (Value range : ranges)
      over.push_back(sets.getPosition(range.getDefiningOp<RangeOp>()));
    llvm::sort(over);
    // (reduce_c2), (stage_c4) no operand depends on the result of a reduce or a stage over the same range.
    for (Value operand : op->getOperands().drop_back(ranges.size())) {
      if (auto common = findCommon(sets.getClosed(operand), over)) {
        RangeOp range = sets.getRanges()[*common];
        auto diag = op->emitOpError("operand depends on the result of another reduce or stage over the same range ")
                    << range.getId();
        return noteRange(diag, range);
      }
    }
    // (reduce_c3) an initial value is the same at every point of the ranges.
    auto reduce = dyn_cast<ReduceOp>(op);
    for (Value init : reduce ? reduce.getInits() : OperandRange(op->getOperands().take_front(0))) {
      if (auto common = findCommon(sets.getOpen(init), over)) {
        RangeOp range = sets.getRanges()[*common];
        auto diag = op->emitOpError("initial value depends on range ") << range.getId() << ", which the reduce is over";
        return noteRange(diag, range);
      }
    }
  }
  return success();
}

LogicalResult FuncOp::verifyRegions() {
  // (func_c2) range ids are unique.
  DenseMap<int64_t, RangeOp> byId;
  for (Operation &op : getBody().front()) {
    if (auto range = dyn_cast<RangeOp>(op)) {
      auto [it, inserted] = byId.try_emplace(range.getId(), range);
      if (!inserted) {
        auto diag = range.emitOpError("id ") << range.getId() << " is already taken";
        diag.attachNote(it->second.getLoc()) << "by this range";
        return diag;
      }
    }
    // (func_c3) only a reduce has a region: what it needs is visible in its operands.
    if (op.getNumRegions() != 0 && !isa<ReduceOp>(op))
      return op.emitOpError("has a region, which a kernel's operation other than kernel.reduce may not have");
  }
  // (func_c4) no cycles.
  Operation *onCycle = nullptr;
  SmallVector<Operation *> order = sortByDependence(getBody().front(), &onCycle);
  if (onCycle)
    return onCycle->emitOpError("depends on its own result");
  return verifyScopes(order);
}

//===--- Programs -------------------------------------------------------------------------------------------------===//

// (program_c2) `tiny.type` names a static tensor of the buffer's size, and of its element type but for the sign.
static LogicalResult verifyTensorType(ProgramOp op, StringRef what, unsigned position, Type buffer, Attribute attr) {
  if (!attr)
    return success();
  auto typeAttr = dyn_cast<TypeAttr>(attr);
  auto tensor = typeAttr ? dyn_cast<RankedTensorType>(typeAttr.getValue()) : RankedTensorType();
  if (!tensor || !tensor.hasStaticShape())
    return op.emitOpError(what) << " #" << position << " must have a static tensor type as '" << tiny::kTensorTypeAttr
                                << "', got " << attr;
  Type element = tensor.getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    element = IntegerType::get(op.getContext(), integer.getWidth());
  auto memref = cast<MemRefType>(buffer);
  // The count in 128 bits: a shape such as 2^32 x 2^32 must not wrap around to the buffer's size.
  bool fits = element == memref.getElementType();
  __int128 count = 1;
  for (int64_t dim : tensor.getShape())
    count = dim == 0 ? 0 : std::min<__int128>(count * dim, __int128(1) << 63);
  if (!fits || count != memref.getNumElements())
    return op.emitOpError(what) << " #" << position << " is a " << memref << ", which cannot hold the '"
                                << tiny::kTensorTypeAttr << "' " << tensor;
  return success();
}

// (program_c5) with sizes, the last argument is a buffer of them; shapes are made of them alone, agree with the type at
// the greatest sizes, and each size is an extent of some argument, or computed, and then in no argument's shape.
static LogicalResult verifySizes(ProgramOp op) {
  ArrayRef<Attribute> sizes = op.getSizes() ? op.getSizesAttr().getValue() : ArrayRef<Attribute>();
  SmallVector<Attribute> most;
  llvm::StringSet<llvm::MallocAllocator> names;
  Builder builder(op.getContext());
  for (Attribute size : sizes) {
    most.push_back(builder.getI64IntegerAttr(cast<SizeAttr>(size).getMost()));
    if (!names.insert(cast<SizeAttr>(size).getName()).second)
      return op.emitOpError("has size '") << cast<SizeAttr>(size).getName() << "' twice";
  }
  if (!sizes.empty()) {
    auto expected = MemRefType::get({static_cast<int64_t>(sizes.size())}, builder.getI64Type());
    if (op.getArgumentTypes().empty() || op.getArgumentTypes().back() != expected)
      return op.emitOpError("must have a ") << expected << " of its sizes as its last argument";
  }
  llvm::SmallBitVector isGiven(sizes.size());
  for (auto [number, size] : llvm::enumerate(sizes))
    if (cast<SizeAttr>(size).getComputed())
      isGiven.set(number);
  auto verifyShape = [&](StringRef what, unsigned position, Attribute type, Attribute attr) -> LogicalResult {
    if (!attr)
      return success();
    auto shape = dyn_cast<AffineMapAttr>(attr);
    auto tensor = type ? cast<RankedTensorType>(cast<TypeAttr>(type).getValue()) : RankedTensorType();
    SmallVector<Attribute> extents;
    if (!shape || !tensor || shape.getValue().getNumDims() != 0 || shape.getValue().getNumSymbols() != sizes.size() ||
        failed(shape.getValue().constantFold(most, extents)))
      return op.emitOpError(what) << " #" << position << " must have a map from the " << sizes.size()
                                  << " sizes to the shape of its '" << tiny::kTensorTypeAttr << "' as '"
                                  << tiny::kShapeAttr << "', got " << attr;
    SmallVector<int64_t> numbers;
    for (Attribute extent : extents)
      numbers.push_back(cast<IntegerAttr>(extent).getInt());
    if (numbers != tensor.getShape())
      return op.emitOpError(what) << " #" << position << " has the shape [" << numbers
                                  << "] at the greatest sizes, but its '" << tiny::kTensorTypeAttr << "' is " << tensor;
    if (what != "argument")
      return success();
    for (auto [number, size] : llvm::enumerate(sizes))
      if (cast<SizeAttr>(size).getComputed() && shape.getValue().isFunctionOfSymbol(number))
        return op.emitOpError("argument #")
               << position << " has a shape that depends on a size that is computed: " << size;
    for (AffineExpr extent : shape.getValue().getResults())
      if (auto symbol = dyn_cast<AffineSymbolExpr>(extent))
        isGiven.set(symbol.getPosition());
    return success();
  };
  for (unsigned position = 0; position < op.getNumArguments(); ++position)
    if (failed(verifyShape("argument", position, op.getArgAttr(position, tiny::kTensorTypeAttr),
                           op.getArgAttr(position, tiny::kShapeAttr))))
      return failure();
  for (unsigned position = 0; position < op.getNumResults(); ++position)
    if (failed(verifyShape("result", position, op.getResultAttr(position, tiny::kTensorTypeAttr),
                           op.getResultAttr(position, tiny::kShapeAttr))))
      return failure();
  if (!isGiven.all())
    return op.emitOpError("has a size that is no extent of an argument: ") << sizes[isGiven.find_first_unset()];
  return success();
}

LogicalResult ProgramOp::verify() {
  // (program_c1) arguments and results are buffers.
  for (auto [position, type] : llvm::enumerate(getArgumentTypes())) {
    if (!isBuffer(type))
      return emitOpError("argument #") << position << " must be a static rank-1 buffer, got " << type;
    if (failed(verifyTensorType(*this, "argument", position, type, getArgAttr(position, kTensorTypeAttr))))
      return failure();
  }
  for (auto [position, type] : llvm::enumerate(getResultTypes())) {
    if (!isBuffer(type))
      return emitOpError("result #") << position << " must be a static rank-1 buffer, got " << type;
    if (failed(verifyTensorType(*this, "result", position, type, getResultAttr(position, kTensorTypeAttr))))
      return failure();
  }
  if (failed(verifySizes(*this)))
    return failure();
  // (program_c6) devices have names, each its own.
  if (ArrayAttr devices = getDevicesAttr()) {
    llvm::StringSet<llvm::MallocAllocator> names;
    for (auto device : devices.getAsRange<StringAttr>())
      if (device.empty() || !names.insert(device).second)
        return emitOpError("has a device without a name, or ") << device << " twice";
    if (devices.empty())
      return emitOpError("has an empty list of devices");
  }
  // (program_c4) what it says about its state holds.
  return tiny::verifyState(*this);
}

LogicalResult ProgramOp::verifyRegions() {
  // (program_c3) a program ends with kernel.return.
  Operation &last = getBody().front().back();
  if (!isa<ReturnOp>(last)) {
    auto diag = emitOpError("must end with kernel.return, not with ") << last.getName();
    diag.attachNote(last.getLoc()) << "the last operation is here";
    return diag;
  }
  return success();
}
