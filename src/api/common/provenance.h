// Provenance of a release, as its documents show it.
#pragma once

#include <string>
#include <string_view>

#include "wire/trust.h"

namespace koya::api {

// Decodes the provenance that trusted publishing wrote to the catalog; unreadable data is not
// shown.
inline wire::Provenance ProvenanceToWire(std::string_view kept) {
  return wire::DecodeProvenance(kept).value_or(wire::Provenance());
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
