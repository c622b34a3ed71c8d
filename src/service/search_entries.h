// What of a version may be found by itself, as the search index takes it (domain/search_record.h).
// Pure: any thread. Linear in what is given; READMEs are rendered, so a large one takes
// milliseconds.
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

// The module first; its submodules and examples; inputs, outputs and resources of the root; then
// those of submodules, whose names have the submodule's in front: "network/cidr_block". At most
// SearchIndex::kMostEntries. `description`: what the author published it with; "" takes the words
// that the module begins with.
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

// The provider itself, and its pages: entries called "resources/aws_vpc".
std::vector<SearchEntry> ProviderSearchEntries(const ProviderAddress& address,
                                               const std::vector<SearchablePage>& pages);

}  // namespace koya::service
