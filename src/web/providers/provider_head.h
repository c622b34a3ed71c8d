// The head of all pages of a provider, published here or mirrored: its name, the current version,
// its signature, and links to its other pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/namespace_record.h"
#include "web/common/language.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"
#include "web/common/view_parts.h"

namespace koya::web {

struct ProviderName {
  std::string host;  // of another registry; "": published here
  std::string ns;
  std::string type;
};

// "/providers/acme/demo", "/-/mirror/providers/registry.opentofu.org/hashicorp/aws"; fit for links.
std::string ProviderPath(const ProviderName& name);
// Path of one version: "/providers/acme/demo/1.0.0".
std::string ProviderVersionPath(const ProviderName& name, std::string_view version);

// Trust in a release's signature.
enum class ShownSignature {
  kValid,     // by a key of the namespace's authors
  kServer,    // by the key that this server created for the namespace
  kEnded,     // by a key that has expired since
  kRemoved,   // by a key that the namespace does not trust for new releases any more
  kUpstream,  // by a key that its registry names; verified when fetched
  kNone,      // not signed
  kUnknown,   // mirrored, not fetched yet
};

// A version in a menu.
struct ShownRelease {
  std::string version;
  UnixSeconds published_at = 0;  // 0: not known
  bool is_latest = false;
  bool is_deprecated = false;
};

inline KOYA_VIEW(ShownRelease, version, published_at, is_latest, is_deprecated);

struct ProviderHead {
  ProviderName name;
  std::string description;  // the author's; "": none
  std::string version;
  std::string latest;  // the newest release, else the newest prerelease
  bool is_prerelease = false;
  std::vector<ShownRelease> menu;  // a selection of many versions
  std::string menu_end;            // what follows the version in its paths: "/docs/resources/thing"
  std::uint64_t versions = 0;      // all available ones
  ShownSignature signature = ShownSignature::kNone;
  UnixSeconds published_at = 0;  // if mirrored: when it was first seen here
  std::string published_by;      // "": not known
  std::vector<std::string> protocols;
  std::optional<std::uint64_t> fetches;  // in 30 days; nullopt: not counted
  std::string deprecation;               // warning for users of the version
  std::optional<std::uint64_t> docs;     // pages; 0: number not known; nullopt: it has none
  std::optional<std::uint64_t> keys;     // of its namespace
  NamespaceOwners owners = {};           // of its namespace; empty for readers who may not know
  std::optional<ShownHold> hold = {};    // of the version
  std::optional<Visibility> visibility = {};  // nullopt: no badge
  VersionRights rights = {};                  // of the reader
  ShownSource source = {};
};

enum class ProviderTab { kOverview, kDocs, kVersions, kKeys, kChanges, kUsage };

// Adds the fields of the pieces _provider_head and _module_links: the alternate forms of the
// version's page. REQUIRES: head.version is not empty.
void AddProviderHead(View& view, const ProviderHead& head, ProviderTab tab);

// Sets the frame of a provider page: its breadcrumbs, its section in the header, its feed. `path`:
// of the page, without parameters that only change its presentation.
void PlaceProviderPage(PageFrame& frame, const ProviderHead& head, std::string path);

}  // namespace koya::web
