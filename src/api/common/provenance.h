// Provenance of a release, as its documents show it.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "base/text.h"
#include "domain/digest.h"
#include "service/common/version_rules.h"
#include "wire/identity.h"

namespace koya::api {

// Decodes the provenance that trusted publishing wrote to the catalog; unreadable data is not
// shown.
inline wire::Provenance ProvenanceToWire(std::string_view kept) {
  return wire::DecodeProvenance(kept).value_or(wire::Provenance());
}

// The origin of a version that is being published: `from` is its address at another registry; "":
// no import, and nullopt. Fails: kInvalid.
inline Result<std::optional<service::ImportOrigin>> ReadImportOrigin(const std::string& from,
                                                                     std::string_view digest,
                                                                     std::string_view time) {
  constexpr std::size_t kLongest = 1000;
  if (from.empty() && digest.empty() && time.empty()) return std::nullopt;
  if (from.empty() || from.size() > kLongest || Printable(from, kLongest) != from) {
    return FailInvalid("imported_from must be the version's address there: HOST/NAMESPACE/…");
  }
  ASSIGN_OR_RETURN(const Digest fetched, Digest::Parse(digest));
  service::ImportOrigin origin{.address = from, .digest = fetched.ToString()};
  origin.published_at = ParseRfc3339(time);
  if (origin.published_at || time.empty()) return origin;
  return FailInvalid("published_at must be a time as in RFC 3339: 2026-01-31T12:00:00Z");
}

// Adds the digest of an imported version at the registry that it comes from: to `imported`, by
// version.
template <class Record>
void AddImported(const Record& record, std::map<std::string, std::string>& imported) {
  if (!record.provenance.contains("imported_digest")) return;  // most: nothing is decoded
  const wire::Provenance claims = ProvenanceToWire(record.provenance);
  const auto digest = claims.find("imported_digest");
  if (digest != claims.end()) imported[record.version.ToString()] = digest->second;
}

// The host of the issuer that signed the claims: "token.actions.githubusercontent.com"; "": none.
inline std::string IssuerHost(const wire::Provenance& provenance) {
  const auto issuer = provenance.find("iss");
  if (issuer == provenance.end()) return "";
  std::string_view host = issuer->second;
  if (host.starts_with("https://")) host.remove_prefix(std::string_view("https://").size());
  return std::string(host.substr(0, host.find('/')));
}

}  // namespace koya::api
