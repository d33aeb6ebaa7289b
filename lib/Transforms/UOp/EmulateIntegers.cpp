// Integers of 64 bits where a target has those of 32: each is two words, the lower one first. In memory they are what
// they were: a load gives a vector of one integer, which is taken for two words, and a store takes one.
#include "Legalize.h"
#include "Math/IntegerCasts.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tiny::uop {

namespace {

bool isWide(Type type) { return getElementTypeOrSelf(type).isInteger(64) && !isa<MemRefType>(type); }
bool isWide(Value value) { return isWide(value.getType()); }

/// The words of one integer.
struct Words {
  Num low, high;
};

/// Rewrites operations on integers of 64 bits that have steps of the same width.
class Expander {
public:
  Expander(FuncOp func) : builder(func.getContext()), entry(&func.getBody().front()), loc(func.getLoc()), func(func) {}

  void run() {
    SmallVector<Operation *> ops;
    func.walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (llvm::none_of(op->getOperandTypes(), [](Type type) { return type.isInteger(64); }) &&
          llvm::none_of(op->getResultTypes(), [](Type type) { return type.isInteger(64); }))
        continue;
      builder.setInsertionPoint(op);
      loc = op->getLoc();
      whole.emplace(builder, loc, builder.getF64Type(), entry, constants);
      if (Num value = expand(op); value.value) {
        op->getResult(0).replaceAllUsesWith(value.value);
        op->erase();
      }
    }
  }

private:
  Num operand(Operation *op, unsigned number) { return whole->wrap(op->getOperand(number)); }
  Num compare(arith::CmpIPredicate predicate, Num x, Num y) {
    return whole->wrap(arith::CmpIOp::create(builder, loc, predicate, x.value, y.value));
  }

  /// No value for what stays.
  Num expand(Operation *op) {
    using P = arith::CmpIPredicate;
    return llvm::TypeSwitch<Operation *, Num>(op)
        .Case<arith::SIToFPOp, arith::UIToFPOp>(
            [&](auto cast) { return toFloat(cast.getIn(), cast.getType(), isa<arith::SIToFPOp>(op)); })
        .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto cast) {
          MathBuilder real(builder, loc, cast.getIn().getType(), entry, constants);
          return integerOfFloat(*whole, real, real.wrap(cast.getIn()), isa<arith::FPToSIOp>(op));
        })
        .Case<arith::DivUIOp, arith::RemUIOp>([&](Operation *) {
          auto [quotient, rest] = divide(operand(op, 0), operand(op, 1));
          return isa<arith::DivUIOp>(op) ? quotient : rest;
        })
        .Case<arith::DivSIOp, arith::RemSIOp>([&](Operation *) {
          Num x = operand(op, 0), y = operand(op, 1);
          auto [quotient, rest] = divide(magnitude(x), magnitude(y));
          if (isa<arith::RemSIOp>(op))
            return whole->select(x < 0, -rest, rest);
          return whole->select((x ^ y) < 0, -quotient, quotient);
        })
        .Case([&](arith::MaxSIOp) { return pickFirst(op, P::sgt); })
        .Case([&](arith::MaxUIOp) { return pickFirst(op, P::ugt); })
        .Case([&](arith::MinSIOp) { return pickFirst(op, P::slt); })
        .Case([&](arith::MinUIOp) { return pickFirst(op, P::ult); })
        .Case([&](math::AbsIOp) { return magnitude(operand(op, 0)); })
        .Default([](Operation *) { return Num(); });
  }

  Num magnitude(Num x) { return whole->select(x < 0, -x, x); }

  Num pickFirst(Operation *op, arith::CmpIPredicate predicate) {
    Num x = operand(op, 0), y = operand(op, 1);
    return whole->select(compare(predicate, x, y), x, y);
  }

  Num toFloat(Value x, Type type, bool isSigned) {
    bool isDouble = type.isF64(), isSingle = type.isF32();
    MathBuilder real(builder, loc, isDouble ? type : builder.getF32Type(), entry, constants);
    if (isDouble)
      return integerToDouble(*whole, real, whole->wrap(x), isSigned);
    Num result = integerToSingle(*whole, real, whole->wrap(x), isSigned, /*toOdd=*/!isSingle);
    return isSingle ? result : real.wrap(arith::TruncFOp::create(builder, loc, type, result.value));
  }

  /// Quotient and remainder without signs, bit by bit: the quotient's bits take the places of the dividend's.
  std::pair<Num, Num> divide(Num x, Num y) {
    Value bits = arith::ConstantIndexOp::create(builder, loc, 64);
    SmallVector<Num> done = whole->repeat(bits, {x, whole->i(0)}, [&](ArrayRef<Num> values) -> SmallVector<Num> {
      Num quotient = values[0], rest = values[1];
      // The remainder has 65 bits for a moment.
      Num isLong = rest < 0;
      rest = (rest << 1) | whole->shiftRightLogical(quotient, whole->i(63));
      quotient = quotient << 1;
      Num fits = isLong | compare(arith::CmpIPredicate::uge, rest, y);
      return {whole->select(fits, quotient | whole->i(1), quotient), whole->select(fits, rest - y, rest)};
    });
    return {done[0], done[1]};
  }

  OpBuilder builder;
  Block *entry;
  Location loc;
  FuncOp func;
  std::optional<MathBuilder> whole;
  MathBuilder::Constants constants;
};

/// Splits what is left.
class Splitter {
public:
  Splitter(FuncOp func) : builder(func.getContext()), loc(func.getLoc()), entry(&func.getBody().front()), func(func) {}

  LogicalResult run() {
    // What gives a value comes before what takes it.
    SmallVector<Operation *> ops;
    func.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) {
      if (llvm::none_of(op->getOperands(), [](Value value) { return isWide(value); }) &&
          llvm::none_of(op->getResults(), [](Value value) { return isWide(value); }))
        continue;
      builder.setInsertionPoint(op);
      loc = op->getLoc();
      math.emplace(builder, loc, builder.getF32Type(), entry, constants);
      if (failed(split(op)))
        return failure();
    }
    for (Operation *op : llvm::reverse(dead))
      op->erase();
    for (BlockArgument argument : llvm::reverse(deadArguments))
      argument.getOwner()->eraseArgument(argument.getArgNumber());
    return success();
  }

private:
  Num word(uint32_t value) { return math->i(value); }
  Num shiftRight(Num x, Num amount) { return math->shiftRightLogical(x, amount); }
  Num select(Num condition, Num x, Num y) { return math->select(condition, x, y); }
  Num compare(arith::CmpIPredicate predicate, Num x, Num y) {
    return math->wrap(arith::CmpIOp::create(builder, loc, predicate, x.value, y.value));
  }
  Num isBelow(Num x, Num y) { return compare(arith::CmpIPredicate::ult, x, y); }
  Num asNumber(Num condition) { return select(condition, word(1), word(0)); }
  template <typename Op> Num cast(Type type, Value value) { return math->wrap(Op::create(builder, loc, type, value)); }
  Type getWord() { return builder.getI32Type(); }

  Words get(Value value) const { return words.lookup(value); }
  LogicalResult set(Operation *op, Words value) {
    words[op->getResult(0)] = value;
    dead.push_back(op);
    return success();
  }
  LogicalResult replace(Operation *op, Num value) {
    op->getResult(0).replaceAllUsesWith(value.value);
    dead.push_back(op);
    return success();
  }

  VectorType getWords() { return VectorType::get(2, getWord()); }
  VectorType getWhole() { return VectorType::get(1, builder.getI64Type()); }

  LogicalResult load(LoadOp op) {
    Value whole = LoadOp::create(builder, loc, getWhole(), op.getBuffer(), op.getIndex(), op.getGate());
    Value both = vector::BitCastOp::create(builder, loc, getWords(), whole);
    auto extract = [&](int64_t number) { return math->wrap(vector::ExtractOp::create(builder, loc, both, number)); };
    Num low = extract(0), high = extract(1);
    return set(op, {low, high});
  }

  LogicalResult store(StoreOp op) {
    Words value = get(op.getValue());
    Value both =
        vector::FromElementsOp::create(builder, loc, getWords(), ValueRange{value.low.value, value.high.value});
    op.getValueMutable().assign(vector::BitCastOp::create(builder, loc, getWhole(), both));
    return success();
  }

  SmallVector<Value> expand(ValueRange values) const {
    SmallVector<Value> result;
    for (Value value : values) {
      if (isWide(value))
        llvm::append_values(result, get(value).low.value, get(value).high.value);
      else
        result.push_back(value);
    }
    return result;
  }

  LogicalResult loop(ForOp op) {
    auto loop = ForOp::create(builder, loc, op.getBound(), expand(op.getInitArgs()));
    SmallVector<BlockArgument> carried(op.getRegionIterArgs());
    loop.getRegion().takeBody(op.getRegion());
    unsigned at = 0;
    for (auto [argument, result] : llvm::zip_equal(carried, op.getResults())) {
      if (!isWide(argument)) {
        result.replaceAllUsesWith(loop.getResult(at++));
        continue;
      }
      unsigned number = argument.getArgNumber();
      Block *body = loop.getBody();
      Num low = math->wrap(body->insertArgument(number + 1, getWord(), argument.getLoc()));
      Num high = math->wrap(body->insertArgument(number + 2, getWord(), argument.getLoc()));
      words[argument] = {low, high};
      deadArguments.push_back(argument);
      words[result] = {math->wrap(loop.getResult(at)), math->wrap(loop.getResult(at + 1))};
      at += 2;
    }
    dead.push_back(op);
    return success();
  }

  Words add(Words x, Words y) {
    Num low = x.low + y.low;
    return {low, x.high + y.high + asNumber(isBelow(low, x.low))};
  }

  Words subtract(Words x, Words y) { return {x.low - y.low, x.high - y.high - asNumber(isBelow(x.low, y.low))}; }

  Words multiply(Words x, Words y) {
    auto [low, high] = math->mulExtended(x.low, y.low);
    return {low, high + x.low * y.high + x.high * y.low};
  }

  /// By the words' amount, and then by a word if it is one at least. Amounts of 64 and more are undefined.
  Words shift(Operation *op, Words x, Words amount) {
    Num by = amount.low & word(31), rest = word(31) - by;
    Num isLong = (amount.low & word(32)) != word(0);
    if (isa<arith::ShLIOp>(op)) {
      Num low = x.low << by, high = (x.high << by) | shiftRight(shiftRight(x.low, word(1)), rest);
      return {select(isLong, word(0), low), select(isLong, low, high)};
    }
    Num low = shiftRight(x.low, by) | ((x.high << 1) << rest);
    bool isSigned = isa<arith::ShRSIOp>(op);
    Num high = isSigned ? x.high >> by : shiftRight(x.high, by);
    return {select(isLong, high, low), select(isLong, isSigned ? x.high >> 31 : word(0), high)};
  }

  Num compare(arith::CmpIPredicate predicate, Words x, Words y) {
    using P = arith::CmpIPredicate;
    if (predicate == P::eq || predicate == P::ne)
      return compare(predicate, (x.low ^ y.low) | (x.high ^ y.high), word(0));
    // The lower words have no sign.
    static constexpr std::pair<P, P> kUnsigned[] = {
        {P::slt, P::ult}, {P::sle, P::ule}, {P::sgt, P::ugt}, {P::sge, P::uge}};
    P ofLow = predicate;
    for (auto [withSign, without] : kUnsigned)
      if (predicate == withSign)
        ofLow = without;
    return select(x.high == y.high, compare(ofLow, x.low, y.low), compare(predicate, x.high, y.high));
  }

  Words extend(Value value, bool isSigned) {
    Num low = value.getType() == getWord() ? math->wrap(value)
              : isSigned                   ? cast<arith::ExtSIOp>(getWord(), value)
                                           : cast<arith::ExtUIOp>(getWord(), value);
    return {low, isSigned ? low >> 31 : word(0)};
  }

  /// An index has 32 bits; what does not fit is the largest or the least, and out of any buffer.
  Num toIndex(Words x, bool isSigned) {
    Num largest = word(INT32_MAX);
    Num fits = isSigned ? x.high == (x.low >> 31) : (x.high | (x.low >> 31)) == word(0);
    Num low = select(fits, x.low, isSigned ? (x.high >> 31) ^ largest : largest);
    return cast<arith::IndexCastOp>(builder.getIndexType(), low.value);
  }

  LogicalResult split(Operation *op) {
    auto first = [&] { return get(op->getOperand(0)); };
    auto second = [&] { return get(op->getOperand(1)); };
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](LoadOp load) { return isa<VectorType>(load.getType()) ? refuse(op) : this->load(load); })
        .Case([&](StoreOp store) {
          return isa<VectorType>(store.getValue().getType()) ? refuse(op) : this->store(store);
        })
        .Case([&](ForOp loop) { return this->loop(loop); })
        .Case([&](YieldOp yield) {
          yield->setOperands(expand(yield.getOperands()));
          return success();
        })
        .Case([&](arith::ConstantOp constant) {
          auto value = dyn_cast<IntegerAttr>(constant.getValue());
          if (!value)
            return refuse(op);
          uint64_t bits = value.getValue().getZExtValue();
          return set(op, {word(uint32_t(bits)), word(uint32_t(bits >> 32))});
        })
        .Case([&](arith::SelectOp choice) {
          if (!choice.getCondition().getType().isInteger(1))
            return refuse(op);
          Num condition = math->wrap(choice.getCondition());
          Words x = get(choice.getTrueValue()), y = get(choice.getFalseValue());
          return set(op, {select(condition, x.low, y.low), select(condition, x.high, y.high)});
        })
        .Case([&](arith::AddIOp) { return set(op, add(first(), second())); })
        .Case([&](arith::SubIOp) { return set(op, subtract(first(), second())); })
        .Case([&](arith::MulIOp) { return set(op, multiply(first(), second())); })
        .Case([&](arith::AndIOp) { return set(op, {first().low & second().low, first().high & second().high}); })
        .Case([&](arith::OrIOp) { return set(op, {first().low | second().low, first().high | second().high}); })
        .Case([&](arith::XOrIOp) { return set(op, {first().low ^ second().low, first().high ^ second().high}); })
        .Case<arith::ShLIOp, arith::ShRUIOp, arith::ShRSIOp>(
            [&](Operation *) { return set(op, shift(op, first(), second())); })
        .Case([&](arith::CmpIOp test) { return replace(op, compare(test.getPredicate(), first(), second())); })
        .Case([&](arith::ExtSIOp wider) { return set(op, extend(wider.getIn(), /*isSigned=*/true)); })
        .Case([&](arith::ExtUIOp wider) { return set(op, extend(wider.getIn(), /*isSigned=*/false)); })
        .Case([&](arith::TruncIOp shorter) {
          Num low = first().low;
          return replace(op,
                         shorter.getType() == getWord() ? low : cast<arith::TruncIOp>(shorter.getType(), low.value));
        })
        .Case<arith::IndexCastOp, arith::IndexCastUIOp>([&](auto index) {
          bool isSigned = isa<arith::IndexCastOp>(op);
          if (!index.getIn().getType().isIndex())
            return replace(op, toIndex(first(), isSigned));
          return set(op, extend(cast<arith::IndexCastOp>(getWord(), index.getIn()).value, isSigned));
        })
        .Default([&](Operation *) { return refuse(op); });
  }

  LogicalResult refuse(Operation *op) {
    return op->emitError() << "'" << op->getName()
                           << "' cannot be emulated on integers of 64 bits, which the target lacks";
  }

  OpBuilder builder;
  Location loc;
  Block *entry;
  FuncOp func;
  std::optional<MathBuilder> math;
  MathBuilder::Constants constants;
  DenseMap<Value, Words> words;
  SmallVector<Operation *> dead;
  SmallVector<BlockArgument> deadArguments;
};

} // namespace

LogicalResult emulateIntegers(FuncOp func, bool hasDouble) {
  WalkResult walked = func.walk([&](Operation *op) {
    auto isDouble = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
    if (hasDouble || (llvm::none_of(op->getOperandTypes(), isDouble) && llvm::none_of(op->getResultTypes(), isDouble)))
      return WalkResult::advance();
    op->emitError() << "'" << op->getName() << "' has a value of f64, which the target lacks and nothing emulates";
    return WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return failure();
  Expander(func).run();
  return Splitter(func).run();
}

} // namespace tiny::uop
