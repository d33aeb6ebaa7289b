// Walks over whole expressions, without recursion.
#ifndef TINY_LIB_ALGEBRA_SYMBOLIC_TRAVERSAL_H
#define TINY_LIB_ALGEBRA_SYMBOLIC_TRAVERSAL_H

#include "Tiny/Algebra/Symbolic/Symbolic.h"

namespace tiny {

/// Every node below `root`, operands first, each once.
llvm::SmallVector<const ExprNode *> postorder(Expr root);

/// The members of a conjunction; any other condition is its own only member.
llvm::SmallVector<Expr> membersOf(Expr condition);

/// The members in groups such that no leaf occurs in two groups: no group says anything of another.
llvm::SmallVector<llvm::SmallVector<Expr>> connectedMembers(llvm::ArrayRef<Expr> members);

} // namespace tiny

#endif // TINY_LIB_ALGEBRA_SYMBOLIC_TRAVERSAL_H
