// In-memory cache of namespaces' visibility and owners, which each request needs.
//
// The change feed invalidates an entry when its namespace changes, and the owners when grants,
// accounts or groups change. While the catalog does not answer, the last known state counts, so
// that public artifacts are still served.
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/task.h"
#include "base/topic_cache.h"
#include "catalog/access_catalog.h"
#include "domain/access.h"
#include "domain/audit_record.h"
#include "domain/namespace_record.h"
#include "service/common/new_namespace.h"

namespace koya::service {

// State of a namespace.
struct NamespaceState {
  bool recorded = false;  // false: no record
  Visibility visibility = Visibility::kPrivate;
};

class Namespaces {
 public:
  // `unrecorded`: visibility of a namespace without a record; nullopt: that of a new one.
  Namespaces(NamespaceCatalog& catalog, DefaultVisibility of_new,
             std::optional<Visibility> unrecorded = std::nullopt)
      : catalog_(catalog), of_new_(of_new), unrecorded_(unrecorded) {}

  Visibility of_new() const { return of_new_.get(); }
  Visibility unrecorded() const { return unrecorded_.value_or(of_new()); }
  // Looks up a name in any spelling. nullopt: the catalog must be asked. Never waits.
  std::optional<NamespaceState> FindCached(std::string_view ns);
  // Asks the catalog if necessary. Fails: as the catalog.
  Task<NamespaceState> FindNamespace(std::string ns);
  // The texts that the owners wrote about it; empty for one without a record. Always asks the
  // catalog: for pages only. Fails: as the catalog.
  Task<NamespaceWords> Words(std::string ns);
  // Holders of the owner role, cached until rights change; empty for a namespace without a record.
  // Administrators, who have all rights everywhere, are not included. Fails: as the catalog.
  Task<std::shared_ptr<const NamespaceOwners>> Owners(std::string ns);
  // Queries the catalog for the namespace and ignores the result, so that a hidden artifact takes
  // as long as an unknown one.
  Task<void> Pretend(std::string ns);
  // Sorted by key, at most 1000. Fails: as the catalog.
  Task<Page<NamespaceRecord>> List(ReadableNamespaces readable, PageRequest page) {
    return catalog_.ListNamespaces(std::move(readable), "", page.limit, page.offset);
  }
  // As NamespaceCatalog::SumNamespaces. Always asks the catalog: for administrators only.
  Task<std::map<std::string, NamespaceContents>> Sum(std::vector<std::string> names) {
    return catalog_.SumNamespaces(std::move(names));
  }
  // Listener for the change feed.
  void Invalidate(std::string_view topic) {
    known_.Invalidate(topic);
    owners_.Invalidate(topic);
  }

 private:
  // About eight thousand names, one entry for each spelling in use.
  static constexpr std::uint64_t kBytes = std::uint64_t{4} << 20;
  static constexpr std::uint64_t kOwnersBytes = std::uint64_t{1} << 20;

  NamespaceCatalog& catalog_;
  const DefaultVisibility of_new_;
  const std::optional<Visibility> unrecorded_;
  TopicCache<NamespaceState> known_{kBytes};
  TopicCache<NamespaceOwners> owners_{kOwnersBytes};
};

}  // namespace koya::service
