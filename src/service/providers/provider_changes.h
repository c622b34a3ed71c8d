// Describes in sentences what changed between two releases of a provider. Pure.
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

// A change that cannot be determined: information only, it requires no other version number.
inspect::Change UnknownChange(inspect::ChangeSection section, std::string what,
                              std::string sentence);

// These append to `out`.
void ComparePlatforms(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<inspect::Change>& out);
void CompareProtocols(const ProviderRelease& from, const ProviderRelease& to,
                      std::vector<inspect::Change>& out);
// A key without a name in `to` is still to be created.
void CompareKeys(const ProviderRelease& from, const ProviderRelease& to,
                 std::vector<inspect::Change>& out);
// Both lists are sorted.
void ComparePages(const std::vector<DocName>& before, const std::vector<DocName>& after,
                  std::vector<inspect::Change>& out);
// `whole`: both schemas were read completely. Otherwise an apparent breaking change may come from
// the missing part.
void TellSchema(const inspect::provider::SchemaComparison& comparison, bool whole,
                std::vector<inspect::Change>& out);

// False if part of the schema could not be read: the provider may have that part all the same.
bool WasReadWhole(const DocsSummary& summary);

}  // namespace koya::service
