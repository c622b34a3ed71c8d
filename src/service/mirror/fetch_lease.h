// One download for all servers of a cluster: whoever has the lease fetches, the others follow.
//
// A lease saves a download and protects nothing: two who fetch the same thing at once do no harm.
// So a catalog that does not answer stops nobody.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "base/task.h"
#include "domain/lease_record.h"

namespace koya {
class Logger;
}
namespace koya::peers {
class FillOffers;
class PeerSource;
}  // namespace koya::peers

namespace koya::service {

class Leases;

// What this server has to do with others; all of it outlives who is given this. All null: it is
// alone, and asks nobody.
struct ClusterLinks {
  Leases* leases = nullptr;
  peers::PeerSource* peers = nullptr;
  peers::FillOffers* offers = nullptr;
  std::string_view address = {};  // HOST:PORT where others read `offers`; "": nowhere
};

// Of one fetch, and its coroutine's. Ends by GiveBack(), or by itself seconds later.
class FetchLease {
 public:
  enum class Standing {
    kOurs,    // this server is the one that fetches
    kAlone,   // so does it, without a lease: there are no others, or the catalog does not answer
    kOthers,  // another server is at it: other()
  };

  // `links` and `log` outlive this.
  FetchLease(const ClusterLinks& links, std::string name, Logger& log)
      : links_(links), name_(std::move(name)), log_(log) {}

  // Takes the lease when it can be had. Once it is ours, or we are alone, that stays.
  Awaitable<Standing> Stand();
  // As of the last Stand(). Without a holder: it was given back just then.
  const LeaseRecord& other() const { return other_; }
  // Takes it from other(), who is dead. Returns whether it is ours now.
  Awaitable<bool> TakeOver();
  bool IsOurs() const { return standing_ == Standing::kOurs; }
  // From now on it is fetched without a lease.
  void GoAlone() { standing_ = Standing::kAlone; }
  // When it is ours, it is nobody's afterwards.
  Awaitable<void> GiveBack();

 private:
  Awaitable<bool> LookAtOther();
  void TellAlone(const Error& error);

  const ClusterLinks& links_;
  const std::string name_;
  Logger& log_;
  Standing standing_ = Standing::kOthers;
  bool looked_ = false;
  LeaseRecord other_;
};

// Between two looks at what others do: 0.2 s to `most`, by chance, so that they do not all come at
// once. Ends early when `stop` is requested.
Awaitable<void> PauseForOthers(std::stop_token stop, std::chrono::milliseconds most);

}  // namespace koya::service
