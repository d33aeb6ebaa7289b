// Instances of a program at chosen sizes, checked against instances at others.
#include "Tiny/Driver/Family.h"

#include "Places.h"
#include "Tiny/Algebra/View/DimFit.h"
#include "Tiny/Dialect/Tensor/Tensor.h"
#include "Tiny/Pipelines/Pipelines.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/HostTensor.h"
#include "Tiny/Testing/Witness.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using llvm::Expected;

namespace tiny {

namespace {

class FamilyBuilder {
public:
  /// `measured` are those of the sizes that are data.
  FamilyBuilder(const DimSizes &dims, const llvm::StringSet<> &measured, MLIRContext *context, BuildInstance build,
                bool isWithin)
      : context(context), build(build), measured(measured), isWithin(isWithin) {
    for (const auto &[name, size] : dims) {
      if (size.isOpen())
        names.push_back(name);
      else
        fixed[name] = size.least;
    }
    // The order of the dictionary in which they stand.
    llvm::sort(names);
    for (StringRef name : names)
      bounds.push_back({dims.lookup(name).least, dims.lookup(name).most});
  }

  Expected<OwningOpRef<ModuleOp>> run(CheckSizes check);
  /// Whether sizes out of the bounds were tried.
  bool isOutside() const { return triesOutside; }
  /// Whether the bounds have sizes enough.
  bool isTried() const { return !built.empty(); }

private:
  Expected<OwningOpRef<ModuleOp>> buildAt(ArrayRef<int64_t> point) {
    llvm::StringMap<int64_t> sizes = fixed;
    for (auto [name, size] : llvm::zip_equal(names, point))
      sizes[name] = size;
    Expected<OwningOpRef<ModuleOp>> module = build(sizes);
    for (auto [size, bound] : llvm::zip_equal(point, bounds))
      triesOutside |= size > bound.high;
    if (!module)
      return llvm::createStringError(describe(point) + ": " + llvm::toString(module.takeError()));
    for (auto function : (*module)->getOps<FunctionOpInterface>())
      for (unsigned number = 0; number < function.getNumResults(); ++number)
        if (auto name = function.getResultAttrOfType<StringAttr>(number, kSizeAttr);
            name && !llvm::is_contained(names, name.getValue()))
          return llvm::createStringError(describe(point) + ": '" + name.getValue() +
                                         "' is a size that is data here, and none at the greatest sizes; with other "
                                         "bounds it may be one everywhere");
    built.emplace_back(point);
    return module;
  }
  std::string describe(ArrayRef<int64_t> point) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::interleaveComma(llvm::zip_equal(names, point), stream,
                          [&](auto size) { stream << std::get<0>(size) << " = " << std::get<1>(size); });
    return text;
  }
  DictionaryAttr describeSizes(ArrayRef<int64_t> point) const;
  /// Builds a program, or what is to be looked at of it, at these sizes. Null where there is none.
  using BuildPart = llvm::function_ref<OwningOpRef<ModuleOp>(ArrayRef<int64_t>)>;
  /// What programs at some sizes give, from the least sizes on. False where it takes more than `steps`.
  bool witness(ArrayRef<SizePoint> points, BuildPart buildPart, uint64_t steps, SmallVectorImpl<Attribute> &witnesses);
  /// The instances as one module.
  OwningOpRef<ModuleOp> join(MutableArrayRef<OwningOpRef<ModuleOp>> instances, ArrayRef<SizePoint> points,
                             ArrayRef<Attribute> witnesses) const;
  /// Where the whole program is too large to be evaluated: of what places elements by sizes, whether the program for
  /// all sizes gives the same.
  llvm::Error checkPlaces(ArrayRef<OwningOpRef<ModuleOp>> instances, ArrayRef<SizePoint> points);
  std::vector<SizePoint> listChecks() const;
  llvm::Error checkLeast(ArrayRef<OwningOpRef<ModuleOp>> instances, const DimFit &fit);
  /// `fit` is of the instances' points.
  llvm::Error checkShapes(ArrayRef<OwningOpRef<ModuleOp>> instances, const DimFit &fit, ModuleOp other,
                          const SizePoint &point) const;

  MLIRContext *context;
  BuildInstance build;
  const llvm::StringSet<> &measured;
  bool isWithin, triesOutside = false;
  SmallVector<StringRef> names;
  SmallVector<Bounds> bounds;
  llvm::StringMap<int64_t> fixed;
  /// All sizes that the program was built at.
  std::vector<SizePoint> built;
  /// Those of them that the program is evaluated at, where that is quickly done.
  std::vector<SizePoint> evaluated;
};

/// Operations on elements that witnesses take: some tens of milliseconds, and some more for each place in a model.
constexpr uint64_t kSteps = uint64_t(1) << 20, kPlacesSteps = uint64_t(1) << 22;

DictionaryAttr FamilyBuilder::describeSizes(ArrayRef<int64_t> point) const {
  Builder builder(context);
  SmallVector<NamedAttribute> values;
  for (auto [name, size] : llvm::zip_equal(names, point))
    values.push_back(builder.getNamedAttr(name, builder.getI64IntegerAttr(size)));
  return builder.getDictionaryAttr(values);
}

bool FamilyBuilder::witness(ArrayRef<SizePoint> points, BuildPart buildPart, uint64_t steps,
                            SmallVectorImpl<Attribute> &witnesses) {
  std::map<SizePoint, OwningOpRef<ModuleOp>> parts;
  auto get = [&](const SizePoint &point) {
    auto [part, isNew] = parts.try_emplace(point);
    if (isNew)
      part->second = buildPart(point);
    return part->second ? *part->second : ModuleOp();
  };
  llvm::SetVector<Attribute> made;
  for (const SizePoint &point : points) {
    ModuleOp part = get(point);
    for (unsigned draw = 0; part && draw < (measured.empty() ? 1 : reference::kDraws); ++draw) {
      DictionaryAttr known, sizes = describeSizes(point);
      // On these inputs a size that is data is another one: then the program at that.
      for (DictionaryAttr last; part && !known && sizes != last && steps > 0;) {
        last = sizes;
        known = reference::makeWitness(part, sizes, steps, draw);
        SizePoint other;
        bool isWithin = true;
        for (auto [name, bound] : llvm::zip_equal(names, bounds)) {
          other.push_back(sizes.getAs<IntegerAttr>(name).getInt());
          isWithin &= other.back() >= bound.low && other.back() <= bound.high;
        }
        part = known || sizes == last ? part : isWithin ? get(other) : ModuleOp();
      }
      if (known)
        made.insert(known);
      part = get(point);
    }
  }
  witnesses.append(made.begin(), made.end());
  return steps > 0;
}

/// What has few elements at some sizes is an attribute there, which folds, and at others a resource, which does not: it
/// is one in all instances.
static void alignConstants(ArrayRef<OwningOpRef<ModuleOp>> instances) {
  std::vector<SmallVector<tensor::ConstantOp>> all;
  for (const OwningOpRef<ModuleOp> &instance : instances) {
    all.emplace_back();
    (*instance)->walk<WalkOrder::PreOrder>([&](tensor::ConstantOp op) { all.back().push_back(op); });
    if (all.back().size() != all.front().size())
      return;
  }
  for (size_t number = 0; number < all.front().size(); ++number) {
    if (llvm::none_of(all, [&](const auto &list) {
          return isa<DenseResourceElementsAttr>(tensor::ConstantOp(list[number]).getValue());
        }))
      continue;
    for (auto &list : all) {
      ElementsAttr value = list[number].getValue();
      std::optional<HostTensor> elements =
          isa<DenseResourceElementsAttr>(value) || value.isSplat() ? std::nullopt : readConstant(value);
      if (elements)
        list[number].setValueAttr(DenseResourceElementsAttr::get(
            value.getShapedType(), "constant",
            HeapAsmResourceBlob::allocateAndCopyWithAlign(ArrayRef<char>(elements->bytes), /*align=*/64)));
    }
  }
}

OwningOpRef<ModuleOp> FamilyBuilder::join(MutableArrayRef<OwningOpRef<ModuleOp>> instances, ArrayRef<SizePoint> points,
                                          ArrayRef<Attribute> witnesses) const {
  Builder builder(context);
  OwningOpRef<ModuleOp> family(ModuleOp::create(instances.front()->getLoc()));
  SmallVector<NamedAttribute> sizes;
  for (auto [name, bound] : llvm::zip_equal(names, bounds))
    sizes.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr({bound.low, bound.high})));
  (*family)->setAttr(kSizesAttr, builder.getDictionaryAttr(sizes));
  if (!witnesses.empty())
    (*family)->setAttr(reference::kWitnessesAttr, builder.getArrayAttr(witnesses));
  separatePlaces(instances);
  alignConstants(instances);
  for (auto [number, instance] : llvm::enumerate(instances)) {
    (*instance)->setAttr(kSizesAttr, describeSizes(points[number]));
    instance->setSymName("instance_" + std::to_string(number));
    family->push_back(instance.release());
  }
  return family;
}

llvm::Error FamilyBuilder::checkPlaces(ArrayRef<OwningOpRef<ModuleOp>> instances, ArrayRef<SizePoint> points) {
  auto modules = llvm::map_to_vector(instances, [](const OwningOpRef<ModuleOp> &instance) { return *instance; });
  std::optional<PlacesPart> places = PlacesPart::find(modules);
  if (!places)
    return llvm::Error::success();
  SmallVector<Attribute> witnesses;
  auto extract = [&](ArrayRef<int64_t> point) -> OwningOpRef<ModuleOp> {
    Expected<OwningOpRef<ModuleOp>> whole = buildAt(point);
    if (whole)
      return places->extract(**whole);
    llvm::consumeError(whole.takeError());
    return nullptr;
  };
  witness(evaluated, extract, kPlacesSteps, witnesses);
  std::vector<OwningOpRef<ModuleOp>> parts;
  for (ModuleOp module : modules)
    parts.push_back(places->extract(module));
  if (witnesses.empty() || !llvm::all_of(parts, [](const OwningOpRef<ModuleOp> &part) { return bool(part); }))
    return llvm::Error::success();
  OwningOpRef<ModuleOp> family = join(parts, points, witnesses);
  PassManager manager(context, ModuleOp::getOperationName());
  PipelineOptions options;
  options.instances = true;
  options.defaultSchedule = false;
  buildPipeline(manager, Level::Tensor, Level::Kernel, options);
  FirstError errors(context);
  if (succeeded(manager.run(*family)))
    return reference::checkWitnesses(*family);
  // What else keeps a part from being joined may be that it is a part.
  std::string message = llvm::toString(errors.take(""));
  return message.find(kWrongProgram) == std::string::npos ? llvm::Error::success() : llvm::createStringError(message);
}

std::vector<SizePoint> FamilyBuilder::listChecks() const {
  // At 1 an axis may be broadcast or dropped, which changes no meaning but the operations.
  std::vector<SizePoint> checks;
  for (int64_t part : {0, 1, 2, 3, 8, 13}) {
    SizePoint point;
    for (auto [number, bound] : llvm::enumerate(bounds)) {
      int64_t least = std::min(std::max<int64_t>(bound.low, 2), bound.high);
      // The first ones follow each other, so that nothing that goes by steps is met at multiples alone.
      int64_t offset = part <= 3 ? part + static_cast<int64_t>(number) : (bound.high - least) * part / 21;
      point.push_back(std::min(least + offset, bound.high));
    }
    if (!llvm::is_contained(checks, point))
      checks.push_back(point);
  }
  return checks;
}

/// The shapes of what each node of the source gives, by its location: those of the last operation that it became. How
/// many it becomes may depend on sizes. Under the module's own location, the program's results.
static llvm::MapVector<Location, SmallVector<ShapedType>> listShapes(ModuleOp module) {
  llvm::MapVector<Location, SmallVector<ShapedType>> shapes;
  module.walk([&](Operation *op) {
    TypeRange types =
        op->hasTrait<OpTrait::IsTerminator>() ? TypeRange(op->getOperandTypes()) : TypeRange(op->getResultTypes());
    Location loc = op->hasTrait<OpTrait::IsTerminator>() ? UnknownLoc::get(op->getContext()) : op->getLoc();
    if (types.empty() || !llvm::all_of(types, llvm::IsaPred<ShapedType>))
      return;
    shapes.insert_or_assign(loc, llvm::map_to_vector(types, [](Type type) { return cast<ShapedType>(type); }));
  });
  return shapes;
}

llvm::Error FamilyBuilder::checkShapes(ArrayRef<OwningOpRef<ModuleOp>> instances, const DimFit &fit, ModuleOp other,
                                       const SizePoint &point) const {
  auto all =
      llvm::map_to_vector(instances, [](const OwningOpRef<ModuleOp> &instance) { return listShapes(*instance); });
  FirstError errors(context);
  for (const auto &entry : listShapes(other)) {
    Location loc = entry.first;
    ArrayRef<ShapedType> checked = entry.second;
    // What is folded at one size is not compared there.
    if (llvm::any_of(all, [&](const auto &shapes) { return !shapes.contains(loc); }))
      continue;
    for (auto [result, type] : llvm::enumerate(checked)) {
      SmallVector<ShapedType> types;
      for (const auto &shapes : all)
        if (ArrayRef<ShapedType> own = shapes.find(loc)->second;
            result < own.size() && own[result].getRank() == type.getRank())
          types.push_back(own[result]);
      for (int64_t axis = 0; types.size() == all.size() && axis < type.getRank(); ++axis) {
        auto extents = llvm::map_to_vector(types, [&](ShapedType instance) { return instance.getDimSize(axis); });
        std::optional<Dim> extent = fit.fit(extents);
        if (extent && extent->evaluate(point) == type.getDimSize(axis))
          continue;
        emitError(loc) << "the extent of axis " << axis
                       << " is no polynomial of the sizes up to squares: " << type.getDimSize(axis) << " at "
                       << describe(point) << ", " << extents[0] << " at " << describe(fit.getPoints()[0])
                       << "; with other bounds it may be one";
        return errors.take("the program is another one at other sizes");
      }
    }
  }
  return llvm::Error::success();
}

/// At the least sizes shapes are what they are at others, too: a slice of two rows is another one of one row. Of a size
/// that is data the values at which they are not are out of its bounds, as a run will say.
llvm::Error FamilyBuilder::checkLeast(ArrayRef<OwningOpRef<ModuleOp>> instances, const DimFit &fit) {
  for (auto [number, name] : llvm::enumerate(names)) {
    for (int64_t value = bounds[number].low; value < 2 && value < bounds[number].high; ++value) {
      SizePoint point = listChecks().front();
      point[number] = value;
      Expected<OwningOpRef<ModuleOp>> other = buildAt(point);
      llvm::Error error = other ? checkShapes(instances, fit, **other, point) : other.takeError();
      if (!error) {
        evaluated.push_back(point);
        continue;
      }
      if (!measured.contains(name))
        return error;
      llvm::consumeError(std::move(error));
      bounds[number].low = value + 1;
    }
  }
  return llvm::Error::success();
}

Expected<OwningOpRef<ModuleOp>> FamilyBuilder::run(CheckSizes check) {
  std::vector<SizePoint> points = chooseSizePoints(bounds, isWithin);
  DimFit fit(points);
  if (!fit.isDetermined())
    return llvm::createStringError(Twine(names.size()) + " sizes are open within bounds that are too narrow: give some "
                                                         "of them one size, or wider bounds");
  // Whoever builds them has seen the greatest sizes; with others, all of them, he knows what depends on them.
  auto differs = [&](const SizePoint &point) {
    return llvm::all_of(llvm::zip_equal(point, bounds),
                        [](auto size) { return std::get<0>(size) != std::get<1>(size).high; });
  };
  auto other = llvm::find_if(llvm::reverse(points), differs);
  if (Expected<OwningOpRef<ModuleOp>> probe = buildAt(other == points.rend() ? points.back() : *other); !probe)
    return probe.takeError();
  std::vector<OwningOpRef<ModuleOp>> instances;
  for (const SizePoint &point : points) {
    Expected<OwningOpRef<ModuleOp>> instance = buildAt(point);
    if (!instance)
      return instance.takeError();
    instances.push_back(std::move(*instance));
  }
  for (const SizePoint &point : listChecks()) {
    if (llvm::is_contained(points, point))
      continue;
    Expected<OwningOpRef<ModuleOp>> other = buildAt(point);
    if (!other)
      return other.takeError();
    if (llvm::Error error = checkShapes(instances, fit, **other, point))
      return error;
    evaluated.push_back(point);
  }
  if (llvm::Error error = checkLeast(instances, fit))
    return error;
  if (llvm::Error error = check(names, bounds, built))
    return error;
  // Instances out of the bounds do not speak for those within, which are few.
  if (triesOutside && !llvm::is_contained(evaluated, points.front()))
    evaluated.push_back(points.front());
  // From small to large: an error at a size says most where it is the least one.
  llvm::stable_sort(evaluated);
  SmallVector<Attribute> witnesses;
  auto buildWhole = [&](ArrayRef<int64_t> point) -> OwningOpRef<ModuleOp> {
    Expected<OwningOpRef<ModuleOp>> whole = buildAt(point);
    if (whole)
      return std::move(*whole);
    llvm::consumeError(whole.takeError());
    return nullptr;
  };
  if (!witness(evaluated, buildWhole, kSteps, witnesses))
    if (llvm::Error error = checkPlaces(instances, points))
      return error;
  return join(instances, points, witnesses);
}

} // namespace

/// The sizes that are data: from 0 to their bound each, as the program at the greatest sizes has it, unless bounds are
/// given.
static llvm::Error addMeasured(ModuleOp greatest, DimSizes &dims, llvm::StringSet<> &measured) {
  for (auto function : greatest.getOps<FunctionOpInterface>())
    for (unsigned number = 0; number < function.getNumResults(); ++number)
      if (auto name = function.getResultAttrOfType<StringAttr>(number, kSizeAttr))
        if (auto bound = function.getResultAttrOfType<IntegerAttr>(number, kBoundAttr)) {
          measured.insert(name);
          if (auto [known, isNew] = dims.try_emplace(name, DimSize{0, bound.getInt()});
              !isNew && !known->second.isOpen())
            return llvm::createStringError("the program computes the size '" + name.getValue() +
                                           "': --dim gives its bounds, not one size");
        }
  return llvm::Error::success();
}

Expected<OwningOpRef<ModuleOp>> buildProgram(const DimSizes &dims, MLIRContext *context, BuildInstance build,
                                             llvm::function_ref<void(DimSizes &)> addUnsized, CheckSizes check,
                                             bool isWithin) {
  llvm::StringMap<int64_t> most;
  for (const auto &[name, size] : dims)
    most[name] = size.most;
  Expected<OwningOpRef<ModuleOp>> greatest = build(most);
  if (!greatest)
    return greatest;
  DimSizes all = dims;
  addUnsized(all);
  llvm::StringSet<> measured;
  if (llvm::Error error = addMeasured(**greatest, all, measured))
    return error;
  if (llvm::none_of(all, [](const auto &size) { return size.getValue().isOpen(); }))
    return greatest;
  FamilyBuilder family(all, measured, context, build, isWithin);
  Expected<OwningOpRef<ModuleOp>> module = family.run(check);
  if (module || isWithin || !family.isOutside())
    return module;
  // Where bounds are narrow, sizes out of them tell more, but the model may not have these: a table has an end.
  FamilyBuilder within(all, measured, context, build, /*isWithin=*/true);
  Expected<OwningOpRef<ModuleOp>> other = within.run(check);
  if (other || !within.isTried()) {
    llvm::consumeError(other ? module.takeError() : other.takeError());
    return other ? std::move(other) : std::move(module);
  }
  llvm::consumeError(module.takeError());
  return other;
}

} // namespace tiny
