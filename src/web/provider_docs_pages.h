// The pages of a provider's documentation: Markdown where its author wrote some, else what its
// schema says, beside one column with the ways to all others. See provider_pages.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "markup/fragment.h"
#include "web/doc_groups.h"
#include "web/page_frame.h"
#include "web/provider_head.h"

namespace koya::web {

// An attribute, a block or a parameter, as the schema has it.
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

// Another version in which there is that page.
struct DocElsewhere {
  std::string version;
  std::string path;
};

// A module that is published here and uses what the page is about.
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
  std::string path;   // of this page
  std::string title;  // of what is shown
  std::string kind;
  bool is_deprecated = false;
  // One of them at most; with neither, `is_missing` says whether that was asked for.
  std::optional<markup::Fragment> html;
  std::optional<ShownSchema> schema;
  bool is_missing = false;
  std::string wanted;                   // then: "resources/thing"
  std::vector<DocElsewhere> elsewhere;  // a few versions that have it
  // Versions; "" where nobody knows. `changed_since` is the one before `changed_in`.
  std::string added_in;
  std::string changed_in;
  std::string changed_since;
  std::string used_type;       // "demo_thing", of resources and data sources
  std::vector<DocUser> users;  // kMostUsers at most
};
std::string RenderProviderDocs(const PageFrame& frame, const ProviderDocsPage& page);

}  // namespace koya::web
