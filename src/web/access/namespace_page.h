// Renders the list of namespaces, and the page of one: its modules and providers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/access.h"
#include "domain/namespace_record.h"
#include "domain/search_record.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

struct ListedNamespace {
  NamespaceRecord record;
  std::optional<NamespaceContents> contents = {};  // for administrators
  NamespaceOwners owners = {};                     // the same
};

// GET /namespaces?page=
struct NamespacesPage {
  static constexpr std::size_t kMostNamespaces = 30;

  std::vector<ListedNamespace> namespaces = {};  // kMostNamespaces at most
  ListPart part = {};
  bool is_anonymous = false;        // all of them are public
  bool for_administrators = false;  // shows owners and contents
};
std::string RenderNamespaces(const PageFrame& frame, const NamespacesPage& page);

struct NamespacePage {
  std::string name;  // as it is shown
  std::string url;   // of this registry; no slash at its end
  Visibility visibility = Visibility::kPublic;
  NamespaceWords words = {};
  NamespaceOwners owners = {};     // empty for readers who may not know
  std::vector<SearchHit> modules;  // of this part of the list, in order
  ListPart part;                   // of the modules
  std::vector<SearchHit> providers;
  bool has_more_providers = false;
  bool may_publish = false;   // the reader, with their own token
  bool is_owner = false;      // the reader: shows links to the pages of owners
  std::string audience = {};  // audience of the tokens of CI jobs; "": `url`
};
std::string RenderNamespace(const PageFrame& frame, const NamespacePage& page);

}  // namespace koya::web
