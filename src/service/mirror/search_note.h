// Tells the search index of what came into the mirror.
#pragma once

namespace koya {
struct UpstreamProvider;
class Version;
}  // namespace koya

namespace koya::service {

struct MirrorContext;

// Has a provider's release indexed a moment later, or anew: to be called when the first of its
// packages is held, or its docs may be others. Without a queue SearchUpkeep finds what is held and
// not in the index. Never waits.
void IndexSoon(const MirrorContext& context, const UpstreamProvider& provider,
               const Version& version);

}  // namespace koya::service
