#include "service/mirror/context.h"

#include "domain/mirrored_subject.h"
#include "service/search/index_queue.h"

namespace koya::service {

void IndexSoon(const MirrorContext& context, const UpstreamProvider& provider,
               const Version& version) {
  if (context.index != nullptr) context.index->Add(MirroredSubject(provider, version));
}

}  // namespace koya::service
