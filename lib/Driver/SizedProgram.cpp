// Learns what computes a value at some sizes, and evaluates it at others.
#include "SizedProgram.h"

#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Reference/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace tiny {

static Block &getBody(ModuleOp module) { return cast<func::FuncOp>(module.lookupSymbol("known")).getBody().front(); }

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// The numbers of an attribute that may follow sizes; none of another one.
static std::optional<SmallVector<int64_t>> readNumbers(Attribute attribute) {
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return SmallVector<int64_t>{integer.getValue().getSExtValue()};
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return SmallVector<int64_t>(list.asArrayRef());
  if (auto number = dyn_cast<FloatAttr>(attribute)) {
    double value = number.getValueAsDouble();
    if (std::abs(value) < 0x1p53 && value == std::round(value))
      return SmallVector<int64_t>{static_cast<int64_t>(value)};
  }
  return std::nullopt;
}

static Attribute makeAttribute(Attribute like, ArrayRef<int64_t> numbers) {
  if (auto integer = dyn_cast<IntegerAttr>(like))
    return IntegerAttr::get(integer.getType(), numbers.front());
  if (auto number = dyn_cast<FloatAttr>(like))
    return FloatAttr::get(number.getType(), static_cast<double>(numbers.front()));
  return DenseI64ArrayAttr::get(like.getContext(), numbers);
}

std::optional<SizedProgram> SizedProgram::find(const DimFit &fit, ArrayRef<ModuleOp> modules) {
  SizedProgram program;
  std::vector<std::vector<Operation *>> all;
  std::vector<llvm::DenseMap<Value, std::pair<size_t, unsigned>>> numbers(modules.size());
  for (auto [module, known] : llvm::zip_equal(modules, numbers)) {
    std::vector<Operation *> &ops = all.emplace_back();
    for (Operation &op : getBody(module)) {
      for (OpResult result : op.getResults())
        known[result] = {ops.size(), result.getResultNumber()};
      ops.push_back(&op);
    }
  }
  for (size_t place = 0; place < all.front().size(); ++place) {
    Step &step = program.steps.emplace_back();
    Operation *first = step.op = all.front()[place];
    std::vector<SmallVector<ArrayRef<int64_t>>> shapes(first->getNumResults());
    llvm::MapVector<StringAttr, SmallVector<Attribute>> attributes;
    for (auto [module, ops] : llvm::enumerate(all)) {
      if (ops.size() != all.front().size() || ops[place]->getName() != first->getName() ||
          ops[place]->getNumOperands() != first->getNumOperands() || ops[place]->getNumRegions() != 0 ||
          ops[place]->getNumResults() != first->getNumResults())
        return std::nullopt;
      for (auto [mine, other] : llvm::zip_equal(first->getOperands(), ops[place]->getOperands()))
        if (numbers[0].lookup(mine) != numbers[module].lookup(other))
          return std::nullopt;
      for (OpResult result : ops[place]->getResults()) {
        if (typeOf(result).getElementType() != typeOf(first->getResult(result.getResultNumber())).getElementType())
          return std::nullopt;
        shapes[result.getResultNumber()].push_back(typeOf(result).getShape());
        if (module == 0)
          program.work += typeOf(result).getNumElements();
      }
      // What the importer notes of an operation is another matter.
      for (NamedAttribute attribute : ops[place]->getAttrDictionary())
        if (!ops[place]->getDiscardableAttr(attribute.getName()))
          attributes[attribute.getName()].push_back(attribute.getValue());
    }
    for (ArrayRef<ArrayRef<int64_t>> of : shapes) {
      std::optional<SmallVector<Dim>> shape = findShape(fit, of);
      if (!shape)
        return std::nullopt;
      step.shapes.push_back(std::move(*shape));
    }
    for (const auto &[name, values] : attributes) {
      if (values.size() != all.size())
        return std::nullopt;
      if (llvm::all_equal(values))
        continue;
      if (isa<tensor::ConstantOp>(first)) {
        std::vector<HostTensor> tensors;
        for (Attribute value : values)
          if (std::optional<HostTensor> tensor = readConstant(cast<ElementsAttr>(value)))
            tensors.push_back(std::move(*tensor));
        if (tensors.size() == values.size())
          step.constant = ConstantLaw::find(fit, std::move(tensors));
        if (!step.constant)
          return std::nullopt;
        continue;
      }
      SmallVector<SmallVector<int64_t>> lists;
      for (Attribute value : values)
        if (std::optional<SmallVector<int64_t>> list = readNumbers(value))
          lists.push_back(std::move(*list));
      // Lists follow the same laws as shapes.
      std::optional<SmallVector<Dim>> list;
      if (lists.size() == values.size())
        list = findShape(fit, llvm::map_to_vector(lists, [](const auto &own) { return ArrayRef<int64_t>(own); }));
      if (!list)
        return std::nullopt;
      step.attributes.emplace_back(name, std::move(*list));
    }
  }
  return program;
}

/// Makes a module of a function with these results, which `fill` makes, and evaluates it.
static std::optional<HostTensor> run(MLIRContext *context, ArrayRef<HostTensor> inputs,
                                     llvm::function_ref<Value(OpBuilder &, ValueRange)> fill) {
  // What cannot be built at these sizes is known by that alone.
  ScopedDiagnosticHandler silence(context, [](Diagnostic &) { return success(); });
  Location loc = UnknownLoc::get(context);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  OpBuilder builder = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<Type> types;
  for (const HostTensor &input : inputs)
    types.push_back(RankedTensorType::get(input.shape, getElementType(context, input.dtype)));
  auto function = func::FuncOp::create(builder, loc, "known", builder.getFunctionType(types, {}));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToStart(body);
  Value value = fill(builder, body->getArguments());
  if (!value)
    return std::nullopt;
  func::ReturnOp::create(builder, loc, value);
  function.setType(builder.getFunctionType(types, value.getType()));
  if (failed(verify(*module)))
    return std::nullopt;
  reference::InterpreterOptions limits;
  limits.maxSteps = uint64_t(1) << 28;
  limits.maxBytes = uint64_t(1) << 30;
  reference::Evaluated evaluated = reference::evaluate(*module, "known", inputs, limits);
  if (evaluated.error)
    return std::nullopt;
  return std::move(evaluated.results.front());
}

std::optional<HostTensor> SizedProgram::evaluate(ArrayRef<int64_t> point) const {
  return run(steps.front().op->getContext(), {}, [&](OpBuilder &builder, ValueRange) -> Value {
    IRMapping mapping;
    for (const Step &step : steps) {
      if (isa<func::ReturnOp>(step.op))
        return mapping.lookup(step.op->getOperand(0));
      OperationState state(builder.getUnknownLoc(), step.op->getName());
      for (Value operand : step.op->getOperands())
        state.operands.push_back(mapping.lookup(operand));
      for (auto [result, shape] : llvm::zip_equal(step.op->getResults(), step.shapes)) {
        std::optional<std::vector<int64_t>> extents = evaluateShape(shape, point);
        if (!extents)
          return nullptr;
        state.addTypes(typeOf(result).clone(*extents));
      }
      NamedAttrList attributes(step.op->getAttrDictionary());
      for (const auto &[name, list] : step.attributes) {
        auto numbers = llvm::map_to_vector(list, [&](const Dim &number) { return number.evaluate(point).value_or(0); });
        attributes.set(name, makeAttribute(attributes.get(name), numbers));
      }
      if (step.constant) {
        std::optional<HostTensor> value = step.constant->evaluate(point);
        if (!value)
          return nullptr;
        attributes.set("value", makeConstant(builder.getContext(), *value));
      }
      state.addAttributes(attributes);
      mapping.map(step.op->getResults(), builder.create(state)->getResults());
    }
    return nullptr;
  });
}

llvm::BitVector SizedProgram::getSymbols(unsigned count) const {
  llvm::BitVector symbols(count);
  for (const Step &step : steps) {
    for (const SmallVector<Dim> &shape : step.shapes)
      for (const Dim &extent : shape)
        addSymbols(extent, symbols);
    for (const auto &[name, list] : step.attributes)
      for (const Dim &number : list)
        addSymbols(number, symbols);
    if (step.constant)
      step.constant->addTo(symbols);
  }
  return symbols;
}

bool SizedProgram::isElementwise(const Step &step) const {
  return isa<tensor::AddOp, tensor::SubOp, tensor::MulOp, tensor::DivOp, tensor::FloorDivOp, tensor::TruncDivOp,
             tensor::ModOp, tensor::FmodOp, tensor::MaximumOp, tensor::MinimumOp, tensor::PowOp, tensor::AndOp,
             tensor::OrOp, tensor::XorOp, tensor::EqOp, tensor::NeOp, tensor::LtOp, tensor::LeOp, tensor::GtOp,
             tensor::GeOp, tensor::WhereOp, tensor::ClampOp, tensor::CastOp, tensor::NegOp, tensor::AbsOp,
             tensor::NotOp, tensor::SignOp, tensor::SquareOp, tensor::ReluOp, tensor::FloorOp, tensor::CeilOp,
             tensor::RoundOp, tensor::TruncOp, tensor::ReciprocalOp, tensor::SqrtOp, tensor::RsqrtOp, tensor::ExpOp,
             tensor::LogOp>(step.op);
}

/// Whether axes of one element are all that a reshape adds or leaves out.
bool SizedProgram::isMoveOfUnits(const Step &step) const {
  if (!isa<tensor::ReshapeOp>(step.op))
    return false;
  auto from =
      llvm::find_if(steps, [&](const Step &other) { return other.op == step.op->getOperand(0).getDefiningOp(); });
  auto drop = [](ArrayRef<Dim> shape) {
    SmallVector<Dim> rest;
    llvm::copy_if(shape, std::back_inserter(rest), [](const Dim &extent) { return extent != Dim(1); });
    return rest;
  };
  return drop(from->shapes.front()) == drop(step.shapes.front());
}

/// Whether what an operation takes has one shape at all sizes, along one axis or all of them.
bool SizedProgram::hasOneShape(Value value, std::optional<int64_t> axis) const {
  auto from = llvm::find_if(steps, [&](const Step &other) { return other.op == value.getDefiningOp(); });
  ArrayRef<Dim> shape = from->shapes[cast<OpResult>(value).getResultNumber()];
  return axis ? shape[*axis].asConstant().has_value()
              : llvm::all_of(shape, [](const Dim &extent) { return extent.asConstant().has_value(); });
}

bool SizedProgram::isLocal() const {
  return llvm::all_of(steps, [&](const Step &step) {
    // Where a part begins, at the same place everywhere, coordinates begin.
    bool isPart = isa<tensor::ShrinkOp>(step.op) &&
                  llvm::all_of(step.attributes, [](const auto &attribute) { return attribute.first == "end"; });
    if (isPart)
      return true;
    if (!step.attributes.empty() || (step.constant && step.constant->isSized()))
      return false;
    if (auto concat = dyn_cast<tensor::ConcatOp>(step.op))
      return llvm::all_of(concat->getOperands(), [&](Value part) { return hasOneShape(part, concat.getAxis()); });
    // What is taken of a table that is always the same.
    if (isa<tensor::TakeOp, tensor::GatherOp>(step.op))
      return hasOneShape(step.op->getOperand(0), std::nullopt);
    return isElementwise(step) || isMoveOfUnits(step) ||
           isa<func::ReturnOp, tensor::ConstantOp, tensor::FullOp, tensor::IotaOp, tensor::ArangeOp, tensor::EyeOp,
               tensor::ExpandOp, tensor::PermuteOp>(step.op);
  });
}

std::optional<EqualSteps> SizedProgram::findSteps() const {
  llvm::DenseMap<Value, EqualSteps> known;
  for (const Step &step : steps) {
    Operation *op = step.op;
    for (Value operand : op->getOperands())
      if (!known.contains(operand))
        return std::nullopt;
    if (isa<func::ReturnOp>(op))
      return known.lookup(op->getOperand(0));
    if (op->getNumResults() != 1)
      return std::nullopt;
    EqualSteps made{Dim(0), SmallVector<Dim>(typeOf(op->getResult(0)).getRank())};
    Type element = typeOf(op->getResult(0)).getElementType();
    // Narrow integers wrap around.
    if (!element.isInteger(64) && !element.isInteger(32))
      return std::nullopt;
    auto getNumber = [&](StringRef name) -> std::optional<Dim> {
      for (const auto &[own, list] : step.attributes)
        if (own == name)
          return list.front();
      std::optional<SmallVector<int64_t>> number = readNumbers(op->getAttr(name));
      return number ? std::optional(Dim(number->front())) : std::nullopt;
    };
    // The operand's steps, along the axes of the result from the last one on.
    auto getOperand = [&](unsigned number) {
      EqualSteps operand = known.lookup(op->getOperand(number));
      operand.steps.insert(operand.steps.begin(), made.steps.size() - operand.steps.size(), Dim(0));
      return operand;
    };
    auto scale = [&](const EqualSteps &from, const Dim &factor) {
      EqualSteps scaled{from.first * factor, {}};
      for (const Dim &own : from.steps)
        scaled.steps.push_back(own * factor);
      return scaled;
    };
    auto isNumber = [](const EqualSteps &value) {
      return llvm::all_of(value.steps, [](const Dim &own) { return own == Dim(0); });
    };
    if (auto constant = dyn_cast<tensor::ConstantOp>(op)) {
      std::optional<HostTensor> value = readConstant(constant.getValue());
      std::optional<EqualSteps> own = step.constant ? step.constant->getSteps()
                                      : value       ? tiny::findSteps(*value)
                                                    : std::nullopt;
      if (!own)
        return std::nullopt;
      made = std::move(*own);
    } else if (isa<tensor::ArangeOp>(op)) {
      std::optional<Dim> first = getNumber("start"), each = getNumber("step");
      if (!first || !each)
        return std::nullopt;
      made.first = *first;
      made.steps.front() = *each;
    } else if (isa<tensor::AddOp, tensor::SubOp>(op)) {
      made = getOperand(0);
      EqualSteps other = scale(getOperand(1), Dim(isa<tensor::SubOp>(op) ? -1 : 1));
      made.first = made.first + other.first;
      for (auto [mine, own] : llvm::zip_equal(made.steps, other.steps))
        mine = mine + own;
    } else if (isa<tensor::MulOp>(op)) {
      EqualSteps left = getOperand(0), right = getOperand(1);
      if (!isNumber(left) && !isNumber(right))
        return std::nullopt;
      made = isNumber(right) ? scale(left, right.first) : scale(right, left.first);
    } else if (isa<tensor::CastOp, tensor::ExpandOp>(op)) {
      made = getOperand(0);
    } else if (isMoveOfUnits(step)) {
      // Along axes of one element there is no step.
      EqualSteps from = known.lookup(op->getOperand(0));
      made.first = from.first;
      ArrayRef<int64_t> shape = typeOf(op->getOperand(0)).getShape(), target = typeOf(op->getResult(0)).getShape();
      SmallVector<Dim> rest;
      for (auto [extent, own] : llvm::zip_equal(shape, from.steps))
        if (extent != 1)
          rest.push_back(own);
      for (size_t axis = target.size(); axis-- > 0 && !rest.empty();)
        if (target[axis] != 1)
          made.steps[axis] = rest.pop_back_val();
    } else {
      return std::nullopt;
    }
    known[op->getResult(0)] = std::move(made);
  }
  return std::nullopt;
}

//===--- Elements -------------------------------------------------------------------------------------------------===//

bool SizedProgram::isByElement() const {
  int64_t count = steps.size() < 2 ? 0 : typeOf(steps.back().op->getOperand(0)).getNumElements();
  return llvm::all_of(steps, [&](const Step &step) {
    if (isa<func::ReturnOp>(step.op))
      return true;
    auto isConstant = [](const Dim &extent) { return extent.asConstant().has_value(); };
    int64_t own = step.op->getNumResults() == 1 ? typeOf(step.op->getResult(0)).getNumElements() : 0;
    return (own == 1 || own == count) && llvm::all_of(step.shapes.front(), isConstant) && step.attributes.empty() &&
           (isElementwise(step) || isa<tensor::ConstantOp, tensor::ReshapeOp, tensor::ExpandOp>(step.op));
  });
}

llvm::BitVector SizedProgram::getElementSymbols(int64_t number, unsigned count) const {
  llvm::BitVector symbols(count);
  for (const Step &step : steps)
    if (step.constant)
      if (ArrayRef<NumberLaw> numbers = step.constant->getNumbers(); !numbers.empty())
        numbers[numbers.size() == 1 ? 0 : number].addTo(symbols);
  return symbols;
}

std::optional<HostTensor> SizedProgram::evaluateElement(int64_t number, ArrayRef<SizePoint> points) const {
  auto extent = static_cast<int64_t>(points.size());
  std::vector<HostTensor> inputs;
  for (const Step &step : steps) {
    auto constant = dyn_cast<tensor::ConstantOp>(step.op);
    if (!constant)
      continue;
    std::optional<HostTensor> value = readConstant(constant.getValue());
    if (!value)
      return std::nullopt;
    int64_t from = value->size() == 1 ? 0 : number;
    HostTensor &input = inputs.emplace_back(HostTensor::zeros(value->dtype, {extent}));
    size_t width = tiny_dtype_size(value->dtype);
    for (int64_t k = 0; k < extent; ++k)
      if (step.constant && !step.constant->getNumbers().empty() && step.constant->getNumbers()[from].isSized())
        setNumber(input, k, step.constant->getNumbers()[from].evaluate(points[k]));
      else
        std::memcpy(input.bytes.data() + k * width, value->bytes.data() + from * width, width);
  }
  return run(steps.front().op->getContext(), inputs, [&](OpBuilder &builder, ValueRange arguments) -> Value {
    IRMapping mapping;
    for (const Step &step : steps) {
      if (isa<func::ReturnOp>(step.op))
        return mapping.lookup(step.op->getOperand(0));
      if (isa<tensor::ConstantOp>(step.op)) {
        mapping.map(step.op->getResult(0), arguments.front());
        arguments = arguments.drop_front();
        continue;
      }
      if (isa<tensor::ReshapeOp, tensor::ExpandOp>(step.op)) {
        mapping.map(step.op->getResult(0), mapping.lookup(step.op->getOperand(0)));
        continue;
      }
      OperationState state(builder.getUnknownLoc(), step.op->getName());
      for (Value operand : step.op->getOperands())
        state.operands.push_back(mapping.lookup(operand));
      state.addTypes(typeOf(step.op->getResult(0)).clone(extent));
      state.addAttributes(step.op->getAttrs());
      mapping.map(step.op->getResult(0), builder.create(state)->getResult(0));
    }
    return nullptr;
  });
}

} // namespace tiny
