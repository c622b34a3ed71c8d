// Leases: rights to do a job alone among all servers that share a catalog.
//
// A lease is a row that lasts kLife by the database's clock, and is renewed while this process
// lives; a process that dies, or cannot reach the database, loses it automatically. The holder of a
// lease must still do no harm when another server does the same at the same time: a process may be
// stopped between check and action.
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
  // A holder stops relying on its lease this much earlier: the database counts whole seconds.
  static constexpr std::chrono::seconds kTrust = kLife - std::chrono::seconds(2);
  // Moments as of TimeSinceBoot().
  using Moment = std::function<std::chrono::nanoseconds()>;

  // `address`: this server's address, for people. `catalog` must outlive this.
  Leases(LeaseCatalog& catalog, std::string address, Moment now = TimeSinceBoot);

  // Takes the lease, or confirms that this server has it. False: another server has it. Fails: as
  // the catalog.
  Task<bool> TakeLease(std::string name);
  // The same, for work that other servers join: `address` is where they reach this server.
  Task<bool> TakeLease(std::string name, std::string address);
  // The holder, which may be this server; nullopt: the lease is free. Fails: as the catalog.
  Task<std::optional<LeaseRecord>> FindLease(std::string name);
  // Takes the lease over from a holder that is known to be dead. False: another server was faster,
  // or the holder has ended the lease. Fails: as the catalog.
  Task<bool> TakeOver(LeaseRecord from, std::string address);
  // Number of leases that this server has taken and neither given back nor lost.
  std::size_t held() const;
  // Number of leases lost: they expired, or another server took them. Not those given back.
  std::uint64_t lost() const { return lost_.load(std::memory_order_relaxed); }
  // Whether this server has the lease and may go on.
  bool Holds(std::string_view name) const;
  // Renews all held leases; call every kKeepEvery. A lease that cannot be renewed expires.
  Task<void> RenewLeases();
  // The same with a query that renews this holder's leases and does other work; it runs even when
  // no lease is held. `question` returns the names of the renewed leases, sorted.
  using Question = std::function<Task<std::vector<std::string>>(std::chrono::seconds life)>;
  Task<void> RenewLeasesBy(Question question);
  // The id under which leases are taken: random. `address`: this server's address, for people.
  const std::string& holder() const { return holder_; }
  const std::string& address() const { return address_; }
  // Sets an address that is known late. REQUIRES: no other method was called before.
  void SetAddress(std::string address) { address_ = std::move(address); }
  // Fails: as the catalog; the lease then expires.
  Task<void> GiveBack(std::string name);

 private:
  LeaseCatalog& catalog_;
  const std::string holder_;
  std::string address_;
  const Moment now_;
  std::atomic<std::uint64_t> lost_ = 0;
  mutable std::mutex mutex_;                                           // guards the fields below
  std::map<std::string, std::chrono::nanoseconds, std::less<>> held_;  // last request, by name
};

}  // namespace koya::service
