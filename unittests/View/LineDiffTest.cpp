// Differences of lines: what the hunks say, done to the one text, gives the other.
#include "../../lib/View/LineDiff.h"

#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"
#include <random>

using namespace tiny::view;

namespace {

using Lines = std::vector<std::string>;

/// `before` with the hunks applied; a hunk that does not fit is a failure.
Lines restore(const Lines &before, const std::vector<Hunk> &hunks) {
  Lines result;
  size_t at = 0;
  for (const Hunk &hunk : hunks) {
    EXPECT_LE(at, hunk.before);
    while (at < hunk.before)
      result.push_back(before[at++]);
    EXPECT_EQ(result.size(), hunk.after);
    for (const std::string &line : hunk.lines) {
      if (line[0] != '+') {
        EXPECT_LT(at, before.size());
        if (line[0] == '-')
          EXPECT_EQ(line.substr(1), before[at]);
        ++at;
      }
      if (line[0] != '-')
        result.push_back(line.substr(1));
    }
  }
  while (at < before.size())
    result.push_back(before[at++]);
  return result;
}

TEST(LineDiffTest, RandomTextsAreRestored) {
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    Lines before, after;
    for (unsigned i = random() % 40; i > 0; --i)
      before.push_back(std::string(1, 'a' + random() % 6));
    for (const std::string &line : before) {
      if (random() % 8)
        after.push_back(line);
      if (random() % 8 == 0)
        after.push_back(std::string(1, 'a' + random() % 6));
    }
    EXPECT_EQ(restore(before, diffLines(before, after)), after);
  }
}

TEST(LineDiffTest, NoMoreChangesThanNeeded) {
  std::vector<Hunk> hunks = diffLines(Lines{"a", "b", "c", "a", "b", "b", "a"}, Lines{"c", "b", "a", "b", "a", "c"});
  ASSERT_EQ(hunks.size(), 1u);
  unsigned changes = 0;
  for (const std::string &line : hunks[0].lines)
    changes += line[0] != ' ';
  // The example of Myers' paper.
  EXPECT_EQ(changes, 5u);
}

TEST(LineDiffTest, NumbersOfValuesAreNoDifference) {
  EXPECT_TRUE(diffLines(Lines{"%1 = f %0"}, Lines{"%7 = f %12"}).empty());
  EXPECT_EQ(diffLines(Lines{"%1 = f %0"}, Lines{"%1 = g %0"}).size(), 1u);
  EXPECT_EQ(diffLines(Lines{"f 1"}, Lines{"f 2"}).size(), 1u);
}

/// The lines of all hunks that changed.
Lines listChanges(const Lines &before, const Lines &after) {
  Lines changes;
  std::vector<Hunk> hunks = diffLines(before, after);
  EXPECT_EQ(restore(before, hunks).size(), after.size());
  for (const Hunk &hunk : hunks)
    llvm::copy_if(hunk.lines, std::back_inserter(changes), [](const std::string &line) { return line[0] != ' '; });
  return changes;
}

TEST(LineDiffTest, OtherValuesAreADifference) {
  Lines head{"func @f(%arg0: f32, %arg1: f32) {", "  %0 = a %arg0", "  %1 = b %arg1"};
  auto with = [&](Lines tail) {
    Lines all = head;
    all.insert(all.end(), tail.begin(), tail.end());
    return all;
  };
  // Operands in another order, of values and of arguments.
  EXPECT_EQ(listChanges(with({"  %2 = sub %0, %1"}), with({"  %2 = sub %1, %0"})),
            (Lines{"-  %2 = sub %0, %1", "+  %2 = sub %1, %0"}));
  EXPECT_EQ(listChanges(with({"  %2 = sub %arg0, %arg1"}), with({"  %2 = sub %arg1, %arg0"})).size(), 2u);
  // A value in between, which moves the numbers of the others.
  EXPECT_EQ(
      listChanges(with({"  %2 = load %1", "  %3 = use %2"}), with({"  %2 = c", "  %3 = load %2", "  %4 = use %3"})),
      (Lines{"+  %2 = c", "-  %2 = load %1", "+  %3 = load %2"}));
  // What reads a value that another one replaced is as it was.
  EXPECT_EQ(listChanges(with({"  %2 = c", "  %3 = use %2"}), with({"  %2 = d", "  %3 = use %2"})),
            (Lines{"-  %2 = c", "+  %2 = d"}));
  // Blocks that give their arguments the same names, or others.
  EXPECT_TRUE(listChanges(with({"  for %arg2 {", "    use %arg2", "  for %arg2 {", "    use %arg2"}),
                          with({"  for %arg2 {", "    use %arg2", "  for %arg3 {", "    use %arg3"}))
                  .empty());
}

TEST(LineDiffTest, ContextOfThreeLines) {
  Lines before(100, "same"), after = before;
  before[10] = "x";
  after[10] = "y";
  before[60] = "x";
  after[60] = "y";
  std::vector<Hunk> hunks = diffLines(before, after);
  ASSERT_EQ(hunks.size(), 2u);
  EXPECT_EQ(hunks[0].before, 7u);
  EXPECT_EQ(hunks[0].lines.size(), 8u);
  EXPECT_EQ(hunks[1].before, 57u);
}

TEST(LineDiffTest, TextsWithNothingInCommonAreOneHunk) {
  Lines before, after;
  for (int i = 0; i < 3000; ++i) {
    before.push_back("a" + std::to_string(i));
    after.push_back("b" + std::to_string(i));
  }
  std::vector<Hunk> hunks = diffLines(before, after);
  ASSERT_EQ(hunks.size(), 1u);
  EXPECT_EQ(hunks[0].lines.size(), 6000u);
}

} // namespace
