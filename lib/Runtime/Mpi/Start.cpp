// The watch over the start of ranks, before they have anything but their numbers in common.
#include "Start.h"

#include "Place.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <vector>

namespace tiny::mpi {

/// The process above this one; 0 where there is none to be seen.
static int findParent(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  size_t end = text.rfind(')');
  return end == std::string::npos || end + 4 > text.size() ? 0 : int(std::strtol(text.c_str() + end + 4, nullptr, 10));
}

/// Whether a launcher gave the process a number, when it started.
static bool wasGivenRank(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/environ");
  for (std::string entry; std::getline(file, entry, '\0');)
    for (const char *name : {"PMI_RANK=", "PMIX_RANK=", "OMPI_COMM_WORLD_RANK="})
      if (entry.compare(0, std::strlen(name), name) == 0)
        return true;
  return false;
}

/// The nearest process above that is no rank: all ranks of a machine have the same, whatever started them for it.
static int findLauncher() {
  int process = getppid();
  while (process > 1 && wasGivenRank(process))
    process = findParent(process);
  return process;
}

static int readNumber(const char *name) {
  const char *text = std::getenv(name);
  return text ? int(std::strtol(text, nullptr, 10)) : 0;
}

namespace {
/// An address without a file: it is gone with the process that has it.
struct Address {
  Address(int launcher, int rank) {
    name.sun_family = AF_UNIX;
    length = socklen_t(offsetof(sockaddr_un, sun_path) + 1 +
                       std::snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1, "tiny-ranks-%d-%d", launcher, rank));
  }
  const sockaddr *get() const { return reinterpret_cast<const sockaddr *>(&name); }

  sockaddr_un name = {};
  socklen_t length = 0;
};
} // namespace

/// The process of a rank that has come; 0 for one that has not, or not on this machine.
static int findCome(int launcher, int rank) {
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  Address address(launcher, rank);
  ucred other = {};
  socklen_t length = sizeof(other);
  if (connect(file, address.get(), address.length) || getsockopt(file, SOL_SOCKET, SO_PEERCRED, &other, &length))
    other.pid = 0;
  close(file);
  return other.pid;
}

Start::Start(double seconds) {
  const char *number = tiny_started_rank();
  if (!number)
    return;
  rank = int(std::strtol(number, nullptr, 10));
  size = std::max(readNumber("PMI_SIZE"), std::max(readNumber("PMIX_SIZE"), readNumber("OMPI_COMM_WORLD_SIZE")));
  launcher = findLauncher();
  // Kept as long as the process: another one may look much later.
  Address address(launcher, rank);
  int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(file, address.get(), address.length) || listen(file, SOMAXCONN))
    close(file);
  deadline.emplace(seconds, [this, seconds] { fail(seconds); });
}

void Start::fail(double seconds) const {
  std::vector<uint32_t> missing, stopped;
  bool isFirst = true;
  int here = std::max(readNumber("MPI_LOCALNRANKS"), readNumber("OMPI_COMM_WORLD_LOCAL_SIZE"));
  for (int other = 0; other < size; ++other) {
    if (other == rank)
      continue;
    int process = findCome(launcher, other);
    if (!process)
      missing.push_back(uint32_t(other));
    else if (isStopped(process))
      stopped.push_back(uint32_t(other));
    else if (other < rank)
      isFirst = false;
  }
  // The first one that can tells. Others end when it has, where its end did not end them.
  if (!isFirst)
    sleep(2);
  else if (!stopped.empty())
    std::fprintf(stderr, "%s %s stopped and did not start within %g s; rank %d ends\n", nameRanks(stopped).c_str(),
                 stopped.size() > 1 ? "are" : "is", seconds, rank);
  else if (!missing.empty())
    std::fprintf(stderr, "%s did not start within %g s%s; rank %d ends\n", nameRanks(missing).c_str(), seconds,
                 here == size ? "" : ", or only on another machine", rank);
  else
    std::fprintf(stderr, "ranks did not find each other within %g s; rank %d ends\n", seconds, rank);
  std::fflush(stderr);
  _exit(1);
}

} // namespace tiny::mpi
