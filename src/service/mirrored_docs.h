// What is kept of the docs of other registries' providers, without asking anybody for more:
// service/ mirror fetches them (ADR 52).
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

// Under which the catalog has the list of a version's pages:
// "provider-docs:registry.opentofu.org/hashicorp/aws@6.0.0".
std::string MirroredDocsKey(const UpstreamProvider& provider, const Version& version);

// What a search finds the pages by that this list names, in no programming language's words: their
// titles and descriptions, as the pages themselves may not be here. Nothing when no list is kept,
// or one that cannot be read. `documents` and `workers` outlive the task. Fails: kUnavailable.
Task<std::vector<SearchablePage>> ReadMirroredPages(UpstreamDocuments& documents,
                                                    WorkerPool& workers, UpstreamProvider provider,
                                                    Version version);

}  // namespace koya::service
