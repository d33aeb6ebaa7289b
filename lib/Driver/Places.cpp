// Finds what places elements by open sizes, and cuts it out.
#include "Places.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Support/Family.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tiny {

/// Products of more multiplications, and tables of more elements, are left out.
constexpr int64_t kLarge = 1 << 16;

/// The one function of a module; null where there are more.
static func::FuncOp getFunction(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  bool isOne = !functions.empty() && std::next(functions.begin()) == functions.end();
  return isOne && !(*functions.begin()).isExternal() ? *functions.begin() : func::FuncOp();
}

static SmallVector<Operation *> listOps(func::FuncOp function) {
  return llvm::map_to_vector(function.getBody().front().without_terminator(), [](Operation &op) { return &op; });
}

static int64_t countElements(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() : 0;
}

/// Whether an operation takes long to evaluate and leaves elements where they are.
static bool isLarge(Operation *op) {
  if (op->getNumRegions() > 0 || isa<tensor::ConvOp>(op))
    return true;
  for (Value operand : op->getOperands())
    if (operand.getDefiningOp<tensor::ConstantOp>() && countElements(operand) > kLarge)
      return true;
  if (!isa<tensor::MatmulOp, tensor::LinearOp, tensor::GemmOp>(op))
    return false;
  // At most: the result times the smaller of both operands.
  return countElements(op->getResult(0)) *
             std::min(countElements(op->getOperand(0)), countElements(op->getOperand(1))) >
         kLarge;
}

/// Whether the peers of an operation, at other sizes, put elements at other places.
static bool isPlacing(ArrayRef<Operation *> peers) {
  Operation *first = peers.front();
  auto differ = [&](auto get) { return llvm::any_of(peers, [&](Operation *peer) { return get(peer) != get(first); }); };
  if (auto concat = dyn_cast<tensor::ConcatOp>(first)) {
    // Along the axis.
    for (unsigned operand = 0; operand < first->getNumOperands(); ++operand)
      if (differ([&](Operation *peer) {
            return cast<RankedTensorType>(peer->getOperand(operand).getType()).getDimSize(concat.getAxis());
          }))
        return true;
    return false;
  }
  if (!isa<tensor::PadOp, tensor::ShrinkOp, tensor::SliceOp, tensor::SetItemOp, tensor::FlipOp, tensor::GatherOp,
           tensor::TakeOp, tensor::TakeAlongOp, tensor::StackOp>(first))
    return false;
  return differ([](Operation *peer) { return peer->getResultTypes(); }) ||
         differ([](Operation *peer) { return TypeRange(peer->getOperandTypes()); }) ||
         differ([](Operation *peer) { return peer->getAttrDictionary(); });
}

std::optional<PlacesPart> PlacesPart::find(ArrayRef<ModuleOp> instances) {
  PlacesPart part;
  std::vector<SmallVector<Operation *>> all;
  for (ModuleOp instance : instances) {
    func::FuncOp function = getFunction(instance);
    if (!function)
      return std::nullopt;
    all.push_back(listOps(function));
    auto names = llvm::map_to_vector(all.back(), [](Operation *op) { return op->getName(); });
    if (all.size() == 1)
      part.names.assign(names.begin(), names.end());
    else if (!llvm::equal(names, part.names))
      return std::nullopt;
  }
  ArrayRef<Operation *> ops = all.front();
  llvm::DenseMap<Operation *, unsigned> numbers;
  for (auto [number, op] : llvm::enumerate(ops))
    numbers[op] = number;
  llvm::BitVector placing(ops.size()), isOut(ops.size()), isBehind(ops.size()), isBefore(ops.size());
  for (unsigned number = 0; number < ops.size(); ++number) {
    auto peers = llvm::map_to_vector(all, [&](const auto &list) { return list[number]; });
    isOut[number] = ops[number]->getNumOperands() == 0 || llvm::any_of(peers, isLarge);
    placing[number] = !isOut[number] && isPlacing(peers);
    for (Value operand : ops[number]->getOperands())
      if (Operation *from = operand.getDefiningOp(); from && !isOut[number])
        isBehind[number] = isBehind[number] || placing[numbers[from]] || isBehind[numbers[from]];
  }
  if (placing.none())
    return std::nullopt;
  for (unsigned number = ops.size(); number-- > 0;)
    if (!isOut[number] && (placing[number] || isBefore[number]))
      for (Value operand : ops[number]->getOperands())
        if (Operation *from = operand.getDefiningOp())
          isBefore[numbers[from]] = !isOut[numbers[from]];
  isBehind &= isBefore;
  part.kept = std::move(placing);
  part.kept |= isBehind;
  // Sizes that are data, and integers: places are made of them, and would be none if they were any numbers.
  func::FuncOp function = getFunction(instances.front());
  Operation *last = function.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(last->getOperands()))
    if (Operation *op = value.getDefiningOp(); op && function.getResultAttr(number, kSizeAttr))
      part.kept[numbers[op]] = part.kept[numbers[op]] || !isOut[numbers[op]];
  for (unsigned number = ops.size(); number-- > 0;)
    if (part.kept[number])
      for (Value operand : ops[number]->getOperands())
        if (Operation *from = operand.getDefiningOp(); from && getElementTypeOrSelf(operand).isInteger())
          part.kept[numbers[from]] = part.kept[numbers[from]] || !isOut[numbers[from]];
  return part;
}

OwningOpRef<ModuleOp> PlacesPart::extract(ModuleOp instance) const {
  func::FuncOp function = getFunction(instance);
  SmallVector<Operation *> ops;
  if (!function ||
      !llvm::equal(llvm::map_range(ops = listOps(function), [](Operation *op) { return op->getName(); }), names))
    return nullptr;
  llvm::SmallDenseSet<Operation *> inside;
  for (unsigned number : kept.set_bits())
    inside.insert(ops[number]);
  OwningOpRef<ModuleOp> module(ModuleOp::create(instance.getLoc()));
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  auto made = func::FuncOp::create(builder, function.getLoc(), "places", function.getFunctionType());
  Block *body = made.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  mapping.map(function.getArguments(), body->getArguments());
  for (unsigned number : kept.set_bits()) {
    for (Value operand : ops[number]->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (!from || mapping.contains(operand))
        continue;
      if (from->getNumOperands() == 0 && from->getNumRegions() == 0)
        builder.clone(*from, mapping);
      else
        mapping.map(operand, body->addArgument(operand.getType(), operand.getLoc()));
    }
    builder.clone(*ops[number], mapping);
  }
  // First the sizes that are data, with what says so, then all that is read outside of the part.
  SmallVector<Value> results;
  SmallVector<DictionaryAttr> attributes;
  Operation *last = function.getBody().front().getTerminator();
  for (auto [number, value] : llvm::enumerate(last->getOperands()))
    if (function.getResultAttr(number, kSizeAttr) && mapping.contains(value)) {
      results.push_back(mapping.lookup(value));
      attributes.push_back(function.getResultAttrDict(number));
    }
  for (unsigned number : kept.set_bits())
    for (OpResult result : ops[number]->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); })) {
        results.push_back(mapping.lookup(result));
        std::string name;
        if (auto named = dyn_cast<NameLoc>(result.getLoc()))
          name = named.getName().str();
        attributes.push_back(
            name.empty() ? builder.getDictionaryAttr({})
                         : builder.getDictionaryAttr(builder.getNamedAttr(kNameAttr, builder.getStringAttr(name))));
      }
  func::ReturnOp::create(builder, last->getLoc(), results);
  made.setType(builder.getFunctionType(body->getArgumentTypes(), TypeRange(ValueRange(results))));
  for (unsigned number = 0; number < function.getNumArguments(); ++number)
    if (Attribute name = function.getArgAttr(number, kNameAttr))
      made.setArgAttr(number, kNameAttr, name);
  for (auto [number, own] : llvm::enumerate(attributes))
    made.setResultAttrs(number, own);
  return succeeded(verify(*module)) ? std::move(module) : nullptr;
}

/// Whether the operation reads a part of its operand that does not hang on data.
static bool cuts(Operation *op) {
  if (isa<tensor::ShrinkOp, tensor::SliceOp, tensor::FlipOp>(op))
    return true;
  return isa<tensor::TakeOp, tensor::GatherOp>(op) && op->getOperand(1).getDefiningOp<tensor::ConstantOp>();
}

/// Whether some operation cuts a part out of the value, or out of what is computed from it and may be fused with it.
static bool isCutLater(Value value) {
  SmallVector<Value> pending{value};
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers()) {
      if (user->getNumRegions() > 0 || user->hasTrait<OpTrait::IsTerminator>() || !seen.insert(user).second ||
          isa<tensor::ContiguousOp>(user))
        continue;
      if (cuts(user))
        return true;
      llvm::append_range(pending, user->getResults());
    }
  return false;
}

void separatePlaces(ArrayRef<OwningOpRef<ModuleOp>> instances) {
  std::vector<SmallVector<Operation *>> all;
  for (const OwningOpRef<ModuleOp> &instance : instances) {
    func::FuncOp function = getFunction(*instance);
    if (!function)
      return;
    all.emplace_back();
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { all.back().push_back(op); });
    if (!llvm::equal(all.back(), all.front(), [](Operation *a, Operation *b) { return a->getName() == b->getName(); }))
      return;
  }
  for (unsigned number = 0; number < all.front().size(); ++number) {
    auto peers = llvm::map_to_vector(all, [&](const auto &list) { return list[number]; });
    if (!isa<tensor::ConcatOp>(peers.front()) || !isPlacing(peers) || !isCutLater(peers.front()->getResult(0)))
      continue;
    for (Operation *peer : peers) {
      OpBuilder builder(peer->getContext());
      builder.setInsertionPointAfter(peer);
      auto kept = tensor::ContiguousOp::create(builder, peer->getLoc(), peer->getResult(0));
      peer->getResult(0).replaceAllUsesExcept(kept, kept);
    }
  }
}

} // namespace tiny
