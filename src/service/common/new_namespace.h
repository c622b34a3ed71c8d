// New namespaces: checks and creates them on their first use, and has the visibility that they get.
#pragma once

#include <atomic>
#include <string>

#include "base/task.h"
#include "domain/access.h"

namespace koya {
struct Actor;
class Catalog;
class NamespaceCatalog;
struct NamespaceRecord;
}  // namespace koya

namespace koya::service {

// Visibility of a new namespace, and of one without a record: access.default_visibility, else the
// choice of the first administrator, which may come later. Threads: any.
class DefaultVisibility {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): a setting's value is one.
  DefaultVisibility(Visibility fixed) : fixed_(fixed) {}
  // `said`: the administrator's choice; must outlive this.
  explicit DefaultVisibility(const std::atomic<Visibility>& said) : said_(&said) {}

  Visibility get() const { return said_ == nullptr ? fixed_ : said_->load(); }

 private:
  Visibility fixed_ = Visibility::kPrivate;
  const std::atomic<Visibility>* said_ = nullptr;
};

// Checks that artifacts may be stored in the namespace: a new one must not have a reserved name;
// one with artifacts from before the name was reserved stays usable. Fails: kInvalid; as the
// catalog.
Task<void> CheckNamespace(Catalog& catalog, std::string ns);

// Creates the record of the namespace if there is none; call before storing something in it. Fails:
// as the catalog.
Task<void> RecordNamespace(NamespaceCatalog& catalog, Actor by, NamespaceRecord record);

}  // namespace koya::service
