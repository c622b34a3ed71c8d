// What changed between two releases of a provider, told in sentences. Pure.
#pragma once

#include <string>
#include <vector>

#include "domain/provider_docs_record.h"
#include "domain/provider_record.h"
#include "inspect/changes.h"
#include "inspect/provider/schema_changes.h"

namespace koya::service {

// What cannot be said: to be read, and no reason for another number.
inspect::Change UnknownChange(inspect::ChangeSection section, std::string what,
                              std::string sentence);

// These append to `out`.
void ComparePlatforms(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<inspect::Change>& out);
void CompareProtocols(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<inspect::Change>& out);
// A key without a name in `to` is still to be made.
void CompareKeys(const ProviderRelease& from, const ProviderRelease& to,
                 std::vector<inspect::Change>& out);
// Both in order.
void ComparePages(const std::vector<DocName>& before, const std::vector<DocName>& after,
                  std::vector<inspect::Change>& out);
// `whole`: both schemas could be read. Otherwise what seems to break may be what could not be.
void TellSchema(const inspect::provider::SchemaComparison& comparison, bool whole,
                std::vector<inspect::Change>& out);

// What could not be read of a schema may be in the provider all the same.
bool WasReadWhole(const DocsSummary& summary);

}  // namespace koya::service
