// What may become a namespace.
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

// Whether something may be kept in the namespace: one that is new must not have a reserved name;
// one in which there is something already, from before the name was reserved, goes on. Fails:
// kInvalid; as the catalog.
Task<void> CheckNamespace(Catalog& catalog, std::string ns);

// For whoever is about to put something into the namespace: makes its record when there is none.
// Fails: as the catalog.
Task<void> RecordNamespace(NamespaceCatalog& catalog, Actor by, NamespaceRecord record);

}  // namespace koya::service
