// uop-split-buffers: a buffer that is larger than what a kernel of the device sees comes in parts.
#include "Tiny/Dialect/Kernel/Kernel.h"
#include "Tiny/Dialect/Target/Target.h"
#include "Tiny/Dialect/UOp/Entry.h"
#include "Tiny/Support/Remarks.h"
#include "Tiny/Transforms/UOp/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tiny::uop {

#define GEN_PASS_DEF_UOPSPLITBUFFERS
#include "Tiny/Transforms/UOp/Passes.h.inc"

namespace {

/// Bytes that the beginning of a part is a multiple of: every device can enter such a buffer.
constexpr int64_t kAlignment = 256;

int64_t getBytes(MemRefType buffer) { return buffer.getNumElements() * getElementBytes(buffer.getElementType()); }

/// Whether one element is all that the operation touches of the buffer: it lies in one part.
bool touchesOneElement(Operation *op) {
  if (auto load = dyn_cast<LoadOp>(op))
    return !isa<VectorType>(load.getType());
  if (auto store = dyn_cast<StoreOp>(op))
    return !isa<VectorType>(store.getValue().getType());
  return isa<AtomicOp>(op);
}

/// Splits one argument of a kernel.
class ArgumentSplitter {
public:
  ArgumentSplitter(FuncOp func, unsigned number, int64_t most) : func(func), number(number), type(getType()) {
    int64_t width = getElementBytes(type.getElementType());
    perPart = most / kAlignment * kAlignment / width;
  }

  /// Whether it is too large, comes in parts to all that touch it, and the device takes as many buffers.
  bool canSplit(const cost::Machine &machine) {
    if (getBytes(type) <= machine.bufferBytes)
      return false;
    bool isDivisible = llvm::all_of(func.getArgument(number).getUsers(), touchesOneElement);
    int64_t buffers = func.getNumArguments() - 1 + countParts();
    if (isDivisible && (machine.buffers == 0 || buffers <= machine.buffers))
      return true;
    Remarks("uop-split-buffers", func)
        .missed(func.getLoc(), "split",
                "argument " + Twine(number) + " has " + Twine(getBytes(type)) + " bytes, and " +
                    (isDivisible ? "the kernel would have " + Twine(buffers) + " buffers"
                                 : Twine("several elements are touched at once")));
    return false;
  }

  int64_t countParts() const { return llvm::divideCeil(type.getNumElements(), perPart); }

  /// The first part takes the argument's place, the others follow it.
  void splitArgument() {
    BlockArgument whole = func.getArgument(number);
    auto users = llvm::to_vector(whole.getUsers());
    for (int64_t part = 1; part < countParts(); ++part)
      (void)func.insertArgument(number + part, getPartType(part), {}, whole.getLoc());
    for (Operation *user : users)
      llvm::TypeSwitch<Operation *>(user).Case<LoadOp, StoreOp, AtomicOp>([&](auto access) { splitAccess(access); });
    whole.setType(getPartType(0));
    func.setFunctionType(FunctionType::get(func.getContext(), func.getBody().getArgumentTypes(), {}));
    Remarks("uop-split-buffers", func)
        .passed(func.getLoc(), "split",
                "argument " + Twine(number) + " has " + Twine(getBytes(type)) + " bytes: it comes in " +
                    Twine(countParts()) + " parts",
                {{"bytes", double(getBytes(type))}, {"parts", double(countParts())}});
  }

  /// The same of what a launch passes.
  void splitOperand(kernel::LaunchOp launch) const {
    OpBuilder builder(launch);
    Value whole = launch->getOperand(number);
    SmallVector<Value> parts;
    for (int64_t part = 0; part < countParts(); ++part)
      parts.push_back(kernel::AliasOp::create(builder, launch.getLoc(), getPartType(part), whole, part * perPart));
    unsigned nInputs = launch.getIns().size();
    MutableOperandRange operands = number < nInputs ? launch.getInsMutable() : launch.getOutsMutable();
    operands.slice(number < nInputs ? number : number - nInputs, 1).assign(parts);
  }

private:
  MemRefType getType() { return cast<MemRefType>(func.getArgument(number).getType()); }
  MemRefType getPartType(int64_t part) const {
    int64_t elements = std::min(perPart, type.getNumElements() - part * perPart);
    return MemRefType::get({elements}, type.getElementType(), MemRefLayoutAttrInterface(), type.getMemorySpace());
  }

  /// Whether the index lies in the part; null where there is no other one.
  Value isIn(OpBuilder &builder, Location loc, int64_t part, Value index) const {
    auto compare = [&](arith::CmpIPredicate how, int64_t place) -> Value {
      return arith::CmpIOp::create(builder, loc, how, index, arith::ConstantIndexOp::create(builder, loc, place));
    };
    Value isBefore = part + 1 < countParts() ? compare(arith::CmpIPredicate::slt, (part + 1) * perPart) : Value();
    Value isBehind = part > 0 ? compare(arith::CmpIPredicate::sge, part * perPart) : Value();
    if (!isBefore || !isBehind)
      return isBefore ? isBefore : isBehind;
    return arith::AndIOp::create(builder, loc, isBehind, isBefore);
  }

  /// One access of each part, of which the one that the index lies in is on.
  template <typename Access> void splitAccess(Access op) {
    OpBuilder builder(op);
    Location loc = op.getLoc();
    Value index = op.getIndex(), gate = op.getGate(), loaded;
    for (int64_t part = 0; part < countParts(); ++part) {
      Value isHere = isIn(builder, loc, part, index), at = index;
      if (part > 0)
        at = arith::SubIOp::create(builder, loc, index, arith::ConstantIndexOp::create(builder, loc, part * perPart));
      Value isOn = gate ? arith::AndIOp::create(builder, loc, gate, isHere).getResult() : isHere;
      auto access = cast<Access>(builder.clone(*op.getOperation()));
      access.getBufferMutable().assign(func.getArgument(number + part));
      access.getIndexMutable().assign(at);
      access.getGateMutable().assign(isOn);
      if constexpr (std::is_same_v<Access, LoadOp>)
        loaded = loaded ? arith::SelectOp::create(builder, loc, isHere, access.getResult(), loaded).getResult()
                        : access.getResult();
    }
    if constexpr (std::is_same_v<Access, LoadOp>)
      op.getResult().replaceAllUsesWith(loaded);
    op.erase();
  }

  FuncOp func;
  unsigned number;
  MemRefType type;
  int64_t perPart;
};

struct UOpSplitBuffers : impl::UOpSplitBuffersBase<UOpSplitBuffers> {
  void runOnOperation() override {
    llvm::DenseMap<StringAttr, SmallVector<kernel::LaunchOp>> launches;
    getOperation().walk([&](kernel::LaunchOp launch) { launches[launch.getCalleeAttr().getAttr()].push_back(launch); });
    for (auto func : getOperation().getOps<FuncOp>()) {
      const cost::Machine &machine = target::findMachine(func);
      auto callers = launches.find(func.getSymNameAttr());
      // Who enters a kernel by another way passes what it has now.
      if (machine.bufferBytes < kAlignment || callers == launches.end())
        continue;
      for (unsigned number = func.getNumArguments(); number-- > 0;)
        split(ArgumentSplitter(func, number, machine.bufferBytes), machine, callers->second);
    }
  }

  static void split(ArgumentSplitter splitter, const cost::Machine &machine, ArrayRef<kernel::LaunchOp> launches) {
    if (!splitter.canSplit(machine))
      return;
    splitter.splitArgument();
    for (kernel::LaunchOp launch : launches)
      splitter.splitOperand(launch);
  }
};

} // namespace
} // namespace tiny::uop
