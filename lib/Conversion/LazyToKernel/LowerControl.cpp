// Loops and branches as items of a program, with the items of their bodies in them.
#include "InPlace.h"
#include "ProgramLowering.h"
#include "Tiny/Support/Signature.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace tiny;

FailureOr<SmallVector<Value>> ProgramLowering::lowerBody(Operation *op, FlatSymbolRefAttr callee,
                                                         ArrayRef<Value> arguments) {
  auto body = symbols.lookup<func::FuncOp>(callee.getValue());
  if (!body || body.isExternal() || !body.getBody().hasOneBlock())
    return op->emitOpError("names ") << callee << ", which is no function of one block";
  if (failed(verifyState(body)) || failed(verifyInPlace(body)))
    return failure();
  // Its values are its own: nothing that is made in here is there for others.
  auto outside = std::exchange(buffers, DenseMap<Value, Value>());
  auto outsidePartial = std::exchange(partial, DenseMap<Value, Partial>());
  auto outsideComplete = std::exchange(complete, SmallVector<Value>());
  writers.clear();
  for (auto [argument, buffer] : llvm::zip_equal(body.getArguments(), arguments))
    buffers[argument] = buffer;
  SmallVector<Value> results;
  for (Operation &item : body.getBody().front().without_terminator())
    if (failed(lowerItem(&item)))
      return failure();
  for (Value value : body.getBody().front().getTerminator()->getOperands()) {
    results.push_back(getBuffer(value));
    if (!results.back())
      return failure();
  }
  buffers = std::move(outside);
  partial = std::move(outsidePartial);
  complete = std::move(outsideComplete);
  return results;
}

Value ProgramLowering::createOwn(Location loc, Value value) {
  Value buffer = getBuffer(value);
  return buffer ? createCopy(loc, buffer) : Value();
}

/// Where row number `number` of so many begins. A number that is none of a row is taken as the nearest that is, since a
/// kernel stays in its buffers whatever it reads.
static Value createRowBegin(ImplicitLocOpBuilder &body, Value number, int64_t count, int64_t width) {
  auto constant = [&](int64_t value) { return arith::ConstantIndexOp::create(body, value).getResult(); };
  Value read = kernel::LoadOp::create(body, number, constant(0), Value());
  Value index = arith::IndexCastOp::create(body, body.getIndexType(), read);
  index = arith::MinSIOp::create(body, arith::MaxSIOp::create(body, index, constant(0)), constant(count - 1));
  return arith::MulIOp::create(body, index, constant(width));
}

static int64_t countElements(Value buffer) { return cast<MemRefType>(buffer.getType()).getNumElements(); }

/// The number of the buffer that a launch writes.
static unsigned findResult(kernel::LaunchOp launch, Value buffer) {
  return llvm::find(launch.getOuts(), buffer) - launch.getOuts().begin();
}

bool ProgramLowering::storeRow(Location loc, Value row, Value number, Value rows) {
  auto found = writers.find(row);
  if (found == writers.end())
    return false;
  kernel::LaunchOp launch = found->second;
  auto kernel = symbols.lookup<kernel::FuncOp>(launch.getCallee());
  Block &block = kernel.getBody().front();
  unsigned inputs = launch.getIns().size(), known = llvm::find(launch.getIns(), number) - launch.getIns().begin();
  Value own = block.getArgument(inputs + findResult(launch, row));
  if (known == inputs) {
    block.insertArgument(inputs, number.getType(), loc);
    launch.getInsMutable().append(number);
  }
  Value numberArgument = block.getArgument(known);
  Value rowsArgument = block.addArgument(rows.getType(), loc);
  kernel.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), {}));
  ImplicitLocOpBuilder body(loc, OpBuilder::atBlockBegin(&block));
  int64_t width = countElements(row);
  Value begin = createRowBegin(body, numberArgument, countElements(rows) / width, width);
  for (Operation *user : llvm::to_vector(own.getUsers()))
    if (auto store = dyn_cast<kernel::StoreOp>(user); store && store.getBuffer() == own) {
      body.setInsertionPointAfter(store);
      Value index = arith::AddIOp::create(body, begin, store.getIndex());
      kernel::StoreOp::create(body, store.getValue(), rowsArgument, index, store.getGate());
    }
  launch.getOutsMutable().append(rows);
  return true;
}

void ProgramLowering::dropUnread(Value buffer) {
  auto alloc = buffer.getDefiningOp<kernel::AllocOp>();
  if (!alloc || !buffer.hasOneUse() || !writers.contains(buffer))
    return;
  kernel::LaunchOp launch = writers.lookup(buffer);
  auto kernel = symbols.lookup<kernel::FuncOp>(launch.getCallee());
  Block &block = kernel.getBody().front();
  unsigned result = findResult(launch, buffer), argument = launch.getIns().size() + result;
  for (Operation *store : llvm::to_vector(block.getArgument(argument).getUsers()))
    store->erase();
  block.eraseArgument(argument);
  kernel.setFunctionType(builder.getFunctionType(block.getArgumentTypes(), {}));
  launch.getOutsMutable().erase(result);
  alloc.erase();
}

void ProgramLowering::writeRow(Location loc, Value row, Value number, Value rows) {
  int64_t width = countElements(row);
  if (width == 0 || storeRow(loc, row, number, rows))
    return;
  OpBuilder kernelBuilder(builder.getContext());
  kernelBuilder.setInsertionPointAfter(lastKernel);
  auto type = kernelBuilder.getFunctionType({row.getType(), number.getType(), rows.getType()}, {});
  auto kernel = kernel::FuncOp::create(kernelBuilder, loc, names.create("write_row"), type, /*schedule=*/nullptr,
                                       kernelBuilder.getStringAttr("private"), /*arg_attrs=*/nullptr,
                                       /*res_attrs=*/nullptr);
  Block &block = kernel.getBody().emplaceBlock();
  block.addArguments(type.getInputs(), {loc, loc, loc});
  ImplicitLocOpBuilder body(loc, OpBuilder::atBlockBegin(&block));
  Value at =
      kernel::RangeOp::create(body, body.getIndexType(), kernel::AxisKind::Loop, /*id=*/0, width, nullptr, Value());
  Value element = kernel::LoadOp::create(body, block.getArgument(0), at, Value());
  Value begin = createRowBegin(body, block.getArgument(1), countElements(rows) / width, width);
  kernel::StoreOp::create(body, element, block.getArgument(2), arith::AddIOp::create(body, begin, at), Value());
  symbols.insert(kernel);
  lastKernel = kernel;
  kernel::LaunchOp::create(builder, loc, FlatSymbolRefAttr::get(kernel), ValueRange{row, number}, ValueRange{rows});
}

/// State is in buffers of the loop's own, which an iteration's results are copied to when all of it has run.
LogicalResult ProgramLowering::lowerLoop(lazy::LoopOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> state, rows, arguments;
  auto allocate = [&](Type type) -> Value {
    MemRefType buffer = getBufferType(loc, type);
    return buffer ? kernel::AllocOp::create(builder, loc, buffer).getResult() : Value();
  };
  Value counter = allocate(op.getResults().back().getType());
  Value limit = op.getLimit() ? getBuffer(op.getLimit()) : Value();
  Value condition = op.getCondition() ? createOwn(loc, op.getCondition()) : Value();
  for (Value value : op.getCarried())
    state.push_back(createOwn(loc, value));
  for (Type type : op.getResults().slice(op.getNumCarried(), op.getNumRows()).getTypes())
    rows.push_back(allocate(type));
  // Where fewer iterations may happen, the other rows are zero.
  for (Value buffer : rows)
    if (buffer && (limit || condition))
      kernel::FillOp::create(builder, loc, buffer,
                             builder.getZeroAttr(cast<MemRefType>(buffer.getType()).getElementType()));
  arguments.push_back(counter);
  llvm::append_range(arguments, state);
  for (Value value : op.getCaptured())
    arguments.push_back(getBuffer(value));
  if (llvm::is_contained(arguments, Value()) || llvm::is_contained(rows, Value()) || (op.getLimit() && !limit) ||
      (op.getCondition() && !condition))
    return failure();
  auto loop = kernel::LoopOp::create(builder, loc, op.getMostAttr(), limit, counter, condition);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&loop.getBody().emplaceBlock());
    FailureOr<SmallVector<Value>> results = lowerBody(op, op.getCalleeAttr(), arguments);
    if (failed(results))
      return failure();
    ArrayRef<Value> next = *results;
    Value goesOn = condition ? next.front() : Value();
    next = condition ? next.drop_front() : next;
    for (auto [row, all] : llvm::zip_equal(next.drop_front(state.size()), rows))
      writeRow(loc, row, counter, all);
    // What is in a buffer of the state, and in another one next, leaves it first.
    SmallVector<std::pair<Value, Value>> copies;
    for (auto [value, buffer] : llvm::zip(next, state)) {
      bool isState = value != buffer && llvm::is_contained(state, kernel::getRoot(value));
      copies.push_back({isState ? createCopy(loc, value) : value, buffer});
    }
    if (condition)
      copies.push_back(
          {llvm::is_contained(state, kernel::getRoot(goesOn)) ? createCopy(loc, goesOn) : goesOn, condition});
    for (auto [value, buffer] : copies)
      if (value != buffer)
        kernel::CopyOp::create(builder, loc, value, buffer);
    for (Value row : llvm::SmallSetVector<Value, 4>(next.begin() + state.size(), next.end()))
      dropUnread(row);
    writers.clear();
  }
  state.append(rows);
  state.push_back(counter);
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), state))
    buffers[result] = buffer;
  return success();
}

LogicalResult ProgramLowering::lowerIf(lazy::IfOp op) {
  Location loc = op.getLoc();
  SmallVector<Value> results, arguments;
  Value condition = getBuffer(op.getCondition());
  for (Value value : op.getCaptured())
    arguments.push_back(getBuffer(value));
  if (!condition || llvm::is_contained(arguments, Value()))
    return failure();
  for (Type type : op.getResultTypes()) {
    MemRefType buffer = getBufferType(loc, type);
    if (!buffer)
      return failure();
    results.push_back(kernel::AllocOp::create(builder, loc, buffer));
  }
  auto branch = kernel::IfOp::create(builder, loc, condition);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [list, callee] :
       {std::pair(&branch.getBody(), op.getCalleeAttr()), std::pair(&branch.getOtherwise(), op.getOtherwiseAttr())}) {
    builder.setInsertionPointToStart(&list->emplaceBlock());
    FailureOr<SmallVector<Value>> values = lowerBody(op, callee, arguments);
    if (failed(values))
      return failure();
    for (auto [value, buffer] : llvm::zip_equal(*values, results))
      kernel::CopyOp::create(builder, loc, value, buffer);
    writers.clear();
  }
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), results))
    buffers[result] = buffer;
  return success();
}
