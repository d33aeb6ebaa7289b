// How a kernel is entered: the attribute that says it, and where it may stand.
#include "Tiny/Dialect/Kernel/Kernel.h"

using namespace mlir;

FailureOr<tiny::kernel::Extents> FieldParser<tiny::kernel::Extents>::parse(AsmParser &parser) {
  SmallVector<int64_t, 3> values;
  SMLoc loc = parser.getCurrentLocation();
  auto one = [&] { return parser.parseInteger(values.emplace_back()); };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
    return failure();
  if (values.size() != 3)
    return parser.emitError(loc) << "expected 3 extents, got " << values.size();
  return tiny::kernel::Extents{{values[0], values[1], values[2]}};
}

namespace tiny::kernel {

LogicalResult EntryAttr::verify(function_ref<InFlightDiagnostic()> emitError, Extents grid, Extents workgroup,
                                int64_t shared, int64_t scratch, bool inPlace, int64_t operations, int64_t bytes) {
  for (int64_t extent : grid)
    if (extent < 0)
      return emitError() << "a grid has no negative extent, got " << extent;
  for (int64_t extent : workgroup)
    if (extent < 1)
      return emitError() << "a workgroup has extents of 1 or more, got " << extent;
  for (int64_t size : {shared, scratch, operations, bytes})
    if (size < 0)
      return emitError() << "sizes and counts are not negative, got " << size;
  return success();
}

EntryAttr getEntry(Operation *function) { return function->getAttrOfType<EntryAttr>(kEntryAttr); }

LogicalResult KernelDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != kEntryAttr)
    return op->emitError() << "the kernel dialect has no attribute '" << attribute.getName().getValue() << "'";
  if (!isa<EntryAttr>(attribute.getValue()))
    return op->emitError() << "'" << kEntryAttr << "' is " << attribute.getValue() << ", expected a #kernel.entry";
  if (!isa<FunctionOpInterface>(op))
    return op->emitError() << "'" << kEntryAttr << "' stands on a function, not on '" << op->getName() << "'";
  return success();
}

} // namespace tiny::kernel
