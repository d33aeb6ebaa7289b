// Registers the dialect, and parses and prints reduction kinds.
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#include "Tiny/Dialect/Lazy/LazyDialect.cpp.inc"

/// The kind of a reduction, if there is one.
static OptionalParseResult parseReduceKind(OpAsmParser &parser, arith::AtomicRMWKindAttr &kind) {
  StringRef keyword;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&keyword)))
    return std::nullopt;
  std::optional<arith::AtomicRMWKind> known = arith::symbolizeAtomicRMWKind(keyword);
  if (!known) {
    InFlightDiagnostic error = parser.emitError(loc, "expected a kind of reduction, got '")
                               << keyword << "'; there are ";
    std::string names;
    for (uint64_t k = 0; k <= arith::getMaxEnumValForAtomicRMWKind(); ++k)
      if (auto each = arith::symbolizeAtomicRMWKind(k); each && *each != arith::AtomicRMWKind::assign)
        names += (names.empty() ? "" : ", ") + arith::stringifyAtomicRMWKind(*each).str();
    error << names;
    return ParseResult(failure());
  }
  kind = arith::AtomicRMWKindAttr::get(parser.getContext(), *known);
  return success();
}

static ParseResult parseScanKind(OpAsmParser &parser, arith::AtomicRMWKindAttr &kind) {
  OptionalParseResult parsed = parseReduceKind(parser, kind);
  return parsed.has_value() ? *parsed : parser.emitError(parser.getCurrentLocation(), "expected a kind of reduction");
}

static void printReduceKind(OpAsmPrinter &printer, Operation *, arith::AtomicRMWKindAttr kind) {
  printer << arith::stringifyAtomicRMWKind(kind.getValue());
}
static void printScanKind(OpAsmPrinter &printer, Operation *op, arith::AtomicRMWKindAttr kind) {
  printReduceKind(printer, op, kind);
}

#define GET_OP_CLASSES
#include "Tiny/Dialect/Lazy/LazyOps.cpp.inc"

namespace tiny::lazy {
namespace {

/// Calls between functions of lazy operations may be inlined: every operation is pure and stands anywhere.
struct LazyInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void LazyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "Tiny/Dialect/Lazy/LazyOps.cpp.inc"
      >();
  registerAttributes();
  addInterfaces<LazyInliner>();
}

Operation *LazyDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

} // namespace tiny::lazy
