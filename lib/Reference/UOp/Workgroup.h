// Runs the code of a uop function: one workgroup after the other, whose lanes go in lockstep.
//
// An instruction runs for all active lanes before the next one does. Where control flow parts lanes, a mask says which
// ones are active, and what lanes do together needs all of them.
#ifndef TINY_LIB_REFERENCE_UOP_WORKGROUP_H
#define TINY_LIB_REFERENCE_UOP_WORKGROUP_H

#include "Code.h"
#include "Races.h"

namespace tiny::reference {

class WorkgroupRun {
public:
  WorkgroupRun(const UOpCode &code, Session &session, mlir::ArrayRef<Buffer> arguments, mlir::Location location)
      : code(code), session(session), memory(arguments), location(location) {}

  /// Runs all workgroups.
  mlir::LogicalResult run();

private:
  /// A copy that its lane has not waited for.
  struct Copy {
    const UOpInstruction *instruction;
    uint32_t lane;
    int64_t from, to;
    /// The group's number, 0 until it has one.
    unsigned group;
    /// Else it writes zeros.
    bool isOn;
  };

  /// A copy of a box whose phase is not over.
  struct BoxCopy {
    const UOpInstruction *instruction;
    unsigned lane;
    int64_t row, column, to;
  };
  /// A barrier of phases.
  struct Phases {
    /// Of one phase, and those that are left of this one.
    int64_t arrivals = 0, left = 0;
    /// Bytes that it expects, and phases that are over.
    int64_t expected = 0, number = 0;
    Races::Clock clock, last;
    std::vector<BoxCopy> copies;
  };
  /// A matrix that a product under way reads, by lanes from `first` on.
  struct TileRead {
    const UOpInstruction *instruction;
    unsigned first, size;
    int64_t base;
  };

  /// Run.cpp: axes, control flow, and compute.
  mlir::LogicalResult placeAxes();
  mlir::LogicalResult beginWorkgroup(uint64_t number);
  mlir::LogicalResult execute();
  void compute(const UOpInstruction &instruction);
  void recut(const UOpInstruction &instruction);
  mlir::LogicalResult pickDynamic(const UOpInstruction &instruction);
  void reduceVector(const UOpInstruction &instruction);
  void multiplyBytes(const UOpInstruction &instruction);
  bool beginLoop(const UOpInstruction &instruction);
  bool endLoop(const UOpInstruction &instruction);
  bool narrow(llvm::function_ref<bool(unsigned lane)> stays);
  void leave() {
    active = masks.pop_back_val();
    nActive = active.count();
  }

  /// Accesses.cpp
  mlir::LogicalResult access(const UOpInstruction &instruction);
  mlir::LogicalResult accessAtomic(const UOpInstruction &instruction);
  /// Checks one lane's access to an element and gives where it is.
  mlir::FailureOr<int64_t> locate(const UOpInstruction &instruction, unsigned buffer, unsigned lane, int64_t at,
                                  Access access);
  mlir::LogicalResult beginCopy(const UOpInstruction &instruction);
  mlir::LogicalResult endCopies(const UOpInstruction &instruction);
  mlir::LogicalResult endCopy(const Copy &copy);

  /// Phases.cpp
  mlir::LogicalResult beginPhases(const UOpInstruction &instruction);
  mlir::FailureOr<Phases *> findPhases(const UOpInstruction &instruction, unsigned tile, int64_t index);
  mlir::LogicalResult arrive(const UOpInstruction &instruction, unsigned lane, Phases &phases);
  mlir::LogicalResult expectBytes(const UOpInstruction &instruction);
  mlir::LogicalResult arriveSubgroups(const UOpInstruction &instruction);
  mlir::LogicalResult waitForPhase(const UOpInstruction &instruction);
  mlir::LogicalResult endPhase(const UOpInstruction &instruction, Phases &phases);
  mlir::LogicalResult beginBox(const UOpInstruction &instruction);
  mlir::LogicalResult endBox(const BoxCopy &copy);
  /// Calls for each element of the box with its place in the tile, and in the buffer: -1 outside of the matrix.
  mlir::LogicalResult forEachOfBox(const BoxCopy &copy,
                                   llvm::function_ref<mlir::LogicalResult(int64_t to, int64_t from)> run);
  mlir::LogicalResult endSeries(const UOpInstruction &instruction);
  mlir::LogicalResult checkEnd();

  /// Together.cpp
  int64_t placeOfElement(const UOpInstruction &instruction, int64_t base, unsigned element) const;
  mlir::LogicalResult checkWorkgroup(const UOpInstruction &instruction);
  /// Calls for each subgroup of active lanes with its first lane; reports one of which not all are.
  mlir::LogicalResult forEachSubgroup(const UOpInstruction &instruction,
                                      llvm::function_ref<mlir::LogicalResult(unsigned first, unsigned size)> run);
  mlir::LogicalResult passSubgroupBarrier(const UOpInstruction &instruction);
  mlir::LogicalResult shuffle(const UOpInstruction &instruction);
  mlir::LogicalResult reduceSubgroups(const UOpInstruction &instruction);
  mlir::LogicalResult reduceWorkgroup(const UOpInstruction &instruction);
  mlir::LogicalResult accessFragment(const UOpInstruction &instruction);
  mlir::LogicalResult reduceRows(const UOpInstruction &instruction);
  mlir::LogicalResult packElements(const UOpInstruction &instruction);
  mlir::LogicalResult multiply(const UOpInstruction &instruction);
  mlir::LogicalResult pickElements(const UOpInstruction &instruction);

  /// A lane's number in the workgroup for the first lane of a value.
  Scalar &at(unsigned slot, unsigned lane) { return frame[static_cast<size_t>(slot) * nLanes + lane]; }
  void copy(Slot from, Slot to, unsigned lane) {
    for (unsigned k = 0; k < from.lanes; ++k)
      at(to.at + k, lane) = at(from.at + k, lane);
  }
  bool isFull() const { return nActive == nLanes; }
  template <typename F> void forEachActive(F run) const {
    for (unsigned lane = 0; lane < nLanes; ++lane)
      if (active.test(lane))
        run(lane);
  }
  mlir::LogicalResult undefined(const UOpInstruction &instruction, const llvm::Twine &message) {
    return session.fail(Session::Kind::Undefined, instruction.op->getLoc(), message);
  }
  /// "lane 3", and of which workgroup where there are several.
  std::string nameLane(uint32_t lane) const;
  std::string nameBuffer(unsigned buffer) const;

  const UOpCode &code;
  Session &session;
  /// Arguments, then tiles.
  Buffers memory;
  mlir::Location location;
  /// By slot, then by lane.
  std::vector<Scalar> frame;
  unsigned nLanes = 1;
  uint64_t nWorkgroups = 1, workgroup = 0;
  std::array<int64_t, 3> extents = {1, 1, 1};
  llvm::SmallVector<const UOpSpecial *> groupAxes;

  llvm::BitVector active;
  unsigned nActive = 1;
  llvm::SmallVector<llvm::BitVector> masks;

  bool isParallel = false;
  Races races;
  std::vector<Copy> copies;
  /// By lane: groups of copies that were made.
  std::vector<unsigned> groups;
  llvm::DenseMap<std::pair<unsigned, int64_t>, Phases> phases;
  /// By a team's first lane: what its products read, each series by itself, the one that is not over yet last.
  llvm::DenseMap<unsigned, std::vector<std::vector<TileRead>>> series;
  /// The elements that a copy will write, and by which instruction.
  llvm::DenseMap<std::pair<unsigned, int64_t>, const UOpInstruction *> underWay;
};

} // namespace tiny::reference

#endif // TINY_LIB_REFERENCE_UOP_WORKGROUP_H
