// The address of a provider on this registry: NAMESPACE/TYPE.
//
// Grammar (OpenTofu registry-address, provider.go ParseProviderPart): a part is one IDNA label, not
// empty, without ".", "_" and "--" and without "-" at its ends. It is normalised as clients do it
// (UTS #46 non-transitional with STD3, bidi and joiner rules: lower case, NFC), so one provider has
// one spelling: "Acme/Demo" and "acme/demo" are equal. A part is at most 63 octets in its ASCII
// form; the punycode spelling ("xn--…") is refused, because clients refuse it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

class ProviderAddress {
 public:
  // "acme/demo". Fails: kInvalid, naming the part and the rule it breaks.
  static Result<ProviderAddress> Parse(std::string_view text);
  // The parts as they stand in a URL path, percent-decoded.
  static Result<ProviderAddress> FromParts(std::string_view ns, std::string_view type);

  const std::string& ns() const { return ns_; }
  const std::string& type() const { return type_; }
  // "acme/demo": normalised, so it is what look-ups and uniqueness use too.
  std::string ToString() const { return ns_ + "/" + type_; }

  friend bool operator==(const ProviderAddress&, const ProviderAddress&) = default;

 private:
  ProviderAddress(std::string ns, std::string type) : ns_(std::move(ns)), type_(std::move(type)) {}
  std::string ns_;
  std::string type_;
};

// What a configuration calls a provider of that type in required_providers: an identifier, which no
// digit may begin, and in which clients allow no "_". REQUIRES: a type as in a ProviderAddress.
std::string ProviderLocalName(std::string_view type);

// One part, normalised, for places that have only a namespace. `what` names it in errors
// ("namespace"). Fails: kInvalid.
Result<std::string> NormalizeProviderPart(std::string_view what, std::string_view part);

// Addresses that a new provider may not take, because clients or this server give them a meaning
// (types beginning with "terraform-", "terraform-provider-", "opentofu-", "opentofu-provider-",
// which clients refuse; the namespaces "builtin" and "search"): returns why and what to write
// instead, or "" when `address` is free to be published.
std::string ReservedReason(const ProviderAddress& address);

}  // namespace koya
