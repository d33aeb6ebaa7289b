// How a record is read and written.
#include "Tiny/Dialect/Target/Target.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/InterleavedRange.h"

using namespace mlir;

namespace tiny::target {

//===--- Reading --------------------------------------------------------------------------------------------------===//

/// A keyword that names a value of the enum.
template <typename E> static ParseResult parseName(AsmParser &parser, StringRef what, E &value) {
  SMLoc loc = parser.getCurrentLocation();
  StringRef name;
  if (parser.parseKeyword(&name))
    return failure();
  if (std::optional<E> found = cost::parseName<E>(name)) {
    value = *found;
    return success();
  }
  return parser.emitError(loc) << "unknown " << what << " '" << name << "'";
}

template <typename E> static ParseResult parseSet(AsmParser &parser, StringRef what, cost::Set<E> &set) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    E value;
    if (parseName(parser, what, value))
      return failure();
    set.insert(value);
    return success();
  });
}

/// As many numbers in parentheses.
static ParseResult parseNumbers(AsmParser &parser, ArrayRef<int64_t *> numbers) {
  SMLoc loc = parser.getCurrentLocation();
  size_t count = 0;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        int64_t ignored;
        return parser.parseInteger(count < numbers.size() ? *numbers[count++] : (++count, ignored));
      }))
    return failure();
  if (count != numbers.size())
    return parser.emitError(loc) << "expected " << numbers.size() << " numbers, got " << count;
  return success();
}

/// A list in brackets of at most as many as the array holds.
template <typename T, size_t n>
static ParseResult parseList(AsmParser &parser, StringRef what, std::array<T, n> &list,
                             function_ref<ParseResult(T &)> parseOne) {
  SMLoc loc = parser.getCurrentLocation();
  size_t count = 0;
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    if (count == n)
      return parser.emitError(loc) << "expected at most " << n << " " << what;
    return parseOne(list[count++]);
  });
}

static ParseResult parseCosts(AsmParser &parser, cost::Machine &machine) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    cost::OpClass opClass;
    if (parseName(parser, "class of operations", opClass) || parser.parseEqual())
      return failure();
    cost::OpCost &cost = machine.getCost(opClass);
    return parseNumbers(parser, {&cost.interval, &cost.latency});
  });
}

static ParseResult parseMatrix(AsmParser &parser, cost::MatrixShape &shape) {
  auto comma = [&] { return parser.parseComma(); };
  return failure(parser.parseLParen() || parser.parseInteger(shape.m) || comma() || parser.parseInteger(shape.n) ||
                 comma() || parser.parseInteger(shape.k) || comma() || parseName(parser, "element type", shape.input) ||
                 comma() || parseName(parser, "element type", shape.sum) ||
                 (succeeded(parser.parseOptionalComma()) && parser.parseInteger(shape.subgroups)) ||
                 parser.parseRParen());
}

/// What follows `name =`.
static ParseResult parsePart(AsmParser &parser, SMLoc loc, StringRef name, cost::Machine &machine) {
  for (const cost::Fact &fact : cost::getFacts())
    if (name == fact.name)
      return parser.parseInteger(machine.*fact.value);
  if (name == "types")
    return parseSet(parser, "element type", machine.types);
  if (name == "converts")
    return parseSet(parser, "element type", machine.converts);
  if (name == "instructions")
    return parseSet(parser, "instruction", machine.instructions);
  if (name == "costs")
    return parseCosts(parser, machine);
  if (name == "caches")
    return parseList<cost::Cache>(parser, "caches", machine.caches, [&](cost::Cache &cache) {
      return parseNumbers(parser, {&cache.bytes, &cache.bandwidth});
    });
  if (name == "workgroup_extents" || name == "grid") {
    auto &extents = name == "grid" ? machine.grid : machine.workgroupExtents;
    return parseNumbers(parser, {&extents[0], &extents[1], &extents[2]});
  }
  if (name == "network")
    return parseList<cost::Distance>(parser, "distances", machine.network, [&](cost::Distance &distance) {
      return parseNumbers(parser, {&distance.ranks, &distance.latency, &distance.bandwidth});
    });
  if (name == "matrices")
    return parseList<cost::MatrixShape>(parser, "matrices", machine.matrices,
                                        [&](cost::MatrixShape &shape) { return parseMatrix(parser, shape); });
  return parser.emitError(loc) << "a record has no '" << name << "'";
}

Attribute RecordAttr::parse(AsmParser &parser, Type) {
  cost::Machine machine;
  std::string name, features;
  SMLoc start = parser.getCurrentLocation();
  if (parser.parseLess() || parseName(parser, "kind of device", machine.kind) || parser.parseString(&name))
    return {};
  llvm::StringSet<> seen;
  while (succeeded(parser.parseOptionalComma())) {
    SMLoc loc = parser.getCurrentLocation();
    StringRef part;
    if (parser.parseKeyword(&part))
      return {};
    if (!seen.insert(part).second) {
      parser.emitError(loc) << "'" << part << "' is stated twice";
      return {};
    }
    if (parser.parseEqual() ||
        (part == "features" ? parser.parseString(&features) : parsePart(parser, loc, part, machine)))
      return {};
  }
  if (parser.parseGreater())
    return {};
  return getChecked([&] { return parser.emitError(start); }, parser.getContext(), StringRef(name), machine,
                    StringRef(features));
}

//===--- Writing --------------------------------------------------------------------------------------------------===//

template <typename E> static void printSet(AsmPrinter &printer, StringRef name, cost::Set<E> set, unsigned count) {
  if (set.isEmpty())
    return;
  SmallVector<StringRef> names;
  for (unsigned k = 0; k < count; ++k)
    if (set.contains(static_cast<E>(k)))
      names.push_back(cost::getName(static_cast<E>(k)));
  printer.getStream() << ", " << name << " = [" << llvm::interleaved(names) << "]";
}

static void printList(AsmPrinter &printer, StringRef name, ArrayRef<std::string> items) {
  if (!items.empty())
    printer.getStream() << ", " << name << " = [" << llvm::interleaved(items) << "]";
}

void RecordAttr::print(AsmPrinter &printer) const {
  const cost::Machine &machine = getMachine();
  printer << "<" << cost::getName(machine.kind) << " ";
  printer.printString(getName());
  if (!getFeatures().empty()) {
    printer << ", features = ";
    printer.printString(getFeatures());
  }
  auto printFacts = [&](bool isVector) {
    for (const cost::Fact &fact : cost::getFacts())
      if (fact.name.starts_with("vector_") == isVector && machine.*fact.value != 0)
        printer << ", " << fact.name << " = " << machine.*fact.value;
  };
  printFacts(true);
  printSet(printer, "types", machine.types, cost::kElementTypes);
  printSet(printer, "converts", machine.converts, cost::kElementTypes);
  printSet(printer, "instructions", machine.instructions, cost::kInstructions);
  auto pair = [](int64_t first, int64_t second) { return ("(" + Twine(first) + ", " + Twine(second) + ")").str(); };
  SmallVector<std::string> costs, caches, matrices, network;
  for (unsigned k = 0; k < cost::kOpClasses; ++k)
    if (const cost::OpCost &cost = machine.costs[k]; cost.interval || cost.latency)
      costs.push_back((cost::getName(static_cast<cost::OpClass>(k)) + " = ").str() + pair(cost.interval, cost.latency));
  for (const cost::Cache &cache : machine.caches)
    if (cache.bytes || cache.bandwidth)
      caches.push_back(pair(cache.bytes, cache.bandwidth));
  for (const cost::MatrixShape &shape : machine.matrices)
    if (shape.m || shape.n || shape.k)
      matrices.push_back(("(" + Twine(shape.m) + ", " + Twine(shape.n) + ", " + Twine(shape.k) + ", " +
                          cost::getName(shape.input) + ", " + cost::getName(shape.sum) +
                          (shape.subgroups == 1 ? Twine() : ", " + Twine(shape.subgroups)) + ")")
                             .str());
  printList(printer, "costs", costs);
  printList(printer, "caches", caches);
  printFacts(false);
  auto printExtents = [&](StringRef name, const std::array<int64_t, 3> &extents) {
    if (extents[0] || extents[1] || extents[2])
      printer.getStream() << ", " << name << " = (" << llvm::interleaved(extents) << ")";
  };
  printExtents("workgroup_extents", machine.workgroupExtents);
  printExtents("grid", machine.grid);
  printList(printer, "matrices", matrices);
  for (const cost::Distance &distance : machine.network)
    if (distance.ranks || distance.latency || distance.bandwidth)
      network.push_back(
          ("(" + Twine(distance.ranks) + ", " + Twine(distance.latency) + ", " + Twine(distance.bandwidth) + ")")
              .str());
  printList(printer, "network", network);
  printer << ">";
}

} // namespace tiny::target
