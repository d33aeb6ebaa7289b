// Computes each decision at all sizes within the bounds, and compares it with its own law.
#include "Decisions.h"

#include "SizedProgram.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tiny {
namespace {

/// Points that one evaluation takes at once, where it is of one element.
constexpr int64_t kChunk = 1 << 14;
/// All that a decision is evaluated at, one after the other and many at once.
constexpr int64_t kMostPoints = 1 << 22;
/// What one decision may take: a fraction of a second.
constexpr int64_t kMostWork = 1 << 26, kWorkOfPoint = 1 << 12;

/// One decision, and its laws.
class DecisionCheck {
public:
  DecisionCheck(ArrayRef<StringRef> names, ArrayRef<Bounds> bounds) : names(names), bounds(bounds) {}

  /// What is wrong; empty where nothing is.
  std::string check(const OnnxDecision &decision, ArrayRef<SizePoint> points);

private:
  /// Calls back with lists of all points that differ in one of the symbols, until it says no.
  void forEach(const llvm::BitVector &symbols, int64_t chunk, llvm::function_ref<bool(ArrayRef<SizePoint>)> call) const;
  int64_t countPoints(const llvm::BitVector &symbols) const;
  std::string compareByElement(const SizedProgram &program, const ConstantLaw &law) const;
  std::string describeOther(ArrayRef<int64_t> point) const;

  ArrayRef<StringRef> names;
  ArrayRef<Bounds> bounds;
  /// What has been found to be right: a model has the same in each of its layers.
  llvm::StringSet<> known;
};

int64_t DecisionCheck::countPoints(const llvm::BitVector &symbols) const {
  int64_t count = 1;
  for (unsigned symbol : symbols.set_bits()) {
    count *= std::min(bounds[symbol].high - bounds[symbol].low + 1, kMostPoints + 1);
    if (count > kMostPoints)
      return kMostPoints + 1;
  }
  return count;
}

void DecisionCheck::forEach(const llvm::BitVector &symbols, int64_t chunk,
                            llvm::function_ref<bool(ArrayRef<SizePoint>)> call) const {
  SizePoint point;
  for (Bounds bound : bounds)
    point.push_back(bound.low);
  std::vector<SizePoint> points;
  while (true) {
    points.push_back(point);
    bool isLast = true;
    for (unsigned symbol : symbols.set_bits()) {
      if (point[symbol] < bounds[symbol].high) {
        ++point[symbol];
        isLast = false;
        break;
      }
      point[symbol] = bounds[symbol].low;
    }
    if (static_cast<int64_t>(points.size()) < chunk && !isLast)
      continue;
    if (!call(points) || isLast)
      return;
    points.clear();
  }
}

std::string DecisionCheck::describeOther(ArrayRef<int64_t> point) const {
  std::string text = "what is computed of open sizes is another polynomial of them at ";
  llvm::raw_string_ostream stream(text);
  llvm::interleaveComma(llvm::zip_equal(names, point), stream,
                        [&](auto size) { stream << std::get<0>(size) << " = " << std::get<1>(size); });
  stream << "; with other bounds it may be one";
  return text;
}

static std::string describeUnchecked() {
  return "whether what is computed of open sizes follows one law at all of them would take too long to find out; "
         "narrower bounds may help";
}

std::string DecisionCheck::compareByElement(const SizedProgram &program, const ConstantLaw &law) const {
  std::string wrong;
  for (int64_t number = 0; number < law.countElements() && wrong.empty(); ++number) {
    llvm::BitVector symbols = program.getElementSymbols(number, names.size());
    if (!law.getNumbers().empty())
      law.getNumbers()[number].addTo(symbols);
    if (countPoints(symbols) > kMostPoints)
      return describeUnchecked();
    forEach(symbols, kChunk, [&](ArrayRef<SizePoint> points) {
      std::optional<HostTensor> made = program.evaluateElement(number, points);
      for (auto [index, point] : llvm::enumerate(points)) {
        double expected = law.evaluateElement(number, point), got = made ? made->getNumber(index) : 0;
        if (made && (expected == got || (expected != expected && got != got)))
          continue;
        wrong = describeOther(point);
        return false;
      }
      return true;
    });
  }
  return wrong;
}

/// The imports that most others have the operations of: at the least sizes there may be others.
static std::vector<unsigned> selectAlike(ArrayRef<ModuleOp> programs) {
  llvm::MapVector<size_t, std::vector<unsigned>> classes;
  for (auto [number, program] : llvm::enumerate(programs)) {
    llvm::hash_code hash(0);
    ModuleOp(program).walk(
        [&](Operation *op) { hash = llvm::hash_combine(hash, op->getName(), op->getNumOperands()); });
    classes[hash].push_back(number);
  }
  std::vector<unsigned> best;
  for (auto &[hash, members] : classes)
    if (members.size() > best.size())
      best = std::move(members);
  return best;
}

std::string DecisionCheck::check(const OnnxDecision &decision, ArrayRef<SizePoint> points) {
  std::vector<SizePoint> all, at;
  std::vector<ModuleOp> programs, alike;
  std::vector<HostTensor> values;
  for (const auto &entry : decision.known) {
    const OnnxDecision::Known &known = entry.second;
    SizePoint point = llvm::map_to_vector<2>(names, [&](StringRef name) { return known.sizes.lookup(name); });
    // An import may have failed behind this.
    if (!known.program || !llvm::is_contained(points, point))
      continue;
    all.push_back(point);
    programs.push_back(*known.program);
    if (std::optional<HostTensor> value = known.value ? readConstant(known.value) : std::nullopt)
      values.push_back(std::move(*value));
  }
  // What is not there at most sizes is nothing that instances have in common.
  DimFit fit(all);
  if (!fit.isDetermined())
    return "";
  for (unsigned number : selectAlike(programs)) {
    at.push_back(all[number]);
    alike.push_back(programs[number]);
  }
  std::optional<SizedProgram> program = SizedProgram::find(DimFit(at), alike);
  if (program && alike.size() == programs.size() && program->isLocal())
    return "";
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (program && program->countWork() < kWorkOfPoint) {
    for (const auto &[point, module] : llvm::zip_equal(all, programs)) {
      llvm::interleave(point, stream, ",");
      module->print(stream);
    }
    if (known.contains(text))
      return "";
  }
  std::optional<ConstantLaw> law;
  if (values.size() == programs.size() && !(law = ConstantLaw::find(fit, std::move(values))))
    return "what is computed of open sizes is no polynomial of them; with other bounds it may be one";
  // What is too large to be computed here is computed by the program that runs.
  if (!law)
    return "";
  // Imports of other operations, as at the least sizes, follow the law as well.
  if (program && program->isLocal())
    return "";
  // What cannot be computed at other sizes has been compared at those of all imports alone.
  if (!program)
    return "";
  if (std::optional<EqualSteps> steps = program->findSteps(); steps && steps == law->getSteps())
    return "";
  std::string wrong;
  llvm::BitVector symbols = program->getSymbols(names.size());
  law->addTo(symbols);
  if (program->isByElement() && law->hasOneShape()) {
    wrong = compareByElement(*program, *law);
  } else if (countPoints(symbols) * (kWorkOfPoint + program->countWork()) > kMostWork) {
    wrong = describeUnchecked();
  } else {
    forEach(symbols, 1, [&](ArrayRef<SizePoint> one) {
      // What was imported is known.
      if (llvm::is_contained(all, one.front()))
        return true;
      std::optional<HostTensor> made = program->evaluate(one.front()), expected = law->evaluate(one.front());
      if (made && (!expected || !isEqual(*made, *expected)))
        wrong = describeOther(one.front());
      return wrong.empty();
    });
  }
  if (wrong.empty() && !text.empty())
    known.insert(text);
  return wrong;
}

} // namespace

llvm::Error checkDecisions(const OnnxChoices &choices, ArrayRef<StringRef> names, ArrayRef<Bounds> bounds,
                           ArrayRef<SizePoint> points) {
  DecisionCheck check(names, bounds);
  for (const auto &entry : choices.decisions) {
    std::string wrong = check.check(entry.second, points);
    if (wrong.empty())
      continue;
    std::string place;
    if (auto name = dyn_cast<NameLoc>(entry.second.loc))
      place = "'" + name.getName().str() + "': ";
    return llvm::createStringError(place + wrong);
  }
  return llvm::Error::success();
}

} // namespace tiny
