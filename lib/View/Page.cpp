// Puts data into the page's template. Data is compressed and in base 64, so that no text of a model can end a script.
#include "Page.h"

#include "Tiny/Support/Npy.h"
#include "Tiny/Support/SafeParse.h"
#include "Tiny/View/PageTemplate.h"
#include "llvm/Support/Base64.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/FileSystem.h"
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

/// Whether the data has what the page reads of another run.
static bool isComplete(const json::Object &data) {
  for (StringRef key : {"levels", "tags", "passes", "remarks", "rules", "views", "code"})
    if (!data.getArray(key))
      return false;
  const json::Object *kernels = data.getObject("kernels");
  const json::Value *measured = data.get("measured");
  if (!kernels || !data.getString("program") || (measured && !measured->getAsObject()))
    return false;
  auto isObject = [](const json::Value &value) { return value.getAsObject() != nullptr; };
  const json::Array *runs = measured ? measured->getAsObject()->getArray("kernels") : nullptr;
  return llvm::all_of(*kernels, [&](const auto &entry) { return isObject(entry.second); }) &&
         llvm::all_of(*data.getArray("levels"), isObject) && (!runs || llvm::all_of(*runs, isObject));
}

/// Data that a view wrote.
static Expected<std::string> readData(StringRef path) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError("cannot open '" + path + "': " + file.getError().message());
  StringRef text = (*file)->getBuffer();
  if (std::optional<size_t> line = findDeepNesting(text))
    return llvm::createStringError("'" + path + "' is no data of a view: line " + llvm::Twine(*line) +
                                   " is nested too deeply");
  Expected<json::Value> value = json::parse(text);
  if (!value)
    return llvm::createStringError("'" + path + "' is no data of a view: " + llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object || object->getString("format") != "tiny-view")
    return llvm::createStringError("'" + path + "' is no data of a view");
  if (object->getInteger("version") != 1)
    return llvm::createStringError("'" + path + "' has data of another version, expected 1");
  if (!isComplete(*object))
    return llvm::createStringError("'" + path + "' is no data of a view: parts are missing");
  return text.str();
}

/// Whether both names are those of one file.
static bool isSameFile(StringRef a, StringRef b) {
  return !a.empty() && (a == b || (a != "-" && b != "-" && llvm::sys::fs::equivalent(a, b)));
}

llvm::Error readOptions(ViewOptions &options, llvm::ArrayRef<StringRef> files) {
  for (StringRef own : {options.page, options.data})
    for (StringRef file : files)
      if (isSameFile(own, file))
        return llvm::createStringError("'" + own + "' is read or written by the program: the view needs another file");
  if (isSameFile(options.page, options.data))
    return llvm::createStringError("'" + options.page + "' cannot be both --view and --view-data");
  if (options.compare.empty())
    return llvm::Error::success();
  if (options.page.empty())
    return llvm::createStringError("--view-compare has no meaning without --view");
  Expected<std::string> read = readData(options.compare);
  if (!read)
    return read.takeError();
  options.other = std::move(*read);
  return llvm::Error::success();
}

/// As all tools do, to standard output for "-".
static llvm::Error writeFile(StringRef path, StringRef content) {
  if (path != "-")
    return writeFileAtomically(path, content);
  llvm::outs() << content;
  return llvm::Error::success();
}

llvm::Error writeView(const ViewOptions &options, const json::Value &data) {
  std::string text;
  llvm::raw_string_ostream(text) << data;
  if (!options.data.empty())
    if (llvm::Error error = writeFile(options.data, text + "\n"))
      return error;
  if (options.page.empty())
    return llvm::Error::success();
  std::string other = options.other.empty() ? "" : encode(options.other);
  StringRef page = kPageTemplate;
  auto [head, rest] = page.split("@DATA@");
  auto [middle, tail] = rest.split("@OTHER@");
  return writeFile(options.page, (head + encode(text) + middle + other + tail).str());
}

} // namespace tiny::view
