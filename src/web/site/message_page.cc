#include "web/site/message_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "web/common/admin_parts.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/words.h"
#include "web/site/manual.h"
#include "web/site/search_page.h"

namespace koya::web {
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
  View view = FrameView(frame, SignInLink::kShown);
  bool signs_in_helps =
      frame.account.empty() && (page.status == 401 || page.status == 404 || page.status == 403);
  view.Text("status", fmt::to_string(page.status))
      .Text("text", page.text)
      .Text("code_path", page.code.empty() ? "" : ErrorCodePath(page.code))
      .Text("request_id", page.request_id)
      .Flag("has_wait", page.retry_after.count() > 0)
      .Text("wait", DurationText(frame.language, page.retry_after))
      .Flag("helps_to_sign_in", signs_in_helps && !page.is_stale_form)
      .Flag("is_stale", page.is_stale_form)
      .Text("again", page.again.empty() ? "" : LocalPath(page.again))
      .Flag("is_unstored", page.is_unstored_form)
      .Text("status_url", page.status >= 500 ? WebAddress(page.status_url) : "")
      .Text("state_path",
            page.status >= 500 && page.offers_health ? AdminPath(AdminTab::kHealth) : "")
      .Flag("offers_search", !page.looked_for.empty())
      .Text("looked_for", page.looked_for)
      .Flag("has_near", !page.near.empty());
  std::vector<View> near;
  for (const SearchHit& hit : page.near) near.push_back(PackageRow(frame, hit));
  view.List("near", std::move(near));
  unsigned worded = page.is_stale_form ? 0 : WordedStatus(page.status);
  for (unsigned status : kWordedStatuses) {
    view.Flag(fmt::format("is_{}", status), status == worded);
  }
  return RenderTemplate("message", frame.language, view);
}

}  // namespace koya::web
