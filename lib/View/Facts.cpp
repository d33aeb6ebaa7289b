// Facts of kernels at the kernel and uop levels, and of views at the lazy level.
#include "Facts.h"
#include "Levels.h"

#include "Tiny/Analysis/Kernel/KernelNests.h"
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Lazy/Lazy.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/UOp.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
namespace json = llvm::json;

namespace tiny::view {

//===--- Index expressions ----------------------------------------------------------------------------------------===//

/// Expressions longer than this are cut.
constexpr size_t kLongestExpression = 400;

/// The operation's sign between its operands; empty for what is written as a function.
static StringRef getSign(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.addi", " + ")
      .Case("arith.subi", " - ")
      .Case("arith.muli", " * ")
      .Cases({"arith.divsi", "arith.divui", "arith.floordivsi"}, " / ")
      .Cases({"arith.remsi", "arith.remui"}, " % ")
      .Case("arith.andi", " & ")
      .Case("arith.ori", " | ")
      .Default("");
}

static void writeExpression(Value value, std::string &text, bool isInside = false) {
  APInt constant;
  Operation *op = value.getDefiningOp();
  if (text.size() > kLongestExpression) {
    text += "…";
  } else if (!op) {
    text += "arg" + std::to_string(cast<BlockArgument>(value).getArgNumber());
  } else if (auto range = dyn_cast<kernel::RangeOp>(op)) {
    text += "i" + std::to_string(range.getId());
  } else if (matchPattern(value, m_ConstantInt(&constant))) {
    text += llvm::toString(constant, 10, /*Signed=*/constant.getBitWidth() > 1);
  } else if (StringRef sign = getSign(op); !sign.empty()) {
    text += isInside ? "(" : "";
    writeExpression(op->getOperand(0), text, true);
    text += sign;
    writeExpression(op->getOperand(1), text, true);
    text += isInside ? ")" : "";
  } else {
    std::string name = op->getName().stripDialect().str();
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      name = stringifyCmpIPredicate(compare.getPredicate()).str();
    text += name + "(";
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      text += number ? ", " : "";
      writeExpression(operand, text);
    }
    text += ")";
  }
}

AccessTexts describeAccesses(ModuleOp module) {
  AccessTexts all;
  for (auto function : module.getOps<kernel::FuncOp>()) {
    std::vector<std::string> &texts = all[function.getSymName().str()];
    function.walk([&](Operation *op) {
      Value buffer, index, gate;
      if (auto load = dyn_cast<kernel::LoadOp>(op))
        buffer = load.getBuffer(), index = load.getIndex(), gate = load.getGate();
      else if (auto store = dyn_cast<kernel::StoreOp>(op))
        buffer = store.getBuffer(), index = store.getIndex(), gate = store.getGate();
      else
        return;
      std::string text = isa<kernel::LoadOp>(op) ? "load " : "store ";
      if (auto argument = dyn_cast<BlockArgument>(buffer))
        text += "arg" + std::to_string(argument.getArgNumber());
      else
        text += buffer.getDefiningOp()->getName().stripDialect();
      text += "[";
      writeExpression(index, text);
      text += "]";
      if (gate) {
        text += " if ";
        writeExpression(gate, text);
      }
      texts.push_back(std::move(text));
    });
  }
  return all;
}

//===--- Axes and predicted times ---------------------------------------------------------------------------------===//

/// The loops of a nest as a person writes them: `32 × 48 summed × 16 lanes`.
static std::string describeAxes(const cost::Nest &nest) {
  std::string text;
  for (const cost::NestAxis &axis : nest.axes) {
    if (axis.trips == 1)
      continue;
    text += text.empty() ? "" : " × ";
    text += std::to_string(axis.trips);
    text += axis.isReduced ? " summed" : "";
    text += axis.role == cost::AxisRole::Lanes ? " lanes" : axis.role == cost::AxisRole::Copies ? " copies" : "";
  }
  return text;
}

json::Object describePrediction(ArrayRef<cost::Nest> nests, const cost::Machine &machine, unsigned threads) {
  json::Array passes;
  for (const cost::Nest &nest : nests) {
    cost::NestTimes times = cost::predictNestOn(nest, machine, threads);
    json::Array transfers;
    for (int64_t time : times.transfers)
      transfers.push_back(time / 1000.0);
    passes.push_back(json::Object{{"loops", describeAxes(nest)},
                                  {"compute", times.compute / 1000.0},
                                  {"latency", times.latency / 1000.0},
                                  {"control", times.control / 1000.0},
                                  {"transfers", std::move(transfers)},
                                  {"total", times.getTotal() / 1000.0}});
  }
  return json::Object{{"total", cost::predictKernelOn(nests, machine, threads).total / 1000.0},
                      {"launch", machine.launch},
                      {"passes", std::move(passes)}};
}

std::map<std::string, json::Object> describeNests(ModuleOp module, unsigned threads) {
  std::map<std::string, json::Object> all;
  for (auto function : module.getOps<kernel::FuncOp>()) {
    json::Object &facts = all[function.getSymName().str()];
    json::Array axes;
    for (auto range : function.getBody().getOps<kernel::RangeOp>()) {
      axes.push_back(json::Object{
          {"kind", kernel::stringifyAxisKind(range.getKind())}, {"id", range.getId()}, {"extent", range.getExtent()}});
      if (range.getSize())
        axes.back().getAsObject()->try_emplace("open", true);
    }
    facts["axes"] = std::move(axes);
    json::Array stages;
    for (auto stage : function.getBody().getOps<kernel::StageOp>()) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << stage.getResult().getType();
      stages.push_back(json::fixUTF8(text));
    }
    facts["stages"] = std::move(stages);
    // The model is one of processors.
    cost::Machine machine = target::findMachine(function);
    if (machine.kind == cost::DeviceKind::Gpu)
      continue;
    if (std::optional<SmallVector<cost::Nest>> nests = kernel::findNests(function))
      facts["predicted"] = describePrediction(*nests, machine, threads);
  }
  return all;
}

//===--- Loops ----------------------------------------------------------------------------------------------------===//

static json::Object describeBlock(Block &block) {
  std::map<std::string, int64_t> counts;
  json::Array children;
  std::optional<int64_t> fills;
  for (Operation &op : block.without_terminator()) {
    if (auto loop = dyn_cast<uop::ForOp>(op)) {
      json::Object child = describeBlock(*loop.getBody());
      std::string bound;
      writeExpression(loop.getBound(), bound);
      child["loop"] = bound;
      child["carried"] = static_cast<int64_t>(loop.getInitArgs().size());
      children.push_back(std::move(child));
      continue;
    }
    if (isa<uop::IfOp>(op)) {
      json::Object child = describeBlock(op.getRegion(0).front());
      child["loop"] = "if";
      children.push_back(std::move(child));
      continue;
    }
    if (op.hasTrait<OpTrait::ConstantLike>())
      continue;
    std::string name = op.getName().getStringRef().str();
    Type type = op.getNumResults() ? op.getResult(0).getType() : nullptr;
    if (auto store = dyn_cast<uop::StoreOp>(op)) {
      type = store.getValue().getType();
      if (auto tile = store.getBuffer().getDefiningOp<uop::LocalOp>())
        fills = cast<MemRefType>(tile.getType()).getNumElements();
    }
    if (auto vector = dyn_cast_or_null<VectorType>(type)) {
      llvm::raw_string_ostream stream(name);
      stream << " x" << vector.getNumElements();
    }
    ++counts[name];
  }
  json::Object holds;
  for (const auto &[name, count] : counts)
    holds[name] = count;
  json::Object own{{"holds", std::move(holds)}, {"children", std::move(children)}};
  if (fills)
    own["fills"] = *fills;
  return own;
}

std::map<std::string, json::Value> describeLoops(ModuleOp module) {
  std::map<std::string, json::Value> all;
  for (auto function : module.getOps<uop::FuncOp>()) {
    json::Object loops = describeBlock(function.getBody().front());
    json::Array specials;
    function.walk([&](uop::SpecialOp special) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      special->print(stream, OpPrintingFlags().useLocalScope().skipRegions());
      specials.push_back(json::fixUTF8(StringRef(text).split("= ").second));
    });
    loops["specials"] = std::move(specials);
    all.emplace(function.getSymName().str(), std::move(loops));
  }
  return all;
}

//===--- Buffers and scripts --------------------------------------------------------------------------------------===//

json::Array describeBuffers(ModuleOp module) {
  json::Array all;
  for (auto program : module.getOps<kernel::ProgramOp>()) {
    // Allocations, returns and constants take no time.
    DenseMap<Operation *, int64_t> steps;
    program.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<kernel::LaunchOp, kernel::CopyOp, kernel::FillOp, kernel::LoopOp, kernel::IfOp>(op))
        steps.try_emplace(op, steps.size());
    });
    program.walk([&](kernel::AllocOp alloc) {
      auto type = cast<MemRefType>(alloc.getType());
      int64_t first = steps.size(), last = -1;
      SmallVector<Value> aliases{alloc.getResult()};
      for (size_t i = 0; i < aliases.size(); ++i)
        for (Operation *user : aliases[i].getUsers()) {
          if (auto alias = dyn_cast<kernel::AliasOp>(user))
            aliases.push_back(alias->getResult(0));
          auto found = steps.find(user);
          if (found == steps.end())
            continue;
          first = std::min(first, found->second);
          last = std::max(last, found->second);
        }
      if (last >= 0)
        all.push_back(
            json::Object{{"bytes", type.getNumElements() * llvm::divideCeil(type.getElementTypeBitWidth(), 8)},
                         {"first", first},
                         {"last", last}});
    });
  }
  return all;
}

void collectSchedules(ModuleOp module, std::map<std::string, std::string> &scripts) {
  for (auto library : module.getOps<ModuleOp>())
    for (auto script : library.getOps<SymbolOpInterface>())
      scripts[script.getName().str()] = llvm::join(printLines(script), "\n");
}

//===--- Views ----------------------------------------------------------------------------------------------------===//

json::Array describeViews(ModuleOp module) {
  json::Array all;
  for (Operation &function : *findShown(module).getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(function);
    if (!symbol)
      continue;
    AsmState::LocationMap lines;
    std::string text;
    llvm::raw_string_ostream stream(text);
    printWithLines(&function, stream, lines);
    function.walk([&](lazy::ViewOp op) {
      json::Array stack;
      ShapeTracker tracker = op.getTracker().getTracker();
      for (const View &view : tracker.views()) {
        json::Array mask;
        for (const MaskInterval &interval : view.getMask())
          mask.push_back(json::Array{interval.begin, interval.end});
        stack.push_back(json::Object{{"shape", json::Array(view.getShape())},
                                     {"strides", json::Array(view.getStrides())},
                                     {"offset", view.getOffset()},
                                     {"mask", std::move(mask)}});
      }
      all.push_back(json::Object{{"function", json::fixUTF8(symbol.getName())},
                                 {"line", static_cast<int64_t>(lines.lookup(op).first) - 1},
                                 {"base", json::Array(op.getInput().getType().getShape())},
                                 {"stack", std::move(stack)}});
    });
  }
  return all;
}

} // namespace tiny::view
