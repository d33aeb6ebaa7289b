// Computes each decision at other sizes, from what follows the sizes by a polynomial, and compares it with its own law.
#include "Decisions.h"

#include "Tiny/Reference/Interpreter.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace tiny {
namespace {

/// One decision, and its laws.
class DecisionCheck {
public:
  DecisionCheck(const OnnxDecision &decision, ArrayRef<Bounds> bounds) : decision(decision), bounds(bounds) {}

  /// Whether it can be checked: what it depends on has a law, and it was met in enough imports.
  bool findLaws(ArrayRef<SizePoint> points) {
    std::vector<SizePoint> at;
    std::vector<std::vector<int64_t>> inputs, results;
    for (const auto &[import, known] : decision.known) {
      const auto &[input, result] = known;
      if (import == 0 || import > points.size() || input.size() != decision.known.begin()->second.first.size() ||
          result.size() != decision.known.begin()->second.second.size())
        return false;
      at.push_back(points[import - 1]);
      inputs.push_back(input);
      std::vector<int64_t> &whole = results.emplace_back();
      for (double number : result) {
        // What is no integer is found where it is used.
        if (!(std::abs(number) < 0x1p53) || number != std::round(number))
          return false;
        whole.push_back(static_cast<int64_t>(number));
      }
    }
    DimFit fit(at);
    hasLaw = fitAll(fit, results, resultLaws);
    return fit.isDetermined() && fitAll(fit, inputs, inputLaws);
  }

  /// Whether it follows one law at the sizes of all imports.
  bool isLawful() const { return hasLaw; }

  /// The sizes to look at: one of them varies, the others are as in `from`.
  std::vector<SizePoint> listPoints(const SizePoint &from) const {
    std::vector<SizePoint> list;
    for (auto [symbol, bound] : llvm::enumerate(bounds)) {
      llvm::SmallSetVector<int64_t, 32> values;
      constexpr int64_t kFew = 12;
      for (int64_t k = 0; k < kFew; ++k) {
        values.insert(bound.low + k);
        values.insert(bound.high - k);
      }
      decision.program.get()->walk([&](Operation *op) {
        DenseElementsAttr constant;
        if (!matchPattern(op, m_Constant(&constant)) || constant.getNumElements() > 16)
          return;
        for (Attribute value : constant.getValues<Attribute>())
          for (int64_t near : {-1, 0, 1})
            if (auto number = dyn_cast<IntegerAttr>(value))
              values.insert(number.getValue().getSExtValue() + near);
            else if (auto number = dyn_cast<FloatAttr>(value); number && std::abs(number.getValueAsDouble()) < 1e9)
              values.insert(static_cast<int64_t>(number.getValueAsDouble()) + near);
      });
      for (int64_t value : values) {
        SizePoint &point = list.emplace_back(from);
        point[symbol] = std::clamp(value, bound.low, bound.high);
      }
    }
    return list;
  }

  /// Whether the value at the sizes is what its law says; true where it cannot be computed.
  bool holdsAt(const SizePoint &point) const {
    std::vector<HostTensor> tensors;
    size_t next = 0;
    auto function = cast<FunctionOpInterface>(ModuleOp(decision.program.get()).lookupSymbol("known"));
    for (Type type : function.getArgumentTypes()) {
      ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
      HostTensor &tensor = tensors.emplace_back(HostTensor::zeros(TINY_DTYPE_I64, {shape.begin(), shape.end()}));
      for (int64_t k = 0; k < tensor.size(); ++k) {
        int64_t number = inputLaws[next++].evaluate(point).value_or(0);
        std::memcpy(tensor.bytes.data() + k * sizeof(number), &number, sizeof(number));
      }
    }
    reference::Evaluated evaluated = reference::evaluate(decision.program.get(), "known", tensors, {});
    if (evaluated.error)
      return true;
    for (auto [k, law] : llvm::enumerate(resultLaws)) {
      double number;
      std::memcpy(&number, evaluated.results.front().bytes.data() + k * sizeof(number), sizeof(number));
      if (number != double(law.evaluate(point).value_or(0)))
        return false;
    }
    return true;
  }

private:
  static bool fitAll(const DimFit &fit, const std::vector<std::vector<int64_t>> &values, std::vector<Dim> &laws) {
    for (size_t element = 0; element < values.front().size(); ++element) {
      std::optional<Dim> law =
          fit.fit(llvm::map_to_vector(values, [&](const std::vector<int64_t> &all) { return all[element]; }));
      if (!law)
        return false;
      laws.push_back(*law);
    }
    return true;
  }

  const OnnxDecision &decision;
  ArrayRef<Bounds> bounds;
  std::vector<Dim> inputLaws, resultLaws;
  bool hasLaw = false;
};

} // namespace

llvm::Error checkDecisions(const OnnxChoices &choices, ArrayRef<StringRef> names, ArrayRef<Bounds> bounds,
                           ArrayRef<SizePoint> points) {
  for (const OnnxDecision &decision : choices.decisions) {
    DecisionCheck check(decision, bounds);
    if (decision.known.empty() || !check.findLaws(points))
      continue;
    std::string place;
    if (auto name = dyn_cast<NameLoc>(decision.program.get().getLoc()))
      place = "'" + name.getName().str() + "': ";
    if (!check.isLawful())
      return llvm::createStringError(Twine(place) +
                                     "what is computed of open sizes is no polynomial of them; with other "
                                     "bounds it may be one");
    for (const SizePoint &point : check.listPoints(points.front())) {
      if (check.holdsAt(point))
        continue;
      std::string sizes;
      llvm::raw_string_ostream stream(sizes);
      llvm::interleaveComma(llvm::zip_equal(names, point), stream,
                            [&](auto size) { stream << std::get<0>(size) << " = " << std::get<1>(size); });
      return llvm::createStringError(Twine(place) + "what is computed of open sizes is another polynomial of them at " +
                                     sizes + "; with other bounds it may be one");
    }
  }
  return llvm::Error::success();
}

} // namespace tiny
