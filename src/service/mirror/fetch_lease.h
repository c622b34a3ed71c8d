// Coordinates downloads in a cluster: the server that holds the lease fetches, the others follow.
//
// A lease only saves downloads and protects nothing: concurrent fetches of the same thing do no
// harm. A server therefore fetches without a lease when the catalog does not answer.
#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "domain/replica_record.h"

namespace koya {
class Logger;
}
namespace koya::peers {
class FillOffers;
class PeerSource;
}  // namespace koya::peers

namespace koya::service {

class Leases;

// Links this server to the others on the same catalog. A server that is alone has none. Everything
// referenced outlives its users.
struct ClusterLinks {
  Leases& leases;
  peers::PeerSource& peers;
  peers::FillOffers* offers = nullptr;  // null: other servers cannot read here
  std::string_view address = {};        // HOST:PORT where other servers read `offers`; "": none
};

// The lease of one fetch, for one coroutine. Ends by GiveBackAfter(), or expires seconds later.
class FetchLease {
 public:
  enum class LeaseState {
    kOurs,    // this server fetches
    kAlone,   // this server, without a lease: the catalog does not answer, or SkipLease()
    kOthers,  // another server fetches: other()
  };

  // `links` and `log` outlive this.
  FetchLease(const ClusterLinks& links, std::string name, Logger& log)
      : links_(links), name_(std::move(name)), log_(log) {}

  // Takes the lease if it is free. Later calls keep kOurs and kAlone.
  Awaitable<LeaseState> Acquire();
  // The other server's lease as of the last Acquire(). No holder: it was given back at that moment.
  const LeaseRecord& other() const { return other_; }
  // Takes the lease from other(), which is dead. Returns whether this server has it now.
  Awaitable<bool> TakeOver();
  bool IsOurs() const { return state_ == LeaseState::kOurs; }
  // Fetches without a lease from now on.
  void SkipLease() { state_ = LeaseState::kAlone; }
  // Awaits `work`, then releases the lease if this server has it, also if `work` throws.
  template <class T>
  Task<T> GiveBackAfter(Task<T> work) {
    std::optional<Result<T>> result;
    std::exception_ptr thrown;
    try {
      result.emplace(co_await std::move(work));
    } catch (...) {
      thrown = std::current_exception();
    }
    co_await GiveBack();
    if (thrown) std::rethrow_exception(thrown);
    co_return *std::move(result);
  }

 private:
  Awaitable<void> GiveBack();
  Awaitable<bool> LookAtOther();
  void LogAlone(const Error& error);

  const ClusterLinks& links_;
  const std::string name_;
  Logger& log_;
  LeaseState state_ = LeaseState::kOthers;
  bool looked_ = false;
  LeaseRecord other_;
};

// Pauses between two checks of the other servers: a random time from 0.2 s to `most`, so that they
// do not all check at once. Ends early when `stop` is requested.
Awaitable<void> PauseForOthers(std::stop_token stop, std::chrono::milliseconds most);

}  // namespace koya::service
