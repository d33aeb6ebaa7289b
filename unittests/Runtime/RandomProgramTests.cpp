// Random programs against a model without any plan: every slot has bytes of its own there, so a temporary that shares
// storage with one it should not gives another result. And random damage, which must be refused or run, never crash.
#include "RuntimeTest.h"

#include <map>
#include <random>

using namespace tiny::runtime;

namespace {

constexpr int kFloats = 4;

/// out[i] = a[i] + 2 * b[i] over 4 floats.
void combine(void *const *buffers, const int64_t *) {
  auto *a = static_cast<const float *>(buffers[0]), *b = static_cast<const float *>(buffers[1]);
  auto *out = static_cast<float *>(buffers[2]);
  for (int i = 0; i < kFloats; ++i)
    out[i] = a[i] + 2 * b[i];
}

/// Builds a program and, beside it, what it computes.
class RandomProgram {
public:
  explicit RandomProgram(unsigned seed) : random(seed) {
    // Of two devices each has one.
    for (int i = 0; i < 2; ++i)
      builder.kernel("combine", combine, 3);
    for (int i = 0; i < 2; ++i)
      addSlot(builder.argument(kFloats), {float(i), 1, 2, 3});
    constants.push_back({1, 0, 1, 0});
    addSlot(builder.constant(constants[0]), constants[0]);
    for (int i = 0, n = pick(30) + 1; i < n; ++i)
      addStep();
    for (int i = 0, n = pick(4) + 1; i < n; ++i)
      builder.results.push_back(slots[pick(slots.size())]);
  }

  /// What the result number `i` must be.
  const std::vector<float> &expected(size_t i) const { return values.at(builder.results[i]); }

  ProgramBuilder builder;

private:
  size_t pick(size_t n) { return std::uniform_int_distribution<size_t>(0, n - 1)(random); }

  void addSlot(uint32_t slot, std::vector<float> value) {
    slots.push_back(slot);
    values[slot] = std::move(value);
  }

  void addStep() {
    uint32_t a = slots[pick(slots.size())], b = slots[pick(slots.size())];
    if (pick(5) == 0) {
      // Two slots at once, through the halves of a larger one; the second half is written from the first.
      uint32_t both = builder.alloc(2 * kFloats), low = builder.alias(both, 0, kFloats),
               high = builder.alias(both, kFloats, kFloats);
      builder.copy(a, low);
      builder.launch(high / 2 % 2, {low, b}, {high});
      addSlot(low, values[a]);
      addSlot(high, combined(a, b));
      return;
    }
    uint32_t target = builder.alloc(kFloats);
    if (pick(6) == 0) {
      builder.fill(target, &half);
      addSlot(target, std::vector<float>(kFloats, half));
    } else if (pick(4) == 0) {
      builder.copy(a, target);
      addSlot(target, values[a]);
    } else {
      builder.launch(target / 2 % 2, {a, b}, {target});
      addSlot(target, combined(a, b));
    }
  }

  std::vector<float> combined(uint32_t a, uint32_t b) {
    std::vector<float> result(kFloats);
    for (int i = 0; i < kFloats; ++i)
      // Kept small and exact, so that no sum ever rounds.
      result[i] = values[a][i] + 2 * values[b][i];
    return result;
  }

  std::mt19937 random;
  std::vector<uint32_t> slots;
  std::map<uint32_t, std::vector<float>> values;
  std::vector<std::vector<float>> constants;
  const float half = 0.5f;
};

class RandomPrograms : public OnEveryDevice {};
TINY_ON_EVERY_DEVICE(RandomPrograms);

} // namespace

TEST_P(RandomPrograms, GiveWhatTheyComputeWithoutAPlan) {
  for (unsigned seed = 0; seed < 500; ++seed) {
    RandomProgram random(seed);
    Program program;
    ASSERT_OK(random.builder.create(device.get(), program.receive())) << "seed " << seed;
    Buffer x = upload({0, 1, 2, 3}), y = upload({1, 1, 2, 3});
    tiny_buffer *arguments[] = {x.get(), y.get()};
    size_t nResults = random.builder.results.size();
    // Twice: the second run finds the first one's arena. Every other result is supplied.
    for (int round = 0; round < 2; ++round) {
      std::vector<Buffer> owners(nResults);
      std::vector<tiny_buffer *> results(nResults);
      for (size_t i = round; i < nResults; i += 2) {
        owners[i] = allocate(kFloats * sizeof(float));
        results[i] = owners[i].get();
      }
      ASSERT_OK(tiny_program_run(program.get(), arguments, 2, results.data(), nResults, nullptr)) << "seed " << seed;
      for (size_t i = 0; i < nResults; ++i) {
        if (!owners[i])
          owners[i] = Buffer(results[i]);
        SCOPED_TRACE("seed " + std::to_string(seed) + ", result " + std::to_string(i));
        expectValues(owners[i].get(), random.expected(i));
      }
    }
  }
}

TEST_P(RandomPrograms, DamagedOnesAreRefusedOrRun) {
  tiny_memory_info before, after;
  ASSERT_OK(tiny_device_memory(device.get(), &before));
  size_t refused = 0;
  for (unsigned seed = 0; seed < 3000; ++seed) {
    RandomProgram random(seed);
    ProgramBuilder &builder = random.builder;
    std::mt19937 damage(seed);
    auto number = [&]() -> uint32_t { return damage() % 3 ? damage() % 40 : damage(); };
    tiny_item &item = builder.items[damage() % builder.items.size()];
    tiny_slot &slot = builder.slots[damage() % builder.slots.size()];
    switch (damage() % 10) {
    case 0:
      item.kind = tiny_item_kind(damage() % 8);
      break;
    case 1:
      item.slot = number();
      break;
    case 2:
      item.source = number();
      break;
    case 3:
      item.offset = damage() % 2 ? number() : UINT64_MAX - number();
      break;
    case 4:
      item.kernel = number();
      break;
    case 5:
      std::swap(item, builder.items[damage() % builder.items.size()]);
      break;
    case 6:
      // Small, or more than any machine has: what could really be allocated would only take time.
      slot.size = damage() % 2 ? damage() % 4096 : UINT64_MAX - number();
      break;
    case 7:
      slot.alignment = number();
      break;
    case 8:
      builder.results[damage() % builder.results.size()] = number();
      break;
    case 9:
      if (!builder.bufferLists.empty()) {
        std::vector<uint32_t> &list = builder.bufferLists[damage() % builder.bufferLists.size()];
        list[damage() % list.size()] = number();
      }
      break;
    }
    Program program;
    if (builder.create(device.get(), program.receive()) != TINY_OK) {
      EXPECT_STRNE(tiny_last_error(), "");
      ++refused;
      continue;
    }
    // The kernel takes its buffers to have 4 floats; a smaller slot is well-formed, but not for it.
    if (std::any_of(builder.slots.begin(), builder.slots.end(),
                    [](const tiny_slot &slot) { return slot.size < kFloats * sizeof(float); }))
      continue;
    Buffer x = upload({0, 1, 2, 3}), y = upload({1, 1, 2, 3});
    tiny_buffer *arguments[] = {x.get(), y.get()};
    std::vector<tiny_buffer *> results(builder.results.size());
    tiny_program_run(program.get(), arguments, 2, results.data(), results.size(), nullptr);
    for (tiny_buffer *result : results)
      if (result)
        tiny_buffer_release(result);
  }
  EXPECT_GT(refused, 1000u);
  ASSERT_OK(tiny_device_memory(device.get(), &after));
  EXPECT_EQ(before.bytes_in_use, after.bytes_in_use);
}
