// Tags in locations, and levels as data.
#include "Levels.h"

#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Support/Family.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;
namespace json = llvm::json;

namespace tiny::view {

/// The key of tags among a fused location's metadata.
constexpr llvm::StringLiteral kTag = "tiny.view";

/// The level and the number that a part of a location says, if it does.
static DenseI64ArrayAttr getTag(Location part) {
  auto fused = dyn_cast<FusedLoc>(part);
  auto metadata = fused ? dyn_cast_or_null<DictionaryAttr>(fused.getMetadata()) : nullptr;
  return metadata ? metadata.getAs<DenseI64ArrayAttr>(kTag) : nullptr;
}

void tagOperations(ModuleOp module, unsigned level, int64_t &next) {
  Builder builder(module.getContext());
  module.walk([&](Operation *op) {
    DenseI64ArrayAttr own = getTag(op->getLoc());
    if (isa<ModuleOp>(op) || (own && own[0] == level))
      return;
    auto value = builder.getDenseI64ArrayAttr({level, next++});
    auto tag = builder.getDictionaryAttr({builder.getNamedAttr(kTag, value)});
    op->setLoc(FusedLoc::get(module.getContext(), {op->getLoc()}, tag));
  });
}

static Location untag(Location loc, DenseMap<Attribute, Location> &known) {
  if (auto found = known.find(loc); found != known.end())
    return found->second;
  Location plain = loc;
  if (auto fused = dyn_cast<FusedLoc>(loc)) {
    auto parts = llvm::map_to_vector(fused.getLocations(), [&](Location part) { return untag(part, known); });
    plain = FusedLoc::get(parts, getTag(loc) ? Attribute() : fused.getMetadata(), loc.getContext());
  } else if (auto name = dyn_cast<NameLoc>(loc)) {
    plain = NameLoc::get(name.getName(), untag(name.getChildLoc(), known));
  } else if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    plain = CallSiteLoc::get(untag(call.getCallee(), known), untag(call.getCaller(), known));
  }
  known.try_emplace(loc, plain);
  return plain;
}

void untagOperations(ModuleOp module) {
  DenseMap<Attribute, Location> known;
  module.walk([&](Operation *op) {
    op->setLoc(untag(op->getLoc(), known));
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(untag(argument.getLoc(), known));
  });
}

unsigned TagSets::add(Location loc) {
  Set set;
  loc->walk([&](Location part) {
    if (DenseI64ArrayAttr tag = getTag(part))
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
      producers[argument].insert(addNode("argument", "arg" + std::to_string(argument.getArgNumber()),
                                         argument.getType(), argument.getLoc(), 0, {}));
    add(function->getRegion(0).front(), -1, "");
  }

  json::Array take() { return std::move(nodes); }

private:
  using Nodes = llvm::SmallSetVector<int64_t, 2>;
  using Producers = DenseMap<Value, Nodes>;

  Nodes findProducers(ValueRange values) const {
    Nodes found;
    for (Value value : values)
      if (auto known = producers.find(value); known != producers.end())
        found.insert(known->second.begin(), known->second.end());
    return found;
  }

  /// `branch` says in which list of a branch the block is.
  void add(Block &block, int64_t group, StringRef branch) {
    for (Operation &op : block) {
      Nodes inputs = findProducers(op.getOperands());
      Type type = op.getNumResults() ? op.getResult(0).getType() : nullptr;
      auto launch = dyn_cast<kernel::LaunchOp>(op);
      if (launch && !launch.getOuts().empty())
        type = launch.getOuts().front().getType();
      int64_t node = addNode(op.getName().getStringRef(), getLabel(op), type, op.getLoc(), lines.lookup(&op).first,
                             inputs.getArrayRef(), group, tags.add(op.getLoc()));
      if (!branch.empty())
        nodes[node].getAsObject()->try_emplace("branch", branch);
      Nodes self;
      self.insert(node);
      for (Value result : op.getResults())
        producers[result] = self;
      // Only a branch has two lists.
      bool isBranch = op.getNumRegions() == 2;
      if (isa<lazy::GroupOp>(op))
        addGroup(op, node);
      else if (isBranch || isa<kernel::LoopOp, LoopLikeOpInterface>(op))
        addLists(op, node, isBranch);
      else if (auto effects = dyn_cast<MemoryEffectOpInterface>(op))
        addWrites(effects, self);
    }
  }

  static std::string getLabel(Operation &op) {
    if (auto launch = dyn_cast<kernel::LaunchOp>(op))
      return launch.getCallee().str();
    if (auto group = dyn_cast<lazy::GroupOp>(op))
      return group.getLabel().value_or("group").str();
    std::string label = op.getName().stripDialect().str();
    if (auto most = op.getAttrOfType<IntegerAttr>("most"))
      label += ", at most " + std::to_string(most.getInt()) + " times";
    return label;
  }

  /// What an operation writes is read from there on.
  void addWrites(MemoryEffectOpInterface op, const Nodes &self) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    op.getEffects(effects);
    for (const MemoryEffects::EffectInstance &effect : effects)
      if (isa<MemoryEffects::Write>(effect.getEffect()) && effect.getValue())
        producers[effect.getValue()] = self;
  }

  void addGroup(Operation &op, int64_t node) {
    Block &body = op.getRegion(0).front();
    for (auto [argument, operand] : llvm::zip_equal(body.getArguments(), op.getOperands()))
      producers[argument] = findProducers(operand);
    add(body, node, "");
    for (auto [result, yielded] : llvm::zip(op.getResults(), body.getTerminator()->getOperands()))
      producers[result] = findProducers(yielded);
  }

  /// The lists of a loop or of a branch. Behind them a value comes from any that may have run.
  void addLists(Operation &op, int64_t node, bool isBranch) {
    Producers before = producers, after;
    auto merge = [&] {
      for (auto &[value, own] : producers)
        after[value].insert(own.begin(), own.end());
    };
    unsigned lists = 0;
    for (auto [number, region] : llvm::enumerate(op.getRegions())) {
      if (region.empty())
        continue;
      ++lists;
      producers = before;
      Block &body = region.front();
      // What a loop carries enters as its last operands do.
      size_t carried = std::min<size_t>(body.getNumArguments(), op.getNumOperands());
      for (auto [argument, operand] :
           llvm::zip(body.getArguments().take_back(carried), op.getOperands().take_back(carried)))
        producers[argument] = findProducers(operand);
      add(body, node, !isBranch ? "" : number ? "else" : "then");
      // A condition is yielded in front of the values.
      if (!body.empty() && body.back().hasTrait<OpTrait::IsTerminator>()) {
        OperandRange yielded = body.back().getOperands();
        size_t values = std::min<size_t>(yielded.size(), op.getNumResults() - !isBranch);
        for (auto [result, value] : llvm::zip(op.getResults(), yielded.take_back(values)))
          producers[result] = findProducers(value);
      }
      merge();
    }
    if (lists < 2) {
      producers = std::move(before);
      merge();
    }
    producers = std::move(after);
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
  Producers producers;
};

} // namespace

bool isInstance(Operation *op) { return isa<ModuleOp>(op) && op->getParentOp() && op->hasAttr(kSizesAttr); }

ModuleOp findShown(ModuleOp module) {
  for (auto inner : module.getOps<ModuleOp>())
    if (isInstance(inner))
      return inner;
  return module;
}

/// The sizes of an instance as text: `batch = 64`.
static std::string describeSizes(ModuleOp instance) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto sizes = instance->getAttrOfType<DictionaryAttr>(kSizesAttr))
    llvm::interleaveComma(sizes, stream, [&](NamedAttribute size) {
      stream << size.getName().getValue() << " = " << cast<IntegerAttr>(size.getValue()).getInt();
    });
  return text;
}

json::Value describeLevel(ModuleOp whole, StringRef name, TagSets &tags) {
  json::Array functions;
  SmallVector<Operation *> all;
  ModuleOp module = findShown(whole);
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
  json::Object level{{"name", name}, {"functions", std::move(functions)}};
  if (isInstance(module))
    level["sizes"] = json::fixUTF8(describeSizes(module));
  return level;
}

} // namespace tiny::view
