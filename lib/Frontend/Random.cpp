// Random numbers: Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011) of
// a key and of each element's place in one sequence. Both are state of the program that draws: running it again, as
// jit() does, draws further numbers.
#include "Calls.h"

#include <cmath>
#include <mutex>

using namespace tiny;
using namespace tiny::frontend;

namespace {

struct RandomState {
  /// ui32 [2], and ui64 of rank 0.
  Tensor key, place;
};

HostTensor makeWords(tiny_dtype dtype, Shape shape, uint64_t bits) {
  HostTensor words = HostTensor::zeros(dtype, std::move(shape));
  std::copy_n(reinterpret_cast<const char *>(&bits), sizeof(bits), words.bytes.data());
  return words;
}

std::recursive_mutex &getMutex() {
  static auto *mutex = new std::recursive_mutex();
  return *mutex;
}

std::unique_ptr<RandomState> &getState() {
  static auto *state = new std::unique_ptr<RandomState>();
  return *state;
}

RandomState &useState() {
  std::unique_ptr<RandomState> &state = getState();
  if (!state)
    manual_seed(0);
  return *state;
}

Tensor word(uint32_t number, Site site) {
  return Tensor(takeOrRaise(makeConstant(number, {TINY_DTYPE_U32, {}}, site), site));
}

/// Two words for each element, in turn.
std::pair<Tensor, Tensor> drawWords(const Shape &shape, Site site) {
  std::lock_guard<std::recursive_mutex> lock(getMutex());
  RandomState &state = useState();
  checkShape(shape, TINY_DTYPE_U64, site);
  int64_t count = *countElements(shape.data(), shape.size(), 8);
  Tensor at = Tensor::arange(0, double(count), 1, TINY_DTYPE_U64, site).add(state.place, site);
  state.place = state.place.add(double(count), site);
  keepUp(state.place);
  Tensor first = state.key.shrink({0}, {1}, site), second = state.key.shrink({1}, {2}, site);
  const Tensor keys[] = {first, second, first.bitwise_xor(second, site).bitwise_xor(word(0x1BD11BDA, site), site)};
  constexpr unsigned rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Tensor x = at.to(TINY_DTYPE_U32, site).add(keys[0], site);
  Tensor y = at.bitwise_right_shift(32, site).to(TINY_DTYPE_U32, site).add(keys[1], site);
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : rotations[group % 2]) {
      x = x.add(y, site);
      y = y.bitwise_left_shift(rotation, site).bitwise_or(y.bitwise_right_shift(32 - rotation, site), site);
      y = y.bitwise_xor(x, site);
    }
    x = x.add(keys[(group + 1) % 3], site);
    y = y.add(keys[(group + 2) % 3], site).add(word(group + 1, site), site);
  }
  return {x.reshape(shape, site), y.reshape(shape, site)};
}

/// Floats in [0, 1) of 24 bits.
Tensor toUnit(const Tensor &words, Site site) {
  return words.bitwise_right_shift(8, site).to(TINY_DTYPE_F32, site).mul(0x1p-24, site);
}

} // namespace

void tiny::manual_seed(uint64_t seed) {
  std::lock_guard<std::recursive_mutex> lock(getMutex());
  getState().reset(
      new RandomState{Tensor(makeWords(TINY_DTYPE_U32, {2}, seed)), Tensor(makeWords(TINY_DTYPE_U64, {}, 0))});
}

Tensor Tensor::rand(const Shape &shape, double low, double high, Site site) {
  Tensor unit = toUnit(drawWords(shape, site).first, site);
  return low == 0 && high == 1 ? unit : unit.mul(high - low, site).add(low, site);
}

Tensor Tensor::randn(const Shape &shape, Site site) {
  // (Box-Muller) sqrt(-2 log(1 - u)) * cos(2 pi v)
  auto [first, second] = drawWords(shape, site);
  Tensor radius = toUnit(first, site).neg(site).log1p(site).mul(-2, site).sqrt(site);
  return radius.mul(toUnit(second, site).mul(2 * M_PI, site).cos(site), site);
}

Tensor Tensor::randint(int64_t low, int64_t high, const Shape &shape, Site site) {
  if (high <= low || high - low > (int64_t(1) << 24))
    raise("expects an interval of 1 to 2^24 numbers, got " + std::to_string(low) + " to " + std::to_string(high), site);
  Tensor unit = toUnit(drawWords(shape, site).first, site);
  return unit.mul(double(high - low), site).to(TINY_DTYPE_I64, site).add(double(low), site);
}

Tensor Tensor::dropout(double probability, Site site) const {
  if (!(probability >= 0 && probability < 1))
    raise("expects a probability of at least 0 and below 1, got " + std::to_string(probability), site);
  if (probability == 0)
    return *this;
  Tensor stays = rand(shape(), 0, 1, site).ge(probability, site);
  return where(stays, mul(1 / (1 - probability), site), 0.0, site);
}
