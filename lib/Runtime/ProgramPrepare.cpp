// What depends on constants alone is computed by the first run and kept for the others: such steps are put in front.
#include "Program.h"

#include <algorithm>

using namespace tiny::runtime;

namespace {

class Preparation {
public:
  explicit Preparation(tiny_program &program) : program(program) {}

  void find() {
    program.nPreparation = 0;
    listCandidates();
    while (dropSome())
      ;
    if (std::find(isPrepared.begin(), isPrepared.end(), true) == isPrepared.end())
      return;
    keepWhatIsRead();
    moveToFront();
  }

private:
  uint32_t rootOf(uint32_t slot) const { return program.slots[slot].root; }

  /// Steps of all ranks and sizes that stand in no list of another.
  void listCandidates() {
    isPrepared.assign(program.steps.size(), false);
    for (uint32_t index = 0; index < program.steps.size();) {
      const Step &step = program.steps[index];
      isPrepared[index] =
          !step.places && (step.kind == TINY_ITEM_LAUNCH || step.kind == TINY_ITEM_COPY || step.kind == TINY_ITEM_FILL);
      index = std::max(index + 1, step.end);
    }
  }

  /// By root: whether it is a constant, or memory that only steps of the preparation write, all of them before another
  /// step reads it.
  std::vector<bool> findConstant() const {
    std::vector<bool> isConstant(program.slots.size());
    std::vector<uint32_t> lastWrite(program.slots.size(), 0), firstRead(program.slots.size(), UINT32_MAX);
    for (uint32_t slot = 0; slot < program.slots.size(); ++slot) {
      const PlannedSlot &root = program.slots[slot];
      isConstant[slot] = root.root == slot && root.loop == kNoStep &&
                         (root.storage == StorageKind::Constant || root.storage == StorageKind::Arena);
    }
    // The runtime writes sizes and the rank's place.
    if (!program.sizes.empty() || program.readsPlace)
      isConstant[rootOf(program.nArguments)] = false;
    std::vector<bool> isWritten(program.slots.size());
    for (uint32_t index = 0; index < program.steps.size(); ++index) {
      const Step &step = program.steps[index];
      for (uint32_t k = 0; k < step.slots.size(); ++k) {
        uint32_t root = rootOf(step.slots[k]);
        // What a loop counts, too.
        bool isNested = step.kind == TINY_ITEM_LOOP || step.kind == TINY_ITEM_IF;
        if (k >= step.nInputs || isNested) {
          isWritten[root] = true;
          lastWrite[root] = index;
          if (!isPrepared[index])
            isConstant[root] = false;
        }
        if ((k < step.nInputs || isNested) && !isPrepared[index])
          firstRead[root] = std::min(firstRead[root], index);
      }
    }
    for (uint32_t slot = 0; slot < program.slots.size(); ++slot)
      if (isConstant[slot] && program.slots[slot].storage == StorageKind::Arena)
        isConstant[slot] = isWritten[slot] && lastWrite[slot] < firstRead[slot];
    return isConstant;
  }

  /// Takes steps out of the preparation that need what is not constant, or write what does not stay so.
  bool dropSome() {
    std::vector<bool> isConstant = findConstant();
    bool isChanged = false;
    for (uint32_t index = 0; index < program.steps.size(); ++index) {
      const Step &step = program.steps[index];
      if (isPrepared[index] &&
          !std::all_of(step.slots.begin(), step.slots.end(), [&](uint32_t slot) { return isConstant[rootOf(slot)]; })) {
        isPrepared[index] = false;
        isChanged = true;
        // What it writes is no constant for those behind it.
        for (uint32_t k = step.nInputs; k < step.slots.size(); ++k)
          isConstant[rootOf(step.slots[k])] = false;
      }
    }
    return isChanged;
  }

  /// Memory that later steps or results read has a place of its own in what is kept.
  void keepWhatIsRead() {
    std::vector<bool> isWritten(program.slots.size());
    for (uint32_t index = 0; index < program.steps.size(); ++index)
      for (uint32_t k = program.steps[index].nInputs; isPrepared[index] && k < program.steps[index].slots.size(); ++k)
        isWritten[rootOf(program.steps[index].slots[k])] = true;
    auto keep = [&](uint32_t slot) {
      PlannedSlot &root = program.slots[rootOf(slot)];
      if (root.storage != StorageKind::Arena || !isWritten[rootOf(slot)])
        return;
      uint64_t &kept = program.devices[root.device].keptSize;
      root.storage = StorageKind::Kept;
      root.arenaOffset = kept;
      uint64_t size = std::max<uint64_t>(root.size, 1);
      kept += (size + TINY_BUFFER_ALIGNMENT - 1) / TINY_BUFFER_ALIGNMENT * TINY_BUFFER_ALIGNMENT;
      kept = std::min(kept, kMaxSize + 1);
    };
    for (uint32_t index = 0; index < program.steps.size(); ++index)
      if (!isPrepared[index])
        for (uint32_t slot : program.steps[index].slots)
          keep(slot);
    for (const PlannedResult &result : program.results)
      keep(result.slot);
  }

  /// Numbers of steps that others name move along: of lists, and of loops that define slots.
  void moveToFront() {
    std::vector<Step> front, rest;
    std::vector<uint32_t> behind; // by step, how many of the preparation stand behind it
    uint32_t count = uint32_t(std::count(isPrepared.begin(), isPrepared.end(), true)), seen = 0;
    for (uint32_t index = 0; index < program.steps.size(); ++index) {
      behind.push_back(count - seen);
      seen += isPrepared[index];
    }
    behind.push_back(0);
    for (uint32_t index = 0; index < program.steps.size(); ++index) {
      Step &step = program.steps[index];
      if (step.end)
        step.end += behind[step.end];
      if (step.otherwise)
        step.otherwise += behind[step.otherwise];
      (isPrepared[index] ? front : rest).push_back(std::move(step));
    }
    for (PlannedSlot &slot : program.slots)
      if (slot.loop != kNoStep)
        slot.loop += behind[slot.loop];
    program.steps = std::move(front);
    std::move(rest.begin(), rest.end(), std::back_inserter(program.steps));
    program.nPreparation = count;
  }

  tiny_program &program;
  std::vector<bool> isPrepared;
};

} // namespace

void tiny::runtime::findPreparation(tiny_program &program) { Preparation(program).find(); }
