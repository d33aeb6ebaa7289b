// The dialect, and what must hold of a record.
#include "Tiny/Dialect/Target/Target.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;

#include "Tiny/Dialect/Target/TargetDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "Tiny/Dialect/Target/TargetAttrs.cpp.inc"

namespace tiny::target {

void TargetDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "Tiny/Dialect/Target/TargetAttrs.cpp.inc"
      >();
}

/// What DLTI queries may ask for: the name, the features, the kind, and each fact that is one number.
static SmallVector<DataLayoutEntryInterface> listEntries(MLIRContext *context, StringRef name, StringRef features,
                                                         const cost::Machine &machine) {
  Builder builder(context);
  SmallVector<DataLayoutEntryInterface> entries;
  auto add = [&](StringRef key, Attribute value) {
    entries.push_back(DataLayoutEntryAttr::get(builder.getStringAttr(key), value));
  };
  add("name", builder.getStringAttr(name));
  if (!features.empty())
    add("features", builder.getStringAttr(features));
  add("kind", builder.getStringAttr(cost::getName(machine.kind)));
  for (const cost::Fact &fact : cost::getFacts())
    if (int64_t value = machine.*fact.value)
      add(fact.name, builder.getI64IntegerAttr(value));
  return entries;
}

RecordAttr RecordAttr::get(MLIRContext *context, StringRef name, const cost::Machine &machine, StringRef features) {
  return Base::get(context, name, features, machine, listEntries(context, name, features, machine));
}

RecordAttr RecordAttr::getChecked(function_ref<InFlightDiagnostic()> emitError, MLIRContext *context, StringRef name,
                                  const cost::Machine &machine, StringRef features) {
  return Base::getChecked(emitError, context, name, features, machine, listEntries(context, name, features, machine));
}

uint64_t RecordAttr::getStableHash() const {
  std::string text;
  llvm::raw_string_ostream(text) << *this;
  return llvm::xxh3_64bits(text);
}

/// Numbers stay below this, so that sums and products of two of them do not overflow where they are used.
static constexpr int64_t kLargest = int64_t(1) << 40;

LogicalResult RecordAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name, StringRef features,
                                 cost::Machine machine, ArrayRef<DataLayoutEntryInterface>) {
  // (record_c1) a number is not negative and below 2^40
  auto checkNumber = [&](StringRef what, int64_t value) -> LogicalResult {
    if (value < 0 || value >= kLargest)
      return emitError() << "'" << what << "' is " << value << ", expected a number from 0 to 2^40 - 1";
    return success();
  };
  for (const cost::Fact &fact : cost::getFacts())
    if (failed(checkNumber(fact.name, machine.*fact.value)))
      return failure();
  for (unsigned k = 0; k < cost::kOpClasses; ++k)
    for (int64_t value : {machine.costs[k].interval, machine.costs[k].latency})
      if (failed(checkNumber(cost::getName(static_cast<cost::OpClass>(k)), value)))
        return failure();
  for (const cost::Cache &cache : machine.caches)
    if (failed(checkNumber("caches", cache.bytes)) || failed(checkNumber("caches", cache.bandwidth)))
      return failure();
  for (const cost::Distance &distance : machine.network)
    for (int64_t value : {distance.ranks, distance.latency, distance.bandwidth})
      if (failed(checkNumber("network", value)))
        return failure();
  for (int64_t extent : machine.workgroupExtents)
    if (failed(checkNumber("workgroup_extents", extent)))
      return failure();
  for (int64_t extent : machine.grid)
    if (failed(checkNumber("grid", extent)))
      return failure();
  for (const cost::MatrixShape &shape : machine.matrices)
    for (int64_t value : {shape.m, shape.n, shape.k, shape.subgroups})
      if (failed(checkNumber("matrices", value)))
        return failure();
  // (record_c2) a device has a name
  if (name.empty())
    return emitError() << "the name of a device is empty";
  // (record_c3) a vector register has a power of two of bits, 32 or more
  if (machine.vectorBits && (machine.vectorBits < 32 || !llvm::isPowerOf2_64(machine.vectorBits)))
    return emitError() << "'vector_bits' is " << machine.vectorBits << ", expected a power of two from 32 on";
  // (record_c9) a distance of a network has two ranks or more and a bandwidth, and each one more ranks than the one
  // before
  for (unsigned k = 0; k < machine.network.size(); ++k) {
    const cost::Distance &distance = machine.network[k];
    if (!distance.ranks && !distance.latency && !distance.bandwidth)
      break;
    if (distance.ranks < 2 || distance.bandwidth < 1)
      return emitError() << "distance " << k + 1 << " of the network has " << distance.ranks
                         << " ranks and a bandwidth of " << distance.bandwidth << ", expected at least 2 and 1";
    if (k > 0 && distance.ranks <= machine.network[k - 1].ranks)
      return emitError() << "distance " << k + 1 << " of " << distance.ranks
                         << " ranks has no more than the one before it, of " << machine.network[k - 1].ranks;
  }
  // (record_c4) (record_c5) what every device of a kind states
  auto demand = [&](ArrayRef<StringRef> facts) -> LogicalResult {
    for (const cost::Fact &fact : cost::getFacts())
      if (llvm::is_contained(facts, fact.name) && machine.*fact.value == 0)
        return emitError() << "a " << cost::getName(machine.kind) << " states its '" << fact.name << "'";
    return success();
  };
  if (machine.kind == cost::DeviceKind::Gpu)
    return demand({"subgroup", "workgroup", "cores"});
  // (record_c10) kernels of a processor call nothing and have no such instruction
  if (machine.instructions.contains(cost::Instruction::Exp2))
    return emitError() << "a cpu lists the instruction 'exp2', which only GPUs have";
  if (failed(demand({"vector_bits", "vector_registers", "clock", "core_bandwidth", "memory_bandwidth", "cores"})))
    return failure();
  if (machine.caches[0].bytes == 0)
    return emitError() << "a cpu states its 'caches'";
  if (machine.getCost(cost::OpClass::Add).interval == 0)
    return emitError() << "a cpu states the cost of 'add'";
  // (record_c6) each cache is larger than the one before it
  for (unsigned k = 1; k < machine.caches.size(); ++k)
    if (int64_t bytes = machine.caches[k].bytes; bytes && bytes <= machine.caches[k - 1].bytes)
      return emitError() << "cache " << k + 1 << " of " << bytes << " bytes is not larger than the one before it, of "
                         << machine.caches[k - 1].bytes;
  // (record_c7) an interval is not longer than its latency
  for (unsigned k = 0; k < cost::kOpClasses; ++k)
    if (const cost::OpCost &cost = machine.costs[k]; cost.interval > cost.latency)
      return emitError() << "the interval " << cost.interval << " of '" << cost::getName(static_cast<cost::OpClass>(k))
                         << "' is longer than its latency " << cost.latency;
  // (record_c8) no type is both in `types` and `converts`
  for (unsigned k = 0; k < cost::kElementTypes; ++k)
    if (auto type = static_cast<cost::ElementType>(k); machine.types.contains(type) && machine.converts.contains(type))
      return emitError() << "'" << cost::getName(type) << "' is both in 'types' and 'converts'";
  return success();
}

} // namespace tiny::target
