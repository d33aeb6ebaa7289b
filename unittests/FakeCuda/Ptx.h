// Kernels in PTX, read once into a compact form and run on all lanes of a workgroup together. Written from NVIDIA's
// "PTX ISA" and from nothing of the compiler's, which it judges. What is not known here is an error, never a guess.
//
// Every operand is an array with one element for each lane: registers, special registers and numbers alike. Lanes that
// branch apart are groups of lanes; the group with the lowest place in the code runs first, so that groups meet again.
#ifndef TINY_UNITTESTS_FAKECUDA_PTX_H
#define TINY_UNITTESTS_FAKECUDA_PTX_H

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace fake {

/// What a driver would call it, and why.
struct PtxError : std::runtime_error {
  PtxError(int result, const std::string &what) : std::runtime_error(what), result(result) {}
  int result;
};
/// Results of CUDA's that a kernel's faults are.
enum : int {
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kIllegalAddress = 700,
  kMisalignedAddress = 716,
  kLaunchFailed = 719
};

class Machine;
struct Instruction;

/// Lanes that run an instruction: their numbers in order, all of the workgroup where `isFull`.
struct Lanes {
  std::vector<uint16_t> numbers;
  bool isFull = false;
};

using Handler = void (*)(Machine &, const Instruction &, const Lanes &);

/// Lanes of four warps.
constexpr unsigned kWarpgroupLanes = 128;

/// In place of an operand: none.
constexpr uint32_t kNone = UINT32_MAX;

/// Memory that an address is in. A generic address has what it is in its upper bits.
enum class Space : uint8_t { Generic, Global, Shared, Local, Param };
constexpr uint64_t kSharedWindow = uint64_t(0x6000) << 32, kLocalWindow = uint64_t(0x6001) << 32;
/// Where parameters are, for what is told their addresses.
constexpr uint64_t kParamWindow = uint64_t(0x6002) << 32;

/// Operands are offsets into the registers of one lane: the array of that register begins at so many times the lanes.
struct Instruction {
  Handler run = nullptr;
  uint32_t d = kNone, a = kNone, b = kNone, c = kNone;
  /// Bytes of the registers, and of an element in memory.
  uint8_t dBytes = 0, aBytes = 0, bytes = 0;
  /// Elements of a vector, or parts of a register.
  uint8_t count = 1;
  uint32_t list[4] = {kNone, kNone, kNone, kNone};
  uint8_t listBytes = 0;
  /// Where there are more than those.
  std::vector<uint32_t> more;
  uint32_t guard = kNone;
  bool guardInverted = false;
  bool isSigned = false, isReadOnly = false;
  Space space = Space::Generic;
  /// Of an address.
  int64_t offset = 0;
  /// Of a branch.
  uint32_t target = 0;
  /// What else the handler wants to know.
  uint32_t detail = 0;
  uint32_t line = 0;
};

struct Parameter {
  uint32_t offset = 0, bytes = 8;
  bool isPointer = false;
  uint32_t alignment = 1;
};

/// A number or symbol that stands in the code, as a register that never changes.
struct Constant {
  uint32_t slot;
  uint8_t bytes;
  uint64_t value;
};

struct PtxKernel {
  std::string name;
  std::vector<Parameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t lanes[3] = {0, 0, 0}; ///< .reqntid; 0: not said
  uint32_t mostLanes = 1024;
  uint32_t sharedBytes = 0, localBytes = 0;
  bool hasLaunchMemory = false;
  /// It has ld.global.nc.
  bool readsConstants = false;
  /// It has products of f8.
  bool multipliesSmall = false;
  /// It has wgmma.
  bool usesWarpgroups = false;
  /// It has mbarrier.
  bool usesPhases = false;
  /// Bytes of all registers of one lane.
  uint32_t registerBytes = 0;
  std::vector<Instruction> code;
  /// Where lanes begin.
  uint32_t begin = 0;
  std::vector<Constant> constants;
  /// Special registers by their number in `kSpecials`; kNone where the code does not read them.
  std::vector<uint32_t> specials;
};

extern const char *const kSpecials[];
constexpr size_t kSpecialCount = 14;

struct PtxModule {
  int version = 0; ///< 10 * major + minor
  int target = 0;  ///< 80 for sm_80
  bool isExact = false;
  std::map<std::string, PtxKernel> kernels;
};

/// Puts blocks of the code where lanes that branched apart meet. The code ends with a return.
void orderBlocks(PtxKernel &kernel);

/// Reads a module. Throws PtxError with the line.
PtxModule parsePtx(const std::string &text);

/// An instruction that has a fixed list of operands: its handler, and how many bytes each of them has.
struct Form {
  Handler run;
  uint8_t d, a, b, c;
};
/// Forms by their whole names, such as "add.rn.f32".
const std::map<std::string, Form> &getForms();
void addIntegerForms(std::map<std::string, Form> &forms);
void addFloatForms(std::map<std::string, Form> &forms);
void addConversions(std::map<std::string, Form> &forms);

/// Handlers of instructions that the parser takes apart itself.
void runLoad(Machine &, const Instruction &, const Lanes &);
void runStore(Machine &, const Instruction &, const Lanes &);
void runLoadParameter(Machine &, const Instruction &, const Lanes &);
void runSplit(Machine &, const Instruction &, const Lanes &);
void runJoin(Machine &, const Instruction &, const Lanes &);
void runShuffle(Machine &, const Instruction &, const Lanes &);
void runVote(Machine &, const Instruction &, const Lanes &);
void runReduceLanes(Machine &, const Instruction &, const Lanes &);
void runAtomic(Machine &, const Instruction &, const Lanes &);
void runAsyncCopy(Machine &, const Instruction &, const Lanes &);
void runAsyncCommit(Machine &, const Instruction &, const Lanes &);
void runAsyncWait(Machine &, const Instruction &, const Lanes &);
void runNothing(Machine &, const Instruction &, const Lanes &);
/// cudaGraphSetConditional, the one function that is called.
void runSetConditional(Machine &, const Instruction &, const Lanes &);
/// These the machine itself obeys.
void runBranch(Machine &, const Instruction &, const Lanes &);
void runReturn(Machine &, const Instruction &, const Lanes &);
void runBarrier(Machine &, const Instruction &, const Lanes &);
void runTryWait(Machine &, const Instruction &, const Lanes &);

enum Shuffle : uint32_t { kShuffleUp, kShuffleDown, kShuffleXor, kShuffleIndex };
enum Vote : uint32_t { kVoteAll, kVoteAny, kVoteUniform, kVoteBallot, kActiveMask };
/// Of atom, red and redux; in `detail`, the element's kind beside it.
enum Atomic : uint32_t { kAdd, kMin, kMax, kAnd, kOr, kXor, kExchange, kCompare };
enum AtomicType : uint32_t { kUnsigned, kSignedInteger, kFloat };
constexpr uint32_t makeAtomic(Atomic operation, AtomicType type) { return operation | uint32_t(type) << 8; }

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_PTX_H
