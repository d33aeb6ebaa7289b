// The dialect: its types, attributes and operations, and the syntax of fragments.
#include "Tiny/Dialect/UOp/UOp.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tiny::uop;

#include "Tiny/Dialect/UOp/UOpDialect.cpp.inc"
#include "Tiny/Dialect/UOp/UOpEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/UOp/UOpAttrs.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "Tiny/Dialect/UOp/UOpTypes.cpp.inc"

bool tiny::uop::isStaticBuffer(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 1 && memref.hasStaticShape() && memref.getLayout().isIdentity();
}

void UOpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tiny/Dialect/UOp/UOpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "Tiny/Dialect/UOp/UOpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/UOp/UOpOps.cpp.inc"
      >();
}

//===--- Fragments ------------------------------------------------------------------------------------------------===//

// <left 16x8xf16>, <sum 64x128xf32 by 4>
Type FragmentType::parse(AsmParser &parser) {
  StringRef keyword;
  SmallVector<int64_t> shape;
  Type element;
  if (parser.parseLess())
    return Type();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&keyword))
    return Type();
  std::optional<FragmentRole> role = symbolizeFragmentRole(keyword);
  if (!role) {
    parser.emitError(loc) << "expected what a fragment is (left, right or sum), got '" << keyword << "'";
    return Type();
  }
  loc = parser.getCurrentLocation();
  int64_t subgroups = 1;
  if (parser.parseDimensionList(shape, /*allowDynamic=*/false) || parser.parseType(element) ||
      (succeeded(parser.parseOptionalKeyword("by")) && parser.parseInteger(subgroups)) || parser.parseGreater())
    return Type();
  if (shape.size() != 2) {
    parser.emitError(loc) << "expected rows and columns of a fragment, got " << shape.size() << " extents";
    return Type();
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), *role, shape[0], shape[1], element,
                    subgroups);
}

void FragmentType::print(AsmPrinter &printer) const {
  printer << "<" << stringifyFragmentRole(getRole()) << " " << getRows() << "x" << getColumns() << "x" << getElement();
  if (getSubgroups() != 1)
    printer << " by " << getSubgroups();
  printer << ">";
}

Type FragmentType::getScalar() const { return getElement().isTF32() ? Float32Type::get(getContext()) : getElement(); }

LogicalResult FragmentType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, FragmentRole role, int64_t rows,
                                   int64_t columns, Type element, int64_t subgroups) {
  // (fragment_c1) it has some elements, and not more than the registers of a subgroup
  constexpr int64_t kMostExtent = 1024;
  if (rows < 1 || columns < 1 || rows > kMostExtent || columns > kMostExtent)
    return emitError() << "a fragment has 1 to " << kMostExtent << " rows and columns, got " << rows << "x" << columns;
  // (fragment_c2) they are numbers
  if (!element.isSignlessInteger() && !isa<FloatType>(element))
    return emitError() << "a fragment's elements are numbers, got " << element;
  // (fragment_c3) one subgroup holds it, or some
  constexpr int64_t kMostSubgroups = 32;
  if (subgroups < 1 || subgroups > kMostSubgroups)
    return emitError() << "a fragment is held by 1 to " << kMostSubgroups << " subgroups, got " << subgroups;
  return success();
}
