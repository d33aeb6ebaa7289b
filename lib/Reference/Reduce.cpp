// Loops over points, and reductions in order.
#include "Tape.h"
#include "Tiny/Support/ReductionIdentity.h"

#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace tiny::reference {

/// A product that stops at 2^62: evaluation runs into its limit long before.
static int64_t multiply(int64_t a, int64_t b) {
  auto product = llvm::SaturatingMultiply(static_cast<uint64_t>(a), static_cast<uint64_t>(b));
  return static_cast<int64_t>(std::min(product, uint64_t(1) << 62));
}

int64_t Axes::size() const {
  int64_t count = 1;
  for (int64_t extent : extents)
    count = multiply(count, extent);
  return count;
}

void Axes::fill(Tape &tape, int64_t begin, size_t count) const {
  // `run` neighbours of an axis share its index.
  int64_t run = 1;
  for (size_t axis = extents.size(); axis-- > 0;) {
    Scalar *lanes = tape.lanes(registers[axis]);
    int64_t index = begin / run % extents[axis], left = run - begin % run;
    for (size_t k = 0; k < count; ++k) {
      lanes[k].i = index;
      if (--left == 0) {
        left = run;
        index = index + 1 == extents[axis] ? 0 : index + 1;
      }
    }
    run = multiply(run, extents[axis]);
  }
}

void Axes::broadcast(Tape &tape, int64_t point, size_t count) const {
  for (size_t axis = extents.size(); axis-- > 0;) {
    std::fill_n(tape.lanes(registers[axis]), count, makeInt(point % extents[axis]));
    point /= extents[axis];
  }
}

LogicalResult forEachPoint(Session &session, Tape &tape, const Axes &axes, Location location,
                           function_ref<LogicalResult(int64_t, size_t)> visit) {
  int64_t total = axes.size();
  for (int64_t begin = 0; begin < total; begin += kLanes) {
    size_t count = std::min<int64_t>(kLanes, total - begin);
    axes.fill(tape, begin, count);
    if (failed(tape.run(session, count, location)) || failed(visit(begin, count)))
      return failure();
  }
  return success();
}

FailureOr<Combiner> Combiner::get(Session &session, Operation *reduce, std::optional<arith::AtomicRMWKind> kind,
                                  Region &region, ArrayRef<ScalarType> types) {
  Combiner combiner;
  if (kind) {
    for (ScalarType type : types) {
      std::optional<ScalarCode> code = getCombinerCode(*kind, type);
      if (!code)
        return session.unsupported(reduce);
      combiner.codes.push_back(*code);
    }
    return combiner;
  }
  if (region.empty())
    return session.unsupported(reduce);
  combiner.tape = std::make_shared<Tape>();
  Tape &tape = *combiner.tape;
  Block &block = region.front();
  DenseMap<Value, Register> registers;
  for (BlockArgument argument : block.getArguments()) {
    registers[argument] = tape.addInput();
    combiner.arguments.push_back(registers[argument]);
  }
  for (Operation &op : block) {
    SmallVector<Register> operands;
    for (Value operand : op.getOperands()) {
      auto known = registers.find(operand);
      if (known == registers.end())
        return session.unsupported(&op);
      operands.push_back(known->second);
    }
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      combiner.yields = operands;
      break;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      std::optional<ScalarType> type = getScalarType(constant.getType());
      std::optional<Scalar> value = type ? fromAttribute(*type, constant.getValue()) : std::nullopt;
      if (!value)
        return session.unsupported(&op);
      registers[constant] = tape.addConstant(*value);
      continue;
    }
    for (OpResult result : op.getResults()) {
      std::optional<ScalarCode> code = getScalarCode(&op, result.getResultNumber());
      if (!code)
        return session.unsupported(&op);
      registers[result] = tape.addScalar(*code, operands, &op);
    }
  }
  if (combiner.yields.size() != types.size() || combiner.arguments.size() != 2 * types.size())
    return session.unsupported(reduce);
  return combiner;
}

FailureOr<Scalar> Combiner::getIdentity(Session &session, Operation *reduce, arith::AtomicRMWKind kind, Type type) {
  std::optional<ScalarType> scalar = getScalarType(type);
  OpBuilder builder(type.getContext());
  TypedAttr attr = scalar && getCombinerCode(kind, *scalar)
                       ? getReductionIdentity(kind, getElementTypeOrSelf(type), builder, reduce->getLoc())
                       : nullptr;
  std::optional<Scalar> value = attr ? fromAttribute(*scalar, attr) : std::nullopt;
  if (!value)
    return session.unsupported(reduce);
  return *value;
}

LogicalResult Combiner::combine(Session &session, ArrayRef<Scalar *> accumulators, ArrayRef<const Scalar *> elements,
                                size_t count, Location location) {
  if (!codes.empty()) {
    for (auto [code, accumulator, element] : llvm::zip_equal(codes, accumulators, elements)) {
      const Scalar *args[] = {accumulator, element};
      code.run(args, accumulator, count, session.undefined);
    }
    return success();
  }
  size_t arity = accumulators.size();
  for (size_t k = 0; k < arity; ++k) {
    std::copy_n(accumulators[k], count, tape->lanes(arguments[k]));
    std::copy_n(elements[k], count, tape->lanes(arguments[arity + k]));
  }
  if (failed(tape->run(session, count, location)))
    return failure();
  for (size_t k = 0; k < arity; ++k)
    std::copy_n(tape->lanes(yields[k]), count, accumulators[k]);
  return success();
}

LogicalResult Combiner::absorb(Session &session, ArrayRef<Scalar *> accumulators, ArrayRef<const Scalar *> elements,
                               size_t count, Location location) {
  SmallVector<const Scalar *> next(elements);
  for (size_t lane = 0; lane < count; ++lane) {
    if (failed(combine(session, accumulators, next, 1, location)))
      return failure();
    for (const Scalar *&element : next)
      ++element;
  }
  return success();
}

LogicalResult reduceOver(Session &session, Tape &tape, const Axes &outer, const Axes &reduced, Combiner &combiner,
                         ArrayRef<Register> elements, ArrayRef<Register> initials, MutableArrayRef<Buffer> results,
                         Location location) {
  int64_t points = outer.size(), inner = reduced.size();
  size_t arity = elements.size();
  std::vector<Scalar> sums(arity * kLanes);
  SmallVector<Scalar *> accumulators(arity);
  SmallVector<const Scalar *> values(arity);

  // Few points and long sums: lanes along the sum, absorbed one by one. Else a lane for each point.
  bool alongSum = points < 16 && inner > points;
  size_t width = alongSum ? 1 : kLanes;
  for (int64_t begin = 0; begin < points; begin += width) {
    size_t count = std::min<int64_t>(width, points - begin);
    for (size_t k = 0; k < arity; ++k)
      accumulators[k] = sums.data() + k * kLanes;
    auto start = [&] {
      for (size_t k = 0; k < arity; ++k)
        std::copy_n(tape.lanes(initials[k]), count, accumulators[k]);
    };
    if (!alongSum || inner == 0)
      outer.fill(tape, begin, count);
    // Elements that do not exist are not evaluated, so the initial values must be constants or inputs.
    if (inner == 0)
      start();
    for (int64_t at = 0; at < inner; at += alongSum ? kLanes : 1) {
      size_t lanes = alongSum ? std::min<int64_t>(kLanes, inner - at) : count;
      if (alongSum) {
        outer.broadcast(tape, begin, lanes);
        reduced.fill(tape, at, lanes);
      } else {
        reduced.broadcast(tape, at, lanes);
      }
      if (failed(tape.run(session, lanes, location)))
        return failure();
      if (at == 0)
        start();
      for (size_t k = 0; k < arity; ++k)
        values[k] = tape.lanes(elements[k]);
      if (failed(session.step(lanes, location)) ||
          failed(alongSum ? combiner.absorb(session, accumulators, values, lanes, location)
                          : combiner.combine(session, accumulators, values, count, location)))
        return failure();
    }
    for (size_t k = 0; k < arity; ++k)
      for (size_t lane = 0; lane < count; ++lane)
        results[k].store(begin + lane, accumulators[k][lane]);
  }
  return success();
}

LogicalResult ScanInto::absorb(Session &session, int64_t begin, const Scalar *elements, size_t count,
                               Location location) {
  for (size_t lane = 0; lane < count; ++lane) {
    int64_t at = begin + static_cast<int64_t>(lane);
    if (at % extent == 0)
      running = elements[lane];
    else if (failed(combiner.combine(session, &running, elements + lane, 1, location)))
      return failure();
    result.store(at, running);
  }
  return session.step(static_cast<int64_t>(count), location);
}

} // namespace tiny::reference
