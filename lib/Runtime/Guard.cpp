// The guard of a rank: the process that the launcher started waits for another, which does the work.
//
// A launcher ends all ranks when one dies, and so everybody who could tell which one it was. The guard tells before the
// launcher knows that anything has happened. It also ends its rank when the launcher itself dies: a killed
// hydra_pmi_proxy leaves its processes running, and mpirun does not notice. A rank that has joined the others and ends
// as if all were well without having left them looks to a launcher like one that is done: the guard says what happened.
#include "Tiny/Runtime/Communicator.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// A descriptor that is readable when the process has ended; -1 where the kernel has none.
static int watchProcess([[maybe_unused]] pid_t process) {
#ifdef SYS_pidfd_open
  return int(syscall(SYS_pidfd_open, process, 0));
#else
  return -1;
#endif
}

/// Waits for the child. Does not return where the launcher dies before it: the child dies with this process.
static int waitBelow(pid_t launcher, pid_t child) {
  pollfd files[] = {{watchProcess(launcher), POLLIN, 0}, {watchProcess(child), POLLIN, 0}};
  bool canWatch = files[0].fd >= 0 && files[1].fd >= 0;
  constexpr int kPollPeriod = 200; // in milliseconds, without descriptors of processes
  while (true) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child)
      return status;
    // Processes of a dead one get another parent. A signal to a parent's death would come from its thread's death, too.
    if (getppid() != launcher)
      _exit(1);
    (void)poll(files, canWatch ? 2 : 0, canWatch ? -1 : kPollPeriod);
  }
}

/// Whether the rank has joined the others and not left them: MPI's communicator writes a mark for either into the pipe.
static bool isAmongOthers(int marks) {
  char mark = 0, last = 0;
  while (read(marks, &mark, 1) == 1)
    last = mark;
  return last == TINY_RANK_JOINED;
}

const char *tiny_guard_rank(const char *name) {
  const char *rank = tiny_started_rank();
  int marks[2];
  if (!rank || std::getenv("TINY_RANK_GUARDED") || pipe2(marks, O_CLOEXEC))
    return rank;
  pid_t launcher = getppid(), guard = getpid(), child = fork();
  if (child == 0) {
    close(marks[0]);
    setenv("TINY_RANK_GUARDED", std::to_string(marks[1]).c_str(), 1);
    // Whoever ends the guard ends the rank.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != guard)
      _exit(1);
    return rank;
  }
  close(marks[1]);
  // Without a process of its own the rank is this one.
  if (child < 0) {
    close(marks[0]);
    return rank;
  }
  int status = waitBelow(launcher, child);
  // Processes that the rank forked may still hold the pipe open.
  fcntl(marks[0], F_SETFL, O_NONBLOCK);
  // A rank that fails by itself, with exit code 1, says why.
  bool isEarly = WIFEXITED(status) && WEXITSTATUS(status) != 1 && isAmongOthers(marks[0]);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !isEarly)
    _exit(0);
  int signal = WIFSIGNALED(status) ? WTERMSIG(status) : SIGTERM;
  // What carries messages may abort where the peer has died from which it reads: that one's guard goes first.
  constexpr useconds_t kPeersGuard = 500'000;
  if (signal == SIGABRT)
    usleep(kPeersGuard);
  if (WIFSIGNALED(status))
    std::fprintf(stderr, "%s: error: rank %s has died, process %d: %s\n", name, rank, int(child), strsignal(signal));
  else if (isEarly)
    std::fprintf(stderr, "%s: error: rank %s has ended in the middle of a program, process %d: exit code %d\n", name,
                 rank, int(child), WEXITSTATUS(status));
  // An exit before the rank has joined the others looks to a launcher as if all were well, and these would wait for it.
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  std::signal(signal, SIG_DFL);
  raise(signal);
  _exit(1);
}
