#include "api/docs_page_data.h"

#include <optional>
#include <utility>

#include "api/query.h"

namespace koya::api {
namespace {

constexpr std::size_t kLongestDocsFilter = 200;

}  // namespace

Result<DocsQuestion> ReadDocsQuestion(const Call& call) {
  ASSIGN_OR_RETURN(std::optional<std::string> filter,
                   QueryParameter(call.request().query, "filter"));
  ASSIGN_OR_RETURN(std::optional<std::string> group, QueryParameter(call.request().query, "group"));
  DocsQuestion question{filter.value_or(""), group.value_or("")};
  if (question.filter.size() <= kLongestDocsFilter) return question;
  return Fail(ErrorKind::kInvalid,
              "the parameter \"filter\" is too long: write a word of the "
              "page's name");
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
