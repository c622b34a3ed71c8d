// The address of a provider on this registry: NAMESPACE/TYPE.
//
// Grammar (OpenTofu registry-address, provider.go ParseProviderPart): a part is one IDNA label, not
// empty, without "." and "--" and without "-" at its ends. It is normalised as clients do it
// (UTS #46 non-transitional with STD3, bidi and joiner rules: lower case, NFC), so one provider has
// one spelling: "Acme/Demo" and "acme/demo" are equal. A part is at most 63 octets in its ASCII
// form; the punycode spelling ("xn--…") is rejected, because clients reject it. A namespace may
// contain "_", but not at its ends (terraform-registry-address v0.5.0, provider.go
// ParseProviderNamespace, which Terraform uses since 1.16); a type may not.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace koya {

class ProviderAddress {
 public:
  // "acme/demo". Fails: kInvalid, naming the part and the rule it breaks.
  static Result<ProviderAddress> Parse(std::string_view text);
  // The parts as they appear in a URL path, percent-decoded.
  static Result<ProviderAddress> FromParts(std::string_view ns, std::string_view type);

  const std::string& ns() const { return ns_; }
  const std::string& type() const { return type_; }
  // "acme/demo": normalised, so it is also the key for look-ups and uniqueness.
  std::string ToString() const { return ns_ + "/" + type_; }

  friend bool operator==(const ProviderAddress&, const ProviderAddress&) = default;

 private:
  ProviderAddress(std::string ns, std::string type) : ns_(std::move(ns)), type_(std::move(type)) {}
  std::string ns_;
  std::string type_;
};

// The local name of a provider of that type in required_providers: an identifier, which must not
// begin with a digit, and in which clients allow no "_". REQUIRES: a type as in a ProviderAddress.
std::string ProviderLocalName(std::string_view type);

// Normalise one part, for callers that have only that. Fail: kInvalid.
Result<std::string> NormalizeProviderNamespace(std::string_view ns);
Result<std::string> NormalizeProviderType(std::string_view type);

// Why some clients reject providers of this namespace that others install, and what to write
// instead; "" when all clients accept it. REQUIRES: a namespace as in a ProviderAddress.
std::string NamespaceWarning(std::string_view ns);

// The reason why a new provider may not have this address, because a client or this server gives it
// a meaning (types beginning with "terraform-", "terraform-provider-", "opentofu-",
// "opentofu-provider-", which clients reject; the namespaces "builtin" and "search"), and what to
// write instead; "" when `address` may be published.
std::string ReservedReason(const ProviderAddress& address);

}  // namespace koya
