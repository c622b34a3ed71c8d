// Documents of /api/v1/namespaces: who may read a namespace, and who has which role in it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "wire/endpoint.h"

namespace koya::wire {

// Changes to a namespace: {"visibility": "public" | "internal" | "private", "semver": "off" |
// "warn" | "refuse-breaking" | "refuse" | "default", "title", "description", "publish": "any" |
// "ci-only"}, of which at least one is required.
struct NamespaceRequest {
  std::string visibility;                       // "": unchanged
  std::string semver;                           // "": unchanged; "default": the server's setting
  std::optional<std::string> title = {};        // nullopt: unchanged; "": none
  std::optional<std::string> description = {};  // the same
  std::string publish = {};                     // "": unchanged
  friend bool operator==(const NamespaceRequest&, const NamespaceRequest&) = default;
};
// Fails: kInvalid, also when no member is given.
Result<NamespaceRequest> DecodeNamespaceRequest(std::string_view body);

struct NamespaceOwner {
  std::string kind;  // as in Grant
  std::string name;
  friend bool operator==(const NamespaceOwner&, const NamespaceOwner&) = default;
};

// A namespace as responses show it.
struct Namespace {
  std::string name;
  std::string visibility;
  std::string created;        // RFC 3339
  std::string created_by;     // a principal's name; "" = not known, null on the wire
  std::string semver{};       // a SemverRuleName; "": the server's setting, null on the wire
  std::string title{};        // "": none, null on the wire
  std::string description{};  // the same
  std::string publish{};      // a PublishRuleName
  // In lists for administrators; else left out, as `last_published` is if nothing is published.
  std::vector<NamespaceOwner> owners{};        // the first few
  std::optional<std::uint64_t> more_owners{};  // the number of the others
  std::optional<std::uint64_t> modules{};
  std::optional<std::uint64_t> providers{};
  std::optional<std::uint64_t> bytes{};
  std::string last_published{};  // RFC 3339
  friend bool operator==(const Namespace&, const Namespace&) = default;
};
using NamespaceList = ListOf<Namespace, "namespaces", "the list of namespaces">;

struct RoleRequest {
  std::string role;  // "reader", "publisher" or "owner"
  friend bool operator==(const RoleRequest&, const RoleRequest&) = default;
};

// The role of a user, group or service account in a namespace.
struct Grant {
  std::string kind;  // "user", "group" or "service"
  std::string name;
  std::string role;
  std::string granted;     // RFC 3339
  std::string granted_by;  // as in Namespace
  friend bool operator==(const Grant&, const Grant&) = default;
};
using GrantList = ListOf<Grant, "grants", "the list of grants">;

// ---- endpoints

inline constexpr Endpoint<void, NamespaceList> kListNamespaces{"GET", "/api/v1/namespaces"};
inline constexpr Endpoint<void, Namespace, 1> kShowNamespace{"GET",
                                                             "/api/v1/namespaces/{namespace}"};
inline constexpr Endpoint<NamespaceRequest, Namespace, 1> kSetNamespace{
    "PUT", "/api/v1/namespaces/{namespace}"};
inline constexpr Endpoint<void, GrantList, 1> kListGrants{"GET",
                                                          "/api/v1/namespaces/{namespace}/grants"};
inline constexpr Endpoint<RoleRequest, Grant, 2> kGrantToUser{
    "PUT", "/api/v1/namespaces/{namespace}/grants/users/{name}"};
inline constexpr Endpoint<void, void, 2> kRemoveGrantOfUser{
    "DELETE", "/api/v1/namespaces/{namespace}/grants/users/{name}"};
inline constexpr Endpoint<RoleRequest, Grant, 2> kGrantToGroup{
    "PUT", "/api/v1/namespaces/{namespace}/grants/groups/{name}"};
inline constexpr Endpoint<void, void, 2> kRemoveGrantOfGroup{
    "DELETE", "/api/v1/namespaces/{namespace}/grants/groups/{name}"};
inline constexpr Endpoint<RoleRequest, Grant, 2> kGrantToService{
    "PUT", "/api/v1/namespaces/{namespace}/grants/services/{name}"};
inline constexpr Endpoint<void, void, 2> kRemoveGrantOfService{
    "DELETE", "/api/v1/namespaces/{namespace}/grants/services/{name}"};

}  // namespace koya::wire
