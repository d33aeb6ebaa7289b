// Sizes from shapes, and shapes from sizes.
#include "Tiny/Dialect/Kernel/Sizes.h"

#include "Tiny/Support/Family.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace tiny::kernel {

SmallVector<int64_t> getLiveShape(Attribute shape, RankedTensorType type, ArrayRef<int64_t> sizes) {
  auto map = dyn_cast_or_null<AffineMapAttr>(shape);
  if (!map)
    return SmallVector<int64_t>(type.getShape());
  Builder builder(type.getContext());
  SmallVector<Attribute> operands, extents;
  for (int64_t size : sizes)
    operands.push_back(builder.getI64IntegerAttr(size));
  // The verifier has folded it at the greatest sizes.
  (void)map.getValue().constantFold(operands, extents);
  return llvm::map_to_vector(extents, [](Attribute extent) { return cast<IntegerAttr>(extent).getInt(); });
}

llvm::Expected<SmallVector<int64_t>> findSizes(ProgramOp program, const Signature &signature,
                                               ArrayRef<std::vector<int64_t>> shapes) {
  ArrayRef<Attribute> names = program.getSizes() ? program.getSizesAttr().getValue() : ArrayRef<Attribute>();
  auto sizes = llvm::map_to_vector(names, [](Attribute name) -> int64_t {
    auto size = cast<SizeAttr>(name);
    return size.getComputed() ? size.getMost() : -1;
  });
  auto describe = [&](size_t number) {
    auto name = program.getArgAttrOfType<StringAttr>(number, "tiny.name");
    return name ? "'" + name.getValue().str() + "'" : "#" + std::to_string(number);
  };
  for (auto [number, shape] : llvm::enumerate(shapes)) {
    auto map = dyn_cast_or_null<AffineMapAttr>(program.getArgAttr(number, kShapeAttr));
    if (!map || map.getValue().getNumResults() != shape.size())
      continue;
    for (auto [extent, value] : llvm::zip_equal(map.getValue().getResults(), shape))
      if (auto symbol = dyn_cast<AffineSymbolExpr>(extent); symbol && sizes[symbol.getPosition()] < 0) {
        auto size = cast<SizeAttr>(names[symbol.getPosition()]);
        if (value < size.getLeast() || value > size.getMost())
          return llvm::createStringError("input " + describe(number) + ": '" + size.getName() + "' is " + Twine(value) +
                                         ", expected " + Twine(size.getLeast()) + " to " + Twine(size.getMost()));
        sizes[symbol.getPosition()] = value;
      }
  }
  for (auto [number, shape] : llvm::enumerate(shapes)) {
    Attribute map = program.getArgAttr(number, kShapeAttr);
    if (!map || llvm::is_contained(sizes, -1))
      continue;
    SmallVector<int64_t> expected = getLiveShape(map, signature.inputs[number], sizes);
    if (expected != ArrayRef<int64_t>(shape))
      return llvm::createStringError(llvm::formatv("input {0} has the shape {1}, expected {2} as by the other inputs",
                                                   describe(number), llvm::interleaved_array(shape),
                                                   llvm::interleaved_array(expected))
                                         .str());
  }
  for (auto [name, size] : llvm::zip_equal(names, sizes))
    if (size < 0 && !cast<SizeAttr>(name).getComputed())
      return llvm::createStringError("no input tells '" + cast<SizeAttr>(name).getName() + "'");
  return sizes;
}

} // namespace tiny::kernel
