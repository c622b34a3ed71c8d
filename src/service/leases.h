// What this server may do alone among all that share a catalog.
//
// A lease is a row that lasts kLife by the database's clock, and is prolonged while this process
// lives; a process that dies, or cannot reach the database, loses it by itself. Whoever has one
// must still do no harm when another does the same at the same time: a process may be stopped
// between looking and acting.
// Threads: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/task.h"

namespace koya {
class LeaseCatalog;
struct LeaseRecord;
}  // namespace koya

namespace koya::service {

class Leases {
 public:
  static constexpr std::chrono::seconds kLife{10};
  static constexpr std::chrono::seconds kKeepEvery{3};
  // Whoever waits to be sure lets go this much earlier: the database counts whole seconds.
  static constexpr std::chrono::seconds kTrust = kLife - std::chrono::seconds(2);
  // Moments as of TimeSinceBoot().
  using Moment = std::function<std::chrono::nanoseconds()>;

  // `address`: where this server is, for people. `catalog` must outlive this.
  Leases(LeaseCatalog& catalog, std::string address, Moment now = TimeSinceBoot);

  // Takes the lease, or has it already. False: another server has it. Fails: as the catalog.
  Task<bool> Take(std::string name);
  // The same, for work that others want to join: `address` is where they reach this server.
  Task<bool> Take(std::string name, std::string address);
  // Who has it, this server included; nothing when nobody has. Fails: as the catalog.
  Task<std::optional<LeaseRecord>> Find(std::string name);
  // Takes it from a holder who is known to be dead, and has not been replaced. False: another was
  // quicker, or the holder has ended it. Fails: as the catalog.
  Task<bool> TakeOver(LeaseRecord from, std::string address);
  // How many this server has taken, and not given back or lost.
  std::size_t held() const;
  // How many it has lost: they ran out, or went to another. Given back ones are not.
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  // Whether this server has it, and may go on.
  bool Holds(std::string_view name) const;
  // Prolongs what is held. To be called every kKeepEvery. What cannot be prolonged ends by itself.
  Task<void> Keep();
  // The same by a question that keeps more than leases, for the holder of these: asked even when
  // none is held. It returns the names of what it prolonged, in order.
  using Question = std::function<Task<std::vector<std::string>>(std::chrono::seconds life)>;
  Task<void> KeepBy(Question question);
  // What they are taken under: random, and where this server is, for people.
  const std::string& holder() const { return holder_; }
  const std::string& address() const { return address_; }
  // For who knows it late. REQUIRES: nothing was asked of this before.
  void SetAddress(std::string address) { address_ = std::move(address); }
  // Fails: as the catalog: it then ends by itself.
  Task<void> GiveBack(std::string name);

 private:
  LeaseCatalog& catalog_;
  const std::string holder_;
  std::string address_;
  const Moment now_;
  std::atomic<std::uint64_t> lost_ = 0;
  mutable std::mutex mutex_;                                           // of what follows
  std::map<std::string, std::chrono::nanoseconds, std::less<>> held_;  // asked for when
};

}  // namespace koya::service
