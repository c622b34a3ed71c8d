// The head of all pages of a namespace: its name and title, its visibility, and links to its other
// pages.
#pragma once

#include <string>
#include <string_view>

#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"
#include "domain/visibility.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

enum class NamespaceTab { kPackages, kKeys, kPeople, kPublishing, kSettings, kActivity };

struct NamespaceHead {
  std::string name;  // as it is shown
  Visibility visibility = Visibility::kPublic;
  bool is_owner = false;        // the reader; pages of owners are hidden from others
  std::string title = {};       // written by its owners; "": none
  NamespaceOwners owners = {};  // empty where they are hidden: see ADR 74
};
void AddNamespaceHead(View& view, const NamespaceHead& head, NamespaceTab tab);

// "/namespaces/acme/people", "/namespaces/acme/keys/FINGERPRINT/remove".
std::string NamespaceTabPath(std::string_view ns, std::string_view rest);

// Of a signing key, on the pages of its namespace and of providers.
inline KOYA_VIEW(SigningKeyRecord, algorithm, server_made, added_by, added_at, removed_at,
                 expires_at);

// ---- "Owned by …" in the heads of pages: the piece _owners. Pure and thread-safe.

// Shows nothing without owners.
void AddOwners(View& view, const NamespaceOwners& owners);

}  // namespace koya::web
