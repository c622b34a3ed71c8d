#include "web/providers/provider_docs_pages.h"

#include <utility>

#include "web/common/template_engine.h"
#include "web/common/view_parts.h"
#include "web/providers/doc_groups.h"
#include "web/site/search_page.h"

namespace koya::web {
KOYA_VIEW(DocLink, label, path, kind, is_current, is_deprecated);
KOYA_VIEW(DocGroup, title, kind, path, pages, is_open, links);
KOYA_VIEW(ShownAttribute, path, type, is_block, is_required, is_optional, is_computed, is_sensitive,
          is_write_only, is_deprecated, description, deprecation);
KOYA_VIEW(ShownSchema, description, is_deprecated, deprecation, returns, attributes, left_out);
KOYA_VIEW(DocElsewhere, version, path);
KOYA_VIEW(DocUser, address, path, version, title);
KOYA_VIEW(DocListing, groups, found, left_out);  // its neighbours: "around"
KOYA_VIEW(ProviderDocsPage, title, filter, is_list_open, path, is_deprecated, html, schema,
          is_missing, wanted, elsewhere, used_type, users);

std::string RenderProviderDocs(const PageFrame& frame, const ProviderDocsPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kDocs);
  const std::string docs_path = ProviderVersionPath(page.head.name, page.head.version) + "/docs";
  std::vector<View> around;
  for (const auto* link : {&page.listing.previous, &page.listing.next}) {
    if (*link) around.push_back(View().Of(**link).Set("is_next", link == &page.listing.next));
  }
  view.Of(page)
      .Of(page.listing)
      .Set("docs_path", docs_path)
      .Set("is_overview", page.path == docs_path)
      .List("around", std::move(around))
      .Set("is_empty", !page.html && !page.schema && !page.is_missing)
      .Set("users_path", SearchPath({.text = "uses:" + page.used_type}));
  AddContents(view, page.contents);
  return RenderTemplate("provider_docs", frame.language, view);
}

}  // namespace koya::web
