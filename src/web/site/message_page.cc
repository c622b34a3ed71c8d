#include "web/site/message_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/site/search_page.h"

namespace koya::web {
KOYA_VIEW(MessagePage, status, text, code, request_id, looked_for, is_unstored_form);

namespace {

constexpr std::array<unsigned, 13> kWordedStatuses{400, 401, 403, 404, 405, 410, 413,
                                                   414, 429, 431, 500, 503, 507};

// The status whose words describe `status`.
unsigned WordedStatus(unsigned status) {
  if (std::ranges::find(kWordedStatuses, status) != kWordedStatuses.end()) return status;
  return status < 500 ? 400 : 500;
}

// `url` where a link may lead: to http or https, in plain characters; else "".
std::string_view WebAddress(std::string_view url) {
  const bool is_web = url.starts_with("https://") || url.starts_with("http://");
  const bool is_plain = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7F'; });
  return is_web && is_plain ? url : std::string_view();
}

}  // namespace

std::string RenderMessage(const PageFrame& frame, const MessagePage& page) {
  const bool failed = page.status >= 500;
  const bool signs_in_helps =
      frame.account.empty() && (page.status == 401 || page.status == 404 || page.status == 403);
  View view = FrameView(frame).Of(page);
  view.Set("words", page.is_stale_form ? "stale" : fmt::to_string(WordedStatus(page.status)))
      .Set("wait", page.retry_after)
      .Set("helps_to_sign_in", signs_in_helps && !page.is_stale_form)
      .Set("again", page.again.empty() ? "" : LocalPath(page.again))
      .Set("status_url", failed ? WebAddress(page.status_url) : "")
      .Set("offers_health", failed && page.offers_health)
      .List("near", page.near, [](const SearchHit& hit) { return PackageRow(hit); });
  return RenderTemplate("message", frame.language, view);
}

}  // namespace koya::web
