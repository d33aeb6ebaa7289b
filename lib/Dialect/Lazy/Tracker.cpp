// #lazy.tracker: parser, printer, verifier.
#include "Tiny/Dialect/Lazy/Lazy.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/Lazy/LazyAttrs.cpp.inc"

namespace tiny::lazy {

void LazyDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tiny/Dialect/Lazy/LazyAttrs.cpp.inc"
      >();
}

LogicalResult TrackerAttr::verifyFits(int64_t elements, llvm::function_ref<InFlightDiagnostic()> emitError) {
  auto range = getTracker().views().front().getRange();
  if (range && (range->first < 0 || range->second >= elements))
    return emitError() << "reads positions " << range->first << " to " << range->second << " of an input of "
                       << elements << " elements";
  return success();
}

//===--- Syntax: (4, 3):(1, 0) + 2 mask [0:4, 1:3] ----------------------------------------------------------------===//

static ParseResult parseNumbers(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren,
                                        [&]() -> ParseResult { return parser.parseInteger(numbers.emplace_back()); });
}

static ParseResult parseView(AsmParser &parser, SmallVectorImpl<View> &views) {
  SmallVector<int64_t> shape, strides;
  SmallVector<MaskInterval> mask;
  int64_t offset = 0;
  SMLoc location = parser.getCurrentLocation();
  if (parseNumbers(parser, shape) || parser.parseColon() || parseNumbers(parser, strides))
    return failure();
  if (shape.size() != strides.size())
    return parser.emitError(location, "expects one stride per axis: got ") << strides.size() << " for " << shape.size();
  if (succeeded(parser.parseOptionalPlus()) && parser.parseInteger(offset))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("mask"))) {
    auto parseInterval = [&]() -> ParseResult {
      MaskInterval &interval = mask.emplace_back();
      return failure(parser.parseInteger(interval.begin) || parser.parseColon() || parser.parseInteger(interval.end));
    };
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseInterval))
      return failure();
    if (mask.size() != shape.size())
      return parser.emitError(location, "expects one mask interval per axis: got ")
             << mask.size() << " for " << shape.size();
  }
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (size < 0)
      return parser.emitError(location, "axis ") << axis << " has the negative size " << size;
    if (!mask.empty() && (mask[axis].begin < 0 || mask[axis].end < mask[axis].begin || mask[axis].end > size))
      return parser.emitError(location, "axis ")
             << axis << " of size " << size << " can't have the mask " << mask[axis].begin << ":" << mask[axis].end;
  }
  // (tracker_c1) positions are below 2^62.
  auto view = View::get(shape, strides, offset, mask);
  if (!view)
    return parser.emitError(location, "a position of this view overflows");
  views.push_back(std::move(*view));
  return success();
}

Attribute TrackerAttr::parse(AsmParser &parser, Type) {
  SmallVector<View> views;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, [&] { return parseView(parser, views); }))
    return {};
  if (views.empty())
    return parser.emitError(location, "expects at least one view"), Attribute();
  // (tracker_c1) each view stays inside the elements of the one below it.
  for (size_t k = 1; k < views.size(); ++k) {
    auto range = views[k].getRange();
    if (range && (range->first < 0 || range->second >= views[k - 1].getNumElements()))
      return parser.emitError(location, "view #") << k << " reads positions " << range->first << " to " << range->second
                                                  << " of a view of " << views[k - 1].getNumElements() << " elements",
             Attribute();
  }
  return TrackerAttr::get(parser.getContext(), ShapeTracker::fromViews(views));
}

static void printView(AsmPrinter &printer, const View &view) {
  printer << '(';
  llvm::interleaveComma(view.getShape(), printer);
  printer << "):(";
  llvm::interleaveComma(view.getStrides(), printer);
  printer << ')';
  if (view.getOffset() != 0)
    printer << " + " << view.getOffset();
  if (!view.hasMask())
    return;
  printer << " mask [";
  llvm::interleaveComma(view.getMask(), printer,
                        [&](const MaskInterval &interval) { printer << interval.begin << ':' << interval.end; });
  printer << ']';
}

void TrackerAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getTracker().views(), printer, [&](const View &view) { printView(printer, view); });
  printer << '>';
}

} // namespace tiny::lazy
