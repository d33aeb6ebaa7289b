// Counts, stops and shows the actions that passes announce to their context.
#include "Actions.h"

#include "mlir/IR/Action.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Unit.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <sys/mman.h>

using namespace mlir;

namespace tiny {

ActionRecord *makeActionRecord() {
  void *memory = mmap(nullptr, sizeof(ActionRecord), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    llvm::report_fatal_error("no memory to share with a process");
  return new (memory) ActionRecord();
}

template <size_t Size> static void store(char (&room)[Size], StringRef text) {
  text = text.take_front(Size - 1);
  llvm::copy(text, room);
  room[text.size()] = 0;
}

namespace {
/// What the handler remembers between actions; it lives as long as the context.
struct State {
  uint64_t limit;
  ActionRecord *record;
  llvm::StringMap<uint64_t> counts;
  /// What the passes that are running work on, the innermost last.
  SmallVector<Operation *> roots;
};
} // namespace

/// The operation that an action is about, or null.
static Operation *getOperation(const tracing::Action &action) {
  Operation *op = nullptr;
  for (const IRUnit &unit : action.getContextIRUnits()) {
    if (auto *found = llvm::dyn_cast_if_present<Operation *>(unit))
      op = op ? op : found;
    else if (auto *block = llvm::dyn_cast_if_present<Block *>(unit))
      op = op ? op : block->getParentOp();
    else if (auto *region = llvm::dyn_cast_if_present<Region *>(unit))
      op = op ? op : region->getParentOp();
  }
  return op;
}

/// The function or kernel around an action, or what the pass around it works on.
static Operation *getRoot(const State &state, const tracing::Action &action) {
  Operation *op = getOperation(action);
  while (op && op->getParentOp() && !op->hasTrait<OpTrait::IsIsolatedFromAbove>())
    op = op->getParentOp();
  if (!op && !state.roots.empty())
    op = state.roots.back();
  return op;
}

static std::string print(Operation *root) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // In the middle of an action an operation may verify no more.
  if (root)
    root->print(os, OpPrintingFlags().useLocalScope().assumeVerified());
  return text;
}

/// A run of patterns over all operations: to skip it says less than to skip the patterns in it.
static bool isSweep(const tracing::Action &action) { return action.getTag() == "GreedyPatternRewriteIteration"; }

static void run(State &state, llvm::function_ref<void()> transform, const tracing::Action &action) {
  if (auto *pass = llvm::dyn_cast<PassExecutionAction>(&action)) {
    state.roots.push_back(pass->getOp());
    transform();
    state.roots.pop_back();
    return;
  }
  if (isSweep(action))
    return transform();
  ActionRecord &record = *state.record;
  uint64_t number = ++record.count;
  uint64_t ofTag = ++state.counts[action.getTag()];
  if (number > state.limit)
    return;
  if (number < state.limit)
    return transform();
  std::string title;
  llvm::raw_string_ostream os(title);
  action.print(os);
  if (Operation *op = getOperation(action))
    os << " at " << op->getLoc();
  Operation *root = getRoot(state, action);
  store(record.title, title);
  store(record.tag, action.getTag());
  record.countOfTag = ofTag;
  store(record.before, print(root));
  transform();
  store(record.after, print(root));
}

void limitActions(MLIRContext *context, uint64_t limit, ActionRecord *record) {
  record->count = 0;
  store(record->result, "");
  auto state = std::make_shared<State>();
  state->limit = limit;
  state->record = record;
  context->registerActionHandler(
      [state](llvm::function_ref<void()> transform, const tracing::Action &action) { run(*state, transform, action); });
}

void recordResult(ModuleOp module, ActionRecord *record) { store(record->result, print(module)); }

std::string formatDifference(StringRef before, StringRef after) {
  constexpr size_t kContext = 3;
  SmallVector<StringRef> old, now;
  before.split(old, '\n');
  after.split(now, '\n');
  size_t same = 0, rest = 0, least = std::min(old.size(), now.size());
  while (same < least && old[same] == now[same])
    ++same;
  while (rest < least - same && old[old.size() - 1 - rest] == now[now.size() - 1 - rest])
    ++rest;
  std::string text;
  auto add = [&](char mark, ArrayRef<StringRef> lines) {
    for (StringRef line : lines)
      (text += mark) += (" " + line + "\n").str();
  };
  ArrayRef<StringRef> head = ArrayRef(old).take_front(same), tail = ArrayRef(old).take_back(rest);
  add(' ', head.take_back(kContext));
  add('-', ArrayRef(old).drop_front(same).drop_back(rest));
  add('+', ArrayRef(now).drop_front(same).drop_back(rest));
  add(' ', tail.take_front(kContext));
  return text;
}

} // namespace tiny
