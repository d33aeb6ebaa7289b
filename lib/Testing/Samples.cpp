// Draws inputs for the pass checker, evaluates programs on them, and says what differs.
#include "Samples.h"

#include "Compare.h"
#include "Tiny/Dialect/Kernel/Sizes.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Testing/RandomInputs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tiny::reference {

/// To draw an element takes as long as so many steps of the interpreter, about.
static constexpr double kStepsPerInput = 64;

static double countInputs(const Signature &signature) {
  double count = 0;
  for (RankedTensorType type : signature.inputs)
    count += type.hasStaticShape() ? llvm::product_of(type.getShape(), 1.0) : 0;
  return count;
}

bool hasFlags(ModuleOp module, arith::FastMathFlags flags) {
  return module
      .walk([&](Operation *op) {
        for (NamedAttribute attr : op->getAttrs())
          if (auto found = dyn_cast<arith::FastMathFlagsAttr>(attr.getValue()))
            if (arith::bitEnumContainsAny(found.getValue(), flags))
              return WalkResult::interrupt();
        return WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether an operation adds or multiplies many elements, or those of many lanes, in whatever order, or with other
/// roundings.
static bool combinesElements(Operation *op) {
  return isa<tensor::SumOp, tensor::ProdOp, tensor::MeanOp, tensor::VarOp, tensor::LogSumExpOp, tensor::SoftmaxOp,
             tensor::LogSoftmaxOp, tensor::LayerNormOp, tensor::RmsNormOp, tensor::BatchNormOp, tensor::MatmulOp,
             tensor::LinearOp, tensor::GemmOp, tensor::ConvOp, tensor::CumSumOp, tensor::AvgPoolOp,
             tensor::GlobalAvgPoolOp, uop::SubgroupReduceOp, uop::WorkgroupReduceOp, uop::FragmentReduceOp>(op);
}

/// Whether a convolution is computed by tiles, all of which one NaN or infinity reaches.
static bool hasTiles(ModuleOp module) {
  return module.walk([](tensor::ConvOp conv) { return WalkResult(conv.getWinograd() ? failure() : success()); })
      .wasInterrupted();
}

bool fits(const Sample &sample, ModuleOp module) {
  using arith::FastMathFlags;
  if (sample.kind.empty())
    return true;
  if (hasFlags(module, FastMathFlags::nnan | FastMathFlags::ninf) || hasTiles(module))
    return false;
  return !sample.isExtreme ||
         (!hasFlags(module, FastMathFlags::reassoc | FastMathFlags::contract) &&
          !module.walk([](Operation *op) { return WalkResult(combinesElements(op) ? failure() : success()); })
               .wasInterrupted());
}

/// More samples, where there are floats to be special, or numbers to be extreme.
static void addSpecials(Baseline &baseline, ModuleOp module, FunctionOpInterface function, const Signature &signature,
                        RandomOptions random, const CheckPassesOptions &options) {
  auto isFloat = [](RankedTensorType type) { return isa<FloatType>(type.getElementType()); };
  auto isNumber = [](RankedTensorType type) { return !type.getElementType().isInteger(1); };
  for (bool extreme : {false, true}) {
    if (!options.specialFloats ||
        (extreme ? llvm::none_of(signature.inputs, isNumber) : llvm::none_of(signature.inputs, isFloat)))
      continue;
    random.specialFloats = !extreme;
    random.extremes = extreme;
    Sample sample;
    sample.kind = extreme ? " with extreme magnitudes" : " with NaNs and infinities";
    sample.isExtreme = extreme;
    FailureOr<SmallVector<HostTensor>> inputs = randomInputs(signature, random);
    if (failed(inputs) || !fits(sample, module))
      continue;
    Evaluated evaluated = evaluate(module, function.getName(), *inputs, options.limits);
    if (evaluated.error || evaluated.dividedByZero)
      continue;
    sample.inputs = std::move(*inputs);
    sample.results = std::move(evaluated.results);
    baseline.samples.push_back(std::move(sample));
  }
}

/// Of a program with sizes, the signatures at its least, its greatest, and some sizes between; of another, its own.
static SmallVector<Signature> drawSizes(FunctionOpInterface function, const Signature &signature, uint64_t seed) {
  auto program = dyn_cast<kernel::ProgramOp>(function.getOperation());
  if (!program || !program.getSizes())
    return {signature};
  SmallVector<Signature> drawn;
  for (int which = 0; which < 3; ++which) {
    SmallVector<int64_t> sizes;
    for (auto size : program.getSizesAttr().getAsRange<kernel::SizeAttr>()) {
      int64_t between = size.getLeast() + static_cast<int64_t>((seed * 7 + sizes.size() * 3 + 1) %
                                                               (size.getMost() - size.getLeast() + 1));
      sizes.push_back(which == 0 ? between : which == 1 ? size.getLeast() : size.getMost());
    }
    Signature &at = drawn.emplace_back(signature);
    for (auto [index, type] : llvm::enumerate(at.inputs))
      type = type.clone(kernel::getLiveShape(function.getArgAttr(index, kShapeAttr), type, sizes));
  }
  return drawn;
}

/// More samples of a program with sizes: at others of its sizes.
static void addSizes(Baseline &baseline, ModuleOp module, FunctionOpInterface function, ArrayRef<Signature> others,
                     const RandomOptions &random, const CheckPassesOptions &options) {
  for (const Signature &signature : others) {
    FailureOr<SmallVector<HostTensor>> inputs = randomInputs(signature, random);
    if (failed(inputs))
      continue;
    Evaluated evaluated = evaluate(module, function.getName(), *inputs, options.limits);
    if (!evaluated.error && !evaluated.dividedByZero)
      baseline.samples.push_back(Sample{std::move(*inputs), std::move(evaluated.results), ""});
  }
}

FailureOr<Baseline> drawBaseline(ModuleOp module, FunctionOpInterface function, const CheckPassesOptions &options,
                                 std::optional<Statement> &whyNot) {
  auto refuse = [&](Location location, const Twine &message) {
    whyNot = Statement{location, message.str()};
    return failure();
  };
  FailureOr<Signature> signature = getEvaluationSignature(function);
  if (failed(signature))
    return failure();
  if (countInputs(*signature) * kStepsPerInput > static_cast<double>(options.limits.maxSteps))
    return refuse(function.getLoc(), "its inputs have too many elements");
  SmallVector<Signature> drawn = drawSizes(function, *signature, options.seed);
  signature = drawn.front();
  RandomOptions random;
  random.seed = options.seed;
  random.wideFloats = options.wideFloats;
  for (bool nonzero : {false, true}) {
    random.nonzeroIntegers = nonzero;
    FailureOr<SmallVector<HostTensor>> inputs = randomInputs(*signature, random);
    if (failed(inputs))
      return refuse(function.getLoc(), "it takes inputs that cannot be drawn");
    Evaluated evaluated = evaluate(module, function.getName(), *inputs, options.limits);
    if (evaluated.error)
      return refuse(evaluated.error->location, evaluated.error->message);
    if (evaluated.dividedByZero)
      continue;
    Baseline baseline;
    baseline.steps = evaluated.steps;
    baseline.samples.push_back(Sample{std::move(*inputs), std::move(evaluated.results), ""});
    addSizes(baseline, module, function, ArrayRef(drawn).drop_front(), random, options);
    addSpecials(baseline, module, function, *signature, random, options);
    return baseline;
  }
  return refuse(function.getLoc(), "it divides an integer by zero");
}

Comparison compareSample(ModuleOp module, FunctionOpInterface function, const Sample &sample, bool ignoresSigns,
                         const CheckPassesOptions &options) {
  using Kind = Comparison::Kind;
  StringRef name = function.getName();
  auto differs = [&](Location location, const Twine &message) {
    return Comparison{Kind::Different, Statement{location, message.str()}};
  };
  Evaluated evaluated = evaluate(module, name, sample.inputs, options.limits);
  if (evaluated.error && evaluated.error->kind == InterpreterError::Kind::Undefined)
    return {Kind::Different,
            Statement{evaluated.error->location, ("broke '" + name + "': it " + evaluated.error->message).str(),
                      evaluated.error->other}};
  if (evaluated.error)
    return {Kind::NotEvaluated, Statement{evaluated.error->location, evaluated.error->message}};
  if (evaluated.results.size() != sample.results.size())
    return differs(function.getLoc(), "changed the number of results of '" + name + "' from " +
                                          Twine(sample.results.size()) + " to " + Twine(evaluated.results.size()));
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(sample.results, evaluated.results))) {
    auto &[before, after] = pair;
    if (before.dtype != after.dtype || before.shape != after.shape)
      return differs(function.getLoc(), "changed the type of result " + Twine(index) + " of '" + name + "'");
    if (std::optional<Difference> difference =
            findDifference(before, after, options.tolerance, !ignoresSigns, sample.isExtreme))
      return differs(function.getLoc(), "changed result " + Twine(index) + " of '" + name + "': element " +
                                            Twine(difference->element) + " was " + difference->before + ", now it is " +
                                            difference->after + " (inputs of seed " + Twine(options.seed) +
                                            sample.kind + ")");
  }
  return {Kind::Same, std::nullopt, std::move(evaluated.results)};
}

} // namespace tiny::reference
