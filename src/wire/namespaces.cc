#include "wire/namespaces.h"

#include "wire/document.h"
#include "wire/schema.h"

namespace koya::wire {

template <>
constexpr auto kDocument<NamespaceOwner> = Document(
    "the owner", Required("kind", &NamespaceOwner::kind), Required("name", &NamespaceOwner::name));

template <>
constexpr auto kDocument<Namespace> = Document(
    "the namespace", Required("name", &Namespace::name),
    Required("visibility", &Namespace::visibility), OrNull("created", &Namespace::created),
    OrNull("created_by", &Namespace::created_by), OrNull("semver", &Namespace::semver),
    OrNull("title", &Namespace::title), OrNull("description", &Namespace::description),
    OrAbsent("publish", &Namespace::publish), OrAbsent("owners", &Namespace::owners),
    OrAbsent("more_owners", &Namespace::more_owners), OrAbsent("modules", &Namespace::modules),
    OrAbsent("providers", &Namespace::providers), OrAbsent("bytes", &Namespace::bytes),
    OrAbsent("last_published", &Namespace::last_published));

template <>
constexpr auto kDocument<NamespaceRequest> = Document(
    "the namespace", OrAbsent("visibility", &NamespaceRequest::visibility),
    OrAbsent("semver", &NamespaceRequest::semver), OrAbsent("title", &NamespaceRequest::title),
    OrAbsent("description", &NamespaceRequest::description),
    OrAbsent("publish", &NamespaceRequest::publish));

template <>
constexpr auto kDocument<RoleRequest> = Document("the grant", Required("role", &RoleRequest::role));

template <>
constexpr auto kDocument<Grant> =
    Document("the grant", Required("kind", &Grant::kind), Required("name", &Grant::name),
             Required("role", &Grant::role), OrNull("granted", &Grant::granted),
             OrNull("granted_by", &Grant::granted_by));

template std::string Encode(const NamespaceRequest&);
Result<NamespaceRequest> DecodeNamespaceRequest(std::string_view body) {
  ASSIGN_OR_RETURN(NamespaceRequest request, Decode<NamespaceRequest>(body));
  if (!request.visibility.empty() || !request.semver.empty() || !request.publish.empty())
    return request;
  if (request.title || request.description) return request;
  return FailInvalid(
      "the namespace: at least one of \"visibility\", \"semver\", \"title\", "
      "\"description\" and \"publish\" is needed, as a string");
}

KOYA_DOCUMENT(Namespace);
KOYA_DOCUMENT(NamespaceList);

KOYA_DOCUMENT(RoleRequest);

KOYA_DOCUMENT(Grant);
KOYA_DOCUMENT(GrantList);

void AddNamespaceSchemas(SchemaList& list) {
  AddSchema<Namespace>(list);
  AddSchema<NamespaceRequest>(list);
  AddSchema<Grant>(list);
  AddShape(list, "RoleRequest", "{role: \"reader\" | \"publisher\" | \"owner\"}");
}

}  // namespace koya::wire
