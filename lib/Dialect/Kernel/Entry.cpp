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

LogicalResult TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError, int64_t buffer, Type element,
                                    int64_t rows, int64_t columns, int64_t stride, int64_t boxRows,
                                    int64_t boxColumns) {
  if (!element.isIntOrFloat())
    return emitError() << "a tensor map has elements of a type of numbers, got " << element;
  for (int64_t extent : {rows, columns, boxRows, boxColumns})
    if (extent < 1)
      return emitError() << "a tensor map has extents of 1 or more, got " << extent;
  if (buffer < 0 || stride < columns)
    return emitError() << "a tensor map is of a buffer, with rows that do not overlap: got buffer " << buffer
                       << " and rows of " << columns << " that begin " << stride << " apart";
  return success();
}

LogicalResult EntryAttr::verify(function_ref<InFlightDiagnostic()> emitError, Extents grid, Extents workgroup,
                                int64_t shared, int64_t scratch, bool inPlace, int64_t operations, int64_t bytes,
                                ArrayAttr maps) {
  for (Attribute map : maps ? maps.getValue() : ArrayRef<Attribute>())
    if (!isa<TensorMapAttr>(map))
      return emitError() << "'maps' has " << map << ", expected a #kernel.tensor_map";
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
