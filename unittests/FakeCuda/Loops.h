// The loops of instructions over lanes: one for all lanes of a workgroup, which compilers make vectors of, and one for
// some of them.
#ifndef TINY_UNITTESTS_FAKECUDA_LOOPS_H
#define TINY_UNITTESTS_FAKECUDA_LOOPS_H

#include "Machine.h"

#if defined(__clang__)
#define FAKE_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define FAKE_INDEPENDENT _Pragma("GCC ivdep")
#endif

namespace fake {

/// `Op::of` of the operands' elements.
template <typename Op, typename D, typename A>
void unary(Machine &machine, const Instruction &instruction, const Lanes &lanes) {
  D *d = machine.at<D>(instruction.d);
  const A *a = machine.at<A>(instruction.a);
  if (lanes.isFull) {
    unsigned count = machine.getLaneCount();
    FAKE_INDEPENDENT
    for (unsigned k = 0; k < count; ++k)
      d[k] = D(Op::of(a[k]));
    return;
  }
  for (uint16_t k : lanes.numbers)
    d[k] = D(Op::of(a[k]));
}

template <typename Op, typename D, typename A, typename B>
void binary(Machine &machine, const Instruction &instruction, const Lanes &lanes) {
  D *d = machine.at<D>(instruction.d);
  const A *a = machine.at<A>(instruction.a);
  const B *b = machine.at<B>(instruction.b);
  if (lanes.isFull) {
    unsigned count = machine.getLaneCount();
    FAKE_INDEPENDENT
    for (unsigned k = 0; k < count; ++k)
      d[k] = D(Op::of(a[k], b[k]));
    return;
  }
  for (uint16_t k : lanes.numbers)
    d[k] = D(Op::of(a[k], b[k]));
}

template <typename Op, typename D, typename A, typename B, typename C>
void ternary(Machine &machine, const Instruction &instruction, const Lanes &lanes) {
  D *d = machine.at<D>(instruction.d);
  const A *a = machine.at<A>(instruction.a);
  const B *b = machine.at<B>(instruction.b);
  const C *c = machine.at<C>(instruction.c);
  if (lanes.isFull) {
    unsigned count = machine.getLaneCount();
    FAKE_INDEPENDENT
    for (unsigned k = 0; k < count; ++k)
      d[k] = D(Op::of(a[k], b[k], c[k]));
    return;
  }
  for (uint16_t k : lanes.numbers)
    d[k] = D(Op::of(a[k], b[k], c[k]));
}

template <typename Op, typename D, typename A> Form makeUnary() {
  return {unary<Op, D, A>, sizeof(D), sizeof(A), 0, 0};
}
template <typename Op, typename D, typename A, typename B> Form makeBinary() {
  return {binary<Op, D, A, B>, sizeof(D), sizeof(A), sizeof(B), 0};
}
template <typename Op, typename D, typename A, typename B, typename C> Form makeTernary() {
  return {ternary<Op, D, A, B, C>, sizeof(D), sizeof(A), sizeof(B), sizeof(C)};
}

} // namespace fake

#endif // TINY_UNITTESTS_FAKECUDA_LOOPS_H
