// Documents of the module registry protocol, and of the wider module API that tools read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/comparison.h"
#include "wire/read_warning.h"

namespace koya::wire {

// GET …/:namespace/:name/:system/versions. Written with exactly one element in "modules", as some
// tools insist; only the first is read, as clients do.
struct ModuleVersions {
  std::string source;                 // "acme/vpc/aws"
  std::vector<std::string> versions;  // as spelled; nothing is normalised here
  friend bool operator==(const ModuleVersions&, const ModuleVersions&) = default;
};
std::string EncodeModuleVersions(const ModuleVersions& document);
// Fails: kInvalid when a client would not accept the document.
Result<ModuleVersions> DecodeModuleVersions(std::string_view body);

// GET …/:version/download, for clients that read the body: {"location": "…"}.
std::string EncodeModuleLocation(std::string_view location);
Result<std::string> DecodeModuleLocation(std::string_view body);

// One module version as the wider API shows it.
struct ModuleDetails {
  std::string ns;
  std::string name;
  std::string system;  // "provider" on the wire
  std::string version;
  std::string owner;
  std::string description;
  std::string
      source;  // the address to write in a configuration: "registry.example.com/acme/vpc/aws"
  std::string published_at;     // RFC 3339
  std::uint64_t downloads = 0;  // a version's; of a module's latest, and in lists, of all versions
  std::vector<std::string> versions;  // all, newest first; only in a single module's details
  // The claims of the CI identity that published it, by name; none did: empty, and left out.
  std::map<std::string, std::string> provenance = {};
  // The systems that modules of this name are for, as "aws"; only in a single module's details.
  std::vector<std::string> systems = {};
  // What the version's users are warned with ("warning" on the wire, as of providers); "": it is
  // not deprecated, and left out. Not in lists.
  std::string deprecation = {};
  friend bool operator==(const ModuleDetails&, const ModuleDetails&) = default;
};
// `inside`: what the module holds, as members of an object of JSON, which are added; "": nothing is
// known of that.
std::string EncodeModuleDetails(const ModuleDetails& details, std::string_view inside = {});
Result<ModuleDetails> DecodeModuleDetails(std::string_view body);

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

// Answer to PUT /api/v1/modules/….
struct PublishedModule {
  std::string address;  // "acme/vpc/aws"
  std::string version;
  std::string digest;  // "sha256:…" of the archive that is served
  std::uint64_t size = 0;
  std::string location;   // absolute URL of the archive
  bool repacked = false;  // what is served is not the upload, but its repack
  bool dry_run = false;   // nothing was kept
  std::vector<ReadWarning> warnings;
  std::uint64_t warnings_left_out = 0;
  // With the version before; nothing: there is none, or none is looked for.
  std::optional<Comparison> comparison;
  std::string semver;   // the rule for its number, "warn"; "" without a comparison
  std::string refusal;  // of a dry run: why it would not be published
  // What the namespace is that was made for it: "public", "internal" or "private"; "": it was
  // there.
  std::string made_namespace = {};
  friend bool operator==(const PublishedModule&, const PublishedModule&) = default;
};
std::string EncodePublishedModule(const PublishedModule& published);
Result<PublishedModule> DecodePublishedModule(std::string_view body);

// Body of DELETE /api/v1/modules/…/:version, and the same of providers.
struct WithdrawalRequest {
  std::string reason;
  std::string successor;  // the version to use instead; "": none is named
  friend bool operator==(const WithdrawalRequest&, const WithdrawalRequest&) = default;
};
std::string EncodeWithdrawal(const WithdrawalRequest& request);
Result<WithdrawalRequest> DecodeWithdrawal(std::string_view body);
// Body of POST …/:version/restore: {"reason": "…"}.
std::string EncodeRestore(std::string_view reason);
Result<std::string> DecodeRestore(std::string_view body);

}  // namespace koya::wire
