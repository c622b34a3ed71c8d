#include "api/common/fetches.h"

#include <variant>

#include "api/common/call.h"
#include "http/server/message.h"
#include "http/server/router.h"
#include "service/mirror/mirror_counter.h"
#include "service/usage/usage_counter.h"

namespace koya::api {
namespace {

bool IsMirrored(UsageKind kind) {
  return kind == UsageKind::kMirroredModule || kind == UsageKind::kMirroredProvider;
}

// Not of a part, nor of what the client may have: those who fetch an archive ask for neither.
bool AsksForAll(const http::Request& request) {
  return request.method == http::Method::kGet && !request.FindField("Range") &&
         !request.FindField("If-None-Match");
}

void NoteMirrored(const http::Request& request, const MirroredItem& item, bool is_archive,
                  service::MirrorCounter& counter) {
  if (!AsksForAll(request)) return;
  counter.NoteAllowed();
  if (is_archive) counter.NoteSent(item.bytes);
}

}  // namespace

void CountFetch(http::Exchange& exchange, const http::Response& reply,
                const service::UsageCounter::Presenter& who, Services& services) {
  const auto* document = std::get_if<std::shared_ptr<const http::Document>>(&reply.body);
  const auto& as = document != nullptr ? (*document)->counted_as : reply.counted_as;
  if (!as) return;
  using What = service::UsageCounter::What;
  const auto item = std::static_pointer_cast<const UsageItem>(as);
  if (IsMirrored(item->kind)) {
    const auto& mirrored = static_cast<const MirroredItem&>(*item);
    NoteMirrored(exchange.request, mirrored, document == nullptr, services.mirror.counter);
  }
  if (!services.usage.counter.on()) return;
  exchange.tally =
      services.usage.counter.Count({.what = document != nullptr ? What::kDocument : What::kArchive,
                                    .item = item,
                                    .who = who,
                                    .user_agent = exchange.request.Get("User-Agent")});
}

}  // namespace koya::api
