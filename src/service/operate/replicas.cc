#include "service/operate/replicas.h"

#include <chrono>
#include <utility>

#include "catalog/replica_catalog.h"
#include "domain/replica_record.h"
#include "service/common/change_feed.h"
#include "service/common/database_clock.h"
#include "service/common/leases.h"

namespace koya::service {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

// The catalog counts as unresponsive when the change feed was confirmed longer ago than this.
constexpr std::chrono::seconds kOfLate{2};

}  // namespace

Replica::Replica(ReplicaCatalog& catalog, Leases& leases, const ChangeFeed& changes,
                 const DatabaseClock& clock, Program program)
    : catalog_(catalog),
      leases_(leases),
      changes_(changes),
      clock_(clock),
      program_(std::move(program)) {}

ReplicaRecord Replica::Record() const {
  auto feed_age = std::chrono::steady_clock::now() - changes_.ConfirmedAt();
  return {.id = leases_.holder(),
          .address = leases_.address(),
          .version = program_.version,
          .schema_step = program_.schema_step,
          .feed_age = duration_cast<milliseconds>(feed_age),
          .clock_ahead = duration_cast<milliseconds>(clock_.ahead()),
          .settings = program_.settings};
}

Task<void> Replica::RenewRegistration() {
  const auto now = std::chrono::steady_clock::now();
  if (said_at_ && now - *said_at_ < program_.rest) co_return co_await leases_.RenewLeases();
  Leases::Question question = [this](std::chrono::seconds life) {
    return catalog_.KeepReplica(Record(), life);
  };
  CO_RETURN_IF_ERROR(co_await leases_.RenewLeasesBy(std::move(question)));
  said_at_ = now;
  co_return Status();
}

Task<void> Replica::Unregister() {
  if (std::chrono::steady_clock::now() - changes_.ConfirmedAt() > kOfLate) co_return Status();
  co_return co_await catalog_.RemoveReplica(leases_.holder());
}

Task<std::vector<Replicas::Seen>> Replicas::List() {
  ASSIGN_OR_CO_RETURN(std::vector<ReplicaRecord> records, co_await catalog_.ListReplicas());
  ASSIGN_OR_CO_RETURN(std::vector<LeaseRecord> leases, co_await leases_.ListLeases());
  std::vector<Seen> seen;
  for (ReplicaRecord& record : records) {
    Seen each{.replica = std::move(record), .leases = {}};
    for (const LeaseRecord& lease : leases) {
      if (lease.holder == each.replica.id) each.leases.push_back(lease.name);
    }
    seen.push_back(std::move(each));
  }
  co_return seen;
}

std::vector<std::string> Replicas::DescribeDifferences(const std::vector<Seen>& seen) {
  std::vector<SharedSettings> servers;
  for (const Seen& each : seen) servers.push_back({each.replica.address, each.replica.settings});
  return koya::DescribeDifferences(servers);
}

}  // namespace koya::service
