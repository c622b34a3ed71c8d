// Checks and creates namespaces on their first use.
#pragma once

#include <string>

#include "base/task.h"

namespace koya {
struct Actor;
class Catalog;
class NamespaceCatalog;
struct NamespaceRecord;
}  // namespace koya

namespace koya::service {

// Checks that artifacts may be stored in the namespace: a new one must not have a reserved name;
// one with artifacts from before the name was reserved stays usable. Fails: kInvalid; as the
// catalog.
Task<void> CheckNamespace(Catalog& catalog, std::string ns);

// Creates the record of the namespace if there is none; call before storing something in it. Fails:
// as the catalog.
Task<void> RecordNamespace(NamespaceCatalog& catalog, Actor by, NamespaceRecord record);

}  // namespace koya::service
