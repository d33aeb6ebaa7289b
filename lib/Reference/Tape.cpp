// The tape: straight-line code over scalars, run on many points at a time.
#include "Tape.h"

#include <cstring>

using namespace mlir;

namespace tiny::reference {

Register Tape::addRegister() {
  storage.resize(storage.size() + kLanes);
  return storage.size() / kLanes - 1;
}

Register Tape::addInput() {
  Register reg = addRegister();
  std::fill_n(lanes(reg), kLanes, makeInt(0));
  return reg;
}

Register Tape::addConstant(Scalar value) {
  // Integers and floats with the same bits may share a register.
  auto [entry, inserted] = constants.try_emplace(value.i, 0);
  if (inserted) {
    entry->second = addRegister();
    std::fill_n(lanes(entry->second), kLanes, value);
  }
  return entry->second;
}

Tape::Instruction &Tape::append(Kind kind, ArrayRef<Register> in) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.in.assign(in.begin(), in.end());
  instruction.out = addRegister();
  instructions.push_back(std::move(instruction));
  return instructions.back();
}

Register Tape::addScalar(const ScalarCode &code, ArrayRef<Register> operands, Operation *op) {
  Instruction &instruction = append(Kind::Scalar, operands);
  instruction.code = code;
  instruction.op = op;
  return instruction.out;
}

Register Tape::addLinear(ArrayRef<Register> indices, ArrayRef<int64_t> strides, int64_t offset) {
  SmallVector<Register> used;
  SmallVector<int64_t> numbers;
  for (auto [index, stride] : llvm::zip_equal(indices, strides))
    if (stride != 0) {
      used.push_back(index);
      numbers.push_back(stride);
    }
  if (used.empty())
    return addConstant(offset);
  if (used.size() == 1 && numbers[0] == 1 && offset == 0)
    return used[0];
  numbers.push_back(offset);
  Instruction &instruction = append(Kind::Linear, used);
  instruction.numbers.assign(numbers.begin(), numbers.end());
  return instruction.out;
}

Register Tape::addDigit(Register index, int64_t divisor, int64_t modulus) {
  if (divisor <= 1 && modulus == 0)
    return index;
  Instruction &instruction = append(Kind::Digit, {index});
  instruction.numbers = {std::max<int64_t>(divisor, 1), modulus};
  return instruction.out;
}

Register Tape::addWithin(Register index, int64_t begin, int64_t end, Register also) {
  Instruction &instruction = append(Kind::Within, {index});
  instruction.numbers = {begin, end};
  instruction.second = also;
  return instruction.out;
}

Register Tape::addAnd(Register a, Register b) {
  if (a == kNoRegister || b == kNoRegister)
    return a == kNoRegister ? b : a;
  return append(Kind::And, {a, b}).out;
}

Register Tape::addLoad(Buffer buffer, Register index, Register gate, Operation *op) {
  Instruction &instruction = append(Kind::Load, {index});
  instruction.buffer = std::move(buffer);
  instruction.second = gate;
  instruction.op = op;
  return instruction.out;
}

Register Tape::addMasked(Register value, Register gate) {
  return gate == kNoRegister ? value : append(Kind::Masked, {value, gate}).out;
}

LogicalResult Tape::load(Session &session, const Instruction &instruction, size_t count) {
  const Buffer &buffer = instruction.buffer;
  const Scalar *index = lanes(instruction.in[0]);
  const Scalar *gate = instruction.second == kNoRegister ? nullptr : lanes(instruction.second);
  Scalar *out = lanes(instruction.out);
  Scalar junk = getJunk(buffer.type());
  const char *elements = buffer.memory->bytes.data() + buffer.offset * buffer.type().bytes();
  bool isFloat = buffer.type().format == Format::F32;
  for (size_t k = 0; k < count; ++k) {
    if (gate && !gate[k].i) {
      out[k] = junk;
      continue;
    }
    int64_t at = index[k].i;
    if (at < 0 || at >= buffer.count)
      return session.fail(Session::Kind::Undefined, instruction.op->getLoc(),
                          "reads element " + Twine(at) + " of a buffer of " + Twine(buffer.count) + " elements");
    if (!buffer.isWritten(at))
      return session.fail(Session::Kind::Undefined, instruction.op->getLoc(),
                          "reads element " + Twine(at) + " of a buffer before it is written");
    if (isFloat) {
      // The common type, without a switch for every element.
      float element;
      std::memcpy(&element, elements + at * sizeof(float), sizeof(float));
      out[k].f = element;
    } else {
      readElements(buffer.type(), elements + at * buffer.type().bytes(), out + k, 1);
    }
  }
  return success();
}

/// Replaces each number, none of which is negative, by its quotient or its remainder. Neighbours mostly have one
/// quotient, and a division takes longer than all else that a lane does.
static void divide(Scalar *numbers, size_t count, int64_t divisor, bool remainder) {
  int64_t quotient = 0, multiple = 0;
  for (size_t k = 0; k < count; ++k) {
    int64_t number = numbers[k].i;
    if (uint64_t(number) - uint64_t(multiple) >= uint64_t(divisor)) {
      quotient = number / divisor;
      multiple = int64_t(uint64_t(quotient) * uint64_t(divisor));
    }
    numbers[k].i = remainder ? number - multiple : quotient;
  }
}

LogicalResult Tape::run(Session &session, size_t count, Location location) {
  if (failed(session.step(count * (instructions.size() + 1), location)))
    return failure();
  for (const Instruction &instruction : instructions) {
    Scalar *out = lanes(instruction.out);
    switch (instruction.kind) {
    case Kind::Scalar: {
      const Scalar *args[4] = {};
      for (auto [slot, reg] : llvm::zip(args, instruction.in))
        slot = lanes(reg);
      instruction.code.run(args, out, count, session.undefined);
      break;
    }
    case Kind::Linear: {
      std::fill_n(out, count, makeInt(instruction.numbers.back()));
      for (auto [reg, stride] : llvm::zip(instruction.in, instruction.numbers)) {
        // Outside of the loop, which is vectorised then. It wraps: an index that is data may be any number, and a gate
        // or a mask then says that nothing is read there.
        const Scalar *__restrict index = lanes(reg);
        uint64_t factor = stride;
        if (factor == 1)
          for (size_t k = 0; k < count; ++k)
            out[k].i = int64_t(uint64_t(out[k].i) + uint64_t(index[k].i));
        else
          for (size_t k = 0; k < count; ++k)
            out[k].i = int64_t(uint64_t(out[k].i) + uint64_t(index[k].i) * factor);
      }
      break;
    }
    case Kind::Digit:
      std::copy_n(lanes(instruction.in[0]), count, out);
      if (instruction.numbers[0] != 1)
        divide(out, count, instruction.numbers[0], /*remainder=*/false);
      if (instruction.numbers[1] != 0)
        divide(out, count, instruction.numbers[1], /*remainder=*/true);
      break;
    case Kind::Within:
      for (size_t k = 0; k < count; ++k) {
        int64_t index = lanes(instruction.in[0])[k].i;
        bool also = instruction.second == kNoRegister || lanes(instruction.second)[k].i;
        out[k].i = also && index >= instruction.numbers[0] && index < instruction.numbers[1] ? -1 : 0;
      }
      break;
    case Kind::And:
      for (size_t k = 0; k < count; ++k)
        out[k].i = lanes(instruction.in[0])[k].i & lanes(instruction.in[1])[k].i;
      break;
    case Kind::Masked:
      // Zero has the same bits as an integer and as a float.
      for (size_t k = 0; k < count; ++k)
        out[k] = lanes(instruction.in[1])[k].i ? lanes(instruction.in[0])[k] : makeInt(0);
      break;
    case Kind::Load:
      if (failed(load(session, instruction, count)))
        return failure();
      break;
    }
  }
  return success();
}

} // namespace tiny::reference
