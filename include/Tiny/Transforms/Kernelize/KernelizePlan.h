// What lazy-kernelize decides, apart from the rewriting that follows.
#ifndef TINY_TRANSFORMS_KERNELIZE_KERNELIZEPLAN_H
#define TINY_TRANSFORMS_KERNELIZE_KERNELIZEPLAN_H

#include "Tiny/Algebra/View/View.h"
#include "Tiny/Support/Remarks.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace tiny::cost {
struct CostModel;
} // namespace tiny::cost

namespace tiny::lazy {

enum class KernelizePolicy {
  costModel, ///< fuse what the cost model prefers
  none,      ///< every elementwise operation and every reduction is a kernel
  all,       ///< everything is one kernel, which keeps in memory of its own what the cost model would put in buffers
};

struct KernelizeOptions {
  KernelizePolicy policy = KernelizePolicy::costModel;
  unsigned maxBuffers = 31; ///< inputs and results of one kernel
  unsigned maxOps = 1024;   ///< operations in one kernel, about
};

/// A kernel that lazy-kernelize will make.
struct PlannedKernel {
  /// The values that it stores: results of `ops`, in their order.
  llvm::SmallVector<mlir::Value, 1> roots;
  /// The operations that it computes, in block order. Kernels that recompute a value share its operation.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The bases that it reads, none of them a result of `ops`.
  llvm::SmallVector<mlir::Value, 4> inputs;

  /// The length of its code: each operation is an instruction, one that costs more as many as additions of its cost.
  size_t countCode(const cost::CostModel &costs) const;
};

/// Why a value is, or is not, computed where it is used.
struct Decision {
  enum Kind {
    fused,  ///< computed where it is used, or with another kernel
    kept,   ///< in memory of its kernel
    stored, ///< in a buffer, as asked for
    refused ///< in a buffer although it could have been fused, or by a kernel of its own
  };
  mlir::Operation *op;
  Kind kind;
  Reason reason;
};

/// A stored concatenation, some of whose slices are stored by kernels of their own and would only be copied. Each such
/// slice is computed in its place instead. Other readers of a slice read it there, and so do readers of several slices
/// as one value: a concatenation of parts of this one has no buffer of its own.
struct Placement {
  /// The value that is selected where the index along an axis is in [begin, end). It has the shape of its
  /// concatenation.
  struct Piece {
    int64_t begin, end;
    mlir::Value chosen;
  };
  /// One slice, or several pieces side by side that have no kernel of their own.
  struct Step {
    mlir::Operation *after; ///< what has been computed then
    ShapeTracker places;    ///< in the buffer
    mlir::Value value;      ///< its elements in order, which a kernel of its own computes here; else null
    int64_t axis = 0;       ///< of the pieces
    std::vector<Piece> pieces = {};
  };
  /// A concatenation that is a part of the buffer.
  struct Inner {
    mlir::Operation *op;
    ShapeTracker places;
    llvm::SmallVector<unsigned> steps; ///< that it is made of
  };
  mlir::Operation *root;
  std::vector<Step> steps; ///< in block order
  std::vector<Inner> inner;
};

/// The decisions for one block. Deterministic, iterative, and n log n in its operations.
struct KernelizePlan {
  /// A kernel may read what kernels before it store, never what later ones store.
  std::vector<PlannedKernel> kernels;
  /// What kernels compute once and keep, with the axes that they keep it over; whole where there are none.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 2>> kept;
  /// Movements of bases that stay outside of kernels: contiguous parts of them.
  llvm::DenseSet<mlir::Operation *> aliases;
  /// In block order, for remarks.
  std::vector<Decision> decisions;
  /// Kernels that joined another, by what they store, and those that could not because of a cap.
  std::vector<Decision> merges;
  /// Concatenations to rewrite as assignments to slices. Everything is decided anew after that.
  std::vector<Placement> placements;
  /// The concatenations of `placements`, and those whose parts are copied.
  std::vector<Decision> concatenations;
  /// Operations that the kernels evaluate, and those of the graph if nothing is evaluated twice (KernelAudit.h).
  double operations = 0, unfusedOperations = 0;

  static KernelizePlan compute(mlir::Block &block, const KernelizeOptions &options);
};

/// The label of a kernel: the names of the tensor operations that it comes from, else of its own operations, joined by
/// '_'.
std::string getKernelLabel(const PlannedKernel &kernel);

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_KERNELIZE_KERNELIZEPLAN_H
