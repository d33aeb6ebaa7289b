// The way down the ladder, from any level to any lower one.
#ifndef TINY_PIPELINES_PIPELINES_H
#define TINY_PIPELINES_PIPELINES_H

#include "Tiny/Support/OptionValues.h"
#include "Tiny/Transforms/Kernelize/KernelizePlan.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace tiny {

/// The levels, highest first. `Llvm` is what the CPU target compiles.
enum class Level { Tensor, Lazy, Kernel, UOp, Llvm };

/// `tensor`, `lazy`, `kernel`, `uop` or `llvm`.
llvm::StringRef getLevelName(Level level);

/// The level by its name, or none.
std::optional<Level> parseLevel(llvm::StringRef name);

/// The highest level of which the module has operations: what is left to lower decides. A module without any program
/// is at the tensor level, where it does no harm.
Level detectLevel(mlir::ModuleOp module);

/// What can be chosen on the way down; each pipeline takes the options of the steps it has.
struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<lazy::KernelizePolicy> fusion{
      *this, "fusion", llvm::cl::desc("What lazy-kernelize fuses"), llvm::cl::init(lazy::KernelizePolicy::costModel),
      llvm::cl::values(clEnumValN(lazy::KernelizePolicy::costModel, "default", "what the cost model prefers"),
                       clEnumValN(lazy::KernelizePolicy::none, "none", "nothing: one operation, one kernel"),
                       clEnumValN(lazy::KernelizePolicy::all, "all", "everything that no boundary or state parts"))};
  Option<bool> online{*this, "online",
                      llvm::cl::desc("Make sums relative to a maximum one reduction with it (lazy-merge-reductions)"),
                      llvm::cl::init(true)};
  Option<bool> tf32{
      *this, "tf32",
      llvm::cl::desc("Multiply matrices of f32 by their upper 19 bits where the device has an instruction "
                     "for that (kernel-truncate-factors)"),
      llvm::cl::init(false)};
  Option<std::string> groups{
      *this, "groups",
      llvm::cl::desc("File of transform scripts to run on the functions they are named for, which "
                     "may impose groups"),
      llvm::cl::init("")};
  Option<Bounded<0>> parallelism{
      *this, "parallelism",
      llvm::cl::desc("Reductions of a million elements and more with fewer results are split in two stages; 0 for as "
                     "many as fill the device, 1 for none"),
      llvm::cl::init(0)};
  Option<bool> defaultSchedule{*this, "default-schedule", llvm::cl::desc("Write schedules for kernels that have none"),
                               llvm::cl::init(true)};
  Option<std::string> schedules{*this, "schedules",
                                llvm::cl::desc("File of transform scripts to impose on the kernels they are named for"),
                                llvm::cl::init("")};
  Option<Bounded<0>> winograd{
      *this, "winograd",
      llvm::cl::desc(
          "Compute convolutions by Winograd's minimal filtering where they can be, so many outputs at a time "
          "along each axis (tensor-impose-winograd), but not with open sizes; 0 where the program or "
          "schedules say it"),
      llvm::cl::init(0)};
  Option<bool> instances{
      *this, "instances",
      llvm::cl::desc("The module is a family (tiny.sizes): lower each instance to the kernel level, and "
                     "join them there"),
      llvm::cl::init(false)};
  Option<Bounded<0, 1 << 20>> ranks{
      *this, "ranks",
      llvm::cl::desc("Choose shardings for so many ranks (tensor-choose-shardings); 0 for those that are written"),
      llvm::cl::init(0)};
  Option<bool> contract{*this, "contract",
                        llvm::cl::desc("Fuse products into sums where their flags and the device allow it"),
                        llvm::cl::init(true)};
};

/// Adds the passes that take a module from one level to a lower one; nothing when `from` is not above `to`.
void buildPipeline(mlir::OpPassManager &manager, Level from, Level to, const PipelineOptions &options);

/// Adds the choice of a default schedule for each kernel that has none.
void buildSchedules(mlir::OpPassManager &manager);

/// Adds copies between these devices, which kernels name by `device`, as items of the program.
void buildCopiesBetweenDevices(mlir::OpPassManager &manager, llvm::ArrayRef<llvm::StringRef> devices);

/// Registers `tiny-<from>-to-<to>-pipeline` for every pair of levels, and `tiny-cpu-pipeline` for the whole way.
void registerPipelines();

} // namespace tiny

#endif // TINY_PIPELINES_PIPELINES_H
