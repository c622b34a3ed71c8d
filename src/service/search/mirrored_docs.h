// Reads what the catalog has cached of the docs of mirrored providers, without any request to
// another registry: service/mirror fetches them (ADR 52).
#pragma once

#include <string>
#include <vector>

#include "base/task.h"

namespace koya {
class UpstreamDocuments;
struct UpstreamProvider;
class Version;
class WorkerPool;
}  // namespace koya

namespace koya::service {

struct SearchablePage;

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
