// Reads a program from a file (ONNX, MLIR text or bytecode), and reduces diagnostics to one line.
#include "Tiny/Driver/Source.h"

#include "Decisions.h"
#include "Tiny/Driver/Family.h"
#include "Tiny/Import/Onnx.h"
#include "Tiny/Import/Tosa/Passes.h"
#include "Tiny/Support/Family.h"
#include "Tiny/Support/FileMapping.h"
#include "Tiny/Support/SafeParse.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace tiny {

/// The most that an open dimension may have where --dim says nothing of it.
static constexpr int64_t kDefaultMost = 512;

/// The place in a file that a location leads to, or the name that it has, as the beginning of a message.
static std::string formatPlace(Location loc) {
  std::string file, name;
  loc->walk([&](Location part) {
    if (auto place = dyn_cast<FileLineColLoc>(part); place && file.empty()) {
      llvm::raw_string_ostream stream(file);
      stream << place.getFilename().getValue() << ":";
      // A module is all of its file: it has no line.
      if (place.getLine() > 0)
        stream << place.getLine() << ":" << place.getColumn() << ":";
      stream << " ";
    }
    if (auto named = dyn_cast<NameLoc>(part); named && name.empty())
      name = "'" + named.getName().str() + "': ";
    return WalkResult::advance();
  });
  return file.empty() ? name : file;
}

static std::string formatLine(Diagnostic &diagnostic) {
  std::string text = formatPlace(diagnostic.getLocation());
  llvm::raw_string_ostream stream(text);
  stream << diagnostic;
  // A printed operation in a message may have several lines.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return StringRef(text).rtrim().str();
}

FirstError::FirstError(MLIRContext *context)
    : handler(context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && message.empty())
          message = formatLine(diagnostic);
        // Remarks and warnings go on to whoever listens.
        return success(diagnostic.getSeverity() == DiagnosticSeverity::Error);
      }) {}

llvm::Error FirstError::take(const Twine &otherwise) {
  return llvm::createStringError(message.empty() ? otherwise.str() : message);
}

llvm::Error addPath(StringRef path, llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  return llvm::createStringError(StringRef(message).starts_with(path) ? message : (path + ": " + message).str());
}

llvm::Expected<DimSizes> parseDims(ArrayRef<std::string> texts) {
  DimSizes dims;
  for (const std::string &text : texts) {
    auto [name, size] = StringRef(text).rsplit('=');
    auto [least, most] = size.split("..");
    DimSize number;
    if (name.empty() || least.getAsInteger(10, number.least) ||
        (least.size() == size.size() ? least : most).getAsInteger(10, number.most) || number.least < 0)
      return llvm::createStringError("--dim " + text + ": expected NAME=SIZE or NAME=LEAST..MOST");
    if (number.most < number.least)
      return llvm::createStringError("--dim " + text + ": the least size is more than the most");
    if (!dims.try_emplace(name, number).second)
      return llvm::createStringError("--dim " + text + ": '" + name + "' has a size already");
  }
  return dims;
}

llvm::Expected<OwningOpRef<ModuleOp>> readSource(StringRef path, MLIRContext *context, const DimSizes &dims,
                                                 bool isWithin) {
  llvm::Expected<std::shared_ptr<const FileMapping>> file = FileMapping::open(path);
  if (!file)
    return file.takeError();
  return parseSource(path, (*file)->getBytes(), context, dims, isWithin);
}

llvm::Expected<OwningOpRef<ModuleOp>> parseSource(StringRef path, StringRef bytes, MLIRContext *context,
                                                  const DimSizes &dims, bool isWithin) {
  FirstError errors(context);
  if (path.ends_with(".onnx")) {
    OnnxImportOptions options;
    OnnxChoices choices;
    choices.otherwise = kDefaultMost;
    options.choices = &choices;
    options.folder = llvm::sys::path::parent_path(path).str();
    auto import = [&](const llvm::StringMap<int64_t> &sizes) -> llvm::Expected<OwningOpRef<ModuleOp>> {
      options.dims = sizes;
      if (OwningOpRef<ModuleOp> module = importOnnx(bytes, context, options))
        return module;
      return errors.take("cannot be imported");
    };
    auto build = [&] {
      return buildProgram(
          dims, context, import,
          [&](DimSizes &all) {
            for (const std::string &name : choices.unsized)
              all[name] = {1, kDefaultMost};
          },
          [&](ArrayRef<StringRef> names, ArrayRef<Bounds> bounds, ArrayRef<SizePoint> points) {
            return checkDecisions(choices, names, bounds, points);
          },
          isWithin);
    };
    llvm::Expected<OwningOpRef<ModuleOp>> module = build();
    // A size that is data is at least 0, unless there the program is another one.
    auto isRaised = [&](ModuleOp family) {
      auto sizes = family->getAttrOfType<DictionaryAttr>(kSizesAttr);
      return sizes && llvm::any_of(sizes, [&](NamedAttribute size) {
               auto bounds = cast<DenseI64ArrayAttr>(size.getValue());
               return bounds[0] > 0 && !dims.contains(size.getName()) &&
                      choices.unsized.count(size.getName().str()) == 0;
             });
    };
    // Where some sizes cut a slice short, its extent is no polynomial of them.
    if ((!module || isRaised(**module)) && choices.measureSlices()) {
      llvm::Expected<OwningOpRef<ModuleOp>> other = build();
      if (other || !module)
        std::swap(module, other);
      llvm::consumeError(other ? llvm::Error::success() : other.takeError());
    }
    std::string bounds;
    for (const std::string &name : choices.unsized)
      bounds += (bounds.empty() ? "" : ", ") + name + "=1.." + std::to_string(kDefaultMost);
    if (!module)
      return llvm::createStringError(path + ": " + llvm::toString(module.takeError()) +
                                     (bounds.empty() ? "" : "; open sizes that --dim does not give: " + bounds));
    if (!bounds.empty())
      emitRemark(UnknownLoc::get(context)) << path << ": open sizes that --dim does not give: " << bounds;
    return module;
  }
  if (!dims.empty())
    return llvm::createStringError(path + ": only an ONNX model leaves dimensions open for --dim");

  std::string message;
  if (OwningOpRef<ModuleOp> module = parseSafely(bytes, path, context, message)) {
    if (succeeded(convertTosaToTensor(*module)))
      return module;
  }
  if (message.empty())
    message = llvm::toString(errors.take("cannot be parsed"));
  return addPath(path, llvm::createStringError(message));
}

} // namespace tiny
