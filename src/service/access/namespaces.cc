#include "service/access/namespaces.h"

#include <memory>
#include <utility>
#include <vector>

#include "domain/topic.h"

namespace koya::service {
namespace {

NamespaceOwners FirstOwners(std::vector<GrantRecord> grants) {
  NamespaceOwners owners;
  for (GrantRecord& grant : grants) {
    if (grant.role != Role::kOwner) continue;
    if (owners.owners.size() == NamespaceOwners::kMost) {
      ++owners.more;
    } else {
      owners.owners.push_back({std::move(grant.grantee), grant.kind});
    }
  }
  return owners;
}

std::uint64_t OwnersCost(const NamespaceOwners& owners) {
  std::uint64_t cost = sizeof(owners);
  for (const NamespaceOwner& owner : owners.owners) cost += sizeof(owner) + owner.name.size();
  return cost;
}

}  // namespace

std::optional<NamespaceState> Namespaces::FindCached(std::string_view ns) {
  std::shared_ptr<const NamespaceState> known = known_.Find(ns);
  return known ? std::optional(*known) : std::nullopt;
}

Task<NamespaceState> Namespaces::FindNamespace(std::string ns) {
  if (std::optional<NamespaceState> known = FindCached(ns)) co_return *known;
  TopicCache<NamespaceState>::Ticket ticket = known_.TakeTicket();
  Result<NamespaceRecord> record = co_await catalog_.FindNamespace(ns);
  NamespaceState state{.recorded = record.has_value(), .visibility = unrecorded()};
  if (record) state.visibility = record->visibility;
  if (!record && record.error().kind != ErrorKind::kNotFound) {
    co_return std::unexpected(std::move(record).error());
  }
  std::string topic = NamespaceTopic(ns);
  known_.Put(ticket, std::move(ns), std::move(topic), std::make_shared<const NamespaceState>(state),
             sizeof(state));
  co_return state;
}

Task<NamespaceWords> Namespaces::Words(std::string ns) {
  Result<NamespaceRecord> record = co_await catalog_.FindNamespace(std::move(ns));
  if (record) co_return std::move(record->words);
  if (record.error().kind == ErrorKind::kNotFound) co_return NamespaceWords();
  co_return std::unexpected(std::move(record).error());
}

Task<std::shared_ptr<const NamespaceOwners>> Namespaces::Owners(std::string ns) {
  if (std::shared_ptr<const NamespaceOwners> known = owners_.Find(ns)) co_return known;
  TopicCache<NamespaceOwners>::Ticket ticket = owners_.TakeTicket();
  ASSIGN_OR_CO_RETURN(std::vector<GrantRecord> grants, co_await catalog_.ListGrants(ns));
  auto owners = std::make_shared<const NamespaceOwners>(FirstOwners(std::move(grants)));
  owners_.Put(ticket, std::move(ns), std::string(kAccessTopic), owners, OwnersCost(*owners));
  co_return owners;
}

Task<void> Namespaces::Pretend(std::string ns) {
  Result<NamespaceRecord> record = co_await catalog_.FindNamespace(std::move(ns));
  if (record || record.error().kind == ErrorKind::kNotFound) co_return Status();
  co_return std::unexpected(std::move(record).error());
}

}  // namespace koya::service
