// Makes the search entries of a version: the parts that a search finds separately
// (domain/search_record.h). Pure: any thread. Linear in the input; READMEs are rendered, so a large
// one takes milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace koya {
class ModuleAddress;
class ProviderAddress;
struct SearchEntry;
}  // namespace koya
namespace koya::inspect {
struct ModuleContents;
}

namespace koya::service {

// The module first; then its submodules and examples; inputs, outputs and resources of the root;
// then those of submodules, with the submodule as a prefix: "network/cidr_block". At most
// SearchIndex::kMostEntries. `description`: the author's, given at publishing; "" takes the summary
// of the README, else the header comment.
std::vector<SearchEntry> ModuleSearchEntries(const ModuleAddress& address,
                                             std::string_view description,
                                             const inspect::ModuleContents& contents);

// A page of a provider's docs.
struct SearchablePage {
  std::string kind;   // "resources", "guides"
  std::string name;   // "aws_vpc"
  std::string title;  // one line
  std::string text;   // without markup
};

// Entries of the provider itself, and of its pages, named "resources/aws_vpc".
std::vector<SearchEntry> ProviderSearchEntries(const ProviderAddress& address,
                                               const std::vector<SearchablePage>& pages);

}  // namespace koya::service
