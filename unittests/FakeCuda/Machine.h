// Where a kernel runs: the registers and the memory of one workgroup, and the device's memory behind an interface.
#ifndef TINY_UNITTESTS_FAKECUDA_MACHINE_H
#define TINY_UNITTESTS_FAKECUDA_MACHINE_H

#include "Ptx.h"
#include "TensorMap.h"

#include <cstring>
#include <deque>

namespace fake {

/// A block of the device's memory, and which of its bytes a launch touched.
struct Block {
  uint64_t begin = 0, size = 0;
  char *bytes = nullptr;
  struct Range {
    uint64_t begin = UINT64_MAX, end = 0;
    void add(uint64_t from, uint64_t to) {
      begin = from < begin ? from : begin;
      end = to > end ? to : end;
    }
    bool isEmpty() const { return begin >= end; }
    bool meets(const Range &other) const { return begin < other.end && other.begin < end; }
  };
  Range read, written, readOnly;
  /// Of kernels that read memory as never written: which bytes, and which are written. A bit each, behind the launch 0.
  std::vector<uint8_t> readOnlyBytes, writtenBytes;
  void mark(std::vector<uint8_t> &bits, uint64_t offset, unsigned count) {
    if (bits.empty())
      bits.resize(size / 8 + 3);
    // An access is aligned: it is in eight bytes, or all of sixteen.
    bits[offset / 8] |= uint8_t(((1u << (count < 8 ? count : 8)) - 1) << offset % 8);
    if (count > 8)
      bits[offset / 8 + 1] |= 0xFF;
  }
};

/// The device's memory.
class DeviceMemory {
public:
  virtual ~DeviceMemory() = default;
  /// The block that the address is in, or null.
  virtual Block *find(uint64_t address) = 0;
  /// A kernel says how a loop of its graph goes on. Null, or why it must not.
  virtual const char *setConditional(uint64_t, uint32_t) { return "no graph runs"; }
};

/// A launch.
struct Grid {
  uint32_t groups[3], lanes[3];
  uint32_t launchBytes = 0;
};

/// Four warps, and their products that are on the way.
struct Warpgroup {
  struct Product {
    const Instruction *instruction = nullptr;
    /// When it began, and its group: none as long as it is not committed.
    uint64_t begun = 0;
    uint32_t group = UINT32_MAX;
    /// Descriptors of the factors.
    uint64_t left = 0, right = 0;
    /// The product on the way whose sums it takes, or the sums themselves: those of a lane behind each other.
    int before = -1;
    std::vector<uint32_t> sums;
  };
  std::vector<Product> products;
  uint32_t committed = 0;
  /// When it came to the last wgmma.fence.
  uint64_t fenced = 0;
};

class Machine;

/// Barriers of phases of one workgroup, and copies of boxes that they count. What comes before what is known by vector
/// clocks: one for each warp, and one for the device that copies.
class Phases {
public:
  explicit Phases(Machine &machine) : machine(machine) {}
  using Clock = std::vector<uint32_t>;
  struct Copy {
    const Instruction *instruction;
    unsigned lane;
    uint64_t to, barrier;
    std::vector<int32_t> at;
    TensorMap map;
  };

  void reset(unsigned nLanes, size_t sharedBytes);
  /// All lanes have met.
  void passBarrier();
  void begin(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t count);
  void arrive(const Instruction &instruction, unsigned lane, uint64_t address, uint32_t bytes);
  /// Whether the phase that the lane waits for is over. Whoever waited has seen what came before its end.
  bool isOver(const Instruction &instruction, unsigned lane);
  void acquire(const Instruction &instruction, unsigned lane);
  [[noreturn]] void failStuck(const Instruction &instruction, unsigned lane);
  void copy(const Copy &copy);
  /// Runs the copy that waits longest; false where there is none.
  bool runOldest();
  /// Fails where a copy may still write there, or wrote and the lane has not waited for it.
  void checkRead(const Instruction &instruction, unsigned lane, uint64_t address, unsigned bytes);
  /// The warp's read is over.
  void noteRead(unsigned warp, uint64_t address, unsigned bytes);
  void checkEnd(const Instruction &instruction);

private:
  struct Barrier {
    uint32_t count = 0, pending = 0;
    int64_t bytes = 0;
    uint64_t phase = 0, begun = 0;
    unsigned lane = 0;
    uint32_t clock = 0;
    Clock next, last;
  };
  struct Granule {
    bool isUnderWay = false;
    uint32_t written = 0;
    Clock reads;
  };
  Barrier &find(const Instruction &instruction, unsigned lane, uint64_t address);
  void endIfDone(Barrier &barrier);
  void join(Clock &clock, const Clock &other);

  Machine &machine;
  /// The number of the device that copies, behind those of the warps.
  unsigned device = 0;
  std::vector<Clock> seen;
  std::map<uint64_t, Barrier> barriers;
  std::deque<Copy> copies;
  std::vector<Granule> granules;
};

/// Runs a kernel. One machine runs one kernel at a time.
class Machine {
public:
  explicit Machine(DeviceMemory &memory) : memory(memory) {}
  /// Throws PtxError.
  void run(const PtxKernel &kernel, const Grid &grid, const std::vector<char> &parameters);

  /// The array of an operand.
  template <typename T> T *at(uint32_t operand) { return reinterpret_cast<T *>(file + size_t(operand) * pitch); }
  /// An element of an operand whose registers have so many bytes, and its change.
  uint64_t get(uint32_t operand, unsigned bytes, unsigned lane) {
    uint64_t value = 0;
    std::memcpy(&value, file + size_t(operand) * pitch + size_t(lane) * bytes, bytes);
    return value;
  }
  void set(uint32_t operand, unsigned bytes, unsigned lane, uint64_t value) {
    std::memcpy(file + size_t(operand) * pitch + size_t(lane) * bytes, &value, bytes);
  }
  unsigned getLaneCount() const { return nLanes; }

  /// The bytes of an access, checked. `writes` is remembered for races and for the driver.
  char *access(const Instruction &instruction, unsigned lane, uint64_t address, unsigned bytes, bool writes,
               bool isAtomic = false);
  const std::vector<char> &getParameters() const { return *parameters; }
  const char *setConditional(uint64_t handle, uint32_t value) { return memory.setConditional(handle, value); }
  [[noreturn]] void fail(int result, const Instruction &instruction, const std::string &what) const;

  /// A copy on its way into the workgroup's memory.
  struct AsyncCopy {
    unsigned lane;
    uint64_t from, to;
    unsigned bytes, taken;
    const Instruction *instruction;
    uint32_t group;
  };
  /// Of each lane: how many groups it has closed.
  std::vector<uint32_t> asyncGroups;
  std::deque<AsyncCopy> asyncCopies;

  /// Where a kernel has wgmma. Times are counted in instructions.
  std::vector<Warpgroup> warpgroups;
  /// Of each lane: when it came to the last fence.proxy.async.
  std::vector<uint64_t> proxyFences;
  uint64_t getStep() const { return steps; }
  /// Where a kernel has mbarrier.
  Phases phases{*this};
  bool usesPhases() const { return kernel->usesPhases; }
  uint64_t getSharedBytes() const { return shared.size(); }
  /// The device writes there, by a copy that the lane began: from now on, and its bytes.
  void noteSharedWrite(uint64_t granule, unsigned lane);
  void putShared(uint64_t address, const void *bytes, unsigned count);
  /// Fails where one of the product's registers was written since the warpgroup's last wgmma.fence, or there was none.
  void checkFence(const Instruction &instruction, unsigned first, const uint32_t *slots, size_t count) const;
  /// Fails where a register of the product's left factor was written since.
  void checkKept(const Instruction &instruction, unsigned first, uint64_t since) const;
  /// Fails where 16 bytes of shared memory were written without a fence.proxy.async of that lane behind it.
  void checkProxy(const Instruction &instruction, uint64_t address) const;
  /// Reads 16 bytes of shared memory. Fails where they were written since.
  void readSince(const Instruction &instruction, uint64_t address, unsigned bytes, uint64_t since, void *to) const;

private:
  struct Group {
    uint32_t pc;
    Lanes lanes;
  };
  void prepare();
  void runWorkgroup(const uint32_t position[3]);
  void runGroup();
  void branch(const Instruction &instruction, const Lanes &active);
  void leave(const Lanes &active);
  void releaseBarrier();
  void park(const Instruction &instruction);
  void releasePhases();
  void mergeLowest();
  void put(uint32_t pc, Lanes lanes);
  uint32_t findLimit() const;
  void setSpecial(unsigned number, const uint32_t *values, uint32_t value);
  void checkShared(const Instruction &instruction, unsigned lane, uint64_t offset, unsigned bytes, bool writes,
                   bool isAtomic);
  const Lanes &select(const Instruction &instruction, const Lanes &lanes);

  DeviceMemory &memory;
  const PtxKernel *kernel = nullptr;
  const Grid *grid = nullptr;
  const std::vector<char> *parameters = nullptr;
  uint32_t place[3] = {};
  unsigned nLanes = 0;
  size_t pitch = 0;
  std::vector<char> storage, local, shared;
  char *file = nullptr;
  Block *lastBlock = nullptr;
  /// Those that run, wait at a barrier, and wait for a phase, or for lanes of their warpgroup that do.
  std::vector<Group> groups, waiting, parked;
  Lanes current, selected, rest;
  uint32_t pc = 0, limit = 0;
  bool isRunning = false;
  unsigned nLeft = 0;
  uint64_t steps = 0;
  /// Of each byte of shared memory since the last barrier: who wrote, who read (one behind the lane's number; 0 is
  /// nobody, UINT16_MAX several).
  struct Touch {
    uint16_t writer = 0, reader = 0;
    bool isAtomic = false, isWritten = false;
  };
  std::vector<Touch> touches;
  bool hasTouched = false;
  /// Of each 16 bytes of shared memory: who wrote last, and when; where a kernel has wgmma.
  struct Write {
    uint64_t step = 0;
    unsigned lane = 0;
    bool isDevice = false;
  };
  std::vector<Write> sharedWrites;
  /// When a register was written last, for each warpgroup.
  std::vector<uint64_t> registerWrites;
  void noteWrites(const Instruction &instruction, const Lanes &lanes);
};

/// Calls `work(lane)` for each lane.
template <typename Work> inline void forEach(const Lanes &lanes, Work &&work) {
  for (uint16_t lane : lanes.numbers)
    work(lane);
}

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_MACHINE_H
