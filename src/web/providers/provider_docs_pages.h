// Renders the pages of a provider's documentation: the author's Markdown, else the schema, beside a
// column with links to all other pages. See provider_pages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "markup/fragment.h"
#include "markup/markdown.h"
#include "web/common/page_frame.h"
#include "web/providers/doc_groups.h"
#include "web/providers/provider_head.h"

namespace koya::web {

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
