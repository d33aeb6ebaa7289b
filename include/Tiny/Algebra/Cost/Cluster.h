// Runs a program's items on many ranks, in predicted time.
//
// Every rank has a clock. A kernel moves it on; an exchange begins when the last rank of its group is there, and ends
// for all of them together. The network is a tree: the record's distances, from the nearest on, say how many ranks of
// consecutive numbers a unit of each level holds. Exchanges are rounds of messages; in a round all groups of the
// program send at once, and messages that leave or enter one unit share what its link carries.
#ifndef TINY_ALGEBRA_COST_CLUSTER_H
#define TINY_ALGEBRA_COST_CLUSTER_H

#include "Tiny/Algebra/Cost/Network.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tiny::cost {

/// The ranks of a grid, row-major, and the tree that they are leaves of.
class Topology {
public:
  Topology(llvm::ArrayRef<int64_t> grid, const Machine &machine);

  int64_t countRanks() const { return ranks; }
  /// Ranks of a group along these axes of the grid.
  int64_t countGroup(llvm::ArrayRef<int64_t> axes) const;
  /// Group after group, each in its own order.
  std::vector<int32_t> listGroups(llvm::ArrayRef<int64_t> axes) const;
  /// The place of a rank on an axis of the grid.
  int64_t getPlace(int64_t rank, int64_t axis) const;

  /// A message from one rank to another.
  struct Message {
    int32_t from, to;
  };
  /// What a message takes while all of the list are under way: nanoseconds, and nanoseconds a byte.
  struct Time {
    double latency = 0, perByte = 0;
  };
  std::vector<Time> timeMessages(llvm::ArrayRef<Message> messages) const;

private:
  struct Level {
    /// Ranks of a unit, and the bytes a nanosecond that leave one unit of the level below.
    int64_t ranks;
    double latency, uplink;
  };
  /// The level of the smallest unit that holds both.
  size_t findLevel(Message message) const;

  llvm::SmallVector<int64_t> grid;
  int64_t ranks = 1;
  llvm::SmallVector<Level> levels;
};

/// What exchanges along some axes take by one algorithm: for each group nanoseconds, and nanoseconds for each byte of
/// the whole tensor.
struct ExchangePlan {
  /// "ring", "halving" and their like.
  llvm::StringRef algorithm;
  std::vector<Topology::Time> groups;
  /// The slowest group's.
  double predict(double bytes) const;
};

/// Every usual algorithm for an exchange. Rounds at more distances than some 64 are sampled.
std::vector<ExchangePlan> planExchange(const Topology &topology, Exchange kind, llvm::ArrayRef<int64_t> axes);

/// What a message takes that in each group goes from one place to another.
std::vector<Topology::Time> planMessage(const Topology &topology, llvm::ArrayRef<int64_t> axes,
                                        std::array<int64_t, 2> peers);

/// One item of a program.
struct ClusterItem {
  enum class Kind { Kernel, Exchange, Loop, Branch };
  Kind kind = Kind::Kernel;
  std::string name;
  /// Nanoseconds of a kernel.
  double time = 0;
  /// Of an exchange: its kind, bytes of the whole tensor, and axes of the grid.
  Exchange exchange = Exchange::AllReduce;
  int64_t bytes = 0;
  llvm::SmallVector<int64_t> axes;
  /// Of a message: from which place of a group to which.
  std::array<int64_t, 2> peers = {0, 0};
  /// The places on an axis of the grid whose ranks run the item; no places: all.
  int64_t stageAxis = 0;
  llvm::SmallVector<int64_t> places;
  /// Buffers that it touches, by number: exchanges that run beside kernels are waited for by who needs theirs.
  llvm::SmallVector<unsigned> buffers;
  /// An exchange that the program lets run beside kernels. The last of its buffers is the one that it writes: who
  /// touches that one waits for it.
  bool isAsync = false;
  /// Of a loop how often it runs.
  int64_t count = 1;
  std::vector<ClusterItem> body, otherwise;
};

struct ClusterOptions {
  /// All exchanges run beside kernels that touch none of their buffers, one after the other; otherwise async ones.
  bool overlaps = false;
  /// Async exchanges run beside kernels. False where the ranks of a machine have no processor left for that.
  bool overlapsAsync = true;
  /// Each kernel takes up to this share longer, drawn for each rank and run of it.
  double jitter = 0;
  uint64_t seed = 1;
};

/// What one item took, over all its runs.
struct ItemTime {
  const ClusterItem *item = nullptr;
  int64_t runs = 0;
  /// Nanoseconds on the last rank: a kernel's; an exchange's from when the group's last one was there.
  double time = 0;
  /// Nanoseconds that ranks waited for others, on average.
  double waited = 0;
  llvm::StringRef algorithm;
};

/// A step on the ranks.
struct ClusterTimes {
  /// Nanoseconds until the last rank is done; of these on average in kernels, in exchanges that ranks waited for, and
  /// waiting for other ranks.
  double step = 0, kernels = 0, exchanges = 0, waiting = 0;
  /// Bytes that a rank sends, by a ring.
  double sent = 0;
  /// In the order of the program, without nesting.
  std::vector<ItemTime> items;
};

/// Loops run three times and go on alike; of two lists the longer one is run.
ClusterTimes simulateCluster(llvm::ArrayRef<ClusterItem> items, const Topology &topology,
                             const ClusterOptions &options = {});

} // namespace tiny::cost

#endif // TINY_ALGEBRA_COST_CLUSTER_H
