#include "Tiny/Support/Origin.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tiny;

namespace {

TEST(Origin, TheOutermostOperationStays) {
  MLIRContext context;
  Location plain = FileLineColLoc::get(&context, "a.mlir", 1, 2);
  EXPECT_EQ(getOrigin(plain), "");
  Location softmax = withOrigin(plain, "softmax");
  EXPECT_EQ(getOrigin(softmax), "softmax");
  EXPECT_EQ(withOrigin(softmax, "exp"), softmax);
}

TEST(Origin, IsFoundInsideWhatRewritesMakeOfLocations) {
  MLIRContext context;
  Location plain = FileLineColLoc::get(&context, "a.mlir", 1, 2);
  Location relu = withOrigin(plain, "relu");
  EXPECT_EQ(getOrigin(NameLoc::get(StringAttr::get(&context, "layer1"), relu)), "relu");
  EXPECT_EQ(getOrigin(CallSiteLoc::get(relu, plain)), "relu");
  EXPECT_EQ(getOrigin(FusedLoc::get(&context, {plain, relu})), "relu");
  EXPECT_EQ(getOrigin(FusedLoc::get(&context, {relu, withOrigin(plain, "exp")})), "relu");
  // Upstream's folder tags its locations with a string.
  Location folded = FusedLoc::get(&context, {plain}, StringAttr::get(&context, "OpFolder"));
  EXPECT_EQ(getOrigin(folded), "");
}

TEST(Origin, AreAllFoundInTheirOrder) {
  MLIRContext context;
  Location plain = FileLineColLoc::get(&context, "a.mlir", 1, 2);
  Location softmax = withOrigin(plain, "softmax"), matmul = withOrigin(plain, "matmul");
  EXPECT_TRUE(getOrigins(plain).empty());
  EXPECT_EQ(getOrigins(softmax), (SmallVector<StringRef, 2>{"softmax"}));
  Location merged =
      FusedLoc::get(&context, {softmax, matmul, withOrigin(FileLineColLoc::get(&context, "a.mlir", 3, 4), "softmax")});
  EXPECT_EQ(getOrigins(merged), (SmallVector<StringRef, 2>{"softmax", "matmul"}));
  EXPECT_EQ(getOrigins(NameLoc::get(StringAttr::get(&context, "layer1"), merged)), getOrigins(merged));
}

} // namespace
