// Notifies the search index of new mirrored releases.
#pragma once

namespace koya {
struct UpstreamProvider;
class Version;
}  // namespace koya

namespace koya::service {

struct MirrorContext;

// Queues a provider's release for indexing, which happens a moment later; call it when the first of
// its packages is stored, or when its docs may have changed. Without a queue SearchUpkeep finds
// stored releases that are missing from the index. Never waits.
void IndexSoon(const MirrorContext& context, const UpstreamProvider& provider,
               const Version& version);

}  // namespace koya::service
