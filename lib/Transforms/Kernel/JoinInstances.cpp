// kernel-join-instances: instances of a program at some sizes become one program for all sizes.
#include "Join.h"
#include "Tiny/Dialect/Symbolic/Symbolic.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Kernel/Passes.h"

#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace tiny::kernel {
#define GEN_PASS_DEF_KERNELJOININSTANCES
#include "Tiny/Transforms/Kernel/Passes.h.inc"

/// Constants are compared where they are used: which of them are one operation is chance.
static bool isLiteral(Operation *op) { return isa<arith::ConstantOp>(op); }

/// What the instances that can be joined have in common: operations, and what each takes of the others.
static llvm::hash_code hashStructure(ModuleOp module) {
  llvm::DenseMap<Value, unsigned> numbers;
  auto add = [&](ValueRange values) {
    for (Value value : values)
      numbers.try_emplace(value, numbers.size() + 1);
  };
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isLiteral(op))
      return;
    add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  llvm::hash_code hash = numbers.size();
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isLiteral(op))
      return;
    hash = llvm::hash_combine(hash, op->getName(), op->getNumResults(), op->getNumOperands());
    // A constant has no number.
    for (Value operand : op->getOperands())
      hash = llvm::hash_combine(hash, numbers.lookup(operand));
  });
  return hash;
}

std::string Join::describe(unsigned instance) const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(llvm::zip(family.names, family.points[instance]), stream,
                        [&](auto size) { stream << std::get<0>(size).getValue() << " = " << std::get<1>(size); });
  return text;
}

InFlightDiagnostic Join::emitDifference(Operation *op, ArrayRef<Operation *> peers, unsigned peer) {
  InFlightDiagnostic diag = op->emitError("the program is another one at other sizes: ");
  diag.attachNote(peers[peer]->getLoc()) << "at " << describe(peer) << ", in place of " << describe(0);
  return diag;
}

int64_t Join::getMost(const Dim &polynomial) const {
  std::optional<Bounds> bounds = polynomial.range(family.bounds);
  return bounds ? bounds->high : -1;
}

KernelSizes &Join::getSizes(FuncOp kernel) {
  std::unique_ptr<KernelSizes> &sizes = sizesOf[kernel];
  if (!sizes)
    sizes = std::make_unique<KernelSizes>(kernel, readsOf.lookup(kernel.getSymNameAttr()), family);
  return *sizes;
}

//===--- Pairs ----------------------------------------------------------------------------------------------------===//

LogicalResult Join::pairBlocks(ArrayRef<Block *> blocks, Operation *parent) {
  std::vector<std::vector<Operation *>> ops(blocks.size());
  for (auto [instance, block] : llvm::enumerate(blocks)) {
    for (Operation &op : *block)
      if (!isLiteral(&op))
        ops[instance].push_back(&op);
    if (ops[instance].size() != ops[0].size() || block->getNumArguments() != blocks[0]->getNumArguments()) {
      InFlightDiagnostic diag = parent->emitError("the program is another one at other sizes: ");
      diag << ops[instance].size() << " operations with " << block->getNumArguments() << " arguments at "
           << describe(instance) << ", " << ops[0].size() << " with " << blocks[0]->getNumArguments() << " at "
           << describe(0);
      return diag;
    }
    for (auto [peer, argument] : llvm::zip_equal(block->getArguments(), blocks[0]->getArguments()))
      same[instance][peer] = argument;
  }
  for (size_t number = 0; number < ops[0].size(); ++number) {
    Peers peers;
    for (const std::vector<Operation *> &list : ops)
      peers.push_back(list[number]);
    if (failed(pairOps(peers)))
      return failure();
  }
  return success();
}

LogicalResult Join::pairOps(ArrayRef<Operation *> ops) {
  Operation *first = ops.front();
  for (auto [instance, op] : llvm::enumerate(ops)) {
    if (op->getName() != first->getName() || op->getNumOperands() != first->getNumOperands() ||
        op->getNumResults() != first->getNumResults() || op->getNumRegions() != first->getNumRegions())
      return emitDifference(first, ops, instance) << first->getName() << " is " << op->getName();
    for (auto [peer, result] : llvm::zip_equal(op->getResults(), first->getResults()))
      same[instance][peer] = result;
  }
  pairs.emplace_back(first, Peers(ops));
  for (unsigned region = 0; region < first->getNumRegions(); ++region) {
    SmallVector<Block *> blocks;
    for (Operation *op : ops) {
      if (op->getRegion(region).getBlocks().size() != 1)
        return success(op->getRegion(region).empty());
      blocks.push_back(&op->getRegion(region).front());
    }
    if (failed(pairBlocks(blocks, first)))
      return failure();
  }
  return success();
}

//===--- Numbers --------------------------------------------------------------------------------------------------===//

std::optional<SizedNumber> Join::joinNumbers(ArrayRef<TypedAttr> values) {
  SmallVector<int64_t> whole;
  SmallVector<double> numbers;
  for (TypedAttr value : values) {
    if (auto integer = dyn_cast<IntegerAttr>(value))
      whole.push_back(integer.getValue().getSExtValue());
    else if (auto number = dyn_cast<FloatAttr>(value))
      numbers.push_back(number.getValueAsDouble());
  }
  if (numbers.size() == values.size())
    return fitNumber(fit, numbers, &cast<FloatAttr>(values.front()).getValue().getSemantics());
  if (whole.size() != values.size())
    return std::nullopt;
  std::optional<Dim> found = fit.fit(whole);
  return found ? std::optional(SizedNumber{*found}) : std::nullopt;
}

FailureOr<Type> Join::joinBuffer(Operation *op, ArrayRef<Type> types, Value buffer) {
  if (llvm::all_equal(types))
    return types.front();
  SmallVector<int64_t> elements;
  for (Type type : types) {
    auto own = dyn_cast<MemRefType>(type), first = dyn_cast<MemRefType>(types.front());
    if (!own || !isBuffer(own) || own.getElementType() != first.getElementType())
      return op->emitError("the program is another one at other sizes: ") << types.front() << " is " << type;
    elements.push_back(own.getNumElements());
  }
  std::optional<Dim> count = fit.fit(elements);
  int64_t most = count ? getMost(*count) : -1;
  if (most < 0)
    return op->emitError("a buffer's elements are no polynomial of the sizes up to squares: ")
           << llvm::interleaved_array(elements);
  if (buffer)
    counts[buffer] = *count;
  return Type(MemRefType::get({most}, cast<MemRefType>(types.front()).getElementType()));
}

//===--- Operations -----------------------------------------------------------------------------------------------===//

/// Whether the operation divides integers by its second operand. In no instance that is 0.
static bool isDivision(Operation *op) {
  return isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp, arith::FloorDivSIOp, arith::CeilDivSIOp,
             arith::CeilDivUIOp, sym::ModOp>(op);
}

/// What is divided by, at least 1: at a size between those of the instances it may be 0, and processors stop there.
Value Join::makePositive(Value value, const Dim &polynomial) {
  std::optional<Bounds> bounds = polynomial.range(family.bounds);
  if (bounds && bounds->low > 0)
    return value;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value one = arith::ConstantOp::create(builder, value.getLoc(), builder.getIntegerAttr(value.getType(), 1));
  return arith::MaxSIOp::create(builder, value.getLoc(), value, one);
}

LogicalResult Join::joinOperands(Operation *op, ArrayRef<Operation *> peers) {
  for (unsigned operand = 0; operand < op->getNumOperands(); ++operand) {
    Operation *literal = op->getOperand(operand).getDefiningOp();
    bool isConstant = literal && isLiteral(literal);
    SmallVector<TypedAttr> values;
    for (auto [instance, peer] : llvm::enumerate(peers)) {
      Operation *other = peer->getOperand(operand).getDefiningOp();
      if (isConstant != (other && isLiteral(other)) ||
          (!isConstant && same[instance].lookup(peer->getOperand(operand)) != op->getOperand(operand)))
        return emitDifference(op, peers, instance) << "operand #" << operand << " is another value";
      if (isConstant)
        values.push_back(cast<arith::ConstantOp>(other).getValue());
    }
    if (!isConstant || llvm::all_equal(values))
      continue;
    auto kernel = dyn_cast<FuncOp>(op->getParentOp());
    std::optional<SizedNumber> number = joinNumbers(values);
    if (!kernel || !number)
      return op->emitError("operand #") << operand
                                        << " follows the sizes by no known law: " << llvm::interleaved_array(values);
    Value made = getSizes(kernel).make(*number, op->getOperand(operand).getType(), op->getLoc());
    if (operand == 1 && isDivision(op))
      made = makePositive(made, number->polynomial);
    op->setOperand(operand, made);
  }
  return success();
}

LogicalResult Join::joinRange(RangeOp range, ArrayRef<Operation *> peers) {
  SmallVector<int64_t> extents;
  for (Operation *peer : peers)
    extents.push_back(cast<RangeOp>(peer).getExtent());
  if (llvm::all_equal(extents))
    return success();
  std::optional<Dim> extent = fit.fit(extents);
  int64_t most = extent ? getMost(*extent) : -1;
  if (most < 1 || !extent->isNonNegative(family.bounds))
    return range.emitError("the extent is no polynomial of the sizes up to squares: ")
           << llvm::interleaved_array(extents);
  Value size = getSizes(range->getParentOfType<FuncOp>()).makeIndex(*extent, range.getLoc());
  range.setExtent(most);
  range.getSizeMutable().assign(size);
  return success();
}

/// Where the number of iterations follows the sizes, a kernel computes it, and it is the loop's limit.
LogicalResult Join::joinLoop(LoopOp loop, ArrayRef<Operation *> peers) {
  SmallVector<int64_t> counts;
  for (Operation *peer : peers)
    counts.push_back(cast<LoopOp>(peer).getMost());
  if (llvm::all_equal(counts))
    return success();
  std::optional<Dim> count = fit.fit(counts);
  int64_t most = count ? getMost(*count) : -1;
  if (most < 0)
    return loop.emitError("the number of iterations is no polynomial of the sizes up to squares: ")
           << llvm::interleaved_array(counts);
  Location loc = loop.getLoc();
  OpBuilder builder(loop);
  auto type = MemRefType::get({1}, builder.getI64Type());
  Value limit = loop.getLimit(), buffer = AllocOp::create(builder, loc, type);
  SmallVector<Value> reads(limit ? 1 : 0, limit);
  FuncOp kernel = makeKernel("iterations", SmallVector<Type>(reads.size() + 1, type), reads.size(), loc);
  LaunchOp::create(builder, loc, kernel.getSymName(), reads, buffer);
  OpBuilder body = OpBuilder::atBlockEnd(&kernel.getBody().front());
  Value number = getSizes(kernel).make({*count}, type.getElementType(), loc);
  Value place = arith::ConstantIndexOp::create(body, loc, 0);
  if (limit) {
    Value given = LoadOp::create(body, loc, type.getElementType(), kernel.getArgument(0), place, Value());
    number = arith::MinSIOp::create(body, loc, number, given);
  }
  StoreOp::create(body, loc, number, kernel.getArguments().back(), place, Value());
  loop.setMost(most);
  loop.getLimitMutable().assign(buffer);
  return success();
}

LogicalResult Join::joinAttributes(Operation *op, ArrayRef<Operation *> peers) {
  // These are made of the types, or compared by who reads them.
  SmallVector<StringRef> known = {"function_type", "arg_attrs", "res_attrs", "extent"};
  if (isa<ConstantOp, FillOp>(op))
    known.push_back("value");
  if (isa<AliasOp>(op))
    known.push_back("offset");
  // The limit that a loop gets adds an operand.
  if (isa<LoopOp>(op))
    known.append({"most", "operandSegmentSizes"});
  for (auto [instance, peer] : llvm::enumerate(peers)) {
    auto getOthers = [&](Operation *from) {
      NamedAttrList others(from->getAttrDictionary());
      for (StringRef name : known)
        others.erase(name);
      return others.getDictionary(op->getContext());
    };
    DictionaryAttr mine = getOthers(op), other = getOthers(peer);
    if (mine != other)
      return emitDifference(op, peers, instance) << "its attributes are " << other << ", not " << mine;
  }
  return success();
}

LogicalResult Join::joinResults(Operation *op, ArrayRef<Operation *> peers) {
  for (OpResult result : op->getResults()) {
    SmallVector<Type> types;
    for (Operation *peer : peers)
      types.push_back(peer->getResult(result.getResultNumber()).getType());
    FailureOr<Type> type = joinBuffer(op, types, result);
    if (failed(type))
      return failure();
    result.setType(*type);
  }
  return success();
}

std::optional<SmallVector<Dim>> Join::joinShapes(ArrayRef<ShapedType> types) {
  SmallVector<Dim> shape;
  for (int64_t axis = 0; axis < types.front().getRank(); ++axis) {
    SmallVector<int64_t> extents;
    for (ShapedType type : types) {
      if (type.getRank() != types.front().getRank())
        return std::nullopt;
      extents.push_back(type.getDimSize(axis));
    }
    std::optional<Dim> extent = fit.fit(extents);
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
  }
  return shape;
}

FailureOr<DictionaryAttr> Join::joinTensor(ProgramOp program, ArrayRef<DictionaryAttr> peers) {
  NamedAttrList joined(peers.front());
  SmallVector<ShapedType> types;
  for (DictionaryAttr peer : peers) {
    auto type = peer ? peer.getAs<TypeAttr>(kTensorTypeAttr) : TypeAttr();
    auto tensor = type ? dyn_cast<RankedTensorType>(type.getValue()) : RankedTensorType();
    if (!tensor)
      return program.emitError("an argument or a result has no '") << kTensorTypeAttr << "', so its sizes are unknown";
    types.push_back(tensor);
  }
  if (llvm::all_equal(types))
    return peers.front();
  std::optional<SmallVector<Dim>> shape = joinShapes(types);
  if (!shape)
    return program.emitError("the shape of an argument or a result is no polynomial of the sizes up to squares: ")
           << llvm::interleaved_array(types);
  MLIRContext *context = program.getContext();
  SmallVector<int64_t> most;
  SmallVector<AffineExpr> extents;
  for (const Dim &extent : *shape) {
    most.push_back(getMost(extent));
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (const Dim::Term &term : extent.getTerms()) {
      AffineExpr product = getAffineConstantExpr(term.coefficient, context);
      for (unsigned symbol : term.symbols)
        product = getAffineSymbolExpr(symbol, context) * product;
      sum = sum + product;
    }
    extents.push_back(sum);
  }
  joined.set(kTensorTypeAttr, TypeAttr::get(RankedTensorType::get(most, types.front().getElementType())));
  joined.set(kShapeAttr, AffineMapAttr::get(AffineMap::get(0, family.names.size(), extents, context)));
  return joined.getDictionary(context);
}

LogicalResult Join::joinInterface(ProgramOp program, ArrayRef<Operation *> peers) {
  for (bool isResult : {false, true}) {
    unsigned count = isResult ? program.getNumResults() : program.getNumArguments();
    for (unsigned number = 0; number < count; ++number) {
      SmallVector<DictionaryAttr> attributes;
      for (Operation *peer : peers) {
        auto function = cast<FunctionOpInterface>(peer);
        attributes.push_back(isResult ? function.getResultAttrDict(number) : function.getArgAttrDict(number));
      }
      FailureOr<DictionaryAttr> joined = joinTensor(program, attributes);
      if (failed(joined))
        return failure();
      if (isResult)
        noteMost(attributes);
      if (isResult)
        program.setResultAttrs(number, *joined);
      else
        program.setArgAttrs(number, *joined);
    }
  }
  return success();
}

LogicalResult Join::joinSignature(FunctionOpInterface function, ArrayRef<Operation *> peers) {
  SmallVector<Type> inputs, results;
  for (bool isResult : {false, true}) {
    ArrayRef<Type> own = isResult ? function.getResultTypes() : function.getArgumentTypes();
    for (unsigned number = 0; number < own.size(); ++number) {
      SmallVector<Type> types;
      for (Operation *peer : peers) {
        auto other = cast<FunctionOpInterface>(peer);
        ArrayRef<Type> all = isResult ? other.getResultTypes() : other.getArgumentTypes();
        if (all.size() != own.size())
          return function.emitError("has ") << own.size() << " of what has " << all.size() << " at other sizes";
        types.push_back(all[number]);
      }
      FailureOr<Type> type = joinBuffer(function, types, isResult ? Value() : function.getArgument(number));
      if (failed(type))
        return failure();
      (isResult ? results : inputs).push_back(*type);
    }
  }
  function.setType(FunctionType::get(function.getContext(), inputs, results));
  for (auto [argument, type] : llvm::zip_equal(function.getArguments(), inputs))
    argument.setType(type);
  return success();
}

//===--- Sizes -----------------------------------------------------------------------------------------===//

/// Gives the sizes to the programs, and to the kernels that ask for them.
void Join::passSizes() {
  ModuleOp module = instances.front();
  OpBuilder builder(module.getContext());
  auto type = MemRefType::get({static_cast<int64_t>(family.names.size())}, builder.getI64Type());
  SmallVector<Attribute> sizes;
  for (auto [name, bounds, isComputed] : llvm::zip_equal(family.names, family.bounds, family.isComputed))
    sizes.push_back(SizeAttr::get(builder.getContext(), name, bounds.low, bounds.high, isComputed));
  llvm::DenseSet<StringAttr> asking;
  for (auto &[kernel, made] : sizesOf)
    if (made->isUsed())
      asking.insert(cast<FuncOp>(kernel).getSymNameAttr());
  for (auto program : module.getOps<ProgramOp>()) {
    unsigned position = program.getNumArguments();
    if (failed(program.insertArgument(position, type, DictionaryAttr(), program.getLoc())))
      llvm_unreachable("a program takes any buffer");
    program.setSizesAttr(builder.getArrayAttr(sizes));
    program.walk([&](LaunchOp launch) {
      if (asking.contains(launch.getCalleeAttr().getAttr()))
        launch.getInsMutable().append(program.getArgument(position));
    });
  }
}

LogicalResult Join::run() {
  std::vector<Block *> bodies;
  for (ModuleOp instance : instances)
    bodies.push_back(instance.getBody());
  instances.front().walk([&](LaunchOp launch) { readsOf[launch.getCalleeAttr().getAttr()] = launch.getIns().size(); });
  if (failed(pairBlocks(bodies, instances.front())))
    return failure();
  // All is compared before anything is added: the sizes that kernels take, constants that are copied.
  for (auto &[op, peers] : pairs)
    if (auto function = dyn_cast<FunctionOpInterface>(op); function && failed(joinSignature(function, peers)))
      return failure();
  for (auto &[op, peers] : pairs)
    if (failed(joinOperands(op, peers)) || failed(joinAttributes(op, peers)))
      return failure();
  for (auto &[op, peers] : pairs) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      if (failed(joinConstant(constant, peers)))
        return failure();
      continue;
    }
    if (auto fill = dyn_cast<FillOp>(op); fill && failed(joinFill(fill, peers)))
      return failure();
    if (auto copy = dyn_cast<CopyOp>(op)) {
      SmallVector<int64_t> counts;
      for (Operation *peer : peers)
        counts.push_back(cast<MemRefType>(cast<CopyOp>(peer).getSource().getType()).getNumElements());
      if (std::optional<Dim> count = fit.fit(counts); count && !count->asConstant())
        copies.push_back({copy, *count});
    }
    if (auto alias = dyn_cast<AliasOp>(op); alias && failed(joinAlias(alias, peers)))
      return failure();
    if (auto loop = dyn_cast<LoopOp>(op); loop && failed(joinLoop(loop, peers)))
      return failure();
    if (auto range = dyn_cast<RangeOp>(op); range && failed(joinRange(range, peers)))
      return failure();
    if (failed(joinResults(op, peers)))
      return failure();
    if (auto program = dyn_cast<ProgramOp>(op); program && failed(joinInterface(program, peers)))
      return failure();
  }
  instances.front().walk(layOutTile);
  // Of a buffer at its bound only what is live may be read: the caller's is no longer.
  for (auto [copy, count] : copies) {
    // A part takes care of what is copied to it.
    auto alias = copy.getTarget().getDefiningOp<AliasOp>();
    if (llvm::any_of(parts, [alias](const auto &part) { return std::get<0>(part) == alias; }))
      continue;
    OpBuilder builder(copy);
    launchCopy(builder, {count}, {Dim(1)}, {Dim(1)}, copy.getSource(), copy.getTarget());
    copy.erase();
  }
  for (FillOp fill : replaced)
    fill.erase();
  for (const auto &[alias, offset, count] : parts)
    copyPart(alias, offset, count);
  passSizes();
  for (auto program : instances.front().getOps<ProgramOp>())
    if (failed(checkAccesses(program)) || failed(writeSizes(program)) || failed(orderBySizes(program)))
      return failure();
  return success();
}

namespace {

struct JoinInstances : impl::KernelJoinInstancesBase<JoinInstances> {
  using Base::Base;

  LogicalResult join() {
    ModuleOp module = getOperation();
    FailureOr<FamilySizes> family = getFamily(module);
    if (failed(family))
      return failure();
    if (family->names.empty())
      return success();
    SmallVector<ModuleOp> all(module.getOps<ModuleOp>()), instances = selectAlike(*family, all);
    if (failed(Join(instances, all.front(), *family).run()))
      return failure();
    for (Operation &op : llvm::make_early_inc_range(*instances.front().getBody()))
      op.moveBefore(module.getBody(), module.getBody()->end());
    for (ModuleOp instance : all)
      instance.erase();
    module->removeAttr(kSizesAttr);
    return success();
  }

  void runOnOperation() override {
    if (failed(join()))
      signalPassFailure();
  }

  /// The instances that are the same but for numbers, and their points alone in the family. At some sizes decisions by
  /// cost fall otherwise, or two numbers meet by chance: these instances are left out where the others suffice. Else
  /// all, of which the join tells the difference.
  static SmallVector<ModuleOp> selectAlike(FamilySizes &family, ArrayRef<ModuleOp> all) {
    llvm::MapVector<size_t, SmallVector<unsigned>> classes;
    for (auto [number, instance] : llvm::enumerate(all))
      classes[hashStructure(instance)].push_back(number);
    ArrayRef<unsigned> best;
    for (const auto &[hash, members] : classes) {
      std::vector<SizePoint> points;
      for (unsigned member : members)
        points.push_back(family.points[member]);
      if (members.size() > best.size() && DimFit(points).isDetermined())
        best = members;
    }
    if (best.empty())
      return SmallVector<ModuleOp>(all);
    std::vector<SizePoint> points;
    SmallVector<ModuleOp> instances;
    for (unsigned member : best) {
      points.push_back(family.points[member]);
      instances.push_back(all[member]);
    }
    family.points = std::move(points);
    return instances;
  }

  /// Reads what the module says of its sizes and its instances of theirs.
  static FailureOr<FamilySizes> getFamily(ModuleOp module) {
    FamilySizes family;
    auto sizes = module->getAttrOfType<DictionaryAttr>(kSizesAttr);
    if (!sizes)
      return family;
    for (NamedAttribute size : sizes) {
      auto bounds = dyn_cast<DenseI64ArrayAttr>(size.getValue());
      if (!bounds || bounds.size() != 2 || bounds[0] < 0 || bounds[0] > bounds[1])
        return module.emitError("size '")
               << size.getName().getValue() << "' must have a least and a greatest value, got " << size.getValue();
      family.names.push_back(size.getName());
      family.bounds.push_back({bounds[0], bounds[1]});
      family.isComputed.push_back(false);
    }
    module.walk([&](ProgramOp program) {
      for (unsigned number = 0; number < program.getNumResults(); ++number)
        if (auto name = program.getResultAttrOfType<StringAttr>(number, kSizeAttr))
          if (auto found = llvm::find(family.names, name); found != family.names.end())
            family.isComputed[found - family.names.begin()] = true;
    });
    for (auto instance : module.getOps<ModuleOp>()) {
      auto values = instance->getAttrOfType<DictionaryAttr>(kSizesAttr);
      SizePoint &point = family.points.emplace_back();
      for (StringAttr name : family.names) {
        auto value = values ? values.getAs<IntegerAttr>(name) : IntegerAttr();
        if (!value)
          return instance.emitError("an instance must have a value of size '") << name.getValue() << "'";
        point.push_back(value.getInt());
      }
    }
    if (!DimFit(family.points).isDetermined())
      return module.emitError("has ") << family.points.size() << " instances, too few to tell how numbers follow "
                                      << family.names.size() << " sizes";
    return family;
  }
};

} // namespace
} // namespace tiny::kernel
