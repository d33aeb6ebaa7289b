// Products of matrices by warpgroups, wgmma, which run on while their warps go on. Written from "Asynchronous
// Warpgroup-Level Matrix Instructions" of NVIDIA's "PTX ISA": figures of fragments, and "Matrix Descriptor Format". A
// product reads memory and gives its sums as late as allowed, when the warpgroup waits for it; what is read before is
// a NaN that no one else gives. Tiles are swizzled by 128 bytes here; other layouts are not known.
#include "Floats.h"
#include "Machine.h"
#include "Parser.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace fake {
namespace {

constexpr unsigned kRows = 64, kMostDepth = 16, kMostColumns = 256;
/// Of a descriptor's unit, of a line of a swizzled tile, and lines that the swizzle repeats by.
constexpr uint64_t kUnit = 16, kLine = 128, kLines = 8;
/// A NaN of no computation's.
constexpr uint32_t kOnTheWay = 0x7FC0DEAD;

/// Registers that a lane has of a left factor.
constexpr unsigned kLeftRegisters = 4;

/// In `detail`: columns, and what else the instruction says.
constexpr uint32_t kTurnsLeft = 1 << 16, kTurnsRight = 1 << 17, kIsBfloat = 1 << 18, kHoldsLeft = 1 << 19,
                   kIsWide = 1 << 20;
unsigned columnsOf(const Instruction &i) { return i.detail & 0xFFFF; }
/// Bytes of an element of a factor, where tf32 is f32, and how many there are along the depth.
unsigned widthOf(const Instruction &i) { return i.detail & kIsWide ? 4 : 2; }
unsigned depthOf(const Instruction &i) { return i.detail & kIsWide ? kMostDepth / 2 : kMostDepth; }
/// An element of a factor. tf32 are the sign, the exponent and ten bits behind the point of an f32.
double numberOf(const Instruction &i, uint32_t bits) {
  if (i.detail & kIsWide)
    return double(bitsOf<float>(bits & 0xFFFFE000));
  return i.detail & kIsBfloat ? Bfloat{uint16_t(bits)}.number() : Half{uint16_t(bits)}.number();
}

/// Where elements of one factor are. `major` goes along rows of a left factor, or columns of a right one.
class Tile {
public:
  Tile(Machine &machine, const Instruction &i, uint64_t descriptor, bool isTurned)
      : begin((descriptor & 0x3FFF) * kUnit), leading((descriptor >> 16 & 0x3FFF) * kUnit),
        stride((descriptor >> 32 & 0x3FFF) * kUnit), isTurned(isTurned), width(widthOf(i)), deep(depthOf(i)) {
    if (descriptor >> 62 != 1)
      machine.fail(kLaunchFailed, i, "a matrix that is not swizzled by 128 bytes");
    if (descriptor >> 49 & 7)
      machine.fail(kLaunchFailed, i, "a matrix with a base offset");
  }

  /// The place of 16 bytes: elements along the depth from one of `major` on, or, turned, eight of 16 bits along that.
  uint64_t find(unsigned major, unsigned depth) const {
    uint64_t at = begin;
    if (isTurned)
      at += major / 64 * leading + major % 64 * 2 + depth / kLines * stride + depth % kLines * kLine;
    else
      at += major / kLines * stride + major % kLines * kLine + depth * width;
    // Bits 4 to 6 change with bits 7 to 9.
    return at ^ ((at / kLine % kLines) * kUnit);
  }

  /// Calls with each 16 bytes' place, and the first element there, of so many along `major`.
  template <typename Work> void forEach(unsigned count, Work &&work) const {
    unsigned elements = kUnit / width;
    for (unsigned major = 0; major < count; major += isTurned ? elements : 1)
      for (unsigned depth = 0; depth < deep; depth += isTurned ? 1 : elements)
        work(find(major, depth), major, depth);
  }

private:
  uint64_t begin, leading, stride;
  bool isTurned;
  unsigned width, deep;
};

/// The first lane of each warpgroup. All of its lanes must be here.
std::vector<unsigned> findWarpgroups(Machine &machine, const Instruction &i, const Lanes &lanes) {
  std::vector<unsigned> found;
  for (size_t k = 0; k < lanes.numbers.size(); k += kWarpgroupLanes) {
    unsigned first = lanes.numbers[k];
    if (k + kWarpgroupLanes > lanes.numbers.size() || first % kWarpgroupLanes != 0 ||
        lanes.numbers[k + kWarpgroupLanes - 1] != first + kWarpgroupLanes - 1)
      machine.fail(kLaunchFailed, i, "not all lanes of the warpgroup come here");
    found.push_back(first);
  }
  return found;
}

/// The same for all lanes of the warpgroup.
uint64_t getUniform(Machine &machine, const Instruction &i, uint32_t operand, unsigned bytes, unsigned first) {
  uint64_t value = machine.get(operand, bytes, first);
  for (unsigned lane = first; lane < first + kWarpgroupLanes; ++lane)
    if (machine.get(operand, bytes, lane) != value)
      machine.fail(kLaunchFailed, i, "a descriptor or a condition that differs between lanes of the warpgroup");
  return value;
}

/// "WGMMA .m64nNk16 register fragment layout for accumulator matrix D": element `e` of a lane of the warpgroup.
struct Place {
  unsigned row, column;
};
Place placeOfSum(unsigned lane, unsigned e) {
  unsigned warp = lane / 32, inWarp = lane % 32;
  return {16 * warp + inWarp / 4 + 8 * (e / 2 % 2), 8 * (e / 4) + inWarp % 4 * 2 + e % 2};
}

/// "WGMMA .m64nNk16 register fragment layout for matrix A", and ".m64nNk8" of tf32, which has one element in a
/// register: element `e` of a lane of the warpgroup.
Place placeOfLeft(const Instruction &i, unsigned lane, unsigned e) {
  unsigned warp = lane / 32, inWarp = lane % 32;
  if (i.detail & kIsWide)
    return {16 * warp + inWarp / 4 + 8 * (e % 2), inWarp % 4 + 4 * (e / 2)};
  return {16 * warp + inWarp / 4 + 8 * (e / 2 % 2), 8 * (e / 4) + inWarp % 4 * 2 + e % 2};
}

void runProduct(Machine &machine, const Instruction &i, const Lanes &lanes) {
  for (unsigned first : findWarpgroups(machine, i, lanes)) {
    Warpgroup &group = machine.warpgroups[first / kWarpgroupLanes];
    Warpgroup::Product product;
    product.instruction = &i;
    product.begun = machine.getStep();
    bool holdsLeft = i.detail & kHoldsLeft;
    product.left = holdsLeft ? 0 : getUniform(machine, i, i.a, 8, first);
    product.right = getUniform(machine, i, i.b, 8, first);
    bool adds = getUniform(machine, i, i.c, 1, first) & 1;
    for (size_t k = 0; k < group.products.size(); ++k) {
      const std::vector<uint32_t> &others = group.products[k].instruction->more;
      if (others == i.more)
        product.before = int(k);
      else if (std::find_first_of(others.begin(), others.end(), i.more.begin(), i.more.end()) != others.end())
        machine.fail(kLaunchFailed, i, "some of the registers of another wgmma that is on its way");
    }
    machine.checkFence(i, first, i.list, holdsLeft ? kLeftRegisters : 0);
    if (product.before < 0) {
      machine.checkFence(i, first, i.more.data(), i.more.size());
      for (unsigned lane = first; lane < first + kWarpgroupLanes; ++lane)
        for (uint32_t slot : i.more)
          product.sums.push_back(adds ? uint32_t(machine.get(slot, 4, lane)) : 0);
    } else if (!adds) {
      machine.fail(kLaunchFailed, i, "a wgmma that drops sums which are on their way");
    }
    // What it may read by now, and reads later.
    auto check = [&](uint64_t descriptor, uint32_t turns, unsigned count) {
      Tile(machine, i, descriptor, i.detail & turns).forEach(count, [&](uint64_t at, unsigned, unsigned) {
        machine.access(i, first, at, kUnit, /*writes=*/false);
        machine.checkProxy(i, at);
        // Each warp of it must have waited for what was copied there.
        if (machine.usesPhases())
          for (unsigned lane = first + 32; lane < first + kWarpgroupLanes; lane += 32)
            machine.phases.checkRead(i, lane, at, kUnit);
      });
    };
    if (!holdsLeft)
      check(product.left, kTurnsLeft, kRows);
    check(product.right, kTurnsRight, columnsOf(i));
    for (unsigned lane = first; lane < first + kWarpgroupLanes; ++lane)
      for (uint32_t slot : i.more)
        machine.set(slot, 4, lane, kOnTheWay);
    group.products.push_back(std::move(product));
  }
}

void finish(Machine &machine, Warpgroup &group, Warpgroup::Product &product, unsigned first) {
  const Instruction &i = *product.instruction;
  auto read = [&](uint64_t descriptor, uint32_t turns, unsigned count, auto &&put) {
    Tile(machine, i, descriptor, i.detail & turns).forEach(count, [&](uint64_t at, unsigned major, unsigned depth) {
      uint8_t bytes[kUnit];
      machine.readSince(i, at, kUnit, product.begun, bytes);
      if (machine.usesPhases())
        for (unsigned warp = first / 32; warp < (first + kWarpgroupLanes) / 32; ++warp)
          machine.phases.noteRead(warp, at, kUnit);
      for (unsigned k = 0, width = widthOf(i); k < kUnit / width; ++k) {
        bool isTurned = i.detail & turns;
        uint32_t bits = 0;
        std::memcpy(&bits, bytes + k * width, width);
        put(major + (isTurned ? k : 0), depth + (isTurned ? 0 : k), numberOf(i, bits));
      }
    });
  };
  std::array<std::array<double, kMostDepth>, kRows> left;
  std::vector<std::array<double, kMostDepth>> right(kMostColumns);
  if (i.detail & kHoldsLeft) {
    machine.checkKept(i, first, product.begun);
    for (unsigned lane = 0; lane < kWarpgroupLanes; ++lane)
      for (unsigned e = 0, inRegister = 4 / widthOf(i); e < inRegister * kLeftRegisters; ++e) {
        Place place = placeOfLeft(i, lane, e);
        auto bits = uint32_t(machine.get(i.list[e / inRegister], 4, first + lane) >> 16 * (e % inRegister));
        left[place.row][place.column] = numberOf(i, bits);
      }
  } else {
    read(product.left, kTurnsLeft, kRows, [&](unsigned row, unsigned depth, double x) { left[row][depth] = x; });
  }
  read(product.right, kTurnsRight, columnsOf(i),
       [&](unsigned column, unsigned depth, double x) { right[column][depth] = x; });
  if (product.before >= 0)
    product.sums = group.products[size_t(product.before)].sums;
  // A device may round sums on the way; products are exact.
  for (unsigned lane = 0; lane < kWarpgroupLanes; ++lane)
    for (unsigned e = 0; e < i.more.size(); ++e) {
      Place place = placeOfSum(lane, e);
      uint32_t &sum = product.sums[lane * i.more.size() + e];
      double total = double(bitsOf<float>(sum));
      for (unsigned k = 0; k < depthOf(i); ++k)
        total += left[place.row][k] * right[place.column][k];
      sum = bitsOf<uint32_t>(float(total));
    }
}

void runCommit(Machine &machine, const Instruction &i, const Lanes &lanes) {
  for (unsigned first : findWarpgroups(machine, i, lanes)) {
    Warpgroup &group = machine.warpgroups[first / kWarpgroupLanes];
    ++group.committed;
    for (Warpgroup::Product &product : group.products)
      product.group = std::min(product.group, group.committed);
  }
}

void runWait(Machine &machine, const Instruction &i, const Lanes &lanes) {
  for (unsigned first : findWarpgroups(machine, i, lanes)) {
    Warpgroup &group = machine.warpgroups[first / kWarpgroupLanes];
    size_t done = 0;
    for (; done < group.products.size() && uint64_t(group.products[done].group) + i.detail <= group.committed; ++done)
      finish(machine, group, group.products[done], first);
    for (size_t k = 0; k < group.products.size(); ++k) {
      Warpgroup::Product &product = group.products[k];
      if (k < done)
        for (unsigned lane = 0; lane < kWarpgroupLanes; ++lane)
          for (size_t e = 0; e < product.instruction->more.size(); ++e)
            machine.set(product.instruction->more[e], 4, first + lane,
                        product.sums[lane * product.instruction->more.size() + e]);
      // One that goes on takes the sums over.
      else if (product.before >= 0 && size_t(product.before) < done) {
        product.sums = group.products[size_t(product.before)].sums;
        product.before = -1;
        for (unsigned lane = 0; lane < kWarpgroupLanes; ++lane)
          for (uint32_t slot : product.instruction->more)
            machine.set(slot, 4, first + lane, kOnTheWay);
      } else if (product.before >= 0) {
        product.before -= int(done);
      }
    }
    group.products.erase(group.products.begin(), group.products.begin() + ptrdiff_t(done));
  }
}

void runFence(Machine &machine, const Instruction &i, const Lanes &lanes) {
  for (unsigned first : findWarpgroups(machine, i, lanes))
    machine.warpgroups[first / kWarpgroupLanes].fenced = machine.getStep();
}

void runProxyFence(Machine &machine, const Instruction &, const Lanes &lanes) {
  if (!machine.proxyFences.empty())
    forEach(lanes, [&](unsigned lane) { machine.proxyFences[lane] = machine.getStep(); });
}

} // namespace

/// fence.proxy.async, which shows to wgmma what the lane wrote.
void KernelParser::parseProxyFence(Instruction &instruction) { instruction.run = runProxyFence; }

/// wgmma.mma_async.sync.aligned.SHAPE.f32.TYPE.TYPE d, a, b, p, 1, 1, ta, tb, and what stands around it. Of a left
/// factor in registers there is no order, and none of factors of tf32, which lie along the depth.
void KernelParser::parseWarpgroup(const std::vector<std::string> &parts, Instruction &instruction,
                                  std::vector<Operand> &operands) {
  kernel.usesWarpgroups = true;
  size_t count = parts.size();
  if (count < 4 || parts[2] != "sync" || parts[3] != "aligned")
    words.fail("unknown form of wgmma");
  if (parts[1] != "mma_async") {
    instruction.run = parts[1] == "fence"          ? runFence
                      : parts[1] == "commit_group" ? runCommit
                      : parts[1] == "wait_group"   ? runWait
                                                   : nullptr;
    if (!instruction.run)
      words.fail("unknown form of wgmma");
    expectCount(operands, parts[1] == "wait_group", parts[1] == "wait_group");
    if (!operands.empty())
      instruction.detail = uint32_t(operands[0].value);
    return;
  }
  bool isWide = count == 8 && parts[6] == "tf32";
  if (count != 8 || parts[5] != "f32" || parts[6] != parts[7] || (parts[6] != "f16" && parts[6] != "bf16" && !isWide))
    words.fail("unknown type of wgmma");
  unsigned columns = 0;
  for (unsigned n = 8; n <= kMostColumns; n += 8)
    if (parts[4] == "m64n" + std::to_string(n) + (isWide ? "k8" : "k16"))
      columns = n;
  if (!columns)
    words.fail("unknown shape of wgmma: " + parts[4]);
  bool holdsLeft = operands.size() > 1 && operands[1].kind == Operand::List;
  if (holdsLeft && operands[1].parts.size() != kLeftRegisters)
    words.fail("a left factor of wgmma wants a vector of " + std::to_string(kLeftRegisters) + " registers");
  size_t nOperands = isWide ? 6 : holdsLeft ? 7 : 8;
  expectCount(operands, nOperands, nOperands);
  if (operands[0].kind != Operand::List || operands[0].parts.size() != columns / 2)
    words.fail("wgmma of " + std::to_string(columns) + " columns wants a vector of " + std::to_string(columns / 2) +
               " registers");
  for (const Operand &part : operands[0].parts)
    instruction.more.push_back(resolveTarget(part, 4));
  for (size_t k = 0; holdsLeft && k < kLeftRegisters; ++k)
    instruction.list[k] = resolve(operands[1].parts[k], 4);
  if (!holdsLeft)
    instruction.a = resolve(operands[1], 8);
  instruction.b = resolve(operands[2], 8);
  instruction.c = resolve(operands[3], 1);
  for (size_t k = 4; k < nOperands; ++k)
    if (operands[k].kind != Operand::Number || (k < 6 ? operands[k].value != 1 : operands[k].value > 1))
      words.fail("unknown sign or order of wgmma's factors");
  instruction.detail = columns | (parts[6] == "bf16" ? kIsBfloat : 0) | (holdsLeft ? kHoldsLeft : 0);
  if (isWide)
    instruction.detail |= kIsWide;
  else
    instruction.detail |=
        (!holdsLeft && operands[6].value ? kTurnsLeft : 0) | (operands.back().value ? kTurnsRight : 0);
  instruction.space = Space::Shared;
  instruction.run = runProduct;
}

} // namespace fake
