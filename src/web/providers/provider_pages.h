// Renders the pages of a provider: overview and usage, versions, keys.
//
// Each page is a struct and a function that renders it as a whole HTML document. Texts may be
// anything: they are escaped, isolated and made well-formed. Pure and thread-safe. No page's size
// grows with the number of versions: the caller that fills a struct must respect the limits named
// there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "domain/namespace_record.h"
#include "domain/signing_key_record.h"
#include "web/common/language.h"
#include "web/common/page_frame.h"
#include "web/common/view.h"

namespace koya::web {

// ---- the head of all pages of a provider, published here or mirrored: its name, the current
// version, its signature, and links to its other pages

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

// Availability of a version for a platform.
enum class PlatformState {
  kHere,       // its package is here
  kElsewhere,  // its registry has it: fetched at the first request
  kNotBuilt,
};

// A row of the version matrix, with a state for each column.
struct MatrixRow {
  ShownRelease release;
  std::vector<PlatformState> states;
};

// A package of the current version.
struct ShownPackage {
  std::string platform;         // "linux_amd64"
  std::uint64_t size = 0;       // 0: not known
  std::vector<std::string> h1;  // "h1:…"; may be empty
  std::string sha256;           // 64 hex digits
  bool is_here = true;
};

// The key of a signature, as far as known.
struct ShownKey {
  static constexpr std::size_t kMostSigned = 10;

  SigningKeyRecord record;
  std::uint64_t releases = 0;              // signed by it and available here
  std::vector<std::string> newest_signed;  // newest first, kMostSigned at most
};

struct DocKindCount {
  std::string kind;  // "guides", "resources", …
  std::uint64_t pages = 0;
};

// /providers/NS/TYPE[/VERSION]
struct ProviderPage {
  static constexpr std::size_t kMostRows = 8;
  static constexpr std::size_t kMostColumns = 9;

  ProviderHead head;
  std::string source;                  // "registry.example.com/acme/demo"
  std::string constraint;              // "~> 2.3"
  std::vector<std::string> platforms;  // the columns, kMostColumns at most
  std::uint64_t more_platforms = 0;    // without a column
  std::vector<MatrixRow> rows;         // kMostRows at most
  std::vector<ShownPackage> packages;  // of the current version
  std::optional<ShownKey> key;
  UnixSeconds now = 0;
  std::vector<DocKindCount> doc_kinds;
  std::vector<ShownAttachment> attachments = {};
};
std::string RenderProvider(const PageFrame& frame, const ProviderPage& page);

// The entry of .terraform.lock.hcl for all platforms of the page's version.
std::string LockEntry(const ProviderPage& page);
// The page as Markdown, for programs.
std::string ProviderMarkdown(const ProviderPage& page, std::string_view site_url);

struct VersionRow {
  ShownRelease release;
  std::string published_by;
  std::uint64_t platforms = 0;
  bool is_here = true;          // if mirrored: at least one package is stored
  std::string deprecation;      // why it should no longer be used; "": not deprecated
  std::string key_id;           // of the signing key; "": not known
  std::string key_fingerprint;  // likewise
  std::optional<ShownHold> hold = {};
};

struct WithdrawnRow {
  std::string version;
  UnixSeconds withdrawn_at = 0;
  std::string reason;
  std::string successor = {};  // the version to use instead; "": none was named
};

// Filter prefix, in the list of versions, for versions signed by a key: the key's id or fingerprint
// follows.
inline constexpr std::string_view kSignedByKey = "key:";

// /providers/NS/TYPE/versions
struct ProviderVersionsPage {
  static constexpr std::size_t kMostRows = 50;

  ProviderHead head;
  std::string filter;            // as it was asked for
  std::vector<VersionRow> rows;  // kMostRows at most
  ListPart part;
  std::string path;                     // of this list, with its filter
  std::vector<WithdrawnRow> withdrawn;  // kMostRows at most
  std::uint64_t all_withdrawn = 0;
  UnixSeconds checked_at = 0;  // if mirrored: when its list was confirmed; 0: never
};
std::string RenderProviderVersions(const PageFrame& frame, const ProviderVersionsPage& page);

// /providers/NS/TYPE/keys
struct ProviderKeysPage {
  static constexpr std::size_t kMostKeys = 50;

  ProviderHead head;
  std::vector<ShownKey> keys;  // active ones first; kMostKeys at most
  std::uint64_t all_keys = 0;
  UnixSeconds now = 0;
};
std::string RenderProviderKeys(const PageFrame& frame, const ProviderKeysPage& page);

// Shown when the provider is here but the requested version is not.
struct ProviderVersionMissingPage {
  ProviderHead head;    // of the newest version
  std::string wanted;   // as it was asked for
  std::string nearest;  // the newest of the same major number; "": there is none
  std::optional<WithdrawnRow> withdrawn;
};
std::string RenderProviderVersionMissing(const PageFrame& frame,
                                         const ProviderVersionMissingPage& page);

}  // namespace koya::web
