// Documents of the module registry protocol, and of the extended module API that tools read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/attachment.h"
#include "wire/comparison.h"
#include "wire/endpoint.h"
#include "wire/read_warning.h"

namespace koya::wire {

// GET …/:namespace/:name/:system/versions. Written with exactly one element in "modules", as some
// tools require; only the first is read, as clients do.
struct ModuleVersions {
  std::string source;                 // "acme/vpc/aws"
  std::vector<std::string> versions;  // as spelled; not normalised
  // Release times, RFC 3339, by version; of those that are known.
  std::map<std::string, std::string> discovered = {};
  friend bool operator==(const ModuleVersions&, const ModuleVersions&) = default;
};
std::string EncodeModuleVersions(const ModuleVersions& document);
// Fails: kInvalid when a client would not accept the document.
Result<ModuleVersions> DecodeModuleVersions(std::string_view body);

// GET …/:version/download, for clients that read the body: {"location": "…"}.
std::string EncodeModuleLocation(std::string_view location);
// The same for a module that this registry hosts itself, for OpenTofu 1.12 and later: a plain URL
// that is fetched without credentials.
std::string EncodeDirectModuleLocation(std::string_view location);
Result<std::string> DecodeModuleLocation(std::string_view body);

// One module version in the extended API.
struct ModuleDetails {
  std::string ns;
  std::string name;
  std::string system;  // "provider" on the wire
  std::string version;
  std::string owner;
  std::string description;
  // In a single version's details the repository, "https://github.com/acme/vpc", as updaters read
  // it; "": unknown, and omitted. In lists the address for a configuration,
  // "registry.example.com/acme/vpc/aws".
  std::string source;
  std::string published_at;     // RFC 3339
  std::uint64_t downloads = 0;  // of a version; in lists and of the latest one, of all versions
  std::vector<std::string> versions;  // all, newest first; only in a single module's details
  // Claims of the CI identity that published it, by name; empty without one, and omitted then.
  std::map<std::string, std::string> provenance = {};
  // The systems of all modules with this name, such as "aws"; only in a single module's details.
  std::vector<std::string> systems = {};
  // The warning for users of the version ("warning" on the wire, as for providers); "": it is not
  // deprecated, and the member is omitted. Not in lists.
  std::string deprecation = {};
  bool deprecated = false;                   // in lists, of the latest version
  std::vector<Attachment> attachments = {};  // of the version; omitted when empty. Not in lists
  // Digests of imported versions at the registry that they come from, "sha256:…", by version; only
  // beside `versions`, and omitted when empty.
  std::map<std::string, std::string> imported = {};
  std::string visibility = {};  // "public", "internal", "private"; "": unknown, and omitted
  // The page of the source: at the commit that `provenance` names, else of the repository; "":
  // unknown, and omitted. Not in lists.
  std::string source_url = {};
  friend bool operator==(const ModuleDetails&, const ModuleDetails&) = default;
};
// `inside`: the module's contents, as members of a JSON object, which are added; "": unknown.
std::string EncodeModuleDetails(const ModuleDetails& details, std::string_view inside = {});

// A page of modules.
struct ModuleList {
  std::uint64_t limit = 0;
  std::uint64_t current_offset = 0;
  std::optional<std::uint64_t> next_offset;
  std::optional<std::uint64_t> prev_offset;
  std::string next_url;  // "" when there is none
  std::string prev_url;
  std::vector<ModuleDetails> modules;
  friend bool operator==(const ModuleList&, const ModuleList&) = default;
};
std::string EncodeModuleList(const ModuleList& list);
Result<ModuleList> DecodeModuleList(std::string_view body);

// The response to PUT /api/v1/modules/….
struct PublishedModule {
  std::string address;  // "acme/vpc/aws"
  std::string version;
  std::string digest;  // "sha256:…" of the archive that is served
  std::uint64_t size = 0;
  std::string location;   // absolute URL of the archive
  bool repacked = false;  // a repack of the upload is served
  bool dry_run = false;   // nothing was stored
  std::vector<ReadWarning> warnings;
  std::uint64_t warnings_left_out = 0;
  // Comparison with the previous version; nothing: there is none, or none is wanted.
  std::optional<Comparison> comparison;
  std::string semver;   // the rule for its version number, "warn"; "" without a comparison
  std::string refusal;  // of a dry run: why publishing would be rejected
  // The visibility of the namespace that was created for it: "public", "internal" or "private"; "":
  // the namespace existed.
  std::string made_namespace = {};
  std::string visibility = {};  // of the namespace; as of ModuleDetails
  friend bool operator==(const PublishedModule&, const PublishedModule&) = default;
};

// koya publish modules: the outcome for each folder of the repository.
struct PublishedFolders {
  struct Published {
    std::string folder;     // "modules/vpc"; ".": the repository's top
    std::string subfolder;  // of the module in its package, behind "//"; "": the package's root
    PublishedModule module;
    friend bool operator==(const Published&, const Published&) = default;
  };
  struct Failed {
    std::string folder;
    std::string address;
    std::string version;
    std::string error;
    friend bool operator==(const Failed&, const Failed&) = default;
  };
  std::vector<Published> published;
  std::vector<Failed> failed;
  friend bool operator==(const PublishedFolders&, const PublishedFolders&) = default;
};

// Body of DELETE /api/v1/modules/…/:version; the same for providers.
struct Withdrawal {
  std::string reason;
  std::string successor;  // the version to use instead; "": none
  friend bool operator==(const Withdrawal&, const Withdrawal&) = default;
};
// Body of POST …/:version/restore.
struct Restore {
  std::string reason;
  friend bool operator==(const Restore&, const Restore&) = default;
};

// ---- endpoints

struct Deprecation;   // wire/provider_publishing.h
struct ModuleInside;  // of koya::inspect, which reads and writes it

inline constexpr Endpoint<Bytes, PublishedModule, 4> kPublishModule{
    "PUT", "/api/v1/modules/{namespace}/{name}/{system}/{version}"};
inline constexpr Endpoint<Deprecation, void, 4> kDeprecateModule{
    "PUT", "/api/v1/modules/{namespace}/{name}/{system}/{version}/deprecation"};
inline constexpr Endpoint<Withdrawal, void, 4> kWithdrawModule{
    "DELETE", "/api/v1/modules/{namespace}/{name}/{system}/{version}"};
inline constexpr Endpoint<Restore, void, 4> kRestoreModule{
    "POST", "/api/v1/modules/{namespace}/{name}/{system}/{version}/restore"};
inline constexpr Endpoint<void, ModuleInside, 4> kGetModuleInside{
    "GET", "/api/v1/modules/{namespace}/{name}/{system}/{version}"};

}  // namespace koya::wire
