// What the lanes of a kernel's workgroup are, and what must hold where they act together.
#ifndef TINY_DIALECT_UOP_PARALLEL_H
#define TINY_DIALECT_UOP_PARALLEL_H

#include "Tiny/Dialect/UOp/UOp.h"
#include "llvm/ADT/DenseMap.h"
#include <array>

namespace tiny::uop {

/// Where memory lies, and so who sees it: all of the device, a workgroup, or one lane.
enum class MemorySpace { Global, Workgroup, Private };

/// The space of an argument of a kernel, of a `uop.local` or of a `uop.register`.
MemorySpace getMemorySpace(mlir::Value buffer);

/// Extents of the local axes that the kernel names, 1 for others.
std::array<int64_t, 3> getWorkgroupExtents(FuncOp func);

/// Local axes that the kernel names: those up to the last.
unsigned countLocalAxes(FuncOp func);

/// Lanes of a subgroup: what the kernel's lane axis says, else the record of its GPU; none where neither does.
std::optional<int64_t> getSubgroupSize(FuncOp func);

/// Whether all lanes of a subgroup or of a workgroup must come to the operation together.
bool isSubgroupOp(mlir::Operation *op);
bool isWorkgroupOp(mlir::Operation *op);

/// Whether it needs a device that copies boxes by itself: copies of these, barriers of phases, and waits for products.
bool isPhaseOp(mlir::Operation *op);

/// Subgroups that do the operation together, as one team: 1, but for operations on fragments that several hold.
int64_t countTeam(mlir::Operation *op);

/// Whether a team's lanes read a left factor of this type into registers: units for matrices read elements of more
/// than 16 bits along the depth alone.
bool isHeldByTeam(FragmentLoadOp load, FragmentType type);

/// How many lanes agree on a value, or come to an operation together: all of a workgroup, those of a team of subgroups,
/// those of a subgroup, or none but by chance.
enum class Agreement { Workgroup, Team, Subgroup, Lane };

/// Which values are the same for lanes, from what they are computed of. What is loaded at one index agrees: no lane
/// writes there meanwhile, since that were a race.
class Uniformity {
public:
  explicit Uniformity(FuncOp func);

  Agreement get(mlir::Value value) const;
  /// The lanes that come together to where the operation stands. `cause` is the loop or condition where they part.
  Agreement getControl(mlir::Operation *op, mlir::Operation *&cause) const;

private:
  bool update(mlir::Operation *op);
  bool raise(mlir::Value value, Agreement agreement);
  Agreement join(mlir::ValueRange values) const;

  unsigned nLocalAxes;
  llvm::DenseMap<mlir::Value, Agreement> agreements;
};

/// Reports what does not hold of what lanes do together. Rules are numbered as in docs/Dialects/UOp.md.
mlir::LogicalResult verifyParallel(FuncOp func);

} // namespace tiny::uop

#endif // TINY_DIALECT_UOP_PARALLEL_H
