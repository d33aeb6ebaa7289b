// Puts data into the page's template. Data is compressed and in base 64, so that no text of a model can end a script.
#include "Page.h"

#include "Tiny/Support/Npy.h"
#include "Tiny/View/PageTemplate.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MemoryBuffer.h"

namespace json = llvm::json;
using llvm::Expected;
using llvm::StringRef;

namespace tiny::view {

/// The bytes in base 64, compressed where LLVM can. Which of both its first letter says: 'z' or 'p'.
static std::string encode(StringRef bytes) {
  if (!llvm::compression::zlib::isAvailable())
    return "p" + llvm::encodeBase64(bytes);
  llvm::SmallVector<uint8_t, 0> packed;
  llvm::compression::zlib::compress(llvm::arrayRefFromStringRef(bytes), packed,
                                    llvm::compression::zlib::BestSizeCompression);
  return "z" + llvm::encodeBase64(packed);
}

/// Data that a view wrote.
static Expected<std::string> readData(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError("cannot open '" + path + "': " + file.getError().message());
  Expected<json::Value> value = json::parse((*file)->getBuffer());
  if (!value)
    return llvm::createStringError("'" + path + "' is no data of a view: " + llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object || object->getString("format") != "tiny-view")
    return llvm::createStringError("'" + path + "' is no data of a view");
  if (object->getInteger("version") != 1)
    return llvm::createStringError("'" + path + "' has data of another version, expected 1");
  return (*file)->getBuffer().str();
}

llvm::Error checkOptions(const ViewOptions &options) {
  if (options.compare.empty())
    return llvm::Error::success();
  if (options.page.empty())
    return llvm::createStringError("--view-compare has no meaning without --view");
  return readData(options.compare).takeError();
}

llvm::Error writeView(const ViewOptions &options, const json::Value &data) {
  std::string text;
  llvm::raw_string_ostream(text) << data;
  if (!options.data.empty())
    if (llvm::Error error = writeFileAtomically(options.data, text + "\n"))
      return error;
  if (options.page.empty())
    return llvm::Error::success();
  std::string other;
  if (!options.compare.empty()) {
    Expected<std::string> read = readData(options.compare);
    if (!read)
      return read.takeError();
    other = encode(*read);
  }
  StringRef page = kPageTemplate;
  auto [head, rest] = page.split("@DATA@");
  auto [middle, tail] = rest.split("@OTHER@");
  return writeFileAtomically(options.page, (head + encode(text) + middle + other + tail).str());
}

} // namespace tiny::view
