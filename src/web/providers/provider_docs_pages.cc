#include "web/providers/provider_docs_pages.h"

#include <utility>

#include "inspect/documents.h"
#include "web/common/template_engine.h"
#include "web/common/text_safety.h"
#include "web/common/view_parts.h"
#include "web/providers/doc_groups.h"
#include "web/site/search_page.h"

namespace koya::web {
namespace {

std::vector<View> LinkViews(const DocGroup& group) {
  std::vector<View> views;
  views.reserve(group.links.size());
  for (const DocLink& link : group.links) {
    View view;
    view.Text("link_label", link.label)
        .Text("link_path", link.path)
        .Flag("is_shown", link.is_current)
        .Flag("is_deprecated", link.is_deprecated)
        // In a group of one kind the kind says nothing.
        .Flag("tells_kind", group.kind.empty());
    AddDocKind(view, link.kind);
    views.push_back(std::move(view));
  }
  return views;
}

std::vector<View> GroupViews(const DocListing& listing) {
  std::vector<View> views;
  views.reserve(listing.groups.size());
  for (const DocGroup& group : listing.groups) {
    View view;
    view.Text("group_title", group.title)
        .Text("group_path", group.path)
        .Text("group_pages", NumberText(group.pages))
        .Flag("is_open", group.is_open)
        .Flag("is_listed_here", !group.links.empty())
        .List("links", LinkViews(group));
    AddDocKind(view, group.kind);
    views.push_back(std::move(view));
  }
  return views;
}

View AttributeView(const ShownAttribute& attribute) {
  View view;
  view.Text("attribute_path", attribute.path)
      .Text("attribute_type", attribute.type)
      .Text("attribute_description", attribute.description)
      .Text("attribute_lang", inspect::GuessLanguage(attribute.description))
      .Text("attribute_deprecation", attribute.deprecation)
      .Text("attribute_deprecation_lang", inspect::GuessLanguage(attribute.deprecation))
      .Flag("is_block", attribute.is_block)
      .Flag("is_required", attribute.is_required)
      .Flag("is_optional", !attribute.is_required && (attribute.is_optional || attribute.is_block))
      .Flag("is_read_only",
            attribute.is_computed && !attribute.is_optional && !attribute.is_required)
      .Flag("is_sensitive", attribute.is_sensitive)
      .Flag("is_write_only", attribute.is_write_only)
      .Flag("is_deprecated", attribute.is_deprecated);
  return view;
}

View SchemaView(const ShownSchema& schema) {
  std::vector<View> attributes;
  attributes.reserve(schema.attributes.size());
  for (const ShownAttribute& each : schema.attributes) attributes.push_back(AttributeView(each));
  View view;
  view.Text("schema_description", schema.description)
      .Text("schema_lang", inspect::GuessLanguage(schema.description))
      .Flag("is_schema_deprecated", schema.is_deprecated)
      .Text("schema_deprecation", schema.deprecation)
      .Text("schema_deprecation_lang", inspect::GuessLanguage(schema.deprecation))
      .Text("schema_returns", schema.returns)
      .Flag("has_attributes", !attributes.empty())
      .List("attributes", std::move(attributes))
      .Text("schema_left_out", schema.left_out == 0 ? "" : NumberText(schema.left_out));
  return view;
}

std::vector<View> ElsewhereViews(const ProviderDocsPage& page) {
  std::vector<View> views;
  for (const DocElsewhere& each : page.elsewhere) {
    views.push_back(
        View().Text("elsewhere_version", each.version).Text("elsewhere_path", each.path));
  }
  return views;
}

// Who uses it.
void AddDocUsers(View& view, const ProviderDocsPage& page) {
  std::vector<View> users;
  for (const DocUser& user : page.users) {
    users.push_back(View()
                        .Text("user_address", user.address)
                        .Text("user_path", user.path)
                        .Text("user_version", user.version)
                        .Text("user_title", user.title)
                        .Text("user_lang", inspect::GuessLanguage(user.title)));
  }
  view.Flag("has_users", !page.users.empty())
      .List("users", std::move(users))
      .Text("used_type", page.used_type)
      .Text("users_path", SearchPath({.text = "uses:" + page.used_type}));
}

}  // namespace

std::string RenderProviderDocs(const PageFrame& frame, const ProviderDocsPage& page) {
  View view = FrameView(frame);
  AddProviderHead(view, page.head, ProviderTab::kDocs, frame.language);
  std::optional<View> prose;
  if (page.html) prose = View().Html("html", *page.html);
  view.Text("title_doc", TitleText(page.title))
      .Text("doc_title", page.title)
      .Flag("has_doc_title", !page.title.empty())
      .Flag("is_doc_deprecated", page.is_deprecated)
      .Maybe("prose", std::move(prose))
      .Maybe("schema", page.schema ? std::optional(SchemaView(*page.schema)) : std::nullopt)
      .Flag("is_missing", page.is_missing)
      .Flag("is_empty", !page.html && !page.schema && !page.is_missing)
      .Text("wanted", page.wanted)
      .Flag("has_elsewhere", !page.elsewhere.empty())
      .List("elsewhere", ElsewhereViews(page))
      .Flag("has_groups", !page.listing.groups.empty())
      .List("groups", GroupViews(page.listing))
      .Text("filter", page.filter)
      .Text("filter_path", page.path)
      .Flag("is_filtered", !page.filter.empty())
      .Text("found", NumberText(page.listing.found))
      .Text("left_out", page.listing.left_out == 0 ? "" : NumberText(page.listing.left_out));
  AddDocKind(view, page.kind);
  AddDocUsers(view, page);
  return RenderTemplate("provider_docs", frame.language, view);
}

}  // namespace koya::web
