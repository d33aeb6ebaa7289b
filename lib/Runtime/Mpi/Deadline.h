// A limit for what cannot be asked whether it will end.
#ifndef TINY_LIB_RUNTIME_MPI_DEADLINE_H
#define TINY_LIB_RUNTIME_MPI_DEADLINE_H

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace tiny::mpi {

/// Calls `late` on a thread of its own each time that so many seconds have passed, until it is gone itself.
class Deadline {
public:
  Deadline(double seconds, std::function<void()> late)
      : thread([this, seconds, late = std::move(late)] {
          std::unique_lock<std::mutex> lock(mutex);
          while (!ended.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return hasEnded; }))
            late();
        }) {}
  ~Deadline() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      hasEnded = true;
    }
    ended.notify_all();
    thread.join();
  }

private:
  std::mutex mutex;
  std::condition_variable ended;
  bool hasEnded = false;
  std::thread thread; ///< last: it uses the others
};

} // namespace tiny::mpi

#endif // TINY_LIB_RUNTIME_MPI_DEADLINE_H
