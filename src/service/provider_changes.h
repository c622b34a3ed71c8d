// What changed between two releases of a provider, told in sentences. Pure.
#pragma once

#include <string>
#include <vector>

#include "inspect/changes.h"

namespace koya {
struct DocName;
struct DocsSummary;
struct ProviderRelease;
}  // namespace koya
namespace koya::inspect::provider {
class SchemaComparison;
}

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
