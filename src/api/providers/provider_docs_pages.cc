#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/common/audience.h"
#include "api/common/page_answer.h"
#include "api/common/route.h"
#include "api/providers/provider_page_data.h"
#include "base/text.h"
#include "domain/topic.h"
#include "markup/fragment.h"
#include "service/providers/docs_pages.h"
#include "service/providers/provider_docs.h"
#include "web/providers/provider_docs_pages.h"

namespace koya::api {
namespace {

constexpr std::size_t kMostElsewhere = 8;
// Modules come and go without a word about the provider.
constexpr std::chrono::seconds kUsersLife{5};
constexpr std::size_t kMostWantedPage = 200;

web::ShownSchema ShownSchemaOf(service::SchemaTable table) {
  web::ShownSchema schema{.name = std::move(table.name),
                          .description = std::move(table.description),
                          .is_deprecated = table.deprecated,
                          .deprecation = std::move(table.deprecation),
                          .returns = std::move(table.returns),
                          .attributes = {},
                          .left_out = table.left_out};
  schema.attributes.reserve(table.rows.size());
  for (service::SchemaRow& row : table.rows) {
    schema.attributes.push_back({.path = std::move(row.path),
                                 .type = std::move(row.type),
                                 .is_block = row.is_block,
                                 .is_required = row.required,
                                 .is_optional = row.optional,
                                 .is_computed = row.computed,
                                 .is_sensitive = row.sensitive,
                                 .is_write_only = row.write_only,
                                 .is_deprecated = row.deprecated,
                                 .description = std::move(row.description),
                                 .deprecation = std::move(row.deprecation)});
  }
  return schema;
}

// What the page is about: Markdown, else the schema, else nothing. Returns the name of the page's
// subject in the schema; "" if the schema does not describe it.
Task<std::string> FillContent(Call& call, const ProviderView& view, const DocName& name,
                              web::ProviderDocsPage& page) {
  service::ProviderDocs& docs = call.services.providers.docs;
  const Version& version = view.release.version;
  if (view.docs.docs) {
    Result<service::DocPage> found = co_await docs.Page(view.address, version, name, call.reading);
    if (found) {
      page.title = found->record.title;
      page.is_deprecated = found->record.deprecated;
      page.html = markup::Fragment::Kept(std::move(found->html));
      page.contents = std::move(found->contents);
      co_return std::move(found->item);
    }
    if (found.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(found).error());
  }
  if (view.docs.schema && name.language.empty()) {
    Result<service::SchemaTable> table =
        co_await docs.SchemaPage(view.address, version, name, call.reading);
    if (table) {
      page.schema = ShownSchemaOf(*std::move(table));
      page.title = page.schema->name.empty() ? view.address.type() : page.schema->name;
      co_return page.schema->name;
    }
    if (table.error().kind != ErrorKind::kNotFound) co_return Failure(std::move(table).error());
  }
  page.is_missing = name.kind != "overview";
  if (page.is_missing && view.docs.docs) {
    DocName start{.language = "", .kind = "overview", .name = "index"};
    Result<service::DocPage> found =
        co_await docs.Page(view.address, version, std::move(start), call.reading);
    if (found) page.html = markup::Fragment::Kept(std::move(found->html));
  }
  co_return std::string();
}

// The versions of the menu that have the page which this one lacks.
Task<void> FillElsewhere(Call& call, const ProviderView& view, const DocName& name,
                         web::ProviderDocsPage& page) {
  page.wanted = Printable(name.kind + "/" + name.name, kMostWantedPage);
  for (const web::ShownRelease& each : page.head.menu) {
    if (each.version == page.head.version || page.elsewhere.size() == kMostElsewhere) continue;
    Result<Version> version = Version::Parse(each.version);
    if (!version) continue;
    Result<bool> has = co_await call.services.providers.docs.Has(view.address, *version, name);
    if (!has) co_return Failure(std::move(has).error());
    if (!*has) continue;
    page.elsewhere.push_back(
        {each.version, web::ProviderVersionPath(page.head.name, each.version) + EndOf(name)});
  }
  co_return Status();
}

// The empty page of such docs, with its list of pages.
Task<web::ProviderDocsPage> BeginDocsPage(Call& call, const ProviderView& view, const DocName& name,
                                          const DocsQuestion& question) {
  web::ProviderDocsPage page{.head = HeadOf(view, call.services.clock.Now())};
  page.head.menu_end = EndOf(name);
  page.filter = question.filter;
  page.is_list_open = question.IsAboutList();
  const std::string base = web::ProviderVersionPath(page.head.name, page.head.version);
  page.path = base + page.head.menu_end;
  ASSIGN_OR_CO_RETURN(std::vector<service::DocEntry> index,
                      co_await call.services.providers.docs.Index(
                          view.address, view.release.version, call.reading));
  page.listing = web::ListDocs(EntriesOf(std::move(index)), {.docs_path = base + "/docs",
                                                             .page_path = page.path,
                                                             .type = view.address.type(),
                                                             .kind = name.kind,
                                                             .name = name.name,
                                                             .filter = question.filter,
                                                             .group = question.group});
  co_return page;
}

Task<http::Response> AnswerDocs(Call& call, ProviderAddress address, std::string wanted,
                                DocName name) {
  PageAnswer answer(call);
  ASSIGN_OR_CO_RETURN(DocsQuestion question, ReadDocsQuestion(call));
  Result<std::optional<Version>> version = VersionOfPage(wanted);
  if (!version) co_return co_await AnswerMissingVersion(call, std::move(address), wanted);
  Result<ProviderView> view = co_await ReadProviderView(call, address, *std::move(version));
  if (!view &&
      (view.error().kind == ErrorKind::kNotFound || view.error().kind == ErrorKind::kGone)) {
    co_return co_await AnswerMissingVersion(call, std::move(address), std::move(wanted));
  }
  if (!view) co_return Failure(std::move(view).error());
  ASSIGN_OR_CO_RETURN(web::ProviderDocsPage page,
                      co_await BeginDocsPage(call, *view, name, question));
  ASSIGN_OR_CO_RETURN(std::string item, co_await FillContent(call, *view, name, page));
  if (page.is_missing) {
    CO_RETURN_IF_ERROR(co_await FillElsewhere(call, *view, name, page));
  } else {
    std::string used = UsedTypeOf(name, std::move(item), view->address.type());
    CO_RETURN_IF_ERROR(co_await FillUsers(call, std::move(used), page));
  }
  web::PlaceProviderPage(answer.frame, page.head, page.path);
  std::string html = web::RenderProviderDocs(answer.frame, page);
  const bool is_nothing = !page.html && !page.schema && page.listing.groups.empty();
  const bool is_nowhere = page.is_missing || (is_nothing && question.filter.empty());
  if (is_nowhere) co_return co_await answer.SendUnkept(std::move(html), 404);
  if (!page.used_type.empty()) {
    co_return co_await answer.Send(std::move(html), ProviderTopic(view->address), kUsersLife);
  }
  co_return co_await answer.Send(std::move(html), ProviderTopic(view->address));
}

// The file that the page is made of.
Task<http::Response> AnswerDocSource(Call& call, ProviderAddress address, std::string wanted,
                                     DocName name) {
  ASSIGN_OR_CO_RETURN(std::optional<Version> version, VersionOfPage(wanted));
  ASSIGN_OR_CO_RETURN(ProviderView view,
                      co_await ReadProviderView(call, std::move(address), std::move(version)));
  ASSIGN_OR_CO_RETURN(std::string text,
                      co_await call.services.providers.docs.Source(
                          view.address, view.release.version, std::move(name), call.reading));
  co_return MarkdownReply(std::move(text));
}

Task<http::Response> ShowProviderDocs(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  DocName overview{.language = "", .kind = "overview", .name = "index"};
  co_return co_await AnswerDocs(call, std::move(address), std::string(call.path("version")),
                                std::move(overview));
}

Task<http::Response> ShowProviderDoc(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  const RepresentationName asked = ReadRepresentation(call.path("name"));
  const bool is_markdown = asked.twin == Representation::kMarkdown;
  DocName name = DocNameOf(call, is_markdown ? asked.name : call.path("name"));
  std::string version(call.path("version"));
  if (is_markdown) {
    co_return co_await AnswerDocSource(call, std::move(address), std::move(version),
                                       std::move(name));
  }
  co_return co_await AnswerDocs(call, std::move(address), std::move(version), std::move(name));
}

Task<http::Response> ShowProviderDocInLanguage(Call& call) {
  ASSIGN_OR_CO_RETURN(ProviderAddress address, ProviderOfPage(call, call.path("type")));
  DocName name{.language = std::string(call.path("language")),
               .kind = std::string(call.path("kind")),
               .name = std::string(call.path("name"))};
  co_return co_await AnswerDocs(call, std::move(address), std::string(call.path("version")),
                                std::move(name));
}

}  // namespace

std::span<const Route> ProviderDocsPageRoutes() {
  static constexpr Route kRoutes[] = {
      Route::Get("/providers/{namespace}/{type}/{version}/docs", Access::kBrowse,
                 ResourceScope::kNamespace, ShowProviderDocs, "Show a provider's documentation",
                 KeptPage),
      Route::Get("/providers/{namespace}/{type}/{version}/docs/{kind}/{name}", Access::kBrowse,
                 ResourceScope::kNamespace, ShowProviderDoc,
                 "Show a page of a provider's documentation", KeptPage),
      Route::Get("/providers/{namespace}/{type}/{version}/docs/cdktf/{language}/{kind}/{name}",
                 Access::kBrowse, ResourceScope::kNamespace, ShowProviderDocInLanguage,
                 "Show a page of a provider's documentation for CDKTF", KeptPage),
  };
  return kRoutes;
}

}  // namespace koya::api
