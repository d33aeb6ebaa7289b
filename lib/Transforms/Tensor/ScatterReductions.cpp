// tensor-scatter-reductions: all-reduces as reduce-scatters, and all-gathers behind what is computed in between.
#include "ScatterReductions.h"

#include "ReplicatedValues.h"
#include "ScatterRegion.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Support/Signature.h"
#include "Tiny/Transforms/Tensor/Passes.h"

#include <map>

using namespace mlir;

namespace tiny::tensor {

#define GEN_PASS_DEF_TENSORSCATTERREDUCTIONS
#include "Tiny/Transforms/Tensor/Passes.h.inc"

namespace {

/// The all-reduces of one function.
class Scattering {
public:
  Scattering(func::FuncOp function, const cost::Machine &machine) : function(function), machine(machine) {}
  unsigned run();

private:
  unsigned scatter(shard::AllReduceOp reduce);
  const llvm::DenseSet<Value> &getReplicated(ArrayRef<int16_t> axes);

  func::FuncOp function;
  const cost::Machine &machine;
  /// By axes of the grid, of the function as it is.
  std::map<std::vector<int16_t>, llvm::DenseSet<Value>> replicated;
};

} // namespace

const llvm::DenseSet<Value> &Scattering::getReplicated(ArrayRef<int16_t> axes) {
  auto [known, isNew] = replicated.try_emplace(axes.vec());
  if (isNew)
    known->second = findReplicated(function, axes);
  return known->second;
}

/// Tries every axis that the all-reduce may be scattered along, and takes the best choice of what goes with it.
unsigned Scattering::scatter(shard::AllReduceOp reduce) {
  auto type = dyn_cast<RankedTensorType>(reduce.getResult().getType());
  std::optional<ScatterRegion> best;
  double most = 0;
  for (int64_t axis = 0, rank = type ? type.getRank() : 0; axis < rank; ++axis) {
    ScatterRegion region(function, reduce, axis, machine, getReplicated(reduce.getGridAxes()));
    double saved = region.choose();
    if (saved > most) {
      most = saved;
      best.emplace(std::move(region));
    }
  }
  if (!best)
    return 0;
  bool isTime = machine.network.front().ranks != 0;
  Remarks("tensor-scatter-reductions", function)
      .passed(reduce.getLoc(), "scattered", isTime ? "is scattered, which saves time" : "is scattered, fewer bytes",
              {{isTime ? "nanoseconds" : "bytes", most}});
  unsigned scattered = best->rewrite();
  replicated.clear();
  return scattered;
}

unsigned Scattering::run() {
  unsigned scattered = 0;
  Block &body = function.getBody().front();
  for (shard::AllReduceOp reduce : llvm::to_vector(body.getOps<shard::AllReduceOp>())) {
    // A rewrite before may have taken it.
    bool isThere = llvm::is_contained(body.getOps<shard::AllReduceOp>(), reduce);
    scattered += isThere ? scatter(reduce) : 0;
  }
  return scattered;
}

unsigned scatterReductions(func::FuncOp function, const cost::Machine &machine) {
  return Scattering(function, machine).run();
}

namespace {

struct TensorScatterReductions : impl::TensorScatterReductionsBase<TensorScatterReductions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && function.getBody().hasOneBlock() &&
          function->hasAttrOfType<DenseI64ArrayAttr>(kGridAttr))
        numScattered += scatterReductions(function, target::findMachine(function));
  }
};

} // namespace
} // namespace tiny::tensor
