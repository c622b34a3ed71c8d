#include "web/namespace_page.h"

#include <fmt/format.h>

#include <utility>

#include "markup/fragment.h"
#include "web/package_paths.h"
#include "web/search_page.h"
#include "web/shown_text.h"
#include "web/template_engine.h"

namespace koya::web {
namespace {

std::vector<View> PackageRows(const PageFrame& frame, const std::vector<SearchHit>& hits) {
  std::vector<View> rows;
  rows.reserve(hits.size());
  for (const SearchHit& hit : hits) rows.push_back(PackageRow(frame, hit));
  return rows;
}

View PublishCommand(const NamespacePage& page) {
  const std::string command = fmt::format(
      "koya publish module ./network {}/network/aws 1.0.0 --server {}", page.name, page.url);
  return CodeView("publish", "shell", markup::Fragment::Code(command));
}

}  // namespace

std::string RenderNamespace(const PageFrame& frame, const NamespacePage& page) {
  View view = FrameView(frame);
  const bool is_empty = page.modules.empty() && page.providers.empty() && page.part.offset == 0;
  SearchQuestion providers{.scope = SearchScope::kProviders, .order = SearchOrder::kAddress};
  providers.ns = page.name;
  view.Text("name", page.name)
      .Text("title_name", TitleText(page.name))
      .Flag("is_public", page.visibility == Visibility::kPublic)
      .Flag("is_internal", page.visibility == Visibility::kInternal)
      .Flag("is_private", page.visibility == Visibility::kPrivate)
      .Flag("is_empty", is_empty)
      .Flag("has_modules", !page.modules.empty())
      .List("modules", PackageRows(frame, page.modules))
      .Flag("is_beyond", page.modules.empty() && page.part.offset > 0)
      .Flag("has_providers", !page.providers.empty())
      .List("providers", PackageRows(frame, page.providers))
      .Flag("has_more_providers", page.has_more_providers)
      .Text("providers_path", SearchPath(providers))
      .Maybe("publish",
             page.may_publish || is_empty ? std::optional(PublishCommand(page)) : std::nullopt);
  AddPager(view, page.part, NamespacePath(page.name));
  return RenderTemplate("namespace", frame.language, view);
}

}  // namespace koya::web
