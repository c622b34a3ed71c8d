// Makes the search entries of a version: the parts that a search finds separately
// (domain/search_record.h). Any thread. Linear in the input; READMEs are rendered, so a large one
// takes milliseconds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/task.h"

namespace koya {
class ModuleAddress;
class ProviderAddress;
class UpstreamDocuments;
class Version;
class WorkerPool;
struct SearchEntry;
struct UpstreamProvider;
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

// What the catalog has cached of the docs of mirrored providers, without any request to another
// registry: service/mirror fetches them (ADR 52).

// Key of the list of a version's pages in the catalog:
// "provider-docs:registry.opentofu.org/hashicorp/aws@6.0.0".
std::string MirroredDocsKey(const UpstreamProvider& provider, const Version& version);

// Searchable text of the pages in the cached list, without those in cdktf languages: only titles
// and descriptions, as the pages themselves may not be cached. Empty if no list is cached, or if it
// cannot be read. `documents` and `workers` outlive the task. Fails: kUnavailable.
Task<std::vector<SearchablePage>> ReadMirroredPages(UpstreamDocuments& documents,
                                                    WorkerPool& workers, UpstreamProvider provider,
                                                    Version version);

}  // namespace koya::service
