// The handlers of the pages that owners look after a namespace with, for the table: see
// namespace_owned.h.
#pragma once

#include "api/namespace_owned.h"

namespace koya::api {

// ---- who may do what, and how it is set: namespace_people.cc

Task<http::Response> ShowPeople(Call& call, const Visit& visit, const OwnedNamespace& owned);
Task<http::Response> GiveRole(Call& call);
Task<http::Response> AskTakeRole(Call& call, const Visit& visit, const OwnedNamespace& owned);
Task<http::Response> TakeRole(Call& call);
Task<http::Response> ShowNamespaceSettings(Call& call, const Visit& visit,
                                           const OwnedNamespace& owned);
Task<http::Response> ChangeNamespaceSettings(Call& call);

// ---- its keys: namespace_key_pages.cc

Task<http::Response> ShowNamespaceKeys(Call& call);  // for readers, too
Task<http::Response> AddNamespaceKeys(Call& call);
Task<http::Response> AskRemoveNamespaceKey(Call& call, const Visit& visit,
                                           const OwnedNamespace& owned);
Task<http::Response> RemoveNamespaceKey(Call& call);

// ---- which CI it trusts, and what happened in it: namespace_trust_pages.cc

Task<http::Response> ShowPublishing(Call& call, const Visit& visit, const OwnedNamespace& owned);
Task<http::Response> TrustCi(Call& call);
Task<http::Response> AskDistrustCi(Call& call, const Visit& visit, const OwnedNamespace& owned);
Task<http::Response> DistrustCi(Call& call);
Task<http::Response> ShowActivity(Call& call, const Visit& visit, const OwnedNamespace& owned);

}  // namespace koya::api
