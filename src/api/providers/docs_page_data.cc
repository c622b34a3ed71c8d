#include "api/providers/docs_page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "api/common/call.h"
#include "api/common/query.h"
#include "domain/access.h"
#include "domain/provider_docs_record.h"
#include "service/providers/docs_pages.h"
#include "service/search/search.h"
#include "web/common/package_paths.h"
#include "web/providers/doc_groups.h"
#include "web/providers/provider_docs_pages.h"

namespace koya::api {
namespace {

constexpr std::size_t kLongestDocsFilter = 200;

// As types are called in configurations, and searches take them.
bool IsTypeName(std::string_view text) {
  constexpr std::size_t kLongest = 200;
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, [](char c) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    return is_letter || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

}  // namespace

Result<DocsQuestion> ReadDocsQuestion(const Call& call) {
  ASSIGN_OR_RETURN(std::optional<std::string> filter,
                   QueryParameter(call.request().query, "filter"));
  ASSIGN_OR_RETURN(std::optional<std::string> group, QueryParameter(call.request().query, "group"));
  DocsQuestion question{filter.value_or(""), group.value_or("")};
  if (question.filter.size() <= kLongestDocsFilter) return question;
  return FailInvalid("the parameter \"filter\" is too long: use a word of the page's name");
}

std::vector<web::DocIndexEntry> EntriesOf(std::vector<service::DocEntry> index) {
  std::vector<web::DocIndexEntry> entries;
  entries.reserve(index.size());
  for (service::DocEntry& each : index) {
    entries.push_back({.kind = std::move(each.name.kind),
                       .name = std::move(each.name.name),
                       .title = std::move(each.title),
                       .subcategory = std::move(each.subcategory),
                       .is_deprecated = each.deprecated,
                       .has_markdown = each.has_markdown});
  }
  return entries;
}

std::string UsedTypeOf(const DocName& name, std::string item, std::string_view type) {
  if (name.kind != "resources" && name.kind != "data-sources") return "";
  std::string used = item.empty()
                         ? web::DocLabel({.kind = name.kind, .name = name.name, .title = ""}, type)
                         : std::move(item);
  return IsTypeName(used) ? used : "";
}

Task<void> FillUsers(Call& call, std::string used_type, web::ProviderDocsPage& page) {
  // Submodules of one module are one of them.
  constexpr std::uint64_t kLookedAt = 3 * web::ProviderDocsPage::kMostUsers;
  page.used_type = std::move(used_type);
  if (page.used_type.empty()) co_return Status();
  std::string text = fmt::format("uses:{} kind:module,submodule host:here", page.used_type);
  Result<service::SearchAnswer> found = co_await call.services.search.index.FindUncounted(
      call.Readable(), std::move(text), {.offset = 0, .limit = kLookedAt}, SearchOrder::kNewest);
  if (!found) co_return Status();
  for (SearchHit& hit : found->page.items) {
    if (page.users.size() == web::ProviderDocsPage::kMostUsers) break;
    auto same = std::ranges::find(page.users, hit.address, &web::DocUser::address);
    if (same != page.users.end()) continue;
    const bool is_module = hit.kind == SearchKind::kModule;
    page.users.push_back({.address = hit.address,
                          .path = web::PackagePath(hit),
                          .version = std::move(hit.version),
                          .title = is_module ? std::move(hit.title) : ""});
  }
  co_return Status();
}

std::string EndOf(const DocName& name) {
  if (name.language.empty()) return web::DocPath("/docs", name.kind, name.name);
  return web::DocPath(web::DocPath("/docs", "cdktf", name.language), name.kind, name.name);
}

DocName DocNameOf(const Call& call, std::string_view name) {
  const std::string_view kind = call.path("kind");
  if (kind == "cdktf") return {.language = std::string(name), .kind = "overview", .name = "index"};
  return {.language = "", .kind = std::string(kind), .name = std::string(name)};
}

}  // namespace koya::api
