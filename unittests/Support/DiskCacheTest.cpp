#include "Tiny/Support/DiskCache.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>
#include <thread>

using namespace llvm;
using namespace tiny;

namespace {

class DiskCacheTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(sys::fs::createUniqueDirectory("tiny-cache-test", folder)); }
  void TearDown() override { sys::fs::remove_directories(folder); }

  DiskCache open(StringRef policy = "") { return cantFail(DiskCache::open(folder, policy)); }

  std::string path(StringRef key) {
    SmallString<128> path = folder;
    sys::path::append(path, "llvmcache-" + key);
    return path.str().str();
  }

  static std::string read(const DiskCache &cache, StringRef key) {
    std::unique_ptr<MemoryBuffer> bytes = cache.lookup(key);
    return bytes ? bytes->getBuffer().str() : "(none)";
  }

  SmallString<128> folder;
};

TEST_F(DiskCacheTest, GivesBackWhatWasStored) {
  DiskCache cache = open();
  EXPECT_EQ(cache.lookup("a"), nullptr);
  cache.store("a", "first");
  // Past a page, where the file is mapped; and nothing at all.
  std::string large(100000, 'x');
  large[77] = '\0';
  cache.store("large", large);
  cache.store("empty", "");
  EXPECT_EQ(read(cache, "a"), "first");
  EXPECT_EQ(read(cache, "large"), large);
  EXPECT_EQ(read(cache, "empty"), "");
  EXPECT_EQ(read(open(), "a"), "first");
  cache.store("a", "second");
  EXPECT_EQ(read(cache, "a"), "second");
  for (StringRef key : {"a", "large"})
    EXPECT_EQ(reinterpret_cast<uintptr_t>(cache.lookup(key)->getBufferStart()) % 64, 0u) << key.str();
}

TEST_F(DiskCacheTest, DropsWhatIsDamaged) {
  DiskCache cache = open();
  auto damage = [&](StringRef key, function_ref<std::string(std::string)> change) {
    cache.store(key, "some bytes that matter");
    std::string bytes = (*MemoryBuffer::getFile(path(key)))->getBuffer().str();
    std::error_code error;
    raw_fd_ostream(path(key), error) << change(bytes);
    EXPECT_EQ(cache.lookup(key), nullptr) << key.str();
    EXPECT_FALSE(sys::fs::exists(path(key))) << key.str();
    cache.store(key, "new");
    EXPECT_EQ(read(cache, key), "new");
  };
  damage("flipped", [](std::string bytes) { return bytes[3] ^= 1, bytes; });
  damage("trailer", [](std::string bytes) { return bytes.back() ^= 1, bytes; });
  damage("short", [](std::string bytes) { return bytes.substr(0, bytes.size() - 1); });
  damage("shifted", [](std::string bytes) { return bytes.substr(1); });
  damage("longer", [](std::string bytes) { return bytes + "x"; });
  damage("tiny", [](std::string) { return "xy"; });
  damage("empty", [](std::string) { return ""; });
}

TEST_F(DiskCacheTest, RemovesWhatWasNotUsedForLongest) {
  DiskCache cache = open("cache_size_bytes=3500");
  std::string bytes(1000, 'x');
  for (StringRef key : {"a", "b", "c"}) {
    cache.store(key, bytes);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  // It was made first, and is used last.
  EXPECT_NE(cache.lookup("a"), nullptr);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  cache.store("d", bytes);
  EXPECT_NE(cache.lookup("a"), nullptr);
  EXPECT_EQ(cache.lookup("b"), nullptr);
  EXPECT_NE(cache.lookup("c"), nullptr);
  EXPECT_NE(cache.lookup("d"), nullptr);
  // What is larger than the whole is not kept, and removes nothing.
  cache.store("e", std::string(4000, 'x'));
  EXPECT_FALSE(cache.fits(4000));
  EXPECT_TRUE(cache.fits(3500));
  EXPECT_EQ(cache.lookup("e"), nullptr);
  EXPECT_NE(cache.lookup("d"), nullptr);
}

TEST_F(DiskCacheTest, WorksWithoutAFolder) {
  std::string file = path("file");
  std::error_code error;
  raw_fd_ostream(file, error) << "no folder";
  for (const std::string &nowhere : {std::string(), file, file + "/below", std::string("/proc/none")}) {
    DiskCache cache = cantFail(DiskCache::open(nowhere));
    cache.store("a", "bytes");
    EXPECT_EQ(cache.lookup("a"), nullptr) << nowhere;
  }
  // A folder in an entry's place.
  ASSERT_FALSE(sys::fs::create_directory(path("a")));
  open().store("a", "bytes");
  EXPECT_EQ(open().lookup("a"), nullptr);
}

TEST_F(DiskCacheTest, MakesItsFolderForItsOwner) {
  SmallString<128> inner = folder;
  sys::path::append(inner, "x", "y");
  DiskCache cache = cantFail(DiskCache::open(inner));
  cache.store("a", "bytes");
  EXPECT_EQ(read(cache, "a"), "bytes");
  sys::fs::file_status status;
  ASSERT_FALSE(sys::fs::status(inner, status));
  EXPECT_EQ(status.permissions(), sys::fs::owner_all);
}

TEST_F(DiskCacheTest, RefusesPoliciesWithAReason) {
  Expected<DiskCache> cache = DiskCache::open(folder, "size=1");
  ASSERT_FALSE(bool(cache));
  EXPECT_EQ(toString(cache.takeError()), "Unknown key: 'size'");
}

TEST_F(DiskCacheTest, IsSharedByThreads) {
  // All of a key's values are whole at any time, whoever wins.
  auto work = [&](int self) {
    DiskCache cache = open("cache_size_bytes=100000");
    for (int round = 0; round < 50; ++round) {
      std::string key = std::to_string(round % 3);
      cache.store(key, std::string(size_t(1000 + 500 * self), char('a' + self)));
      if (std::unique_ptr<MemoryBuffer> bytes = cache.lookup(key)) {
        StringRef text = bytes->getBuffer();
        EXPECT_EQ(text.size(), size_t(1000 + 500 * (text[0] - 'a')));
        EXPECT_EQ(text.find_first_not_of(text[0]), StringRef::npos);
      }
    }
  };
  std::vector<std::thread> threads;
  for (int self = 0; self < 8; ++self)
    threads.emplace_back(work, self);
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_NE(open().lookup("0"), nullptr);
}

TEST(DiskCacheFolder, FollowsTheEnvironment) {
  const char *names[] = {"TINY_CACHE_DIR", "XDG_CACHE_HOME", "HOME"};
  std::vector<std::optional<std::string>> before;
  for (const char *name : names)
    before.push_back(getenv(name) ? std::optional<std::string>(getenv(name)) : std::nullopt);
  setenv("TINY_CACHE_DIR", "/one", 1);
  EXPECT_EQ(DiskCache::getDefaultFolder(), "/one");
  setenv("TINY_CACHE_DIR", "", 1);
  EXPECT_EQ(DiskCache::getDefaultFolder(), "");
  unsetenv("TINY_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/two", 1);
  EXPECT_EQ(DiskCache::getDefaultFolder(), "/two/tiny");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/three", 1);
  EXPECT_EQ(DiskCache::getDefaultFolder(), "/three/.cache/tiny");
  for (size_t i = 0; i < before.size(); ++i)
    before[i] ? setenv(names[i], before[i]->c_str(), 1) : unsetenv(names[i]);
}

} // namespace
