// Groups the pages of a provider's docs for navigation, and renders them: the author's Markdown,
// else the schema, beside a column with links to all other pages. See provider_pages.h. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "markup/fragment.h"
#include "markup/markdown.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"
#include "web/providers/provider_pages.h"

namespace koya::web {

// A page in an index.
struct DocIndexEntry {
  std::string kind;  // as in paths: "resources"
  std::string name;
  std::string title;
  std::string subcategory;
  bool is_deprecated = false;
  bool has_markdown = true;  // else only the schema describes it
};

// The label of a page in a list: "demo_thing", or the title of a guide.
std::string DocLabel(const DocIndexEntry& entry, std::string_view type);

struct DocLink {
  std::string label;
  std::string path;  // relative to the page: hundreds of links stay short
  std::string kind;  // the heading above it, in a group of several kinds; "": none
  bool is_current = false;
  bool is_deprecated = false;
};

struct DocGroup {
  std::string title;  // a subcategory; "" for a group of one kind
  std::string kind;   // then
  std::string path;   // of the same page with this group open
  std::uint64_t pages = 0;
  bool is_open = false;
  std::vector<DocLink> links;  // empty for a collapsed group
};

struct DocListing {
  // Of the list, about: the page has a budget. That is 200 to 300 groups and links.
  static constexpr std::size_t kMostBytes = 21'000;

  // Guides and functions first, then by title, then other kinds. If only one group lists its pages,
  // it is before the others.
  std::vector<DocGroup> groups;
  std::uint64_t found = 0;     // pages in all groups, and the overview
  std::uint64_t left_out = 0;  // pages of open groups, or of groups, beyond the bound
  // The neighbours of the current page in the order of the whole list, which begins with the
  // overview.
  std::optional<DocLink> previous;
  std::optional<DocLink> next;
};

struct DocQuery {
  std::string docs_path;  // "/providers/acme/demo/1.0.0/docs"
  std::string page_path;  // of the current page: the same, or below it
  std::string type;       // of the provider
  std::string kind;       // of the current page; "overview" for none
  std::string name;
  std::string filter;  // words that must all occur in label or title; "": no filter
  std::string group;   // to open, as in its path; anything else: that of the current page
};

// Path of the page: ".../docs/resources/thing", ".../docs" for the overview.
std::string DocPath(std::string_view docs_path, std::string_view kind, std::string_view name);

// Lists all groups when they fit or when a filter is set; else only the open group, and the others
// as links. Beyond the bound the current page and its group stay in the list. The overview is in no
// group.
DocListing ListDocs(const std::vector<DocIndexEntry>& entries, const DocQuery& wish);

// ---- the kinds of pages in a provider's docs, and their words

// All kinds, as in paths, in the order in which pages show them. The piece _doc_kind ("Resources")
// names {{kind}}.
inline constexpr std::array<std::string_view, 9> kDocKinds{
    "overview",       "guides",  "resources",   "data-sources", "functions", "ephemeral-resources",
    "list-resources", "actions", "state-stores"};

// An attribute, a block or a parameter of the schema.
struct ShownAttribute {
  std::string path;  // "ebs_block_device.iops"
  std::string type;  // "" of a block
  bool is_block = false;
  bool is_required = false;
  bool is_optional = false;
  bool is_computed = false;
  bool is_sensitive = false;
  bool is_write_only = false;
  bool is_deprecated = false;
  std::string description;
  std::string deprecation;  // what to use instead
};

struct ShownSchema {
  std::string name;  // "demo_thing"; "" of the provider's configuration
  std::string description;
  bool is_deprecated = false;
  std::string deprecation;
  std::string returns;  // of a function
  std::vector<ShownAttribute> attributes;
  std::uint64_t left_out = 0;
};

// Another version that has the page.
struct DocElsewhere {
  std::string version;
  std::string path;
};

// A module that is published here and uses the page's resource or data source.
struct DocUser {
  std::string address;
  std::string path;
  std::string version;
  std::string title;  // one line; may be empty
};

// /providers/NS/TYPE/VERSION/docs[/KIND/NAME]
struct ProviderDocsPage {
  static constexpr std::size_t kMostUsers = 10;

  ProviderHead head;
  DocListing listing;
  std::string filter;
  bool is_list_open = false;  // in a narrow window, too: the reader asked for a part of the list
  std::string path;           // of this page
  std::string title;          // of the shown entry
  bool is_deprecated = false;
  // One of them at most. If the requested page is missing, `html` is the overview, if there is one.
  std::optional<markup::Fragment> html;
  std::optional<ShownSchema> schema;
  std::vector<markup::Heading> contents;  // of `html`
  bool is_missing = false;
  std::string wanted;                   // if missing: "resources/thing"
  std::vector<DocElsewhere> elsewhere;  // a few versions that have it
  std::string used_type;                // "demo_thing", of resources and data sources
  std::vector<DocUser> users;           // kMostUsers at most
};
std::string RenderProviderDocs(const PageFrame& frame, const ProviderDocsPage& page);

}  // namespace koya::web
