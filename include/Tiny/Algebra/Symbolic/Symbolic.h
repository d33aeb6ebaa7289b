//===--- Symbolic.h - the algebra of index expressions and validity conditions ---------------------------*- C++
//-*-===//
//
// One engine for every index expression: trackers build it directly, the passes over `arith` read a block's index slice
// into it. Expressions are hash-consed in an ExprContext: equal ones are the same node, and every constructor returns
// the simplified form, so that rules live here and nowhere else (one file per operator family in
// lib/Algebra/Symbolic).
//
// Normal form. Integers: a Sum is constant + sum of coefficient * atom, its atoms sorted and never sums or constants;
// everything linear is one Sum. Products are of atoms. A constant divisor is positive: x // -d is (-x) // d, and
// x mod -d is -((-x) mod d). Conditions: every order comparison is `linear >= 0`, every equality `linear == 0`;
// negation is pushed to the literals; conjunction and disjunction are flat, sorted and free of duplicates.
//
// Integers are mathematical. Leaves carry bounds; an expression's bounds follow from its operands'. A rewrite whose
// constants would reach 2^62 yields the null expression, which every constructor hands on: the caller keeps what it
// had.
//
//===----------------------------------------------------------------------------------------------------------------===//
#ifndef TINY_ALGEBRA_SYMBOLIC_SYMBOLIC_H
#define TINY_ALGEBRA_SYMBOLIC_SYMBOLIC_H

#include "Tiny/Algebra/View/View.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Allocator.h"

namespace tiny {

enum class ExprKind : uint8_t {
  Constant, // the integer, or 0/1 of a condition
  Leaf,     // a variable with bounds
  Sum,      // constant + sum of coefficients[k] * operands[k]
  Product,  // of two or more atoms
  FloorDiv, // operands[0] // operands[1], rounded down
  Mod,      // the remainder that belongs to FloorDiv; it has the divisor's sign
  TruncDiv, // rounded towards zero
  TruncRem, // the remainder that belongs to TruncDiv; it has the dividend's sign
  Min,
  Max,
  BitAnd,
  BitOr,
  BitXor,
  Select,      // operands[0] ? operands[1] : operands[2]
  NonNegative, // operands[0] >= 0
  IsZero,      // operands[0] == 0
  Not,
  And,
  Or,
  Xor,
};

/// One node; made by an ExprContext only.
struct ExprNode : llvm::FoldingSetNode {
  ExprKind kind;
  bool isCondition;  // i1, else an integer
  unsigned id;       // creation number: the order of operands, and so of everything printed
  int64_t constant;  // Constant: the value. Sum: its constant. Leaf: its number.
  int64_t low, high; // inclusive bounds
  int64_t cost;      // of the tree, saturating: division 8, multiplication 2, the rest 1
  llvm::ArrayRef<const ExprNode *> operands;
  llvm::ArrayRef<int64_t> coefficients; // Sum: one per operand, never 0

  void Profile(llvm::FoldingSetNodeID &profile) const;
};

/// Inclusive bounds of an integer; 0 and 1 for a condition.
struct Bounds {
  int64_t low = -kIndexLimit;
  int64_t high = kIndexLimit;
  bool isConstant() const { return low == high; }
  bool operator==(const Bounds &other) const { return low == other.low && high == other.high; }
};

/// A handle to a node, or null where an expression could not be represented. Equality is structural.
class Expr {
public:
  Expr() = default;
  explicit Expr(const ExprNode *node) : node(node) {}
  explicit operator bool() const { return node; }
  const ExprNode *operator->() const { return node; }
  const ExprNode *get() const { return node; }
  bool operator==(Expr other) const { return node == other.node; }
  bool operator!=(Expr other) const { return node != other.node; }
  bool operator<(Expr other) const { return node->id < other.node->id; }

  ExprKind kind() const { return node->kind; }
  bool is(ExprKind kind) const { return node->kind == kind; }
  Bounds bounds() const { return {node->low, node->high}; }
  int64_t cost() const { return node->cost; }
  size_t size() const { return node->operands.size(); }
  Expr operand(unsigned k) const { return Expr(node->operands[k]); }
  std::optional<int64_t> asConstant() const {
    return is(ExprKind::Constant) ? std::optional<int64_t>(node->constant) : std::nullopt;
  }
  bool isTrue() const { return is(ExprKind::Constant) && node->isCondition && node->constant == 1; }
  bool isFalse() const { return is(ExprKind::Constant) && node->isCondition && node->constant == 0; }

private:
  const ExprNode *node = nullptr;
};

struct IndexAndValidity {
  Expr index;
  Expr valid;
};

/// constant + sum of coefficient * atom, the atoms sorted by id; the working form of sums. Wide, so that the rules can
/// compute first and check once.
struct LinearForm {
  using Wide = __int128;
  struct Term {
    Expr atom;
    Wide coefficient;
  };
  Wide constant = 0;
  llvm::SmallVector<Term, 4> terms;

  void add(const LinearForm &other, Wide factor = 1);
  void add(Expr atom, Wide coefficient);
  Wide coefficientOf(Expr atom) const;
};

class SumPass;

/// Owns expressions and makes them. Deterministic: the same calls give the same expressions. Not thread-safe.
class ExprContext {
public:
  ExprContext();
  ~ExprContext();
  ExprContext(const ExprContext &) = delete;

  //===--- Constructors: each returns the simplified expression, or null ------------------------------------------===//
  Expr constant(int64_t value);
  Expr condition(bool value);
  /// A new variable.
  Expr leaf(Bounds bounds = {});
  Expr conditionLeaf();

  Expr add(Expr a, Expr b);
  Expr sub(Expr a, Expr b);
  Expr mul(Expr a, Expr b);
  Expr neg(Expr a) { return mul(constant(-1), a); }
  /// What a linear form stands for.
  Expr sum(const LinearForm &form);
  Expr floorDiv(Expr a, Expr b);
  Expr mod(Expr a, Expr b);
  Expr truncDiv(Expr a, Expr b);
  Expr truncRem(Expr a, Expr b);
  Expr min(Expr a, Expr b);
  Expr max(Expr a, Expr b);
  /// Bitwise on two's complement integers.
  Expr bitAnd(Expr a, Expr b);
  Expr bitOr(Expr a, Expr b);
  Expr bitXor(Expr a, Expr b);
  Expr select(Expr condition, Expr a, Expr b);

  Expr ge(Expr a, Expr b) { return nonNegative(sub(a, b)); }
  Expr gt(Expr a, Expr b) { return lt(b, a); }
  Expr le(Expr a, Expr b) { return ge(b, a); }
  Expr lt(Expr a, Expr b);
  Expr eq(Expr a, Expr b);
  Expr ne(Expr a, Expr b) { return logicalNot(eq(a, b)); }
  /// a >= 0
  Expr nonNegative(Expr a);
  /// a == 0
  Expr isZero(Expr a);
  Expr logicalNot(Expr a);
  Expr logicalAnd(Expr a, Expr b);
  Expr logicalOr(Expr a, Expr b);
  Expr logicalXor(Expr a, Expr b);

  //===--- Queries ------------------------------------------------------------------------------------------------===//
  LinearForm linear(Expr a) const;
  /// True if every value of `a` is a multiple of `divisor`.
  bool isMultipleOf(Expr a, int64_t divisor) const;
  /// The value when leaf number n is `leaves(n)`. None where it divides by zero or leaves the range.
  std::optional<int64_t> evaluate(Expr a, llvm::function_ref<int64_t(int64_t)> leaves) const;
  void print(Expr a, llvm::raw_ostream &os) const;

  //===--- Whole expressions --------------------------------------------------------------------------------------===//
  /// Rebuilds `a` with expressions replaced, each occurrence once; the result is simplified.
  Expr substitute(Expr a, const llvm::DenseMap<const ExprNode *, Expr> &replacements);
  /// An expression that equals `a` wherever `condition` holds, and costs no more.
  Expr given(Expr a, Expr condition);
  /// Also what needs the whole expression: each member of a conjunction under the others, branches of selects under
  /// their condition. Costs no more than `a`.
  Expr simplify(Expr a);

  //===--- For the rules ------------------------------------------------------------------------------------------===//
  /// Interns a node as it is, without any rule.
  Expr node(ExprKind kind, llvm::ArrayRef<Expr> operands, int64_t constant = 0,
            llvm::ArrayRef<int64_t> coefficients = {});
  /// A variable that stands for `original` where its bounds are known to be narrower.
  Expr refinedLeaf(Expr original, Bounds bounds);
  /// The linear form that floor(form / divisor) equals for all values within the atoms' bounds, if there is one.
  std::optional<LinearForm> affineQuotient(const LinearForm &form, int64_t divisor) const;

private:
  Expr leafNode(bool isCondition, Bounds bounds, int64_t number);
  Bounds boundsOf(ExprKind kind, llvm::ArrayRef<Expr> operands, int64_t constant, llvm::ArrayRef<int64_t> coefficients);
  Expr floorDivConstant(Expr a, int64_t divisor);
  Expr modConstant(Expr a, int64_t divisor);
  Expr floorDivSymbolic(Expr a, Expr b);
  Expr modSymbolic(Expr a, Expr b);
  Expr truncate(Expr a, Expr b, bool wantsQuotient);
  bool recombine(LinearForm &form);
  void combineRemainders(SumPass &pass, llvm::ArrayRef<LinearForm::Term> mods,
                         llvm::ArrayRef<LinearForm::Term> quotients);
  void combineQuotients(const LinearForm &form, SumPass &pass, llvm::ArrayRef<LinearForm::Term> mods,
                        llvm::ArrayRef<LinearForm::Term> quotients);
  bool combineSelects(LinearForm &form, llvm::ArrayRef<LinearForm::Term> selects);
  Expr junction(bool isAnd, llvm::ArrayRef<Expr> members);
  Expr compareMod(const LinearForm &form);
  Expr rebuild(const ExprNode *node, llvm::ArrayRef<Expr> operands);
  Expr simplifyConjunction(Expr a);

  llvm::BumpPtrAllocator allocator;
  llvm::FoldingSet<ExprNode> nodes;
  llvm::DenseMap<std::pair<std::pair<const ExprNode *, const ExprNode *>, unsigned>, Expr> cache;
  llvm::DenseMap<std::pair<const ExprNode *, std::pair<int64_t, int64_t>>, Expr> refined;
  unsigned nextId = 0;
  int64_t nextLeaf = 0;
  unsigned depth = 0; // of rules inside rules
};

/// floor(a / b) and its remainder on integers, b != 0.
inline __int128 floorDivide(__int128 a, __int128 b) { return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0); }
inline __int128 floorModulo(__int128 a, __int128 b) { return a - floorDivide(a, b) * b; }

} // namespace tiny

#endif // TINY_ALGEBRA_SYMBOLIC_SYMBOLIC_H
