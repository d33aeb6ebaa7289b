// What the lanes of a workgroup or of a subgroup do together.
#include "Workgroup.h"

#include "Tiny/Dialect/UOp/Parallel.h"

using namespace mlir;

namespace tiny::reference {

LogicalResult WorkgroupRun::checkWorkgroup(const UOpInstruction &instruction) {
  if (isFull())
    return success();
  uint32_t first = workgroup * nLanes;
  int missing = active.find_first_unset();
  return undefined(instruction, "has a '" + instruction.op->getName().getStringRef().str() + "' that " +
                                    nameLane(first + active.find_first()) + " comes to and " +
                                    nameLane(first + missing) + " does not");
}

LogicalResult WorkgroupRun::forEachSubgroup(const UOpInstruction &instruction,
                                            llvm::function_ref<LogicalResult(unsigned, unsigned)> run) {
  int64_t size = code.subgroupSize.value_or(0) * instruction.subgroups;
  if (size == 0 || nLanes % size != 0)
    return undefined(instruction, "has a workgroup of " + Twine(nLanes) + " lanes, which are not whole subgroups");
  for (unsigned first = 0; first < nLanes; first += size) {
    int missing = -1, present = -1;
    for (unsigned lane = first; lane < first + size; ++lane)
      (active.test(lane) ? present : missing) = lane;
    if (present < 0)
      continue;
    if (missing >= 0)
      return undefined(instruction, "has a '" + instruction.op->getName().getStringRef().str() + "' that " +
                                        nameLane(workgroup * nLanes + present) + " comes to and " +
                                        nameLane(workgroup * nLanes + missing) + " of its subgroup does not");
    if (failed(run(first, size)))
      return failure();
  }
  return success();
}

LogicalResult WorkgroupRun::passSubgroupBarrier(const UOpInstruction &instruction) {
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) {
    Races::Clock clock;
    for (unsigned lane = first; lane < first + size; ++lane)
      races.release(lane, nLanes, clock);
    for (unsigned lane = first; lane < first + size; ++lane)
      races.acquire(lane, nLanes, clock);
    return success();
  });
}

LogicalResult WorkgroupRun::shuffle(const UOpInstruction &instruction) {
  auto mode = static_cast<uop::ShuffleMode>(instruction.parameter);
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) {
    SmallVector<Scalar> values;
    for (unsigned lane = 0; lane < size; ++lane) {
      int64_t offset = at(instruction.in[1].at, first + lane).i, from = offset;
      if (mode == uop::ShuffleMode::Xor)
        from = lane ^ offset;
      else if (mode == uop::ShuffleMode::Up)
        from = lane - offset;
      else if (mode == uop::ShuffleMode::Down)
        from = lane + offset;
      bool isInside = from >= 0 && from < size;
      values.push_back(isInside ? at(instruction.in[0].at, first + from) : getJunk(instruction.code.out));
    }
    std::copy(values.begin(), values.end(), &at(instruction.out.at, first));
    return success();
  });
}

/// Combines the lanes that `pick` gives, by halves: a device combines neighbours first, too.
static Scalar combineLanes(SmallVector<Scalar> values, const ScalarCode &code, bool &undefined) {
  while (values.size() > 1) {
    size_t half = llvm::divideCeil(values.size(), 2);
    for (size_t k = half; k < values.size(); ++k) {
      const Scalar *args[] = {&values[k - half], &values[k]};
      code.run(args, &values[k - half], 1, undefined);
    }
    values.truncate(half);
  }
  return values.front();
}

LogicalResult WorkgroupRun::reduceSubgroups(const UOpInstruction &instruction) {
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) {
    const Scalar *begin = &at(instruction.in[0].at, first);
    Scalar all = combineLanes(SmallVector<Scalar>(begin, begin + size), instruction.code, session.undefined);
    std::fill_n(&at(instruction.out.at, first), size, all);
    return success();
  });
}

LogicalResult WorkgroupRun::reduceWorkgroup(const UOpInstruction &instruction) {
  if (failed(checkWorkgroup(instruction)))
    return failure();
  unsigned size = 1;
  for (int64_t extent : ArrayRef(extents).take_front(instruction.parameter))
    size *= extent;
  for (unsigned first = 0; first < nLanes; first += size) {
    const Scalar *begin = &at(instruction.in[0].at, first);
    Scalar all = combineLanes(SmallVector<Scalar>(begin, begin + size), instruction.code, session.undefined);
    std::fill_n(&at(instruction.out.at, first), size, all);
  }
  return success();
}

//===--- Fragments ------------------------------------------------------------------------------------------------===//

/// How far element `step` of a line that begins at `index` is from there, and which line of its panel it is in.
static int64_t placeInPanel(int64_t index, int64_t line, int64_t step, ArrayRef<unsigned> panel) {
  int64_t elements = panel[0], piece = panel[1], group = panel[2];
  int64_t column = index % piece + step, at = index - index % piece + line * piece;
  at += column / piece * elements + column % piece;
  // Eight lines of a piece are swizzled alike, from the tile's begin on.
  return at - at % piece + ((at % piece / group) ^ (at / piece % 8)) * group + at % group;
}

/// Where an element of a matrix is in its buffer.
int64_t WorkgroupRun::placeOfElement(const UOpInstruction &instruction, int64_t base, unsigned element) const {
  unsigned columns = instruction.picks[1];
  bool isTransposed = instruction.picks[2] != 0;
  int64_t row = element / columns, column = element % columns;
  int64_t line = isTransposed ? column : row, step = isTransposed ? row : column;
  if (instruction.picks.size() > 3)
    return placeInPanel(base, line, step, ArrayRef(instruction.picks).drop_front(3));
  return base + line * instruction.parameter + step;
}

/// Each lane of a subgroup has the whole matrix here; of memory, each touches its share.
LogicalResult WorkgroupRun::accessFragment(const UOpInstruction &instruction) {
  bool isLoad = instruction.kind == UOpInstruction::Kind::FragmentLoad;
  Buffer &buffer = memory[instruction.buffer];
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) -> LogicalResult {
    int64_t base = at(instruction.in[0].at, first).i;
    for (unsigned lane = first; lane < first + size; ++lane)
      if (at(instruction.in[0].at, lane).i != base)
        return undefined(instruction, "has an index that differs between the lanes of a subgroup");
    for (unsigned element = 0; element < instruction.out.lanes; ++element) {
      int64_t index = placeOfElement(instruction, base, element);
      FailureOr<int64_t> place =
          locate(instruction, instruction.buffer, first + element % size, index, isLoad ? Access::Read : Access::Write);
      if (failed(place))
        return failure();
      Scalar *values = &at(instruction.out.at + element, first);
      if (!isLoad) {
        buffer.store(*place, *values);
        continue;
      }
      if (!buffer.isWritten(*place))
        return undefined(instruction, "reads element " + Twine(index) + " of a buffer before it is written");
      std::fill_n(values, size, buffer.load(*place));
    }
    if (code.hasSeries && isLoad && instruction.subgroups > 1) {
      std::vector<std::vector<TileRead>> &own = series[first];
      if (own.empty())
        own.emplace_back();
      own.back().push_back({&instruction, first, size, base});
    }
    return success();
  });
}

/// Lane l of n holds elements l, l + n, l + 2 n and so on.
LogicalResult WorkgroupRun::pickElements(const UOpInstruction &instruction) {
  bool isPlace = instruction.kind == UOpInstruction::Kind::FragmentPlace;
  int64_t size = code.subgroupSize.value_or(0) * instruction.subgroups;
  if (size == 0)
    return undefined(instruction, "needs the size of subgroups, which nothing states");
  unsigned held = isPlace ? instruction.in[0].lanes : instruction.out.lanes;
  forEachActive([&](unsigned lane) {
    for (unsigned k = 0; k < held; ++k) {
      int64_t element = lane % size + k * size;
      if (isPlace) {
        at(instruction.in[0].at + k, lane).i = element / instruction.parameter;
        at(instruction.in[1].at + k, lane).i = element % instruction.parameter;
      } else {
        at(instruction.out.at + k, lane) = at(instruction.in[0].at + element, lane);
      }
    }
  });
  return success();
}

LogicalResult WorkgroupRun::reduceRows(const UOpInstruction &instruction) {
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) {
    unsigned columns = instruction.parameter, rows = instruction.out.lanes * size / columns;
    // Element e is the one of number e / size of lane e % size.
    auto find = [&](Slot slot, unsigned element) -> Scalar & {
      return at(slot.at + element / size, first + element % size);
    };
    for (unsigned row = 0; row < rows; ++row) {
      SmallVector<Scalar> values;
      for (unsigned column = 0; column < columns; ++column)
        values.push_back(find(instruction.in[0], row * columns + column));
      Scalar all = combineLanes(std::move(values), instruction.code, session.undefined);
      for (unsigned column = 0; column < columns; ++column)
        find(instruction.out, row * columns + column) = all;
    }
    return success();
  });
}

LogicalResult WorkgroupRun::packElements(const UOpInstruction &instruction) {
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) {
    unsigned columns = instruction.picks[0], rows = instruction.out.lanes / columns;
    unsigned columnsOfSum = instruction.in[0].lanes * size / rows;
    for (unsigned element = 0; element < instruction.out.lanes; ++element) {
      unsigned inSum = element / columns * columnsOfSum + instruction.picks[1] + element % columns;
      Scalar value = at(instruction.in[0].at + inSum / size, first + inSum % size);
      normalize(instruction.code.out, &value, 1);
      std::fill_n(&at(instruction.out.at + element, first), size, value);
    }
    return success();
  });
}

/// The upper 19 bits of an f32.
static double truncateToTf32(double value) {
  return llvm::bit_cast<float>(llvm::bit_cast<uint32_t>(static_cast<float>(value)) & 0xFFFFE000u);
}

LogicalResult WorkgroupRun::multiply(const UOpInstruction &instruction) {
  unsigned m = instruction.picks[0], n = instruction.picks[1], k = instruction.picks[2];
  Slot left = instruction.in[0], right = instruction.in[1], sum = instruction.in[2];
  ScalarType type = instruction.code.out;
  return forEachSubgroup(instruction, [&](unsigned first, unsigned size) {
    for (unsigned row = 0; row < m; ++row)
      for (unsigned column = 0; column < n; ++column) {
        Scalar total = at(sum.at + row * n + column, first);
        for (unsigned step = 0; step < k; ++step) {
          Scalar a = at(left.at + row * k + step, first), b = at(right.at + step * n + column, first);
          if (instruction.parameter)
            total.f += truncateToTf32(a.f) * truncateToTf32(b.f);
          else if (type.isFloat())
            total.f += a.f * b.f;
          else
            total.i += a.i * b.i;
        }
        normalize(type, &total, 1);
        std::fill_n(&at(instruction.out.at + row * n + column, first), size, total);
      }
    return success();
  });
}

} // namespace tiny::reference
