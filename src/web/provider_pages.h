// The pages of a provider: what it is and how to use it, its versions, its keys.
//
// Each page is a struct and a function that renders it as a whole HTML document. Texts may be
// anything: they are escaped, isolated and made well-formed. Pure and thread-safe. No page's size
// grows with the number of versions: whoever fills a struct keeps to the bounds that it names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "web/page_frame.h"
#include "web/provider_head.h"
#include "web/view_parts.h"

namespace koya::web {

// How a version stands to a platform.
enum class PlatformState {
  kHere,       // its package is here
  kElsewhere,  // its registry has it: fetched when it is first asked for
  kNotBuilt,
};

// A version of the matrix, with a state for each of its columns.
struct MatrixRow {
  ShownRelease release;
  std::vector<PlatformState> states;
};

// A package of the version that is shown.
struct ShownPackage {
  std::string platform;         // "linux_amd64"
  std::uint64_t size = 0;       // 0: not known
  std::vector<std::string> h1;  // "h1:…"; may be empty
  std::string sha256;           // 64 hex digits
  bool is_here = true;
};

// The key behind a signature, as far as it is known.
struct ShownKey {
  static constexpr std::size_t kMostSigned = 10;

  std::string fingerprint;
  std::string key_id;
  std::vector<std::string> user_ids;
  std::string algorithm;
  bool server_made = false;
  UnixSeconds created_at = 0;
  UnixSeconds expires_at = 0;  // 0: never
  UnixSeconds added_at = 0;
  std::string added_by;
  UnixSeconds removed_at = 0;              // 0: it is in use
  std::uint64_t releases = 0;              // that it signed, and that are here
  std::vector<std::string> newest_signed;  // the newest of them first, kMostSigned at most
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
  std::uint64_t more_platforms = 0;    // that have none
  std::vector<MatrixRow> rows;         // kMostRows at most
  std::vector<ShownPackage> packages;  // of the version that is shown
  std::optional<ShownKey> key;
  UnixSeconds now = 0;
  std::vector<DocKindCount> doc_kinds;
};
std::string RenderProvider(const PageFrame& frame, const ProviderPage& page);

// The entry of .terraform.lock.hcl for all platforms of the page's version.
std::string LockEntry(const ProviderPage& page);
// The same page for programs that read Markdown.
std::string ProviderMarkdown(const ProviderPage& page, std::string_view site_url);

struct VersionRow {
  ShownRelease release;
  std::string published_by;
  std::uint64_t platforms = 0;
  bool is_here = true;          // of another registry's: something of it is kept
  std::string deprecation;      // why it should not be used any more; "": it may be
  std::string key_id;           // of the key that signed it; "": not known
  std::string key_fingerprint;  // likewise
};

struct WithdrawnRow {
  std::string version;
  UnixSeconds withdrawn_at = 0;
  std::string reason;
  std::string successor = {};  // the version to use instead; "": none was named
};

// What finds, in the list of versions, those that a key signed: the key's id or fingerprint
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
  UnixSeconds checked_at = 0;  // of another registry's: when its list was confirmed; 0: never
  bool may_deprecate = false;  // the reader: rows lead to the pages for that
  bool may_withdraw = false;
};
std::string RenderProviderVersions(const PageFrame& frame, const ProviderVersionsPage& page);

// /providers/NS/TYPE/keys
struct ProviderKeysPage {
  static constexpr std::size_t kMostKeys = 50;

  ProviderHead head;
  std::vector<ShownKey> keys;  // those in use first; kMostKeys at most
  std::uint64_t all_keys = 0;
  UnixSeconds now = 0;
};
std::string RenderProviderKeys(const PageFrame& frame, const ProviderKeysPage& page);

// What is answered when the provider is here and that version of it is not.
struct ProviderVersionMissingPage {
  ProviderHead head;    // of the newest version
  std::string wanted;   // as it was asked for
  std::string nearest;  // the newest of the same major number; "": there is none
  std::optional<WithdrawnRow> withdrawn;
};
std::string RenderProviderVersionMissing(const PageFrame& frame,
                                         const ProviderVersionMissingPage& page);

}  // namespace koya::web
