// Documents of /api/v1/namespaces: who may read a namespace, and who has which role in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace koya::wire {

// What a namespace is to be: {"visibility": "public" | "internal" | "private", "semver": "off" |
// "warn" | "refuse-breaking" | "refuse" | "default", "title", "description"}, of which one must be
// there.
struct NamespaceRequest {
  std::string visibility;                 // "": it stays
  std::string semver;                     // "": it stays; "default": as the server's settings say
  std::optional<std::string> title = {};  // nullopt: it stays; "": none
  std::optional<std::string> description = {};  // the same
  friend bool operator==(const NamespaceRequest&, const NamespaceRequest&) = default;
};
std::string EncodeNamespaceRequest(const NamespaceRequest& request);
// Fails: kInvalid, also when none is given.
Result<NamespaceRequest> DecodeNamespaceRequest(std::string_view body);

// A namespace as it is shown.
struct Namespace {
  std::string name;
  std::string visibility;
  std::string created;        // RFC 3339
  std::string created_by;     // a principal's name; "" = not known, null on the wire
  std::string semver{};       // a SemverRuleName; "": as settings say, null on the wire
  std::string title{};        // "": none, null on the wire
  std::string description{};  // the same
  friend bool operator==(const Namespace&, const Namespace&) = default;
};
std::string EncodeNamespace(const Namespace& ns);
Result<Namespace> DecodeNamespace(std::string_view body);
std::string EncodeNamespaceList(const std::vector<Namespace>& namespaces);
Result<std::vector<Namespace>> DecodeNamespaceList(std::string_view body);

// {"role": "reader" | "publisher" | "owner"}
std::string EncodeRoleRequest(std::string_view role);
Result<std::string> DecodeRoleRequest(std::string_view body);

// A role that somebody has in a namespace.
struct Grant {
  std::string kind;  // "user", "group" or "service"
  std::string name;
  std::string role;
  std::string granted;     // RFC 3339
  std::string granted_by;  // as of a namespace
  friend bool operator==(const Grant&, const Grant&) = default;
};
std::string EncodeGrant(const Grant& grant);
Result<Grant> DecodeGrant(std::string_view body);
std::string EncodeGrantList(const std::vector<Grant>& grants);
Result<std::vector<Grant>> DecodeGrantList(std::string_view body);

}  // namespace koya::wire
