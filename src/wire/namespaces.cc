#include "wire/namespaces.h"

#include "wire/document.h"

namespace koya::wire {

template <>
constexpr auto kDocument<Namespace> =
    Document("the namespace", Required("name", &Namespace::name),
             Required("visibility", &Namespace::visibility), OrNull("created", &Namespace::created),
             OrNull("created_by", &Namespace::created_by));

template <>
constexpr auto kDocument<Grant> =
    Document("the grant", Required("kind", &Grant::kind), Required("name", &Grant::name),
             Required("role", &Grant::role), OrNull("granted", &Grant::granted),
             OrNull("granted_by", &Grant::granted_by));

std::string EncodeVisibilityRequest(std::string_view visibility) {
  return EncodeText("visibility", visibility);
}
Result<std::string> DecodeVisibilityRequest(std::string_view body) {
  return DecodeText("the namespace", "visibility", body);
}

std::string EncodeNamespace(const Namespace& ns) { return Encode(ns); }
Result<Namespace> DecodeNamespace(std::string_view body) { return Decode<Namespace>(body); }
std::string EncodeNamespaceList(const std::vector<Namespace>& namespaces) {
  return EncodeList("namespaces", namespaces);
}
Result<std::vector<Namespace>> DecodeNamespaceList(std::string_view body) {
  return DecodeList<Namespace>("the list of namespaces", "namespaces", body);
}

std::string EncodeRoleRequest(std::string_view role) { return EncodeText("role", role); }
Result<std::string> DecodeRoleRequest(std::string_view body) {
  return DecodeText("the grant", "role", body);
}

std::string EncodeGrant(const Grant& grant) { return Encode(grant); }
Result<Grant> DecodeGrant(std::string_view body) { return Decode<Grant>(body); }
std::string EncodeGrantList(const std::vector<Grant>& grants) {
  return EncodeList("grants", grants);
}
Result<std::vector<Grant>> DecodeGrantList(std::string_view body) {
  return DecodeList<Grant>("the list of grants", "grants", body);
}

}  // namespace koya::wire
