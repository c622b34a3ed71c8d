// What all pages of a provider begin with, whether it is published here or kept of another
// registry: its name, the version that is shown, how it is signed, and the ways to its other pages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/namespace_owners.h"
#include "web/language.h"
#include "web/page_frame.h"
#include "web/view.h"

namespace koya::web {

struct ProviderName {
  std::string host;  // of another registry; "": published here
  std::string ns;
  std::string type;
};

// "/providers/acme/demo", "/-/mirror/providers/registry.opentofu.org/hashicorp/aws"; fit for links.
std::string ProviderPath(const ProviderName& name);
// The same of one version: "/providers/acme/demo/1.0.0".
std::string ProviderVersionPath(const ProviderName& name, std::string_view version);

// How much a release's signature says.
enum class ShownSignature {
  kValid,     // by a key of the namespace's authors
  kServer,    // by the key that this server made for the namespace
  kEnded,     // by a key that has ended since
  kRemoved,   // by a key that the namespace does not trust for new releases any more
  kUpstream,  // by a key that its registry names; checked when it was brought here
  kNone,      // nobody's
  kUnknown,   // of another registry's, which was not fetched yet
};

// A version, as menus show it.
struct ShownRelease {
  std::string version;
  UnixSeconds published_at = 0;  // 0: not known
  bool is_latest = false;
  bool is_deprecated = false;
};

struct ProviderHead {
  ProviderName name;
  std::string description;  // the author's; "": none
  std::string version;
  std::string latest;  // the newest release, else the newest prerelease
  bool is_prerelease = false;
  std::vector<ShownRelease> menu;  // of many versions a few
  std::string menu_end;            // what follows the version in its paths: "/docs/resources/thing"
  std::uint64_t versions = 0;      // all that can be had
  ShownSignature signature = ShownSignature::kNone;
  UnixSeconds published_at = 0;  // of another registry's: when it was first seen here
  std::string published_by;      // "": not known
  std::vector<std::string> protocols;
  std::optional<std::uint64_t> fetches;  // in 30 days; nothing: nobody counts
  std::string deprecation;               // what users of the version are warned with
  std::optional<std::uint64_t> docs;     // pages; 0: nobody knows how many; nothing: it has none
  std::optional<std::uint64_t> keys;     // of its namespace
  NamespaceOwners owners = {};           // of its namespace; nobody, for who may not know
};

enum class ProviderTab { kOverview, kDocs, kVersions, kKeys, kChanges, kUsage };

// The fields of the piece _provider_head, and of _module_links: the twins of the version's page.
// REQUIRES: head.version is not empty.
void AddProviderHead(View& view, const ProviderHead& head, ProviderTab tab, Language language);

// What the frame of such a page says: where it is, its place in the header, its feed. `path`: the
// page's without what only changes how it is shown.
void PlaceProviderPage(PageFrame& frame, const ProviderHead& head, std::string path);

}  // namespace koya::web
