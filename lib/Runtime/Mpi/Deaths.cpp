// The watch over other ranks' processes, by descriptors of them.
#include "Deaths.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tiny::mpi {

/// An old kernel has no descriptors of processes: then the time limit finds out.
void Deaths::add([[maybe_unused]] int process, [[maybe_unused]] int rank) {
#ifdef SYS_pidfd_open
  int file = int(syscall(SYS_pidfd_open, process, 0));
  if (file < 0)
    return;
  files.push_back({file, POLLIN, 0});
  ranks.push_back(rank);
#endif
}

void Deaths::start(int own, const std::vector<Place *> &places) {
  stop();
  files.push_back({eventfd(0, EFD_CLOEXEC), POLLIN, 0});
  ranks.push_back(own);
  // The one that started the process: another one stands above it where that died while nobody watched.
  launcher = launcher > 0 ? launcher : getppid();
  if (getppid() != launcher)
    _exit(1);
  // A launcher that is process 1 is that of a container, which ends with it.
  if (tiny_started_rank() && launcher > 1)
    add(launcher, -1);
  for (size_t rank = 0; rank < places.size(); ++rank)
    if (places[rank] && int(rank) != own)
      add(places[rank]->process, int(rank));
  if (files.size() > 1)
    thread = std::thread([this, own, places] { watch(own, places); });
}

void Deaths::watch(int own, const std::vector<Place *> &places) {
  while (true) {
    if (poll(files.data(), nfds_t(files.size()), -1) < 0)
      continue;
    if (files[0].revents)
      return;
    for (size_t k = 1; k < files.size(); ++k) {
      if (!files[k].revents)
        continue;
      if (ranks[k] < 0) {
        if (places.empty() ? own == 0 : tellFirst(places))
          std::fprintf(stderr, "the launcher of rank %d has died, process %d; its ranks end\n", own, launcher);
        std::fflush(stderr);
        _exit(1);
      }
      const Place &place = *places[size_t(ranks[k])];
      if (place.hasLeft.load()) {
        files[k].fd = -1 - files[k].fd; // poll passes over it
        continue;
      }
      // A guard tells, and the launcher ends this process: both get time for it.
      if (std::getenv("TINY_RANK_GUARDED"))
        sleep(2);
      else if (tellFirst(places))
        std::fprintf(stderr, "rank %d has died, process %d; rank %d ends\n", ranks[k], place.process, own);
      std::fflush(stderr);
      _exit(1);
    }
  }
}

void Deaths::stop() {
  if (thread.joinable()) {
    uint64_t one = 1;
    while (write(files[0].fd, &one, sizeof(one)) < 0 && errno == EINTR)
      ;
    thread.join();
  }
  for (pollfd &file : files)
    ::close(file.fd < 0 ? -1 - file.fd : file.fd);
  files.clear();
  ranks.clear();
}

} // namespace tiny::mpi
