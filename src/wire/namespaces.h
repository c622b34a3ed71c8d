// Documents of /api/v1/namespaces: who may read a namespace, and who has which role in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/codec.h"

namespace koya::wire {

// Changes to a namespace: {"visibility": "public" | "internal" | "private", "semver": "off" |
// "warn" | "refuse-breaking" | "refuse" | "default", "title", "description"}, of which at least one
// is required.
struct NamespaceRequest {
  std::string visibility;                       // "": unchanged
  std::string semver;                           // "": unchanged; "default": the server's setting
  std::optional<std::string> title = {};        // nullopt: unchanged; "": none
  std::optional<std::string> description = {};  // the same
  friend bool operator==(const NamespaceRequest&, const NamespaceRequest&) = default;
};
// Fails: kInvalid, also when no member is given.
Result<NamespaceRequest> DecodeNamespaceRequest(std::string_view body);

// A namespace as responses show it.
struct Namespace {
  std::string name;
  std::string visibility;
  std::string created;        // RFC 3339
  std::string created_by;     // a principal's name; "" = not known, null on the wire
  std::string semver{};       // a SemverRuleName; "": the server's setting, null on the wire
  std::string title{};        // "": none, null on the wire
  std::string description{};  // the same
  friend bool operator==(const Namespace&, const Namespace&) = default;
};
std::string EncodeNamespaceList(const std::vector<Namespace>& namespaces);
Result<std::vector<Namespace>> DecodeNamespaceList(std::string_view body);

// {"role": "reader" | "publisher" | "owner"}
std::string EncodeRoleRequest(std::string_view role);
Result<std::string> DecodeRoleRequest(std::string_view body);

// The role of a user, group or service account in a namespace.
struct Grant {
  std::string kind;  // "user", "group" or "service"
  std::string name;
  std::string role;
  std::string granted;     // RFC 3339
  std::string granted_by;  // as in Namespace
  friend bool operator==(const Grant&, const Grant&) = default;
};
std::string EncodeGrantList(const std::vector<Grant>& grants);
Result<std::vector<Grant>> DecodeGrantList(std::string_view body);

}  // namespace koya::wire
