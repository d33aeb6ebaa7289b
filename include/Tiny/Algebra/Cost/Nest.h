// Predicts the time of a nest of loops from the record of a machine. It knows no operations: axes, strides, work.
//
// A nest is one pass of a kernel. Its time is that of its slowest part, since a core computes while it loads:
//
//   time = launch + sum over passes of max(compute, latency, transfer from each level)
//
// Each part is a function of its own below. What a part needs is in the nest or in the record, and nowhere else.
#ifndef TINY_ALGEBRA_COST_NEST_H
#define TINY_ALGEBRA_COST_NEST_H

#include "Tiny/Algebra/Cost/Machine.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <optional>
#include <string>

namespace tiny::cost {

/// How the points of an axis run: one after the other, as copies in one body, or as lanes of vectors.
enum class AxisRole { Loop, Copies, Lanes };

struct NestAxis {
  int64_t trips = 1;
  AxisRole role = AxisRole::Loop;
  bool isReduced = false;
  /// Names the axis for who changes the nest.
  int64_t id = -1;
  /// Some of its points lie behind the end of an axis that the factor of a split does not divide.
  bool isPadded = false;
  /// Lanes that LLVM's vectoriser makes.
  bool hasRest = false;
};

/// A load or a store: the bytes of an element, and its stride in elements along each axis. No stride means a place of
/// its own for each point.
struct NestAccess {
  int64_t bytes = 4;
  bool isStore = false;
  llvm::SmallVector<std::optional<int64_t>> strides;
  /// Bytes of the buffer: no access touches more.
  int64_t bufferBytes = std::numeric_limits<int64_t>::max();
  /// Numbers the buffers that passes share; -1 for none.
  int64_t buffer = -1;
  /// Another pass in the same loops leaves what it touches in a cache of so many bytes.
  int64_t nearBytes = std::numeric_limits<int64_t>::max();
  /// The axes that its gate depends on, as bits, and those of them that it divides.
  uint64_t gate = 0, divided = 0;
  /// The axes of each comparison in its gate.
  llvm::SmallVector<uint64_t, 0> comparisons = {};
  /// It reads or fills a tile, which is filled for each point of these axes: what of them is no loop makes it wider.
  bool isTile = false;
  uint64_t around = 0;
};

/// An operation and the axes that it varies over, as bits.
struct NestWork {
  OpClass opClass = OpClass::Add;
  uint64_t axes = 0;
  /// It adds to an accumulator: a chain along the reduced axes.
  bool isChain = false;
};

/// Axes from the outermost to the innermost, at most 64.
struct Nest {
  llvm::SmallVector<NestAxis, 0> axes;
  llvm::SmallVector<NestAccess, 0> accesses;
  llvm::SmallVector<NestWork, 0> work;
  /// Parts that threads can share; of 1 each thread would run all.
  int64_t parts = 1;
  /// Some work becomes a loop, across which LLVM's vectoriser makes no vectors.
  bool hasLoops = false;
};

/// Cuts an axis into an outer one of the same role and an inner one of `factor` points: copies and lanes stand inside
/// all loops, an inner loop right inside the outer one. Where the factor does not divide, both are padded.
void splitAxis(Nest &nest, size_t axis, int64_t factor, AxisRole role);

/// The axis of this id, if the nest has it.
std::optional<size_t> findAxis(const Nest &nest, int64_t id);

/// Gives the innermost loop lanes, as LLVM's vectoriser does where there are no vectors: if it reduces nothing and no
/// access has a gate, or a place of its own for each of its points.
void vectorizeInnermost(Nest &nest);

/// Instructions of the bodies: operations and accesses of all copies, with what masks these and puts them together. A
/// function is as many as it takes additions.
int64_t countInstructions(const Nest &nest, const Machine &machine);

/// The times of one pass, in picoseconds. `transfers` has one for each level of cache, then one for memory.
struct NestTimes {
  int64_t compute = 0, latency = 0, control = 0;
  llvm::SmallVector<int64_t> transfers;
  /// The longest of them, and the share of the others that does not hide behind it.
  int64_t getTotal() const;
};

/// The axes that the access moves along, as bits.
uint64_t findMoving(const NestAccess &access);

/// Vectors, or scalars where no lanes are among the axes, that an operation over these axes runs.
int64_t countVectors(const Nest &nest, uint64_t axes, const Machine &machine);

/// These axes and the loops that stand around one of them: what varies along an axis is hoisted out of the loops inside
/// it, and runs again in each round of those outside.
uint64_t addRepeating(const Nest &nest, uint64_t axes);

/// Whether lanes along the axis have a place of their own each: their elements are further apart than vectors that are
/// loaded as they lie reach, or a store does not walk them.
bool picksLanes(const NestAccess &access, size_t axis);

/// Most elements from lane to lane of a store whose lanes are interleaved with those of copies.
inline constexpr int64_t kMostInterleaved = 8;

/// Whether copies store what lies between the lanes along the axis, so that together they store whole vectors.
bool interleavesLanes(const Nest &nest, const NestAccess &access, size_t axis);

/// Loads or stores of vectors, or of scalars, that the access takes: lanes that lie apart take as many as their
/// distance, or one each.
int64_t countAccesses(const Nest &nest, const NestAccess &access, const Machine &machine);

/// Picoseconds that the operations take if none waits: of each class its vectors times its interval. Lanes that lie
/// apart are put together by shuffles, as are stores that copies interleave with; those with a place of their own are
/// gathered. A body loads the constants of its
/// functions. At the end of a reduction the vectors of a result are added, then their lanes: each halving is a shuffle
/// and an addition. A gate is an operation for each access, and several for each mask that moves with a loop, which
/// copies share that it does not depend on; in the first and last rounds alone where one loop decides it. Where lanes
/// are divided for it, each vector is. The last vector of padded lanes is masked. What finds no register stands between
/// the operations of its chain.
int64_t predictCompute(const Nest &nest, const Machine &machine);

/// Picoseconds that chains of accumulators take: each vector waits for the one before in its accumulator, of which
/// there is one for each copy and each vector of lanes.
int64_t predictLatency(const Nest &nest, const Machine &machine);

/// Picoseconds of the loops themselves: a jump for each round, and a wait for what each run of a loop leaves.
int64_t predictControl(const Nest &nest, const Machine &machine);

/// Operations and accesses of all rounds, as vectors.
int64_t countOperations(const Nest &nest, const Machine &machine);

/// Longest code of a kernel's body, in operations: `uop-peel-gates` peels no longer one, and it takes long to compile.
inline constexpr int64_t kLongestCode = 512;

/// Bytes of pieces of rows that `uop-prefetch-rows` has under way: twice what memory delivers until it answers, 100 ns
/// at 40 GB/s.
inline constexpr int64_t kFetchedAhead = 8192;

/// Operations that a core looks ahead, of processors of the last ten years.
inline constexpr int64_t kWindow = 256;

/// Vector registers that a body keeps: accumulators, a vector of each copy of the lanes, and elements that are loaded
/// ahead.
int64_t countRegisters(const Nest &nest, const Machine &machine);

/// Loads and stores of all bodies: those of accesses, and of what finds no register.
int64_t countAllAccesses(const Nest &nest, const Machine &machine);

/// Registers beside these that a load wants for what it puts together and several copies read: each vector waits for
/// the last of them.
int64_t countShared(const Nest &nest, const NestAccess &access, const Machine &machine);

/// Bytes in whole cache lines that the access touches while the axes from `from` inwards run. Runs that join are one,
/// axes of one stride a window: n + m - 1 places.
int64_t countFootprint(const Nest &nest, const NestAccess &access, size_t from, const Machine &machine);

/// Bytes that the access walks one after the other before it jumps.
int64_t countRun(const Nest &nest, const NestAccess &access);

/// Bytes that come into a cache of this size. Let inner loops of which all that they touch fits be as many as there can
/// be: the loop around them finds again what does not vary along it, loops further out find nothing. Where all
/// fits, nothing comes: the pass finds it from the run or the pass before.
int64_t countTraffic(const Nest &nest, int64_t capacity, const Machine &machine);

/// Picoseconds that level `level` takes to deliver what the level before it lacks; level 0 delivers all loads, and the
/// one behind the last cache is memory. What comes from behind the second cache is fetched ahead, and further
/// than a run goes: each has more lines behind its end, at least two and as many as its own up to the record's, unless
/// `uop-prefetch-rows` fetches what comes next. A store moves a line from memory and back.
int64_t predictTransfer(const Nest &nest, unsigned level, const Machine &machine);

NestTimes predictNest(const Nest &nest, const Machine &machine);

/// Picoseconds that no order of the loops goes below: all operations fill their vectors, and what fits no cache comes
/// once.
int64_t boundNest(const Nest &nest, const Machine &machine);

/// The times of each pass of a kernel by itself. A core looks ahead and begins the sums of the next points while those
/// of one wait: as many points as it sees share the latency of their chains. Other passes in the same loops stand
/// between them. What one of these touched in a round is still in the caches that hold the round.
llvm::SmallVector<NestTimes> predictEach(llvm::ArrayRef<Nest> passes, const Machine &machine);

/// Picoseconds of passes: their sum, but for those that follow each other in the rounds of a loop around both, a few
/// operations each: what they wait for hides behind each other.
int64_t predictPasses(llvm::ArrayRef<Nest> passes, const Machine &machine);

/// Picoseconds of a kernel: its launch and its passes.
int64_t predictKernel(llvm::ArrayRef<Nest> passes, const Machine &machine);

/// The times of a pass of which each thread takes as many parts as the next, or one less. All of them share the
/// machine's memory. To wake a thread takes nothing here: no record has that fact.
NestTimes predictNestOn(const Nest &nest, const Machine &machine, unsigned threads);

/// The predicted time of a kernel on some threads, in picoseconds, and what it is made of.
struct KernelTimes {
  unsigned threads = 1;
  int64_t launch = 0, total = 0;
  /// Compute, latency, control, then each transfer: what the passes take of which it is the longest part. Their sum and
  /// the launch are the total.
  llvm::SmallVector<int64_t> longest;
};
KernelTimes predictKernelOn(llvm::ArrayRef<Nest> passes, const Machine &machine, unsigned threads);

/// What a person calls part `part` of `longest`, and what it means for the kernel.
struct TimePart {
  std::string name, meaning;
};
TimePart describePart(size_t part, size_t parts);

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_NEST_H
