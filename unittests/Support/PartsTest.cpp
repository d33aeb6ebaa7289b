// Parts of tensors, of memory and of mapped files, against a loop over all places.
#include "Tiny/Files/Parts.h"
#include "Tiny/Files/Tensors.h"

#include "gtest/gtest.h"
#include <cstring>
#include <unistd.h>

using namespace tiny;

namespace {

/// Two axes of a grid of 2 x 3: rows and columns cut by none, one or both of them.
struct Case {
  std::vector<int64_t> whole, local;
  std::vector<files::Cut> cuts;
  bool inOnePiece;
};

const std::vector<int64_t> kGrid = {2, 3};

std::vector<Case> listCases() {
  return {{{6, 4}, {3, 4}, {{6, {0}}, {4, {}}}, true},
          {{6, 4}, {6, 2}, {{6, {}}, {4, {0}}}, false},
          {{6, 6}, {3, 2}, {{6, {0}}, {6, {1}}}, false},
          {{5, 4}, {3, 4}, {{5, {0}}, {4, {}}}, false},
          {{1, 6, 2}, {1, 2, 2}, {{1, {}}, {6, {1}}, {2, {}}}, true},
          {{12, 3}, {2, 3}, {{12, {0, 1}}, {3, {}}}, true}};
}

/// The number of an element is its value; 0 where the part is padded.
std::vector<float> expectPart(const Case &one, const std::vector<int64_t> &place) {
  std::vector<float> part;
  std::vector<int64_t> begin, end;
  for (const files::Cut &cut : one.cuts) {
    int64_t from = 0, size = cut.whole, to = cut.whole;
    for (uint32_t axis : cut.axes) {
      size = (size + kGrid[axis] - 1) / kGrid[axis];
      from += size * place[axis];
      to = std::min(to, from + size);
    }
    begin.push_back(from);
    end.push_back(to);
  }
  int64_t count = 1;
  for (int64_t size : one.local)
    count *= size;
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k, index = 0, stride = 1;
    bool isInside = true;
    for (size_t axis = one.local.size(); axis-- > 0; stride *= one.whole[axis]) {
      int64_t at = begin[axis] + rest % one.local[axis];
      rest /= one.local[axis];
      isInside &= at < end[axis];
      index += at * stride;
    }
    part.push_back(isInside ? static_cast<float>(index) : 0);
  }
  return part;
}

void check(const HostTensor &whole, const Case &one, bool mayShare) {
  for (uint32_t rank = 0; rank < 6; ++rank) {
    std::vector<int64_t> place = files::getPlace(kGrid, rank);
    files::Parts parts = {kGrid, one.cuts};
    std::optional<uint64_t> piece = files::findPart(parts, place, one.local, 4);
    // A last part that is padded is in no piece; the first one of such an axis is.
    if (one.inOnePiece)
      EXPECT_TRUE(piece.has_value());
    std::vector<float> expected = expectPart(one, place);
    HostTensor part = files::cutTensor(whole, parts, place, one.local, mayShare);
    ASSERT_EQ(part.bytes.size(), expected.size() * 4);
    EXPECT_EQ(std::memcmp(part.bytes.data(), expected.data(), part.bytes.size()), 0) << "rank " << rank;
    EXPECT_EQ(part.bytes.isShared(), mayShare && piece && whole.bytes.isShared());
    if (piece)
      EXPECT_EQ(std::memcmp(whole.bytes.data() + *piece, expected.data(), part.bytes.size()), 0);
  }
}

TEST(PartsTest, PartsOfMemory) {
  for (const Case &one : listCases()) {
    HostTensor whole = HostTensor::zeros(TINY_DTYPE_F32, one.whole);
    for (size_t k = 0; k < whole.bytes.size() / 4; ++k) {
      float value = static_cast<float>(k);
      std::memcpy(&whole.bytes[4 * k], &value, 4);
    }
    check(whole, one, false);
    check(whole, one, true);
  }
}

// Large enough that the file is mapped, and taken in several windows.
TEST(PartsTest, PartsOfMappedFiles) {
  Case rows = {{1536, 1024}, {768, 1024}, {{1536, {0}}, {1024, {}}}, true};
  Case columns = {{1536, 1024}, {1536, 512}, {{1536, {}}, {1024, {0}}}, false};
  HostTensor tensor = HostTensor::zeros(TINY_DTYPE_F32, rows.whole);
  for (size_t k = 0; k < tensor.bytes.size() / 4; ++k) {
    float value = static_cast<float>(k);
    std::memcpy(&tensor.bytes[4 * k], &value, 4);
  }
  std::string path = testing::TempDir() + "parts-" + std::to_string(getpid()) + ".npy";
  files::Result<std::string> bytes = files::formatNpy(tensor);
  ASSERT_TRUE(bool(bytes));
  ASSERT_FALSE(files::writeFileAtomically(path, *bytes));
  files::Result<files::FileBytes> file = files::mapFile(path);
  ASSERT_TRUE(bool(file));
  files::Result<HostTensor> whole = files::parseNpy(*file);
  std::remove(path.c_str());
  ASSERT_TRUE(bool(whole));
  EXPECT_TRUE(whole->bytes.isOfFile());
  for (const Case &one : {rows, columns}) {
    check(*whole, one, false);
    check(*whole, one, true);
  }
}

} // namespace
