#include "Tiny/Support/Npy.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace tiny;

namespace {

std::string npy(StringRef header, StringRef elements, unsigned major = 1) {
  std::string bytes("\x93NUMPY");
  bytes += {char(major), 0, char(header.size() & 0xff), char(header.size() >> 8)};
  if (major > 1)
    bytes += {0, 0};
  return bytes + header.str() + elements.str();
}

std::string message(Expected<HostTensor> tensor) { return tensor ? "" : toString(tensor.takeError()); }
std::string message(Expected<std::vector<NamedTensor>> tensors) { return tensors ? "" : toString(tensors.takeError()); }

template <typename T> HostTensor tensorOf(tiny_dtype dtype, ArrayRef<int64_t> shape, ArrayRef<T> elements) {
  HostTensor tensor = HostTensor::zeros(dtype, shape);
  EXPECT_EQ(tensor.bytes.size(), elements.size() * sizeof(T));
  std::copy(elements.begin(), elements.end(), tensor.data<T>());
  return tensor;
}

TEST(Npy, ReadsEveryHeaderVersion) {
  for (unsigned major : {1, 2, 3}) {
    Expected<HostTensor> tensor = parseNpy(
        npy("{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", StringRef("\x01\x00\xff\xff", 4), major));
    ASSERT_TRUE(bool(tensor)) << toString(tensor.takeError());
    EXPECT_EQ(tensor->dtype, TINY_DTYPE_I16);
    EXPECT_EQ(tensor->shape, (std::vector<int64_t>{2}));
    EXPECT_EQ(tensor->data<int16_t>()[0], 1);
    EXPECT_EQ(tensor->data<int16_t>()[1], -1);
  }
}

TEST(Npy, ReadsBigEndian) {
  Expected<HostTensor> tensor =
      parseNpy(npy("{'descr': '>u4', 'fortran_order': False, 'shape': ()}", StringRef("\x01\x02\x03\x04", 4)));
  ASSERT_TRUE(bool(tensor)) << toString(tensor.takeError());
  EXPECT_TRUE(tensor->shape.empty());
  EXPECT_EQ(tensor->data<uint32_t>()[0], 0x01020304u);
}

TEST(Npy, ReadsFortranOrder) {
  Expected<HostTensor> tensor =
      parseNpy(npy("{\"shape\": (2, 3), \"fortran_order\": True, \"descr\": \"|u1\"}", "abcdef"));
  ASSERT_TRUE(bool(tensor)) << toString(tensor.takeError());
  EXPECT_EQ(StringRef(tensor->bytes.data(), 6), "acebdf");
}

TEST(Npy, ReadsTruthValuesAsZeroOrOne) {
  Expected<HostTensor> tensor =
      parseNpy(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", StringRef("\x00\x02\x01", 3)));
  ASSERT_TRUE(bool(tensor)) << toString(tensor.takeError());
  EXPECT_EQ(tensor->dtype, TINY_DTYPE_I1);
  EXPECT_EQ(StringRef(tensor->bytes.data(), 3), StringRef("\x00\x01\x01", 3));
}

TEST(Npy, ReadsNoElements) {
  Expected<HostTensor> tensor = parseNpy(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (0, 3)}", ""));
  ASSERT_TRUE(bool(tensor)) << toString(tensor.takeError());
  EXPECT_EQ(tensor->size(), 0);
}

TEST(Npy, NamesWhatIsWrong) {
  auto of = [](StringRef header, StringRef elements = "") { return message(parseNpy(npy(header, elements))); };
  EXPECT_EQ(message(parseNpy("")), "malformed .npy: it does not begin as one");
  EXPECT_EQ(message(parseNpy(StringRef("\x93NUMPY\x01\x00\x10", 9))), "malformed .npy: the file ends in its header");
  EXPECT_EQ(message(parseNpy(StringRef("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12))),
            "malformed .npy: the file ends in its header");
  EXPECT_EQ(message(parseNpy(StringRef("\x93NUMPY\x09\x00\x00\x00", 10))),
            "malformed .npy: format version 9, expected 1, 2 or 3");
  EXPECT_EQ(of("[]"), "malformed .npy: the header is no dictionary");
  EXPECT_EQ(of("{3: 4}"), "malformed .npy: the header has no key where one is due");
  EXPECT_EQ(of("{'x': 4}"), "malformed .npy: the header has an unknown key 'x'");
  EXPECT_EQ(of("{'descr': '<f4', 'descr': '<f4'}"), "malformed .npy: the header has two entries 'descr'");
  EXPECT_EQ(of("{'descr': [('a', '<f4')]}"), "malformed .npy: the element type is not a simple one");
  EXPECT_EQ(of("{'fortran_order': 1}"), "malformed .npy: 'fortran_order' is neither True nor False");
  EXPECT_EQ(of("{'shape': (-1,)}"), "malformed .npy: the shape is not a tuple of sizes");
  EXPECT_EQ(of("{'shape': (99999999999999999999,)}"), "malformed .npy: the shape is not a tuple of sizes");
  EXPECT_EQ(of("{'descr': '<f4'"), "malformed .npy: the header does not end");
  EXPECT_EQ(of("{'descr': '<f4'} x"), "malformed .npy: text after the header");
  EXPECT_EQ(of("{'descr': '<f4'}"), "malformed .npy: the header lacks one of 'descr', 'fortran_order' and 'shape'");
  EXPECT_EQ(of("{'descr': '<c8', 'fortran_order': False, 'shape': ()}"), "element type '<c8' is not supported");
  EXPECT_EQ(of("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}"),
            "malformed .npy: the size of its shape overflows");
  EXPECT_EQ(of("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "1234"),
            "malformed .npy: got 4 bytes of elements, expected 8");
}

TEST(Npy, EveryPrefixIsAnError) {
  std::string bytes = cantFail(formatNpy(tensorOf<float>(TINY_DTYPE_F32, {3}, {1, 2, 3})));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(message(parseNpy(StringRef(bytes).take_front(size))), "");
}

TEST(Npy, RoundTripsEveryType) {
  for (tiny_dtype dtype :
       {TINY_DTYPE_I1, TINY_DTYPE_I8, TINY_DTYPE_I16, TINY_DTYPE_I32, TINY_DTYPE_I64, TINY_DTYPE_U8, TINY_DTYPE_U16,
        TINY_DTYPE_U32, TINY_DTYPE_U64, TINY_DTYPE_F16, TINY_DTYPE_F32, TINY_DTYPE_F64}) {
    for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{{}, {4}, {2, 3, 1}}) {
      HostTensor tensor = HostTensor::zeros(dtype, shape);
      for (size_t i = 0; i < tensor.bytes.size(); ++i)
        tensor.bytes[i] = dtype == TINY_DTYPE_I1 ? char(i & 1) : char(i * 37);
      std::string bytes = cantFail(formatNpy(tensor));
      EXPECT_EQ((bytes.size() - tensor.bytes.size()) % 64, 0u);
      HostTensor read = cantFail(parseNpy(bytes));
      EXPECT_EQ(read.dtype, dtype);
      EXPECT_EQ(read.shape, tensor.shape);
      EXPECT_EQ(read.bytes, tensor.bytes);
    }
  }
}

// As ml_dtypes 0.5 writes them.
TEST(Npy, SpellsTypesNumPyLacksAsMlDtypesDoes) {
  const std::pair<tiny_dtype, StringRef> types[] = {
      {TINY_DTYPE_BF16, "'<V2'"}, {TINY_DTYPE_F8E4M3FN, "'<V1'"}, {TINY_DTYPE_F8E5M2, "'<f1'"}};
  for (auto [dtype, descr] : types) {
    HostTensor tensor = HostTensor::zeros(dtype, {2});
    tensor.bytes[0] = 0x3c;
    Expected<std::string> bytes = formatNpy(tensor);
    ASSERT_TRUE(bool(bytes)) << toString(bytes.takeError());
    EXPECT_TRUE(StringRef(*bytes).contains(descr));
    Expected<HostTensor> again = parseNpy(*bytes);
    ASSERT_TRUE(bool(again)) << toString(again.takeError());
    EXPECT_EQ(again->dtype, dtype);
    EXPECT_EQ(again->bytes, tensor.bytes);
  }
}

std::vector<NamedTensor> twoTensors() {
  return {{"a", tensorOf<float>(TINY_DTYPE_F32, {2}, {1.5f, -2})}, {"b/c", tensorOf<int64_t>(TINY_DTYPE_I64, {}, {7})}};
}

TEST(Npz, RoundTrips) {
  std::string bytes = cantFail(formatNpz(twoTensors()));
  std::vector<NamedTensor> tensors = cantFail(parseNpz(bytes));
  ASSERT_EQ(tensors.size(), 2u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].tensor.data<float>()[1], -2);
  EXPECT_EQ(tensors[1].name, "b/c");
  EXPECT_EQ(tensors[1].tensor.data<int64_t>()[0], 7);
}

TEST(Npz, EveryPrefixIsAnError) {
  std::string bytes = cantFail(formatNpz(twoTensors()));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_NE(message(parseNpz(StringRef(bytes).take_front(size))), "");
}

TEST(Npz, EveryFlippedByteIsReadOrRefused) {
  const std::string bytes = cantFail(formatNpz(twoTensors()));
  for (size_t at = 0; at < bytes.size(); ++at)
    for (unsigned flip : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ flip);
      (void)message(parseNpz(damaged));
    }
}

TEST(Npz, FindsWrongChecksum) {
  std::string bytes = cantFail(formatNpz(twoTensors()));
  bytes[bytes.find(StringRef("\x00\x00\xc0\x3f", 4).str())] ^= 1;
  EXPECT_EQ(message(parseNpz(bytes)), "malformed .npz: member 'a.npy' has a wrong checksum");
}

// Written by numpy.savez_compressed(file, a=numpy.zeros(512, numpy.int32)).
const unsigned char kDeflated[] = {
#include "DeflatedNpz.inc"
};

TEST(Npz, ReadsDeflatedMembers) {
  StringRef bytes(reinterpret_cast<const char *>(kDeflated), sizeof(kDeflated));
  std::vector<NamedTensor> tensors = cantFail(parseNpz(bytes));
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(tensors[0].name, "a");
  EXPECT_EQ(tensors[0].tensor.shape, (std::vector<int64_t>{512}));
  EXPECT_TRUE(all_of(tensors[0].tensor.bytes, [](char byte) { return byte == 0; }));
}

TEST(Npz, EveryDamagedDeflatedByteIsReadOrRefused) {
  StringRef bytes(reinterpret_cast<const char *>(kDeflated), sizeof(kDeflated));
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes.str();
    damaged[at] = char(~damaged[at]);
    (void)message(parseNpz(damaged));
  }
}

TEST(TensorFiles, SayWhatTheyCannotHold) {
  HostTensor one = HostTensor::zeros(TINY_DTYPE_F32, {1});
  HostTensor deep = HostTensor::zeros(TINY_DTYPE_F32, std::vector<int64_t>(30000, 1));
  EXPECT_EQ(toString(formatNpy(deep).takeError()), "the shape has too many dimensions for an .npy file");
  EXPECT_EQ(toString(formatNpz(std::vector<NamedTensor>(65535, {"x", one})).takeError()),
            "too many tensors for an .npz file");
  EXPECT_EQ(toString(formatNpz({{std::string(70000, 'x'), one}}).takeError()),
            "a tensor's name is too long for an .npz file");

  // The number of members in the last 22 bytes, where a larger directory is announced.
  std::string large = cantFail(formatNpz({{"x", one}}));
  large[large.size() - 12] = large[large.size() - 11] = char(0xff);
  EXPECT_EQ(message(parseNpz(large)), "archives with a zip64 directory are not supported");
}

TEST(TensorFiles, LargeOnesAreUsedWhereTheyLie) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("npy", folder));
  HostTensor tensor = HostTensor::zeros(TINY_DTYPE_I16, {1 << 20});
  for (int16_t k = 0; k < 1000; ++k)
    tensor.data<int16_t>()[k] = k;
  HostTensor small = HostTensor::zeros(TINY_DTYPE_I16, {2});
  for (StringRef name : {"x.npy", "x.npz", "x.safetensors"}) {
    std::string path = (folder + "/" + name).str();
    std::vector<NamedTensor> written = {{"x", tensor}};
    // In front of the large one, so that it lies at an odd place.
    if (name != "x.npy")
      written.insert(written.begin(), {"odd", small});
    ASSERT_FALSE(bool(writeTensors(path, written)));
    std::vector<NamedTensor> read = cantFail(readTensors(path));
    HostTensor &mapped = read.back().tensor;
    EXPECT_TRUE(mapped.bytes.isShared()) << path;
    EXPECT_FALSE(read.size() > 1 && read.front().tensor.bytes.isShared()) << path;
    EXPECT_EQ(mapped.getInteger(999), 999);
    // Who writes changes neither the file nor a copy.
    HostTensor copy = mapped;
    mapped.bytes[0] = 7;
    EXPECT_EQ(copy.getInteger(0), 0);
    EXPECT_FALSE(copy.bytes.isShared());
    EXPECT_EQ(cantFail(readTensors(path)).back().tensor.getInteger(0), 0);
    // The bytes outlive the file's name, and the list that they came in.
    HostTensor kept = std::move(mapped);
    read.clear();
    ASSERT_FALSE(sys::fs::remove(path));
    EXPECT_EQ(kept.getInteger(500), 500);
    kept.bytes.resize(2);
    EXPECT_EQ(kept.getInteger(0), 7);
  }
  sys::fs::remove_directories(folder);
}

TEST(TensorFiles, WriteAsAWholeOrNotAtAll) {
  SmallString<128> folder;
  ASSERT_FALSE(sys::fs::createUniqueDirectory("npy", folder));
  std::string path = (folder + "/x.npz").str();
  EXPECT_FALSE(bool(writeTensors(path, twoTensors())));
  EXPECT_EQ(cantFail(readTensors(path)).size(), 2u);

  // An .npy holds one tensor: nothing is written.
  std::string one = (folder + "/x.npy").str();
  EXPECT_EQ(toString(writeTensors(one, twoTensors())),
            "cannot write '" + one + "': an .npy file holds one tensor, got 2; name an .npz file");
  EXPECT_FALSE(sys::fs::exists(one));

  std::string missing = (folder + "/none/x.npz").str();
  EXPECT_EQ(toString(writeTensors(missing, twoTensors())), "cannot write '" + missing + "': No such file or directory");
  EXPECT_EQ(toString(writeTensors(folder.str().str() + "/", {twoTensors().front()})),
            "cannot write '" + folder.str().str() + "/': not a file");
  EXPECT_EQ(toString(writeTensors("/dev/null", {twoTensors().front()})), toString(Error::success()));
  EXPECT_EQ(toString(writeTensors("/dev/full", {twoTensors().front()})),
            "cannot write '/dev/full': No space left on device");
  EXPECT_EQ(message(readTensors(missing)), "cannot open '" + missing + "': No such file or directory");
  EXPECT_EQ(message(readTensors(folder)), "cannot open '" + folder.str().str() + "': not a file");
  EXPECT_EQ(message(readTensors("/dev/zero")), "cannot open '/dev/zero': not a file");
  sys::fs::remove_directories(folder);
}

} // namespace
