// Tags in locations, and levels as data.
#include "Levels.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace json = llvm::json;

namespace tiny::view {

/// The key of tags among a fused location's metadata.
constexpr llvm::StringLiteral kTag = "tiny.view";

void tagOperations(ModuleOp module, unsigned level) {
  Builder builder(module.getContext());
  int64_t number = 0;
  module.walk([&](Operation *op) {
    if (isa<ModuleOp>(op))
      return;
    auto value = builder.getDenseI64ArrayAttr({level, number++});
    auto tag = builder.getDictionaryAttr({builder.getNamedAttr(kTag, value)});
    op->setLoc(FusedLoc::get(module.getContext(), {op->getLoc()}, tag));
  });
}

unsigned TagSets::add(Location loc) {
  Set set;
  loc->walk([&](Location part) {
    if (auto fused = dyn_cast<FusedLoc>(part))
      if (auto metadata = dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()))
        if (auto tag = metadata.getAs<DenseI64ArrayAttr>(kTag))
          set.emplace_back(tag[0], tag[1]);
    return WalkResult::advance();
  });
  llvm::sort(set);
  set.erase(llvm::unique(set), set.end());
  auto [found, isNew] = numbers.try_emplace(std::move(set), sets.size());
  if (isNew)
    sets.push_back(&found->first);
  return found->second;
}

json::Value TagSets::describe() const {
  json::Array all;
  for (const Set *set : sets) {
    json::Array flat;
    for (auto [level, id] : *set) {
      flat.push_back(level);
      flat.push_back(id);
    }
    all.push_back(std::move(flat));
  }
  return all;
}

std::string findPlace(Location loc) {
  std::string place;
  loc->walk([&](Location part) {
    if (auto name = dyn_cast<NameLoc>(part))
      place = name.getName().str();
    else if (auto file = dyn_cast<FileLineColLoc>(part); file && file.getLine())
      place = (llvm::sys::path::filename(file.getFilename().getValue()) + ":" + Twine(file.getLine()) + ":" +
               Twine(file.getColumn()))
                  .str();
    else if (file) // Where remarks have the name of an imported node.
      place = file.getFilename().str();
    return place.empty() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return place;
}

/// Prints for a person: each attribute where it stands, nothing large.
static OpPrintingFlags getFlags() {
  OpPrintingFlags flags;
  flags.useLocalScope();
  flags.elideLargeElementsAttrs(16);
  flags.elideLargeResourceString(64);
  return flags;
}

static std::vector<std::string> splitLines(StringRef text) {
  std::vector<std::string> lines;
  for (StringRef line : llvm::split(text.rtrim('\n'), '\n'))
    lines.push_back(json::fixUTF8(line));
  return lines;
}

std::vector<std::string> printLines(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, getFlags());
  return splitLines(text);
}

void printWithLines(Operation *op, raw_ostream &stream, AsmState::LocationMap &lines) {
  AsmState state(op, getFlags(), &lines);
  op->print(stream, state);
}

namespace {

/// The nodes and edges of one function whose operations are drawn.
class Graph {
public:
  Graph(Operation *function, const AsmState::LocationMap &lines, TagSets &tags) : lines(lines), tags(tags) {
    for (BlockArgument argument : function->getRegion(0).getArguments())
      addNode("argument", "arg" + std::to_string(argument.getArgNumber()), argument.getType(), argument.getLoc(), 0,
              {});
    for (auto [index, argument] : llvm::enumerate(function->getRegion(0).getArguments()))
      producers[argument] = index;
    add(function->getRegion(0).front(), -1);
  }

  json::Array take() { return std::move(nodes); }

private:
  void add(Block &block, int64_t group) {
    for (Operation &op : block) {
      llvm::SmallSetVector<int64_t, 4> inputs;
      for (Value operand : op.getOperands())
        if (auto found = producers.find(operand); found != producers.end())
          inputs.insert(found->second);
      auto groupOp = dyn_cast<lazy::GroupOp>(op);
      auto launch = dyn_cast<kernel::LaunchOp>(op);
      Type type = op.getNumResults() ? op.getResult(0).getType() : nullptr;
      if (launch && !launch.getOuts().empty())
        type = launch.getOuts().front().getType();
      std::string label = launch    ? launch.getCallee().str()
                          : groupOp ? groupOp.getLabel().value_or("group").str()
                                    : op.getName().stripDialect().str();
      int64_t node = addNode(op.getName().getStringRef(), label, type, op.getLoc(), lines.lookup(&op).first,
                             inputs.getArrayRef(), group, tags.add(op.getLoc()));
      for (Value result : op.getResults())
        producers[result] = node;
      // What a launch writes is read from there on.
      if (launch)
        for (Value output : launch.getOuts())
          producers[output] = node;
      if (!groupOp)
        continue;
      Block &body = op.getRegion(0).front();
      for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op.getOperands()))
        if (auto found = producers.find(operand); found != producers.end())
          producers[argument] = found->second;
      add(body, node);
      for (auto [result, yielded] : llvm::zip(op.getResults(), body.getTerminator()->getOperands()))
        if (auto found = producers.find(yielded); found != producers.end())
          producers[result] = found->second;
    }
  }

  int64_t addNode(StringRef name, StringRef label, Type type, Location loc, int64_t line, ArrayRef<int64_t> inputs,
                  int64_t group = -1, int64_t tag = -1) {
    std::string typeText;
    if (type)
      llvm::raw_string_ostream(typeText) << type;
    json::Object node{{"op", json::fixUTF8(name)},
                      {"label", json::fixUTF8(label)},
                      {"type", json::fixUTF8(typeText)},
                      {"place", json::fixUTF8(findPlace(loc))},
                      {"line", line - 1},
                      {"inputs", json::Array(inputs)}};
    if (group >= 0)
      node["group"] = group;
    if (tag >= 0)
      node["tag"] = tag;
    nodes.push_back(std::move(node));
    return nodes.size() - 1;
  }

  const AsmState::LocationMap &lines;
  TagSets &tags;
  json::Array nodes;
  DenseMap<Value, int64_t> producers;
};

} // namespace

json::Value describeLevel(ModuleOp module, StringRef name, TagSets &tags) {
  json::Array functions;
  SmallVector<Operation *> all;
  for (Operation &op : *module.getBody())
    // A module of a target's own, such as SPIR-V's.
    if (op.hasTrait<OpTrait::SymbolTable>() && !isa<ModuleOp>(op))
      for (Operation &inner : op.getRegion(0).front())
        all.push_back(&inner);
    else
      all.push_back(&op);
  for (Operation *op : all) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    // What is declared for callers has no text of its own.
    if (auto function = dyn_cast<FunctionOpInterface>(op); !symbol || (function && function.isExternal()))
      continue;
    AsmState::LocationMap lines;
    std::string text;
    llvm::raw_string_ostream stream(text);
    printWithLines(op, stream, lines);
    // Line and tags of each operation, one after the other.
    std::vector<std::pair<unsigned, unsigned>> ops;
    op->walk([&](Operation *inner) {
      if (auto found = lines.find(inner); found != lines.end() && inner != op)
        ops.emplace_back(found->second.first - 1, tags.add(inner->getLoc()));
    });
    llvm::sort(ops);
    json::Array flat;
    for (auto [line, tag] : ops) {
      flat.push_back(line);
      flat.push_back(tag);
    }
    json::Object function{{"name", json::fixUTF8(symbol.getName())},
                          {"kind", op->getName().getStringRef()},
                          {"lines", json::Array(splitLines(text))},
                          {"ops", std::move(flat)}};
    bool isProgram = isa<func::FuncOp, kernel::ProgramOp>(op);
    if (isProgram && !op->getRegion(0).empty())
      function["nodes"] = Graph(op, lines, tags).take();
    functions.push_back(std::move(function));
  }
  return json::Object{{"name", name}, {"functions", std::move(functions)}};
}

} // namespace tiny::view
