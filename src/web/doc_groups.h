// The pages of a provider's docs, in the groups in which people look for them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace koya::web {

// A page as an index has it.
struct DocIndexEntry {
  std::string kind;  // as addresses have it: "resources"
  std::string name;
  std::string title;
  std::string subcategory;
  bool is_deprecated = false;
  bool has_markdown = true;  // else the schema alone describes it
};

// What a list of pages calls one: "demo_thing", the title of a guide.
std::string DocLabel(const DocIndexEntry& entry, std::string_view type);

struct DocLink {
  std::string label;
  std::string path;
  std::string kind;
  bool is_current = false;
  bool is_deprecated = false;
};

struct DocGroup {
  std::string title;  // a subcategory; "" of a group that is a kind's
  std::string kind;   // then
  std::string path;   // of the list with this group open
  std::uint64_t pages = 0;
  bool is_open = false;
  std::vector<DocLink> links;  // of a group that is not listed, none
};

struct DocListing {
  static constexpr std::size_t kMostLinks = 400;

  std::vector<DocGroup> groups;  // guides and functions first, then by title, then other kinds
  std::uint64_t found = 0;       // pages in all groups
  std::uint64_t left_out = 0;    // beyond kMostLinks in what is listed
};

struct DocWish {
  std::string docs_path;  // "/providers/acme/demo/1.0.0/docs"
  std::string type;       // of the provider
  std::string kind;       // of the page that is shown; "overview" for none
  std::string name;
  std::string filter;  // words that each must occur in label or title; "" does not restrict
  std::string group;   // the one to open, as its path says; "": that of the page that is shown
};

// Where the page is: ".../docs/resources/thing", ".../docs" for the overview.
std::string DocPath(std::string_view docs_path, std::string_view kind, std::string_view name);

// All groups are listed when they fit, and what a filter finds; else the open one alone, and the
// others are links. The overview is in no group.
DocListing ListDocs(const std::vector<DocIndexEntry>& entries, const DocWish& wish);

}  // namespace koya::web
