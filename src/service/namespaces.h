// Whose namespaces are: asked for each request, so it is kept in memory.
//
// What is kept is dropped when the change feed tells of the namespace, and owners when it tells of
// a change of grants, accounts or groups. While the catalog does not
// answer, what was heard last holds: public things go on being answered.
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/task.h"
#include "base/topic_cache.h"
#include "catalog/access_catalog.h"
#include "domain/audit_record.h"
#include "domain/namespace_owners.h"
#include "domain/readable_namespaces.h"
#include "domain/visibility.h"
#include "service/default_visibility.h"

namespace koya::service {

// What a name stands for.
struct NamespaceState {
  bool recorded = false;  // false: there is no such namespace, but for what earlier versions made
  Visibility visibility = Visibility::kPrivate;
};

class Namespaces {
 public:
  // `unrecorded`: what one is that has no record, as a release made it that knew no visibility;
  // nullopt: as a new one.
  Namespaces(NamespaceCatalog& catalog, DefaultVisibility of_new, const Clock& clock,
             std::optional<Visibility> unrecorded = std::nullopt)
      : catalog_(catalog), of_new_(of_new), unrecorded_(unrecorded), clock_(clock) {}

  Visibility of_new() const { return of_new_.get(); }
  Visibility unrecorded() const { return unrecorded_.value_or(of_new()); }
  // In any spelling. nullopt: the catalog must be asked. Never waits.
  std::optional<NamespaceState> Known(std::string_view ns);
  // Asks at need. Fails: as the catalog.
  Task<NamespaceState> Find(std::string ns);
  // What its owners say of it; nothing of one without a record. Always asks the catalog: they are
  // for pages. Fails: as the catalog.
  Task<NamespaceWords> Words(std::string ns);
  // Who has the role of an owner in it, in memory as long as nobody's rights change; of a namespace
  // without a record, nobody. Administrators, who may do everything everywhere, are not among them.
  // Fails: as the catalog.
  Task<std::shared_ptr<const NamespaceOwners>> Owners(std::string ns);
  // Asks the catalog for one and says nothing: what is hidden costs what an unknown thing does.
  Task<void> Pretend(std::string ns);
  // By key; `most` at most, 1000 whatever it says. Fails: as the catalog.
  Task<Page<NamespaceRecord>> List(ReadableNamespaces readable, std::uint64_t most) {
    return catalog_.ListNamespaces(std::move(readable), "", most);
  }
  // Makes the records that earlier versions did not. Returns how many.
  Task<std::uint64_t> Adopt() {
    return catalog_.AdoptNamespaces(Actor::Server(), unrecorded(), clock_.Now());
  }

  // A listener of the change feed.
  void Invalidate(std::string_view topic) {
    known_.Invalidate(topic);
    owners_.Invalidate(topic);
  }

 private:
  // About eight thousand names, in each spelling that is asked for.
  static constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kOwnersBytes = std::uint64_t{1} << 20;

  NamespaceCatalog& catalog_;
  const DefaultVisibility of_new_;
  const std::optional<Visibility> unrecorded_;
  const Clock& clock_;
  TopicCache<NamespaceState> known_{kBytes};
  TopicCache<NamespaceOwners> owners_{kOwnersBytes};
};

}  // namespace koya::service
