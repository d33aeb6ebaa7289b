// Lays tiles out as units for matrices read them.
#include "TileLayout.h"

#include "Tiny/Dialect/UOp/Entry.h"

using namespace mlir;

namespace tiny::uop {

TileLayout::TileLayout(LocalOp tile)
    : tile(tile), count(tile.getBuffer().getType().getNumElements()),
      width(getElementBytes(tile.getBuffer().getType().getElementType())), piece(kPieceBytes / width),
      group(kGroupBytes / width) {}

bool TileLayout::isOfTeams() const {
  return llvm::any_of(tile->getUsers(), [](Operation *user) {
    auto load = dyn_cast<FragmentLoadOp>(user);
    return load && load.getType().getSubgroups() > 1 && !load.getPanel();
  });
}

StringRef TileLayout::whyNot() {
  for (Operation *user : tile->getUsers())
    if (auto load = dyn_cast<FragmentLoadOp>(user)) {
      if (load.getPanel() || load.getType().getSubgroups() == 1 || (line && line != int64_t(load.getStride())))
        return "its matrices have lines of different kinds";
      line = load.getStride();
    } else if (!isa<CopyAsyncOp, StoreOp>(user)) {
      return "something else than a product reads it";
    }
  if (line % piece != 0 || count % line != 0 || count / line % kPieces != 0)
    return "its lines are not of pieces of 128 bytes, eight lines at a time";
  return llvm::all_of(tile->getUsers(), [&](Operation *user) { return fits(user); })
             ? StringRef()
             : StringRef("an access is over the end of a piece, or begins within eight lines");
}

void TileLayout::run() {
  for (Operation *user : llvm::to_vector(tile->getUsers())) {
    OpBuilder builder(user);
    ExprContext context;
    sym::ArithBridge bridge(context);
    auto move = [&](Value index, bool isSwizzled) {
      Expr placed = place(context, bridge.importValue(index));
      return bridge.materialize(builder, user->getLoc(),
                                context.simplify(isSwizzled ? swizzle(context, placed) : placed));
    };
    if (auto load = dyn_cast<FragmentLoadOp>(user)) {
      load.getIndexMutable().assign(move(load.getIndex(), false));
      load.setStride(piece);
      load.setPanel(count / line * piece);
    } else if (auto copy = dyn_cast<CopyAsyncOp>(user)) {
      copy.getToMutable().assign(move(copy.getTo(), true));
    } else if (auto store = dyn_cast<StoreOp>(user)) {
      store.getIndexMutable().assign(move(store.getIndex(), true));
    }
  }
}

bool TileLayout::fits(Operation *user) const {
  ExprContext context;
  sym::ArithBridge bridge(context);
  if (auto load = dyn_cast<FragmentLoadOp>(user)) {
    Expr index = bridge.importValue(load.getIndex());
    int64_t along = load.getTransposed() ? load.getType().getRows() : load.getType().getColumns();
    int64_t step = std::min(along, piece);
    return piece % step == 0 && along % step == 0 && context.isMultipleOf(index, step) &&
           context.isMultipleOf(context.floorDiv(index, context.constant(line)), kPieces);
  }
  auto store = dyn_cast<StoreOp>(user);
  auto vector = store ? dyn_cast<VectorType>(store.getValue().getType()) : VectorType();
  int64_t elements = store ? (vector ? vector.getNumElements() : 1) : int64_t(cast<CopyAsyncOp>(user).getCount());
  Value to = store ? store.getIndex() : cast<CopyAsyncOp>(user).getTo();
  return group % elements == 0 && context.isMultipleOf(bridge.importValue(to), elements);
}

Expr TileLayout::place(ExprContext &context, Expr index) const {
  Expr length = context.constant(line), ofPiece = context.constant(piece);
  Expr row = context.floorDiv(index, length), column = context.mod(index, length);
  Expr before = context.mul(context.floorDiv(column, ofPiece), context.constant(count / line * piece));
  return context.add(before, context.add(context.mul(row, ofPiece), context.mod(column, ofPiece)));
}

Expr TileLayout::swizzle(ExprContext &context, Expr index) const {
  LinearForm form = context.linear(index), whole, rest;
  LinearForm::Wide period = kPieces * piece;
  rest.constant = floorModulo(form.constant, period);
  whole.constant = form.constant - rest.constant;
  for (const LinearForm::Term &term : form.terms)
    (term.coefficient % period == 0 ? whole : rest).add(term.atom, term.coefficient);
  Expr part = context.sum(rest);
  Expr number = context.mod(context.floorDiv(part, context.constant(piece)), context.constant(kPieces));
  return context.add(context.sum(whole), context.bitXor(part, context.mul(number, context.constant(group))));
}

} // namespace tiny::uop
