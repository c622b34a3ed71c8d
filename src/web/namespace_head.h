// What all pages of a namespace begin with: its name and title, who may read it, and the ways to
// its other pages.
#pragma once

#include <string>
#include <string_view>

#include "domain/namespace_owners.h"
#include "domain/visibility.h"
#include "web/page_frame.h"

namespace koya::web {

enum class NamespaceTab { kPackages, kKeys, kPeople, kPublishing, kSettings, kActivity };

struct NamespaceHead {
  std::string name;  // as it is shown
  Visibility visibility = Visibility::kPublic;
  bool is_owner = false;        // of the reader: to others the pages of owners are nowhere
  std::string title = {};       // as its owners write it; "": none
  NamespaceOwners owners = {};  // nobody, where they are not told: see ADR 74
};
void AddNamespaceHead(View& view, const NamespaceHead& head, NamespaceTab tab);

// "/namespaces/acme/people", "/namespaces/acme/keys/FINGERPRINT/remove".
std::string NamespaceTabPath(std::string_view ns, std::string_view rest);

}  // namespace koya::web
