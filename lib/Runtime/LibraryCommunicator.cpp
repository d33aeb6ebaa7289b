// Communicators that are libraries of their own, found by name.
#include "Communicator.h"
#include "Error.h"
#include "Handles.h"

#include <cctype>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>
#include <string>
#include <unistd.h>

using namespace tiny::runtime;

namespace {

class LibraryCommunicator : public tiny_communicator {
public:
  LibraryCommunicator(const tiny_communicator_library &library, void *state, uint32_t rank, uint32_t size)
      : tiny_communicator(rank, size), library(library), state(state) {}
  ~LibraryCommunicator() override { library.close(state); }

  tiny_status call(const tiny_group_call &call) override {
    char message[kMessageSize] = "";
    if (!library.call(state, &call, message, sizeof(message)))
      return TINY_OK;
    return fail(TINY_DEVICE_ERROR, "%.400s", message);
  }
  void abort(const char *message) override { library.abort(state, message); }
  void passOver() override {
    if (library.pass_over)
      library.pass_over(state);
  }

private:
  const tiny_communicator_library &library;
  void *state;
};

/// Where the library may be, the likeliest first.
std::vector<std::string> listPaths(const std::string &name) {
  std::string file = "libTinyCommunicator_" + name + ".so";
  std::vector<std::string> paths;
  if (const char *folder = std::getenv("TINY_COMMUNICATOR_PATH"))
    paths.push_back(std::string(folder) + "/" + file);
  char program[4096];
  ssize_t length = readlink("/proc/self/exe", program, sizeof(program));
  if (length > 0 && size_t(length) < sizeof(program)) {
    std::string folder(program, size_t(length));
    folder.resize(folder.rfind('/') == std::string::npos ? 0 : folder.rfind('/'));
    paths.push_back(folder + "/" + file);
    paths.push_back(folder + "/../lib/" + file);
  }
  // Where the runtime is a part of another library, such as Python's module.
  Dl_info own;
  if (dladdr(reinterpret_cast<void *>(&tiny_communicator_open), &own) && own.dli_fname) {
    std::string folder = own.dli_fname;
    if (size_t end = folder.rfind('/'); end != std::string::npos) {
      paths.push_back(folder.substr(0, end + 1) + file);
      paths.push_back(folder.substr(0, end + 1) + "../lib/" + file);
    }
  }
  paths.push_back(file);
  return paths;
}

} // namespace

tiny_status tiny_communicator_open(const char *name, tiny_communicator **communicator) {
  return guarded([&]() -> tiny_status {
    if (!name || !communicator)
      return fail(TINY_INVALID_ARGUMENT, "name or out parameter is null");
    for (const char *letter = name; *letter; ++letter)
      if (!std::isalnum(static_cast<unsigned char>(*letter)) && *letter != '_')
        return fail(TINY_INVALID_ARGUMENT, "'%.100s' is no name of a communicator", name);
    if (std::strcmp(name, "nccl") == 0) {
      const char *chosen = std::getenv("TINY_NCCL_CONTROL");
      tiny_communicator *control = nullptr;
      if (tiny_status status = tiny_communicator_open(chosen && *chosen ? chosen : "mpi", &control))
        return status;
      tiny_status status = tiny_communicator_create_nccl(control, communicator);
      Failure failure = status ? Failure::ofThisThread(status) : Failure();
      tiny_communicator_release(control);
      return failure.report();
    }
    // The library stays: what it has begun, as MPI, can not be begun again.
    void *handle = nullptr;
    std::string why;
    for (const std::string &path : listPaths(name)) {
      handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle)
        break;
      const char *error = dlerror();
      if (access(path.c_str(), R_OK) == 0 || why.empty())
        why = error ? error : "";
    }
    if (!handle)
      return fail(TINY_NOT_FOUND, "there is no communicator '%.100s': %.300s", name, why.c_str());
    auto get = reinterpret_cast<tiny_communicator_library_fn>(dlsym(handle, "tiny_communicator_library_get"));
    const tiny_communicator_library *library = get ? get() : nullptr;
    if (!library || library->version != TINY_COMMUNICATOR_VERSION)
      return fail(TINY_UNSUPPORTED, "the library of communicator '%.100s' has version %u, expected %u", name,
                  library ? library->version : 0, TINY_COMMUNICATOR_VERSION);
    static tiny_communicator_host host = {TINY_COMMUNICATOR_VERSION, tiny_reduce, describeCollective, 0};
    double timeout = 0;
    if (tiny_status status = readTimeout("TINY_START_TIMEOUT", host.timeout))
      return status;
    if (tiny_status status = readTimeout("TINY_COLLECTIVE_TIMEOUT", timeout))
      return status;
    void *state = nullptr;
    uint32_t rank = 0, size = 0;
    char message[kMessageSize] = "";
    if (library->open(&host, &state, &rank, &size, message, sizeof(message)))
      return fail(TINY_DEVICE_ERROR, "communicator '%.100s': %.300s", name, message);
    std::unique_ptr<tiny_communicator> made(new LibraryCommunicator(*library, state, rank, size));
    made->timeout = timeout;
    enterHandle(made.get(), HandleKind::Communicator);
    *communicator = made.release();
    return TINY_OK;
  });
}
