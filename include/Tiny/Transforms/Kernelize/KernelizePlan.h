// What lazy-kernelize decides, apart from the rewriting that follows.
#ifndef TINY_TRANSFORMS_KERNELIZE_KERNELIZEPLAN_H
#define TINY_TRANSFORMS_KERNELIZE_KERNELIZEPLAN_H

#include "Tiny/Algebra/View/View.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include <vector>

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

/// One kernel to be.
struct PlannedKernel {
  /// What it stores: results of `ops`, in their order.
  llvm::SmallVector<mlir::Value, 1> roots;
  /// What it computes, in block order; shared with other kernels where it is recomputed.
  llvm::SmallVector<mlir::Operation *> ops;
  /// The bases that it reads: no operation of `ops` gives them.
  llvm::SmallVector<mlir::Value, 4> inputs;

  /// The operations that are functions, as the cost model has them.
  size_t countFunctions() const;
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
  llvm::StringRef reason;
};

/// A stored value that is put together from slices along axes, some of which are stored by themselves and would then
/// only be copied: each is better computed where it belongs. What else reads a slice reads it there, and so does what
/// reads several of them as one value: a concatenation of parts of this one has no buffer of its own.
struct Placement {
  /// What is selected where the indices along an axis are in [begin, end), of the shape of its concatenation.
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
  /// Later kernels may read what earlier ones store, never the reverse.
  std::vector<PlannedKernel> kernels;
  /// What kernels compute once and keep in memory of their own.
  llvm::DenseSet<mlir::Operation *> kept;
  /// Of these, what it keeps row by row.
  llvm::DenseSet<mlir::Operation *> keptRows;
  /// Movements of bases that stay outside of kernels: contiguous parts of them.
  llvm::DenseSet<mlir::Operation *> aliases;
  /// In block order, for remarks.
  std::vector<Decision> decisions;
  /// Kernels that joined another, by what they store, and those that could not for a cap.
  std::vector<Decision> merges;
  /// What better becomes assignments to slices, before all is decided anew.
  std::vector<Placement> placements;
  /// The concatenations of `placements`, and those whose parts are copied.
  std::vector<Decision> concatenations;
  /// Operations that the kernels evaluate, and those of the graph when nothing is evaluated twice: see KernelAudit.h.
  double operations = 0, unfusedOperations = 0;

  static KernelizePlan compute(mlir::Block &block, const KernelizeOptions &options);
};

/// The label of a kernel: the tensor operations that it comes from, or else what it does, joined by '_'.
std::string getKernelLabel(const PlannedKernel &kernel);

} // namespace tiny::lazy

#endif // TINY_TRANSFORMS_KERNELIZE_KERNELIZEPLAN_H
