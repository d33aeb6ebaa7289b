// Products of matrices and the loads of their fragments: mma.sync and ldmatrix. Which element of a matrix a lane holds
// where is in the tables of "Warp-level Matrix Instructions" of NVIDIA's "PTX ISA", written down here case by case.
#include "Floats.h"
#include "Machine.h"
#include "Parser.h"

#include <array>
#include <cmath>
#include <cstring>

namespace fake {
namespace {

constexpr unsigned kWarp = 32;

struct Place {
  unsigned row, column;
};

/// Matrices of 16 x 8 that are summed up in, of f32 or s32: element `i` of a lane.
Place placeOfSum(unsigned lane, unsigned i) {
  unsigned group = lane >> 2, inGroup = lane % 4;
  return {i < 2 ? group : group + 8, inGroup * 2 + (i & 1)};
}

/// What an instruction multiplies.
struct Shape {
  const char *name, *type;
  unsigned depth, bytes;
  /// Registers of 32 bits.
  unsigned left, right;
  Place (*placeOfLeft)(unsigned lane, unsigned i), (*placeOfRight)(unsigned lane, unsigned i);
};

const Shape kShapes[] = {
    {"m16n8k8", "f16", 8, 2, 2, 1,
     [](unsigned lane, unsigned i) { return Place{i < 2 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 2 + (i & 1)}; },
     [](unsigned lane, unsigned i) { return Place{lane % 4 * 2 + i, lane >> 2}; }},
    {"m16n8k16", "f16", 16, 2, 4, 2,
     [](unsigned lane, unsigned i) {
       bool isUpper = i < 2 || (4 <= i && i < 6);
       unsigned column = lane % 4 * 2 + (i & 1);
       return Place{isUpper ? lane >> 2 : (lane >> 2) + 8, i < 4 ? column : column + 8};
     },
     [](unsigned lane, unsigned i) {
       unsigned row = lane % 4 * 2 + (i & 1);
       return Place{i < 2 ? row : row + 8, lane >> 2};
     }},
    {"m16n8k4", "tf32", 4, 4, 2, 1,
     [](unsigned lane, unsigned i) { return Place{i == 0 ? lane >> 2 : (lane >> 2) + 8, lane % 4}; },
     [](unsigned lane, unsigned) { return Place{lane % 4, lane >> 2}; }},
    {"m16n8k8", "tf32", 8, 4, 4, 2,
     [](unsigned lane, unsigned i) {
       bool isUpper = i == 0 || i == 2;
       return Place{isUpper ? lane >> 2 : (lane >> 2) + 8, i < 2 ? lane % 4 : lane % 4 + 4};
     },
     [](unsigned lane, unsigned i) { return Place{i == 0 ? lane % 4 : lane % 4 + 4, lane >> 2}; }},
    {"m16n8k16", "s8", 16, 1, 2, 1,
     [](unsigned lane, unsigned i) { return Place{i < 4 ? lane >> 2 : (lane >> 2) + 8, lane % 4 * 4 + (i & 3)}; },
     [](unsigned lane, unsigned i) { return Place{lane % 4 * 4 + i, lane >> 2}; }},
    {"m16n8k32", "s8", 32, 1, 4, 2,
     [](unsigned lane, unsigned i) {
       bool isUpper = i < 4 || (8 <= i && i < 12);
       unsigned column = lane % 4 * 4 + (i & 3);
       return Place{isUpper ? lane >> 2 : (lane >> 2) + 8, i < 8 ? column : column + 16};
     },
     [](unsigned lane, unsigned i) {
       unsigned row = lane % 4 * 4 + (i & 3);
       return Place{i < 4 ? row : row + 16, lane >> 2};
     }},
};
constexpr unsigned kMostDepth = 32;

enum Type : uint32_t { kHalf, kBfloat, kSigned8, kTf32, kE4m3, kE5m2 };

/// Of a sign, an exponent and so many bits behind the point. e4m3 has no infinities, and one NaN of each sign.
double readSmall(uint8_t bits, int mantissa, int bias, bool hasInfinities) {
  int exponent = (bits & 0x7F) >> mantissa, most = (1 << (7 - mantissa)) - 1, fraction = bits & ((1 << mantissa) - 1);
  double value;
  if (exponent == most && (hasInfinities || fraction == (1 << mantissa) - 1))
    value = hasInfinities && !fraction ? HUGE_VAL : NAN;
  else
    value = std::ldexp(exponent ? fraction + (1 << mantissa) : fraction, (exponent ? exponent : 1) - bias - mantissa);
  return bits & 0x80 ? -value : value;
}

double read(Type type, uint32_t word, unsigned k) {
  if (type == kSigned8)
    return double(int8_t(word >> (8 * k)));
  if (type == kE4m3)
    return readSmall(uint8_t(word >> (8 * k)), 3, 7, false);
  if (type == kE5m2)
    return readSmall(uint8_t(word >> (8 * k)), 2, 15, true);
  // The lower 13 bits of a register of tf32 are not read.
  if (type == kTf32)
    return double(bitsOf<float>(word & 0xFFFFE000u));
  auto bits = uint16_t(word >> (16 * k));
  return type == kHalf ? Half{bits}.number() : Bfloat{bits}.number();
}

/// The first lane of each warp. All of its lanes must be here.
std::vector<unsigned> findWarps(Machine &machine, const Instruction &i, const Lanes &lanes) {
  std::vector<unsigned> warps;
  for (size_t k = 0; k < lanes.numbers.size(); k += kWarp) {
    if (k + kWarp > lanes.numbers.size() || lanes.numbers[k] % kWarp != 0 ||
        lanes.numbers[k + kWarp - 1] != lanes.numbers[k] + kWarp - 1)
      machine.fail(kLaunchFailed, i, "not all lanes of the warp come here");
    warps.push_back(lanes.numbers[k]);
  }
  return warps;
}

/// Operands in `list`: 4 of the result, those of both factors, 4 of what is added.
void runProduct(Machine &machine, const Instruction &i, const Lanes &lanes) {
  const Shape &shape = kShapes[i.detail & 255];
  Type type = Type(i.detail >> 8);
  const uint32_t *results = i.more.data(), *lefts = results + 4, *rights = lefts + shape.left,
                 *sums = rights + shape.right;
  unsigned packed = 4 / shape.bytes;
  for (unsigned first : findWarps(machine, i, lanes)) {
    std::array<std::array<double, kMostDepth>, 16> left;
    std::array<std::array<double, 8>, kMostDepth> right;
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      for (unsigned e = 0; e < shape.left * packed; ++e) {
        Place place = shape.placeOfLeft(lane, e);
        left[place.row][place.column] =
            read(type, uint32_t(machine.get(lefts[e / packed], 4, first + lane)), e % packed);
      }
      for (unsigned e = 0; e < shape.right * packed; ++e) {
        Place place = shape.placeOfRight(lane, e);
        right[place.row][place.column] =
            read(type, uint32_t(machine.get(rights[e / packed], 4, first + lane)), e % packed);
      }
    }
    // A device may round sums on the way; products are exact.
    for (unsigned lane = 0; lane < kWarp; ++lane) {
      uint32_t totals[4];
      for (unsigned e = 0; e < 4; ++e) {
        Place place = placeOfSum(lane, e);
        auto bits = uint32_t(machine.get(sums[e], 4, first + lane));
        double total = type == kSigned8 ? double(int32_t(bits)) : double(bitsOf<float>(bits));
        for (unsigned k = 0; k < shape.depth; ++k)
          total += left[place.row][k] * right[k][place.column];
        totals[e] = type == kSigned8 ? uint32_t(int64_t(total)) : bitsOf<uint32_t>(float(total));
      }
      for (unsigned e = 0; e < 4; ++e)
        machine.set(results[e], 4, first + lane, totals[e]);
    }
  }
}

/// Lane 8 m + r has the address of row r of matrix m, 16 bytes. Of each matrix, a lane gets two neighbours of one row;
/// transposed, of one column.
void runLoadMatrices(Machine &machine, const Instruction &i, const Lanes &lanes) {
  for (unsigned first : findWarps(machine, i, lanes)) {
    for (unsigned matrix = 0; matrix < i.count; ++matrix) {
      std::array<std::array<uint16_t, 8>, 8> elements;
      for (unsigned row = 0; row < 8; ++row) {
        unsigned lane = first + 8 * matrix + row;
        uint64_t address = machine.get(i.a, i.aBytes, lane) + uint64_t(i.offset);
        std::memcpy(elements[row].data(), machine.access(i, lane, address, 16, /*writes=*/false), 16);
      }
      for (unsigned lane = 0; lane < kWarp; ++lane) {
        unsigned row = lane / 4, column = lane % 4 * 2;
        uint32_t low = i.detail ? elements[column][row] : elements[row][column];
        uint32_t high = i.detail ? elements[column + 1][row] : elements[row][column + 1];
        machine.set(i.list[matrix], 4, first + lane, low | high << 16);
      }
    }
  }
}

} // namespace

/// mma.sync.aligned.SHAPE.row.col.D.A.B.C d, a, b, c, in vectors of registers.
void KernelParser::parseProduct(const std::vector<std::string> &parts, Instruction &instruction,
                                std::vector<Operand> &operands) {
  if (parts.size() != 10 || parts[1] != "sync" || parts[2] != "aligned" || parts[4] != "row" || parts[5] != "col" ||
      parts[7] != parts[8] || parts[6] != parts[9])
    words.fail("unknown form of mma");
  const std::string &type = parts[7];
  Type kind = type == "bf16"   ? kBfloat
              : type == "s8"   ? kSigned8
              : type == "tf32" ? kTf32
              : type == "e4m3" ? kE4m3
              : type == "e5m2" ? kE5m2
                               : kHalf;
  // f8 lies as s8 does, and has the longer of its depths.
  bool isSmall = kind == kE4m3 || kind == kE5m2;
  const char *listed = kind == kBfloat ? "f16" : isSmall && parts[3] == "m16n8k32" ? "s8" : type.c_str();
  uint32_t found = kNone;
  for (uint32_t k = 0; k < std::size(kShapes); ++k)
    if (parts[3] == kShapes[k].name && std::strcmp(listed, kShapes[k].type) == 0)
      found = k;
  if (found == kNone || parts[6] != (kind == kSigned8 ? "s32" : "f32"))
    words.fail("unknown shape or type of mma: " + parts[3] + " of " + type + " to " + parts[6]);
  expectCount(operands, 4, 4);
  const unsigned counts[] = {4, kShapes[found].left, kShapes[found].right, 4};
  for (unsigned k = 0; k < 4; ++k) {
    const std::vector<Operand> list =
        operands[k].kind == Operand::List ? operands[k].parts : std::vector<Operand>{operands[k]};
    if (list.size() != counts[k])
      words.fail("a vector of " + std::to_string(list.size()) + " registers, expected " + std::to_string(counts[k]));
    for (const Operand &part : list)
      instruction.more.push_back(k == 0 ? resolveTarget(part, 4) : resolve(part, 4));
  }
  instruction.detail = found | uint32_t(kind) << 8;
  instruction.run = runProduct;
  kernel.multipliesSmall |= isSmall;
}

/// ldmatrix.sync.aligned.m8n8.xN[.trans].shared.b16 r, [a].
void KernelParser::parseLoadMatrices(const std::vector<std::string> &parts, Instruction &instruction,
                                     std::vector<Operand> &operands) {
  bool isTransposed = parts.size() == 8 && parts[5] == "trans";
  size_t rest = isTransposed ? 6 : 5;
  if (parts.size() != rest + 2 || parts[1] != "sync" || parts[2] != "aligned" || parts[3] != "m8n8" ||
      (parts[rest] != "shared" && parts[rest] != "shared::cta") || parts[rest + 1] != "b16")
    words.fail("unknown form of ldmatrix");
  expectCount(operands, 2, 2);
  instruction.bytes = 4;
  resolveList(operands[0], instruction, /*isTarget=*/true);
  if (parts[4] != "x" + std::to_string(instruction.count) || instruction.count == 3 || instruction.listBytes != 4)
    words.fail("ldmatrix into other registers than it says");
  resolveAddress(operands[1], instruction);
  instruction.space = Space::Shared;
  instruction.detail = isTransposed;
  instruction.run = runLoadMatrices;
}

} // namespace fake
